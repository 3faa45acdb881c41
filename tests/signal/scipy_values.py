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
print("/* Made by scipy_values.py with SciPy: SCIPY(\"expression\", pairs, tolerance, numbers).  Inputs are test_signal.c's. */")
print("\n".join(rows))
print("#undef SCIPY")
