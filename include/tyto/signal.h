/*
 * Signals: tapers, cosine and sine transforms, convolution, short-time transforms, filters.  Part of <tyto/tyto.h>, which
 * says what holds everywhere.  All are made of public functions, so gradients flow and graphs compile; names and
 * definitions are SciPy's (scipy.fft, scipy.signal) where nothing else is said.
 */
#ifndef TYTO_SIGNAL_H
#define TYTO_SIGNAL_H
#include <tyto/fft.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tapers: n weights, 1 in the middle; dtype floating ----
 *
 * periodic: of n + 1 the first n, which is what spectra are made with; else symmetric.  n = 1 is {1}, n = 0 is empty. */

TY_API ty_tensor *ty_hann(ty_dtype dtype, int64_t n, bool periodic);
TY_API ty_tensor *ty_hamming(ty_dtype dtype, int64_t n, bool periodic);
TY_API ty_tensor *ty_blackman(ty_dtype dtype, int64_t n, bool periodic);
TY_API ty_tensor *ty_nuttall(ty_dtype dtype, int64_t n, bool periodic);
TY_API ty_tensor *ty_blackman_harris(ty_dtype dtype, int64_t n, bool periodic);
TY_API ty_tensor *ty_flat_top(ty_dtype dtype, int64_t n, bool periodic);
TY_API ty_tensor *ty_bartlett(ty_dtype dtype, int64_t n, bool periodic); /* a triangle, 0 at the ends */
TY_API ty_tensor *ty_triangle(ty_dtype dtype, int64_t n, bool periodic); /* a triangle, not 0 at the ends */
TY_API ty_tensor *ty_half_sine(ty_dtype dtype, int64_t n, bool periodic);
TY_API ty_tensor *ty_bohman(ty_dtype dtype, int64_t n, bool periodic);
TY_API ty_tensor *ty_parzen(ty_dtype dtype, int64_t n, bool periodic);
/* i0(beta sqrt(1 - t^2)) / i0(beta) for t from -1 to 1; beta 0 or more. */
TY_API ty_tensor *ty_kaiser(ty_dtype dtype, int64_t n, double beta, bool periodic);
/* exp(-(t / deviation)^2 / 2), t counted in elements from the middle; deviation above 0. */
TY_API ty_tensor *ty_gaussian_taper(ty_dtype dtype, int64_t n, double deviation, bool periodic);
/* Flat, with a half of a ty_hann of share / 2 of the length at both ends; share 0..1. */
TY_API ty_tensor *ty_tukey(ty_dtype dtype, int64_t n, double share, bool periodic);
/* exp(-|t| / decay), t counted in elements from the middle; decay above 0. */
TY_API ty_tensor *ty_exponential_taper(ty_dtype dtype, int64_t n, double decay, bool periodic);
/* sum of weights[k] cos(k t), t from -pi to pi; weights is a real vector, to which gradients flow. */
TY_API ty_tensor *ty_cosine_taper(ty_dtype dtype, int64_t n, ty_tensor *weights, bool periodic);

/* ---- cosine and sine transforms ----
 *
 * type   dct                                                       dst
 *  1     x[0] + (-1)^k x[n-1] + 2 sum x[j] cos(pi j k / (n-1))     2 sum x[j] sin(pi (j+1) (k+1) / (n+1))
 *  2     2 sum x[j] cos(pi k (2j+1) / 2n)                          2 sum x[j] sin(pi (k+1) (2j+1) / 2n)
 *  3     x[0] + 2 sum x[j] cos(pi j (2k+1) / 2n)                   (-1)^k x[n-1] + 2 sum x[j] sin(pi (j+1) (2k+1) / 2n)
 *  4     2 sum x[j] cos(pi (2j+1) (2k+1) / 4n)                     2 sum x[j] sin(pi (2j+1) (2k+1) / 4n)
 *
 * n cuts or lengthens as in ty_fft.  The inverses undo them: 1 and 4 are their own, 2 and 3 each other's, up to a factor
 * that `norm` puts on one side; TY_FFT_ORTHO makes orthogonal matrices of all.  Type 1 of dct needs n of 2 or more.  Of
 * complex numbers both parts are transformed. */
TY_API ty_tensor *ty_dct(ty_tensor *x, int type, int64_t n, int axis, ty_fft_norm norm);
TY_API ty_tensor *ty_idct(ty_tensor *x, int type, int64_t n, int axis, ty_fft_norm norm);
TY_API ty_tensor *ty_dst(ty_tensor *x, int type, int64_t n, int axis, ty_fft_norm norm);
TY_API ty_tensor *ty_idst(ty_tensor *x, int type, int64_t n, int axis, ty_fft_norm norm);

/* ---- convolution ---- */

typedef enum ty_overlap {
    TY_FULL, /* wherever the two meet: size a + b - 1 */
    TY_SAME, /* the middle of that, of a's size */
    TY_VALID, /* where the smaller one is inside: size a - b + 1, of one that is at least as large along every axis */
    TY_OVERLAPS
} ty_overlap;
/* "full", "same", "valid"; TY_OVERLAPS for anything else, which the functions refuse. */
TY_API ty_overlap ty_overlap_of(const char *name);
/* sum over j of a[j] b[k - j] along all axes; both have as many axes and no empty one.  By products or by transforms,
   whichever takes fewer operations; integers, which stay what they are, by products alone, of up to 3 axes. */
TY_API ty_tensor *ty_convolve(ty_tensor *a, ty_tensor *b, ty_overlap overlap);
/* sum over j of a[j + k] conj b[j]: ty_convolve with b turned round. */
TY_API ty_tensor *ty_correlate(ty_tensor *a, ty_tensor *b, ty_overlap overlap);
/* By transforms, along n axes (0 and axes NULL: all); the others broadcast. */
TY_API ty_tensor *ty_fft_convolve(ty_tensor *a, ty_tensor *b, ty_overlap overlap, int n, const int64_t *axes);

/* ---- spectra over time: along the last axis ---- */

/* All zero but size is the usual. */
typedef struct ty_stft_options {
    int64_t size;      /* of a segment; 1 or more */
    int64_t step;      /* from segment to segment; 0: half of the size */
    int64_t n;         /* of the transform, a longer one is of a segment with zeros behind it; 0: the size */
    ty_tensor *window; /* `size` weights; NULL: ty_hann, periodic */
    bool
        plain; /* segments inside of x only; else x is put between zeros, half a size at each end, and as many
                          more as make the last segment whole */
} ty_stft_options;
/* [.., frequency, time]: ty_rfft (of complex x: ty_fft) of the segments times the window, divided by the window's sum. */
TY_API ty_tensor *ty_stft(ty_tensor *x, ty_stft_options options);
/* The signal whose ty_stft this is: segments added up, divided by the sum of the squares of the windows there, which must
   not be 0 anywhere between the ends.  real: frequencies are those of ty_rfft. */
TY_API ty_tensor *ty_istft(ty_tensor *spectra, ty_stft_options options, bool real);
/* [.., frequency, time]: the power in each frequency, of segments whose mean is taken off, by unit of frequency where
   `rate` samples are a unit of time.  x is real; options.plain is meant whatever it is. */
TY_API ty_tensor *ty_spectrogram(ty_tensor *x, ty_stft_options options, double rate);
/* x + i times its Hilbert transform: of real x, that with no negative frequencies.  |y| is the envelope. */
TY_API ty_tensor *ty_analytic_signal(ty_tensor *x, int axis);

/* ---- filters ---- */

/* a[0] y[k] = sum over j of b[j] x[k - j] - sum over j > 0 of a[j] y[k - j] along an axis, from rest; b and a vectors of
   1..4096 elements, a[0] not 0.  Element by element: an element changes no earlier one.  f32 and c64 keep the state in
   f64 and c128. */
TY_API ty_tensor *ty_filter(ty_tensor *b, ty_tensor *a, ty_tensor *x, int axis);
/* Forwards and backwards, so that nothing is delayed; x is continued by 3 times the filter's length at both ends, turned
   round about the end's value.  The axis must be longer than that. */
TY_API ty_tensor *ty_filter_both(ty_tensor *b, ty_tensor *a, ty_tensor *x, int axis);
/* Sections of second order one after the other: [sections, 6] of b0 b1 b2 a0 a1 a2. */
TY_API ty_tensor *ty_filter_sections(ty_tensor *sections, ty_tensor *x, int axis);
/* As ty_filter_both.  The filter's length is 2 * sections + 1, less the number of sections whose b2 is 0 or, if these are
   fewer, whose a2 is 0.  Where sections are a promise, an axis that is too short is refused when they are computed. */
TY_API ty_tensor *ty_filter_sections_both(ty_tensor *sections, ty_tensor *x, int axis);
typedef enum ty_band { TY_LOW_PASS, TY_HIGH_PASS, TY_BAND_PASS, TY_BAND_STOP, TY_BANDS } ty_band;
/* "lowpass", "highpass", "bandpass", "bandstop"; TY_BANDS for anything else. */
TY_API ty_band ty_band_of(const char *name);
/* Butterworth's filter of an order of 1 or more as f64[sections, 6]; low, high: where the power is a half, as shares of
   half the sampling rate, between 0 and 1; high counts for bands alone. */
TY_API ty_tensor *ty_butterworth(int order, ty_band band, double low, double high);

#ifdef __cplusplus
}
#endif
#endif
