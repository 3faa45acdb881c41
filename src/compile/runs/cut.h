/* Cut kernels: kernels that compute a box of the results of another one, in the same memory. */
#ifndef COMPILE_RUNS_CUT_H
#define COMPILE_RUNS_CUT_H
#include "array/box.h"
#include "compile/flow/flow.h"

/* A cut kernel, in an arena; its preparation is retained. */
struct cut {
    struct kernel kernel;
    struct cut *next;
};

/* Operands outside of their guards read this memory of zeros: slot f->nblocks of a program. */
extern char cut_zeros[64];

/* Return the list of kernels that compute the boxes of k's outputs, in the arena; the caller drops it by cut_drop.
   NULL if k cannot be cut so or memory runs out. */
struct cut *cut_kernel(const struct flow *f, const struct kernel *k, const struct boxes *boxes,
                       struct arena *arena);
/* Release the preparations of a list, which may be NULL. */
void cut_drop(struct cut *list);
#endif
