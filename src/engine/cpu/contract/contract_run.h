/*
 * Execution of a plan (contract_plan.h): the walk over loops, the memory of a call and of each thread, and the steps
 * for each box: pack, carry, prefetch, multiply, store.
 */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_RUN_H
#define ENGINE_CPU_CONTRACT_CONTRACT_RUN_H
#include "array/box.h"
#include "engine/cpu/contract/contract_box.h"

/* State of a walk. position and extent are in the loop's dimension, inside the step of its parent. */
struct box_walk {
    int64_t at[WALK_COUNTS];
    int64_t span_first, span_end; /* range of steps of the outermost K loop */
    struct walk_place {
        int64_t position, extent, size, index;
    } place[TY_CONTRACTION_LOOPS];
};

/* The memory of one call. */
struct contract_call {
    const struct contract_plan *plan;
    const char *left, *right; /* element 0 of the plan's left and right */
    char *out;                /* element 0 of out, or of the sums of spans */
    void *const *slots;       /* operands of the body */
    int64_t out_start;        /* for the body: elements from the first of out to element 0 */
    char *shared;             /* workspace */
    uintptr_t threads;        /* address of the threads' part; an integer, as that part may be empty */
    char *kept;               /* sides kept from the first run */
    const struct contract_parts *parts; /* boxes to compute; NULL: all */
};

/* Parts of the result to compute, as ranges of those dimensions of the contraction that the result has. */
struct contract_parts {
    int n, ndims, dims[BOX_RANK];
    int limit; /* boxes are told apart by the loops before this one */
    struct box list[BOX_COUNT];
};

/* The leading columns of a box of right that are already packed in a slot. columns 0: none. */
struct contract_carried {
    int64_t number, slot, columns;
};

/* One thread's part of the workspace. */
struct contract_scratch {
    char *packed[2], *waiting, *raw, *stage, *narrowed, *gathered, *body;
    int64_t filled;     /* of the body's scratch (cpu_body_run_next) */
    int64_t *box_of[2]; /* box packed in each slot; -1: none */
    struct contract_carried carried;
    char *boxes; /* memory of box_rooms boxes */
    const struct contract_box **made;
    int nmade;
};

/* Set s to the addresses of the calling thread's scratch in the call's workspace. */
void contract_scratch_mine(const struct contract_call *call, struct contract_scratch *s);
/* Pack the sides that are kept for all later runs, on at most `width` threads. */
void contract_keep(const struct contract_call *call, int width);
/* Compute the call's contraction on at most `width` threads. */
void contract_run(const struct contract_call *call, int width);
/* Set *to to the parts that hold these boxes of the result, whose first element in c's strides is out_start. False if
   the plan computes only all of it. */
bool contract_parts_of(const struct contract_plan *p, int64_t out_start, const struct layout *out,
                       const struct boxes *boxes, struct contract_parts *to);
/* Enlarge boxes of the result to boxes that the plan computes as a whole. False if it computes only all of it. */
bool contract_round(const struct contract_plan *p, int64_t out_start, const struct layout *out,
                    struct boxes *boxes);
/* True if the walk is in a part, as far as the loops before `limit` tell; side: looks at the dimensions of that side
   alone, or CONTRACT_OUT. Always true without parts. */
bool contract_wants(const struct contract_call *call, const struct box_walk *w, int side, int limit);
/* Return the address of slot `slot` (0-based) of a side that is packed WHOLE. */
char *contract_whole(const struct contract_call *call, int side, int64_t slot);

/* Set size[d] to the elements of the walk's box along each dimension d of the plan. */
void contract_sizes(const struct contract_plan *p, const struct box_walk *w, int64_t *size);
/* Return the box with the sizes at the walk's position. If the plan has none, make it in the thread's scratch s,
   where it lives until evicted. Cannot fail. */
const struct contract_box *contract_box_find(const struct contract_plan *p, const struct box_walk *w,
                                             struct contract_scratch *s);

/* A guard relative to a box: position = low + i * coefficient[0] + j * coefficient[1] for i, j inside the box. It
   holds for 0 <= position < size. dim: box dimensions, -1: none. */
struct seen_guard {
    int dim[2];
    int64_t coefficient[2], low, size;
};
/* Return the index along contraction dimension `dim` at which the walk's box begins. */
int64_t contract_first_of(const struct contract_plan *p, const struct box_walk *w, int dim);
/* Set seen[] to the guards of a side (conditions for elements that do not count as 0), relative to the first
   element of the walk's box; return their number. */
int contract_see_guards(const struct contract_plan *p, const struct box_walk *w, int side,
                        struct seen_guard *seen);

/* Pack the walk's box of a side from `from`, its first element in memory, to `to`. raw: scratch for elements before
   they are widened or expanded; stage: COPY_STAGE bytes of scratch. */
void contract_pack_box(const struct contract_plan *p, const struct contract_box *box, int side,
                       const struct box_walk *w, const char *from, char *to, char *raw, char *stage);
/* Sources and destinations of the rows of right that kernels pack while they multiply. */
struct contract_carry {
    const char *source; /* unpacked right of this box, copied to `copy`; NULL: all is packed */
    char *copy;
    bool there;              /* the first columns of this box are packed */
    const char *next_source; /* first columns of the next box; NULL: none */
    char *next_copy;
};
/* Set c to the packing that the kernels of the walk's box do: its own columns of right, and the first ones of the
   next box. Mark the slot of right as packed. */
void contract_carry_start(struct contract_carry *c, const struct contract_call *call,
                          struct contract_scratch *s, const struct box_walk *w,
                          const struct contract_box *box);
/* Set the packing fields of `to`, the call on block i of rows and j of columns (0-based). `copies`: that call also
   packs its own columns. Return false if it has no columns to pack for later calls. */
bool contract_carry_next(const struct contract_carry *c, const struct contract_box *box, int i, int j,
                         bool copies, struct brgemm_call *to);
/* Pack the walk's box of a side unless its slot already holds it. Return the address of the packed box, or of the
   operand if it is read in place. */
const char *contract_pack(const struct contract_call *call, struct contract_scratch *s, int side,
                          const struct box_walk *w, const struct contract_box *box);
/* Store the waiting sums of a box in out. If boxes are stored together, do nothing until the last one, then store
   all. */
void contract_store(const struct contract_call *call, struct contract_scratch *s, const struct box_walk *w,
                    const struct contract_box *box, const char *sums);

/* Set w to the first box of task `task` (0-based) of span `span` of K. Return false if the task is outside the
   loops. */
bool walk_start(const struct contract_plan *p, struct box_walk *w, int64_t span, int64_t task);
/* Move the walk to the first box, in order, where the counter `count` has this value; return false if there is
   none. */
bool walk_to(const struct contract_plan *p, struct box_walk *w, enum walk_count count, int64_t value);
/* Advance the innermost of the loops first .. end-1 that has a step left, and restart the loops inside it. Return
   false if none has one; the walk is then valid again only after a loop outside them advances. */
bool walk_next(const struct contract_plan *p, struct box_walk *w, int first, int end);

/* Copy a walk: set *w to *from, only the plan's loops of it. */
void walk_copy(const struct contract_plan *p, struct box_walk *w, const struct box_walk *from);
/* Set at[] to the counters of the box after the walk's, without moving the walk. Return false at the last box. */
bool walk_peek(const struct contract_plan *p, const struct box_walk *w, int64_t at[WALK_COUNTS]);

/* Software prefetch made during one box. */
struct contract_ahead {
    int n, turn;
    unsigned calls;
    bool sums;         /* every other call prefetches sums */
    int64_t panel;     /* bytes of a panel of right if read as a stream, else 0 */
    const char *right; /* right of this box and of the next one; NULL: none */
    const char *next;
    struct ahead_side {
        const struct box_lines *lines;
        const char *base;
        int64_t wide, pieces, segments, done; /* wide: columns of lines in a segment */
    } side[2];
};
/* Set a to the prefetch of the data that the next box of the walk needs and that `carry` does not pack. `sums`:
   every other kernel call prefetches sums of this box instead. */
void contract_ahead_start(struct contract_ahead *a, const struct contract_call *call,
                          const struct box_walk *w, const struct contract_box *box,
                          const struct contract_scratch *s, bool sums, const struct contract_carry *carry);
/* Set the prefetch fields of `to`, the call for block i of rows and j of columns (0-based), to its share of the
   next panel of right. */
void contract_ahead_panel(const struct contract_ahead *a, const struct contract_box *box, int i, int j,
                          struct brgemm_call *to);
/* Set the prefetch fields of `to` to the next segment of lines to fetch; none if all are done. */
void contract_ahead_next(struct contract_ahead *a, struct brgemm_call *to);
#endif
