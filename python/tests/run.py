"""Run the tests of the package: python3 python/tests/run.py [FOLDER] [NAME...].

FOLDER/tyto holds the extension that CMake has built; without a folder the one beside the package is tested.  NAMEs are
those of unittest, such as test_array or test_array.Shapes; without one all tests run.
"""

import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def main(arguments):
    """Run the tests and return the exit code."""
    sys.path.insert(0, str(HERE.parent))
    if arguments and os.path.isdir(arguments[0]):
        sys.path.insert(0, str(HERE.parent / "backend"))
        import stage

        stage.stage(arguments[0])
        sys.path.insert(0, os.path.abspath(arguments.pop(0)))
    sys.path.insert(0, str(HERE))
    loader = unittest.TestLoader()
    suite = loader.loadTestsFromNames(arguments) if arguments else loader.discover(str(HERE), "test_*.py", str(HERE))
    result = unittest.TextTestRunner(buffer=True).run(suite)
    if result.testsRun == 0:
        print("run.py: no test was found", file=sys.stderr)
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
