/*
 * Optimisers: one rule is one row and one function in public tensor functions.  The conventions (where
 * epsilon stands, what Nesterov adds) are PyTorch's, so that curves can be compared.
 *
 *   momentum  Polyak 1964; Nesterov's form after Sutskever et al. 2013
 *   Adagrad   Duchi, Hazan, Singer 2011
 *   Adam      Kingma and Ba 2015, algorithm 1; decoupled decay: Loshchilov and Hutter 2019
 */
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include "nn/optimiser.h"
#include "array/dtype.h"
#include "base/floating.h"
#include "array/scope.h"

static ty_tensor *sgd(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states, ty_tensor *step,
                      ty_tensor *rate) {
    (void)o;
    (void)states;
    (void)step;
    return ty_sub(x, ty_mul(g, rate));
}

static ty_tensor *momentum(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states,
                           ty_tensor *step, ty_tensor *rate) {
    (void)step;
    ty_tensor *mu = ty_num(o->momentum);
    ty_tensor *velocity = ty_add(ty_mul(states[0], mu), g);
    states[0] = velocity;
    ty_tensor *direction = o->nesterov ? ty_add(g, ty_mul(velocity, mu)) : velocity;
    return ty_sub(x, ty_mul(direction, rate));
}

static ty_tensor *adagrad(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states,
                          ty_tensor *step, ty_tensor *rate) {
    (void)step;
    states[0] = ty_add(states[0], ty_square(g));
    return ty_sub(x, ty_div(ty_mul(g, rate), ty_add(ty_sqrt(states[0]), ty_num(o->epsilon))));
}

/* 1 - beta^step: expm1 keeps its digits when beta is near 1. */
static ty_tensor *correction(double beta, ty_tensor *step, ty_dtype dtype) {
    FLOATING_DEFAULT;
    return ty_cast(ty_neg(ty_expm1(ty_mul(step, ty_num(log(beta))))), dtype);
}

/* The running mean m + (1 - beta)(now - m). */
static ty_tensor *blend(ty_tensor *mean, ty_tensor *now, double beta) {
    FLOATING_DEFAULT;
    return ty_add(ty_mul(mean, ty_num(beta)), ty_mul(now, ty_num(1 - beta)));
}

static ty_tensor *adam(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states, ty_tensor *step,
                       ty_tensor *rate) {
    ty_dtype dtype = ty_dtype_of(x);
    states[0] = blend(states[0], g, o->momentum);
    states[1] = blend(states[1], ty_square(g), o->beta2);
    ty_tensor *scaled = ty_div(rate, correction(o->momentum, step, dtype));
    ty_tensor *spread = ty_div(ty_sqrt(states[1]), ty_sqrt(correction(o->beta2, step, dtype)));
    return ty_sub(x, ty_div(ty_mul(states[0], scaled), ty_add(spread, ty_num(o->epsilon))));
}

const ty_rule ty_sgd = {.name = "sgd", .doc = "x - rate g", .rate = 0.01, .update = sgd};
const ty_rule ty_momentum = {.name = "momentum",
                             .doc = "a velocity that remembers gradients; Nesterov as an option",
                             .nstates = 1,
                             .states = {"velocity"},
                             .rate = 0.01,
                             .momentum = 0.9,
                             .update = momentum};
const ty_rule ty_adagrad = {.name = "adagrad",
                            .doc = "rate divided by the root of all squared gradients so far",
                            .nstates = 1,
                            .states = {"squares"},
                            .rate = 0.005,
                            .epsilon = 1e-10,
                            .update = adagrad};
const ty_rule ty_adam = {.name = "adam",
                         .doc = "running mean of gradients over the root of that of their squares",
                         .nstates = 2,
                         .states = {"mean", "squares"},
                         .rate = 0.001,
                         .momentum = 0.9,
                         .beta2 = 0.999,
                         .epsilon = 1e-8,
                         .update = adam};

const ty_rule *const ty_rules[] = {&ty_sgd, &ty_momentum, &ty_adagrad, &ty_adam, NULL};

const ty_rule *ty_rule_find(const char *name) {
    for (int i = 0; name && ty_rules[i]; i++)
        if (!strcmp(ty_rules[i]->name, name)) return ty_rules[i];
    return NULL;
}

/* -0 is TY_ZERO: 0 itself. */
static double or_default(double given, double other) {
    return given != 0 || signbit(given) ? given + 0.0 : other;
}

ty_dtype optimiser_dtype(ty_dtype parameter) { return dtype_table[parameter].computed; }

ty_optimiser optimiser_full(const ty_optimiser *o) {
    ty_optimiser full = *o;
    if (!full.rule) full.rule = &ty_adagrad;
    full.rate = or_default(o->rate, full.rule->rate);
    full.momentum = or_default(o->momentum, full.rule->momentum);
    full.beta2 = or_default(o->beta2, full.rule->beta2);
    full.epsilon = or_default(o->epsilon, full.rule->epsilon);
    return full;
}

bool optimiser_check(const ty_optimiser *full, struct fault *fault) {
    const struct {
        const char *name;
        double value, end; /* 0 <= value < end */
    } rows[] = {{"rate", full->rate, INFINITY},
                {"momentum", full->momentum, full->rule == &ty_adam ? 1 : INFINITY},
                {"beta2", full->beta2, 1},
                {"epsilon", full->epsilon, INFINITY},
                {"decay", full->decay, INFINITY}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!(rows[i].value >= 0 && rows[i].value < rows[i].end))
            return fault_set(fault, "%s: %s %g; expected a number of at least 0%s", full->rule->name,
                             rows[i].name, rows[i].value, rows[i].end == 1 ? " and below 1" : "");
    return true;
}

/* The rule, which may be the caller's; what it did not give is poison, and where it failed, so are the states. */
static ty_tensor *update(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states,
                         ty_tensor *step, ty_tensor *rate) {
    if (!o->rule->update) return ty_poison("%s: the rule has no function that updates", o->rule->name);
    struct scope_fence fence = scope_fence();
    ty_tensor *y = scope_fence_result(fence, o->rule->name, o->rule->update(o, x, g, states, step, rate));
    for (int i = 0; i < o->rule->nstates && ty_ok(y); i++)
        if (!states[i]) y = ty_poison("%s: the rule left NULL for state %d", o->rule->name, i);
    for (int i = 0; i < o->rule->nstates && !ty_ok(y); i++) states[i] = y;
    return y;
}

ty_tensor *ty_optimise(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states, ty_tensor *step,
                       ty_tensor *rate) {
    if (!o) return ty_poison("optimise: NULL where an optimiser belongs");
    ty_optimiser full = optimiser_full(o);
    if (full.rule->nstates && !states)
        return ty_poison("optimise: NULL where the %d states of %s belong", full.rule->nstates,
                         full.rule->name);
    ty_dtype dtype = ty_dtype_of(x), computed = optimiser_dtype(dtype);
    ty_tensor *factor = rate ? ty_cast(rate, computed) : ty_scalar(computed, full.rate);
    x = ty_cast(x, computed), g = ty_cast(g, computed);
    for (int i = 0; i < full.rule->nstates; i++) states[i] = ty_cast(states[i], computed);
    if (full.decay != 0 && full.decoupled) x = ty_sub(x, ty_mul(x, ty_mul(factor, ty_num(full.decay))));
    if (full.decay != 0 && !full.decoupled) g = ty_add(g, ty_mul(x, ty_num(full.decay)));
    return ty_cast(update(&full, x, g, states, step, factor), dtype);
}
