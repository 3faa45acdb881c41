/*
 * Vectorising a graph over a batch of examples. Nodes that depend on a batched tensor are recorded anew with
 * the batch axis in front, by their operator's rule (ops/core/batch.h). Other nodes are kept.
 */
#ifndef GRAD_BATCH_H
#define GRAD_BATCH_H
#include "array/tensor.h"
#include "ops/core/batch.h"

/* Compute out[i] = y[i] with each x[k] replaced by batched[k], which is [n, shape of x[k]] with the dtype of
   x[k]. out[i] is [n, shape of y[i]], repeated if y[i] depends on no x, and belongs to the innermost scope.
   Promises and the history of tracked values are followed. False after a fault. */
bool batch_all(int ny, ty_tensor *const *y, int nx, ty_tensor *const *x, ty_tensor *const *batched, int64_t n,
               ty_tensor **out, struct fault *fault);

/* Arguments of batch_graph: outputs y[ny], and x[nx] with their replacements. */
struct batch_job {
    int64_t n;
    int ny, nx;
    ty_tensor *const *y, *const *x, *const *replacements;
    const bool *batched; /* by x: the replacement has the batch axis; else it has the shape of x */
    bool history;        /* also follow the history of tracked values */
    bool values;         /* also record promises anew, so that values give values */
    uint16_t level;      /* nodes of a lower level are kept */
};
/* Write job->y[i], with job->x replaced, to out[i]. differ[i]: out[i] has the batch axis; else it is the same
   for all examples and has the shape of y[i]. The outputs belong to the innermost scope. False after a fault. */
bool batch_graph(const struct batch_job *job, ty_tensor **out, bool *differ, struct fault *fault);

/* Batches operators that have no batch rule by a loop over the examples. Defined in src/control, which has
   loops. */
struct batch_fallback {
    /* returns the batched result of an operator with one result */
    ty_tensor *(*one_by_one)(const struct batch *b);
    /* writes batched results which[0..m) of an operator with several to out */
    void (*results_one_by_one)(const struct batch *b, int m, const int *which, ty_tensor **out);
};
extern const struct batch_fallback batch_fallback;
#endif
