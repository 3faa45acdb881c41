/*
 * Values that are given to whole graphs: functions, promises, composites and loops write results over them if nobody else
 * sees them, compute the same in any case, and leave what others hold.
 */
#include <stdio.h>
#include <string.h>
#include <tyto/expression.h>
#include "array/scope.h"
#include "array/tensor.h"
#include "base/alloc.h"
#include "tests/support/copies.h"
#include "tests/support/harness.h"
#include "tests/support/samples/beside.h"
#include "tests/support/samples/compositions.h"
#include "tests/support/samples/sample.h"

static ty_tensor *vector(int64_t n) { return sample_shape(TY_F64, 1, &n, -2, 2); }

enum { SMALL = 2 * BESIDE_COLUMNS, LARGE = 1 << 17, LARGE_SHARE = 10 }; /* elements; functions */

/* ---- graphs ---- */

static ty_tensor *stepped(ty_tensor *x) { return ty_sub(x, ty_mul(ty_sin(x), ty_num(0.1))); }
static ty_tensor *rolled(ty_tensor *x) {
    return ty_concat(2, (ty_tensor *[]){ty_at(x, "1:"), ty_at(x, ":1")}, 0);
}
static ty_tensor *itself(ty_tensor *x) { return x; }
static ty_tensor *turned(ty_tensor *x) { return ty_flip(x, 0); }
static struct {
    const char *name;
    ty_tensor *(*run)(ty_tensor *x);
    bool takes; /* large operands must be taken */
} const graphs[] = {{"stepped", stepped, true},  {"joined", joined, true},  {"centred", centred, false},
                    {"crossed", crossed, false}, {"summed", summed, false}, {"softmaxed", softmaxed, false},
                    {"ordered", ordered, false}, {"rolled", rolled, false}, {"itself", itself, false},
                    {"turned", turned, false}};
enum { GRAPHS = sizeof graphs / sizeof *graphs };

static const int64_t sizes[] = {1, 7, 5000, 200000};
enum { SIZES = 4 };

/* Check a result `y` of x, which was given, whose memory was `memory` and elements `before`; `view` is a view of it or
   NULL. */
static void check(const char *name, bool takes, ty_tensor *x, const void *memory, ty_tensor *y,
                  ty_tensor *expected, ty_tensor *view, ty_tensor *before) {
    if (!ty_ok(y) || !ty_ok(expected) || !ty_ok(before))
        return CHECK(test_starving(), "%s: %s%s", name, ty_error(y), ty_error(expected));
    CHECK(bytes_equal(y, expected), "%s: other elements", name);
    CHECK(!takes || view || ty_data(y) == memory || test_starving(), "%s: other memory", name);
    CHECK(!view || !ty_ok(view) || bytes_equal(view, before), "%s: a view has changed", name);
    if (ty_ok(x))
        CHECK(bytes_equal(x, before), "%s: the operand has changed", name);
    else
        CHECK_POISON(x, "given away");
}

/* ---- functions ---- */

static void body(void *context, ty_tensor *const *x, ty_tensor **results) {
    results[0] = graphs[*(const int *)context].run(x[0]);
}
static void end_function(void *f) { ty_function_free(f); }

static void functions(void) {
    for (int g = 0; g < GRAPHS; g++)
        for (int s = 0; s < SIZES; s++)
            for (int held = 0; held < 2; held++) {
                struct test_round round = test_round();
                ty_function *f =
                    test_own(ty_function_new(body, &g, 1, 1, (ty_compile_options){0}), end_function);
                ty_tensor *x = vector(sizes[s]), *before = copy_of(x),
                          *view = held ? ty_flip(ty_flip(x, 0), 0) : NULL;
                ty_tensor *expected, *y;
                const void *memory = ty_data(x);
                ty_function_call(f, 1, &x, 1, &expected);
                ty_give(x);
                ty_function_call(f, 1, &x, 1, &y);
                check(graphs[g].name, graphs[g].takes, x, memory, y, expected, view, before);
                test_round_end(round);
            }
}

static void two_operands(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_sub(x[0], ty_mul(x[1], ty_num(0.5)));
    results[1] = ty_add(ty_mul(x[1], x[1]), ty_sum(x[0], TY_ALL));
}

/* Each result takes the memory of one operand, also if both operands are one tensor. */
static void several_operands(void) {
    ty_function *f =
        test_own(ty_function_new(two_operands, NULL, 2, 2, (ty_compile_options){0}), end_function);
    for (int s = 0; s < SIZES; s++)
        for (int how = 0; how < 4; how++) {
            struct test_round round = test_round();
            ty_tensor *x[2] = {vector(sizes[s]), vector(sizes[s])}, *want[2], *y[2];
            if (how == 3) x[1] = x[0];
            ty_function_call(f, 2, x, 2, want);
            for (int i = 0; i < 2; i++)
                if (how != i) ty_give(x[i]);
            ty_function_call(f, 2, x, 2, y);
            for (int i = 0; i < 2 && ty_ok(y[i]) && ty_ok(want[i]); i++)
                CHECK(bytes_equal(y[i], want[i]), "result %d, case %d: other elements", i, how);
            CHECK((ty_ok(y[0]) && ty_ok(y[1])) || test_starving(), "case %d: %s%s", how, ty_error(y[0]),
                  ty_error(y[1]));
            test_round_end(round);
        }
}

/* A loop of calls needs no second array. */
static void a_loop_of_calls(void) {
    int g = 0;
    int64_t n = 1 << 19, bytes = 8 * n;
    ty_function *f = test_own(ty_function_new(body, &g, 1, 1, (ty_compile_options){0}), end_function);
    ty_tensor *x = vector(n), *y = x;
    ty_function_call(f, 1, &x, 1, &y);
    int64_t before = mem_bytes();
    mem_peak_begin();
    for (int i = 0; i < 5 && ty_ok(y); i++) {
        ty_give(y);
        ty_function_call(f, 1, &y, 1, &y);
    }
    int64_t more = mem_peak() - before;
    CHECK(more < bytes / 4 || test_starving(), "%lld bytes more for a vector of %lld", (long long)more,
          (long long)bytes);
    CHECK_OK(y);
}

/* ---- promises ---- */

static void promises(void) {
    for (int g = 0; g < GRAPHS; g++)
        for (int s = 0; s < SIZES; s++)
            for (int held = 0; held < 2; held++) {
                struct test_round round = test_round();
                ty_tensor *x = vector(sizes[s]), *before = copy_of(x),
                          *view = held ? ty_flip(ty_flip(x, 0), 0) : NULL;
                ty_tensor *expected = copy_of(ty_eval(graphs[g].run(ty_lazy(before))));
                const void *memory = ty_data(x);
                ty_tensor *promise = graphs[g].run(ty_lazy(ty_give(x))), *y = ty_eval(promise);
                check(graphs[g].name, graphs[g].takes && sizes[s] > 100, x, memory, y, expected, view,
                      before);
                if (!ty_ok(x)) CHECK_POISON(promise, "given away");
                if (!ty_ok(x)) CHECK_POISON(ty_add(promise, ty_num(1)), "given away");
                test_round_end(round);
            }
}

/* Another promise of the value, an owned handle of an inner node, or a program keeps the value alive. */
static void promises_elsewhere(void) {
    for (int how = 0; how < 4; how++) {
        struct test_round round = test_round();
        ty_tensor *x = vector(5000), *before = copy_of(x), *lazy = ty_lazy(x), *inner = ty_sin(lazy);
        ty_tensor *other = how == 0   ? ty_cos(inner)
                           : how == 1 ? ty_exp(lazy)
                           : how == 2 ? ty_retain(inner)
                                      : ty_neg(ty_lazy(x));
        ty_tensor *want = copy_of(ty_eval(other)), *expected = copy_of(ty_eval(ty_mul(inner, lazy)));
        ty_give(x);
        ty_tensor *y = ty_eval(ty_mul(inner, lazy));
        CHECK(!ty_ok(y) || !ty_ok(expected) || bytes_equal(y, expected), "case %d: other elements", how);
        CHECK(ty_ok(x) || !ty_ok(before) || test_starving(), "case %d: the value was taken", how);
        ty_tensor *then = ty_eval(other);
        CHECK(test_starving() || (ty_ok(then) && bytes_equal(then, want)),
              "case %d: the other promise has changed", how);
        if (how == 2) ty_release(inner);
        test_round_end(round);
    }
}

/* Values of tracked promises need their operands for gradients. */
static void tracked_promises(void) {
    ty_tensor *x = vector(5000), *t = ty_track(vector(5000), "t"), *gradient;
    ty_tensor *y = ty_eval(ty_mul(ty_lazy(ty_give(x)), t));
    if (!ty_ok(y) || !ty_ok(t)) return;
    bool done = ty_grad(ty_sum(y, TY_ALL), 1, &t, &gradient);
    CHECK((done && bytes_equal(ty_eval(gradient), x)) || test_starving(), "no gradient: %s",
          ty_error(gradient));
}

/* ---- composites ---- */

static ty_tensor *softmax(ty_tensor *m) { return ty_softmax(m, 1); }
static ty_tensor *gelu(ty_tensor *m) { return ty_gelu(m); }
static ty_tensor *scored(ty_tensor *m) { return ty_zscore(m, (ty_axes){.mask = 2}, 0); }
static ty_tensor *clipped(ty_tensor *m) { return ty_clip(m, ty_num(-1), ty_num(1)); }
static ty_tensor *blended(ty_tensor *m) { return ty_lerp(m, ty_num(2), ty_num(0.25)); }
static ty_tensor *(*const composites[])(ty_tensor *m) = {softmax, gelu, scored, clipped, blended};

static void in_composites(void) {
    int taken = 0;
    for (size_t k = 0; k < sizeof composites / sizeof *composites; k++)
        for (int64_t rows = 2; rows <= 300; rows += 298)
            for (int held = 0; held < 2; held++) {
                struct test_round round = test_round();
                ty_tensor *x = sample_shape(TY_F64, 2, (int64_t[]){rows, 300}, -2, 2), *before = copy_of(x);
                ty_tensor *expected = copy_of(composites[k](x)), *view = held ? ty_at(x, "::") : NULL;
                ty_tensor *y = composites[k](ty_give(x));
                check(k == 0   ? "softmax"
                      : k == 1 ? "gelu"
                      : k == 2 ? "zscore"
                      : k == 3 ? "clip"
                               : "lerp",
                      false, x, NULL, y, expected, view, before);
                taken += !held && !ty_ok(x);
                test_round_end(round);
            }
    CHECK(taken >= 3 || test_starving(), "%d composites have used the memory", taken);
}

/* ---- loops ---- */

static void grow(void *context, ty_tensor *const *carry, ty_tensor **next) {
    (void)context;
    next[0] = ty_add(ty_mul(carry[0], ty_num(0.5)), ty_num(1));
    next[1] = ty_add(carry[1], ty_num(1));
}
static void turn(void *context, ty_tensor *const *carry, ty_tensor **next) {
    (void)context;
    next[0] = ty_flip(carry[0], 0);
    next[1] = ty_add(carry[1], ty_num(1));
}
static ty_tensor *below(void *context, ty_tensor *const *carry) {
    return ty_lt(carry[1], ty_num(*(const int *)context));
}
static void swap(void *context, ty_tensor *const *carry, ty_tensor **next) {
    (void)context;
    next[0] = carry[1];
    next[1] = ty_add(carry[0], ty_num(1));
}
static ty_tensor *always(void *context, ty_tensor *const *carry) {
    (void)context, (void)carry;
    return ty_scalar(TY_BOOL, 1);
}

static void loops(void) {
    for (int s = 0; s < SIZES; s++)
        for (int how = 0; how < 6; how++)
            for (int steps = 0; steps < 4; steps++) {
                struct test_round round = test_round();
                ty_tensor *x[2] = {vector(sizes[s]), how < 4 ? ty_scalar(TY_F64, 0) : vector(sizes[s])};
                ty_tensor *before = copy_of(x[0]), *view = how & 1 ? ty_flip(ty_flip(x[0], 0), 0) : NULL,
                          *want[2], *y[2];
                const void *memory = ty_data(x[0]);
                ty_next next = how < 2 ? grow : how < 4 ? turn : swap;
                ty_condition condition = how < 4 ? below : always;
                int64_t most = how < 4 ? 0 : steps;
                if (how >= 4 && !steps) { /* 0: no limit */
                    test_round_end(round);
                    continue;
                }
                bool done = ty_while(condition, next, &steps, 2, x, most, want, NULL);
                if (done) want[0] = copy_of(want[0]);
                ty_give(x[0]);
                if (how >= 4) ty_give(x[1]);
                done = ty_while(condition, next, &steps, 2, x, most, y, NULL) && done;
                CHECK(done || test_starving(), "case %d: %s", how, ty_error(y[0]));
                if (done)
                    check("a loop", how == 0 && sizes[s] > 100, x[0], memory, y[0], want[0], view, before);
                test_round_end(round);
            }
}

static void scan_step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_add(s->carry[0], s->x[0]);
    s->y[0] = ty_sum(s->carry[0], TY_ALL);
}

static void scans(void) {
    for (int s = 0; s < SIZES; s++) {
        struct test_round round = test_round();
        ty_tensor *x = vector(sizes[s]), *before = copy_of(x),
                  *seq = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 2, 3});
        ty_tensor *want, *y, *sums[2];
        const void *memory = ty_data(x);
        ty_scan_spec spec = {.ncarry = 1, .carry = &x, .nx = 1, .x = &seq, .ny = 1};
        bool done = ty_scan(scan_step, NULL, spec, &want, &sums[0], NULL);
        ty_give(x);
        done = ty_scan(scan_step, NULL, spec, &y, &sums[1], NULL) && done;
        CHECK(done || test_starving(), "%s", ty_error(y));
        if (done) check("a scan", sizes[s] > 100, x, memory, y, want, NULL, before);
        if (done) CHECK(bytes_equal(sums[0], sums[1]), "other sums");
        test_round_end(round);
    }
}

/* ---- every function ---- */

static const char *const lists[] = {
#include "tests/support/call_lists.def"
};

/* Make the operands of beside.h, none of which shares memory with another. */
static void operands_apart(int64_t n, ty_tensor **x) {
    beside_operands(TY_F32, n, x);
    for (int i = 0; i < BESIDE_NAMES; i++) x[i] = copy_of(x[i]);
}

static int evaluate(const char *text, ty_tensor **x, ty_tensor **results) {
    static const char *const names[BESIDE_NAMES] = {"x", "m", "w", "ones", "key", "k"};
    char numbered[256];
    beside_text(numbered, sizeof numbered, text, ty_size(x[0]));
    test_random_from(1);
    return ty_expressions(numbered, BESIDE_NAMES, names, x, BESIDE_RESULTS, results);
}

/* Return the mark that a value must have to be given to a function of an expression, from its present depth. */
static int mark_in_expressions(void) {
    ty_tensor *x[BESIDE_NAMES], *results[BESIDE_RESULTS];
    for (int mark = scope_depth(); mark < scope_depth() + 9; mark++) {
        operands_apart(SMALL, x);
        x[0]->given = (uint16_t)mark;
        evaluate("neg(x)", x, results);
        if (!ty_ok(x[0])) return mark;
    }
    return 0;
}

/* Compare the results of the call with and without operands that are given. Returns the number that were taken; -1 if the
   call fails. */
static int call_with_given(const char *text, int64_t n, int mark) {
    ty_tensor *x[BESIDE_NAMES], *results[BESIDE_RESULTS], *expected[BESIDE_RESULTS];
    int taken = 0;
    operands_apart(n, x);
    int many = evaluate(text, x, expected);
    for (int i = 0; i < many; i++)
        if (!ty_ok(expected[i])) return -1;
    for (int i = 0; i < many; i++) expected[i] = copy_of(expected[i]);
    operands_apart(n, x);
    for (int i = 0; i < BESIDE_NAMES; i++)
        if (ty_ok(x[i])) x[i]->given = (uint16_t)mark;
    int again = evaluate(text, x, results);
    for (int i = 0; i < many && i < again; i++) /* rows of several results are several calls */
        CHECK((ty_ok(results[i]) ? bytes_equal(results[i], expected[i]) : many > 1) || test_starving(),
              "%s with operands that are given: %s", text,
              ty_ok(results[i]) ? "other elements" : ty_error(results[i]));
    for (int i = 0; i < BESIDE_NAMES; i++) taken += !ty_ok(x[i]);
    return taken;
}

/* Their work grows much faster than their operands. */
static bool is_slow(const char *signature) {
    static const char *const names[] = {"pascal(", "roots(", "hilbert(", "eval_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(signature, names[i], strlen(names[i]))) return true;
    return false;
}

static void every_function(void) {
    int used = 0, large = 0, step = test_some(8, 40, 400), mark = 0;
    const char *signature;
    for (int f = 0; (signature = ty_expression_function(f)); f += step) {
        struct test_round round = test_round();
        if (f == 0) mark = mark_in_expressions();
        int taken = is_slow(signature) ? 0 : -1;
        for (size_t i = 0; i < sizeof lists / sizeof *lists && taken < 0; i++) {
            char text[128];
            snprintf(text, sizeof text, "%.*s(%s)", (int)strcspn(signature, "("), signature, lists[i]);
            taken = call_with_given(text, SMALL, mark);
            if (taken >= 0 && f % LARGE_SHARE == 0 && !test_starving())
                large += call_with_given(text, LARGE, mark) > 0;
        }
        used += taken > 0;
        test_round_end(round);
    }
    if (test_verbose())
        printf("%d functions use the memory of small operands, %d of large ones\n", used, large);
    CHECK(used > 100 / step || test_starving(), "%d functions have used the memory", used);
}

TESTS_MAIN(TEST(functions), TEST(several_operands), TEST(a_loop_of_calls), TEST(promises),
           TEST(promises_elsewhere), TEST(tracked_promises), TEST(in_composites), TEST(loops), TEST(scans),
           TEST(every_function))
