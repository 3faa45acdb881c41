/* The caller's thread pool: each part runs once whatever the pool does, and the bits are those of one thread. */
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/hooks.h>
#include <unistd.h>
#include "base/threads/parallel.h"
#include "base/threads/pool.h"
#include "tests/support/child.h"
#include "tests/support/harness.h"

/* ---- a pool of threads: a heap of parts; a caller that waits works on its own job, and on no other ---- */

enum { THREADS = 3, QUEUE = 4096 };
struct job {
    void (*part)(void *data, int i);
    void *data;
    atomic_int left;
};
static struct team {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct {
        struct job *job;
        int i;
    } queue[QUEUE];
    int count;
    bool ends;
    pthread_t threads[THREADS];
} team = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static atomic_int jobs;

/* Run a part of the job, NULL: of any job. False if none is left. The lock is held, and again on return. */
static bool run_one(const struct job *wanted) {
    int k = team.count - 1;
    while (k >= 0 && wanted && team.queue[k].job != wanted) k--;
    if (k < 0) return false;
    struct job *job = team.queue[k].job;
    int i = team.queue[k].i;
    team.queue[k] = team.queue[--team.count];
    pthread_mutex_unlock(&team.lock);
    job->part(job->data, i);
    pthread_mutex_lock(&team.lock);
    if (atomic_fetch_sub(&job->left, 1) == 1) pthread_cond_broadcast(&team.changed);
    return true;
}

static void *work(void *unused) {
    (void)unused;
    pthread_mutex_lock(&team.lock);
    while (!team.ends) {
        if (!run_one(NULL)) pthread_cond_wait(&team.changed, &team.lock);
    }
    pthread_mutex_unlock(&team.lock);
    return NULL;
}

static int team_threads(void *context) {
    (void)context;
    return THREADS + 1;
}

static bool team_run(void *context, int parts, void (*part)(void *data, int i), void *data) {
    struct job job = {part, data, parts};
    (void)context;
    atomic_fetch_add(&jobs, 1);
    pthread_mutex_lock(&team.lock);
    bool fits = team.count + parts <= QUEUE;
    for (int i = 0; i < parts && fits; i++) {
        team.queue[team.count].job = &job;
        team.queue[team.count++].i = i;
    }
    pthread_cond_broadcast(&team.changed);
    while (fits && atomic_load(&job.left)) {
        if (!run_one(&job)) pthread_cond_wait(&team.changed, &team.lock);
    }
    pthread_mutex_unlock(&team.lock);
    return fits;
}

static void team_start(void) {
    team.ends = false;
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_create(&team.threads[i], NULL, work, NULL), "no thread");
}
static void team_end(void) {
    pthread_mutex_lock(&team.lock);
    team.ends = true;
    pthread_cond_broadcast(&team.changed);
    pthread_mutex_unlock(&team.lock);
    for (int i = 0; i < THREADS; i++) pthread_join(team.threads[i], NULL);
}
static const ty_thread_pool with_threads = {NULL, team_threads, team_run};

/* ---- other pools, good and bad; all say that they have 5 threads ---- */

static int five(void *context) {
    (void)context;
    return 5;
}
static bool in_order(void *context, int parts, void (*part)(void *data, int i), void *data) {
    (void)context;
    atomic_fetch_add(&jobs, 1);
    for (int i = 0; i < parts; i++) part(data, i);
    return true;
}
static bool backwards(void *context, int parts, void (*part)(void *data, int i), void *data) {
    (void)context;
    for (int i = parts; i-- > 0;) part(data, i);
    return true;
}
static bool refusing(void *context, int parts, void (*part)(void *data, int i), void *data) {
    (void)context, (void)parts, (void)part, (void)data;
    atomic_fetch_add(&jobs, 1);
    return false;
}
static bool lazy(void *context, int parts, void (*part)(void *data, int i), void *data) {
    (void)context;
    for (int i = 1; i < parts; i += 2) part(data, i);
    return true;
}
static bool eager(void *context, int parts, void (*part)(void *data, int i), void *data) {
    (void)context;
    for (int i = -3; i < parts + 2000; i++) part(data, i % 7 == 6 ? 0 : i);
    for (int i = 0; i < parts; i++) part(data, i);
    part(data, -1 - parts), part(data, 1 << 30);
    return false;
}
/* Calls parts of the job before, too, which has ended. */
static bool late(void *context, int parts, void (*part)(void *data, int i), void *data) {
    static _Thread_local void *before;
    (void)context;
    for (int i = 0; before && i < parts; i++) part(before, i);
    for (int i = 0; i < parts; i += 2) part(data, i);
    for (int i = 0; before && i < parts; i++) part(before, i);
    before = data;
    return true;
}

/* Returns at once, while a thread of its own still calls the parts. */
struct hasty_job {
    void (*part)(void *data, int i);
    void *data;
    int parts;
};
static void *run_slowly(void *context) {
    struct hasty_job *job = context;
    for (int i = 0; i < job->parts; i++) {
        sched_yield();
        job->part(job->data, i);
    }
    free(job);
    return NULL;
}
static bool hasty(void *context, int parts, void (*part)(void *data, int i), void *data) {
    struct hasty_job *job = malloc(sizeof *job);
    pthread_t thread;
    (void)context;
    if (!job) return false;
    *job = (struct hasty_job){part, data, parts};
    if (pthread_create(&thread, NULL, run_slowly, job)) {
        free(job);
        return false;
    }
    pthread_detach(thread);
    sched_yield();
    return true;
}

static const struct {
    const char *name;
    ty_thread_pool pool;
} pools[] = {{"threads", {NULL, team_threads, team_run}},
             {"in order", {NULL, five, in_order}},
             {"backwards", {NULL, five, backwards}},
             {"refusing", {NULL, five, refusing}},
             {"lazy", {NULL, five, lazy}},
             {"eager", {NULL, five, eager}},
             {"late", {NULL, five, late}},
             {"hasty", {NULL, five, hasty}}};
enum { POOLS = sizeof pools / sizeof *pools };

/* ---- parts ---- */

static void count_part(void *context, int i) { atomic_fetch_add(&((atomic_int *)context)[i], 1); }

static struct thread_pool inner(const ty_thread_pool *p) {
    return (struct thread_pool){p->context, p->threads, p->run};
}

static void parts_once(void) {
    enum { MOST = 1024 };
    static atomic_int seen[MOST + 1];
    team_start();
    for (int k = 0; k < POOLS; k++)
        for (int parts = 1; parts <= MOST;
             parts += 1 + parts / 3 + (parts > 30 && parts < 34 ? 0 : parts / 9)) {
            struct thread_pool pool = inner(&pools[k].pool);
            memset(seen, 0, sizeof seen);
            pool_run(&pool, parts, count_part, seen);
            for (int i = 0; i <= MOST; i++)
                CHECK(seen[i] == (i < parts), "%s: part %d of %d ran %d times", pools[k].name, i, parts,
                      seen[i]);
        }
    team_end();
}

/* More parts than a word of claims, and the most. */
static void words_of_parts(void) {
    static const int counts[] = {1, 31, 32, 33, 63, 64, 65, 1023, 1024};
    static atomic_int seen[1025];
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct thread_pool pool = {NULL, five, eager};
        memset(seen, 0, sizeof seen);
        pool_run(&pool, counts[c], count_part, seen);
        for (int i = 0; i <= 1024; i++)
            CHECK(seen[i] == (i < counts[c]), "part %d of %d ran %d times", i, counts[c], seen[i]);
    }
}

/* More jobs at once than there are slots: the others run alone. */
static void nest_part(void *context, int i) {
    struct thread_pool pool = {NULL, five, in_order};
    int *depth = context;
    if (i || ++*depth > 100) return;
    pool_run(&pool, 2, nest_part, context);
}
static void jobs_in_jobs(void) {
    struct thread_pool pool = {NULL, five, in_order};
    int depth = 0;
    pool_run(&pool, 2, nest_part, &depth);
    CHECK(depth == 101, "%d jobs inside each other", depth);
}

/* ---- the library on a pool ---- */

static void compute(ty_tensor **results) {
    ty_tensor *x = ty_reshape(ty_arange(TY_F32, 0, 240000, 1), TY_SHAPE(400, 600));
    ty_tensor *s = ty_sin(x), *y = ty_matmul(s, ty_transpose(s));
    results[0] = ty_sum(s, TY_ALL);
    results[1] = y;
    results[2] = ty_sort(ty_reshape(s, TY_SHAPE(240000)), 0, false);
    results[3] = ty_softmax(ty_add(s, ty_num(1)), 1);
    results[4] = ty_solve(ty_add(y, ty_mul(ty_eye(TY_F32, 400), ty_num(1000))), y);
    results[5] = ty_eval(ty_cumsum(ty_exp(ty_lazy(s)), 0, (ty_running){0}));
}
enum { RESULTS = 6 };

static void same_bits(ty_tensor **got, ty_tensor **want, const char *name) {
    for (int i = 0; i < RESULTS; i++) {
        CHECK_OK(got[i]);
        CHECK_OK(want[i]);
        CHECK(ty_item(ty_array_equal(got[i], want[i], false)) == 1, "%s: result %d differs", name, i);
    }
}

static void set_pool(ty_context *context, const ty_thread_pool *pool) {
    ty_tensor *error = NULL;
    CHECK(ty_context_set_pool(context, pool, &error), "%s", ty_error(error));
}

static void bits(void) {
    ty_tensor *alone[RESULTS], *got[RESULTS];
    ty_set_threads(1);
    compute(alone);
    ty_set_threads(0);
    team_start();
    for (int k = 0; k < POOLS; k++) {
        set_pool(NULL, &pools[k].pool);
        atomic_store(&jobs, 0);
        CHECK(ty_threads() == pools[k].pool.threads(NULL), "%s: %d threads", pools[k].name, ty_threads());
        compute(got);
        set_pool(NULL, NULL);
        same_bits(got, alone, pools[k].name);
        CHECK(k > 1 || jobs > 0, "%s: the pool was not used", pools[k].name);
    }
    team_end();
}

/* ty_set_threads limits the parts. */
static int most_parts;
static bool note_parts(void *context, int parts, void (*part)(void *data, int i), void *data) {
    if (parts > most_parts) most_parts = parts;
    return in_order(context, parts, part, data);
}
static void limited(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(500, 500));
    set_pool(NULL, &(ty_thread_pool){NULL, five, note_parts});
    ty_matmul(x, x);
    CHECK(most_parts == 5 || test_starving(), "%d parts", most_parts);
    ty_set_threads(2);
    most_parts = 0;
    CHECK(ty_threads() == 2, "%d threads", ty_threads());
    ty_matmul(x, x);
    CHECK(most_parts == 2 || test_starving(), "%d parts of 2", most_parts);
    ty_set_threads(100);
    CHECK(ty_threads() == 5, "%d threads", ty_threads());
    set_pool(NULL, NULL);
}

static int absurd;
static int absurd_threads(void *context) {
    (void)context;
    return absurd;
}
static void counts(void) {
    static const struct {
        int said, used;
    } cases[] = {{0, 1}, {-7, 1}, {1, 1}, {1024, 1024}, {1025, 1024}, {1 << 30, 1024}};
    set_pool(NULL, &(ty_thread_pool){NULL, absurd_threads, in_order});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        absurd = cases[i].said;
        CHECK(ty_threads() == cases[i].used, "%d: %d threads", absurd, ty_threads());
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(300, 300));
        CHECK_OK(ty_matmul(x, x));
    }
    set_pool(NULL, NULL);
}

static void refused(void) {
    ty_tensor *error = NULL;
    CHECK(!ty_context_set_pool(NULL, &(ty_thread_pool){NULL, NULL, in_order}, &error), "no threads");
    CHECK_POISON(error, "threads is NULL");
    CHECK(!ty_context_set_pool(NULL, &(ty_thread_pool){NULL, five, NULL}, &error), "no run");
    CHECK_POISON(error, "run is NULL");
    CHECK(!ty_context_set_pool_sized(NULL, &with_threads, 2 * sizeof(void *), &error), "a short table");
    CHECK_POISON(error, "run is NULL");
    CHECK(!ty_context_set_pool_sized(NULL, &with_threads, 0, NULL), "a table of no size");
}

/* ---- contexts ---- */

/* The pool of one context is not that of others; other threads compute in their own. */
static void contexts(void) {
    set_pool(NULL, NULL); /* a case that failed may have left one */
    ty_context *context = ty_context_new((ty_context_options){0});
    ty_tensor *failure = ty_context_failure(context);
    if (failure) CHECK_OK(failure);
    set_pool(context, &(ty_thread_pool){NULL, five, in_order});
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(500, 500));
    atomic_store(&jobs, 0);
    ty_matmul(x, x);
    CHECK(jobs == 0, "the default context used the pool");
    ty_context_use(context);
    ty_matmul(x, x);
    int used = jobs;
    ty_context_use(NULL);
    ty_context_free(context);
    CHECK(used > 0 || test_starving(), "the context did not use its pool");
}

/* ---- jobs of the program that call the library, on threads of the pool ---- */

static void outer_part(void *data, int i) {
    ty_scope *scope = ty_open();
    ty_tensor *got[RESULTS];
    bool *well = data;
    compute(got);
    for (int k = 0; k < RESULTS; k++) well[i] = well[i] && ty_ok(got[k]);
    ty_close(scope);
}
static void calls_from_the_pool(void) {
    if (test_starving()) return; /* blocks are counted while threads of the pool still compute */
    bool well[8];
    memset(well, 1, sizeof well);
    set_pool(NULL, &with_threads);
    team_start();
    team_run(NULL, 8, outer_part, well);
    team_end();
    set_pool(NULL, NULL);
    for (int i = 0; i < 8; i++) CHECK(well[i], "job %d failed", i);
}

/* Several threads use the pool at once, and it is changed meanwhile. */
static void *call_often(void *well) {
    for (int i = 0; i < 20; i++) {
        ty_scope *scope = ty_open();
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(200, 200));
        *(bool *)well &= ty_ok(ty_matmul(x, x));
        ty_close(scope);
    }
    return NULL;
}
static void callers_meet(void) {
    if (test_starving()) return; /* as above */
    pthread_t threads[4];
    bool well[4] = {true, true, true, true};
    team_start();
    set_pool(NULL, &with_threads);
    for (int i = 0; i < 4; i++) CHECK(!pthread_create(&threads[i], NULL, call_often, &well[i]), "no thread");
    for (int i = 0; i < 200; i++) set_pool(NULL, i % 3 ? &pools[i % POOLS].pool : NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    set_pool(NULL, NULL);
    team_end();
    for (int i = 0; i < 4; i++) CHECK(well[i], "thread %d failed", i);
}

/* Threads of the pool keep their floating-point modes; parts run in the default ones. */
static atomic_int wrong_modes;
static void *run_upwards(void *context) {
    struct hasty_job *job = context;
    fesetround(FE_UPWARD);
    for (int i = 0; i < job->parts; i++) job->part(job->data, i);
    if (fegetround() != FE_UPWARD) atomic_fetch_add(&wrong_modes, 1);
    return NULL;
}
static bool upwards(void *context, int parts, void (*part)(void *data, int i), void *data) {
    struct hasty_job job = {part, data, parts};
    pthread_t thread;
    (void)context;
    if (pthread_create(&thread, NULL, run_upwards, &job)) return false;
    pthread_join(thread, NULL);
    return true;
}
static void modes(void) {
    ty_tensor *alone[RESULTS], *got[RESULTS];
    compute(alone);
    set_pool(NULL, &(ty_thread_pool){NULL, five, upwards});
    compute(got);
    set_pool(NULL, NULL);
    same_bits(got, alone, "upwards");
    CHECK(wrong_modes == 0, "%d threads lost their rounding mode", wrong_modes);
}

/* The child of a fork has no threads of the pool; the library works there with another pool. */
static void forks(void) {
    team_start();
    set_pool(NULL, &with_threads);
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(300, 300));
    ty_matmul(x, x);
    pid_t id = fork();
    if (id == 0) {
        ty_context_set_pool(NULL, &(ty_thread_pool){NULL, five, in_order}, NULL);
        _exit(!ty_ok(ty_matmul(x, x)));
    }
    int status = child_status(id);
    set_pool(NULL, NULL);
    team_end();
    CHECK(status == 0 || test_starving(), "the child ended with %d", status);
}

TESTS_MAIN(TEST(parts_once), TEST(words_of_parts), TEST(jobs_in_jobs), TEST(bits), TEST(limited),
           TEST(counts), TEST(refused), TEST(contexts), TEST(calls_from_the_pool), TEST(callers_meet),
           TEST(modes), TEST(forks))
