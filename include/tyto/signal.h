/* Signals: window functions, cosine and sine transforms, convolution, short-time transforms, filters, peaks.  Part of
   <tyto/tyto.h>, which states the rules that hold for all functions.  All but ty_find_peaks are composed of public
   functions, so gradients flow and graphs compile.  Names and definitions are SciPy's (scipy.fft, scipy.signal) unless stated
   otherwise.  Window functions give vectors of n elements, of the floating
   dtype that is given.  Operands of convolutions and filters are promoted to
   one dtype; filters of integers alone give f64. */
#ifndef TYTO_SIGNAL_H
#define TYTO_SIGNAL_H
#include <tyto/fft.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ---- window functions: n weights of a floating dtype, with maximum 1 in the middle ----
 *
 * periodic: the first n of n + 1 weights, for spectra; otherwise symmetric.  n = 1 gives {1}, n = 0 an empty vector.
 */

/* Return the Hann window of n weights, a vector with maximum 1 in the middle; for even n (periodic: odd n) two
   equal ones below 1.  `periodic`: the first n of n + 1, for spectra; else symmetric.  n = 1 gives {1}.  Poison if
   n is negative or the dtype not floating. */
TY_API ty_tensor *ty_hann(ty_dtype dtype, int64_t n, bool periodic);
/* Return the Hamming window of n weights, a vector with maximum 1 in the middle; for even n (periodic: odd n) two
   equal ones below 1.  `periodic`: the first n of n + 1, for spectra; else symmetric.  n = 1 gives {1}.  Poison if
   n is negative or the dtype not floating. */
TY_API ty_tensor *ty_hamming(ty_dtype dtype, int64_t n, bool periodic);
/* Return the Blackman window of n weights, a vector with maximum 1 in the middle; for even n (periodic: odd n) two
   equal ones below 1.  `periodic`: the first n of n + 1, for spectra; else symmetric.  n = 1 gives {1}.  Poison if
   n is negative or the dtype not floating. */
TY_API ty_tensor *ty_blackman(ty_dtype dtype, int64_t n, bool periodic);
/* Return the Nuttall window of n weights, a vector with maximum 1 in the middle; for even n (periodic: odd n) two
   equal ones below 1.  `periodic`: the first n of n + 1, for spectra; else symmetric.  n = 1 gives {1}.  Poison if
   n is negative or the dtype not floating. */
TY_API ty_tensor *ty_nuttall(ty_dtype dtype, int64_t n, bool periodic);
/* Return the Blackman-Harris window of n weights, a vector with maximum 1 in the middle; for even n (periodic: odd
   n) two equal ones below 1.  `periodic`: the first n of n + 1, for spectra; else symmetric.  n = 1 gives {1}.
   Poison if n is negative or the dtype not floating. */
TY_API ty_tensor *ty_blackman_harris(ty_dtype dtype, int64_t n, bool periodic);
/* Return the flat-top window of n weights, a vector with maximum 1 in the middle; for even n (periodic: odd n) two
   equal ones below 1.  `periodic`: the first n of n + 1, for spectra; else symmetric.  n = 1 gives {1}.  Poison if
   n is negative or the dtype not floating. */
TY_API ty_tensor *ty_flat_top(ty_dtype dtype, int64_t n, bool periodic);
/* Return the Bartlett window of n weights, a triangle that is 0 at the ends.  `periodic`: the first n of n + 1, for
   spectra; else symmetric.  n = 1 gives {1}.  Poison if n is negative or the dtype not floating. */
TY_API ty_tensor *ty_bartlett(ty_dtype dtype, int64_t n, bool periodic);
/* Return the triangular window of n weights, not 0 at the ends.  `periodic`: the first n of n + 1, for spectra;
   else symmetric.  n = 1 gives {1}.  Poison if n is negative or the dtype not floating. */
TY_API ty_tensor *ty_triangle(ty_dtype dtype, int64_t n, bool periodic);
/* Return the half-sine window (SciPy's cosine) of n weights, a vector with maximum 1 in the middle; for even n
   (periodic: odd n) two equal ones below 1.  `periodic`: the first n of n + 1, for spectra; else symmetric.  n = 1
   gives {1}.  Poison if n is negative or the dtype not floating. */
TY_API ty_tensor *ty_half_sine(ty_dtype dtype, int64_t n, bool periodic);
/* Return the Bohman window of n weights, a vector with maximum 1 in the middle; for even n (periodic: odd n) two
   equal ones below 1.  `periodic`: the first n of n + 1, for spectra; else symmetric.  n = 1 gives {1}.  Poison if
   n is negative or the dtype not floating. */
TY_API ty_tensor *ty_bohman(ty_dtype dtype, int64_t n, bool periodic);
/* Return the Parzen window of n weights, a vector with maximum 1 in the middle; for even n (periodic: odd n) two
   equal ones below 1.  `periodic`: the first n of n + 1, for spectra; else symmetric.  n = 1 gives {1}.  Poison if
   n is negative or the dtype not floating. */
TY_API ty_tensor *ty_parzen(ty_dtype dtype, int64_t n, bool periodic);
/* Return the Kaiser window of n weights, i0(beta sqrt(1 - t^2)) / i0(beta) for t from -1 to 1; beta >= 0, else
   poison.  `periodic`: the first n of n + 1, for spectra; else symmetric.  n = 1 gives {1}.  Also poison if n is
   negative or the dtype not floating. */
TY_API ty_tensor *ty_kaiser(ty_dtype dtype, int64_t n, double beta, bool periodic);
/* Return the Gaussian window of n weights, exp(-(t / deviation)^2 / 2) for t in elements from the middle; deviation
   > 0, else poison.  `periodic`: the first n of n + 1, for spectra; else symmetric.  n = 1 gives {1}.  Also poison
   if n is negative or the dtype not floating. */
TY_API ty_tensor *ty_gaussian_window(ty_dtype dtype, int64_t n, double deviation, bool periodic);
/* Return the Tukey window of n weights: flat, with half a Hann window over share / 2 of the length at each end;
   share in 0..1, else poison.  `periodic`: the first n of n + 1, for spectra; else symmetric.  n = 1 gives {1}.
   Also poison if n is negative or the dtype not floating. */
TY_API ty_tensor *ty_tukey(ty_dtype dtype, int64_t n, double share, bool periodic);
/* Return the exponential window of n weights, exp(-|t| / decay) for t in elements from the middle; decay > 0, else
   poison.  `periodic`: the first n of n + 1, for spectra; else symmetric.  n = 1 gives {1}.  Also poison if n is
   negative or the dtype not floating. */
TY_API ty_tensor *ty_exponential_window(ty_dtype dtype, int64_t n, double decay, bool periodic);
/* Return the window of n elements with the sum of weights[k] cos(k t), over k from 0, for t from -pi to pi;
   `weights` is a real vector, to which gradients flow.  `periodic`: the first n of n + 1, for spectra; else
   symmetric.  n = 1 gives {1}.  Poison if n is negative, the dtype not floating, or weights are no real vector. */
TY_API ty_tensor *ty_cosine_window(ty_dtype dtype, int64_t n, ty_tensor *weights, bool periodic);

/*
 * ---- cosine and sine transforms ----
 *
 *  type  dct;                                                    dst:
 *   1    x[0] + (-1)^k x[n-1] + 2 sum x[j] cos(pi j k / (n-1));  2 sum x[j] sin(pi (j+1) (k+1) / (n+1));
 *   2    2 sum x[j] cos(pi k (2j+1) / 2n);                       2 sum x[j] sin(pi (k+1) (2j+1) / 2n);
 *   3    x[0] + 2 sum x[j] cos(pi j (2k+1) / 2n);                (-1)^k x[n-1] + 2 sum x[j] sin(pi (j+1) (2k+1) / 2n);
 *   4    2 sum x[j] cos(pi (2j+1) (2k+1) / 4n);                  2 sum x[j] sin(pi (2j+1) (2k+1) / 4n).
 *
 * n cuts or pads the axis, as in ty_fft.  Types 1 and 4 are their own inverse, 2 and 3 each other's, up to a factor
 * that `norm` places.  TY_FFT_ORTHO makes all of them orthogonal.  Type 1 of dct needs n >= 2.  Complex numbers are
 * transformed by parts.
 */

/* Discrete cosine transform of `type` 1..4 and size n along an axis, by SciPy's formulas (type 2: 2 sum x[j] cos(pi
   k (2j+1) / 2n)).  Floating and complex dtypes stay, integers give f64.  A longer axis is cut to n, a shorter one
   padded with zeros; TY_FFT_WHOLE keeps it.  TY_FFT_BACKWARD does not scale, FORWARD divides by 2n (type 1: 2n -
   2), ORTHO makes the transform orthogonal.  Negative axes count from the end.  Poison for another type, n below 1
   (type 1: 2), or an axis outside. */
TY_API ty_tensor *ty_dct(ty_tensor *x, int type, int64_t n, int axis, ty_fft_norm norm);
/* Inverse of ty_dct of the same `type` 1..4 and norm along an axis.  Floating and complex dtypes stay, integers give
   f64.  A longer axis is cut to n, a shorter one padded with zeros; TY_FFT_WHOLE keeps it.  TY_FFT_BACKWARD divides
   by 2n (type 1: 2n - 2), FORWARD does not scale, ORTHO makes it orthogonal.  Negative axes count from the end.
   Poison for another type, n below 1 (type 1: 2), or an axis outside. */
TY_API ty_tensor *ty_idct(ty_tensor *x, int type, int64_t n, int axis, ty_fft_norm norm);
/* Discrete sine transform of `type` 1..4 and size n along an axis, by SciPy's formulas (type 2: 2 sum x[j] sin(pi
   (k+1) (2j+1) / 2n)).  Floating and complex dtypes stay, integers give f64.  A longer axis is cut to n, a shorter
   one padded with zeros; TY_FFT_WHOLE keeps it.  TY_FFT_BACKWARD does not scale, FORWARD divides by 2n (type 1: 2n
   + 2), ORTHO makes the transform orthogonal.  Negative axes count from the end.  Poison for another type, n below
   1, or an axis outside. */
TY_API ty_tensor *ty_dst(ty_tensor *x, int type, int64_t n, int axis, ty_fft_norm norm);
/* Inverse of ty_dst of the same `type` 1..4 and norm along an axis.  Floating and complex dtypes stay, integers give
   f64.  A longer axis is cut to n, a shorter one padded with zeros; TY_FFT_WHOLE keeps it.  TY_FFT_BACKWARD divides
   by 2n (type 1: 2n + 2), FORWARD does not scale, ORTHO makes it orthogonal.  Negative axes count from the end.
   Poison for another type, n below 1, or an axis outside. */
TY_API ty_tensor *ty_idst(ty_tensor *x, int type, int64_t n, int axis, ty_fft_norm norm);

/* ---- convolution ---- */

/* Part of a convolution that is returned, of sizes a and b along an axis. */
typedef enum ty_overlap {
    TY_FULL, /* all of it: size a + b - 1 */
    TY_SAME, /* the middle, of a's size */
    /* without padding: size a - b + 1; one operand is at least as large as the other along every axis */
    TY_VALID,
    TY_OVERLAPS
} ty_overlap;
/* Return the part of a convolution by its name: "full", "same" or "valid".  TY_OVERLAPS, which the functions
   refuse, if there is none. */
TY_API ty_overlap ty_overlap_named(const char *name);
/* Convolution of a and b, the sum over j of a[j] b[k - j], along all axes, by products or transforms, whichever
   takes fewer operations.  `overlap` is the part returned: TY_FULL, size a + b - 1; TY_SAME, a's size; TY_VALID,
   without padding.  dtypes are promoted; integers stay exact, by products alone, up to 3 axes.  Poison for
   different ranks, an empty axis, or shapes that TY_VALID forbids. */
TY_API ty_tensor *ty_convolve(ty_tensor *a, ty_tensor *b, ty_overlap overlap);
/* Cross-correlation of a and b, the sum over j of a[j + k] conj b[j], along all axes: ty_convolve with b reversed
   and conjugated.  `overlap` is the part returned: TY_FULL, size a + b - 1; TY_SAME, a's size; TY_VALID, without
   padding.  Element i of the result is k = i - (b - 1) for TY_FULL.  Poison for other ranks, an empty axis, or
   shapes that TY_VALID forbids. */
TY_API ty_tensor *ty_correlate(ty_tensor *a, ty_tensor *b, ty_overlap overlap);
/* Convolution of a and b by transforms along n axes (n = 0 and axes NULL: all); the other axes broadcast.
   `overlap` is the part returned: TY_FULL, size a + b - 1; TY_SAME, a's size; TY_VALID, without padding.  Integers
   give a floating result.  Negative axes count from the end; repeated ones count once.  Poison for different ranks,
   an axis empty or outside, or shapes that TY_VALID forbids. */
TY_API ty_tensor *ty_fft_convolve(ty_tensor *a, ty_tensor *b, ty_overlap overlap, int n, const int64_t *axes);

/* ---- spectra over time: along the last axis ---- */

/* Options of short-time transforms; all but `size` may be zero. */
typedef struct ty_stft_options {
    int64_t size;      /* of a segment, in elements; at least 1 */
    int64_t step;      /* distance of segments; 0 means half the size */
    int64_t n;         /* size of the transform, which pads segments with zeros; 0 means the size */
    ty_tensor *window; /* `size` weights; NULL: ty_hann, periodic */
    /* use segments inside x only; else x is padded with zeros by half a size at each end, and further to make the
       last segment whole */
    bool plain;
    bool unused[7];
} ty_stft_options;
TY_API ty_tensor *ty_stft_sized(ty_tensor *x, const ty_stft_options *options, size_t size);
/* Short-time Fourier transform of x along the last axis: [.., frequency, time], complex.  Transforms each segment
   times the window, divided by the window's sum, by ty_rfft (options.n/2 + 1 frequencies), for complex x by ty_fft
   (options.n).  x is padded unless options.plain.  Poison if options.size is below 1, options.n below it, or x too
   short or 0-d. */
TY_INLINE ty_tensor *ty_stft(ty_tensor *x, ty_stft_options options) {
    return ty_stft_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_istft_sized(ty_tensor *spectra, const ty_stft_options *options, size_t size, bool real);
/* Inverse of ty_stft with the same options: [.., time] from spectra [.., frequency, time]; zeros that ty_stft
   padded with may remain at the end.  Segments are added up and divided by the sum of squared windows, except where
   it is below 1e-10.  `real`: frequencies are those of ty_rfft, and the signal is real.  Poison if the number of
   frequencies does not fit the options. */
TY_INLINE ty_tensor *ty_istft(ty_tensor *spectra, ty_stft_options options, bool real) {
    return ty_istft_sized(spectra, &options, sizeof options, real);
}
TY_API ty_tensor *ty_spectrogram_sized(ty_tensor *x, const ty_stft_options *options, size_t size,
                                       double rate);
/* Power spectral density over time of real x, along the last axis: [.., frequency, time], real, with n/2 + 1
   frequencies.  The mean of each segment is removed; `rate` is in samples a unit of time.  options.plain counts as
   true.  Poison for complex x, a rate that is not positive, or if x is shorter than a segment. */
TY_INLINE ty_tensor *ty_spectrogram(ty_tensor *x, ty_stft_options options, double rate) {
    return ty_spectrogram_sized(x, &options, sizeof options, rate);
}
/* Analytic signal x + i H(x) along an axis, H the Hilbert transform: x without negative frequencies.  Its modulus
   is the envelope.  The result is complex, of x's shape.  A negative axis counts from the end.  Poison for complex
   x, or an axis empty or outside. */
TY_API ty_tensor *ty_analytic_signal(ty_tensor *x, int axis);

/* ---- filters ---- */

/* Filter x along an axis, from rest, to x's shape: a[0] y[k] = sum over j of b[j] x[k - j] - sum over j > 0 of a[j]
   y[k - j].  b and a are vectors of 1..4096 elements (else poison), a[0] is not 0 (else poison; of a promise, NaN).
   Causal: an element changes no earlier one.  f32 and c64 keep their state in f64 and c128.  A negative axis counts
   from the end; poison if it is outside. */
TY_API ty_tensor *ty_filter(ty_tensor *b, ty_tensor *a, ty_tensor *x, int axis);
/* Filter x along an axis forwards and backwards, without delay, by vectors b and a of 1..4096 elements as
   ty_filter's; a[0] is not 0.  x is extended at both ends by 3 times the length of the longer of b and a, by odd
   reflection about the end's value; the result has x's shape.  Poison if the axis (negative: from the end) is
   outside or not longer than that. */
TY_API ty_tensor *ty_filter_both(ty_tensor *b, ty_tensor *a, ty_tensor *x, int axis);
/* Filter x along an axis by second-order sections, one after the other, from rest: `sections` is [sections, 6] of
   b0 b1 b2 a0 a1 a2, each a filter with a0 not 0.  1 to 4096 sections; the result has x's shape.  Poison for
   another shape or an axis outside (negative: from the end). */
TY_API ty_tensor *ty_filter_sections(ty_tensor *sections, ty_tensor *x, int axis);
/*
 * Filter x along an axis forwards and backwards by second-order sections, [sections, 6] of b0 b1 b2 a0 a1 a2 (1 to
 * 4096), without delay; the result has x's shape.  x is extended at both ends by 3 times the filter's length, by
 * odd reflection about the end's value.  Poison if the axis is not longer than that.
 *
 * The filter's length is 2 * sections + 1, less the number of sections whose b2 is 0 or whose a2 is 0, the smaller of
 * the two.  If sections are a promise, an axis that is too short is an error when it is evaluated.
 * A negative axis counts from the end.
 */
TY_API ty_tensor *ty_filter_sections_both(ty_tensor *sections, ty_tensor *x, int axis);
/* Frequencies that a filter passes. */
typedef enum ty_band { TY_LOW_PASS, TY_HIGH_PASS, TY_BAND_PASS, TY_BAND_STOP, TY_BANDS } ty_band;
/* Return the band of a filter by its name: "lowpass", "highpass", "bandpass" or "bandstop".  TY_BANDS, which
   the functions refuse, if there is none. */
TY_API ty_band ty_band_named(const char *name);
/* Design a Butterworth filter of order 1..64 as f64[sections, 6] of b0 b1 b2 a0 a1 a2 for ty_filter_sections; there
   are (order + 1) / 2 sections, rounded down, or `order` for bands.  low and high are the frequencies of half
   power, in 0..1 relative to half the sampling rate; high counts for bands alone.  Poison if an argument is outside
   its range, or rounding makes the filter unstable. */
TY_API ty_tensor *ty_butterworth(int order, ty_band band, double low, double high);
/* Design a Chebyshev filter of type 1 of order 1..64 as f64[sections, 6] of b0 b1 b2 a0 a1 a2 for ty_filter_sections;
   there are (order + 1) / 2 sections, rounded down, or `order` for bands.  Its pass band ripples by `ripple` decibels, above
   0, and ends at low and high, in 0..1 relative to half the sampling rate; high counts for bands alone.  Poison if an
   argument is outside its range, or rounding makes the filter unstable. */
TY_API ty_tensor *ty_chebyshev(int order, double ripple, ty_band band, double low, double high);
/* Design a Chebyshev filter of type 2 of order 1..64 as f64[sections, 6] of b0 b1 b2 a0 a1 a2 for ty_filter_sections;
   there are (order + 1) / 2 sections, rounded down, or `order` for bands.  It passes at most -`attenuation` decibels (above
   0) beyond low and high, in 0..1 relative to half the sampling rate; high counts for bands alone.  Poison if an argument
   is outside its range, or rounding makes the filter unstable. */
TY_API ty_tensor *ty_chebyshev_inverse(int order, double attenuation, ty_band band, double low, double high);
/* Design an elliptic filter of order 1..64 as f64[sections, 6] of b0 b1 b2 a0 a1 a2 for ty_filter_sections; there are
   (order + 1) / 2 sections, rounded down, or `order` for bands.  Its pass band ripples by `ripple` decibels, above 0, and
   ends at low and high, in 0..1 relative to half the sampling rate; high counts for bands alone.  Its stop band passes at
   most -`attenuation` decibels.  Poison as the others, or if the ripple is not the smaller one. */
TY_API ty_tensor *ty_elliptic(int order, double ripple, double attenuation, ty_band band, double low,
                              double high);
/* Design a filter without feedback of `taps` coefficients, 1..4096, by the window method: f64[taps], for ty_filter with
   a = 1.  The ideal filter is cut by `window`, `taps` real weights (NULL: ty_hamming, symmetric; gradients flow to
   it).  low and high are edges in 0..1 relative to half the sampling rate; high counts for bands alone.  The gain is 1 at 0,
   at 1 for TY_HIGH_PASS, in the middle of TY_BAND_PASS.  Poison if an argument is outside its range, or for an even number
   of taps and TY_HIGH_PASS or TY_BAND_STOP. */
TY_API ty_tensor *ty_fir(int64_t taps, ty_band band, double low, double high, ty_tensor *window);
/* Response of the filter b / a, vectors of 1..4096 elements, to the frequencies `at`, real and relative to half the
   sampling rate: complex, of the shape of `at`.  Its modulus is the gain, its argument the phase.  Infinite or NaN at a
   pole.  Poison for other shapes or complex frequencies. */
TY_API ty_tensor *ty_filter_response(ty_tensor *b, ty_tensor *a, ty_tensor *at);
/* Response of second-order sections, [sections, 6] of b0 b1 b2 a0 a1 a2 (1 to 4096), to the frequencies `at`, real and
   relative to half the sampling rate: complex, of the shape of `at`.  Infinite or NaN at a pole.  Poison for other shapes or
   complex frequencies. */
TY_API ty_tensor *ty_filter_sections_response(ty_tensor *sections, ty_tensor *at);

/*
 * ---- filters of a signal that comes in blocks ----
 *
 * The state is that of direct form II transposed, as SciPy's zi and zf: order numbers for each line of x, where order is
 * the greater length of b and a less 1.  The state behind a block is that before the next.
 */

/* Result of filtering a block, and the state behind it: [.., order, ..] for [.., time, ..], or [sections, .., 2, ..]. */
typedef struct ty_filtered_parts {
    ty_tensor *y, *state;
} ty_filtered_parts;
/* Filter the block x along an axis by vectors b and a of 1..4096 elements from a state: x's shape, but `order` elements
   along the axis, or a vector of `order` for all lines; NULL: from rest.  A negative axis counts from the end.  Both parts
   have the operands' common floating dtype.  Poison if a[0] is 0, or a shape or the axis does not fit. */
TY_API ty_filtered_parts ty_filter_from(ty_tensor *b, ty_tensor *a, ty_tensor *x, ty_tensor *state, int axis);
/* Filter the block x along an axis by second-order sections, [sections, 6] of b0 b1 b2 a0 a1 a2 (1 to 4096), from a state:
   [sections, 2], or for each section one of x's shape with 2 elements along the axis; NULL: from rest.  A negative axis
   counts from the end.  Poison if an a0 is 0, or a shape or the axis does not fit. */
TY_API ty_filtered_parts ty_filter_sections_from(ty_tensor *sections, ty_tensor *x, ty_tensor *state,
                                                 int axis);
/* Return the state, a vector of `order` elements, in which the filter b / a has a constant result for a constant signal
   of 1.  Times the first element of a signal, it starts a filter without a step.  Infinite or NaN if the sum of a is 0.
   Poison unless b and a are vectors of 1..4096 elements and a[0] is not 0. */
TY_API ty_tensor *ty_filter_steady(ty_tensor *b, ty_tensor *a);
/* Return the states [sections, 2] of second-order sections, [sections, 6] of b0 b1 b2 a0 a1 a2 (1 to 4096).  In them, a
   constant signal of 1 has a constant result.  Infinite or NaN if the sum of a section's a is 0.  Poison for another
   shape, or an a0 of 0. */
TY_API ty_tensor *ty_filter_sections_steady(ty_tensor *sections);

/* ---- other sampling rates ---- */

/* Resample x along an axis to n elements over the same time, by its Fourier series: exact for a periodic signal without
   frequencies from half of the lower rate on.  Floating and complex dtypes stay, integers give f64.  Poison if n is below
   1, or the axis (negative: from the end) empty or outside. */
TY_API ty_tensor *ty_resample(ty_tensor *x, int64_t n, int axis);
/* Resample x along an axis by up / down, each 1..4096 without common factors, to size * up / down elements, rounded up.
   The filter h, a vector, works at the rate times up, centred, with its gain times up; x counts as 0 outside.  NULL: a
   low pass of 20 max(up, down) + 1 taps under Kaiser's window with beta 5, SciPy's.  Integers give f64.  Poison if h is no
   vector, or a number or the axis (negative: from the end) is outside its range. */
TY_API ty_tensor *ty_resample_ratio(ty_tensor *x, int64_t up, int64_t down, ty_tensor *h, int axis);

/* ---- smoothing, peaks ---- */

/* Smooth x along an axis by polynomials of `degree`, 0..15, fitted to windows of `length` elements, at most 4096 and above
   the degree (Savitzky and Golay).  derivative > 0 gives that derivative, for elements `delta` apart (0 means 1).  The
   ends take the polynomials of the first and the last window.  For an even length, inner results are those half an element
   later, as in SciPy.  The result has x's shape; integers give f64.  Poison if the axis (negative: from the end) is outside
   or shorter than a window, or an argument out of range. */
TY_API ty_tensor *ty_savgol(ty_tensor *x, int64_t length, int64_t degree, int64_t derivative, double delta,
                            int axis);
/* Conditions on peaks; zeros mean none. */
typedef struct ty_peaks_options {
    ty_tensor *height;      /* least height: a number, or one for each element of x; NULL: any */
    double threshold;       /* least height above both neighbours */
    int64_t distance;       /* least number of elements between two peaks; the higher one stays */
    double prominence;      /* least height above the higher of both bases */
    double width;           /* least width in elements */
    double relative_height; /* share of the prominence below the top where widths are measured; 0 means 0.5 */
    int64_t window;         /* bases lie at most window / 2 elements from the peak; 0 means anywhere */
    int64_t plateau;        /* least number of equal elements at the top */
    ty_tensor *most_height; /* greatest height: as `height` */
    double most_threshold;  /* greatest height above a neighbour */
    int64_t most_plateau;   /* greatest number of equal elements at the top */
} ty_peaks_options;
/* Result of ty_find_peaks: for each of k peaks its index (i64) and height; its prominence above the bases, the least
   elements before a higher one on each side (indices, i64); its width, the height at which it is measured, and both ends
   there, between elements; and the number of equal elements at the top (i64).  Vectors [k]; heights and widths are f64. */
typedef struct ty_peaks {
    ty_tensor *at, *heights, *prominences, *left_bases, *right_bases, *widths, *width_heights, *left_ends,
        *right_ends, *plateaus;
} ty_peaks;
TY_API ty_peaks ty_find_peaks_sized(ty_tensor *x, const ty_peaks_options *options, size_t size);
/* Find the peaks of a real vector that meet all conditions: elements higher than both neighbours, or the middles, rounded
   down, of equal ones.  NaN is no peak, and ends slopes.  There is no gradient, since x is evaluated.  All parts
   are poisoned if x is no real vector, or an option is out of range. */
TY_INLINE ty_peaks ty_find_peaks(ty_tensor *x, ty_peaks_options options) {
    return ty_find_peaks_sized(x, &options, sizeof options);
}

#ifdef __cplusplus
}
#endif
#endif
