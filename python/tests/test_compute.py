"""Ctrl-C, progress, threads, forks, and the end of the interpreter while arrays live."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import tyto
from tyto import c

SOON = 5.0  # seconds that a loaded machine may take to stop a call; an idle one takes some ms

START = f"""
import os, signal, sys, threading, time
sys.path[:0] = {[os.path.dirname(os.path.dirname(os.path.abspath(tyto.__file__)))]!r}
import tyto
from tyto import c

def kill_soon(seconds=0.2):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()

def endless():
    tyto.while_loop(lambda v: v > -1.0, lambda v: v + 1.0, 0.0)
"""


def run(text):
    """Return exit code and output of a program, which ends within some seconds."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", START + text],
        capture_output=True,
        timeout=60,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Interrupts(unittest.TestCase):
    """Ctrl-C."""

    def stopped(self, text):
        """Run a program that catches its interrupt and prints its delay."""
        code, out, err = run(text)
        self.assertEqual((code, err), (0, ""))
        self.assertLess(float(out), SOON)

    def test_loop_without_end(self):
        """A loop is stopped, and later calls compute again."""
        self.stopped("""
kill_soon()
start = time.time()
try:
    endless()
except KeyboardInterrupt as error:
    delay = time.time() - start - 0.2
    assert type(error) is KeyboardInterrupt, type(error)
assert tyto.jit(lambda x: x + 1)(1.0).tolist() == 2
assert c.sum(c.ones("float64", (1 << 20,))).tolist() == 1 << 20
print(delay)
""")

    def test_long_kernel(self):
        """A matrix product is stopped inside."""
        self.stopped("""
x = c.ones("float64", (6000, 6000))
kill_soon()
start = time.time()
try:
    while True:
        c.matmul(x, x)
except KeyboardInterrupt:
    print(time.time() - start - 0.2)
""")

    def test_handler_of_the_program(self):
        """A handler that raises another exception is respected, also one that is set later."""
        self.stopped("""
class Own(Exception): pass
def handler(number, frame): raise Own
signal.signal(signal.SIGINT, handler)
kill_soon()
start = time.time()
try:
    endless()
except Own:
    print(time.time() - start - 0.2)
""")

    def test_inside_a_callback(self):
        """Ctrl-C while Python runs inside of a call comes out, too."""
        self.stopped("""
def slow(x):
    end = time.time() + 30
    while time.time() < end: pass
    return x
kill_soon()
start = time.time()
try:
    tyto.vmap(slow)(c.ones("float64", (2,)))
except KeyboardInterrupt:
    print(time.time() - start - 0.2)
""")

    def test_outside_of_calls(self):
        """Ctrl-C while nothing computes leaves the library usable."""
        self.stopped("""
kill_soon()
start = time.time()
try:
    time.sleep(30)
except KeyboardInterrupt:
    delay = time.time() - start - 0.2
for i in range(3):
    c.sum(c.ones("float64", (1 << 20,)))
print(delay)
""")

    def test_other_threads_go_on(self):
        """Ctrl-C stops the main thread alone."""
        self.stopped("""
result = []
def work():
    for i in range(400):
        result.append(c.sum(c.ones("float64", (1 << 18,))).tolist())
worker = threading.Thread(target=work)
worker.start()
kill_soon()
start = time.time()
try:
    endless()
except KeyboardInterrupt:
    delay = time.time() - start - 0.2
worker.join()
assert len(result) == 400
print(delay)
""")

    def test_uncaught(self):
        """An interrupt that nobody catches ends the program as usual."""
        code, out, err = run("kill_soon()\nendless()\n")
        self.assertIn("KeyboardInterrupt", err)
        self.assertIn(code, (-signal.SIGINT, 130, 1))


class Progress(unittest.TestCase):
    """tyto.progress."""

    def setUp(self):
        self.addCleanup(tyto.progress, None)

    def long_call(self):
        return tyto.while_loop(lambda v: v < 1e7, lambda v: v + 1.0, 0.0)

    def test_reports(self):
        """A long call reports its word, counts and seconds; the function before is returned."""
        seen = []
        self.assertIsNone(tyto.progress(lambda *now: seen.append(now)))
        end = time.time() + 20
        while not seen and time.time() < end:
            self.long_call()
        self.assertTrue(seen)
        what, done, total, seconds = seen[0]
        self.assertIsInstance(what, str)
        self.assertGreaterEqual(done, 0)
        self.assertGreater(seconds, 0)
        self.assertTrue(callable(tyto.progress(None)))

    def test_stops(self):
        """False stops the call; exceptions come out unchanged."""
        tyto.progress(lambda *now: False)
        self.assertRaises(
            tyto.InterruptedError, tyto.while_loop, lambda v: v > -1.0, lambda v: v + 1.0, 0.0
        )
        own = KeyError("own")

        def fail(*now):
            raise own

        tyto.progress(fail)
        with self.assertRaises(KeyError) as caught:
            tyto.while_loop(lambda v: v > -1.0, lambda v: v + 1.0, 0.0)
        self.assertIs(caught.exception, own)
        tyto.progress(None)
        self.assertEqual(tyto.jit(lambda x: x + 1)(1.0).tolist(), 2)
        self.assertRaises(TypeError, tyto.progress, 3)


class Threads(unittest.TestCase):
    """Threads of Python."""

    def test_lock_is_given_up(self):
        """Python runs while another thread computes."""
        stop, counts = threading.Event(), []

        def compute():
            x = c.ones("float64", (1500, 1500))
            while not stop.is_set():
                c.matmul(x, x)

        worker = threading.Thread(target=compute)
        worker.start()
        start = time.time()
        count = 0
        while time.time() < start + 0.5:
            count += 1
        counts.append(count)
        stop.set()
        worker.join()
        self.assertGreater(counts[0], 1000)

    def test_promises_are_evaluated_without_the_lock(self):
        """Also where the promise has few elements."""
        x = c.lazy(c.ones("float64", (1000, 1000)))
        for _ in range(3):
            x = c.matmul(x, x) * 1e-3
        total, stop, counts = tyto.sum(x), threading.Event(), [0]

        def count():
            while not stop.is_set():
                counts[0] += 1
                time.sleep(0.001)

        worker = threading.Thread(target=count)
        worker.start()
        for evaluate in (c.eval, c.item, lambda p: c.eval_all([p])):
            before = counts[0]
            evaluate(total)
            self.assertGreater(counts[0] - before, 4)
        stop.set()
        worker.join()

    def test_many_threads(self):
        """Threads compute, record, differentiate and compile at once."""
        shared = tyto.jit(lambda x, s: c.sum(c.sin(x) * s))
        x = c.steps("float64", 0.0, 0.001, 40000)
        want = [c.sum(c.sin(x) * float(i)).tolist() for i in range(8)]
        faults = []

        def work(i):
            try:
                for _ in range(10):
                    assert shared(x, float(i)).tolist() == want[i]
                    assert tyto.grad(lambda v: v * v * v)(float(i)).tolist() == 3 * i * i
                    assert tyto.vmap(lambda r: c.sum(r))(c.reshape(x, (4, 10000))).shape == (4,)
            except BaseException as error:
                faults.append(error)
                raise

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])

    def test_assigned_while_it_is_read(self):
        """A call owns its operands: another thread gives the array another tensor meanwhile."""
        code, out, err = run("""
x = c.ones("float64", 300000)
end = time.time() + 1.0
def assign():
    def loss(w):
        x[0] = 1.0
        c.full("float64", 300000, 2.0)  # in the memory of the old tensor
        return w * w
    while time.time() < end: tyto.grad(loss)(2.0)
worker = threading.Thread(target=assign)
worker.start()
while time.time() < end:
    y = c.sin(x)
    assert tyto.max(y).tolist() == tyto.min(y).tolist()
    assert x[:20000].tolist() == [1.0] * 20000
worker.join()
""")
        self.assertEqual((code, err), (0, ""))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_fork(self):
        """The child of a fork computes, also if it was made while a thread computes."""
        code, out, err = run("""
stop = threading.Event()
def compute():
    x = c.ones("float64", (600, 600))
    while not stop.is_set(): c.matmul(x, x)
worker = threading.Thread(target=compute)
worker.start()
before = c.ones("float64", (300, 300))
for i in range(5):
    child = os.fork()
    if not child:
        good = c.matmul(before, before)[0, 0].tolist() == 300
        good = good and tyto.jit(lambda x: x + 1)(1.0).tolist() == 2
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
worker.join()
""")
        self.assertEqual((code, err), (0, ""))


class Ends(unittest.TestCase):
    """The end of the interpreter."""

    def test_live_objects(self):
        """Arrays, views, rules and compiled functions may live until the end."""
        code, out, err = run("""
import array
owner = array.array("d", [1, 2, 3])
kept = [tyto.asarray(owner), memoryview(tyto.ones(3)), tyto.ones(5).__dlpack__()]
kept.append(tyto.jit(lambda x: x + 1))
kept.append(kept[3](1.0))
y, pull = tyto.vjp(tyto.checkpoint(lambda x: c.sin(x)), 1.0)
kept.append(kept)
sys.kept = kept, pull
""")
        self.assertEqual((code, out, err), (0, "", ""))

    def test_daemon_threads(self):
        """Daemon threads that compute at the end do not crash."""
        for _ in range(3):
            code, out, err = run("""
x = c.ones("float64", (400, 400))
f = tyto.jit(lambda x: c.matmul(x, x) + 1.0)
def compute():
    while True:
        f(x)
        tyto.vmap(lambda r: c.sum(r))(x)
for i in range(3):
    threading.Thread(target=compute, daemon=True).start()
time.sleep(0.2)
""")
            self.assertEqual((code, out, err), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
