/* Which stretches of a kernel's elements, counted row-major, lie inside of a guard. */
#ifndef ENGINE_CPU_ELEMENTWISE_STRETCHES_H
#define ENGINE_CPU_ELEMENTWISE_STRETCHES_H
#include "base/arena.h"
#include "ops/core/kernel.h"

/* A guard over collapsed axes: those along which all is inside are part of the one before them, or, where there is none,
   make the others repeat themselves. */
struct cpu_guard {
    int rank;
    bool free;
    int64_t *size, *low, *high;
    int64_t first, end; /* before the first element inside of all, and from the end on, nothing is inside */
};
/* NULL: no memory. */
struct cpu_guard *cpu_guard_prepare(const struct operand *x, struct arena *arena);

/* Elements at .. end-1, all of them inside or all outside. */
struct cpu_stretch {
    int64_t at, end;
    bool inside;
    int64_t row, place; /* along the last axis: which of its rows `end` is in, and where */
};
/* The stretch that begins with element `at`. */
void cpu_stretch_begin(struct cpu_stretch *s, const struct cpu_guard *g, int64_t at);
/* The one behind it. */
void cpu_stretch_next(struct cpu_stretch *s, const struct cpu_guard *g);
#endif
