/*
 * parallel_for: static ranges on the threads of workers.c, or on the caller's pool.  If those are not available, the
 * caller runs everything.
 */
#include "base/threads/parallel.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <tyto/core.h>
#include "base/context/context.h"
#include "base/context/stop.h"
#include "base/machine/cache.h"
#include "base/machine/clock.h"
#include "base/machine/environment.h"
#include "base/machine/machine.h"
#include "base/threads/workers.h"

enum { THREADS_MOST = WORKERS_MOST + 1 };

static bool allows(const char *value) {
    int64_t n;
    return environment_number(value, THREADS_MOST, &n) && n > 0;
}
const struct environment_row environment_threads = {"TY_NUM_THREADS", "a number from 1 to 1024", allows,
                                                    "Number of threads; results do not depend on it."};

/* True if `value`, of OMP_NUM_THREADS, is valid. It may be a list, such as "4,2", with one number per nesting
   level; only the first is checked. */
static bool allows_list(const char *value) {
    long n = strtol(value, NULL, 10);
    return n > 0 && n <= THREADS_MOST;
}
static const struct environment_row openmp = {
    .name = "OMP_NUM_THREADS", .values = "numbers", .allows = allows_list};

static int from_environment(const struct environment_row *row) {
    const char *value = environment_value(row);
    return value ? (int)strtol(value, NULL, 10) : 0;
}

/* Return the default number of threads: TY_NUM_THREADS or OMP_NUM_THREADS if set, else the number of
   processors. */
static int default_threads(void) {
    static _Atomic int known;
    int n = atomic_load_explicit(&known, memory_order_relaxed);
    if (n) return n;
    n = from_environment(&environment_threads);
    if (!n) n = from_environment(&openmp);
    if (!n) n = machine_processors();
    atomic_store_explicit(&known, n, memory_order_relaxed);
    return n;
}

int parallel_count(int n) { return n > 0 ? n < THREADS_MOST ? n : THREADS_MOST : 0; }
void ty_set_threads(int n) { atomic_store(&context_now()->threads, parallel_count(n)); }
int ty_threads(void) { return parallel_width(); }

bool parallel_alone(bool on) {
    bool before = context_thread.alone;
    context_thread.alone = on;
    return before;
}

/* Return the number of threads without a pool, of which ty_set_threads allows n. */
static inline int own_width(int n) { return !WORKERS_BUILT ? 1 : n ? n : default_threads(); }

/* Return the number of threads of the context's pool, of which ty_set_threads allows n. */
static __attribute__((noinline)) int width_in_pool(ty_context *context, int n) {
    struct thread_pool pool;
    if (!hooks_pool(&context->hooks, &pool)) return own_width(n);
    int most = pool_width(&pool);
    return n && n < most ? n : most;
}

int parallel_width_of(const struct context_thread *t) {
    int n = atomic_load_explicit(&t->now->threads, memory_order_relaxed);
    if (t->alone) return 1;
    return hooks_pooled(&t->now->hooks) ? width_in_pool(t->now, n) : own_width(n);
}
int parallel_width(void) { return parallel_width_of(thread_now()); }

int parallel_index(void) { return context_thread.place; }

struct parallel_job {
    int ranges;
    int64_t n;
    void (*body)(void *, int64_t, int64_t);
    void *context;
    int64_t grain;
    ty_context *home; /* the caller's context */
    double work;      /* of the caller (context_thread) */
    int masked;       /* of the caller (context_thread) */
    atomic_int cut;   /* the reason why a part has left early; 0: none has */
};

/* ---- pieces: between them a long loop looks for requests to stop ---- */

/* FIRST_WORK: operations of the first piece, 0.3 to 3 ms of slow ones.  Later pieces have the size that takes
   PIECE_TIME by the clock, at most GROWTH times the one before.  Loops inside a piece of NESTED_WORK operations or
   more are cut, too. */
enum { FIRST_WORK = 1 << 15, PIECE_TIME = 5000000, GROWTH = 8, NESTED_WORK = 1 << 18 };
_Atomic int64_t parallel_forced;

void parallel_force_pieces(int64_t items) { atomic_store(&parallel_forced, items); }

/* Return the number of items of the next piece, after one of `items` items that took `time` nanoseconds. */
static int64_t next_piece(const struct parallel_job *job, int64_t items, int64_t time) {
    double factor = (double)PIECE_TIME / (double)(time > 1 ? time : 1);
    double next = (double)items * (factor < GROWTH ? factor : GROWTH);
    return next > (double)job->n ? job->n : next > (double)job->grain ? (int64_t)next : job->grain;
}

/* Return the operations of a piece of `items` items, as far as loops inside it count: 0 if it is short. */
static double nested_work(const struct parallel_job *job, int64_t items) {
    double work = job->work * ((double)items / (double)job->n);
    return work > NESTED_WORK ? work : 0;
}

/* Run the body on begin .. end-1 in pieces, until a request to stop. */
static void run_pieces(const struct parallel_job *job, int64_t begin, int64_t end) {
    double first = (double)job->n * (FIRST_WORK / job->work);
    int64_t fixed = atomic_load_explicit(&parallel_forced, memory_order_relaxed), time = 0;
    int64_t items = first > (double)job->grain ? (int64_t)first : job->grain;
    if (fixed) items = fixed;
    if (end - begin > items) time = clock_nanoseconds();
    while (begin < end && !stop_cut()) {
        int64_t next = end - begin > items ? begin + items : end;
        context_thread.work = fixed ? job->work : nested_work(job, next - begin);
        job->body(job->context, begin, next);
        begin = next;
        if (begin == end || fixed) continue;
        int64_t now = clock_nanoseconds();
        items = next_piece(job, items, now - time);
        time = now;
    }
}

/* Run the body on begin .. end-1. */
static void run_body(struct context_thread *t, const struct parallel_job *job, int64_t begin, int64_t end) {
    if (job->work > 0) {
        run_pieces(job, begin, end);
        t->work = job->work;
    } else {
        job->body(job->context, begin, end);
    }
    cache_fence(); /* the body may have used non-temporal stores */
}

/* Settings of a thread that are others in a part: those of the caller of parallel_for, and its position. */
struct inherited {
    ty_context *now;
    double work;
    int masked, place;
    bool inside;
};

/* Give the thread what part i has of its own and from the caller; return what the thread had. */
static struct inherited inherit(struct context_thread *t, const struct parallel_job *job, int i) {
    struct inherited before = {t->now, t->work, t->masked, t->place, t->inside};
    t->now = job->home;
    t->masked = job->masked;
    t->place = i;
    t->inside = true;
    return before;
}

/* Undo inherit, and collect whether the part has left early. */
static void give_back(struct context_thread *t, struct parallel_job *job, const struct inherited *before) {
    if (t->cut) atomic_store_explicit(&job->cut, t->cut, memory_order_relaxed);
    t->cut = 0;
    t->now = before->now;
    t->work = before->work;
    t->masked = before->masked;
    t->place = before->place;
    t->inside = before->inside;
}

/* Run part i of a parallel loop: the body on its share of the indices, with this thread's position and
   nesting flag set. */
static void run_range(void *context, int i) {
    struct parallel_job *job = context;
    int64_t share = job->n / job->ranges, extra = job->n % job->ranges;
    int64_t begin = i * share + (i < extra ? i : extra);
    struct context_thread *t = thread_now();
    struct inherited before = inherit(t, job, i);
    run_body(t, job, begin, begin + share + (i < extra));
    give_back(t, job, &before);
}

/* Run the ranges of a job on the pool of the caller's context, or on the library's threads. False, and nothing runs, if
   these are not available. */
static bool run_ranges(struct context_thread *t, struct parallel_job *job) {
    struct thread_pool pool;
    bool done = true;
    if (hooks_pool(&job->home->hooks, &pool))
        pool_run(&pool, job->ranges, run_range, job);
    else
        done = workers_run(job->ranges, job->ranges <= machine_processors(), run_range, job);
    if (done) t->cut = atomic_load_explicit(&job->cut, memory_order_relaxed);
    return done;
}

/* parallel_for of several ranges, of a long kernel, or on a thread whose range is not the first. */
static __attribute__((noinline)) void run_ranged(int width, int64_t n, int64_t grain,
                                                 void (*body)(void *, int64_t, int64_t), void *context,
                                                 struct context_thread *t) {
    int allowed = parallel_width_of(t); /* may be less now than when the caller was prepared */
    if (width > allowed) width = allowed;
    int64_t ranges = grain > 1 ? (n + grain - 1) / grain : n;
    if (ranges > width) ranges = width;
    struct parallel_job job = {(int)ranges, n,       body,      context, grain > 1 ? grain : 1,
                               t->now,      t->work, t->masked, t->cut};
    if (ranges > 1 && !t->inside && run_ranges(t, &job)) return;
    if (!t->place) {
        run_body(t, &job, 0, n);
        return;
    }
    job.ranges = 1;
    run_range(&job, 0);
    t->cut = atomic_load_explicit(&job.cut, memory_order_relaxed);
}

void parallel_for(int width, int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t),
                  void *context) {
    struct context_thread *t = thread_now();
    if (n <= 0 || t->cut) return; /* earlier parts of the kernel were left out */
    bool one = width <= 1 || n <= grain || t->inside;
    if (!one || t->place || t->work > 0) {
        run_ranged(width, n, grain, body, context, t);
        return;
    }
    body(context, 0, n);
    cache_fence();
}

void parallel_for_checked(int width, int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t),
                          void *context) {
    double work = context_thread.work;
    context_thread.work = 0;
    parallel_for(width, n, grain, body, context);
    context_thread.work = work;
}
