/* Eigenvalues, Schur forms, and equations solved by them: Sylvester, Lyapunov, Riccati. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/linalg.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/linalg/matrix.h"

/* Return eigenvalues and eigenvectors of a, by attr.kind. If attr.mode is MATRIX_VALUES the vectors are of no
   use (a copy of the values). Poisoned, in the name of function `name`, on failure. */
static ty_eigen_parts eigen_parts(const char *name, ty_tensor *a, struct matrix_attr attr) {
    struct matrix_call call = matrix_open(1, &a);
    struct packed p = matrix_pack(name, attr, 1, &a);
    ty_tensor *out[2] = {p.x, p.x};
    if (ty_ok(p.x)) {
        out[0] = attr.kind == MATRIX_EIGH ? as_real(packed_part(&p, 0)) : packed_part(&p, 0);
        out[1] = attr.mode == MATRIX_VALUES ? out[0] : packed_part(&p, 1);
    }
    matrix_close_all(call, attr.mode == MATRIX_VALUES ? 1 : 2, out);
    return (ty_eigen_parts){out[0], out[1]};
}

ty_eigen_parts ty_eigh(ty_tensor *a) {
    return eigen_parts("eigh", a, (struct matrix_attr){.kind = MATRIX_EIGH, .mode = MATRIX_THIN});
}
ty_tensor *ty_eigvalsh(ty_tensor *a) {
    return eigen_parts("eigvalsh", a, (struct matrix_attr){.kind = MATRIX_EIGH}).values;
}
ty_eigen_parts ty_eig(ty_tensor *a) {
    return eigen_parts("eig", a, (struct matrix_attr){.kind = MATRIX_EIG, .mode = MATRIX_THIN});
}
ty_tensor *ty_eigvals(ty_tensor *a) {
    return eigen_parts("eigvals", a, (struct matrix_attr){.kind = MATRIX_EIG}).values;
}

/* ---- Schur forms ---- */

ty_eigen_order ty_eigen_order_named(const char *name) {
    static const char *const names[TY_EIGEN_ORDERS] = {"none", "left", "right", "inside", "outside"};
    int i = 0;
    while (i < TY_EIGEN_ORDERS && (!name || strcmp(names[i], name))) i++;
    return (ty_eigen_order)i;
}

/* Check the n operands and the order of eigenvalues. Return poison, in the name of function `name`, or
   NULL if they are valid. */
static ty_tensor *refuse_order(const char *name, int n, ty_tensor *const *x, ty_eigen_order order) {
    ty_tensor *bad = first_poison_in(name, n, x);
    if (bad || (unsigned)order < TY_EIGEN_ORDERS) return bad;
    return refuse(
        name, n, x, E_ARGUMENT,
        "unknown order %d of eigenvalues; expected \"none\", \"left\", \"right\", \"inside\" or \"outside\"",
        (int)order);
}

/* Compute the n parts of a packed result of the operator attr.kind on x[operands] into out[n]. All are
   poisoned, in the name of function `name`, on failure. */
static void all_parts(const char *name, struct matrix_attr attr, int operands, ty_tensor *const *x, int n,
                      ty_tensor **out) {
    struct matrix_call call = matrix_open(operands, x);
    ty_tensor *bad = refuse_order(name, operands, x, (ty_eigen_order)attr.order);
    struct packed p = {.x = bad};
    if (!bad) p = matrix_pack(name, attr, operands, x);
    if (!ty_ok(p.x)) results_poisoned(n, out, tensor_share(p.x));
    for (int i = 0; i < n && ty_ok(p.x); i++) out[i] = packed_part(&p, i);
    matrix_close_all(call, n, out);
}

ty_schur_parts ty_schur(ty_tensor *a, ty_eigen_order order) {
    ty_tensor *out[2];
    all_parts("schur", (struct matrix_attr){.kind = MATRIX_SCHUR, .order = (int32_t)order}, 1, &a, 2, out);
    return (ty_schur_parts){out[0], out[1]};
}

ty_hessenberg_parts ty_hessenberg(ty_tensor *a) {
    ty_tensor *out[2];
    all_parts("hessenberg", (struct matrix_attr){.kind = MATRIX_HESSENBERG}, 1, &a, 2, out);
    return (ty_hessenberg_parts){out[0], out[1]};
}

ty_qz_parts ty_qz(ty_tensor *a, ty_tensor *b, ty_eigen_order order) {
    ty_tensor *out[4], *x[] = {a, b};
    all_parts("qz", (struct matrix_attr){.kind = MATRIX_QZ, .order = (int32_t)order}, 2, x, 4, out);
    return (ty_qz_parts){out[0], out[1], out[2], out[3]};
}

/* ---- equations ---- */

ty_tensor *ty_sylvester(ty_tensor *a, ty_tensor *b, ty_tensor *c) {
    ty_tensor *x[] = {a, b, c}, *bad = first_poison(3, x);
    if (!bad) bad = refuse_matrix("sylvester", a, true);
    if (!bad) bad = refuse_matrix("sylvester", b, true);
    if (bad) return bad;
    struct matrix_call call = matrix_open(3, x);
    return matrix_close(call,
                        matrix_record("sylvester", (struct matrix_attr){.kind = MATRIX_SYLVESTER}, 3, x));
}

/* Return NULL if a and q are square matrices of one size, else poison that begins with `name`. */
static ty_tensor *refuse_pair(const char *name, ty_tensor *a, ty_tensor *q) {
    ty_tensor *x[] = {a, q}, *bad = first_poison_in(name, 2, x);
    for (int i = 0; i < 2 && !bad; i++) bad = refuse_matrix(name, x[i], true);
    if (bad || columns_of(a) == columns_of(q)) return bad;
    return refuse(name, 2, x, E_SHAPE, "both must have the same number of rows");
}

ty_tensor *ty_lyapunov(ty_tensor *a, ty_tensor *q) {
    ty_tensor *bad = refuse_pair("lyapunov", a, q);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    return leave(scope, ty_sylvester(a, adjoint(a), q));
}

/* Return the solution x of a x a^H - x + q = 0. It solves the continuous equation for b^H and 2 (a + 1)^-1 q
   (a^H + 1)^-1, where b = (a^H + 1)^-1 (a^H - 1). */
static ty_tensor *discrete_lyapunov(ty_tensor *a, ty_tensor *q) {
    ty_tensor *both[2];
    matrix_operands("discrete_lyapunov", 2, (ty_tensor *[]){a, q}, both);
    a = both[0], q = both[1];
    ty_tensor *one = identity_like(a), *ah = adjoint(a), *inverse = ty_inv(ty_add(ah, one));
    ty_tensor *b = ty_matmul(ty_sub(ah, one), inverse);
    ty_tensor *c = ty_matmul(ty_matmul(adjoint(inverse), q), inverse);
    return ty_lyapunov(adjoint(b), ty_mul(c, ty_num(-2)));
}

ty_tensor *ty_discrete_lyapunov(ty_tensor *a, ty_tensor *q) {
    ty_tensor *bad = refuse_pair("discrete_lyapunov", a, q);
    if (bad) return bad;
    ty_tensor *x[] = {a, q};
    struct composite c = composite_open("discrete_lyapunov", 2, x);
    return composite_close(c, discrete_lyapunov(x[0], x[1]));
}

/* A Riccati equation.  Newton's step at the solution does not move, and its derivatives by the starting point are
   0.  So one step has the first derivatives of the solution, two steps the first three, without gradients through
   the Schur form. */
struct riccati {
    ty_tensor *a, *b, *q, *r;
};

/* Check the matrices of the Riccati equation *e and their sizes. Return poison, in the name of function
   `name`, or NULL if they are valid. */
static ty_tensor *refuse_riccati(const char *name, const struct riccati *e) {
    ty_tensor *x[] = {e->a, e->b, e->q, e->r}, *bad = first_poison_in(name, 4, x);
    for (int i = 0; i < 4 && !bad; i++) bad = refuse_matrix(name, x[i], i != 1);
    if (bad) return bad;
    if (rows_of(e->b) == rows_of(e->a) && rows_of(e->q) == rows_of(e->a) && rows_of(e->r) == columns_of(e->b))
        return NULL;
    return refuse(name, 4, x, E_SHAPE, "a and q must have as many rows as b, and r as b has columns");
}

static ty_tensor *blocks(ty_tensor *a, ty_tensor *b, ty_tensor *c, ty_tensor *d) {
    ty_tensor *top = ty_concat(2, (ty_tensor *[]){a, b}, -1),
              *bottom = ty_concat(2, (ty_tensor *[]){c, d}, -1);
    return ty_concat(2, (ty_tensor *[]){top, bottom}, -2);
}

/* Return u2 u1^-1, made Hermitian, [n, n], where [u1; u2] are the first n columns of z, of 2 n rows. */
static ty_tensor *graph_of(ty_tensor *z, int64_t n) {
    ty_tensor *u1 = box_at(z, 0, n, 0, n), *u2 = box_at(z, n, n, 0, n);
    return hermitian_part(ty_solve(adjoint(u1), adjoint(u2)));
}

/* Return b r^-1 b^H of the Riccati equation *e, the matrix g of its other functions. */
static ty_tensor *gain_of(const struct riccati *e) { return ty_matmul(e->b, ty_solve(e->r, adjoint(e->b))); }

static ty_tensor *square_of(ty_tensor *x) {
    return ty_sum(ty_square(ty_abs(x)), (ty_axes){.last = 2, .keep = true});
}

/* Return x, the solution of a Riccati equation after a Newton step from `before`. If the step changed x, and
   g x compared with a, by more than half of the digits, there was no solution: poison, in the name of
   function `name`, for values; NaN for promises. */
static ty_tensor *unless_moved(const char *name, ty_tensor *a, ty_tensor *g, ty_tensor *before,
                               ty_tensor *x) {
    if (!ty_ok(x) || !ty_ok(before)) return ty_ok(before) ? x : before;
    ty_tensor *end = ty_detach(x), *moved = square_of(ty_sub(end, ty_detach(before)));
    double unit = ldexp(1, 1 - dtype_table[ty_dtype_of(moved)].digits);
    ty_tensor *closed = ty_mul(moved, square_of(ty_detach(g))), *open = square_of(ty_detach(a));
    ty_tensor *wrong = ty_logical_and(ty_gt(moved, ty_mul(square_of(end), ty_num(unit))),
                                      ty_gt(closed, ty_mul(open, ty_num(unit))));
    if (ty_is_promise(wrong)) return ty_where(wrong, ty_num((double)NAN), x);
    ty_tensor *any = ty_any(wrong, TY_ALL);
    if (!ty_ok(any)) return any;
    return ty_item(any) == 0 ? x
                             : refuse(name, 1, &x, E_SINGULAR,
                                      "no stabilising solution was found: eigenvalues are on the stability "
                                      "boundary, or a and b cannot be stabilised");
}

/* Return x improved by a step of Kleinman's method for the continuous Riccati equation *e: the solution of
   Lyapunov's equation for (a - g x)^H and -(q + x g x). g is gain_of(e). */
static ty_tensor *care_step(const struct riccati *e, ty_tensor *g, ty_tensor *x) {
    ty_tensor *gx = ty_matmul(g, x), *closed = ty_sub(e->a, gx);
    ty_tensor *q = ty_neg(ty_add(e->q, ty_matmul(x, gx)));
    return hermitian_part(ty_lyapunov(adjoint(closed), q));
}

/* Return the solution of the continuous Riccati equation e: by the Schur form of the Hamiltonian matrix,
   then two Newton steps. Poison on failure. */
static ty_tensor *care(const struct riccati *e) {
    ty_tensor *g = gain_of(e);
    if (!ty_ok(g)) return g;
    ty_tensor *h = blocks(e->a, ty_neg(g), ty_neg(e->q), ty_neg(adjoint(e->a)));
    ty_tensor *z = ty_detach(ty_schur(ty_detach(h), TY_EIGEN_LEFT).z);
    ty_tensor *near = care_step(e, g, ty_detach(graph_of(z, rows_of(e->a))));
    return unless_moved("care", e->a, g, near, care_step(e, g, near));
}

/* Return x improved by a step of Hewer's method for the discrete Riccati equation e. It solves the discrete
   Lyapunov equation for (a - b k)^H and q + k^H r k, where k = (r + b^H x b)^-1 b^H x a. */
static ty_tensor *dare_step(const struct riccati *e, ty_tensor *x) {
    ty_tensor *bx = ty_matmul(adjoint(e->b), x), *inner = ty_add(e->r, ty_matmul(bx, e->b));
    ty_tensor *k = ty_solve(inner, ty_matmul(bx, e->a));
    ty_tensor *closed = ty_sub(e->a, ty_matmul(e->b, k));
    ty_tensor *q = ty_add(e->q, ty_matmul(adjoint(k), ty_matmul(e->r, k)));
    return hermitian_part(ty_discrete_lyapunov(adjoint(closed), q));
}

/* Return the solution of the discrete Riccati equation e: by the QZ form of a symplectic pencil, then two
   Newton steps. Poison on failure. */
static ty_tensor *dare(const struct riccati *e) {
    ty_tensor *g = gain_of(e);
    if (!ty_ok(g)) return g;
    ty_tensor *zero = ty_zeros_like(e->a), *one = ty_add(zero, identity_like(e->a));
    ty_tensor *left = blocks(e->a, zero, ty_neg(e->q), one), *right = blocks(one, g, zero, adjoint(e->a));
    ty_tensor *z = ty_detach(ty_qz(ty_detach(left), ty_detach(right), TY_EIGEN_INSIDE).z);
    ty_tensor *near = dare_step(e, ty_detach(graph_of(z, rows_of(e->a))));
    return unless_moved("dare", e->a, g, near, dare_step(e, near));
}

/* Check the Riccati equation e, cast its matrices to one dtype and return solve() of it. Poison, in the name
   of function `name`, on failure. */
static ty_tensor *riccati(const char *name, ty_tensor *(*solve)(const struct riccati *e), struct riccati e) {
    ty_tensor *bad = refuse_riccati(name, &e), *x[] = {e.a, e.b, e.q, e.r}, *cast[4];
    if (bad) return bad;
    struct matrix_call call = matrix_open(4, x);
    matrix_operands(name, 4, x, cast);
    return matrix_close(call, solve(&(struct riccati){cast[0], cast[1], cast[2], cast[3]}));
}

ty_tensor *ty_care(ty_tensor *a, ty_tensor *b, ty_tensor *q, ty_tensor *r) {
    return riccati("care", care, (struct riccati){a, b, q, r});
}
ty_tensor *ty_dare(ty_tensor *a, ty_tensor *b, ty_tensor *q, ty_tensor *r) {
    return riccati("dare", dare, (struct riccati){a, b, q, r});
}
