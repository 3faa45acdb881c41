/*
 * The memory plan: the offset of each temporary block and kernel workspace in one arena. A region is a range
 * of bytes during a range of kernels; blocks that overwrite each other in place share one.
 */
#ifndef COMPILE_MEMORY_MEMORY_PLAN_H
#define COMPILE_MEMORY_MEMORY_PLAN_H
#include "compile/flow/flow.h"

enum { PLAN_ALIGN = 64 };
/* Round bytes up to a multiple of PLAN_ALIGN. */
static inline int64_t plan_aligned(int64_t bytes) {
    return (bytes + PLAN_ALIGN - 1) / PLAN_ALIGN * PLAN_ALIGN;
}
/* Address of all blocks of 0 bytes. */
extern char plan_nothing[PLAN_ALIGN];

/* A range of bytes during a range of kernels. */
struct region {
    int first, last;       /* first and last kernel that uses it, inclusive */
    int64_t bytes, offset; /* size; position in the arena */
    int block;             /* its first block; -1: the workspace of kernel `first` */
};

/* A plan; owns its arrays. Free by memory_plan_drop. */
struct memory_plan {
    struct region *regions;
    int nregions;
    int *of_block;     /* region of each block; -1: not in the arena */
    int *of_workspace; /* region of each kernel's workspace; -1: none needed */
    /* arena; most bytes alive at once; sum without reuse; largest workspace */
    int64_t arena_bytes, live_bound, unplanned_bytes, workspace_bytes;
    int64_t stays_bytes; /* bytes of blocks that stay between runs */
    int inplace;         /* number of blocks written over an operand */
    bool shared;         /* the offsets are those of a shared plan (memory_share.h) */
    /* Sections (flow/sections.h): regions that one strand alone uses lie in its pack, which lives as long as the
       section; all other regions that a section uses live that long, too. */
    int *pack_of;         /* by region: the strand in whose pack it lies, -1: none; NULL: no sections */
    struct region *packs; /* by strand */
    int npacks;
};

/* Make the plan of the arena for the prepared kernels of f. Uses options no_reuse and pack_steps. False after
   a fault; call memory_plan_drop in either case. */
bool memory_plan_make(struct memory_plan *p, const struct flow *f, const ty_compile_options *options,
                      struct fault *fault);
/* Free the arrays and set *p to 0. */
void memory_plan_drop(struct memory_plan *p);
/* Do the first half of memory_plan_make: find regions, their lifetimes and the live bound. False after a
   fault; call memory_plan_drop in either case. */
bool memory_plan_lives(struct memory_plan *p, const struct flow *f, const ty_compile_options *options,
                       struct fault *fault);
/* Do the second half of memory_plan_make: assign an offset in the arena to each region. False after a fault. */
bool memory_plan_place(struct memory_plan *p, const ty_compile_options *options, struct fault *fault);
/* Compute p->live_bound, the most bytes of regions alive at once. False, with the fault set, if memory runs out. */
bool memory_plan_bound(struct memory_plan *p, int nkernels, struct fault *fault);
/* Compute live[k], the bytes of regions alive in kernel k, also of packs; live[nkernels] is scratch space. */
void memory_plan_live(const struct memory_plan *p, int nkernels, int64_t *live);

/* Second part of memory_plan_lives for a flow with sections: find the packs of strands (memory_sections.c).  False after
   a fault. */
bool memory_sections_lives(struct memory_plan *p, const struct flow *f, struct fault *fault);
/* Assign an offset to each region of a flow with sections. Return the total bytes, or -1: no memory. */
int64_t memory_sections_place(struct memory_plan *p, int64_t steps);
/* Let f have the sections *s, except those that take too much memory: together they raise the most bytes alive at once by
   a quarter, or by the second-level caches of s->width threads if that is more.  False after a fault. */
bool memory_sections_choose(struct flow *f, const struct sections *s, const ty_compile_options *options,
                            struct fault *fault);
/* Check that strands of a section share no bytes of the arena and no blocks that one of them writes
   (memory_sections_check.c).  False, with a fault that names the first that do. */
bool memory_sections_check(const struct memory_plan *p, const struct flow *f, struct fault *fault);

/* Assign offsets to n regions so that no two that live at once overlap. Return the total bytes, or -1: no
   memory. It stops at `bound` bytes or less; the live bound is the best there can be. steps: budget of the exact
   search, about 1 ns each; 0: the default, a few ms (memory_pack.c). */
int64_t memory_plan_pack(int n, struct region *regions, int64_t bound, int64_t steps);

/* Verify the plan independently: recompute lifetimes from the kernels and compare all blocks that are alive
   at once (memory_check.c). False, with a fault that names the first pair that shares a byte, or a block
   outside the arena. */
bool memory_plan_check(const struct memory_plan *p, const struct flow *f, struct fault *fault);
/* Check blocks that are written as several boxes: each element is written once, before it is read
   (memory_boxes.c). False, with a fault that names the first element that is not. */
bool memory_boxes_check(const struct flow *f, struct fault *fault);
#endif
