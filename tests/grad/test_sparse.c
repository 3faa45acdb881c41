/*
 * Sparse derivatives against dense ones, row by row, for every function of gradient.def. Patterns and numbers of
 * colours have closed forms (bands, arrows, blocks, random positions). Errors.
 */
#include <math.h>
#include <string.h>
#include <tyto/tyto.h>
#include "ops/core/op.h"
#include "tests/support/compare.h"
#include "tests/support/samples/gradient_samples.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"

enum how { LAZY, TRACKED, HOWS };
static ty_tensor *leaf(ty_tensor *x, enum how how) { return how == LAZY ? ty_var(x, "x") : ty_track(x, "x"); }

static ty_tensor *flat(ty_tensor *x) {
    int64_t size = ty_size(x);
    return ty_reshape(x, 1, &size);
}

/* Return the dense Jacobian, row by row. */
static ty_tensor *dense(ty_tensor *y, ty_tensor *x) {
    int64_t rows = ty_size(y), columns = ty_size(x);
    ty_allow_unused(true); /* an element of y need not depend on x */
    ty_tensor **all = test_room((size_t)rows * sizeof *all), *elements = flat(y);
    for (int64_t i = 0; i < rows; i++) {
        ty_grad(ty_gather(elements, ty_int(i), 0), 1, &x, &all[i]);
        all[i] = flat(CHECK_OK(ty_eval(CHECK_OK(all[i]))));
    }
    return rows ? CHECK_OK(ty_stack((int)rows, all, 0)) : ty_zeros(ty_dtype_of(y), TY_SHAPE(0, columns));
}

static ty_sparsity check_jacobian(const char *name, ty_tensor *y, ty_tensor *x) {
    ty_tensor *values, *indices;
    ty_sparsity told;
    ty_allow_unused(true);
    ty_sparse_jacobian(CHECK_OK(y), x, &values, &indices, &told);
    CHECK_OK(values), CHECK_OK(indices);
    if (!ty_ok(values) || !ty_ok(indices)) return told;
    CHECK(told.rows == ty_size(y) && told.columns == ty_size(x) && ty_shape(indices)[0] == told.entries,
          "%s: %lld rows, %lld columns, %lld entries", name, (long long)told.rows, (long long)told.columns,
          (long long)told.entries);
    ty_tensor *got = CHECK_OK(ty_dense_entries(ty_eval(values), indices, told.rows, told.columns));
    compare_near(got, dense(y, x), 1e-10, 1e-10, "%s", name);
    return told;
}

/* Check the Hessian of the sum of squares of y; returns its sparsity. */
static ty_sparsity check_hessian(const char *name, ty_tensor *y, ty_tensor *x) {
    ty_tensor *values, *indices, *gradient;
    ty_sparsity told;
    ty_allow_unused(true);
    ty_sparse_hessian(CHECK_OK(y), x, &values, &indices, &told);
    CHECK_OK(values), CHECK_OK(indices);
    if (!ty_ok(values) || !ty_ok(indices)) return told;
    ty_grad(y, 1, &x, &gradient);
    ty_tensor *got = CHECK_OK(ty_dense_entries(ty_eval(values), indices, told.rows, told.columns));
    compare_near(got, dense(CHECK_OK(gradient), x), 1e-9, 1e-9, "Hessian of %s", name);
    return told;
}

/* ---- the tables ---- */

static bool is_complex(ty_tensor *x) { return dtype_is(ty_dtype_of(x), CLASS_COMPLEX); }

static void jacobians_of(const char *name, ty_tensor *y, int n, ty_tensor *const *x) {
    for (int i = 0; i < n; i++) check_jacobian(name, y, x[i]);
}
static void hessian_of(const char *name, ty_tensor *y, int n, ty_tensor *const *x) {
    (void)n;
    check_hessian(name, ty_sum(ty_square(y), TY_ALL), x[0]);
}

/* Run `check` on each function of the table, for each kind of operand. */
static void check_functions(void (*check)(const char *name, ty_tensor *y, int n, ty_tensor *const *x)) {
    for (int k = 0; k < gradient_sample_count; k++) {
        const struct gradient_sample *d = &gradient_samples[k];
        if (!(d->parts & PARTS_REAL)) continue;
        for (enum how how = 0; how < HOWS; how++) {
            struct test_round round = test_round();
            ty_tensor *x[3];
            for (int i = 0; i < d->n; i++) x[i] = CHECK_OK(leaf(gradient_operand(d, TY_F64, i), how));
            ty_tensor *y = CHECK_OK(d->value(x));
            if (!is_complex(y)) check(d->name, y, d->n, x);
            test_round_end(round);
        }
    }
}
static void functions(void) { check_functions(jacobians_of); }
static void hessians(void) { check_functions(hessian_of); }

/* ---- closed forms ---- */

/* Return x[i + by], zero outside. */
static ty_tensor *moved(ty_tensor *x, int64_t by) {
    return ty_pad(x, (ty_padding[]){{-by, by, 0}}, ty_scalar(ty_dtype_of(x), 0));
}

static ty_tensor *banded(ty_tensor *x, int64_t reach) {
    ty_tensor *y = ty_sin(x);
    for (int64_t by = 1; by <= reach; by++)
        y = ty_add(y, ty_mul(ty_square(moved(x, by)), ty_add(moved(x, -by), ty_num(2))));
    return y;
}

/* Return x[1:-1] combined with its neighbours, as slices. */
static ty_tensor *laplacian(ty_tensor *x) {
    ty_tensor *middle = ty_slice(x, 0, 1, -1, 1);
    return ty_sub(ty_add(ty_slice(x, 0, 0, -2, 1), ty_slice(x, 0, 2, TY_END, 1)),
                  ty_mul(middle, ty_exp(middle)));
}

static void expect(const char *name, ty_sparsity s, int64_t entries, int64_t colours) {
    if (test_starving()) return;
    CHECK(s.entries == entries && s.colours == colours,
          "%s: %lld entries in %lld colours, %lld in %lld expected", name, (long long)s.entries,
          (long long)s.colours, (long long)entries, (long long)colours);
}

static void bands(void) {
    enum { N = 41 };
    for (enum how how = 0; how < HOWS; how++) {
        ty_tensor *x = leaf(sample_shape(TY_F64, 1, (int64_t[]){N}, -1, 1), how);
        expect("elements", check_jacobian("elements", ty_exp(x), x), N, 1);
        expect("three bands", check_jacobian("three bands", banded(x, 1), x), 3 * N - 2, 3);
        expect("five bands", check_jacobian("five bands", banded(x, 2), x), 5 * N - 6, 5);
        expect("slices", check_jacobian("slices", laplacian(x), x), 3 * (N - 2), 3);
        expect("differences", check_jacobian("differences", ty_square(ty_diff(x, 1, 0, NULL, NULL)), x),
               2 * (N - 1), 2);
        expect("running sums", check_jacobian("running sums", ty_cumsum(ty_sin(x), 0, (ty_running){0}), x),
               N * (N + 1) / 2, N);
        expect("a sum", check_jacobian("a sum", ty_sum(ty_sin(x), TY_ALL), x), N, 1);
        expect("copies of one",
               check_jacobian("copies of one",
                              ty_mul(ty_slice(x, 0, 3, 4, 1), ty_sin(ty_ones(TY_F64, TY_SHAPE(N)))), x),
               N, 1);
        expect("nothing", check_jacobian("nothing", ty_floor(x), x), 0, 0);
        expect("detached", check_jacobian("detached", ty_mul(ty_detach(x), ty_num(2)), x), 0, 0);
    }
}

/* Patterns of convolutions, five-point stencils and pools. */
static void planes(void) {
    enum { N = 9 };
    for (enum how how = 0; how < HOWS; how++) {
        ty_tensor *x = leaf(sample_shape(TY_F64, 2, (int64_t[]){N, N}, -1, 1), how),
                  *image = ty_reshape(ty_sin(x), TY_SHAPE(1, N, N, 1));
        ty_tensor *w = sample_shape(TY_F64, 4, (int64_t[]){3, 3, 1, 1}, 1, 2);
        int64_t inner = N - 2;
        expect("3 by 3", check_jacobian("3 by 3", ty_conv2d(image, w, (ty_conv){0}), x), 9 * inner * inner,
               9);
        ty_tensor *wide = ty_conv2d(image, w, (ty_conv){.stride = {3, 3}});
        expect("apart", check_jacobian("apart", wide, x), 81, 1);
        expect("means", check_jacobian("means", ty_avg_pool2d(image, (ty_pool){.size = {3, 3}}), x), 81, 1);
        expect("rows",
               check_jacobian("rows", ty_matmul(x, sample_shape(TY_F64, 2, (int64_t[]){N, 2}, 1, 2)), x),
               2 * N * N, 2);
        expect("sorted rows", check_jacobian("sorted rows", ty_sort(x, 1, false), x), N * N * N, N);
    }
}

/* Return the product of the first element with each other one. By columns it needs as many colours as
   elements, by rows two; the Hessian needs two by star colouring. */
static ty_tensor *spokes(ty_tensor *x) {
    ty_tensor *hub = ty_slice(x, 0, 0, 1, 1), *rest = ty_slice(x, 0, 1, TY_END, 1);
    return ty_mul(ty_sin(hub), ty_square(rest));
}

static void arrows(void) {
    enum { N = 30 };
    for (enum how how = 0; how < HOWS; how++) {
        ty_tensor *x = leaf(sample_shape(TY_F64, 1, (int64_t[]){N}, 0.5, 1), how), *y = spokes(x);
        ty_sparsity s = check_jacobian("spokes", y, x);
        expect("spokes", s, 2 * (N - 1), 2);
        ty_tensor *wheel[] = {ty_sum(x, ty_axes_of(1, (int[]){0}, true)),
                              ty_sin(ty_slice(x, 0, 1, TY_END, 1))};
        s = check_jacobian("wheel", ty_concat(2, wheel, 0), x);
        expect("wheel", s, 2 * N - 1, 2);
        CHECK(s.by_rows || test_starving(), "a long row takes as many colours of columns");
        expect("Hessian of spokes", check_hessian("spokes", ty_sum(y, TY_ALL), x), 3 * N - 2, 2);
        expect("Hessian of a chain", check_hessian("a chain", ty_sum(ty_square(banded(x, 1)), TY_ALL), x),
               5 * N - 6, 5);
        ty_tensor *near = ty_sub(ty_slice(x, 0, 1, TY_END, 1), ty_square(ty_slice(x, 0, 0, -1, 1)));
        expect("Hessian of Rosenbrock", check_hessian("Rosenbrock", ty_sum(ty_square(near), TY_ALL), x),
               3 * N - 2, 3);
        expect("a line", check_hessian("a line", ty_sum(ty_mul(x, ty_num(3)), TY_ALL), x), 0, 0);
    }
}

static void blocks(void) {
    enum { BLOCKS = 6, SIZE = 4, N = BLOCKS * SIZE };
    for (enum how how = 0; how < HOWS; how++) {
        ty_tensor *x = leaf(sample_shape(TY_F64, 1, (int64_t[]){N}, 0.5, 1), how);
        ty_tensor *rows = ty_reshape(x, TY_SHAPE(BLOCKS, SIZE));
        expect("blocks", check_jacobian("blocks", ty_softmax(rows, 1), x), BLOCKS * SIZE * SIZE, SIZE);
        expect("Hessian of blocks",
               check_hessian("blocks", ty_sum(ty_logsumexp(rows, ty_axis(1)), TY_ALL), x),
               BLOCKS * SIZE * SIZE, SIZE);
        ty_tensor *all = ty_matmul(sample_shape(TY_F64, 2, (int64_t[]){N, N}, -1, 1), ty_sin(x));
        expect("dense", check_jacobian("dense", all, x), N * N, N);
    }
}

/* The pattern of N results that each read three random elements of x. */
static void places(void) {
    enum { N = 40, EACH = 3 };
    for (enum how how = 0; how < HOWS; how++) {
        int64_t at[N][EACH], entries = 0;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < EACH; k++) {
                at[i][k] = test_between(0, N - 1);
                bool again = false;
                for (int j = 0; j < k; j++) again = again || at[i][j] == at[i][k];
                entries += !again;
            }
        ty_tensor *index = ty_from(TY_I64, TY_SHAPE(N, EACH), at);
        ty_tensor *x = leaf(sample_shape(TY_F64, 1, (int64_t[]){N}, 0.5, 1), how);
        ty_sparsity s = check_jacobian("places", ty_prod(ty_gather(x, index, 0), ty_axis(1)), x);
        CHECK((s.entries == entries && s.colours >= EACH && s.colours < N) || test_starving(),
              "%lld of %lld entries in %lld colours", (long long)s.entries, (long long)entries,
              (long long)s.colours);
        check_hessian("places", ty_sum(ty_prod(ty_gather(x, index, 0), ty_axis(1)), TY_ALL), x);
        ty_tensor *wide = ty_mul(ty_expand(x, 1), ty_ones(TY_F64, TY_SHAPE(N, EACH)));
        s = check_jacobian("written", ty_scatter_add(flat(wide), flat(index), 0, N), x);
        CHECK(s.entries == entries || test_starving(), "%lld of %lld entries", (long long)s.entries,
              (long long)entries);
        ty_tensor *later = how == LAZY ? ty_var(index, "index") : index;
        s = check_jacobian("places that vary", ty_sum(ty_gather(x, later, 0), ty_axis(1)), x);
        CHECK(s.entries == (how == LAZY ? N * N : entries) || test_starving(), "%lld entries",
              (long long)s.entries);
    }
}

/* Each operator with a gradient has a rule for its pattern, or a dense one on purpose. */
static void rules(void) {
    static const char *const without[] = {"evaluated", "sample", "result", "custom", "call"};
    for (const struct op *const *op = op_table; *op; op++) {
        bool known = (*op)->reach || (*op)->reach_results || (!(*op)->vjp && !(*op)->vjp_all);
        for (size_t i = 0; i < sizeof without / sizeof *without; i++)
            known = known || !strcmp((*op)->name, without[i]);
        CHECK(known, "operator %s does not say what it reaches (op->reach)", (*op)->name);
    }
}

/* ---- loops: each step of a stencil reaches one element further, a scan over elements reaches all before
   ---- */

static void diffuse(void *context, ty_step *s) {
    ty_tensor *x = s->carry[0];
    (void)context;
    s->next[0] = ty_add(x, ty_mul(ty_add(moved(x, 1), moved(x, -1)), ty_sin(x)));
    s->y[0] = ty_sum(ty_square(ty_slice(x, 0, 0, 2, 1)), TY_ALL);
}
static void gather_up(void *context, ty_step *s) {
    s->next[0] = ty_mul(s->carry[0], ty_add(s->x[0], ty_num(1)));
    s->y[0] = s->next[0];
    if (context) s->stop = ty_gt(s->next[0], (ty_tensor *)context);
}
static void one_way(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_mul(x[0], moved(x[0], 1));
}
static void other_way(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_mul(x[0], moved(x[0], -1));
}

static void bodies(void) {
    enum { N = 21 };
    for (enum how how = 0; how < HOWS; how++) {
        ty_tensor *x = leaf(sample_shape(TY_F64, 1, (int64_t[]){N}, 0.1, 0.2), how), *last, *y,
                  *one = ty_num(1);
        for (int64_t steps = 0; steps < 4; steps++) {
            ty_scan(diffuse, NULL, (ty_scan_spec){.ncarry = 1, .carry = &x, .ny = 1, .length = steps}, &last,
                    &y, NULL);
            int64_t entries = N * (2 * steps + 1) - steps * (steps + 1);
            expect("steps of a stencil", check_jacobian("steps of a stencil", last, x), entries,
                   2 * steps + 1);
            expect("rows of results", check_jacobian("rows of results", y, x),
                   steps * 2 + steps * (steps - 1) / 2, steps);
        }
        for (int how_it_goes = 0; how_it_goes < 3; how_it_goes++) {
            ty_scan(gather_up, how_it_goes == 2 ? ty_num(1.5) : NULL,
                    (ty_scan_spec){
                        .ncarry = 1, .carry = &one, .nx = 1, .x = &x, .ny = 1, .reverse = how_it_goes == 1},
                    &last, &y, NULL);
            expect("a running product", check_jacobian("a running product", y, x), N * (N + 1) / 2, N);
            expect("the last of them", check_jacobian("the last of them", last, x), N, 1);
            check_hessian("a running product", ty_sum(y, TY_ALL), x);
        }
        ty_cond(ty_lazy(ty_scalar(TY_BOOL, 1)), one_way, other_way, NULL, 1, &x, 1, &y);
        expect("either way", check_jacobian("either way", y, x), 3 * N - 2, 3);
    }
}

/* ---- compiled promises, derivatives of derivatives ---- */

static void compiled(void) {
    enum { N = 20 };
    ty_tensor *x = ty_var(sample_shape(TY_F64, 1, (int64_t[]){N}, -1, 1), "x"), *values, *indices, *g, *want;
    ty_tensor *y = banded(x, 1);
    ty_sparse_jacobian(y, x, &values, &indices, NULL);
    ty_program *program = test_program(ty_compile(1, &values, (ty_compile_options){0}));
    for (int i = 0; i < 3; i++) {
        ty_assign(x, sample_shape(TY_F64, 1, (int64_t[]){N}, -1, 1), NULL);
        CHECK(ty_run(program) || test_starving(), "%s", ty_program_error(program));
        if (test_starving()) return;
        compare_near(ty_dense_entries(ty_output(program, 0), indices, N, N), dense(y, x), 1e-12, 1e-12,
                     "run %d", i);
    }
    ty_grad(ty_sum(ty_square(values), TY_ALL), 1, &x, &g);
    ty_tensor *rows[N];
    for (int i = 0; i < N; i++) ty_grad(ty_gather(y, ty_int(i), 0), 1, &x, &rows[i]);
    ty_grad(ty_sum(ty_square(ty_stack(N, rows, 0)), TY_ALL), 1, &x, &want);
    compare_near(CHECK_OK(ty_eval(g)), CHECK_OK(ty_eval(want)), 1e-10, 1e-10,
                 "the gradient of a sparse Jacobian");
}

static void dtypes_and_sizes(void) {
    for (ty_dtype dtype = TY_F16; dtype <= TY_F64; dtype++)
        for (int64_t n = 0; n < 4; n++)
            for (enum how how = 0; how < HOWS; how++) {
                ty_tensor *x = leaf(sample_shape(dtype, 1, &n, -1, 1), how), *y = ty_square(x), *values,
                          *indices;
                ty_sparse_jacobian(y, x, &values, &indices, NULL);
                compare_near(CHECK_OK(ty_eval(values)), ty_mul(ty_eval(x), ty_cast(ty_num(2), dtype)), 1e-2,
                             1e-2, "%s", ty_dtype_name(dtype));
            }
}

static void refusals(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(3)), "x"), *c = ty_var(ty_ones(TY_C64, TY_SHAPE(3)), "c"),
              *values, *indices;
    CHECK(!ty_sparse_jacobian(c, c, &values, &indices, NULL), "complex");
    CHECK_POISON(values, "sparse_jacobian: y is c64[3]");
    CHECK(!ty_sparse_jacobian(x, ty_ones(TY_I32, TY_SHAPE(3)), &values, &indices, NULL), "integers");
    CHECK_POISON(indices, "sparse_jacobian: x is i32[3]");
    CHECK(!ty_sparse_hessian(x, x, &values, &indices, NULL), "several");
    CHECK_POISON(values, "expected one element");
    CHECK_POISON(ty_dense_entries(x, ty_zeros(TY_I64, TY_SHAPE(3)), 2, 2), "dense_entries of");
    CHECK_POISON(ty_dense_entries(x, ty_full(TY_I64, TY_SHAPE(3, 2), 5), -2, 2), "-2 rows");
    CHECK_POISON(ty_eval(ty_dense_entries(x, ty_full(TY_I64, TY_SHAPE(3, 2), 5), 2, 2)), "5");
    CHECK(!ty_sparse_jacobian(ty_poison("no y"), x, &values, &indices, NULL), "poison");
    CHECK_POISON(values, "no y");
}

TESTS_MAIN(TEST(functions), TEST(hessians), TEST(bands), TEST(planes), TEST(arrows), TEST(blocks),
           TEST(places), TEST(rules), TEST(bodies), TEST(compiled), TEST(dtypes_and_sizes), TEST(refusals))
