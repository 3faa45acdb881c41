"""Special functions of mathematics, elementwise, under SciPy's names."""

from ._base import as_array, attributes_of
from ._core import c
from ._reduce import logsumexp  # noqa: F401  (a name of scipy.special, too)

# ---- gamma and beta functions ----
beta = c.beta
betainc = c.betainc
betaincc = c.betaincc
betaincinv = c.betaincinv
betaln = c.lbeta
digamma = psi = c.digamma
gamma = c.gamma
gammainc = c.gammainc
gammaincc = c.gammaincc
gammainccinv = c.gammainccinv
gammaincinv = c.gammaincinv
gammaln = c.lgamma
polygamma = c.polygamma
trigamma = c.trigamma
binom = c.binom

# ---- error function and logistic functions ----
dawsn = c.dawson
entr = c.entr
erf = c.erf
erfc = c.erfc
erfcinv = c.erfcinv
erfcx = c.erfcx
erfinv = c.erfinv
expit = c.sigmoid
log_expit = c.log_sigmoid
log_ndtr = c.log_ndtr
logit = c.logit
ndtr = c.ndtr
ndtri = c.ndtri
xlog1py = c.xlog1py
xlogy = c.xlogy

# ---- integrals ----
exp1 = c.expint_e1
expi = c.expint_ei
expn = c.expn
spence = c.spence

# ---- Bessel functions ----
i0, i0e, i1, i1e = c.i0, c.i0e, c.i1, c.i1e
iv, ive = c.iv, c.ive
j0, j1, jv = c.j0, c.j1, c.jv
k0, k1, kv, kve = c.k0, c.k1, c.kv, c.kve
y0, y1, yv = c.y0, c.y1, c.yv
spherical_in, spherical_jn = c.spherical_in, c.spherical_jn
spherical_kn, spherical_yn = c.spherical_kn, c.spherical_yn
struve, modstruve = c.struve, c.modstruve

# ---- elliptic integrals ----
ellipe, ellipeinc = c.ellipe, c.ellipeinc
ellipk, ellipkinc = c.ellipk, c.ellipkinc
ellippi, ellippiinc = c.ellippi, c.ellippiinc
elliprc, elliprd, elliprf, elliprg = c.elliprc, c.elliprd, c.elliprf, c.elliprg

# ---- polynomials and hypergeometric functions ----
eval_chebyt, eval_chebyu = c.eval_chebyt, c.eval_chebyu
eval_gegenbauer = c.eval_gegenbauer
eval_genlaguerre, eval_laguerre = c.eval_genlaguerre, c.eval_laguerre
eval_hermite, eval_hermitenorm = c.eval_hermite, c.eval_hermitenorm
eval_legendre = c.eval_legendre
eval_jacobi = c.eval_jacobi
hyp1f1 = c.hyp1f1
hyp2f1 = c.hyp2f1
lpmv = c.lpmv
polylog = c.polylog
stirling1, stirling2 = c.stirling1, c.stirling2


def zeta(x, q=1.0):
    """Return the sums of (k + q)^-x for k from 0 on; Riemann's function for q 1."""
    return c.zeta(x, q)


def factorial(n):
    """Return gamma(n + 1), and 0 for negative numbers."""
    return c.where(c.lt(n, 0), 0, c.factorial(n))


def comb(N, k):
    """Return the numbers of ways to choose k of N, without order; 0 unless 0 <= k <= N."""
    some = c.logical_and(c.ge(k, 0), c.le(k, N))
    return c.where(some, c.binom(N, k), 0)


def lambertw(x, k=0):
    """Return the real branch k of Lambert's W function, 0 or -1."""
    if k not in (0, -1):
        raise ValueError(f"lambertw: the branches 0 and -1 are real, {k} is not")
    return c.lambertwm1(x) if k else c.lambertw(x)


def airy(x):
    """Return Airy's Ai, Ai', Bi and Bi'."""
    return c.airy_ai(x), c.airy_ai_derivative(x), c.airy_bi(x), c.airy_bi_derivative(x)


def ellipj(u, m):
    """Return Jacobi's elliptic functions sn, cn, dn, and the amplitude."""
    return c.jacobi_sn(u, m), c.jacobi_cn(u, m), c.jacobi_dn(u, m), c.jacobi_am(u, m)


def fresnel(x):
    """Return Fresnel's integrals S and C."""
    return c.fresnel_s(x), c.fresnel_c(x)


def sici(x):
    """Return the sine and the cosine integral."""
    return c.sine_integral(x), c.cosine_integral(x)


def shichi(x):
    """Return the hyperbolic sine and cosine integral."""
    return c.sinh_integral(x), c.cosh_integral(x)


def softmax(x, axis=None):
    """Return exp(x) scaled to sum 1 along an axis, or over all elements."""
    return _along(c.softmax, x, axis)


def log_softmax(x, axis=None):
    """Return the logarithm of softmax, without overflow."""
    return _along(c.log_softmax, x, axis)


def _along(function, x, axis):
    """Return a function along an axis, or of all elements as one line."""
    if axis is not None:
        return function(x, axis)
    x = as_array(x)
    return c.reshape(function(c.ravel(x), 0), x.shape)


__getattr__, __dir__ = attributes_of(__name__)
