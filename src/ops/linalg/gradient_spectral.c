/* Gradients of eigenvalues, singular values and functions of a matrix.  Vectors of equal values are an arbitrary
   basis of a space.  Results that depend on the basis have no gradient; others get no contribution from pairs
   within the space.  So quotients by differences of equal values count as 0. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "ops/linalg/gradient.h"

static ty_tensor *times(ty_tensor *a, ty_tensor *b) { return ty_matmul(a, b); }

/* Return 1 / x, elementwise; 0 where x is 0. */
static ty_tensor *inverse_or_zero(ty_tensor *x) {
    ty_tensor *zero = ty_eq(x, ty_num(0));
    return ty_where(zero, ty_num(0), ty_div(ty_num(1), ty_where(zero, ty_num(1), x)));
}

/* Return the differences of the elements of vectors d [.., n]: matrices [.., n, n] with d[j] - d[i] in row i,
   column j. */
static ty_tensor *gaps(ty_tensor *d) { return ty_sub(ty_expand(d, -2), ty_expand(d, -1)); }

static ty_tensor *diagonal_of(ty_tensor *x) { return ty_diagonal(x, -2, -1); }

/* Return square matrices [.., n, n] with vectors d [.., n] on their diagonals, in the dtype of `like`. */
static ty_tensor *diagonal_matrix(ty_tensor *d, ty_tensor *like) {
    return scale_columns(ty_eye(ty_dtype_of(like), columns_of(d)), d);
}

/* Return the gradient of the matrix of ty_eigh: the Hermitian part of V (diag(g_w) + V^H g_v / gaps) V^H. y
   packs the eigenvalues w and, if wanted, the vectors V; g packs their gradients. gaps are the differences of
   the eigenvalues. i is ignored, as there is one operand. */
ty_tensor *vjp_eigh(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    struct matrix_form form = matrix_form_in(y), whole;
    struct matrix_attr attr = {.kind = MATRIX_EIGH, .mode = MATRIX_THIN};
    int64_t n = columns_of(y->inputs[0]);
    matrix_form_of(&attr, n, n, n, &whole);
    bool alone = form.n == 1;
    ty_tensor *packed = alone ? matrix_record("eigh", attr, 1, y->inputs) : y;
    ty_tensor *w = as_real(matrix_part(packed, &whole, 0)), *v = matrix_part(packed, &whole, 1);
    ty_tensor *g_w = as_real(matrix_part(g, &form, 0));
    if (!ty_ok(v)) return tensor_share(v);
    if (alone) return times(scale_columns(v, g_w), adjoint(v));
    ty_tensor *mixed = times(adjoint(v), matrix_part(g, &form, 1));
    mixed = ty_mul(mixed, ty_cast(inverse_or_zero(gaps(w)), ty_dtype_of(v)));
    ty_tensor *middle = ty_add(diagonal_matrix(g_w, v), mixed);
    return hermitian_part(times(times(v, middle), adjoint(v)));
}

/* ---- singular values ---- */

struct svd {
    ty_tensor *u, *s, *vh;
    ty_tensor *g_u, *g_s, *g_vh;
};

static ty_tensor *skew(ty_tensor *x) { return ty_sub(x, adjoint(x)); }

/* Return x minus its projection on the columns of q, which are orthonormal: x - q q^H x. */
static ty_tensor *beside(ty_tensor *q, ty_tensor *x) { return ty_sub(x, times(q, times(adjoint(q), x))); }

/* Return the square matrix M for svd_gradient, whose main part is U M V^H: it has the gradients of s on its
   diagonal, and off it terms of those of U and V. For complex numbers the diagonal also has a term of the
   phases. */
static ty_tensor *svd_middle(const struct svd *d) {
    ty_tensor *s = d->s, *inverse = inverse_or_zero(s);
    ty_tensor *sums = ty_add(ty_expand(s, -2), ty_expand(s, -1));
    ty_tensor *quotients = ty_mul(inverse_or_zero(gaps(s)), inverse_or_zero(sums));
    ty_tensor *u = skew(times(adjoint(d->u), d->g_u)), *v = skew(times(d->vh, adjoint(d->g_vh)));
    ty_dtype dtype = ty_dtype_of(d->u);
    quotients = ty_cast(quotients, dtype);
    ty_tensor *middle = ty_add(scale_columns(ty_mul(u, quotients), s), scale_rows(s, ty_mul(v, quotients)));
    middle = ty_add(middle, diagonal_matrix(d->g_s, d->u));
    if (!dtype_is(dtype, CLASS_COMPLEX)) return middle;
    ty_tensor *phases = ty_mul(diagonal_of(u), ty_cast(ty_mul(inverse, ty_num(0.5)), dtype));
    return ty_add(middle, diagonal_matrix(phases, d->u));
}

/* Return the gradient of A = U diag(s) V^H, given d: the parts and their gradients. (J. Townsend,
   "Differentiating the singular value decomposition", 2016.) */
static ty_tensor *svd_gradient(const struct svd *d) {
    ty_tensor *inverse = inverse_or_zero(d->s), *v = adjoint(d->vh);
    ty_tensor *a = times(times(d->u, svd_middle(d)), d->vh);
    if (rows_of(d->u) > columns_of(d->u))
        a = ty_add(a, times(scale_columns(beside(d->u, d->g_u), inverse), d->vh));
    if (rows_of(v) > columns_of(v))
        a = ty_add(a, times(d->u, adjoint(scale_columns(beside(v, adjoint(d->g_vh)), inverse))));
    return a;
}

ty_tensor *vjp_svd(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    struct matrix_form form = matrix_form_in(y), thin;
    struct matrix_attr attr = {.kind = MATRIX_SVD, .mode = MATRIX_THIN};
    int64_t m = rows_of(y->inputs[0]), n = columns_of(y->inputs[0]);
    matrix_form_of(&attr, m, n, n, &thin);
    bool alone = form.n == 1;
    if (((const struct matrix_attr *)y->attr)->mode == MATRIX_FULL && m != n)
        return ty_poison_code(
            E_UNSUPPORTED,
            "svd: the full form of a %lld by %lld matrix has no gradient, as vectors without "
            "singular values are arbitrary; use the reduced form",
            (long long)m, (long long)n);
    ty_tensor *packed = alone ? matrix_record("svd", attr, 1, y->inputs) : y;
    struct svd d = {.s = as_real(matrix_part(packed, &thin, 0)),
                    .u = matrix_part(packed, &thin, 1),
                    .vh = matrix_part(packed, &thin, 2),
                    .g_s = as_real(matrix_part(g, &form, 0))};
    if (!ty_ok(d.vh) || !ty_ok(d.u)) return tensor_share(ty_ok(d.u) ? d.vh : d.u);
    if (alone) return times(scale_columns(d.u, d.g_s), d.vh);
    d.g_u = matrix_part(g, &form, 1);
    d.g_vh = matrix_part(g, &form, 2);
    return svd_gradient(&d);
}

/* ---- general eigenvalues ---- */

/* Return the gradient of the matrix of ty_eig: V^-H (diag(g_w) + (V^H g_v - V^H V diag(Re diag(V^H g_v))) /
   conj(gaps)) V^H. y packs the eigenvalues w and, if wanted, the vectors V; g packs their gradients. gaps are
   the differences of the eigenvalues. i is ignored, as there is one operand. (C. Boeddeker et al., "On the
   computation of complex-valued gradients with application to statistically optimum beamforming", 2017.) */
ty_tensor *vjp_eig(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    struct matrix_form form = matrix_form_in(y), whole;
    struct matrix_attr attr = {.kind = MATRIX_EIG, .mode = MATRIX_THIN};
    int64_t n = columns_of(y->inputs[0]);
    matrix_form_of(&attr, n, n, n, &whole);
    bool alone = form.n == 1;
    ty_tensor *packed = alone ? matrix_record("eig", attr, 1, y->inputs) : y;
    ty_tensor *w = matrix_part(packed, &whole, 0), *v = matrix_part(packed, &whole, 1);
    if (!ty_ok(v)) return tensor_share(v);
    ty_tensor *vh = adjoint(v), *middle = diagonal_matrix(matrix_part(g, &form, 0), v);
    if (!alone) {
        ty_tensor *mixed = times(vh, matrix_part(g, &form, 1));
        ty_tensor *lengths = ty_real(diagonal_of(mixed)); /* vectors have length 1 */
        mixed = ty_sub(mixed, scale_columns(times(vh, v), lengths));
        middle = ty_add(middle, ty_mul(mixed, ty_conj(inverse_or_zero(gaps(w)))));
    }
    ty_tensor *x[] = {vh, times(middle, vh)};
    ty_tensor *a = matrix_record("eig", (struct matrix_attr){.kind = MATRIX_SOLVE}, 2, x);
    return dtype_is(y->inputs[0]->dtype, CLASS_COMPLEX) ? a : ty_real(a);
}

/* ---- functions of a matrix ---- */

/* Return the derivative, at a in the direction t, of the matrix function that made y: the upper right
   block of f([[a, t], [0, a]]). (N. Higham, "Functions of Matrices", 2008, theorem 3.6.) */
static ty_tensor *derivative_of(const ty_tensor *y, ty_tensor *a, ty_tensor *t) {
    ty_dtype dtype = ty_dtype_of(y);
    a = ty_cast(a, dtype);
    if (!ty_ok(a)) return tensor_share(a);
    int64_t n = columns_of(a);
    ty_tensor *top = ty_concat(2, (ty_tensor *[]){a, ty_cast(t, dtype)}, -1);
    ty_tensor *bottom = ty_concat(2, (ty_tensor *[]){ty_zeros_like(a), a}, -1);
    ty_tensor *whole = ty_concat(2, (ty_tensor *[]){top, bottom}, -2);
    struct matrix_attr attr = *(const struct matrix_attr *)y->attr;
    return box_at(matrix_record(y->op->name, attr, 1, &whole), 0, n, n, n);
}

/* Return the gradient of x for y = f(x), a matrix function, and the gradient g of y: the derivative of f at
   x^H in the direction g. i is ignored, as there is one operand. */
ty_tensor *vjp_function(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    ty_tensor *x = y->inputs[0], *derivative = derivative_of(y, adjoint(x), g);
    return dtype_is(x->dtype, CLASS_COMPLEX) ? derivative : as_real(derivative);
}

ty_tensor *jvp_function(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    (void)wanted;
    return derivative_of(y, y->inputs[0], t[0]);
}
