"""Run the array API standard's own test suite against the package.

    python3 python/tests/suite/run.py ARCHIVE [--examples N] [--jobs N] [--only FILE...] [-k WORDS]

ARCHIVE is array-api-tests.tar.xz, or a folder that holds the unpacked suite.  Fails if a test fails
that skips.txt does not list, or if a listed one passes, unless its reason begins with "rare: ".
The interpreter needs pytest, pytest-json-report, hypothesis and ndindex.  The package is that of
FOLDER (--package), that of python/ if its extension is built there, or the one that the
interpreter finds.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[1]
NEEDS = {"pytest": "pytest", "hypothesis": "hypothesis", "ndindex": "ndindex",
         "pytest_jsonreport": "pytest-json-report"}
SKIPPED = 77  # ctest's code of a test that could not run


def expected_failures(path):
    """Return the reasons of tests that fail, by name; each line is NAME: REASON."""
    reasons = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        name, separator, reason = line.partition(" : ")
        if not separator or not reason.strip():
            raise SystemExit(f"{path}:{number}: expected NAME : REASON")
        if name in reasons:
            raise SystemExit(f"{path}:{number}: {name} is listed twice")
        reasons[name] = reason.strip()
    return reasons


def unpacked(archive, folder):
    """Return the folder of the suite, unpacked into a folder if it is an archive."""
    if archive.is_dir():
        return archive
    with tarfile.open(archive) as tar:
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        tar.extractall(folder, **safe)
    roots = [path.parent for path in pathlib.Path(folder).glob("**/array_api_tests/__init__.py")]
    if not roots:
        raise SystemExit(f"{archive} holds no folder array_api_tests")
    return roots[0].parent


def started(suite, arguments, share, scratch):
    """Start a process with its share "i/n" of the suite; return it, its report and its output."""
    folder = pathlib.Path(scratch) / share.replace("/", "_of_")
    folder.mkdir()
    report, output = folder / "report.json", open(folder / "output", "w+", encoding="utf-8")
    environment = dict(os.environ, ARRAY_API_TESTS_MODULE=arguments.module, TYTO_SHARE=share,
                       PYTHONDONTWRITEBYTECODE="1")
    package, before = arguments.package and str(arguments.package), os.environ.get("PYTHONPATH")
    folders = [package, str(HERE), before]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, folders))
    command = [sys.executable, "-m", "pytest", "-q", "--disable-warnings", "-p", "no:cacheprovider",
               "-p", "share", "--max-examples", str(arguments.examples), "--disable-deadline",
               "--derandomize", "--json-report", f"--json-report-file={report}", "--tb=short"]
    command += [f"array_api_tests/{name}" for name in arguments.only or ["."]]
    command += ["-k", arguments.k] if arguments.k else []
    process = subprocess.Popen(command, cwd=suite, env=environment, stdout=output, stderr=output)
    return process, report, output


def report_of(suite, arguments, scratch):
    """Run the suite in several processes, and return what pytest reports of all."""
    shares = [f"{i}/{arguments.jobs}" for i in range(arguments.jobs)]
    whole, runs = {"tests": [], "collectors": []}, []
    try:
        for share in shares:
            runs.append(started(suite, arguments, share, scratch))
        for process, report, output in runs:
            code = process.wait()
            output.seek(0)
            print(output.read(), flush=True)
            if not report.exists():
                raise SystemExit(f"pytest ended with {code} and left no report")
            part = json.loads(report.read_text(encoding="utf-8"))
            whole["tests"] += part["tests"]
            whole["collectors"] += part.get("collectors", [])
    finally:  # a share that fails leaves no process of the others behind
        for process, _, output in runs:
            process.kill()
            process.wait()
            output.close()
    return whole


def compare(report, reasons, arguments):
    """Print what differs from the list, and return the number of differences."""
    complete = not (arguments.only or arguments.k)
    outcomes = {}
    for test in report["tests"]:
        outcomes[test["nodeid"].removeprefix("array_api_tests/")] = test["outcome"]
    wrong = 0
    for name, outcome in sorted(outcomes.items()):
        if outcome in ("failed", "error") and name not in reasons:
            wrong += 1
            print(f"fails, but is not listed: {name}")
        rare = reasons.get(name, "").startswith("rare: ")
        if outcome == "passed" and name in reasons and not rare:
            wrong += 1
            print(f"passes, but is listed: {name}")
    for name in reasons if complete else ():
        if name not in outcomes:
            wrong += 1
            print(f"is listed, but does not exist: {name}")
    for collector in report.get("collectors", ()):
        if collector["outcome"] == "failed":
            wrong += 1
            print(f"cannot be read: {collector['nodeid']}\n{collector.get('longrepr', '')}")
    kinds = ("passed", "failed", "skipped", "error")
    count = {kind: list(outcomes.values()).count(kind) for kind in kinds}
    print(", ".join(f"{n} {kind}" for kind, n in count.items() if n) + f"; {len(reasons)} listed")
    return wrong


def main():
    """Run the suite, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", type=pathlib.Path)
    parser.add_argument("--examples", type=int, default=5)
    parser.add_argument("--only", nargs="+", metavar="FILE")
    parser.add_argument("-k", metavar="WORDS")
    parser.add_argument("--module", default="tyto")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    built = any((PACKAGE / "tyto").glob("_core*.so"))
    parser.add_argument("--package", type=pathlib.Path, default=PACKAGE if built else None)
    arguments = parser.parse_args()
    if arguments.jobs < 1:
        parser.error(f"--jobs is {arguments.jobs}; expected 1 or more")
    if not arguments.archive.exists():
        print(f"skipped: {arguments.archive} is absent; docs/python.md says where it comes from")
        return SKIPPED
    absent = [name for module, name in NEEDS.items() if not importlib.util.find_spec(module)]
    if absent:
        print(f"skipped: this Python lacks {', '.join(absent)}")
        return SKIPPED
    reasons = expected_failures(HERE / "skips.txt")
    if arguments.package:
        sys.path.insert(0, str(PACKAGE / "backend"))
        import stage
        arguments.package = arguments.package.resolve()
        if arguments.package != PACKAGE:
            stage.stage(arguments.package)
    with tempfile.TemporaryDirectory() as scratch:
        suite = unpacked(arguments.archive.resolve(), scratch)
        report = report_of(suite, arguments, scratch)
    return min(compare(report, reasons, arguments), 1)


if __name__ == "__main__":
    sys.exit(main())
