/*
 * Index maps: padding, the places that slices come from and concatenation become MAP kernels, whose operands are read at
 * a distance and guarded (ops/core/guard.h), and what is computed element by element is computed again where it is read
 * at such a distance, instead of being stored.  Fusion then makes one kernel of them.  Bits are those of the copies.
 */
#ifndef COMPILE_PASSES_GUARDS_H
#define COMPILE_PASSES_GUARDS_H
#include "compile/flow/flow.h"

/* A block that was computed again, as it was seen: result is the block that it became. */
struct guards_again {
    struct operand seen;
    int result;
};

struct guards {
    struct flow *flow;
    struct arena arena;  /* of the pass */
    struct kernel *made; /* kernels so far */
    int nmade, room;
    int *by; /* of each block: the kernel among these that writes it; -1: none */
    int nby, by_room;
    int known;   /* blocks that were there before */
    bool *turns; /* of each kernel that was there before: it becomes MAPs */
    bool *light; /* of each block that was there before: it may be computed again */
    int *weight; /* of these: how much work an element is, all that is computed again together */
    bool *
        behind; /* of these: an elementwise value of what another kind of kernel makes, in whose epilogue it can be */
    int truth, zeros[TY_DTYPES]; /* blocks of constants; -1: not there yet */
    struct guards_again *again;
    int nagain, again_room;
    int budget; /* how many more kernels may be made for the present one */
    struct fault *fault;
};

/* Kernel k as it is, at the end of those made. */
bool guards_add(struct guards *g, const struct kernel *k);
/* A MAP of one operator at the end of those made; its output's block, or -1 after a fault.  block -1: a new one. */
int guards_map(struct guards *g, const struct op *op, const void *attr, size_t attr_bytes, int n,
               const struct operand *inputs, int block, const struct operand *form);
/* An operand without its guard, where memory may be read everywhere; and with it where not. */
void guards_settle(const struct flow *f, struct operand *x);
/* Makes operand x, which is read at a distance, one that is computed in place from what it is made of, where that is
   allowed and better (guards_again.c); form: of what the kernel makes.  False: no memory. */
bool guards_compute(struct guards *g, struct operand *x, const struct operand *form);
/* Adds MAP kernels for one that copies to places (guards_turn.c). */
bool guards_turn(struct guards *g, const struct kernel *k);
/* Whether a kernel that copies to places can be turned so. */
bool guards_can_turn(const struct kernel *k);
/* Whether part i of such a kernel is most of the result, or GUARDS_LONG elements at a time: then it may be computed again
   where it stands, since engines need not compute what is not chosen in all of a tile. */
enum { GUARDS_LONG = 1024 };
bool guards_part_is_large(const struct kernel *k, int i);
/* Whether x goes through its block in order, by each element once, and is large in this sense. */
bool guards_goes_along(const struct operand *x);
/* Whether the parts of a CONCAT overlap. */
bool guards_overlap(const struct kernel *k);
#endif
