/* State of the gradient of a loop while it is built (loop_gradient.c, loop_save.c). */
#ifndef CONTROL_LOOP_GRADIENT_H
#define CONTROL_LOOP_GRADIENT_H
#include "base/arena.h"
#include "control/loop.h"

/* The values of each step that are stored for the gradient. Memory is of an arena. */
struct save {
    bool *parameters; /* by parameter of the body: carries and elements that the gradient reads */
    bool *roots;      /* by output of the body: carries and results that are read and are stored anyway */
    int count;        /* values that are stacked for the gradient alone */
    ty_tensor **nodes;
};

/* Choose the values of each step of loop a to store for the gradient of the step, gradients[n] (each may be
   NULL), into *save. A value is stored if one pass over memory cannot compute it again, unless a history or
   result has it. All others are computed again. Memory comes from the arena. False after a fault. */
bool save_choose(struct save *save, const struct loop_attr *a, int n, ty_tensor *const *gradients,
                 struct arena *arena, struct fault *fault);

/*
 * A gradient that sums products over steps, such as a recurrent weight's. It becomes one contraction after
 * the loop. For each operand k the struct says which sequence or result of the new loop has it stacked.
 */
struct product {
    bool is;         /* the gradient is such a sum */
    int sequence[2]; /* index of the sequence; -1: it is a result */
    int result[2];   /* index of the stacked result; -1: it is a sequence */
    bool added[2];   /* the result exists for this product alone */
};

/* State of the gradient of one loop; lists are in `arena`. */
struct back {
    ty_tensor *loop; /* the loop to differentiate */
    const struct loop_attr *attr;
    ty_tensor *g;       /* set of gradients of its results */
    const bool *needed; /* by operand */
    struct arena arena;
    struct fault fault;

    bool *active; /* by carry: it has a gradient */
    int nroots, nx;
    /* root[i]: output of the body with an incoming gradient, i < nroots; parameter[i]: one with a
       gradient, i < nx */
    int *root, *parameter;
    ty_tensor **y, **seed; /* y[i]: output root[i]; seed[i]: parameter for its incoming gradient */
    ty_tensor **seeds;     /* by output of the body; NULL: none yet */
    /* x[i]: parameter[i] of the body; gradients[i]: its gradient, or NULL for 0 */
    ty_tensor **x, **gradients;
    struct product *products; /* by index i < nx */
    struct save save;

    ty_tensor *extended; /* the first loop, with stored values as additional results */
    ty_tensor *count;    /* number of steps it ran; NULL: length of them */
    int nsequences;
    /* sequences of the new loop; stands_for[i]: the node that an element replaces in the step's gradient;
       NULL: the element is added to a carry */
    ty_tensor **stands_for, **sequences;
    /* operands and results of the new loop: carries before and after, stacked results */
    ty_tensor **first, **last, **stacked;
    ty_tensor **originals, **replacements, **made; /* scratch buffers of new_step */
};
#endif
