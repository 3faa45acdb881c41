/*
 * Optimisers. Defaults, weight decay and dtypes are common; the rest is the rule's own function (src/nn/rule/)
 * of public tensor functions. Conventions (position of epsilon, Nesterov's form) are PyTorch's, so that curves
 * can be compared.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include "nn/optimiser.h"
#include "nn/option.h"
#include "ops/core/field_value.h"
#include "array/dtype.h"
#include "base/machine/floating.h"
#include "base/options.h"
#include "array/scope.h"

const ty_rule *const ty_rules[] = {
#define RULE(name) &ty_##name,
#include <tyto/tables/rules.def>
    NULL};

const ty_rule *ty_rule_named(const char *name) {
    for (int i = 0; name && ty_rules[i]; i++)
        if (!strcmp(ty_rules[i]->name, name)) return ty_rules[i];
    return NULL;
}

/* ---- hyperparameters ---- */

static const struct hyper {
    struct field number;
    const char *other;
    size_t of_rule; /* offset in ty_rule */
} hypers[] = {
#define HYPER(name, most, names, doc)                                                                        \
    {FIELD(struct ty_optimiser, name, REAL, .end = most), names, offsetof(ty_rule, name)},
#include <tyto/tables/hyperparameters.def>
};
enum { HYPERS = sizeof hypers / sizeof *hypers };

static double *number_at(ty_optimiser *o, const struct hyper *h) {
    return (double *)((char *)o + h->number.offset);
}

/* Return the hyperparameter called `name` here or in other libraries; NULL if there is none. */
static const struct hyper *hyper_find(const char *name) {
    char word[32];
    if (!name || snprintf(word, sizeof word, " %s ", name) >= (int)sizeof word) return NULL;
    for (int i = 0; i < HYPERS; i++)
        if (!strcmp(hypers[i].number.name, name) || strstr(hypers[i].other, word)) return &hypers[i];
    return NULL;
}

/* Return the hyperparameter with the range that it has for this rule. */
static struct field field_for(const ty_rule *rule, const struct hyper *h) {
    struct field f = h->number;
    if (rule->averages && !strcmp(f.name, "momentum")) f.end = 1;
    return f;
}

/* Set a number of an optimiser by name; false sets the fault. */
static bool set_number(ty_optimiser *o, const char *name, double value, struct fault *fault) {
    char words[FIELD_WORDS];
    const struct hyper *h = hyper_find(name);
    if (!o || !name)
        return fault_set(fault, E_ARGUMENT, "optimiser_set: the %s is NULL", o ? "name" : "optimiser");
    if (!h) return fault_set(fault, E_ARGUMENT, "optimiser_set: unknown number \"%.60s\"", name);
    struct field f = field_for(o->rule ? o->rule : &ty_adagrad, h);
    return field_put_real(&f, number_at(o, h), value == 0 ? TY_ZERO : value) ||
           fault_set(fault, E_ARGUMENT, "optimiser_set: %s is %g; expected %s", f.name, value,
                     field_expected(&f, words));
}

bool ty_optimiser_set(ty_optimiser *o, const char *name, double value, ty_tensor **error) {
    struct fault fault = {0};
    bool done = set_number(o, name, value, &fault);
    if (error) *error = tensor_failure(&fault);
    return done;
}

double ty_optimiser_number(const ty_optimiser *o, const char *name) {
    const struct hyper *h = hyper_find(name);
    if (!o || !h) return NAN;
    ty_optimiser full = optimiser_full(o);
    return *number_at(&full, h);
}

ty_dtype optimiser_dtype(ty_dtype parameter) { return dtype_table[parameter].computed; }

ty_optimiser optimiser_full(const ty_optimiser *o) {
    ty_optimiser full = *o;
    if (!full.rule) full.rule = &ty_adagrad;
    for (int i = 0; i < HYPERS; i++) {
        double *number = number_at(&full, &hypers[i]);
        *number = option_or(*number, *(const double *)((const char *)full.rule + hypers[i].of_rule));
    }
    full.decoupled = full.decoupled || full.rule->decoupled;
    full.nesterov = full.nesterov || full.rule->nesterov;
    return full;
}

bool optimiser_check(const ty_optimiser *full, struct fault *fault) {
    for (int i = 0; i < HYPERS; i++) {
        struct field f = field_for(full->rule, &hypers[i]);
        if (!field_check(&f, full, full->rule->name, fault)) return false;
    }
    if (!OPTIONS_UNUSED(full, full->rule->name, fault) ||
        !OPTIONS_UNUSED(full->rule, full->rule->name, fault))
        return false;
    if (full->rule->nstates < 0 || full->rule->nstates > TY_RULE_STATES)
        return fault_set(fault, E_ARGUMENT, "%s: the rule has %d states; expected 0 to %d", full->rule->name,
                         full->rule->nstates, TY_RULE_STATES);
    return true;
}

void optimiser_describe(const ty_optimiser *o, struct text *out) {
    ty_optimiser full = optimiser_full(o);
    text_add(out, "%s", full.rule->name);
    for (int i = 1; i < HYPERS; i++)
        text_add(out, " %s=%.17g", hypers[i].number.name, *number_at(&full, &hypers[i]));
    text_add(out, "%s%s", full.decoupled ? " decoupled" : "", full.nesterov ? " nesterov" : "");
}

/* ---- a step ---- */

ty_tensor *ty_optimiser_state(const ty_optimiser *o, int i, ty_tensor *x) {
    FLOATING_DEFAULT;
    if (!o) return ty_poison_code(E_ARGUMENT, "optimiser_state: the optimiser is NULL");
    const ty_rule *rule = optimiser_full(o).rule;
    if (!x) return ty_poison_code(E_ARGUMENT, "optimiser_state: the parameter is NULL");
    if (!ty_ok(x)) return x;
    if (i < 0 || i >= rule->nstates)
        return ty_poison_code(E_ARGUMENT, "optimiser_state: %s has no state %d; it has %d", rule->name, i,
                              rule->nstates);
    ty_dtype dtype = optimiser_dtype(ty_dtype_of(x));
    if (rule->scalar_mask >> i & 1) return ty_scalar(dtype, 0);
    return ty_zeros(dtype, ty_rank(x), ty_shape(x));
}

/* Return the new value of parameter x with gradient g by o's rule, which may be the caller's; states[] are
   replaced by their new values. Poison on failure, also of a state and for a missing result. */
static ty_tensor *update(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states,
                         ty_tensor *step, ty_tensor *rate) {
    if (!o->rule->update)
        return ty_poison_code(E_ARGUMENT, "%s: the rule's update function is NULL", o->rule->name);
    struct scope_fence fence = scope_fence();
    ty_tensor *y = scope_fence_result(fence, o->rule->name, o->rule->update(o, x, g, states, step, rate));
    for (int i = 0; i < o->rule->nstates && ty_ok(y); i++)
        if (!states[i])
            y = ty_poison_code(E_USER, "%s: the rule did not set state %d", o->rule->name, i);
        else if (!ty_ok(states[i]))
            y = tensor_share(states[i]);
    return y;
}

ty_tensor *ty_optimise(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states, ty_tensor *step,
                       ty_tensor *rate) {
    FLOATING_DEFAULT;
    if (!o) return ty_poison_code(E_ARGUMENT, "optimise: the optimiser is NULL");
    ty_optimiser full = optimiser_full(o);
    struct fault fault;
    fault_clear(&fault);
    if (!OPTIONS_UNUSED(&full, "optimise", &fault) || !OPTIONS_UNUSED(full.rule, full.rule->name, &fault))
        return tensor_fault(&fault);
    if (full.rule->nstates && !states)
        return ty_poison_code(E_ARGUMENT, "optimise: the array of %d states of %s is NULL",
                              full.rule->nstates, full.rule->name);
    ty_dtype dtype = ty_dtype_of(x), computed = optimiser_dtype(dtype);
    bool decays = full.decay != 0 && !full.rule->own_decay;
    ty_tensor *factor = rate ? ty_cast(rate, computed) : ty_scalar(computed, full.rate);
    x = ty_cast(x, computed), g = ty_cast(g, computed);
    ty_tensor *now[TY_RULE_STATES] = {NULL};
    for (int i = 0; i < full.rule->nstates; i++) now[i] = ty_cast(states[i], computed);
    if (decays && full.decoupled) x = ty_sub(x, ty_mul(x, ty_mul(factor, ty_num(full.decay))));
    if (decays && !full.decoupled) g = ty_add(g, ty_mul(x, ty_num(full.decay)));
    ty_tensor *y = ty_cast(update(&full, x, g, now, step, factor), dtype);
    for (int i = 0; i < full.rule->nstates && ty_ok(y); i++) states[i] = now[i];
    return y;
}
