/*
 * Each thread has a share of the strands, the same ones in every run, whose memory is in its caches.  Then it takes
 * those that others have not begun.  If a kernel fails, all kernels before it in the order still run, since one of them may
 * fail, too: the first one that fails is reported.
 */
#include "compile/runs/sections_run.h"
#include <limits.h>
#include "base/context/stop.h"
#include "base/threads/lock.h"
#include "base/threads/parallel.h"
#include "compile/runs/parts.h"
#include "compile/routine.h"
#include "compile/runs/stepped.h"

LOCK(lock) /* guards the fault of a section that fails */

enum { WORD = 64 };
_Static_assert(STRANDS_MOST % WORD == 0, "whole words of strands");

/* A section that runs. */
struct running_section {
    struct routine_run *run;
    const struct section *section;
    const struct context_thread *home; /* the thread that runs the routine */
    int width;
    _Atomic uint64_t taken[STRANDS_MOST / WORD]; /* a bit for each strand that a thread has taken */
    atomic_int failed;   /* the first kernel that has failed; INT_MAX: none; -1: a request to stop */
    atomic_bool stopped; /* for a request to stop */
    struct fault *fault;
};

const struct section *sections_begin_some(const struct context_thread *t, const struct flow *f, int k) {
    const struct section *s = section_of(f, k);
    if (!s || s->first != k || t->inside || stop_counts()) return NULL;
    return parallel_width_of(t) > 1 ? s : NULL;
}

/* Record that kernel k has failed. */
static void fail(struct running_section *r, int k, const struct fault *fault) {
    bool stops = stop_said(fault);
    if (stops) {
        k = -1;
        atomic_store(&r->stopped, true);
    }
    lock_take(&lock);
    if (k < atomic_load(&r->failed)) {
        fault_clear(r->fault);
        if (fault->set) fault_copy(r->fault, fault);
        atomic_store(&r->failed, k);
    }
    lock_give(&lock);
}

bool routine_run_kernel(const struct routine_run *r, int k, struct fault *fault) {
    void *workspace = routine_workspace(r->plan, r->arena, k);
    if (r->incremental && incremental_runs(r->incremental, k) == RUNS_PARTS)
        return parts_launch(r->incremental, r->flow, k, r->slots, workspace, fault);
    if (r->program) return stepped_start(r->program, k, workspace, fault);
    return routine_start(r->flow, &r->flow->kernels[k], r->slots, workspace, fault);
}

/* Launch kernel k, unless it is up to date, and count it and the elements of its results. False, with the fault set, on
   failure. */
static bool launch(struct running_section *r, int k, int64_t *launched, int64_t *computed,
                   struct fault *fault) {
    struct routine_run *run = r->run;
    if (run->incremental && incremental_runs(run->incremental, k) == RUNS_NOT) return true;
    ++*launched;
    if (run->incremental) *computed += parts_computed(run->incremental, run->flow, k);
    if (run->progress && run->progress->heard && thread_now() == r->home &&
        !progress_step(run->progress, r->section->first + atomic_load(&run->launched), fault))
        return false;
    return routine_run_kernel(run, k, fault);
}

static void run_strand(struct running_section *r, const struct strand *strand) {
    const int *kernels = r->run->flow->sections.kernels;
    /* threads write the common counters seldom: they share a cache line with what they read */
    int64_t launched = 0, computed = 0;
    struct fault fault;
    fault_clear(&fault);
    for (int i = strand->first; i < strand->first + strand->count; i++) {
        if (atomic_load_explicit(&r->failed, memory_order_relaxed) < kernels[i]) break;
        if (launch(r, kernels[i], &launched, &computed, &fault)) continue;
        fail(r, kernels[i], &fault);
        break;
    }
    atomic_fetch_add_explicit(&r->run->launched, launched, memory_order_relaxed);
    atomic_fetch_add_explicit(&r->run->computed, computed, memory_order_relaxed);
}

/* True if strand i of the section was free; it is taken then. */
static bool take(struct running_section *r, int i) {
    uint64_t bit = (uint64_t)1 << i % WORD;
    return !(atomic_fetch_or_explicit(&r->taken[i / WORD], bit, memory_order_relaxed) & bit);
}

/* Run the strands of share number `share` that are free; of all shares, if it is -1.  Shares are dealt forwards and
   backwards in turn, since the strands become less costly. */
static void run_free(struct running_section *r, int64_t share) {
    const struct section *s = r->section;
    for (int i = 0; i < s->nstrands; i++) {
        int place = i % r->width, whose = i / r->width % 2 ? r->width - 1 - place : place;
        if ((share < 0 || whose == share) && take(r, i))
            run_strand(r, &r->run->flow->sections.strands[s->strands + i]);
    }
}

/* Run the shares begin .. end-1 of the strands, then what is left. Task of parallel_for; context is a struct
   running_section. */
static void run_strands(void *context, int64_t begin, int64_t end) {
    struct running_section *r = context;
    bool other = thread_now() != r->home, quiet = false;
    const atomic_bool *before = NULL;
    if (other) { /* progress is told on the thread of the call alone, whose function may stop it */
        quiet = progress_quiet(true);
        before = stop_follow(&r->stopped);
    }
    for (int64_t share = begin; share < end; share++) run_free(r, share);
    run_free(r, -1);
    if (other) {
        progress_quiet(quiet);
        stop_follow(before);
    }
}

bool section_run(struct routine_run *run, const struct section *s, struct fault *fault) {
    int width = run->flow->sections.width < s->nstrands ? run->flow->sections.width : s->nstrands;
    struct running_section r = {
        .run = run, .section = s, .home = thread_now(), .fault = fault, .width = width};
    for (int i = 0; i < STRANDS_MOST / WORD; i++) atomic_init(&r.taken[i], 0);
    atomic_init(&r.failed, INT_MAX);
    atomic_init(&r.stopped, false);
    parallel_for_checked(width, width, 1, run_strands, &r);
    return atomic_load(&r.failed) == INT_MAX;
}
