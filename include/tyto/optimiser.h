/*
 * Optimisers: new values of parameters from their gradients, and clipping of gradients.  Part of <tyto/nn.h>.
 *
 * All work on values and on promises.  Steps are counted by a tensor, so the count goes on in a compiled program.
 */
#ifndef TYTO_OPTIMISER_H
#define TYTO_OPTIMISER_H
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ty_optimiser ty_optimiser;

/* The greatest number of states of a rule. */
#define TY_RULE_STATES 3

/* An optimiser's rule.  update returns the new value of parameter x from its gradient g, by public functions.  It
   replaces states[] (nstates, initially zeros) by their new values.  step (1, 2, ...) is 0-d f64, rate 0-d of x's
   dtype; defaults of `o` are filled in.  f16 and bf16 parameters come as f32, and so do their states. */
typedef struct ty_rule {
    const char *name, *doc;
    int nstates;
    const char *states[TY_RULE_STATES]; /* names in checkpoints */
    ty_tensor *(*update)(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states,
                         ty_tensor *step, ty_tensor *rate);
    bool averages;                                /* momentum is the weight of a mean, so below 1 */
    bool decoupled;                               /* decay is always decoupled */
    bool own_decay;                               /* update applies decay itself */
    bool nesterov;                                /* as the option */
    int scalar_mask;                              /* bit i: state i is 0-d; others have the shape of x */
#define HYPER(name, end, other, doc) double name; /* the default */
#include <tyto/tables/hyperparameters.def>
    double unused[8]; /* 0: room for later hyperparameters, and for other members */
} ty_rule;

/* The number 0 itself, where 0 stands for the default: {.rule = &ty_adam, .momentum = TY_ZERO} has beta1 = 0. */
#define TY_ZERO (-0.0)

/* An optimiser: {.rule = &ty_adam, .rate = 1e-3, .decay = 0.01, .decoupled = true} is AdamW.  A number 0 stands for
   the rule's default, TY_ZERO for 0; hyperparameters.def describes the numbers. */
struct ty_optimiser {
    const ty_rule *rule;
    /* take decay from the parameter (Loshchilov and Hutter 2019) instead of adding it to the gradient */
    bool decoupled;
    bool nesterov; /* momentum only */
#define HYPER(name, end, other, doc) double name;
#include <tyto/tables/hyperparameters.def>
    double unused[8]; /* 0: room for later hyperparameters, and for other members */
};

#define RULE(name) extern TY_API const ty_rule ty_##name;
#include <tyto/tables/rules.def>
/* All rules, NULL-terminated. */
extern TY_API const ty_rule *const ty_rules[];
/* Return the update rule of a name, such as "adam"; NULL if there is none. */
TY_API const ty_rule *ty_rule_named(const char *name);
/* Set a number (hyperparameter) of an optimiser by name, such as "beta2"; PyTorch's "lr" and others are known, too.
   0 is 0 itself here.  False, no change, and the reason in *error (NULL: not wanted) if there is no such number or
   the value is negative or outside its domain. */
TY_API bool ty_optimiser_set(ty_optimiser *o, const char *name, double value, ty_tensor **error);
/* Return the effective value of a number (hyperparameter) of that name, the rule's default if none is set; NaN
   if there is no such number. */
TY_API double ty_optimiser_number(const ty_optimiser *o, const char *name);

/* Return the initial state i, counted from 0, of parameter x: zeros, of the shape of x or 0-d, f32 if x is of
   half floats.  Poison if the rule has no state i. */
TY_API ty_tensor *ty_optimiser_state(const ty_optimiser *o, int i, ty_tensor *x);
/* Do one step of an optimiser on one parameter x with its gradient g, decay included: returns the new x and
   replaces as many tensors as the rule has, states[].  Works on values and on promises (each is then the value of a
   ty_update).  `step`, counted from 1, and `rate` are 0-d f64; rate NULL: the optimiser's.  The new x has x's dtype;
   NULL as a rule is Adagrad.  Poison on failure, with states[] as they were. */
TY_API ty_tensor *ty_optimise(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states,
                              ty_tensor *step, ty_tensor *rate);

/* ---- clipping of n gradients into clipped[] ---- */

/* Clip the elements of n gradients to -most..most into clipped[].  Dtypes and shapes stay.  False if a gradient is
   poisoned or not real floating, or `most` is negative or NaN: all of clipped[] are then poisoned. */
TY_API bool ty_clip_by_value(int n, ty_tensor *const *gradients, double most, ty_tensor **clipped);
/* Scale each of n gradients so that its Euclidean norm is at most `most`, into clipped[]; squares do not overflow.
   Dtypes and shapes stay.  False if a gradient is poisoned or not real floating, or `most` is negative or NaN: all
   of clipped[] are then poisoned. */
TY_API bool ty_clip_by_norm(int n, ty_tensor *const *gradients, double most, ty_tensor **clipped);
/* Scale n gradients by a common factor so that the norm of all together is at most `most`, into clipped[].  *norm
   (NULL: not wanted) receives that norm before scaling, 0-d.  Dtypes and shapes stay.  False if a gradient is
   poisoned or not real floating, or `most` is negative or NaN: all results are then poisoned. */
TY_API bool ty_clip_by_global_norm(int n, ty_tensor *const *gradients, double most, ty_tensor **clipped,
                                   ty_tensor **norm);

/*
 * Compute the loss of a batch and its gradients piece by piece, in one scan, so that only one piece needs memory.
 *
 * loss(context, x) gets the n parameters and then the nbatch operands of a piece, (B/pieces, ...) of (B, ...); it
 * returns the mean over its examples.  *value and gradients[0 .. n) are the means over all pieces, so those of the
 * whole batch.  `pieces` must divide every B.  False on failure: all results are then poisoned.
 */
TY_API bool ty_accumulate(ty_body loss, void *context, int n, ty_tensor *const *parameters, int nbatch,
                          ty_tensor *const *batch, int64_t pieces, ty_tensor **value, ty_tensor **gradients);

#ifdef __cplusplus
}
#endif
#endif
