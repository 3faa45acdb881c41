/*
 * Means of parameters over the steps of a training.  One rule has both kinds: value k of those that count has the weight
 * max(1 - average, 1 / k).  So the first 1 / (1 - average) values have equal weights, and average = 1 is their mean.
 */
#include <tyto/create.h>
#include <tyto/math.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "nn/trainer.h"

#define MEAN "mean:" /* a colon marks names of trainers: models skip them on loading */

bool trainer_means_make(ty_trainer *t) {
    t->means = t->nupdates;
    for (int i = 0; trainer_averages(t) && i < t->nlearners; i++) {
        struct text name = {0};
        ty_tensor *x = t->learners[i].parameter;
        text_add(&name, MEAN "%s", ty_name(x));
        if (name.failed)
            fault_memory(&t->fault, name.length);
        else if (ty_dtype_size(ty_dtype_of(x)) < 4)
            fault_set(&t->fault, E_DTYPE,
                      "trainer: means of parameters need f32 or f64; %s is of %s, whose digits a mean loses",
                      ty_name(x), ty_dtype_name(ty_dtype_of(x)));
        else
            trainer_add_variable(t, ty_eval(ty_detach(x)), name.data);
        text_drop(&name);
        if (t->fault.set) return false;
    }
    return true;
}

/* Return the weight of this step's value, 0-d f64: 1 before the first step that counts, so that means follow. */
static ty_tensor *weight_of(const ty_trainer *t) {
    const ty_trainer_options *o = &t->options;
    ty_tensor *past = ty_sub(t->inputs[INPUT_STEP], ty_num((double)o->average_from));
    ty_tensor *turns = ty_div(past, ty_num((double)o->average_every)), *whole = ty_floor(turns);
    ty_tensor *share = ty_max(ty_div(ty_num(1), ty_add(whole, ty_num(1))), ty_num(1 - o->average));
    ty_tensor *counted = ty_where(ty_eq(turns, whole), share, ty_num(0));
    return ty_where(ty_lt(past, ty_num(0)), ty_num(1), counted);
}

bool trainer_means_record(ty_trainer *t) {
    if (!trainer_averages(t)) return true;
    ty_tensor *weight = weight_of(t), *rest = ty_sub(ty_num(1), weight);
    for (int i = 0; i < t->nlearners; i++) {
        ty_update *own = &t->updates[t->means + i];
        ty_tensor *mean = trainer_plain(t, own->variable), *x = t->updates[i].value;
        ty_dtype dtype = ty_dtype_of(mean);
        /* A product, not a difference: with the weights 1 and 0 it is exactly the value or the mean. */
        own->value = ty_add(ty_mul(mean, ty_cast(rest, dtype)), ty_mul(x, ty_cast(weight, dtype)));
        if (!model_check(&t->fault, "trainer: means", own->value)) return false;
    }
    return true;
}

bool trainer_means_use(ty_trainer *t, bool means, struct fault *fault) {
    if (!trainer_averages(t) || t->at_means == means) return true;
    int n = t->nlearners;
    ty_tensor **to = mem_array(4 * (size_t)n + 1, sizeof *to), **from = to ? to + 2 * n : NULL;
    if (!to) return fault_memory(fault, 4 * (size_t)n * sizeof *to);
    for (int i = 0; i < n; i++) {
        to[i] = from[n + i] = t->updates[i].variable;
        to[n + i] = from[i] = t->updates[t->means + i].variable;
    }
    bool done = trainer_copy(2 * n, to, from, fault);
    if (done) t->at_means = means;
    mem_free(to);
    return done;
}

bool ty_trainer_use_means(ty_trainer *t, bool means, ty_tensor **error) {
    FLOATING_DEFAULT;
    t = trainer_of(t);
    struct fault fault = t->fault;
    if (!fault.set && !trainer_averages(t))
        fault_set(&fault, E_STATE, "trainer: it keeps no means of parameters; set `average`");
    if (!fault.set) trainer_means_use(t, means, &fault);
    return model_tell(&fault, error);
}
