/* tyto train: settings, and the state of one training. */
#ifndef TOOLS_TRAIN_TRAIN_H
#define TOOLS_TRAIN_TRAIN_H
#include <tyto/nn.h>
#include "tools/network/data.h"
#include "tools/train/curves.h"

struct train_settings {
    const char *tokenizer;
    int64_t vocabulary;
    const char *network, *data, *target, *save, *resume, *log, *best, *plot, *weights, *augment, *export;
    int optimiser, loss, schedule; /* indices of names; -1: not given */
    int layout;
    int64_t epochs, batch, threads, limit, every, classes, patience, warmup, accumulate, sample;
    uint64_t seed;
    int task; /* index of names: a ty_task */
    int64_t folds, swa;
    double rate, decay, held_out, test, clip, ema;
    bool eager, quiet, half, balanced, find_rate, skip_bad;
    struct option_list frozen, weighted; /* prefixes of parameters; weights of classes */
    ty_loss_options loss_options;
    struct reader_in reader;
};

/* State of one run of the command. */
struct session {
    const struct train_settings *s;
    struct network network;
    struct data data;
    struct labels labels; /* names of classes */
    ty_trainer *trainer;
    ty_batch_source source, held_out; /* over loaded examples */
    bool by_class;
    ty_progress progress;
    struct curve *curves; /* training, validation */
    FILE *log;
    double validation, accuracy; /* validation loss and accuracy at the end of the last epoch */
    int64_t tested_at, saved_at; /* steps */
    double saved;                /* seconds of trainer_seconds when an epoch was last saved */
    int64_t epochs, batch;       /* those of the settings, or chosen by the data */
    int64_t patience;            /* epochs without a best one that end the training; 0: none */
    int64_t fold;
    double score; /* accuracy or R2 of a table's test; NaN: none */
    bool failed;
};

/* Return the number of the loss: that of the settings, or one that fits the targets. */
int session_loss(const struct session *r);
/* Return true if data, network and loss fit; false after a message on stderr.  It makes the parameters of the model. */
bool session_fits(struct session *r);
/* Open data and network and make the trainer; false after a message on stderr.  Free the members in any case. */
bool session_open(struct session *r);
/* Load weights or a checkpoint if requested, train and finish; return the exit status. */
int session_train(struct session *r);
/* Print losses over a range of rates, and the suggested rate; return the exit status. */
int session_find_rate(struct session *r);
/* Return schedule name i, NULL behind the last one. */
const char *schedule_name(int i);
#endif
