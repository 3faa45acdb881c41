"""Preparations of tables, parts of the rows, and linear models."""

import pickle
import unittest

import tyto as ty
from tyto import learn
from tyto.table import Table

try:
    import numpy
    from sklearn import linear_model, svm
except ImportError:
    linear_model = None

X = ty.random.normal(ty.random.key(1), (60, 3))
Y = X @ ty.asarray([1.0, -2.0, 0.0]) + 3 + ty.random.normal(ty.random.key(2), (60,)) / 10
LABELS = ty.astype(Y > 4, ty.int64) + ty.astype(Y > 2, ty.int64)


class Preparations(unittest.TestCase):
    """Features of tables."""

    def setUp(self):
        self.t = Table({"city": ["Rome", "Oslo", None, "Rome"] * 5,
                        "area": [50.0, None, 70, 90] * 5, "price": [5.0, 6, 7, 9] * 5,
                        "sold": ["yes", "no", "no", "yes"] * 5})

    def test_numbers(self):
        made = learn.Preparation(self.t, target="price", task="regression")
        x = made.inputs(self.t)
        self.assertEqual(x.shape, (20, len(made.features)))
        self.assertIn("city=Rome", made.features)
        column = x[:, made.features.index("area")]
        self.assertAlmostEqual(float(ty.mean(column)), 0, delta=1e-6)
        y = made.targets(self.t)
        self.assertLess(float(ty.max(abs(made.answers(y) - self.t["price"]))), 1e-5)
        self.assertEqual(made.target, "price")
        self.assertIn("one-hot", repr(made))
        self.assertEqual(str(made.inputs(self.t, "float32").dtype), "float32")

    def test_classes(self):
        made = learn.Preparation(self.t, target="sold")
        self.assertEqual(made.classes, ["no", "yes"])
        self.assertEqual(made.targets(self.t).tolist()[:4], [1, 0, 0, 1])
        for again in (learn.Preparation.from_json(made.to_json()),
                      pickle.loads(pickle.dumps(made))):
            self.assertEqual(again.features, made.features)
            self.assertEqual(again.inputs(self.t).tolist(), made.inputs(self.t).tolist())
        other = self.t.assign(city=["Bern"] * 20)
        self.assertIn("Bern", made.unseen(other))
        self.assertEqual(made.unseen(self.t), "")

    def test_errors(self):
        self.assertRaisesRegex(ty.Error, 'no column "prise".*did you mean price',
                               learn.Preparation, self.t, "prise")
        self.assertRaisesRegex(ValueError, "classes", learn.Preparation, self.t, "price", task="x")
        made = learn.Preparation(self.t, "price")
        self.assertRaisesRegex(ty.Error, "area", made.inputs, self.t.drop("area"))
        self.assertRaises(ty.Error, learn.Preparation.from_json, "{}")


class Rows(unittest.TestCase):
    """Parts of the rows."""

    def test_split(self):
        t = Table({"i": range(60)})
        parts = learn.split(X, t, [*range(60)], test=0.2, key=3)
        self.assertEqual([len(part) for part in parts], [48, 12] * 3)
        self.assertEqual(parts[2]["i"].tolist(), parts[4])
        self.assertEqual(sorted(parts[4] + parts[5]), [*range(60)])
        self.assertEqual(parts[0].tolist(), X[ty.asarray(parts[4])].tolist())
        again = learn.split(X, test=0.2, key=3)
        self.assertEqual(again[1].tolist(), parts[1].tolist())
        self.assertEqual([len(part) for part in learn.split(X, test=7)], [53, 7])
        for test in (0.0, 1.0):
            self.assertEqual(len(learn.split(X, test=test)[1]), 60 * test)

    def test_strata(self):
        labels = ["a"] * 40 + ["b"] * 20
        train, tested = learn.split(labels, test=0.25, stratify=labels, key=1)
        self.assertEqual((tested.count("a"), tested.count("b")), (10, 5))
        self.assertEqual((train.count("a"), train.count("b")), (30, 15))
        self.assertNotEqual(tested, sorted(tested))

    def test_small_strata(self):
        labels = [i // 2 for i in range(20)]  # a quarter of each is half a row
        seen = set()
        for key in range(5):
            train, tested = learn.split(labels, test=0.25, stratify=labels, key=key)
            self.assertEqual((len(train), len(tested)), (15, 5))
            self.assertEqual(len(set(tested)), 5)
            seen |= set(tested)
        self.assertGreater(len(seen), 5)
        labels = [i % 3 for i in range(60)]
        for test in (7, 8, 59):
            tested = learn.split(labels, test=test, stratify=labels)[1]
            self.assertEqual(len(tested), test)
            counts = [tested.count(k) for k in range(3)]
            self.assertLessEqual(max(counts) - min(counts), 1)

    def test_folds(self):
        self.assertEqual(len([*learn.folds(ty.asarray(6), 3)]), 3)
        self.assertRaisesRegex(ValueError, "5 folds of 3 rows", learn.folds, 3)  # at once
        for stratify in (None, LABELS):
            seen = []
            for train, tested in learn.folds(X, 7, stratify, key=4):
                self.assertEqual(sorted(train.tolist() + tested.tolist()), [*range(60)])
                self.assertIn(len(tested), (8, 9))
                seen += tested.tolist()
            self.assertEqual(sorted(seen), [*range(60)])
        counts = [int(ty.sum(LABELS[tested] == 0)) for _, tested in learn.folds(60, 5, LABELS)]
        self.assertLessEqual(max(counts) - min(counts), 1)

    def test_errors(self):
        self.assertRaisesRegex(ValueError, "60 and 3 rows", learn.split, X, [1, 2, 3])
        self.assertRaisesRegex(TypeError, "one array", learn.split)
        for test in (61, -1, 1.5):
            self.assertRaisesRegex(ValueError, "of 60 rows", learn.split, X, test=test)
        for k in (1, 61):
            self.assertRaisesRegex(ValueError, "of 60 rows", lambda k=k: [*learn.folds(X, k)])
        self.assertRaisesRegex(ValueError, "labels", learn.split, X, stratify=[1, 2])
        self.assertRaisesRegex(ValueError, "c is 0; expected above 0", learn.linear_svm, X, LABELS,
                               0)


class Models(unittest.TestCase):
    """Linear models."""

    @unittest.skipUnless(linear_model, "scikit-learn is not installed")
    def test_values(self):
        x, y = numpy.asarray(X), numpy.asarray(Y)
        exact = {"tol": 1e-12, "max_iter": 1000000}
        for found, want in (
            (learn.linear_regression(X, Y), linear_model.LinearRegression()),
            (learn.linear_regression(X, Y, False), linear_model.LinearRegression(
                fit_intercept=False)),
            (learn.ridge(X, Y, 0.5), linear_model.Ridge(0.5)),
            (learn.lasso(X, Y, 0.1), linear_model.Lasso(0.1, **exact)),
            (learn.lasso(X, Y, 0.1, 0.3), linear_model.ElasticNet(0.1, l1_ratio=0.3, **exact)),
            (learn.lasso(X, Y, 0.1, intercept=False), linear_model.Lasso(
                0.1, fit_intercept=False, **exact)),
        ):
            with self.subTest(want=want):
                want.fit(x, y)
                numpy.testing.assert_allclose(numpy.asarray(found.predict(X)), want.predict(x),
                                              rtol=1e-6, atol=1e-8)

    @unittest.skipUnless(linear_model, "scikit-learn is not installed")
    def test_labels(self):
        for labels in (LABELS, ty.astype(LABELS > 0, ty.int64)):
            found = learn.linear_svm(X, labels, c=0.5)
            want = svm.LinearSVC(C=0.5, tol=1e-12, max_iter=1000000).fit(
                numpy.asarray(X), numpy.asarray(labels))
            numpy.testing.assert_allclose(numpy.asarray(found.decision(X)),
                                          want.decision_function(numpy.asarray(X)), rtol=1e-4)
            self.assertEqual(found.predict(X).tolist(), want.predict(numpy.asarray(X)).tolist())

    def test_derivatives(self):
        slope = ty.grad(lambda y: learn.ridge(X, y).predict(X)[0])(Y)
        self.assertEqual(slope.shape, (60,))
        compiled = ty.jit(lambda y: learn.ridge(X, y))(Y)
        self.assertLess(float(ty.max(abs(compiled.predict(X) - Y))), 1.0)

    def test_several(self):
        two = ty.stack([Y, -Y], axis=1)
        self.assertEqual(learn.ridge(X, two).predict(X).shape, (60, 2))
        self.assertRaisesRegex(ValueError, "share", learn.lasso, X, Y, share=0)
        self.assertRaises(ty.Error, learn.linear_svm, X, LABELS[:5])


if __name__ == "__main__":
    unittest.main()
