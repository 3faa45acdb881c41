/*
 * Folds as text, in the order that a fold carries (tyto/engine.h).  Names: f3 is the value of the fold of register
 * 3 so far; n3 the number of terms of its block; lane3 its lanes; part3 and count3 results of blocks and their number.
 */
#include <inttypes.h>

#include "array/dtype.h"
#include "base/text.h"
#include "engine/text/render.h"

/* True if a fold has blocks, or spans, which RUN loops have not. */
static bool has_blocks(const struct render *r, const ty_nest_fold *f) {
    return fold_has_blocks(f) && outer_dims(r->nest) < r->nest->ndims;
}
static bool has_spans(const struct render *r, const ty_nest_fold *f) {
    return fold_has_spans(f) && outer_dims(r->nest) < r->nest->ndims;
}
/* Return the type of the value of a fold so far. */
static const char *state_type(const struct render *r, const ty_nest_fold *f, char room[32]) {
    return r->tile.lanes ? render_vector_type(r, -1, room) : text_type(f->dtype);
}
/* Return "[rows]" or "[a]" behind the names of such values, if there is one for each row. */
static const char *rows_of(const struct render *r, char room[16]) {
    text_print(room, 16, r->tile.rows > 1 ? "[%d]" : "", r->tile.rows);
    return room;
}
static const char *row_of(const struct render *r) { return r->tile.rows > 1 ? "[a]" : ""; }
/* Append a loop over the rows of the tile, if it has several. */
static void add_rows(struct render *r) {
    if (r->tile.rows > 1) text_add(r->t, "for (int a = 0; a < %d; a++) ", r->tile.rows);
}
static bool is_extreme(const ty_nest_fold *f) { return !nest_adds(f); }
static int register_of(const struct render *r, int fold) { return first_fold(r->nest) + fold; }

/* Append the value of an extreme of no terms. */
static void add_worst(struct render *r, const ty_nest_fold *f) {
    bool least = f->kind == TY_NEST_MAX || f->kind == TY_NEST_ARGMAX;
    int bits = 8 * (int)dtype_table[f->dtype].size;
    uint64_t top =
        f->dtype == TY_BOOL ? 1 : UINT64_MAX >> (dtype_is(f->dtype, CLASS_SIGNED) ? 65 - bits : 64 - bits);
    if (f->dtype == TY_F16 || f->dtype == TY_BF16)
        text_add(r->t, "0x%x", (f->dtype == TY_F16 ? 0x7c00u : 0x7f80u) | (least ? 0x8000u : 0));
    else if (dtype_is(f->dtype, CLASS_FLOAT))
        text_add(r->t, "%s(%s)INFINITY", least ? "-" : "", text_type(f->dtype));
    else if (dtype_is(f->dtype, CLASS_SIGNED))
        text_add(r->t, least ? "(%s)(-INT64_C(%" PRIu64 ") - 1)" : "(%s)INT64_C(%" PRIu64 ")",
                 text_type(f->dtype), top);
    else
        text_add(r->t, "(%s)UINT64_C(%" PRIu64 ")", text_type(f->dtype), least ? 0 : top);
}
/* Append the value with which a fold starts. */
static void add_start(struct render *r, const ty_nest_fold *f) {
    char type[32];
    if (is_extreme(f)) {
        if (r->tile.lanes) text_add(r->t, "SPREAD_LANES(%s, ", render_vector_type(r, -1, type));
        add_worst(r, f);
        text_add(r->t, r->tile.lanes ? ")" : "");
        return;
    }
    int one = f->kind == TY_NEST_PROD;
    if (r->tile.lanes)
        text_add(r->t, "SPREAD_LANES(%s, %d)", render_vector_type(r, -1, type), one);
    else if (f->dtype == TY_C64 || f->dtype == TY_C128)
        text_add(r->t, "PAIR_C%s(%d, 0)", f->dtype == TY_C64 ? "64" : "128", one);
    else if (dtype_is_half(f->dtype))
        text_add(r->t, "%s", one ? f->dtype == TY_F16 ? "0x3c00" : "0x3f80" : "0");
    else
        text_add(r->t, "(%s)%d", text_type(f->dtype), one);
}
/* Return the function that computes a row in a fold: of vectors, if there are tiles. */
static const char *row_of_fold(struct render *r, const ty_nest_fold *f, enum row_id row, char room[64]) {
    char type[32];
    if (!r->tile.lanes) return render_row(r, row, f->dtype, room);
    text_print(room, 64, "%s_of_%s", text_row_name(row), render_vector_type(r, -1, type));
    return room;
}
const char *fold_join_row(struct render *r, const ty_nest_fold *f, char room[64]) {
    if (is_extreme(f)) {
        char type[32];
        text_print(room, 64, "%s_of_%s", f->kind == TY_NEST_MAX ? "max" : "min",
                   render_vector_type(r, -1, type));
        return room;
    }
    return row_of_fold(r, f, f->kind == TY_NEST_PROD ? ROW_mul : ROW_add, room);
}
/* Append `to` = the fold of `from` with the present term.  Extremes of vectors begin with the worst value. */
static void add_step(struct render *r, const ty_nest_fold *f, const char *to, const char *from) {
    char room[64], value[64], second[64];
    render_operand(r, f->value, value);
    if (f->kind != TY_NEST_DOT)
        text_add(r->t, "%s = %s(%s, %s);\n", to, fold_join_row(r, f, room), from, value);
    else
        text_add(r->t, "%s = %s(%s, %s, %s);\n", to,
                 r->tile.lanes ? row_of_fold(r, f, ROW_fma, room) : render_dot(r, f->dtype, room), value,
                 render_operand(r, f->second, second), from);
}
/* Append the update of an extreme: the first NaN beats everything after it. */
static void add_extreme(struct render *r, const ty_nest_fold *f, int k) {
    char room[64], nan[64];
    bool more = f->kind == TY_NEST_MAX || f->kind == TY_NEST_ARGMAX;
    render_row(r, more ? ROW_gt : ROW_lt, f->dtype, room);
    text_add(r->t, "if (!n%d || ", k);
    if (dtype_is(f->dtype, CLASS_FLOAT | CLASS_COMPLEX))
        text_add(r->t, "(!%s(f%d) && (%s(r%d, f%d) || %s(r%d)))", render_row(r, ROW_is_nan, f->dtype, nan), k,
                 room, f->value, k, nan, f->value);
    else
        text_add(r->t, "%s(r%d, f%d)", room, f->value, k);
    text_add(r->t, ") {\nf%d = r%d;\n", k, f->value);
    if (nest_is_place(f)) text_add(r->t, "place%d = r%d;\n", k, f->second);
    text_add(r->t, "}\nn%d = 1;\n", k);
}

/* ---- blocks ---- */

/* Return the number of binary digits of the number of blocks. */
static int levels_of(const struct render *r, const ty_nest_fold *f) {
    double terms = 1, blocks = 1;
    int outer = outer_dims(r->nest), levels = 1;
    for (int d = outer; d < r->nest->ndims; d++) {
        double size = (double)r->nest->dims[d].size;
        *(f->inner && d < r->nest->ndims - f->inner ? &blocks : &terms) *= size > 0 ? size : 1;
    }
    for (blocks *= f->block ? terms / (double)f->block + 1 : 1; blocks >= 1; blocks /= 2) levels++;
    return levels;
}
static void add_halving(struct render *r, const ty_nest_fold *f, int k, bool all) {
    char room[64];
    text_add(r->t, "for (int h = %d; h > 0; h /= 2)\nfor (int i = 0; i < h; i++)\n", f->lanes / 2);
    if (!all) text_add(r->t, "if (i + h < n%d) ", k);
    text_add(r->t, "lane%d[i] = %s(lane%d[i], lane%d[i + h]);\n", k, fold_join_row(r, f, room), k, k);
}
/* Append the end of a block. */
static void add_block_end(struct render *r, const ty_nest_fold *f, int k) {
    char room[64], type[32];
    fold_join_row(r, f, room);
    text_add(r->t, "if (n%d) {\n", k);
    if (f->join == TY_NEST_HALVES) {
        add_halving(r, f, k, false);
        text_add(r->t, "%s x = %s(", state_type(r, f, type), room);
        add_start(r, f);
        text_add(r->t, ", lane%d[0]);\nint level = 0;\n", k);
        text_add(r->t, "for (u64 c = count%d++; c & 1; c >>= 1, level++) x = %s(part%d[level], x);\n", k,
                 room, k);
        text_add(r->t, "part%d[level] = x;\n", k);
    } else if (f->join == TY_NEST_CHAIN) {
        text_add(r->t,
                 "f%d = lane%d[0];\nfor (int i = 1; i < %d && i < n%d; i++) f%d = %s(f%d, lane%d[i]);\n", k,
                 k, f->lanes, k, k, room, k, k);
    } else {
        add_halving(r, f, k, true);
        text_add(r->t, "f%d = %s(f%d, lane%d[0]);\n", k, room, k, k);
    }
    text_add(r->t, "n%d = 0;\n}\n", k);
}
/* True if the lanes of a fold start with 0, and their sum is added to the result so far. */
static bool goes_on(const ty_nest_fold *f) { return f->join == TY_NEST_DOTS || f->join == TY_NEST_NEAR; }
/* Append the lane of the present term, of whose neighbours the order HALVES is to join first. */
static void add_near(struct render *r, const ty_nest_fold *f, int k) {
    int d = r->nest->ndims - 1;
    const ty_nest_dim *dim = &r->nest->dims[d];
    text_add(r->t, "at%d >= ", k);
    if (dim->begin < 0 && dim->end < 0)
        text_add(r->t, "%" PRId64, dim->size / f->lanes * f->lanes);
    else
        text_add(r->t, "(end_%d - begin_%d) / %d * %d", d, d, f->lanes, f->lanes);
    text_add(r->t, " ? 0 : (at%d & %d) | (at%d & 1) << 1 | (at%d >> 1 & 1)", k, f->lanes - 4, k, k);
}
/* Append the term of a fold with lanes. */
static void add_lane_term(struct render *r, const ty_nest_fold *f, int k) {
    char lane[64], start[64], value[64], type[32];
    text_add(r->t, "{\n");
    if (goes_on(f)) {
        text_add(r->t, "if (!n%d) {\nat%d = 0;\nfor (int i = 0; i < %d; i++) lane%d[i] = ", k, k, f->lanes,
                 k);
        add_start(r, f);
        text_add(r->t, ";\n}\nconst int l = ");
        if (f->join == TY_NEST_NEAR)
            add_near(r, f, k);
        else
            text_add(r->t, "at%d %% %d", k, f->lanes);
        text_add(r->t, ";\nat%d++;\n", k);
    } else {
        text_add(r->t, "const int l = n%d %% %d;\n", k, f->lanes);
    }
    text_print(lane, sizeof lane, "lane%d[l]", k);
    text_print(start, sizeof start, "from");
    text_add(r->t, "%s from = ", state_type(r, f, type));
    if (goes_on(f)) {
        text_add(r->t, "%s;\n", lane);
    } else {
        text_add(r->t, "n%d >= %d ? %s : ", k, f->lanes, lane);
        if (f->join == TY_NEST_CHAIN) text_add(r->t, "l == 0 ? f%d : ", k);
        add_start(r, f);
        text_add(r->t, ";\n");
    }
    if (f->join == TY_NEST_HALVES && f->kind != TY_NEST_DOT)
        text_add(r->t, "if (n%d < %d) %s = %s; else ", k, f->lanes, lane, render_operand(r, f->value, value));
    add_step(r, f, lane, start);
    text_add(r->t, "n%d++;\n", k);
    if (f->block > 0) {
        text_add(r->t, "if (n%d == %" PRId64 ") ", k, f->block);
        add_block_end(r, f, k);
    }
    text_add(r->t, "}\n");
}
/* Append the end of all blocks of a span: its result in f. */
static void add_span_end(struct render *r, const ty_nest_fold *f, int k) {
    char room[64];
    fold_join_row(r, f, room);
    if (has_blocks(r, f)) add_block_end(r, f, k);
    if (has_blocks(r, f) && f->join == TY_NEST_HALVES) {
        text_add(r->t, "{\nint level = 0, any = 0;\n");
        text_add(r->t, "for (u64 c = count%d; c; c >>= 1, level++)\nif (c & 1) {\n", k);
        text_add(r->t, "f%d = any ? %s(part%d[level], f%d) : part%d[level];\nany = 1;\n}\ncount%d = 0;\n}\n",
                 k, room, k, k, k, k);
    }
    if (f->spans) {
        const char *row = row_of(r);
        add_rows(r);
        text_add(r->t, "{\ntotal%d%s = spans%d ? %s(total%d%s, f%d%s) : f%d%s;\nf%d%s = ", k, row, k, room, k,
                 row, k, row, k, row, k, row);
        add_start(r, f);
        text_add(r->t, ";\n}\nspans%d = 1;\n", k);
    }
}

/* ---- the parts of a fold around its loops ---- */

void render_fold_begin(struct render *r, int fold) {
    const ty_nest_fold *f = &r->nest->folds[fold];
    char room[32], rows[16];
    const char *type = state_type(r, f, room), *row = row_of(r);
    int k = register_of(r, fold);
    text_add(r->t, "%s f%d%s;\n", type, k, rows_of(r, rows));
    if (has_spans(r, f)) text_add(r->t, "%s total%d%s;\nint spans%d = 0;\n", type, k, rows, k);
    add_rows(r);
    text_add(r->t, "{\nf%d%s = ", k, row);
    add_start(r, f);
    text_add(r->t, ";\n");
    if (has_spans(r, f)) text_add(r->t, "total%d%s = f%d%s;\n", k, row, k, row);
    text_add(r->t, "}\n");
    if (is_extreme(f) && !r->tile.lanes) text_add(r->t, "int n%d = 0;\n", k);
    if (nest_is_place(f)) text_add(r->t, "i64 place%d = -1;\n", k);
    if (!has_blocks(r, f)) return;
    text_add(r->t, "%s lane%d[%d];\nint n%d = 0;\n", type, k, f->lanes, k);
    if (f->join == TY_NEST_HALVES)
        text_add(r->t, "%s part%d[%d];\nu64 count%d = 0;\n", type, k, levels_of(r, f), k);
    if (goes_on(f)) text_add(r->t, "int at%d = 0;\n", k);
}
void render_fold_term(struct render *r, int fold) {
    const ty_nest_fold *f = &r->nest->folds[fold];
    int k = register_of(r, fold);
    char room[16];
    text_print(room, sizeof room, "f%d%s", k, row_of(r));
    if (f->when != TY_NEST_ALWAYS) text_add(r->t, "if (r%d) {\n", f->when);
    if (is_extreme(f) && !r->tile.lanes)
        add_extreme(r, f, k);
    else if (has_blocks(r, f))
        add_lane_term(r, f, k);
    else
        add_step(r, f, room, room);
    if (f->when != TY_NEST_ALWAYS) text_add(r->t, "}\n");
}
void render_fold_loop_end(struct render *r, int fold, int d) {
    const ty_nest_fold *f = &r->nest->folds[fold];
    int k = register_of(r, fold), outer = outer_dims(r->nest), dims = r->nest->ndims;
    bool blocks = has_blocks(r, f);
    if (blocks && f->join == TY_NEST_DOTS && d == dims - f->run) text_add(r->t, "at%d = 0;\n", k);
    if (blocks && f->inner && d == dims - f->inner && d > outer) add_block_end(r, f, k);
    if (has_spans(r, f) ? d == outer + f->spans : blocks && d == outer) add_span_end(r, f, k);
}
void render_fold_result(struct render *r, int fold) {
    const ty_nest_fold *f = &r->nest->folds[fold];
    int k = register_of(r, fold);
    char room[32];
    if (nest_is_place(f))
        text_add(r->t, "const i64 r%d = place%d;\n", k, k);
    else
        text_add(r->t, "const %s %c%d = %s%d%s;\n", state_type(r, f, room), r->tile.lanes ? 'v' : 'r', k,
                 has_spans(r, f) ? "total" : "f", k, row_of(r));
}

/* ---- groups of terms ---- */

void render_group_begin(struct render *r, int fold) {
    const ty_nest_fold *f = &r->nest->folds[fold];
    int k = register_of(r, fold), lanes = r->tile.along ? 1 : f->lanes;
    char type[32];
    text_add(r->t, "%s x%d[%d];\nfor (int l = 0; l < %d; l++) x%d[l] = ", render_vector_type(r, -1, type), k,
             lanes, lanes, k);
    if (f->kind == TY_NEST_SUM) /* which changes no term, not even -0 */
        text_add(r->t, "SPREAD_LANES(%s, -0.0f)", type);
    else
        add_start(r, f);
    text_add(r->t, ";\n");
}
void render_group_term(struct render *r, int fold) {
    char name[32];
    text_print(name, sizeof name, "x%d[l]", register_of(r, fold));
    add_step(r, &r->nest->folds[fold], name, name);
}
void render_group_end(struct render *r, int fold, const char *terms) {
    const ty_nest_fold *f = &r->nest->folds[fold];
    int k = register_of(r, fold), lanes = r->tile.lanes;
    char type[32];
    render_vector_type(r, -1, type);
    if (is_extreme(f)) {
        text_add(r->t, "{\n%s y%d[%d];\nSTORE_LANES(%s, %d, x%d[0], y%d);\n", text_type(f->dtype), k, lanes,
                 type, lanes, k, k);
        text_add(r->t, "for (int b = 0; b < %d; b++) {\nconst %s r%d = y%d[b];\n", lanes, text_type(f->dtype),
                 f->value, k);
        add_extreme(r, f, k);
        text_add(r->t, "}\n}\n");
    } else {
        if (r->tile.along)
            text_add(r->t, "STORE_LANES(%s, %d, x%d[0], lane%d);\n", type, lanes, k, k);
        else
            text_add(r->t, "for (int l = 0; l < %d; l++) lane%d[l] = x%d[l];\n", f->lanes, k, k);
        text_add(r->t, "n%d = (int)(%s);\n", k, terms);
    }
}
void render_block_end(struct render *r, int fold) {
    const ty_nest_fold *f = &r->nest->folds[fold];
    if (!is_extreme(f)) add_block_end(r, f, register_of(r, fold));
}
