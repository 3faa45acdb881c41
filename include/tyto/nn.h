/*
 * Tyto: networks.  Layers and models (model.h, layers.h), losses, optimisers and a training loop, all composed of the
 * functions of tyto.h, so the same network runs eagerly and compiled.
 *
 * A trainer that comes back is never NULL, and NULL counts as one that has failed.  The first failure stays
 * and makes further calls do nothing; ty_trainer_error tells it as a sentence.  Zero in an option means its default.
 */
#ifndef TYTO_NN_H
#define TYTO_NN_H

#include <tyto/data.h>
#include <tyto/layers.h>
#include <tyto/loss.h>
#include <tyto/metrics.h>
#include <tyto/minimise.h>
#include <tyto/optimiser.h>
#include <tyto/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The network that `tyto demo` trains, for images (28,28,1) of bytes: x/256, conv 5x5x32 relu,
   max-pool 2x2, dropout 0.1, fully connected 1024 relu, linear 10. */
TY_API ty_model *ty_lenet(ty_model_options options);

/* ---- training -------------------------------------------------------------------------------- */

typedef struct ty_trainer ty_trainer;

/* The loss of a batch, one number, by calls of the model with this key.  batch[0 .. n): the parts of the batch.  It may call
   the model several times, each of which goes on from the states that the one before left, and other models, of which nothing
   changes; so networks that learn from each other have a trainer each, whose objectives call both (examples/dcgan.c). */
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

/* Batches of the first n fields of a loader's examples.  The loader outlives what uses it and leaves out an epoch's last
   batch (drop_last), since all batches of a training have one form.  n 0: all fields. */
TY_API ty_batch_source ty_loader_source(ty_loader *loader, int n);

/* Parameters whose names begin with `prefix` learn otherwise; the first group that fits counts. */
typedef struct ty_group {
    const char *prefix;
    double rate;  /* factor of the rate; 0 means 1, TY_ZERO 0 */
    double decay; /* weight decay instead of the optimiser's; TY_ZERO: none */
} ty_group;

typedef struct ty_trainer_options {
    ty_tensor
        *inputs; /* (n, shape of an input...), values; NULL: an objective draws all it needs by its key, from
                               batches without parts, of which an epoch has one */
    ty_tensor *targets;     /* (n) integers, or what the loss takes; NULL where an objective needs none */
    ty_tensor *const *more; /* nmore further parts, for an objective */
    int nmore;
    const ty_batch_source *source; /* instead of inputs and targets; copied */
    int64_t batch;                 /* 0 means 100, at most all; 1: stochastic; TY_ALL_EXAMPLES: all */
    ty_order order;                /* of data.h: shuffled, in order, or sampled */
    uint64_t seed;                 /* of the order of examples and of dropout */
    ty_optimiser optimiser;        /* no rule: Adagrad */
    ty_tensor *(*loss)(ty_tensor *prediction, ty_tensor *target); /* NULL: ty_cross_entropy */
    ty_objective objective;                                       /* instead of model, loss and target */
    void *context;                                                /* of the objective */
    const ty_group *groups;                                       /* ngroups of them; copied, prefixes too */
    int ngroups;
    int64_t accumulate; /* a step's gradient is the mean of those of so many parts of the batch; 0 means 1 */
    /* the rate of each step; where it has no rate of its own, a factor of the optimiser's; copied */
    const ty_schedule *schedule;
    double clip_value;       /* elements of gradients stay below; 0: any */
    double clip_norm;        /* the norm of each gradient; 0: any */
    double clip_global_norm; /* the norm of all gradients together; 0: any */
    double l1, l2;           /* the loss gets l1 |x| + l2 x^2 of all parameters that learn */
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
/* The model that it trains. */
TY_API ty_model *ty_trainer_model(const ty_trainer *trainer);
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
/* The same of one epoch of a source, whose first two parts are inputs and labels. */
TY_API double ty_trainer_accuracy_of(ty_trainer *trainer, const ty_batch_source *source, ty_tensor **error);

/* The mean loss of examples in inference, over batches of the training's size and a last, smaller one: of n parts in memory
   (inputs, targets, ...), or of one epoch of a source where that is given.  NaN on failure: *error as above. */
TY_API double ty_trainer_evaluate(ty_trainer *trainer, int n, ty_tensor *const *parts,
                                  const ty_batch_source *source, ty_tensor **error);

/* Parameters, optimiser states, step, rate, seed and options, written atomically; after ty_trainer_load
   (which takes over step, rate and seed) further steps have the same bits as if never stopped.  A damaged or
   mismatching file changes nothing.  False: *error as above; the trainer stays usable. */
TY_API bool ty_trainer_save(const ty_trainer *trainer, const char *path, ty_tensor **error);
TY_API bool ty_trainer_load(ty_trainer *trainer, const char *path, ty_tensor **error);

/* Where a training stands at the end of an epoch. */
typedef struct ty_epoch {
    int64_t epoch, epochs, step; /* done; planned; steps done */
    double loss;                 /* mean over the epoch's steps */
    double validation;           /* mean loss of the examples for validation; NaN: there are none */
    double accuracy;             /* share of right classes among them; NaN: not asked for */
    double rate;
    bool best;          /* the validation, else the loss, is the least so far */
    int64_t since_best; /* epochs */
    double ms, seconds; /* of a step; since the call */
} ty_epoch;

typedef struct ty_fit_options {
    int64_t epochs;               /* passes over the examples, those done before included */
    ty_tensor *const *validation; /* nvalidation parts of examples: inputs, targets, ... */
    int nvalidation;
    const ty_batch_source *validation_source; /* instead */
    /* of the model's classes on the first part for validation against the labels in the second */
    bool accuracy;
    int64_t patience;       /* stop after so many epochs without a best one; 0: never */
    double least_change;    /* by which a best epoch is below the one before */
    const char *best;       /* file that gets the parameters and states of the best epoch; NULL: none */
    const char *checkpoint; /* file that gets a checkpoint of the training after each epoch; NULL: none */
    bool (*step)(void *context, ty_moment now); /* after each step; false stops; NULL: nothing */
    bool (*epoch)(void *context, ty_epoch now); /* after each epoch; false stops; NULL: nothing */
    void *context;
} ty_fit_options;

/* Trains until `epochs` are done, or something stops it, which is no failure.  What is best so far and what this epoch's
   losses were is part of checkpoints, so a training that is resumed, after whichever step, ends where it would have ended and
   with the same bits; one that patience ended goes on with more patience alone.  Files to be written are tried first.

   False: *error tells why.  A loss that is not finite, of a step or of validation, is a failure that names the step, and the
   part and example of its batch that are not finite; with a loss scale it is one after 16 such steps in a row.  The trainer is
   as the step left it. */
TY_API bool ty_trainer_fit(ty_trainer *trainer, ty_fit_options options, ty_tensor **error);

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
