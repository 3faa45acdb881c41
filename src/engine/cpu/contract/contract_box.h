/*
 * The box (contract_plan.h), the block that one macro-kernel call computes. Each shape of it has operand addresses,
 * blocks of rows and columns for the kernel, and copies.
 */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_BOX_H
#define ENGINE_CPU_CONTRACT_CONTRACT_BOX_H
#include "engine/cpu/contract/contract_plan.h"

struct box_walk; /* defined in contract_run.h */

/* A block of rows for one kernel call; left and out are byte offsets from the box's first element. */
struct box_rows {
    int64_t left, out;
    int32_t first, count;
    int64_t carried; /* index of the first row of right that these calls pack for the next columns */
};
/* A block of columns for one kernel call, as byte offsets from the box's first element. */
struct box_columns {
    int64_t left, right, out, source; /* left: used by `vectors` only; source: unpacked right */
    int32_t count;
};

/* Cache lines that an operand's box covers in memory: for each of `outer` positions, `along` adjacent columns of
   `rows` lines. size and step describe the n outer axes. */
enum { BOX_LINES = 4 };
struct box_lines {
    int64_t along, rows, row_step, outer, size[BOX_LINES], step[BOX_LINES];
    int n;
};

/* Flags, which columns of right a kernel packs while it multiplies: COPIES those that it reads, CARRIES the next
   ones. */
enum { CONTRACT_COPIES = 1, CONTRACT_CARRIES = 2 };

/* One shape of the box. Boxes at the ends of loops are smaller than the full one. */
struct contract_box {
    int64_t *size; /* elements of each dimension; the search key */
    /* bytes per step of each dimension in the memory that the kernel reads and writes */
    int64_t (*step)[CONTRACT_PLACES];
    int nrows, ncolumns;
    struct box_rows *rows;
    struct box_columns *columns;
    int64_t *out_rows;  /* byte offset of each row; NULL: constant stride */
    int64_t *left_rows; /* byte offset of each row of left, for `vectors` */
    int64_t batches, depth, *left_at, *right_at;
    contract_vectors *vectors; /* computes boxes that are no matrix product; NULL: use `kernel` */
    /* indexed by [flags of packing][count differs from the first rows'][... from the first columns'] */
    struct brgemm (*kernel)[2][2];
    /* whether kernels pack for the first rows; whether kernels carry the next columns */
    bool packs, carries;
    int64_t source_step;  /* bytes between rows of unpacked right */
    int64_t carry_before; /* rows of right between the one prefetched and the one carried */
    int carry_turn; /* from this block of rows on, calls prefetch for the columns behind the carried ones */
    /* copies for packing and for storing waiting sums; NULL: planned at run time */
    struct move_plan *copy[2], *place;
    int64_t length[2];           /* bytes of each packed side */
    int64_t corner[2];           /* bytes to the box's first element where windows step backwards */
    int64_t row_step, lane_rows; /* bytes between rows of out; number of rows for `vectors` */
    int64_t line;                /* rows of left with one stride, if a tile spans several lines; else 0 */
    int64_t run;                 /* rows that tiles are cut from: several whole lines, or one line */
    /* lines of the operands in memory; lines of their packed copies */
    struct box_lines lines[2], packed[2];
    bool empty; /* some K dimension has size 0: out is zeroed */
};

/* A part of a box whose left is a window, inside which nothing is padding. Offsets are bytes from the box's first
   element. */
struct contract_piece {
    const struct contract_box *box;
    int64_t left, right, out;
};
/* The pieces that one box is cut into. */
struct contract_pieces {
    const struct contract_box *around;
    bool adds; /* several pieces sum into one row, so all of them add to out */
    int n;
    struct contract_piece *list;
};
/* List of boxes made with the plan, besides the full one. `around` is the box that a piece was cut from, or NULL. */
struct contract_made {
    struct contract_made *next;
    const struct contract_box *around, *box;
};

/* Make the plan's full box, p->full, in the arena. Return false if out of memory or, with `fault` set, if no kernel
   exists. */
bool contract_box_make(struct contract_plan *p, struct arena *arena, struct fault *fault);
/* Make a box with size[d] elements along dimension d in the arena, with the steps of the box `around` (NULL: steps
   of its own). Return NULL on failure. */
const struct contract_box *contract_box_of(const struct contract_plan *p, const int64_t *size,
                                           const struct contract_box *around, struct arena *arena);
/* Make a box with size[d] elements along dimension d in the buffer `room`, contract_box_bytes long and 64-byte
   aligned. Cannot fail. */
const struct contract_box *contract_box_again(const struct contract_plan *p, const int64_t *size, char *room);
/* Return the plan's box with these sizes, cut from the box `around` (NULL: from none). If there is none, make it in
   the arena and add it to the plan. Return NULL on failure. */
const struct contract_box *contract_box_once(struct contract_plan *p, const int64_t *size,
                                             const struct contract_box *around, struct arena *arena);
/* Make the shapes of box other than the full one that walks reach, up to the number that a plan keeps. Return
   false, with a fault, if out of memory. */
bool contract_kinds_make(struct contract_plan *p, struct arena *arena, struct fault *fault);
/* Return an upper bound of the bytes that contract_box_again needs for any box of the plan. */
size_t contract_box_bytes(const struct contract_plan *p);
/* Append to `to` the axes of the copy from a box's waiting sums to out. With a walk w, they cover all boxes inside
   the outermost K loop along dimensions where sums are contiguous; w may be NULL. */
void contract_box_places(const struct contract_plan *p, const struct contract_box *box,
                         const struct box_walk *w, struct move_box *to);
/* Return true if a copy that packs `side` is planned with each box: the side is packed, and no guard makes elements
   count as 0. */
bool contract_box_packs(const struct contract_plan *p, int side);
/* Return true if a copy that stores waiting sums in out is planned with each box. */
bool contract_box_stores(const struct contract_plan *p);
/* Plan the copies for which memory was reserved, box->copy[] and box->place; the box's steps must be known. */
void contract_box_copies(const struct contract_plan *p, struct contract_box *box);
/* Set the steps and length in bytes of a side that is packed as a FOOTPRINT, each touched element of memory once. */
void contract_footprint_lay(const struct contract_plan *p, struct contract_box *box, int side);
/* Divide the rows of the next columns of right among the box's blocks of rows, each of which packs its share while
   it multiplies. source_step: bytes between rows of unpacked right. */
void contract_carry_lay(struct contract_box *box, int64_t source_step);
/* List the cache lines of the box's operands, in memory and packed, for software prefetch. */
void contract_ahead_lay(const struct contract_plan *p, struct contract_box *box);
/* Return true if boxes of left, a window with padding, can be cut into pieces that contain no padding. */
bool contract_pieces_can(const struct contract_plan *p);
/* Return true if pieces of left decide bits, so that a copy is cut into pieces whenever it can be: lanes and chains of
   a narrow product count the terms of a piece. Where pieces cut K, the pass `pack` decides. */
bool contract_pieces_show(const struct contract_plan *p);
/* Make the pieces without padding of all boxes that walks reach, in the arena. Return false with a fault if out of
   memory. */
bool contract_pieces_make(struct contract_plan *p, struct arena *arena, struct fault *fault);
#endif
