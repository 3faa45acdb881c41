/*
 * Rules that follow the gradient, or a running mean of it.
 *
 *   momentum  Polyak 1964; Nesterov's form after Sutskever et al. 2013
 *   lion      Chen et al. 2023, "Symbolic discovery of optimization algorithms", algorithm 2
 *   lars      You, Gitman, Ginsburg 2017, "Large batch training of convolutional networks", algorithm 1
 */
#include <tyto/create.h>
#include <tyto/math.h>
#include "nn/rule/rule.h"

UPDATE(sgd) {
    (void)o, (void)states, (void)step;
    return rule_step(x, g, rate);
}
const ty_rule ty_sgd = {.name = "sgd", .doc = "x - rate g", .rate = 0.01, .update = sgd};

UPDATE(momentum) {
    (void)step;
    ty_tensor *mu = ty_num(o->momentum);
    ty_tensor *velocity = states[0] = ty_add(ty_mul(states[0], mu), g);
    return rule_step(x, o->nesterov ? ty_add(g, ty_mul(velocity, mu)) : velocity, rate);
}
const ty_rule ty_momentum = {.name = "momentum",
                             .doc = "a velocity that sums gradients; Nesterov's variant as an option",
                             .nstates = 1,
                             .states = {"velocity"},
                             .rate = 0.01,
                             .momentum = 0.9,
                             .update = momentum};
const ty_rule ty_nesterov = {.name = "nesterov",
                             .doc = "momentum with the gradient after the next step of the velocity",
                             .nstates = 1,
                             .states = {"velocity"},
                             .rate = 0.01,
                             .momentum = 0.9,
                             .nesterov = true,
                             .update = momentum};

UPDATE(lion) {
    (void)step;
    ty_tensor *way = ty_sign(rule_blend(states[0], g, o->momentum));
    states[0] = rule_blend(states[0], g, o->beta2);
    return rule_step(x, way, rate);
}
const ty_rule ty_lion = {.name = "lion",
                         .doc = "sign of a running mean of gradients",
                         .nstates = 1,
                         .states = {"mean"},
                         .rate = 1e-4,
                         .momentum = 0.9,
                         .beta2 = 0.99,
                         .averages = true,
                         .decoupled = true,
                         .update = lion};

/* Update of LARS. The velocity includes the learning rate, so a schedule does not rescale past gradients. */
UPDATE(lars) {
    (void)step;
    ty_tensor *size = rule_norm(x), *slope = rule_norm(g), *decay = ty_num(o->decay);
    ty_tensor *all = ty_add(ty_add(slope, ty_mul(size, decay)), ty_num(o->epsilon));
    ty_tensor *both = ty_logical_and(ty_gt(size, ty_num(0)), ty_gt(slope, ty_num(0)));
    ty_tensor *local = ty_where(both, ty_div(ty_mul(size, ty_num(o->trust)), all), ty_num(1));
    if (o->decay != 0) g = ty_add(g, ty_mul(x, decay));
    ty_tensor *way = ty_mul(g, ty_mul(local, rate));
    states[0] = ty_add(ty_mul(states[0], ty_num(o->momentum)), way);
    return ty_sub(x, states[0]);
}
const ty_rule ty_lars = {
    .name = "lars",
    .doc = "momentum, with the rate of each tensor scaled by its norm over that of its gradient",
    .nstates = 1,
    .states = {"velocity"},
    .rate = 0.1,
    .momentum = 0.9,
    .epsilon = 1e-8,
    .trust = 1e-3,
    .own_decay = true,
    .update = lars};
