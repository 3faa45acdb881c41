/*
 * Adam and its descendants: a running mean of gradients divided by the root of one of their squares.
 *
 *   adam      Kingma and Ba 2015, algorithm 1; adamax: algorithm 2
 *   adamw     Loshchilov and Hutter 2019
 *   amsgrad   Reddi, Kale, Kumar 2018
 *   nadam     Dozat 2016
 *   radam     Liu et al. 2020, algorithm 2
 *   lamb      You et al. 2020, algorithm 2
 */
#include <math.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include "nn/rule/rule.h"

static void blend_both(const ty_optimiser *o, ty_tensor *g, ty_tensor **states) {
    states[0] = rule_blend(states[0], g, o->momentum);
    states[1] = rule_blend(states[1], ty_square(g), o->beta2);
}

/* Return sqrt(squares / (1 - beta2^step)) + epsilon, shaped like `squares`: Adam's bias-corrected divisor.
   step is 0-d, from 1. */
static ty_tensor *spread(const ty_optimiser *o, ty_tensor *squares, ty_tensor *step) {
    ty_tensor *bias = ty_sqrt(rule_correction(o->beta2, step, ty_dtype_of(squares)));
    return ty_add(ty_div(ty_sqrt(squares), bias), ty_num(o->epsilon));
}

static ty_tensor *moved(const ty_optimiser *o, ty_tensor *x, ty_tensor *mean, ty_tensor *squares,
                        ty_tensor *step, ty_tensor *rate) {
    ty_tensor *scaled = ty_div(rate, rule_correction(o->momentum, step, ty_dtype_of(x)));
    return ty_sub(x, ty_div(ty_mul(mean, scaled), spread(o, squares, step)));
}

UPDATE(adam) {
    blend_both(o, g, states);
    return moved(o, x, states[0], states[1], step, rate);
}
UPDATE(amsgrad) {
    blend_both(o, g, states);
    states[2] = ty_max(states[2], states[1]);
    return moved(o, x, states[0], states[2], step, rate);
}
const ty_rule ty_adam = {
    .name = "adam",
    .doc = "running mean of gradients, divided by the root of the running mean of their squares",
    .nstates = 2,
    .states = {"mean", "squares"},
    .rate = 0.001,
    .momentum = 0.9,
    .beta2 = 0.999,
    .epsilon = 1e-8,
    .averages = true,
    .update = adam};
const ty_rule ty_adamw = {.name = "adamw",
                          .doc = "adam with decoupled weight decay",
                          .nstates = 2,
                          .states = {"mean", "squares"},
                          .rate = 0.001,
                          .momentum = 0.9,
                          .beta2 = 0.999,
                          .epsilon = 1e-8,
                          .decay = 0.01,
                          .averages = true,
                          .decoupled = true,
                          .update = adam};
const ty_rule ty_amsgrad = {.name = "amsgrad",
                            .doc = "adam with the greatest running mean of squares so far",
                            .nstates = 3,
                            .states = {"mean", "squares", "greatest"},
                            .rate = 0.001,
                            .momentum = 0.9,
                            .beta2 = 0.999,
                            .epsilon = 1e-8,
                            .averages = true,
                            .update = amsgrad};

/* Return NAdam's momentum, 0-d f64, in `step`, 0-d from 1; it rises to o->momentum. */
static ty_tensor *momentum_at(const ty_optimiser *o, ty_tensor *step) {
    ty_tensor *power = ty_exp(ty_mul(step, ty_num(o->slowdown * log(0.96))));
    return ty_mul(ty_sub(ty_num(1), ty_mul(power, ty_num(0.5))), ty_num(o->momentum));
}

/* Update of Nadam (Dozat 2016). The third state is the logarithm of the product of all momenta so far,
   initially 0. */
UPDATE(nadam) {
    ty_dtype dtype = ty_dtype_of(x);
    blend_both(o, g, states);
    ty_tensor *now = momentum_at(o, step), *next = momentum_at(o, ty_add(step, ty_num(1)));
    states[2] = ty_add(states[2], ty_cast(ty_log(now), dtype));
    ty_tensor *after = ty_add(states[2], ty_cast(ty_log(next), dtype));
    ty_tensor *of_gradient = ty_div(ty_cast(ty_sub(ty_num(1), now), dtype), ty_neg(ty_expm1(states[2])));
    ty_tensor *of_mean = ty_div(ty_cast(next, dtype), ty_neg(ty_expm1(after)));
    ty_tensor *way = ty_add(ty_mul(g, of_gradient), ty_mul(states[0], of_mean));
    return rule_step(x, ty_div(way, spread(o, states[1], step)), rate);
}
const ty_rule ty_nadam = {.name = "nadam",
                          .doc = "adam with the momentum of the next step",
                          .nstates = 3,
                          .states = {"mean", "squares", "momenta"},
                          .rate = 0.002,
                          .momentum = 0.9,
                          .beta2 = 0.999,
                          .epsilon = 1e-8,
                          .slowdown = 0.004,
                          .averages = true,
                          .scalar_mask = 1 << 2,
                          .update = nadam};

/* Return RAdam's rectification, 0-d f64, of `step`, 0-d from 1, by the variance of Adam's scale; 0 in the
   first steps, where it is unknown. */
static ty_tensor *rectification(double beta2, ty_tensor *step) {
    double most = 2 / (1 - beta2) - 1;
    ty_tensor *left = rule_correction(beta2, step, TY_F64), *power = ty_sub(ty_num(1), left);
    ty_tensor *length = ty_sub(ty_num(most), ty_div(ty_mul(ty_mul(step, ty_num(2)), power), left));
    ty_tensor *known = ty_gt(length, ty_num(5)), *n = ty_where(known, length, ty_num(5));
    ty_tensor *share = ty_div(ty_mul(ty_sub(n, ty_num(4)), ty_sub(n, ty_num(2))), n);
    ty_tensor *factor = ty_sqrt(ty_mul(share, ty_num(most / ((most - 4) * (most - 2)))));
    return ty_where(known, factor, ty_num(0));
}

UPDATE(radam) {
    ty_dtype dtype = ty_dtype_of(x);
    blend_both(o, g, states);
    ty_tensor *mean = ty_div(states[0], rule_correction(o->momentum, step, dtype));
    ty_tensor *factor = ty_cast(rectification(o->beta2, step), dtype);
    ty_tensor *bias = ty_sqrt(rule_correction(o->beta2, step, dtype));
    ty_tensor *scale = ty_div(ty_mul(bias, factor), ty_add(ty_sqrt(states[1]), ty_num(o->epsilon)));
    return rule_step(x, ty_mul(mean, ty_where(ty_gt(factor, ty_num(0)), scale, ty_num(1))), rate);
}
const ty_rule ty_radam = {.name = "radam",
                          .doc = "adam with rectified variance: without the division while it has few steps",
                          .nstates = 2,
                          .states = {"mean", "squares"},
                          .rate = 0.001,
                          .momentum = 0.9,
                          .beta2 = 0.999,
                          .epsilon = 1e-8,
                          .averages = true,
                          .update = radam};

UPDATE(adamax) {
    states[0] = rule_blend(states[0], g, o->momentum);
    states[1] = ty_max(ty_mul(states[1], ty_num(o->beta2)), ty_add(ty_abs(g), ty_num(o->epsilon)));
    ty_tensor *scaled = ty_div(rate, rule_correction(o->momentum, step, ty_dtype_of(x)));
    return ty_sub(x, ty_mul(ty_div(states[0], states[1]), scaled));
}
const ty_rule ty_adamax = {.name = "adamax",
                           .doc = "running mean of gradients, divided by a decaying maximum of gradients",
                           .nstates = 2,
                           .states = {"mean", "greatest"},
                           .rate = 0.002,
                           .momentum = 0.9,
                           .beta2 = 0.999,
                           .epsilon = 1e-8,
                           .averages = true,
                           .update = adamax};

UPDATE(lamb) {
    blend_both(o, g, states);
    ty_tensor *mean = ty_div(states[0], rule_correction(o->momentum, step, ty_dtype_of(x)));
    ty_tensor *way = ty_div(mean, spread(o, states[1], step));
    if (o->decay != 0) way = ty_add(way, ty_mul(x, ty_num(o->decay)));
    return rule_step(x, way, ty_mul(rate, rule_ratio(rule_norm(x), rule_norm(way))));
}
const ty_rule ty_lamb = {.name = "lamb",
                         .doc = "adam, with the rate of each tensor scaled by its norm over that of its step",
                         .nstates = 2,
                         .states = {"mean", "squares"},
                         .rate = 0.001,
                         .momentum = 0.9,
                         .beta2 = 0.999,
                         .epsilon = 1e-6,
                         .decay = 0.01,
                         .averages = true,
                         .own_decay = true,
                         .update = lamb};
