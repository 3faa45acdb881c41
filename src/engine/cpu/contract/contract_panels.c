/*
 * Layout of operands that are packed in an order chosen here.
 *
 * Left has K innermost: a tile reads one line of each row for many steps of K, and these lines stay in L1 next to a
 * sliver of right. With rows innermost each step would need a line or two, used in part. Half of a deep tile would
 * come from L2 (256 to 1600 cubed in f32, 1.2 on a Zen 3). Rows stay innermost if too few columns use the copy to
 * repay the transposition.
 *
 * Right is cut into panels of one tile of columns, each with all of K, in the order in which the kernel reads them.
 * The width of a tile depends on the rows of the box and on whether they come in lines. So the full box is first laid
 * out without panels (contract_box.c). Only widths that divide the columns are tried; the best one is used.
 */
#include "engine/cpu/contract/contract_box.h"
#include <stdlib.h>
#include "array/dtype.h"
#include "base/machine/levels.h"
#include "contract/cost.h"

/* Return the smallest stride of left if it belongs to a row dimension (M), so that copying row by row reads memory
   in order; 0 if it does not. */
static int64_t rows_in_order(const struct contract_plan *p) {
    int64_t best = INT64_MAX;
    bool rows = false;
    for (int d = 0; d < p->ndims; d++) {
        int64_t stride = llabs(p->dims[d].stride[CONTRACT_LEFT]);
        if (!stride || stride >= best) continue;
        best = stride;
        rows = p->dims[d].type == TY_DIM_M;
    }
    return rows ? best : 0;
}

bool contract_rows_inside(const struct contract_plan *p) {
    /* vectors of f32 for all dtypes: in f64 both transposing and multiplying take twice as long */
    enum { VECTORS = 6, SINGLE = 4 };
    int rows, lanes;
    int64_t step = rows_in_order(p);
    if (p->parts > 1 || step == 0) return false;
    if (step > 1) return true; /* vectors transpose contiguous rows */
    double met = (double)contract_box_count(p, TY_DIM_N);
    brgemm_tile(&p->types, 1, 1, 1, 0, &rows, &lanes);
    for (int l = p->side[CONTRACT_LEFT].loop + 1; l < p->nloops; l++)
        if (p->c->dims[p->loops[l].dim].type == TY_DIM_N) met *= (double)p->loops[l].trips;
    return met * SINGLE < (double)(VECTORS * lanes * p->inner_bytes);
}

/* Return the size of the innermost row dimension (M) that a window of left moves along; 0 if none does. */
static int64_t window_line(const struct contract_plan *p) {
    for (int d = p->ndims - 1; d >= 0; d--)
        for (int g = 0; g < p->c->nguards && p->dims[d].type == TY_DIM_M; g++) {
            const ty_guard *guard = &p->c->guards[g];
            bool moves = guard->dim[0] == p->dims[d].dim || guard->dim[1] == p->dims[d].dim;
            if (moves && guard->side == TY_LEFT) return p->dims[d].size;
        }
    return 0;
}

bool contract_lines_break(const struct contract_plan *p) {
    enum { SLIVERS = 8 }; /* slivers of right that use the copy */
    const double filled = 0.7;
    int rows, width, joined, wide, usual, usual_width, lanes, one;
    int64_t line = window_line(p), box = contract_box_count(p, TY_DIM_M),
            columns = contract_box_count(p, TY_DIM_N), depth = contract_box_count(p, TY_DIM_K), all = 1;
    if (line < 2 || line == box || p->types.group > 1 || p->parts > 1) return false;
    for (int d = 0; d < p->c->ndims; d++)
        if (p->c->dims[d].type == TY_DIM_N) all *= p->c->dims[d].size;
    brgemm_tile(&p->types, 1, 1, 1, 0, &one, &lanes);
    contract_usual_tile(&p->types, &usual, &usual_width);
    brgemm_tile(&p->types, line, 1, columns, depth, &rows, &width);
    brgemm_tile(&p->types, box, line, columns, depth, &joined, &wide);
    double cut = (double)line / (double)ceil_div(line, rows);
    double adds = joined > line && joined > rows ? contract_adds_a_load(joined, (double)wide / lanes)
                                                 : contract_adds_a_load(cut, (double)width / lanes);
    double whole = contract_adds_a_load(usual, (double)usual_width / lanes);
    return all >= SLIVERS * usual_width && adds < filled * whole;
}

/* Return the plan's innermost dimension of columns (N), not counting the halves of complex numbers; -1 if there is
   none. */
static int innermost_columns(const struct contract_plan *p) {
    int d = p->ndims - 1;
    while (d >= 0 && (p->dims[d].type != TY_DIM_N || p->dims[d].dim < 0)) d--;
    return d;
}

bool contract_may_cut_panels(const struct contract_plan *p) {
    ty_packing kind = p->side[CONTRACT_RIGHT].kind;
    return (kind == TY_PACK_PANELS || kind == TY_PACK_WHOLE) && !p->lanes &&
           !p->side[CONTRACT_RIGHT].guarded && innermost_columns(p) >= 0;
}

void contract_usual_tile(const struct brgemm_types *types, int *rows, int *columns) {
    enum { MANY_ROWS = 1 << 12, VECTORS = 8 }; /* a power of two, as most sizes are multiples of one */
    int lanes;
    brgemm_tile(types, 1, 1, 1, 0, rows, &lanes);
    /* For vectors shorter than a cache line, as many as make one. Wider tiles are not faster and cut columns less
       finely. */
    int vectors = CACHE_LINE / (lanes * (int)dtype_table[types->out].size);
    brgemm_tile(types, MANY_ROWS, 1, (vectors > 1 ? vectors : VECTORS) * lanes, 0, rows, columns);
}

void contract_tile(const struct contract_plan *p, int64_t rows, int64_t line, int64_t columns, int *tile_rows,
                   int *tile_columns) {
    enum { VECTOR = 64 };
    double panel = (double)level_bytes(LEVEL_SECOND) / 8 * 3; /* two panels leave a quarter of L2 */
    int64_t lanes = VECTOR / p->inner_bytes;
    double vector = /* bytes of a vector of columns */
        (double)contract_box_count(p, TY_DIM_K) * (double)(p->side[CONTRACT_RIGHT].packed * lanes);
    if (p->side[CONTRACT_RIGHT].kind == TY_PACK_WHOLE && vector > 0)
        columns = lesser(columns, greater((int64_t)(panel / vector), 1) * lanes);
    brgemm_tile(&p->types, rows, line, columns, contract_box_count(p, TY_DIM_K), tile_rows, tile_columns);
}

void contract_cut_panels(struct contract_plan *p) {
    int rows, lanes, width = 0, d = innermost_columns(p);
    int64_t all = p->dims[d].size * p->parts, widest = all, line = greater(p->full->line, 1);
    brgemm_tile(&p->types, 1, 1, 1, 0, &rows, &lanes);
    do { /* best tile among widths without a remainder */
        if (!p->full->run || widest < lanes) return;
        contract_tile(p, p->full->run, line, widest, &rows, &width);
        widest = width - lanes;
    } while (all % width || width % p->parts);
    if (all == width) return;
    int64_t columns = width / p->parts;
    for (int i = p->ndims++; i > d; i--) p->dims[i] = p->dims[i - 1];
    p->panels = true;
    p->dims[d].panel = columns;
    p->dims[d].size /= columns;
    for (int side = 0; side < 3; side++) p->dims[d].stride[side] *= columns;
    p->dims[d + 1].size = columns;
}
