/*
 * Tiles: a work item computes the sums of `lanes` indices of one PARALLEL dim as a vector, and of `rows` indices of
 * another one, so that each element that is read serves several sums.  The order of each sum stays as it is.  The last
 * tile of a dim overlaps the one before it, and writes only what is its own.
 */
#ifndef ENGINE_TEXT_TILE_H
#define ENGINE_TEXT_TILE_H
#include "engine/nest/nest.h"

struct tile {
    int lanes;  /* of a vector, 4 .. 16; 0: there are no tiles */
    int column; /* dim of the lanes */
    int row;    /* dim of the rows, -1: none */
    int rows;   /* 1 .. TILE_ROWS */
};

/* Return the tile of a nest on a device whose vectors have `lanes` numbers of 32 bits (0: none). */
struct tile tile_of(const ty_nest *n, int lanes);
/* Return the size of a tile along dim d. */
static inline int tile_extent(const struct tile *t, int d) {
    return !t->lanes ? 1 : d == t->column ? t->lanes : d == t->row ? t->rows : 1;
}
/* Return the number of tiles along dim d of a nest. */
static inline int64_t tile_count(const struct tile *t, const ty_nest *n, int d) {
    int64_t extent = tile_extent(t, d), size = n->dims[d].size;
    return size / extent + (size % extent != 0);
}
/* True if read or result of `before` number `reg` depends on dim d. */
bool tile_depends(const ty_nest *n, int reg, int d);
/* Set needed[reg] for all reads and results of `before` that folds use. */
void tile_needed(const ty_nest *n, bool *needed);
/* True if read k can be loaded as a vector along dim d: only folds use it, and its elements are neighbours. */
bool tile_is_direct(const ty_nest *n, int k, int d);
/* True if a fold joins lanes or blocks, or sums of spans, by an order of its own. */
bool fold_has_blocks(const ty_nest_fold *f);
bool fold_has_spans(const ty_nest_fold *f);
/* True if a fold is a sum, a product or a recurrence. */
bool fold_adds(const ty_nest_fold *f);
#endif
