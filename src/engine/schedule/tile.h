/*
 * Tiles: a work item computes `lanes` indices of one PARALLEL dim as vectors, and `rows` indices of another one, so
 * that each element that is read serves several results.  The order of each sum stays as it is.  The last tile of a
 * dim overlaps the one before it, and writes only what is its own.
 */
#ifndef ENGINE_SCHEDULE_TILE_H
#define ENGINE_SCHEDULE_TILE_H
#include "engine/schedule/nest.h"

/* Form of a register in a tile. */
enum tile_form {
    TILE_SCALAR, /* equal in all lanes */
    TILE_VECTOR, /* a vector of the tile's dtype, or a mask of such vectors */
    TILE_LANES   /* computed for each lane; a vector only where vectors need it */
};

enum { TILE_REGISTERS = 256 };
struct tile {
    int lanes;      /* of a vector, 2 .. 16; 0: there are no tiles */
    int column;     /* dim of the lanes */
    int row;        /* dim of the rows, -1: none; the column: rows are strips of `lanes` indices each */
    int rows;       /* 1 .. 16 */
    ty_dtype dtype; /* of the vectors: f32 or f64 */
    bool along;     /* the column is the one FOLD dim: lanes are its terms, and results are scalars */
    bool groups;    /* sums add groups of as many terms as they have lanes */
    int64_t block;  /* terms of a block of groups, 0: all */
    uint8_t form[TILE_REGISTERS];
};

/* True if an operator has a text for vectors of f32 or f64, the dtype of its operands. */
typedef bool tile_operator(const ty_nest_instr *in);
/* Return the tile of a nest on a device whose vectors have `lanes` numbers of 32 bits (0: none).  If rows share no
   vectors, sums have up to `strips` neighbouring vectors of columns. */
struct tile tile_of(const ty_nest *n, int lanes, int strips, tile_operator *has_vectors);
/* True if the rows of a tile are strips of its column. */
static inline bool tile_is_strips(const struct tile *t) { return t->lanes && t->row == t->column; }
/* Return the size of a tile along dim d. */
static inline int tile_extent(const struct tile *t, int d) {
    return !t->lanes ? 1 : (d == t->column ? t->lanes : 1) * (d == t->row ? t->rows : 1);
}
/* Return the number of tiles along dim d of a nest. */
static inline int64_t tile_count(const struct tile *t, const ty_nest *n, int d) {
    int64_t extent = tile_extent(t, d), size = n->dims[d].size;
    return size / extent + (size % extent != 0);
}
/* True if register `reg` depends on dim d; folds do not depend on their own dims. */
bool tile_depends(const ty_nest *n, int reg, int d);
/* Set needed[reg] for all registers that folds use; or else for those behind the folds that are written. */
void tile_needed(const ty_nest *n, bool folds, bool *needed);
/* True if read k takes a square of lanes and rows, whose lines are vectors along the row: it is turned. */
bool tile_turns(const ty_nest *n, const struct tile *t, int k);
/* True if a write stores whole vectors. */
bool tile_stores(const ty_nest *n, const struct tile *t, const ty_nest_write *w);
#endif
