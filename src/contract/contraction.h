/*
 * The contraction compiler: from labels to typed dimensions (contraction_lower.c), from dimensions to loops (the
 * passes, in the order of passes.c).  Engines carry out what comes out; what they can do is told by a
 * contract_machine.
 */
#ifndef CONTRACT_CONTRACTION_H
#define CONTRACT_CONTRACTION_H
#include "array/layout.h"
#include "base/arena.h"
#include "base/environment.h"
#include "base/text.h"
#include "ops/core/attributes.h"
#include "ops/core/kernel.h"
#include <tyto/contraction.h>

/* Bytes that a run takes besides the operands: its workspace, how much that may be, and what is kept of
   constants from run to run, which does not count. */
struct contract_held {
    int64_t workspace, most, kept;
};

/* What the passes know of an engine and the machine under it. */
struct contract_machine {
    int threads;
    int64_t l1, l2, l3; /* bytes that one thread may count on */
    int64_t reach;      /* of right's box, where the third level is so close that it may come from there
                      once for each box of left; 0: it has to stay in the second */
    int64_t sums_room;  /* of sums that wait near the core for their last block of K, at most */
    int64_t l2_way;     /* lines so far apart compete for one set of L2 */
    int tile_rows, tile_columns; /* of a full register tile, for the dtype at hand */
    int lanes;                   /* elements of a vector */
    int packed, summed;          /* bytes of an element as the primitive reads it, and of a sum */
    int expanded; /* times as many elements of right as there are, packed: complex numbers twice */
    int group;    /* k's that it takes at once: they lie side by side on both sides; 1: any steps */
    int depth;    /* K of a block at least: with less, the start and the stores of a tile outweigh its sums,
                  however long vectors are (f32 efbad,cf, 16 of 36: 0.82) */
    double flops, read, stream; /* per second and thread: additions and multiplications; bytes from memory;
                                    bytes read and written past the caches */
    double call;                /* seconds that a call of the primitive costs by itself */
    double l2_bytes, l3_bytes;  /* read per second from the second and third level of cache */
    int streams;                /* rows of a matrix that are read side by side and followed by prefetchers */
    int64_t room;      /* bytes that one thread holds packed at most; 0: a share of its second level */
    int64_t workspace; /* the same of each of so many threads, and where all are told to hold less; 0: room */
    /* Says what a configuration holds when it is run; NULL: nobody knows.  False: there was no memory to find
       out. */
    bool (*holds)(const struct contract_machine *machine, const ty_contraction *c,
                  struct contract_held *held);
    const void *use; /* the engine's: what the contraction is a part of */
    bool sums_apart; /* sums of a block wait for an epilogue (or are narrowed): out is not accumulated in
                        place, so what is inside the outermost K loop fits the second level */
};
/* A usual machine (two megabytes of L2, 512-bit vectors), for tests and for engines that do not say. */
void contract_machine_usual(struct contract_machine *machine, ty_dtype sums, int threads);

/* An output window with stride s falls apart into s interleaved results, so one operator may be several
   contractions, which write different elements and together write all.  A part without products has a K
   dimension of size 0 and writes zeros. */
struct contraction_parts {
    int n;
    ty_contraction *items; /* in the arena */
};

/* An operand of a kernel: dtype and layout. */
struct contract_operand {
    ty_dtype dtype;
    const struct layout *layout;
};

/* Types the dimensions (contract_attr of ops/core/attributes.h), resolves windows into strides and guards.  Sizes of equal
   labels agree or are 1.  No loops yet. */
bool contraction_lower(struct contraction_parts *parts, const struct contract_attr *attr,
                       const struct contract_operand operands[3], struct arena *arena, struct fault *fault);

/* One pass; the list is in passes.c.  A pass reads and writes `c` and leaves it correct by itself. */
struct contract_pass {
    const char *name, *does;
    bool (*run)(ty_contraction *c, const struct contract_machine *machine, struct fault *fault);
};
extern const struct contract_pass contract_passes[];    /* ends with a NULL name */
extern const struct environment_row environment_passes; /* TY_CONTRACT_WITHOUT */

/* Runs all passes.  What is in c->loops before is dropped. */
bool contraction_optimise(ty_contraction *c, const struct contract_machine *machine, struct fault *fault);
/* The same before somebody's eyes: after each pass that was run. */
struct contraction_watch {
    void (*see)(void *context, const struct contract_pass *pass, const ty_contraction *c);
    void *context;
};
bool contraction_optimise_seen(ty_contraction *c, const struct contract_machine *machine,
                               const struct contraction_watch *watch, struct fault *fault);
/* Whether the loops cover every dimension once, SHARED before SEQUENTIAL before PRIMITIVE, none over K
 * shared, ... */
bool contraction_check(const ty_contraction *c, struct fault *fault);
/* Whether operands stay in buffers of so many bytes; guarded places do not count. */
bool contraction_check_buffers(const ty_contraction *c, const int64_t bytes[3], struct fault *fault);
/* First and one-past-last element that an operand touches, counted from its buffer; 0, 0: none.  c's numbers
   are what contraction_check wants.  False: they are beyond 64 bits, which it does not allow. */
bool contraction_extent(const ty_contraction *c, ty_side side, int64_t *low, int64_t *high);
/* Dimensions, loops, packing and figures in lines for people. */
void contraction_describe(const ty_contraction *c, struct text *to);

/* Who carries out configurations; the engines supply the table, by their names, the default first. */
struct contraction_runner {
    const char *engine;
    /* Fills in the engine and the machine under it for c's dtypes. */
    void (*machine)(const ty_contraction *c, int threads, struct contract_machine *machine);
    /* Makes *prepared from a checked configuration, in the arena, workspace of *bytes included. */
    bool (*prepare)(const ty_contraction *c, void **prepared, int64_t *bytes, struct arena *arena,
                    struct fault *fault);
    /* left, right, out as c means them: c's own left is [0] even when it is swapped. */
    bool (*run)(void *prepared, const void *left, const void *right, void *out, struct fault *fault);
};
extern const struct contraction_runner *const contraction_runners[]; /* NULL-terminated */
/* Carries out any configuration literally, one product at a time in the widest type: the oracle. */
extern const struct contraction_runner contraction_interpreted;
/* The runner of this thread's engine, or the first one. */
const struct contraction_runner *contraction_runner_current(void);
/* Adds how the compiler goes about a contraction: what it is, and what each pass makes of it. */
bool contraction_explain(const struct contract_attr *attr, const struct contract_operand operands[3],
                         int threads, struct text *to, struct fault *fault);
#endif
