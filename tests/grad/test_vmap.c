/* ty_vmap: loops and branches that differ between examples, nested batches, gradients, axes, errors. */
#include <string.h>
#include <tyto/tyto.h>
#include "array/tensor.h"
#include "grad/batch.h"
#include "tests/support/compare.h"
#include "tests/support/examples.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

/* ---- loops ---- */

static ty_tensor *is_small(void *context, ty_tensor *const *carry) {
    (void)context;
    return ty_lt(carry[0], ty_num(10));
}
static void grow(void *context, ty_tensor *const *carry, ty_tensor **next) {
    next[0] = ty_mul(carry[0], (ty_tensor *)context);
    next[1] = ty_add(carry[1], ty_int(1));
    next[2] = ty_sin(ty_add(carry[2], carry[0]));
}

/* Numbers of steps differ between examples: some need none, one the maximum. */
static void whiles(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    ty_tensor *carry[] = {x[0], ty_scalar(TY_I32, 0), x[1]};
    ty_while(is_small, grow, x[2], 3, carry, 9, y, &y[3]);
}

static ty_tensor *numbers(int64_t n, const double *x) { return ty_from(TY_F64, 1, &n, x); }

static void loops_while(void) {
    ty_tensor *x[] = {numbers(5, (double[]){1, 20, 0.25, 0.001, 9}), numbers(5, (double[]){1, 2, 3, 4, 5}),
                      ty_scalar(TY_F64, 2), NULL};
    int axes[] = {0, 0, TY_NO_AXIS};
    examples_check("while", whiles, NULL, 3, x, axes, 5, 4);
    ty_tensor *rates[] = {x[0], ty_scalar(TY_F64, 0.5), numbers(5, (double[]){2, 3, 1.5, 4, 2})};
    examples_check("while of rates", whiles, NULL, 3, rates, (int[]){0, TY_NO_AXIS, 0}, 5, 4);
    ty_tensor *none[] = {x[0], x[1], ty_scalar(TY_F64, 2)};
    examples_check("while with one start", whiles, NULL, 3,
                   (ty_tensor *[]){ty_scalar(TY_F64, 1), none[1], none[2]},
                   (int[]){TY_NO_AXIS, 0, TY_NO_AXIS}, 5, 4);
}

/* Compute the gradient of a while loop, whose reverse steps differ as well. */
static void while_gradient(void *context, ty_tensor *const *x, ty_tensor **y) {
    ty_tensor *v[3], *all[4];
    for (int i = 0; i < 3; i++) v[i] = ty_is_promise(x[i]) ? x[i] : ty_track(x[i], "x");
    whiles(context, v, all);
    ty_grad(ty_add(ty_square(all[0]), all[2]), 3, v, y);
}

static void loops_while_gradient(void) {
    ty_tensor *x[] = {numbers(5, (double[]){1, 20, 0.25, 0.001, 9}), numbers(5, (double[]){1, 2, 3, 4, 5}),
                      numbers(5, (double[]){2, 3, 1.5, 4, 2})};
    examples_check("gradient of while", while_gradient, NULL, 3, x, NULL, 5, 3);
}

/* Test a scan's carry, its history, a result, a carry shared by all examples, and the number of steps. */
static void step(void *context, ty_step *s) {
    ty_tensor *bound = context;
    s->next[0] = ty_add(ty_mul(s->carry[0], ty_num(0.5)), s->x[0]);
    s->next[1] = ty_add(s->carry[1], ty_num(1));
    s->y[0] = s->next[0];
    s->y[1] = ty_mul(s->x[0], s->carry[1]);
    if (bound) s->stop = ty_gt(s->next[0], bound);
}

struct scanning {
    bool reverse, stops, gradient;
    int64_t checkpoint;
};

static void scans_of(void *context, ty_tensor *const *x, ty_tensor **y) {
    const struct scanning *how = context;
    ty_tensor *carry[] = {x[1], ty_scalar(TY_F64, 0)}, *last[2], *rows[2], *steps;
    ty_scan_spec spec = {.ncarry = 2,
                         .carry = carry,
                         .nx = 1,
                         .x = x,
                         .ny = 2,
                         .reverse = how->reverse,
                         .checkpoint = how->checkpoint};
    ty_scan(step, how->stops ? x[2] : NULL, spec, last, rows, &steps);
    y[0] = rows[0], y[1] = rows[1], y[2] = ty_stack(2, last, 0), y[3] = steps;
}

static void scan_gradients(void *context, ty_tensor *const *x, ty_tensor **y) {
    ty_tensor *v[3], *all[4];
    for (int i = 0; i < 3; i++) v[i] = ty_is_promise(x[i]) ? x[i] : ty_track(x[i], "x");
    scans_of(context, v, all);
    ty_tensor *sum = ty_add(ty_sum(ty_square(all[0]), TY_ALL), ty_sum(ty_sin(all[1]), TY_ALL));
    ty_grad(ty_add(sum, ty_sum(all[2], TY_ALL)), 2, v, y);
}

static void loops_scan(void) {
    ty_tensor *rows = sample_shape(TY_F64, 2, (int64_t[]){4, 6}, -1, 2);
    ty_tensor *starts = sample_shape(TY_F64, 1, (int64_t[]){4}, -1, 1);
    ty_tensor *bounds = numbers(4, (double[]){-5, 1, 2, 100});
    static const int sets[][3] = {
        {0, 0, 0}, {0, TY_NO_AXIS, TY_NO_AXIS}, {TY_NO_AXIS, 0, TY_NO_AXIS}, {TY_NO_AXIS, TY_NO_AXIS, 0}};
    for (int set = 0; set < 4; set++)
        for (int how = 0; how < 8; how++) {
            struct test_round round = test_round();
            struct scanning s = {how & 1, how & 2, how & 4, how == 4 || how == 5 ? 2 : how == 6};
            ty_tensor *x[] = {sets[set][0] ? examples_at(rows, 0, 1) : rows,
                              sets[set][1] ? examples_at(starts, 0, 2) : starts,
                              sets[set][2] ? examples_at(bounds, 0, 2) : bounds};
            examples_check("scan", scans_of, &s, 3, x, sets[set], 4, 4);
            examples_check("gradient of scan", scan_gradients, &s, 3, x, sets[set], 4, 2);
            test_round_end(round);
        }
}

/* ---- branches ---- */

static void squared(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_square(x[0]);
    y[1] = ty_sum(x[0], TY_ALL);
}
static void plain(void *context, ty_tensor *const *x, ty_tensor **y) {
    y[0] = ty_mul(x[0], (ty_tensor *)context);
    y[1] = ty_scalar(TY_F64, 3);
}
static void doubled(void *context, ty_tensor *const *x, ty_tensor **y) {
    y[0] = ty_add(x[0], (ty_tensor *)context);
    y[1] = ty_amax(x[0], TY_ALL);
}

static void conds(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    ty_cond(ty_gt(x[1], ty_num(0)), squared, plain, x[2], 1, x, 2, y);
}
static void switches(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    ty_branch all[] = {squared, plain, doubled};
    ty_switch(ty_cast(x[1], TY_I32), 3, all, x[2], 1, x, 2, y);
}
static void lone(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    ty_switch(ty_cast(x[1], TY_I32), 1, (ty_branch[]){doubled}, x[2], 1, x, 2, y);
}
static void cond_gradients(void *context, ty_tensor *const *x, ty_tensor **y) {
    ty_tensor *v[3], *all[2];
    for (int i = 0; i < 3; i++) v[i] = ty_is_promise(x[i]) ? x[i] : ty_track(x[i], "x");
    const bool *switched = context;
    (*switched ? switches : conds)(NULL, v, all);
    ty_grad(ty_mul(ty_sum(all[0], TY_ALL), all[1]), 1, v, y);
    ty_grad(ty_mul(ty_sum(all[0], TY_ALL), all[1]), 1, v + 2, y + 1);
}

static void branches(void) {
    ty_tensor *x = sample_shape(TY_F64, 2, (int64_t[]){5, 3}, -1, 2);
    ty_tensor *which = numbers(5, (double[]){1, 0, -1, 2, 7});
    ty_tensor *by = sample_shape(TY_F64, 2, (int64_t[]){5, 3}, -1, 2);
    static const int sets[][3] = {
        {0, 0, 0}, {0, TY_NO_AXIS, 0}, {TY_NO_AXIS, 0, TY_NO_AXIS}, {TY_NO_AXIS, TY_NO_AXIS, 0}};
    for (int set = 0; set < 4; set++) {
        struct test_round round = test_round();
        ty_tensor *given[] = {sets[set][0] ? examples_at(x, 0, 1) : x,
                              sets[set][1] ? examples_at(which, 0, 2) : which,
                              sets[set][2] ? examples_at(by, 0, 2) : by};
        examples_check("cond", conds, NULL, 3, given, sets[set], 5, 2);
        examples_check("switch", switches, NULL, 3, given, sets[set], 5, 2);
        examples_check("switch of one branch", lone, NULL, 3, given, sets[set], 5, 2);
        examples_check("gradient of cond", cond_gradients, &(bool){false}, 3, given, sets[set], 5, 2);
        examples_check("gradient of switch", cond_gradients, &(bool){true}, 3, given, sets[set], 5, 2);
        test_round_end(round);
    }
}

/* ---- axes, sizes, layouts ---- */

static void outer(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_add(ty_expand(x[0], 1), ty_mul(x[1], ty_num(2)));
    y[1] = ty_sum(x[0], TY_ALL);
    y[2] = x[2];
}

static void axes(void) {
    ty_tensor *x = sample_shape(TY_F64, 2, (int64_t[]){3, 4}, -1, 1),
              *v = sample_shape(TY_F64, 2, (int64_t[]){4, 2}, -1, 1);
    ty_tensor *same = sample_shape(TY_F64, 1, (int64_t[]){5}, -1, 1), *y[3], *given[] = {x, v, same},
              *want[3];
    int in[] = {-1, 0, TY_NO_AXIS}, out[] = {-1, 0, TY_NO_AXIS}, inside[] = {1, 0, 1};
    examples_one_by_one(outer, NULL, 3, given, (int[]){1, 0, TY_NO_AXIS}, 4, 3, want);
    ty_vmap(outer, NULL, 3, given, in, 3, y, out);
    compare_bits(CHECK_OK(y[0]), ty_permute(want[0], (int[]){1, 2, 0}), "examples along the last axis");
    compare_bits(CHECK_OK(y[1]), want[1], "examples along the first axis");
    compare_bits(CHECK_OK(y[2]), same, "a result without examples");
    ty_vmap(outer, NULL, 3, given, in, 3, y, inside);
    compare_bits(CHECK_OK(y[0]), ty_permute(want[0], (int[]){1, 0, 2}), "examples along axis 1");
    compare_bits(CHECK_OK(y[2]), ty_transpose(want[2]), "what is the same for all, along axis 1");
}

static void affine(void *context, ty_tensor *const *x, ty_tensor **y) {
    y[0] = ty_tanh(ty_matmul(x[0], context ? (ty_tensor *)context : x[1]));
}

static void sizes_and_layouts(void) {
    for (int64_t n = 0; n < 3; n++)
        for (enum how how = 0; how < HOWS; how++) {
            ty_tensor *x = sample_shape(TY_F32, 2, (int64_t[]){n, 3}, -1, 1),
                      *w = sample_shape(TY_F32, 2, (int64_t[]){3, 2}, -1, 1);
            ty_tensor *given[] = {examples_leaf(x, how), examples_leaf(w, how)}, *y;
            ty_vmap(affine, NULL, 2, given, (int[]){0, TY_NO_AXIS}, 1, &y, NULL);
            compare_near(CHECK_OK(ty_eval(y)), ty_tanh(ty_matmul(x, w)), 1e-5, 1e-5, "%lld examples",
                         (long long)n);
            ty_tensor *carry[] = {examples_leaf(ty_zeros(TY_F64, TY_SHAPE(n)), how),
                                  examples_leaf(ty_zeros(TY_F64, TY_SHAPE(n)), how), ty_num(2)},
                      *z[4];
            ty_vmap(whiles, NULL, 3, carry, (int[]){0, 0, TY_NO_AXIS}, 4, z, NULL);
            CHECK_OK(z[3]);
            CHECK(ty_rank(z[0]) == 1 && ty_shape(z[0])[0] == n, "a while of %lld examples has another shape",
                  (long long)n);
        }
    for (enum sample_layout layout = 0; layout < LAYOUT_SCALAR; layout++) {
        ty_tensor *x = sample(TY_F32, layout, -1, 1), *w = sample_shape(TY_F32, 2, (int64_t[]){5, 2}, -1, 1),
                  *y;
        x = ty_broadcast(x, TY_SHAPE(3, 5));
        ty_tensor *given[] = {ty_expand(x, 1), w};
        ty_vmap(affine, NULL, 2, given, (int[]){0, TY_NO_AXIS}, 1, &y, NULL);
        compare_near(CHECK_OK(ty_squeeze(y, 1)), ty_tanh(ty_matmul(x, w)), 1e-5, 1e-5, "layout %s",
                     sample_layout_name(layout));
    }
}

/* ---- nested batches, gradients ---- */

static void inner_product(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_exp(ty_sum(ty_mul(x[0], x[1]), TY_ALL));
}
/* Multiply a row of x[0] with each row of x[1]. */
static void with_each(void *context, ty_tensor *const *x, ty_tensor **y) {
    ty_vmap(inner_product, context, 2, x, (int[]){TY_NO_AXIS, 0}, 1, y, NULL);
}

static void nested(void) {
    ty_tensor *a = sample_shape(TY_F64, 2, (int64_t[]){3, 4}, -1, 1),
              *b = sample_shape(TY_F64, 2, (int64_t[]){5, 4}, -1, 1);
    ty_tensor *want = ty_exp(ty_matmul(a, ty_transpose(b)));
    for (enum how how = 0; how < HOWS; how++) {
        ty_tensor *given[] = {examples_leaf(a, how), examples_leaf(b, how)}, *y, *g[2], *h[2];
        ty_vmap(with_each, NULL, 2, given, (int[]){0, TY_NO_AXIS}, 1, &y, NULL);
        compare_near(CHECK_OK(ty_eval(y)), want, 1e-12, 1e-12, "a batch of batches");
        if (how == EAGER) continue;
        ty_grad(y, 2, given, g); /* a gradient of a batch */
        ty_grad(ty_exp(ty_matmul(given[0], ty_transpose(given[1]))), 2, given, h);
        for (int i = 0; i < 2; i++)
            compare_near(CHECK_OK(ty_eval(g[i])), ty_eval(h[i]), 1e-12, 1e-12, "a gradient of batches");
    }
}

/* A batch in each step of a loop, and in a branch. */
static void batch_step(void *context, ty_step *s) {
    ty_tensor *pair[] = {s->x[0], s->carry[0]}, *y;
    ty_vmap(inner_product, NULL, 2, pair, (int[]){TY_NO_AXIS, 0}, 1, &y, NULL);
    s->next[0] = ty_mul(s->carry[0], ty_expand(ty_add(y, (ty_tensor *)context), 1));
}
static void batch_branch(void *context, ty_tensor *const *x, ty_tensor **y) {
    ty_vmap(inner_product, context, 2, x, (int[]){0, TY_NO_AXIS}, 1, y, NULL);
}
static void zeros_branch(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)x;
    y[0] = ty_zeros(TY_F64, TY_SHAPE(4));
}
static void inside_of(void *context, ty_tensor *const *x, ty_tensor **y) {
    ty_tensor *last;
    (void)context;
    ty_scan(batch_step, x[2], (ty_scan_spec){.ncarry = 1, .carry = x, .nx = 1, .x = x + 1}, &last, NULL,
            NULL);
    ty_tensor *operands[] = {last, ty_gather(x[1], ty_int(0), 0)};
    ty_cond(ty_lazy(ty_scalar(TY_BOOL, 1)), batch_branch, zeros_branch, NULL, 2, operands, 1, y);
    y[1] = last;
}

/* Carries of shape [4,3], 2 rows of 3, and a scalar, each with or without 3 examples. */
static void inside(void) {
    for (unsigned set = 1; set < 8; set++) {
        static const int64_t shapes[3][3] = {{3, 4, 3}, {3, 2, 3}, {3}};
        static const int ranks[] = {2, 2, 0};
        struct test_round round = test_round();
        ty_tensor *x[3];
        int axes[3];
        for (int i = 0; i < 3; i++) {
            bool many = set >> i & 1;
            x[i] = sample_shape(TY_F64, ranks[i] + many, shapes[i] + !many, -0.5, 0.5);
            axes[i] = many ? 0 : TY_NO_AXIS;
        }
        examples_check("batches inside of loops", inside_of, NULL, 3, x, axes, 3, 2);
        test_round_end(round);
    }
}

struct layer {
    ty_tensor *w, *b;
};
static void example_gradient(void *context, ty_tensor *const *x, ty_tensor **y) {
    const struct layer *l = context;
    ty_tensor *p = ty_sub(ty_tanh(ty_add(ty_matmul(x[0], l->w), l->b)), x[1]);
    ty_grad(ty_sum(ty_square(p), TY_ALL), 2, (ty_tensor *[]){l->w, l->b}, y);
}

/* The gradient of each example's loss, by weights shared by all. */
static void per_example(void) {
    ty_tensor *x = sample_shape(TY_F64, 2, (int64_t[]){6, 3}, -1, 1),
              *t = sample_shape(TY_F64, 2, (int64_t[]){6, 2}, -1, 1);
    ty_tensor *w = sample_shape(TY_F64, 2, (int64_t[]){3, 2}, -1, 1),
              *b = sample_shape(TY_F64, 1, (int64_t[]){2}, -1, 1);
    for (enum how how = LAZY; how < HOWS; how++) {
        struct layer l = {examples_leaf(w, how), examples_leaf(b, how)};
        ty_tensor *given[] = {examples_leaf(x, how), t}, *g[2], *want[2];
        ty_vmap(example_gradient, &l, 2, given, NULL, 2, g, NULL);
        examples_one_by_one(example_gradient, &l, 2, (ty_tensor *[]){x, t}, NULL, 6, 2, want);
        for (int i = 0; i < 2; i++)
            compare_near(CHECK_OK(ty_eval(g[i])), want[i], 1e-12, 1e-12, "the gradient of each example");
    }
}

/* ---- batch_all ---- */

static void of_histories(void) {
    ty_tensor *values = sample_shape(TY_F64, 1, (int64_t[]){4}, -1, 1),
              *many = sample_shape(TY_F64, 2, (int64_t[]){3, 4}, -1, 1);
    for (enum how how = LAZY; how < HOWS; how++) {
        ty_tensor *x = examples_leaf(values, how), *w = examples_leaf(ty_square(values), how);
        ty_tensor *y[] = {ty_mul(ty_exp(x), w), ty_cumsum(w, 0, (ty_running){0}), x}, *out[3];
        struct fault fault = {0};
        bool done = batch_all(3, y, 1, &x, &many, 3, out, &fault);
        CHECK(done || test_starving(), "%s", fault.text);
        if (!done) return;
        compare_near(CHECK_OK(ty_eval(out[0])), ty_mul(ty_exp(many), ty_square(values)), 1e-12, 1e-12,
                     "a history");
        compare_near(CHECK_OK(ty_eval(out[1])), ty_broadcast(ty_eval(y[1]), TY_SHAPE(3, 4)), 0, 0,
                     "the same for all");
        compare_near(CHECK_OK(ty_eval(out[2])), many, 0, 0, "what is replaced itself");
        CHECK(!batch_all(1, y, 1, &x, &values, 3, out, &fault) && strstr(fault.text, "cannot be"),
              "4 elements are no 3 examples");
    }
}

/* ---- errors ---- */

static void nothing(void *context, ty_tensor *const *x, ty_tensor **y) { (void)context, (void)x, (void)y; }
static void finds(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_nonzero(x[0]);
}
static void reads(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_eval(ty_exp(x[0]));
}
static void grows(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_exp(x[0]);
}

static void refusals(void) {
    ty_tensor *x = sample_shape(TY_F32, 2, (int64_t[]){3, 4}, -1, 1),
              *v = sample_shape(TY_F32, 1, (int64_t[]){5}, -1, 1), *y[3];
    ty_tensor *two[] = {x, ty_named(v, "v")};
    CHECK(!ty_vmap(inner_product, NULL, 2, two, NULL, 1, y, NULL), "sizes differ");
    CHECK_POISON(y[0], "x[1], f32[5] 'v', has 5 examples along axis 0, and x[0], f32[3,4], has 3");
    ty_vmap(inner_product, NULL, 2, two, (int[]){2, 0}, 1, y, NULL);
    CHECK_POISON(y[0], "vmap: x[0] is f32[3,4], so axis 2 of its examples is out of bounds; use TY_NO_AXIS "
                       "for an operand without");
    ty_vmap(inner_product, NULL, 2, two, (int[]){TY_NO_AXIS, TY_NO_AXIS}, 1, y, NULL);
    CHECK_POISON(y[0], "so their number is unknown");
    ty_vmap(outer, NULL, 3, (ty_tensor *[]){x, x, v}, (int[]){0, 0, TY_NO_AXIS}, 3, y,
            (int[]){TY_NO_AXIS, 0, 0});
    CHECK_POISON(y[0], "vmap: result 0, f32[3,4,4], depends on the example; its axis cannot be TY_NO_AXIS");
    ty_vmap(grows, NULL, 1, &x, NULL, 1, y, (int[]){2});
    CHECK_POISON(y[0], "must be in -2..1, not 2");
    ty_vmap(nothing, NULL, 1, &x, NULL, 1, y, NULL);
    CHECK_POISON(y[0], "did not set result 0");
    ty_vmap(finds, NULL, 1, &x, NULL, 1, y, NULL);
    CHECK_POISON(y[0], "cannot be read during recording");
    ty_vmap(NULL, NULL, 1, &x, NULL, 1, y, NULL);
    CHECK_POISON(y[0], "vmap: the body is NULL");
    ty_vmap(grows, NULL, 1, NULL, NULL, 1, y, NULL);
    CHECK_POISON(y[0], "vmap: the array of operands is NULL");
    ty_vmap(reads, NULL, 1, &x, NULL, 1, y, NULL);
    CHECK_POISON(y[0], "only while the body runs");
    ty_tensor *long_one = ty_reshape(ty_ones(TY_F32, TY_SHAPE(1)), 64, (int64_t[64]){[0 ... 63] = 1});
    ty_vmap(outer, NULL, 3, (ty_tensor *[]){x, long_one, v}, (int[]){0, TY_NO_AXIS, TY_NO_AXIS}, 3, y, NULL);
    CHECK_POISON(y[0], "the maximum number of axes");
}

TESTS_MAIN(TEST(loops_while), TEST(loops_while_gradient), TEST(loops_scan), TEST(branches), TEST(axes),
           TEST(sizes_and_layouts), TEST(nested), TEST(inside), TEST(per_example), TEST(of_histories),
           TEST(refusals))
