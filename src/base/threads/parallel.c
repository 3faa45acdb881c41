/*
 * parallel_for: static ranges on the threads of workers.c.  If those are not available, the caller runs
 * everything.
 */
#include "base/threads/parallel.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <tyto/core.h>
#include "base/machine/cache.h"
#include "base/machine/environment.h"
#include "base/machine/machine.h"
#include "base/threads/workers.h"

enum { THREADS_MOST = WORKERS_MOST + 1 };
static _Atomic int chosen; /* 0: the default */

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

void ty_set_threads(int n) { atomic_store(&chosen, n > 0 ? (n < THREADS_MOST ? n : THREADS_MOST) : 0); }
int ty_threads(void) { return parallel_width(); }

static _Thread_local bool alone;
bool parallel_alone(bool on) {
    bool before = alone;
    alone = on;
    return before;
}

int parallel_width(void) {
    if (!WORKERS_BUILT || alone) return 1;
    int n = atomic_load_explicit(&chosen, memory_order_relaxed);
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
};

/* Run part i of a parallel loop: the body on its share of the indices, with this thread's position and
   nesting flag set. */
static void run_range(void *context, int i) {
    const struct parallel_job *job = context;
    int64_t share = job->n / job->ranges, extra = job->n % job->ranges;
    int64_t begin = i * share + (i < extra ? i : extra);
    int place_before = place;
    bool inside_before = inside;
    place = i;
    inside = true;
    job->body(job->context, begin, begin + share + (i < extra));
    cache_fence(); /* the body may have used non-temporal stores */
    place = place_before;
    inside = inside_before;
}

void parallel_for(int width, int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t),
                  void *context) {
    if (n <= 0) return;
    int allowed = parallel_width(); /* read now, because the caller may have been prepared when more
                                       threads were allowed */
    if (width > allowed) width = allowed;
    int64_t ranges = grain > 1 ? (n + grain - 1) / grain : n;
    if (ranges > width) ranges = width;
    struct parallel_job job = {(int)ranges, n, body, context};
    if (ranges > 1 && !inside && workers_run((int)ranges, ranges <= machine_processors(), run_range, &job))
        return;
    if (!place) {
        body(context, 0, n);
        cache_fence();
        return;
    }
    job.ranges = 1;
    run_range(&job, 0);
}
