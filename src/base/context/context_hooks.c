#include "base/context/context_hooks.h"
#include "base/threads/lock.h"

LOCK(lock)

bool hooks_pool(struct context_hooks *hooks, struct thread_pool *pool) {
    if (!hooks_pooled(hooks)) return false;
    lock_take(&lock);
    *pool = hooks->pool;
    lock_give(&lock);
    return pool->run != NULL;
}

void hooks_set_pool(struct context_hooks *hooks, const struct thread_pool *pool) {
    lock_take(&lock);
    hooks->pool = pool ? *pool : (struct thread_pool){0};
    atomic_store(&hooks->pooled, pool != NULL);
    lock_give(&lock);
}

bool hooks_progress(struct context_hooks *hooks, struct progress_hook *hook) {
    if (!atomic_load_explicit(&hooks->heard, memory_order_relaxed)) return false;
    lock_take(&lock);
    *hook = hooks->progress;
    lock_give(&lock);
    return hook->report != NULL;
}

void hooks_set_progress(struct context_hooks *hooks, struct progress_hook hook) {
    lock_take(&lock);
    hooks->progress = hook;
    atomic_store(&hooks->heard, hook.report != NULL);
    lock_give(&lock);
}
