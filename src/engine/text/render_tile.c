/*
 * Tiles as text.  i<d> is the first index of the tile along its dim d, s<d> the same; in loops over rows and lanes,
 * i<d> is the index of the row a or lane b.  v<k> is register k in all lanes, x<k> an array of them, y<k> the results.
 */
#include "base/text.h"
#include "engine/text/render.h"

/* Append read or operator `reg`. */
static void add_register(struct render *r, int reg) {
    const ty_nest *n = r->nest;
    if (reg < n->nreads)
        render_read(r, reg);
    else
        render_instrs(r, &n->before[reg - n->nreads], 1, reg);
}
/* Append the scalars that folds need and that do not step along the column: those of rows, or the others. */
static void add_scalars(struct render *r, const bool *needed, bool rows) {
    const ty_nest *n = r->nest;
    for (int reg = 0; reg < first_fold(n); reg++) {
        bool row = r->tile.row >= 0 && tile_depends(n, reg, r->tile.row);
        if (needed[reg] && row == rows && !tile_depends(n, reg, r->tile.column)) add_register(r, reg);
    }
}

/* ---- lanes ---- */

static bool is_operand(const ty_nest *n, int reg) {
    bool is = false;
    for (int i = 0; i < n->nfolds; i++) {
        const ty_nest_fold *f = &n->folds[i];
        is = is || f->value == reg || (f->kind == TY_NEST_DOT && f->second == reg);
    }
    return is;
}
/* True if folds need the register and it is computed for each lane. */
static bool is_by_lanes(const struct render *r, const bool *needed, int reg) {
    int column = r->tile.column;
    return needed[reg] && tile_depends(r->nest, reg, column) && !tile_is_direct(r->nest, reg, column);
}
/* Append the registers that are computed for each lane, and the vectors of those that folds use. */
static void add_by_lanes(struct render *r, const bool *needed) {
    const ty_nest *n = r->nest;
    const char *element = text_type(n->folds[0].dtype);
    int column = r->tile.column, lanes = r->tile.lanes;
    char type[16];
    for (int reg = 0; reg < first_fold(n); reg++)
        if (is_by_lanes(r, needed, reg) && is_operand(n, reg))
            text_add(r->t, "%s x%d[%d];\n", element, reg, lanes);
    text_add(r->t, "#pragma unroll\nfor (int b = 0; b < %d; b++) {\nconst %s i%d = s%d + b;\n", lanes,
             r->index, column, column);
    for (int reg = 0; reg < first_fold(n); reg++) {
        if (!is_by_lanes(r, needed, reg)) continue;
        add_register(r, reg);
        if (is_operand(n, reg)) text_add(r->t, "x%d[b] = r%d;\n", reg, reg);
    }
    text_add(r->t, "}\n");
    render_vector_type(r, type);
    for (int reg = 0; reg < first_fold(n); reg++)
        if (is_by_lanes(r, needed, reg) && is_operand(n, reg))
            text_add(r->t, "const %s v%d = LOAD_LANES(%s, %d, x%d);\n", type, reg, element, lanes, reg);
}
static void add_vectors(struct render *r, const bool *needed) {
    const ty_nest *n = r->nest;
    bool by_lanes = false;
    for (int reg = 0; reg < first_fold(n); reg++) {
        bool direct = needed[reg] && tile_is_direct(n, reg, r->tile.column);
        by_lanes = by_lanes || is_by_lanes(r, needed, reg);
        if (direct) render_vector(r, reg);
    }
    if (by_lanes) add_by_lanes(r, needed);
}

/* ---- the tile ---- */

/* Append the FOLD loops. */
static void add_folds(struct render *r) {
    const ty_nest *n = r->nest;
    int outer = outer_dims(n), row = r->tile.row;
    bool needed[RENDER_READS];
    tile_needed(n, needed);
    for (int f = 0; f < n->nfolds; f++) render_fold_begin(r, f);
    for (int d = outer; d < n->ndims; d++) render_loop(r, d);
    add_scalars(r, needed, false);
    add_vectors(r, needed);
    if (r->tile.rows > 1)
        text_add(r->t, "#pragma unroll\nfor (int a = 0; a < %d; a++) {\nconst %s i%d = s%d + a;\n",
                 r->tile.rows, r->index, row, row);
    add_scalars(r, needed, true);
    for (int f = 0; f < n->nfolds; f++) render_fold_term(r, f);
    if (r->tile.rows > 1) text_add(r->t, "}\n");
    for (int d = n->ndims - 1; d >= outer; d--) {
        text_add(r->t, "}\n");
        for (int f = 0; f < n->nfolds; f++) render_fold_loop_end(r, f, d);
    }
    for (int f = 0; f < n->nfolds; f++) render_fold_result(r, f);
}
/* Append the loop over the elements of the tile along dim d that the work item writes. */
static void add_element_loop(struct render *r, int d, const char *name) {
    int extent = tile_extent(&r->tile, d);
    text_add(r->t, "for (int %s = 0; %s < %d; %s++) {\nconst %s i%d = s%d + %s;\n", name, name, extent, name,
             r->index, d, d, name);
    if (r->nest->dims[d].size % extent) text_add(r->t, "if (i%d < t%d * %d) continue;\n", d, d, extent);
}
void render_tile(struct render *r) {
    const ty_nest *n = r->nest;
    bool rows = r->tile.rows > 1;
    add_folds(r);
    for (int k = 0; k < n->nreads; k++) r->done[k] = false;
    if (rows) add_element_loop(r, r->tile.row, "a");
    add_element_loop(r, r->tile.column, "b");
    for (int f = 0; f < n->nfolds; f++) {
        int k = first_fold(n) + f;
        text_add(r->t, "const %s r%d = y%d%s[b];\n", text_type(n->folds[f].dtype), k, k, rows ? "[a]" : "");
    }
    render_reads(r, false);
    render_instrs(r, n->after, n->nafter, first_after(n));
    render_writes(r);
    text_add(r->t, rows ? "}\n}\n" : "}\n");
}
