/* Trainers: construction, the training step and the loop around it. */
#include "nn/trainer.h"
#include "base/options.h"
#include "base/context/stop.h"
#include "base/machine/floating.h"
#include "base/hash.h"
#include "base/order.h"
#include "nn/optimiser.h"
#include "array/progress.h"
#include "array/scope.h"
#include "base/alloc.h"
#include "compile/program.h"
#include "graph/structure.h"
#include "ops/core/field_value.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/create.h>
#include <tyto/math.h>

static ty_trainer no_memory = {
    .fault = {.set = true, .code = E_MEMORY, .text = "out of memory: a trainer could not be made"}};
ty_trainer trainer_null = {
    .fault = {.set = true, .code = E_ARGUMENT, .text = "trainer: the trainer is NULL"}};

/* Set *input for this step: assign `value` to its variable in a compiled trainer, else retain it in place
   of the old one. False sets the fault. */
static bool trainer_feed(const ty_trainer *t, ty_tensor **input, ty_tensor *value, struct fault *fault) {
    ty_tensor *error = NULL;
    if (!model_check(fault, "trainer", value)) return false;
    if (*input && trainer_lazy(t))
        return ty_assign(*input, value, &error) || fault_set(fault, error ? ty_error_code(error) : E_INTERNAL,
                                                             "trainer: %s", error ? ty_error(error) : "");
    ty_tensor *held = trainer_lazy(t) ? ty_var(value, "input") : value;
    if (!model_check(fault, "input", held)) return false;
    ty_retain(held);
    if (*input) ty_release(*input);
    *input = held;
    return true;
}

/* Replace zeros in the trainer's options by their defaults, and drop pointers that it does not own. */
static void fill_options(ty_trainer *t) {
    ty_trainer_options *o = &t->options;
    if (!o->loss) o->loss = ty_cross_entropy;
    if (!o->optimiser.rule) o->optimiser.rule = &ty_adagrad;
    if (!o->accumulate) o->accumulate = 1;
    if (!o->loss_scale && t->model->options.compute == TY_F16) o->loss_scale = 32768;
    o->inputs = o->targets = NULL; /* owned by batches from here on; the others are the caller's */
    o->more = NULL;
    o->source = NULL;
    o->schedule = NULL;
    o->loss_options = NULL;
    /* without means both stay 0, which checkpoints do not mention */
    if (o->average > 0 && !o->average_from) o->average_from = 1;
    if (o->average > 0 && !o->average_every) o->average_every = 1;
}

/* Copy the options of the loss and retain their tensors; false sets the fault. */
static bool copy_loss(ty_trainer *t, const ty_trainer_options *given, struct fault *fault) {
    ty_loss_options *o = &t->loss_options;
    if (!options_read(o, sizeof *o, given->loss_options, given->loss_bytes, "trainer: the loss", fault))
        return false;
    ty_tensor **parts[] = {&o->weight, &o->positive}, *lent[] = {o->weight, o->positive};
    o->weight = o->positive = NULL; /* only what is retained remains, as ty_trainer_free releases it */
    for (int i = 0; i < 2; i++) {
        ty_tensor *x = lent[i] ? ty_eval(lent[i]) : NULL;
        if (x && !model_check(fault, "trainer: the loss", x)) return false;
        if (x) *parts[i] = ty_retain(x);
    }
    return true;
}

/* Copy the schedule `given` (NULL: none) with its table into t, and hash it; if it has a rate of its own,
   t->rate becomes 1, a factor of that. False sets the fault. */
static bool copy_schedule(ty_trainer *t, const ty_schedule *given, struct fault *fault) {
    if (!given) return true;
    t->scheduled = true;
    t->schedule = *given;
    int n = given->n;
    if (n < 0 || (n && (!given->steps_at || !given->rates)))
        return fault_set(fault, E_ARGUMENT,
                         "trainer: the schedule's table has %d steps; expected 0 or more, and the arrays "
                         "steps_at and rates",
                         n);
    t->schedule_lists = mem_array(2 * (size_t)n + 1, sizeof *t->schedule_lists);
    if (!t->schedule_lists) return fault_memory(fault, 2 * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        t->schedule_lists[i] = given->steps_at[i];
        t->schedule_lists[n + i] = given->rates[i];
    }
    t->schedule.steps_at = t->schedule_lists;
    t->schedule.rates = t->schedule_lists + n;
    const double numbers[] = {given->rate,  given->end,   given->steps,  given->factor,     given->power,
                              given->share, given->width, given->warmup, given->warmup_from};
    t->schedule_hash = hash_bytes(numbers, sizeof numbers) ^
                       31 * hash_bytes(t->schedule_lists, 2 * (size_t)n * sizeof(double));
    if (given->rate != 0) t->rate = 1; /* factor of the schedule's rate */
    return true;
}

/* Copy the options' groups and their prefixes into t->groups and check them; false sets the fault. */
static bool copy_groups(ty_trainer *t, struct fault *fault) {
    int n = t->options.ngroups;
    const ty_group *given = t->options.groups;
    t->options.groups = NULL;
    if (n < 0 || (n && !given))
        return fault_set(fault, E_ARGUMENT, "trainer: %d groups; expected 0 or more, and their array", n);
    t->groups = mem_array((size_t)n + 1, sizeof *t->groups);
    if (!t->groups) return fault_memory(fault, (size_t)n * sizeof *t->groups);
    for (int i = 0; i < n; i++) {
        if (!OPTIONS_UNUSED(&given[i], "trainer: a group", fault)) return false;
        t->groups[i] = given[i];
        t->groups[i].prefix = mem_copy_text(given[i].prefix ? given[i].prefix : "");
        if (!t->groups[i].prefix) return fault_memory(fault, 64);
        if (!(given[i].rate >= 0 && given[i].rate <= DBL_MAX && given[i].decay >= 0 &&
              given[i].decay <= DBL_MAX))
            return fault_set(fault, E_ARGUMENT,
                             "trainer: group %s: rate %g and decay %g; expected numbers of at least 0",
                             t->groups[i].prefix, given[i].rate, given[i].decay);
    }
    t->options.groups = t->groups;
    return true;
}

#define AT_MOST(member) FIELD(ty_trainer_options, member, REAL, .end = FLT_MAX, .upto = true)
ATTRIBUTES_OF(, trainer_numbers, sizeof(ty_trainer_options), AT_MOST(loss_scale), AT_MOST(clip_value),
              AT_MOST(clip_norm), AT_MOST(clip_global_norm), AT_MOST(l1), AT_MOST(l2),
              FIELD(ty_trainer_options, average, REAL, .end = 1, .upto = true),
              FIELD(ty_trainer_options, average_from, LONG, .low = 0, .end = INFINITY),
              FIELD(ty_trainer_options, average_every, LONG, .low = 0, .end = INFINITY),
              FIELD(ty_trainer_options, order, INT));

/* Check model, optimiser and options, and set t->rate. False sets the fault. */
static bool check_options(ty_trainer *t, struct fault *fault) {
    const ty_trainer_options *o = &t->options;
    ty_optimiser full = optimiser_full(&o->optimiser);
    t->rate = full.rate;
    if (t->model->fault.set) return fault_copy(fault, &t->model->fault);
    if (!optimiser_check(&full, fault)) return false;
    if (!o->objective && t->model->options.results != 1)
        return fault_set(fault, E_ARGUMENT, "trainer: the model has %d results; use an objective for several",
                         t->model->options.results);
    if (o->accumulate < 1)
        return fault_set(fault, E_ARGUMENT, "trainer: gradients of %lld parts, expected at least 1",
                         (long long)o->accumulate);
    for (int i = 0; i < trainer_numbers.n; i++)
        if (!field_check(&trainer_numbers.fields[i], o, "trainer", fault)) return false;
    return true;
}

static bool check_parts(const ty_trainer *t, struct fault *fault) {
    return t->options.objective || t->batches.nparts >= 2 ||
           fault_set(fault, E_ARGUMENT,
                     "trainer: batches have 1 part; a loss needs 2, prediction and target");
}

ty_trainer *ty_trainer_new_sized(ty_model *model, const ty_trainer_options *given, size_t given_size) {
    FLOATING_DEFAULT;
    ty_trainer *t = mem_alloc(sizeof *t);
    if (!t) return &no_memory;
    t->model = model_of(model);
    OPTIONS_READ(t->options, given, given_size, &t->fault);
    ty_trainer_options options = t->options;
    t->loss = t->best = NAN;
    fill_options(t);
    ty_scope *scope = ty_open();
    if (!t->fault.set && check_options(t, &t->fault) && copy_groups(t, &t->fault) &&
        copy_schedule(t, options.schedule, &t->fault) && copy_loss(t, &options, &t->fault) &&
        batches_open(&t->batches, &options, &t->fault) && check_parts(t, &t->fault)) {
        t->options.batch = t->batches.batch;
        trainer_prepare(t);
    }
    ty_close(scope);
    return t;
}

void ty_trainer_free(ty_trainer *t) {
    if (!t || t == &no_memory) return;
    ty_program_free(t->program);
    ty_function_free(t->evaluator);
    for (int i = 0; i < INPUTS; i++)
        if (t->inputs[i]) ty_release(t->inputs[i]);
    for (int i = 0; i < t->nupdates; i++) ty_release(t->updates[i].variable);
    trainer_best_drop(t);
    if (t->loss_options.weight) ty_release(t->loss_options.weight);
    if (t->loss_options.positive) ty_release(t->loss_options.positive);
    batches_drop(&t->batches);
    for (int i = 0; t->groups && i < t->options.ngroups; i++)
        mem_free((void *)(uintptr_t)t->groups[i].prefix);
    mem_free(t->groups);
    mem_free(t->schedule_lists);
    mem_free(t->learners);
    mem_free(t->updates);
    mem_free(t->note);
    mem_free(t);
}

const char *ty_trainer_error(const ty_trainer *t) {
    return trainer_of(t)->fault.set ? trainer_of(t)->fault.text : "";
}
ty_tensor *ty_trainer_failure(const ty_trainer *t) { return tensor_failure(&trainer_of(t)->fault); }
bool trainer_set_note(ty_trainer *t, const char *text) {
    char *copy = text && t != &no_memory && t != &trainer_null ? mem_copy_text(text) : NULL;
    if (!copy) return false;
    mem_free(t->note);
    t->note = copy;
    return true;
}

const char *trainer_note(const ty_trainer *t) { return trainer_of(t)->note; }

int64_t ty_trainer_steps(const ty_trainer *t) { return trainer_of(t)->step; }
ty_model *ty_trainer_model(const ty_trainer *t) { return model_of(trainer_of(t)->model); }
const ty_program *ty_trainer_program(const ty_trainer *t) { return trainer_of(t)->program; }
void ty_trainer_set_rate(ty_trainer *t, double rate) {
    FLOATING_DEFAULT;
    if (!t || t == &no_memory) return;
    if (trainer_takes_rate(rate))
        t->rate = rate;
    else
        fault_set(&t->fault, E_ARGUMENT, "trainer: the rate is %g; expected a finite number of at least 0",
                  rate);
}
int64_t ty_trainer_steps_per_epoch(const ty_trainer *t) { return batches_per_epoch(&trainer_of(t)->batches); }

/* Record and compile a step into t->program; false sets t->fault. */
static bool compile(ty_trainer *t) {
    ty_tensor *loss = trainer_record(t);
    model_forget(t->model); /* the program has the updates */
    if (!loss) return false;
    t->program = ty_compile(1, &loss,
                            (ty_compile_options){.updates = t->updates,
                                                 .nupdates = t->nupdates,
                                                 .stoppable = !t->options.early_updates});
    const struct fault *why = program_fault(t->program);
    if (!why->set) return true;
    fault_set(&t->fault, why->code, "trainer: %s", why->text);
    ty_program_free(t->program);
    t->program = NULL;
    return false;
}

/* Return the loss, which a device may have; NaN with t->fault set if its kernels have refused values. */
static double read_loss(ty_trainer *t, ty_tensor *loss) {
    double number = ty_item(loss);
    ty_tensor *here = isnan(number) ? ty_to(loss, "cpu") : loss;
    if (!ty_ok(here)) fault_set(&t->fault, ty_error_code(here), "trainer: %s", ty_error(here));
    return number;
}

/* Run one compiled step, compiling it first if needed, and return its loss; NaN with t->fault set on
   failure. */
static double step_compiled(ty_trainer *t) {
    if (!t->program && !compile(t)) return NAN;
    if (!ty_run(t->program)) {
        fault_set(&t->fault, program_fault(t->program)->code, "trainer: %s", ty_program_error(t->program));
        return NAN;
    }
    return read_loss(t, ty_output(t->program, 0));
}

/* Assign all variables of t->updates their next values at once; false sets the fault and assigns none. */
static bool assign_updates(ty_trainer *t) {
    size_t n = (size_t)t->nupdates;
    ty_tensor **lists = mem_array(2 * n + 1, sizeof *lists), *error = NULL;
    if (!lists) return fault_memory(&t->fault, 2 * n * sizeof *lists);
    for (size_t i = 0; i < n; i++) {
        lists[i] = t->updates[i].variable;
        lists[n + i] = t->updates[i].value;
    }
    if (!ty_assign_all(t->nupdates, lists, lists + n, &error))
        fault_set(&t->fault, error ? ty_error_code(error) : E_INTERNAL, "trainer: %s",
                  error ? ty_error(error) : "an assignment failed");
    mem_free(lists);
    return !t->fault.set;
}

/* Make one eager step, assigning all new values, and return its loss; NaN with t->fault set if it failed. */
static double step_eager(ty_trainer *t) {
    ty_tensor *loss = trainer_record(t);
    bool done = loss && assign_updates(t);
    model_forget(t->model);
    return done ? ty_item(loss) : NAN;
}

/* Set all t->inputs for the next step: batch, random key, step number from 1 and rate; false sets t->fault. */
static bool feed(ty_trainer *t) {
    ty_tensor *values[INPUTS] = {0};
    if (!batches_take(&t->batches, t->step, values, &t->fault)) return false;
    values[INPUT_KEY] = ty_fold(ty_fold(ty_key(t->options.seed), STREAM_DROPOUT), (uint64_t)t->step);
    values[INPUT_STEP] = ty_scalar(TY_F64, (double)(t->step + 1));
    values[INPUT_RATE] = ty_scalar(TY_F64, t->rate);
    bool well = true;
    for (int i = 0; i < INPUTS && well; i++)
        if (values[i]) well = trainer_feed(t, &t->inputs[i], values[i], &t->fault);
    return well;
}

double trainer_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Forget that the last step was stopped. */
static void go_on(ty_trainer *t) {
    if (!t->stopped) return;
    t->stopped = false;
    fault_clear(&t->fault);
}

double ty_trainer_step(ty_trainer *t) {
    FLOATING_DEFAULT;
    t = trainer_of(t);
    go_on(t);
    if (t->fault.set || model_is_folded(t->model, &t->fault) || !trainer_means_use(t, false, &t->fault))
        return NAN;
    double begin = trainer_seconds();
    ty_scope *scope = ty_open();
    double loss = NAN;
    if (feed(t)) loss = trainer_lazy(t) ? step_compiled(t) : step_eager(t);
    ty_close(scope);
    t->stopped = t->fault.set && stop_said(&t->fault);
    if (t->fault.set) return NAN;
    t->times[t->step % TIMES] = 1e3 * (trainer_seconds() - begin);
    t->step++;
    return t->loss = loss;
}

/* Return the median duration in ms of the last steps of this run, at most TIMES of them; `done` is the
   number of its steps, 0 gives 0. */
static double median_ms(const ty_trainer *t, int64_t done) {
    double sorted[TIMES];
    int64_t n = done < TIMES ? done : TIMES;
    for (int64_t i = 0; i < n; i++) sorted[i] = t->times[(t->step - 1 - i) % TIMES];
    qsort(sorted, (size_t)n, sizeof *sorted, order_f64);
    return n ? sorted[n / 2] : 0;
}

bool ty_trainer_run(ty_trainer *t, int64_t steps, bool (*each)(void *context, const ty_moment *now),
                    void *context) {
    FLOATING_DEFAULT;
    t = trainer_of(t);
    double begin = trainer_seconds();
    int64_t first = t->step;
    struct progress progress;
    go_on(t);
    progress_begin(&progress, "train", steps);
    while (!t->fault.set && t->step < steps && progress_step(&progress, t->step, NULL)) {
        ty_trainer_step(t);
        if (t->fault.set || !each) continue;
        ty_moment now = {.step = t->step,
                         .steps = steps,
                         .loss = t->loss,
                         .seconds = trainer_seconds() - begin,
                         .epoch = (double)t->step / (double)batches_per_epoch(&t->batches),
                         .ms = median_ms(t, t->step - first)};
        struct scope_fence fence = scope_fence();
        bool wanted = each(context, &now);
        scope_fence_end(fence);
        if (!wanted) break;
    }
    progress_end(&progress);
    return !t->fault.set && t->step >= steps;
}
