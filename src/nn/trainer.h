/*
 * A trainer records one step: forward, loss, gradient, new parameters and states. An eager trainer does so in
 * every step, on tracked parameters, and assigns the results. A compiled one does it once, on variables, and
 * the program performs the updates. Everything that a step reads (batch, key, step, rate) is an input.
 */
#ifndef NN_TRAINER_H
#define NN_TRAINER_H
#include "base/for_command.h"
#include <float.h>
#include <tyto/graph.h>
#include <tyto/io.h>
#include "nn/batches.h"
#include "nn/model/model.h"

enum input { INPUT_KEY = PARTS, INPUT_STEP, INPUT_RATE, INPUTS };
enum { TIMES = 32 };
/* State of loss scaling: the factor, and the steps since it changed. */
enum scale { SCALE_FACTOR, SCALE_STEPS, SCALES };

/* A learning parameter and how it learns. */
struct learner {
    ty_tensor *parameter; /* owned by the model */
    double rate;          /* factor of the learning rate */
    double decay;
    int states; /* index of its first state in updates */
};

/* A trainer; borrows the model, which must outlive it. It has no lock. */
struct ty_trainer {
    ty_model *model;
    ty_trainer_options options;
    struct fault fault;
    bool stopped; /* the fault is a request to stop in a step, which the next step does again */
    struct batches batches;
    /* Variables in a compiled trainer, values in an eager one; the parts of a batch come first. */
    ty_tensor *inputs[INPUTS];
    ty_group *groups; /* owned copy of the options' groups */
    bool scheduled;
    ty_schedule schedule; /* copy of the schedule, with owned lists */
    double *schedule_lists;
    uint64_t schedule_hash; /* hash of the schedule's numbers */
    int nlearners;
    struct learner *learners;
    int nupdates; /* learning parameters, their states, states of the model, loss scale */
    ty_update *updates;
    int means, model_states, scales; /* indices in updates */
    bool at_means; /* the model has the means, and the variables of means have the parameters that learn */
    ty_loss_options loss_options; /* of options.loss_with; its tensors are retained */
    ty_program *program;          /* compiled step; NULL: eager or not compiled yet */
    ty_function *evaluator;       /* compiled loss of a batch in inference */
    int64_t step;                 /* number of completed steps */
    double rate, loss;
    double best; /* least loss at the end of an epoch, as ty_trainer_fit measures it; NaN: none yet */
    int64_t since_best;
    /* Sum of the losses of epoch_steps steps of the current epoch, for ty_trainer_fit. */
    double epoch_loss;
    int64_t epoch_steps;
    double times[TIMES]; /* ring of the last durations in milliseconds */
    int nkept;
    ty_tensor **kept; /* copies of parameters and states of the best epoch; NULL: not kept */
    char *note;       /* caller's text saved with checkpoints; NULL: none */
};

/* Replaces NULL where a trainer is expected. */
extern struct ty_trainer trainer_null;
/* Numbers of ty_trainer_options that change a step; those with a range become f32. */
extern const struct attributes trainer_numbers;
/* Return t without const; for NULL the static trainer_null, which has failed. */
static inline ty_trainer *trainer_of(const ty_trainer *t) {
    return t ? (ty_trainer *)(uintptr_t)t : &trainer_null;
}
/* Return true if a learning rate is valid: finite and not negative; 0 pauses. */
static inline bool trainer_takes_rate(double rate) { return rate >= 0 && rate <= DBL_MAX; }

/* Make n variables of zeros like list[i], named by a prefix and the name of list[i], and retain them in copies[i]; false
   sets the fault, and copies[] has none. */
bool trainer_copies_make(int n, ty_tensor *const *list, const char *prefix, ty_tensor **copies,
                         struct fault *fault);
/* Release n copies. */
void trainer_copies_drop(int n, ty_tensor **copies);
/* Assign the values of n variables from[i] to to[i], all at once; false sets the fault, which may be set before. */
bool trainer_copy(int n, ty_tensor *const *to, ty_tensor *const *from, struct fault *fault);

/* Return true if the trainer keeps means of parameters. */
static inline bool trainer_averages(const ty_trainer *t) { return t->options.average > 0; }
/* Append the variables of means to t->updates; false sets t->fault. */
bool trainer_means_make(ty_trainer *t);
/* Record the next means of the learning parameters in t->updates, whose next values are there; false sets t->fault. */
bool trainer_means_record(ty_trainer *t);
/* Give the model the means, or the parameters that learn; does nothing without means.  False sets the fault. */
bool trainer_means_use(ty_trainer *t, bool means, struct fault *fault);
/* Append a variable with a value and a name to t->updates; false sets t->fault. */
bool trainer_add_variable(ty_trainer *t, ty_tensor *value, const char *name);
/* Return true if the trainer compiles its steps. */
static inline bool trainer_lazy(const ty_trainer *t) { return t->model->options.lazy; }
/* Return x for use in an update: itself in a compiled trainer, else detached, as the optimiser must not be
   recorded as history. */
static inline ty_tensor *trainer_plain(const ty_trainer *t, ty_tensor *x) {
    return trainer_lazy(t) ? x : ty_detach(x);
}

/* Keep copies of the model's parameters and states as those of the best epoch; false sets the fault. */
bool trainer_best_keep(ty_trainer *t, struct fault *fault);
/* Give the model the values of the best epoch, if they were kept; false sets the fault. */
bool trainer_best_restore(ty_trainer *t, struct fault *fault);
/* Make t->kept, which is NULL, of zeros, to be loaded; false sets the fault. */
bool trainer_best_make(ty_trainer *t, struct fault *fault);
/* Return true if a checkpoint has values of a best epoch. */
bool trainer_best_held(const ty_trainer *t, const ty_archive *archive);
/* Drop the values of the best epoch. */
void trainer_best_drop(ty_trainer *t);

/* Keep a copy of a text for later checkpoints; false if text is NULL or without memory. */
bool trainer_set_note(struct ty_trainer *t, const char *text) FOR_COMMAND(trainer_set_note);
/* Return the text that was kept or loaded with a checkpoint; NULL if there is none. */
const char *trainer_note(const struct ty_trainer *t) FOR_COMMAND(trainer_note);

/* Create the parameters and list learners and updates; false sets the trainer's fault. */
bool trainer_prepare(ty_trainer *t);
/* Record a whole step, with new values in t->updates; return the loss, or NULL with the trainer's fault
   set. */
ty_tensor *trainer_record(ty_trainer *t);
/* Return the loss of a batch as a tensor of one element, or poison. batch[] holds its parts; key is for
   dropout, NULL means inference. */
ty_tensor *trainer_loss(ty_trainer *t, ty_tensor *const *batch, ty_tensor *key);
/* Score of an epoch of a source in inference: sums over `count` examples. */
struct trainer_score {
    bool loss_wanted, accuracy_wanted;
    double sum;           /* sum of the losses of examples */
    int64_t right, count; /* correctly classified examples, and all examples */
};
/* Evaluate one epoch of the source and add loss, hits and count to s, as s->loss_wanted and
   s->accuracy_wanted request; false sets the fault. */
bool trainer_score(ty_trainer *t, const ty_batch_source *source, struct trainer_score *s,
                   struct fault *fault);
/* Return true if the trainer scales the loss. */
static inline bool trainer_scales(const ty_trainer *t) { return t->options.loss_scale > 0; }
/* Return a time in seconds from a clock that never goes back. */
double trainer_seconds(void) FOR_COMMAND(trainer_seconds);
#endif
