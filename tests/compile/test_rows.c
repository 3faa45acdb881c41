/*
 * Kernels that run together row by row: which ones do; bits equal to single kernels on any engine and with any number
 * of threads; and the memory saved. The second cache level is forced small, so that short rows suffice.
 */
#include <math.h>
#include <string.h>

#include "base/machine/levels.h"
#include "compile/program.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

enum { CACHE = 4 << 10 };

/* ---- graphs ---- */

typedef void (*recorder)(ty_tensor *const *x, ty_tensor **y);

static ty_axes last(void) { return (ty_axes){.last = 1, .keep = true}; }

static void softmax(ty_tensor *const *x, ty_tensor **y) { y[0] = ty_softmax(x[0], -1); }
static void log_softmax(ty_tensor *const *x, ty_tensor **y) { y[0] = ty_log_softmax(x[0], -1); }
static void logsumexp(ty_tensor *const *x, ty_tensor **y) { y[0] = ty_logsumexp(x[0], ty_axis(-1)); }
static void softmax_masked(ty_tensor *const *x, ty_tensor **y) {
    y[0] = ty_softmax(ty_add(ty_mul(x[0], ty_num(0.125)), ty_slice(x[1], 0, 0, 1, 1)), -1);
}
static ty_tensor *normal(ty_tensor *x, ty_tensor *scale) {
    ty_tensor *d = ty_sub(x, ty_mean(x, last())), *variance = ty_mean(ty_square(d), last());
    return ty_mul(ty_mul(d, ty_rsqrt(ty_add(variance, ty_num(1e-5)))), scale);
}
static void layer_norm(ty_tensor *const *x, ty_tensor **y) {
    y[0] = normal(x[0], ty_slice(x[1], 0, 0, 1, 1));
}
static void siblings(ty_tensor *const *x, ty_tensor **y) {
    y[0] = ty_sum(x[0], ty_axis(-1));
    y[1] = ty_amax(x[0], ty_axis(-1));
    y[2] = ty_variance(x[0], ty_axis(-1));
}
static void wanted_between(ty_tensor *const *x, ty_tensor **y) {
    y[0] = ty_exp(ty_sub(x[0], ty_amax(x[0], last())));
    y[1] = ty_div(y[0], ty_sum(y[0], last()));
    y[2] = ty_argmax(y[1], ty_axis(-1));
}
static void softmax_gradient(ty_tensor *const *x, ty_tensor **y) {
    ty_vjp(ty_softmax(x[0], -1), x[1], 1, x, y);
}
static void layer_norm_gradient(ty_tensor *const *x, ty_tensor **y) {
    ty_vjp(normal(x[0], ty_slice(ty_detach(x[1]), 0, 0, 1, 1)), x[1], 1, x, y);
}
static void sorted(ty_tensor *const *x, ty_tensor **y) {
    y[0] = ty_sub(ty_sort(ty_mul(x[0], x[1]), -1, true), ty_mean(x[0], last()));
    y[1] = ty_cumsum(y[0], -1, (ty_running){0});
}
/* Outputs that read a row from its end, and the rows in reverse order. */
static void flipped(ty_tensor *const *x, ty_tensor **y) {
    ty_tensor *e = ty_exp(x[0]), *s = ty_sum(e, last());
    y[0] = ty_div(ty_flip(e, -1), s);
    y[1] = ty_mul(ty_flip(e, 0), s);
}

static const struct {
    const char *name;
    recorder record;
    int n;
} graphs[] = {
    {"softmax", softmax, 1},
    {"log_softmax", log_softmax, 1},
    {"logsumexp", logsumexp, 1},
    {"softmax of a sum", softmax_masked, 1},
    {"layer norm", layer_norm, 1},
    {"sum, max, variance", siblings, 3},
    {"results between", wanted_between, 3},
    {"gradient of softmax", softmax_gradient, 1},
    {"gradient of layer norm", layer_norm_gradient, 1},
    {"sort and cumsum", sorted, 2},
    {"flips", flipped, 2},
};
enum { GRAPHS = sizeof graphs / sizeof *graphs, MOST = 3 };

/* ---- checks ---- */

static int rows_in(const ty_program *p) {
    int n = 0;
    for (int k = 0; k < p->flow.nkernels; k++) n += p->flow.kernels[k].kind == KERNEL_ROWS;
    return n;
}

static ty_program *compiled(int n, ty_tensor *const *y, ty_compile_options options) {
    ty_tensor *why = NULL;
    ty_program *p = test_program(ty_compile(n, y, options));
    if (*ty_program_error(p)) CHECK_OK(ty_program_failure(p));
    CHECK(ty_program_check(p, &why), "%s", ty_error(why));
    return p;
}

static void compare_all(int graph, ty_tensor *const *x) {
    static const char *const engines[] = {"cpu", "ref"};
    static const int widths[] = {1, 3, 8};
    for (int e = 0; e < 2; e++) {
        struct test_round round = test_round();
        ty_tensor *y[MOST];
        graphs[graph].record(x, y);
        for (int i = 0; i < graphs[graph].n; i++) CHECK_OK(y[i]);
        ty_program *plain =
            compiled(graphs[graph].n, y, (ty_compile_options){.engine = engines[e], .no_fuse = true});
        CHECK(ty_run(plain), "%s: %s", graphs[graph].name, ty_program_error(plain));
        CHECK(rows_in(plain) == 0, "%s: rows without fusion", graphs[graph].name);
        for (int w = 0; w < 3; w++) {
            ty_set_threads(widths[w]);
            ty_program *p = compiled(graphs[graph].n, y, (ty_compile_options){.engine = engines[e]});
            for (int run = 0; run < 2; run++) {
                CHECK(ty_run(p), "%s: %s", graphs[graph].name, ty_program_error(p));
                for (int i = 0; i < graphs[graph].n; i++)
                    compare_bits(ty_output(p, i), ty_output(plain, i),
                                 "%s of %s[%lld,%lld..], %s, %d threads, result %d", graphs[graph].name,
                                 ty_dtype_name(ty_dtype_of(x[0])), (long long)ty_shape(x[0])[0],
                                 (long long)ty_shape(x[0])[1], engines[e], widths[w], i);
            }
        }
        ty_set_threads(0);
        test_round_end(round);
    }
}

/* ---- tests ---- */

static void same_bits(void) {
    static const int64_t shapes[][4] = {{37, 65},       {1, 5, 11, 40}, {3, 7, 33},
                                        {2, 1, 300, 5}, {61, 1},        {2, 900}};
    static const int ranks[] = {2, 4, 3, 4, 2, 2};
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_F16};
    for (int s = 0; s < test_some(6, 3, 2); s++)
        for (int d = 0; d < test_some(3, 2, 1); d++)
            for (int g = 0; g < GRAPHS; g++) {
                struct test_round round = test_round();
                ty_tensor *x[2];
                level_force(LEVEL_SECOND, s % 2 ? CACHE : 16 * CACHE / 7);
                for (int i = 0; i < 2; i++)
                    x[i] = CHECK_OK(ty_var(sample_shape(dtypes[d], ranks[s], shapes[s], -2, 2), "x"));
                compare_all(g, x);
                test_round_end(round);
            }
}

/* Rows give equal bits for operands in other layouts. */
static void layouts(void) {
    level_force(LEVEL_SECOND, CACHE);
    for (int layout = 0; layout < LAYOUT_EMPTY; layout++)
        for (int g = 0; g < GRAPHS; g++) {
            struct test_round round = test_round();
            ty_tensor *a = sample_shape(TY_F32, TY_SHAPE(45, 70), -2, 2), *x[2];
            ty_tensor *ways[] = {a,
                                 ty_transpose(a),
                                 ty_flip(a, 0),
                                 ty_flip(a, 1),
                                 ty_slice(a, 0, 0, TY_END, 2),
                                 ty_slice(a, 1, 1, TY_END, 3),
                                 ty_broadcast(ty_slice(a, 0, 3, 4, 1), TY_SHAPE(33, 70)),
                                 ty_broadcast(ty_slice(a, 1, 3, 4, 1), TY_SHAPE(45, 33))};
            x[0] = CHECK_OK(ty_var(ways[layout % 8], "x"));
            x[1] = ty_var(sample_shape(TY_F32, 2, ty_shape(x[0]), -2, 2), "g");
            compare_all(g, x);
            test_round_end(round);
        }
}

static const struct kernel *only_kernel(const ty_program *p, const char *name) {
    CHECK(p->flow.nkernels == 1 && p->flow.kernels->kind == KERNEL_ROWS,
          "%s: %d kernels, of which %d are rows:\n%s", name, p->flow.nkernels, rows_in(p),
          test_text(ty_program_text(p)));
    return p->flow.kernels;
}

/* Each of these graphs becomes one kernel, and its arena does not grow with the number of rows. */
static void one_kernel(void) {
    static const int whole[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    level_force(LEVEL_SECOND, CACHE);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        int64_t arena[2];
        for (int tall = 0; tall < 2; tall++) {
            struct test_round round = test_round();
            int64_t shape[] = {tall ? 6400 : 640, 24};
            ty_tensor *x[2], *y[MOST];
            for (int k = 0; k < 2; k++) x[k] = ty_var(sample_shape(TY_F32, 2, shape, -2, 2), "x");
            graphs[whole[i]].record(x, y);
            ty_set_threads(1);
            ty_program *p = compiled(graphs[whole[i]].n, y, (ty_compile_options){0});
            only_kernel(p, graphs[whole[i]].name);
            arena[tall] = p->plan.arena_bytes;
            test_round_end(round);
        }
        CHECK(arena[1] == arena[0], "%s: %lld bytes, then %lld", graphs[whole[i]].name, (long long)arena[0],
              (long long)arena[1]);
    }
}

/* Rows that do not fit, few kernels, and memory that fits the cache change nothing. */
static void left_alone(void) {
    static const int64_t shapes[][2] = {{3, 20000}, {10, 10}, {1, 50000}};
    for (int s = 0; s < 3; s++) {
        struct test_round round = test_round();
        level_force(LEVEL_SECOND, CACHE);
        ty_tensor *y = ty_softmax(ty_var(sample_shape(TY_F32, 2, shapes[s], -2, 2), "x"), -1);
        ty_program *p = compiled(1, &y, (ty_compile_options){0});
        CHECK(rows_in(p) == 0, "[%lld,%lld]: %d kernels over rows", (long long)shapes[s][0],
              (long long)shapes[s][1], rows_in(p));
        test_round_end(round);
    }
}

/* The result overwrites a dying operand, if it is read in time. */
static void in_place(void) {
    level_force(LEVEL_SECOND, CACHE);
    ty_tensor *x = ty_var(sample_shape(TY_F32, TY_SHAPE(64, 64), -1, 1), "x"),
              *w = ty_var(ty_matmul(x, x), "w");
    ty_tensor *y = ty_matmul(ty_softmax(ty_matmul(x, w), -1), w);
    ty_program *p = compiled(1, &y, (ty_compile_options){0}),
               *plain = compiled(1, &y, (ty_compile_options){.no_fuse = true});
    CHECK(rows_in(p) == 1, "softmax between two products is one kernel:\n%s", test_text(ty_program_text(p)));
    CHECK(p->plan.inplace == 1, "%d in place", p->plan.inplace);
    CHECK(ty_run(p) && ty_run(plain), "%s", ty_program_error(p));
    compare_bits(ty_output(p, 0), ty_output(plain, 0), "in place");
}

/* Numbers of inputs below, at and above 32, the bits of the mask of operands that may be overwritten; the
   last input dies here. */
static void many_inputs(void) {
    enum { MOST_INPUTS = 40 };
    for (int n = 30; n <= MOST_INPUTS && !test_starving();
         n += n < 34 ? 1 : 6) { /* some thousand allocations */
        struct test_round round = test_round();
        level_force(LEVEL_SECOND, 16 * CACHE); /* some rows of all inputs fit, but not the 150 KiB of one */
        ty_tensor *x = ty_var(sample_shape(TY_F32, TY_SHAPE(600, 64), -1, 1), "x"), *sum = x;
        ty_tensor *w = ty_var(sample_shape(TY_F32, TY_SHAPE(64, 64), -1, 1), "w");
        for (int i = 1; i < n; i++) { /* a softmax separates the inputs of two kernels */
            sum = ty_add(sum, ty_var(sample_shape(TY_F32, TY_SHAPE(600, 64), -1, 1), "x"));
            if (i == n / 2 || i == n - 1) sum = ty_softmax(sum, -1);
        }
        ty_tensor *died = ty_matmul(x, w); /* the last input, read by two kernels over the rows */
        ty_tensor *y = ty_matmul(ty_mul(ty_softmax(ty_add(sum, died), -1), died), w);
        ty_program *p = compiled(1, &y, (ty_compile_options){0}),
                   *plain = compiled(1, &y, (ty_compile_options){.no_fuse = true});
        CHECK(ty_run(p) && ty_run(plain), "%s", ty_program_error(p));
        compare_bits(ty_output(p, 0), ty_output(plain, 0), "%d inputs", n);
        int most = 0;
        for (int k = 0; k < p->flow.nkernels; k++)
            if (p->flow.kernels[k].kind == KERNEL_ROWS && p->flow.kernels[k].ninputs > most)
                most = p->flow.kernels[k].ninputs;
        CHECK(most >= n || test_starving(), "%d inputs of one kernel over rows, expected %d:\n%s", most, n,
              test_text(ty_program_text(p)));
        test_round_end(round);
    }
}

/* Two groups that read each other's results alternately would form a cycle. */
static void no_circle(void) {
    level_force(LEVEL_SECOND, CACHE);
    ty_tensor *x = ty_var(sample_shape(TY_F32, TY_SHAPE(64, 64), -1, 1), "x");
    ty_tensor *a = ty_softmax(x, -1), *b = ty_softmax(ty_transpose(a), -1),
              *c = ty_softmax(ty_add(a, ty_transpose(b)), -1);
    ty_tensor *y[] = {ty_mul(c, a), ty_sum(ty_mul(b, ty_transpose(c)), ty_axis(-1))};
    ty_program *p = compiled(2, y, (ty_compile_options){0}),
               *plain = compiled(2, y, (ty_compile_options){.no_fuse = true});
    CHECK(rows_in(p) >= 2, "rows across each other:\n%s", test_text(ty_program_text(p)));
    CHECK(ty_run(p) && ty_run(plain), "%s", ty_program_error(p));
    for (int i = 0; i < 2; i++) compare_bits(ty_output(p, i), ty_output(plain, i), "result %d", i);
}

/* Rows work in the step of a loop, and in the next value of a variable. */
static void step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_softmax(ty_add(s->carry[0], s->x[0]), -1);
}
static void in_loops_and_updates(void) {
    level_force(LEVEL_SECOND, CACHE);
    ty_tensor *values[2], *rows = sample_shape(TY_F32, TY_SHAPE(3, 50, 30), -1, 1);
    for (int plain = 0; plain < 2; plain++) {
        ty_tensor *x = ty_var(rows, "x"), *h = ty_var(ty_zeros(TY_F32, TY_SHAPE(50, 30)), "h"), *y;
        CHECK(ty_scan(step, NULL, (ty_scan_spec){.ncarry = 1, .carry = &h, .nx = 1, .x = &x}, &y, NULL, NULL),
              "a scan");
        ty_update update = {h, ty_mul(y, ty_num(2))};
        ty_program *p =
            compiled(1, &y, (ty_compile_options){.updates = &update, .nupdates = 1, .no_fuse = plain});
        for (int run = 0; run < 2; run++) CHECK(ty_run(p), "%s", ty_program_error(p));
        values[plain] = ty_eval(ty_add(h, ty_output(p, 0)));
        const char *text = test_text(ty_program_text(p));
        CHECK(plain || (text && strstr(text, "rows of")), "%s", text ? text : "no text");
    }
    compare_bits(values[0], values[1], "a scan and an update");
}

/* Kernels that run at different times are not merged. */
static void incremental(void) {
    level_force(LEVEL_SECOND, CACHE);
    ty_tensor *a = ty_var(sample_shape(TY_F32, TY_SHAPE(50, 30), -1, 1), "a"),
              *b = ty_var(sample_shape(TY_F32, TY_SHAPE(50, 30), -1, 1), "b"), *want;
    ty_tensor *y = ty_softmax(ty_add(ty_softmax(a, -1), b), -1);
    ty_program *p = compiled(1, &y, (ty_compile_options){.incremental = true});
    CHECK(ty_run(p), "%s", ty_program_error(p));
    int64_t all = test_report(p).launched;
    CHECK(all == p->flow.nkernels && rows_in(p) == 2, "%s", ty_program_error(p));
    CHECK(ty_assign(b, sample_shape(TY_F32, TY_SHAPE(50, 30), -1, 1), NULL) && ty_run(p), "%s",
          ty_program_error(p));
    CHECK(test_report(p).launched < all, "%lld of %lld kernels run", (long long)test_report(p).launched,
          (long long)all);
    want = CHECK_OK(ty_eval(y));
    compare_bits(ty_output(p, 0), want, "after b was assigned");
}

TESTS_MAIN(TEST(same_bits), TEST(layouts), TEST_AT_HOME(one_kernel), TEST(left_alone), TEST_AT_HOME(in_place),
           TEST_AT_HOME(many_inputs), TEST_AT_HOME(no_circle), TEST_AT_HOME(in_loops_and_updates),
           TEST_AT_HOME(incremental))
