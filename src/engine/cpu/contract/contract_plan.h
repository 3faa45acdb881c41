/*
 * How an optimised contraction (contract/contraction.h) is carried out on this engine.
 *
 *   contract_plan.h, what is decided once
 *     contract_plan.c     what is packed, the workspace
 *     contract_types.c    how elements are held
 *     contract_wait.c     whether sums wait, and where
 *     contract_panels.c   how packed operands lie: which way round left does, how wide right's panels are
 *   contract_box.h, the primitive's box in each of its shapes
 *     contract_box.c      addresses, register blocks, copies
 *     contract_find.c     the box of given sizes: one of the plan's, or made anew
 *     contract_pieces.c   boxes of windows without their padding
 *   contract_run.h, what is done
 *     contract_run.c      tasks: walk, pack, multiply, store
 *     contract_walk.c     loops as an odometer
 *     contract_pack.c     an operand's box into the order in which the kernel reads it
 *     contract_carry.c    the same by the kernels that multiply
 *     contract_ahead.c    lines that are asked for while the box before is computed
 *     contract_store.c    finished sums to where they belong
 *
 * The primitive is a macro-kernel on a box of several M, N and K dimensions.  An operand, lying where it is
 * or packed, has a constant step for each dimension of the box; neighbours that step evenly fuse, and what
 * remains is rows and columns for brgemm.h and a list of batches.  So packing is a copy with permuted axes
 * (copy.h) and nothing else, and register tiles pay no heed to where dimensions end.  Complex numbers are
 * computed by the real kernels: Van Zee & Smith's 1m method ("Implementing high-performance complex matrix
 * multiplication via the 1m method", SIAM J. Sci. Comput. 42, 2020): left (re, im) side by side is two k's,
 * right gets rows (re, im), (-im, re); the halves are two more dimensions of size 2.  Where the kernel takes
 * several k's at once (brgemm.h: bytes, bf16), a dimension of K is cut into groups of them, which packing
 * puts side by side inside all else; zeros fill the last one.
 */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_PLAN_H
#define ENGINE_CPU_CONTRACT_CONTRACT_PLAN_H
#include "base/number.h"
#include "contract/contraction.h"
#include "engine/cpu/gemm/brgemm.h"
#include "engine/cpu/contract/contract_kernels.h"
#include "engine/cpu/contract/contract_move.h"
#include "engine/cpu/cpu.h"

/* ty_side as numbers; and right as it lies in memory, where the kernel packs it. */
enum { CONTRACT_LEFT, CONTRACT_RIGHT, CONTRACT_OUT, CONTRACT_SOURCE, CONTRACT_PLACES };

/* What a step of a loop moves: places in operands (bytes), which box of an operand this is, which slot of
   packed memory belongs to it, where its sums wait (bytes), which pieces it is cut into. */
enum walk_count {
    AT_LEFT,
    AT_RIGHT,
    AT_OUT,
    BOX_LEFT,
    BOX_RIGHT,
    SLOT_LEFT,
    SLOT_RIGHT,
    AT_WAITING,
    AT_PIECES,
    WALK_COUNTS
};

struct walk_loop {
    int dim, parent; /* parent: the loop around this one over the same dimension; -1: none */
    bool summed;     /* over a K dimension */
    bool uneven;     /* some steps are shorter */
    int64_t size, step, trips;
    int64_t unit; /* of which the lengths of all steps are multiples: the last ones may be shorter */
    int64_t moves[WALK_COUNTS];
};

/* A dimension of the box; the last ones may be the halves of complex numbers. */
struct box_dim {
    ty_dim_type type;
    int dim, loop; /* of the contraction, -1: none; the innermost loop over it, -1: none */
    int64_t size;
    int64_t group;     /* k's of it that lie side by side, inside all else, when a side is packed: 1, or the
                          kernel's */
    int64_t stride[3]; /* elements */
    bool packed[3];    /* a side has the dimension when it is packed (or, out, waits) */
    int64_t
        panel; /* 0; else the dimension that follows is this many columns of one that is cut into panels, each
                          packed by itself: a panel streams from the second level of cache to the first */
};

/* What the kernel steps through of n elements of a dimension. */
static inline int64_t steps_of(const struct box_dim *d, int64_t n) { return ceil_div(n, d->group); }

/* How a side reaches the kernel. */
struct contract_side {
    ty_packing kind;
    bool kept;            /* WHOLE, packed in the first run for all others */
    int loop;             /* slots belong to the loops inside this one */
    bool rows_inside;     /* left: M is the contiguous part of packed memory, else K */
    cpu_loop widen;       /* from the operand's dtype; NULL: none */
    int64_t element;      /* bytes in memory */
    int64_t packed;       /* bytes as the kernel reads it; of complex numbers: of a half */
    int64_t slots, bytes; /* of a slot */
    int64_t raw;          /* bytes for a slot before it is widened or expanded */
    bool guarded;
};

/* contract_box.h */
struct contract_box;
struct contract_pieces;
struct contract_made;

struct contract_plan {
    const ty_contraction *c;
    int nloops, nshared, ndims, first_summed; /* the outermost K loop; nloops: none */
    struct walk_loop *loops;
    struct box_dim *dims;
    bool lanes;
    int lane; /* the dimension of rows that vectors run along, which counts as a batch in the box; -1: none */
    bool waits;      /* sums are made in a block of their own, for a body, a cast or a copy */
    bool together;   /* those of all boxes inside the outermost loop over K are stored in one copy */
    bool wait_lines; /* long rows of sums that wait begin at lines */
    bool uniform;    /* every box is full */
    bool bypass;
    bool panels;   /* right is packed in panels */
    bool streamed; /* left is a window that takes longer to bring than to multiply, and its channels lie side
                      by side */
    struct brgemm_types
        types;      /* of the kernel; a group of 1 where no dimension of K can be cut into groups */
    ty_dtype inner; /* of sums, and of packed elements that are widened */
    int parts;      /* inner elements of one: 2 for complex numbers */
    int64_t inner_bytes, out_bytes, stored_bytes; /* of an inner element; of a sum; of an element of out */
    cpu_loop narrow, span_narrow;                 /* span_: when all spans of K are added up */
    struct cpu_body *body, *span_body;
    int64_t span_elements;
    struct contract_side side[2];
    const struct contract_kernels *kernels;
    struct contract_box *full;
    bool pieced;                    /* boxes are cut into pieces */
    struct contract_pieces *pieces; /* by AT_PIECES; NULL: not pieced */
    struct contract_made *made;
    int64_t tasks, spans, span_bytes; /* tasks of one span; of its sums */
    bool regular;                     /* no two shared loops over one dimension */
    int64_t wait_bytes, room;
    int64_t box_rooms; /* boxes that a thread makes at run time: how many it keeps; 0: the plan has all */
    size_t shared_bytes, kept_bytes, thread_bytes;
    size_t whole_at[2]; /* of sides that are packed WHOLE: in what is kept, or in what tasks share */
};

/* What c asks for, with `body` for finished sums (NULL: as they are); of a thread's boxes and waiting sums no
   more are kept than fit `room` bytes, others are packed again.  Lives in the arena.  NULL with a fault. */
struct contract_plan *contract_plan_make(const ty_contraction *c, struct cpu_body *body, int64_t room,
                                         struct arena *arena, struct fault *fault);

/* What sums are made in. */
void contract_choose_sums(struct contract_plan *p);
/* Cuts a dimension of the box into groups where the kernel for the operands' dtypes takes several k's at
   once: one that lies side by side in left if there is one, else that with the fewest zeros in the last
   group.  None where windows move along all, or there is but a column, which is left to vectors along K.  By
   shape alone, not by threads. */
void contract_cut_groups(struct contract_plan *p);
/* How elements come to be what the kernel reads, and sums what is stored. */
bool contract_choose_casts(struct contract_plan *p, struct fault *fault);

/* Whether the innermost dimension of a type lies side by side on a side. */
bool contract_side_by_side(const struct contract_plan *p, ty_dim_type type, int side);
/* Elements of the full box along a type. */
int64_t contract_box_count(const struct contract_plan *p, ty_dim_type type);
/* The kernel's tile for a block of rows (whole lines of them) and columns: not so wide that a panel of right
   that is kept packed, and may be a stream, has no room beside the one after it in the second level. */
void contract_tile(const struct contract_plan *p, int64_t rows, int64_t line, int64_t columns, int *tile_rows,
                   int *tile_columns);
/* The tile for many rows and columns. */
void contract_usual_tile(const struct brgemm_types *types, int *rows, int *columns);
/* Whether lines of a window's rows leave a third of each register tile empty, and columns enough meet them
   that a copy pays in which rows follow each other, taps and all. */
bool contract_lines_break(const struct contract_plan *p);
/* Whether rows of a packed left lie innermost, not K. */
bool contract_rows_inside(const struct contract_plan *p);
/* Whether right is packed in an order of ours; and cuts its innermost columns into panels as wide as the
   kernel's tile over the full box, which is placed without them first. */
bool contract_may_cut_panels(const struct contract_plan *p);
void contract_cut_panels(struct contract_plan *p);

/* Whether a window over channels of their own comes from memory and has few taps, so that bringing it takes
   longer than multiplying: then tiles of pixels follow each other, each with all of its channels, as memory
   has them, and ask for what comes next. */
bool contract_is_streamed(const struct contract_plan *p);

/* Bytes of sums that may wait near the core, with what rounds their rows up to lines. */
int64_t contract_waiting_most(void);
/* Whether sums wait, and are stored together; where, for each loop. */
void contract_choose_waiting(struct contract_plan *p);
/* The steps of dimensions among waiting sums; returns the bytes of them all. */
int64_t contract_waiting_lay(const struct contract_plan *p, int64_t (*step)[CONTRACT_PLACES]);
/* Whether sums that wait lie side by side along a dimension of the contraction from box to box. */
bool contract_waits_along(const struct contract_plan *p, int dim);
/* The outermost loop over a dimension of the contraction inside the outermost one over K; -1: none. */
int contract_loop_inside(const struct contract_plan *p, int dim);
#endif
