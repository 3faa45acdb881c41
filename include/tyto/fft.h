/*
 * Discrete Fourier transforms.  Part of <tyto/tyto.h>, which says what holds everywhere.
 *
 * fft:   y[k] = sum over j of x[j] exp(-2 pi i j k / n)      ifft: the same with +, divided by n
 *
 * n is the size of the axis, or what is asked for: a longer axis is cut, a shorter one followed by zeros; TY_FFT_WHOLE
 * takes the axis as it is.  Any n of 1 or more is of order n log n.  f32 (and half floats) become c64, f64, integers and
 * bool c128.  The root mean square of the error is below 5 units of rounding times log2 n.  Gradients are transforms.
 */
#ifndef TYTO_FFT_H
#define TYTO_FFT_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which direction is divided by n: ifft, neither but both by its root, fft. */
typedef enum ty_fft_norm { TY_FFT_BACKWARD, TY_FFT_ORTHO, TY_FFT_FORWARD, TY_FFT_NORMS } ty_fft_norm;
/* "backward", "ortho", "forward"; TY_FFT_NORMS for anything else, which the transforms refuse. */
TY_API ty_fft_norm ty_fft_norm_of(const char *name);
enum { TY_FFT_WHOLE = -1 };

/* ---- along one axis ---- */

TY_API ty_tensor *ty_fft(ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);
TY_API ty_tensor *ty_ifft(ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);
/* Of real x: elements 0 .. n/2 of its transform; the others are the conjugates of these. */
TY_API ty_tensor *ty_rfft(ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);
/* The way back: n real elements (TY_FFT_WHOLE: 2 (m - 1) of an axis of m) from n/2 + 1, of which the first, and the last
   where n is even, count with their real parts. */
TY_API ty_tensor *ty_irfft(ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);
/* The same the other way: the real transform of a line with symmetry, of which half is given; and half of what such a
   transform was made of. */
TY_API ty_tensor *ty_hfft(ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);
TY_API ty_tensor *ty_ihfft(ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);

/* ---- along several ---- */

/* Along n axes, none of them twice; n = 0 and axes NULL: all, and sizes is NULL.  sizes (NULL: the whole axes) are
   what n is above, one for each axis. */
TY_API ty_tensor *ty_fftn(ty_tensor *x, int n, const int64_t *axes, const int64_t *sizes, ty_fft_norm norm);
TY_API ty_tensor *ty_ifftn(ty_tensor *x, int n, const int64_t *axes, const int64_t *sizes, ty_fft_norm norm);
/* The last of the axes is halved, as by ty_rfft. */
TY_API ty_tensor *ty_rfftn(ty_tensor *x, int n, const int64_t *axes, const int64_t *sizes, ty_fft_norm norm);
TY_API ty_tensor *ty_irfftn(ty_tensor *x, int n, const int64_t *axes, const int64_t *sizes, ty_fft_norm norm);
/* Along the last two axes; sizes: two, or NULL. */
TY_API ty_tensor *ty_fft2(ty_tensor *x, const int64_t *sizes, ty_fft_norm norm);
TY_API ty_tensor *ty_ifft2(ty_tensor *x, const int64_t *sizes, ty_fft_norm norm);
TY_API ty_tensor *ty_rfft2(ty_tensor *x, const int64_t *sizes, ty_fft_norm norm);
TY_API ty_tensor *ty_irfft2(ty_tensor *x, const int64_t *sizes, ty_fft_norm norm);

/* ---- frequencies ---- */

/* Frequency 0 goes from the front to the middle of n axes (0: all), and back. */
TY_API ty_tensor *ty_fftshift(ty_tensor *x, int n, const int64_t *axes);
TY_API ty_tensor *ty_ifftshift(ty_tensor *x, int n, const int64_t *axes);
/* The frequencies of ty_fft's and of ty_rfft's results, in cycles for each unit of `spacing`, which is how far apart the
   samples are: 0, 1, ..., -2, -1 divided by n * spacing; n of 1 or more, spacing not 0; dtype floating. */
TY_API ty_tensor *ty_fftfreq(ty_dtype dtype, int64_t n, double spacing);
TY_API ty_tensor *ty_rfftfreq(ty_dtype dtype, int64_t n, double spacing);
/* The least n >= size whose transform is quick: a product of 2, 3, 5 and 7; size itself where i64 holds none. */
TY_API int64_t ty_fft_good(int64_t size);

#ifdef __cplusplus
}
#endif
#endif
