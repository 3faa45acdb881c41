/* The two halves of lowering: what output windows fall apart into (phases.c), and the rest (contraction_lower.c). */
#ifndef CONTRACT_PHASES_H
#define CONTRACT_PHASES_H
#include "contract/contraction.h"

/* Places of an output window that are alike: base + p + q * stride for p < count, q < outer.  What is added
   up there comes from the inner indices first + p * rise + t * step for t < inner, and the outer index q +
   shift - t * back. */
struct contract_phase {
    int64_t base, count, outer;
    int64_t first, rise, step, inner;
    int64_t shift, back;
    struct contract_phase *next;
};

/* The phases of one window, which together write every place of the axis once; `alone`: one place of each
   period at a time.  Else all may be one, where `beside` elements of out, of `size` bytes, lie at each place
   and step with the inner index's operand alone: then some inner indices are none.  NULL with *ok: the axis
   is empty; NULL without: no memory. */
struct contract_phase *contract_phases(const struct contract_window *window, bool alone, int64_t beside,
                                       int64_t size, struct arena *arena, bool *ok);
#endif
