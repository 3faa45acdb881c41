/* Devices (engine `far`) under threads and forks, and without waits of the host. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <tyto/data.h>
#include <unistd.h>

#include "ops/core/op.h"
#include "tests/support/child.h"
#include "tests/support/compare.h"
#include "tests/support/far.h"
#include "tests/support/harness.h"
#include "tests/support/nn_help.h"
#include "tests/support/samples/sample.h"

static void release_loader(void *x) { ty_loader_free(x); }
static void release_set(void *x) { ty_dataset_free(x); }

/* ---- threads ---- */

enum { THREADS = 4, TIMES = 30 };

struct job {
    pthread_t thread;
    ty_tensor *shared;
    double sum;
};

static void *compute(void *context) {
    struct job *job = context;
    for (int i = 0; i < TIMES; i++) {
        ty_scope *scope = ty_open();
        ty_tensor *x = ty_to(ty_full(TY_F64, TY_SHAPE(100), i), "far:0");
        job->sum += ty_item(ty_sum(ty_mul(ty_add(x, job->shared), ty_lazy(job->shared)), TY_ALL));
        ty_close(scope);
    }
    return NULL;
}

/* Launches of several threads, with operands that all of them bring to the device. */
static void threads(void) {
    far_begin();
    struct job jobs[THREADS] = {0};
    ty_tensor *shared = ty_full(TY_F64, TY_SHAPE(100), 2);
    int n = test_starving() ? 1 : THREADS;
    for (int i = 0; i < n; i++) {
        jobs[i].shared = shared;
        pthread_create(&jobs[i].thread, NULL, compute, &jobs[i]);
    }
    for (int i = 0; i < n; i++) pthread_join(jobs[i].thread, NULL);
    for (int i = 0; i < n; i++)
        CHECK(jobs[i].sum == 2 * 100 * (TIMES * (TIMES - 1) / 2.0 + 2 * TIMES) || test_starving(),
              "thread %d: %g", i, jobs[i].sum);
}

/* ---- long loops ---- */

static void weigh(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_add(ty_mul(s->carry[0], ty_num(0.5)), ty_cast(s->index, TY_F64));
}

/* Steps read their index: memory for it does not grow with the number of steps. */
static void long_loops(void) {
    far_begin();
    ty_tensor *carry = ty_scalar(TY_F64, 1), *last[2], *endless;
    for (int e = 0; e < 2; e++) {
        ty_use_engine(e ? "far:0" : "cpu");
        ty_scan(weigh, NULL, (ty_scan_spec){.ncarry = 1, .carry = &carry, .length = 10000, .reverse = true},
                &last[e], NULL, NULL);
        last[e] = ty_eval(last[e]);
    }
    ty_tensor *later = ty_var(carry, "later"); /* a promise: the loop is compiled and not run */
    ty_scan(weigh, NULL, (ty_scan_spec){.ncarry = 1, .carry = &later, .length = INT64_MAX / 4}, &endless,
            NULL, NULL);
    ty_program *p = test_program(ty_compile(1, &endless, (ty_compile_options){0}));
    ty_use_engine("cpu");
    CHECK(test_report(p).arena_bytes < 1 << 20, "%lld bytes: %s", (long long)test_report(p).arena_bytes,
          ty_program_error(p));
    CHECK(*ty_program_error(p) == 0 || test_starving(), "%s", ty_program_error(p));
    compare_bits(last[1], last[0], "10000 steps");
}

/* ---- forks ---- */

static ty_tensor *parents;

/* True if the child of a fork gets errors from devices, and elements that are at home. */
static bool child_sees(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(3));
    return !ty_ok(ty_to(x, "far:0")) && strstr(ty_error(ty_to(x, "far:0")), "before a fork") &&
           ty_item(ty_sum(parents, TY_ALL)) == 300 && ty_item(ty_sum(x, TY_ALL)) == 3;
}

static void forks(void) {
    if (test_starving()) return;
    far_begin();
    parents = ty_to(ty_full(TY_F32, TY_SHAPE(100), 3), "far:0");
    ty_item(ty_sum(parents, TY_ALL));
    parents = ty_to(parents, "cpu");
    pid_t id = fork();
    if (id == 0) _exit(child_sees() ? 0 : 1);
    CHECK(id > 0 && child_status(id) == 0, "the child of a fork uses a device");
    CHECK(ty_item(ty_sum(ty_to(parents, "far:0"), TY_ALL)) == 300, "the parent lost its device");
}

/* ---- no waits ---- */

/* A step with labels, which may be refused, does not wait for the device, which is slow. */
static void labels_do_not_wait(void) {
    far_begin();
    int32_t good[] = {0, 1, 2}, bad[] = {0, 7, 1};
    ty_tensor *w = ty_var(ty_ones(TY_F32, TY_SHAPE(4, 3)), "w"), *g, *error = NULL;
    ty_tensor *label = ty_var(ty_from(TY_I32, TY_SHAPE(3), good), "label");
    ty_tensor *loss = ty_sum(ty_square(ty_take(w, label, 0)), TY_ALL);
    ty_grad(loss, 1, &w, &g);
    ty_update update = {w, ty_sub(w, ty_mul(ty_num(0.25), g))};
    ty_program *p = test_program(
        ty_compile(1, &loss, (ty_compile_options){.engine = "far:0", .updates = &update, .nupdates = 1}));
    if (!ty_run(p) || !ty_sync("far:0", NULL)) return; /* a run that has ended is asked for its refusal */
    far.slow = test_some(20000, 20000, 0);             /* longer than the host may be held up */
    far_fail(FAR_WAIT, 0);
    for (int i = 0; i < 3; i++) CHECK(ty_run(p) || test_starving(), "%s", ty_program_error(p));
    CHECK(far_calls(FAR_WAIT) == 0 || test_starving(), "%d waits", (int)far_calls(FAR_WAIT));
    CHECK(ty_sync("far:0", &error) || test_starving(), "%s", error ? ty_error(error) : "");
    if (!ty_assign(label, ty_from(TY_I32, TY_SHAPE(3), bad), NULL) || !ty_run(p)) return;
    CHECK(!ty_sync("far:0", &error), "a bad label is not told");
    CHECK_POISON(error, "7");
    ty_tensor *output = ty_add(ty_output(p, 0), ty_num(0));
    CHECK_POISON(output, "7");
    CHECK(ty_error_code(error) == TY_ERROR_INDEX || test_starving(), "code %d", ty_error_code(error));
    compare_numbers(ty_at(w, "0:4,0"), NUMBERS(0.0625, 0.0625, 0.0625, 1), "weights after four steps");
}

/* A trainer on a device stops at a label that is no class, and names it. */
static void trainer_stops(void) {
    far_begin();
    ty_tensor *images, *labels;
    nn_small_data(12, &images, &labels);
    labels = ty_set_at(labels, "7", ty_int(9));
    ty_use_engine("far:0");
    ty_trainer_options options = {.inputs = images, .targets = labels, .batch = 12, .seed = 5};
    ty_trainer *t = nn_own_trainer(ty_trainer_new(nn_small_model(true), options));
    double loss = ty_trainer_step(t);
    CHECK(isnan(loss) && ty_trainer_steps(t) == 0, "label 9 of 4 classes gave the loss %g", loss);
    CHECK(strstr(ty_trainer_error(t), "label 9 at [") || test_starving(), "%s", ty_trainer_error(t));
}

/* A variable that others hold is not written in place; a refusal leaves its value, too. */
static void held_variables(void) {
    far_begin();
    int32_t bad[] = {9};
    ty_tensor *w = ty_var(ty_ones(TY_F32, TY_SHAPE(4)), "w"),
              *label = ty_var(ty_from(TY_I32, TY_SHAPE(1), bad), "l");
    ty_tensor *y = ty_sum(ty_take(w, label, 0), TY_ALL);
    ty_update update = {w, ty_mul(w, y)};
    ty_program *p = test_program(
        ty_compile(1, &y, (ty_compile_options){.engine = "far:0", .updates = &update, .nupdates = 1}));
    ty_tensor *before = ty_eval(w);
    ty_run(p);
    ty_sync("far:0", NULL);
    compare_bits(ty_eval(w), ty_ones(TY_F32, TY_SHAPE(4)), "the variable");
    compare_bits(before, ty_ones(TY_F32, TY_SHAPE(4)), "its value before");
}

/* Loaders make examples at home: augmented ones have many sizes. */
static void loads_at_home(void) {
    far_begin();
    const ty_image_step steps[] = {{.apply = ty_step_flip}};
    ty_tensor *x = ty_full(TY_U8, TY_SHAPE(8, 6, 5, 3), 7), *y = NULL;
    ty_dataset *set = test_own(ty_dataset_arrays(1, &x, NULL), release_set);
    (ty_use_engine)("far:0");
    ty_loader *loader = test_own(
        ty_loader_new(set, (ty_loader_options){.batch = 4, .threads = -1, .steps = steps, .nsteps = 1}),
        release_loader);
    far_fail(FAR_LAUNCH, 0);
    CHECK(ty_loader_next(loader, 1, &y) || test_starving(), "%s", ty_loader_error(loader));
    CHECK(far_calls(FAR_LAUNCH) == 0, "%d launches for a batch", (int)far_calls(FAR_LAUNCH));
    CHECK(test_starving() || !strcmp(ty_engine_name(), "far:0"), "the thread computes on %s",
          ty_engine_name());
    compare_bits(y, ty_full(TY_U8, TY_SHAPE(4, 6, 5, 3), 7), "a batch");
}

/* ---- kernels of eager calls ---- */

static int lowered;
static void count_lowered(const struct op *op, const struct kernel *kernel) {
    (void)op;
    lowered += kernel != NULL;
}
/* Return how many kernels ty_add(x, x) lowers. */
static int lowers(ty_tensor *x) {
    lowered = 0;
    op_watch = count_lowered;
    ty_tensor *y = ty_add(x, x);
    op_watch = NULL;
    compare_bits(ty_to(y, "cpu"), ty_mul(ty_to(x, "cpu"), ty_num(2)), "a sum");
    return lowered;
}

/* A call that was made before on a device is not lowered again, until caches are trimmed. */
static void equal_calls_are_lowered_once(void) {
    far_begin();
    if (test_starving()) return;
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(30)), *a = ty_to(x, "far:0"), *b = ty_to(x, "far:1");
    CHECK(lowers(a) == 1 && lowers(a) == 0, "on the first device");
    CHECK(lowers(b) == 1 && lowers(b) == 0, "on another device");
    CHECK(lowers(ty_slice(a, 0, 0, 20, 2)) == 1 && lowers(ty_slice(a, 0, 0, 20, 2)) == 0, "with steps");
    CHECK(lowers(ty_to(ty_ones(TY_F64, TY_SHAPE(30)), "far:0")) == 1, "of another dtype");
    ty_set_threads(3);
    CHECK(lowers(a) == 1 && lowers(a) == 0, "on other threads");
    ty_trim();
    CHECK(lowers(a) == 1, "after ty_trim");
}

TESTS_MAIN(TEST(loads_at_home), TEST(threads), TEST(long_loops), TEST(forks), TEST(labels_do_not_wait),
           TEST(trainer_stops), TEST(held_variables), TEST(equal_calls_are_lowered_once))
