/*
 * Progress of long work, reported to the function of the thread's context (ty_context_set_progress).  If there is
 * none, progress_begin costs a load, and progress_step a test.
 *
 *     struct progress p;
 *     progress_begin(&p, "solve", most);
 *     for (int64_t i = 0; i < most && progress_step(&p, i, &fault); i++) ...
 *     progress_end(&p);
 *
 * The function is foreign code: no lock may be held at progress_step and progress_end.
 */
#ifndef ARRAY_PROGRESS_H
#define ARRAY_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>
#include "base/context.h"
#include "base/text.h"

/* One piece of work, on the stack of the thread that does it. */
struct progress {
    bool heard; /* begun while the context had a function */
    bool told;  /* reported at least once */
    const char *what;
    int64_t done, total;
    int64_t began, last; /* nanoseconds of the monotonic clock; `last`: of the last report */
};

/* progress_begin, progress_step, progress_end of work that is heard. */
void progress_begin_heard(struct progress *p, const char *what, int64_t total);
bool progress_step_heard(struct progress *p, int64_t done, struct fault *fault);
void progress_end_heard(struct progress *p);

/* Begin work called `what`, a static word, of `total` units; 0: unknown.  Work nests on a thread; end the newest
   first. */
static inline void progress_begin(struct progress *p, const char *what, int64_t total) {
    p->heard = atomic_load_explicit(&context_now()->hooks.heard, memory_order_relaxed);
    if (p->heard) progress_begin_heard(p, what, total);
}
/* Set the total, once it is known. */
static inline void progress_total(struct progress *p, int64_t total) { p->total = total; }
/* Report that `done` units are done, if it is time. False, with the fault set unless it is NULL, if the user's function
   stopped the call. */
static inline bool progress_step(struct progress *p, int64_t done, struct fault *fault) {
    return !p->heard || progress_step_heard(p, done, fault);
}
/* End the work; the last report comes from here. */
static inline void progress_end(struct progress *p) {
    if (p->heard) progress_end_heard(p);
}
#endif
