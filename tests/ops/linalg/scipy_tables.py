"""Writes scipy.def: expressions of Tyto, their operands, and SciPy's results.  Run it by hand with SciPy installed."""
import numpy as np
import scipy.linalg as sl

random = np.random.default_rng(39)
a = np.round(random.normal(size=(4, 4)), 3)
b = np.round(random.normal(size=(4, 2)), 3)
q = np.round(a @ a.T + np.eye(4), 3)
z = np.round(random.normal(size=(3, 3)), 3) + 1j * np.round(random.normal(size=(3, 3)), 3)
d = np.round(b @ random.normal(size=(2, 5)), 3)
d = np.outer(d[:, 0], [1, 2, 0, -1, 3]) + np.outer(d[:, 1], [0, 1, 1, 1, -2])


def projection(columns):
    return columns @ columns.conj().T


rows = [
    ("expm(a)", sl.expm(a)),
    ("expm(z)", sl.expm(z)),
    ("expm(10 * a)", sl.expm(10 * a)),
    ("logm(q)", sl.logm(q).astype(complex)),
    ("logm(z)", sl.logm(z)),
    ("sqrtm(a)", sl.sqrtm(a).astype(complex)),
    ("sqrtm(z)", sl.sqrtm(z)),
    ("sinm(a)", sl.sinm(a)),
    ("cosm(z)", sl.cosm(z)),
    ("sylvester(a, z, b @ ones((2, 3)))", sl.solve_sylvester(a.astype(complex), z, (b @ np.ones((2, 3))).astype(complex))),
    ("lyapunov(a, q)", sl.solve_continuous_lyapunov(a, q)),
    ("discrete_lyapunov(a, q)", sl.solve_discrete_lyapunov(a, q)),
    ("care(a, b, q, eye(2))", sl.solve_continuous_are(a, b, q, np.eye(2))),
    ("dare(a, b, q, eye(2))", sl.solve_discrete_are(a, b, q, np.eye(2))),
    ("hessenberg(a)", sl.hessenberg(a, calc_q=True)),
    ("hessenberg(z)", sl.hessenberg(z, calc_q=True)),
    ("schur(q)", sl.schur(q)),
    ("qr_pivoted(a)", sl.qr(a, pivoting=True)),
    ("qr_pivoted(d)", sl.qr(d[:, :2], pivoting=True, mode="economic")),
    ("lu(z)", (lambda p, l, u: (l, u, p.argmax(0)))(*sl.lu(z))),
    ("cholesky_solve(cholesky(q), b)", sl.cho_solve(sl.cho_factor(q), b)),
    ("null_space(d) @ transpose(null_space(d))", projection(sl.null_space(d))),
    ("range_space(d) @ transpose(range_space(d))", projection(sl.orth(d))),
]


def numbers(x):
    x = np.asarray(x)
    flat = x.ravel()
    if np.iscomplexobj(x):
        flat = np.column_stack([flat.real, flat.imag]).ravel()
    return ", ".join(repr(float(v)) for v in flat)


def sizes(x):
    return ", ".join(str(n) for n in np.asarray(x).shape)


out = ["/* Written by scipy_tables.py: OPERAND(name, complex, sizes, numbers), and EXPRESSION(text, which result,",
       "   complex, sizes, SciPy's numbers). */"]
for name, x in (("a", a), ("b", b), ("q", q), ("z", z), ("d", d)):
    out.append("OPERAND(%s, %d, (%s), (%s))" % (name, np.iscomplexobj(x), sizes(x), numbers(x)))
for text, results in rows:
    text = text.replace("qr_pivoted(d)", "qr_pivoted(d[:, :2])")
    for i, x in enumerate(results if isinstance(results, tuple) else (results,)):
        out.append('EXPRESSION("%s", %d, %d, (%s), (%s))' % (text, i, np.iscomplexobj(x), sizes(x), numbers(x)))
out += ["#undef OPERAND", "#undef EXPRESSION"]
open("tests/ops/linalg/scipy.def", "w").write("\n".join(out) + "\n")
