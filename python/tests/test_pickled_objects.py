"""pickle, copy and deepcopy of fits, models, generators and the other classes of Python."""

import copy
import importlib
import json
import multiprocessing
import pathlib
import pickle
import tempfile
import unittest

import tyto as ty
from tyto import data, learn, nn, optim, plot, sparse, stats, table, text, zoo

MODULES = ("", "data", "data.steps", "fft", "learn", "linalg", "neighbours", "nn", "nn.init",
           "nn.losses", "nn.metrics", "onnx", "optim", "optim.schedules", "plot", "random",
           "signal", "sparse", "special", "stats", "table", "text", "transform", "tree", "zoo")
X = ty.asarray([[1.0, 2], [3, 4], [5, 7], [2, 2], [1, 0], [4, 4]])
Y = ty.asarray([[1.0], [2], [3], [1], [2], [2.5]])
ROWS = {"a": [1.0, 2, 3, 4, 6, 9], "b": [1.5, 2, None, 4, 3, 1], "c": [0, 1, 1, 0, 1, 0],
        "w": ["x", "y", "x", "z", "x", "y"], "other words": ["u", "v"] * 3}


def copies(x):
    """Yield x by each protocol that classes support, and both copies."""
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(x, protocol))
    yield copy.copy(x)
    yield copy.deepcopy(x)


def twice(at, x):
    """Compute a small network."""
    h = at.linear(x, 4, activation="relu")
    return at.linear(at.batch_norm(h), 1, name="out")


class Net(nn.Model):
    """A model of a class with values of its own."""

    def __init__(self, units):
        super().__init__(seed=3)
        self.units = units

    def forward(self, at, x):
        """Compute two layers."""
        return at.linear(at.linear(x, self.units), 1)


def predicted(pair):
    """Return predictions of a model in another process."""
    model, x = pair
    return model(x).tolist()


class Fits(unittest.TestCase):
    """Fits of formulas."""

    def test_fits(self):
        """Results, predictions and comparisons stay."""
        t = table.Table(ROWS)
        for formula, options in (("a ~ b", {}), ("a ~ . - w", {}), ("log(a) ~ w + poly(b, 2)", {}),
                                 ("c ~ a", {"family": "binomial", "confidence": 0.9}),
                                 ("a ~ c", {"weights": ty.asarray([1.0, 2, 1, 2, 1, 2])}),
                                 ("a ~ `other words` + c", {})):
            fit = t.fit(formula, **options)
            for made in copies(fit):
                self.assertEqual(made.summary(), fit.summary())
                self.assertEqual(made.options.keys(), fit.options.keys())
                self.assertEqual(repr(made.predict(ROWS)), repr(fit.predict(ROWS)))
        small, large = (pickle.loads(pickle.dumps(t.fit(f))) for f in ("a ~ c", "a ~ c + I(c * b)"))
        self.assertEqual(small.names, ["(Intercept)", "c"])
        self.assertRaises(ValueError, large.compare, small)

    def test_columns(self):
        """The columns that the formula does not name are not stored."""
        t = table.Table(dict(ROWS, secret=["a word of nobody", "x"] * 3))
        self.assertNotIn(b"nobody", pickle.dumps(t.fit("a ~ b")))
        self.assertIn(b"nobody", pickle.dumps(t.fit("c ~ a + secret")))


class Models(unittest.TestCase):
    """Networks."""

    def made(self):
        """Yield models that have parameters."""
        yield nn.Sequential(nn.linear(3, activation="tanh"), ty.abs, nn.residual(nn.linear(3)),
                            nn.linear(1), seed=4)
        yield nn.Model(twice, seed=2)
        yield nn.Model(twice, seed=2, lazy=False)
        yield Net(5)

    def test_models(self):
        """Parameters, states, modes and frozen names stay, and the copies are independent."""
        for model in self.made():
            model.fit(X, Y, loss="mse", batch=3, epochs=2)
            names = list(model.parameters())
            model.freeze(names[0])
            for made in copies(model):
                self.assertIs(type(made), type(model))
                self.assertEqual(made(X).tolist(), model(X).tolist())
                self.assertEqual(list(made.variables()), list(model.variables()))
                self.assertEqual(list(made.parameters(True)), list(model.parameters(True)))
                before = model(X).tolist()
                made.fit(X, Y, loss="mse", batch=3)
                self.assertNotEqual(made(X).tolist(), before)
                self.assertEqual(model(X).tolist(), before)
        self.assertEqual(made.units, 5)

    def test_modes(self):
        """A model that trains draws the same numbers after it."""
        model = nn.Sequential(nn.linear(8), nn.dropout(0.5), nn.linear(1)).train(seed=3)
        model(X)
        for made in copies(model):
            self.assertTrue(made.training)
            self.assertEqual(made(X).tolist(), copy.copy(model)(X).tolist())

    def test_unbuilt(self):
        """A model without parameters makes them later, from the same seed."""
        for model in self.made():
            made = [one(X).tolist() for one in copies(model)]
            self.assertEqual(made, [model(X).tolist()] * len(made))

    def test_integers(self):
        """Operands that are integers are known again."""
        model = nn.Sequential(nn.embedding(9, 4), nn.flatten(), nn.linear(2))
        tokens = ty.asarray([[1, 2, 8], [0, 3, 3]], dtype="int32")
        model(tokens)
        for made in copies(model):
            self.assertEqual(made(tokens).tolist(), model(tokens).tolist())

    def test_described(self):
        """Models of a description and of the zoo have a source."""
        described = {"inputs": {"x": [784]}, "layers": [{"layer": "linear", "units": 2}]}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "net.json")
            path.write_text(json.dumps(described), encoding="utf-8")
            read = nn.read(path)
        for model in (zoo.model("mlp"), zoo.model("mlp", build=False).build((1, 784)), read,
                      nn.read(described, seed=4)):
            model.assign({name: x * 0.5 for name, x in model.parameters().items()})
            x = ty.ones((2, 784), dtype="float32")
            for made in copies(model):
                self.assertEqual(made(x).tolist(), model(x).tolist())

    def test_refused(self):
        """What cannot be stored says how to save it."""
        model = zoo.model("mlp", build=False)
        model.handle.build([ty.ones((1, 784), dtype="float32")])
        for wrong, words in (
            (nn.Model.of(zoo.model("mlp").handle), "save"),
            (model, "build"),
            (nn.Trainer(nn.Sequential(nn.linear(1)), X, Y, loss="mse"), r"save\(path\)"),
            (plot.line([1, 2]), r"save\(path\)"),
            (data.arrays(X), r"arrays\(\)"),
            (data.Loader(data.arrays(X), batch=2), "make the loader again"),
            (table.Table(ROWS).handle, "tyto.table.Table"),
            (text.Tokenizer().handle, r"save\(path\)"),
        ):
            for store in (pickle.dumps, copy.copy, copy.deepcopy):
                with self.assertRaisesRegex(TypeError, f"(?s)cannot be (pickled|copied).*{words}"):
                    store(wrong)
        folded = nn.Sequential(nn.linear(2), nn.batch_norm(), nn.linear(1))
        folded.fit(X, Y, loss="mse", batch=3)
        if folded.fold((6, 2)):
            with self.assertRaisesRegex(TypeError, "before fold"):
                pickle.dumps(folded)

    def test_processes(self):
        """Another process computes the same."""
        model = nn.Model(twice)
        model(X)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertEqual(pool.map(predicted, [(model, X)]), [model(X).tolist()])


class Others(unittest.TestCase):
    """Generators, functions, tokenizers."""

    def test_names(self):
        """Each public function and object is found again by its name."""
        wrong = []
        for name in MODULES:
            module = importlib.import_module("tyto" + ("." + name if name else ""))
            for word in dir(module):
                value = getattr(module, word)
                if word[0] != "_" and callable(value):
                    try:
                        same = pickle.loads(pickle.dumps(value)) is value
                    except Exception as error:  # noqa: BLE001
                        same = error
                    wrong += [] if same is True else [(name, word, same)]
        self.assertEqual(wrong, [])

    def test_frozen(self):
        """Distributions with parameters stay."""
        for made in copies(stats.lognorm(0.5, scale=2)):
            self.assertIs(made.family, stats.lognorm)
            self.assertEqual(float(made.cdf(1.5)), float(stats.lognorm(0.5, scale=2).cdf(1.5)))

    def test_generator(self):
        """A generator goes on where it was, and a copy does not move it."""
        rng = ty.random.default_rng(5)
        rng.random(3)
        made = list(copies(rng))
        further = rng.random(3).tolist()
        for one in made:
            self.assertEqual(one.random(3).tolist(), further)
        self.assertEqual(rng.spawn(1)[0].random(2).shape, (2,))

    def test_optimiser(self):
        """An optimiser and its state go on alike."""
        rule = optim.adam(0.1, schedule=optim.schedules.cosine(steps=9))
        p, g = {"w": X}, {"w": X * 2}
        p, state = rule.update(p, g, rule.init(p))
        after = rule.update(p, g, state)[0]["w"].tolist()
        for other in copies((rule, state)):
            self.assertEqual(other[0].update(p, g, other[1])[0]["w"].tolist(), after)

    def test_tokenizer(self):
        """Tokens stay."""
        tokenizer = text.train("hello hello world world hello", 270)
        for made in copies(tokenizer):
            self.assertEqual(made.encode("hello you").tolist(),
                             tokenizer.encode("hello you").tolist())

    def test_others(self):
        """Sparse matrices and linear models stay."""
        a, line = sparse.csc(X), learn.ridge(X, Y[:, 0])
        for made in copies((a, line)):
            self.assertEqual((repr(made[0]), made[0].todense().tolist()), (repr(a), X.tolist()))
            self.assertEqual(made[1].predict(X).tolist(), line.predict(X).tolist())


if __name__ == "__main__":
    unittest.main()
