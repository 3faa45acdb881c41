/* Recording of Fourier transforms along one axis, for transforms along several. */
#ifndef OPS_FFT_FFT_H
#define OPS_FFT_FFT_H
#include <tyto/fft.h>
#include "ops/core/attributes.h"

/* A public transform: its name in messages and its properties. */
struct fft_public {
    const char *name;
    enum fft_kind kind;
    bool backward; /* sign of the exponent */
    bool inverse;  /* an inverse transform: determines which norm divides by n */
};
/* Record the transform f of n elements of x along `axis`, which may be negative; n = TY_FFT_WHOLE: as many as
   x has. Return the result, or poison if an argument is invalid. */
ty_tensor *fft_along(const struct fft_public *f, ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);
/* Return poison, in the name of function `name`, if `norm` is invalid, else NULL. */
ty_tensor *fft_refuse_norm(const char *name, ty_tensor *x, ty_fft_norm norm);
#endif
