"""Matrix Market files and the values that scipy.io.mmread reads from them: mtx_values.py > mtx_values.def."""
import io
import numpy as np
import scipy.io
import scipy.sparse as sp

rows = ["/* Made by mtx_values.py with SciPy: MTX(\"text\", dtype, rows, columns, numbers), row-major, complex ones as pairs. */"]
dtypes = {"float64": "TY_F64", "int64": "TY_I64", "uint64": "TY_U64", "complex128": "TY_C128"}


def number(x):
    return "%dULL" % x if isinstance(x, np.uint64) else "%.17g" % x if isinstance(x, np.floating) else "INT64_MIN" if x == -2**63 else "%dLL" % x


def add(text):
    a = scipy.io.mmread(io.BytesIO(text.encode()))
    a = a.toarray() if sp.issparse(a) else a
    flat = a.ravel().view(np.float64) if a.dtype == np.complex128 else a.ravel()
    quoted = text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    rows.append('MTX("%s", %s, %d, %d, %s)' % (quoted, dtypes[str(a.dtype)], *a.shape, ", ".join(number(x) for x in flat)))


def write(a, **options):
    b = io.BytesIO()
    scipy.io.mmwrite(b, a, **options)
    add(b.getvalue().decode())


draw = np.random.default_rng(1)
for n, m in ((1, 1), (3, 2), (2, 4)):
    write(draw.normal(size=(n, m)))
    write(draw.integers(-9, 9, size=(n, m)))
    write(draw.integers(0, 2**63, size=(n, m), dtype=np.uint64) * np.uint64(2))
    write(draw.normal(size=(n, m)) + 1j * draw.normal(size=(n, m)))
    write(sp.coo_matrix(np.where(draw.random((n, m)) < 0.5, 0, draw.normal(size=(n, m)))))
for n in (1, 2, 3, 4):
    square = draw.normal(size=(n, n)) + 1j * draw.normal(size=(n, n))
    for a in (square + square.T, square - square.T, square + square.conj().T):
        for form in (lambda x: x, sp.coo_matrix):
            write(form(a))
            write(form(a.real))
            write(form(np.round(a.real * 4).astype(np.int64)))
head = "%%MatrixMarket matrix "
add(head + "array real general\n% words\n\n2 2\n1\n\n 2 \r\n\t3\n4e-3")
add(head + "array real symmetric\n2 2\n1\n2\n3\n")
add(head + "array real skew-symmetric\n3 3\n1\n2\n3\n")
add(head + "array real hermitian\n2 2\n1\n2\n3\n")
add(head + "coordinate pattern general\n2 3 2\n1 1 5\n2 3 7.5\n")
add(head + "coordinate pattern symmetric\n2 2 2\n1 1 5\n2 1 7\n")
add(head + "coordinate pattern skew-symmetric\n2 2 1\n2 1\n")
add(head + "coordinate real general\n2 2 3\n1 2 5\n1 2 6.25\n2 1 1\n")
add(head + "coordinate integer general\n2 2 2\n1 2 -9223372036854775808\n2 1 9223372036854775807\n")
add(head + "coordinate unsigned-integer general\n1 2 2\n1 1 18446744073709551615\n1 2 1\n")
add(head + "array integer general\n1 2\n-9223372036854775808\n9223372036854775807\n")
print("\n".join(rows))
