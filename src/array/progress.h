/*
 * Progress of long work, reported to the function of the thread's context (ty_context_set_progress).  If there is
 * none, progress_begin costs a load, and progress_step a test.
 *
 *     struct progress p;
 *     progress_begin(&p, "solve", most);
 *     for (int64_t i = 0; i < most && progress_step(&p, i, &fault); i++) ...
 *     progress_end(&p);
 *
 * The function is foreign code: at progress_step and progress_end no lock may be held except that of a program, for
 * which threads inside a run do not wait (program_enter).
 */
#ifndef ARRAY_PROGRESS_H
#define ARRAY_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>
#include "base/context/context.h"
#include "base/text.h"

/* One piece of work, on the stack of the thread that does it. */
struct progress {
    bool heard; /* begun while the context had a function */
    bool told;  /* has been reported at least once */
    const char *what;
    int64_t done, total;
    int64_t began, last; /* nanoseconds of the monotonic clock; `last`: of the last report */
};

enum { PROGRESS_INSIDE = -1 }; /* a total: the units are those of the work inside */

/* Let this thread never report: it is one of the library's. */
void progress_mute(void);
/* If `on`, let this thread not report while it does a part of the work of another one; false ends that.  Return the
   setting before. */
bool progress_quiet(bool on);
/* Test hook: overrides the nanoseconds between reports; 0 means the real ones. */
void progress_force(int64_t nanoseconds);

/* progress_begin, progress_step, progress_end of work that is heard. */
void progress_begin_heard(struct progress *p, const char *what, int64_t total);
bool progress_step_heard(struct progress *p, int64_t done, struct fault *fault);
void progress_end_heard(struct progress *p);
/* End work that is not the outermost; if it is, because none is around, it ends unreported. */
void progress_end_inside(struct progress *p);

/* True if the thread's context has a function for progress. */
static inline bool progress_heard(void) {
    return atomic_load_explicit(&context_now()->hooks.heard, memory_order_relaxed);
}
/* progress_begin on the calling thread, whose state is t. */
static inline void progress_begin_of(const struct context_thread *t, struct progress *p, const char *what,
                                     int64_t total) {
    p->heard = atomic_load_explicit(&t->now->hooks.heard, memory_order_relaxed);
    if (p->heard) progress_begin_heard(p, what, total);
}
/* Begin work called `what`, a static word, of `total` units; 0: unknown.  Work nests on a thread; end the newest
   first. */
static inline void progress_begin(struct progress *p, const char *what, int64_t total) {
    progress_begin_of(thread_now(), p, what, total);
}
/* Begin work whose units are those of the work inside it, which appears under the word `what`. */
static inline void progress_name(struct progress *p, const char *what) {
    progress_begin(p, what, PROGRESS_INSIDE);
}
/* Report that `done` units are done, if it is time. False, with the fault set unless it is NULL, if the user's function
   stopped the call. */
static inline bool progress_step(struct progress *p, int64_t done, struct fault *fault) {
    return !p->heard || progress_step_heard(p, done, fault);
}
/* End the work; the last report comes from here. */
static inline void progress_end(struct progress *p) {
    if (p->heard) progress_end_heard(p);
}
static inline void progress_leave(struct progress *p) { progress_end(p); }

/* Name the work of a function from here to its end. */
#define PROGRESS_NAMED(word)                                                                                 \
    struct progress progress_named __attribute__((cleanup(progress_leave)));                                 \
    progress_name(&progress_named, word)

/* Report that `done` of `total` units of the work around are done, if it has a name alone and it is time. False, with
   the fault set unless it is NULL, if the user's function stopped the call. */
static inline bool progress_at(int64_t done, int64_t total, struct fault *fault) {
    struct progress here;
    progress_begin(&here, "", total);
    bool goes_on = progress_step(&here, done, fault);
    if (here.heard) progress_end_inside(&here);
    return goes_on;
}
/* Report the work around, which has not advanced, if it is time; as progress_at. */
static inline bool progress_occasion(struct fault *fault) { return progress_at(0, PROGRESS_INSIDE, fault); }

#endif
