/* What preparing a contraction decides: blocks, buffers, where sums go.  contract.c carries it out. */
#ifndef ENGINE_CPU_CONTRACT_PLAN_H
#define ENGINE_CPU_CONTRACT_PLAN_H
#include "contract/dims.h"
#include "engine/cpu/cpu.h"
#include "engine/cpu/gemm.h"

struct contract_plan {
    struct contraction dims;
    const struct gemm *gemm;
    size_t element, inner;      /* bytes of an operand's element, of a packed one */
    cpu_loop widen, narrow;     /* between the two, where they are not the same (f16, bf16) */
    struct cpu_body *body;      /* what outputs are stored through; NULL: sums go straight to the output */
    int64_t panel_rows, sliver; /* rows and columns (elements) of a full tile */
    int64_t size[DIM_ROLES];    /* elements of a block: C is 1 */
    int64_t blocks[DIM_ROLES];  /* how many there are; of K: splits, which are `span` long */
    int64_t span;
    int64_t total;                       /* elements of the output */
    bool keep;                           /* slivers of right are packed once for all rows */
    int64_t *panel_steps, *sliver_steps; /* of k in packed panels and slivers */
    int64_t *tile_rows;                  /* of rows in a tile that is set aside */
    size_t partial_bytes, thread_bytes;  /* workspace: partial sums of all splits, then one part per thread */
};

/* One thread's part of the workspace. */
struct contract_scratch {
    struct {
        int64_t *at;
        int32_t *run;
    } steps[DIM_ROLES][SIDES]; /* of the block at first[], count[]; NULL where nobody looks */
    int64_t first[DIM_ROLES], count[DIM_ROLES];
    int64_t *block_rows, *block_columns;
    int64_t *ahead; /* steps of right from the start of a sliver to each of its cache lines */
    int64_t ahead_count;
    char *left, *right; /* packed */
    char *raw;          /* packed, before widening */
    char *tile;         /* sums of a tile whose place is not a rectangle */
    char *block;        /* sums of a block that an epilogue waits for */
    char *narrowed;     /* CPU_TILE elements */
    char *body;
    int64_t kept; /* which slivers are in `right`: their block, or -1 */
};

/* The contraction as a reduction that is prepared (contract_flat.c), where it is no matrix product; else
   NULL, with a fault when one is at hand. */
struct kernel *contract_flat(struct kernel *kernel, struct arena *arena, struct fault *fault);
/* Decides; what it needs to remember is in `arena`.  NULL with a fault. */
struct contract_plan *contract_plan_make(struct kernel *kernel, struct arena *arena, struct fault *fault);
/* Lays out a thread's part at `base` and returns its bytes; base 0 only counts. */
size_t contract_scratch_lay(const struct contract_plan *plan, uintptr_t base, struct contract_scratch *s);
#endif
