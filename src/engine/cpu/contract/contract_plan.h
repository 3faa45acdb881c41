/*
 * How this engine executes an optimised contraction (contract/contraction.h).
 *
 *   contract_plan.h, decisions made once;
 *     contract_plan.c     packing, workspace;
 *     contract_types.c    dtypes of elements on their way;
 *     contract_order.c    order in which an epilogue processes sums;
 *     contract_wait.c     whether sums wait in a buffer, and its layout;
 *     contract_panels.c   layout of packed operands: K or M innermost, width of panels;
 *   contract_box.h, the box in each of its shapes;
 *     contract_box.c      addresses, register blocks, copies;
 *     contract_find.c     look up a box by sizes, or make it;
 *     contract_pieces.c   boxes of windows without their padding;
 *   contract_run.h, execution;
 *     contract_run.c      tasks: walk, pack, multiply, store;
 *     contract_walk.c     loops as an odometer;
 *     contract_pack.c     packing of an operand's box;
 *     contract_carry.c    packing by the kernels that multiply;
 *     contract_ahead.c    software prefetch for the next box;
 *     contract_store.c    copies of finished sums to out.
 *
 * The primitive is a macro-kernel on a block of several M, N and K dimensions, the *box*.  Each operand, packed or in
 * place, has a constant step for each dimension of the box.  Neighbouring dimensions with even steps fuse; the rest
 * becomes rows and columns for brgemm.h and a list of batches.  So packing is a copy with permuted axes (copy.h),
 * and register tiles may cross ends of dimensions.
 *
 * Complex numbers use the real kernels: Van Zee & Smith's 1m method ("Implementing high-performance complex matrix
 * multiplication via the 1m method", SIAM J. Sci. Comput. 42, 2020).  Adjacent (re, im) of left are two steps of k;
 * right gets rows (re, im), (-im, re); the halves are two more dimensions of size 2.
 *
 * Where the kernel takes several k's at once (brgemm.h: bytes, bf16), one dimension of K is cut into groups.  Packing
 * makes a group contiguous and innermost, and fills the last one with zeros.
 */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_PLAN_H
#define ENGINE_CPU_CONTRACT_CONTRACT_PLAN_H
#include "base/number.h"
#include "contract/contraction.h"
#include "engine/cpu/gemm/brgemm.h"
#include "engine/cpu/contract/contract_kernels.h"
#include "engine/cpu/contract/contract_move.h"
#include "engine/cpu/cpu.h"

/* Indices of the operands; the first three match ty_side. SOURCE is unpacked right, when the kernel packs it. */
enum { CONTRACT_LEFT, CONTRACT_RIGHT, CONTRACT_OUT, CONTRACT_SOURCE, CONTRACT_PLACES };

/* Counters that a step of a loop moves: byte offsets in operands, numbers of boxes, slots of packed memory, byte
   offset among waiting sums, and number of the list of pieces. */
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

/* A loop around the box. */
struct walk_loop {
    int dim, parent; /* parent: the enclosing loop over the same dimension, -1: none */
    bool summed;     /* over a K dimension */
    bool uneven;     /* some steps are shorter than `step` */
    int64_t size, step, trips;
    int64_t unit; /* divides the lengths of all steps, shorter last ones included */
    int64_t moves[WALK_COUNTS];
};

/* A dimension of the box. The last two may be the halves of complex numbers. */
struct box_dim {
    ty_dim_type type;
    int dim, loop; /* dim: index in the contraction, -1: none; loop: innermost loop over it, -1: none */
    int64_t size;
    int64_t group;     /* k's that are contiguous and innermost in packed memory: 1, or the kernel's group */
    int64_t stride[3]; /* elements */
    bool packed[3];    /* whether the side has the dimension when packed (for out: when sums wait) */
    int64_t panel;     /* columns of a panel, the next dimension; 0: no panels */
};

/* Return the number of kernel steps for n elements of dimension d: n divided by its group, rounded up. */
static inline int64_t steps_of(const struct box_dim *d, int64_t n) { return ceil_div(n, d->group); }

/* How left or right reaches the kernel. */
struct contract_side {
    ty_packing kind;
    bool kept;            /* WHOLE, and packed in the first run for all later ones */
    int loop;             /* slots are numbered by the loops inside this one */
    bool rows_inside;     /* left only: M is innermost in packed memory, else K */
    cpu_loop widen;       /* cast from the operand's dtype; NULL: none */
    int64_t element;      /* bytes in memory */
    int64_t packed;       /* bytes of an element as the kernel reads it; of half a complex number */
    int64_t slots, bytes; /* number of slots; bytes of a slot */
    int64_t raw;          /* bytes of a slot before it is widened or expanded */
    bool guarded;
};

/* defined in contract_box.h */
struct contract_box;
struct contract_pieces;
struct contract_made;

/* A plan, immutable after contract_plan_make; lives in its arena. */
struct contract_plan {
    const ty_contraction *c;
    int nloops, nshared, ndims, first_summed; /* first_summed: the outermost K loop; nloops: none */
    struct walk_loop *loops;
    struct box_dim *dims;
    bool lanes;
    int lane;        /* the row dimension that vectors run along, a batch in the box; -1: none */
    int dot;         /* the K dimension that vectors of dot products run along; -1: none */
    bool waits;      /* sums are accumulated in a buffer, for a body, a cast or a copy */
    bool together;   /* sums of all boxes inside the outermost K loop are stored in one copy */
    bool wait_lines; /* long rows of waiting sums begin at cache lines */
    bool uniform;    /* all boxes are full */
    bool bypass;
    bool panels; /* right is packed in panels */
    /* left is a window with contiguous channels that takes longer to load than to multiply */
    bool streamed;
    struct brgemm_types types; /* types of the kernel; group is 1 if no K dimension can be grouped */
    ty_dtype inner;            /* dtype of sums and of widened packed elements */
    int parts;                 /* inner elements per element: 2 if complex, else 1 */
    int64_t inner_bytes, out_bytes, stored_bytes; /* bytes of an inner element, a sum, an element of out */
    cpu_loop narrow, span_narrow; /* casts of sums; span_narrow after all spans of K are added */
    struct cpu_body *body, *span_body;
    bool ordered; /* body counts elements in an order of its own, from the part's first (contract_order.h) */
    int64_t span_elements;
    struct contract_side side[2];
    const struct contract_kernels *kernels;
    struct contract_box *full;
    bool pieced;                    /* boxes are cut into pieces */
    struct contract_pieces *pieces; /* indexed by AT_PIECES; NULL: not pieced */
    struct contract_made *made;
    int64_t tasks, spans, span_bytes; /* tasks per span; span_bytes: sums of one span */
    bool regular;                     /* no two shared loops over one dimension */
    int64_t wait_bytes, room;
    int64_t box_rooms; /* boxes made at run time that a thread keeps; 0: the plan has all */
    size_t shared_bytes, kept_bytes, thread_bytes;
    size_t whole_at[2]; /* byte offset of each WHOLE side in kept or shared memory */
};

/* Make the plan of c in the arena. `body` processes finished sums (NULL: they are stored). Boxes and waiting sums
   of a thread are kept up to `room` bytes; others are packed again. Return NULL with a fault on error. */
struct contract_plan *contract_plan_make(const ty_contraction *c, struct cpu_body *body, int64_t room,
                                         struct arena *arena, struct fault *fault);

/* Set p->thread_bytes, the scratch of each thread, after a change of p->body. */
void contract_measure_scratch(struct contract_plan *p);

/* Set p->inner, the dtype in which sums are made, and the kernel's operand types. */
void contract_choose_sums(struct contract_plan *p);
/* Cut one K dimension into groups if the kernel takes several k's at once. Prefers a dimension contiguous in left,
   then the fewest zeros in the last group. Cuts none if windows move along all, or if there is one column only
   (vectors along K). Depends on shapes alone, not on threads. */
void contract_cut_groups(struct contract_plan *p);
/* Choose the casts from operands to the kernel's dtypes and from sums to out, unless the kernel widens elements as it
   reads them: it then takes the operand's dtype. Return false with a fault if the engine lacks a cast. */
bool contract_choose_casts(struct contract_plan *p, struct fault *fault);

/* Return true if the innermost dimension of a type has stride 1 in operand `side`, or if no dimension has that
   type. */
bool contract_side_by_side(const struct contract_plan *p, ty_dim_type type, int side);
/* Return the number of elements of the full box along all dimensions of a type. */
int64_t contract_box_count(const struct contract_plan *p, ty_dim_type type);
/* Set *tile_rows and *tile_columns to the kernel's register tile for a block of rows (whole lines of `line` rows)
   by columns. Limits the width so that two panels of a right packed WHOLE fit in L2. */
void contract_tile(const struct contract_plan *p, int64_t rows, int64_t line, int64_t columns, int *tile_rows,
                   int *tile_columns);
/* Set *rows and *columns to the kernel's register tile for blocks with many rows and columns. */
void contract_usual_tile(const struct brgemm_types *types, int *rows, int *columns);
/* Return true if lines of a window's rows leave a third of each register tile empty and enough columns use a copy
   to repay it. The copy (PANELS) then holds consecutive rows with all taps. */
bool contract_lines_break(const struct contract_plan *p);
/* Return true if packed left has rows (M) innermost; false if K. */
bool contract_rows_inside(const struct contract_plan *p);
/* Return true if right is packed in an order that this engine chooses, so that it may be cut into panels. */
bool contract_may_cut_panels(const struct contract_plan *p);
/* Cut right's innermost columns into panels of the best register tile that divides them; no change if none does
   or if one panel holds all. The full box must have been laid out without panels. */
void contract_cut_panels(struct contract_plan *p);

/* Return true if a depthwise window comes from memory with few taps, so that loading takes longer than multiplying.
   Tiles of pixels then follow in memory order, each with all channels, and prefetch the next. */
bool contract_is_streamed(const struct contract_plan *p);

/* Return the most bytes of sums that may wait in L2, padding of rows to cache lines included. */
int64_t contract_waiting_most(void);
/* Elements of a run of an epilogue from which its start, 100 to 350 ns, costs little: depthwise 3x3 windows of 28
   pixels with a hard swish took 1.3 ms in runs of 28, 0.13 ms in runs of 256 and more (Zen 4). */
enum { CONTRACT_LONG_RUN = 256 };
/* Elements of a run that starts in the time in which an epilogue moves as many elements of strided operands, one by one:
   depthwise 3x3 windows of 512 channels took 3.6 ns for each so, 1.6 ns in runs of 176 (Zen 4). */
enum { CONTRACT_SHORT_RUN = 32 };
/* Return the bytes of a thread's buffer for sums that are put in the order of out before an epilogue or a cast. */
int64_t contract_chunk_bytes(const struct contract_plan *p);
/* Decide whether sums wait in a buffer until their last block of K, and whether they are stored together. Set each
   loop's step among them. */
void contract_choose_waiting(struct contract_plan *p);
/* Set step[d][CONTRACT_OUT] to the bytes of a step of the box's dimension d among waiting sums; return the bytes of
   the buffer. */
int64_t contract_waiting_lay(const struct contract_plan *p, int64_t (*step)[CONTRACT_PLACES]);
/* Return true if waiting sums of neighbouring boxes are contiguous along dimension `dim` of the contraction. */
bool contract_waits_along(const struct contract_plan *p, int dim);
/* Return the index of the outermost loop over dimension `dim` inside the outermost K loop; -1 if there is none. */
int contract_loop_inside(const struct contract_plan *p, int dim);
#endif
