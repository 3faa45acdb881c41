"""Every function of tyto.c: calls with good and wrong objects; callbacks, leaks."""

import contextlib
import gc
import inspect
import os
import subprocess
import sys
import tempfile
import unittest

import tyto
from samples import ROOT, Samples, description
from tyto import _core, c

# Functions that change the process, with the reason why the samples leave them out.
LEFT_OUT = {
    "interrupt": "stops later calls",
    "context_use": "changes the engine of later calls",
    "set_history": "changes all arrays that are made later",
    "set_print_options": "changes what other tests print",
    "set_engine": "changes the engine of later calls",
    "set_threads": "starts threads",
    "limits": "refuses memory to later calls",
    "deadline": "stops later calls",
    "trap_nan": "makes NaN of later calls errors",
}
# Exceptions that a call may raise for arguments that do not fit.
REFUSALS = (tyto.Error, TypeError, ValueError, OverflowError, RuntimeError)


class Liar:
    """An object whose conversions fail in the middle, or change what is converted."""

    def __init__(self, items=None):
        self.items = items

    def __index__(self):
        if self.items:
            self.items.clear()
            return 1
        raise ZeroDivisionError("index")

    def __float__(self):
        raise ZeroDivisionError("float")

    def __len__(self):
        return 1 << 40

    def __iter__(self):
        raise ZeroDivisionError("iter")

    def __fspath__(self):
        raise ZeroDivisionError("fspath")

    def __getattr__(self, name):
        raise ZeroDivisionError(name)


# Values of wrong kinds, huge numbers, and sequences of both.
WRONG = (
    None,
    -1,
    2**63,
    2**200,
    "x",
    "é\0",
    [],
    [None],
    (1, 2, 3),
    {},
    float("inf"),
    float("nan"),
    b"abcd",
    object(),
    Liar(),
    [Liar()],
    range(5),
    {"n": 1},
    True,
)


class Calls(unittest.TestCase):
    """All functions, by their descriptors."""

    @classmethod
    def setUpClass(cls):
        cls.kinds, calls, cls.reasons = description()
        cls.calls = [call for call in calls if call.name not in LEFT_OUT]
        cls.folder = tempfile.TemporaryDirectory()
        cls.back = os.getcwd()
        os.chdir(cls.folder.name)
        cls.samples = Samples(cls.kinds, cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.samples = None
        os.chdir(cls.back)
        cls.folder.cleanup()

    def test_all_are_there(self):
        """The module has each function, and a signature and a sentence about it."""
        for call in self.calls:
            function = getattr(c, call.name)
            self.assertEqual(function.__name__, call.name)
            self.assertEqual(
                list(inspect.signature(function).parameters), [p.name for p in call.parameters]
            )
            self.assertTrue(function.__doc__.strip())

    def test_samples(self):
        """Each function takes its samples or refuses them; most take one of them."""
        taken = set()
        for array in self.samples.arrays:
            for call in self.calls:
                with self.subTest(call.name, array=array), contextlib.suppress(*REFUSALS):
                    getattr(c, call.name)(
                        *self.samples.arguments(call, array), **self.samples.keywords(call)
                    )
                    taken.add(call.name)
        missing = sorted({call.name for call in self.calls} - taken)
        self.assertGreater(len(taken), 0.6 * len(self.calls), missing)

    def test_wrong_arguments(self):
        """An argument of a wrong kind gives an exception, or is taken; nothing crashes."""
        for call in self.calls:
            good = self.samples.arguments(call, "square")
            for place in range(len(good)):
                for wrong in WRONG:
                    with contextlib.suppress(*REFUSALS, ZeroDivisionError):
                        getattr(c, call.name)(*good[:place], wrong, *good[place + 1 :])

    def test_none(self):
        """None raises TypeError for arrays, texts and handles that are required."""
        for call in self.calls:
            good = self.samples.arguments(call, "square")
            for place, p in enumerate(p for p in call.parameters if not p.keyword_only):
                if (
                    p.of.kind in ("TENSOR", "TEXT", "HANDLE", "CALLBACK")
                    and "NULLABLE" not in p.of.flags
                ):
                    with self.subTest(call.name, parameter=p.name), self.assertRaises(
                        (TypeError, ValueError)
                    ):
                        getattr(c, call.name)(*good[:place], None, *good[place + 1 :])

    def test_unknown_keyword(self):
        """Every function refuses a keyword that it does not have."""
        for call in self.calls:
            with self.subTest(call.name), self.assertRaises(TypeError):
                getattr(c, call.name)(*self.samples.arguments(call, "square"), no_such_argument=1)

    def test_what_is_not_bound(self):
        """unbound.txt lists what is not bound, with reasons; the list may only shrink."""
        made = subprocess.run(
            [
                sys.executable,
                str(ROOT / "python" / "generate"),
                str(ROOT / "docs" / "tyto.json"),
                "--unbound",
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()
        listed = (
            (ROOT / "python" / "generate" / "unbound.txt").read_text(encoding="utf-8").splitlines()
        )
        self.assertEqual(made, listed)
        functions = len(self.kinds.json["functions"])
        self.assertLess(len(self.reasons), 0.04 * functions)


class Arguments(unittest.TestCase):
    """Binding and conversion."""

    def test_messages(self):
        x = c.full("f32", (2, 3), 1.0)
        for message, call in {
            "gather() missing argument 'index'": lambda: c.gather(x),
            "sum() has no argument 'axs': did you mean 'axis'?": lambda: c.sum(x, axs=0),
            "exp() takes at most 1 positional argument, not 2": lambda: c.exp(x, 0.5),
            "exp() takes at most 1 positional argument, not 2: an array for the result is named, "
            "out=...": lambda: c.exp(x, x),
            "sum() got two values for 'axis'": lambda: c.sum(x, 0, axis=0),
            "conv2d() has no argument 'strid': did you mean 'stride'?": lambda: c.conv2d(
                x, x, strid=1
            ),
        }.items():
            with self.subTest(message), self.assertRaises(TypeError) as caught:
                call()
            self.assertEqual(str(caught.exception), message)

    def test_enums(self):
        x = c.full("f64", 3, 1.0)
        by_word = c.convolve(x, x, "same")
        self.assertEqual(c.format(by_word), c.format(c.convolve(x, x, 1)))
        with self.assertRaisesRegex(ValueError, "did you mean 'same'"):
            c.convolve(x, x, "sane")
        with self.assertRaises(ValueError):
            c.convolve(x, x, 99)

    def test_ranges(self):
        with self.assertRaises(OverflowError):
            c.axis(2**31)
        with self.assertRaises(OverflowError):
            c.key(2**64)
        seed = tyto.asarray(2**64 - 1, dtype=tyto.uint64)
        self.assertEqual(c.key(2**64 - 1).tolist(), c.key(seed).tolist())
        with self.assertRaisesRegex(TypeError, "seed must be an integer, not float"):
            c.key(2.5)
        with self.assertRaises(OverflowError):
            c.key(-1)

    def test_lengths_agree(self):
        x = c.full("f64", 3, 1.0)
        with self.assertRaisesRegex(ValueError, "has 1 elements, but"):
            c.archive_bytes(["x", "y"], [x], format="npz")
        texts = c.onnx_value_strings((2, 2), ["a", "b", "c", "dd"])
        self.assertEqual((texts.shape(), texts.text(3)), ((2, [2, 2]), b"dd"))
        self.assertEqual(c.onnx_value_strings((0, 5), []).count(), 0)
        with self.assertRaisesRegex(ValueError, "texts needs 4 elements, not 1"):
            c.onnx_value_strings((2, 2), ["a"])
        for shape in ((2, -1), (2**40, 2**40)):
            with self.assertRaisesRegex(ValueError, "a size of the shape is negative, or"):
                c.onnx_value_strings(shape, ["a"])
        with self.assertRaisesRegex(ValueError, "needs 1 elements, not 2"):
            c.permute(x, [0, 1])

    def test_sequences_that_shrink(self):
        items = [1, 2, 3]
        items.insert(0, Liar(items))
        with contextlib.suppress(*REFUSALS):
            c.zeros("f32", items)
        self.assertEqual(items, [])

    def test_results(self):
        parts = c.qr(c.full("f64", (3, 2), 1.0), False)
        self.assertEqual(type(parts).__name__, "qr_parts")
        self.assertEqual((parts.q.shape, parts[1].shape), ((3, 2), (2, 2)))

    def test_records(self):
        indices = c.cast(c.full("f64", (1, 2), 1.0), "i64")
        coo = c.sparse_coo(c.full("f64", 1, 5.0), indices, 2, 2)
        fields = {
            "form": coo.form,
            "rows": 2,
            "columns": 2,
            "values": coo.values,
            "indices": coo.indices,
        }
        for a in (coo, tuple(coo), fields):
            self.assertEqual(c.sparse_to_dense(a).shape, (2, 2))
        with self.assertRaisesRegex(TypeError, "did you mean 'rows'"):
            c.sparse_to_dense({"row": 2})
        with self.assertRaises(TypeError):
            c.sparse_to_dense(object())

    def test_arrays_that_are_replaced(self):
        """optimise takes states of a rule, and returns the new ones."""
        x, g = c.full("f64", 2, 1.0), c.full("f64", 2, 2.0)
        zeros = c.zeros("f64", 2)
        new, states = c.optimise({"rule": "momentum", "rate": 0.1}, x, g, [zeros], 1.0)
        self.assertEqual((new.tolist(), states[0].tolist()), ([0.8, 0.8], [2.0, 2.0]))
        self.assertEqual(states[1:], [None, None])
        with self.assertRaises(ValueError):
            c.optimise({"rule": "sgd"}, x, g, [zeros] * 4, 1.0)

    def test_bytes(self):
        """Texts with a length are bytes, which may be anything."""
        tokenizer, raw = c.tokenizer_new(), b"\xff\0a"
        self.assertEqual(tokenizer.decode(tokenizer.encode(raw)), raw)
        for _ in range(3):
            self.assertEqual([tokenizer.token(i) for i in raw], [b"\xff", b"\0", b"a"])
        self.assertIsNone(tokenizer.token(256))

    def test_functions_by_name(self):
        """Functions without a context are given by their names."""
        image = c.cast(c.reshape(c.arange("f64", 0, 6, 1), (2, 3, 1)), "uint8")
        flipped = c.augment([{"apply": "flip", "chance": 1.0}], image, 0, 0, 0)
        self.assertEqual(flipped.tolist(), [[[2], [1], [0]], [[5], [4], [3]]])
        with self.assertRaisesRegex(ValueError, "flop"):
            c.augment([{"apply": "flop"}], image, 0, 0, 0)

    def test_fields_are_read_only(self):
        """Reading a struct of the library's changes nothing in it."""
        dataset = c.dataset_arrays([c.full("f64", (4, 3), 1.0)], ["x"])
        self.assertEqual([dataset.field(0).name for _ in range(3)], ["x"] * 3)


class Callbacks(unittest.TestCase):
    """Functions of Python that the library calls."""

    def setUp(self):
        self.x = c.full("f64", 3, 2.0)

    def test_derivatives(self):
        value, gradients = c.value_and_grad(lambda a: c.sum(c.mul(a, a)), [self.x])
        self.assertEqual((c.item(value), c.item(c.sum(gradients[0]))), (12.0, 12.0))

    def test_exceptions_come_out_unchanged(self):
        mine = KeyError("mine")

        def fails(*x):
            raise mine

        for call in (
            lambda: c.value_and_grad(fails, [self.x]),
            lambda: c.vmap(fails, [self.x], None, 1),
            lambda: c.cond(c.scalar("bool", 1), fails, fails, [self.x], 1),
            lambda: c.scan(fails, carry=[self.x], length=3),
            lambda: c.apply([self.x], f=fails, vjp=fails),
            lambda: c.call([self.x], [{"dtype": "f64", "shape": 3}], f=fails),
            lambda: c.checkpoint(fails, [self.x]),
            lambda: c.model_new(fails).forward(self.x, None),
            lambda: c.transform(fails, [c.mul(c.var(self.x, "v"), 2.0)]),
            lambda: c.minimise(lambda x: c.sum(c.mul(x, x)), [self.x], each=fails),
        ):
            with self.assertRaises(KeyError) as caught:
                call()
            self.assertIs(caught.exception, mine)

    def test_wrong_results(self):
        for result in (None, "text", object(), [1, 2], Liar()):
            with self.subTest(result=type(result)), self.assertRaises(
                (TypeError, ValueError, ZeroDivisionError, tyto.Error)
            ):
                c.value_and_grad(lambda a: result, [self.x])
        with self.assertRaisesRegex(ValueError, "returned 1 results, not 2"):
            c.vmap(lambda a: [a], [self.x], None, 2)

    def test_nesting(self):
        def deep(a):
            return c.value_and_grad(deep, [a])[0]

        with self.assertRaises(RecursionError):
            deep(self.x)

    def test_loops(self):
        last, steps = c.while_(
            lambda i: c.lt(i, 10.0), lambda i: c.add(i, 3.0), [c.full("f64", (), 1.0)], 0
        )
        self.assertEqual((c.item(last[0]), c.item(steps)), (10.0, 3.0))
        last, y, steps = c.scan(
            lambda i, carry, x: ([c.add(carry[0], x[0])], [carry[0]]),
            carry=[c.full("f64", (), 0.0)],
            x=[self.x],
            ny=1,
        )
        self.assertEqual((c.item(last[0]), c.item(c.sum(y[0]))), (6.0, 6.0))

    def test_recorded(self):
        """Functions of promises are recorded, as those of transformations are."""
        x, found = c.lazy(self.x), []
        jitted = tyto.jit(lambda a: c.mul(a, 2.0))

        def f(*a):
            found.append(_core._transform_recording())
            return jitted(a[0])

        def step(i, carry, x):
            return [f(carry[0])], []

        v = c.mul(c.var(self.x, "v"), 2.0)
        for call in (
            lambda: c.vmap(f, [self.x], None, 1),
            lambda: c.scan(step, carry=[self.x], length=3),
            lambda: c.function_new(f, 1, 1).call([self.x], 1),
            lambda: c.checkpoint(f, [x]),
            lambda: c.apply([v], f=f, vjp=lambda x, y, g: [g]),
            lambda: c.transform(lambda x, y: f(y) if y.is_promise else None, [v]),
        ):
            found.clear()
            call()
            self.assertTrue(found and found[-1], found)
            self.assertFalse(_core._transform_recording())
        self.assertEqual(jitted.programs(), 0)
        with self.assertRaisesRegex(TypeError, "while a function is recorded"):
            c.vmap(lambda a: float(a), [self.x], None, 1)
        self.assertFalse(_core._transform_recording())
        f(self.x)
        self.assertEqual((found[-1], jitted.programs()), (False, 1))

    def test_lives(self):
        """Functions live as long as objects that call them, and no longer."""
        for make in (
            lambda f: c.function_new(f, 1, 1),
            lambda f: c.model_new(lambda layer, x: f(x)),
            lambda f: c.apply([c.mul(c.var(self.x, "v"), 2.0)], f=f, vjp=lambda x, y, g: [g]),
            lambda f: c.call([c.mul(c.var(self.x, "v"), 2.0)], [{"dtype": "f64", "shape": 3}], f=f),
        ):

            class Function:
                freed = False

                def __call__(self, x):
                    return c.exp(x)

                def __del__(self):
                    Function.freed = True

            made = make(Function())
            gc.collect()
            self.assertFalse(Function.freed)
            del made
            gc.collect()
            self.assertTrue(Function.freed)

    def test_cycles_are_collected(self):
        """A function that refers to the object that calls it is freed with it."""

        class Network:
            freed = False

            def __init__(self):
                self.model = c.model_new(self.forward)

            def forward(self, layer, x):
                return x

            def __del__(self):
                Network.freed = True

        network = Network()
        network.model.forward(self.x, None)
        del network
        gc.collect()
        self.assertTrue(Network.freed)

    def test_sources(self):
        data = c.archive_bytes(["x"], [self.x], format="npz")
        archive = c.archive_read(
            "it.npz", {"read_at": lambda at, n: data[at : at + n], "size": len(data)}
        )
        self.assertEqual(archive.name(0), "x")
        with self.assertRaises(ZeroDivisionError):
            c.archive_read("it.npz", {"read_at": lambda at, n: 1 / 0, "size": len(data)})
        written = []
        c.archive_send({"write": written.append}, ["x"], [self.x], format="npz")
        self.assertEqual(len(b"".join(written)), len(data))


class Leaks(unittest.TestCase):
    """Calls that succeed and calls that fail keep nothing."""

    CALLS = {
        "results": lambda x: c.qr(x, False),
        "lists": lambda x: c.concat([x, x], 0),
        "options": lambda x: c.print_options_now(),
        "texts": lambda x: c.format(x, precision=3),
        "errors": lambda x: c.matmul(x, c.full("f64", (7, 7), 1.0)),
        "arguments": lambda x: c.concat([x, None], 0),
        "keywords": lambda x: c.sum(x, axs=1),
        "callbacks": lambda x: c.value_and_grad(lambda a: c.sum(a), [x]),
        "failures": lambda x: c.value_and_grad(lambda a: 1 / 0, [x]),
        "handles": lambda x: c.compile([c.mul(c.var(x, "v"), 2.0)]).run(),
        "files": lambda x: c.table_read("no such file.csv"),
    }

    def test_memory(self):
        x = c.full("f64", (3, 3), 2.0)

        def repeat(call, n):
            for _ in range(n):
                with contextlib.suppress(tyto.Error, TypeError, ZeroDivisionError):
                    call(x)
            gc.collect()
            return sys.getallocatedblocks(), c.memory_now()

        for name, call in self.CALLS.items():
            with self.subTest(name):
                repeat(call, 200)
                blocks, memory = repeat(call, 200)
                later, after = repeat(call, 2000)
                self.assertLess(later - blocks, 100)
                self.assertEqual(after.live, memory.live)


if __name__ == "__main__":
    unittest.main()
