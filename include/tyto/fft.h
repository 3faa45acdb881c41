/*
 * Discrete Fourier transforms.  Part of <tyto/tyto.h>, which states the rules that hold for all functions.
 *
 *   fft:   y[k] = sum over j of x[j] exp(-2 pi i j k / n)      ifft: the same with +, divided by n
 *
 * n is the size of the transform: a longer axis is cut, a shorter one is padded with zeros; TY_FFT_WHOLE stands for
 * the size of the axis.  Axes count from 0, negative ones from the end.  Any n >= 1 takes time proportional to n log
 * n.  f32 and half floats give c64; f64, integers and bool c128.  The root mean square error is below 5 log2 n units
 * of rounding.  Gradients are transforms.
 */
#ifndef TYTO_FFT_H
#define TYTO_FFT_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Direction that is divided by n: ifft (BACKWARD) or fft (FORWARD); ORTHO divides both by the square root of n. */
typedef enum ty_fft_norm { TY_FFT_BACKWARD, TY_FFT_ORTHO, TY_FFT_FORWARD, TY_FFT_NORMS } ty_fft_norm;
/* Return the scaling of transforms by its name: "backward", "ortho" or "forward".  TY_FFT_NORMS, which the
   transforms refuse, if there is none. */
TY_API ty_fft_norm ty_fft_norm_named(const char *name);
enum { TY_FFT_WHOLE = -1 };

/* ---- along one axis ---- */

/* Fourier transform of size n (TY_FFT_WHOLE: the axis's) along an axis, which gets size n: c64 for half floats, f32
   and c64, c128 for others.  A longer axis is cut, a shorter one padded with zeros.  `norm` selects the direction
   that is divided by n.  Negative axes count from the end; poison if the axis is outside or n below 1. */
TY_API ty_tensor *ty_fft(ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);
/* Inverse Fourier transform of size n (TY_FFT_WHOLE: the axis's) along an axis, which gets size n: c64 for half
   floats, f32 and c64, c128 for others.  A longer axis is cut, a shorter one padded with zeros.  `norm` selects the
   direction that is divided by n.  Negative axes count from the end; poison if the axis is outside or n below 1. */
TY_API ty_tensor *ty_ifft(ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);
/* Fourier transform of size n (TY_FFT_WHOLE: the axis's) of real x along an axis: the first n/2 + 1 (rounded down)
   elements of the result, complex.  The others are their conjugates.  A longer axis is cut, a shorter one padded
   with zeros.  `norm` selects the direction that is divided by n.  Negative axes count from the end.  Poison for
   complex x, an axis outside, or n below 1. */
TY_API ty_tensor *ty_rfft(ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);
/* Inverse of ty_rfft along an axis: n real elements (TY_FFT_WHOLE: 2 (m - 1) for an axis of m) from the first n/2 +
   1.  A longer axis is cut, a shorter one padded with zeros.  The first, and for even n the last, count with their
   real parts.  `norm` selects the direction that is divided by n.  Negative axes count from the end; poison if the
   axis is outside or n below 1. */
TY_API ty_tensor *ty_irfft(ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);
/* Fourier transform along an axis of lines with Hermitian symmetry, of which the first n/2 + 1 elements are
   given: n real elements (TY_FFT_WHOLE: 2 (m - 1) for an axis of m).  `norm` selects the direction that is
   divided by n.  Negative axes count from the end; poison if the axis is outside or n below 1. */
TY_API ty_tensor *ty_hfft(ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);
/* Inverse of ty_hfft along an axis: the first n/2 + 1 elements of the inverse transform of n real elements
   (TY_FFT_WHOLE: the axis's); complex.  `norm` selects the direction that is divided by n.  Poison for complex
   x, an axis outside, or n below 1.  A negative axis counts from the end. */
TY_API ty_tensor *ty_ihfft(ty_tensor *x, int64_t n, int axis, ty_fft_norm norm);

/* ---- along several axes ---- */

/* axes[i] of n, none twice (n = 0 and axes NULL: all); sizes[i] (NULL: whole axes) is the transform's size along
   axes[i]. */

/* Fourier transform along n axes, complex, of sizes[i] along axes[i] (sizes NULL: whole axes).  n = 0 with axes and
   sizes NULL: along all.  Negative axes count from the end.  Poison if one is outside or repeated, or a size below
   1. */
TY_API ty_tensor *ty_fftn(ty_tensor *x, int n, const int64_t *axes, const int64_t *sizes, ty_fft_norm norm);
/* Inverse Fourier transform along n axes, complex, of sizes[i] along axes[i] (sizes NULL: whole axes).  n = 0 with
   axes and sizes NULL: along all.  Negative axes count from the end.  Poison if one is outside or repeated, or a
   size below 1. */
TY_API ty_tensor *ty_ifftn(ty_tensor *x, int n, const int64_t *axes, const int64_t *sizes, ty_fft_norm norm);
/* Fourier transform of real x along n axes, of sizes[i] along axes[i] (sizes NULL: whole axes); complex.  The last
   of them is halved: of size n it keeps the first n/2 + 1 elements.  n = 0 with axes and sizes NULL: along all.
   Poison for complex x, or if an axis is outside or repeated, or a size below 1.  Negative axes count from the end. */
TY_API ty_tensor *ty_rfftn(ty_tensor *x, int n, const int64_t *axes, const int64_t *sizes, ty_fft_norm norm);
/* Inverse of ty_rfftn: a real result from the half transform along n axes; the last one, of m elements, grows to
   its size (TY_FFT_WHOLE: 2 (m - 1)).  The result has sizes[i] along axes[i]; sizes NULL: TY_FFT_WHOLE each.  n = 0
   with axes and sizes NULL: along all.  Poison if an axis is outside or repeated, or a size below 1.  Negative axes
   count from the end. */
TY_API ty_tensor *ty_irfftn(ty_tensor *x, int n, const int64_t *axes, const int64_t *sizes, ty_fft_norm norm);
/* Fourier transform along the last two axes; c64 for half floats, f32 and c64, else c128.  `sizes`: the two sizes
   of the transform, or NULL for whole axes.  Poison if x has fewer than two axes or a size is below 1. */
TY_API ty_tensor *ty_fft2(ty_tensor *x, const int64_t *sizes, ty_fft_norm norm);
/* Inverse Fourier transform along the last two axes; c64 for half floats, f32 and c64, else c128.  `sizes`: the two
   sizes of the transform, or NULL for whole axes.  Poison if x has fewer than two axes or a size is below 1. */
TY_API ty_tensor *ty_ifft2(ty_tensor *x, const int64_t *sizes, ty_fft_norm norm);
/* Fourier transform of real x along the last two axes; complex.  The last one is halved: of size n it keeps the
   first n/2 + 1 elements.  `sizes`: the two sizes of the transform, or NULL for whole axes.  Poison if x is
   complex, has fewer than two axes or a size is below 1. */
TY_API ty_tensor *ty_rfft2(ty_tensor *x, const int64_t *sizes, ty_fft_norm norm);
/* Inverse of ty_rfft2: a real result from the half transform along the last two axes.  `sizes`: the two sizes of
   the result; NULL: {h, 2 (w - 1)} for axes of h and w.  Poison if x has fewer than two axes or a size is below 1. */
TY_API ty_tensor *ty_irfft2(ty_tensor *x, const int64_t *sizes, ty_fft_norm norm);

/* ---- frequencies ---- */

/* Move frequency 0 from the front to the middle of n axes, which are rotated by half their size, rounded down; n =
   0: all.  The dtype stays.  Negative axes count from the end; poison if one is outside or repeated. */
TY_API ty_tensor *ty_fftshift(ty_tensor *x, int n, const int64_t *axes);
/* Move frequency 0 from the middle to the front of n axes: the inverse of ty_fftshift; n = 0: all.  Negative
   axes count from the end; poison if one is outside or repeated. */
TY_API ty_tensor *ty_ifftshift(ty_tensor *x, int n, const int64_t *axes);
/* Return the vector of the n frequencies of ty_fft's results in cycles per unit of `spacing`, the distance of
   samples: 0, 1, ..., -2, -1 divided by n * spacing.  Poison unless n >= 1, spacing is not 0 and the dtype is
   floating. */
TY_API ty_tensor *ty_fftfreq(ty_dtype dtype, int64_t n, double spacing);
/* Return the vector of the n/2 + 1 frequencies of ty_rfft's results in cycles per unit of `spacing`: 0, 1, ..., n/2
   divided by n * spacing.  Poison unless n >= 1, spacing is not 0 and the dtype is floating. */
TY_API ty_tensor *ty_rfftfreq(ty_dtype dtype, int64_t n, double spacing);
/* Return the least n >= size that transforms fast: a product of 2, 3, 5 and 7; `size` itself if int64_t holds
   none; 1 for sizes below 1. */
TY_API int64_t ty_fft_good(int64_t size);

#ifdef __cplusplus
}
#endif
#endif
