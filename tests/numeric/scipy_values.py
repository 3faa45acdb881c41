"""SciPy's and NumPy's values of interpolation, polynomials and quadrature: scipy_values.py > scipy_values.def.  Inputs
follow formulas that test_numeric.c shares."""
import numpy as np
import scipy.integrate as si
import scipy.interpolate as sp


def x(n):
    i = np.arange(n, dtype=float)
    return np.cos(0.7 * i * i) + 0.1 * i


def rising(n):
    return np.cumsum(np.abs(x(n)) + 0.3)


p, v, m, short = rising(9), x(9), x(36).reshape(9, 4), rising(4)
z = v + 1j * v[::-1]
q = np.linspace(p[0] - 1, p[-1] + 1, 23)
inside = np.linspace(p[0], p[-1], 17)
rows = []


def row(ours, value, tolerance=1e-11):
    value = np.asarray(value)
    parts = np.stack([value.real, value.imag], -1).ravel() if np.iscomplexobj(value) else value.ravel()
    rows.append('SCIPY("%s", %d, %g, %s)' % (ours.replace('"', '\\"'), np.iscomplexobj(value), tolerance,
                                          ", ".join("%.17g" % v for v in parts)))


def curve(kind, xs, ys, end="not-a-knot", axis=0):
    if kind == "cubic":
        return sp.CubicSpline(xs, ys, bc_type=end, axis=axis)
    if kind == "pchip":
        return sp.PchipInterpolator(xs, ys, axis=axis)
    if kind == "linear":
        d = np.diff(xs).reshape((-1,) + (1,) * (np.ndim(ys) - 1))
        return sp.PPoly(np.stack([np.diff(ys, axis=0) / d, np.moveaxis(ys, axis, 0)[:-1]]), xs)
    return sp.Akima1DInterpolator(xs, ys, axis=axis, method=kind, extrapolate=True)


row('interp(q, p, v)', np.interp(q, p, v))
for kind in ("linear", "cubic", "pchip", "akima", "makima"):
    c, k = curve(kind, p, v), 'kind="%s"' % kind
    row('interp(q, p, v, %s, extrapolate="extend")' % k, c(q))
    row('interp(q, p, v, %s)' % k, c(np.clip(q, p[0], p[-1])))
    row('interp(inside, p, m, %s)' % k, curve(kind, p, m)(inside))
    if kind != "linear":
        row('interp(reshape(inside[:16], (4, 4)), p, transpose(m), %s, axis=1)' % k, curve(kind, p, m.T, axis=1)(inside[:16].reshape(4, 4)))
    for order in (1, 2, 3, 4):
        row('interp_derivative(inside + 0.01, p, v, %d, %s)' % (order, k), c(inside + 0.01, nu=order), 1e-10)
    row('interp_derivative(q, p, v, -1, %s)' % k, c.antiderivative()(q))
    row('interp_derivative(q, p, v, -2, %s)' % k, c.antiderivative(2)(q), 1e-10)
    row('interp_integral(1, q, p, v, %s)' % k, [c.integrate(1, b) for b in q])
    row('interp_integral(q, inside[5], p, m, %s)' % k, np.array([curve(kind, p, m).integrate(b, inside[5]) for b in q]))
    for n in (2, 3, 4, 5):
        if kind != "makima" or n > 2:
            row('interp(q, p[:%d], v[:%d], %s, extrapolate="extend")' % (n, n, k), curve(kind, p[:n], v[:n])(q), 1e-10)
for end in ("natural", "clamped", "not-a-knot"):
    k = 'kind="cubic", extrapolate="extend", end="%s"' % end
    for n in (2, 3, 4, 5, 9):
        row('interp(q, p[:%d], v[:%d], %s)' % (n, n, k), sp.CubicSpline(p[:n], v[:n], bc_type=end)(q), 1e-9)
    row('interp(q, p, z, %s)' % k, sp.CubicSpline(p, z, bc_type=end)(q), 1e-10)
row('interp(q, p, v, kind="cubic", extrapolate="extend", end="clamped", first=2, last=-1)',
    sp.CubicSpline(p, v, bc_type=((1, 2), (1, -1)))(q), 1e-10)
for n in (3, 4, 5, 9):
    ring = v[:n].copy()
    ring[-1] = ring[0]
    row('interp(q, p[:%d], v[:%d], kind="cubic", extrapolate="wrap", end="periodic")' % (n, n),
        sp.CubicSpline(p[:n], ring, bc_type="periodic")(q), 1e-10)
    row('interp_integral(0, q, p[:%d], v[:%d], kind="cubic", extrapolate="wrap", end="periodic")' % (n, n),
        [sp.CubicSpline(p[:n], ring, bc_type="periodic").integrate(0, b) for b in q], 1e-10)
for kind in ("nearest", "previous", "next"):
    row('interp(inside, p, v, kind="%s")' % kind, sp.interp1d(p, v, kind=kind)(inside))
    row('interp(q, p, m, kind="%s", extrapolate="fill", fill=7)' % kind,
        sp.interp1d(p, m, kind=kind, axis=0, bounds_error=False, fill_value=7.0)(q))
row('interp((p[1:] + p[:-1]) / 2, p, v, kind="nearest")', v[np.searchsorted((p[1:] + p[:-1]) / 2, (p[1:] + p[:-1]) / 2)])
row('interp(q, p, m, extrapolate="fill", fill=-2)', sp.interp1d(p, m, axis=0, bounds_error=False, fill_value=-2.0)(q))
grid = np.stack([np.linspace(p[0] - 1, p[-1] + 1, 10), np.linspace(short[0] + 1, short[3] - 2, 10)], -1)
row('interpn(grid, [p, short], m)', sp.interpn((p, short), m, np.clip(grid, [p[0], short[0]], [p[-1], short[-1]])))
row('interpn(grid, [p, short], m, extrapolate="extend")', sp.RegularGridInterpolator((p, short), m, bounds_error=False, fill_value=None)(grid))
row('interpn(grid, [p, short], m, kind="nearest", extrapolate="fill", fill=3)',
    sp.interpn((p, short), m, grid, method="nearest", bounds_error=False, fill_value=3.0))
row('interpn(grid[:, :1], [p], m)', sp.interp1d(p, m, axis=0)(np.clip(grid[:, 0], p[0], p[-1])))
row('interpn(grid, [p, short], reshape(m, (9, 4, 1)) * v)',
    sp.interpn((p, short), m[..., None] * v, np.clip(grid, [p[0], short[0]], [p[-1], short[-1]])))
near = np.clip(grid, [p[0], short[0]], [p[-1], short[-1]])
row('interpn(grid, [p, short], m, kind="cubic")', sp.CubicSpline(short, sp.CubicSpline(p, m)(near[:, 0]), axis=1)(near[:, 1]).diagonal(), 1e-10)
row('interpn(grid, [p, short], reshape(m, (9, 4, 1)) * v, kind="cubic", extrapolate="extend")',
    np.einsum("iik->ik", sp.CubicSpline(short, sp.CubicSpline(p, m[..., None] * v)(grid[:, 0]), axis=1)(grid[:, 1])), 1e-10)
for n in (1, 2, 3, 6, 9):
    row('polyval(v[:%d], q)' % n, np.polyval(v[:n], q), 1e-10)
row('polyfit(p, v, 3)', np.polyfit(p, v, 3), 1e-9)
row('polyfit(p, m, 2)', np.polyfit(p, m, 2), 1e-9)
row('polyfit(p, v, 2, weights=abs(v))', np.polyfit(p, v, 2, w=np.abs(v)), 1e-9)
row('polyval(polyfit(p, v, 8), p)', v, 1e-6)
row('sort(abs(roots(v)))', np.sort(np.abs(np.roots(v))), 1e-9)
for n in range(2, 10):
    row('simpson(v[:%d], p[:%d])' % (n, n), si.simpson(v[:n], x=p[:n]))
    row('simpson(m[:%d], p[:%d], axis=0)' % (n, n), si.simpson(m[:n], x=p[:n], axis=0))
    row('simpson(v[:%d], dx=0.3)' % n, si.simpson(v[:n], dx=0.3))
for n in (2, 3, 5, 9):
    row('romberg(v[:%d], dx=0.3)' % n, si.romb(v[:n], dx=0.3))
    row('romberg(m[:%d], axis=0)' % n, si.romb(m[:n], axis=0))
row('romberg(z)', si.romb(z))
row('cumulative_trapezoid(v, p)', si.cumulative_trapezoid(v, p))
row('cumulative_trapezoid(m, dx=0.2)', si.cumulative_trapezoid(m, dx=0.2))
for n in (1, 2, 3, 8, 21, 64):
    places, weights = np.polynomial.legendre.leggauss(n)
    row('gauss_legendre(%d)[0]' % n, places, 1e-14)
    row('gauss_legendre(%d)[1]' % n, weights, 1e-14)
print("/* Made by scipy_values.py with SciPy: SCIPY(\"expression\", pairs, tolerance, numbers).  Inputs are test_numeric.c's. */")
print("\n".join(rows))
print("#undef SCIPY")
