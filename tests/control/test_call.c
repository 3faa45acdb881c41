/*
 * ty_call: functions of the caller that run on values, in every way to compute them; order, derivatives, batches,
 * incremental runs, and functions that fail or compute themselves.
 */
#include <stdatomic.h>
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static const int64_t three[] = {3};
static const ty_form vector = {TY_F64, 1, three}, number = {TY_F64, 0, NULL};

static ty_tensor *numbers(void) { return ty_from(TY_F64, 1, three, (double[]){1, 2, 3}); }

/* Settings of a function of these tests, and its counts of calls. */
struct notes {
    atomic_int calls, released;
    double offset;
    int order[16];
};

/* y = x + offset, into the memory of the result. */
static void shift(void *context, ty_called *call) {
    struct notes *n = context;
    const double *x = ty_data(call->x[0]);
    double *y = call->data[0];
    for (int64_t i = 0; i < ty_size(call->x[0]); i++) y[i] = x[i] + n->offset;
    atomic_fetch_add(&n->calls, 1);
}

static ty_tensor *shifted(ty_callee callee, ty_tensor *x) {
    ty_tensor *y;
    ty_call(callee, 1, &x, 1, &vector, &y);
    return y;
}

/* ---- when it runs ---- */

static void values_and_promises(void) {
    struct notes n = {.offset = 1};
    ty_callee callee = {.f = shift, .context = &n};
    ty_tensor *x = numbers(), *want = ty_add(x, ty_num(1));
    compare_bits(shifted(callee, x), want, "values");
    compare_bits(ty_eval(shifted(callee, ty_lazy(x))), want, "a promise");
    ty_tensor *backwards = ty_flip(ty_lazy(x), 0);
    compare_bits(ty_eval(ty_flip(shifted(callee, backwards), 0)), want, "a negative stride");
    ty_tensor *sum = ty_sum(ty_mul(shifted(callee, ty_lazy(x)), ty_num(2)), TY_ALL);
    CHECK(test_starving() || ty_item(ty_eval(sum)) == 18, "fused around: %g", ty_item(ty_eval(sum)));
    CHECK(test_starving() || atomic_load(&n.calls) >= 4, "%d calls", atomic_load(&n.calls));
}

/* The result is a view of the operand: backwards, every second element, or one element repeated. */
static void answer_view(void *context, ty_called *call) {
    const int *kind = context;
    ty_tensor *x = call->x[0], *more = ty_concat(2, (ty_tensor *[]){x, x}, 0);
    call->y[0] = *kind == 0   ? ty_flip(x, 0)
                 : *kind == 1 ? ty_slice(more, 0, 0, 6, 2)
                              : ty_broadcast(ty_slice(x, 0, 1, 2, 1), 1, three);
}

static void results_that_are_views(void) {
    static const double want[][3] = {{3, 2, 1}, {1, 3, 2}, {2, 2, 2}};
    for (int kind = 0; kind < 3; kind++) {
        ty_callee callee = {.f = answer_view, .context = &kind};
        compare_numbers(shifted(callee, numbers()), 3, want[kind], "view %d", kind);
        compare_numbers(ty_eval(shifted(callee, ty_lazy(numbers()))), 3, want[kind], "view %d in a graph",
                        kind);
    }
}

/* Each run of a program calls again, since data that the function reads may have changed. */
static void each_run(void) {
    struct notes n = {.offset = 1};
    ty_tensor *v = ty_var(numbers(), "v"), *y = shifted((ty_callee){.f = shift, .context = &n}, v), *got;
    ty_program *program = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    for (int i = 0; i < 3; i++) {
        n.offset = 10 * i;
        if (!ty_run_outputs(program, 1, &got)) return;
        compare_bits(got, ty_add(numbers(), ty_num(10 * i)), "run %d", i);
    }
}

static void incremental(void) {
    struct notes n = {.offset = 1};
    ty_tensor *v = ty_var(numbers(), "v"), *y = shifted((ty_callee){.f = shift, .context = &n}, v), *got;
    ty_program *program = test_program(ty_compile(1, &y, (ty_compile_options){.incremental = true}));
    for (int i = 0; i < 3; i++) {
        n.offset = 10 * i;
        if (!ty_run_outputs(program, 1, &got)) return;
        compare_bits(got, ty_add(numbers(), ty_num(10 * i)), "run %d", i);
    }
}

/* ---- several results ---- */

/* Quotient and remainder by 2, and the number of elements as a tensor of its own. */
static void divide(void *context, ty_called *call) {
    (void)context;
    const double *x = ty_data(call->x[0]);
    for (int i = 0; i < 3; i++) {
        int64_t half = (int64_t)x[i] / 2;
        ((int64_t *)call->data[0])[i] = half;
        ((float *)call->data[1])[i] = (float)(x[i] - 2 * (double)half);
    }
    call->y[2] = ty_num(3);
    call->y[2] = ty_cast(call->y[2], TY_F64);
}

static void several_results(void) {
    ty_form forms[] = {{TY_I64, 1, three}, {TY_F32, 1, three}, number};
    ty_tensor *x = numbers(), *y[3];
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *operand = lazy ? ty_lazy(x) : x;
        if (!ty_call((ty_callee){.f = divide}, 1, &operand, 3, forms, y)) return;
        compare_bits(ty_eval(y[0]), ty_from(TY_I64, 1, three, (int64_t[]){0, 1, 1}), "quotients");
        compare_bits(ty_eval(y[1]), ty_from(TY_F32, 1, three, (float[]){1, 0, 1}), "remainders");
        compare_bits(ty_eval(y[2]), ty_cast(ty_num(3), TY_F64), "the count");
    }
}

/* ---- order ---- */

static atomic_int counted;
static void count(void *context, ty_called *call) {
    int *at = context;
    *at = 1 + atomic_fetch_add(&counted, 1);
    memcpy(call->data[0], ty_data(call->x[0]), 3 * sizeof(double));
}

/* Calls whose results are asked for in another order, and that other kernels would order otherwise. */
static void in_order(void) {
    int at[4] = {0};
    ty_tensor *x = ty_lazy(numbers()), *y[4], *last[4];
    for (int i = 0; i < 4; i++)
        y[i] = shifted((ty_callee){.f = count, .context = &at[i], .ordered = true},
                       ty_exp(ty_mul(x, ty_num(i))));
    for (int i = 0; i < 4; i++) last[i] = ty_sin(y[3 - i]);
    ty_program *program = test_program(ty_compile(4, last, (ty_compile_options){0}));
    for (int run = 0; run < 2; run++) {
        atomic_store(&counted, 0);
        ty_tensor *got[4];
        if (!ty_run_outputs(program, 4, got)) return;
        for (int i = 0; i < 4; i++) CHECK(at[i] == i + 1, "run %d: call %d was number %d", run, i, at[i]);
    }
}

static void equal_calls(void) {
    struct notes n = {0};
    for (int ordered = 0; ordered < 2; ordered++) {
        ty_callee callee = {.f = shift, .context = &n, .ordered = ordered};
        ty_tensor *x = ty_lazy(numbers()), *y = ty_add(shifted(callee, x), shifted(callee, x));
        atomic_store(&n.calls, 0);
        if (!ty_ok(ty_eval(y))) return;
        CHECK(atomic_load(&n.calls) == 1 + ordered, "%d calls, ordered %d", atomic_load(&n.calls), ordered);
    }
}

static void step(void *context, ty_step *s) {
    s->next[0] = shifted(*(const ty_callee *)context, s->carry[0]);
}

static void in_loops(void) {
    struct notes n = {.offset = 1};
    ty_callee callee = {.f = shift, .context = &n};
    ty_tensor *x = numbers(), *last;
    ty_scan_spec loop = {.ncarry = 1, .carry = &x, .length = 5};
    if (ty_scan(step, &callee, loop, &last, NULL, NULL))
        compare_bits(last, ty_add(x, ty_num(5)), "five steps");
    callee.ordered = true;
    ty_scan(step, &callee, loop, &last, NULL, NULL);
    CHECK_POISON(last, "cannot be inside a loop or branch");
}

/* ---- derivatives and batches ---- */

static void square(void *context, ty_called *call) {
    (void)context;
    const double *x = ty_data(call->x[0]);
    for (int64_t i = 0; i < ty_size(call->x[0]); i++) ((double *)call->data[0])[i] = x[i] * x[i];
}
static void square_vjp(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                       ty_tensor *const *g, ty_tensor **gradients) {
    (void)context, (void)n, (void)m, (void)y;
    gradients[0] = ty_mul(ty_mul(ty_num(2), x[0]), g[0]);
}
static void square_jvp(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                       ty_tensor *const *t, ty_tensor **tangents) {
    (void)context, (void)n, (void)m, (void)y;
    tangents[0] = ty_mul(ty_mul(ty_num(2), x[0]), t[0]);
}
static const ty_callee squares = {.f = square, .vjp = square_vjp, .jvp = square_jvp, .batched = true};

static void derivatives(void) {
    ty_tensor *want = ty_mul(numbers(), ty_num(2)), *ones = ty_ones(TY_F64, 1, three), *dx, *dy;
    ty_tensor *x = ty_lazy(numbers()), *y = shifted(squares, x), *leaf = ty_track(numbers(), "x");
    if (ty_grad(ty_sum(y, TY_ALL), 1, &x, &dx)) compare_bits(ty_eval(dx), want, "of promises");
    if (ty_grad(ty_sum(shifted(squares, leaf), TY_ALL), 1, &leaf, &dx))
        compare_bits(dx, want, "of tracked values");
    if (ty_jvp(1, &y, 1, &x, &ones, &dy)) compare_bits(ty_eval(dy), want, "the tangent");
    ty_callee bare = {.f = square};
    y = shifted(bare, x);
    CHECK(!ty_grad(ty_sum(y, TY_ALL), 1, &x, &dx), "a gradient without a rule");
    CHECK_POISON(dx, "has no vjp");
    CHECK(!ty_jvp(1, &y, 1, &x, &ones, &dy), "a tangent without a rule");
    CHECK_POISON(dy, "has no jvp");
}

static void examples(void *context, ty_tensor *const *x, ty_tensor **y) {
    y[0] = shifted(*(const ty_callee *)context, x[0]);
}
static void batches(void) {
    ty_tensor *x = ty_reshape(ty_arange(TY_F64, 0, 12, 1), 2, (int64_t[]){4, 3}), *y;
    for (int batched = 0; batched < 2; batched++) {
        ty_callee callee = squares;
        callee.batched = batched;
        if (!ty_vmap(examples, &callee, 1, &x, NULL, 1, &y, NULL)) return;
        compare_bits(ty_eval(y), ty_mul(x, x), "batched %d", batched);
    }
}

/* ---- functions that fail or compute themselves ---- */

static void fails(void *context, ty_called *call) {
    (void)context;
    call->y[0] = ty_poison_code(TY_ERROR_DOMAIN, "the sensor is off");
}
static void wrong_shape(void *context, ty_called *call) {
    (void)context;
    call->y[0] = ty_zeros(TY_F64, 1, (int64_t[]){4});
}
static void wrong_dtype(void *context, ty_called *call) {
    (void)context;
    call->y[0] = ty_zeros(TY_F32, 1, three);
}
static void computes(void *context, ty_called *call) {
    (void)context;
    call->y[0] = ty_mul(ty_lazy(call->x[0]), ty_num(3));
    ty_tensor *inner = shifted((ty_callee){.f = square}, call->x[0]);
    call->y[0] = ty_add(call->y[0], inner);
}
static ty_tensor *kept;
static void keeps(void *context, ty_called *call) {
    (void)context;
    kept = ty_retain(call->x[0]);
    call->y[0] = call->x[0];
    ty_open(); /* left open */
}

static void bad_functions(void) {
    ty_tensor *x = ty_lazy(numbers());
    ty_tensor *y = ty_eval(shifted((ty_callee){.f = fails}, x));
    CHECK_POISON(y, "the sensor is off");
    CHECK(test_starving() || ty_error_code(y) == TY_ERROR_DOMAIN, "code %d", (int)ty_error_code(y));
    CHECK_POISON(ty_eval(shifted((ty_callee){.f = wrong_shape}, x)), "result 0 is f64[4]; expected f64[3]");
    CHECK_POISON(ty_eval(shifted((ty_callee){.f = wrong_dtype}, x)), "result 0 is f32[3]; expected f64[3]");
    y = ty_eval(shifted((ty_callee){.f = computes}, x));
    compare_bits(y, ty_from(TY_F64, 1, three, (double[]){4, 10, 18}), "a function that computes");
    y = ty_eval(shifted((ty_callee){.f = keeps}, x));
    if (kept) compare_bits(kept, numbers(), "a kept operand");
    if (kept) ty_release(kept);
    kept = NULL;
    compare_bits(y, numbers(), "the identity");
}

/* A failing run changes no variable. */
static void updates(void) {
    ty_tensor *v = ty_var(numbers(), "v"), *y = shifted((ty_callee){.f = fails}, v), *got;
    ty_update update = {v, ty_add(v, ty_num(1))};
    ty_program *program =
        test_program(ty_compile(1, &y, (ty_compile_options){.nupdates = 1, .updates = &update}));
    CHECK(!ty_run_outputs(program, 1, &got), "the run succeeded");
    CHECK_POISON(got, "the sensor is off");
    compare_bits(ty_eval(v), numbers(), "the variable");
}

/* Run another program, whose failure is that of the call. */
static void runs_another(void *context, ty_called *call) {
    ty_program *other = context;
    if (!ty_run(other)) call->y[0] = ty_program_failure(other);
    memcpy(call->data[0], ty_data(call->x[0]), 3 * sizeof(double));
}

/* Programs inside a run that updates a variable: one that updates the same variable, or reads it while it may be written
   in place, must not wait for the run around it. */
static void runs_inside(void) {
    for (int way = 0; way < 3; way++) {
        ty_tensor *v = ty_var(numbers(), "v"), *w = ty_var(numbers(), "w"), *got;
        ty_update update = {v, ty_add(v, ty_num(1))};
        ty_tensor *read = ty_mul(way == 2 ? w : v, ty_num(2));
        ty_program *other = test_program(
            ty_compile(1, &read, (ty_compile_options){.nupdates = way == 0, .updates = &update}));
        ty_tensor *y = shifted((ty_callee){.f = runs_another, .context = other}, w);
        ty_program *outer =
            test_program(ty_compile(1, &y, (ty_compile_options){.nupdates = 1, .updates = &update}));
        if (!ty_run(other)) return; /* the value of v is its own afterwards: updates are in place */
        bool done = ty_run_outputs(outer, 1, &got);
        if (way == 2) {
            CHECK(done || test_starving(), "%s", ty_program_error(outer));
        } else if (!done) {
            CHECK_POISON(got, "inside a run that updates variables, a thread does not wait");
        }
        CHECK(done || way < 2 || test_starving(), "way %d failed", way);
        CHECK(!done || way > 0, "the variable was updated inside its update");
    }
}

static void released(void *context) { atomic_fetch_add(&((struct notes *)context)->released, 1); }

static void contexts_end(void) {
    struct notes n = {.offset = 1};
    ty_callee callee = {.f = shift, .context = &n, .release = released};
    ty_scope *scope = ty_open();
    ty_tensor *y = shifted(callee, ty_lazy(numbers()));
    ty_eval(y);
    CHECK(!ty_ok(y) || atomic_load(&n.released) == 0, "released while it is used");
    ty_close(scope);
    CHECK(atomic_load(&n.released) == 1, "released %d times", atomic_load(&n.released));
    callee.f = NULL;
    CHECK_POISON(shifted(callee, numbers()), "the function is NULL");
    CHECK(atomic_load(&n.released) == 2, "released %d times", atomic_load(&n.released));
}

static void bad_arguments(void) {
    ty_tensor *x = numbers(), *y[2];
    ty_callee callee = {.f = square};
    ty_call(callee, 1, &x, 0, &vector, y);
    CHECK(!ty_call(callee, 1, &x, 1, NULL, y), "no forms");
    CHECK_POISON(y[0], "the array of forms is NULL");
    CHECK(!ty_call(callee, 1, &x, 1, &(ty_form){TY_F64, 1, (int64_t[]){-1}}, y), "a negative size");
    CHECK_POISON(y[0], "-1");
    CHECK(!ty_call(callee, 1, &x, 1, &(ty_form){(ty_dtype)99, 0, NULL}, y), "no dtype");
    CHECK_POISON(y[0], "99");
    CHECK(!ty_call(callee, 1, NULL, 1, &vector, y), "no operands");
    CHECK_POISON(y[0], "NULL");
    CHECK(!ty_call(callee, 1, &x, 1, &vector, NULL), "no results");
    ty_tensor *empty = ty_zeros(TY_F64, 1, (int64_t[]){0});
    ty_form none = {TY_F64, 1, (int64_t[]){0}};
    if (ty_call(callee, 1, &empty, 1, &none, y)) CHECK(ty_size(y[0]) == 0, "an empty result");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/control/call.def"
    TEST(results_that_are_views),
    TEST(each_run),
    TEST(incremental),
    TEST(in_order),
    TEST(equal_calls),
    TEST(in_loops),
    TEST(derivatives),
    TEST(batches),
    TEST(bad_functions),
    TEST(updates),
    TEST(runs_inside),
    TEST(contexts_end),
    TEST(bad_arguments)};
TESTS_MAIN_TABLE(cases)
