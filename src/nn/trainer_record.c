/*
 * Recording of a training step: the loss of the batch, gradients, new parameters, and states of the optimiser
 * and of the model.
 */
#include "array/scope.h"
#include "base/alloc.h"
#include "grad/unused.h"
#include "base/machine/floating.h"
#include "nn/trainer.h"
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/own.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>

/* ---- updates to record ---- */

ty_tensor *trainer_loss(ty_trainer *t, ty_tensor *const *batch, ty_tensor *key) {
    const ty_trainer_options *o = &t->options;
    ty_dtype dtype = t->model->options.dtype;
    ty_tensor *y = o->objective ? NULL : ty_model_forward(t->model, batch[0], key);
    if (y && !ty_ok(y)) return y;
    if (y && ty_dtype_of(y) != dtype)
        y = ty_cast(y, dtype); /* losses of half precision are computed in the parameters' dtype */
    struct scope_fence fence = scope_fence();
    ty_tensor *loss = o->objective   ? o->objective(t->model, key, t->batches.nparts, batch, o->context)
                      : o->loss_with ? o->loss_with(y, batch[1], &t->loss_options, sizeof t->loss_options)
                                     : o->loss(y, batch[1]);
    loss = scope_fence_result(fence, "loss", loss);
    if (ty_ok(loss) && ty_size(loss) != 1) return ty_poison_code(E_SHAPE, "the loss is not one number");
    return loss;
}

static ty_tensor *loss_of(ty_trainer *t, ty_tensor *const *batch, ty_tensor *key) {
    ty_tensor *loss = trainer_loss(t, batch, key);
    return model_check(&t->fault, "trainer", loss) ? loss : NULL;
}

/* Create the parameters by a first call of model and loss on promises shaped like the first batch; false
   sets t->fault. */
static bool build(ty_trainer *t) {
    ty_tensor *batch[PARTS], *key = ty_lazy(ty_key(0));
    if (!batches_take(&t->batches, 0, batch, &t->fault)) return false;
    for (int i = 0; i < t->batches.nparts; i++)
        batch[i] =
            ty_lazy(ty_broadcast(ty_scalar(ty_dtype_of(batch[i]), 0), ty_rank(batch[i]), ty_shape(batch[i])));
    bool done = loss_of(t, batch, key) != NULL;
    model_forget(t->model);
    return done;
}

bool trainer_add_variable(ty_trainer *t, ty_tensor *value, const char *name) {
    ty_tensor *x = model_variable(t->model, value, name);
    if (!model_check(&t->fault, name, x)) return false;
    t->updates[t->nupdates++].variable = ty_retain(x);
    return true;
}

/* Return a learner for parameter x with rate factor and weight decay of the first group whose prefix
   matches its name; else 1 and the optimiser's decay. */
static struct learner learner_of(const ty_trainer *t, ty_tensor *x) {
    struct learner l = {.parameter = x, .rate = 1, .decay = t->options.optimiser.decay};
    for (int i = 0; i < t->options.ngroups; i++) {
        const ty_group *g = &t->options.groups[i];
        const char *prefix = g->prefix ? g->prefix : "";
        if (strncmp(ty_name(x), prefix, strlen(prefix)) != 0) continue;
        if (g->rate != 0 || signbit(g->rate)) l.rate = g->rate + 0.0;
        if (g->decay != 0 || signbit(g->decay)) l.decay = g->decay + 0.0;
        break;
    }
    return l;
}

/* Append the optimiser's states of parameter l->parameter, with their initial values, to t->updates, and
   set l->states to the index of the first; false sets the fault. */
static bool add_states(ty_trainer *t, struct learner *l) {
    const ty_rule *rule = t->options.optimiser.rule;
    l->states = t->nupdates;
    for (int k = 0; k < rule->nstates; k++) {
        struct text name = {0};
        text_add(&name, "%s:%s.%s", rule->name, ty_name(l->parameter), rule->states[k]);
        bool made =
            !name.failed &&
            trainer_add_variable(t, ty_optimiser_state(&t->options.optimiser, k, l->parameter), name.data);
        if (name.failed) fault_memory(&t->fault, 64);
        text_drop(&name);
        if (!made) return false;
    }
    return true;
}

/* Create all persistent tensors in t->updates: parameters, then optimiser states, means, states of the model and
   loss scale. Sets t->learners; false sets t->fault. */
static bool make_updates(ty_trainer *t) {
    const ty_rule *rule = t->options.optimiser.rule;
    int n = ty_model_parameters(t->model), states = ty_model_states(t->model);
    size_t most = (size_t)n * (size_t)(2 + rule->nstates) + (size_t)states + SCALES;
    t->updates = mem_array(most, sizeof *t->updates);
    t->learners = mem_array((size_t)n + 1, sizeof *t->learners);
    if (!t->updates || !t->learners) return fault_memory(&t->fault, most * sizeof *t->updates);
    for (int i = 0; i < n; i++) {
        if (ty_model_is_frozen(t->model, i)) continue;
        ty_tensor *x = ty_model_parameter(t->model, i);
        t->learners[t->nlearners++] = learner_of(t, x);
        t->updates[t->nupdates++].variable = ty_retain(x);
    }
    for (int i = 0; i < t->nlearners; i++)
        if (!add_states(t, &t->learners[i])) return false;
    if (!trainer_means_make(t)) return false;
    t->model_states = t->nupdates;
    for (int i = 0; i < states; i++)
        t->updates[t->nupdates++].variable = ty_retain(ty_model_state(t->model, i));
    t->scales = t->nupdates;
    return !trainer_scales(t) ||
           (trainer_add_variable(t, ty_scalar(TY_F32, t->options.loss_scale), "trainer:scale.factor") &&
            trainer_add_variable(t, ty_scalar(TY_F32, 0), "trainer:scale.steps"));
}

bool trainer_prepare(ty_trainer *t) {
    ty_scope *scope = ty_open();
    bool done = build(t) && make_updates(t);
    ty_close(scope);
    return done;
}

/* ---- gradients ---- */

/* Set gradients[i] to the gradient of the loss by the parameter of learner i: 0 if the loss does not use
   it, poison if differentiation fails. False sets the fault: no memory. */
static bool differentiate(ty_trainer *t, ty_tensor *loss, ty_tensor **gradients) {
    ty_tensor **parameters = mem_array((size_t)t->nlearners + 1, sizeof *parameters);
    if (!parameters) return fault_memory(&t->fault, (size_t)t->nlearners * sizeof *parameters);
    for (int i = 0; i < t->nlearners; i++) parameters[i] = t->learners[i].parameter;
    bool was = ty_set_history(false); /* higher derivatives are not needed, so temporaries are freed early */
    bool unused = unused_allow(true); /* a step need not use all parameters */
    ty_grad(loss, t->nlearners, parameters, gradients);
    unused_allow(unused);
    ty_set_history(was);
    mem_free(parameters);
    return true;
}

/* Return part k (from 0) of n equal parts of x along axis 0. If the size is not a multiple of n, set the
   fault and return x. */
static ty_tensor *piece(ty_trainer *t, ty_tensor *x, int64_t k, int64_t n) {
    if (n == 1) return x;
    int64_t rows = ty_rank(x) ? ty_shape(x)[0] : 0;
    if (rows < n || rows % n) {
        fault_set(&t->fault, E_ARGUMENT,
                  "trainer: a batch of %lld cannot be split into %lld equal parts to accumulate",
                  (long long)rows, (long long)n);
        return x;
    }
    return ty_slice(x, 0, k * (rows / n), (k + 1) * (rows / n), 1);
}

/* Return the loss plus l1 and l2 penalties of the parameters, or the loss itself without penalties; NULL
   with t->fault set on failure. */
static ty_tensor *regularised(ty_trainer *t, ty_tensor *loss) {
    const ty_trainer_options *o = &t->options;
    if (!(o->l1 > 0 || o->l2 > 0) || !t->nlearners) return loss;
    ty_tensor **parameters = mem_array((size_t)t->nlearners, sizeof *parameters);
    if (!parameters && !fault_memory(&t->fault, (size_t)t->nlearners * sizeof *parameters)) return NULL;
    for (int i = 0; i < t->nlearners; i++) parameters[i] = t->learners[i].parameter;
    loss = ty_add(loss, ty_penalty(t->nlearners, parameters, o->l1, o->l2));
    mem_free(parameters);
    return model_check(&t->fault, "trainer", loss) ? loss : NULL;
}

/* Record the loss of part k, from 0, of the batch; add it to *total (NULL at first) and its gradients to
   sums[]. gradients[] is scratch. States of the model continue from part to part. False sets the fault. */
static bool accumulate(ty_trainer *t, int64_t k, ty_tensor **total, ty_tensor **sums, ty_tensor **gradients) {
    int64_t n = t->options.accumulate;
    ty_tensor *batch[PARTS], *key = t->inputs[INPUT_KEY];
    for (int i = 0; i < t->batches.nparts; i++) batch[i] = piece(t, t->inputs[i], k, n);
    if (t->fault.set) return false;
    if (!k) model_forget(t->model);
    t->model->keep = true;
    ty_tensor *loss = loss_of(t, batch, n > 1 ? ty_fold(key, (uint64_t)k) : key);
    t->model->keep = false;
    if (!loss || !(loss = regularised(t, loss))) return false;
    ty_tensor *scaled = trainer_scales(t)
                            ? ty_mul(loss, trainer_plain(t, t->updates[t->scales + SCALE_FACTOR].variable))
                            : loss;
    if (!differentiate(t, scaled, gradients)) return false;
    *total = *total ? ty_add(*total, loss) : loss;
    for (int i = 0; i < t->nlearners; i++) sums[i] = k ? ty_add(sums[i], gradients[i]) : gradients[i];
    return true;
}

/* ---- updates ---- */

/* Record the new values of the parameter of learner i, from 0, and of its states in t->updates, given its
   gradient and the rate; false sets the fault. */
static bool record_update(ty_trainer *t, int i, ty_tensor *gradient, ty_tensor *rate) {
    const struct learner *l = &t->learners[i];
    ty_optimiser o = t->options.optimiser;
    ty_update *own = &t->updates[l->states];
    ty_tensor *states[TY_RULE_STATES] = {NULL};
    o.decay = l->decay;
    if (l->rate != 1) rate = ty_mul(rate, ty_num(l->rate));
    for (int k = 0; k < o.rule->nstates; k++) states[k] = trainer_plain(t, own[k].variable);
    ty_tensor *x = trainer_plain(t, l->parameter), *g = trainer_plain(t, gradient);
    t->updates[i].value = ty_optimise(&o, x, g, states, t->inputs[INPUT_STEP], rate);
    for (int k = 0; k < o.rule->nstates; k++) own[k].value = states[k];
    return model_check(&t->fault, ty_name(l->parameter), t->updates[i].value);
}

/* Set the next values of the model's states in t->updates: those pending from the call of the model, else
   the current ones.  The scope shares them, since the model may be their only owner and soon forgets them. */
static void record_states(ty_trainer *t) {
    for (int i = 0; i < t->scales - t->model_states; i++) {
        ty_update *u = &t->updates[t->model_states + i];
        ty_tensor *pending = t->model->states.at[i]->pending;
        u->value = pending ? ty_disown(ty_retain(pending)) : trainer_plain(t, u->variable);
    }
}

/* Return a 0-d bool, true if all gradients[0..nlearners) are finite. */
static ty_tensor *all_finite(ty_trainer *t, ty_tensor **gradients) {
    ty_tensor *finite = NULL;
    for (int i = 0; i < t->nlearners; i++) {
        ty_tensor *own = ty_all(ty_is_finite(gradients[i]), TY_ALL);
        finite = finite ? ty_logical_and(finite, own) : own;
    }
    return finite ? finite : ty_scalar(TY_BOOL, 1);
}

/* Guard all updates by the 0-d bool `finite`: where it is false, they keep the old values and the loss
   scale is halved, to at least 1. After 2000 finite steps in a row the scale is doubled. */
static void guard_updates(ty_trainer *t, ty_tensor *finite) {
    static const double growth = 2, patience = 2000; /* as in Micikevicius et al. 2018, section 3.2 */
    for (int i = 0; i < t->scales; i++) {
        ty_update *u = &t->updates[i];
        u->value = ty_where(finite, u->value, trainer_plain(t, u->variable));
    }
    ty_update *own = &t->updates[t->scales];
    ty_tensor *factor = trainer_plain(t, own[SCALE_FACTOR].variable),
              *steps = trainer_plain(t, own[SCALE_STEPS].variable);
    ty_tensor *grown = ty_ge(ty_add(steps, ty_num(1)), ty_num(patience));
    ty_tensor *larger = ty_where(grown, ty_mul(factor, ty_num(growth)), factor);
    own[SCALE_FACTOR].value = ty_where(finite, larger, ty_max(ty_div(factor, ty_num(growth)), ty_num(1)));
    own[SCALE_STEPS].value =
        ty_where(ty_logical_and(finite, ty_logical_not(grown)), ty_add(steps, ty_num(1)), ty_num(0));
}

/* Divide the summed gradients sums[] in place by the loss scale, if any, and the number of parts. */
static void settle(ty_trainer *t, ty_tensor **sums) {
    ty_tensor *factor = NULL;
    if (trainer_scales(t))
        factor = ty_div(ty_num(1), trainer_plain(t, t->updates[t->scales + SCALE_FACTOR].variable));
    if (t->options.accumulate > 1) {
        ty_tensor *share = ty_num(1 / (double)t->options.accumulate);
        factor = factor ? ty_mul(factor, share) : share;
    }
    for (int i = 0; factor && i < t->nlearners; i++) sums[i] = ty_mul(trainer_plain(t, sums[i]), factor);
}

/* Clip the gradients g[0..nlearners) in place as the options say: by value, by norm, by global norm. False
   sets t->fault. */
static bool clip(ty_trainer *t, ty_tensor **g) {
    const ty_trainer_options *o = &t->options;
    int n = t->nlearners;
    bool well = true;
    if (!(o->clip_value > 0 || o->clip_norm > 0 || o->clip_global_norm > 0) || !n) return true;
    for (int i = 0; i < n; i++) g[i] = trainer_plain(t, g[i]);
    if (o->clip_value > 0) well = ty_clip_by_value(n, g, o->clip_value, g);
    if (well && o->clip_norm > 0) well = ty_clip_by_norm(n, g, o->clip_norm, g);
    if (well && o->clip_global_norm > 0) well = ty_clip_by_global_norm(n, g, o->clip_global_norm, g, NULL);
    return well || (model_check(&t->fault, "trainer", g[0]), false);
}

/* Return the learning rate of this step, 0-d, times that of the schedule, if any; NULL sets the fault. */
static ty_tensor *rate_of(ty_trainer *t) {
    ty_tensor *rate = t->inputs[INPUT_RATE];
    if (!t->scheduled) return rate;
    rate = ty_mul(rate, ty_schedule_rate(&t->schedule, t->inputs[INPUT_STEP]));
    return model_check(&t->fault, "schedule", rate) ? rate : NULL;
}

/* Record a whole step, all parts of the batch and the updates, and return the mean loss, 0-d; NULL sets
   t->fault. sums[] and gradients[] are scratch, one per learner. */
static ty_tensor *record(ty_trainer *t, ty_tensor **sums, ty_tensor **gradients) {
    int64_t n = t->options.accumulate;
    ty_tensor *total = NULL;
    for (int64_t k = 0; k < n; k++)
        if (!accumulate(t, k, &total, sums, gradients)) return NULL;
    settle(t, sums);
    ty_tensor *finite = trainer_scales(t) ? all_finite(t, sums) : NULL;
    ty_tensor *rate = rate_of(t);
    if (!clip(t, sums) || !rate) return NULL;
    for (int i = 0; i < t->nlearners; i++)
        if (!record_update(t, i, sums[i], rate)) return NULL;
    if (!trainer_means_record(t)) return NULL;
    record_states(t);
    if (finite) guard_updates(t, finite);
    return n > 1 ? ty_mul(total, ty_num(1 / (double)n)) : total;
}

ty_tensor *trainer_record(ty_trainer *t) {
    FLOATING_DEFAULT;
    size_t n = (size_t)t->nlearners;
    ty_tensor **lists = mem_array(2 * n + 1, sizeof *lists);
    if (!lists) {
        fault_memory(&t->fault, 2 * n * sizeof *lists);
        return NULL;
    }
    ty_tensor *loss = record(t, lists, lists + n);
    mem_free(lists);
    return loss;
}
