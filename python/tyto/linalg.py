"""Linear algebra: the standard's extension, and more of NumPy's and SciPy's functions."""

from collections import namedtuple

from ._base import as_array, attributes_of, ints, is_integer, placed_into, shown
from ._core import NotConvergedError, ShapeError, SingularError, c
from ._dtypes import dtype_of

EigResult = namedtuple("EigResult", "eigenvalues eigenvectors")
EighResult = namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = namedtuple("QRResult", "Q R")
SlogdetResult = namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = namedtuple("SVDResult", "U S Vh")

# Classes of the errors that NumPy's LinAlgError stands for, as `except` takes them.
LinAlgError = (SingularError, ShapeError, NotConvergedError)

# ---- products ----

matmul = c.matmul
outer = c.outer
inner = c.inner
kron = c.kron
vdot = c.vdot


def dot(x1, x2, /, out=None):
    """Return the product of matrices and vectors; of more axes, NumPy's sums over two of them."""
    x1, x2 = as_array(x1), as_array(x2)
    if x1.ndim == 0 or x2.ndim == 0:
        return placed_into(out, c.mul(x1, x2))
    if x2.ndim <= 2:
        return placed_into(out, c.matmul(x1, x2))
    return placed_into(out, c.tensordot(x1, x2, (-1,), (-2,)))


def vecdot(x1, x2, /, *, axis=-1):
    """Return sums of conj(x1) x2 along an axis; the other axes broadcast."""
    x1, x2 = c.conj(x1), as_array(x2)
    if axis != -1:
        x1, x2 = c.moveaxis(x1, (axis,), (-1,)), c.moveaxis(x2, (axis,), (-1,))
    return c.dot_product(x1, x2)


def tensordot(x1, x2, /, axes=2):
    """Return sums of products over pairs of axes: how many at the ends, or two lists."""
    x1, x2 = as_array(x1), as_array(x2)
    if is_integer(axes):
        if not 0 <= axes <= min(x1.ndim, x2.ndim):
            raise ValueError(f"tensordot: {axes} axes of arrays of {x1.ndim} and {x2.ndim}")
        return c.tensordot(x1, x2, tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes)))
    first, second = map(ints, axes)
    return c.tensordot(x1, x2, first, second)


def einsum(equation, /, *operands, out=None, optimize=True):
    """Return the sum of products that an equation of letters describes: "ij,jk->ik".

    optimize is NumPy's; the library always chooses the order of products.
    """
    return placed_into(out, c.einsum_of(equation, list(operands)))


def cross(x1, x2, /, *, axis=-1):
    """Return the cross product of vectors along an axis."""
    return c.cross(x1, x2, axis)


def multi_dot(arrays):
    """Return the product of matrices in the order that costs least."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    arrays = [as_array(x) for x in arrays]
    terms = [letters[i:i + 2] for i in range(len(arrays))]
    if arrays[0].ndim == 1:
        terms[0] = terms[0][1:]
    if arrays[-1].ndim == 1:
        terms[-1] = terms[-1][:1]
    first = "" if arrays[0].ndim == 1 else terms[0][0]
    last = "" if arrays[-1].ndim == 1 else terms[-1][-1]
    return c.einsum_of(",".join(terms) + "->" + first + last, arrays)


def matrix_power(x, n, /):
    """Return the n-th power of square matrices; of their inverses for a negative n."""
    return c.matrix_power(x, n)


# ---- views ----

def matrix_transpose(x, /):
    """Return a view with its last two axes exchanged."""
    x = as_array(x)
    return shown(x, lambda x: c.swap(x, -2, -1))


def diagonal(x, /, offset=0):
    """Return a read-only view of a diagonal of each matrix, as the last axis."""
    return shown(x, lambda x: c.diagonal_at(x, offset, -2, -1), fixed=True)


def trace(x, /, *, offset=0, dtype=None):
    """Return the sum of a diagonal of each matrix."""
    if dtype is None:
        return c.trace(x, offset, -2, -1)
    return c.sum_as(c.diagonal_at(x, offset, -2, -1), -1, dtype_of(dtype))


# ---- equations ----

def solve(x1, x2, /):
    """Solve x1 x = x2 for matrices, or for one vector."""
    return c.solve(x1, x2)


def solve_triangular(a, b, *, lower=False, unit_diagonal=False):
    """Solve a x = b for triangular matrices; the other half is not read."""
    return c.triangular_solve(a, b, not lower, unit_diagonal)


def cho_solve(l, b):
    """Solve a x = b for a = l l^H, the factor of cholesky."""
    return c.cholesky_solve(l, b)


def tensorsolve(a, b, axes=None):
    """Solve tensordot(a, x, x.ndim) = b for x; axes of a are moved to its end before."""
    a, b = as_array(a), as_array(b)
    if axes is not None:
        a = c.moveaxis(a, ints(axes), range(a.ndim - len(ints(axes)), a.ndim))
    shape = a.shape[b.ndim:]
    count = 1
    for size in shape:
        count *= size
    if a.size != count * count:
        raise ShapeError(f"tensorsolve: {a.shape} is no square matrix of axes {b.shape} and "
                         f"{shape}")
    return c.reshape(c.solve(c.reshape(a, (count, count)), c.ravel(b)), shape)


def tensorinv(a, ind=2):
    """Return the inverse for tensordot(a, ..., ind), whose rows are the first ind axes of a."""
    a = as_array(a)
    if ind < 1:
        raise ValueError(f"tensorinv: ind is {ind}; expected 1 or more")
    rows, columns = a.shape[:ind], a.shape[ind:]
    count = 1
    for size in columns:
        count *= size
    return c.reshape(c.inv(c.reshape(a, (-1, count))), columns + rows)


def inv(x, /):
    """Return the inverses of square matrices."""
    return c.inv(x)


def pinv(x, /, rcond=None, hermitian=False, *, rtol=None):
    """Return Moore-Penrose inverses; singular values up to rtol times the greatest count as 0.

    rcond is another name of rtol.  hermitian is NumPy's; results are the same.
    """
    rtol = rcond if rtol is None else rtol
    if rtol is None or isinstance(rtol, (int, float)):
        return c.pinv(x, -1.0 if rtol is None else rtol)
    u, s, vh = svd(x, full_matrices=False)
    small = c.le(s, _limit(s, rtol))
    inverse = c.where(small, c.zeros_like(s), c.recip(c.where(small, c.ones_like(s), s)))
    v, uh = c.conj(c.swap(vh, -2, -1)), c.conj(c.swap(u, -2, -1))
    return c.matmul(c.mul(v, c.expand(inverse, -2)), uh)


def _limit(s, rtol):
    """Return rtol times the greatest of each line of singular values, [.., 1]."""
    greatest = c.amax(s, -1, True) if s.shape[-1] else c.zeros(s.dtype, s.shape[:-1] + (1,))
    return c.mul(greatest, c.expand(c.cast(as_array(rtol), s.dtype), -1))


def lstsq(a, b, rcond=None):
    """Return least-squares solutions of a x = b, with residuals, rank and singular values."""
    return c.lstsq(a, b, -1.0 if rcond is None else rcond)


def det(x, /):
    """Return the determinants of square matrices."""
    return c.det(x)


def slogdet(x, /):
    """Return signs and logarithms of the moduli of determinants."""
    return SlogdetResult(*c.slogdet(x))


# ---- factorisations ----

def cholesky(x, /, upper=False):
    """Return the triangular factors l of x = l l^H; with upper the adjoints of l."""
    factor = c.cholesky(x)
    return c.conj(c.swap(factor, -2, -1)) if upper else factor


def qr(x, /, mode="reduced"):
    """Return factors Q R with orthonormal columns in Q; mode "complete" makes Q square."""
    if mode == "r":
        return c.qr(x, False)[1]
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode is 'reduced', 'complete' or 'r', not {mode!r}")
    return QRResult(*c.qr(x, mode == "complete"))


def svd(x, /, full_matrices=True, compute_uv=True, hermitian=False):
    """Return singular vectors and values: x = U diag(S) Vh; hermitian is that of pinv."""
    return SVDResult(*c.svd(x, full_matrices)) if compute_uv else c.svdvals(x)


def svdvals(x, /):
    """Return singular values in descending order."""
    return c.svdvals(x)


def eigh(x, /, UPLO="L"):
    """Return eigenvalues and eigenvectors of Hermitian matrices, whose lower half is read.

    UPLO "U" reads the upper half.
    """
    return EighResult(*c.eigh(_half(x, UPLO, "eigh")))


def eigvalsh(x, /, UPLO="L"):
    """Return eigenvalues of Hermitian matrices in ascending order; UPLO is that of eigh."""
    return c.eigvalsh(_half(x, UPLO, "eigvalsh"))


def _half(x, uplo, name):
    """Return matrices with the wanted half below the diagonal, where the library reads it."""
    if uplo not in ("L", "U", "l", "u"):
        raise ValueError(f"{name}: UPLO is 'L' or 'U', not {uplo!r}")
    return x if uplo in "Ll" else c.conj(c.transpose(as_array(x)))


def eig(x, /):
    """Return complex eigenvalues and eigenvectors of square matrices."""
    return EigResult(*c.eig(x))


def eigvals(x, /):
    """Return complex eigenvalues of square matrices."""
    return c.eigvals(x)


lu = c.lu
hessenberg = c.hessenberg


def schur(x, order="none"):
    """Return the Schur form of matrices, with eigenvalues ordered "left", "right", ... first."""
    return c.schur(x, order)


# ---- norms and ranks ----

def _order(ord):
    """Return the name of the order of a matrix norm."""
    return ord if isinstance(ord, str) else f"{float(ord):g}"


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Return norms of matrices: "fro", "nuc", 1, 2, infinity or their negatives."""
    result = c.matrix_norm(x, _order("fro" if ord is None else ord))
    return c.expand_axes(result, (-2, -1)) if keepdims else result


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Return norms of vectors along axes: 2, 1, 0, infinity or any other order."""
    return c.norm(x, ord, axis, keepdims)


def norm(x, ord=None, axis=None, keepdims=False):
    """Return norms of vectors along one axis, or of matrices along two; by default of all."""
    x = as_array(x)
    if ord is None:
        return c.norm(x, 2, axis, keepdims)
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(axes) == 1:
        return c.norm(x, ord, axes, keepdims)
    if len(axes) != 2:
        raise ValueError(f"norm: order {ord!r} needs one or two axes, not {len(axes)}")
    result = c.matrix_norm(c.moveaxis(x, axes, (-2, -1)), _order(ord))
    return c.expand_axes(result, tuple(a % x.ndim for a in axes)) if keepdims else result


def cond(x, p=None):
    """Return condition numbers of matrices in a norm, by default 2."""
    return c.condition_number(x, _order(2 if p is None else p))


def matrix_rank(x, /, tol=None, hermitian=False, *, rtol=None):
    """Return how many singular values exceed tol, or rtol times the greatest.

    hermitian is that of pinv.
    """
    if tol is not None:
        if rtol is not None:
            raise ValueError("matrix_rank: tol and rtol exclude each other")
        return c.count_nonzero(c.gt(c.svdvals(x), c.expand(as_array(tol), -1)), -1)
    if rtol is None or isinstance(rtol, (int, float)):
        return c.matrix_rank(x, -1.0 if rtol is None else rtol)
    s = c.svdvals(x)
    return c.count_nonzero(c.gt(s, _limit(s, rtol)), -1)


# ---- functions of matrices, equations of control ----

expm, logm, sqrtm, sinm, cosm = c.expm, c.logm, c.sqrtm, c.sinm, c.cosm
solve_sylvester = c.sylvester
solve_continuous_lyapunov = c.lyapunov
solve_discrete_lyapunov = c.discrete_lyapunov
solve_continuous_are = c.care
solve_discrete_are = c.dare


def null_space(x, rcond=None):
    """Return an orthonormal basis of the null space of a matrix, in columns."""
    return c.null_space(x, -1.0 if rcond is None else rcond)


def orth(x, rcond=None):
    """Return an orthonormal basis of the range of a matrix, in columns."""
    return c.range_space(x, -1.0 if rcond is None else rcond)




# ---- matrices of a kind ----

circulant = c.circulant
companion = c.companion


def block_diag(*matrices):
    """Return the matrix with matrices, or those of one list, on its diagonal."""
    one = len(matrices) == 1 and isinstance(matrices[0], (list, tuple))
    return c.block_diag(list(matrices[0] if one else matrices))


def toeplitz(column, row=None):
    """Return the matrix of constant diagonals with this first column and row."""
    return c.toeplitz(column, c.conj(column) if row is None else row)


def hankel(column, row=None):
    """Return the matrix of constant antidiagonals with this first column and last row."""
    return c.hankel(column, c.zeros_like(column) if row is None else row)


def hilbert(n, dtype=float):
    """Return the Hilbert matrix, whose elements are 1 / (i + j + 1)."""
    return c.hilbert(dtype_of(dtype), n)


def hadamard(n, dtype=float):
    """Return the Hadamard matrix of 1 and -1 for a power of two."""
    return c.hadamard(dtype_of(dtype), n)


def pascal(n, dtype=int):
    """Return the symmetric matrix of binomial coefficients."""
    return c.pascal(dtype_of(dtype), n)


def magic(n, dtype=int):
    """Return a square of the numbers 1 to n n with equal sums."""
    return c.magic(dtype_of(dtype), n)


# ---- further factorisations, and questions ----

def qr_pivoted(x, full=False):
    """Return q, r and the order of columns: x[:, order] = q r, with descending diagonal of r."""
    return c.qr_pivoted(x, full)


def qz(a, b, order="none"):
    """Return the generalised Schur form of two matrices."""
    return c.qz(a, b, order)


def randomised_svd(x, rank, key, oversample=10, iterations=2):
    """Return the greatest singular values and their vectors of a large matrix, approximately."""
    return SVDResult(*c.randomised_svd(x, rank, oversample, iterations, key))


def pca(x, count):
    """Return the principal components of points, the rows of x."""
    return c.pca(x, count)


def is_triu(x, tolerance=0.0):
    """Return True for each matrix without elements below its diagonal."""
    return c.is_triu(x, tolerance)


def is_tril(x, tolerance=0.0):
    """Return True for each matrix without elements above its diagonal."""
    return c.is_tril(x, tolerance)


def is_diag(x, tolerance=0.0):
    """Return True for each matrix without elements beside its diagonal."""
    return c.is_diag(x, tolerance)


def is_symmetric(x, tolerance=0.0):
    """Return True for each matrix that equals its transpose."""
    return c.is_symmetric(x, tolerance)


def is_hermitian(x, tolerance=0.0):
    """Return True for each matrix that equals its adjoint."""
    return c.is_hermitian(x, tolerance)


__getattr__, __dir__ = attributes_of(__name__, "LinAlgError")
