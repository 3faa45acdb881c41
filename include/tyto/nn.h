/*
 * Tyto: networks.  Layers and models (model.h, layers.h), losses, optimisers and a training loop, all composed of the
 * functions of tyto.h, so the same network runs eagerly and compiled.
 *
 * A trainer that comes back is never NULL, and NULL counts as one that has failed.  The first failure stays
 * and makes further calls do nothing; ty_trainer_error tells it as a sentence.  Zero in an option means its default.
 */
#ifndef TYTO_NN_H
#define TYTO_NN_H

#include <tyto/layers.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The network that `tyto demo` trains, for images (28,28,1) of bytes: x/256, conv 5x5x32 relu,
   max-pool 2x2, dropout 0.1, fully connected 1024 relu, linear 10. */
TY_API ty_model *ty_lenet(ty_model_options options);

/* ---- losses: ty_cross_entropy of tyto.h, and ------------------------------------------------- */

/* Mean of squared differences over all elements. */
TY_API ty_tensor *ty_mse(ty_tensor *prediction, ty_tensor *target);

/* ---- optimisers: rows ------------------------------------------------------------------------ */

typedef struct ty_optimiser ty_optimiser;

/* One way to learn.  update: the new value of parameter x from its gradient g; states[] (the row's number of them, zeros
   at first) are replaced by their new values; step (1, 2, ...) is 0-d f64, rate 0-d of x's dtype; no number of `o` is 0
   for "the default" any more.  f16 and bf16 parameters come as f32, and so do their states.  Only public functions. */
typedef struct ty_rule {
    const char *name, *doc;
    int nstates;
    const char *states[2];                 /* names, as in checkpoints */
    double rate, momentum, beta2, epsilon; /* defaults */
    ty_tensor *(*update)(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states,
                         ty_tensor *step, ty_tensor *rate);
} ty_rule;

/* 0 itself, where a 0 means the default: {.rule = &ty_adam, .momentum = TY_ZERO} has beta1 = 0. */
#define TY_ZERO (-0.0)

/* {.rule = &ty_adam, .rate = 1e-3, .decay = 0.01, .decoupled = true} is AdamW.  Numbers: 0 is the rule's, TY_ZERO is 0. */
struct ty_optimiser {
    const ty_rule *rule;
    double rate;
    double momentum; /* momentum: of the velocity; Adam: beta1 */
    double beta2;    /* Adam: of the squares */
    double epsilon;
    double decay;   /* weight decay: added to the gradient, or */
    bool decoupled; /* ... taken from the parameter directly (Loshchilov and Hutter 2019) */
    bool nesterov;  /* momentum only */
};

extern TY_API const ty_rule ty_sgd, ty_momentum, ty_adagrad, ty_adam;
/* All rules, NULL-terminated. */
extern TY_API const ty_rule *const ty_rules[];
/* By name; NULL: none. */
TY_API const ty_rule *ty_rule_find(const char *name);
/* One step of an optimiser on one parameter, decay included: the new x; states[] are replaced.  On values and
   on promises alike (then each is the value of a ty_update).  step and rate: 0-d f64; rate NULL: the
   optimiser's. */
TY_API ty_tensor *ty_optimise(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states,
                              ty_tensor *step, ty_tensor *rate);

/* ---- training -------------------------------------------------------------------------------- */

typedef struct ty_trainer ty_trainer;

/* The loss of a batch, one number, by calls of the model with this key.  batch[0 .. n): the parts of the batch. */
typedef ty_tensor *(*ty_objective)(ty_model *model, ty_tensor *key, int n, ty_tensor *const *batch,
                                   void *context);

/* Where batches come from that are not in memory.  batch: fills parts[0 .. n) with the batch of a step (0, 1, ...), as a
   function of the step alone, so that a training that is resumed sees what it would have seen; false after a failure, whose
   sentence is a poisoned part. */
typedef struct ty_batch_source {
    void *context;
    int n;                   /* parts of a batch: inputs, targets, ... */
    int64_t steps_per_epoch; /* at least 1 */
    bool (*batch)(void *context, int64_t step, ty_tensor **parts);
} ty_batch_source;

/* In which order examples come: each once an epoch in an order of its own; as they lie; drawn with replacement. */
typedef enum ty_example_order { TY_SHUFFLED, TY_IN_ORDER, TY_DRAWN } ty_example_order;

/* Parameters whose names begin with `prefix` learn otherwise; the first group that fits counts. */
typedef struct ty_group {
    const char *prefix;
    double rate;  /* factor of the rate; 0 means 1, TY_ZERO 0 */
    double decay; /* weight decay instead of the optimiser's; TY_ZERO: none */
} ty_group;

typedef struct ty_trainer_options {
    ty_tensor *inputs;      /* (n, shape of an input...), values */
    ty_tensor *targets;     /* (n) integers, or what the loss takes; NULL where an objective needs none */
    ty_tensor *const *more; /* nmore further parts, for an objective */
    int nmore;
    const ty_batch_source *source; /* instead of inputs and targets; copied */
    int64_t batch;                 /* 0 means 100, at most all; 1: stochastic; -1: all */
    ty_example_order sampling;
    uint64_t seed;          /* of the order of examples and of dropout */
    ty_optimiser optimiser; /* no rule: Adagrad */
    ty_tensor *(*loss)(ty_tensor *prediction, ty_tensor *target); /* NULL: ty_cross_entropy */
    ty_objective objective;                                       /* instead of model, loss and target */
    void *context;                                                /* of the objective */
    const ty_group *groups;                                       /* ngroups of them; copied, prefixes too */
    int ngroups;
    int64_t accumulate; /* a step's gradient is the mean of those of so many parts of the batch; 0 means 1 */
    double
        loss_scale; /* gradients are computed of so many times the loss; a step with infinite ones is left out and
                           halves it, 2,000 steps without double it (Micikevicius et al. 2018); 0: 2^15 for models that
                           compute in f16, else none */
} ty_trainer_options;

/* Where a training stands. */
typedef struct ty_moment {
    int64_t step, steps; /* done; planned by ty_trainer_run */
    double epoch;        /* passes over the examples, fractions included */
    double loss;         /* of the last step */
    double ms;           /* median of the last steps */
    double seconds;      /* since ty_trainer_run began */
} ty_moment;

/* A trainer of `model`: compiled when the model is lazy, else eager; both compute the same.  Borrows the
   model, retains the tensors.  Ended with ty_trainer_free. */
TY_API ty_trainer *ty_trainer_new(ty_model *model, ty_trainer_options options);
TY_API void ty_trainer_free(ty_trainer *trainer);
TY_API const char *ty_trainer_error(const ty_trainer *trainer);
/* One step on the next batch; the loss before it, NaN on failure. */
TY_API double ty_trainer_step(ty_trainer *trainer);
/* Steps until `steps` are done; each(context, now), when given, is called after every step and stops the run
   by false.  True when all were done. */
TY_API bool ty_trainer_run(ty_trainer *trainer, int64_t steps, bool (*each)(void *context, ty_moment now),
                           void *context);
/* Steps done so far, and in one pass over the examples (the last partial batch is left out). */
TY_API int64_t ty_trainer_steps(const ty_trainer *trainer);
TY_API int64_t ty_trainer_steps_per_epoch(const ty_trainer *trainer);
/* A learning rate for the steps to come: call it before each for a schedule. */
TY_API void ty_trainer_set_rate(ty_trainer *trainer, double rate);
/* The compiled step, owned by the trainer; NULL before the first step, and always of an eager one. */
TY_API const ty_program *ty_trainer_program(const ty_trainer *trainer);
/* The share of inputs whose largest output is at the label, an integer; any number of inputs.  NaN on failure:
   *error as of ty_trainer_save; the trainer stays usable. */
TY_API double ty_trainer_accuracy(ty_trainer *trainer, ty_tensor *inputs, ty_tensor *labels,
                                  ty_tensor **error);

/* Parameters, optimiser states, step, rate, seed and options, written atomically; after ty_trainer_load
   (which takes over step, rate and seed) further steps have the same bits as if never stopped.  A damaged or
   mismatching file changes nothing.  False: *error as above; the trainer stays usable. */
TY_API bool ty_trainer_save(const ty_trainer *trainer, const char *path, ty_tensor **error);
TY_API bool ty_trainer_load(ty_trainer *trainer, const char *path, ty_tensor **error);

/* ---- progress line --------------------------------------------------------------------------- */

/* A `each` for ty_trainer_run that redraws one line, at most ten times a second: bar, step, loss, ms/step,
   time left.  Draws only when the file is a terminal and TERM is not dumb. */
typedef struct ty_progress {
    FILE *file;
    double drawn; /* seconds when last drawn; starts as 0 */
    int width;    /* columns drawn; starts as 0 */
} ty_progress;
TY_API bool ty_progress_draw(void *progress, ty_moment now);
/* Wipes the line. */
TY_API void ty_progress_end(ty_progress *progress);

#ifdef __cplusplus
}
#endif
#endif
