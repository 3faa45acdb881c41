/* Matrices of derivatives by batches of unit vectors, for large intermediate results, against closed
   forms. */
#include <tyto/tyto.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { WIDE = 3000 };

static ty_tensor *leaf(ty_tensor *value, bool lazy) {
    return lazy ? ty_var(value, "x") : ty_track(value, "x");
}

/* Return y[j] = the sum over k of x[j]^2 w[k], through an intermediate [n, WIDE]. */
static ty_tensor *wide_squares(ty_tensor *x, ty_tensor *w) {
    return ty_sum(ty_mul(ty_expand(ty_square(x), 1), w), ty_axis(1));
}

static void forward(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        int64_t n = test_starving() ? 5 : 70;
        ty_tensor *values = ty_linspace(TY_F64, -1, 2, n), *w = ty_linspace(TY_F64, 0, 1, WIDE), *j, *h;
        ty_tensor *x = leaf(values, lazy), *y = wide_squares(x, w), *sum = ty_sum(w, TY_ALL);
        ty_tensor *eye = ty_eye_of(TY_F64, n, n, 0);
        if (!ty_jacobian(y, 1, &x, 0, &j)) return (void)CHECK(test_starving(), "%s", ty_error(j));
        compare_near(ty_eval(j), ty_mul(eye, ty_mul(ty_mul(values, ty_num(2)), sum)), 1e-9, 1e-12,
                     "jacobian");
        if (!ty_hessian(ty_sum(y, TY_ALL), 1, &x, 0, &h))
            return (void)CHECK(test_starving(), "%s", ty_error(h));
        compare_near(ty_eval(h), ty_mul(eye, ty_mul(sum, ty_num(2))), 1e-9, 1e-12, "hessian");
    }
}

/* Reverse mode for complex y[j] = the sum over i of a[j, i] x[i]^2: unit vectors, and i times those. */
static void reverse_of_complex(void) {
    enum { ROWS = 3, COLUMNS = 50 };
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *a = ty_cast(ty_normal(TY_F64, TY_SHAPE(ROWS, COLUMNS), ty_key(1)), TY_C128), *j;
        ty_tensor *values = ty_mul(ty_cast(ty_linspace(TY_F64, -1, 2, COLUMNS), TY_C128), ty_complex(1, 0.5));
        ty_tensor *x = leaf(values, lazy), *thin = ty_ones(TY_F64, TY_SHAPE(WIDE));
        ty_tensor *terms = ty_mul(ty_mul(a, ty_square(x)), ty_num(1.0 / WIDE));
        ty_tensor *y = ty_sum(ty_mul(ty_expand(terms, 2), thin), ty_axes_of(2, (int[]){1, 2}, false));
        if (!ty_jacobian(y, 1, &x, 0, &j)) return (void)CHECK(test_starving(), "%s", ty_error(j));
        compare_near(ty_eval(j), ty_mul(ty_mul(a, values), ty_num(2)), 1e-11, 1e-11, "complex, lazy %d",
                     lazy);
    }
}

/* The memory of the Jacobian is bounded. */
static void memory(void) {
    int64_t n = 200;
    ty_tensor *x = ty_var(ty_linspace(TY_F64, -1, 2, n), "x"), *w = ty_linspace(TY_F64, 0, 1, WIDE), *j;
    ty_tensor *y = ty_sum(ty_cumsum(ty_mul(ty_expand(ty_square(x), 1), w), 1, (ty_running){0}), ty_axis(1));
    if (!ty_jacobian(y, 1, &x, 0, &j)) return;
    ty_program *p = test_program(ty_compile(1, &j, (ty_compile_options){0}));
    if (*ty_program_error(p)) return;
    int64_t bytes = test_report(p).arena_bytes, all = n * n * WIDE * 8;
    CHECK(bytes < all / 8, "%lld bytes, of %lld at once", (long long)bytes, (long long)all);
}

/* Matrices without elements are empty. */
static void empty(void) {
    ty_tensor *x = ty_var(ty_zeros(TY_F64, TY_SHAPE(0)), "x"), *y = ty_square(x), *j, *h;
    if (!ty_jacobian(y, 1, &x, 0, &j)) return (void)CHECK(test_starving(), "%s", ty_error(j));
    CHECK(ty_rank(j) == 2 && ty_size(j) == 0, "%d axes", ty_rank(j));
    if (!ty_hessian(ty_sum(y, TY_ALL), 1, &x, 0, &h)) return (void)CHECK(test_starving(), "%s", ty_error(h));
    CHECK(ty_rank(h) == 2 && ty_size(ty_eval(h)) == 0, "%d axes", ty_rank(h));
}

TESTS_MAIN(TEST(forward), TEST(reverse_of_complex), TEST(memory), TEST(empty))
