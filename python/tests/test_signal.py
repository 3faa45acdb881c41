"""Signals: against SciPy where it is installed, and sound in files."""

import itertools
import math
import os
import tempfile
import unittest
import warnings

import tyto
from tyto import signal

try:
    import numpy
    from scipy import signal as theirs
except ImportError:
    theirs = None


def near(test, ours, wanted, tolerance=1e-10):
    """Compare an array with SciPy's."""
    ours = numpy.asarray(ours)
    test.assertEqual(ours.shape, numpy.shape(wanted))
    test.assertTrue(numpy.allclose(ours, wanted, tolerance, tolerance), f"{ours} and not {wanted}")


@unittest.skipIf(theirs is None, "needs SciPy")
class TestScipy(unittest.TestCase):
    """Functions with SciPy's names have its values."""

    def setUp(self):
        i = numpy.arange(300.0)
        self.x = numpy.cos(0.7 * i * i) + 0.1 * i

    def test_design(self):
        for given in ({"cutoff": 0.3}, {"cutoff": 0.3, "pass_zero": False},
                      {"cutoff": [0.2, 0.5], "pass_zero": False}, {"cutoff": [0.2, 0.5]},
                      {"cutoff": [100, 200], "fs": 1000, "pass_zero": "bandpass"},
                      {"cutoff": 0.3, "window": "blackman"}, {"cutoff": 0.3, "window": "boxcar"}):
            near(self, signal.firwin(31, **given), theirs.firwin(31, **given))
        self.assertRaisesRegex(ValueError, "unknown window 'han'; expected weights or one of",
                               signal.firwin, 31, 0.3, window="han")

    def test_response(self):
        sos = theirs.butter(4, 0.3, output="sos")
        for given in ({}, {"worN": 7}, {"worN": [0.1, 0.2]}, {"fs": 100},
                      {"whole": True, "worN": 9}):
            for ours, wanted in zip(signal.freqz([1, 2], [1, 0.5], **given),
                                    theirs.freqz([1, 2], [1, 0.5], **given)):
                near(self, ours, wanted)
            for ours, wanted in zip(signal.sosfreqz(sos, **given), theirs.sosfreqz(sos, **given)):
                near(self, ours, wanted)
        near(self, signal.freqz([1, 2])[1], theirs.freqz([1, 2])[1])

    def test_blocks(self):
        b, a = [0.2, 0.3], [1, -0.4, 0.1]
        zi = theirs.lfilter_zi(b, a)
        near(self, signal.lfilter_zi(b, a), zi)
        for ours, wanted in zip(signal.lfilter(b, a, self.x, zi=zi),
                                theirs.lfilter(b, a, self.x, zi=zi)):
            near(self, ours, wanted)
        sos = theirs.butter(5, 0.3, output="sos")
        zi = theirs.sosfilt_zi(sos)
        near(self, signal.sosfilt_zi(sos), zi)
        for ours, wanted in zip(signal.sosfilt(sos, self.x, zi=zi),
                                theirs.sosfilt(sos, self.x, zi=zi)):
            near(self, ours, wanted)

    def test_savgol(self):
        near(self, signal.savgol_filter(self.x, 11, 3), theirs.savgol_filter(self.x, 11, 3))
        near(self, signal.savgol_filter(self.x, 5, 2, deriv=1, delta=0.5),
             theirs.savgol_filter(self.x, 5, 2, deriv=1, delta=0.5))

        for length in (2, 4, 10):
            near(self, signal.savgol_filter(self.x, length, 1),
                 theirs.savgol_filter(self.x, length, 1))

    def test_recursive(self):
        designs = ((signal.butter, theirs.butter, ()), (signal.cheby1, theirs.cheby1, (0.5,)),
                   (signal.cheby2, theirs.cheby2, (40,)), (signal.ellip, theirs.ellip, (0.5, 40)))
        for (make, wanted, numbers), order in itertools.product(designs, (1, 2, 5)):
            for edges, given in ((0.3, {}), (0.3, {"btype": "high"}),
                                 ((0.2, 0.4), {"btype": "band"}),
                                 ((100, 200), {"btype": "bandstop", "fs": 1000})):
                for ours, his in zip(make(order, *numbers, edges, **given),
                                     wanted(order, *numbers, edges, **given)):
                    near(self, ours, his, 1e-9)
                sos = make(order, *numbers, edges, output="sos", **given)
                near(self, signal.sosfilt(sos, self.x), theirs.sosfilt(
                    wanted(order, *numbers, edges, output="sos", **given), self.x), 1e-9)
        for make, wanted in ((signal.iirnotch, theirs.iirnotch), (signal.iirpeak, theirs.iirpeak)):
            for ours, his in zip(make(50, 30, fs=1000), wanted(50, 30, fs=1000)):
                near(self, ours, his)
            self.assertRaisesRegex(ValueError, "frequency 500, quality 30; expected 0 < w0 < 500",
                                   make, 500, 30, fs=1000)
        self.assertRaisesRegex(ValueError, "expected a pair of frequencies, found 0.3",
                               signal.butter, 2, 0.3, "bandpass")
        self.assertRaisesRegex(ValueError, "a lowpass filter; expected one frequency",
                               signal.butter, 2, (0.2, 0.3))
        self.assertRaisesRegex(ValueError, "expected 'ba' or 'sos'", signal.butter, 2, 0.3,
                               output="zpk")
        self.assertRaisesRegex(ValueError, "unknown band 'lo'; expected lowpass", signal.butter, 2,
                               0.3, "lo")

    def test_rates(self):
        grid = self.x.reshape(100, 3)
        for n in (7, 100, 151):
            near(self, signal.resample(grid, n), theirs.resample(grid, n))
        for up, down in ((3, 2), (1, 4), (160, 147)):
            near(self, signal.resample_poly(grid, up, down), theirs.resample_poly(grid, up, down))
        near(self, signal.resample_poly(self.x, 3, 2, window=[0.5, 1, 0.5]),
             theirs.resample_poly(self.x, 3, 2, window=[0.5, 1, 0.5]))
        for kind, axis in (("linear", -1), ("constant", 0), ("linear", 0)):
            near(self, signal.detrend(grid, axis, kind), theirs.detrend(grid, axis, kind))
        for mode in ("full", "same", "valid"):
            for n, m in ((5, 3), (3, 5), (4, 4), (1, 6), (6, 1), (7, 4)):
                near(self, signal.correlation_lags(n, m, mode), theirs.correlation_lags(n, m, mode))

    def test_power(self):
        for given in ({}, {"fs": 100, "nperseg": 64}, {"nperseg": 33, "noverlap": 8},
                      {"nperseg": 64, "window": "hamming", "scaling": "spectrum"}):
            for ours, wanted in zip(signal.welch(self.x, **given), theirs.welch(self.x, **given)):
                near(self, ours, wanted)
        grid = self.x.reshape(100, 3)
        for given in ({}, {"fs": 10, "window": "hann"}, {"scaling": "spectrum"}):
            for ours, wanted in zip(signal.periodogram(grid, axis=0, **given),
                                    theirs.periodogram(grid, axis=0, **given)):
                near(self, ours, wanted)
        self.assertRaisesRegex(ValueError, "unknown window 'han'", signal.welch, self.x,
                               window="han")

    def test_spectra(self):
        grid, z = self.x.reshape(2, 3, 50), self.x * (1 + 2j)
        many = ({}, {"fs": 10}, {"nperseg": 33}, {"nperseg": 32, "noverlap": 20},
                {"nperseg": 31, "nfft": 40}, {"nperseg": 20, "window": ("kaiser", 8.0)},
                {"nperseg": 20, "window": "hamming", "detrend": "linear"}, {"nperseg": 400},
                {"nperseg": 20, "detrend": "constant"}, {"nperseg": 20, "detrend": False},
                {"nperseg": 20, "return_onesided": False}, {"nperseg": 20, "scaling": "spectrum"},
                {"nperseg": 22, "window": numpy.hanning(22)})
        for name, given, x in itertools.product(("stft", "spectrogram", "welch"), many,
                                                (self.x, z, grid)):
            self.check(name, x, **given)
        for name, axis in itertools.product(("stft", "spectrogram", "welch"), range(-3, 3)):
            self.check(name, grid, nperseg=2, axis=axis)
        for boundary, padded in itertools.product(("zeros", "even", "odd", "constant", None),
                                                  (True, False)):
            self.check("stft", grid, nperseg=15, noverlap=4, boundary=boundary, padded=padded)
        for mode, x in itertools.product(("psd", "complex", "magnitude", "angle"), (self.x, z)):
            self.check("spectrogram", x, nperseg=32, mode=mode)
        for given in ({"nfft": 100}, {"nfft": 400}, {"detrend": "linear"}, {"detrend": False}):
            self.check("periodogram", self.x, **given)
            self.check("periodogram", z, **given)

    def check(self, name, x, **given):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of SciPy, about short and complex signals
            wanted = getattr(theirs, name)(x, **given)
        ours = getattr(signal, name)(x, **given)
        self.assertEqual(len(ours), len(wanted))
        for one, other in zip(ours, wanted):
            near(self, one, other)

    def test_back(self):
        for given in ({"nperseg": 32}, {"nperseg": 33}, {"nperseg": 32, "noverlap": 20},
                      {"nperseg": 32, "nfft": 40}, {"nperseg": 32, "scaling": "psd"},
                      {"nperseg": 32, "window": "hamming", "fs": 7}):
            spectra = theirs.stft(self.x, **given)[2]
            self.check("istft", spectra, **given)
            self.check("istft", spectra.T, time_axis=0, freq_axis=1, **given)
        self.check("istft", theirs.stft(self.x, nperseg=32)[2])
        two_sided = theirs.stft(self.x * 1j, nperseg=32, return_onesided=False)[2]
        self.check("istft", two_sided, input_onesided=False)
        plain = theirs.stft(self.x, nperseg=32, window="hamming", boundary=None)[2]
        self.check("istft", plain, window="hamming", boundary=False)
        for window in (("tukey", 0.3), "tukey", ("gaussian", 3.0)):
            near(self, signal.firwin(21, 0.3, window=window),
                 theirs.firwin(21, 0.3, window=window))

    def test_kinds_of_windows(self):
        for kind, sym in (("hann_periodic", False), ("hann_symmetric", True)):
            near(self, signal.firwin(21, 0.3, window=kind),
                 signal.firwin(21, 0.3, window=signal.hann(21, sym)))

    def test_numbers(self):
        """Single coefficients, edges and counts of NumPy's kind are as in SciPy."""
        b = theirs.butter(3, 0.3)[0]
        for name, given in (("lfilter", (b, 2.0, self.x)), ("lfilter", ([2.0], 1, self.x)),
                            ("filtfilt", (b, 1.0, self.x)), ("firwin", (21, [0.3])),
                            ("firwin", (21, numpy.array([0.2, 0.4]))),
                            ("butter", (3, numpy.array(0.3))), ("freqz", (b, 1, numpy.int64(5))),
                            ("freqz", (b, 1, None)), ("freqz", (b, 1, [5]))):
            ours, wanted = (getattr(module, name)(*given) for module in (signal, theirs))
            for one, other in zip(*((ours, wanted) if isinstance(wanted, tuple) else
                                    ((ours,), (wanted,)))):
                near(self, one, other)
        for up, down in ((2, 1), (1, 2), (20, 10), (6, 4), (3, 3)):
            for window in (("kaiser", 8.0), "hamming", ("kaiser", 5.0)):
                near(self, signal.resample_poly(self.x, up, down, window=window),
                     theirs.resample_poly(self.x, up, down, window=window))
        for edges in ([], [0.1, 0.2, 0.3]):
            self.assertRaisesRegex(ValueError, "expected one frequency or two", signal.firwin, 21,
                                   edges)

    def test_peaks(self):
        for given in ({}, {"height": 20}, {"height": (5, 20)}, {"height": (None, 20)},
                      {"height": (None, 20), "distance": 9}, {"plateau_size": (1, 2)},
                      {"prominence": 1, "width": (1, 1.5)}, {"distance": 5.5}, {"threshold": 0.5},
                      {"threshold": (0.2, 1.1)}, {"threshold": (None, 1.1), "distance": 3},
                      {"prominence": 0.5, "wlen": 9, "rel_height": 0.8}, {"plateau_size": 1},
                      {"width": 0, "rel_height": 1}, {"width": 0.5, "threshold": 0.2},
                      {"threshold": (0.1, 0.8)}, {"threshold": (None, 0.8)},
                      {"height": (1, 20), "distance": 5}, {"height": (None, 9), "distance": 9},
                      {"threshold": (None, 3), "distance": 4, "prominence": (0.5, 9)},
                      {"height": (0, 15), "distance": 3, "width": (0.8, 1.6)},
                      {"height": (0, 15), "distance": 2, "width": 0.8, "prominence": 1},
                      {"plateau_size": (1, 1), "distance": 3.5}):
            at, found = theirs.find_peaks(self.x, **given)
            ours, properties = signal.find_peaks(self.x, **given)
            near(self, ours, at)
            self.assertEqual(set(properties), set(found))
            for name, value in properties.items():
                near(self, value, found[name])


class TestSpectra(unittest.TestCase):
    """Spectra of segments without SciPy."""

    def test_refused(self):
        x = tyto.arange(100.0)
        for call, message in (
                (lambda: signal.stft(x, 256, 64), "the window is 64; .* SciPy's: x, fs, window"),
                (lambda: signal.stft(x, 1.0, "han"), "unknown window 'han'; expected weights"),
                (lambda: signal.stft(x, 1.0, ("kaiser",)), "has 0 parameters; expected 1"),
                (lambda: signal.stft(x, nperseg=2.5), "nperseg is 2.5; expected an integer"),
                (lambda: signal.stft(x, nperseg=0), "segments of 0 elements"),
                (lambda: signal.stft(x, nperseg=8, noverlap=8), "noverlap is 8; expected 0 to 7"),
                (lambda: signal.welch(x, nperseg=8, nfft=7), "nfft is 7; expected at least the 8"),
                (lambda: signal.stft(x, -1.0), "the rate fs is -1.0; expected above 0"),
                (lambda: signal.stft(x, scaling="density"), "expected 'spectrum' or 'psd'"),
                (lambda: signal.stft(x, boundary="no"), "expected zeros, even, constant, odd or"),
                (lambda: signal.spectrogram(x, mode="power"), "expected psd, complex, magnitude"),
                (lambda: signal.welch(x, detrend="no"), "expected 'constant', 'linear' or False"),
                (lambda: signal.stft(x, window=[1.0, 1], nperseg=3), "one weight for each"),
                (lambda: signal.welch(tyto.zeros(0)), "a signal of 0; expected 1 or more"),
                (lambda: signal.istft(x), "an axis of frequencies and one of times")):
            self.assertRaisesRegex((TypeError, ValueError), message, call)

    def test_promises(self):
        x = tyto.arange(60.0) % 7

        def power(v):
            return tyto.sum(signal.welch(v, nperseg=16)[1])
        self.assertAlmostEqual(float(tyto.jit(power)(x)), float(power(x)))
        step = tyto.zeros(60)
        step[5] = 1e-6
        slope = float(power(x + step) - power(x - step)) / 2e-6
        self.assertAlmostEqual(float(tyto.grad(power)(x)[5]), slope, 6)
        many = tyto.vmap(lambda v: signal.istft(signal.stft(v, nperseg=16)[2])[1])
        rows = tyto.stack([x, x + 1])
        self.assertTrue(bool(tyto.allclose(many(rows)[:, :60], rows)))
        single = x.astype(tyto.float32)
        self.assertEqual([signal.stft(single)[2].dtype, signal.welch(single)[1].dtype,
                          signal.detrend(single).dtype],
                         [tyto.complex64, tyto.float32, tyto.float32])


class TestSound(unittest.TestCase):
    """Sound in files."""

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tone.wav")
            x = tyto.asarray([[0, 1], [-2, 32767]], dtype=tyto.int16)
            signal.write_wav(path, 44100, x)
            rate, y = signal.read_wav(path)
            self.assertEqual((rate, y.dtype, y.tolist()), (44100, tyto.int16, x.tolist()))
            signal.write_wav(path, 8000, tyto.asarray([256, -512], dtype=tyto.int32), bits=24)
            self.assertEqual(os.path.getsize(path), 44 + 6)
            self.assertEqual(signal.read_wav(path)[1].tolist(), [256, -512])
            self.assertEqual(tyto.load(path).tolist(), [256, -512])
            self.assertRaisesRegex(Exception, "wav needs the rate", signal.write_wav, path, 0, x)
            self.assertRaisesRegex(Exception, "is not a WAV file|is truncated", signal.read_wav,
                                   __file__)

    def test_without_peers(self):
        at, found = signal.find_peaks(tyto.asarray([0.0, 2, 0, 1, 0]), prominence=(None, 1.5))
        self.assertEqual((at.tolist(), found["prominences"].tolist()), ([3], [1.0]))
        flat = tyto.asarray([-128, 127, 127, -128, 0, -1], dtype=tyto.int8)
        at, found = signal.find_peaks(flat, threshold=0, plateau_size=1, width=0)
        self.assertEqual({"at": at.tolist(), **{k: v.tolist() for k, v in found.items()}}, {
            "at": [1, 4], "plateau_sizes": [2, 1], "left_edges": [1, 4], "right_edges": [2, 4],
            "left_thresholds": [255, 128], "right_thresholds": [0, 1], "prominences": [255, 1],
            "left_bases": [0, 3], "right_bases": [3, 5], "widths": [2, 0.50390625],
            "width_heights": [-0.5, -0.5], "left_ips": [0.5, 3.99609375], "right_ips": [2.5, 4.5]})
        at, _ = signal.find_peaks(tyto.asarray([0.0, 5, 0, 3, 0]), height=(1, 4), distance=3)
        self.assertEqual(at.tolist(), [3])  # the higher one is no peak, and hides none
        self.assertEqual(signal.find_peaks(tyto.zeros(0), threshold=(0, 1))[0].tolist(), [])
        self.assertRaisesRegex(ValueError, "rel_height is 0", signal.find_peaks, flat,
                               rel_height=0)
        for distance in (0, (1, 2), -3):
            self.assertRaisesRegex(ValueError, "distance is", signal.find_peaks, flat,
                                   distance=distance)
        w, h = signal.freqz([0.5, 0.5])
        self.assertEqual((w.shape, h.shape), ((512,), (512,)))
        self.assertTrue(math.isclose(abs(complex(h[0])), 1))


if __name__ == "__main__":
    unittest.main()
