#include "tests/support/samples/matrices.h"
#include <math.h>
#include "array/dtype.h"

const char *family_name(enum family family) {
    static const char *const names[FAMILIES] = {"usual",     "graded", "singular", "repeated",
                                                "defective", "huge",   "tiny",     "zero"};
    return names[family];
}

static ty_tensor *normal(ty_dtype dtype, int64_t m, int64_t n) {
    ty_tensor *x = ty_normal(TY_F64, TY_SHAPE(m, n), ty_key(test_random()));
    if (dtype != TY_C64 && dtype != TY_C128) return x;
    return ty_from_parts(x, ty_normal(TY_F64, TY_SHAPE(m, n), ty_key(test_random())));
}

ty_tensor *adjoint_of(ty_tensor *x) { return ty_conj(ty_transpose(x)); }

/* Return a matrix of half the full rank, with two columns of zeros if n > 4. */
static ty_tensor *singular(ty_dtype dtype, int64_t m, int64_t n) {
    int64_t rank = (m < n ? m : n) / 2;
    ty_tensor *x = ty_matmul(normal(dtype, m, rank), normal(dtype, rank, n));
    return n > 4 ? ty_set_at(x, ":, 1:3", ty_num(0)) : x;
}

static ty_tensor *repeated(ty_dtype dtype, int64_t m, int64_t n) {
    int64_t least = m < n ? m : n;
    ty_tensor *u = ty_qr(normal(dtype, m, least), false).q, *v = ty_qr(normal(dtype, n, least), false).q;
    ty_tensor *d = ty_cast(ty_le(ty_mod(ty_arange(TY_F64, 0, least, 1), ty_num(3)), ty_num(1)), TY_F64);
    return ty_matmul(ty_mul(u, ty_add(d, ty_num(1))), adjoint_of(v));
}

static ty_tensor *defective(ty_dtype dtype, int64_t m, int64_t n) {
    if (m != n) return normal(dtype, m, n);
    ty_tensor *q = ty_qr(normal(dtype, n, n), false).q;
    ty_tensor *block = ty_add(ty_mul(ty_eye(TY_F64, n), ty_num(2)), ty_eye_of(TY_F64, n, n, 1));
    return ty_matmul(ty_matmul(q, ty_cast(block, ty_dtype_of(q))), adjoint_of(q));
}

static ty_tensor *slopes(int64_t n) {
    return ty_pow(ty_num(10), ty_mul(ty_arange(TY_F64, 0, n, 1), ty_num(-8.0 / (double)(n > 1 ? n - 1 : 1))));
}

static double extreme_of(ty_dtype dtype) { return dtype == TY_F32 || dtype == TY_C64 ? 1e36 : 1e300; }

ty_tensor *matrix_of(enum family family, ty_dtype dtype, int64_t m, int64_t n) {
    ty_tensor *x = family == SINGULAR    ? singular(dtype, m, n)
                   : family == REPEATED  ? repeated(dtype, m, n)
                   : family == DEFECTIVE ? defective(dtype, m, n)
                                         : normal(dtype, m, n);
    double extreme = extreme_of(dtype);
    if (family == GRADED) x = ty_mul(ty_mul(x, slopes(n)), ty_expand(slopes(m), -1));
    if (family == HUGE_ONES) x = ty_mul(x, ty_num(extreme));
    if (family == TINY_ONES) x = ty_mul(x, ty_num(1 / extreme));
    if (family == NOTHING) x = ty_mul(x, ty_num(0));
    return CHECK_OK(ty_cast(x, dtype));
}

ty_tensor *hermitian_of(enum family family, ty_dtype dtype, int64_t n) {
    ty_tensor *x = matrix_of(family, dtype, n, n);
    return CHECK_OK(ty_add(ty_mul(x, ty_num(0.5)), ty_mul(adjoint_of(x), ty_num(0.5))));
}

ty_tensor *definite_of(ty_dtype dtype, int64_t n) {
    ty_tensor *x = normal(dtype, n, n + 2);
    ty_tensor *square = ty_add(ty_matmul(x, adjoint_of(x)), ty_eye(TY_F64, n));
    return CHECK_OK(ty_cast(square, dtype));
}

ty_tensor *laid_out(ty_tensor *x, int way) {
    ty_tensor *whole;
    switch (way) {
    case 1: /* column-major */
        return ty_transpose(ty_contiguous(ty_transpose(x)));
    case 2: /* every second row and column of a larger matrix */
        whole = ty_repeat(ty_repeat(x, 2, -1), 2, -2);
        return ty_slice(ty_slice(whole, -1, 0, TY_END, 2), -2, 0, TY_END, 2);
    case 3: /* negative strides */
        return ty_flip(ty_flip(ty_contiguous(ty_flip(ty_flip(x, -1), -2)), -2), -1);
    case 4: /* a nonzero offset */
        whole = ty_contiguous(ty_pad(x, (ty_padding[]){{1, 2, 0}, {3, 1, 0}}, ty_num(NAN)));
        return ty_slice(ty_slice(whole, 0, 1, -2, 1), 1, 3, -1, 1);
    default:
        return x;
    }
}

ty_tensor *wide(ty_tensor *x) {
    ty_dtype dtype = ty_dtype_of(x);
    return ty_cast(x, dtype == TY_C64 || dtype == TY_C128 ? TY_C128 : TY_F64);
}
ty_tensor *product(ty_tensor *a, ty_tensor *b) { return ty_matmul(wide(a), wide(b)); }

static double greatest(ty_tensor *x) {
    if (ty_size(x) == 0) return 0;
    return ty_item(CHECK_OK(ty_amax(ty_abs(x), TY_ALL)));
}

void compare_residual(ty_tensor *got, ty_tensor *want, ty_tensor *beside, int64_t n, ty_dtype dtype,
                      const char *what) {
    ty_tensor *difference = CHECK_OK(ty_sub(wide(got), wide(want)));
    double size = greatest(wide(beside)), far = greatest(difference);
    double least = dtype == TY_F32 || dtype == TY_C64 ? 1e-44 : 5e-324;
    double most = 30 * (double)(n > 1 ? n : 1) * relative_ulp(dtype) * size + 100 * (double)n * least;
    CHECK(far <= most, "%s of %s %lld by %lld: %g is farther than %g", what, ty_dtype_name(dtype),
          (long long)ty_shape(got)[0], (long long)ty_shape(got)[ty_rank(got) - 1], far, most);
}

void check_orthonormal(ty_tensor *x, ty_dtype dtype, const char *what) {
    ty_tensor *square = product(adjoint_of(wide(CHECK_OK(x))), x), *one = ty_eye(TY_F64, ty_shape(x)[1]);
    int64_t n = ty_shape(x)[0];
    compare_residual(square, ty_cast(one, ty_dtype_of(square)), ty_ones(TY_F64, TY_SHAPE(1)), n, dtype, what);
}

/* ---- for gradients ---- */

static ty_tensor *eye_like(ty_tensor *x, double by) {
    return ty_mul(ty_eye(TY_F64, ty_shape(x)[ty_rank(x) - 1]), ty_num(by));
}
ty_tensor *shifted(ty_tensor *x) { return ty_ok(x) ? ty_add(x, eye_like(x, 4)) : x; }
ty_tensor *squared(ty_tensor *x) {
    ty_tensor *square = ty_matmul(x, adjoint_of(x));
    return ty_ok(square) ? ty_add(square, eye_like(square, 1)) : square;
}
ty_tensor *spread(ty_tensor *x) {
    if (!ty_ok(x)) return x;
    int64_t n = ty_shape(x)[ty_rank(x) - 1];
    return ty_add(x, ty_diag(ty_steps(TY_F64, 3, 5, n), 0));
}

ty_tensor *of_lu(ty_tensor *x) {
    ty_lu_parts f = ty_lu(x);
    return ty_matmul(ty_square(f.u), ty_transpose(ty_sin(ty_matmul(f.l, f.u))));
}
ty_tensor *of_qr(ty_tensor *x, bool pivoted) {
    ty_qr_pivoted_parts p = {NULL, NULL, NULL};
    if (pivoted) p = ty_qr_pivoted(x, false);
    ty_qr_parts f = pivoted ? (ty_qr_parts){p.q, p.r} : ty_qr(x, false);
    return ty_matmul(ty_square(f.q), ty_square(f.r));
}
ty_tensor *of_svd(ty_tensor *x) {
    ty_svd_parts f = ty_svd(x, false);
    return ty_matmul(ty_mul(f.u, ty_expand(ty_square(f.s), -2)), f.vh);
}
ty_tensor *of_eigh(ty_tensor *x) {
    ty_eigen_parts f = ty_eigh(x);
    return ty_matmul(ty_mul(f.vectors, ty_expand(ty_sin(f.values), -2)), adjoint_of(f.vectors));
}
ty_tensor *of_eig(ty_tensor *x) {
    ty_eigen_parts f = ty_eig(x);
    return ty_matmul(ty_mul(f.vectors, ty_expand(ty_square(f.values), -2)), ty_inv(f.vectors));
}
