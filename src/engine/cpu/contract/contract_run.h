/*
 * Carrying out a plan (contract_plan.h): where a walk is, the memory of a call and of each thread, and what is
 * done with each box: pack, carry, ask ahead, multiply, store.
 */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_RUN_H
#define ENGINE_CPU_CONTRACT_CONTRACT_RUN_H
#include "engine/cpu/contract/contract_box.h"

/* Where a walk is; position and extent are of the loop's dimension inside its parent's step. */
struct walk {
    int64_t at[WALK_COUNTS];
    int64_t span_first, span_end; /* what the outermost K loop walks */
    struct walk_place {
        int64_t position, extent, size, index;
    } place[TY_CONTRACTION_LOOPS];
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

/* That of the thread that calls. */
void contract_scratch_mine(const struct contract_call *call, struct contract_scratch *s);
/* Packs the sides that are kept. */
void contract_keep(const struct contract_call *call, int width);
/* Computes; width threads at most. */
void contract_run(const struct contract_call *call, int width);
/* A slot of a side that is packed WHOLE. */
char *contract_whole(const struct contract_call *call, int side, int64_t slot);

/* The sizes of the walk's box. */
void contract_sizes(const struct contract_plan *p, const struct walk *w, int64_t *size);
/* The box of the walk's sizes. */
const struct contract_box *contract_box_find(const struct contract_plan *p, const struct walk *w,
                                             struct contract_scratch *s);

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
/* Looks for what the box after the walk's needs that is not carried. */
void contract_ahead_start(struct contract_ahead *a, const struct contract_call *call, const struct walk *w,
                          const struct contract_box *box, const struct contract_scratch *s, bool sums,
                          const struct contract_carry *carry);
/* Tells the call for rows i and columns j of the box what to fetch of the columns after them. */
void contract_ahead_panel(const struct contract_ahead *a, const struct contract_box *box, int i, int j,
                          struct brgemm_call *to);
/* Tells a call of the kernel what to fetch. */
void contract_ahead_next(struct contract_ahead *a, struct brgemm_call *to);
#endif
