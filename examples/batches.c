/* Batches of a function of one example: the program of docs/batching.md, whose lines of code are taken from it. */
#include <math.h>
#include <tyto/tyto.h>

static bool all_well = true;

static void expect(const char *what, bool well) {
    if (well) return;
    printf("%s is not so\n", what);
    all_well = false;
}
#define EXPECT(well) expect(#well, well)

static double furthest(ty_tensor *a, ty_tensor *b) { return ty_item(ty_amax(ty_abs(ty_sub(a, b)), TY_ALL)); }

static void distance(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_sqrt(ty_sum(ty_square(ty_sub(x[0], x[1])), TY_ALL)); /* of two vectors */
}

static void distances(void) {
    ty_tensor *points = ty_uniform(TY_F32, TY_SHAPE(1000, 3), ty_key(1)),
              *centre = ty_zeros(TY_F32, TY_SHAPE(3));
    ty_tensor *operands[] = {points, centre}, *y;                              /* f32[1000,3], f32[3] */
    ty_vmap(distance, NULL, 2, operands, (int[]){0, TY_NO_AXIS}, 1, &y, NULL); /* y is f32[1000] */
    EXPECT(furthest(y, ty_norm(points, 2, ty_axis(1))) < 1e-6);
}

struct layer {
    ty_tensor *w, *b;
}; /* f32[64,10], f32[10]: ty_var or ty_track */

static void gradient(void *context, ty_tensor *const *x, ty_tensor **y) {
    struct layer *l = context;
    ty_tensor *p = ty_add(ty_matmul(x[0], l->w), l->b);
    ty_grad(ty_sum(ty_square(ty_sub(p, x[1])), TY_ALL), 2, (ty_tensor *[]){l->w, l->b}, y);
}

static void gradients(void) {
    struct layer layer = {ty_track(ty_uniform(TY_F32, TY_SHAPE(64, 10), ty_key(2)), "w"),
                          ty_track(ty_zeros(TY_F32, TY_SHAPE(10)), "b")};
    ty_tensor *inputs = ty_uniform(TY_F32, TY_SHAPE(5, 64), ty_key(3)),
              *targets = ty_zeros(TY_F32, TY_SHAPE(5, 10));
    ty_tensor *g[2], *one[2];
    ty_vmap(gradient, &layer, 2, (ty_tensor *[]){inputs, targets}, NULL, 2, g,
            NULL); /* g[0] is f32[n,64,10] */
    gradient(&layer, (ty_tensor *[]){ty_at(inputs, "3"), ty_at(targets, "3")}, one);
    EXPECT(ty_shape(g[0])[0] == 5 && furthest(ty_at(g[0], "3"), one[0]) < 1e-3 &&
           furthest(ty_at(g[1], "3"), one[1]) < 1e-3);
}

/* Return the product of each element of a vector with the sum of itself and two neighbours on each side. */
static ty_tensor *residual(ty_tensor *x) {
    int64_t n = ty_size(x);
    ty_tensor *wide = ty_pad(x, (ty_padding[]){{2, 2, 0}}, ty_scalar(TY_F64, 0)), *sum = x;
    for (int64_t k = 0; k < 5; k++)
        if (k != 2) sum = ty_add(sum, ty_slice(wide, 0, k, n + k, 1));
    return ty_mul(x, sum);
}

static void sparse(void) {
    ty_tensor *x = ty_var(ty_uniform(TY_F64, TY_SHAPE(9072), ty_key(4)), "x");
    ty_tensor *y = residual(x), *values,
              *indices; /* f64[9072]; each element depends on five elements of x, f64[9072] */
    ty_sparsity s;
    ty_sparse_jacobian(y, x, &values, &indices,
                       &s); /* s.colours is 5, values f64[45354], indices i64[45354,2] */
    printf("%d colours, %lld entries\n", (int)s.colours, (long long)ty_size(values));
    EXPECT(s.colours == 5 && ty_size(values) == 45354 && ty_shape(indices)[1] == 2);
    /* a smaller one: the whole would take 660 MB */
    ty_tensor *few = ty_var(ty_uniform(TY_F64, TY_SHAPE(5), ty_key(5)), "x"), *dense;
    ty_sparse_jacobian(residual(few), few, &values, &indices, &s);
    ty_tensor *matrix = ty_dense_entries(values, indices, s.rows, s.columns); /* if you need it dense */
    ty_jacobian(residual(few), 1, &few, 0, &dense);
    EXPECT(furthest(matrix, dense) < 1e-14);
}

int main(void) {
    ty_scope *scope = ty_open();
    distances();
    gradients();
    sparse();
    ty_close(scope);
    puts(all_well ? "well" : "not well");
    return !all_well;
}
