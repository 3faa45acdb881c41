/* Helpers of rules: running means and their corrections. */
#ifndef NN_RULE_RULE_H
#define NN_RULE_RULE_H
#include <tyto/nn.h>

/* Head of a rule's update function. */
#define UPDATE(name)                                                                                         \
    static ty_tensor *name(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states,            \
                           ty_tensor *step, ty_tensor *rate)

/* Return 1 - beta^step in `dtype`; expm1 keeps the digits for beta near 1. */
ty_tensor *rule_correction(double beta, ty_tensor *step, ty_dtype dtype);
/* Return the running mean beta mean + (1 - beta) now. */
ty_tensor *rule_blend(ty_tensor *mean, ty_tensor *now, double beta);
/* Return the Euclidean norm of all elements of x, 0-d in its dtype. */
ty_tensor *rule_norm(ty_tensor *x);
/* Return a / b elementwise, or 1 where one of them is not positive. */
ty_tensor *rule_ratio(ty_tensor *a, ty_tensor *b);
/* Return x - rate g. */
ty_tensor *rule_step(ty_tensor *x, ty_tensor *g, ty_tensor *rate);
#endif
