/*
 * Index maps: padding, gradients of slices and concatenation become MAP kernels whose operands are shifted
 * and guarded (ops/core/guard.h). Elementwise values that are read shifted are recomputed there instead of
 * being stored. Fusion then merges these kernels. Results are bitwise equal to those of copies.
 */
#ifndef COMPILE_PASSES_GUARDS_H
#define COMPILE_PASSES_GUARDS_H
#include "compile/flow/flow.h"

/* A recomputed operand and the block that holds the result. */
struct guards_again {
    struct operand seen;
    int result;
};

/* State of the pass. */
struct guards {
    struct flow *flow;
    struct arena arena;  /* freed at the end of the pass */
    struct kernel *made; /* kernels made so far */
    int nmade, room;
    int *by; /* by block: the kernel in `made` that writes it; -1: none */
    int nby, by_room;
    int known;   /* number of blocks before the pass */
    bool *turns; /* by old kernel: it becomes MAPs */
    bool *light; /* by old block: it may be recomputed */
    int *weight; /* by old block: work per element, including all that is recomputed for it */
    /* by old block: an elementwise value that can be computed in the epilogue of another kind of kernel */
    bool *behind;
    int truth, zeros[TY_DTYPES]; /* constant blocks true and 0 of each dtype; -1: not made yet */
    struct guards_again *again;
    int nagain, again_room;
    int budget; /* how many more kernels may be made for the current one */
    struct fault *fault;
};

/* Append kernel k unchanged to the pass's list of kernels. False after a fault. */
bool guards_add(struct guards *g, const struct kernel *k);
/* Append an elementwise kernel (MAP) of one operator on n inputs and return its output block, or -1 after a
   fault. block -1: a new block. form: dtype and layout of the output. */
int guards_map(struct guards *g, const struct op *op, const void *attr, size_t attr_bytes, int n,
               const struct operand *inputs, int block, const struct operand *form);
/* Remove the guard of operand x if values outside of it are never used and all addresses are in the block. */
void guards_settle(const struct flow *f, struct operand *x);
/* Replace operand x, read shifted, by one that is computed in place from its inputs, if that is allowed and
   better (guards_again.c). form: output of the kernel that reads x. False: no memory. */
bool guards_compute(struct guards *g, struct operand *x, const struct operand *form);
/* Append elementwise kernels (MAP) in place of k, which copies to positions: padding or concatenation
   (guards_turn.c). False after a fault. */
bool guards_turn(struct guards *g, const struct kernel *k);
/* True if guards_turn supports kernel k. */
bool guards_can_turn(const struct kernel *k);
/* Minimum run of elements for a part to count as large. */
enum { GUARDS_LONG = 1024 };
/* True if part i of kernel k, a concatenation, is most of the result, or has runs of GUARDS_LONG elements.
   Then it may be recomputed in place, since engines need not compute unselected elements of whole tiles. */
bool guards_part_is_large(const struct kernel *k, int i);
/* True if x reads its block in order, each element once, and is most of its shape or has runs of GUARDS_LONG
   elements. */
bool guards_goes_along(const struct operand *x);
/* True if two parts of k, a CONCAT kernel, overlap. */
bool guards_overlap(const struct kernel *k);
#endif
