/*
 * Rules that divide by a memory of squared gradients.
 *
 *   adagrad   Duchi, Hazan, Singer 2011
 *   rmsprop   Tieleman and Hinton 2012; centered: Graves 2013
 *   adadelta  Zeiler 2012
 */
#include <tyto/create.h>
#include <tyto/math.h>
#include "nn/rule/rule.h"

UPDATE(adagrad) {
    (void)step;
    states[0] = ty_add(states[0], ty_square(g));
    return ty_sub(x, ty_div(ty_mul(g, rate), ty_add(ty_sqrt(states[0]), ty_num(o->epsilon))));
}
const ty_rule ty_adagrad = {.name = "adagrad",
                            .doc = "gradient divided by the root of the sum of its squares",
                            .nstates = 1,
                            .states = {"squares"},
                            .rate = 0.005,
                            .epsilon = 1e-10,
                            .update = adagrad};

/* Return g / (sqrt(squares) + epsilon), elementwise. */
static ty_tensor *scaled(const ty_optimiser *o, ty_tensor *g, ty_tensor *squares) {
    return ty_div(g, ty_add(ty_sqrt(squares), ty_num(o->epsilon)));
}

static ty_tensor *remembered(const ty_optimiser *o, ty_tensor **velocity, ty_tensor *way) {
    return *velocity = ty_add(ty_mul(*velocity, ty_num(o->momentum)), way);
}

UPDATE(rmsprop) {
    (void)step;
    states[0] = rule_blend(states[0], ty_square(g), o->beta2);
    return rule_step(x, scaled(o, g, states[0]), rate);
}
UPDATE(rmsprop_momentum) {
    (void)step;
    states[0] = rule_blend(states[0], ty_square(g), o->beta2);
    return rule_step(x, remembered(o, &states[1], scaled(o, g, states[0])), rate);
}
/* Update of centred RMSprop; rounding must not make the variance negative. */
UPDATE(rmsprop_centered) {
    (void)step;
    states[0] = rule_blend(states[0], ty_square(g), o->beta2);
    states[2] = rule_blend(states[2], g, o->beta2);
    ty_tensor *variance = ty_max(ty_sub(states[0], ty_square(states[2])), ty_num(0));
    return rule_step(x, remembered(o, &states[1], scaled(o, g, variance)), rate);
}
const ty_rule ty_rmsprop = {.name = "rmsprop",
                            .doc = "gradient divided by the root of the running mean of its squares",
                            .nstates = 1,
                            .states = {"squares"},
                            .rate = 0.01,
                            .beta2 = 0.99,
                            .epsilon = 1e-8,
                            .update = rmsprop};
const ty_rule ty_rmsprop_momentum = {.name = "rmsprop_momentum",
                                     .doc = "rmsprop with a velocity",
                                     .nstates = 2,
                                     .states = {"squares", "velocity"},
                                     .rate = 0.01,
                                     .momentum = 0.9,
                                     .beta2 = 0.99,
                                     .epsilon = 1e-8,
                                     .update = rmsprop_momentum};
const ty_rule ty_rmsprop_centered = {
    .name = "rmsprop_centered",
    .doc = "rmsprop, divided by the standard deviation of gradients, with a velocity (momentum 0 by default)",
    .nstates = 3,
    .states = {"squares", "velocity", "mean"},
    .rate = 0.01,
    .beta2 = 0.99,
    .epsilon = 1e-8,
    .update = rmsprop_centered};

UPDATE(adadelta) {
    (void)step;
    ty_tensor *epsilon = ty_num(o->epsilon);
    states[0] = rule_blend(states[0], ty_square(g), o->beta2);
    ty_tensor *way =
        ty_mul(g, ty_div(ty_sqrt(ty_add(states[1], epsilon)), ty_sqrt(ty_add(states[0], epsilon))));
    states[1] = rule_blend(states[1], ty_square(way), o->beta2);
    return rule_step(x, way, rate);
}
const ty_rule ty_adadelta = {.name = "adadelta",
                             .doc = "gradient scaled by the running means of squared steps and gradients",
                             .nstates = 2,
                             .states = {"squares", "steps"},
                             .rate = 1,
                             .beta2 = 0.9,
                             .epsilon = 1e-6,
                             .update = adadelta};
