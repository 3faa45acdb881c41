/* Functions for progress that run programs which this thread, or another one in its own function, runs already. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/data.h>
#include <tyto/hooks.h>
#include <tyto/tyto.h>
#include "array/progress.h"
#include "tests/support/harness.h"

enum { SIZE = 64, WAIT_MOST = 60 /* seconds */ };

/* A way to run something: `run` runs number `which` of two things on x, and returns its result; poison if it is
   refused. */
struct way {
    const char *name;
    ty_tensor *(*run)(int which, ty_tensor *x);
    bool refuses; /* a thing that is running is refused; others are computed in another way */
};

/* One thread, which runs thing `own` and, in its function for progress, thing `other`. */
struct side {
    const struct way *way;
    int own, other;
    pthread_barrier_t *meet; /* NULL: it is alone */
    bool called;
    double outer, inner; /* sums of the results; -1: refused, -2: refused without a code or words */
    double after;        /* of thing `other`, once nothing runs */
};

static ty_tensor *argument(int which) { return ty_full(TY_F64, TY_SHAPE(SIZE), which + 1); }

/* Return the sum of the result of thing `which`, or why there is none. */
static double sum_of(const struct way *way, int which) {
    ty_scope *scope = ty_open();
    ty_tensor *y = way->run(which, argument(which));
    bool told = ty_error_code(y) == TY_ERROR_STATE && strstr(ty_error(y), "run");
    double sum = ty_ok(y) ? ty_item(ty_sum(y, TY_ALL)) : told ? -1 : -2;
    ty_close(scope);
    return sum;
}

static bool inside(void *data, const ty_progress_state *now) {
    struct side *s = data;
    (void)now;
    if (s->called) return true;
    s->called = true;
    if (s->meet) pthread_barrier_wait(s->meet); /* both threads are in their functions */
    s->inner = sum_of(s->way, s->other);
    if (s->meet) pthread_barrier_wait(s->meet);
    return true;
}

/* Run the side's own thing so that its first kernel reports. */
static void *take_side(void *data) {
    struct side *s = data;
    struct timespec longer = {0, 120000000}; /* than the time between reports */
    struct progress outer;
    ty_context *context = ty_context_new((ty_context_options){0});
    ty_context_use(context);
    ty_context_set_progress(context, inside, s);
    progress_begin(&outer, "test", 0);
    nanosleep(&longer, NULL);
    s->outer = sum_of(s->way, s->own);
    progress_end(&outer);
    ty_context_use(NULL);
    ty_context_free(context);
    return NULL;
}

static void join(pthread_t thread) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_MOST;
    if (!pthread_timedjoin_np(thread, NULL, &until)) return;
    fputs("two threads wait for each other\n", stderr);
    _Exit(1);
}

/* ---- ways ---- */

static ty_tensor *formula(int which, ty_tensor *x) {
    return which ? ty_add(ty_sin(x), ty_num(1)) : ty_mul(ty_exp(x), ty_num(3));
}
static double expected(int which) { return ty_item(ty_sum(formula(which, argument(which)), TY_ALL)); }

static struct {
    ty_program *program;
    ty_function *function;
    ty_einsum_plan *plan;
} things[2];

static ty_tensor *by_run(int which, ty_tensor *x) {
    (void)x;
    ty_program *p = things[which].program;
    if (ty_run(p)) return ty_output(p, 0);
    ty_tensor *failure = ty_program_failure(p);
    return failure && !strcmp(ty_error(failure), ty_program_error(p)) ? failure : ty_poison("no sentence");
}
static ty_tensor *by_run_outputs(int which, ty_tensor *x) {
    (void)x;
    ty_tensor *y = NULL;
    ty_run_outputs(things[which].program, 1, &y);
    return y;
}
static ty_tensor *by_eval(int which, ty_tensor *x) { return ty_eval(formula(which, ty_lazy(x))); }
static ty_tensor *by_function(int which, ty_tensor *x) {
    ty_tensor *y = NULL;
    ty_function_call(things[which].function, 1, &x, 1, &y);
    return y;
}
/* The outer product with two ones, halved: it has the same sum. */
static ty_tensor *by_plan(int which, ty_tensor *x) {
    ty_tensor *y = formula(which, x), *operands[] = {y, ty_ones(TY_F64, TY_SHAPE(2))};
    return ty_mul(ty_einsum_plan_run(things[which].plan, 2, operands), ty_num(0.5));
}
static const struct way ways[] = {{"ty_run", by_run, true},
                                  {"ty_run_outputs", by_run_outputs, true},
                                  {"ty_eval", by_eval, false},
                                  {"ty_function_call", by_function, false},
                                  {"ty_einsum_plan_run", by_plan, false}};
enum { WAYS = sizeof ways / sizeof *ways };

static void body(void *context, ty_tensor *const *x, ty_tensor **results) {
    results[0] = formula(context == &things[1], x[0]);
}

static void make_things(void) {
    for (int i = 0; i < 2; i++) {
        ty_tensor *x = ty_var(argument(i), "x"), *y = formula(i, x);
        things[i].program = test_program(ty_compile(1, &y, (ty_compile_options){0}));
        things[i].function = ty_function_new(body, &things[i], 1, 1, (ty_compile_options){0});
        ty_einsum_operand operands[] = {{.rank = 1, .shape = (int64_t[]){SIZE}},
                                        {.rank = 1, .shape = (int64_t[]){2}}};
        things[i].plan =
            ty_einsum_plan_new(i ? "i,j->ij" : "i,j->ji", TY_F64, 2, operands, (ty_einsum_options){0});
    }
    for (int w = 0; w < WAYS; w++) /* programs are in the caches */
        for (int i = 0; i < 2; i++) sum_of(&ways[w], i), sum_of(&ways[w], i);
}
static void free_things(void) {
    for (int i = 0; i < 2; i++) {
        ty_function_free(things[i].function);
        ty_einsum_plan_free(things[i].plan);
    }
}

/* Check the results of a side. */
static void check_side(const struct side *s) {
    double tolerance = 1e-9, inner = s->way->refuses ? -1 : expected(s->other);
    CHECK(s->called, "%s: nothing was reported", s->way->name);
    CHECK(fabs(s->outer - expected(s->own)) < tolerance, "%s: %.17g, expected %.17g", s->way->name, s->outer,
          expected(s->own));
    CHECK(fabs(s->inner - inner) < tolerance, "%s in the function: %.17g, expected %.17g", s->way->name,
          s->inner, inner);
}

/* ---- tests ---- */

/* Each of two threads runs, in its function, what the other runs. */
static void each_other(void) {
    if (test_starving()) return;
    struct side sides[WAYS][2];
    make_things();
    for (int w = 0; w < WAYS; w++) {
        pthread_barrier_t meet;
        pthread_t threads[2];
        pthread_barrier_init(&meet, NULL, 2);
        for (int i = 0; i < 2; i++) {
            sides[w][i] = (struct side){.way = &ways[w], .own = i, .other = !i, .meet = &meet};
            CHECK(!pthread_create(&threads[i], NULL, take_side, &sides[w][i]), "no thread");
        }
        for (int i = 0; i < 2; i++) join(threads[i]);
        pthread_barrier_destroy(&meet);
    }
    free_things();
    for (int w = 0; w < WAYS; w++) check_side(&sides[w][0]), check_side(&sides[w][1]);
}

/* A thread runs, in its function, what it runs already. */
static void itself(void) {
    if (test_starving()) return;
    struct side sides[WAYS];
    make_things();
    for (int w = 0; w < WAYS; w++) {
        sides[w] = (struct side){.way = &ways[w]};
        take_side(&sides[w]);
    }
    for (int w = 0; w < WAYS; w++) {
        double again = sum_of(&ways[w], 0);
        CHECK(fabs(again - expected(0)) < 1e-9, "%s afterwards: %.17g", ways[w].name, again);
    }
    free_things();
    for (int w = 0; w < WAYS; w++) check_side(&sides[w]);
}

/* Other functions on programs that are running. */
static ty_tensor *by_memory(int which, ty_tensor *x) {
    ty_tensor *error = NULL;
    static _Alignas(64) char memory[2][1 << 16];
    return ty_program_memory(things[which].program, memory[which], sizeof memory[which], &error) ? x : error;
}
static ty_tensor *run_or_lend(int which, ty_tensor *x) {
    static _Thread_local bool inner;
    ty_tensor *y;
    if (inner) return by_memory(which, x);
    inner = true;
    y = by_run_outputs(which, x);
    inner = false;
    return y;
}
static const struct way lending = {"ty_program_memory", run_or_lend, true};

static ty_tensor *run_or_read(int which, ty_tensor *x) {
    static _Thread_local bool inner;
    ty_tensor *y;
    (void)x;
    if (inner) return ty_output(things[which].program, 0);
    inner = true;
    y = by_run_outputs(which, x);
    inner = false;
    return y;
}
static const struct way reading = {"ty_output", run_or_read, true};

static void memory_and_outputs(void) {
    if (test_starving()) return;
    struct side alone = {.way = &lending}, reads = {.way = &reading}, sides[2];
    pthread_barrier_t meet;
    pthread_t threads[2];
    make_things();
    pthread_barrier_init(&meet, NULL, 2);
    for (int i = 0; i < 2; i++) {
        sides[i] = (struct side){.way = &lending, .own = i, .other = !i, .meet = &meet};
        CHECK(!pthread_create(&threads[i], NULL, take_side, &sides[i]), "no thread");
    }
    for (int i = 0; i < 2; i++) join(threads[i]);
    pthread_barrier_destroy(&meet);
    CHECK(!pthread_create(&threads[0], NULL, take_side, &alone), "no thread");
    join(threads[0]);
    take_side(&reads);
    free_things();
    check_side(&sides[0]), check_side(&sides[1]), check_side(&alone), check_side(&reads);
}

/* The function for progress asks the loader that makes a batch for this thread. */
static ty_loader *loader;
static bool slow_example(void *context, int64_t index, ty_tensor **fields) {
    struct timespec pause = {0, 20000000};
    (void)context;
    nanosleep(&pause, NULL);
    fields[0] = ty_scalar(TY_F64, (double)index);
    return true;
}
static bool ask_loader(void *data, const ty_progress_state *now) {
    int *refused = data;
    ty_tensor *batch = NULL, *error = NULL;
    if (now->ended) return true;
    *refused += !ty_loader_next(loader, 1, &batch) && ty_error_code(batch) == TY_ERROR_STATE &&
                !ty_loader_seek(loader, (ty_data_place){0}, &error) && ty_error_code(error) == TY_ERROR_STATE;
    return true;
}
static void loads(void) {
    if (test_starving()) return;
    ty_field field = {.name = "x", .dtype = TY_F64};
    ty_dataset *set =
        ty_dataset_source((ty_data_source){.size = 40, .nfields = 1, .fields = &field, .get = slow_example});
    for (int threads = -1; threads < 2; threads += 2) {
        int refused = 0;
        ty_tensor *batch = NULL;
        loader = ty_loader_new(set, (ty_loader_options){.batch = 10, .threads = threads});
        ty_context_set_progress(NULL, ask_loader, &refused);
        bool more = true;
        double sum = 0;
        for (int i = 0; i < 4 && more; i++)
            if ((more = ty_loader_next(loader, 1, &batch))) sum += ty_item(ty_sum(batch, TY_ALL));
        ty_context_set_progress(NULL, NULL, NULL);
        ty_loader_free(loader);
        if (!more || sum != 780 || !refused) ty_dataset_free(set);
        CHECK(more && sum == 780, "%s: %g", ty_error(batch), sum);
        CHECK(refused, "no call was refused, %d threads", threads);
    }
    ty_dataset_free(set);
}

TESTS_MAIN(TEST(each_other), TEST(itself), TEST(memory_and_outputs), TEST(loads))
