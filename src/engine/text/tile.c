/* The choice of tiles. */
#include "engine/text/tile.h"

#include <string.h>

#include "array/dtype.h"
#include "engine/text/render.h"

bool fold_adds(const ty_nest_fold *f) {
    return f->kind == TY_NEST_SUM || f->kind == TY_NEST_PROD || f->kind == TY_NEST_DOT ||
           f->kind == TY_NEST_LINEAR;
}
static bool rounds(const ty_nest_fold *f) {
    return fold_adds(f) && dtype_is(f->dtype, CLASS_FLOAT | CLASS_COMPLEX);
}
bool fold_has_blocks(const ty_nest_fold *f) {
    bool parts = f->join != TY_NEST_CHAIN && (f->block > 0 || f->inner > 0); /* a chain of one lane goes on */
    return rounds(f) && (f->lanes > 1 || parts);
}
bool fold_has_spans(const ty_nest_fold *f) { return rounds(f) && f->spans > 0; }

/* ---- what registers depend on ---- */

bool tile_depends(const ty_nest *n, int reg, int d) {
    bool depends = false;
    if (reg >= n->nreads) {
        const ty_nest_instr *in = &n->before[reg - n->nreads];
        for (int i = 0; i < in->n; i++) depends = depends || tile_depends(n, in->from[i], d);
        return depends;
    }
    const ty_nest_access *a = &n->reads[reg];
    for (int i = 0; i < a->nterms; i++) depends = depends || tile_depends(n, a->terms[i].read, d);
    return depends || a->strides[d];
}

static void need(const ty_nest *n, int reg, bool *needed) {
    if (needed[reg]) return;
    needed[reg] = true;
    if (reg >= n->nreads) {
        const ty_nest_instr *in = &n->before[reg - n->nreads];
        for (int i = 0; i < in->n; i++) need(n, in->from[i], needed);
        return;
    }
    for (int i = 0; i < n->reads[reg].nterms; i++) need(n, n->reads[reg].terms[i].read, needed);
}
void tile_needed(const ty_nest *n, bool *needed) {
    memset(needed, 0, (size_t)first_fold(n) * sizeof *needed);
    for (int i = 0; i < n->nfolds; i++) {
        const ty_nest_fold *f = &n->folds[i];
        need(n, f->value, needed);
        if (f->kind == TY_NEST_DOT) need(n, f->second, needed);
        if (f->when != TY_NEST_ALWAYS) need(n, f->when, needed);
    }
}

bool tile_is_direct(const ty_nest *n, int k, int d) {
    const ty_nest_access *a = &n->reads[k];
    bool direct = k < n->nreads && a->slot >= 0 && a->strides[d] == 1 && a->dtype == n->folds[0].dtype;
    for (int i = 0; direct && i < a->nterms; i++) direct = !tile_depends(n, a->terms[i].read, d);
    for (int i = 0; direct && i < n->nbefore; i++)
        for (int j = 0; j < n->before[i].n; j++) direct = direct && n->before[i].from[j] != k;
    return direct;
}

/* ---- the choice ---- */

/* True if all folds are sums or products of f32, or all of f64, and the loops are plain ones. */
static bool can_be_tiled(const ty_nest *n) {
    bool can = n->nfolds > 0 && outer_dims(n) < n->ndims && first_fold(n) <= RENDER_READS;
    for (int d = 0; d < n->ndims; d++) {
        const ty_nest_dim *dim = &n->dims[d];
        bool plain = dim->role == TY_NEST_PARALLEL || dim->role == TY_NEST_FOLD;
        can = can && plain && dim->begin < 0 && dim->end < 0;
    }
    for (int i = 0; i < n->nfolds; i++) {
        const ty_nest_fold *f = &n->folds[i];
        bool sum = f->kind == TY_NEST_SUM || f->kind == TY_NEST_PROD || f->kind == TY_NEST_DOT;
        bool real = f->dtype == TY_F32 || f->dtype == TY_F64;
        can = can && sum && real && f->dtype == n->folds[0].dtype;
    }
    return can;
}

/* Return how many lanes dim d has room for, at most `most`; 0 if a vector is not worth it. */
static int lanes_along(const ty_nest *n, int d, int most) {
    int lanes = most;
    while (lanes >= 4 && lanes > n->dims[d].size) lanes /= 2;
    return lanes < 4 ? 0 : lanes;
}

/* Return what it costs to read all that folds need for an index of dim d, in elements; 0 if dim d cannot have lanes. */
static double cost_along(const ty_nest *n, const bool *needed, int d, int lanes) {
    double cost = 0;
    for (int i = 0; i < n->nfolds; i++) {
        uint16_t when = n->folds[i].when;
        if (when != TY_NEST_ALWAYS && tile_depends(n, when, d)) return 0;
    }
    for (int reg = 0; reg < first_fold(n); reg++)
        if (needed[reg] && tile_depends(n, reg, d)) cost += tile_is_direct(n, reg, d) ? 1 : lanes;
    return lanes ? cost / lanes : 0;
}

/* Return the dim before `outer` with the least cost above 0, of several the last one; -1: there is none. */
static int find_column(const ty_nest *n, const bool *needed, int outer, int most) {
    double least = 0;
    int column = -1;
    for (int d = 0; d < outer; d++) {
        double cost = cost_along(n, needed, d, lanes_along(n, d, most));
        if (cost > 0 && (column < 0 || cost <= least)) column = d, least = cost;
    }
    return column;
}

/* True if rows along dim d share vectors: something depends on the column, and nothing on both. */
static bool can_have_rows(const ty_nest *n, const bool *needed, int d, int column) {
    bool shares = false;
    if (d == column || n->dims[d].size < 2) return false;
    for (int reg = 0; reg < first_fold(n); reg++) {
        if (!needed[reg] || !tile_depends(n, reg, column)) continue;
        if (tile_depends(n, reg, d)) return false;
        shares = true;
    }
    return shares;
}

struct tile tile_of(const ty_nest *n, int lanes) {
    enum { TILE_ROWS = 8 }; /* see docs/opencl.md: a product ran at 47, 104 and 97 GFLOP/s with 4, 8 and 12 */
    bool needed[RENDER_READS], blocks = false;
    struct tile t = {.row = -1, .rows = 1};
    if (!lanes || !can_be_tiled(n)) return t;
    int outer = outer_dims(n), most = n->folds[0].dtype == TY_F64 ? lanes / 2 : lanes;
    tile_needed(n, needed);
    t.column = find_column(n, needed, outer, most);
    if (t.column < 0) return t;
    t.lanes = lanes_along(n, t.column, most);
    for (int i = 0; i < n->nfolds; i++) blocks = blocks || fold_has_blocks(&n->folds[i]);
    for (int d = outer - 1; d >= 0 && !blocks && t.row < 0; d--)
        if (can_have_rows(n, needed, d, t.column)) t.row = d;
    if (t.row < 0) return t;
    int64_t size = n->dims[t.row].size, tiles = (size + TILE_ROWS - 1) / TILE_ROWS;
    t.rows = (int)((size + tiles - 1) / tiles);
    return t;
}
