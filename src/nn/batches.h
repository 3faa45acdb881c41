/*
 * Examples in the order of training.  The order of an epoch is a function of (seed, epoch) and the batch one
 * of (seed, step), so a training that is resumed sees what it would have seen.
 */
#ifndef NN_BATCHES_H
#define NN_BATCHES_H
#include "base/text.h"
#include <tyto/nn.h>

struct batches {
    ty_tensor *parts[2]; /* inputs, targets: contiguous values */
    size_t row_bytes[2]; /* of one example */
    void *rows[2];       /* one batch, gathered here */
    int64_t n, batch;
    int64_t epoch; /* whose order is in `order`; -1: none yet */
    uint64_t seed;
    int64_t *order;
};

/* Checks and retains the tensors; false with a fault. */
bool batches_open(struct batches *b, ty_tensor *inputs, ty_tensor *targets, int64_t batch, uint64_t seed,
                  struct fault *fault);
void batches_drop(struct batches *b);
static inline int64_t batches_per_epoch(const struct batches *b) { return b->n / b->batch; }
/* The batch of a step (0, 1, ...) as fresh values out[0], out[1]. */
bool batches_take(struct batches *b, int64_t step, ty_tensor *out[2], struct fault *fault);
/* Streams of random numbers under one seed. */
enum { STREAM_ORDER = 1, STREAM_DROPOUT = 2 };
#endif
