"""tyto.zoo, onnx, text, plot, expression and notation; the package's modules and its example."""

import base64
import copy
import io
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import tyto as ty
from networks import draw, entries
from tyto import data, onnx, plot, text, zoo

ROOT = pathlib.Path(__file__).resolve().parents[2]
# y = relu(x @ w) with w = [[1, 2], [3, 4], [5, -60]], as onnx.helper makes it.
RELU = base64.b64decode(
    "CAgSAm1lOnUKEQoBeAoBdxIBaCIGTWF0TXVsCgwKAWgSAXkiBFJlbHUSAWcqIwgDCAIQASIYAACA"
    "PwAAAEAAAEBAAACAQAAAoEAAAHDCQgF3WhQKAXgSDwoNCAESCQoDEgFuCgIIA2IUCgF5Eg8KDQgB"
    "EgkKAxIBbgoCCAJCBAoAEBE=")
# s = [x, x], u = t (texts), z = maps from "a" and "b" to the columns of p (ZipMap).
KINDS = base64.b64decode(
    "CAgSAm1lOuYBChwKAXgKAXgSAXMiEVNlcXVlbmNlQ29uc3RydWN0ChAKAXQSAXUiCElkZW50aXR5"
    "CjoKAXASAXoiBlppcE1hcCoeChNjbGFzc2xhYmVsc19zdHJpbmdzSgFhSgFioAEIOgphaS5vbm54"
    "Lm1sEgFnWg8KAXgSCgoICAESBAoCCAJaEAoBdBILCgkICBIFCgMSAW5aFAoBcBIPCg0IARIJCgMS"
    "AWsKAggCYhMKAXMSDiIMCgoKCAgBEgQKAggCYhAKAXUSCwoJCAgSBQoDEgFuYhUKAXoSECIOCgwq"
    "CggIEgYKBAgBEgBCBAoAEBFCDgoKYWkub25ueC5tbBAD")


class Zoo(unittest.TestCase):
    """Networks by name."""

    def test_networks(self):
        self.assertEqual(set(zoo.NAMES), entries("zoo"))
        lenet = zoo.model("lenet", seed=1, classes=5)
        self.assertEqual(lenet(ty.zeros((2, 28, 28, 1), dtype=ty.float32)).shape, (2, 5))
        self.assertEqual(zoo.example("resnet18", 2).shape, (2, 224, 224, 3))
        with self.assertRaisesRegex(ValueError, "no network 'lenett'"):
            zoo.model("lenett")

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.safetensors")
            made = zoo.model("mlp", seed=1)
            made.save(path)
            x = draw(1, *zoo.example("mlp", 2).shape)
            self.assertEqual(zoo.open(path)(x).tolist(), made(x).tolist())


class Texts(unittest.TestCase):
    """Tokenizers and language models."""

    def test_tokenizer(self):
        made = text.train("the cat sat on the mat the cat " * 20, 270)
        self.assertEqual(made.decode(made.encode("the café")), "the café")
        self.assertEqual(made.decode_bytes(made.encode(b"\xff\0a")), b"\xff\0a")
        self.assertEqual(made.decode([made.end]), "<|endoftext|>")
        self.assertIsNone(text.Tokenizer().end)
        self.assertEqual(len(text.Tokenizer()), 256)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tokenizer.json")
            made.save(path)
            again = text.load(path)
            self.assertEqual(again.encode("the cat").tolist(), made.encode("the cat").tolist())

    def test_generate(self):
        made = text.train("abcabcabc " * 30, 262)
        model = zoo.model("gpt", classes=len(made), blocks=1, heads=2, units=16, places=16, seed=1)
        some = text.generate(model, made, "abc", most=20, temperature=0.0)
        self.assertEqual(some, text.generate(model, made, "abc", most=20, temperature=0.0))
        tokens = list(text.stream(model, [1, 2], most=5, temperature=1.0, seed=4, tokens=10))
        self.assertEqual(len(tokens), 5)
        self.assertLess(max(tokens), 10)
        with self.assertRaises(ty.Error):
            next(text.stream(model, [len(made)]))


class Archives(unittest.TestCase):
    """Files of arrays by name."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def index(self, text):
        """Write an index, and return its path."""
        path = self.folder / "model.safetensors.index.json"
        path.write_text(text if isinstance(text, str) else json.dumps({"weight_map": text}))
        return path

    def test_dicts(self):
        """A dict is written as safetensors or npz, also one that was read."""
        given = {"a": ty.ones((2, 3)), "b": [1, 2], "c.d": ty.asarray(2.5, dtype="bfloat16")}
        for name in ("x.safetensors", "x.npz"):
            if name.endswith("npz"):
                del given["c.d"]
            ty.save(self.folder / name, given)
            with ty.load(self.folder / name) as found:
                self.assertEqual(list(found), list(given))
                self.assertEqual(found["a"].shape, (2, 3))
                ty.save(self.folder / ("again." + name), found)
            self.assertEqual(ty.load(self.folder / ("again." + name))["b"].tolist(), [1, 2])
        self.assertRaisesRegex(ValueError, "safetensors or .npz", ty.save, self.folder / "x", given)
        self.assertRaisesRegex(ValueError, "safetensors", ty.save, io.BytesIO(), given)
        self.assertRaisesRegex(TypeError, "dict of arrays", ty.save, self.folder / "x.safetensors",
                               ty.ones(2))

    def test_shards(self):
        """An index has the arrays of its files; it does not lead out of its folder."""
        for i, name in enumerate("ab"):
            ty.save(self.folder / f"m{i}.safetensors", {name: ty.full(2, i)})
        path = self.index({"a": "m0.safetensors", "b": "m1.safetensors"})
        with ty.load(path, mmap_mode="c") as found:
            self.assertEqual((list(found), len(found)), (["a", "b"], 2))
            self.assertEqual([x.tolist() for x in found.values()], [[0, 0], [1, 1]])
            self.assertIn("2 files of a, b", repr(found))
            self.assertRaisesRegex(KeyError, "the index has a, b", lambda: found["c"])
        for text, words in (
            ("{", "no index in JSON"), ("[]", "no weight_map"), ('{"weight_map": 3}', "weight_map"),
            ({"a": "../m0.safetensors"}, "same folder"), ({"a": ".."}, "same folder"),
            ({"a": "/etc/passwd"}, "same folder"), ({"a": 3}, "same folder"),
            ({"a": "m\\0"}, "same folder"), ("\xff", "no index in JSON"),
        ):
            with self.subTest(text):
                self.assertRaisesRegex(ty.FormatError, words, ty.load, self.index(text))
        lost = ty.load(self.index({"a": "m2.safetensors"}))
        self.assertRaises(OSError, lambda: lost["a"])
        ty.save(self.folder / "m3.npy", ty.ones(2))
        other = ty.load(self.index({"a": "m3.npy"}))
        self.assertRaisesRegex(ty.FormatError, "arrays by name", lambda: other["a"])


class Onnx(unittest.TestCase):
    """Models of ONNX."""

    def setUp(self):
        self.model = onnx.load(RELU)
        self.x = ty.ones((2, 3), dtype=ty.float32)

    def test_ports(self):
        self.assertEqual(self.model.inputs, (onnx.Port("x", ty.float32, ("n", 3), "tensor"),))
        self.assertEqual(repr(self.model), "onnx.Model(x['n', 3] -> y['n', 2])")
        self.assertEqual(self.model.metadata("producer_name"), "me")
        self.assertIsNone(self.model.metadata("nothing"))
        self.assertEqual(self.model.parameters["w"].shape, (3, 2))

    def test_runs(self):
        for got in (self.model.run({"x": self.x})["y"], self.model.run(x=self.x)["y"],
                    self.model(self.x), self.model(memoryview(self.x)),
                    ty.c.eval(self.model.record(ty.c.lazy(self.x))["y"])):
            self.assertEqual(got.tolist(), [[9.0, 0.0], [9.0, 0.0]])
        self.assertEqual(self.model([[1, 2, 3]]).tolist(), [[22.0, 0.0]])
        self.assertGreater(self.model.reserve(n=8), 0)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.onnx"
            path.write_bytes(RELU)
            of_path = onnx.load(path, eager=True)
            self.assertEqual(of_path(self.x).tolist(), [[9, 0], [9, 0]])
        with self.assertRaisesRegex(TypeError, "load it from bytes"):
            pickle.dumps(of_path)

    def test_pickle(self):
        """A model of bytes keeps the values that were assigned, and copies are independent."""
        self.model.assign({"w": self.model.values()["w"] * 2})
        for made in (pickle.loads(pickle.dumps(self.model, 2)), copy.copy(self.model),
                     copy.deepcopy(self.model)):
            self.assertEqual(made(self.x).tolist(), [[18.0, 0.0], [18.0, 0.0]])
            made.assign({"w": made.values()["w"] * 0})
        self.assertEqual(self.model(self.x).tolist(), [[18.0, 0.0], [18.0, 0.0]])

    def test_kinds(self):
        """Strings, sequences and maps are lists and dicts."""
        model = onnx.load(KINDS)
        self.assertEqual([p.kind for p in model.inputs], ["tensor", "strings", "tensor"])
        found = model.run(x=[1.0, 2.0], t=["é", ""], p=[[0.25, 0.75], [1.0, 0.0]])
        self.assertEqual([x.tolist() for x in found["s"]], [[1.0, 2.0]] * 2)
        self.assertEqual(found["u"], ["é", ""])
        self.assertEqual(found["z"], [{"a": 0.25, "b": 0.75}, {"a": 1.0, "b": 0.0}])
        self.assertEqual(model([1.0, 2.0], ["a"], [[0.5, 0.5]])[1], ["a"])
        with self.assertRaisesRegex(ValueError, "differ in length"):
            model.run(x=[1.0, 2.0], t=[["a"], ["a", "b"]], p=[[0.5, 0.5]])

    def test_transformations(self):
        gradient = ty.grad(lambda x: ty.sum(self.model(x)))(self.x)
        self.assertEqual(gradient.tolist(), [[1.0, 3.0, 5.0]] * 2)
        self.assertFalse(gradient.is_promise)
        self.assertEqual(ty.jit(lambda x: self.model(x) * 2)(self.x).tolist(), [[18.0, 0.0]] * 2)

    def test_parameters(self):
        """Values of parameters are read, trained by apply, and assigned."""
        target, values = ty.asarray([[3.0, 1.0]]), self.model.values()
        self.assertEqual(values["w"].tolist(), [[1, 2], [3, 4], [5, -60]])
        self.assertFalse(values["w"].is_promise)

        def loss(p):
            return ty.sum((self.model.apply(p, self.x) - target) ** 2)
        self.assertEqual(float(loss({})), float(loss(values)))
        slope = ty.grad(loss)(values)["w"]
        self.assertEqual(slope.tolist(), [[24.0, 0.0]] * 3)
        compiled = ty.jit(ty.grad(loss))(values)["w"]
        self.assertEqual(compiled.tolist(), slope.tolist())
        both = ty.vmap(lambda w: self.model.apply({"w": w}, self.x))(
            ty.stack([values["w"], 2 * values["w"]]))
        self.assertEqual(both[:, 0, 0].tolist(), [9.0, 18.0])
        self.assertIs(self.model.assign({"w": 2 * values["w"]}), self.model)
        self.assertEqual(self.model(self.x).tolist(), [[18.0, 0.0]] * 2)
        self.assertEqual(values["w"].tolist(), [[1, 2], [3, 4], [5, -60]])
        for kind, words, call in (
            (KeyError, "'v'", lambda: self.model.apply({"v": 1}, self.x)),
            (KeyError, "did you mean 'w'", lambda: self.model.assign({"ww": 1})),
            (ValueError, r"w has the shape \(3, 2\), not \(3,\)",
             lambda: self.model.apply({"w": ty.ones(3)}, self.x)),
            (TypeError, "dict", lambda: self.model.apply([1], self.x)),
        ):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()

    def test_mistakes(self):
        for kind, words, call in (
            (TypeError, "missing input 'x'", self.model.run),
            (TypeError, "no input 'z'", lambda: self.model.run(self.x, z=1)),
            (TypeError, "takes 1 inputs", lambda: self.model.run(self.x, self.x)),
            (TypeError, "twice", lambda: self.model.run(self.x, x=self.x)),
            (ty.ShapeError, r"\[n, 3\]", lambda: self.model(ty.ones((2, 2), dtype=ty.float32))),
            (ty.Error, "ModelProto", lambda: onnx.load(RELU[:50])),
            (OSError, "no.onnx", lambda: onnx.load("no.onnx")),
            (ty.Error, "without a size|size", self.model.reserve),
        ):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()


class Plots(unittest.TestCase):
    """Plots in notebooks, files and terminals."""

    def test_kinds(self):
        x = ty.random.normal(ty.random.key(1), 50)
        for made in (
            plot.line(x), plot.points(x, x, by=ty.astype(x > 0, ty.int32), names=["no", "yes"]),
            plot.histogram(x, bins=5), plot.heat([[1, 2], [3, 4]], numbers=True, rows=["a", "b"]),
            plot.confusion([[3, 1], [0, 5]]), plot.images(ty.zeros((4, 8, 8, 1))),
            plot.curves([3, 2, 1]), plot.bars(["a", "b"], [1, 2]), plot.spectrum(x, 10),
            plot.spectrogram(ty.tile(x, 20), 10),
        ):
            svg = made._repr_svg_()
            self.assertTrue(svg.startswith("<svg") or svg.startswith("<?xml"), svg[:40])
            self.assertTrue(made._repr_png_().startswith(b"\x89PNG"))

    def test_layers(self):
        made = plot.line([0, 1, 2], [1, 4, 9], name="squares", title="Growth", x="n")
        self.assertIs(made.points([0, 1], [2, 3], name="others"), made)
        for word in ("Growth", "squares", "others"):
            self.assertIn(word, made.svg())
        self.assertIn("Growth", str(made))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "p.svg"
            made.save(path)
            self.assertEqual(path.read_text(encoding="utf-8"), made.svg())
        for kind, call in ((ty.ShapeError, lambda: plot.line([1], [2, 3])),
                           (TypeError, lambda: plot.line([1], titel="x")),
                           (TypeError, lambda: plot.line(1, 2, 3)),
                           (TypeError, lambda: plot.Plot(titel="x"))):
            with self.assertRaises(kind):
                call()


class Words(unittest.TestCase):
    """Expressions and formulas."""

    def test_expression(self):
        x, y = ty.asarray([1.0, 2.0]), ty.asarray([3.0, 4.0])
        self.assertEqual(float(ty.expression("sum(x * y)", x=x, y=y)), 11.0)
        one, two = ty.expression("x + 1, y[0]", x=x, y=[3.0, 4.0])
        self.assertEqual((one.tolist(), float(two)), ([2.0, 3.0], 3.0))
        gradient = ty.grad(lambda x: ty.expression("sum(x ** 3)", x=x))(x)
        self.assertEqual(gradient.tolist(), [3.0, 12.0])
        with self.assertRaisesRegex(ty.Error, "column 1: unknown function foo"):
            ty.expression("foo(x)", x=x)
        with self.assertRaises(ty.Error):
            ty.expression("x @ x", x=ty.ones((200, 200)), operations=100)

    def test_notation(self):
        made = ty.notation(lambda x: x * ty.sin(x))
        self.assertEqual(str(made).strip(), "x·sin(x)")
        self.assertIn(r"\sin", made._repr_latex_())
        self.assertEqual(str(ty.notation(lambda a, b: ty.sum(a / b), ty.ones(3), ty.ones(3),
                                         names=["y"])).strip(), "y = Σᵢ₌₀² aᵢ/bᵢ")
        self.assertIn("<math", ty.notation(lambda x: x + 1, form="mathml"))


class Leaks(unittest.TestCase):
    """Objects of the library are freed."""

    def test_memory(self):
        kinds, x = onnx.load(KINDS), ty.ones((2, 3), dtype=ty.float32)
        tokenizer = text.train("the cat " * 20, 262)

        def runs():
            model = onnx.load(RELU)
            model(x)
            ty.grad(lambda x: ty.sum(model(x)))(x)

        def values():
            value = ty.c.onnx_value_list("sequence", [ty.c.onnx_value_new(ty.zeros(1000))])
            ty.c.onnx_value_item(value, 0)

        def fails():
            with self.assertRaisesRegex(ty.ArgumentError, "more than 1"):
                data.arrays(ty.zeros(1000)).split(0.9, 0.9)

        for use in (
            runs, values, fails,
            lambda: kinds.run(x=[1.0, 2.0], t=["a"], p=[[0.5, 0.5]]),
            lambda: data.arrays(ty.zeros(1000)).split(0.5, 0.3),
            lambda: list(data.Loader(data.arrays(ty.zeros((100, 9))), 10, threads=1)),
            lambda: plot.line(ty.arange(1000)).svg(),
            lambda: tokenizer.decode(tokenizer.encode("the cat" * 100)),
            lambda: zoo.model("mlp"),
        ):
            for _ in range(3):
                use()
            before = ty.c.memory_now().live
            for _ in range(10):
                use()
            self.assertEqual(ty.c.memory_now().live, before)


class Package(unittest.TestCase):
    """Modules come when they are used."""

    def test_later(self):
        code = ("import sys, tyto; assert not any(m.startswith('tyto.nn') for m in sys.modules); "
                "assert 'nn' in dir(tyto); tyto.nn.linear(3); import tyto.optim; "
                "from tyto import data, zoo; assert not hasattr(tyto, 'nothing')")
        subprocess.run([sys.executable, "-X", "dev", "-W", "error", "-c", code], check=True,
                       env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))

    def test_example(self):
        """The example of ten minutes runs, and its model learns."""
        example = ROOT / "examples" / "python" / "ten_minutes.py"
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run(
                [sys.executable, "-X", "dev", str(example), folder], check=True, text=True,
                capture_output=True, env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))
            self.assertEqual(made.stderr, "")
            accuracy = float(made.stdout.split("accuracy on new digits: ")[1].split()[0])
            self.assertGreater(accuracy, 0.9)
            names = set(os.listdir(folder))
            self.assertLessEqual({"digits.svg", "curves.svg", "digits.c", "digits.h",
                                  "digits.safetensors"}, names)


if __name__ == "__main__":
    unittest.main()
