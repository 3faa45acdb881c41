/*
 * Examples in the order of training.  The order of an epoch is a function of (seed, epoch) and the batch one
 * of (seed, step), so a training that is resumed sees what it would have seen.
 */
#ifndef NN_BATCHES_H
#define NN_BATCHES_H
#include "base/text.h"
#include <tyto/nn.h>

enum { PARTS = 8 };

struct batches {
    int nparts;
    ty_tensor *parts[PARTS]; /* inputs, targets, ...: contiguous values */
    size_t row_bytes[PARTS]; /* of one example */
    void *rows[PARTS];       /* one batch, gathered here */
    int64_t n, batch;
    int64_t epoch; /* whose order is in `order`; -1: none yet */
    ty_order sampling;
    uint64_t seed;
    int64_t *order;
    ty_batch_source source; /* where source.batch is given, it alone */
};

/* Checks and retains the tensors; false with a fault. */
bool batches_open(struct batches *b, const ty_trainer_options *options, struct fault *fault);
void batches_drop(struct batches *b);
static inline int64_t batches_per_epoch(const struct batches *b) {
    return b->source.batch ? b->source.steps_per_epoch : b->batch ? b->n / b->batch : 0;
}
/* The batch of a step (0, 1, ...) as fresh values out[0 .. nparts). */
bool batches_take(struct batches *b, int64_t step, ty_tensor **out, struct fault *fault);
/* Streams of random numbers under one seed. */
enum { STREAM_ORDER = 1, STREAM_DROPOUT = 2 };
#endif
