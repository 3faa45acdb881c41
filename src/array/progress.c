/*
 * Progress: the outermost work of a thread reports.  Steps of work inside it are occasions for a report, so that it
 * comes in time although an outer step takes long.
 */
#include "array/progress.h"
#include <time.h>
#include "array/location.h"
#include "array/scope.h"
#include "base/stop.h"

enum { INTERVAL = 100000000 }; /* nanoseconds between reports */

static _Thread_local struct progress *outermost;
static _Thread_local int depth;      /* works that are heard and have begun */
static _Thread_local bool reporting; /* the user's function runs: work inside it is not heard */

static int64_t nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Call the user's function. It may use all of the library, so the thread's place in it is restored afterwards: scopes,
   context, location, and the level of recording. */
static bool call(const struct progress_hook *hook, const ty_progress_state *state) {
    ty_context *context = context_retain(context_now());
    struct location location = location_now;
    uint16_t level = tensor_level;
    struct scope_fence fence = scope_fence();
    reporting = true;
    tensor_level = 0;
    bool goes_on = hook->report(hook->data, state);
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
    ty_progress_state state = {p->what, p->done, p->total, depth, ended, (double)(now - p->began) * 1e-9};
    return call(&hook, &state);
}

void progress_begin_heard(struct progress *p, const char *what, int64_t total) {
    p->heard = !reporting;
    if (reporting) return;
    int64_t now = depth ? 0 : nanoseconds();
    *p = (struct progress){true, false, what, 0, total, now, now};
    if (!depth++) outermost = p;
}

bool progress_step_heard(struct progress *p, int64_t done, struct fault *fault) {
    p->done = done;
    if (reporting) return true;
    if (!context_thread.stopped) {
        int64_t now = nanoseconds();
        if (now - outermost->last < INTERVAL || report(now, false)) return true;
        context_thread.stopped = true;
    }
    return fault ? stop_fault(fault, STOP_HEARD) : false;
}

void progress_end_heard(struct progress *p) {
    if (p == outermost) {
        if (p->told) report(nanoseconds(), true);
        outermost = NULL;
        context_thread.stopped = false;
    }
    depth--;
}
