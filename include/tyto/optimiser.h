/*
 * Optimisers: what becomes of a parameter by its gradient, and what is done to gradients before.  Part of <tyto/nn.h>.
 *
 * All work on values and on promises.  Steps are counted by a tensor, so in a compiled program the count goes on.
 */
#ifndef TYTO_OPTIMISER_H
#define TYTO_OPTIMISER_H
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ty_optimiser ty_optimiser;

/* The most states that a rule may have. */
#define TY_RULE_STATES 3

/*
 * One way to learn.  update: the new value of parameter x from its gradient g; states[] (the row's number of them, zeros
 * at first) are replaced by their new values; step (1, 2, ...) is 0-d f64, rate 0-d of x's dtype; no number of `o` is 0
 * for "the default" any more.  f16 and bf16 parameters come as f32, and so do their states.  Only public functions.
 */
typedef struct ty_rule {
    const char *name, *doc;
    int nstates;
    const char *states[TY_RULE_STATES];           /* names, as in checkpoints */
#define HYPER(name, end, other, doc) double name; /* the default */
#include <tyto/hyperparameters.def>
    ty_tensor *(*update)(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states,
                         ty_tensor *step, ty_tensor *rate);
    bool averages;   /* momentum is the weight of a mean, so below 1 */
    bool decoupled;  /* decay is decoupled, whether the optimiser says so or not */
    bool own_decay;  /* update deals with decay itself */
    bool nesterov;   /* as the option */
    int scalar_mask; /* bit i: state i is 0-d, others have the shape of x */
} ty_rule;

/* 0 itself, where a 0 means the default: {.rule = &ty_adam, .momentum = TY_ZERO} has beta1 = 0. */
#define TY_ZERO (-0.0)

/* {.rule = &ty_adam, .rate = 1e-3, .decay = 0.01, .decoupled = true} is AdamW.  Numbers: 0 is the rule's, TY_ZERO is 0;
   hyperparameters.def says what they are. */
struct ty_optimiser {
    const ty_rule *rule;
#define HYPER(name, end, other, doc) double name;
#include <tyto/hyperparameters.def>
    /* decay is taken from the parameter (Loshchilov and Hutter 2019), else added to the gradient */
    bool decoupled;
    bool nesterov; /* momentum only */
};

#define RULE(name) extern TY_API const ty_rule ty_##name;
#include <tyto/rules.def>
/* All rules, NULL-terminated. */
extern TY_API const ty_rule *const ty_rules[];
/* By name; NULL: none. */
TY_API const ty_rule *ty_rule_find(const char *name);
/* Gives the number of that name ("beta2"; "lr" and others of PyTorch's are known, too) to an optimiser; 0 is 0 itself here.
   False: there is none, or it does not belong to its domain; nothing has changed then. */
TY_API bool ty_optimiser_set(ty_optimiser *o, const char *name, double value);
/* The number of that name that counts, the rule's where none is given; NaN: there is none. */
TY_API double ty_optimiser_number(const ty_optimiser *o, const char *name);

/* What state i of parameter x is before the first step: zeros, of the shape of x or 0-d, f32 where x is of half floats. */
TY_API ty_tensor *ty_optimiser_state(const ty_optimiser *o, int i, ty_tensor *x);
/* One step of an optimiser on one parameter, decay included: the new x; states[] are replaced.  On values and
   on promises alike (then each is the value of a ty_update).  step and rate: 0-d f64; rate NULL: the
   optimiser's. */
TY_API ty_tensor *ty_optimise(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states,
                              ty_tensor *step, ty_tensor *rate);

/* ---- gradients before a step: n of them into clipped[]; false when one is poisoned: all are then ---- */

/* Elements between -most and most. */
TY_API bool ty_clip_by_value(int n, ty_tensor *const *gradients, double most, ty_tensor **clipped);
/* Each scaled so that its Euclidean norm is at most `most`; squares do not overflow on the way. */
TY_API bool ty_clip_by_norm(int n, ty_tensor *const *gradients, double most, ty_tensor **clipped);
/* All scaled alike so that the norm of all together is at most `most`.  *norm (NULL: not wanted): 0-d, what it was. */
TY_API bool ty_clip_by_global_norm(int n, ty_tensor *const *gradients, double most, ty_tensor **clipped,
                                   ty_tensor **norm);

/*
 * The loss of a batch and its gradients in `pieces`, one after the other, so that only one of them is in memory: a batch that
 * is larger than memory allows.  loss(context, x) gets the n parameters and then the nbatch operands of a piece, (B/pieces,
 * ...) of (B, ...), and returns the mean over its examples; *value and gradients[0 .. n) are the means over all pieces, so
 * those of the whole batch.  One scan; pieces must divide every B.  False when a result is poisoned: all are then.
 */
TY_API bool ty_accumulate(ty_body loss, void *context, int n, ty_tensor *const *parameters, int nbatch,
                          ty_tensor *const *batch, int64_t pieces, ty_tensor **value, ty_tensor **gradients);

#ifdef __cplusplus
}
#endif
#endif
