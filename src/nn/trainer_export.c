/* A trainer as a file of C: its step, inference, and the order of its examples. */
#include <string.h>
#include <tyto/create.h>
#include <tyto/export_c.h>
#include <tyto/math.h>

#include "array/tensor.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/options.h"
#include "nn/trainer.h"

/* Updates of variables that only the exported step has: the number of completed steps, and the rate.  They come first, so
   that their members of the state have these names whatever the names of parameters are. */
enum own { OWN_STEP, OWN_RATE, OWN };
struct exported {
    ty_tensor *inputs[INPUTS]; /* replace the trainer's */
    ty_update *updates;        /* those of `own`, then the trainer's */
    ty_tensor *loss, *prediction;
};

static bool check(ty_trainer *t, struct fault *fault) {
    if (t->fault.set) return fault_copy(fault, &t->fault);
    if (!trainer_lazy(t))
        return fault_set(fault, E_STATE,
                         "export_trainer: the trainer is eager; make its model with .lazy = true");
    return !model_is_folded(t->model, fault) && trainer_means_use(t, false, fault);
}
/* Set the inputs of the step: variables for the parts of a batch; key and number are computed from the step. */
static bool make_inputs(ty_trainer *t, struct exported *e, struct fault *fault) {
    ty_tensor *batch[PARTS];
    if (!batches_take(&t->batches, t->step, batch, fault)) return false;
    for (int i = 0; i < t->batches.nparts; i++) {
        const ty_tensor *b = batch[i];
        e->inputs[i] = ty_var(ty_zeros(ty_dtype_of(b), ty_rank(b), ty_shape(b)), NULL);
        if (!model_check(fault, "export_trainer", e->inputs[i])) return false;
    }
    ty_tensor *step = ty_var(ty_scalar(TY_I64, (double)t->step), "step");
    ty_tensor *rate = ty_var(ty_scalar(TY_F64, t->rate), "rate");
    ty_tensor *next = ty_add(step, ty_scalar(TY_I64, 1)),
              *seed = ty_fold(ty_key(t->options.seed), STREAM_DROPOUT);
    e->inputs[INPUT_KEY] = ty_fold_by(seed, step);
    e->inputs[INPUT_STEP] = ty_cast(next, TY_F64);
    e->inputs[INPUT_RATE] = rate;
    e->updates[OWN_STEP] = (ty_update){step, next};
    e->updates[OWN_RATE] = (ty_update){rate, rate};
    for (int i = INPUT_KEY; i < INPUTS; i++)
        if (!model_check(fault, "export_trainer", e->inputs[i])) return false;
    return true;
}
/* Record inference, and the step with inputs of its own. */
static bool record(ty_trainer *t, struct exported *e, struct fault *fault) {
    ty_tensor *held[INPUTS];
    memcpy(held, t->inputs, sizeof held);
    memcpy(t->inputs, e->inputs, sizeof held);
    e->loss = trainer_record(t);
    memcpy(t->inputs, held, sizeof held);
    model_forget(t->model);
    if (!e->loss) { /* a failed export does not fail the trainer */
        fault_copy(fault, &t->fault);
        fault_clear(&t->fault);
        return false;
    }
    memcpy(e->updates + OWN, t->updates, (size_t)t->nupdates * sizeof *e->updates);
    if (!t->options.objective) e->prediction = ty_model_forward(t->model, e->inputs[0], NULL);
    return !e->prediction || model_check(fault, "export_trainer", e->prediction);
}
static bool write_file(const char *path, const ty_trainer *t, const struct exported *e,
                       ty_export_options options, ty_export_report *report, struct fault *fault) {
    static const char *const names[PARTS] = {"x", "y", "x2", "x3", "x4", "x5", "x6", "x7"};
    static const char *const loss = "loss";
    ty_tensor *error = NULL;
    const ty_export_function functions[] = {{.name = "step",
                                             .ninputs = t->batches.nparts,
                                             .inputs = e->inputs,
                                             .input_names = names,
                                             .noutputs = 1,
                                             .outputs = &e->loss,
                                             .output_names = &loss,
                                             .nupdates = t->nupdates + OWN,
                                             .updates = e->updates},
                                            {.name = "predict",
                                             .ninputs = 1,
                                             .inputs = e->inputs,
                                             .input_names = names,
                                             .noutputs = 1,
                                             .outputs = &e->prediction}};
    options.saves = true;
    options.order = !t->batches.source.batch && t->batches.sampling == TY_SHUFFLED;
    if (ty_export_c(path, e->prediction ? 2 : 1, functions, options, report, &error)) return true;
    return fault_from(fault, "export_c", error ? ty_error_code(error) : E_INTERNAL,
                      error ? ty_error(error) : "");
}

bool ty_export_trainer_sized(const char *path, ty_trainer *trainer, const ty_export_options *given,
                             size_t size, ty_export_report *report, size_t report_size, ty_tensor **error) {
    FLOATING_DEFAULT;
    ty_trainer *t = trainer_of(trainer);
    ty_export_options options;
    ty_export_report facts = {0};
    struct exported e = {.loss = NULL};
    struct fault fault;
    fault_clear(&fault);
    if (error) *error = NULL;
    ty_scope *scope = ty_open();
    bool at_means = t->at_means;
    bool done = OPTIONS_READ(options, given, size, &fault) && check(t, &fault);
    if (done) e.updates = mem_array((size_t)t->nupdates + OWN, sizeof *e.updates);
    if (done && !e.updates) done = fault_memory(&fault, ((size_t)t->nupdates + OWN) * sizeof *e.updates);
    done = done && make_inputs(t, &e, &fault) && record(t, &e, &fault) &&
           write_file(path, t, &e, options, &facts, &fault);
    if (!t->fault.set) done = trainer_means_use(t, at_means, &fault) && done;
    ty_close(scope);
    mem_free(e.updates);
    options_write(report, report_size, &facts, sizeof facts);
    if (!done && error) *error = tensor_fault(&fault);
    return done;
}
