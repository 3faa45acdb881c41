/*
 * From a graph of one example to that of many: every node that depends on what differs between examples is recorded anew
 * with an axis more in front, by its operator's rule (ops/core/batch.h); the others stay as they are.
 */
#ifndef GRAD_BATCH_H
#define GRAD_BATCH_H
#include "array/tensor.h"
#include "ops/core/batch.h"

/* out[i] = y[i] recomputed with each x[k] replaced by batched[k], which has the shape of x[k] with one more leading axis of
   length n, and its dtype; out[i] has that axis, too (repeated where y[i] depends on no x), and belongs to the innermost
   scope.  Of promises, and of tracked values, whose history is computed again.  False after a fault. */
bool batch_all(int ny, ty_tensor *const *y, int nx, ty_tensor *const *x, ty_tensor *const *batched, int64_t n,
               ty_tensor **out, struct fault *fault);

/* The same with what loops, branches and ty_vmap know besides. */
struct batch_job {
    int64_t n;
    int ny, nx;
    ty_tensor *const *y, *const *x, *const *replacements;
    const bool *batched; /* of replacements: it has the axis; else x's form */
    bool history;        /* also through the history of tracked values */
    bool values;         /* promises on the way are recorded anew: of values values come */
    uint16_t level;      /* what was made at a lesser level stays as it is */
};
/* differ[i]: out[i] has the axis; else it is the same for all examples and has y[i]'s form. */
bool batch_graph(const struct batch_job *job, ty_tensor **out, bool *differ, struct fault *fault);

/* Who computes, of an operator without a rule, one example after the other; src/control supplies it, which has loops. */
struct batch_fallback {
    ty_tensor *(*one_by_one)(const struct batch *b);
    void (*results_one_by_one)(const struct batch *b, int m, const int *which, ty_tensor **out);
};
extern const struct batch_fallback batch_fallback;
#endif
