/*
 * The primitive's box (contract_plan.h): in each of its shapes, the addresses of operands, the blocks of rows
 * and columns that the kernel is called for, and the copies.
 */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_BOX_H
#define ENGINE_CPU_CONTRACT_CONTRACT_BOX_H
#include "engine/cpu/contract/contract_plan.h"

struct walk; /* contract_run.h */

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
    struct brgemm (*kernel)[2][2]; /* [what it packs][count is not that of the first rows][... columns] */
    bool packs, carries;  /* there are kernels that pack, of the first rows; that carry, for such columns */
    int64_t source_step;  /* bytes between rows of right, where it is packed so */
    int64_t carry_before; /* rows of right that pass between fetching one and carrying it */
    int carry_turn; /* calls for these rows and later ones fetch of the columns behind those they carry */
    struct move_plan *copy[2], *place;    /* packing; waiting sums to out; NULL: not planned */
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
/* Adds the axes from a box's waiting sums to out; those of all boxes inside the outermost loop over K, where
   they go on from box to box and there is a walk. */
void contract_box_places(const struct contract_plan *p, const struct contract_box *box, const struct walk *w,
                         struct move_box *to);
/* Which copies of a box are planned with it: of a side, of waiting sums; plans those that it has room for, once its
   steps are known. */
bool contract_box_packs(const struct contract_plan *p, int side);
bool contract_box_stores(const struct contract_plan *p);
void contract_box_copies(const struct contract_plan *p, struct contract_box *box);
/* Steps of a side that is packed as the places that the box touches. */
void contract_footprint_lay(const struct contract_plan *p, struct contract_box *box, int side);
/* Deals out a box's right, whose rows lie so many bytes apart, to its rows of left. */
void contract_carry_lay(struct contract_box *box, int64_t source_step);
/* Lists a box's lines in memory. */
void contract_ahead_lay(const struct contract_plan *p, struct contract_box *box);
/* Whether boxes of left, a window, can be cut into pieces; makes them all. */
bool contract_pieces_can(const struct contract_plan *p);
bool contract_pieces_make(struct contract_plan *p, struct arena *arena, struct fault *fault);
#endif
