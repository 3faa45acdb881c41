/*
 * Tiles as text.  i<d> is the first index of the tile along its dim d, s<d> the same; in loops over rows and lanes,
 * i<d> is the index of the row a or lane b.  v<k> is register k in all lanes, x<k> and y<k> arrays of its lanes.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "engine/text/render.h"

static int form(const struct render *r, int reg) { return r->tile.form[reg]; }
static bool in_rows(const struct render *r, int reg) {
    return r->tile.row >= 0 && tile_depends(r->nest, reg, r->tile.row);
}
/* Append read or operator `reg` as a scalar. */
static void add_register(struct render *r, int reg) {
    const ty_nest_instr *in = instr_of(r->nest, reg);
    if (reg < r->nest->nreads)
        render_read(r, reg);
    else if (in)
        render_instrs(r, in, 1, reg);
}
/* Append needed scalars that are equal in all lanes: those of rows, or the others. */
static void add_scalars(struct render *r, const bool *needed, bool rows) {
    for (int reg = 0; reg < register_count(r->nest); reg++)
        if (needed[reg] && form(r, reg) == TILE_SCALAR && in_rows(r, reg) == rows) add_register(r, reg);
}

/* ---- lanes ---- */

/* Set set[reg] for what a lane computes for register `reg`, down to vectors, whose lanes it takes. */
static void need_lane(const struct render *r, int reg, bool *set) {
    const ty_nest *n = r->nest;
    const ty_nest_instr *in = instr_of(n, reg);
    if (set[reg] || form(r, reg) == TILE_SCALAR) return;
    set[reg] = true;
    if (form(r, reg) == TILE_VECTOR) return;
    for (int i = 0; in && i < in->n; i++) need_lane(r, in->from[i], set);
    for (int i = 0; reg < n->nreads && i < n->reads[reg].nterms; i++)
        need_lane(r, n->reads[reg].terms[i].read, set);
}
/* Append the loop over lanes from `first` on, up to the registers of a lane in `set`, and return the text of its
   end. */
static const char *begin_lanes(struct render *r, const bool *set, const char *first) {
    const ty_nest *n = r->nest;
    int column = r->tile.column, lanes = r->tile.lanes;
    char type[32];
    bool takes = false; /* lanes of vectors */
    for (int reg = 0; reg < register_count(n); reg++) {
        if (!set[reg] || form(r, reg) != TILE_VECTOR) continue;
        if (!takes) text_add(r->t, "{\n");
        takes = true;
        text_add(r->t, "%s y%d[%d];\n", render_lane_type(r, reg), reg, lanes);
        text_add(r->t, "STORE_LANES(%s, %d, v%d, y%d);\n", render_vector_type(r, reg, type), lanes, reg, reg);
    }
    text_add(r->t, "for (int b = %s; b < %d; b++) {\nconst %s i%d = s%d + ", first, lanes, r->index, column,
             column);
    if (tile_is_strips(&r->tile)) text_add(r->t, "a * %d + ", lanes);
    text_add(r->t, "b;\n");
    for (int reg = 0; reg < register_count(n); reg++) {
        bool truth = register_dtype(n, reg) == TY_BOOL;
        if (!set[reg] || form(r, reg) == TILE_SCALAR) continue;
        if (form(r, reg) == TILE_LANES)
            add_register(r, reg);
        else
            text_add(r->t, "const %s r%d = y%d[b]%s;\n", text_type(register_dtype(n, reg)), reg, reg,
                     truth ? " != 0" : "");
    }
    return takes ? "}\n}\n" : "}\n";
}
/* Append vector v<reg> of a register that is computed for each lane. */
static void add_by_lanes(struct render *r, int reg) {
    bool set[TILE_REGISTERS] = {false}, done[RENDER_READS];
    char type[32];
    int lanes = r->tile.lanes;
    need_lane(r, reg, set);
    memcpy(done, r->done, sizeof done);
    text_add(r->t, "%s x%d[%d];\n", render_lane_type(r, reg), reg, lanes);
    const char *end = begin_lanes(r, set, "0");
    text_add(r->t, "x%d[b] = %sr%d;\n%s", reg, register_dtype(r->nest, reg) == TY_BOOL ? "-" : "", reg, end);
    render_vector_type(r, reg, type);
    text_add(r->t, "const %s v%d = LOAD_LANES(%s, %d, x%d);\n", type, reg, type, lanes, reg);
    memcpy(r->done, done, sizeof done);
}
/* Set wanted[reg] for operands of folds, or of writes of vectors, and of operators on vectors. */
static void find_wanted(const struct render *r, const bool *needed, bool folds, bool *wanted) {
    const ty_nest *n = r->nest;
    memset(wanted, 0, TILE_REGISTERS * sizeof *wanted);
    for (int i = 0; i < (folds ? n->nfolds : 0); i++) {
        wanted[n->folds[i].value] = true;
        if (n->folds[i].kind == TY_NEST_DOT) wanted[n->folds[i].second] = true;
    }
    for (int i = 0; i < (folds ? 0 : n->nwrites); i++)
        if (tile_stores(n, &r->tile, &n->writes[i])) wanted[n->writes[i].value] = true;
    for (int reg = 0; reg < register_count(n); reg++) {
        const ty_nest_instr *in = instr_of(n, reg);
        for (int k = 0; in && k < in->n && needed[reg] && form(r, reg) == TILE_VECTOR; k++)
            wanted[in->from[k]] = true;
    }
}
/* Append the vectors of needed registers: those of rows, or the others. */
static void add_vectors(struct render *r, const bool *needed, const bool *wanted, bool rows) {
    const ty_nest *n = r->nest;
    for (int reg = 0; reg < register_count(n); reg++) {
        bool fold = reg >= first_fold(n) && reg < first_after(n);
        if (!needed[reg] || fold || in_rows(r, reg) != rows) continue;
        if (form(r, reg) == TILE_LANES && wanted[reg]) add_by_lanes(r, reg);
        if (form(r, reg) != TILE_VECTOR) continue;
        char type[32];
        if (reg >= n->nreads)
            render_vector_instr(r, reg);
        else if (tile_turns(n, &r->tile, reg))
            text_add(r->t, "const %s v%d = q%d[a];\n", render_vector_type(r, reg, type), reg, reg);
        else
            render_vector(r, reg);
    }
}

/* ---- the tile ---- */

/* Append the loop over the rows of the tile, if it has several.  Strips of the last tile that are not its own write
   lanes from `over` on. */
static void begin_rows(struct render *r, bool own) {
    int row = r->tile.row, rows = r->tile.rows, lanes = r->tile.lanes;
    if (rows == 1) return;
    text_add(r->t, "%sfor (int a = 0; a < %d; a++) {\nconst %s i%d = s%d + a", own ? "" : "UNROLLED ", rows,
             r->index, row, row);
    if (tile_is_strips(&r->tile)) text_add(r->t, " * %d", lanes);
    text_add(r->t, ";\n");
    if (tile_is_strips(&r->tile)) {
        if (own && r->nest->dims[row].size % (rows * lanes))
            text_add(r->t, "const int over = t%d * %d > i%d ? (int)(t%d * %d - i%d) : 0;\n", row,
                     rows * lanes, row, row, rows * lanes, row);
        return;
    }
    if (own && r->nest->dims[row].size % rows)
        text_add(r->t, "if (i%d < t%d * %d) continue;\n", row, row, rows);
}
static void end_rows(struct render *r) { text_add(r->t, r->tile.rows > 1 ? "}\n" : ""); }

/* Append the registers that folds need. */
static void add_terms(struct render *r) {
    bool needed[TILE_REGISTERS], wanted[TILE_REGISTERS];
    tile_needed(r->nest, true, needed);
    find_wanted(r, needed, true, wanted);
    add_scalars(r, needed, false);
    add_vectors(r, needed, wanted, false);
    begin_rows(r, false);
    add_scalars(r, needed, true);
    add_vectors(r, needed, wanted, true);
}
/* Append the FOLD loop of a tile with groups: blocks of whole groups, then of the terms that are left. */
static void add_groups(struct render *r) {
    const ty_nest *n = r->nest;
    const struct tile tile = r->tile;
    int d = outer_dims(n), lanes = tile.along ? tile.lanes : n->folds[0].lanes;
    int64_t size = n->dims[d].size, block = tile.block ? tile.block : size;
    const char *index = r->index;
    char terms[32];
    if (tile.along) r->tile.lanes = 0;
    for (int f = 0; f < n->nfolds; f++) render_fold_begin(r, f);
    r->tile = tile;
    text_add(r->t, "for (%s b%d = 0; b%d < %" PRId64 "; b%d += %" PRId64 ") {\n", index, d, d, size, d,
             block);
    text_add(r->t,
             "const %s e%d = b%d < %" PRId64 " ? b%d + %" PRId64 " : %" PRId64 ", w%d = b%d + (e%d - b%d) / ",
             index, d, d, size - block, d, block, size, d, d, d, d);
    text_add(r->t, "%d * %d;\n{\n", lanes, lanes);
    for (int f = 0; f < n->nfolds; f++) render_group_begin(r, f);
    text_add(r->t, "for (%s s%d = b%d; s%d < w%d; s%d += %d) {\n", index, d, d, d, d, d, lanes);
    text_add(r->t, "UNROLLED for (int l = 0; l < %d; l++) {\nconst %s i%d = s%d + l;\n",
             tile.along ? 1 : lanes, index, d, d);
    add_terms(r);
    for (int f = 0; f < n->nfolds; f++) render_group_term(r, f);
    text_add(r->t, "}\n}\n");
    text_print(terms, sizeof terms, "w%d - b%d", d, d);
    for (int f = 0; f < n->nfolds; f++) render_group_end(r, f, terms);
    text_add(r->t, "}\nfor (%s i%d = w%d; i%d < e%d; i%d++) {\n", index, d, d, d, d, d);
    memset(r->done, 0, sizeof r->done);
    if (tile.along) {
        r->tile.lanes = 0;
        render_reads(r, true);
        render_reads(r, false);
        render_instrs(r, n->before, n->nbefore, first_before(n));
    } else {
        add_terms(r);
    }
    for (int f = 0; f < n->nfolds; f++) render_fold_term(r, f);
    text_add(r->t, "}\n");
    for (int f = 0; f < n->nfolds; f++) render_block_end(r, f);
    text_add(r->t, "}\n");
    for (int f = 0; f < n->nfolds; f++) render_fold_loop_end(r, f, d);
    memset(r->done, 0, sizeof r->done);
}
/* Append the FOLD loops. */
static void add_folds(struct render *r) {
    const ty_nest *n = r->nest;
    int outer = outer_dims(n);
    for (int f = 0; f < n->nfolds; f++) render_fold_begin(r, f);
    for (int d = outer; d < n->ndims; d++) render_loop(r, d);
    add_terms(r);
    for (int f = 0; f < n->nfolds; f++) render_fold_term(r, f);
    end_rows(r);
    for (int d = n->ndims - 1; d >= outer; d--) {
        text_add(r->t, "}\n");
        for (int f = 0; f < n->nfolds; f++) render_fold_loop_end(r, f, d);
    }
}
/* Append the writes: vectors, then those that lanes write one by one. */
static void add_writes(struct render *r, const char *first) {
    const ty_nest *n = r->nest;
    bool set[TILE_REGISTERS] = {false}, by_lanes = false, done[RENDER_READS];
    memcpy(done, r->done, sizeof done);
    for (int k = 0; k < n->nwrites; k++) {
        const ty_nest_write *w = &n->writes[k];
        if (tile_stores(n, &r->tile, w)) {
            render_vector_write(r, k, first);
            continue;
        }
        by_lanes = true;
        need_lane(r, w->value, set);
        if (w->when != TY_NEST_ALWAYS) need_lane(r, w->when, set);
        if (w->store == TY_NEST_MADD) need_lane(r, w->second, set);
        for (int i = 0; i < w->to.nterms; i++) need_lane(r, w->to.terms[i].read, set);
    }
    if (!by_lanes) return;
    const char *end = begin_lanes(r, set, first);
    for (int k = 0; k < n->nwrites; k++)
        if (!tile_stores(n, &r->tile, &n->writes[k])) render_write(r, k);
    text_add(r->t, "%s", end);
    memcpy(r->done, done, sizeof done);
}
/* Append a nest whose lanes are terms of folds: what follows is scalar. */
static void add_along(struct render *r) {
    const ty_nest *n = r->nest;
    add_groups(r);
    for (int f = 0; f < n->nfolds; f++) render_fold_result(r, f);
    render_reads(r, false);
    render_instrs(r, n->after, n->nafter, first_after(n));
    render_writes(r);
}
void render_tile(struct render *r) {
    const ty_nest *n = r->nest;
    int column = r->tile.column, lanes = r->tile.lanes;
    bool needed[TILE_REGISTERS], wanted[TILE_REGISTERS];
    char first[32] = "0";
    if (r->tile.along) {
        add_along(r);
        return;
    }
    if (tile_is_strips(&r->tile) && n->dims[column].size % tile_extent(&r->tile, column))
        text_print(first, sizeof first, "over");
    else if (!tile_is_strips(&r->tile) && n->dims[column].size % lanes)
        text_print(first, sizeof first, "(int)(t%d * %d - s%d)", column, lanes, column);
    if (n->nfolds) r->tile.groups ? add_groups(r) : add_folds(r);
    tile_needed(n, false, needed);
    find_wanted(r, needed, false, wanted);
    memset(r->done, 0, sizeof r->done);
    for (int f = 0; f < n->nfolds && r->tile.rows == 1; f++) render_fold_result(r, f);
    add_scalars(r, needed, false);
    add_vectors(r, needed, wanted, false);
    for (int k = 0; k < n->nreads; k++)
        if (needed[k] && tile_turns(n, &r->tile, k)) render_turned(r, k);
    begin_rows(r, true);
    for (int f = 0; f < n->nfolds && r->tile.rows > 1; f++) render_fold_result(r, f);
    add_scalars(r, needed, true);
    if (r->tile.row >= 0) add_vectors(r, needed, wanted, true);
    add_writes(r, first);
    end_rows(r);
}
