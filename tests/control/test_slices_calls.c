/* Functions of slices that fail, are stopped, or compute themselves; on threads; in programs, loops, batches; their
   derivatives; bad arguments. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { MANY = 1000 };
static const ty_form number = {TY_F64, 0, NULL};

static ty_tensor *many(void) { return ty_arange(TY_F64, 0, MANY, 1); }

/* y = 10 x */
static bool tens(void *context, ty_visit *v) {
    if (context) atomic_fetch_add((atomic_int *)context, 1);
    *(double *)v->y = 10 * *(const double *)v->x[0];
    return true;
}
static ty_tensor *mapped(ty_tensor *x, ty_slicing s) { return ty_map_slices(1, &x, number, s); }

/* ---- failures ---- */

/* Fail at every seventh slice from `context` on, in one of three ways. */
struct failing {
    int64_t from;
    int way;
};
static bool fails(void *context, ty_visit *v) {
    const struct failing *f = context;
    if (v->i < f->from || v->i % 7) return true;
    if (f->way > 0) v->error = ty_poison_code(TY_ERROR_DOMAIN, "sensor %d is off", (int)v->i);
    if (f->way > 1) v->error = ty_num(1);
    return f->way != 0;
}

static void failures(void) {
    ty_tensor *x = many(), *start = ty_num(0);
    ty_set_threads(4);
    for (int threads = 0; threads < 2; threads++)
        for (int64_t from = 1; from < MANY; from += test_some(90, 300, 400)) {
            struct failing f = {from, 1};
            char words[64];
            snprintf(words, sizeof words, "map_slices: slice %d: sensor %d is off", (int)((from + 6) / 7 * 7),
                     (int)((from + 6) / 7 * 7));
            ty_slicing s = {.f = fails, .context = &f, .threads = threads};
            ty_tensor *y = mapped(x, s);
            CHECK_POISON(y, words);
            CHECK(test_starving() || ty_error_code(y) == TY_ERROR_DOMAIN, "code %d", (int)ty_error_code(y));
            CHECK_POISON(ty_eval(mapped(ty_lazy(x), s)), words);
            CHECK_POISON(ty_filter_slices(x, s), "filter_slices: slice");
        }
    struct failing f = {8, 0};
    ty_slicing s = {.f = fails, .context = &f};
    CHECK_POISON(ty_fold_slices(start, 1, &x, s), "fold_slices: slice 14: the function failed");
    CHECK_POISON(ty_scan_slices(start, 1, &x, s), "scan_slices: slice 14: the function failed");
    CHECK_POISON(ty_each_slice(1, &x, s), "each_slice: slice 14: the function failed");
    f.way = 2;
    CHECK_POISON(mapped(x, s),
                 "map_slices: slice 14: the function set `error` to a tensor that is not poisoned");
}

/* A failing run changes no variable. */
static void updates(void) {
    struct failing f = {8, 1};
    ty_tensor *v = ty_var(many(), "v"), *y = mapped(v, (ty_slicing){.f = fails, .context = &f}), *got;
    ty_update update = {v, ty_add(v, ty_num(1))};
    ty_program *program =
        test_program(ty_compile(1, &y, (ty_compile_options){.nupdates = 1, .updates = &update}));
    CHECK(!ty_run_outputs(program, 1, &got), "the run succeeded");
    CHECK_POISON(got, "sensor 14 is off");
    compare_bits(ty_eval(v), many(), "the variable");
}

/* ---- requests to stop, limits, watchers ---- */

static bool interrupts(void *context, ty_visit *v) {
    atomic_fetch_add((atomic_int *)context, 1);
    if (v->i == 3) ty_interrupt(NULL);
    if (v->y) *(double *)v->y = 0;
    return true;
}

static void stops(void) {
    ty_tensor *x = ty_broadcast(ty_cast(ty_num(1), TY_F64), 1, (int64_t[]){1000000});
    for (int way = 0; way < 4; way++) {
        atomic_int calls = 0;
        ty_set_threads(way & 1 ? 3 : 1);
        ty_slicing s = {.f = interrupts, .context = &calls, .threads = way & 1};
        ty_tensor *y = way & 2 ? ty_eval(mapped(ty_lazy(x), s)) : mapped(x, s);
        ty_resume(NULL);
        CHECK_POISON(y, "interrupted");
        CHECK(atomic_load(&calls) < 1000000, "%d calls", atomic_load(&calls));
        y = mapped(x, (ty_slicing){.f = tens});
        CHECK(!ty_ok(y) || ty_size(y) == 1000000, "after the stop");
    }
}

static bool nan_at_five(void *context, ty_visit *v) {
    (void)context;
    *(double *)v->y = v->i == 5 ? (double)NAN : 1;
    return true;
}

static void watched(void) {
    ty_context *own = ty_context_new((ty_context_options){0}), *before = ty_context_use(own);
    ty_limits(own, 10, 0);
    ty_tensor *y = mapped(many(), (ty_slicing){.f = tens});
    ty_context_use(before);
    ty_context_free(own);
    CHECK_POISON(y, "");
    bool was = ty_trap_nan(true);
    y = mapped(many(), (ty_slicing){.f = nan_at_five});
    ty_trap_nan(was);
    CHECK_POISON(y, "call");
    ty_profile_start();
    y = mapped(many(), (ty_slicing){.f = tens});
    ty_profile *profile = ty_profile_stop();
    CHECK(!ty_ok(y) || ty_profile_count(profile) > 0 || test_starving(), "an empty profile");
    ty_profile_free(profile);
}

/* ---- functions that compute ---- */

/* y = the sum of a row by the library, and leaves a scope open. */
static bool library_sum(void *context, ty_visit *v) {
    (void)context;
    ty_open();
    ty_tensor *row = ty_from(TY_F64, 1, v->size, (const double *)v->x[0]);
    ty_tensor *sum = ty_eval(ty_sum(ty_mul(ty_lazy(row), ty_num(2)), TY_ALL));
    if (!ty_ok(sum)) v->error = sum;
    *(double *)v->y = ty_item(sum);
    return true;
}
/* y = the sum of ten times a row, by functions of elements. */
static bool nested(void *context, ty_visit *v) {
    ty_tensor *row = ty_from(TY_F64, 1, v->size, (const double *)v->x[0]);
    ty_tensor *sum = ty_sum(mapped(row, (ty_slicing){.f = tens, .threads = true}), TY_ALL);
    (void)context;
    if (!ty_ok(sum)) v->error = sum;
    *(double *)v->y = ty_item(sum);
    return true;
}
static bool closes(void *context, ty_visit *v) {
    (void)v;
    ty_close(context);
    return true;
}
static bool runs(void *context, ty_visit *v) {
    ty_program *program = *(ty_program **)context;
    ty_tensor *y;
    if (!ty_run_outputs(program, 1, &y)) v->error = y;
    return true;
}

static void compute(void) {
    ty_tensor *rows = ty_reshape(many(), 2, (int64_t[]){50, 20}), *sums = ty_sum(rows, ty_axis(1));
    for (int way = 0; way < 4; way++) {
        ty_set_threads(way & 1 ? 3 : 1);
        ty_tensor *x = way & 2 ? ty_lazy(rows) : rows;
        ty_slicing s = {.f = library_sum, .axes = ty_axis(1), .threads = way & 1};
        compare_bits(ty_eval(mapped(x, s)), ty_mul(sums, ty_num(2)), "the library, way %d", way);
        s.f = nested;
        compare_bits(ty_eval(mapped(x, s)), ty_mul(sums, ty_num(10)), "nested, way %d", way);
    }
    ty_scope *scope = ty_open();
    ty_tensor *y = mapped(many(), (ty_slicing){.f = closes, .context = scope});
    CHECK_POISON(y, "map_slices: the function closed a scope that it had not opened");
    ty_close(scope);
}

/* A function that runs the program in which it runs, on this and on other threads. */
static void runs_itself(void) {
    for (int threads = 0; threads < 2; threads++) {
        ty_program *program = NULL;
        ty_set_threads(3);
        ty_tensor *v = ty_var(many(), "v");
        ty_tensor *y = mapped(v, (ty_slicing){.f = runs, .context = &program, .threads = threads});
        program = test_program(ty_compile(1, &y, (ty_compile_options){0}));
        CHECK(!ty_run_outputs(program, 1, &y), "it ran inside itself");
        CHECK_POISON(y, "running the program already");
    }
}

/* Functions of a worker compute on the engine of the thread that called. */
static bool name_engine(void *context, ty_visit *v) {
    (void)context;
    *(double *)v->y = strcmp(ty_engine_name(), "ref") == 0;
    return true;
}

/* A pool that runs its parts from the last one to the first, on the calling thread. */
static int four(void *pool) {
    (void)pool;
    return 4;
}
static bool backwards(void *pool, int parts, void (*part)(void *data, int i), void *data) {
    ++*(int *)pool;
    for (int i = parts; i-- > 0;) part(data, i);
    return true;
}

static void threads(void) {
    ty_set_threads(4);
    ty_use_engine("ref");
    ty_tensor *all = ty_all(mapped(many(), (ty_slicing){.f = name_engine, .threads = true}), TY_ALL);
    ty_use_engine("cpu");
    CHECK(!ty_ok(all) || ty_item(all) == 1, "some slices had another engine");
    int jobs = 0;
    struct failing f = {400, 1};
    ty_context *own = ty_context_new((ty_context_options){0}), *before = ty_context_use(own);
    ty_context_set_pool(own, &(ty_thread_pool){&jobs, four, backwards}, NULL);
    ty_tensor *well = mapped(many(), (ty_slicing){.f = tens, .threads = true});
    ty_tensor *bad = mapped(many(), (ty_slicing){.f = fails, .context = &f, .threads = true});
    ty_context_set_pool(own, NULL, NULL);
    ty_context_use(before);
    ty_context_free(own);
    CHECK(jobs > 0 || test_starving(), "the pool ran nothing");
    compare_bits(well, ty_mul(many(), ty_num(10)), "on a pool");
    CHECK_POISON(bad, "map_slices: slice 406: sensor 406 is off");
}

/* ---- programs, loops, batches ---- */

static void programs(void) {
    atomic_int calls = 0;
    ty_slicing s = {.f = tens, .context = &calls};
    ty_tensor *v = ty_var(many(), "v"), *got, *y = ty_add(mapped(v, s), mapped(v, s));
    for (int ordered = 0; ordered < 2; ordered++) {
        ty_program *program =
            test_program(ty_compile(1, &y, (ty_compile_options){.incremental = ordered == 0}));
        for (int run = 0; run < 2; run++) {
            atomic_store(&calls, 0);
            if (!ty_run_outputs(program, 1, &got)) return;
            compare_bits(got, ty_mul(many(), ty_num(20)), "run %d", run);
            CHECK(atomic_load(&calls) == (1 + ordered) * MANY, "%d calls", atomic_load(&calls));
        }
        s.ordered = true;
        y = ty_add(mapped(v, s), mapped(v, s));
    }
}

static void step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = mapped(s->carry[0], (ty_slicing){.f = tens, .threads = true});
}
static void example(void *context, ty_tensor *const *x, ty_tensor **y) {
    ty_slicing s = {.f = nested, .axes = ty_axis(0)};
    (void)context;
    y[0] = ty_map_slices(1, x, number, s);
}
static void filtering(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_sum(ty_filter_slices(s->carry[0], (ty_slicing){.f = tens}), TY_ALL);
}

static void loops_and_batches(void) {
    ty_tensor *x = many(), *last, *y, *rows = ty_reshape(many(), 2, (int64_t[]){50, 20});
    ty_set_threads(2);
    ty_scan_spec loop = {.ncarry = 1, .carry = &x, .length = 3};
    if (ty_scan(step, NULL, loop, &last, NULL, NULL))
        compare_bits(last, ty_mul(x, ty_num(1000)), "three steps");
    ty_scan(filtering, NULL, loop, &last, NULL, NULL);
    CHECK_POISON(last, "");
    if (ty_vmap(example, NULL, 1, &rows, NULL, 1, &y, NULL))
        compare_bits(ty_eval(y), ty_mul(ty_sum(rows, ty_axis(1)), ty_num(10)), "a batch");
}

/* ---- derivatives ---- */

static void tens_vjp(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                     ty_tensor *const *g, ty_tensor **gradients) {
    (void)context, (void)n, (void)x, (void)m, (void)y;
    gradients[0] = ty_mul(g[0], ty_num(10));
}
static void tens_jvp(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                     ty_tensor *const *t, ty_tensor **tangents) {
    (void)context, (void)n, (void)x, (void)m, (void)y;
    tangents[0] = ty_mul(t[0], ty_num(10));
}

/* y = y + x, and its gradients by x and by the start. */
static bool adds(void *context, ty_visit *v) {
    (void)context;
    *(double *)v->y += *(const double *)v->x[0];
    return true;
}
static void adds_vjp(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                     ty_tensor *const *g, ty_tensor **gradients) {
    (void)context, (void)m, (void)y;
    gradients[0] = ty_broadcast(g[0], 1, ty_shape(x[0]));
    if (n == 2) gradients[1] = g[0];
}

static void derivatives(void) {
    ty_slicing s = {.f = tens, .vjp = tens_vjp, .jvp = tens_jvp};
    ty_tensor *x = ty_lazy(many()), *leaf = ty_track(many(), "x"), *dx, *dy, *y = mapped(x, s);
    ty_tensor *ones = ty_ones(TY_F64, 1, (int64_t[]){MANY}), *want = ty_mul(ones, ty_num(10));
    if (ty_grad(ty_sum(y, TY_ALL), 1, &x, &dx)) compare_bits(ty_eval(dx), want, "of promises");
    if (ty_grad(ty_sum(mapped(leaf, s), TY_ALL), 1, &leaf, &dx)) compare_bits(dx, want, "of tracked values");
    if (ty_jvp(1, &y, 1, &x, &ones, &dy)) compare_bits(ty_eval(dy), want, "the tangent");
    ty_tensor *zero = ty_lazy(ty_cast(ty_num(0), TY_F64)), *from[] = {x, zero}, *both[2];
    y = ty_fold_slices(zero, 1, &x, (ty_slicing){.f = adds, .vjp = adds_vjp});
    if (ty_grad(ty_mul(y, ty_num(3)), 2, from, both)) {
        compare_bits(ty_eval(both[0]), ty_mul(ones, ty_num(3)), "of a fold, by x");
        compare_bits(ty_eval(both[1]), ty_cast(ty_num(3), TY_F64), "of a fold, by its start");
    }
    y = mapped(x, (ty_slicing){.f = tens});
    CHECK(!ty_grad(ty_sum(y, TY_ALL), 1, &x, &dx), "a gradient without a rule");
    CHECK_POISON(dx, "map_slices: the function has no vjp");
    CHECK(!ty_jvp(1, &y, 1, &x, &ones, &dy), "a tangent without a rule");
    CHECK_POISON(dy, "map_slices: the function has no jvp");
}

/* ---- arguments and contexts ---- */

static atomic_int released;
static void release(void *context) {
    (void)context;
    atomic_fetch_add(&released, 1);
}

static void bad_arguments(void) {
    ty_slicing s = {.f = tens, .release = release};
    ty_tensor *x = ty_reshape(many(), 2, (int64_t[]){50, 20});
    atomic_store(&released, 0);
    CHECK_POISON(mapped(NULL, s), "map_slices: the tensor is NULL");
    CHECK_POISON(ty_map_slices(0, &x, number, s), "the number of operands is 0; expected 1 or more");
    CHECK_POISON(ty_map_slices(-1, &x, number, s), "-1");
    CHECK_POISON(ty_map_slices(2, NULL, number, s), "NULL");
    CHECK_POISON(ty_fold_slices(NULL, 1, &x, s), "NULL");
    CHECK_POISON(ty_map_slices(1, &x, (ty_form){TY_F64, 64, NULL}, s), "map_slices");
    CHECK_POISON(ty_map_slices(1, &x, (ty_form){TY_F64, 1, (int64_t[]){-1}}, s), "-1");
    CHECK_POISON(ty_map_slices(1, &x, (ty_form){(ty_dtype)99, 0, NULL}, s), "99");
    CHECK_POISON(ty_map_slices(1, &x, (ty_form){TY_F64, 1, (int64_t[]){INT64_MAX / 8}}, s),
                 "exceeds the address space");
    int64_t ones[64];
    for (int i = 0; i < 64; i++) ones[i] = 1;
    CHECK_POISON(ty_map_slices(1, &x, (ty_form){TY_F64, 64, ones}, s),
                 "map_slices: a result of 66 axes is out of range");
    s.axes = ty_axis(7);
    CHECK_POISON(mapped(x, s), "axis 7 is out of bounds");
    s.axes = ty_axes_of(1, (int[]){1}, true);
    CHECK_POISON(mapped(x, s), "`keep` of the axes of slices is true");
    s.axes = ty_axis(0);
    s.unused[2] = true;
    CHECK_POISON(mapped(x, s), "map_slices");
    s.unused[2] = false;
    s.f = NULL;
    CHECK_POISON(ty_filter_slices(x, s), "the function is NULL");
    CHECK(atomic_load(&released) == 14, "released %d times", atomic_load(&released));
}

static void contexts_end(void) {
    ty_slicing s = {.f = tens, .release = release};
    atomic_store(&released, 0);
    mapped(many(), s);
    CHECK(atomic_load(&released) == 1, "released %d times", atomic_load(&released));
    ty_scope *scope = ty_open();
    ty_tensor *y = mapped(ty_lazy(many()), s);
    ty_eval(y);
    CHECK(!ty_ok(y) || atomic_load(&released) == 1, "released while it is used");
    ty_close(scope);
    CHECK(atomic_load(&released) == 2, "released %d times", atomic_load(&released));
}

TESTS_MAIN(TEST(failures), TEST(updates), TEST(stops), TEST(watched), TEST(compute), TEST(runs_itself),
           TEST(threads), TEST(programs), TEST(loops_and_batches), TEST(derivatives), TEST(bad_arguments),
           TEST(contexts_end))
