/*
 * Owl's LSTM (its chapter on computation graphs) as a training step for benchmarks of graphs: loss, gradients, Adagrad.
 * Sizes: window 100, batch 100, embedding 40, LSTM 128, linear 512, softmax.
 */
#ifndef BENCH_LSTM_H
#define BENCH_LSTM_H
#include <tyto/tyto.h>

enum { LSTM_MOST = 64 };
/* Recorded outputs and updates. */
struct lstm_graph {
    int noutputs, nupdates;
    ty_tensor *outputs[LSTM_MOST];
    ty_update updates[LSTM_MOST];
};

/* Variants: one operator after the other; a scan over products computed before; a scan over words; a scan
   with checkpoints. */
enum { LSTM_UNROLLED, LSTM_SCAN, LSTM_WORDS_INSIDE, LSTM_CHECKPOINTS, LSTM_WAYS };
extern const char *const lstm_ways[LSTM_WAYS];

/* Record variant `how` into a zeroed graph; ends the process with a message on error. */
void lstm_record(struct lstm_graph *g, int how);
#endif
