/*
 * Progress: the outermost work of a thread reports.  Steps of work inside it are occasions for a report, so that it
 * comes in time although an outer step takes long.
 */
#include "array/progress.h"
#include <stdatomic.h>
#include "array/location.h"
#include "array/scope.h"
#include "base/machine/clock.h"
#include "base/context/stop.h"

enum { INTERVAL = 100000000 }; /* nanoseconds between reports */

static _Atomic int64_t interval = INTERVAL;
void progress_force(int64_t nanoseconds) { atomic_store(&interval, nanoseconds ? nanoseconds : INTERVAL); }

static _Thread_local struct progress *outermost; /* its word is reported */
static _Thread_local struct progress *counted;   /* its units are reported: the outermost that counts any */
static _Thread_local int64_t shown_done,
    shown_total;                     /* last units of `counted`, which the last report repeats */
static _Thread_local int depth;      /* works that are heard and have begun */
static _Thread_local bool reporting; /* the user's function runs: work inside it is not heard */

/* Call the user's function. It may use all of the library, so the thread's place in it is restored afterwards: scopes,
   context and what it is doing in it, location, and the level of recording. */
static bool call(const struct progress_hook *hook, const ty_progress_state *state) {
    struct context_thread *t = thread_now(), thread = *t;
    ty_context *context = context_retain(t->now);
    struct location location = location_now;
    uint16_t level = tensor_level;
    struct scope_fence fence = scope_fence();
    reporting = true;
    tensor_level = 0;
    t->stopped = t->alone = false, t->masked = t->cut = 0, t->work = 0;
    bool goes_on = hook->report(hook->data, state);
    t->stopped = thread.stopped, t->alone = thread.alone, t->masked = thread.masked;
    t->cut = thread.cut, t->work = thread.work;
    tensor_level = level;
    reporting = false;
    scope_fence_end(fence);
    location_now = location;
    if (context_now() != context) ty_context_use(context);
    context_release(context);
    return goes_on;
}

/* Report the outermost work, `now` in nanoseconds. False if the user's function stops it. */
static bool report(int64_t now, bool ended) {
    struct progress *p = outermost;
    struct progress_hook hook;
    p->last = now;
    if (!hooks_progress(&context_now()->hooks, &hook)) return true;
    p->told = true;
    if (counted) shown_done = counted->done, shown_total = counted->total;
    ty_progress_state state = {p->what, shown_done, shown_total,
                               depth,   ended,      (double)(now - p->began) * 1e-9};
    return call(&hook, &state);
}

void progress_begin_heard(struct progress *p, const char *what, int64_t total) {
    p->heard = !reporting;
    if (reporting) return;
    int64_t now = depth ? 0 : clock_nanoseconds();
    *p = (struct progress){true, false, what, 0, total, now, now};
    if (!depth++) outermost = p, shown_done = shown_total = 0;
    if (!counted && total != PROGRESS_INSIDE) counted = p;
}

void progress_mute(void) { reporting = true; }

bool progress_quiet(bool on) {
    bool before = reporting;
    reporting = on;
    return before;
}

bool progress_step_heard(struct progress *p, int64_t done, struct fault *fault) {
    p->done = done;
    struct context_thread *t = thread_now();
    if (reporting || t->masked) return true;
    if (!t->stopped) {
        int64_t now = clock_nanoseconds();
        bool due = now - outermost->last >= atomic_load_explicit(&interval, memory_order_relaxed);
        if (t->held || !due || report(now, false)) return true;
        t->stopped = true;
    }
    return fault ? stop_fault(fault, STOP_HEARD) : false;
}

void progress_end_inside(struct progress *p) {
    if (p == outermost) p->told = false;
    progress_end_heard(p);
}

void progress_end_heard(struct progress *p) {
    if (p == outermost) {
        if (p->told && !context_thread.held) report(clock_nanoseconds(), true);
        outermost = NULL;
        context_thread.stopped = false;
    }
    if (p == counted) counted = NULL, shown_done = p->done, shown_total = p->total;
    depth--;
}
