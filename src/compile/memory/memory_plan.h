/*
 * The memory plan: where in one arena each temporary block and each kernel's workspace lies.  A region is a
 * stretch of bytes for a stretch of time; blocks that take each other's place share one.
 */
#ifndef COMPILE_MEMORY_MEMORY_PLAN_H
#define COMPILE_MEMORY_MEMORY_PLAN_H
#include "compile/flow/flow.h"

enum { PLAN_ALIGN = 64 };
static inline int64_t plan_aligned(int64_t bytes) {
    return (bytes + PLAN_ALIGN - 1) / PLAN_ALIGN * PLAN_ALIGN;
}
/* Where blocks of no bytes lie. */
extern char plan_nothing[PLAN_ALIGN];

struct region {
    int first, last; /* kernels: born by the first, used up to the last, both included */
    int64_t bytes, offset;
    int block; /* the first block that lives here; -1: the workspace of kernel `first` */
};

struct memory_plan {
    struct region *regions;
    int nregions;
    int *of_block;     /* region of each block; -1: not in the arena */
    int *of_workspace; /* region of each kernel's workspace; -1: it needs none */
    int64_t arena_bytes, live_bound, unplanned_bytes, workspace_bytes;
    int inplace; /* blocks that took the place of an operand */
};

/* Kernels are prepared: their workspace is known.  no_reuse: every block its own bytes. */
bool memory_plan_make(struct memory_plan *p, const struct flow *f, bool no_reuse, struct fault *fault);
void memory_plan_drop(struct memory_plan *p);

/* Chooses offsets of n regions so that no two that live at once overlap; returns the bytes all take together,
   or -1: no memory.  Ends early when `bound` is reached (memory_pack.c). */
int64_t memory_plan_pack(int n, struct region *regions, int64_t bound);

/* Computes lifetimes anew, from the kernels alone, and compares every two blocks that are alive at once:
   false with the first pair that shares a byte, or with what lies outside the arena (memory_check.c). */
bool memory_plan_check(const struct memory_plan *p, const struct flow *f, struct fault *fault);
/* Of blocks that are written in boxes: false with an element that is written twice, or read before it is written
   (memory_boxes.c). */
bool memory_boxes_check(const struct flow *f, struct fault *fault);
#endif
