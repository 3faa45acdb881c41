/* Hook around every kernel launch, eager or of a program, for profiles and NaN traps.  If none is active, it costs one
   read of a flag. */
#ifndef OPS_CORE_WATCH_H
#define OPS_CORE_WATCH_H
#include <stdatomic.h>
#include "base/context/context.h"
#include "ops/core/kernel/kernel.h"

struct prepared;
struct launch {
    const struct kernel *kernel;
    struct prepared *shared; /* its preparation; NULL: a loop, a branch or rows */
    const struct flow *flow; /* flow that names its operands; NULL: an eager operator */
    void *const *slots;
    void *workspace;
    bool (*run)(const struct launch *l, struct fault *fault);
};

enum { WATCH_TIME = 1, WATCH_NUMBERS = 2 };
/* Active flags. */
extern atomic_int launch_watched;

/* Table of the function that launches a kernel under observation.  False and fault set on failure.  Defined in
   src/compile/watch. */
struct watcher {
    bool (*watch)(const struct launch *l, struct fault *fault);
};
extern const struct watcher watcher;

/* Check requests to stop and limits of operations before a launch, in the slow way. */
bool launch_asked(const struct kernel *k, struct fault *fault);
/* True if the thread, whose state is t, may launch kernel k now.  False, with the fault set, if its context asks to
   stop, or if operations are limited to fewer than k needs. */
static inline bool launch_allowed(const struct context_thread *t, const struct kernel *k,
                                  struct fault *fault) {
    int asked = atomic_load_explicit(&t->now->asked, memory_order_relaxed);
    return (!asked && !t->limit) || launch_asked(k, fault);
}

/* Return the active WATCH_ flags, 0 if no launch is watched. */
static inline int launch_watches(void) { return atomic_load_explicit(&launch_watched, memory_order_relaxed); }
#endif
