/*
 * The contraction compiler. contraction_lower.c converts labels to typed dimensions; the passes, in the order
 * of passes.c, add loops. Engines execute the result; contract_machine describes an engine and its machine.
 * docs/contraction.md has a glossary.
 */
#ifndef CONTRACT_CONTRACTION_H
#define CONTRACT_CONTRACTION_H
#include "array/layout.h"
#include "base/arena.h"
#include "base/for_command.h"
#include "base/machine/environment.h"
#include "base/text.h"
#include "ops/core/attributes.h"
#include "ops/core/kernel/kernel.h"
#include "contract/configuration.h"

/* Bytes that a run holds in addition to the operands. */
struct contract_held {
    /* workspace, its limit, and panels of constants kept between runs, which do not count as workspace */
    int64_t workspace, most, kept;
};

/* Description of an engine and its machine for the passes. Sizes are in bytes unless said otherwise. */
struct contract_machine {
    int threads;
    int64_t l1, l2, l3; /* cache sizes available to one thread */
    /* largest box of right that may come from L3 for each box of left; 0: it must stay in L2 */
    int64_t reach;
    int64_t sums_room;           /* largest block of out that is accumulated in a buffer */
    int64_t l2_way;              /* addresses this far apart compete for the same set of L2 */
    int tile_rows, tile_columns; /* full register tile, in rows and columns of the current dtype */
    int lanes;                   /* elements per vector */
    int packed, summed;          /* bytes of an element as the primitive reads it; bytes of an accumulator */
    bool widens[2];              /* by side: the primitive can also read it in place and widen its elements */
    int expanded;                /* factor by which packing enlarges right; complex numbers: 2 */
    /* consecutive k per instruction, which must be adjacent in memory on both sides; 1: any stride */
    int group;
    /* minimum K of a box: below, starting and storing a tile outweighs its sums at any vector length (f32
       efbad,cf, 16 of 36: 0.82) */
    int depth;
    /* per second and thread: additions and multiplications; bytes read from memory; bytes moved with
       streaming stores */
    double flops, read, stream;
    double call;               /* seconds of overhead per call of the primitive */
    double l2_bytes, l3_bytes; /* bytes read per second from L2 and L3 */
    int streams;               /* matrix rows that hardware prefetchers follow at once */
    int64_t room;              /* limit of packed bytes in a thread that runs alone; 0: a share of L2 */
    /* limit of packed bytes in each of `threads` threads, also that of ty_set_workspace; 0: room */
    int64_t workspace;
    /* Computes the bytes that configuration c holds in a run. False: no memory. May be NULL: not known. */
    bool (*holds)(const struct contract_machine *machine, const ty_contraction *c,
                  struct contract_held *held);
    const void *use; /* context of the engine */
    /* sums of a box wait for an epilogue or are narrowed: out is not accumulated in place, so the block
       inside the outermost K loop must fit L2 */
    bool sums_apart;
};
/* Fill in a typical machine (2 MB of L2, 512-bit vectors) for sums of this dtype and `threads` threads, at
   least 1. It is for tests, and engines without a description of their own. */
void contract_machine_usual(struct contract_machine *machine, ty_dtype sums, int threads);

/* The contractions of one operator. An output window with stride s separates into up to s interleaved
   results (phases). The parts write disjoint elements and together all of out. A part without products has
   a K dimension of size 0 and writes zeros. */
struct contraction_parts {
    int n;
    ty_contraction *items; /* n of them, in the arena */
};

/* An operand of a kernel. */
struct contract_operand {
    ty_dtype dtype;
    const struct layout *layout;
};

/* Lower labels to typed dimensions (contract_attr of ops/core/attributes.h) and resolve windows into strides
   and guards. Operands are left, right, out. Sizes of equal labels must agree or be 1. The result, *parts,
   has no loops; its memory comes from the arena. False after a fault. */
bool contraction_lower(struct contraction_parts *parts, const struct contract_attr *attr,
                       const struct contract_operand operands[3], struct arena *arena, struct fault *fault);

/* A pass; passes.c lists them. A pass transforms c in place and leaves it valid. False after a fault. */
struct contract_pass {
    const char *name, *does;
    bool (*run)(ty_contraction *c, const struct contract_machine *machine, struct fault *fault);
};
extern const struct contract_pass contract_passes[];    /* in order; ends with a NULL name */
extern const struct environment_row environment_passes; /* variable TY_CONTRACT_WITHOUT */

/* Drop the loops of c and run all passes on it: they choose loops, packing and the primitive for this
   machine. False after a fault. */
bool contraction_optimise(ty_contraction *c, const struct contract_machine *machine, struct fault *fault);
/* Observer of contraction_optimise_seen; `see` is called after each pass that ran. */
struct contraction_watch {
    void (*see)(void *context, const struct contract_pass *pass, const ty_contraction *c);
    void *context;
};
/* Optimise c as contraction_optimise does and call watch, which may be NULL, after each pass. False after a
   fault. */
bool contraction_optimise_seen(ty_contraction *c, const struct contract_machine *machine,
                               const struct contraction_watch *watch, struct fault *fault);
/* Check that c is valid: dimensions, guards and loops. Loops must cover every dimension once, SHARED (divided
   among threads) before SEQUENTIAL before PRIMITIVE, and none over K, a summed dimension, may be SHARED.
   False, with the fault set, if not. */
bool contraction_check(const ty_contraction *c, struct fault *fault);
/* Check that the operands of a valid c stay within buffers of bytes[side] bytes: left, right, out. Positions
   excluded by guards do not count. False, with the fault set, if not. */
bool contraction_check_buffers(const ty_contraction *c, const int64_t bytes[3], struct fault *fault);
/* Compute the range [*low, *high) of elements that c addresses in the buffer of operand `side`; 0, 0 if none.
   c must have passed contraction_check but for the extents. False: they exceed 64 bits, which
   contraction_check refuses. */
bool contraction_extent(const ty_contraction *c, ty_side side, int64_t *low, int64_t *high)
    FOR_COMMAND(contraction_extent);
/* Append dimensions, loops, packing and predicted figures of c as text. */
void contraction_describe(const ty_contraction *c, struct text *to);

/* An executor of configurations. */
struct contraction_runner {
    const char *engine; /* name of the engine */
    /* Fills in the machine for c's dtypes and a number of threads. */
    void (*machine)(const ty_contraction *c, int threads, struct contract_machine *machine);
    /* Prepares a valid configuration. *prepared and its workspace of *bytes bytes are in the arena. False
       after a fault. */
    bool (*prepare)(const ty_contraction *c, void **prepared, int64_t *bytes, struct arena *arena,
                    struct fault *fault);
    /* Runs it. left, right and out are the operands of c; with c->swapped, left is the caller's right
       operand. False after a fault. */
    bool (*run)(void *prepared, const void *left, const void *right, void *out, struct fault *fault);
};
/* NULL-terminated, the default first; defined with the engines */
extern const struct contraction_runner *const contraction_runners[];
/* Reference executor: runs any configuration literally, one product at a time in the widest type. */
extern const struct contraction_runner contraction_interpreted;
/* Return the runner of contractions of this thread's engine, or the first one if it has none. */
const struct contraction_runner *contraction_runner_current(void) FOR_COMMAND(contraction_runner_current);
/* Append, as text, the contraction of these operands (left, right, out) as lowered and after each pass that
   changes it, for this number of threads. False after a fault. */
bool contraction_explain(const struct contract_attr *attr, const struct contract_operand operands[3],
                         int threads, struct text *to, struct fault *fault) FOR_COMMAND(contraction_explain);
#endif
