"""Sparse matrices: forms, what they are made of, and their operators."""

import unittest

import tyto as ty
from tyto import sparse

DENSE = ty.asarray([[0.0, 2, 0], [1, 0, 3]])


class Sparses(unittest.TestCase):
    """Matrices of a few entries."""

    def test_makers(self):
        """One argument is a matrix of any kind; several are the parts of a form."""
        for make in (sparse.coo, sparse.csr, sparse.csc):
            a = make(DENSE)
            self.assertEqual((a.form, a.shape, a.nnz), (make.__name__, (2, 3), 3))
            self.assertEqual(make(a.T.to("coo").T).todense().tolist(), DENSE.tolist())
            self.assertEqual(make(DENSE.tolist()).todense().tolist(), DENSE.tolist())
        a = sparse.csr([2.0, 1, 3], [1, 0, 2], [0, 1, 3], (2, 3))
        self.assertEqual(a.todense().tolist(), DENSE.tolist())
        with self.assertRaises(ty.ShapeError):
            sparse.csr(ty.ones(3))
        with self.assertRaises(ty.Error):
            sparse.csr([2.0, 1, 3], [1, 0, 5], [0, 1, 3], (2, 3))

    def test_missing_parts(self):
        """A form lacks no part, and has the shape that is given."""
        for make, parts in ((sparse.coo, ([[0, 1]],)), (sparse.csr, ([1],)),
                            (sparse.csc, ([1], [0, 1]))):
            with self.assertRaisesRegex(TypeError, "indices are given without"):
                make([2.0], *parts)
        for make, shape in ((sparse.csr, (5, 2)), (sparse.csc, (2, 5))):
            with self.assertRaisesRegex(ValueError, "give a matrix of shape"):
                make([2.0], [1], [0, 1], shape)

    def test_scipy(self):
        """Matrices of SciPy keep their elements."""
        try:
            from scipy.sparse import coo_array, csc_array
        except ImportError:
            self.skipTest("needs SciPy")
        for kind in (coo_array, csc_array):
            self.assertEqual(sparse.csc(kind(DENSE)).todense().tolist(), DENSE.tolist())
        vector = coo_array([1.0, 0.0])
        if len(vector.shape) == 1:  # older versions have matrices alone
            with self.assertRaisesRegex(ValueError, "expected 2 axes"):
                sparse.csr(vector)

    def test_operators(self):
        """Operators are those of the full matrices."""
        a = sparse.csr(DENSE)
        x = ty.asarray([1.0, 2, 3])
        self.assertEqual((a @ x).tolist(), (DENSE @ x).tolist())
        self.assertEqual((a @ a.T).todense().tolist(), (DENSE @ DENSE.T).tolist())
        self.assertEqual((a + a - 3 * a).todense().tolist(), (-DENSE).tolist())
        self.assertEqual((a * a).todense().tolist(), (DENSE * DENSE).tolist())
        self.assertEqual(a.sum(axis=0).tolist(), DENSE.sum(axis=0).tolist())
        self.assertEqual(repr(a), "Sparse(2 x 3, 3 entries, float64, form='csr')")


if __name__ == "__main__":
    unittest.main()
