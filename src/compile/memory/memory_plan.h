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
    int64_t stays_bytes; /* of blocks that stay from run to run */
    int inplace;         /* blocks that took the place of an operand */
};

/* Kernels are prepared: their workspace is known.  Of the options no_reuse and pack_steps count. */
bool memory_plan_make(struct memory_plan *p, const struct flow *f, const ty_compile_options *options,
                      struct fault *fault);
void memory_plan_drop(struct memory_plan *p);
/* The two steps of that: how long each region lives and what is alive at once; where regions lie. */
bool memory_plan_lives(struct memory_plan *p, const struct flow *f, const ty_compile_options *options,
                       struct fault *fault);
bool memory_plan_place(struct memory_plan *p, const ty_compile_options *options, struct fault *fault);
/* Bytes alive in each kernel; live has room for one more. */
void memory_plan_live(const struct memory_plan *p, int nkernels, int64_t *live);

/* Chooses offsets of n regions so that no two that live at once overlap; returns the bytes all take together,
   or -1: no memory.  Ends early when `bound` is reached.  steps: of the exact search, some 1 ns each; 0: a few
   ms' worth (memory_pack.c). */
int64_t memory_plan_pack(int n, struct region *regions, int64_t bound, int64_t steps);

/* Computes lifetimes anew, from the kernels alone, and compares every two blocks that are alive at once:
   false with the first pair that shares a byte, or with what lies outside the arena (memory_check.c). */
bool memory_plan_check(const struct memory_plan *p, const struct flow *f, struct fault *fault);
/* Of blocks that are written in boxes: false with an element that is written twice, or read before it is written
   (memory_boxes.c). */
bool memory_boxes_check(const struct flow *f, struct fault *fault);
#endif
