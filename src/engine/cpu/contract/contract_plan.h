/*
 * How an optimised contraction (contract/contraction.h) is carried out on this engine.
 *
 *   contract_plan.c     once: what is packed, the workspace
 *   contract_types.c    how elements are held
 *   contract_wait.c     whether sums wait, and where
 *   contract_box.c      for each shape of the primitive's box: addresses, register blocks, copies
 *   contract_pack.c     an operand's box into the order in which the kernel reads it
 *   contract_carry.c    the same by the kernels that multiply
 *   contract_panels.c   how packed operands lie: which way round left does, how wide right's panels are
 *   contract_pieces.c   boxes of windows without their padding
 *   contract_store.c    finished sums to where they belong
 *   contract_walk.c     loops as an odometer
 *   contract_run.c      tasks: walk, pack, multiply, store
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
/* Where a walk is; position and extent are of the loop's dimension inside its parent's step. */
struct walk {
    int64_t at[WALK_COUNTS];
    int64_t span_first, span_end; /* what the outermost K loop walks */
    struct walk_place {
        int64_t position, extent, size, index;
    } place[TY_CONTRACTION_LOOPS];
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

/* A block of rows or columns for the kernel: bytes from the box's first element. */
struct box_rows {
    int64_t left, out;
    int32_t first, count;
    int64_t carried; /* of the rows of right that calls for these rows carry: the first */
};
struct box_columns {
    int64_t left, right, out, source; /* left: for vectors; source: of right, to be packed */
    int32_t count;
};

/* The cache lines of an operand's box in memory: columns of rows, `along` of them side by side, for each of `outer`
   places. */
enum { BOX_LINES = 4 };
struct box_lines {
    int64_t along, rows, row_step, outer, size[BOX_LINES], step[BOX_LINES];
    int n;
};

/* What a kernel packs of right as it multiplies: the columns that it reads, those read after them. */
enum { CONTRACT_COPIES = 1, CONTRACT_CARRIES = 2 };

/* The box in one of its shapes: those at far ends are smaller. */
struct contract_box {
    int64_t *size;                    /* of each dimension; the key */
    int64_t (*step)[CONTRACT_PLACES]; /* of each dimension in what the kernel reads and writes: bytes */
    int nrows, ncolumns;
    struct box_rows *rows;
    struct box_columns *columns;
    int64_t *out_rows;  /* bytes to each row; NULL: they step evenly */
    int64_t *left_rows; /* the same of left, for vectors */
    int64_t batches, depth, *left_at, *right_at;
    contract_vectors *vectors;     /* computes the box where it is no matrix product; NULL: kernel */
    struct brgemm kernel[4][2][2]; /* [what it packs][count is not that of the first rows][... columns] */
    bool packs, carries;  /* there are kernels that pack, of the first rows; that carry, for such columns */
    int64_t source_step;  /* bytes between rows of right, where it is packed so */
    int64_t carry_before; /* rows of right that pass between fetching one and carrying it */
    int carry_turn; /* calls for these rows and later ones fetch of the columns behind those they carry */
    struct move_plan copy[2], place;      /* packing; waiting sums to out */
    int64_t length[2];                    /* bytes of packed sides */
    int64_t corner[2];                    /* bytes to the box's first element where windows step backwards */
    int64_t row_step, lane_rows;          /* bytes between rows of out; rows for vectors */
    int64_t line;                         /* rows of left that step evenly, where a tile has more; else 0 */
    int64_t run;                          /* rows that tiles are cut from: whole lines of these, or one */
    struct box_lines lines[2], packed[2]; /* in memory; in a copy */
    bool empty;                           /* nothing is summed: zeros */
};

/* A box whose left is a window is computed in pieces within which nothing is padding (always, where it is read in
   place): bytes from its first element. */
struct contract_piece {
    const struct contract_box *box;
    int64_t left, right, out;
};
struct contract_pieces {
    const struct contract_box *around;
    bool adds; /* several belong to one row, and all add to it */
    int n;
    struct contract_piece *list;
};
/* Boxes that were made with the plan, besides the full one: around one of which pieces are cut, or NULL. */
struct contract_made {
    struct contract_made *next;
    const struct contract_box *around, *box;
};

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

/* The caller's memory. */
struct contract_call {
    const struct contract_plan *plan;
    const char *left, *right; /* of the plan's sides: element 0 */
    char *out;                /* element 0, or of spans: their sums */
    void *const *slots;       /* of the body */
    int64_t out_start;        /* elements from out's first to element 0, for the body */
    char *shared;             /* workspace */
    uintptr_t threads;        /* where in it theirs begins: a number, as there may be none */
    char *kept;               /* sides that are kept */
};

/* Columns at the beginning of a box of right that are in its slot; 0: none. */
struct contract_carried {
    int64_t number, slot, columns;
};

/* One thread's part of the workspace. */
struct contract_scratch {
    char *packed[2], *waiting, *raw, *stage, *narrowed, *gathered, *body;
    int64_t *box_of[2]; /* slot -> the box that is packed there; -1: none */
    struct contract_carried carried;
    char *boxes; /* room for box_rooms boxes */
    const struct contract_box **made;
    int nmade;
};

/* What c asks for, with `body` for finished sums (NULL: as they are); of a thread's boxes and waiting sums no
   more are kept than fit `room` bytes, others are packed again.  Lives in the arena.  NULL with a fault. */
struct contract_plan *contract_plan_make(const ty_contraction *c, struct cpu_body *body, int64_t room,
                                         struct arena *arena, struct fault *fault);
/* That of the thread that calls. */
void contract_scratch_mine(const struct contract_call *call, struct contract_scratch *s);
/* Packs the sides that are kept. */
void contract_keep(const struct contract_call *call, int width);
/* Computes; width threads at most. */
void contract_run(const struct contract_call *call, int width);
/* A slot of a side that is packed WHOLE. */
char *contract_whole(const struct contract_call *call, int side, int64_t slot);

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
/* Makes the full box in the arena, NULL: no memory (with no kernel: a fault). */
bool contract_box_make(struct contract_plan *p, struct arena *arena, struct fault *fault);
/* A box of these sizes in the arena, with the steps of the one around it (NULL: its own).  NULL: failed. */
const struct contract_box *contract_box_of(const struct contract_plan *p, const int64_t *size,
                                           const struct contract_box *around, struct arena *arena);
/* A box of these sizes in `room` of contract_box_bytes, 64-byte aligned.  Cannot fail. */
const struct contract_box *contract_box_again(const struct contract_plan *p, const int64_t *size, char *room);
/* The same as contract_box_of, but the one that the plan has if it has one. */
const struct contract_box *contract_box_once(struct contract_plan *p, const int64_t *size,
                                             const struct contract_box *around, struct arena *arena);
/* Makes the other kinds of box that walks come to, or as many of them as a plan keeps. */
bool contract_kinds_make(struct contract_plan *p, struct arena *arena, struct fault *fault);
/* Bytes that a box takes at most. */
size_t contract_box_bytes(const struct contract_plan *p);
/* The sizes of the walk's box. */
void contract_sizes(const struct contract_plan *p, const struct walk *w, int64_t *size);
/* The box of the walk's sizes. */
const struct contract_box *contract_box_find(const struct contract_plan *p, const struct walk *w,
                                             struct contract_scratch *s);
/* Adds the axes from a box's waiting sums to out; those of all boxes inside the outermost loop over K, where
   they go on from box to box and there is a walk. */
void contract_box_places(const struct contract_plan *p, const struct contract_box *box, const struct walk *w,
                         struct move_box *to);
/* Plans the copies of a box whose steps are known. */
void contract_box_copies(const struct contract_plan *p, struct contract_box *box);
/* Steps of a side that is packed as the places that the box touches. */
void contract_footprint_lay(const struct contract_plan *p, struct contract_box *box, int side);

/* A guard as seen from a box: place = low + i * coefficient[0] + j * coefficient[1] for i, j inside the box;
   dim: of the box, -1: none. */
struct seen_guard {
    int dim[2];
    int64_t coefficient[2], low, size;
};
/* Where dimension `dim` of the contraction begins in the walk's box. */
int64_t contract_first_of(const struct contract_plan *p, const struct walk *w, int dim);
int contract_see_guards(const struct contract_plan *p, const struct walk *w, int side,
                        struct seen_guard *seen);

/* Whether a window over channels of their own comes from memory and has few taps, so that bringing it takes
   longer than multiplying: then tiles of pixels follow each other, each with all of its channels, as memory
   has them, and ask for what comes next. */
bool contract_is_streamed(const struct contract_plan *p);
/* Whether boxes of left, a window, can be cut into pieces; makes them all. */
bool contract_pieces_can(const struct contract_plan *p);
bool contract_pieces_make(struct contract_plan *p, struct arena *arena, struct fault *fault);

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
/* Packs the walk's box of a side from its first element: `raw` has room for it before it is widened. */
void contract_pack_box(const struct contract_plan *p, const struct contract_box *box, int side,
                       const struct walk *w, const char *from, char *to, char *raw, char *stage);
/* What kernels pack of right as they multiply. */
struct contract_carry {
    const char *source; /* of the box, to `copy`; NULL: it is there */
    char *copy;
    bool there;              /* its first columns are */
    const char *next_source; /* the first columns of the next box; NULL: none */
    char *next_copy;
};
/* Deals out a box's right, whose rows lie so many bytes apart, to its rows of left. */
void contract_carry_lay(struct contract_box *box, int64_t source_step);
/* Looks what that is for the walk's box, whose right counts as packed from now on. */
void contract_carry_start(struct contract_carry *c, const struct contract_call *call,
                          struct contract_scratch *s, const struct walk *w, const struct contract_box *box);
/* Tells the call for rows i and columns j, which copies these or not, what to carry; false: nothing. */
bool contract_carry_next(const struct contract_carry *c, const struct contract_box *box, int i, int j,
                         bool copies, struct brgemm_call *to);
/* Packs the walk's box of a side, unless it is there, and returns it. */
const char *contract_pack(const struct contract_call *call, struct contract_scratch *s, int side,
                          const struct walk *w, const struct contract_box *box);
/* Stores the sums of a box that waited, or, with the last one, those of all boxes that are stored together. */
void contract_store(const struct contract_call *call, struct contract_scratch *s, const struct walk *w,
                    const struct contract_box *box, const char *sums);

/* Starts a walk of `task` of a span; false: there is no such place. */
bool walk_start(const struct contract_plan *p, struct walk *w, int64_t span, int64_t task);
/* Goes to the first box where a count is so much; false: there is none. */
bool walk_to(const struct contract_plan *p, struct walk *w, enum walk_count count, int64_t value);
/* Steps the innermost of loops first .. end-1 that has a step left, and starts all inside it anew; false: none has.
   Then those loops are done with, until one outside them steps. */
bool walk_next(const struct contract_plan *p, struct walk *w, int first, int end);

/* A walk that begins where another is. */
void walk_copy(const struct contract_plan *p, struct walk *w, const struct walk *from);
/* Where the next box is; false: this is the last one. */
bool walk_peek(const struct contract_plan *p, const struct walk *w, int64_t at[WALK_COUNTS]);

/* What is fetched while a box is computed. */
struct contract_ahead {
    int n, turn;
    unsigned calls;
    bool sums;         /* every other call asks for those that come next */
    int64_t panel;     /* bytes of right's columns at a time, where these are read as a stream; else 0 */
    const char *right; /* the box's, and that of the box after it; NULL: there is none */
    const char *next;
    struct ahead_side {
        const struct box_lines *lines;
        const char *base;
        int64_t wide, pieces, segments, done; /* wide: columns of lines that a segment has */
    } side[2];
};
/* Lists a box's lines in memory. */
void contract_ahead_lay(const struct contract_plan *p, struct contract_box *box);
/* Looks for what the box after the walk's needs that is not carried. */
void contract_ahead_start(struct contract_ahead *a, const struct contract_call *call, const struct walk *w,
                          const struct contract_box *box, const struct contract_scratch *s, bool sums,
                          const struct contract_carry *carry);
/* Tells the call for rows i and columns j of the box what to fetch of the columns after them. */
void contract_ahead_panel(const struct contract_ahead *a, const struct contract_box *box, int i, int j,
                          struct brgemm_call *to);
/* Tells a call of the kernel what to fetch. */
void contract_ahead_next(struct contract_ahead *a, struct brgemm_call *to);

static inline int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
/* What the kernel steps through of n elements of a dimension. */
static inline int64_t steps_of(const struct box_dim *d, int64_t n) { return ceil_div(n, d->group); }
static inline int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }
static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
#endif
