/*
 * Owl's LSTM (its chapter on computation graphs: window 100, batch 100, embedding 40, LSTM 128, linear 512, softmax) as a
 * step of training: loss, gradients, Adagrad.  For benchmarks of graphs.
 */
#ifndef BENCH_LSTM_H
#define BENCH_LSTM_H
#include <tyto/tyto.h>

enum { LSTM_MOST = 64 };
/* What is recorded: outputs and updates. */
struct lstm_graph {
    int noutputs, nupdates;
    ty_tensor *outputs[LSTM_MOST];
    ty_update updates[LSTM_MOST];
};

/* The ways to write it: one operator after the other; a scan over products made before; a scan over words; the same with
   checkpoints. */
enum { LSTM_UNROLLED, LSTM_SCAN, LSTM_WORDS_INSIDE, LSTM_CHECKPOINTS, LSTM_WAYS };
extern const char *const lstm_ways[LSTM_WAYS];

/* Records it into a zeroed graph; ends the process with a sentence where that fails. */
void lstm_record(struct lstm_graph *g, int how);
#endif
