/* Loops, reads, operators, writes and checks of a nest as text. */
#include <inttypes.h>
#include <string.h>

#include "array/dtype.h"
#include "base/text.h"
#include "engine/text/render.h"

/* ---- operators ---- */

const char *render_row(struct render *r, enum row_id row, ty_dtype dtype, char room[64]) {
    r->uses->row[row][dtype] = true;
    text_print(room, 64, "row_%s_%s", text_row_name(row), text_type(dtype));
    return room;
}

const char *render_dot(struct render *r, ty_dtype dtype, char room[64]) {
    render_row(r, ROW_fma, dtype, room);
    if (dtype_is(dtype, CLASS_COMPLEX)) text_print(room, 64, "dot_%s", text_type(dtype));
    return room;
}
bool render_is_random(const ty_nest_instr *in) {
    return !strcmp(in->name, "random_bits") || !strcmp(in->name, "random_normal");
}
void render_instrs(struct render *r, const ty_nest_instr *instrs, int count, int first) {
    for (int k = 0; k < count; k++) {
        const ty_nest_instr *in = &instrs[k];
        char room[64];
        text_add(r->t, "const %s r%d = ", text_type(in->out), first + k);
        if (render_is_random(in)) {
            r->uses->random = true;
            text_add(r->t, "%s_%s(", in->name, text_type(in->out));
        } else if (!strcmp(in->name, "cast")) {
            r->uses->cast[in->in][in->out] = true;
            text_add(r->t, "cast_%s_%s(", text_type(in->in), text_type(in->out));
        } else if (!strcmp(in->name, "view_as")) {
            r->uses->view[in->in][in->out] = true;
            text_add(r->t, "view_%s_%s(", text_type(in->in), text_type(in->out));
        } else {
            text_add(r->t, "%s(", render_row(r, text_row(in->name), in->in, room));
        }
        for (int i = 0; i < in->n; i++) text_add(r->t, "%sr%d", i ? ", " : "", in->from[i]);
        text_add(r->t, ");\n");
    }
}

/* ---- addresses ---- */

/* Append offset + sum of strides times indices. */
static void add_offset(struct render *r, const ty_nest_access *a) {
    text_add(r->t, "%" PRId64, a->offset);
    for (int d = 0; d < r->nest->ndims; d++) {
        if (!a->strides[d]) continue;
        text_add(r->t, a->strides[d] < 0 ? " - " : " + ");
        uint64_t stride = a->strides[d] < 0 ? 0 - (uint64_t)a->strides[d] : (uint64_t)a->strides[d];
        if (stride != 1) text_add(r->t, "%" PRIu64 " * ", stride);
        text_add(r->t, "i%d", d);
    }
}
/* Append declarations of at_<which>, the offset of an access with terms, unless it is a constant, and in_<which>, true
   if it is inside. */
static void add_terms(struct render *r, const ty_nest_access *a, const char *which) {
    bool moves = a->slot != TY_NEST_CONSTANT;
    if (moves) {
        text_add(r->t, "%s at_%s = ", r->index, which);
        add_offset(r, a);
        text_add(r->t, ";\n");
    }
    if (a->nterms) text_add(r->t, "int in_%s = 1;\n", which);
    for (int k = 0; k < a->nterms; k++) {
        const ty_nest_term *term = &a->terms[k];
        char v[24] = "v";
        if (term->wrap)
            text_add(r->t, "{\ni64 v = (i64)r%d;\nv += v < 0 ? INT64_C(%" PRId64 ") : 0;\n", term->read,
                     term->bound);
        else
            text_print(v, sizeof v, "(i64)r%d", term->read);
        text_add(r->t, "in_%s = in_%s && %s >= 0 && %s < INT64_C(%" PRId64 ")", which, which, v, v,
                 term->bound);
        if (term->exact && term->divide > 1)
            text_add(r->t, " && %s %% INT64_C(%" PRId64 ") == 0", v, term->divide);
        text_add(r->t, ";\n");
        if (term->stride && moves) {
            text_add(r->t, "if (in_%s) at_%s += (%s)(%s", which, which, r->index, v);
            if (term->divide > 1) text_add(r->t, " / INT64_C(%" PRId64 ")", term->divide);
            if (term->modulo) text_add(r->t, " %% INT64_C(%" PRId64 ")", term->modulo);
            text_add(r->t, ") * %s%" PRId64 ";\n", term->stride < 0 ? " " : "", term->stride);
        }
        if (term->wrap) text_add(r->t, "}\n");
    }
}

/* ---- reads ---- */

/* Append an element whose bytes are in `bits`: an exact constant of its type. */
static void add_constant(struct render *r, ty_dtype dtype, const uint64_t bits[2]) {
    float single;
    double wide;
    memcpy(&single, bits, sizeof single);
    memcpy(&wide, bits, sizeof wide);
    if (dtype == TY_F32 && single - single == 0)
        text_add(r->t, "%af", (double)single);
    else if (dtype == TY_F32)
        text_add(r->t, "f32_of_bits(0x%" PRIx32 "u)", (uint32_t)(bits[0] & UINT32_MAX));
    else if (dtype == TY_F64 && wide - wide == 0)
        text_add(r->t, "%a", wide);
    else if (dtype == TY_F64)
        text_add(r->t, "f64_of_bits(UINT64_C(0x%" PRIx64 "))", bits[0]);
    else if (dtype == TY_C64)
        text_add(r->t, "PAIR_C64(f32_of_bits(0x%" PRIx32 "u), f32_of_bits(0x%" PRIx32 "u))",
                 (uint32_t)(bits[0] & UINT32_MAX), (uint32_t)(bits[0] >> 32));
    else if (dtype == TY_C128)
        text_add(r->t,
                 "PAIR_C128(f64_of_bits(UINT64_C(0x%" PRIx64 ")), f64_of_bits(UINT64_C(0x%" PRIx64 ")))",
                 bits[0], bits[1]);
    else
        text_add(r->t, "(%s)UINT64_C(0x%" PRIx64 ")", text_type(dtype), bits[0]);
}

static void add_value(struct render *r, const ty_nest_access *a, const char *at) {
    if (a->slot == TY_NEST_CONSTANT && a->varies) {
        text_add(r->t, "c%d", (int)(a - r->nest->reads));
    } else if (a->slot == TY_NEST_CONSTANT) {
        add_constant(r, a->dtype, a->constant);
    } else if (a->slot == TY_NEST_INDEX) {
        text_add(r->t, "(i64)(");
        at ? text_add(r->t, "%s", at) : add_offset(r, a);
        text_add(r->t, ")");
    } else {
        text_add(r->t, "p%d_%s[", a->slot, text_type(a->dtype));
        at ? text_add(r->t, "%s", at) : add_offset(r, a);
        text_add(r->t, "]");
    }
}
static void add_read(struct render *r, int k) {
    const ty_nest_access *a = &r->nest->reads[k];
    const char *type = text_type(a->dtype);
    char which[16], at[24];
    if (!a->nterms) {
        text_add(r->t, "const %s r%d = ", type, k);
        add_value(r, a, NULL);
        text_add(r->t, ";\n");
        return;
    }
    text_print(which, sizeof which, "%d", k);
    text_print(at, sizeof at, "at_%d", k);
    add_terms(r, a, which);
    const uint64_t none[2] = {0, 0};
    text_add(r->t, "%s r%d = ", type, k);
    add_constant(r, a->dtype, none);
    text_add(r->t, ";\nif (in_%d) r%d = ", k, k);
    add_value(r, a, at);
    text_add(r->t, ";\n");
}
/* True if read k changes from one iteration of the FOLD dims to the next. */
static bool is_inside(const ty_nest *n, int k) {
    for (int d = outer_dims(n); d < n->ndims; d++)
        if (n->reads[k].strides[d]) return true;
    for (int i = 0; i < n->reads[k].nterms; i++)
        if (is_inside(n, n->reads[k].terms[i].read)) return true;
    return false;
}
void render_read(struct render *r, int k) {
    if (r->done[k]) return;
    r->done[k] = true;
    for (int i = 0; i < r->nest->reads[k].nterms; i++) render_read(r, r->nest->reads[k].terms[i].read);
    add_read(r, k);
}
void render_reads(struct render *r, bool inside) {
    for (int k = 0; k < r->nest->nreads; k++)
        if (is_inside(r->nest, k) == inside) render_read(r, k);
}

/* ---- vectors ---- */

const char *render_vector_type(const struct render *r, int reg, char room[32]) {
    bool truth = reg >= 0 && register_dtype(r->nest, reg) == TY_BOOL;
    text_print(room, 32, "%s%sx%d", truth ? "mask_" : "", text_type(r->tile.dtype), r->tile.lanes);
    return room;
}
const char *render_lane_type(const struct render *r, int reg) {
    ty_dtype dtype = r->tile.dtype;
    return text_type(register_dtype(r->nest, reg) != TY_BOOL ? dtype : dtype == TY_F32 ? TY_I32 : TY_I64);
}
void render_vector(struct render *r, int k) {
    const ty_nest_access *a = &r->nest->reads[k];
    char which[16], type[32];
    render_vector_type(r, k, type);
    for (int i = 0; i < a->nterms; i++) render_read(r, a->terms[i].read);
    text_print(which, sizeof which, "%d", k);
    add_terms(r, a, which);
    if (a->nterms)
        text_add(r->t, "%s v%d = SPREAD_LANES(%s, 0);\nif (in_%d) v%d", type, k, type, k, k);
    else
        text_add(r->t, "%s v%d", type, k);
    text_add(r->t, " = READ_LANES(%s, p%d_%s + at_%d);\n", type, a->slot, text_type(a->dtype), k);
}
void render_turned(struct render *r, int k) {
    const ty_nest_access *a = &r->nest->reads[k];
    int lanes = r->tile.lanes, column = r->tile.column;
    char type[32];
    render_vector_type(r, k, type);
    text_add(r->t, "%s q%d[%d];\nUNROLLED for (int b = 0; b < %d; b++) {\nconst %s i%d = s%d + b;\n", type, k,
             lanes, lanes, r->index, column, column);
    text_add(r->t, "q%d[b] = READ_LANES(%s, p%d_%s + ", k, type, a->slot, text_type(a->dtype));
    add_offset(r, a);
    text_add(r->t, ");\n}\ntranspose_%s(q%d);\n", type, k);
}
const char *render_operand(const struct render *r, int reg, char room[64]) {
    char type[32];
    bool truth = register_dtype(r->nest, reg) == TY_BOOL;
    if (!r->tile.lanes)
        text_print(room, 64, "r%d", reg);
    else if (r->tile.form[reg] != TILE_SCALAR)
        text_print(room, 64, "v%d", reg);
    else
        text_print(room, 64, "SPREAD_LANES(%s, %sr%d)", render_vector_type(r, reg, type), truth ? "-" : "",
                   reg);
    return room;
}
void render_vector_instr(struct render *r, int reg) {
    const ty_nest_instr *in = instr_of(r->nest, reg);
    enum row_id row = text_row(in->name);
    char type[32], room[64];
    r->uses->vectors[row][in->in] |= (uint8_t)r->tile.lanes;
    r->uses->row[row][in->in] = true; /* rare lanes, and dialects without operators on vectors */
    text_add(r->t, "const %s v%d = row_%s_%sx%d(", render_vector_type(r, reg, type), reg, in->name,
             text_type(in->in), r->tile.lanes);
    for (int i = 0; i < in->n; i++)
        text_add(r->t, "%s%s", i ? ", " : "", render_operand(r, in->from[i], room));
    text_add(r->t, ");\n");
}
/* Append the beginning of write k, whose offset is at_w<k>, up to its condition, and return the text of its end. */
static const char *begin_write(struct render *r, int k) {
    const ty_nest_write *w = &r->nest->writes[k];
    char which[16];
    text_print(which, sizeof which, "w%d", k);
    add_terms(r, &w->to, which);
    bool inside = w->to.nterms > 0, when = w->when != TY_NEST_ALWAYS;
    if (inside || when) text_add(r->t, "if (");
    if (inside) text_add(r->t, "in_w%d%s", k, when ? " && " : "");
    if (when) text_add(r->t, "r%d", w->when);
    if (inside || when) text_add(r->t, ") {\n");
    return inside || when ? "}\n" : "";
}
/* Append the condition for storing vectors of a write past the caches: the nest reads and writes BYTES, the vectors are
   whole lines, and the nest does not read their memory.  BYTES: half a last cache (transposes of 2000 x 2000 took 1.0
   ms of processor time instead of 3.6). */
static void add_bypass(struct render *r, const ty_nest_write *w) {
    enum { BYTES = 1 << 24, LINE = 64 };
    const ty_nest *n = r->nest;
    bool flat = nest_is_flat(n), read = r->tile.lanes * dtype_table[w->to.dtype].size != LINE;
    double bytes = 0;
    for (int k = 0; k < n->nreads + n->nwrites; k++) {
        const ty_nest_access *a = k < n->nreads ? &n->reads[k] : &n->writes[k - n->nreads].to;
        double size = (double)dtype_table[a->dtype].size;
        read = read || (k < n->nreads && a->slot == w->to.slot);
        for (int d = 0; d < n->ndims; d++)
            if (a->strides[d] && !flat) size *= (double)n->dims[d].size;
        if (a->slot >= 0) bytes += size;
    }
    if (flat && !read)
        text_add(r->t, "n0 >= %.0f", BYTES / bytes);
    else
        text_add(r->t, "%d", !read && bytes >= BYTES);
}
void render_vector_write(struct render *r, int k, const char *first) {
    const ty_nest_write *w = &r->nest->writes[k];
    char type[32], room[64];
    const char *end = begin_write(r, k);
    text_add(r->t, "WRITE_LANES(%s, %s, p%d_%s + at_w%d, %s, ", render_vector_type(r, w->value, type),
             render_operand(r, w->value, room), w->to.slot, text_type(w->to.dtype), k, first);
    add_bypass(r, w);
    text_add(r->t, ");\n%s", end);
}

/* ---- loops ---- */

void render_loop(struct render *r, int d) {
    const ty_nest_dim *dim = &r->nest->dims[d];
    if (dim->begin < 0 && dim->end < 0) {
        text_add(r->t, "for (%s i%d = 0; i%d < %" PRId64 "; i%d++) {\n", r->index, d, d, dim->size, d);
        return;
    }
    const char *bound[2] = {"begin", "end"};
    const int read[2] = {dim->begin, dim->end};
    for (int k = 0; k < 2; k++)
        if (read[k] >= 0) render_read(r, read[k]);
    for (int k = 0; k < 2; k++) {
        if (read[k] < 0)
            text_add(r->t, "const %s %s_%d = %" PRId64 ";\n", r->index, bound[k], d, k ? dim->size : 0);
        else
            text_add(r->t, "const %s %s_%d = (%s)CLAMP((i64)r%d, INT64_C(%" PRId64 "));\n", r->index,
                     bound[k], d, r->index, read[k], dim->size);
    }
    text_add(r->t, "for (%s i%d = begin_%d; i%d < end_%d; i%d++) {\n", r->index, d, d, d, d, d);
}

/* ---- writes and checks ---- */

static void add_store(struct render *r, const ty_nest_write *w, const char *at) {
    static const enum row_id joins[] = {[TY_NEST_ADD] = ROW_add,
                                        [TY_NEST_MUL] = ROW_mul,
                                        [TY_NEST_LEAST] = ROW_lt,
                                        [TY_NEST_GREATEST] = ROW_gt};
    const char *type = text_type(w->to.dtype);
    char room[64], nan[64], cell[64];
    text_print(cell, sizeof cell, "p%d_%s[", w->to.slot, type);
    if (w->store == TY_NEST_LEAST || w->store == TY_NEST_GREATEST) {
        text_add(r->t, "if (!%s(%s%s]) && (%s(r%d, %s%s]) || ", render_row(r, ROW_is_nan, w->to.dtype, nan),
                 cell, at, render_row(r, joins[w->store], w->to.dtype, room), w->value, cell, at);
        text_add(r->t, "%s(r%d)))\n", nan, w->value);
    }
    text_add(r->t, "%s%s] = ", cell, at);
    if (w->store == TY_NEST_MADD)
        text_add(r->t, "%s(r%d, r%d, %s%s]);\n", render_dot(r, w->to.dtype, room), w->value, w->second, cell,
                 at);
    else if (w->store == TY_NEST_ADD || w->store == TY_NEST_MUL)
        text_add(r->t, "%s(%s%s], r%d);\n", render_row(r, joins[w->store], w->to.dtype, room), cell, at,
                 w->value);
    else
        text_add(r->t, "r%d;\n", w->value);
}
void render_write(struct render *r, int k) {
    char at[24];
    text_print(at, sizeof at, "at_w%d", k);
    const char *end = begin_write(r, k);
    add_store(r, &r->nest->writes[k], at);
    text_add(r->t, "%s", end);
}
void render_writes(struct render *r) {
    for (int k = 0; k < r->nest->nwrites; k++) render_write(r, k);
}

void render_checks(struct render *r) {
    for (int k = 0; k < r->nest->nchecks; k++) {
        const ty_nest_check *c = &r->nest->checks[k];
        text_add(r->t, "if (");
        if (c->when != TY_NEST_ALWAYS) text_add(r->t, "r%d && ", c->when);
        text_add(r->t, "((i64)r%d < INT64_C(%" PRId64 ") || (i64)r%d >= INT64_C(%" PRId64 ")", c->value,
                 c->low, c->value, c->high);
        if (register_dtype(r->nest, c->value) == TY_U64) text_add(r->t, " || (r%d >> 63) != 0", c->value);
        text_add(r->t, "))\n");
        text_add(r->t, "refuse(cell, call, (u32)r%d * %du + %du, (i64)r%d);\n", c->position, r->nest->nchecks,
                 k, c->value);
    }
}
