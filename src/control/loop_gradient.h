/* What the gradient of a loop knows while it is made. */
#ifndef CONTROL_LOOP_GRADIENT_H
#define CONTROL_LOOP_GRADIENT_H
#include "base/arena.h"
#include "control/loop.h"

/* What of a loop's values its gradient reads. */
struct save {
    bool *parameters; /* of the body: carries and elements that are read */
    bool *roots;      /* of the body: next carries and results that are read, and are stored anyway */
    int count;        /* values of the body that are stacked for it */
    ty_tensor **nodes;
};

/*
 * Chooses what is saved of each step for the gradient of the step (`gradients`, n of them or NULL): values that take
 * more than a pass over memory to compute again, unless they are stored as history or result.  Everything else is
 * computed again from these and from parameters.  Memory from `arena`.  False after a fault.
 */
bool save_choose(struct save *save, const struct loop_attr *a, int n, ty_tensor *const *gradients,
                 struct arena *arena, struct fault *fault);

/*
 * A sum of products over steps, as of the weights of a recurrent network, is one contraction after the loop instead of an
 * addition to all weights in each step.  Where its two operands are, stacked: a sequence that the loop reads, or a result.
 */
struct product {
    bool is;
    int sequence[2]; /* -1: it is a result */
    int result[2];
    bool added[2]; /* a result that is there for this alone */
};

struct back {
    ty_tensor *loop; /* the loop whose gradient is wanted */
    const struct loop_attr *attr;
    ty_tensor *g;       /* what flowed into its results */
    const bool *needed; /* operands */
    struct arena arena;
    struct fault fault;

    bool *active; /* carries that get any gradient */
    int nroots, nx;
    int *root, *parameter;      /* roots that gradients come in by; parameters that they flow to */
    ty_tensor **y, **seed;      /* of these roots: what they are, what flows in */
    ty_tensor **seeds;          /* by number of the root; NULL: none yet */
    ty_tensor **x, **gradients; /* of these parameters; NULL gradients: nothing flows */
    struct product *products;   /* of these gradients */
    struct save save;

    ty_tensor *extended; /* the first loop, with what is saved as further results */
    ty_tensor *count;    /* how many steps it ran; NULL: all */
    int nsequences;
    ty_tensor **stands_for,
        **sequences; /* what an element stands for in the step's gradient; NULL: it is added */
    ty_tensor **first, **last, **stacked;
    ty_tensor **originals, **replacements, **made;
};
#endif
