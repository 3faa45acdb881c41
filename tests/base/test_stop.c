/* Deadlines, limits, interrupts by signals, in forks, callbacks and loaders, and cancelled threads. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <tyto/data.h>
#include <tyto/expression.h>
#include "base/context/stop.h"
#include "base/threads/parallel.h"
#include "tests/support/child.h"
#include "tests/support/nn_help.h"
#include "tests/support/stopping.h"

static ty_tensor *matrix(int64_t m, int64_t n, uint64_t seed) {
    ty_tensor *x = ty_normal(TY_F64, 2, (int64_t[]){m, n}, ty_key(seed));
    ty_data(x);
    return x;
}

static const ty_optimiser adam = {.rule = &ty_adam};

/* ---- deadlines, limits ---- */

static ty_tensor *add_up(void) { return ty_add(ty_num(1), ty_full(TY_F64, 1, (int64_t[]){3}, 2)); }

static void deadlines(void) {
    stops();
    const double gone[] = {0, -1, -INFINITY, NAN, 1e-9}, far[] = {INFINITY, 1e300, 1e9};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        ty_deadline(NULL, gone[i]);
        usleep(1);
        CHECK_POISON(add_up(), "timeout: ");
        CHECK(!ty_interrupted(NULL), "a deadline counts as an interrupt");
        ty_resume(NULL);
        CHECK_OK(add_up());
    }
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        ty_deadline(NULL, 0);
        ty_deadline(NULL, far[i]);
        CHECK_OK(add_up());
    }
    ty_deadline(NULL, 0.01);
    CHECK_OK(ty_ok(add_up()) ? ty_num(1) : ty_num(2)); /* either */
    usleep(20000);
    CHECK_POISON(add_up(), "timeout: ");
    ty_interrupt(NULL);
    CHECK_POISON(add_up(), "interrupted: ");
    CHECK(ty_interrupted(NULL), "ty_interrupted does not tell");
    ty_resume(NULL);
    CHECK_OK(add_up());
}

static void *release_other(void *x) {
    ty_release(x);
    return NULL;
}

/* Evaluate x + x within a limit of operations. */
static ty_tensor *within(double operations, ty_tensor *x) {
    ty_tensor *y = NULL;
    ty_expressions_within((ty_expression_limits){.operations = operations}, "x + x", 1,
                          (const char *const[]){"x"}, &x, 1, &y);
    return y;
}

/* Limits of expressions lie inside those of the context: a kernel is charged to both, and a refused one to none. */
static void nested_limits(ty_tensor *x) {
    ty_limits(NULL, 2500, 0);
    CHECK_POISON(within(999, x), "needs 1e+03 operations, and 999 of 999 are left");
    CHECK_OK(within(1e9, x));
    CHECK(atomic_load(&context_default.operations) == 1500, "%lld operations are left",
          (long long)atomic_load(&context_default.operations));
    CHECK_OK(within(1000, x));
    CHECK_POISON(within(1e9, x), "and 500 of 2.5e+03 are left");
    CHECK(!context_thread.limit, "the limit of an expression stays");
}

static void limits(void) {
    if (test_starving()) return;
    stops();
    int64_t thousand = 1000, all = 4000;
    ty_tensor *x = ty_full(TY_F64, 1, &thousand, 2);
    ty_limits(NULL, 2500, 0);
    CHECK_OK(ty_add(x, ty_num(1)));
    CHECK_OK(ty_add(x, ty_num(1)));
    CHECK_POISON(ty_add(x, ty_num(1)),
                 "limit exceeded: map needs 1e+03 operations, and 500 of 2.5e+03 are left");
    nested_limits(x);
    ty_limits(NULL, 0, 0);
    CHECK_OK(ty_add(x, ty_num(1)));
    ty_limits(NULL, NAN, 20000);
    CHECK_POISON(ty_full(TY_F64, 1, &all, 1), "limit exceeded: ");
    ty_scope *scope = ty_open();
    CHECK_OK(ty_full(TY_F64, 1, &thousand, 1));
    CHECK_OK(ty_full(TY_F64, 1, &thousand, 1));
    CHECK_POISON(ty_full(TY_F64, 1, &thousand, 1), "limit exceeded: ");
    ty_close(scope);
    for (int i = 0; i < 100; i++) { /* memory that other threads free is credited */
        ty_scope *inner = ty_open();
        ty_tensor *y = ty_retain(ty_full(TY_F64, 1, &thousand, 1));
        ty_close(inner);
        pthread_t thread;
        CHECK_OK(y);
        if (pthread_create(&thread, NULL, release_other, y)) return;
        pthread_join(thread, NULL);
    }
    ty_tensor *promise = ty_add(ty_var(x, "x"), ty_num(1));
    ty_program *p = test_program(ty_compile(1, &promise, (ty_compile_options){0}));
    CHECK(ty_run(p), "%s", ty_program_error(p));
    ty_limits(NULL, 0, 0);
    CHECK(atomic_load(&context_default.bytes_now) > 0, "outputs of programs do not count");
    ty_program *none = test_program(ty_compile(1, &promise, (ty_compile_options){0}));
    ty_limits(NULL, 10, 0);
    CHECK(!ty_run(none) && strstr(ty_program_error(none), "limit exceeded"), "%s", ty_program_error(none));
}

/* ---- signals, forks, callbacks, other threads ---- */

static void on_alarm(int number) {
    (void)number;
    ty_interrupt(NULL);
}

static void signals(void) {
    if (test_starving()) return;
    stops();
    struct sigaction action = {.sa_handler = on_alarm}, before;
    struct itimerval soon = {.it_value = {0, 3000}};
    ty_tensor *x = matrix(300, 300, 1),
              *y = x; /* before the alarm, which may ring at once under sanitizers */
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &soon, NULL);
    ty_scope *scope = ty_open();
    for (int i = 0; i < 100000 && ty_ok(y); i++) {
        ty_scope *inner = ty_open();
        y = ty_keep(ty_tanh(ty_matmul(x, x)));
        ty_close(inner);
        if (i % 64 == 0) ty_close(scope), scope = ty_open(), y = x;
    }
    CHECK_POISON(y, "interrupted: ");
    ty_close(scope);
    ty_resume(NULL);
    CHECK_OK(ty_matmul(x, x));
    sigaction(SIGALRM, &before, NULL);
}

static void forks(void) {
    if (test_starving()) return;
    stops();
    ty_interrupt(NULL);
    pid_t child = fork();
    if (child == 0) {
        bool well = !ty_ok(add_up());
        ty_resume(NULL);
        _exit(well && ty_ok(add_up()) ? 0 : 1);
    }
    int status = child_status(child);
    CHECK(status == 0, "a child of an interrupted process: %d", status);
    CHECK_POISON(add_up(), "interrupted: ");
}

static bool interrupt_after_two(void *context, const ty_moment *now) {
    (void)context;
    CHECK(ty_ok(add_up()), "a callback cannot compute");
    if (now->step == 2) ty_interrupt(NULL);
    return true;
}

static void callbacks(void) {
    if (test_starving()) return;
    stops();
    double wanted[4];
    ty_trainer *straight = nn_small_trainer(true, adam), *t = nn_small_trainer(true, adam);
    nn_steps(straight, 4, wanted);
    CHECK(!ty_trainer_run(t, 4, interrupt_after_two, NULL), "the training goes on");
    CHECK(ty_trainer_steps(t) == 2, "it stops after %lld steps", (long long)ty_trainer_steps(t));
    CHECK(strstr(ty_trainer_error(t), "interrupted: "), "%s", ty_trainer_error(t));
    ty_resume(NULL);
    CHECK(ty_trainer_step(t) == wanted[2] && ty_trainer_step(t) == wanted[3],
          "other losses after the interrupt");
}

/* An interrupt of one context stops no other. */
static void end_context(void *context) { ty_context_free(context); }
static void apart(void) {
    stops();
    ty_context *a = test_own(ty_context_new((ty_context_options){0}), end_context);
    ty_context *b = test_own(ty_context_new((ty_context_options){0}), end_context);
    if (!ty_context_failure(a) && !ty_context_failure(b)) {
        ty_interrupt(a);
        ty_context_use(b);
        CHECK_OK(add_up());
        ty_context_use(a);
        CHECK_POISON(add_up(), "interrupted: ");
        ty_context_use(NULL);
        CHECK_OK(add_up());
    }
}

struct shared_run {
    ty_program *program;
    atomic_bool ends;
    atomic_int runs;
};
static void *run_for_ever(void *context) {
    struct shared_run *s = context;
    while (!atomic_load(&s->ends)) {
        ty_scope *scope = ty_open();
        ty_run(s->program);
        atomic_fetch_add(&s->runs, 1);
        ty_close(scope);
        pthread_testcancel();
    }
    return NULL;
}

/* Threads that are cancelled at random moments do not stop others that run the same program. */
static void cancelled(void) {
    if (test_starving()) return;
    stops();
    ty_set_threads(2);
    ty_tensor *v = ty_var(ty_full(TY_F32, 2, (int64_t[]){200, 200}, 1), "v"), *y = ty_tanh(ty_matmul(v, v));
    ty_update update = {v, y};
    struct shared_run s = {
        .program = test_program(ty_compile(1, &y, (ty_compile_options){.updates = &update, .nupdates = 1}))};
    pthread_t stays, goes;
    if (pthread_create(&stays, NULL, run_for_ever, &s)) return;
    for (int i = 0; i < test_some(60, 15, 1); i++) {
        if (pthread_create(&goes, NULL, run_for_ever, &s)) break;
        usleep((useconds_t)test_between(0, 2000));
        pthread_cancel(goes);
        pthread_join(goes, NULL);
    }
    int before = atomic_load(&s.runs);
    for (int i = 0; i < 2000 && atomic_load(&s.runs) < before + 3; i++) usleep(1000);
    CHECK(atomic_load(&s.runs) >= before + 3, "no thread runs the program after a cancellation");
    atomic_store(&s.ends, true);
    pthread_join(stays, NULL);
    CHECK(ty_run(s.program), "%s", ty_program_error(s.program));
}

/* ---- loaders ---- */

static void loaders(void) {
    if (test_starving()) return;
    stops();
    enum { BATCHES = 40 };
    ty_tensor *images, *labels;
    nn_small_data(64, &images, &labels);
    ty_dataset *set = ty_dataset_arrays(2, (ty_tensor *[]){images, labels}, NULL);
    for (int threads = -1; threads <= 2; threads += 3) {
        struct test_round round = test_round();
        ty_loader_options o = {.batch = 5, .threads = threads, .order = TY_SHUFFLED, .seed = 3};
        ty_loader *straight = ty_loader_new(set, o), *stopped = ty_loader_new(set, o);
        for (int i = 0; i < BATCHES; i++) {
            ty_tensor *a[2], *b[2];
            while (!ty_loader_next(straight, 2, a)) continue;
            for (int64_t n = 1; n < 400; n++) {
                stop_at(n % 9 + 1);
                bool given = ty_loader_next(stopped, 2, b);
                stop_at(0);
                ty_resume(NULL);
                if (given && ty_ok(b[0])) break;
                CHECK(!given || strstr(ty_error(b[0]), "interrupted: "), "%s", ty_error(b[0]));
                usleep(100);
            }
            CHECK_OK(b[0]);
            CHECK(same_bits(a[0], b[0]) && same_bits(a[1], b[1]), "batch %d differs after stops", i);
        }
        ty_loader_free(straight);
        ty_loader_free(stopped);
        test_round_end(round);
    }
    ty_dataset_free(set);
}

TESTS_MAIN(TEST(deadlines), TEST(limits), TEST(signals), TEST(forks), TEST(callbacks), TEST(apart),
           TEST(cancelled), TEST(loaders))
