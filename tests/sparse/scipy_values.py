"""SciPy's values of sparse matrices: scipy_values.py > scipy_values.def.  Inputs follow formulas that test_sparse_values.c shares."""
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sl

lengths = np.array([3, 0, 4, 2, 5, 1, 0, 3])
e = np.arange(lengths.sum())
v, i, s = np.cos(e) + 0.1 * e, (7 * e * e + e) % 9, np.concatenate([[0], np.cumsum(lengths)])
a = sp.csr_matrix((v, i, s), shape=(8, 9))
x, m = np.sin(np.arange(9.0)), np.cos(np.arange(27.0)).reshape(9, 3)
n = 16
main = 4 + np.cos(np.arange(n))
p = sp.diags([main, -np.ones(n - 1), -np.ones(n - 1), 0.5 * np.ones(n - 4), 0.5 * np.ones(n - 4)], [0, 1, -1, 4, -4]).tocsr()
b = np.sin(np.arange(n) + 1.0)
rows = ["/* Made by scipy_values.py with SciPy: SCIPY(\"expression\", tolerance, numbers).  Inputs are test_sparse_values.c's. */"]


def row(ours, value, tolerance=1e-12):
    value = value.toarray() if sp.issparse(value) else np.asarray(value)
    rows.append('SCIPY("%s", %g, %s)' % (ours, tolerance, ", ".join("%.17g" % number for number in value.ravel())))


row("csr_to_dense(v, i, s, 9)", a)
row("csr_matmul(v, i, s, 9, x)", a @ x)
row("csr_matmul(v, i, s, 9, m)", a @ m)
row("csr_rmatmul(v, i, s, 9, m[:8, 0])", a.T @ m[:8, 0])
row("csr_sum(v, i, s, 9, axis=0)", a.sum(axis=0))
row("csr_sum(v, i, s, 9, axis=1)", a.sum(axis=1))
row("csr_sum(v, i, s, 9)", a.sum())
row("csr_max(v, i, s, 9, axis=1)", a.max(axis=1))
row("csr_min(v, i, s, 9, axis=0)", a.min(axis=0))
row("csr_norm(v, i, s, 9)", sl.norm(a))
row("csr_diagonal(v, i, s, 9)", a.diagonal())
row("csr_triangular_solve(pv, pi, ps, 16, b)", sl.spsolve_triangular(sp.tril(p).tocsr(), b))
row("csr_triangular_solve(pv, pi, ps, 16, b, upper=true)", sl.spsolve_triangular(sp.triu(p).tocsr(), b, lower=False))
exact = np.linalg.solve(p.toarray(), b)
for ours, theirs in (("cg", sl.cg), ("bicgstab", sl.bicgstab), ("gmres", sl.gmres)):
    found, failed = theirs(p, b, rtol=1e-12)
    assert not failed
    row("%s(pv, pi, ps, 16, b, tolerance=1e-12)" % ours, found, 1e-9)
row("lanczos(pv, pi, ps, 16, b, k=3)[0]", np.sort(sl.eigsh(p, 3, which="LA", v0=b)[0]), 1e-9)
row("lanczos(pv, pi, ps, 16, b, k=3, which=\\\"smallest\\\")[0]", np.sort(sl.eigsh(p, 3, which="SA", v0=b)[0]), 1e-9)
print("\n".join(rows) + "\n#undef SCIPY")
