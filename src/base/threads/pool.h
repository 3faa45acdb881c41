/*
 * Jobs on the caller's thread pool (ty_thread_pool).  A pool is foreign code: it may leave parts out, run them twice,
 * or call them when the job has ended.  Each part runs exactly once all the same.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H
#include <stdbool.h>

/* A pool; the public header hooks.h is the contract of its functions. */
struct thread_pool {
    void *context;
    int (*threads)(void *context);
    bool (*run)(void *context, int parts, void (*part)(void *data, int i), void *data);
};

/* Return the number of parts that the pool runs at once, at least 1. */
int pool_width(const struct thread_pool *pool);
/* Call part(context, i) once for each 0 <= i < parts <= WORKERS_MOST + 1, on threads of the pool and the caller, and
   return when all have returned.  The caller runs parts that the pool left out, and all if the pool refuses. */
void pool_run(const struct thread_pool *pool, int parts, void (*part)(void *context, int i), void *context);
#endif
