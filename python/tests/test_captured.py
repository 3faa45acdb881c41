"""Assignments to arrays that something computed later reads: it keeps the elements of its time."""

import gc
import threading
import unittest

import tyto
from tyto import asarray, c
from tyto._core import Array

ONES = (1.0, 1.0)


def row(*numbers):
    """Return a vector of float64."""
    return asarray([float(n) for n in numbers])


def assignments(w):
    """Return functions that assign to a vector of two in all ways."""
    part = w[1:]
    whole = tyto.reshape(w, (1, 2))
    return {
        "all": lambda: w.__setitem__(slice(None), 9.0),
        "an element": lambda: w.__setitem__(1, 9.0),
        "a view": lambda: part.__setitem__(0, 9.0),
        "a reshaped view": lambda: whole.__setitem__((0, 1), 9.0),
        "a reversed view": lambda: w[::-1].__setitem__(0, 9.0),
        "an array": lambda: w.__setitem__(slice(None), row(9, 9)),
        "a mask": lambda: w.__setitem__(w > 1, 9.0),
        "in place": lambda: w.__imul__(9),
        "in place of a view": lambda: part.__iadd__(7.0),
    }


class Captured(unittest.TestCase):
    """Functions read arrays besides their arguments."""

    def check(self, name, function, want):
        """function(w) returns a function that computes the numbers wanted, also later."""
        for kind in assignments(row(1, 2)):
            with self.subTest(name, assigned=kind):
                w = row(1, 2)
                later = function(w)
                assign = assignments(w)[kind]
                assign()
                self.assertEqual(w[1].item(), 18 if kind == "in place" else 9)
                self.assertEqual(later(), want)
                self.assertEqual(later(), want)

    def test_products(self):
        """vjp and linearize, also through loops, batches and compiled functions."""
        x, flow = row(3, 4), row(*ONES)

        def scanned(w):
            return lambda x: tyto.scan(lambda s, v: (s * w, None), x, tyto.ones(2))[0]

        functions = {
            "times": (lambda w: lambda x: x * w, [1, 2]),
            "views": (lambda w: lambda x: x * tyto.reshape(w, (1, 2))[0, :], [1, 2]),
            "part": (lambda w: lambda x: x * w[1:], [2, 2]),
            "product": (lambda w: lambda x: w[None, :] @ tyto.reshape(x, (2, 1)), [1, 2]),
            "taken": (lambda w: lambda x: tyto.take(w, asarray([1, 0])) * x, [2, 1]),
            "jit": (lambda w: tyto.jit(lambda x: x * w), [1, 2]),
            "vmap": (lambda w: lambda x: tyto.vmap(lambda v: v * w)(x[None, :])[0], [1, 2]),
            "scan": (scanned, [1, 4]),
            "cond": (lambda w: lambda x: tyto.cond(True, lambda x: x * w, lambda x: x, x), [1, 2]),
        }
        for name, (function, want) in functions.items():

            def pull(w, function=function):
                y, product = tyto.vjp(function(w), x)
                return lambda: product(tyto.ones(y.shape))[0].tolist()

            def push(w, function=function):
                product = tyto.linearize(function(w), x)[1]
                return lambda: tyto.sum(product(flow)).item()

            self.check(f"vjp of {name}", pull, want)
            self.check(f"linearize of {name}", push, sum(want))

    def test_arguments(self):
        """Arguments and results of vjp may be assigned to, and each other's memory."""
        x = row(0, 1)
        y, pull = tyto.vjp(tyto.exp, x)
        want = pull(row(*ONES))[0].tolist()
        self.assertEqual(want, y.tolist())
        y[:] = 0.0
        x[:] = 7.0
        self.assertEqual(pull(row(*ONES))[0].tolist(), want)

    def test_further_results(self):
        """An array that shares memory with the history is written elsewhere."""

        def f(x):
            y = tyto.exp(x)
            return y, tyto.stop_gradient(y)

        _, pull, aux = tyto.vjp(f, row(0, 0), has_aux=True)
        aux[:] = 5.0
        self.assertEqual((aux.tolist(), pull(row(*ONES))[0].tolist()), ([5, 5], [1, 1]))

    def test_views(self):
        """An assignment to a view reaches its array, whether something reads that or not."""
        views = {
            "newaxis": lambda a: tyto.squeeze(a[None]),
            "newaxis, reshaped": lambda a: a[:, None, :].reshape(6),
            "rows": lambda a: a[:, :].reshape(6),
            "order": lambda a: a.T.T.reshape(6),
            "moveaxis": lambda a: tyto.moveaxis(a, 0, -1),
            "moveaxes": lambda a: tyto.moveaxis(a[None], (0, 2), (2, 0)),
            "rollaxis": lambda a: tyto.rollaxis(a, 1),
            "rollaxis to the end": lambda a: tyto.rollaxis(a, 0, 2),
            "flip": tyto.flip,
            "flip of an axis": lambda a: tyto.flip(a, -1),
            "flipud": tyto.flipud,
            "fliplr": tyto.fliplr,
            "split": lambda a: tyto.split(a, 3, 1)[1],
            "split at": lambda a: tyto.split(a, (1, 2), -1)[1],
            "array_split": lambda a: tyto.array_split(a, 2, 1)[0],
            "hsplit": lambda a: tyto.hsplit(a, 3)[2],
        }
        for name, view in views.items():
            with self.subTest(name):
                numbers = []
                for read in (False, True):
                    a = tyto.reshape(tyto.arange(6.0), (2, 3)) * 1.0
                    shown = view(a)
                    later = c.lazy(a) * 1 if read else None
                    shown[...] = tyto.reshape(tyto.arange(shown.size) + 10.0, shown.shape)
                    shown[(-1,) * shown.ndim] = 7.0
                    numbers.append((a.tolist(), shown.tolist()))
                self.assertEqual(*numbers)
                self.assertIn(7.0, tyto.ravel(a).tolist())
                self.assertEqual(later.tolist(), [[0, 1, 2], [3, 4, 5]])

    def test_promises(self):
        """A promise has the elements of the time when it was made."""
        self.check("promise", lambda w: (c.lazy(w) * 2).tolist, [2, 4])
        self.check("view", lambda w: (c.lazy(w[1:]) * 2).tolist, [4])

    def test_compiled(self):
        """A compiled function reads other arrays once, when it is compiled."""

        def compiled(w):
            f = tyto.jit(lambda x: x * w + w[1])
            f(row(*ONES))
            return lambda: f(row(*ONES)).tolist()

        self.check("jit", compiled, [3, 4])

        def constant(w):
            f = tyto.jit(lambda x: w)
            f(row(*ONES))
            return lambda: f(row(*ONES)).tolist()

        self.check("a constant result", constant, [1, 2])

        w = row(1, 2)
        f = tyto.jit(lambda x: x * w)
        f(row(*ONES))
        w[:] = 5.0
        self.assertEqual(f(row(1, 1)).tolist(), [1, 2])
        self.assertEqual(f(tyto.ones((1, 2))).tolist(), [[5, 5]])
        self.assertEqual(f.programs(), 2)

    def test_memory_is_written_in_place_otherwise(self):
        """Without a reader an assignment takes no memory, and shows in all views."""
        w = row(1, 2)
        y, pull = tyto.vjp(lambda x: x * w, w)
        self.assertTrue(c.is_read(w))
        del y, pull
        gc.collect()
        self.assertFalse(c.is_read(w))
        back = tyto.flip(w)
        w[0] = 5.0
        self.assertEqual(back.tolist(), [2, 5])
        f = tyto.jit(lambda x: x * w)
        f(row(*ONES))
        self.assertTrue(c.is_read(w))
        del f
        gc.collect()
        self.assertFalse(c.is_read(w))

    def test_views_stay_views(self):
        """Arrays that show one memory do so after it has moved."""
        w = tyto.reshape(tyto.arange(6.0), (2, 3))
        first, column, flat = w[0], w[:, 1], tyto.reshape(w, (6,))
        turned = w.T
        pull = tyto.vjp(lambda x: x * w, tyto.ones((2, 3)))[1]
        for n, view in enumerate((first, column, flat, turned[1])):
            view[0] = 10.0 + n
            self.assertEqual(w.tolist()[0][:2], turned[:2, 0].tolist())
            self.assertEqual(flat[:3].tolist(), first.tolist())
            self.assertEqual(column[0].item(), w[0, 1].item())
        first[2] = 20.0
        first += 1.0
        self.assertEqual(w.tolist(), [[13, 14, 21], [3, 4, 5]])
        self.assertEqual((flat[2].item(), turned[2, 0].item()), (21, 21))
        want = [[0, 1, 2], [3, 4, 5]]
        self.assertEqual(pull(tyto.ones((2, 3)))[0].tolist(), want)

    def test_shared_memory(self):
        """Memory of another library is written also while something reads it."""
        memory = bytearray(16)
        w = tyto.asarray(memoryview(memory).cast("d"))
        f = tyto.jit(lambda x: x + w)
        f(row(*ONES))
        w[:] = 4.0
        self.assertEqual(memoryview(memory).cast("d").tolist(), [4, 4])
        own = row(1, 2)
        view = memoryview(own)
        pull = tyto.vjp(lambda x: x * own, own)[1]
        own[0] = 8.0
        self.assertEqual(view[0], 8)
        view.release()
        own[0] = 9.0
        self.assertEqual(own.tolist(), [9, 2])
        del pull

    def test_threads(self):
        """Products of one thread keep their elements while another one assigns."""
        w = tyto.full(1 << 16, 2.0)
        pull = tyto.vjp(lambda x: x * w, tyto.ones(1 << 16))[1]

        def assign():
            for i in range(50):
                w[:] = float(i)

        thread = threading.Thread(target=assign)
        thread.start()
        for _ in range(50):
            g = pull(tyto.ones(1 << 16))[0]
            self.assertEqual((tyto.min(g).item(), tyto.max(g).item()), (2, 2))
        thread.join()


class Repeated(unittest.TestCase):
    """Functions that a gradient calls again."""

    def rules(self):
        """Return functions of w that return x * w, and call Python for its gradient."""

        def rule(w):
            f = tyto.custom_vjp(lambda x: x * w)
            f.defvjp(lambda x: (x * w, None), lambda kept, g: (g * w,))
            return f

        def forward(w):
            f = tyto.custom_jvp(lambda x: x * w)
            f.defjvp(lambda x, t: (x[0] * w, t[0] * w))
            return f

        return {
            "checkpoint": lambda w: tyto.checkpoint(lambda x: x * w),
            "c.checkpoint": lambda w: lambda x: c.checkpoint(lambda x: x * w, [x]),
            "custom_vjp": rule,
            "custom_jvp": forward,
        }

    def test_assigned_since(self):
        """Arrays that were assigned since the first call are an error, and others are not."""
        x = row(3, 4)
        for name, function in self.rules().items():
            with self.subTest(name):
                for kind in assignments(row(1, 2)):
                    w = row(1, 2)
                    w[0] = 1.0
                    pull = tyto.vjp(function(w), x)[1]
                    self.assertEqual(pull(row(*ONES))[0].tolist(), [1, 2])
                    assignments(w)[kind]()
                    with self.assertRaisesRegex(tyto.Error, "assigned since its first call"):
                        pull(row(*ONES))
                    self.assertEqual(w.shape, (2,))
                    self.assertEqual((w + 0).shape, (2,))

    def test_assigned_inside(self):
        """Arrays that the function assigns itself may be shared with other functions."""
        room = tyto.zeros(2)

        def f(x):
            own = tyto.zeros(2)
            own[0] = 3.0
            room[:] = own
            room[1] = 2.0
            return x * room

        def total(x):
            y = tyto.checkpoint(f)(tyto.checkpoint(f)(x))
            return tyto.sum(y)

        self.assertEqual(tyto.grad(total)(row(1, 1)).tolist(), [9, 4])
        self.assertEqual(tyto.vjp(tyto.checkpoint(f), row(1, 1))[1](row(*ONES))[0].tolist(), [3, 2])

    def test_within_another(self):
        """A function that another repeated call calls first must find arrays as before, too."""
        x = row(3, 4)
        for name, function in self.rules().items():
            with self.subTest(name):
                w = row(1, 2)
                whole = tyto.checkpoint(lambda x, f=function(w): tyto.sum(f(x)))
                pull = tyto.vjp(whole, x)[1]
                self.assertEqual(pull(asarray(1.0))[0].tolist(), [1, 2])
                w[:] = 5.0
                with self.assertRaisesRegex(tyto.Error, "assigned since its first call"):
                    pull(asarray(1.0))

    def test_reading_elements(self):
        """Each way of reading elements names the assignment."""
        for name, read in {
            "tolist": lambda w: w.tolist(),
            "float": lambda w: float(w[0]),
            "iteration": list,
            "memoryview": memoryview,
            "pickle": lambda w: w.__reduce_ex__(5),
            "dlpack": lambda w: w.__dlpack__(),
            "interface": lambda w: w.__array_interface__,
            "index": lambda w: [1, 2][tyto.astype(w, tyto.int64)[0]],
        }.items():
            with self.subTest(name):
                w = row(1, 0)

                def f(x, w=w, read=read):
                    read(w)
                    return tyto.sum(x * x)

                pull = tyto.vjp(tyto.checkpoint(f), row(1, 1))[1]
                w[:] = 0.0
                with self.assertRaisesRegex(tyto.Error, "assigned since its first call"):
                    pull(asarray(1.0))

    def test_inside_of_a_gradient(self):
        """An array that changes between layers is told."""
        w = row(1, 2)

        def total(x):
            x = tyto.checkpoint(lambda x: x * w)(x)
            w[:] = 5.0
            return tyto.sum(x)

        self.assertRaisesRegex(tyto.Error, "pass the array", tyto.grad(total), row(1, 1))
        self.assertEqual(tyto.grad(lambda x: tyto.sum(x * w))(row(1, 1)).tolist(), [5, 5])


class Assigned(unittest.TestCase):
    """Functions assign to arrays besides their arguments."""

    def test_values_after_a_gradient(self):
        """They have elements without history after it, in all transformations."""
        x = row(3, 4)
        log = tyto.zeros(2)
        part = log[1:]

        def f(x):
            log[0] = x[0] * 2
            part[0] = x[1]
            return tyto.sum(x * log)

        for name, run in {
            "grad": lambda: tyto.grad(f)(x),
            "jvp": lambda: tyto.jvp(f, (x,), (x,)),
            "vjp": lambda: tyto.vjp(f, x),
            "linearize": lambda: tyto.linearize(f, x),
            "jacobian": lambda: tyto.jacobian(f)(x),
            "hessian": lambda: tyto.hessian(f)(x),
            "hvp": lambda: tyto.hvp(f, (x,), (x,)),
            "failure": lambda: self.assertRaises(
                ZeroDivisionError, tyto.grad(lambda x: f(x) / (1 // 0)), x
            ),
        }.items():
            with self.subTest(name):
                log[:] = 0.0
                run()
                self.assertEqual((log.tolist(), part.tolist()), ([6, 4], [4]))
                self.assertEqual((c.operator(log), c.operator(part)), ("", ""))
                self.assertEqual(memoryview(log).tolist(), [6, 4])
                part[0] = 1.0
                self.assertEqual(log.tolist(), [6, 1])
        self.assertEqual(tyto.grad(f)(x).tolist(), [12, 8])

    def test_values_after_a_rule(self):
        """So have arrays that a rule assigns while the gradient is computed."""
        log = tyto.zeros(2)
        f = tyto.custom_vjp(lambda x: x * x)

        def backward(kept, g):
            log[:] = kept
            return (g * 2 * log,)

        f.defvjp(lambda x: (x * x, x), backward)
        x = row(3, 4)
        pull = tyto.vjp(f, x)[1]
        for name, run in {
            "grad": lambda: tyto.grad(lambda x: tyto.sum(f(x)))(x).tolist(),
            "vjp": lambda: pull(row(*ONES))[0].tolist(),
        }.items():
            with self.subTest(name):
                log[:] = 0.0
                pull = tyto.vjp(f, x)[1]
                self.assertEqual(run(), [6, 8])
                self.assertEqual((log.tolist(), c.operator(log)), ([3, 4], ""))

    def test_results_keep_their_history(self):
        """A result that was assigned has its derivative, also later."""

        def f(x):
            out = tyto.zeros(2)
            out[0] = x[0] * x[1]
            out[1] = 5.0 * x[0]
            return out

        x = row(3, 4)
        self.assertEqual(tyto.jacobian(f)(x).tolist(), [[4, 3], [5, 0]])
        y, pull = tyto.vjp(f, x)
        self.assertEqual((y.tolist(), pull(row(1, 0))[0].tolist()), ([12, 15], [4, 3]))
        self.assertEqual(tyto.linearize(f, x)[1](row(1, 0)).tolist(), [4, 5])
        self.assertEqual(tyto.hessian(lambda x: f(x)[0])(x).tolist(), [[0, 1], [1, 0]])
        self.assertEqual(tyto.hvp(lambda x: f(x)[0], (x,), (row(1, 0),))[0].tolist(), [0, 1])
        kept = tyto.zeros(())

        def g(x):
            kept[...] = tyto.sum(x * x)
            return kept

        self.assertEqual(tyto.value_and_grad(g)(x)[1].tolist(), [6, 8])
        self.assertEqual((c.operator(kept), kept.item()), ("", 25))

    def test_nested(self):
        """Inside of an outer gradient, what an inner one has assigned keeps the outer history."""

        def outer(x):
            room = tyto.zeros(())

            def inner(y):
                room[...] = x * y
                return room * y

            slope = tyto.grad(inner)(tyto.asarray(2.0))
            return slope + room

        self.assertEqual(tyto.grad(outer)(tyto.asarray(3.0)).item(), 4 + 2)

    def test_memory_of_others(self):
        """A function that is differentiated writes shared memory where nothing reads it."""
        memory = bytearray(16)
        shared = tyto.asarray(memoryview(memory).cast("d"))

        def f(x):
            shared[:] = 5.0
            return tyto.sum(x * x)

        tyto.grad(f)(row(*ONES))
        self.assertEqual(memoryview(memory).cast("d").tolist(), [5, 5])

    def test_elements_of_a_recording(self):
        """Elements that only a recorded function knew cannot be read outside, which is told."""

        def assign(log):
            def f(x):
                log[:] = x
                return x

            return f

        for transform in (tyto.jit, tyto.vmap):
            log = tyto.zeros(2)
            transform(assign(log))(tyto.ones((2, 2)) if transform is tyto.vmap else row(3, 4))
            with self.assertRaisesRegex(TypeError, "function that was recorded"):
                log.tolist()

    def test_many(self):
        """Arrays that were assigned are freed after a gradient."""
        made = []

        def f(x):
            for _ in range(3):
                room = tyto.zeros(2)
                room[0] = x[0]
                x = x * room
            made.append(sum(isinstance(o, Array) for o in (room, x)))
            return tyto.sum(x)

        for _ in range(20):
            tyto.grad(f)(row(1, 2))
        self.assertEqual(made, [2] * 20)


if __name__ == "__main__":
    unittest.main()
