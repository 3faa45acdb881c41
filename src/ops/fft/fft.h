/* The recording of transforms along one axis, for those along several. */
#ifndef OPS_FFT_FFT_H
#define OPS_FFT_FFT_H
#include <tyto/fft.h>
#include "ops/core/attributes.h"

/* A public transform: its name in sentences, what it computes. */
struct fft_public {
    const char *name;
    enum fft_kind kind;
    bool backward; /* the exponent's sign */
    bool inverse;  /* which norm divides it by n: that of the inverse transforms */
};
/* False after a refusal in *bad: no such norm. */
ty_tensor *fft_along(const struct fft_public *f, ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);
/* Poison for a norm that is none; NULL: it is one. */
ty_tensor *fft_refuse_norm(const char *name, ty_tensor *x, ty_fft_norm norm);
#endif
