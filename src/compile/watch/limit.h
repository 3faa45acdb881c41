/* Limits on the operations of a thread's kernels, for untrusted expressions. */
#ifndef COMPILE_WATCH_LIMIT_H
#define COMPILE_WATCH_LIMIT_H
#include "ops/core/watch.h"

/* A limit, on the caller's stack: operations allowed in all, operations left. */
struct work_limit {
    double most, left;
    struct work_limit *outer; /* the enclosing limit, charged too */
};

/* Charge kernels that this thread launches to `limit` until work_limit_end. most: operations (struct work),
   above 0. */
void work_limit_begin(struct work_limit *limit, double most);
/* End the limit, the one that this thread began last. */
void work_limit_end(struct work_limit *limit);
/* Charge launch l to all limits of the thread. False with a message if it exceeds one; then nothing is
   charged. */
bool work_limit_charge(const struct launch *l, struct fault *fault);
#endif
