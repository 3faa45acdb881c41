/* The choice of tiles. */
#include "engine/schedule/tile.h"

#include <string.h>

/* ---- what registers depend on ---- */

static bool access_depends(const ty_nest *n, const ty_nest_access *a, int d) {
    bool depends = a->strides[d] != 0;
    for (int i = 0; !depends && i < a->nterms; i++) depends = tile_depends(n, a->terms[i].read, d);
    return depends;
}
bool tile_depends(const ty_nest *n, int reg, int d) {
    const ty_nest_instr *in = instr_of(n, reg);
    if (reg < n->nreads) return access_depends(n, &n->reads[reg], d);
    bool depends = false;
    if (!in) {
        const ty_nest_fold *f = &n->folds[reg - first_fold(n)];
        depends = tile_depends(n, f->value, d) || (f->kind == TY_NEST_DOT && tile_depends(n, f->second, d));
        return depends || (f->when != TY_NEST_ALWAYS && tile_depends(n, f->when, d));
    }
    for (int i = 0; !depends && i < in->n; i++) depends = tile_depends(n, in->from[i], d);
    return depends;
}

static void need(const ty_nest *n, int reg, bool *needed);
static void need_access(const ty_nest *n, const ty_nest_access *a, bool *needed) {
    for (int i = 0; i < a->nterms; i++) need(n, a->terms[i].read, needed);
}
/* Set needed[reg] for register `reg` and all those that it is computed from, up to folds. */
static void need(const ty_nest *n, int reg, bool *needed) {
    const ty_nest_instr *in = instr_of(n, reg);
    if (needed[reg]) return;
    needed[reg] = true;
    for (int i = 0; in && i < in->n; i++) need(n, in->from[i], needed);
    if (reg < n->nreads) need_access(n, &n->reads[reg], needed);
}
void tile_needed(const ty_nest *n, bool folds, bool *needed) {
    memset(needed, 0, (size_t)register_count(n) * sizeof *needed);
    for (int i = 0; i < (folds ? n->nfolds : 0); i++) {
        const ty_nest_fold *f = &n->folds[i];
        need(n, f->value, needed);
        if (f->kind == TY_NEST_DOT) need(n, f->second, needed);
        if (f->when != TY_NEST_ALWAYS) need(n, f->when, needed);
    }
    for (int i = 0; i < (folds ? 0 : n->nwrites); i++) {
        const ty_nest_write *w = &n->writes[i];
        need(n, w->value, needed);
        if (w->when != TY_NEST_ALWAYS) need(n, w->when, needed);
        if (w->store == TY_NEST_MADD) need(n, w->second, needed);
        need_access(n, &w->to, needed);
    }
}

/* ---- forms ---- */

/* True if an access takes neighbours as a vector along dim d. */
static bool is_direct(const ty_nest *n, const ty_nest_access *a, int d, ty_dtype dtype) {
    bool direct = a->slot >= 0 && a->strides[d] == 1 && a->dtype == dtype;
    for (int i = 0; direct && i < a->nterms; i++) direct = !tile_depends(n, a->terms[i].read, d);
    return direct;
}
bool tile_turns(const ty_nest *n, const struct tile *t, int k) {
    const ty_nest_access *a = &n->reads[k];
    bool square = !n->nfolds && t->row >= 0 && t->rows == t->lanes && t->lanes > 0;
    return square && !a->nterms && a->strides[t->column] && is_direct(n, a, t->row, t->dtype);
}
bool tile_stores(const ty_nest *n, const struct tile *t, const ty_nest_write *w) {
    bool when = w->when == TY_NEST_ALWAYS || t->form[w->when] == TILE_SCALAR;
    return when && w->store == TY_NEST_SET && is_direct(n, &w->to, t->column, t->dtype);
}
/* True if vectors can use a register: it has the tile's dtype, or is the mask of a choice. */
static bool fits(const ty_nest *n, const struct tile *t, const ty_nest_instr *in, int k) {
    bool choice = in->n == 3 && k == 0 && !strcmp(in->name, "where");
    return register_dtype(n, in->from[k]) == (choice ? TY_BOOL : t->dtype);
}
static enum tile_form form_of(const ty_nest *n, const struct tile *t, int reg, tile_operator *has_vectors) {
    const ty_nest_instr *in = instr_of(n, reg);
    if (!tile_depends(n, reg, t->column)) return TILE_SCALAR;
    if (reg < n->nreads && (is_direct(n, &n->reads[reg], t->column, t->dtype) || tile_turns(n, t, reg)))
        return TILE_VECTOR;
    if (reg < n->nreads) return TILE_LANES;
    if (!in) return TILE_VECTOR;
    bool vector = in->in == t->dtype && (in->out == t->dtype || in->out == TY_BOOL) && has_vectors(in);
    for (int k = 0; vector && k < in->n; k++) vector = fits(n, t, in, k);
    return vector ? TILE_VECTOR : TILE_LANES;
}

/* ---- the choice ---- */

static bool is_real(ty_dtype dtype) { return dtype == TY_F32 || dtype == TY_F64; }

/* Return the dtype of the vectors of a nest: that of its folds, else of the first number that it writes or reads; bool
   if there is none. */
static ty_dtype dtype_of(const ty_nest *n) {
    if (n->nfolds) return is_real(n->folds[0].dtype) ? n->folds[0].dtype : TY_BOOL;
    for (int i = 0; i < n->nwrites; i++)
        if (is_real(n->writes[i].to.dtype)) return n->writes[i].to.dtype;
    for (int i = 0; i < n->nreads; i++)
        if (is_real(n->reads[i].dtype)) return n->reads[i].dtype;
    return TY_BOOL;
}
/* True if all folds are sums, products or extremes of one real dtype, and the loops are plain ones. */
static bool can_be_tiled(const ty_nest *n) {
    bool can = n->nwrites > 0 && register_count(n) <= TILE_REGISTERS && dtype_of(n) != TY_BOOL;
    for (int d = 0; d < n->ndims; d++) {
        const ty_nest_dim *dim = &n->dims[d];
        bool plain = dim->role == TY_NEST_PARALLEL || dim->role == TY_NEST_FOLD;
        can = can && plain && dim->begin < 0 && dim->end < 0;
    }
    for (int i = 0; i < n->nfolds; i++) {
        const ty_nest_fold *f = &n->folds[i];
        bool place = nest_is_place(f) || f->kind == TY_NEST_LINEAR;
        can = can && !place && f->dtype == n->folds[0].dtype && outer_dims(n) < n->ndims;
    }
    return can;
}

/* Return how many lanes dim d has room for, at most `most`; 0 if a vector is not worth it. */
static int lanes_along(const ty_nest *n, int d, int most) {
    int lanes = most;
    while (lanes >= 4 && lanes > n->dims[d].size) lanes /= 2;
    return lanes < 4 ? 0 : lanes;
}

/* Return what it costs to read for an index of dim d, in elements. */
static double cost_of_reads(const ty_nest *n, const bool *needed, int d, int lanes, ty_dtype dtype) {
    double cost = 0;
    for (int reg = 0; reg < n->nreads; reg++)
        if (needed[reg] && tile_depends(n, reg, d))
            cost += is_direct(n, &n->reads[reg], d, dtype) ? 1 : lanes;
    return lanes ? cost / lanes : 0;
}
/* Return what it costs to read and write for an index of dim d, in elements; 0 if dim d cannot have lanes. */
static double cost_along(const ty_nest *n, const bool *needed, int d, int lanes, ty_dtype dtype) {
    double cost = 0;
    for (int i = 0; i < n->nfolds; i++) {
        uint16_t when = n->folds[i].when;
        if (when != TY_NEST_ALWAYS && tile_depends(n, when, d)) return 0;
        if (!tile_depends(n, first_fold(n) + i, d)) return 0;
    }
    for (int i = 0; i < (n->nfolds ? 0 : n->nwrites); i++)
        cost += is_direct(n, &n->writes[i].to, d, dtype) ? 1 : lanes;
    return lanes ? cost / lanes + cost_of_reads(n, needed, d, lanes, dtype) : 0;
}

/* Return the dim before `outer` with the least cost above 0, of several the last one; -1: there is none. */
static int find_column(const ty_nest *n, const bool *needed, int outer, int most, ty_dtype dtype) {
    double least = 0;
    int column = -1;
    for (int d = 0; d < outer; d++) {
        double cost = cost_along(n, needed, d, lanes_along(n, d, most), dtype);
        if (cost > 0 && (column < 0 || cost <= least)) column = d, least = cost;
    }
    return column;
}

/* True if rows along dim d share vectors: folds depend on them and on the column, but no operand does on both. */
static bool can_share(const ty_nest *n, const bool *needed, int d, int column) {
    bool shares = false;
    for (int i = 0; i < n->nfolds; i++)
        if (!tile_depends(n, first_fold(n) + i, d)) return false;
    for (int reg = 0; reg < first_fold(n); reg++) {
        if (!needed[reg] || !tile_depends(n, reg, column)) continue;
        if (tile_depends(n, reg, d)) return false;
        shares = true;
    }
    return shares;
}
/* True if lanes read elements apart that are neighbours along dim d: rows read the rest of the same lines. */
static bool reads_across(const ty_nest *n, int d, int column) {
    for (int k = 0; k < n->nreads; k++)
        if (n->reads[k].slot >= 0 && n->reads[k].strides[d] == 1 && n->reads[k].strides[column] != 0)
            return true;
    return false;
}
/* Choose the rows of a tile: TILE_ROWS of a sum, see docs/opencl.md; a square for lines across. */
static void choose_rows(const ty_nest *n, struct tile *t, const bool *needed, int outer) {
    enum { TILE_ROWS = 8 };
    bool blocks = false;
    for (int i = 0; i < n->nfolds; i++) blocks = blocks || fold_has_blocks(&n->folds[i]);
    for (int d = outer - 1; d >= 0 && !blocks && t->row < 0; d--) {
        if (d == t->column || n->dims[d].size < 2) continue;
        if (n->nfolds ? can_share(n, needed, d, t->column) : reads_across(n, d, t->column)) t->row = d;
    }
    if (t->row < 0) return;
    int64_t size = n->dims[t->row].size, tiles = (size + TILE_ROWS - 1) / TILE_ROWS;
    t->rows = (int)((size + tiles - 1) / tiles);
    if (!n->nfolds) t->rows = size < t->lanes ? (int)size : t->lanes;
}

/* Let the rows be strips of the column, if sums have no other rows and read only vectors along it: each scalar is then
   used for all strips, and their sums do not wait for each other. */
static void choose_strips(const ty_nest *n, struct tile *t, const bool *needed, int strips) {
    bool can = n->nfolds > 0 && t->row < 0 && !t->along && !t->groups;
    for (int i = 0; i < n->nfolds; i++) can = can && !fold_has_blocks(&n->folds[i]);
    for (int reg = 0; reg < first_fold(n); reg++) can = can && !(needed[reg] && t->form[reg] == TILE_LANES);
    int64_t most = n->dims[t->column].size / t->lanes;
    if (!can || strips < 2 || most < 2) return;
    t->row = t->column, t->rows = most < strips ? (int)most : strips;
}

/* True if the one FOLD dim can be cut into groups: of the lanes of sums; along it, also of lanes of extremes. */
static bool has_groups(const ty_nest *n, int lanes, bool along) {
    bool has = n->nfolds > 0 && outer_dims(n) == n->ndims - 1;
    for (int i = 0; has && i < n->nfolds; i++) {
        const ty_nest_fold *f = &n->folds[i], *first = &n->folds[0];
        bool halves =
            fold_has_blocks(f) && f->join == TY_NEST_HALVES && f->lanes > 1 && !f->spans && !f->inner;
        bool extreme = !nest_adds(f) && !nest_adds(first) && along;
        has = f->when == TY_NEST_ALWAYS && f->block == first->block && (halves || extreme) &&
              (extreme || (f->lanes == first->lanes && f->block % f->lanes == 0 && f->block < INT32_MAX));
        if (along && halves) has = has && f->lanes == lanes;
    }
    return has;
}
/* Let lanes be terms of the FOLD dim, if that reads vectors and nothing else does. */
static bool choose_along(const ty_nest *n, struct tile *t, const bool *needed, int most) {
    int d = n->ndims - 1;
    bool reads = false;
    if (!has_groups(n, most, true) || n->dims[d].size < most) return false;
    for (int k = 0; k < n->nreads; k++)
        if (needed[k] && tile_depends(n, k, d)) reads = reads || is_direct(n, &n->reads[k], d, t->dtype);
    double cost = reads ? cost_of_reads(n, needed, d, most, t->dtype) : 0;
    double other = t->column < 0 ? 0 : cost_of_reads(n, needed, t->column, t->lanes, t->dtype);
    if (!reads || (other > 0 && other <= cost)) return false;
    t->along = t->groups = true, t->column = d, t->lanes = most, t->block = n->folds[0].block;
    return true;
}

struct tile tile_of(const ty_nest *n, int lanes, int strips, tile_operator *has_vectors) {
    bool needed[TILE_REGISTERS];
    struct tile t = {.row = -1, .rows = 1};
    if (!lanes || !can_be_tiled(n)) return t;
    t.dtype = dtype_of(n);
    int outer = outer_dims(n), most = t.dtype == TY_F64 ? lanes / 2 : lanes;
    tile_needed(n, n->nfolds > 0, needed);
    t.column = find_column(n, needed, outer, most, t.dtype);
    t.lanes = t.column < 0 ? 0 : lanes_along(n, t.column, most);
    if (!choose_along(n, &t, needed, most)) {
        if (t.column < 0) return t;
        choose_rows(n, &t, needed, outer);
        t.groups = has_groups(n, t.lanes, false), t.block = t.groups ? n->folds[0].block : 0;
    }
    for (int reg = 0; reg < register_count(n); reg++) t.form[reg] = (uint8_t)form_of(n, &t, reg, has_vectors);
    choose_strips(n, &t, needed, strips);
    return t;
}
