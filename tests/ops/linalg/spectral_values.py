"""Writes spectral.def: matrices with difficult eigenvalues and singular values, and mpmath's values.  Run it by hand with
mpmath installed.  A value's tolerance is its condition number times 40 n eps of the matrix's norm."""
import random
from mpmath import mp, mpf, mpc, matrix, eig, eigh, svd_r, svd_c, sqrt, mnorm, norm, diag, fabs

mp.dps = 60
EPS = 2.0 ** -52
random.seed(11)


def whole(n, f):
    return [[f(i, j) for j in range(n)] for i in range(n)]


def number():
    return random.randint(-512, 512) / 256.0


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def hermitian(a):
    n = len(a)
    return [[(a[i][j] if i > j else complex(a[j][i]).conjugate() if i < j else complex(a[i][i]).real) for j in range(n)]
            for i in range(n)]


def companion(roots):
    """Of the polynomial with these integer roots: exact in doubles."""
    coefficients = [1]
    for r in roots:
        coefficients = [x - r * y for x, y in zip(coefficients + [0], [0] + coefficients)]
    n = len(roots)
    return whole(n, lambda i, j: float(-coefficients[j + 1]) if i == 0 else 1.0 if i == j + 1 else 0.0)


grcar = whole(24, lambda i, j: -1.0 if i == j + 1 else 1.0 if i <= j <= i + 3 else 0.0)
frank = whole(9, lambda i, j: float(9 - max(i, j)) if j >= i - 1 else 0.0)
kahan = whole(36, lambda i, j: 0.875 ** i * (1.0 if i == j else -0.5 if i < j else 0.0))
wilkinson = whole(41, lambda i, j: float(abs(i - 20)) if i == j else 1.0 if abs(i - j) == 1 else 0.0)
graded = whole(34, lambda i, j: (number() or 1.0) * 2.0 ** (-2 * (i + j)))
repeated = whole(33, lambda i, j: float(i == j) * 3.0 - 0.0625 * (1 + i % 2) * (1 + j % 2))
usual = whole(36, lambda i, j: number())
complex_usual = whole(12, lambda i, j: complex(number(), number()))
complex_graded = whole(10, lambda i, j: complex(number(), number()) * 4.0 ** (-i - j))
lower = whole(12, lambda i, j: (2.0 ** -i if i == j else number() if i > j else 0.0))
jordan = whole(8, lambda i, j: 2.0 if i == j else 1.0 if i == j + 1 else 0.0)

cases = []


def text(z):
    return "%r, %r" % (float(mp.re(z)), float(mp.im(z)))


def add(name, function, a, values, tolerances):
    m, n = len(a), len(a[0])
    is_complex = any(isinstance(x, complex) for row in a for x in row)
    entries = ", ".join((text(x) if is_complex else repr(float(x))) for row in a for x in row)
    cases.append("SPECTRAL(%s, %s, %d, %d, %d, (%s), (%s), (%s))" % (
        name, function, is_complex, m, n, entries, ", ".join(text(v) for v in values),
        ", ".join("%.3g" % float(t) for t in tolerances)))


def general(name, a, loose=None):
    values, left, right = eig(matrix(a), left=True, right=True)
    n, size = len(a), mnorm(matrix(a), "f")
    tolerances = []
    for k in range(n):
        y, x = left[k, :], right[:, k]
        c = norm(y) * norm(x) / fabs((y * x)[0]) if loose is None else 1
        tolerances.append(40 * n * EPS * size * c if loose is None else loose)
    add(name, "eigvals", a, values, tolerances)


def symmetric(name, a):
    a = hermitian(a)
    values = eigh(matrix(a), eigvals_only=True)
    size = mnorm(matrix(a), "f")
    add(name, "eigvalsh", a, values, [10 * EPS * size] * len(a))


def singular(name, a):
    values = (svd_c if isinstance(a[0][0], complex) else svd_r)(matrix(a), compute_uv=False)
    add(name, "svdvals", a, values, [10 * EPS * max(values)] * len(values))


general("grcar", grcar)
general("frank", frank)
general("companion", companion(range(1, 11)))
general("usual", usual)
general("complex", complex_usual)
general("graded", graded)
general("lower", lower, 1e-15)
general("jordan", jordan, 1e-15)  # isolated by a permutation: exact
symmetric("wilkinson", wilkinson)
symmetric("repeated", repeated)
symmetric("usual", usual)
symmetric("complex", complex_usual)
symmetric("complex_graded", complex_graded)
singular("kahan", kahan)
singular("graded", graded)
singular("tall", usual + whole(36, lambda i, j: number()))
singular("complex", complex_usual)
singular("complex_graded", complex_graded)
singular("hilbert", whole(40, lambda i, j: 1.0 / (i + j + 1)))

out = ["/* Written by spectral_values.py: SPECTRAL(name, function, complex, rows, columns, numbers, values of mpmath, how far",
       "   each may be). */"] + cases + ["#undef SPECTRAL"]
open("tests/ops/linalg/spectral.def", "w").write("\n".join(out) + "\n")
