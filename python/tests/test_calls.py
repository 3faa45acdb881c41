"""Every function of tyto.c: calls with samples, None, wrong objects, and leaks."""

import contextlib
import gc
import tempfile
import unittest

import tyto
from tyto import c

from samples import ROOT, Samples, description

# Functions that change the process, with the reason why the samples leave them out.
LEFT_OUT = {
    "interrupt": "stops later calls",
    "context_use": "changes the engine of later calls",
    "set_history": "changes all arrays that are made later",
    "set_print_options": "changes what other tests print",
    "progress_end": "writes to a stream",
    "set_engine": "changes the engine of later calls",
}
# What a call may raise for samples that do not fit.
REFUSALS = (tyto.Error, TypeError, ValueError, OverflowError, RuntimeError)


class Calls(unittest.TestCase):
    """All functions, by their descriptors."""

    @classmethod
    def setUpClass(cls):
        cls.kinds, calls, cls.reasons = description()
        cls.calls = [call for call in calls if call.name not in LEFT_OUT]
        cls.folder = tempfile.TemporaryDirectory()
        cls.samples = Samples(cls.kinds, cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.samples = None
        cls.folder.cleanup()

    def test_samples(self):
        """Each function takes its samples, or refuses them with an exception; most take one of them."""
        taken = set()
        for array in self.samples.arrays:
            for call in self.calls:
                with self.subTest(call.name, array=array), contextlib.suppress(*REFUSALS):
                    getattr(c, call.name)(*self.samples.arguments(call, array))
                    taken.add(call.name)
        missing = sorted({call.name for call in self.calls} - taken)
        print(len(taken), "of", len(self.calls), missing)
        self.assertGreater(len(taken), 0.7 * len(self.calls), missing)


if __name__ == "__main__":
    unittest.main()
