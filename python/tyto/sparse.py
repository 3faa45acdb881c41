"""Sparse matrices, of which only some elements are stored."""

from ._base import as_array, attributes_of, offered
from ._core import c
from ._dtypes import dtype_of, float64


class Sparse:
    """A sparse matrix in the form "coo", "csr" or "csc"."""

    __slots__ = ("raw",)
    __array_ufunc__ = None  # operators of NumPy's arrays ask this class

    def __init__(self, raw):
        self.raw = raw

    def __repr__(self):
        rows, columns = self.shape
        return f"Sparse({rows} x {columns}, {self.nnz} entries, {self.dtype}, form={self.form!r})"

    @property
    def form(self):
        """Return the name of the storage."""
        return str(self.raw.form).lower().removeprefix("ty_")

    @property
    def shape(self):
        """Return the numbers of rows and columns."""
        return (self.raw.rows, self.raw.columns)

    @property
    def values(self):
        """Return the values of the entries."""
        return self.raw.values

    @property
    def indices(self):
        """Return the places of the entries."""
        return self.raw.indices

    @property
    def starts(self):
        """Return where rows or columns start; None for "coo"."""
        return self.raw.starts

    @property
    def dtype(self):
        """Return the dtype of the values."""
        return self.raw.values.dtype

    @property
    def nnz(self):
        """Return the number of entries."""
        return c.sparse_entries(self.raw)

    @property
    def T(self):
        """Return the transpose."""
        return Sparse(c.sparse_transpose(self.raw))

    def to(self, form):
        """Return the matrix in a form: "coo", "csr" or "csc"."""
        return Sparse(c.sparse_as(self.raw, form))

    def todense(self):
        """Return all elements as an array."""
        return c.sparse_to_dense(self.raw)

    toarray = todense

    def astype(self, dtype):
        """Return the matrix with values of a dtype."""
        return Sparse(c.sparse_cast(self.raw, dtype_of(dtype)))

    def __matmul__(self, other):
        if isinstance(other, Sparse):
            return Sparse(c.sparse_product(self.raw, other.raw))
        return c.sparse_matmul(self.raw, other)

    def __rmatmul__(self, other):
        return c.sparse_rmatmul(other, self.raw)

    def __add__(self, other):
        if not isinstance(other, Sparse):
            return NotImplemented
        return Sparse(c.sparse_add(self.raw, other.raw))

    def __sub__(self, other):
        if not isinstance(other, Sparse):
            return NotImplemented
        return Sparse(c.sparse_sub(self.raw, other.raw))

    def __mul__(self, other):
        if isinstance(other, Sparse):
            return Sparse(c.sparse_mul(self.raw, other.raw))
        return Sparse(c.sparse_scale(self.raw, other))

    __rmul__ = __mul__

    def __neg__(self):
        return Sparse(c.sparse_with(self.raw, c.neg(self.values)))

    def sum(self, axis=None, keepdims=False):
        """Return sums over axes."""
        return c.sparse_sum(self.raw, axis, keepdims)

    def mean(self, axis=None, keepdims=False):
        """Return means over axes."""
        return c.sparse_mean(self.raw, axis, keepdims)

    def max(self, axis=None, keepdims=False):
        """Return the greatest elements over axes."""
        return c.sparse_max(self.raw, axis, keepdims)

    def min(self, axis=None, keepdims=False):
        """Return the least elements over axes."""
        return c.sparse_min(self.raw, axis, keepdims)

    def norm(self):
        """Return the Frobenius norm."""
        return c.sparse_norm(self.raw)

    def diagonal(self):
        """Return the main diagonal."""
        return c.sparse_diagonal(self.raw)


def from_dense(x, form="csr"):
    """Return the sparse matrix of the elements that are not 0."""
    return Sparse(c.sparse_from_dense(x, form))


def _of(matrix, form):
    """Return the matrix in a form: of a Sparse, a matrix of SciPy, or an array of all elements."""
    if isinstance(matrix, Sparse):
        return matrix.to(form)
    if hasattr(matrix, "tocsr"):
        rows = matrix.tocsr()
        if len(rows.shape) != 2:
            raise ValueError(f"a sparse array of shape {rows.shape}; expected 2 axes")
        return csr(as_array(rows.data), rows.indices, rows.indptr, rows.shape).to(form)
    return from_dense(as_array(matrix), form)


def _of_shape(made, shape):
    """Return a matrix whose rows and columns were counted, if it has the shape that was given."""
    if made.shape != tuple(shape):
        raise ValueError(f"the starts and the shape give a matrix of shape {made.shape}; "
                         f"expected {tuple(shape)}")
    return made


def _check_parts(name, **parts):
    """Raise a TypeError if a part of a form is missing."""
    for part, value in parts.items():
        if value is None:
            raise TypeError(f"{name}: indices are given without {part}; expected both, or one "
                            "matrix alone")


def coo(values, indices=None, shape=None):
    """Return a matrix of values at (row, column) pairs, the rows of indices.

    Of one argument: a Sparse, a matrix of SciPy, or an array of all elements.
    """
    if indices is None:
        return _of(values, "coo")
    _check_parts("coo", shape=shape)
    return Sparse(c.sparse_coo(values, as_array(indices), shape[0], shape[1]))


def _compressed(form, make, inner, doc):
    """Return the function that makes matrices of a form with starts.

    make: the function of the library; inner: the axis that the indices count.
    """
    def function(values, indices=None, starts=None, shape=None):
        if indices is None:
            return _of(values, form)
        _check_parts(form, starts=starts, shape=shape)
        made = Sparse(make(values, as_array(indices), as_array(starts), shape[inner]))
        return _of_shape(made, shape)

    function.__doc__ = f"{doc}\n\nOf one argument: as coo."
    return offered(function, __name__, form)


csr = _compressed("csr", c.sparse_csr, 1, "Return a matrix of rows: columns of the entries, and "
                  "where each row starts.")
csc = _compressed("csc", c.sparse_csc, 0, "Return a matrix of columns: rows of the entries, and "
                  "where each column starts.")


def eye(n, dtype=float64):
    """Return the sparse identity matrix."""
    return Sparse(c.sparse_identity(dtype_of(dtype), n))


def diags(diagonals, offsets, shape):
    """Return a matrix of diagonals at offsets."""
    arrays = [as_array(d) for d in diagonals]
    return Sparse(c.sparse_diagonals(arrays, tuple(offsets), shape[0], shape[1]))


def concat(matrices, axis=0):
    """Join matrices along an axis."""
    return Sparse(c.sparse_concat([m.raw for m in matrices], axis))


def spsolve_triangular(a, b, lower=True, unit_diagonal=False):
    """Solve a x = b for a triangular matrix."""
    return c.sparse_triangular_solve(a.raw, b, not lower, unit_diagonal)


def load(path):
    """Read a matrix of SciPy's npz file."""
    return Sparse(c.sparse_load(path))


def save(path, matrix):
    """Write SciPy's npz file of a matrix."""
    c.sparse_save(path, matrix.raw)


# ---- equations and eigenvalues: a is a Sparse, an array, or a function that returns a x ----

def _map(a):
    """Return the linear map of a matrix or a function, as the library takes it."""
    if a is None:
        return None
    if isinstance(a, Sparse):
        return {"apply": a.__matmul__}
    return {"apply": a if callable(a) else as_array(a).__matmul__}


def _solve(solver, a, b, options, restart=0):
    """Return the solution of an iterative solver; options are those of cg."""
    rtol, atol, maxiter, M, x0 = options
    return solver(_map(a), b, tolerance=rtol, absolute=atol, most=maxiter, restart=restart,
                  preconditioner=_map(M), first=None if x0 is None else as_array(x0))


def cg(a, b, *, rtol=0.0, atol=0.0, maxiter=0, M=None, x0=None):
    """Solve a x = b for a positive definite by conjugate gradients.

    Returns x, iterations and residual; NotConvergedError otherwise.  M approximates the inverse of
    a, as a matrix or a function.  Zeros choose the usual limits.
    """
    return _solve(c.cg, a, b, (rtol, atol, maxiter, M, x0))


def bicgstab(a, b, *, rtol=0.0, atol=0.0, maxiter=0, M=None, x0=None):
    """Solve a x = b by stabilised biconjugate gradients, as cg."""
    return _solve(c.bicgstab, a, b, (rtol, atol, maxiter, M, x0))


def gmres(a, b, *, rtol=0.0, atol=0.0, maxiter=0, restart=0, M=None, x0=None):
    """Solve a x = b by least residuals in a Krylov space, as cg."""
    return _solve(c.gmres, a, b, (rtol, atol, maxiter, M, x0), restart)


def lanczos(a, start, k=6, which="largest", *, maxiter=0, tol=0.0):
    """Return k eigenvalues and eigenvectors of a symmetric a, from a vector to start with."""
    return c.lanczos(_map(a), start, k, which=which, most=maxiter, tolerance=tol)


def ilu(a):
    """Return the incomplete factors l and u of a matrix, in its places."""
    factors = c.sparse_ilu(a.raw)
    return Sparse(factors.l), Sparse(factors.u)


def ichol(a):
    """Return the incomplete Cholesky factor of a matrix, in its places."""
    return Sparse(c.sparse_ic(a.raw))


__getattr__, __dir__ = attributes_of(__name__)
