"""tyto.nn: layers, models, functional calls, training, files, exceptions, lives, leaks."""

import ast
import gc
import inspect
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref

import tyto as ty
from networks import TABLES, close, draw, entries
from tyto import data, nn, optim
from tyto.nn._layers import FLAGS, REALS

def norms(at, x):
    """Compute a network with a norm, dropout and a state."""
    h = at.linear(x, 6, activation="tanh", name="hidden")
    h = at.dropout(at.batch_norm(h, name="norm"), 0.25)
    count = at.state("count")
    at.set_state("count", count + 1)
    return h @ at.parameter("w", (6, 2), "he_normal")


class Mistakes(unittest.TestCase):
    """Options that a layer or a trainer does not take."""

    def test_layers(self):
        """Sizes have an entry for each axis, and none is 0."""
        for options, words in (({"size": (3, 3, 3)}, "size has 3 entries; expected 2"),
                               ({"size": 3, "stride": 0}, "stride is 0; expected at least 1"),
                               ({"size": 3, "dilation": (1, 0)}, "dilation is")):
            with self.assertRaisesRegex(ValueError, words):
                nn.conv2d(channels=4, **options)
        for size in (3.5, "33", ty.asarray([3, 3])):
            with self.assertRaisesRegex(TypeError, "expected an integer, or one for each axis"):
                nn.conv2d(channels=4, size=size)

    def test_trainers(self):
        """A learning rate belongs to the optimiser, and misspelt options get a hint."""
        net, x, y = nn.Sequential(nn.linear(2)), ty.ones((4, 2)), ty.zeros(4, dtype=ty.int64)
        for options, error, words in (
                ({"lr": 0.1}, TypeError, r"optimiser=optim.adam\(0.1\)"),
                ({"acumulate": 2}, TypeError, "did you mean 'accumulate'"),
                ({"batch": 0}, ValueError, "batch is 0; expected at least 1")):
            with self.assertRaisesRegex(error, words):
                net.fit(x, y, **options)


class Tables(unittest.TestCase):
    """Everything of the library's tables is there."""

    def test_names(self):
        functions = {"lambda", "lambda_array", "residual"}
        self.assertEqual(set(nn.KINDS), entries("layers") - functions)
        self.assertEqual(set(nn.init.NAMES), entries("initialisers"))
        self.assertEqual(set(nn.losses.NAMES), entries("losses"))
        self.assertEqual(set(nn.metrics.NAMES), entries("metrics"))
        for kind in nn.KINDS:
            self.assertIn(kind, getattr(nn, kind).__doc__)
        self.assertIn("depthwise: a group for each channel", nn.conv2d.__doc__)

    def test_real_options(self):
        """The options that are real numbers are those of the library's structs."""
        made = json.loads((TABLES.parents[2] / "docs" / "tyto.json").read_text(encoding="utf-8"))
        structs = {s["name"]: s for s in made["structs"]}
        aliases = {a["name"]: a["type"].get("name") for a in made["aliases"]}
        reals, others, flags = set(), set(), set()
        for kind in nn.KINDS:
            name = f"ty_{kind}_layer"
            while name in aliases:
                name = aliases[name]
            for field in structs[name]["fields"]:
                of = field["type"].get("array", field["type"]).get("name")
                (reals if of == "double" else others).add(field["name"])
                flags.update([field["name"]] if of == "bool" else [])
        self.assertEqual(set(FLAGS), flags - {"unused", "channels"})  # which are a number, too
        self.assertEqual(set(REALS), reals - {"unused", "factor"})
        self.assertFalse(set(REALS) & (others - {"unused"}))

    def test_stub(self):
        """The stub has the layers, with the options that they take."""
        root = TABLES.parents[2]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, str(root / "python" / "generate"),
                            str(root / "docs" / "tyto.json"), folder], check=True,
                           stdout=subprocess.DEVNULL)
            text = pathlib.Path(folder, "nn.__init__.pyi").read_text(encoding="utf-8")
        found = {f.name: [a.arg for a in (*f.args.args, *f.args.kwonlyargs)]
                 for f in ast.parse(text).body if isinstance(f, ast.FunctionDef)}
        self.assertEqual(found, {
            kind: list(inspect.signature(getattr(nn, kind)).parameters) for kind in nn.KINDS})

    def test_activations(self):
        for name in entries("activations") | {"relu", "gelu", "sigmoid"}:
            made = nn.Sequential(nn.linear(2, activation=name)).build((1, 3))
            self.assertIn("parameters", repr(made))
        self.assertEqual(nn.linear(2, activation=ty.tanh).options["activation"], "tanh")


class Layers(unittest.TestCase):
    """Layers as values and as methods."""

    def test_sequence_equals_function(self):
        layers = (nn.conv2d(3, 4, same=True), ty.tanh, nn.max_pool2d(2, stride=2), nn.flatten(),
                  nn.linear(5, weight=nn.init.normal(0, 0.1)))
        one = nn.Sequential(*layers, seed=3)

        def net(at, x):
            h = ty.tanh(at.conv2d(x, (3, 3), 4, same=True))
            h = at.flatten(at.max_pool2d(h, (2, 2), stride=(2, 2)))
            return at.linear(h, 5, weight=nn.init.normal(0, 0.1))

        x = draw(1, 2, 6, 6, 1)
        self.assertEqual(one(x).tolist(), nn.Model(net, seed=3)(x).tolist())
        self.assertEqual(list(one.parameters()),
                         ["conv1.weight", "conv1.bias", "linear1.weight", "linear1.bias"])

    def test_zero_is_zero(self):
        """A number 0 is 0 itself, where the library has another default."""
        x = ty.asarray([[-2.0, 2.0]], dtype=ty.float32)
        for zero in (0, 0.0):
            self.assertEqual(nn.Sequential(nn.leaky_relu(zero))(x).tolist(), [[0.0, 2.0]])
            self.assertEqual(str(nn.Sequential(nn.scale(zero))(x + 4).tolist()), "[[0.0, 0.0]]")
            model = nn.Sequential(nn.batch_norm(momentum=zero)).build((1, 2)).train()
            model(draw(1, 4, 2))
            self.assertEqual(model.states()["norm1.running_mean"].tolist(), [0.0, 0.0])
        self.assertTrue(close(nn.Sequential(nn.leaky_relu())(x), [[-0.02, 2.0]]))

    def test_residual_and_names(self):
        block = nn.residual(nn.linear(3, name="a"), nn.sequence(nn.linear(3), name="in"),
                            activation="relu", name="block")
        model, x = nn.Sequential(block, seed=1), draw(2, 4, 3)
        p = model.build((4, 3)).parameters()
        self.assertEqual(list(p), ["block.a.weight", "block.a.bias", "block.in.linear1.weight",
                                   "block.in.linear1.bias"])
        h = x @ p["block.a.weight"] @ p["block.in.linear1.weight"] + x
        self.assertTrue(close(model(x), ty.maximum(h, 0)))
        with self.assertRaisesRegex(ValueError, "residual"):
            nn.Sequential(nn.residual(nn.linear(2)))(x)

    def test_several_operands_and_results(self):
        def net(at, x, y):
            both = at.add([at.linear(x, 4), at.linear(y, 4)])
            return both, at.concatenate([both, x])

        model = nn.Model(net, inputs=2, results=2)
        a, b = model(draw(1, 2, 3), draw(2, 2, 5))
        self.assertEqual((a.shape, b.shape), ((2, 4), (2, 7)))
        self.assertEqual(b[:, :4].tolist(), a.tolist())

    def test_shapes_of_layers(self):
        for layer, shape, want in (
            (nn.reshape((2, -1)), (3, 8), (3, 2, 4)),
            (nn.global_avg_pool(), (2, 4, 4, 3), (2, 3)),
            (nn.lstm(5, last=True), (2, 7, 3), (2, 5)),
            (nn.gru(5, bidirectional=True), (2, 7, 3), (2, 7, 10)),
            (nn.transformer_block(attention={"heads": 2}), (2, 5, 8), (2, 5, 8)),
            (nn.multi_head_attention(2, causal=True), (2, 5, 8), (2, 5, 8)),
            (nn.upsampling(2), (1, 3, 3, 2), (1, 6, 6, 2)),
            (nn.conv_transpose2d(2, 3, stride=2), (1, 4, 4, 2), (1, 8, 8, 3)),
        ):
            with self.subTest(layer=layer):
                self.assertEqual(nn.Sequential(layer)(draw(1, *shape)).shape, want)

    def test_mistakes(self):
        x = draw(1, 2, 3)
        for kind, words, call in (
            (TypeError, "activatio", lambda: nn.linear(3, activatio="relu")),
            (TypeError, "activation must be", lambda: nn.linear(3, activation=len)),
            (ValueError, "no activation|is no", lambda: nn.Sequential(
                nn.linear(3, activation="rely"))(x)),
            (ValueError, "no initialiser", lambda: nn.linear(3, weight="he")),
            (TypeError, "layers and functions", lambda: nn.Sequential(3)),
            (AttributeError, "mean 'linear'", lambda: nn.Model(lambda at, x: at.liner(x))(x)),
            (TypeError, "needs a function", nn.Model),
            (TypeError, "dict by the names", lambda: nn.Sequential(nn.linear(3)).apply([1], x)),
            (TypeError, "dict by the names", lambda: nn.Sequential(nn.linear(3)).assign([1])),
            (TypeError, "dict of options", lambda: nn.transformer_block(attention=2)),
            (ty.ShapeError, "reshape1", lambda: nn.Sequential(nn.reshape((2, 2)))(x)),
        ):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()

    def test_initialisers(self):
        key = ty.random.key(1)
        w = nn.init.he_normal()(key, (400, 300))
        self.assertAlmostEqual(float(ty.std(w)), math.sqrt(2 / 400), delta=2e-3)
        w = nn.init.glorot_uniform()(key, (3, 3, 10, 20), "float64")
        self.assertLessEqual(float(ty.max(ty.abs(w))), math.sqrt(6 / (90 + 180)))
        q = nn.init.orthogonal()(key, (5, 5))
        self.assertTrue(close(q @ q.T, ty.eye(5, dtype=ty.float32)))
        self.assertEqual(nn.init.Initialiser.of(3)(key, 2).tolist(), [3.0, 3.0])


class Functional(unittest.TestCase):
    """Calls with other values of parameters and states."""

    def setUp(self):
        self.model, self.x = nn.Model(norms, seed=1).build((4, 3)), draw(5, 4, 3)

    def test_apply(self):
        p = self.model.parameters()
        self.assertTrue(close(self.model.apply(p, self.x), self.model(self.x)))
        other = dict(p, w=2 * p["w"])
        self.assertTrue(close(self.model.apply(other, self.x), 2 * self.model(self.x)))
        self.assertTrue(close(self.model.apply({"w": 2 * p["w"]}, self.x), 2 * self.model(self.x)))
        with self.assertRaisesRegex(ValueError, r"apply: w has the shape \(6, 2\), not \(3,\)"):
            self.model.apply({"w": ty.ones(3)}, self.x)
        with self.assertRaisesRegex(ty.ArgumentError, "unknown name ww; expected one of"):
            self.model.apply({"ww": ty.ones(3)}, self.x)

    def test_gradients(self):
        """Gradients are those of the formula, eager and compiled, and by the operand."""
        model = nn.Sequential(nn.linear(3, name="a"), ty.tanh, nn.linear(1, name="b"), seed=2)
        p = model.build((4, 3)).parameters()

        def formula(p, x):
            h = ty.tanh(x @ p["a.weight"] + p["a.bias"])
            return ty.sum((h @ p["b.weight"] + p["b.bias"]) ** 2)

        def loss(p, x):
            return ty.sum(model.apply(p, x) ** 2)

        for way in (lambda f: f, ty.jit):
            value, got = way(ty.value_and_grad(loss))(p, self.x)
            want_value, want = ty.value_and_grad(formula)(p, self.x)
            self.assertTrue(close(value, want_value))
            for name in p:
                self.assertTrue(close(got[name], want[name]), name)
                self.assertFalse(got[name].is_promise)
        by_x = ty.grad(lambda x: ty.sum(model(x) ** 2))(self.x)
        self.assertTrue(close(by_x, ty.grad(formula, argnums=1)(p, self.x)))
        value, got = nn.value_and_grad(model, lambda call, x: ty.sum(call(x) ** 2))(self.x)
        self.assertTrue(close(got["a.bias"], want["a.bias"]))

    def test_second_derivatives_and_batches(self):
        model = nn.Sequential(nn.linear(1, no_bias=True, name="a"), ty.tanh, seed=2)
        p = model.build((1, 2)).parameters()
        h = ty.hessian(lambda w: ty.sum(model.apply({"a.weight": w}, self.x[:, :2])))
        formula = ty.hessian(lambda w: ty.sum(ty.tanh(self.x[:, :2] @ w)))
        self.assertTrue(close(h(p["a.weight"]), formula(p["a.weight"]), 1e-4))
        each = ty.vmap(lambda w: model.apply({"a.weight": w}, self.x[:, :2]))
        stack = ty.stack([p["a.weight"], 2 * p["a.weight"]])
        self.assertTrue(close(each(stack)[1], ty.tanh(self.x[:, :2] @ (2 * p["a.weight"]))))

    def test_states(self):
        states, key = self.model.states(), ty.random.key(3)
        y, after = self.model.apply(self.model.parameters(), self.x, key=key, states=states)
        self.assertEqual(y.shape, (4, 2))
        self.assertEqual(float(after["count"]), 1.0)
        p = self.model.parameters()
        h = ty.tanh(self.x @ p["hidden.weight"])
        self.assertTrue(close(after["norm.running_mean"], 0.1 * ty.mean(h, axis=0)))
        self.assertEqual(float(self.model.states()["count"]), 0.0)
        _, twice = self.model.apply(p, self.x, key=key, states=after)
        self.assertEqual(float(twice["count"]), 2.0)

    def test_modes(self):
        self.assertFalse(self.model.training)
        quiet = self.model(self.x)
        self.model.train(7)
        first, second = self.model(self.x), self.model(self.x)
        self.assertTrue(self.model.training)
        self.assertNotEqual(first.tolist(), second.tolist())
        self.assertEqual(float(self.model.states()["count"]), 2.0)
        self.model.eval()
        self.assertEqual(self.model(self.x).tolist(), self.model(self.x).tolist())
        self.assertNotEqual(self.model(self.x).tolist(), quiet.tolist())
        key = ty.random.key(1)
        self.assertEqual(self.model(self.x, key=key).tolist(), self.model(self.x, key=key).tolist())

    def test_eager(self):
        """An eager model may read elements."""
        seen = []

        def net(at, x):
            y = at.linear(x, 2)
            seen.append(float(ty.sum(y)))
            return y

        model = nn.Model(net, lazy=False, seed=1)
        self.assertAlmostEqual(float(ty.sum(model(self.x))), seen[-1], places=5)
        with self.assertRaisesRegex(TypeError, "eager"):
            model.apply(model.parameters(), self.x)
        with self.assertRaises(TypeError):
            nn.Model(net, seed=1)(self.x)


class Variables(unittest.TestCase):
    """Values, files, freezing, classes."""

    def setUp(self):
        self.model = nn.Sequential(nn.conv2d(3, 4, name="conv"), nn.batch_norm(name="norm"),
                                   nn.flatten(), nn.linear(2, name="out"), seed=1)
        self.model.build((1, 5, 5, 3))
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_assign(self):
        before = self.model.parameters()
        self.model.assign({"out.bias": [1.0, 2.0]})
        self.assertEqual(self.model.parameters()["out.bias"].tolist(), [1.0, 2.0])
        self.assertEqual(before["out.bias"].tolist(), [0.0, 0.0])
        with self.assertRaises(ty.ArgumentError):
            self.model.assign({"out.bias": [5.0, 5.0], "nothing": [1.0]})
        with self.assertRaisesRegex(ty.Error, "must match"):
            self.model.assign({"out.bias": [1.0, 2.0, 3.0]})
        self.assertEqual(self.model.parameters()["out.bias"].tolist(), [1.0, 2.0])

    def test_files(self):
        x = draw(1, 2, 5, 5, 3)
        want = self.model(x).tolist()
        for name, layout in (("w.safetensors", None), ("w.npz", None), ("t.npz", "pytorch"),
                             ("k.npz", "keras")):
            self.model.save(self.path(name), layout=layout)
            other = nn.Sequential(*self.model.layers, seed=9).build((1, 5, 5, 3))
            self.assertNotEqual(other(x).tolist(), want)
            self.assertEqual(other.load(self.path(name), layout=layout)(x).tolist(), want)
        names = set(ty.c.archive_open(self.path("t.npz")).name(i) for i in range(8))
        self.assertEqual(names & {"norm.running_mean", "conv.weight"},
                         {"norm.running_mean", "conv.weight"})
        self.assertEqual(ty.c.archive_open(self.path("t.npz")).get("conv.weight").shape,
                         (4, 3, 3, 3))
        self.model.save(self.path("r.npz"), rename={"conv": "features.0"})
        self.model.load(self.path("r.npz"), rename=[("conv", "features.0")])
        with self.assertRaisesRegex(ty.Error, "features.0.weight"):
            self.model.load(self.path("r.npz"))

    def test_freeze(self):
        self.model.freeze("conv")
        self.assertEqual(list(self.model.parameters(True)),
                         ["norm.weight", "norm.bias", "out.weight", "out.bias"])
        before = self.model.parameters()
        x, y = draw(1, 20, 5, 5, 3), ty.asarray([0, 1] * 10)
        self.model.fit(x, y, epochs=2, batch=10, optimiser=optim.sgd(0.5))
        after = self.model.parameters()
        same = {name for name in before if before[name].tolist() == after[name].tolist()}
        self.assertEqual(same, {"conv.weight", "conv.bias"})
        self.model.unfreeze()
        self.assertEqual(len(self.model.parameters(True)), 6)
        with self.assertRaises(ValueError):
            self.model.freeze("nothing")

    def test_summary(self):
        self.assertIn("[batch,3,3,4]", self.model.summary())
        self.assertIn("3x3 channels 4", self.model.summary())
        self.assertRegex(repr(self.model), r"^nn.Sequential\(194 parameters\)$")

    def test_classes(self):
        """A class with forward, and no cycle that keeps it."""
        class Net(nn.Model):
            def __init__(self, units):
                super().__init__(seed=1)
                self.units = units

            def forward(self, at, x):
                return at.linear(x, self.units)

        net = Net(4)
        self.assertEqual(net(draw(1, 2, 3)).shape, (2, 4))
        gone = weakref.ref(net)
        del net
        self.assertIsNone(gone())

    def test_descriptions(self):
        made = nn.read({"inputs": {"x": [3]}, "layers": [{"layer": "linear", "units": 2}]}, seed=1)
        self.assertEqual(made(draw(1, 4, 3)).shape, (4, 2))
        path = pathlib.Path(self.path("net.json"))
        path.write_text('{"inputs": {"x": [3]}, "layers": [{"layer": "linear", "units": 5}]}',
                        encoding="utf-8")
        self.assertEqual(nn.read(path)(draw(1, 4, 3)).shape, (4, 5))

    def test_export(self):
        facts = self.model.export_c(self.path("net.c"), (1, 5, 5, 3), name="infer")
        self.assertGreater(facts.weight_bytes, 4 * 186)
        header = pathlib.Path(self.path("net.h")).read_text(encoding="utf-8")
        self.assertRegex(header, r"net_infer\(.*const float \*x, float \*y\)")
        compiler = shutil.which("cc")
        if compiler:
            subprocess.run([compiler, "-std=c99", "-Wall", "-Werror", "-c", "net.c"], check=True,
                           cwd=self.folder.name)

    def test_fold(self):
        x = draw(4, 2, 5, 5, 3)
        self.model.train(1)
        self.model(x)
        want = self.model.eval()(x)
        self.assertEqual(self.model.fold((1, 5, 5, 3)), 1)
        self.assertTrue(close(self.model(x), want))
        with self.assertRaisesRegex(ty.Error, "inference"):
            self.model.fit(x, ty.zeros(2, dtype=ty.int32))

    def test_predict(self):
        x = draw(3, 7, 5, 5, 3)
        self.assertTrue(close(self.model.predict(x, batch=3), self.model(x)))


class Lives(unittest.TestCase):
    """Objects that others use stay, and nothing else."""

    def test_positions_end(self):
        """A position or a model that was handed to a function is closed after the call."""
        kept, calls = [], []

        def net(at, x):
            kept.append(at)
            return at.linear(x, 2)

        def objective(call, batch, key):
            calls.append(call)
            return ty.mean(call(batch[0]))

        x = draw(1, 4, 3)
        model = nn.Model(net, seed=1)
        model(x)
        trainer = nn.Trainer(model, x, x, objective=objective)
        trainer.step()
        del model, trainer
        gc.collect()
        for call in (lambda: kept[0].linear(x, 2), lambda: kept[0].path, lambda: calls[0](x)):
            with self.assertRaisesRegex(ValueError, "closed"):
                call()

    def test_threads(self):
        """Threads take turns with a model."""
        model, x, failed = nn.Sequential(nn.linear(4), nn.dropout(0.5), seed=1), draw(1, 4, 3), []
        want = model(x).tolist()
        p = model.parameters()

        def work(key):
            try:
                for i in range(30):
                    model(x, key=key)
                    if model(x).tolist() != want or model.apply(p, x).tolist() != want:
                        failed.append("another result")
            except Exception as error:
                failed.append(error)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])

    def test_trainer_keeps_its_objects(self):
        model = nn.Sequential(nn.linear(2), seed=1)
        loader = data.Loader((draw(1, 8, 3), ty.zeros(8, dtype=ty.int32)), 4)
        trainer = nn.Trainer(model, loader)
        del model, loader
        gc.collect()
        self.assertTrue(math.isfinite(trainer.step()))
        handle = trainer.handle
        del trainer
        gc.collect()
        self.assertTrue(math.isfinite(handle.step()))

    def test_leaks(self):
        x, y = draw(1, 8, 3), ty.zeros(8, dtype=ty.int32)

        def use():
            model = nn.Model(norms, seed=1)
            model(x)
            ty.grad(lambda p: ty.sum(model.apply(p, x)))(model.parameters())
            model.fit(x, y, epochs=1, batch=4)
            with self.assertRaises(ZeroDivisionError):
                nn.Trainer(model, x, y, loss=lambda a, b: 1 / 0).step()

        def measure(n):
            for _ in range(n):
                use()
            gc.collect()
            return ty.c.memory_now().live

        measure(3)
        before = measure(2)
        self.assertLess(measure(12) - before, 5000)


if __name__ == "__main__":
    unittest.main()
