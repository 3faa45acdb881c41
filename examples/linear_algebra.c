/* Linear algebra: the program of docs/linalg.md, whose lines of code are taken from it. */
#include <math.h>
#include <tyto/tyto.h>

static bool all_well = true;

static void expect(const char *what, ty_tensor *got, int64_t n, const double *want) {
    double numbers[16] = {0};
    bool well = ty_ok(got) && ty_size(got) == n && ty_read(got, TY_F64, numbers);
    for (int64_t i = 0; i < n && well; i++) well = fabs(numbers[i] - want[i]) < 1e-9;
    if (!well) printf("%s is wrong: %s\n", what, ty_ok(got) ? "another value" : ty_error(got));
    all_well = all_well && well;
}
#define EXPECT(got, ...)                                                                                     \
    expect(#got, got, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

static void systems(void) {
    ty_tensor *a = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){4, 1, 2, 3});
    ty_tensor *b = ty_from(TY_F64, TY_SHAPE(2), (double[]){1, 2});
    ty_tensor *x = ty_solve(a, b); /* {0.1, 0.6} */
    ty_tensor *many = ty_broadcast(a, TY_SHAPE(1000, 2, 2));
    ty_tensor *inverses = ty_inv(many); /* [1000,2,2] */
    EXPECT(x, 0.1, 0.6);
    EXPECT(ty_slice(ty_slice(inverses, 0, 999, TY_END, 1), 1, 0, 1, 1), 0.3, -0.1);

    ty_tensor *singular = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){1, 2, 2, 4});
    ty_tensor *none = ty_solve(singular, b);
    printf("%s\n", ty_error(none)); /* solve: matrix is singular: the pivot of column 1 is 0 */
}

static void factorisations(void) {
    ty_tensor *a = ty_from(TY_F64, TY_SHAPE(3, 2), (double[]){1, 2, 3, 4, 5, 6});
    ty_svd_parts f = ty_svd(a, false);
    ty_tensor *again = ty_matmul(ty_mul(f.u, f.s), f.vh); /* a */
    EXPECT(again, 1, 2, 3, 4, 5, 6);

    ty_lu_parts lu = ty_lu(a);
    ty_tensor *rows = ty_take(a, lu.order, 0); /* what l u is */
    EXPECT(ty_sub(rows, ty_matmul(lu.l, lu.u)), 0, 0, 0, 0, 0, 0);
}

/* The logarithm of the density of N(0, c) at x, but for a constant. */
static ty_tensor *density(void *context, ty_tensor *const *c) {
    ty_tensor *x = context, *l = ty_cholesky(c[0]);
    ty_tensor *half = ty_triangular_solve(l, x, false, false);
    ty_tensor *logs = ty_sum(ty_log(ty_diagonal(l, -2, -1)), TY_ALL);
    return ty_neg(ty_add(ty_mul(ty_sum(ty_square(half), TY_ALL), ty_num(0.5)), logs));
}

static void gradients(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2), (double[]){1, 0});
    ty_tensor *c = ty_eye(TY_F64, 2), *value, *gradient;
    ty_value_and_grad(density, x, 1, &c, &value, &gradient); /* -0.5, {{0, 0}, {0, -0.5}} */
    EXPECT(value, -0.5);
    EXPECT(gradient, 0, 0, 0, -0.5);
}

int main(void) {
    ty_scope *scope = ty_open();
    systems();
    factorisations();
    gradients();
    ty_close(scope);
    if (all_well) printf("linear algebra: well\n");
    return !all_well;
}
