/*
 * Batches of training examples. The order of an epoch depends only on (seed, epoch) and a batch only on (seed,
 * step), so a resumed training sees the same batches.
 */
#ifndef NN_BATCHES_H
#define NN_BATCHES_H
#include "base/text.h"
#include <tyto/nn.h>

enum { PARTS = 8 };

/* Training examples of a trainer, in memory or from a source; owned by the trainer. */
struct batches {
    int nparts;
    ty_tensor *parts[PARTS]; /* inputs, targets, ...: contiguous values, one reference each */
    size_t row_bytes[PARTS]; /* bytes of one example */
    void *rows[PARTS];       /* scratch buffer for one batch */
    int64_t n, batch;
    int64_t epoch; /* epoch of `order`; -1: none yet */
    ty_order sampling;
    uint64_t seed;
    int64_t *order;
    ty_batch_source source; /* replaces all parts if source.batch is set */
};

/* Check and retain the tensors or the source of a trainer; false sets the fault. Call batches_drop in any
   case. */
bool batches_open(struct batches *b, const ty_trainer_options *options, struct fault *fault);
/* Release the tensors and free the memory of b. */
void batches_drop(struct batches *b);
/* Return the number of steps in an epoch, without an incomplete last batch; 0 if b has no batches yet. */
static inline int64_t batches_per_epoch(const struct batches *b) {
    return b->source.batch ? b->source.steps_per_epoch : b->batch ? b->n / b->batch : 0;
}
/* Set out[0..nparts) to the batch of `step`, counted from 0: new values owned by the current scope, or the
   source's. False sets the fault. */
bool batches_take(struct batches *b, int64_t step, ty_tensor **out, struct fault *fault);
/* Streams of random numbers under one seed. */
enum { STREAM_ORDER = 1, STREAM_DROPOUT = 2 };
#endif
