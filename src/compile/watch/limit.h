/* A limit of the operations that one thread's kernels may take: for expressions out of an untrusted text. */
#ifndef COMPILE_WATCH_LIMIT_H
#define COMPILE_WATCH_LIMIT_H
#include "ops/core/watch.h"

struct work_limit {
    double most, left;
    struct work_limit *outer; /* the limit around this one, which is charged too */
};

/* Kernels that this thread starts are charged from here on to the end.  most: operations (struct work), above 0. */
void work_limit_begin(struct work_limit *limit, double most);
void work_limit_end(struct work_limit *limit);
/* Charges a launch; false with a sentence where the kernel needs more than is left, and then nothing is charged. */
bool work_limit_charge(const struct launch *l, struct fault *fault);
#endif
