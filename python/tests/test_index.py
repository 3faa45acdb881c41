"""Indexing and assignment, with NumPy's rules."""

import random
import time
import unittest

import tyto
from tyto import _core

try:
    import numpy
except ImportError:
    numpy = None

asarray = _core.asarray
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def matrix():
    """Return [[0, 1, 2], [3, 4, 5]]."""
    return asarray([[0, 1, 2], [3, 4, 5]])


class Reading(unittest.TestCase):
    """x[key]."""

    def test_views(self):
        x = matrix()
        cases = [
            (0, [0, 1, 2]),
            ((-1, -1), 5),
            ((slice(None), 1), [1, 4]),
            (slice(None, None, -1), [[3, 4, 5], [0, 1, 2]]),
            ((..., 0), [0, 3]),
            ((None, 1), [[3, 4, 5]]),
            ((), [[0, 1, 2], [3, 4, 5]]),
            (slice(5, None), []),
            ((slice(None), slice(None, None, -2)), [[2, 0], [5, 3]]),
            ((slice(0, 0), None), []),
        ]
        for key, expected in cases:
            self.assertEqual(x[key].tolist(), expected, key)

    def test_ends_beyond_integers(self):
        x = asarray([0, 1, 2])
        far = 10**30
        for key, expected in (
            (slice(-far, None), [0, 1, 2]),
            (slice(None, -far), []),
            (slice(-far, None, -1), []),
            (slice(None, -far, -1), [2, 1, 0]),
            (slice(far, None, -1), [2, 1, 0]),
            (slice(None, None, far), [0]),
        ):
            self.assertEqual(x[key].tolist(), expected, key)

    def test_arrays(self):
        x = matrix()
        self.assertEqual(x[x > 2].tolist(), [3, 4, 5])
        self.assertEqual(x[[0, 1, 0]].tolist(), [[0, 1, 2], [3, 4, 5], [0, 1, 2]])
        self.assertEqual(x[[0, 1], [1, 2]].tolist(), [1, 5])
        self.assertEqual(x[:, asarray([0, 2], "uint8")].tolist(), [[0, 2], [3, 5]])
        self.assertEqual(x[asarray(1)].tolist(), [3, 4, 5])
        self.assertEqual(
            (x[True].shape, x[False].shape, x[[]].shape), ((1, 2, 3), (0, 2, 3), (0, 3))
        )
        self.assertEqual(x[range(1)].tolist(), [[0, 1, 2]])
        self.assertEqual(x[[True, False]].tolist(), [[0, 1, 2]])
        y = x[[0, 1]]
        y[0] = 9
        self.assertEqual(x[0].tolist(), [0, 1, 2])

    def test_refused(self):
        x = matrix()
        for key in (
            2,
            -3,
            (0, 0, 0),
            1.5,
            "a",
            (..., ...),
            [1.5],
            10**30,
            ([0], [3]),
            asarray([True, False, True]),
            1j,
            (None,) * 200,
            {},
        ):
            self.assertRaises(IndexError, x.__getitem__, key)
        self.assertRaises(ValueError, x.__getitem__, slice(None, None, 0))
        self.assertRaises(IndexError, asarray(5).__getitem__, 0)

    def test_sequence(self):
        x = matrix()
        self.assertEqual([row.tolist() for row in x], [[0, 1, 2], [3, 4, 5]])
        self.assertEqual((len(x), 4 in x, 9 in x, None in x), (2, True, False, False))
        for f in (len, iter, list):
            self.assertRaises(TypeError, f, asarray(1))

    @unittest.skipUnless(numpy, "NumPy is not installed")
    def test_random_keys_against_numpy(self):
        draw = random.Random(1)
        for _ in range(3000):
            shape = [draw.randint(0, 4) for _ in range(draw.randint(0, 4))]
            theirs = numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape)
            ours = asarray(theirs.tolist()) if theirs.size else None
            if ours is None or ours.shape != theirs.shape:
                continue
            key = random_key(draw, shape)
            try:
                expected = theirs[to_numpy(key)].tolist()
            except IndexError:
                self.assertRaises(IndexError, ours.__getitem__, key)
                continue
            self.assertEqual(ours[key].tolist(), expected, (shape, key))


def random_key(draw, shape):
    """Return a random key, mostly one that fits the shape."""
    items = []
    for size in shape[: draw.randint(0, len(shape))]:
        kind = draw.randrange(7)
        if kind == 0:
            items.append(draw.randint(-size, size))
        elif kind == 1:
            ends = [draw.choice([None, draw.randint(-6, 6)]) for _ in range(2)]
            items.append(slice(*ends, draw.choice([None, 1, 2, -1, -3])))
        elif kind == 2:
            items.append([draw.randint(-size, max(size - 1, 0)) for _ in range(2)])
        elif kind == 3:
            items.append([draw.random() < 0.5 for _ in range(size)])
        elif kind == 4:
            items.append(slice(None))
        elif kind == 5:
            items.append(None)
        else:
            items.append([[draw.randint(0, max(size - 1, 0))], [0]])
    if draw.random() < 0.3:
        items.insert(draw.randint(0, len(items)), Ellipsis)
    return tuple(items)


def to_numpy(key):
    """Return a key in which lists are arrays of NumPy, of integers if they are empty."""

    def convert(item):
        if not isinstance(item, list):
            return item
        return numpy.asarray(item) if item else numpy.zeros(0, int)

    return tuple(convert(item) for item in key)


class Assigning(unittest.TestCase):
    """x[key] = value."""

    def test_views_show_it(self):
        x = matrix()
        row, turned = x[0], x.T
        x[0][1] = 7
        row[2] = 8
        self.assertEqual(x.tolist(), [[0, 7, 8], [3, 4, 5]])
        self.assertEqual((row.tolist(), turned.tolist()), ([0, 7, 8], [[0, 3], [7, 4], [8, 5]]))
        turned[0] = asarray([1, 2])
        self.assertEqual(x.tolist(), [[1, 7, 8], [2, 4, 5]])

    def test_values(self):
        x = matrix()
        x[:, 1:] = x[:, :-1]
        self.assertEqual(x.tolist(), [[0, 0, 1], [3, 3, 4]])
        x[0] = [[[4, 5, 6]]]
        x[1] = 2.7
        self.assertEqual(x.tolist(), [[4, 5, 6], [2, 2, 2]])
        x[x > 4] = 0
        x[[0, 1], [0, 0]] = [8, 9]
        self.assertEqual(x.tolist(), [[8, 0, 0], [9, 2, 2]])
        x[...] = 1
        x[()] = asarray([1.0, 2.0, 3.0])
        x[0:0] = 5
        self.assertEqual(x.tolist(), [[1, 2, 3], [1, 2, 3]])

    def test_every_dtype(self):
        others = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
        for name in INTEGERS + others:
            x = asarray([0, 0, 0, 0], name)
            x[1], x[2:], x[::2] = 5, True, asarray([7, 8], "int8")
            self.assertEqual(x.tolist(), [7, 5, 8, 1], name)
            if name not in INTEGERS:
                x[0] = 2.5
                self.assertEqual(x[0].item(), 2.5)

    def test_refused(self):
        x, u = matrix(), asarray([1, 2], "uint8")
        for key, value, error in (
            (0, [1, 2], ValueError),
            (0, "a", TypeError),
            (9, 1, IndexError),
            (0, 1j, TypeError),
            (0, None, TypeError),
            (0, 2**63, OverflowError),
            ([5], 1, IndexError),
        ):
            self.assertRaises(error, x.__setitem__, key, value)
        for number in (256, -1, 10**30, 256.5, -1.5, 1e300, float("nan"), float("inf")):
            self.assertRaises(OverflowError, u.__setitem__, 0, number)
        with self.assertRaisesRegex(OverflowError, "^assignment: 256.5 does not fit uint8$"):
            u[0] = 256.5
        self.assertRaises(TypeError, x.__delitem__, 0)
        self.assertEqual((x.tolist(), u.tolist()), ([[0, 1, 2], [3, 4, 5]], [1, 2]))

    def test_large(self):
        x = asarray(list(range(70000)))
        x[:] = x[::-1]
        self.assertEqual((x[0].item(), x[-1].item()), (69999, 0))
        x[x > 10] = -1
        self.assertEqual(x[-12:].tolist(), [-1] + list(range(10, -1, -1)))
        x[:] = 3
        self.assertEqual((x.item(0), x.item(-1)), (3, 3))

    def test_in_place_of_items(self):
        x = matrix()
        x[0] += 10
        x[1, 1] *= 3
        x[[0, 1], [0, 0]] -= 1
        self.assertEqual(x.tolist(), [[9, 11, 12], [2, 12, 5]])


class Promises(unittest.TestCase):
    """A promise cannot change: its array gets another one, and so do arrays that it views."""

    def lazy(self):
        """Return a promise of [[0, 1, 2], [3, 4, 5]]."""
        return _core.c.lazy(matrix())

    def test_bases_are_assigned(self):
        x = self.lazy()
        row = x[0]
        part = row[1:]
        part[0] = 7
        self.assertEqual(x.tolist(), [[0, 7, 2], [3, 4, 5]])
        self.assertEqual((row.tolist(), part.tolist()), ([0, 7, 2], [7, 2]))
        row += 1
        self.assertEqual((x.tolist(), part.tolist()), ([[1, 8, 3], [3, 4, 5]], [8, 3]))
        x[0] = 5
        self.assertEqual((row.tolist(), part.tolist()), ([5, 5, 5], [5, 5]))
        x[x > 4] = 0
        self.assertEqual((x.tolist(), part.tolist()), ([[0, 0, 0], [3, 4, 0]], [0, 0]))

    def test_values_become_promises(self):
        x = matrix()
        row = x[1]
        x[1, 0] = self.lazy()[1, 2]
        self.assertTrue(x.is_promise)
        self.assertEqual((x.tolist(), row.tolist()), ([[0, 1, 2], [5, 4, 5]], [5, 4, 5]))

    def test_what_is_recorded_reads_old_elements(self):
        def f(x):
            scale = asarray([1.0, 1.0])
            whole, first = scale, scale[:1]
            y = x * scale
            scale[0] = 5.0
            scale *= 2.0
            whole[1] = 7.0
            return (y + x * scale).sum() + first.sum()

        x = asarray([1.0, 2.0])
        for function in (f, tyto.jit(f)):
            self.assertEqual(function(x).item(), 1 + 2 + 10 + 14 + 10)
            self.assertEqual(tyto.grad(function)(x).tolist(), [11, 8])

    def test_results_are_apart(self):
        """Where NumPy copies, an assignment to a result leaves the operand, and is possible."""
        functions = {
            "conj": tyto.conj,
            "round": tyto.round,
            "nan_to_num": tyto.nan_to_num,
            "repeat": lambda x: tyto.repeat(x, 1, 0),
            "repeat of one": lambda x: tyto.repeat(x[:1], 2, 0),
            "tile": lambda x: tyto.tile(x, 1),
            "tile of a row": lambda x: tyto.tile(x[0], (2, 1)),
            "roll": lambda x: tyto.roll(x, 0),
            "roll of no axis": lambda x: tyto.roll(x, (), ()),
            "resize": lambda x: tyto.resize(x, (2, 2)),
            "delete": lambda x: tyto.delete(x, 0, 0),
            "meshgrid": lambda x: tyto.meshgrid(x[0], x[1])[0],
            "fftshift": lambda x: tyto.fft.fftshift(x, ()),
            "gradient": lambda x: tyto.grad(tyto.sum)(tyto.astype(x, tyto.float64)),
        }
        for name, function in functions.items():
            with self.subTest(name):
                x = matrix()
                y = function(x)
                y[...] = -1
                self.assertEqual(x.tolist(), [[0, 1, 2], [3, 4, 5]])
                self.assertEqual(tyto.unique(y).tolist(), [-1])

    def test_derivatives_by_assigned_arguments(self):
        """They are by what the function got, not by what it has assigned."""

        def function(v):
            v[0] = 5.0
            tail = v[1:]
            tail *= 2
            return v * v

        def total(v):
            return tyto.sum(function(v))

        x, one = tyto.asarray([1.0, 2.0, 3.0]), tyto.ones(3)
        want = [0, 16, 24]
        self.assertEqual(tyto.grad(total)(x).tolist(), want)
        self.assertEqual(tyto.jvp(function, (x,), (one,))[1].tolist(), want)
        self.assertEqual(tyto.linearize(function, x)[1](one).tolist(), want)
        self.assertEqual(tyto.vjp(function, x)[1](one)[0].tolist(), want)
        self.assertEqual(tyto.sum(tyto.jacobian(function)(x), axis=0).tolist(), want)
        self.assertEqual(tyto.sum(tyto.hessian(total)(x), axis=0).tolist(), [0, 8, 8])
        self.assertEqual(tyto.hvp(total, (x,), (one,))[0].tolist(), [0, 8, 8])
        self.assertEqual(x.tolist(), [1, 2, 3])

    def test_long_chains(self):
        x = self.lazy()
        part = x
        for _ in range(2000):
            part = part[:]
        part[0, 0] = 9
        self.assertEqual(x[0].tolist(), [9, 1, 2])
        x[1] = 8
        self.assertEqual(part.tolist(), [[9, 1, 2], [8, 8, 8]])

    def test_refused_assignments_change_nothing(self):
        x = self.lazy()
        row = x[0]
        for key, value, error in (
            (0, [1, 2], ValueError),
            (0, "a", TypeError),
            (9, 1, IndexError),
            (0, 1j, TypeError),
        ):
            self.assertRaises(error, x.__setitem__, key, value)
        self.assertRaises(ValueError, row.__setitem__, slice(None), [1, 2])
        self.assertEqual((x.tolist(), row.tolist()), (matrix().tolist(), [0, 1, 2]))


class Flat(unittest.TestCase):
    """x.flat[index], and put."""

    def forms(self):
        """Return arrays of 2 axes with the elements 0 to 5 in row-major order, in many layouts."""
        x = tyto.reshape(tyto.arange(6.0), (2, 3))
        wide = tyto.zeros((4, 6))
        wide[::2, 5::-2] = x
        turned = tyto.asarray(x.T, copy=True).T
        promise = _core.c.lazy(x)
        columns = _core.c.lazy(tyto.asarray(x.T, copy=True)).T
        return x, wide[::2, 5::-2], turned, promise, columns

    def test_as_numpy(self):
        some = tyto.asarray([1, 2, 0])
        square = tyto.asarray([[0, 1], [2, 3]])
        mask = tyto.asarray([True, False, False, True, True, False])
        cases = [
            (0, 9, [9, 1, 2, 3, 4, 5]),
            (-1, 9.5, [0, 1, 2, 3, 4, 9.5]),
            ((2,), 9, [0, 1, 9, 3, 4, 5]),
            (tyto.asarray(4), 9, [0, 1, 2, 3, 9, 5]),
            (slice(0, 4), [7, 8], [7, 8, 7, 8, 4, 5]),
            (slice(0, 2), [7, 8, 9], [7, 8, 2, 3, 4, 5]),
            (slice(None, None, -2), [7, 8, 9], [0, 9, 2, 8, 4, 7]),
            (slice(2, 2), 9, [0, 1, 2, 3, 4, 5]),
            (slice(0, 3), [], [0, 1, 2, 3, 4, 5]),
            ([0, 1, -1], [7, 8], [7, 8, 2, 3, 4, 7]),
            ([], [7], [0, 1, 2, 3, 4, 5]),
            (some, some, [0, 1, 2, 3, 4, 5]),
            (square, [[9, 8], [7, 6]], [9, 8, 7, 6, 4, 5]),
            (mask, [7, 8], [7, 1, 2, 8, 7, 5]),
            (..., 1, [1] * 6),
            ((), [1, 2, 3], [1, 2, 3] * 2),
        ]
        for index, value, want in cases:
            for form, x in enumerate(self.forms()):
                with self.subTest(index=index, form=form):
                    before = x.reshape(6)[index].tolist()
                    self.assertEqual(x.flat[index].tolist(), before)
                    x.flat[index] = value
                    self.assertEqual(x.tolist(), [want[:3], want[3:]])

    def test_refusals(self):
        for x in self.forms():
            before = x.tolist()
            for index in (6, -7, [6], (0, 1), None, 1.0, [0.5]):
                self.assertRaises(IndexError, x.flat.__getitem__, index)
                self.assertRaises(IndexError, x.flat.__setitem__, index, 1)
            self.assertRaises(IndexError, x.flat.__getitem__, tyto.ones(2) > 0)
            self.assertRaises(ValueError, x.flat.__setitem__, 0, [1, 2])
            self.assertEqual(x.tolist(), before)

    def test_other_ranks(self):
        number, nothing = tyto.asarray(3.0), tyto.zeros((0, 3))
        number.flat[0] = 4
        self.assertEqual((number.tolist(), number.flat[-1].item()), (4, 4))
        nothing.flat[:] = 1
        self.assertEqual(nothing.flat[:].shape, (0,))
        self.assertRaises(IndexError, nothing.flat.__getitem__, 0)
        cube = tyto.reshape(tyto.arange(24), (2, 3, 4)).transpose(2, 0, 1)
        for i in range(24):
            cube.flat[i] += 100
        self.assertEqual(sorted(cube.reshape(24).tolist()), list(range(100, 124)))

    def test_put(self):
        for x in self.forms():
            tyto.put(x, [0, -1], [7, 8, 9])
            tyto.put(x, 1, 5)
            tyto.put(x, [], 1)
            self.assertEqual(x.tolist(), [[7, 5, 2], [3, 4, 8]])
            self.assertRaises(IndexError, tyto.put, x, [6], [0])

    def test_time_is_that_of_the_elements(self):
        """A hundred assignments to a large array take less time than ten copies of it."""
        x = tyto.zeros((1000, 1000))
        for view in (x, x.T):
            started = time.process_time()
            for _ in range(10):
                tyto.asarray(x, copy=True)
            limit, started = time.process_time() - started, time.process_time()
            for i in range(100):
                view.flat[i] = view.flat[i + 1]
            self.assertLess(time.process_time() - started, limit)


if __name__ == "__main__":
    unittest.main()
