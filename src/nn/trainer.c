/* The training step, recorded once for both kinds of trainer, and the loop around it. */
#include "nn/trainer.h"
#include "base/floating.h"
#include "nn/optimiser.h"
#include "array/scope.h"
#include "base/alloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/create.h>
#include <tyto/math.h>

static ty_trainer no_memory = {.fault = {.set = true, .text = "out of memory: a trainer could not be made"}};
ty_trainer trainer_null = {.fault = {.set = true, .text = "trainer: NULL where a trainer belongs"}};

static bool lazy(const ty_trainer *t) { return t->model->options.lazy; }

/* A tensor that lives from step to step: ty_var or ty_track, retained.  NULL after a fault. */
static ty_tensor *make_variable(const ty_trainer *t, ty_tensor *value, const char *name,
                                struct fault *fault) {
    ty_tensor *x = lazy(t) ? ty_var(value, name) : ty_track(value, name);
    return model_check(fault, name, x) ? ty_retain(x) : NULL;
}

bool trainer_feed(const ty_trainer *t, ty_tensor **input, ty_tensor *value, struct fault *fault) {
    ty_tensor *error = NULL;
    if (!model_check(fault, "trainer", value)) return false;
    if (*input && lazy(t))
        return ty_assign(*input, value, &error) ||
               fault_set(fault, "trainer: %s", error ? ty_error(error) : "");
    ty_tensor *held = lazy(t) ? make_variable(t, value, "input", fault) : ty_retain(value);
    if (*input) ty_release(*input);
    *input = held;
    return held != NULL;
}

/* States start as zeros: updates[] gets a variable for each parameter and each of its states. */
static bool make_updates(ty_trainer *t) {
    const ty_rule *rule = t->options.optimiser.rule;
    int n = t->model->nparameters;
    t->updates = mem_array((size_t)n * (size_t)(1 + rule->nstates) + 1, sizeof *t->updates);
    if (!t->updates) return fault_memory(&t->fault, (size_t)n * sizeof *t->updates);
    for (int i = 0; i < n; i++) t->updates[t->nupdates++].variable = ty_retain(t->model->parameters[i]);
    for (int i = 0; i < n * rule->nstates; i++) {
        ty_tensor *x = t->model->parameters[i / rule->nstates];
        struct text name = {0};
        text_add(&name, "%s.%s.%s", rule->name, ty_name(x), rule->states[i % rule->nstates]);
        if (name.failed) return fault_memory(&t->fault, 64);
        ty_tensor *state = make_variable(
            t, ty_zeros(optimiser_dtype(ty_dtype_of(x)), ty_rank(x), ty_shape(x)), name.data, &t->fault);
        text_drop(&name);
        if (!state) return false;
        t->updates[t->nupdates++].variable = state;
    }
    return true;
}

ty_trainer *ty_trainer_new(ty_model *model, ty_trainer_options options) {
    ty_trainer *t = mem_alloc(sizeof *t);
    if (!t) return &no_memory;
    t->model = model = model_of(model);
    t->options = options;
    if (!t->options.batch) t->options.batch = 100;
    if (!t->options.loss) t->options.loss = ty_cross_entropy;
    if (!t->options.optimiser.rule) t->options.optimiser.rule = &ty_adagrad;
    ty_optimiser full = optimiser_full(&t->options.optimiser);
    t->rate = full.rate;
    t->loss = NAN;
    if (model->fault.set) fault_set(&t->fault, "%s", model->fault.text);
    optimiser_check(&full, &t->fault);
    ty_scope *scope = ty_open();
    if (!t->fault.set &&
        batches_open(&t->batches, options.inputs, options.targets, t->options.batch, options.seed, &t->fault))
        make_updates(t);
    ty_close(scope);
    return t;
}

void ty_trainer_free(ty_trainer *t) {
    if (!t || t == &no_memory) return;
    ty_program_free(t->program);
    ty_program_free(t->predict);
    for (int i = 0; i < INPUTS; i++)
        if (t->inputs[i]) ty_release(t->inputs[i]);
    for (int i = 0; i < t->nupdates; i++) ty_release(t->updates[i].variable);
    if (t->predict_input) ty_release(t->predict_input);
    batches_drop(&t->batches);
    mem_free(t->updates);
    mem_free(t);
}

const char *ty_trainer_error(const ty_trainer *t) {
    return trainer_of(t)->fault.set ? trainer_of(t)->fault.text : "";
}
int64_t ty_trainer_steps(const ty_trainer *t) { return trainer_of(t)->step; }
const ty_program *ty_trainer_program(const ty_trainer *t) { return trainer_of(t)->program; }
void ty_trainer_set_rate(ty_trainer *t, double rate) {
    if (!t || t == &no_memory) return;
    if (trainer_takes_rate(rate))
        t->rate = rate;
    else
        fault_set(&t->fault, "trainer: a rate of %g; expected a finite number of at least 0", rate);
}
int64_t ty_trainer_steps_per_epoch(const ty_trainer *t) {
    return trainer_of(t)->batches.batch ? batches_per_epoch(&t->batches) : 0;
}

/* What an update reads: of an eager variable its value alone, or the optimiser would become history. */
static ty_tensor *plain(const ty_trainer *t, ty_tensor *x) { return lazy(t) ? x : ty_detach(x); }

/* Records the new values of all parameters and states into updates[], from the gradients. */
static bool record_updates(ty_trainer *t, ty_tensor **gradients) {
    const ty_optimiser *o = &t->options.optimiser;
    int n = t->model->nparameters, nstates = o->rule->nstates;
    for (int i = 0; i < n; i++) {
        ty_update *own = &t->updates[n + i * nstates];
        ty_tensor *states[TY_RULE_STATES] = {NULL};
        for (int k = 0; k < nstates; k++) states[k] = plain(t, own[k].variable);
        ty_tensor *x = plain(t, t->updates[i].variable), *g = plain(t, gradients[i]);
        t->updates[i].value = ty_optimise(o, x, g, states, t->inputs[INPUT_STEP], t->inputs[INPUT_RATE]);
        for (int k = 0; k < nstates; k++) own[k].value = states[k];
        if (!model_check(&t->fault, ty_name(t->updates[i].variable), t->updates[i].value)) return false;
    }
    return true;
}

/* The whole step; returns the loss, NULL after a fault. */
static ty_tensor *record(ty_trainer *t) {
    int n = t->model->nparameters;
    ty_tensor **gradients = mem_array((size_t)n + 1, sizeof *gradients);
    if (!gradients) {
        fault_memory(&t->fault, (size_t)n * sizeof *gradients);
        return NULL;
    }
    ty_tensor *y = ty_model_forward(t->model, t->inputs[INPUT_DATA], t->inputs[INPUT_KEY]);
    struct scope_fence fence = scope_fence();
    ty_tensor *loss = scope_fence_result(fence, "loss", t->options.loss(y, t->inputs[INPUT_TARGETS]));
    bool well = model_check(&t->fault, "trainer", loss);
    if (well && ty_size(loss) != 1) well = fault_set(&t->fault, "trainer: the loss is not one number");
    if (well) {
        bool was = ty_remember(false); /* nobody differentiates a gradient here: temporaries go at once */
        ty_grad(loss, n, t->model->parameters, gradients);
        ty_remember(was);
        well = record_updates(t, gradients);
    }
    mem_free(gradients);
    return well ? loss : NULL;
}

static bool compile(ty_trainer *t) {
    ty_tensor *loss = record(t);
    if (!loss) return false;
    t->program = ty_compile(1, &loss, (ty_compile_options){.updates = t->updates, .nupdates = t->nupdates});
    const char *error = ty_program_error(t->program);
    return !*error || fault_set(&t->fault, "trainer: %s", error);
}

static double step_compiled(ty_trainer *t) {
    if (!t->program && !compile(t)) return NAN;
    if (!ty_run(t->program)) {
        fault_set(&t->fault, "trainer: %s", ty_program_error(t->program));
        return NAN;
    }
    return ty_item(ty_output(t->program, 0));
}

/* All variables take their next values, or on a failure none. */
static bool assign_updates(ty_trainer *t) {
    size_t n = (size_t)t->nupdates;
    ty_tensor **lists = mem_array(2 * n + 1, sizeof *lists), *error = NULL;
    if (!lists) return fault_memory(&t->fault, 2 * n * sizeof *lists);
    for (size_t i = 0; i < n; i++) {
        lists[i] = t->updates[i].variable;
        lists[n + i] = t->updates[i].value;
    }
    if (!ty_assign_all(t->nupdates, lists, lists + n, &error))
        fault_set(&t->fault, "trainer: %s", error ? ty_error(error) : "an assignment failed");
    mem_free(lists);
    return !t->fault.set;
}

static double step_eager(ty_trainer *t) {
    ty_tensor *loss = record(t);
    return loss && assign_updates(t) ? ty_item(loss) : NAN;
}

/* Feeds everything that the next step reads. */
static bool feed(ty_trainer *t) {
    ty_tensor *batch[2];
    if (!batches_take(&t->batches, t->step, batch, &t->fault)) return false;
    ty_tensor *key = ty_fold(ty_fold(ty_key(t->options.seed), STREAM_DROPOUT), (uint64_t)t->step);
    ty_tensor *values[INPUTS] = {[INPUT_DATA] = batch[0],
                                 [INPUT_TARGETS] = batch[1],
                                 [INPUT_KEY] = key,
                                 [INPUT_STEP] = ty_scalar(TY_F64, (double)(t->step + 1)),
                                 [INPUT_RATE] = ty_scalar(TY_F64, t->rate)};
    bool well = true;
    for (int i = 0; i < INPUTS && well; i++) well = trainer_feed(t, &t->inputs[i], values[i], &t->fault);
    return well;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double ty_trainer_step(ty_trainer *t) {
    FLOATING_DEFAULT;
    t = trainer_of(t);
    if (t->fault.set) return NAN;
    double begin = seconds();
    ty_scope *scope = ty_open();
    double loss = NAN;
    if (feed(t)) loss = lazy(t) ? step_compiled(t) : step_eager(t);
    ty_close(scope);
    if (t->fault.set) return NAN;
    t->times[t->step % TIMES] = 1e3 * (seconds() - begin);
    t->step++;
    return t->loss = loss;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_ms(const ty_trainer *t, int64_t done) {
    double sorted[TIMES];
    int64_t n = done < TIMES ? done : TIMES;
    for (int64_t i = 0; i < n; i++) sorted[i] = t->times[(t->step - 1 - i) % TIMES];
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    return n ? sorted[n / 2] : 0;
}

bool ty_trainer_run(ty_trainer *t, int64_t steps, bool (*each)(void *context, ty_moment now), void *context) {
    FLOATING_DEFAULT;
    t = trainer_of(t);
    double begin = seconds();
    int64_t first = t->step;
    while (!t->fault.set && t->step < steps) {
        ty_trainer_step(t);
        if (t->fault.set || !each) continue;
        ty_moment now = {.step = t->step,
                         .steps = steps,
                         .loss = t->loss,
                         .seconds = seconds() - begin,
                         .epoch = (double)t->step / (double)batches_per_epoch(&t->batches),
                         .ms = median_ms(t, t->step - first)};
        struct scope_fence fence = scope_fence();
        bool go_on = each(context, now);
        scope_fence_end(fence);
        if (!go_on) break;
    }
    return !t->fault.set && t->step >= steps;
}
