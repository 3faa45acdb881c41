/* Phases of output windows (phases.c), used by contraction_lower.c. */
#ifndef CONTRACT_PHASES_H
#define CONTRACT_PHASES_H
#include "contract/contraction.h"

/* Equivalent positions of an output window: base + p + q * stride for p < count, q < outer. Each is a sum
   over t < inner of products. Their inner index is first + p * rise + t * step, their outer index q +
   shift - t * back. */
struct contract_phase {
    int64_t base, count, outer;
    int64_t first, rise, step, inner;
    int64_t shift, back;
    struct contract_phase *next;
};

/* Return the list of phases of a window; together they cover each position of the axis once. alone: each
   residue modulo the stride is a phase of its own. Otherwise residues may be merged into one phase if
   predicted faster, some of whose inner indices are out of range. For that, `beside` is the number of
   elements of out, of `size` bytes, at each position that step with the inner index's operand alone. Memory
   is of `arena`. NULL with *ok true: the axis is empty; NULL with *ok false: no memory. */
struct contract_phase *contract_phases(const struct contract_window *window, bool alone, int64_t beside,
                                       int64_t size, struct arena *arena, bool *ok);
#endif
