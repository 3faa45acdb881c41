/* What rules share: running means and their corrections. */
#ifndef NN_RULE_RULE_H
#define NN_RULE_RULE_H
#include <tyto/nn.h>

/* A rule's function: all have one form. */
#define UPDATE(name)                                                                                         \
    static ty_tensor *name(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states,            \
                           ty_tensor *step, ty_tensor *rate)

/* 1 - beta^step, of that dtype: expm1 keeps its digits when beta is near 1. */
ty_tensor *rule_correction(double beta, ty_tensor *step, ty_dtype dtype);
/* The running mean beta m + (1 - beta) now. */
ty_tensor *rule_blend(ty_tensor *mean, ty_tensor *now, double beta);
/* The Euclidean norm of all elements, 0-d. */
ty_tensor *rule_norm(ty_tensor *x);
/* a / b, and 1 where one of these norms is 0. */
ty_tensor *rule_ratio(ty_tensor *a, ty_tensor *b);
/* x - rate g */
ty_tensor *rule_step(ty_tensor *x, ty_tensor *g, ty_tensor *rate);
#endif
