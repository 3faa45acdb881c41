/*
 * A trainer records one step: forward, loss, gradient, new parameters and states.  The eager kind does so
 * every time, on tracked parameters, and assigns the results; the compiled kind does so once, on variables,
 * and the compiled program carries the updates.  Everything that a step reads (batch, key, step, rate) is an
 * input.
 */
#ifndef NN_TRAINER_H
#define NN_TRAINER_H
#include <float.h>
#include <tyto/graph.h>
#include "nn/batches.h"
#include "nn/model/model.h"

enum input { INPUT_KEY = PARTS, INPUT_STEP, INPUT_RATE, INPUTS };
enum { TIMES = 32 };
/* What a trainer keeps for gradients of a scaled loss. */
enum scale { SCALE_FACTOR, SCALE_STEPS, SCALES };

/* One parameter that learns, and how. */
struct learner {
    ty_tensor *parameter; /* the model's */
    double rate;          /* factor of the rate */
    double decay;
    int states; /* place of its first state in updates */
};

struct ty_trainer {
    ty_model *model;
    ty_trainer_options options;
    struct fault fault;
    struct batches batches;
    ty_tensor *inputs
        [INPUTS]; /* variables of the compiled kind, plain values of the eager one; the parts of a batch first */
    ty_group *groups; /* those of the options */
    bool scheduled;
    ty_schedule schedule; /* with lists of its own */
    double *schedule_lists;
    uint64_t schedule_hash; /* of its numbers */
    int nlearners;
    struct learner *learners;
    int nupdates; /* parameters that learn, their states, then the states of the model, then those of the scale */
    ty_update *updates;
    int model_states, scales; /* places in updates */
    ty_program *program;      /* the step; NULL: not compiled yet, or eager */
    ty_function *evaluator;   /* the loss of a batch in inference, of the compiled kind */
    int64_t step;             /* done */
    double rate, loss;
    double best; /* least loss at the end of an epoch, as ty_trainer_fit measures it; NaN: none yet */
    int64_t since_best;
    double
        epoch_loss; /* sum over those steps of the epoch that ty_trainer_fit has seen; all of them: its end is to come */
    int64_t epoch_steps;
    double times[TIMES]; /* milliseconds of the last steps, a ring */
    char *note;          /* a text of the caller's that goes with checkpoints; NULL: none */
};

/* What NULL means where a trainer is expected. */
extern struct ty_trainer trainer_null;
static inline ty_trainer *trainer_of(const ty_trainer *t) {
    return t ? (ty_trainer *)(uintptr_t)t : &trainer_null;
}
/* What a rate may be: 0 is a pause in a schedule. */
static inline bool trainer_takes_rate(double rate) { return rate >= 0 && rate <= DBL_MAX; }
/* Gives an input its value for this step; false after a fault. */
bool trainer_feed(const struct ty_trainer *t, ty_tensor **input, ty_tensor *value, struct fault *fault);

/* Keeps a copy of a text, which checkpoints from now on have; false: no memory. */
bool trainer_set_note(struct ty_trainer *t, const char *text);
/* The text that was kept, or came with the checkpoint that was loaded; NULL: none. */
const char *trainer_note(const struct ty_trainer *t);

/* The parts of trainer_record.c: makes the parameters, lists what learns, and what a step updates. */
bool trainer_prepare(ty_trainer *t);
/* Records the whole step, new values into updates[]; returns the loss, NULL after a fault. */
ty_tensor *trainer_record(ty_trainer *t);
/* The loss of a batch, one number, or poison; key NULL: in inference. */
ty_tensor *trainer_loss(ty_trainer *t, ty_tensor *const *batch, ty_tensor *key);
/* What one epoch of a source comes to, in inference: sums over `count` examples. */
struct trainer_score {
    bool loss_wanted, accuracy_wanted;
    double sum;           /* of losses */
    int64_t right, count; /* examples whose class is the label; all */
};
/* Adds to the sums; false after a fault. */
bool trainer_score(ty_trainer *t, const ty_batch_source *source, struct trainer_score *s,
                   struct fault *fault);
static inline bool trainer_scales(const ty_trainer *t) { return t->options.loss_scale > 0; }
#endif
