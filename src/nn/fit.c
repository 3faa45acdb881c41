/* Training loop over epochs with validation, early stopping and checkpoints. */
#include "base/options.h"
#include "base/machine/floating.h"
#include "nn/trainer.h"
#include "array/progress.h"
#include "array/scope.h"
#include "base/files/file.h"
#include "io/several.h"
#include <math.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>

/* Skipped steps in a row that end a training. They halve a loss scale of 2^15 to below 1, so later
   infinities do not come from the scale. */
enum { MOST_SKIPPED = 16 };

/* State of one call of ty_trainer_fit. */
struct fitting {
    ty_trainer *trainer;
    const ty_fit_options *options;
    struct fault *fault;
    bool go_on;
    bool refused; /* a function of the caller has ended the training */
    int skipped;  /* consecutive steps whose loss was not finite */
    ty_moment last;
    double begun;
};

/* Return true if a requested file was written, as `done` says; else set the fault from *error, which ends
   the training, and return false. */
static bool wrote(struct fitting *f, bool done, ty_tensor *const *error) {
    return done || fault_set(f->fault, *error ? ty_error_code(*error) : E_INTERNAL, "%s",
                             *error ? ty_error(*error) : "a file could not be written");
}

/* Set e->validation to the mean loss over the validation source, and e->accuracy if requested, in one pass,
   as the source may be slow. A failure sets f->fault. */
static void validate_source(struct fitting *f, ty_epoch *e) {
    struct trainer_score s = {.loss_wanted = true, .accuracy_wanted = f->options->accuracy};
    if (!trainer_score(f->trainer, f->options->validation_source, &s, f->fault)) return;
    e->validation = s.sum / (double)s.count;
    if (s.accuracy_wanted) e->accuracy = (double)s.right / (double)s.count;
}

/* Set e->validation and e->accuracy from the validation data or source, NaN without. A failure sets
   f->fault. */
static void validate(struct fitting *f, ty_epoch *e) {
    const ty_fit_options *o = f->options;
    ty_tensor *error = NULL;
    e->validation = e->accuracy = NAN;
    if (o->validation_source) {
        validate_source(f, e);
        return;
    }
    if (o->nvalidation)
        e->validation = ty_trainer_evaluate(f->trainer, o->nvalidation, o->validation, NULL, &error);
    if (error) fault_tensor(f->fault, error);
    if (f->fault->set || !o->accuracy || o->nvalidation < 2) return;
    e->accuracy = ty_trainer_accuracy(f->trainer, o->validation[0], o->validation[1], &error);
    if (error) fault_tensor(f->fault, error);
}

/* Set e->best, true if the epoch's validation loss, or without one its loss, is the best so far, and
   e->since_best, the epochs since then. Both are also kept in the trainer for checkpoints. */
static void compare(struct fitting *f, ty_epoch *e) {
    ty_trainer *t = f->trainer;
    double measure = isnan(e->validation) ? e->loss : e->validation;
    e->best = isnan(t->best) ? !isnan(measure) : measure < t->best - f->options->least_change;
    if (e->best) t->best = measure;
    t->since_best = e->best ? 0 : t->since_best + 1;
    e->since_best = t->since_best;
}

static bool patient(const struct fitting *f) {
    return !(f->options->patience > 0 && f->trainer->since_best >= f->options->patience);
}

/* Finish an epoch: validate, compare, write files and call the user's function. Set f->go_on to false if
   training ends; failures set the fault. */
static void end_epoch(struct fitting *f) {
    const ty_fit_options *o = f->options;
    ty_trainer *t = f->trainer;
    ty_tensor *error = NULL;
    ty_epoch e = {.epoch = t->step / batches_per_epoch(&t->batches),
                  .epochs = o->epochs,
                  .step = t->step,
                  .loss = t->epoch_loss / (double)t->epoch_steps,
                  .rate = t->rate,
                  .ms = f->last.ms,
                  .seconds = trainer_seconds() - f->begun};
    if (!trainer_means_use(t, true, f->fault)) return; /* the next step takes up the parameters that learn */
    validate(f, &e);
    if ((o->nvalidation || o->validation_source) && !f->fault->set && !isfinite(e.validation))
        fault_set(f->fault, E_DOMAIN, "fit: the validation loss after epoch %lld, step %lld, is %g",
                  (long long)e.epoch, (long long)e.step, e.validation);
    if (f->fault->set) return;
    compare(f, &e);
    if (e.best && o->restore)
        trainer_best_keep(t, f->fault);
    else if (e.best)
        trainer_best_drop(t); /* those of an earlier call are not the best any more */
    t->epoch_loss = 0;
    t->epoch_steps = 0;
    if (o->best && e.best && !f->fault->set)
        wrote(f, ty_model_save(t->model, o->best, (ty_weights_options){0}, &error), &error);
    if (o->checkpoint && !f->fault->set) wrote(f, ty_trainer_save(t, o->checkpoint, &error), &error);
    f->go_on = f->go_on && patient(f);
    if (!o->epoch || f->fault->set) return;
    struct scope_fence fence = scope_fence();
    f->refused = !o->epoch(o->context, &e) || f->refused;
    f->go_on = f->go_on && !f->refused;
    scope_fence_end(fence);
}

/* Return the index, in the last batch, of the first example whose values in part number `part` are not all
   finite, and set *value to such a value. Return -1, with *value unchanged, if all are finite. */
static int64_t first_lost(const ty_trainer *t, int part, double *value) {
    ty_tensor *x = ty_eval(t->inputs[part]);
    if (!ty_ok(x) || ty_rank(x) < 1 || !ty_size(x) || ty_dtype_of(x) < TY_F16) return -1;
    ty_tensor *bad = ty_logical_not(ty_is_finite(x));
    if (!(ty_item(ty_any(bad, TY_ALL)) > 0)) return -1;
    int64_t size = ty_size(x),
            at = (int64_t)ty_item(ty_argmax(ty_cast(ty_reshape(bad, 1, &size), TY_U8), TY_ALL));
    *value = ty_item(ty_slice(ty_reshape(x, 1, &size), 0, at, at + 1, 1));
    return at / (size / ty_shape(x)[0]);
}

/* Set the fault that the loss of step `now` is not finite, with the cause as far as the batch shows it. */
static void tell_lost(struct fitting *f, const ty_moment *now) {
    const ty_trainer *t = f->trainer;
    int64_t each = batches_per_epoch(&t->batches), epoch = (now->step - 1) / each + 1;
    double value = NAN;
    ty_scope *scope = ty_open();
    for (int i = 0; i < t->batches.nparts && !f->fault->set; i++) {
        int64_t row = first_lost(t, i, &value);
        if (row >= 0)
            fault_set(f->fault, E_DOMAIN,
                      "fit: the loss of step %lld, in epoch %lld, is %g: part %d of its batch (%s) has %g in "
                      "example "
                      "%lld of the batch",
                      (long long)now->step, (long long)epoch, now->loss, i,
                      i ? i == 1 ? "targets" : "more" : "inputs", value, (long long)row);
    }
    ty_close(scope);
    fault_set(f->fault, E_DOMAIN, /* keeps an earlier fault */
              "fit: the loss of step %lld, in epoch %lld, is %g, and its batch is finite: a lower rate or a "
              "bound of the "
              "gradients may help; TY_TRAP_NAN=1 in the environment names the operator that made it",
              (long long)now->step, (long long)epoch, now->loss);
}

/* Set the fault, which ends the training, if the loss of step `now` is not finite; with loss scaling only
   after MOST_SKIPPED such steps in a row. */
static void check_loss(struct fitting *f, const ty_moment *now) {
    f->skipped = isfinite(now->loss) ? 0 : f->skipped + 1;
    if (f->skipped && (!trainer_scales(f->trainer) || f->skipped >= MOST_SKIPPED)) tell_lost(f, now);
}

static bool at_end(const ty_trainer *t) { return t->step && t->step % batches_per_epoch(&t->batches) == 0; }

static void judge(struct fitting *f) {
    ty_scope *scope = ty_open();
    end_epoch(f);
    ty_close(scope);
}

/* Add the loss of a step to the epoch's, call the user's function, and judge a finished epoch. Return false
   to end the training. context is the struct fitting. */
static bool after_step(void *context, const ty_moment *now) {
    struct fitting *f = context;
    const ty_fit_options *o = f->options;
    f->trainer->epoch_loss += now->loss;
    f->trainer->epoch_steps++;
    f->last = *now;
    f->refused = o->step && !o->step(o->context, now);
    f->go_on = !f->refused;
    check_loss(f, now);
    if (at_end(f->trainer) && !f->fault->set) judge(f);
    return f->go_on && !f->fault->set;
}

/* Keep the values of the model if they are those of the best epoch, of a checkpoint or an earlier call that kept none. */
static void keep_found(struct fitting *f) {
    ty_trainer *t = f->trainer;
    bool found = !isnan(t->best) && !t->since_best && at_end(t) && !t->epoch_steps;
    if (f->options->restore && !t->kept && found && trainer_means_use(t, true, f->fault))
        trainer_best_keep(t, f->fault);
}

/* After resuming at the end of an epoch: judge that epoch if the checkpoint was written before that, else
   set f->go_on to false if patience has run out. */
static void catch_up(struct fitting *f) {
    f->go_on = true;
    if (!at_end(f->trainer)) return;
    if (f->trainer->epoch_steps)
        judge(f);
    else
        f->go_on = patient(f);
}

/* Check before the first step that the files o->best and o->checkpoint (each may be NULL) can be written;
   false sets the fault. */
static bool check_files(const ty_fit_options *o, struct fault *fault) {
    if (o->best && !file_holds_several(o->best))
        return fault_set(fault, E_ARGUMENT, "fit: %s: expected a name that ends in .safetensors or .npz",
                         o->best);
    return (!o->best || replacement_try(o->best, fault)) &&
           (!o->checkpoint || replacement_try(o->checkpoint, fault));
}

/* Check that the trainer has not failed, and check the options; false sets the fault. */
static bool check(const ty_trainer *t, const ty_fit_options *o, struct fault *fault) {
    if (t->fault.set) return fault_copy(fault, &t->fault);
    if (o->epochs < 0 || o->patience < 0 || o->nvalidation < 0 || (o->nvalidation && !o->validation))
        return fault_set(
            fault, E_ARGUMENT,
            "fit: %lld epochs, a patience of %lld and %d parts for validation; expected at least 0",
            (long long)o->epochs, (long long)o->patience, o->validation ? o->nvalidation : -1);
    if (!(o->least_change >= 0))
        return fault_set(fault, E_ARGUMENT, "fit: a least change of %g; expected at least 0",
                         o->least_change);
    return check_files(o, fault);
}

bool ty_trainer_fit_sized(ty_trainer *t, const ty_fit_options *given, size_t given_size, ty_tensor **error) {
    OPTIONS_ERROR(ty_fit_options, options, given, given_size, error);
    FLOATING_DEFAULT;
    struct fault fault = {0};
    t = trainer_of(t);
    struct fitting f = {.trainer = t, .options = &options, .fault = &fault, .begun = trainer_seconds()};
    int64_t steps = 0;
    if (check(t, &options, &fault) &&
        __builtin_mul_overflow(options.epochs, batches_per_epoch(&t->batches), &steps))
        fault_set(&fault, E_LIMIT, "fit: %lld epochs are more than 2^63 steps", (long long)options.epochs);
    struct progress progress;
    progress_name(&progress, "fit");
    if (!fault.set) keep_found(&f);
    if (!fault.set) catch_up(&f);
    if (!fault.set && f.go_on) ty_trainer_run(t, steps, after_step, &f);
    progress_step(&progress, t->step, &fault);
    progress_end(&progress);
    if (t->fault.set) fault_copy(&fault, &t->fault);
    if (!fault.set) trainer_means_use(t, true, &fault);
    if (options.restore && !fault.set && !f.refused) trainer_best_restore(t, &fault);
    return model_tell(&fault, error);
}
