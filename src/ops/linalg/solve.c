/* Systems of equations, inverses and determinants by LU and Cholesky. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/linalg.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/linalg/matrix.h"

/* Return b as a matrix: a vector [n] becomes a column [n, 1]. *vector is set to true if b was a vector, else
   to false. */
static ty_tensor *as_columns(ty_tensor *b, bool *vector) {
    *vector = ty_ok(b) && ty_rank(b) == 1;
    return *vector ? ty_expand(b, 1) : b;
}
static ty_tensor *as_given(ty_tensor *x, bool vector) { return vector && ty_ok(x) ? ty_squeeze(x, -1) : x; }

/* Check the matrix a and the right side b, a vector or matrix with as many rows. Return poison, in the
   name of function `name`, or NULL if they are valid. */
static ty_tensor *refuse_rows(const char *name, ty_tensor *a, ty_tensor *b) {
    ty_tensor *x[] = {a, b}, *bad = first_poison_in(name, 2, x);
    if (bad) return bad;
    bad = refuse_matrix(name, a, false);
    if (bad) return bad;
    if (ty_rank(b) < 1)
        return refuse(name, 2, x, E_SHAPE, "the right side must have an axis of size %lld, the matrix's rows",
                      (long long)rows_of(a));
    int64_t rows = ty_rank(b) == 1 ? ty_shape(b)[0] : rows_of(b);
    if (rows == rows_of(a)) return NULL;
    return refuse(name, 2, x, E_SHAPE, "the right side has %lld rows, but the matrix has %lld",
                  (long long)rows, (long long)rows_of(a));
}

/* Return the solution of a x = b by the operator attr.kind, in the shape of b, a vector or matrix. Poison, in
   the name of function `name`, on failure. */
static ty_tensor *solve_by(const char *name, struct matrix_attr attr, ty_tensor *a, ty_tensor *b) {
    ty_tensor *bad = refuse_rows(name, a, b);
    if (bad) return bad;
    bool vector;
    struct matrix_call call = matrix_open(2, (ty_tensor *[]){a, b});
    ty_tensor *x = matrix_record(name, attr, 2, (ty_tensor *[]){a, as_columns(b, &vector)});
    return matrix_close(call, as_given(x, vector));
}

ty_tensor *ty_solve(ty_tensor *a, ty_tensor *b) {
    return solve_by("solve", (struct matrix_attr){.kind = MATRIX_SOLVE}, a, b);
}

ty_tensor *ty_triangular_solve(ty_tensor *a, ty_tensor *b, bool upper, bool unit) {
    struct matrix_attr attr = {.kind = MATRIX_TRIANGULAR, .upper = upper, .unit = unit};
    return solve_by("triangular_solve", attr, a, b);
}

ty_tensor *ty_cholesky_solve(ty_tensor *l, ty_tensor *b) {
    ty_tensor *bad = refuse_rows("cholesky_solve", l, b);
    if (bad) return bad;
    struct matrix_call call = matrix_open(2, (ty_tensor *[]){l, b});
    struct matrix_attr lower = {.kind = MATRIX_TRIANGULAR},
                       upper = {.kind = MATRIX_TRIANGULAR, .upper = true};
    ty_tensor *half = solve_by("cholesky_solve", lower, l, b);
    return matrix_close(call, solve_by("cholesky_solve", upper, adjoint(l), half));
}

ty_tensor *ty_inv(ty_tensor *a) {
    struct matrix_call call = matrix_open(1, &a);
    return matrix_close(call, matrix_record("inv", (struct matrix_attr){.kind = MATRIX_INVERSE}, 1, &a));
}

ty_tensor *ty_cholesky(ty_tensor *a) {
    struct matrix_call call = matrix_open(1, &a);
    return matrix_close(call,
                        matrix_record("cholesky", (struct matrix_attr){.kind = MATRIX_CHOLESKY}, 1, &a));
}

/* ---- LU ---- */

/* Return l (if `lower`; ones on its diagonal, k columns) or u (k rows) as a triangular matrix, from the
   matrix lu that holds both. Poison stays poison. */
static ty_tensor *triangle_of(ty_tensor *lu, bool lower, int64_t k) {
    if (!ty_ok(lu)) return tensor_share(lu);
    struct composite c = composite_open_plain(NULL, 0, 1, &lu);
    ty_tensor *part = ty_slice(lu, lower ? -1 : -2, 0, k, 1);
    if (!lower) return composite_close(c, ty_triu(part, 0));
    ty_tensor *ones = ty_eye_of(ty_dtype_of(lu), rows_of(part), k, 0);
    return composite_close(c, ty_add(ty_tril(part, -1), ones));
}

ty_lu_parts ty_lu(ty_tensor *a) {
    struct matrix_call call = matrix_open(1, &a);
    ty_tensor *out[3];
    struct packed p = matrix_pack("lu", (struct matrix_attr){.kind = MATRIX_LU}, 1, &a);
    if (ty_ok(p.x)) {
        ty_tensor *lu = packed_part(&p, 0);
        int64_t m = p.form.part[0].rows, n = p.form.part[0].columns, k = m < n ? m : n;
        out[0] = triangle_of(lu, true, k);
        out[1] = triangle_of(lu, false, k);
        out[2] = ty_cast(as_real(packed_part(&p, 1)), TY_I64);
    } else {
        results_poisoned(3, out, p.x);
    }
    matrix_close_all(call, 3, out);
    return (ty_lu_parts){out[0], out[1], out[2]};
}

struct determinant {
    ty_tensor *sign, *diagonal;
};

/* Return the sign of the row order and the diagonal of u of the LU decomposition of square a: the determinant
   is the product of all of them. Both are poisoned, in the name of function `name`, on failure. */
static struct determinant determinant_of(const char *name, ty_tensor *a) {
    ty_tensor *bad = refuse_matrix(name, a, true);
    if (bad) return (struct determinant){bad, bad};
    struct packed p = matrix_pack(name, (struct matrix_attr){.kind = MATRIX_LU}, 1, &a);
    ty_tensor *sign = ty_detach(packed_part(&p, 2));
    return (struct determinant){ty_squeeze(sign, -1), ty_diagonal(packed_part(&p, 0), -2, -1)};
}

ty_tensor *ty_det(ty_tensor *a) {
    struct matrix_call call = matrix_open(1, &a);
    struct determinant d = determinant_of("det", a);
    if (!ty_ok(d.sign)) return matrix_close(call, d.sign);
    return matrix_close(call, ty_mul(d.sign, ty_prod(d.diagonal, ty_axis(-1))));
}

ty_slogdet_parts ty_slogdet(ty_tensor *a) {
    struct matrix_call call = matrix_open(1, &a);
    struct determinant d = determinant_of("slogdet", a);
    ty_tensor *out[2] = {d.sign, d.sign};
    if (ty_ok(d.sign)) {
        out[0] = ty_mul(d.sign, ty_prod(ty_sign(d.diagonal), ty_axis(-1)));
        out[1] = ty_sum(ty_log(ty_abs(d.diagonal)), ty_axis(-1));
    }
    matrix_close_all(call, 2, out);
    return (ty_slogdet_parts){out[0], out[1]};
}
