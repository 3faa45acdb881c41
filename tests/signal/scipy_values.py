"""SciPy's values of signals: scipy_values.py > scipy_values.def.  Inputs follow formulas that test_signal.c shares."""
import mpmath
import numpy as np
import scipy.fft as sf
import scipy.signal as ss
from scipy.signal import windows as sw


def x(n):
    i = np.arange(n, dtype=float)
    return np.cos(0.7 * i * i) + 0.1 * i


a, b, long = x(12), x(5)[::-1] + 0.5, x(300)
m = x(15).reshape(3, 5)
z = x(11) + 1j * x(11)[::-1]
rows = []


def row(ours, value, tolerance=1e-11):
    value = np.asarray(value)
    parts = np.stack([value.real, value.imag], -1).ravel() if np.iscomplexobj(value) else value.ravel()
    rows.append('SCIPY("%s", %d, %g, %s)' % (ours, np.iscomplexobj(value), tolerance,
                                          ", ".join("%.17g" % v for v in parts)))


for n in (1, 2, 7, 8):
    for sym in (True, False):
        p = "" if sym else ", periodic=true"
        for ours, theirs in (("hann", sw.hann), ("hamming", sw.hamming), ("blackman", sw.blackman), ("nuttall", sw.nuttall),
                             ("blackman_harris", sw.blackmanharris), ("flat_top", sw.flattop), ("bartlett", sw.bartlett),
                             ("triangle", sw.triang), ("half_sine", sw.cosine), ("bohman", sw.bohman), ("parzen", sw.parzen)):
            row("%s(%d%s)" % (ours, n, p), theirs(n, sym))
        for beta in (0, 2.5, 14):
            row("kaiser(%d, %g%s)" % (n, beta, p), sw.kaiser(n, beta, sym))
        row("gaussian_window(%d, 1.5%s)" % (n, p), sw.gaussian(n, 1.5, sym))
        row("exponential_window(%d, 2.5%s)" % (n, p), sw.exponential(n, None, 2.5, sym))
        for share in (0, 0.4, 1):
            row("tukey(%d, %g%s)" % (n, share, p), sw.tukey(n, share, sym))
for kind in (1, 2, 3, 4):
    for norm in ("backward", "ortho", "forward"):
        for ours, theirs in (("dct", sf.dct), ("idct", sf.idct), ("dst", sf.dst), ("idst", sf.idst)):
            row("%s(a, %d, norm=\\\"%s\\\")" % (ours, kind, norm), theirs(a, kind, norm=norm))
            row("%s(m, %d, axis=0, norm=\\\"%s\\\")" % (ours, kind, norm), theirs(m, kind, axis=0, norm=norm))
            row("%s(z, %d, n=6, norm=\\\"%s\\\")" % (ours, kind, norm), theirs(z, kind, n=6, norm=norm))
    for ours, theirs in (("dct", sf.dct), ("dst", sf.dst), ("idct", sf.idct), ("idst", sf.idst)):
        for n in (1, 2, 3, 4):
            if n > 1 or kind > 1 or ours[-3:] == "dst":
                row("%s(b, %d, n=%d)" % (ours, kind, n), theirs(b, kind, n=n))
        row("%s(b, %d, n=9)" % (ours, kind), theirs(b, kind, n=9))
for mode in ("full", "same", "valid"):
    q = "\\\"%s\\\"" % mode
    row("convolve(a, b, %s)" % q, ss.convolve(a, b, mode))
    row("convolve(b, a, %s)" % q, ss.convolve(b, a, mode))
    row("convolve(a, z, %s)" % q, ss.convolve(a, z, mode))
    row("correlate(a, b, %s)" % q, ss.correlate(a, b, mode))
    row("correlate(b, a, %s)" % q, ss.correlate(b, a, mode))
    row("correlate(z, z * 2j, %s)" % q, ss.correlate(z, z * 2j, mode))
    row("convolve(m, m[:2, :3], %s)" % q, ss.convolve(m, m[:2, :3], mode))
    row("fft_convolve(a, b, %s)" % q, ss.fftconvolve(a, b, mode))
    row("fft_convolve(m, m[:, :3], %s, axes=1)" % q, ss.fftconvolve(m, m[:, :3], mode, axes=1))
    row("fft_convolve(z, b, %s)" % q, ss.fftconvolve(z, b, mode))
    row("sum(convolve(long, long[::-1] + 1, %s) * cos(arange(0, %d)))" % (q, len(ss.convolve(long, long, mode))),
        np.sum(ss.convolve(long, long[::-1] + 1, mode) * np.cos(np.arange(len(ss.convolve(long, long, mode))))), 1e-10)
row("stft(a, 6)", ss.stft(a, nperseg=6)[2])
row("stft(a, 5, 2)", ss.stft(a, nperseg=5, noverlap=3)[2])
row("stft(m, 3, 1, 4)", ss.stft(m, nperseg=3, noverlap=2, nfft=4)[2])
row("stft(a, 4, plain=true, window=hamming(4))", ss.stft(a, window=sw.hamming(4), nperseg=4, boundary=None, padded=False)[2])
row("stft(z, 4)", ss.stft(z, nperseg=4, return_onesided=False)[2])
row("istft(stft(a, 6), 6)", a)
row("istft(stft(z, 4, 1), 4, 1, real=false)", z)
row("istft(stft(a, 6) * 2j, 6)", ss.istft(ss.stft(a, nperseg=6)[2] * 2j, nperseg=6)[1])
row("spectrogram(a, 6, 4, window=tukey(6, 0.25, periodic=true))", ss.spectrogram(a, nperseg=6, noverlap=2)[2])
row("spectrogram(long, 64, 56, 128, rate=50)[:, 1]",
    ss.spectrogram(long, fs=50, window="hann", nperseg=64, noverlap=8, nfft=128)[2][:, 1])
row("analytic_signal(a)", ss.hilbert(a))
row("analytic_signal(b)", ss.hilbert(b))
row("analytic_signal(m, axis=0)", ss.hilbert(m, axis=0))
row("filter(b, [1], a)", ss.lfilter(b, [1], a))
row("filter([1, 0.5], [2, -0.6, 0.3, 0.1], a)", ss.lfilter([1, 0.5], [2, -0.6, 0.3, 0.1], a))
row("filter([1, 2, 3], [1, -0.9], m, axis=0)", ss.lfilter([1, 2, 3], [1, -0.9], m, axis=0))
row("filter([0.3], [1, -1.6, 0.8], z)", ss.lfilter([0.3], [1, -1.6, 0.8], z))
row("filter([0.3, 1], [1, -1.6, 0.8], long)[::37]", ss.lfilter([0.3, 1], [1, -1.6, 0.8], long)[::37])
row("filter([1], hann(90) / 60 + (arange(0, 90) == 0), long)[::37]",
    ss.lfilter([1], sw.hann(90) / 60 + (np.arange(90) == 0), long)[::37])
row("filter_both([1, 0.5], [2, -0.6, 0.3], a)", ss.filtfilt([1, 0.5], [2, -0.6, 0.3], a))
row("filter_both([0.1, 0.2], [1, -1.2, 0.5], long)[::37]", ss.filtfilt([0.1, 0.2], [1, -1.2, 0.5], long)[::37])
for order in (1, 2, 3, 4, 7):
    for band, low, high in (("lowpass", 0.2, 0), ("highpass", 0.6, 0), ("bandpass", 0.2, 0.5), ("bandstop", 0.3, 0.4)):
        sos = ss.butter(order, low if not high else (low, high), band, output="sos")
        made = "butterworth(%d, %g, %g, \\\"%s\\\")" % (order, low, high, band)
        row("filter_sections(%s, a)" % made, ss.sosfilt(sos, a), 1e-10)
        row("filter_sections(%s, long)[::37]" % made, ss.sosfilt(sos, long)[::37], 1e-10)
        row("filter_sections_both(%s, long)[::37]" % made, ss.sosfiltfilt(sos, long)[::37], 1e-9)


def exactly(b, a, v):
    """Of one fraction of high order SciPy has half of the digits; these come from 200 bits."""
    y = []
    with mpmath.workprec(200):
        for k in range(len(v)):
            y.append((sum(mpmath.mpf(b[j]) * mpmath.mpf(v[k - j]) for j in range(min(len(b), k + 1)))
                      - sum(mpmath.mpf(a[j]) * y[k - j] for j in range(1, min(len(a), k + 1)))) / mpmath.mpf(a[0]))
    return np.array([float(value) for value in y])


def smoothed(v, length, degree):
    """Return v smoothed with 200 bits: SciPy, whose powers are of whole numbers, has 5 digits of degree 9."""
    half = length // 2
    with mpmath.workprec(200):
        powers = mpmath.matrix([[mpmath.mpf(i - half) ** k for k in range(degree + 1)] for i in range(length)])
        fit = mpmath.inverse(powers.T * powers) * powers.T
        y = []
        for i in range(len(v)):
            begin = min(max(i - half, 0), len(v) - length)
            weights = powers[i - begin, :] * fit
            y.append(float(sum(weights[j] * mpmath.mpf(v[begin + j]) for j in range(length))))
    return np.array(y)


def vector(v):
    return "[%s]" % ", ".join("%.17g" % value for value in v)


# poles near 1 and of high order, where a block's inverse would cancel
for order in range(1, 9):
    for band, edges in (("lowpass", 0.05), ("highpass", 0.04), ("bandpass", (0.02, 0.03)), ("bandstop", (0.1, 0.3))):
        if order > 3 and band == "bandpass":
            continue
        b_, a_ = ss.butter(order, edges, band)
        values = exactly(b_, a_, long)
        row("filter(%s, %s, long)[::37]" % (vector(b_), vector(a_)), values[::37],
            max(1e-11, 100 * np.max(np.abs(ss.lfilter(b_, a_, long) - values))))
# as few elements as SciPy takes, along other axes, and of complex numbers
for order in range(1, 9):
    for band, edges in (("lowpass", 0.3), ("highpass", 0.3), ("bandpass", (0.2, 0.6)), ("bandstop", (0.2, 0.6))):
        low, high = edges if isinstance(edges, tuple) else (edges, 0)
        sos = ss.butter(order, edges, band, output="sos")
        made = "butterworth(%d, %g, %g, \\\"%s\\\")" % (order, low, high, band)
        edge = 3 * (len(sos) + 1 + max(np.count_nonzero(sos[:, 2]), np.count_nonzero(sos[:, 5])))
        row("filter_sections_both(%s, long[:%d])" % (made, edge + 1), ss.sosfiltfilt(sos, long[:edge + 1]), 1e-9)
        if order < 3:
            row("filter_sections(%s, m, axis=0)" % made, ss.sosfilt(sos, m, axis=0))
            row("filter_sections(%s, z)" % made, ss.sosfilt(sos, z))
            row("filter_sections_both(%s, reshape(long, [2, 75, 2]), axis=1)[:, ::9]" % made,
                ss.sosfiltfilt(sos, long.reshape(2, 75, 2), axis=1)[:, ::9])
row("filter(hann(200), [1], long)[::37]", ss.lfilter(sw.hann(200), [1], long)[::37])
row("filter(b, [1], m, axis=0)", ss.lfilter(b, [1], m, axis=0))
row("filter_both([1, 0.5], [2], a)", ss.filtfilt([1, 0.5], [2], a))
# filters without feedback by the window method, for all bands
windows = {"none": "hamming", "hann(%d)": "hann", "blackman(%d)": "blackman", "kaiser(%d, 8)": ("kaiser", 8.0),
           "gaussian_window(%d, 9)": ("gaussian", 9.0), "tukey(%d, 0.5)": ("tukey", 0.5), "flat_top(%d)": "flattop"}
for taps in (1, 2, 3, 8, 31, 64):
    for band, low, high in (("lowpass", 0.3, 0), ("highpass", 0.45, 0), ("bandpass", 0.2, 0.5), ("bandstop", 0.1, 0.75)):
        if taps % 2 == 0 and band in ("highpass", "bandstop"):
            continue
        for ours, theirs in windows.items():
            if taps < 31 and ours != "none":
                continue
            value = ss.firwin(taps, low if not high else (low, high), window=theirs, pass_zero=band)
            row("fir(%d, %g, %g, \\\"%s\\\", %s)" % (taps, low, high, band, ours % taps if "%" in ours else ours), value,
                1e-13)
# recursive filters: the response of all sections, which SciPy pairs otherwise
ripples = {"chebyshev": (("0.5", (0.5,)), ("1e-06", (1e-6,)), ("20", (20,))),
           "chebyshev_inverse": (("40", (40,)), ("0.1", (0.1,)), ("200", (200,))),
           "elliptic": (("0.5, 40", (0.5, 40)), ("1e-05, 150", (1e-5, 150)), ("3, 6", (3, 6)))}
made_by = {"chebyshev": ss.cheby1, "chebyshev_inverse": ss.cheby2, "elliptic": ss.ellip}
for ours, given in ripples.items():
    for words, numbers in given:
        for order in (1, 2, 3, 4, 7, 12):
            if numbers == (200,) and order < 4:
                continue  # the band ends at 1e-10 and 1e-5: SciPy's sums of coefficients have no digits there
            if numbers == (3, 6) and order > 4:
                continue  # SciPy's gain reaches 1.07
            for band, low, high in (("lowpass", 0.2, 0), ("highpass", 0.6, 0), ("bandpass", 0.2, 0.5), ("bandstop", 0.3, 0.4)):
                sos = made_by[ours](order, *numbers, low if not high else (low, high), band, output="sos")
                if not np.all(np.isfinite(value := ss.freqz_sos(sos, np.linspace(0, 1, 9) * np.pi)[1])):
                    continue  # a pole on a zero
                row("filter_sections_response(%s(%d, %s, %g, %g, \\\"%s\\\"), linspace(0, 1, 9))"
                    % (ours, order, words, low, high, band), value, 1e-9)


def elliptic_gain(order, ripple, attenuation, low, at):
    """Return the gain of an elliptic filter by its rational function, with 200 bits."""
    with mpmath.workprec(200):
        eps, stop = (mpmath.sqrt(mpmath.mpf(10) ** (mpmath.mpf(d) / 10) - 1) for d in (ripple, attenuation))
        k1 = eps / stop
        complete = mpmath.ellipk(k1 ** 2)
        q = mpmath.exp(-mpmath.pi * mpmath.ellipk(1 - k1 ** 2) / complete / order)
        m = (mpmath.jtheta(2, 0, q) / mpmath.jtheta(3, 0, q)) ** 4
        w = mpmath.tan(mpmath.pi * mpmath.mpf(at) / 2) / mpmath.tan(mpmath.pi * mpmath.mpf(low) / 2)
        quarter = mpmath.ellipk(m)
        u = (quarter - mpmath.ellipf(mpmath.asin(mpmath.mpc(w)), m)) * order * complete / quarter
        return float(abs(1 / mpmath.sqrt(1 + (eps * mpmath.ellipfun("cd", u, m=k1 ** 2)) ** 2)))


for order, ripple, attenuation in ((12, 3, 6), (7, 1, 1.5), (20, 0.01, 80), (64, 0.1, 100)):
    points = [0.01, 0.1, 0.15, 0.19, 0.199]
    row("abs(filter_sections_response(elliptic(%d, %g, %g, 0.2), %s))" % (order, ripple, attenuation, vector(points)),
        [elliptic_gain(order, ripple, attenuation, 0.2, at) for at in points], 1e-10)
# other rates
for n in (1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 24, 25):
    for v in ("a", "b", "long", "z"):
        row("resample(%s, %d)" % (v, n), ss.resample({"a": a, "b": b, "long": long, "z": z}[v], n))
row("resample(m, 7, axis=0)", ss.resample(m, 7, axis=0))
for up, down in ((1, 1), (2, 1), (1, 2), (3, 2), (2, 3), (6, 4), (160, 147), (7, 200)):
    row("resample_ratio(long, %d, %d)[::11]" % (up, down), ss.resample_poly(long, up, down)[::11])
    row("resample_ratio(b, %d, %d)" % (up, down), ss.resample_poly(b, up, down))
    row("resample_ratio(z, %d, %d, [0.25, 1, 0.5, 0.125])" % (up, down), ss.resample_poly(z, up, down, window=[0.25, 1, 0.5, 0.125]))
    row("resample_ratio(m, %d, %d, axis=0)" % (up, down), ss.resample_poly(m, up, down, axis=0))
row("resample_ratio(long, 3, 5, [2])[::11]", ss.resample_poly(long, 3, 5, window=[2.0])[::11])
# responses
grid = np.linspace(0, 1, 9)
for b_, a_ in (([1.0, 2.0, 3.0], [2.0, 0.5]), ([0.3], [1, -1.6, 0.8]), (ss.firwin(101, 0.3), [1.0])):
    row("filter_response(%s, %s, linspace(0, 1, 9))" % (vector(b_), vector(a_)), ss.freqz(b_, a_, grid * np.pi)[1], 1e-13)
row("filter_response(b, [2], [[0.25, 0.5], [-0.75, 1.5]])", ss.freqz(b, [2], np.array([0.25, 0.5, -0.75, 1.5]) * np.pi)[1])
row("filter_response([1j, 2], [1, 0.5j], [0.1, 0.9])", ss.freqz([1j, 2], [1, 0.5j], np.array([0.1, 0.9]) * np.pi)[1])
for order in (1, 4, 9):
    sos = ss.butter(order, (0.2, 0.6), "bandpass", output="sos")
    row("filter_sections_response(butterworth(%d, 0.2, 0.6, \\\"bandpass\\\"), linspace(0, 1, 9))" % order,
        ss.freqz_sos(sos, grid * np.pi)[1], 1e-12)
# filters in blocks: outputs and states, with blocks shorter than the state
for b_, a_ in (([1.0, 2.0, 3.0], [2.0, 0.5]), ([0.3], [1, -1.6, 0.8, 0.1]), ([0.5, 1, 2, 1], [4]), ([2.0], [4.0])):
    order = max(len(a_), len(b_)) - 1
    zi = x(order) - 0.5
    for n in (0, 1, 2, 7, 300):
        call = "filter_from(%s, %s, long[:%d], %s)" % (vector(b_), vector(a_), n, vector(zi) if order else "none")
        v = long[:n]
        y, zf = ss.lfilter(b_, a_, v, zi=zi) if n else (v, zi)
        row("%s[0][::37]" % call, y[::37], 1e-11)
        row("%s[1]" % call, zf, 1e-11)
b_, a_ = [1.0, 2.0, 3.0], [2.0, 0.5]
y, zf = ss.lfilter(b_, a_, m, axis=0, zi=np.ones((2, 5)) * [[1.0], [2.0]])
row("filter_from([1, 2, 3], [2, 0.5], m, [1., 2], axis=0)[0]", y)
row("filter_from([1, 2, 3], [2, 0.5], m, [[1.], [2]], axis=0)[1]", zf)
y, zf = ss.lfilter(b_, a_, z, zi=[1j, 2])
row("filter_from([1, 2, 3], [2, 0.5], z, [1j, 2])[0]", y)
row("filter_from([1, 2, 3], [2, 0.5], z, [1j, 2])[1]", zf)
sos = ss.butter(5, 0.3, output="sos")
zi = ss.sosfilt_zi(sos)
row("filter_sections_steady([%s])" % ", ".join(vector(r) for r in sos), zi)
for n in (1, 5, 300):
    call = ("s = [%s]; filter_sections_from(s, long[:%d], filter_sections_steady(s) * 0.7)"
            % (", ".join(vector(r) for r in sos), n))
    y, zf = ss.sosfilt(sos, long[:n], zi=zi * 0.7)
    row("%s[0][::37]" % call, y[::37], 1e-11)
    row("%s[1]" % call, zf, 1e-11)
for b_, a_ in (([0.2, 0.3], [1, -0.4, 0.1]), ([2.0, 1, 0.5, 1], [2, 0.5]), ([1.0, 1, 1], [3])):
    row("filter_steady(%s, %s)" % (vector(b_), vector(a_)), ss.lfilter_zi(b_, a_))
# smoothing
for length, degree, deriv, delta in ((1, 0, 0, 1), (3, 1, 0, 1), (5, 2, 0, 1), (5, 3, 1, 0.5), (11, 4, 2, 2), (11, 2, 3, 1),
                                     (9, 8, 0, 1), (11, 0, 0, 1), (2, 1, 0, 1), (4, 2, 1, 0.5), (8, 3, 0, 1),
                                     (12, 2, 0, 1), (12, 3, 1, 1)):
    row("savgol(a, %d, %d, %d, %g)" % (length, degree, deriv, delta),
        ss.savgol_filter(a, length, degree, deriv, delta), 1e-9)
row("savgol(long, 51, 9)[::37]", smoothed(long, 51, 9)[::37])
row("savgol(long, 299, 3, 1)[::37]", ss.savgol_filter(long, 299, 3, 1)[::37], 1e-9)
row("savgol(m, 3, 2, axis=0)", ss.savgol_filter(m, 3, 2, axis=0))
row("savgol(m, 2, 1, axis=0)", ss.savgol_filter(m, 2, 1, axis=0))
row("savgol(reshape(long, (10, 15, 2)), 7, 3, axis=1)[::4, ::5]",
    ss.savgol_filter(long.reshape(10, 15, 2), 7, 3, axis=1)[::4, ::5], 1e-10)
# peaks
names = (("prominences", 2), ("left_bases", 3), ("right_bases", 4), ("widths", 5), ("width_heights", 6), ("left_ips", 7),
         ("right_ips", 8), ("plateau_sizes", 9), ("peak_heights", 1))
for ours, theirs, v in (("long", {}, long), ("long", {"prominence": 1.5}, long), ("long", {"distance": 6}, long),
                        ("long", {"height": 20}, long), ("long", {"width": 1.4}, long), ("long", {"threshold": 0.7}, long),
                        ("long", {"wlen": 9}, long), ("long", {"wlen": 10, "rel_height": 0.8, "prominence": 0.5}, long),
                        ("long", {"prominence": 1.2, "width": 1, "distance": 4, "height": 8, "threshold": 0.1}, long),
                        ("round(long)", {"plateau_size": 2}, np.round(long)), ("round(long)", {"distance": 9}, np.round(long)),
                        ("round(long)", {"rel_height": 1}, np.round(long)),
                        ("long", {"height": (5, 20), "distance": 9}, long), ("long", {"threshold": (0.2, 1.1), "distance": 3}, long),
                        ("round(long)", {"plateau_size": (1, 1), "distance": 9}, np.round(long)),
                        ("-long", {"prominence": 1}, -long), ("cos(arange(0, 300) / 7)", {}, np.cos(np.arange(300) / 7))):
    asked = {"height": -np.inf, "threshold": 0, "prominence": 0, "width": 0, "plateau_size": 0, **theirs}
    at, found = ss.find_peaks(v, **asked)
    words = ""
    for name, least in theirs.items():
        least, most = least if isinstance(least, tuple) else (least, None)
        words += ", %s=%g" % (name, least)
        words += "" if most is None else ", most_%s=%g" % (name.replace("_size", ""), most)
    call = "find_peaks(%s%s)" % (ours, words)
    row("cast(%s[0], f64)" % call, at, 0)
    for name, index in names:
        row("cast(%s[%d], f64)" % (call, index), found[name], 1e-10)
print("/* Made by scipy_values.py with SciPy: SCIPY(\"expression\", pairs, tolerance, numbers).  Inputs are test_signal.c's. */")
print("\n".join(rows))
print("#undef SCIPY")
