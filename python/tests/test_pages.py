"""Run the examples of docs/python_networks.md, and evaluate the tables of docs/python_from.md."""

import doctest
import unittest

import others
import tyto as ty
from test_docs import PAGE, blocks, rows
from tyto import data, learn, nn, optim, table, zoo

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None
try:
    import sklearn
except ImportError:
    sklearn = None

FROM = PAGE.with_name("python_from.md").read_text(encoding="utf-8")
LISTS = {
    "X": [[0.5, 1.0, -2.0], [1.5, -1.0, 0.0], [2.5, 0.5, 1.0], [-1.0, 2.0, 0.25], [0.0, 3.0, 1.0]],
    "v": [1.0, 2.0, 0.5, -1.0, 4.0], "w": [1.5, 1.0, 0.0, -1.0, 3.0], "t": [0, 2, 1, 1, 0],
    "s": [[2.0, 0.1, 0.3], [0.2, 0.1, 0.5], [0.6, 0.3, 0.1], [0.0, 1.0, 0.2], [0.9, 0.5, 0.8]],
    "q": [0.1, 0.7, 0.4, 0.35, 0.4],
}
FRAME = {"a": [1.5, float("nan"), 0.5, 3.0], "b": [1, 2, 3, 4], "g": ["u", "v", "u", "v"]}


def flat(value):
    """Return the elements of an array, a series or a list as a list of numbers or texts."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in flat(part)]
    return [value]


class Pages(unittest.TestCase):
    """The pages say what happens."""

    def same(self, got, want):
        """Check that two results have equal elements."""
        got, want = flat(got), flat(want)
        self.assertEqual(len(got), len(want))
        for a, b in zip(got, want):
            if isinstance(b, str):
                self.assertEqual(a, b)
            else:
                self.assertTrue(a == b or a != a and b != b or abs(a - b) < 1e-6, (got, want))

    def test_networks(self):
        """Each example prints what the page shows."""
        page = PAGE.with_name("python_networks.md")
        example = doctest.DocTestParser().get_doctest(
            blocks(page.read_text(encoding="utf-8")), {}, page.name, str(page), 0)
        self.assertGreater(len(example.examples), 50)
        output = []
        runner = doctest.DocTestRunner(
            optionflags=doctest.NORMALIZE_WHITESPACE | doctest.REPORT_NDIFF, verbose=False)
        runner.run(example, out=output.append)
        self.assertEqual(runner.summarize(verbose=False).failed, 0, "".join(output))

    def test_networks_of_others(self):
        """Expressions for users of PyTorch and JAX can be evaluated; both columns are equal."""
        for heading, left_names in (("PyTorch", others.torch_networks),
                                    ("JAX, Flax and Optax", others.jax_networks)):
            pairs = rows(FROM, heading)
            self.assertGreater(len(pairs), 10, heading)
            for theirs, ours in pairs:
                net = nn.Sequential(nn.linear(8), nn.dropout(0.5), nn.linear(2)).build((1, 3))
                p = net.parameters()
                names = {"net": net, "p": p, "g": p, "key": ty.random.key(1),
                         "x": ty.ones((16, 3), dtype=ty.float32), "y": ty.zeros(16, dtype=ty.int32),
                         **{k: ty.asarray(v) for k, v in LISTS.items()}}
                with self.subTest(theirs=theirs, ours=ours):
                    got = eval(ours, {
                        "ty": ty, "nn": nn, "optim": optim, "data": data, "zoo": zoo, **names})
                    self.assertIsNotNone(got)
                    left = left_names(LISTS, p)
                    if left and ("torchvision" not in theirs or left["torchvision"]):
                        others.compare(self, theirs, others.evaluate(theirs, left), got)

    def test_scikit_learn(self):
        """Both columns have equal values."""
        pairs = rows(FROM, "scikit-learn")
        self.assertGreater(len(pairs), 15)
        ours_names = {"ty": ty, "nn": nn, "learn": learn,
                      **{k: ty.asarray(v) for k, v in LISTS.items()}}
        theirs_names = self.names_of_scikit_learn() if sklearn else {}
        for theirs, ours in pairs:
            with self.subTest(theirs=theirs, ours=ours):
                got = eval(ours, dict(ours_names))
                if sklearn:
                    self.same(got, eval(theirs, dict(theirs_names)))

    @staticmethod
    def names_of_scikit_learn():
        """Return the names that the left column uses."""
        from scipy.special import softmax
        from sklearn import (decomposition, linear_model, metrics, model_selection, neighbors,
                             preprocessing, svm)

        found = {"softmax": lambda s: softmax(s, axis=1)}
        found.update(KFold=model_selection.KFold, LinearSVC=svm.LinearSVC,
                     train_test_split=model_selection.train_test_split)
        for module in (decomposition, linear_model, metrics, neighbors, preprocessing):
            found.update({k: getattr(module, k) for k in module.__all__})
        return {**found, **{k: numpy.array(v) for k, v in LISTS.items()}}

    def test_scipy(self):
        """Both columns have equal values."""
        try:
            from scipy import stats
        except ImportError:
            stats = None
        pairs = rows(FROM, "SciPy")
        self.assertGreater(len(pairs), 10)
        for theirs, ours in pairs:
            with self.subTest(theirs=theirs, ours=ours):
                arrays = {k: ty.asarray(LISTS[k]) for k in "vwq"}
                got = eval(ours, {"stats": ty.stats, **arrays})
                if stats:
                    arrays = {k: numpy.array(LISTS[k]) for k in "vwq"}
                    self.same(got, eval(theirs, {"stats": stats, **arrays}))

    def test_pandas(self):
        """Both columns have equal values."""
        pairs = rows(FROM, "pandas")
        self.assertGreater(len(pairs), 10)
        for theirs, ours in pairs:
            with self.subTest(theirs=theirs, ours=ours):
                got = eval(ours, {"ty": ty, "d": table.Table(FRAME)})
                if pandas:
                    self.same(got, eval(theirs, {"d": pandas.DataFrame(FRAME)}))


if __name__ == "__main__":
    unittest.main()
