/*
 * parallel_for: static ranges on the threads of workers.c, or on the caller's pool.  If those are not available, the
 * caller runs everything.
 */
#include "base/threads/parallel.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <tyto/core.h>
#include "base/context.h"
#include "base/stop.h"
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
const struct environment_row environment_threads = {"TY_NUM_THREADS", "a number from 1 to 1024", allows};

/* True if `value`, of OMP_NUM_THREADS, is valid. It may be a list, such as "4,2", with one number per nesting
   level; only the first is checked. */
static bool allows_list(const char *value) {
    long n = strtol(value, NULL, 10);
    return n > 0 && n <= THREADS_MOST;
}
static const struct environment_row openmp = {"OMP_NUM_THREADS", "numbers", allows_list};

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

int parallel_width(void) {
    const struct context_thread *t = &context_thread;
    struct thread_pool pool;
    if (t->alone) return 1;
    int n = atomic_load_explicit(&t->now->threads, memory_order_relaxed);
    if (hooks_pool(&t->now->hooks, &pool)) {
        int most = pool_width(&pool);
        return n && n < most ? n : most;
    }
    if (!WORKERS_BUILT) return 1;
    return n ? n : default_threads();
}

static _Thread_local int place;
static _Thread_local bool inside;
int parallel_index(void) { return place; }

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
   PIECE_TIME by the clock, at most GROWTH times the one before. */
enum { FIRST_WORK = 1 << 15, PIECE_TIME = 5000000, GROWTH = 8 };
_Atomic int64_t parallel_forced;

void parallel_force_pieces(int64_t items) { atomic_store(&parallel_forced, items); }

/* Return the number of items of the next piece, after one of `items` items that took `time` nanoseconds. */
static int64_t next_piece(const struct parallel_job *job, int64_t items, int64_t time) {
    double factor = (double)PIECE_TIME / (double)(time > 1 ? time : 1);
    double next = (double)items * (factor < GROWTH ? factor : GROWTH);
    return next > (double)job->n ? job->n : next > (double)job->grain ? (int64_t)next : job->grain;
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
        job->body(job->context, begin, next);
        begin = next;
        if (begin == end || fixed) continue;
        int64_t now = clock_nanoseconds();
        items = next_piece(job, items, now - time);
        time = now;
    }
}

/* Run the body on begin .. end-1.  Loops inside it are not long for themselves. */
static void run_body(const struct parallel_job *job, int64_t begin, int64_t end) {
    if (job->work > 0) {
        context_thread.work = 0;
        run_pieces(job, begin, end);
        context_thread.work = job->work;
    } else {
        job->body(job->context, begin, end);
    }
    cache_fence(); /* the body may have used non-temporal stores */
}

/* Settings that a part takes over from the caller of parallel_for. */
struct inherited {
    ty_context *now;
    double work;
    int masked;
};

/* Give the thread what a part inherits from the caller; return what the thread had. */
static struct inherited inherit(const struct parallel_job *job) {
    struct context_thread *t = &context_thread;
    struct inherited before = {t->now, t->work, t->masked};
    t->now = job->home;
    t->masked = job->masked;
    return before;
}

/* Undo inherit, and collect whether the part has left early. */
static void give_back(struct parallel_job *job, const struct inherited *before) {
    struct context_thread *t = &context_thread;
    if (t->cut) atomic_store_explicit(&job->cut, t->cut, memory_order_relaxed);
    t->cut = 0;
    t->now = before->now;
    t->work = before->work;
    t->masked = before->masked;
}

/* Run part i of a parallel loop: the body on its share of the indices, with this thread's position and
   nesting flag set. */
static void run_range(void *context, int i) {
    struct parallel_job *job = context;
    int64_t share = job->n / job->ranges, extra = job->n % job->ranges;
    int64_t begin = i * share + (i < extra ? i : extra);
    int place_before = place;
    bool inside_before = inside;
    place = i;
    inside = true;
    struct inherited before = inherit(job);
    run_body(job, begin, begin + share + (i < extra));
    give_back(job, &before);
    place = place_before;
    inside = inside_before;
}

/* Run the ranges of a job on the pool of the caller's context, or on the library's threads. False, and nothing runs, if
   these are not available. */
static bool run_ranges(struct parallel_job *job) {
    struct thread_pool pool;
    bool done = true;
    if (hooks_pool(&job->home->hooks, &pool))
        pool_run(&pool, job->ranges, run_range, job);
    else
        done = workers_run(job->ranges, job->ranges <= machine_processors(), run_range, job);
    if (done) context_thread.cut = atomic_load_explicit(&job->cut, memory_order_relaxed);
    return done;
}

void parallel_for(int width, int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t),
                  void *context) {
    struct context_thread *t = &context_thread;
    if (n <= 0 || t->cut) return;   /* earlier parts of the kernel were left out */
    int allowed = parallel_width(); /* read now, because the caller may have been prepared when more
                                       threads were allowed */
    if (width > allowed) width = allowed;
    int64_t ranges = grain > 1 ? (n + grain - 1) / grain : n;
    if (ranges > width) ranges = width;
    struct parallel_job job = {(int)ranges, n,       body,      context, grain > 1 ? grain : 1,
                               t->now,      t->work, t->masked, t->cut};
    if (ranges > 1 && !inside && run_ranges(&job)) return;
    if (!place) {
        run_body(&job, 0, n);
        return;
    }
    job.ranges = 1;
    run_range(&job, 0);
    t->cut = atomic_load_explicit(&job.cut, memory_order_relaxed);
}

void parallel_for_checked(int width, int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t),
                          void *context) {
    double work = context_thread.work;
    context_thread.work = 0;
    parallel_for(width, n, grain, body, context);
    context_thread.work = work;
}
