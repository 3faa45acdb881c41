/*
 * The door of every kernel that starts, eager or of a program: who watches (a profile, the trap of numbers that are none,
 * a limit of operations) stands there.  While nobody does, it costs one look at a flag.
 */
#ifndef OPS_CORE_WATCH_H
#define OPS_CORE_WATCH_H
#include <stdatomic.h>
#include "ops/core/kernel.h"

struct prepared;
struct launch {
    const struct kernel *kernel;
    struct prepared *shared; /* what was prepared for it; NULL: a loop, a branch or rows */
    const struct flow *flow; /* where its operands have names; NULL: an eager operator */
    void *const *slots;
    void *workspace;
    bool (*run)(const struct launch *l, struct fault *fault);
};

enum { WATCH_TIME = 1, WATCH_NUMBERS = 2, WATCH_WORK = 4 };
/* Flags that are on; WATCH_WORK is added for each limit, so the bits from there on are their number. */
extern atomic_int launch_watched;

/* Runs the launch and looks on; false after a fault.  src/compile/watch supplies it. */
struct watcher {
    bool (*watch)(const struct launch *l, struct fault *fault);
};
extern const struct watcher watcher;

static inline int launch_watches(void) { return atomic_load_explicit(&launch_watched, memory_order_relaxed); }
#endif
