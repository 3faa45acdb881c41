/* Gradients of solutions and of triangular factorisations.  g is the result's gradient, G an operand's; for complex
   numbers, a step dA changes the loss by G^H dA + its conjugate.  (M. Giles, "An extended collection of matrix
   derivative results", 2008; LU and QR have their formulas below.) */
#include "ops/linalg/gradient.h"
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include <tyto/index.h>
#include "ops/math/slopes.h"

static ty_tensor *times(ty_tensor *a, ty_tensor *b) { return ty_matmul(a, b); }

static ty_tensor *solve_with(struct matrix_attr attr, ty_tensor *a, ty_tensor *b) {
    return matrix_record(matrix_rows[attr.kind].op->name, attr, 2, (ty_tensor *[]){a, b});
}
static ty_tensor *triangular(bool upper, bool unit, ty_tensor *a, ty_tensor *b) {
    return solve_with((struct matrix_attr){.kind = MATRIX_TRIANGULAR, .upper = upper, .unit = unit}, a, b);
}
/* Return the solution x of x a = b with triangular a (`upper` or lower), by the adjoint system. `unit`: the
   diagonal of a counts as 1. */
static ty_tensor *triangular_right(bool upper, bool unit, ty_tensor *a, ty_tensor *b) {
    return adjoint(triangular(!upper, unit, adjoint(a), adjoint(b)));
}

/* Gradient rule of y = A^-1 b, given g, the gradient of y: sets out[1] (of b) to A^-H g, and out[0] (of A) to
   minus that times y^H; only those with needed[i]. */
void vjp_solve(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out) {
    ty_tensor *b = solve_with((struct matrix_attr){.kind = MATRIX_SOLVE}, adjoint(y->inputs[0]), g);
    if (needed[0]) out[0] = ty_neg(times(b, adjoint(y)));
    if (needed[1]) out[1] = b;
}

void vjp_triangular(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out) {
    const struct matrix_attr *attr = y->attr;
    ty_tensor *b = triangular(!attr->upper, attr->unit, adjoint(y->inputs[0]), g);
    if (needed[0]) {
        ty_tensor *a = ty_neg(times(b, adjoint(y)));
        out[0] = attr->upper ? upper_part(a, attr->unit) : lower_part(a, -(int64_t)attr->unit);
    }
    if (needed[1]) out[1] = b;
}

ty_tensor *vjp_inverse(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    ty_tensor *adjoint_y = adjoint(y);
    return ty_neg(times(adjoint_y, times(g, adjoint_y)));
}

/* Gradient rule of A X + X B = C with X = y, given g, the gradient of y: S solves A^H S + S B^H = g. Sets
   out[0] (of A) to -S X^H, out[1] (of B) to -X^H S, out[2] (of C) to S; only those with needed[i]. */
void vjp_sylvester(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out) {
    ty_tensor *x[] = {adjoint(y->inputs[0]), adjoint(y->inputs[1]), g};
    ty_tensor *c = matrix_record("sylvester", (struct matrix_attr){.kind = MATRIX_SYLVESTER}, 3, x);
    if (needed[0]) out[0] = ty_neg(times(c, adjoint(y)));
    if (needed[1]) out[1] = ty_neg(times(adjoint(y), c));
    if (needed[2]) out[2] = c;
}

ty_tensor *vjp_lacking(ty_tensor *y, ty_tensor *g, int i) {
    (void)g;
    return lacking(y, i, NO_RULE);
}

/* Return the gradient of A = L L^H, where y = L and g is its gradient: the Hermitian part of L^-H
   lower_half(L^H g) L^-1. i is ignored, as there is one operand. */
ty_tensor *vjp_cholesky(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    ty_tensor *l_adjoint = adjoint(y), *middle = lower_half(times(l_adjoint, lower_part(g, 0)));
    ty_tensor *left = triangular(true, false, l_adjoint, middle);
    return hermitian_part(triangular_right(false, false, y, left));
}

/* ---- LU ---- */

/* Return the gradient of a square A = L U, rows in the order of pivoting: L^-H (strictly lower(L^H g_l) +
   upper(g_u U^H)) U^-H. lu packs L and U; g_l and g_u are their gradients, of which only the triangles are
   read. */
static ty_tensor *lu_square(ty_tensor *lu, ty_tensor *g_l, ty_tensor *g_u) {
    ty_tensor *u = upper_part(lu, 0), *l = ty_add(lower_part(lu, -1), identity_like(lu));
    ty_tensor *lower = lower_part(times(adjoint(l), lower_part(g_l, -1)), -1);
    ty_tensor *upper = upper_part(times(upper_part(g_u, 0), adjoint(u)), 0);
    ty_tensor *left = triangular(true, true, adjoint(l), ty_add(lower, upper));
    return triangular_right(false, false, adjoint(u), left);
}

/* Return the gradient of A = L U with more rows than its n columns, given lu (L and U packed) and its
   gradient g. The rows below the square are L2 = A2 U^-1. */
static ty_tensor *lu_tall(ty_tensor *lu, ty_tensor *g, int64_t n) {
    ty_tensor *square = ty_slice(lu, -2, 0, n, 1), *below = ty_slice(lu, -2, n, TY_END, 1);
    ty_tensor *u_adjoint = adjoint(upper_part(square, 0));
    ty_tensor *a2 = triangular_right(false, false, u_adjoint, ty_slice(g, -2, n, TY_END, 1));
    ty_tensor *g1 = ty_slice(g, -2, 0, n, 1), *g_u = ty_sub(upper_part(g1, 0), times(adjoint(below), a2));
    return ty_concat(2, (ty_tensor *[]){lu_square(square, g1, g_u), a2}, -2);
}

/* Return the gradient of A = L U with more columns than its m rows, given lu (L and U packed) and its
   gradient g. The columns right of the square are U2 = L^-1 A2. */
static ty_tensor *lu_wide(ty_tensor *lu, ty_tensor *g, int64_t m) {
    ty_tensor *square = ty_slice(lu, -1, 0, m, 1), *beside = ty_slice(lu, -1, m, TY_END, 1);
    ty_tensor *a2 = triangular(true, true, adjoint(square), ty_slice(g, -1, m, TY_END, 1));
    ty_tensor *g1 = ty_slice(g, -1, 0, m, 1), *g_l = ty_sub(lower_part(g1, -1), times(a2, adjoint(beside)));
    return ty_concat(2, (ty_tensor *[]){lu_square(square, g_l, g1), a2}, -1);
}

ty_tensor *vjp_lu(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    struct matrix_form form = matrix_form_in(y);
    int64_t m = form.part[0].rows, n = form.part[0].columns;
    ty_tensor *lu = matrix_part(y, &form, 0), *order = ty_detach(matrix_part(y, &form, 1));
    g = matrix_part(g, &form, 0);
    ty_tensor *rows = m > n ? lu_tall(lu, g, n) : m < n ? lu_wide(lu, g, m) : lu_square(lu, g, g);
    ty_tensor *back = ty_argsort(ty_real(order), -1, false); /* A[order] = L U */
    return ty_take_along_axis(rows, ty_expand(back, -1), -2);
}

/* ---- QR ---- */

/* Return the gradient of A = Q R with at least as many rows as columns: (g_q + Q copy(M)) R^-H. M = g_r R^H -
   Q^H g_q, and copy mirrors the upper triangle. (M. Seeger et al., "Auto-differentiating linear algebra",
   2017, for real matrices.) */
static ty_tensor *qr_tall(ty_tensor *q, ty_tensor *r, ty_tensor *g_q, ty_tensor *g_r) {
    ty_tensor *m = ty_sub(times(upper_part(g_r, 0), adjoint(r)), times(adjoint(q), g_q));
    ty_tensor *half = adjoint(lower_half(adjoint(m))); /* the upper triangle with half of its diagonal */
    ty_tensor *both = ty_add(half, adjoint(half));
    return triangular_right(false, false, adjoint(r), ty_add(g_q, times(q, both)));
}

/* Return the gradient of A = Q R with more columns than rows, given gradients of Q and R. The columns right
   of the square are R2 = Q^H A2. */
static ty_tensor *qr_wide(ty_tensor *q, ty_tensor *r, ty_tensor *g_q, ty_tensor *g_r) {
    int64_t m = rows_of(r);
    ty_tensor *r1 = ty_slice(r, -1, 0, m, 1), *r2 = ty_slice(r, -1, m, TY_END, 1);
    ty_tensor *g1 = ty_slice(g_r, -1, 0, m, 1), *g2 = ty_slice(g_r, -1, m, TY_END, 1);
    ty_tensor *whole = ty_add(g_q, times(times(q, r2), adjoint(g2)));
    return ty_concat(2, (ty_tensor *[]){qr_tall(q, r1, whole, g1), times(q, g2)}, -1);
}

ty_tensor *vjp_qr(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    const struct matrix_attr *attr = y->attr;
    struct matrix_form form = matrix_form_in(y), thin;
    int64_t m = rows_of(y->inputs[0]), n = columns_of(y->inputs[0]);
    bool alone = attr->mode == MATRIX_VALUES;
    if (attr->mode == MATRIX_FULL && m > n)
        return ty_poison_code(E_UNSUPPORTED,
                              "qr: the complete form has no gradient: of %lld columns of q of a %lld by %lld "
                              "matrix, those beyond %lld are arbitrary; use the reduced form",
                              (long long)m, (long long)m, (long long)n, (long long)n);
    struct matrix_attr whole = {.kind = MATRIX_QR, .mode = MATRIX_THIN, .pivots = attr->pivots};
    matrix_form_of(&whole, m, n, n, &thin);
    ty_tensor *packed = alone ? matrix_record("qr", whole, 1, y->inputs) : y;
    ty_tensor *q = matrix_part(packed, &thin, 0), *r = matrix_part(packed, &thin, 1);
    ty_tensor *g_q = alone ? ty_zeros_like(q) : matrix_part(g, &form, 0);
    ty_tensor *g_r = upper_part(matrix_part(g, &form, !alone), 0);
    ty_tensor *a = m < n ? qr_wide(q, r, g_q, g_r) : qr_tall(q, r, g_q, g_r);
    if (!attr->pivots) return a;
    ty_tensor *order = ty_detach(matrix_part(packed, &thin, 2));
    return ty_take_along_axis(a, ty_expand(ty_argsort(ty_real(order), -1, false), -2), -1);
}
