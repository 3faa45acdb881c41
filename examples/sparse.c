/* Sparse matrices: the program of docs/sparse.md, whose lines of code are taken from it. */
#include <math.h>
#include <stdlib.h>
#include <tyto/tyto.h>

static bool all_well = true;

static void expect(const char *what, double got, double want, double within) {
    if (fabs(got - want) <= within) return;
    printf("%s is %g and not %g\n", what, got, want);
    all_well = false;
}
#define EXPECT(got, want, within) expect(#got, got, want, within)

static double furthest(ty_tensor *a, ty_tensor *b) { return ty_item(ty_amax(ty_abs(ty_sub(a, b)), TY_ALL)); }

/* Return the 5-point Laplacian of a square grid of side by side points: 4 on the diagonal, -1 for each neighbour. */
static ty_sparse poisson(int64_t side) {
    ty_tensor *line[] = {ty_num(2), ty_num(-1), ty_num(-1)};
    ty_sparse one = ty_sparse_cast(ty_sparse_diagonals(3, line, (int64_t[]){0, 1, -1}, side, side), TY_F64);
    ty_tensor *dense = ty_sparse_to_dense(one), *eye = ty_eye(TY_F64, side);
    return ty_sparse_from_dense(ty_add(ty_kron(dense, eye), ty_kron(eye, dense)), TY_CSR);
}

static void made(void) {
    ty_tensor *values = ty_from(TY_F64, TY_SHAPE(4), (double[]){1, 2, 3, 4});
    const int32_t at[] = {0, 1, 2, 0, 0, 1, 2, 2}; /* row, column, row, column, ... */
    ty_tensor *places = ty_from(TY_I32, TY_SHAPE(4, 2), at);
    ty_sparse coo = ty_sparse_coo(values, places, 3, 3);
    ty_sparse csr = ty_sparse_as(coo, TY_CSR); /* sorted; values at equal indices are added */
    EXPECT((double)ty_sparse_entries(csr), 3, 0);
    ty_tensor *dense = ty_sparse_to_dense(csr);
    EXPECT(ty_item(ty_at(dense, "0, 1")), 4, 0);
    ty_tensor *y = ty_sparse_matmul(csr, ty_ones(TY_F64, TY_SHAPE(3)));
    EXPECT(furthest(y, ty_sum(dense, ty_axis(1))), 0, 0);
    ty_sparse square = ty_sparse_product(csr, csr), turned = ty_sparse_transpose(csr);
    EXPECT(furthest(ty_sparse_to_dense(square), ty_matmul(dense, dense)), 0, 0);
    EXPECT(turned.form, TY_CSC, 0);
}

static void solved(void) {
    ty_sparse a = poisson(24);
    ty_tensor *b = ty_ones(TY_F64, TY_SHAPE(24 * 24));
    ty_solution plain = ty_cg(ty_linear_of(&a), b, (ty_iteration){0});
    ty_sparse l = ty_sparse_ic(a); /* l l^T is near a */
    ty_iteration better = {.preconditioner = ty_linear_of_cholesky(&l)};
    ty_solution quick = ty_cg(ty_linear_of(&a), b, better);
    EXPECT(furthest(ty_sparse_matmul(a, quick.x), b), 0, 1e-8);
    EXPECT(ty_item(quick.iterations) < ty_item(plain.iterations), 1, 0);
    ty_solution short_of = ty_cg(ty_linear_of(&a), b, (ty_iteration){.most = 3});
    if (ty_ok(short_of.x) || !ty_ok(short_of.last)) all_well = false;
    /* cg: not converged after 3 steps: the residual's length is 67.7, and 2.4e-09 was wanted ... */
}

/* A linear map without a matrix: combines each element of x with its neighbours on a ring. */
static ty_tensor *ring(void *context, ty_tensor *x) {
    (void)context;
    ty_tensor *beside =
        ty_add(ty_roll(x, 1, (int64_t[]){1}, (int64_t[]){0}), ty_roll(x, 1, (int64_t[]){-1}, (int64_t[]){0}));
    return ty_sub(ty_mul(x, ty_num(3)), beside);
}

static void any_map(void) {
    ty_tensor *b = ty_arange(TY_F64, 0, 50, 1);
    ty_linear map = {ring, NULL};
    ty_tensor *x = ty_gmres(map, b, (ty_iteration){.restart = 50}).x;
    EXPECT(furthest(ring(NULL, x), b), 0, 1e-7);
    ty_lanczos_parts ends = ty_lanczos(map, b, 1, (ty_lanczos_options){.which = TY_LARGEST});
    EXPECT(ty_item(ends.values), 5, 1e-9); /* 3 + 2 */
}

static void differentiated(void) {
    ty_sparse a = poisson(4);
    ty_tensor *values = ty_track(a.values, "values"), *gradient;
    ty_tensor *x = ty_steps(TY_F64, 0, 0.1, 16);
    ty_tensor *y = ty_sparse_matmul(ty_sparse_with(a, values), x);
    ty_grad(ty_sum(ty_square(y), TY_ALL), 1, &values, &gradient); /* one for each entry */
    ty_sparse by_hand = ty_sparse_sampled(a, ty_expand(ty_mul(y, ty_num(2)), 1), ty_expand(x, 1));
    EXPECT(furthest(gradient, by_hand.values), 0, 1e-12);
}

int main(void) {
    ty_scope *scope = ty_open();
    made();
    solved();
    any_map();
    differentiated();
    ty_close(scope);
    printf(all_well ? "sparse: well\n" : "sparse: not as expected\n");
    return all_well ? EXIT_SUCCESS : EXIT_FAILURE;
}
