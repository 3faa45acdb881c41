/*
 * Networks.  Layers and models (model.h, layers.h), losses, optimisers and a training loop, all composed of the
 * functions of tyto.h, so that the same network runs eagerly and compiled.
 *
 * A returned trainer is never NULL; NULL as an argument counts as one that has failed.  The first failure is kept:
 * further calls do nothing, and ty_trainer_error returns its message.  Zero in an option stands for its default.
 */
#ifndef TYTO_NN_H
#define TYTO_NN_H

#include <tyto/data.h>
#include <tyto/hooks.h>
#include <tyto/layers.h>
#include <tyto/loss.h>
#include <tyto/metrics.h>
#include <tyto/minimise.h>
#include <tyto/optimiser.h>
#include <tyto/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- training -------------------------------------------------------------------------------- */

/* The state of a training: batches, step, states of the optimiser. */
typedef struct ty_trainer ty_trainer;

/* Return the loss of a batch, one number, from calls of the model with this key; batch[0 .. n) are the parts of the
   batch.  It may call the model several times: each call goes on from the states that the previous one left.  It
   may also call other models, which it does not change; so networks that learn from each other have a trainer each
   (examples/dcgan.c). */
typedef ty_tensor *(*ty_objective)(ty_model *model, ty_tensor *key, int n, ty_tensor *const *batch,
                                   void *context);

/* A source of batches that are not in memory. */
typedef struct ty_batch_source {
    void *context;
    int n;                   /* parts of a batch: inputs, targets, ... */
    int64_t steps_per_epoch; /* at least 1 */
    /* Fill parts[0 .. n) with the batch of a step (0, 1, ...), as a function of the step alone, so that a resumed
       training sees the same batches.  False on failure, with a poisoned part as the reason. */
    bool (*batch)(void *context, int64_t step, ty_tensor **parts);
    const void *unused[4]; /* 0: room for later members */
} ty_batch_source;

/* Return a source of batches of the first n fields (n 0: all) of a loader's examples.  For a failed loader its
   batches fail.  The loader must outlive the source's users, and must leave out an epoch's last partial batch
   (drop_last), since all batches of a training have one shape. */
TY_API ty_batch_source ty_loader_source(ty_loader *loader, int n);

/* Settings for parameters whose names begin with `prefix`; the first group that fits counts. */
typedef struct ty_group {
    const char *prefix;
    double rate;      /* factor of the learning rate; 0 means 1, TY_ZERO: 0 */
    double decay;     /* weight decay instead of the optimiser's; TY_ZERO: none */
    double unused[4]; /* 0: room for later members */
} ty_group;

/* Options of a trainer; zeros are the defaults. */
typedef struct ty_trainer_options {
    /* (n, shape of an input...), values; NULL: an objective draws its inputs by its key, from batches without
       parts, one for each epoch */
    ty_tensor *inputs;
    ty_tensor *targets;     /* (n) integers, or the loss's targets; NULL if an objective needs none */
    ty_tensor *const *more; /* nmore further parts, for an objective */
    int nmore;
    const ty_batch_source *source; /* instead of inputs and targets; copied */
    int64_t batch;          /* examples; 0 means 100, at most all; 1: stochastic; TY_ALL_EXAMPLES: all */
    ty_order order;         /* of data.h: shuffled, in order, or sampled */
    uint64_t seed;          /* of the order of examples and of dropout */
    ty_optimiser optimiser; /* without a rule: Adagrad */
    ty_tensor *(*loss)(ty_tensor *prediction, ty_tensor *target); /* NULL: ty_cross_entropy */
    ty_objective objective;                                       /* instead of model, loss and target */
    void *context;                                                /* of the objective */
    const ty_group *groups;                                       /* ngroups entries; copied, prefixes too */
    int ngroups;
    int64_t accumulate; /* number of parts of the batch whose gradients are averaged in a step; 0 means 1 */
    /* learning rate of each step; if it has no rate of its own, a factor of the optimiser's; copied */
    const ty_schedule *schedule;
    double clip_value;       /* limit for elements of gradients; 0 means none */
    double clip_norm;        /* limit for the norm of each gradient; 0 means none */
    double clip_global_norm; /* limit for the norm of all gradients together; 0 means none */
    double l1, l2;           /* the loss gets l1 |x| + l2 x^2 for all parameters that learn */
    /* factor of the loss while gradients are computed (Micikevicius et al. 2018).  A step with infinite gradients
       is skipped and halves it; 2,000 steps without one double it.  0: 2^15 for models that compute in f16, else
       none */
    double loss_scale;
    /* A compiled step writes over parameters as soon as it can, not last (ty_compile_options: stoppable).  That takes
       less memory, by at most the size of all gradients, but only the first part of a step can be stopped. */
    bool early_updates;
    bool unused[7];
    /* keep means of the parameters that learn: the share of the old mean that stays, such as 0.999 (exponential, Polyak
       and Juditsky 1992), or 1 for the mean of all values (Izmailov et al. 2018).  While fewer than 1 / (1 - average)
       values count, it is their mean.  0: none */
    double average;
    int64_t average_from;  /* first step after which values count, from 1; 0 means 1 */
    int64_t average_every; /* steps from one value that counts to the next; 0 means 1 */
    ty_loss loss_with;     /* instead of `loss`: a loss with options, such as ty_loss_named("focal") */
    const ty_loss_options *loss_options; /* of loss_with; copied, tensors retained; NULL: the defaults */
    size_t loss_bytes;                   /* sizeof *loss_options */
} ty_trainer_options;

/* State of a training after a step. */
typedef struct ty_moment {
    int64_t step, steps; /* steps done; steps planned by ty_trainer_run */
    double epoch;        /* passes over the examples, fractions included */
    double loss;         /* of the last step */
    double ms;           /* median time of the last steps, in milliseconds */
    double seconds;      /* since ty_trainer_run began */
} ty_moment;

TY_API ty_trainer *ty_trainer_new_sized(ty_model *model, const ty_trainer_options *options, size_t size);
/* Make a trainer of `model`: compiled if the model is lazy, else eager; both compute the same.  The model, and the
   contexts of objective and source, must outlive it; tensors are retained, options copied.  Never NULL:
   ty_trainer_error returns the reason of a failure.  The caller frees it with ty_trainer_free. */
TY_INLINE ty_trainer *ty_trainer_new(ty_model *model, ty_trainer_options options) {
    return ty_trainer_new_sized(model, &options, sizeof options);
}
/* Free a trainer, but not its model.  NULL is allowed. */
TY_API void ty_trainer_free(ty_trainer *trainer);
/* Return the message of a trainer's first failure, "" if there is none.  The text lives as long as the trainer. */
TY_API const char *ty_trainer_error(const ty_trainer *trainer);
/* Return the error of a trainer as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it has not failed. */
TY_API ty_tensor *ty_trainer_failure(const ty_trainer *trainer);
/* Do one step on the next batch.  Returns the loss before it; NaN on failure, which ty_trainer_error explains. */
TY_API double ty_trainer_step(ty_trainer *trainer);
/* Do steps until `steps` are done in total, earlier ones included.  each(context, now), unless NULL, is called
   after every step and stops the run by returning false.  Returns true if all steps were done; false if it was
   stopped or failed (ty_trainer_error). */
TY_API bool ty_trainer_run(ty_trainer *trainer, int64_t steps,
                           bool (*each)(void *context, const ty_moment *now), void *context);
/* Return the model that is trained; the trainer borrows it from the caller.  Never NULL; a failed model for a
   NULL trainer. */
TY_API ty_model *ty_trainer_model(const ty_trainer *trainer);
/* Return the number of steps done so far, those of a loaded checkpoint included.  0 for NULL. */
TY_API int64_t ty_trainer_steps(const ty_trainer *trainer);
/* Return the number of steps of a pass over the examples; the last partial batch is left out.  0 for NULL. */
TY_API int64_t ty_trainer_steps_per_epoch(const ty_trainer *trainer);
/* Set the learning rate of the next steps, a finite number of 0 or more; another one is the trainer's failure. */
TY_API void ty_trainer_set_rate(ty_trainer *trainer, double rate);
/* Give the model the means of its parameters (ty_trainer_options.average), `means` false: the parameters that learn
   again, which a step takes up by itself.  Before average_from, means are the parameters.  False, no change, and the
   reason in *error (NULL: not wanted) if the trainer keeps no means or has failed. */
TY_API bool ty_trainer_use_means(ty_trainer *trainer, bool means, ty_tensor **error);
/* Return the compiled step, which the trainer owns; NULL before the first step, and always for an eager trainer. */
TY_API const ty_program *ty_trainer_program(const ty_trainer *trainer);
/* Return the share (0 to 1) of inputs (n, shape of an input...) whose largest output is at the label.  `labels` (n)
   are integers from 0.  NaN on failure, with the reason in *error unless NULL: a poisoned tensor that the scope
   owns.  The trainer stays usable. */
TY_API double ty_trainer_accuracy(ty_trainer *trainer, ty_tensor *inputs, ty_tensor *labels,
                                  ty_tensor **error);
/* Return the accuracy over one epoch of a source, whose first two parts are inputs and labels: the share of
   inputs whose largest output is at the label.  NaN on failure, with the reason in *error unless NULL: a
   poisoned tensor that the scope owns. */
TY_API double ty_trainer_accuracy_of(ty_trainer *trainer, const ty_batch_source *source, ty_tensor **error);

/* Return the mean loss in inference, over batches of the training's size and a last, smaller one.  Examples are n
   parts, as many as in training, in memory (inputs, targets, ...), or one epoch of `source` unless that is NULL.
   NaN on failure, with the reason in *error unless NULL: a poisoned tensor that the scope owns. */
TY_API double ty_trainer_evaluate(ty_trainer *trainer, int n, ty_tensor *const *parts,
                                  const ty_batch_source *source, ty_tensor **error);

/* Write a checkpoint to the file `path`, atomically: parameters, optimiser states, step, rate, seed and options.  If the
   trainer keeps means of parameters, these have the names of parameters, for ty_model_load.
   False on failure, with the reason in *error unless NULL: a poisoned tensor that the scope owns.  The trainer
   stays usable. */
TY_API bool ty_trainer_save(const ty_trainer *trainer, const char *path, ty_tensor **error);
/* Read a checkpoint of ty_trainer_save, with step, rate and seed; further steps are bitwise those of an
   uninterrupted training.  A damaged or mismatching file changes nothing.  False on failure, with the reason in
   *error unless NULL: a poisoned tensor that the scope owns.  The trainer stays usable. */
TY_API bool ty_trainer_load(ty_trainer *trainer, const char *path, ty_tensor **error);

/* State of a training at the end of an epoch. */
typedef struct ty_epoch {
    int64_t epoch, epochs, step; /* epochs done; epochs planned; steps done */
    double loss;                 /* mean over the epoch's steps */
    double validation;           /* mean loss of the validation examples; NaN: there are none */
    double accuracy;             /* share of right classes among them; NaN: not requested */
    double rate;
    /* the validation loss, else the loss, is the least so far */
    bool best;
    int64_t since_best; /* epochs since the best one */
    double ms, seconds; /* time of a step in milliseconds; seconds since the call */
} ty_epoch;

/* Options of ty_trainer_fit; zeros are the defaults. */
typedef struct ty_fit_options {
    int64_t epochs;               /* passes over the examples, earlier ones included */
    ty_tensor *const *validation; /* nvalidation parts of examples: inputs, targets, ... */
    int nvalidation;
    const ty_batch_source *validation_source; /* instead */
    /* compute the accuracy: the model's classes of the first validation part against the labels in the second */
    bool accuracy;
    int64_t patience;       /* stop after this number of epochs without a best one; 0 means never */
    double least_change;    /* decrease that makes an epoch a best one */
    const char *best;       /* file for the parameters and states of the best epoch; NULL: none */
    const char *checkpoint; /* file for a checkpoint of the training after each epoch; NULL: none */
    bool (*step)(void *context, const ty_moment *now); /* called after each step; false stops; NULL: none */
    bool (*epoch)(void *context, const ty_epoch *now); /* called after each epoch; false stops; NULL: none */
    void *context;
    /* at the end, unless a callback stopped the training, give the model the parameters and states of the best epoch,
       which memory and checkpoints hold meanwhile */
    bool restore;
    bool unused[7];
} ty_fit_options;

TY_API bool ty_trainer_fit_sized(ty_trainer *trainer, const ty_fit_options *options, size_t size,
                                 ty_tensor **error);
/*
 * Train until options.epochs are done, or patience or a callback stops it, which is no failure; returns true then.
 *
 * Checkpoints contain the best loss so far and the sum of this epoch's losses.  So a training resumed after any step
 * ends as it would have, with the same bits.  One that patience ended goes on only with more patience.  Output files
 * are tested first.
 *
 * A trainer that keeps means of parameters validates and keeps those, and the model has them at the end.
 *
 * False on failure, with the reason in *error unless NULL: a poisoned tensor that the scope owns.  A loss that is not
 * finite, of a step or of validation, is a failure.  It names the step, and the part and example that are not finite.
 * With a loss scale, only 16 such steps in a row count as a failure.  The trainer is as the step left it.
 */
TY_INLINE bool ty_trainer_fit(ty_trainer *trainer, ty_fit_options options, ty_tensor **error) {
    return ty_trainer_fit_sized(trainer, &options, sizeof options, error);
}

/* Options of ty_trainer_find_rate; zeros are the defaults. */
typedef struct ty_rate_options {
    double low, high; /* first and last rate; 0 means 1e-7 and 10 */
    int64_t steps;    /* 0 means 100 */
} ty_rate_options;
TY_API double ty_trainer_find_rate_sized(ty_trainer *trainer, const ty_rate_options *options, size_t size,
                                         ty_tensor **curve, ty_tensor **error);
/*
 * Search a learning rate (Smith, "Cyclical learning rates for training neural networks", 2017): steps whose rates rise
 * by equal factors from low to high, until the smoothed loss is four times its least, or not finite.  Then parameters,
 * states, step and rate are those of before.  A schedule does not count.
 *
 * Returns the rate at which the smoothed loss falls most steeply.  *curve, unless NULL, receives f64 [n, 3]: rate, loss
 * and smoothed loss of each step.  NaN on failure, with the reason in *error unless NULL: a poisoned tensor that the
 * scope owns; a loss that never falls is one.
 */
TY_INLINE double ty_trainer_find_rate(ty_trainer *trainer, ty_rate_options options, ty_tensor **curve,
                                      ty_tensor **error) {
    return ty_trainer_find_rate_sized(trainer, &options, sizeof options, curve, error);
}

/* ---- progress line --------------------------------------------------------------------------- */

/* A progress line on a terminal; zero it and set `file`. */
typedef struct ty_progress {
    FILE *file;
    double drawn; /* seconds when last drawn; initially 0 */
    int width;    /* columns drawn; initially 0 */
} ty_progress;
/* Draw the progress line of a ty_progress, at most ten times a second: bar, step, loss, ms/step, time left.
   For `each` of ty_trainer_run, with the ty_progress as context.  Draws only if the file is a terminal and TERM
   is not dumb; NULL as `now` draws nothing.  Always returns true. */
TY_API bool ty_progress_draw(void *progress, const ty_moment *now);
/* Draw the state of any long call on the line of a ty_progress: bar, word, units, seconds.  The line is erased when
   the call ends.  For ty_context_set_progress, with the ty_progress as data.  Draws where ty_progress_draw does.
   Always returns true. */
TY_API bool ty_progress_report(void *progress, const ty_progress_state *now);
/* Erase the progress line, for example before other output.  Does nothing if none is drawn or progress is NULL. */
TY_API void ty_progress_end(ty_progress *progress);

#ifdef __cplusplus
}
#endif
#endif
