/* Loops and branches against single steps: lazily, eagerly, unfused, on the reference. */
#include <math.h>
#include <string.h>
#include <tyto/tyto.h>
#include "compile/demand/cache.h"
#include "tests/support/bodies.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

enum { STEPS = 7, WIDTH = 5 };

/* Step of a recurrent network: h' = tanh(W h + x), y = h' * index. */
struct rnn {
    ty_tensor *w;
};
static void rnn_step(void *context, ty_step *s) {
    struct rnn *r = context;
    ty_tensor *h = ty_tanh(ty_add(ty_matmul(r->w, s->carry[0]), s->x[0]));
    s->next[0] = h;
    s->next[1] = ty_add(s->carry[1], ty_sum(h, TY_ALL));
    s->y[0] = h;
    s->y[1] = ty_mul(h, ty_cast(s->index, TY_F64));
}

struct results {
    ty_tensor *last[2], *y[2], *steps;
};

static struct results rnn_scan(ty_tensor *w, ty_tensor *h, ty_tensor *x, bool reverse) {
    struct results r;
    struct rnn context = {w};
    ty_tensor *carry[] = {h, ty_num(0)};
    ty_scan(rnn_step, &context,
            (ty_scan_spec){.ncarry = 2, .carry = carry, .nx = 1, .x = &x, .ny = 2, .reverse = reverse},
            r.last, r.y, &r.steps);
    return r;
}

/* Return the results of the recurrent network by unrolled steps. */
static struct results rnn_unrolled(ty_tensor *w, ty_tensor *h, ty_tensor *x, bool reverse) {
    struct results r = {.steps = ty_scalar(TY_I64, STEPS)};
    struct rnn context = {w};
    ty_tensor *carry[2] = {h, ty_scalar(TY_F64, 0)}, *y[2][STEPS];
    for (int i = 0; i < STEPS; i++) {
        int t = reverse ? STEPS - 1 - i : i;
        ty_tensor *next[2], *out[2], *element = ty_gather(x, ty_int(t), 0);
        ty_step s = {ty_scalar(TY_I64, t), carry, &element, next, out, NULL};
        rnn_step(&context, &s);
        for (int j = 0; j < 2; j++) carry[j] = next[j], y[j][t] = out[j];
    }
    for (int j = 0; j < 2; j++) r.last[j] = carry[j], r.y[j] = ty_stack(STEPS, y[j], 0);
    return r;
}

static void equal(const char *what, ty_tensor *a, ty_tensor *b, double tolerance) {
    CHECK(ty_ok(a) || test_starving(), "%s: %s", what, ty_error(a));
    CHECK(ty_ok(b) || test_starving(), "%s: %s", what, ty_error(b));
    if (!ty_ok(a) || !ty_ok(b)) return;
    ty_tensor *difference = ty_amax(ty_abs(ty_sub(ty_cast(a, TY_F64), ty_cast(b, TY_F64))), TY_ALL);
    double d = ty_size(a) ? ty_item(difference) : 0;
    CHECK(d <= tolerance || test_starving(), "%s differs by %g", what, d);
}

static void compare(const char *what, struct results a, struct results b) {
    for (int j = 0; j < 2; j++) {
        equal(what, a.last[j], b.last[j], 1e-12);
        equal(what, a.y[j], b.y[j], 1e-12);
    }
    equal(what, a.steps, b.steps, 0);
}

static void scans(void) {
    ty_tensor *w = sample_shape(TY_F64, 2, (int64_t[]){WIDTH, WIDTH}, -1, 1);
    ty_tensor *h = sample_shape(TY_F64, 1, (int64_t[]){WIDTH}, -1, 1);
    ty_tensor *x = sample_shape(TY_F64, 2, (int64_t[]){STEPS, WIDTH}, -1, 1);
    for (int reverse = 0; reverse < 2; reverse++) {
        struct results expected = rnn_unrolled(w, h, x, reverse);
        compare("eager scan", rnn_scan(w, h, x, reverse), expected);
        compare("lazy scan", rnn_scan(ty_var(w, "w"), ty_var(h, "h"), ty_var(x, "x"), reverse), expected);
        compare("scan of a lazy start", rnn_scan(w, ty_lazy(h), x, reverse), expected);
    }
}

static void gradients(void) {
    ty_tensor *w = sample_shape(TY_F64, 2, (int64_t[]){WIDTH, WIDTH}, -1, 1);
    ty_tensor *h = sample_shape(TY_F64, 1, (int64_t[]){WIDTH}, -1, 1);
    ty_tensor *x = sample_shape(TY_F64, 2, (int64_t[]){STEPS, WIDTH}, -1, 1);
    for (int reverse = 0; reverse < 2; reverse++)
        for (int kind = 0; kind < 2; kind++) {
            ty_tensor *(*leaf)(ty_tensor *, const char *) = kind ? ty_track : ty_var;
            ty_tensor *v[3] = {leaf(w, "w"), leaf(h, "h"), leaf(x, "x")}, *g[2][3];
            for (int unrolled = 0; unrolled < 2; unrolled++) {
                struct results r = (unrolled ? rnn_unrolled : rnn_scan)(v[0], v[1], v[2], reverse);
                ty_tensor *loss = ty_add(ty_sum(ty_square(r.y[1]), TY_ALL),
                                         ty_add(ty_square(r.last[1]), ty_sum(ty_sin(r.y[0]), TY_ALL)));
                bool done = ty_grad(loss, 3, v, g[unrolled]);
                CHECK(done || test_starving(), "%s", ty_error(g[unrolled][0]));
            }
            for (int i = 0; i < 3; i++)
                equal(kind ? "eager gradient" : "lazy gradient", g[0][i], g[1][i], 1e-9);
        }
}

/* ---- ends: no steps, one, early exits, rows without a step ---- */

static void stop_above(void *context, ty_step *s) {
    s->next[0] = ty_add(s->carry[0], s->x[0]);
    s->next[1] = s->carry[1];
    s->y[0] = s->next[0];
    s->y[1] = ty_mul(s->x[0], s->carry[1]);
    s->stop = ty_gt(s->next[0], (ty_tensor *)context);
}

static double number(ty_tensor *x, int64_t i) {
    return ty_item(ty_gather(ty_reshape(ty_eval(x), 1, (int64_t[]){-1}), ty_int(i), 0));
}

#define EXPECT(x, i, value)                                                                                  \
    do {                                                                                                     \
        double found = number(x, i);                                                                         \
        CHECK(found == (value) || test_starving(), #x "[%d] is %g, not %g", (int)(i), found,                 \
              (double)(value));                                                                              \
    } while (0)

static void stops(void) {
    for (int lazy = 0; lazy < 2; lazy++)
        for (int reverse = 0; reverse < 2; reverse++) {
            ty_tensor *x = ty_from(TY_F32, TY_SHAPE(6), (float[]){1, 2, 3, 4, 5, 6});
            if (lazy) x = ty_var(x, "x");
            ty_tensor *carry[] = {ty_num(0), ty_int(2)}, *last[2], *y[2], *steps;
            ty_scan(
                stop_above, ty_num(10),
                (ty_scan_spec){.ncarry = 2, .carry = carry, .nx = 1, .x = &x, .ny = 2, .reverse = reverse},
                last, y, &steps);
            EXPECT(steps, 0, reverse ? 2 : 5);
            EXPECT(last[0], 0, reverse ? 11 : 15);
            EXPECT(last[1], 0, 2);
            EXPECT(y[0], reverse ? 5 : 0, reverse ? 6 : 1);
            EXPECT(y[0], reverse ? 3 : 5, 0);
            EXPECT(y[1], 4, 10);
            EXPECT(y[1], reverse ? 0 : 5, 0);
        }
}

static void count_step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_add(s->carry[0], s->index);
    s->y[0] = ty_mul(s->index, ty_int(3));
}

static void lengths(void) {
    for (int64_t n = 0; n < 4; n++) {
        ty_tensor *carry = ty_lazy(ty_scalar(TY_I64, 100)), *last, *y, *steps;
        ty_scan(count_step, NULL, (ty_scan_spec){.ncarry = 1, .carry = &carry, .ny = 1, .length = n}, &last,
                &y, &steps);
        EXPECT(last, 0, 100 + n * (n - 1) / 2);
        EXPECT(steps, 0, n);
        CHECK(test_starving() || (ty_rank(y) == 1 && ty_shape(y)[0] == n), "results of %d steps", (int)n);
        for (int64_t i = 0; i < n; i++) EXPECT(y, i, 3 * i);
    }
}

/* ---- carries that are others, constants, duplicates, or of every dtype; sequences in any layout ---- */

static void shuffle_step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = s->carry[1];
    s->next[1] = ty_add(s->carry[0], s->carry[1]);
    s->next[2] = ty_scalar(TY_I32, 7);
    s->next[3] = s->next[4] = ty_add(s->carry[3], s->x[0]);
    s->y[0] = s->carry[0];
    s->y[1] = s->x[0];
    s->y[2] = s->next[2];
    s->y[3] = s->next[1];
}

static void shuffles(void) {
    ty_tensor *x = ty_slice(ty_flip(ty_arange(TY_I32, 0, 12, 1), 0), 0, 0, 12, 3); /* 11 8 5 2 */
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *one = ty_scalar(TY_I32, 1), *carry[5] = {ty_scalar(TY_I32, 0), one, one, one, one},
                  *last[5], *y[4];
        if (lazy) carry[1] = ty_lazy(carry[1]);
        ty_scan(shuffle_step, NULL, (ty_scan_spec){.ncarry = 5, .carry = carry, .nx = 1, .x = &x, .ny = 4},
                last, y, NULL);
        EXPECT(last[0], 0, 3);
        EXPECT(last[1], 0, 5);
        EXPECT(last[2], 0, 7);
        EXPECT(last[3], 0, 27);
        EXPECT(last[4], 0, 27);
        EXPECT(y[0], 3, 2);
        EXPECT(y[1], 2, 5);
        EXPECT(y[2], 0, 7);
        EXPECT(y[3], 3, 5);
    }
}

/* A loop's cumulative sum of rows equals cumsum for every dtype and several layouts. */
static void dtypes(void) {
    for (int dtype = 0; dtype < TY_DTYPES; dtype++) {
        ty_tensor *x = sample_shape((ty_dtype)dtype, 2, (int64_t[]){5, 3}, 0, 2);
        ty_tensor *views[] = {x, ty_flip(x, 1), ty_permute(x, NULL), ty_broadcast(x, 3, (int64_t[]){4, 5, 3}),
                              ty_slice(x, 1, 0, 0, 1)};
        for (int v = 0; v < 5; v++)
            for (int lazy = 0; lazy < 2; lazy++) {
                ty_tensor *sums = bodies_sum(lazy ? ty_lazy(views[v]) : views[v]);
                ty_use_engine("ref");
                ty_tensor *expected = bodies_sum(views[v]);
                ty_use_engine("cpu");
                CHECK_OK(sums);
                CHECK(test_starving() || ty_dtype_of(sums) == (ty_dtype)dtype, "%s sums to %s",
                      ty_dtype_name((ty_dtype)dtype), ty_dtype_name(ty_dtype_of(sums)));
                if (ty_ok(sums) && ty_ok(expected)) compare_bits(ty_eval(sums), expected, "sums of rows");
            }
    }
}

/* ---- keys ---- */

static void narrow_step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_add(s->carry[0], ty_num(1));
    s->y[0] = ty_cast(s->next[0], TY_I4);
}
static void narrow_branch(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_cast(x[0], TY_I4);
}
/* Three elements of 4 bits end inside of a byte, so steps cannot put them one behind another. */
static void narrow_results(void) {
    ty_tensor *carry = ty_zeros(TY_F32, TY_SHAPE(3)), *last, *y;
    CHECK(!ty_scan(narrow_step, NULL, (ty_scan_spec){.ncarry = 1, .carry = &carry, .ny = 1, .length = 4},
                   &last, &y, NULL),
          "made");
    CHECK_POISON(y, "i4 is for storage alone: ty_cast it before it becomes a result");
    ty_tensor *x = ty_var(carry, "x");
    CHECK(!ty_cond(ty_gt(ty_sum(x, TY_ALL), ty_num(0)), narrow_branch, narrow_branch, NULL, 1, &x, 1, &y),
          "made");
    CHECK_POISON(y, "i4 is for storage alone: ty_cast it before it becomes a result");
}
static void draw_step(void *context, ty_step *s) {
    s->y[0] = ty_normal(TY_F32, TY_SHAPE(3), ty_fold_by((ty_tensor *)context, s->index));
}

static void keys(void) {
    ty_tensor *key = ty_key(11), *y, *rows[4];
    ty_scan(draw_step, key, (ty_scan_spec){.ny = 1, .length = 4}, NULL, &y, NULL);
    for (int i = 0; i < 4; i++) rows[i] = ty_normal(TY_F32, TY_SHAPE(3), ty_fold(key, (uint64_t)i));
    equal("numbers drawn in a scan", y, ty_stack(4, rows, 0), 0);
}

/* ---- while, cond, switch ---- */

static void whiles(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2), (double[]){1, 3});
        ty_tensor *y = bodies_while(lazy ? ty_var(x, "x") : x);
        EXPECT(y, 0, 4);
        EXPECT(y, 1, 12);
        ty_tensor *big = ty_full(TY_F64, TY_SHAPE(2), 50), *same = bodies_while(lazy ? ty_lazy(big) : big);
        EXPECT(same, 0, 50);
        ty_tensor *small = ty_full(TY_F64, TY_SHAPE(2), 1e-9),
                  *most = bodies_while(lazy ? ty_lazy(small) : small);
        EXPECT(most, 0, 256e-9);
    }
}

static void add_one(void *context, ty_tensor *const *x, ty_tensor **results) {
    results[0] = ty_add(x[0], ty_num(1));
    results[1] = (ty_tensor *)context;
}
static void times_ten(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_mul(x[0], ty_num(10));
    results[1] = ty_sum(x[0], TY_ALL);
}

static void branches(void) {
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(2), (float[]){3, 4}), *c = ty_scalar(TY_F32, 9);
    for (int lazy = 0; lazy < 3; lazy++)
        for (int which = -1; which < 4; which++) {
            ty_tensor *index = ty_scalar(TY_I32, which), *r[2];
            if (lazy) index = ty_var(index, "which");
            ty_switch(index, 3, (ty_branch[]){add_one, times_ten, add_one}, lazy == 2 ? ty_var(c, "c") : c, 1,
                      &x, 2, r);
            EXPECT(r[0], 1, which == 1 ? 40 : 5);
            EXPECT(r[1], 0, which == 1 ? 7 : 9);
        }
}

/* Only the branch taken runs: the other one would fail. */
static void take_third(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_gather(x[0], x[1], 0);
}
static void take_none(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_gather(x[0], ty_int(0), 0);
}
static void one_branch_runs(void) {
    ty_tensor *x[2] = {ty_ones(TY_F32, TY_SHAPE(2)), ty_var(ty_scalar(TY_I64, 5), "place")}, *r;
    ty_tensor *inside = ty_lt(x[1], ty_int(2));
    ty_cond(inside, take_third, take_none, NULL, 2, x, 1, &r);
    EXPECT(r, 0, 1);
    ty_cond(ty_logical_not(inside), take_third, take_none, NULL, 2, x, 1, &r);
    CHECK_POISON(ty_eval(r), "5");
}

/* ---- errors ---- */

static void square_it(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_square(x[0]);
}
static void sum_it(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_sum(x[0], TY_ALL);
}

static void grow(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_concat(2, (ty_tensor *[]){s->carry[0], s->carry[0]}, 0);
}
static void change(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_cast(s->carry[0], TY_F64);
}
static void forget(void *context, ty_step *s) { (void)context, (void)s; }
static void look(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_mul(s->carry[0], ty_num(ty_item(ty_sum(s->carry[0], TY_ALL)) > 0 ? 1 : 2));
    s->next[0] = ty_nonzero(s->carry[0]);
}
static ty_tensor *stolen;
static void release_tensor(void *x) { ty_release(x); }
static void steal(void *context, ty_step *s) {
    (void)context;
    s->next[0] = stolen ? ty_add(s->carry[0], stolen) : s->carry[0];
    if (!stolen) stolen = ty_retain(ty_sin(s->carry[0]));
}
static void outside(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_add(s->carry[0], ty_gather(ty_lazy(ty_ones(TY_F32, TY_SHAPE(3))), s->index, 0));
}
static void stop_oddly(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_sin(s->carry[0]);
    s->stop = ty_gt(s->carry[0], ty_num(1));
}

static ty_tensor *scan_of(ty_step_function step, ty_tensor *carry, int64_t length) {
    ty_tensor *last = NULL;
    ty_scan(step, NULL, (ty_scan_spec){.ncarry = 1, .carry = &carry, .length = length}, &last, NULL, NULL);
    return last;
}

static void refusals(void) {
    ty_tensor *x = ty_named(ty_ones(TY_F32, TY_SHAPE(3)), "state");
    CHECK_POISON(scan_of(grow, x, 3),
                 test_starving() ? "before a step and f32[6] after it"
                                 : "scan: carry 0 is f32[3] 'state' before a step and f32[6] after it");
    CHECK_POISON(scan_of(change, x, 3), "a carry keeps its dtype and shape");
    CHECK_POISON(scan_of(forget, x, 3), "the step did not set next[0]");
    CHECK_POISON(scan_of(look, x, 3), "eval: a parameter of a loop or branch body has a value only while the "
                                      "body runs; it cannot be read during");
    CHECK_POISON(scan_of(stop_oddly, x, 3), "must be bool[], not bool[3]");
    CHECK_POISON(scan_of(change, x, -1), "expected 0 or more");
    ty_tensor *last;
    ty_scan(stop_oddly, NULL, (ty_scan_spec){.ncarry = 1, .carry = &x, .length = 9, .checkpoint = 2}, &last,
            NULL, NULL);
    CHECK_POISON(last, "a loop that may stop early cannot store a checkpoint only every 2 steps");
    ty_scan(stop_oddly, NULL, (ty_scan_spec){.ncarry = 1, .carry = &x, .length = 9, .checkpoint = -2}, &last,
            NULL, NULL);
    CHECK_POISON(last, "checkpoint is -2; expected 0 or more");
    CHECK_POISON(scan_of(change, ty_poison("my words"), 3), "my words");
    stolen = NULL;
    scan_of(steal, x, 2);
    test_own(stolen, release_tensor);
    if (stolen) CHECK_POISON(scan_of(steal, x, 2), "a tensor of another body is used");
    CHECK_POISON(ty_eval(scan_of(outside, ty_lazy(x), 5)), "step 3 of a loop: ");
    ty_tensor *sequences[] = {ty_ones(TY_F32, TY_SHAPE(3)), ty_ones(TY_F32, TY_SHAPE(4))}, *y;
    ty_scan(count_step, NULL, (ty_scan_spec){.nx = 2, .x = sequences, .ny = 1}, NULL, &y, NULL);
    CHECK_POISON(y, "sequence 1 is f32[4], of length 4; the loop has 3 steps");
    sequences[1] = ty_num(1);
    ty_scan(count_step, NULL, (ty_scan_spec){.nx = 2, .x = sequences, .ny = 1}, NULL, &y, NULL);
    CHECK_POISON(y, "expected a first axis");
    ty_cond(x, square_it, square_it, NULL, 1, &x, 1, &y);
    CHECK_POISON(y, "the predicate must be bool[], not f32[3]");
    ty_cond(ty_gt(ty_var(ty_scalar(TY_F32, 1), "p"), ty_num(0)), square_it, sum_it, NULL, 1, &x, 1, &y);
    CHECK_POISON(y, "result 0 of branch 0 is f32[3], of branch 1 f32[]; all must be the same");
}

/* A run that fails in a step changes no variable. */
static void failed_step(void) {
    ty_tensor *v = ty_var(ty_zeros(TY_F32, TY_SHAPE(3)), "v"), *last = scan_of(outside, v, 5);
    ty_tensor *sum = ty_add(last, v);
    ty_program *p = test_program(ty_compile(
        1, &sum, (ty_compile_options){.updates = &(ty_update){v, ty_add(v, ty_num(1))}, .nupdates = 1}));
    CHECK(!ty_run(p), "a step that reads outside of an axis runs");
    EXPECT(v, 0, 0);
}

/* ---- compilation ---- */

/* A loop and the loop that its gradient records are merged. */
static void merged(void) {
    ty_tensor *x = ty_var(sample_shape(TY_F64, 2, (int64_t[]){6, 4}, -1, 1), "x"),
              *w = ty_var(ty_ones(TY_F64, TY_SHAPE(4)), "w");
    ty_tensor *loss = ty_sum(bodies_scan(x, w, true, false), TY_ALL), *g[3] = {NULL, NULL, loss};
    ty_grad(loss, 2, (ty_tensor *[]){x, w}, g);
    ty_program *p = test_program(ty_compile(3, g, (ty_compile_options){0}));
    char *text = test_text(ty_program_text(p));
    ty_tensor *why = NULL;
    int loops = 0;
    for (const char *at = text; at && (at = strstr(at, "= loop of ")); at++) loops++;
    CHECK(test_starving() || loops == 2, "%d loops instead of one forward and one back:\n%s", loops, text);
    CHECK(test_starving() || ty_program_check(p, &why), "%s", ty_error(why));
    CHECK(test_starving() || strstr(text, "runs 1 kernel in"), "the steps are not in the text:\n%s", text);
    char *dot = test_text(ty_program_dot(p)), *svg = test_text(ty_program_graph_svg(p));
    CHECK(test_starving() || (strstr(dot, "subgraph cluster_") && strstr(svg, "loop of 1 kernel")),
          "no bodies are drawn");
    char *nodes = test_text(ty_text(1, &loss));
    CHECK(test_starving() || strstr(nodes, "    body "), "no body in the text:\n%s", nodes);
}

/* Values do not depend on checkpoints; more recomputation needs less memory. */
static void checkpoints(void) {
    static const int64_t kept[] = {0, 1, 8, 64};
    ty_tensor *x = ty_var(sample_shape(TY_F64, 1, (int64_t[]){600}, -1, 1), "x"),
              *w = ty_var(sample_shape(TY_F64, 2, (int64_t[]){50, 50}, -0.1, 0.1), "w");
    ty_tensor *expected = NULL, *g[2];
    int64_t bytes[4] = {0};
    for (int i = 0; i < 4; i++) {
        ty_tensor *y = bodies_kept(x, w, false, kept[i]);
        ty_grad(ty_sum(ty_square(y), TY_ALL), 1, &w, g);
        g[1] = y;
        ty_program *p = test_program(ty_compile(1, g, (ty_compile_options){0}));
        bytes[i] = test_report(p).arena_bytes;
        if (ty_run(p)) {
            ty_tensor *now = ty_output(p, 0);
            if (expected) compare_near(now, expected, 1e-9, 1e-9, "a gradient that keeps %d", (int)kept[i]);
            expected = ty_retain(now);
            test_own(expected, release_tensor);
        }
    }
    CHECK(test_starving() || (bytes[0] > bytes[1] && bytes[1] > bytes[2]), "bytes: %lld, %lld, %lld, %lld",
          (long long)bytes[0], (long long)bytes[1], (long long)bytes[2], (long long)bytes[3]);
}

/* Values that do not change between steps are computed once, before the loop. */
static void hoisted_step(void *context, ty_step *s) {
    s->next[0] = ty_add(s->carry[0], ty_exp((ty_tensor *)context));
}
static void hoisted(void) {
    ty_tensor *v = ty_var(ty_ones(TY_F32, TY_SHAPE(3)), "v"), *zero = ty_zeros(TY_F32, TY_SHAPE(3)), *last;
    ty_scan(hoisted_step, v, (ty_scan_spec){.ncarry = 1, .carry = &zero, .length = 10}, &last, NULL, NULL);
    char *text = test_text(ty_text(1, &last));
    const char *body = text ? strstr(text, "body ") : NULL, *function = text ? strstr(text, "= exp") : NULL;
    CHECK(test_starving() || (function && body && function < body), "exp is in the body:\n%s", text);
}

/* A loop recorded again is found in the cache and not compiled twice. */
static void found_again(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F64, TY_SHAPE(6, 4)), "x"),
              *w = ty_var(ty_ones(TY_F64, TY_SHAPE(4)), "w");
    CHECK_OK(ty_eval(bodies_scan(x, w, true, false)));
    int64_t before = cache_compiles();
    CHECK_OK(ty_eval(bodies_scan(x, w, true, false)));
    CHECK(test_starving() || cache_compiles() == before, "an equal loop is compiled again");
}

/* Bits do not depend on threads, disabled passes or engines. */
static void same_bits(void) {
    ty_tensor *x = ty_var(sample_shape(TY_F32, 2, (int64_t[]){9, 3000}, -1, 1), "x"),
              *w = ty_var(ty_full(TY_F32, TY_SHAPE(1), 0.5), "w");
    ty_tensor *y[2] = {bodies_scan(x, w, true, false)}, *expected = NULL;
    ty_grad(y[0], 1, &x, &y[1]);
    for (int k = 0; k < 6; k++) {
        ty_set_threads(k == 1 ? 8 : 1);
        ty_program *p = test_program(ty_compile(
            2, y, (ty_compile_options){.no_rewrite = k == 2, .no_fuse = k == 3, .no_reuse = k == 4}));
        if (!ty_run(p)) continue;
        ty_tensor *both = ty_concat(2, (ty_tensor *[]){ty_output(p, 0), ty_output(p, 1)}, 0);
        if (expected && ty_ok(both))
            compare_bits(both, expected, "a scan and its gradient compiled in another way");
        if (ty_ok(both)) expected = both;
    }
    ty_set_threads(0);
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/control/control.def"
    TEST(gradients),      TEST(stops),       TEST(lengths),         TEST(shuffles),    TEST(dtypes),
    TEST(narrow_results), TEST(keys),        TEST(one_branch_runs), TEST(refusals),    TEST(failed_step),
    TEST(merged),         TEST(checkpoints), TEST(hoisted),         TEST(found_again), TEST(same_bits)};
TESTS_MAIN_TABLE(cases)
