"""Every function that returns a view: assignments to it and to its array, also while both are read.

The functions are found by their results, which share memory with an argument; no list names them.
"""

import contextlib
import gc
import unittest

import tyto
from test_calls import LEFT_OUT, REFUSALS
from tyto import asarray, c
from tyto._core import Array

try:
    import numpy
except ImportError:
    numpy = None


def square():
    """Return a matrix in memory of its own."""
    return tyto.reshape(tyto.arange(9.0), (3, 3)) * 1.0


# Arrays that have other views, and further arguments that functions may take.
ARRAYS = {
    "square": square,
    "complex": lambda: square() * (1 + 2j),
    "vector": lambda: tyto.arange(4.0) + 1,
    "integers": lambda: tyto.arange(6) + 1,
    "columns": lambda: c.columns(square()),
    "a part": lambda: square()[1:, ::2],
    "transposed": lambda: square().T,
    "axes of size 1": lambda: tyto.ones((1, 3, 1)) * 2.0,
    "number": lambda: asarray(2.0) + 1,
    "cube": lambda: tyto.reshape(tyto.arange(8.0), (2, 2, 2)) * 1.0,
}
FURTHER = ((), (0,), (1,), (-1,), (2,), (0, 1), (1, 0), ((0, 1),), ((3, 3),), ("f64",), ("f32",),
           ("i64",), (0, 0, 1), (0, 2, 1, 1))
# Parts of names of functions that read or write files, or change the process.
APART = ("load", "save", "file", "text", "txt", "dump", "write", "open", "progress",
         "printoptions", "checkpoint")


def arrays_in(value):
    """Return the arrays in nested tuples and lists."""
    if isinstance(value, (tuple, list)):
        return [x for item in value for x in arrays_in(item)]
    return [value] if isinstance(value, Array) else []


def is_apart(name):
    """Return True if a function must not be called here."""
    return any(part in name for part in APART)


def functions():
    """Return functions of one array and further arguments, by name."""
    found = {}
    for space, prefix in ((tyto, ""), (tyto.linalg, "linalg."), (tyto.fft, "fft."), (c, "c.")):
        for name in dir(space):
            function = getattr(space, name)
            left = name[0] == "_" or is_apart(name) or (space is c and name in LEFT_OUT)
            if callable(function) and not isinstance(function, type) and not left:
                found[prefix + name] = function
    for name in dir(Array):
        member = getattr(Array, name, None)  # some names only tell what to write
        if name.startswith("_") or member is None or is_apart(name):
            continue
        if callable(member):
            found["x." + name] = member
        else:
            found["x." + name] = lambda x, name=name: getattr(x, name)
    keys = {"...": ..., "None": None, "1": 1, "::-1": slice(None, None, -1), "-1:": slice(-1, None)}
    for name, key in keys.items():
        found[f"x[{name}]"] = lambda x, key=key: x[key]
    return found


def results(function, x, further):
    """Return the arrays that a call returns, none if it fails."""
    with contextlib.suppress(*REFUSALS, AttributeError, BufferError, LookupError, ArithmeticError):
        return arrays_in(function(x, *further))
    return []


def views():
    """Yield (name, make): make() returns an array and a view of it.

    Each layout of a function's results occurs once.
    """
    seen = set()
    for name, function in functions().items():
        for kind, make in ARRAYS.items():
            for further in FURTHER:
                x = make()
                before = x.tolist()
                for i, y in enumerate(results(function, x, further)):
                    layout = name, kind, y.dtype, y.shape, y.strides
                    other = y is x or c.operator(y) or not c.shares_memory(x, y)
                    if layout in seen or other:
                        continue
                    seen.add(layout)
                    if x.tolist() != before:
                        continue

                    def again(make=make, function=function, further=further, i=i):
                        x = make()
                        return x, results(function, x, further)[i]

                    call = ", ".join([kind, *map(repr, further)])
                    yield f"{name}({call})[{i}]", again


class Reader:
    """Something that reads the memory of an array later, which shows old or new elements."""

    def __init__(self, kind, x):
        self.want, self.kind = x.tolist(), kind
        self.new = kind in ("dlpack", "buffer", "numpy")
        self.read = getattr(self, kind)(x)

    def nothing(self, x):
        return lambda: None

    def vjp(self, x):
        one = tyto.ones(x.shape, dtype=x.dtype if x.dtype.kind in "fc" else "f64")
        pull = tyto.vjp(lambda y: y * x, one)[1]
        return lambda: c.real(pull(one)[0]).tolist()

    def linearize(self, x):
        one = tyto.ones(x.shape, dtype=x.dtype if x.dtype.kind in "fc" else "f64")
        push = tyto.linearize(lambda y: y * x, one)[1]
        return lambda: push(one).tolist()

    def jit(self, x):
        f = tyto.jit(lambda y: y * x)
        f(tyto.ones((), dtype="f64"))
        return lambda: f(tyto.ones((), dtype="f64")).tolist()

    def promise(self, x):
        later = c.lazy(x) * 1
        return later.tolist

    def dlpack(self, x):
        return tyto.from_dlpack(x).tolist

    def buffer(self, x):
        memory = memoryview(x)
        return lambda: memory.tobytes() == x.tobytes() and x.tolist()

    def numpy(self, x):
        return numpy.asarray(x).tolist

    def problem(self, x):
        """Return what is wrong with the elements that are read, or None."""
        got, want = self.read(), x.tolist() if self.new else self.want
        if self.kind == "vjp" and got is not None:
            want = c.real(asarray(want)).tolist()  # a product with the conjugate
        return None if got is None or got == want else f"{self.kind} reads {got}, not {want}"


def assign_view(x, view):
    view[...] = 7


def add_to_view(x, view):
    view += 2


def assign_element(x, view):
    view[(-1,) * view.ndim] = 5


def assign_array(x, view):
    x[...] = 7


def add_to_array(x, view):
    x += 2


ACTIONS = (assign_view, add_to_view, assign_element, assign_array, add_to_array)
KINDS = ["vjp", "linearize", "jit", "promise", "dlpack", "buffer"] + (["numpy"] if numpy else [])


def outcome(make, kind, action):
    """Return an array and its view after an action beside a reader, and a problem or None."""
    x, view = make()
    reader = Reader(kind, x)
    refused = None
    try:
        action(x, view)
    except (ValueError, TypeError) as error:
        refused = type(error)
    return (refused, x.tolist(), view.tolist()), reader.problem(x)


class Views(unittest.TestCase):
    """Assignments show in arrays and views, or are refused, beside a reader as without one."""

    def test_every_function(self):
        """A reader changes nothing but what it reads itself."""
        wrong, names = {}, set()
        for name, make in views():
            short = name.split("(")[0]
            names.add(short)
            for action in ACTIONS:
                want, _ = outcome(make, "nothing", action)
                for kind in KINDS:
                    try:
                        got, problem = outcome(make, kind, action)
                    except BufferError:  # a dtype without a format
                        continue
                    if problem or got != want:
                        found = problem or (got, want)
                        wrong.setdefault(short, (action.__name__, name, kind, found))
        self.assertFalse(wrong, "\n" + "\n".join(map(str, wrong.values())))
        for name in ("diagonal", "rot90", "real", "imag", "atleast_2d", "broadcast_to",
                     "c.diagonal", "x.view"):
            self.assertIn(name, names)

    def test_recorded(self):
        """Functions that are recorded or differentiated have views as others have."""
        makers = {
            "rot90": tyto.rot90, "atleast_3d": tyto.atleast_3d, "real": tyto.real,
            "x.imag": lambda x: x.imag, "diagonal": lambda x: c.diagonal(x, 0, 1),
            "T": lambda x: x.T[1:], "twice": lambda x: tyto.rot90(x).real,
            "a part of it": lambda x: tyto.rot90(x)[0],
        }
        for name, view in makers.items():
            for kind in ("square", "complex"):
                if kind == "square" and "imag" in name:
                    continue

                def f(s, kind=kind, view=view):
                    x = ARRAYS[kind]()
                    shown = view(x)
                    shown[...] = shown * 0 + s.real
                    shown += 1
                    x[0, 0] = 9 * s.real
                    return x * 1, shown * 1

                def total(s, f=f):
                    x, shown = f(s)
                    return tyto.sum(x.real) + tyto.sum(shown.real)

                with self.subTest(name, kind=kind):
                    s = asarray(3.0)
                    want = [y.tolist() for y in f(s)]
                    self.assertEqual([y.tolist() for y in tyto.vjp(f, s)[0]], want)
                    slope = (total(s + 1) - total(s)).item()
                    self.assertEqual(tyto.grad(total)(s).item(), slope)
                    if name != "diagonal":  # functions of tyto.c return new promises
                        self.assertEqual([y.tolist() for y in tyto.jit(f)(s)], want)
                        self.assertEqual(tyto.jit(tyto.grad(total))(s).item(), slope)

    def test_promises(self):
        """Views of promises that are read-only show what is assigned to their array."""
        for name, view in {
            "diagonal": tyto.diagonal, "diag": tyto.diag, "linalg": tyto.linalg.diagonal,
            "broadcast_to": lambda x: tyto.broadcast_to(x, (2, 3, 3)),
            "broadcast_arrays": lambda x: tyto.broadcast_arrays(x, tyto.ones((2, 1, 1)))[0],
            "windows": lambda x: tyto.sliding_window_view(x, (2, 2)),
        }.items():

            def f(x, view=view):
                x = x * 1
                shown = view(x)
                x[0, 0] = 5.0
                return shown

            def refused(x, view=view):
                view(x)[...] = 1.0
                return x

            with self.subTest(name):
                want = f(square()).tolist()
                self.assertEqual(tyto.jit(f)(square()).tolist(), want)
                self.assertEqual(tyto.vjp(f, square())[0].tolist(), want)
                for run in (refused, tyto.jit(refused), lambda x: tyto.vjp(refused, x)):
                    self.assertRaisesRegex(ValueError, "read-only", run, square())

    def test_read_only(self):
        """Views that NumPy does not write are read-only, with their views, and for others."""
        x = square()
        for view in (tyto.diagonal(x), tyto.broadcast_to(x, (2, 3, 3)), tyto.diag(x, 1), x.imag,
                     tyto.sliding_window_view(x, (2, 2)), tyto.diagonal(x)[1:],
                     tyto.diagonal(x).T[None], c.ravel(tyto.diag(x))):
            self.assertTrue(memoryview(view).readonly)
            self.assertFalse(view.flags.writeable)
            self.assertTrue(view.__array_interface__["data"][1])
            for assign in (assign_view, add_to_view, assign_element):
                self.assertRaisesRegex(ValueError, "read-only", assign, x, view)
        self.assertRaisesRegex(BufferError, "read-only", tyto.diagonal(x).__dlpack__, copy=False)
        self.assertRaises(ValueError, assign_view, x, tyto.from_dlpack(tyto.diagonal(x)))
        # memoryview has no bfloat16
        half = tyto.broadcast_to(tyto.ones(3, dtype="bfloat16"), (2, 3))
        self.assertFalse(half.flags.writeable or tyto.diagonal(c.lazy(x)).flags.writeable)
        copy = tyto.diagonal(x).copy()
        copy[:] = 1.0
        self.assertEqual((copy.tolist(), x.tolist()), ([1, 1, 1], square().tolist()))

    def test_bytes(self):
        """A view as another dtype follows its array; assigning to it in a gradient is refused."""
        x = square()
        bits, pull = x.view(tyto.uint64), tyto.vjp(lambda y: y * x, square())[1]
        bits[0, 1] = 0
        self.assertEqual((x[0, 1].item(), pull(tyto.ones((3, 3)))[0][0, 1].item()), (0, 1))

        def f(s):
            parts = tyto.zeros(2).view(tyto.float32)
            parts[0] = tyto.astype(s, tyto.float32)
            return s

        self.assertRaisesRegex(tyto.Error, "another dtype", tyto.grad(f), asarray(1.0))

    def test_parts_of_numbers(self):
        """Views of a real part are assigned in a gradient, too."""
        x = square() * (1 + 2j)
        views = tyto.rot90(x.real), tyto.atleast_3d(x.imag), tyto.squeeze(x.real[None])

        def f(s):
            for i, view in enumerate(views):
                view[0, i] = s
            return s

        self.assertEqual(tyto.grad(f)(asarray(7.0)).item(), 1)
        self.assertEqual(x[0, 1].imag.item(), 7)
        self.assertEqual((x[0, 2].real.item(), [v[0, i].tolist() for i, v in enumerate(views)]),
                         (7, [7, [7], 7]))

    def test_lives(self):
        """Views keep their array alive, not each other, and chains of them are freed."""
        x = square()
        view = c.ravel(x)
        for _ in range(100000):
            view = c.ravel(view)
        view[0] = 4.0
        self.assertEqual(x[0, 0].item(), 4)
        del x, view
        gc.collect()

    def test_shapes_apart(self):
        """Grids are no views."""
        v = tyto.arange(3.0)
        for grid in tyto.meshgrid(v, v, sparse=True):
            self.assertFalse(c.shares_memory(grid, v))

    def test_results_apart(self):
        """Results that are no views have memory of their own, also where nothing changes."""
        x, number = tyto.ones((1, 3)), asarray(2.0)
        for result in (tyto.block(x), tyto.block([[x]]), tyto.unwrap(x, axis=0)):
            self.assertFalse(c.shares_memory(result, x))
        self.assertFalse(c.shares_memory(tyto.pad(number, 1), number))

    def test_recorded_forms(self):
        """Views of recorded functions reach their array as those of values do."""
        for view in (tyto.linalg.matrix_transpose, lambda x: x.view(tyto.float64),
                     lambda x: x.view()):
            def f(s, view=view):
                x = square() * s
                view(x)[0, 1] = 9.0
                return x

            self.assertEqual(tyto.jit(f)(asarray(1.0)).tolist(), f(asarray(1.0)).tolist())


class Loans(unittest.TestCase):
    """Memory that other libraries share is written while they do, and protected afterwards."""

    def check(self, lend):
        """lend(x) returns what holds the memory of x, and a function that reads it."""
        for view in (lambda x: x, lambda x: x[1:], lambda x: tyto.rot90(x), c.ravel):
            x = square()
            shown = view(x)
            held, read = lend(shown)
            pull = tyto.vjp(lambda y, x=x: y * x, square())[1]
            x[2, 2] = 100.0
            self.assertEqual(read(held), shown.tolist())
            self.assertEqual(pull(tyto.ones((3, 3)))[0][2, 2].item(), 100)
            del held
            gc.collect()
            x[2, 2] = 200.0
            self.assertEqual(shown.tolist(), view(x).tolist())
            self.assertEqual(pull(tyto.ones((3, 3)))[0][2, 2].item(), 100)

    def test_dlpack(self):
        """A loan by DLPack ends when the consumer drops it."""
        self.check(lambda x: (tyto.from_dlpack(x), lambda held: held.tolist()))
        self.check(lambda x: (x.__dlpack__(max_version=(1, 0)), lambda held: x.tolist()))
        self.check(lambda x: (x.__dlpack__(), lambda held: x.tolist()))

    def test_buffers(self):
        """So does one by the buffer protocol."""
        self.check(lambda x: (memoryview(x), lambda held: held.tolist()))

    @unittest.skipUnless(numpy, "NumPy is not installed")
    def test_numpy(self):
        """NumPy's arrays and views of them hold it."""
        self.check(lambda x: (numpy.asarray(x)[...], lambda held: held.tolist()))
        self.check(lambda x: (numpy.from_dlpack(x)[...], lambda held: held.tolist()))

    def test_owner_goes_first(self):
        """A consumer may outlive the array."""
        x = square()
        held = tyto.from_dlpack(x)
        del x
        gc.collect()
        self.assertEqual(held.tolist(), square().tolist())

    def test_copies(self):
        """Exported copies are no loans."""
        x = square()
        held = x.__dlpack__(max_version=(1, 0), copy=True)
        pull = tyto.vjp(lambda y: y * x, square())[1]
        x[0, 1] = 100.0
        self.assertEqual(pull(tyto.ones((3, 3)))[0][0, 1].item(), 1)
        del held


if __name__ == "__main__":
    unittest.main()
