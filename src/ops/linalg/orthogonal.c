/* Factorisations with orthonormal parts, and applications of singular values: least squares, rank, norms, spaces. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/linalg.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/machine/floating.h"
#include "ops/linalg/matrix.h"
#include "ops/math/slopes.h"

/* ---- QR ---- */

/* Compute a QR decomposition of a into out[0..1] = q, r, and with attr.pivots the order of columns, i64, into
   out[2]. All are poisoned, in the name of function `name`, on failure. */
static void qr_parts(const char *name, ty_tensor *a, struct matrix_attr attr, ty_tensor **out) {
    struct matrix_call call = matrix_open(1, &a);
    struct packed p = matrix_pack(name, attr, 1, &a);
    int n = attr.pivots ? 3 : 2;
    if (!ty_ok(p.x)) results_poisoned(n, out, tensor_share(p.x));
    for (int i = 0; i < n && ty_ok(p.x); i++) out[i] = packed_part(&p, i);
    if (ty_ok(p.x) && n == 3) out[2] = ty_cast(as_real(out[2]), TY_I64);
    matrix_close_all(call, n, out);
}

ty_qr_parts ty_qr(ty_tensor *a, bool full) {
    ty_tensor *out[3];
    qr_parts("qr", a, (struct matrix_attr){.kind = MATRIX_QR, .mode = full ? MATRIX_FULL : MATRIX_THIN}, out);
    return (ty_qr_parts){out[0], out[1]};
}

ty_qr_pivoted_parts ty_qr_pivoted(ty_tensor *a, bool full) {
    ty_tensor *out[3];
    struct matrix_attr attr = {.kind = MATRIX_QR, .mode = full ? MATRIX_FULL : MATRIX_THIN, .pivots = true};
    qr_parts("qr_pivoted", a, attr, out);
    return (ty_qr_pivoted_parts){out[0], out[1], out[2]};
}

/* ---- singular values ---- */

/* Compute the singular value decomposition of a into out[0..2] = u, s (real), vh, of the sizes that `mode`
   says. False, with all poisoned in the name of function `name`, on failure. */
static bool svd_of(const char *name, ty_tensor *a, enum matrix_mode mode, ty_tensor **out) {
    struct packed p = matrix_pack(name, (struct matrix_attr){.kind = MATRIX_SVD, .mode = mode}, 1, &a);
    if (!ty_ok(p.x)) return results_poisoned(3, out, tensor_share(p.x));
    out[1] = as_real(packed_part(&p, 0));
    out[0] = packed_part(&p, 1);
    out[2] = packed_part(&p, 2);
    return true;
}

ty_svd_parts ty_svd(ty_tensor *a, bool full) {
    ty_tensor *out[3];
    struct matrix_call call = matrix_open(1, &a);
    svd_of("svd", a, full ? MATRIX_FULL : MATRIX_THIN, out);
    matrix_close_all(call, 3, out);
    return (ty_svd_parts){out[0], out[1], out[2]};
}

static ty_tensor *values_of(const char *name, ty_tensor *a) {
    struct packed p = matrix_pack(name, (struct matrix_attr){.kind = MATRIX_SVD}, 1, &a);
    return ty_ok(p.x) ? as_real(packed_part(&p, 0)) : p.x;
}

ty_tensor *ty_svdvals(ty_tensor *a) {
    struct matrix_call call = matrix_open(1, &a);
    return matrix_close(call, values_of("svdvals", a));
}

/* Return a bool mask of the shape of s, the singular values [.., k] of a in descending order: true where they
   are above rcond times the first. A negative or NaN rcond stands for max(m, n) times the rounding unit. */
static ty_tensor *counting(ty_tensor *s, ty_tensor *a, double rcond) {
    if (!ty_ok(s)) return tensor_share(s);
    int64_t m = rows_of(a), n = columns_of(a);
    double eps = ldexp(1, 1 - dtype_table[ty_dtype_of(s)].digits);
    if (!(rcond >= 0)) rcond = eps * (double)(m > n ? m : n);
    ty_tensor *first = ty_detach(ty_slice(s, -1, 0, 1, 1));
    return ty_gt(s, ty_mul(first, ty_num(rcond)));
}

/* Return the number of values s [.., k] that the mask `counts` [.., k] selects, i64 [..]; -1 for a matrix
   that is not finite, whose values are NaN. */
static ty_tensor *rank_by(ty_tensor *s, ty_tensor *counts) {
    ty_tensor *lost = ty_any(ty_is_nan(s), ty_axis(-1)),
              *count = ty_sum(ty_cast(counts, TY_I64), ty_axis(-1));
    return ty_where(lost, ty_int(-1), count);
}

/* Return `rank`. If it is a value with an element -1, return poison in which function `name` says that a is
   not finite. */
static ty_tensor *known_rank(const char *name, ty_tensor *a, ty_tensor *rank) {
    if (!ty_ok(rank) || ty_is_promise(rank) || ty_size(rank) == 0) return rank;
    ty_tensor *least = ty_amin(rank, TY_ALL);
    if (!ty_ok(least)) return least;
    if (ty_item(least) >= 0) return rank;
    return refuse(name, 1, &a, "the matrix is not finite, so its rank is not known");
}

static ty_tensor *inverses(ty_tensor *s, ty_tensor *counts) {
    return ty_where(counts, ty_div(ty_num(1), ty_where(counts, s, ty_num(1))), ty_num(0));
}

ty_tensor *ty_pinv(ty_tensor *a, double rcond) {
    FLOATING_DEFAULT;
    ty_tensor *out[3];
    struct matrix_call call = matrix_open(1, &a);
    if (!svd_of("pinv", a, MATRIX_THIN, out)) return matrix_close(call, out[0]);
    ty_tensor *inverse = inverses(out[1], counting(out[1], a, rcond));
    return matrix_close(call, ty_matmul(scale_columns(adjoint(out[2]), inverse), adjoint(out[0])));
}

/* Check the matrix a and the right side b, a vector or matrix with as many rows. Return poison, in the name
   of lstsq, or NULL if they are valid. */
static ty_tensor *refuse_lstsq(ty_tensor *a, ty_tensor *b) {
    ty_tensor *x[] = {a, b}, *bad = first_poison_in("lstsq", 2, x);
    if (!bad) bad = refuse_matrix("lstsq", a, false);
    if (bad) return bad;
    int64_t rows = ty_rank(b) == 0 ? -1 : ty_rank(b) == 1 ? ty_shape(b)[0] : rows_of(b);
    if (rows == rows_of(a)) return NULL;
    return refuse("lstsq", 2, x, "the right side must have an axis of size %lld, the matrix's rows",
                  (long long)rows_of(a));
}

ty_lstsq_parts ty_lstsq(ty_tensor *a, ty_tensor *b, double rcond) {
    FLOATING_DEFAULT;
    struct matrix_call call = matrix_open(2, (ty_tensor *[]){a, b});
    ty_tensor *out[4], *svd[3], *pair[2], *bad = refuse_lstsq(a, b);
    if (!bad) matrix_operands("lstsq", 2, (ty_tensor *[]){a, b}, pair);
    if (bad || !svd_of("lstsq", pair[0], MATRIX_THIN, svd)) {
        results_poisoned(4, out, bad ? bad : svd[0]);
    } else {
        bool vector = ty_rank(b) == 1;
        ty_tensor *columns = vector ? ty_expand(pair[1], 1) : pair[1];
        ty_tensor *counts = counting(svd[1], a, rcond);
        ty_tensor *inside = scale_rows(inverses(svd[1], counts), ty_matmul(adjoint(svd[0]), columns));
        out[0] = ty_matmul(adjoint(svd[2]), inside);
        ty_tensor *left = ty_abs(ty_sub(ty_matmul(pair[0], out[0]), columns));
        out[1] = ty_sum(ty_square(left), ty_axis(-2));
        out[2] = rank_by(svd[1], counts);
        out[3] = svd[1];
        for (int i = 0; i < 2 && vector; i++) out[i] = ty_squeeze(out[i], -1);
    }
    matrix_close_all(call, 4, out);
    return (ty_lstsq_parts){out[0], out[1], out[2], out[3]};
}

ty_tensor *ty_matrix_rank(ty_tensor *a, double rcond) {
    FLOATING_DEFAULT;
    struct matrix_call call = matrix_open(1, &a);
    ty_tensor *s = values_of("matrix_rank", a);
    ty_tensor *rank = ty_ok(s) ? rank_by(s, counting(s, a, rcond)) : s;
    return matrix_close(call, known_rank("matrix_rank", a, rank));
}

/* ---- spaces: the number of columns is data ---- */

/* Return an orthonormal basis, as columns, of the range of one matrix a [m, n], or of its null space if
   `null`. Singular values up to rcond times the greatest count as 0 (negative or NaN: a default). The result
   has no gradient. Poison, in the name of function `name`, on failure. */
static ty_tensor *space_of(const char *name, ty_tensor *a, double rcond, bool null) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refuse_matrix(name, a, false), *svd[3];
    if (bad) return bad;
    if (ty_rank(a) != 2)
        return refuse(name, 1, &a,
                      "matrices of a batch have different numbers of columns; pass one at a time");
    struct matrix_call call = matrix_open(1, &a);
    ty_tensor *given = a;
    a = ty_detach(value_now(name, a));
    if (!svd_of(name, a, null ? MATRIX_FULL : MATRIX_THIN, svd)) return matrix_close(call, svd[0]);
    ty_tensor *counted = known_rank(name, given, rank_by(svd[1], counting(svd[1], a, rcond)));
    double rank = ty_item(counted);
    if (!(rank >= 0)) return matrix_close(call, ty_ok(counted) ? tensor_out_of_memory() : counted);
    int64_t count = (int64_t)rank;
    ty_tensor *range = ty_slice(svd[0], -1, 0, count, 1);
    ty_tensor *space = null ? ty_slice(adjoint(svd[2]), -1, count, TY_END, 1) : range;
    return matrix_close(call, result_without(name, space, given));
}

ty_tensor *ty_null_space(ty_tensor *a, double rcond) { return space_of("null_space", a, rcond, true); }
ty_tensor *ty_range_space(ty_tensor *a, double rcond) { return space_of("range_space", a, rcond, false); }

/* ---- norms ---- */

ty_matrix_order ty_matrix_order_named(const char *name) {
    static const char *const names[TY_MATRIX_ORDERS] = {"fro", "nuc", "1", "-1", "2", "-2", "inf", "-inf"};
    int i = 0;
    while (i < TY_MATRIX_ORDERS && (!name || strcmp(names[i], name))) i++;
    return (ty_matrix_order)i;
}

/* Check the matrix a and the order of its norm. Return poison, in the name of function `name`, or NULL if
   they are valid. */
static ty_tensor *refuse_order(const char *name, ty_tensor *a, ty_matrix_order order) {
    ty_tensor *bad = refuse_matrix(name, a, false);
    if (bad || (unsigned)order < TY_MATRIX_ORDERS) return bad;
    return refuse(name, 1, &a,
                  "unknown order %d of a norm; expected \"fro\", \"nuc\", \"1\", \"-1\", \"2\", \"-2\", "
                  "\"inf\" or \"-inf\"",
                  (int)order);
}

/* Return the norms [..] of this order of the matrices a [.., m, n]. Poison, in the name of function `name`,
   on failure. */
static ty_tensor *matrix_norm(const char *name, ty_tensor *a, ty_matrix_order order) {
    if (order == TY_FROBENIUS) return ty_norm(a, 2, ty_axes_of(2, (int[]){-2, -1}, false));
    if (order == TY_NUCLEAR) return ty_sum(values_of(name, a), ty_axis(-1));
    bool singular = order == TY_GREATEST_SINGULAR || order == TY_LEAST_SINGULAR;
    bool rows = order == TY_GREATEST_ROW || order == TY_LEAST_ROW;
    bool least = order == TY_LEAST_SINGULAR || order == TY_LEAST_COLUMN || order == TY_LEAST_ROW;
    ty_tensor *sums =
        singular ? values_of(name, a) : ty_sum(ty_abs(matrix_operand(a)), ty_axis(rows ? -1 : -2));
    return least ? ty_amin(sums, ty_axis(-1)) : ty_amax(sums, ty_axis(-1));
}

ty_tensor *ty_matrix_norm(ty_tensor *a, ty_matrix_order order) {
    ty_tensor *bad = refuse_order("matrix_norm", a, order);
    if (bad) return bad;
    struct matrix_call call = matrix_open(1, &a);
    return matrix_close(call, matrix_norm("matrix_norm", a, order));
}

ty_tensor *ty_condition_number(ty_tensor *a, ty_matrix_order order) {
    ty_tensor *bad = refuse_order("cond", a, order);
    if (bad) return bad;
    struct matrix_call call = matrix_open(1, &a);
    if (order == TY_GREATEST_SINGULAR || order == TY_LEAST_SINGULAR) {
        ty_tensor *s = values_of("cond", a), *most = ty_amax(s, ty_axis(-1)),
                  *least = ty_amin(s, ty_axis(-1));
        bool turned = order == TY_LEAST_SINGULAR;
        return matrix_close(call, ty_div(turned ? least : most, turned ? most : least));
    }
    ty_tensor *inverse = matrix_record("cond", (struct matrix_attr){.kind = MATRIX_INVERSE}, 1, &a);
    return matrix_close(call, ty_mul(matrix_norm("cond", a, order), matrix_norm("cond", inverse, order)));
}
