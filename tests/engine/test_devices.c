/*
 * Memory that lives elsewhere, on the engine `far`: moves, operators, programs, and each failure.  All results have the
 * bits of `cpu`, since `far` computes by it.  A host access to device memory would trap.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tyto/expression.h>

#include "ops/core/kernel/verify.h"
#include "tests/support/bodies.h"
#include "tests/support/compare.h"
#include "tests/support/far.h"
#include "tests/support/harness.h"
#include "tests/support/nn_help.h"
#include "tests/support/samples/golden_inputs.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"
#include "tests/support/tree.h"

static ty_tensor *numbers(int64_t n) { return sample_shape(TY_F32, 1, &n, -2, 2); }

/* Check that x is poison with a message that has these words, unless an allocation has failed. */
static void check_fault(ty_tensor *x, const char *words) {
    CHECK(!ty_ok(x), "expected \"%s\"", words);
    CHECK(strstr(ty_error(x), words) || test_starving(), "\"%s\" lacks \"%s\"", ty_error(x), words);
}

/* ---- moves ---- */

static void moves(void) {
    far_begin();
    ty_tensor *x = numbers(1000), *y = CHECK_OK(ty_to(x, "far:1"));
    CHECK(!strcmp(ty_on(x), "cpu") && (test_starving() || !strcmp(ty_on(y), "far:1")), "%s", ty_on(y));
    compare_bits(y, x, "there and back");
    ty_tensor *z = CHECK_OK(ty_add(y, ty_num(1)));
    CHECK(test_starving() || !strcmp(ty_on(z), "far:1"), "a sum is on %s", ty_on(z));
    far_fail(FAR_DOWNLOAD, 0);
    const void *data = ty_data(z);
    CHECK(ty_data(z) == data, "the elements move");
    CHECK(far_calls(FAR_DOWNLOAD) == 1 || test_starving(), "%lld copies home",
          (long long)far_calls(FAR_DOWNLOAD));
    compare_bits(z, ty_add(x, ty_num(1)), "a sum on far:1");
    far_fail(FAR_UPLOAD, 0);
    ty_add(x, y);
    ty_mul(x, y);
    CHECK(far_calls(FAR_UPLOAD) == 0 || test_starving(), "a copy that is there is made again");
    compare_bits(ty_to(z, "cpu"), ty_add(x, ty_num(1)), "a sum moved home");
    CHECK(!strcmp(ty_on(ty_to(z, "cpu")), "cpu") || test_starving(), "not at home");
}

static void refuses_two_places(void) {
    far_begin();
    far.none = true;
    check_fault(ty_to(numbers(3), "far:1"), "far is told to have none");
    far.none = false;
    ty_tensor *x = ty_to(numbers(3), "far:0"), *y = ty_to(numbers(3), "far:1");
    check_fault(ty_add(x, y), "operand 1 is on far:0, operand 2 on far:1; use ty_to");
    check_fault(ty_add(ty_lazy(x), ty_lazy(y)), "operand 1 is on far:0, operand 2 on far:1; use ty_to");
    check_fault(ty_add(ty_to(x, "cpu"), y), "operand 1 is on cpu, operand 2 on far:1");
    CHECK_OK(ty_add(ty_to(x, "far:1"), y));
    check_fault(ty_to(x, "far:2"), "far has 2 devices");
    check_fault(ty_to(x, "near"), "unknown engine");
    check_fault(ty_to(x, "far:x"), "unknown engine");
    check_fault(ty_to(x, NULL), "NULL");
    far.none = true; /* open devices stay */
    CHECK_OK(ty_add(x, ty_to(y, "far:0")));
}

static void views_share(void) {
    far_begin();
    int64_t shape[] = {4, 6};
    ty_tensor *x = sample_shape(TY_F32, 2, shape, -2, 2), *y = ty_to(x, "far:0");
    far_fail(FAR_LAUNCH, 0);
    ty_tensor *rows = ty_slice(ty_permute(y, (int[]){1, 0}), 0, 1, 3, 1);
    CHECK(far_calls(FAR_LAUNCH) == 0, "views launch kernels");
    compare_bits(ty_exp(rows), ty_exp(ty_slice(ty_permute(x, (int[]){1, 0}), 0, 1, 3, 1)),
                 "a view on a device");
}

static void many_operands(void) {
    far_begin();
    ty_tensor *x[60], *far_x[60];
    for (int i = 0; i < 60; i++) {
        x[i] = numbers(3);
        far_x[i] = ty_to(x[i], "far:0");
    }
    for (int n = 38; n < 60; n += n < 42 ? 1 : 9)
        compare_bits(ty_concat(n, far_x, 0), ty_concat(n, x, 0), "%d operands", n);
}

/* ---- operators ---- */

/* Lists of kinds that the device lacks: none, all, every second. */
static const uint64_t lacking[] = {0, UINT64_MAX, UINT64_C(0x5555555555555555)};

static void operators(void) {
    far_begin();
    ty_tensor *x = sample_shape(TY_F32, 4, (int64_t[]){1, 4, 4, 1}, -2, 2);
    for (int i = 0; i < operator_sample_count; i++)
        for (int way = 0; way < test_some(3, 3, 1); way++) {
            struct test_round round = test_round();
            ty_tensor *want = operator_samples[i].run(x);
            far.kinds = lacking[way];
            ty_use_engine("far:0");
            ty_tensor *got = operator_samples[i].run(x);
            ty_use_engine("cpu");
            if (ty_ok(want) || !test_starving())
                compare_bits(got, want, "%s, way %d", operator_samples[i].name, way);
            test_round_end(round);
            ty_trim();
        }
}

enum { MOST_RESULTS = 64 };

static void expressions(void) {
    const char *names[GOLDEN_INPUTS];
    ty_tensor *inputs[GOLDEN_INPUTS], *want[MOST_RESULTS], *got[MOST_RESULTS];
    far_begin();
    golden_inputs(names, inputs);
    char *text = tree_text("tests/goldens/goldens.txt"), *line;
    int step = test_some(1, 5, 200);
    for (int number = 1; (line = tree_line(&text)); number++) {
        if (number % step || !tree_golden(line)) continue;
        struct test_round round = test_round();
        line = tree_golden(line);
        int n = ty_expressions(line, GOLDEN_INPUTS, names, inputs, MOST_RESULTS, want);
        ty_use_engine("far:0");
        int m = ty_expressions(line, GOLDEN_INPUTS, names, inputs, MOST_RESULTS, got);
        ty_use_engine("cpu");
        CHECK(n == m || test_starving(), "goldens.txt:%d: %d and %d results", number, n, m);
        for (int i = 0; i < n && i < m && ty_ok(want[i]); i++)
            compare_bits(got[i], want[i], "goldens.txt:%d, result %d", number, i);
        test_round_end(round);
    }
}

/* ---- programs ---- */

/* Compile and own a program on an engine. */
static ty_program *compile_on(const char *engine, int n, ty_tensor *const *outputs, ty_compile_options o) {
    o.engine = engine;
    ty_program *p = test_program(ty_compile(n, outputs, o));
    CHECK(!*ty_program_error(p) || test_starving(), "%s", ty_program_error(p));
    return p;
}

/* A step of gradient descent on one engine. */
struct descent {
    ty_tensor *w, *x, *loss;
    ty_program *program;
};

static struct descent descent_on(const char *engine, ty_tensor *w, ty_tensor *x, ty_compile_options o) {
    struct descent d = {.w = ty_var(ty_add(w, ty_num(0)), "w"), .x = ty_var(x, "x")};
    ty_tensor *g, *y = ty_matmul(ty_tanh(ty_matmul(d.x, d.w)), d.w);
    d.loss = ty_add(ty_sum(ty_sort(y, 1, false), TY_ALL),
                    ty_sum(bodies_scan(y, ty_num(0.5), true, false), TY_ALL));
    ty_grad(d.loss, 1, &d.w, &g);
    ty_update update = {d.w, ty_sub(d.w, ty_mul(ty_num(0.01), g))};
    o.updates = &update;
    o.nupdates = 1;
    d.program = compile_on(engine, 1, &d.loss, o);
    return d;
}

static void programs(void) {
    static const ty_compile_options options[] = {
        {0}, {.no_fuse = true}, {.no_reuse = true}, {.incremental = true}, {.stoppable = true}};
    far_begin();
    int64_t shape[] = {8, 8};
    for (int way = 0; way < test_some(3, 3, 1); way++)
        for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
            struct test_round round = test_round();
            far.kinds = lacking[way];
            ty_tensor *w = sample_shape(TY_F32, 2, shape, -1, 1), *x = sample_shape(TY_F32, 2, shape, -1, 1);
            struct descent here = descent_on("cpu", w, x, options[i]),
                           there = descent_on("far:0", w, x, options[i]);
            for (int step = 0; step < 3; step++) {
                bool both = ty_run(here.program) && ty_run(there.program);
                CHECK(both || test_starving(), "%s", ty_program_error(there.program));
                if (!both) break;
                compare_bits(ty_output(there.program, 0), ty_output(here.program, 0), "loss %d, way %d", step,
                             way);
            }
            compare_bits(ty_eval(there.w), ty_eval(here.w), "weights, way %d, options %d", way, (int)i);
            test_round_end(round);
            ty_trim();
        }
}

/* Results that lie interleaved in one block keep each other's elements if they return from copies: those of a device that
   lacks the kind, and those of a program at home with a part on a device. */
static void interleaved(void) {
    far_begin();
    ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(7, 40), -1, 1), *v = ty_var(x, "x");
    for (int way = 0; way < 3; way++)
        for (int axis = 0; axis < 2; axis++) {
            ty_tensor *u = way == 2 ? ty_to(v, "far:1") : v;
            ty_tensor *lazy[] = {ty_exp(u), ty_neg(u), ty_square(u)},
                      *want[] = {ty_exp(x), ty_neg(x), ty_square(x)};
            ty_tensor *y = ty_stack(3, lazy, axis);
            if (way == 2) y = ty_to(y, "cpu");
            far.kinds = way == 1 ? UINT64_MAX : 0;
            ty_program *p = compile_on(way == 2 ? "cpu" : "far:0", 1, &y, (ty_compile_options){0});
            CHECK(ty_run(p) || test_starving(), "%s", ty_program_error(p));
            CHECK(test_report(p).kernels == 1 || test_starving(), "axis %d: the results lie apart", axis);
            compare_bits(ty_output(p, 0), ty_stack(3, want, axis), "way %d, axis %d", way, axis);
        }
}

/* Variables, constants and the arena stay on the device: a step copies nothing. */
static void stays(void) {
    far_begin();
    int64_t shape[] = {8, 8};
    ty_tensor *w = ty_var(sample_shape(TY_F32, 2, shape, -1, 1), "w");
    ty_tensor *y = ty_tanh(ty_matmul(ty_lazy(sample_shape(TY_F32, 2, shape, -1, 1)), w));
    ty_update update = {w, y};
    ty_program *p = compile_on("far:0", 1, &y, (ty_compile_options){.updates = &update, .nupdates = 1});
    ty_run(p);
    for (int i = 0; i < FAR_CALLS; i++) far_fail(i, 0);
    for (int i = 0; i < 5; i++) CHECK(ty_run(p) || test_starving(), "%s", ty_program_error(p));
    CHECK(!far_calls(FAR_UPLOAD) && !far_calls(FAR_DOWNLOAD) && !far_calls(FAR_WAIT),
          "%d uploads, %d downloads, %d waits", (int)far_calls(FAR_UPLOAD), (int)far_calls(FAR_DOWNLOAD),
          (int)far_calls(FAR_WAIT));
    CHECK(test_starving() || !strcmp(ty_on(ty_output(p, 0)), "far:0"), "the output is elsewhere");
    ty_item(ty_sum(ty_output(p, 0), TY_ALL));
    CHECK(far_calls(FAR_DOWNLOAD) == 1 || test_starving(), "%d downloads", (int)far_calls(FAR_DOWNLOAD));
}

static void incremental(void) {
    far_begin();
    int64_t n = 4000;
    ty_tensor *values = numbers(n), *x[2], *out[2];
    ty_program *p[2];
    for (int e = 0; e < 2; e++) {
        x[e] = ty_var(ty_add(values, ty_num(0)), "x");
        out[e] = ty_cumsum(ty_exp(ty_reshape(x[e], TY_SHAPE(100, 40))), 1, (ty_running){0});
        p[e] = compile_on(e ? "far:0" : "cpu", 1, &out[e], (ty_compile_options){.incremental = true});
    }
    for (int i = 0; i < 4; i++) {
        for (int e = 0; e < 2; e++) {
            ty_tensor *error = NULL;
            bool done = ty_assign_at(x[e], i % 2 ? "100:150" : "3990:", ty_num(i), &error) && ty_run(p[e]);
            CHECK(done || test_starving(), "%s", error ? ty_error(error) : ty_program_error(p[e]));
            if (!done) return;
        }
        compare_bits(ty_output(p[1], 0), ty_output(p[0], 0), "incremental run %d", i);
    }
}

static void budgets(void) {
    far_begin();
    int64_t shape[] = {64, 64};
    ty_tensor *x = ty_lazy(sample_shape(TY_F32, 2, shape, -1, 1)), *y[6], *sum = x;
    for (int i = 0; i < 6; i++) y[i] = ty_matmul(i ? y[i - 1] : x, x);
    for (int i = 5; i >= 0; i--) sum = ty_matmul(ty_tanh(ty_add(sum, y[i])), y[i]);
    ty_program *whole = compile_on("cpu", 1, &sum, (ty_compile_options){0});
    ty_compile_options less = {.max_bytes = test_report(whole).arena_bytes * 3 / 4};
    ty_program *p = compile_on("far:0", 1, &sum, less);
    if (*ty_program_error(p)) return;
    CHECK((ty_run(p) && ty_run(whole)) || test_starving(), "%s", ty_program_error(p));
    compare_bits(ty_output(p, 0), ty_output(whole, 0), "within a budget");
}

static void loops(void) {
    far_begin();
    int64_t shape[] = {6, 5};
    ty_tensor *x = sample_shape(TY_F32, 2, shape, 0.1, 2), *w = sample_shape(TY_F32, 1, shape + 1, -1, 1);
    for (int way = 0; way < test_some(3, 3, 1); way++) {
        ty_tensor *result[2][6];
        far.kinds = lacking[way];
        for (int e = 0; e < 2; e++) {
            ty_use_engine(e ? "far:0" : "cpu");
            result[e][0] = bodies_scan(x, ty_num(0.5), true, false);
            result[e][1] = bodies_scan(x, ty_num(0.5), false, true);
            result[e][2] = bodies_while(x);
            result[e][3] = bodies_cond(w, w, true);
            result[e][4] = bodies_nested(x);
            result[e][5] = bodies_call(x);
            ty_eval_all(6, result[e], result[e]);
        }
        ty_use_engine("cpu");
        for (int i = 0; i < 6 && ty_ok(result[0][i]); i++)
            compare_bits(result[1][i], result[0][i], "loop %d, way %d", i, way);
    }
}

static void trains(void) {
    far_begin();
    double losses[2][3];
    for (int e = 0; e < 2; e++) {
        ty_use_engine(e ? "far:0" : "cpu");
        nn_steps(nn_small_trainer(true, (ty_optimiser){.rule = &ty_adam}), 3, losses[e]);
    }
    for (int i = 0; i < 3; i++)
        CHECK(losses[0][i] == losses[1][i] || test_starving(), "step %d: %.17g and %.17g", i, losses[0][i],
              losses[1][i]);
}

/* ---- refusals ---- */

/* A label beyond the classes never reaches the weights, and the message is that of `cpu`. */
static void bad_labels(void) {
    far_begin();
    for (int way = 0; way < test_some(3, 3, 1); way++) {
        char *told[2];
        far.kinds = lacking[way];
        for (int e = 0; e < 2; e++) {
            int32_t good[] = {0, 1, 2}, bad[] = {0, 7, 9};
            ty_tensor *w = ty_var(ty_ones(TY_F32, TY_SHAPE(4, 3)), "w"), *g;
            ty_tensor *label = ty_var(ty_from(TY_I32, TY_SHAPE(3), good), "label");
            ty_tensor *rows = ty_take(w, label, 0), *loss = ty_sum(ty_square(rows), TY_ALL);
            ty_grad(loss, 1, &w, &g);
            ty_tensor *v = ty_var(numbers(6), "v"), *u = ty_var(numbers(6), "u"),
                      *s = ty_var(numbers(6), "s");
            ty_update updates[] = {{w, ty_sub(w, g)}, {v, bodies_while(s)}, {u, bodies_call(s)}};
            ty_compile_options o = {.updates = updates, .nupdates = 3};
            ty_program *p = compile_on(e ? "far:0" : "cpu", 1, &loss, o);
            CHECK(ty_run(p) || test_starving(), "%s", ty_program_error(p));
            ty_tensor *before[] = {ty_eval(w), ty_eval(v), ty_eval(u)};
            ty_assign(label, ty_from(TY_I32, TY_SHAPE(3), bad), NULL);
            ty_assign(s, numbers(6), NULL);
            told[e] = test_room(2000);
            ty_tensor *read = ty_run(p) ? ty_add(ty_output(p, 0), ty_num(0)) : ty_program_failure(p);
            snprintf(told[e], 2000, "%s", ty_error(read));
            compare_bits(ty_eval(w), before[0], "weights after a bad label");
            compare_bits(ty_eval(v), before[1], "a variable that a loop writes, after a bad label");
            compare_bits(ty_eval(u), before[2], "a variable that a call writes, after a bad label");
            ty_assign(label, ty_from(TY_I32, TY_SHAPE(3), good), NULL);
            CHECK(ty_run(p) || test_starving(), "after a refusal: %s", ty_program_error(p));
        }
        CHECK(test_starving() || (*told[0] && !strcmp(told[0], told[1])), "cpu: %s; far: %s", told[0],
              told[1]);
    }
}

static void refuses_at_once(void) {
    far_begin();
    int64_t index[] = {0, 9};
    ty_tensor *x = numbers(5), *at = ty_from(TY_I64, TY_SHAPE(2), index), *want = ty_take(x, at, 0);
    ty_use_engine("far:0");
    ty_tensor *got = ty_take(x, at, 0);
    CHECK(!ty_ok(got), "an index out of bounds is read");
    CHECK(test_starving() || !strcmp(ty_error(got), ty_error(want)), "%s; cpu: %s", ty_error(got),
          ty_error(want));
}

/* ---- failures ---- */

/* Compute on far:0 by operators and by a program. Poison, or NAN, on failure. */
static ty_tensor *work(ty_tensor *w, ty_program *p) {
    ty_tensor *x = ty_to(numbers(64), "far:0"), *y = ty_cumsum(ty_exp(x), 0, (ty_running){0}),
              *sum = ty_sum(y, TY_ALL);
    if (!ty_ok(sum)) return sum;
    if (isnan(ty_item(sum))) return ty_poison("far: item");
    if (!ty_run(p)) return ty_program_failure(p);
    ty_tensor *seen = ty_output(p, 0), *error = NULL;
    if (isnan(ty_item(ty_to(seen, "cpu")))) return ty_poison("far: item");
    return ty_sync("far:0", &error) ? ty_eval(w) : error;
}

/* Each entry point fails at each of its calls: there is an error, nothing leaks, and the host's data is as it was. */
static void entry_points_fail(void) {
    for (int call = 0; call < FAR_CALLS; call++)
        for (int64_t n = 1; n < test_some(60, 12, 2); n++) {
            struct test_round round = test_round();
            far_begin();
            ty_tensor *values = ty_ones(TY_F32, TY_SHAPE(4)), *w = ty_var(ty_add(values, ty_num(0)), "w");
            ty_tensor *loss = ty_sum(ty_square(w), TY_ALL);
            ty_update update = {w, ty_mul(w, ty_num(2))};
            far_fail(call, n);
            ty_program *p = test_program(ty_compile(
                1, &loss, (ty_compile_options){.engine = "far:0", .updates = &update, .nupdates = 1}));
            ty_tensor *got = *ty_program_error(p) ? ty_program_failure(p) : work(w, p);
            bool failed = !ty_ok(got), reached = far_calls(call) >= n;
            if (!test_starving()) {
                CHECK(failed == reached, "call %d of entry point %d %s: %s", (int)n, call,
                      failed ? "did not fail" : "failed without an error", ty_error(got));
                CHECK(!failed || strstr(ty_error(got), "far"), "call %d: %s", call, ty_error(got));
            }
            far_fail(call, 0);
            compare_bits(values, ty_ones(TY_F32, TY_SHAPE(4)), "the host's data");
            test_round_end(round);
            if (!reached) break;
        }
}

static void little_memory(void) {
    far_begin();
    far.memory = 10000;
    ty_tensor *x = ty_to(numbers(1000), "far:0");
    check_fault(ty_to(numbers(2000), "far:0"),
                "far:0: out of memory: 8000 bytes were asked for, 6000 are free, 4000 are held");
    check_fault(ty_concat(3, (ty_tensor *[]){x, x, x}, 0), "12000 bytes were asked for");
    CHECK_OK(ty_exp(x));
}

static void lost(void) {
    far_begin();
    ty_tensor *host = numbers(100), *x = ty_to(host, "far:0"), *w = ty_var(ty_add(host, ty_num(0)), "w");
    ty_tensor *y = ty_exp(x), *next = ty_mul(w, ty_num(2));
    ty_update update = {w, next};
    ty_program *p = compile_on("far:0", 1, &next, (ty_compile_options){.updates = &update, .nupdates = 1});
    far.lost = true;
    CHECK(isnan(ty_item(ty_sum(y, TY_ALL))) || test_starving(), "a lost device computes");
    check_fault(ty_to(ty_exp(host), "far:0"), "far:0: the device is lost");
    CHECK(!ty_run(p), "a program runs on a lost device");
    compare_bits(ty_eval(w), host, "the variable");
    compare_bits(x, host, "elements of the host");
    far.lost = false;
    CHECK_OK(ty_to(host, "far:1"));
}

static void dtypes_lacking(void) {
    far_begin();
    far.dtypes = UINT32_C(1) << TY_F64;
    ty_tensor *x = ty_cast(numbers(50), TY_F64);
    compare_bits(ty_exp(ty_to(x, "far:0")), ty_exp(x), "a dtype that the device lacks");
}

static void end_verifying(void *unused) {
    (void)unused;
    kernels_verify(false);
}

/* Kernels that a driver's compiler gets wrong are found when they are prepared. */
static void verifies(void) {
    far_begin();
    test_own(&far, end_verifying);
    kernels_verify(true);
    ty_tensor *x = ty_to(numbers(50), "far:0");
    compare_bits(ty_sum(ty_exp(x), TY_ALL), ty_sum(ty_exp(ty_to(x, "cpu")), TY_ALL), "verified");
    far.errs = true;
    check_fault(ty_sin(x), "far:0: a kernel of sin gives");
}

/* Promises on two devices are computed together. */
static void two_devices(void) {
    far_begin();
    ty_tensor *x = numbers(100), *y[2], *values[2];
    for (int e = 0; e < 2; e++) y[e] = ty_exp(ty_lazy(ty_to(x, e ? "far:1" : "far:0")));
    if (!ty_eval_all(2, y, values)) return;
    for (int e = 0; e < 2; e++) {
        CHECK(test_starving() || !strcmp(ty_on(values[e]), e ? "far:1" : "far:0"), "on %s", ty_on(values[e]));
        compare_bits(values[e], ty_exp(x), "device %d", e);
    }
    compare_bits(ty_add(ty_to(values[0], "far:1"), values[1]), ty_mul(ty_num(2), ty_exp(x)),
                 "from one to the other");
}

/* Parts of one program on several devices: copies lie between them. */
static void mixed(void) {
    far_begin();
    static const char *const engines[] = {"cpu", "far:0", "far:1"};
    ty_tensor *x = ty_var(numbers(200), "x");
    ty_tensor *a = ty_exp(ty_to(x, "far:1")),
              *b = ty_square(ty_cumsum(ty_to(a, "far:0"), 0, (ty_running){0}));
    ty_tensor *y = ty_add(ty_to(ty_sum(b, TY_ALL), "cpu"), ty_sqrt(ty_to(a, "cpu")));
    ty_tensor *e = ty_exp(x);
    ty_tensor *want = ty_add(ty_sum(ty_square(ty_cumsum(e, 0, (ty_running){0})), TY_ALL), ty_sqrt(e));
    for (int i = 0; i < 3; i++) {
        ty_program *p = compile_on(engines[i], 1, &y, (ty_compile_options){0});
        far_fail(FAR_LAUNCH, 0);
        bool ran = ty_run(p);
        CHECK(ran || test_starving(), "%s", ty_program_error(p));
        if (!ran) return;
        CHECK(far_calls(FAR_LAUNCH) >= 3 || test_starving(), "%d launches", (int)far_calls(FAR_LAUNCH));
        compare_bits(ty_output(p, 0), want, "parts of a program on %s", engines[i]);
    }
}

TESTS_MAIN(TEST(moves), TEST(refuses_two_places), TEST(views_share), TEST(many_operands), TEST(operators),
           TEST(expressions), TEST(programs), TEST(interleaved), TEST(stays), TEST(incremental),
           TEST(budgets), TEST(loops), TEST(trains), TEST(bad_labels), TEST(refuses_at_once),
           TEST(entry_points_fail), TEST(little_memory), TEST(lost), TEST(dtypes_lacking), TEST(verifies),
           TEST(two_devices), TEST(mixed))
