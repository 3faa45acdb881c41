/* Stretches of a kernel's row-major elements that lie inside or outside a guard. */
#ifndef ENGINE_CPU_ELEMENTWISE_STRETCHES_H
#define ENGINE_CPU_ELEMENTWISE_STRETCHES_H
#include "base/arena.h"
#include "ops/core/kernel/kernel.h"

/* A guard over collapsed axes. Axes without a bound are merged into the axis before them, or, if outermost, make
   the others repeat. */
struct cpu_guard {
    int rank;
    bool free;
    int64_t *size, *low, *high;
    int64_t first, end; /* all elements before `first` and from `end` on are outside */
};
/* Make the guard of operand x, its box of valid indices over collapsed axes, in the arena. Return NULL if out of
   memory. */
struct cpu_guard *cpu_guard_prepare(const struct operand *x, struct arena *arena);

/* Elements at .. end-1, all inside or all outside. */
struct cpu_stretch {
    int64_t at, end;
    bool inside;
    int64_t row, place; /* row and index on the last axis at which `end` lies */
};
/* Set s to the stretch that begins with element `at` (row-major): the elements up to the next change between inside
   and outside the guard. */
void cpu_stretch_begin(struct cpu_stretch *s, const struct cpu_guard *g, int64_t at);
/* Set s to the next stretch of elements that are all inside or all outside the guard. */
void cpu_stretch_next(struct cpu_stretch *s, const struct cpu_guard *g);
#endif
