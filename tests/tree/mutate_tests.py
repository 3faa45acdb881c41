"""The tests of mutate.py: how they run, which sources they reach, and in which order a mutant meets them."""
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COPY = os.path.join(ROOT, "build", "mutate")
BUILD = os.path.join(COPY, "build", "release")
TESTS = os.path.join(BUILD, "tests")
LIBRARY = os.path.join(BUILD, "libtyto_internal.so")
SCRATCH = os.path.join(COPY, "build", "mutants")
JOBS = os.cpu_count() or 2
MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2  # bytes a test may allocate: loops may not end
PATIENCE = 40  # seconds of processors for tests of other folders: then a mutant survives
SHORT = 2  # seconds of a test that may run again with failing allocations, which takes some ten times as long
IDLE = 20  # seconds on the clock for each of a processor's: other work slows tests down, a deadlock takes for ever


def output(*command):
    return subprocess.run(command, cwd=BUILD, capture_output=True, text=True, check=True).stdout


class Run:
    """A test that runs in a process group of its own.  loaded: a library ahead of the others."""

    def __init__(self, test, limit, loaded, more):
        self.test, self.status, self.seconds = test, None, 0
        self.end = time.monotonic() + IDLE * limit
        environment = dict(os.environ, TY_TEST_QUICK="1", LD_PRELOAD=loaded, **more)

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit)))
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))

        self.process = subprocess.Popen(
            [os.path.join(TESTS, test.split()[0]), *test.split()[1:]], cwd=TESTS, env=environment, preexec_fn=limits,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def ended(self):
        if self.status is None:
            pid, status, used = os.wait4(self.process.pid, os.WNOHANG)
            if pid or time.monotonic() > self.end:
                self.status, self.seconds = status if pid else -1, used.ru_utime + used.ru_stime
                self.process.returncode = self.status if pid else None
        return self.status is not None

    def stop(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # what it started may run still
        except ProcessLookupError:
            pass
        self.process.wait()


def runs(tests, limit, loaded, more=lambda test: {}):
    """Runs tests, JOBS at a time; yields each as it ends.  limit: a test's seconds of processors."""
    waiting, running = list(tests), []
    try:
        while waiting or running:
            while waiting and len(running) < JOBS:
                test = waiting.pop(0)
                running.append(Run(test, limit(test), loaded, more(test)))
            for run in [run for run in running if run.ended()]:
                yield run
                running.remove(run)
                run.stop()
            time.sleep(0.005)
    finally:
        for run in running:
            run.stop()


def functions():
    """Offsets of the library's functions, ascending, and the source of each."""
    symbols = output("nm", "--defined-only", LIBRARY)
    found = sorted({int(line.split()[0], 16) for line in symbols.splitlines() if line.split()[1] in "tT"})
    named = subprocess.run(["addr2line", "-e", LIBRARY], input="\n".join(map(hex, found)), capture_output=True, text=True,
                           check=True).stdout.splitlines()
    pairs = [(at, place.split(":")[0]) for at, place in zip(found, named) if "src/" in place or "rows/" in place]
    return [at for at, _ in pairs], [re.sub(r"^.*?(?=src/|rows/)", "", source) for _, source in pairs]


def measure(tests):
    """Of each test: seconds of processors, and the sources of which it runs functions.  It must pass."""
    offsets, source = functions()
    recorder, starts = os.path.join(SCRATCH, "reach.so"), os.path.join(SCRATCH, "starts")
    output("cc", "-O2", "-fPIC", "-shared", os.path.join(ROOT, "tests", "tree", "mutate_reach.c"), "-o", recorder)
    with open(starts, "wb") as file:
        file.write(b"".join(at.to_bytes(8, "little") for at in offsets))

    def recorded(test):
        return {"REACH_STARTS": starts, "REACH_LIBRARY": LIBRARY, "REACH_NOTES": os.path.join(SCRATCH, test)}

    for run in runs(tests, lambda test: 600, recorder, recorded):
        if run.status:
            sys.exit(f"mutate: the tree as it is fails: {run.test}, status {run.status}")
        reach = set()  # stays empty on other processors than x86-64: then each mutant meets all tests
        if os.path.exists(os.path.join(SCRATCH, run.test)):
            with open(os.path.join(SCRATCH, run.test), "rb") as noted:
                reach = sorted({source[i] for i, byte in enumerate(noted.read()) if byte})
        yield run.test, {"seconds": run.seconds, "reach": list(reach)}


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def measured(tests):
    """measure, or what it said before of the same programs."""
    path, known = os.path.join(SCRATCH, "measured.json"), {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            known = json.load(file)
    library = digest(LIBRARY)
    stamps = {t: library + digest(os.path.join(TESTS, t)) for t in tests}
    known = {t: known[t] for t in tests if t in known and known[t]["stamp"] == stamps[t]}
    for test, new in measure([t for t in tests if t not in known]):
        known[test] = {"stamp": stamps[test], **new}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(known, file)
    return known


def near(name, where):
    """Tests of folders called as the source's is (ops/linalg for engine/cpu/linalg), or else of the nearest one above it."""
    folder = os.path.dirname(name).replace("src", "tests", 1)
    found = {test for test, at in where.items() if at.split("/")[-2] == os.path.basename(folder)}
    while not found and folder:
        found = {test for test, at in where.items() if at.startswith(folder + "/")}
        folder = os.path.dirname(folder)
    return found


class Tests:
    """Tests, and the order in which mutants meet them.  where: the source of each test."""

    def __init__(self, where):
        known = measured(sorted(where))
        self.where, self.seconds = where, {t: known[t]["seconds"] for t in known}
        self.reach = {t: set(known[t]["reach"]) for t in known}
        self.sources = set().union(*self.reach.values())
        self.kills = {}  # mutants that each has noticed so far
        self.artifacts = {}

    def order(self, name):
        """Those that reach a source, the best odds for a second first; then the near ones with failing allocations."""
        beside = near(name, self.where)
        wanted = [t for t in self.seconds if name not in self.sources or name in self.reach[t]]
        wanted.sort(key=lambda t: (self.seconds[t] + 0.1) / (self.kills.get(t, 0) + (2 if t in beside else 0.1)))
        chosen, left = [], PATIENCE
        for test in wanted:
            if test not in beside:
                left -= self.seconds[test]
            if test in beside or left >= 0:
                chosen.append(test)
        return chosen + [t + " --oom" for t in chosen if t in beside and self.seconds[t] < SHORT]

    def limit(self, test):
        """Seconds of processors; failing allocations repeat a test."""
        plain = self.seconds[test.split()[0]]
        return 5 * plain + 10 if test in self.seconds else 50 * plain + 30

    def killer(self, name, mutant, unchanged):
        """The first test that fails with mutant loaded ahead, and not with unchanged; None: there is none."""
        waiting = self.order(name)
        while waiting:
            failed = next((run.test for run in runs(waiting, self.limit, mutant) if run.status), None)
            if not failed:
                return None
            if (name, failed) not in self.artifacts:
                self.artifacts[name, failed] = any(run.status for run in runs([failed], self.limit, unchanged))
            if not self.artifacts[name, failed]:
                self.kills[failed.split()[0]] = self.kills.get(failed.split()[0], 0) + 1
                return failed
            waiting.remove(failed)
        return None
