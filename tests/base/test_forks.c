/* A fork while other threads compute: the child continues with all programs, variables and caches intact. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <tyto/data.h>
#include "base/threads/lock.h"
#include "tests/support/child.h"
#include "tests/support/harness.h"

enum { FORKS = 100, WIDTH = 2 };
enum { CALLERS = 3, PATIENCE = 20, SIZE = 3000 }; /* number of threads; timeout in seconds; elements */

static atomic_bool over, failed;
static ty_program *program;
static ty_tensor *counter;
static ty_function *resized;

/* ---- work of threads and of the child ---- */

static bool evaluate(int i) {
    ty_tensor *x = ty_lazy(ty_full(TY_F32, TY_SHAPE(SIZE + i % 90), 1));
    return ty_item(ty_sum(ty_add(x, x), TY_ALL)) == 2.0 * (SIZE + i % 90);
}

/* Return true if the run succeeds and all elements of the counter are equal; others show a torn update. */
static bool run(int i) {
    ty_tensor *now;
    (void)i;
    if (!ty_run_outputs(program, 1, &now)) return false;
    const float *v = ty_data(now);
    for (int k = 1; v && k < SIZE; k++)
        if (v[k] != v[0]) return false;
    return v;
}

static bool contract(int i) {
    ty_tensor *x = ty_full(TY_F32, TY_SHAPE(9, 8 + i % 70), 1);
    return ty_item(ty_sum(ty_einsum("ij,kj->ik", x, x), TY_ALL)) == 81.0 * (8 + i % 70);
}

static bool trim(int i) {
    bool well = evaluate(i) && contract(i);
    ty_trim();
    return well;
}

static bool assign(int i) { return ty_assign(counter, ty_full(TY_F32, TY_SHAPE(SIZE), i), NULL) && run(i); }

/* Run a program with machine code of its own; false if the result is wrong. */
static bool chain(int i) {
    ty_tensor *x = ty_lazy(ty_full(TY_F32, TY_SHAPE(SIZE), 1)), *y = x;
    for (int k = 0; k < 2 + i % 40; k++) y = i >> k % 5 & 1 ? ty_mul(y, x) : ty_square(y);
    return ty_item(ty_sum(y, TY_ALL)) == SIZE;
}

/* Load two batches by a loader with one thread; false on error. */
static bool load(int i) {
    ty_dataset *set = ty_dataset_digits((uint64_t)i, 0, 8);
    ty_loader *loader = ty_loader_new(set, (ty_loader_options){.batch = 4, .threads = 1});
    ty_tensor *x[2];
    bool well = true;
    for (int k = 0; k < 2; k++)
        well = ty_loader_next(loader, 2, x) && ty_ok(x[0]) && ty_shape(x[1])[0] == 4 && well;
    ty_loader_free(loader);
    ty_dataset_free(set);
    return well;
}

/* Compute eigenvalues by the QR algorithm, eagerly or in a program; false if they are wrong. */
static bool eigenvalues(int i) {
    ty_tensor *x = ty_mul(ty_eye(TY_F64, 3 + i % 40), ty_num(2)),
              *y = ty_real(ty_eigvals(i & 1 ? ty_lazy(x) : x));
    return ty_item(ty_sum(y, TY_ALL)) == 2.0 * (3 + i % 40);
}

static void means(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_mean(ty_softmax(ty_cumsum(x[0], 0, (ty_running){0}), 1), TY_ALL);
}

/* Call a function whose sizes share memory plans; false if the result is wrong. */
static bool resize(int i) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2 + i % 50, 4)), *y;
    return ty_function_call(resized, 1, &x, 1, &y) && ty_item(y) == 0.25;
}

static bool (*const works[])(int i) = {evaluate, run,  contract,    trim,  assign,
                                       chain,    load, eigenvalues, resize};
static const char *const names[] = {"eval",  "run",  "einsum",  "trim",  "assign",
                                    "chain", "load", "eigvals", "resize"};
enum { WORKS = sizeof works / sizeof *works };

static int working;
static void *repeat(void *unused) {
    for (int i = 0; !atomic_load(&over); i++) {
        ty_scope *s = ty_open();
        if (!works[working](i)) atomic_store(&failed, true);
        ty_close(s);
    }
    return unused;
}

/* ---- forking ---- */

/* Compute a sum by several threads, if available; false if it is wrong. */
static bool compute_much(void) {
    enum { MUCH = 1 << 18 };
    ty_scope *s = ty_open();
    bool well = ty_item(ty_sum(ty_exp(ty_zeros(TY_F32, TY_SHAPE(MUCH))), TY_ALL)) == MUCH;
    ty_close(s);
    return well;
}

/* Fork once more in the child; false if the grandchild fails. */
static bool fork_again(void) {
    pid_t id = fork();
    if (id == 0) _exit(run(0) ? 0 : 1);
    return child_status(id) == 0;
}

static void child(void) {
    bool well = true;
    signal(SIGALRM, SIG_DFL);
    alarm(PATIENCE);
    ty_set_threads(WIDTH);
    for (int i = 0; i < WORKS && well; i++) well = works[i](i);
    well = well && compute_much() && fork_again();
    _exit(well ? 0 : 1);
}

static void fork_once(int work, int k) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return; /* GCC 12's sanitizers hold allocator locks across a fork, so allocations in the child
               deadlock */
#endif
    pid_t id = fork();
    if (id == 0) child();
    int status = child_status(id);
    bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    CHECK(status == 0, "fork %d while others %s: the child %s", k, names[work],
          hung                  ? "hangs"
          : WIFSIGNALED(status) ? "dies of a signal"
                                : "computes something else");
}

static void join_all(void *threads) {
    atomic_store(&over, true);
    for (int i = 0; i < CALLERS; i++) pthread_join(((pthread_t *)threads)[i], NULL);
}

static void free_function(void *f) { ty_function_free(f); }

/* Compile a program that increments its counter in place, and make a function of many sizes; false on error. */
static bool make_program(void) {
    resized = test_own(ty_function_new(means, NULL, 1, 1, (ty_compile_options){0}), free_function);
    ty_function_cache(resized, 0); /* each call makes a program */
    if (!ty_function_bound(resized, 0, 0, 51, NULL)) return false;
    counter = ty_var(ty_zeros(TY_F32, TY_SHAPE(SIZE)), "counter");
    ty_tensor *next = ty_add(counter, ty_num(1));
    ty_update update = {counter, next};
    program = test_program(ty_compile(1, &next, (ty_compile_options){.updates = &update, .nupdates = 1}));
    return !*ty_program_error(program);
}

static void forks_while(int work) {
    static pthread_t threads[CALLERS];
    if (test_starving() || !make_program()) return; /* threads would share the failing allocations */
    fflush(NULL);
    atomic_store(&over, false);
    atomic_store(&failed, false);
    working = work;
    for (int i = 0; i < CALLERS; i++) CHECK(!pthread_create(&threads[i], NULL, repeat, NULL), "no thread");
    test_own(threads, join_all);
    for (int k = 0; k < test_some(FORKS, FORKS / 4, 0); k++) fork_once(work, k);
    CHECK(!failed, "a thread of the parent computes something else");
}

static void while_evaluating(void) { forks_while(0); }
static void while_running(void) { forks_while(1); }
static void while_contracting(void) { forks_while(2); }
static void while_trimming(void) { forks_while(3); }
static void while_assigning(void) { forks_while(4); }
static void while_loading(void) { forks_while(6); }
static void while_resizing(void) { forks_while(8); }

/* Two threads fork while runs begin and end. */
static void *fork_often(void *bad) {
    for (int i = 0; i < 50; i++) {
        pid_t id = fork();
        if (id == 0) _exit(0);
        if (child_status(id)) atomic_store((atomic_bool *)bad, true);
    }
    return NULL;
}

static void *run_often(void *unused) {
    for (int i = 0; i < 20000; i++) fork_hold_off(), fork_allow();
    return unused;
}

static void forks_meet(void) {
    pthread_t threads[4];
    atomic_bool bad = false;
    for (int i = 0; i < 4; i++)
        CHECK(!pthread_create(&threads[i], NULL, i % 2 ? run_often : fork_often, &bad), "no thread");
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    CHECK(!bad, "a fork failed");
}

TESTS_MAIN(TEST(while_evaluating), TEST(while_running), TEST(while_contracting), TEST(while_trimming),
           TEST(while_assigning), TEST(while_loading), TEST(while_resizing), TEST(forks_meet))
