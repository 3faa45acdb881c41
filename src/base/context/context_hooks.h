/* Functions of the caller's that belong to a context: its thread pool, and the function that hears of progress.  They
   change while other threads compute, so readers copy them under a lock. */
#ifndef BASE_CONTEXT_HOOKS_H
#define BASE_CONTEXT_HOOKS_H
#include <stdatomic.h>
#include <tyto/hooks.h>
#include "base/threads/pool.h"

struct progress_hook {
    bool (*report)(void *data, const ty_progress_state *now);
    void *data;
};

/* Hooks of a context; the static lock of context_hooks.c guards the structs.  A flag that is false spares the lock. */
struct context_hooks {
    atomic_bool pooled, heard;
    struct thread_pool pool;
    struct progress_hook progress;
};

/* False if the hooks have no pool; true if they may have one. */
static inline bool hooks_pooled(const struct context_hooks *hooks) {
    return atomic_load_explicit(&hooks->pooled, memory_order_relaxed);
}
/* Copy the pool of the hooks to *pool.  False if there is none. */
bool hooks_pool(struct context_hooks *hooks, struct thread_pool *pool);
/* Set the pool; NULL: none. */
void hooks_set_pool(struct context_hooks *hooks, const struct thread_pool *pool);
/* Copy the function for progress to *hook.  False if there is none. */
bool hooks_progress(struct context_hooks *hooks, struct progress_hook *hook);
/* Set the function for progress; its `report` is NULL: none. */
void hooks_set_progress(struct context_hooks *hooks, struct progress_hook hook);
#endif
