/* Folds of the interpreter of nests, in the orders that nest.h defines. */
#include "tests/support/nest_folds.h"
#include <math.h>
#include <string.h>
#include "engine/cpu/cpu.h"
#include "engine/nest/folds.h"
#include "ops/core/row_op.h"

static size_t size_of(ty_dtype dtype) { return dtype_table[dtype].size; }
static struct element load(ty_dtype dtype, value v) { return element_load(dtype, v.bytes); }

value nest_apply(const struct op *op, ty_dtype in, ty_dtype out, const value *a, const value *b,
                 const value *c) {
    value v = {{0}};
    cpu_loop_find(op, in, out)(1, v.bytes, a->bytes, b->bytes, c->bytes);
    return v;
}

/* ---- folds ---- */

/* Return true if x replaces `best` as maximum (sign 1) or minimum (sign -1). */
static bool beats(ty_dtype dtype, int sign, value x, value best) {
    struct element a = load(dtype, x), b = load(dtype, best);
    if (dtype_is(dtype, CLASS_UNSIGNED | CLASS_BOOL))
        return sign > 0 ? (uint64_t)a.i > (uint64_t)b.i : (uint64_t)a.i < (uint64_t)b.i;
    if (dtype_is(dtype, CLASS_SIGNED)) return sign > 0 ? a.i > b.i : a.i < b.i;
    long double p = creall(a.z), q = creall(b.z);
    return !isnan(q) && (isnan(p) || (sign > 0 ? p > q : p < q));
}

/* a * b + c in two steps: by the real part of a, then by its imaginary part. */
static value complex_madd(ty_dtype dtype, const value *a, const value *b, const value *c) {
    double wide[3][2];
    float narrow[3][2];
    const value *from[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        memcpy(wide[i], from[i]->bytes, sizeof wide[i]);
        memcpy(narrow[i], from[i]->bytes, sizeof narrow[i]);
    }
    for (int step = 0; step < 2; step++)
        for (int part = 0; part < 2; part++) {
            double sign = step && !part ? -1 : 1;
            wide[2][part] = fma(wide[0][step], sign * wide[1][step != part], wide[2][part]);
            narrow[2][part] = fmaf(narrow[0][step], (float)sign * narrow[1][step != part], narrow[2][part]);
        }
    value v = {{0}};
    memcpy(v.bytes, dtype == TY_C128 ? (void *)wide[2] : (void *)narrow[2], size_of(dtype));
    return v;
}

value nest_multiply_add(ty_dtype dtype, const value *a, const value *b, const value *c) {
    double x[3];
    float y[3];
    value v = {{0}};
    const value *from[3] = {a, b, c};
    for (int i = 0; i < 3; i++) memcpy(&x[i], from[i]->bytes, 8), memcpy(&y[i], from[i]->bytes, 4);
    x[0] = fma(x[0], x[1], x[2]);
    y[0] = fmaf(y[0], y[1], y[2]);
    if (dtype == TY_F64 || dtype == TY_F32) {
        memcpy(v.bytes, dtype == TY_F64 ? (void *)&x[0] : (void *)&y[0], size_of(dtype));
        return v;
    }
    if (dtype_is(dtype, CLASS_COMPLEX)) return complex_madd(dtype, a, b, c);
    v = nest_apply(ROW_OP(mul), dtype, dtype, a, b, a);
    return nest_apply(ROW_OP(add), dtype, dtype, &v, c, c);
}

static int sign_of(int kind) { return kind == TY_NEST_MAX || kind == TY_NEST_ARGMAX ? 1 : -1; }

/* Return a joined with the later b; of sums, a + b. */
value nest_join(const ty_nest_fold *f, value a, value b) {
    if (f->kind == TY_NEST_SUM || f->kind == TY_NEST_DOT)
        return nest_apply(ROW_OP(add), f->dtype, f->dtype, &a, &b, &b);
    if (f->kind == TY_NEST_PROD) return nest_apply(ROW_OP(mul), f->dtype, f->dtype, &a, &b, &b);
    return beats(f->dtype, sign_of(f->kind), b, a) ? b : a;
}

static value number(ty_dtype dtype, double x) {
    value v = {{0}};
    bool integer = dtype_is(dtype, CLASS_INTEGER | CLASS_BOOL);
    element_store(dtype, v.bytes, integer ? TY_I64 : TY_F64, (struct element){.i = (int64_t)x, .z = x});
    return v;
}

/* Return the value of a fold without terms. */
static value start_of(const ty_nest_fold *f) {
    bool most = f->kind == TY_NEST_MIN, integer = dtype_is(f->dtype, CLASS_INTEGER | CLASS_BOOL);
    int bits = 8 * (int)size_of(f->dtype);
    int64_t top = dtype_is(f->dtype, CLASS_SIGNED) ? (int64_t)(UINT64_MAX >> (65 - bits)) : -1;
    if (nest_is_place(f)) return number(TY_I64, -1);
    if (f->kind != TY_NEST_MAX && f->kind != TY_NEST_MIN) return number(f->dtype, f->kind == TY_NEST_PROD);
    if (!integer) return number(f->dtype, most ? INFINITY : -INFINITY);
    if (f->dtype == TY_BOOL) return number(TY_BOOL, most);
    value v = {{0}};
    int64_t least = dtype_is(f->dtype, CLASS_SIGNED) ? -top - 1 : 0;
    element_store(f->dtype, v.bytes, TY_I64, (struct element){.i = most ? top : least});
    return v;
}

static void join_lanes(const ty_nest_fold *f, struct folding *s) {
    int filled = s->terms < f->lanes ? (int)s->terms : f->lanes;
    for (int half = f->lanes / 2; half > 0; half /= 2, filled = filled < half * 2 ? filled : half * 2)
        for (int i = 0; i < half; i++)
            if (i + half < filled) s->lane[i] = nest_join(f, s->lane[i], s->lane[i + half]);
}

/* End a block, if it has terms. */
static void end_block(const ty_nest_fold *f, struct folding *s) {
    if (s->terms == 0 || nest_is_place(f)) return;
    if (f->join == TY_NEST_CHAIN) {
        for (int i = 1; i < f->lanes; i++) s->lane[0] = nest_join(f, s->lane[0], s->lane[i]);
        s->result = s->lane[0];
    } else {
        if (f->join != TY_NEST_HALVES) s->terms = f->lanes;
        join_lanes(f, s);
        if (f->join != TY_NEST_HALVES) s->result = nest_join(f, s->result, s->lane[0]);
    }
    s->terms = s->steps = 0;
    if (f->join != TY_NEST_HALVES) return;
    value sums = nest_join(f, s->lane[0], start_of(f));
    int level = 0;
    for (int64_t count = s->blocks++; count & 1; count >>= 1) sums = nest_join(f, s->level[level++], sums);
    s->level[level] = sums;
}

/* Finish the sum over a span or over all terms: into s->result. */
static void end_sum(const ty_nest_fold *f, struct folding *s) {
    end_block(f, s);
    if (f->join != TY_NEST_HALVES || nest_is_place(f)) return;
    value sums = start_of(f);
    bool some = false;
    int level = 0;
    for (int64_t count = s->blocks; count; count >>= 1, level++) {
        if (!(count & 1)) continue;
        sums = some ? nest_join(f, s->level[level], sums) : s->level[level];
        some = true;
    }
    s->result = sums;
    s->blocks = 0;
}

void nest_fold_end_span(const ty_nest_fold *f, struct folding *s) {
    end_sum(f, s);
    s->total = s->spanned ? nest_join(f, s->total, s->result) : s->result;
    s->spanned = true;
    s->result = start_of(f);
}

/* Return the lane of term n: of neighbours as those that HALVES joins first. */
static int lane_of(const ty_nest_fold *f, const struct folding *s, int64_t n) {
    int at = (int)(n % f->lanes);
    if (f->join != TY_NEST_NEAR) return at;
    return n < s->whole ? (at & 4) | (at & 1) << 1 | (at >> 1 & 1) : 0;
}
void nest_fold_term(const ty_nest_fold *f, struct folding *s, const value *registers) {
    const value *v = &registers[f->value];
    if (f->when != TY_NEST_ALWAYS && !registers[f->when].bytes[0]) return;
    if (nest_is_place(f)) {
        if (s->some && !beats(f->dtype, sign_of(f->kind), *v, s->all)) return;
        s->all = *v;
        s->result = registers[f->second];
        s->some = true;
        return;
    }
    if (s->terms == 0 && f->join != TY_NEST_HALVES)
        for (int i = 0; i < f->lanes; i++)
            s->lane[i] = i == 0 && f->join == TY_NEST_CHAIN ? s->result : number(f->dtype, 0);
    int at = lane_of(f, s, s->steps++);
    bool fresh = f->join == TY_NEST_HALVES && s->terms < f->lanes;
    if (f->kind == TY_NEST_DOT)
        s->lane[at] =
            nest_multiply_add(f->dtype, v, &registers[f->second], fresh ? &(value){{0}} : &s->lane[at]);
    else
        s->lane[at] = fresh ? *v : nest_join(f, s->lane[at], *v);
    if (++s->terms == f->block) end_block(f, s);
}

void nest_fold_start(const ty_nest_fold *f, struct folding *s) {
    *s = (struct folding){.result = start_of(f), .all = start_of(f)};
}

void nest_fold_end_dims(const ty_nest_fold *f, struct folding *s, int dims) {
    if (f->run && dims == f->run) s->steps = 0;
    if (f->inner && dims == f->inner) end_block(f, s);
}

value nest_fold_result(const ty_nest_fold *f, struct folding *s) {
    if (s->run || nest_is_place(f)) return s->result;
    if (f->spans) return s->spanned ? s->total : start_of(f);
    end_sum(f, s);
    return s->result;
}

/* One step of a RUN: the total of earlier parts is in s->before, of earlier groups in s->all. */
void nest_fold_step(const ty_nest_fold *f, struct folding *s, const value *registers) {
    value v = registers[f->value], kept = s->run ? s->second : start_of(f);
    s->run = true;
    if (nest_is_place(f)) {
        nest_fold_term(f, s, registers);
    } else if (f->kind == TY_NEST_LINEAR) {
        value product = nest_apply(ROW_OP(mul), f->dtype, f->dtype, &v, &s->all, &v);
        s->all = dtype_is(f->dtype, CLASS_COMPLEX)
                     ? nest_apply(ROW_OP(add), f->dtype, f->dtype, &product, &registers[f->second], &v)
                     : nest_multiply_add(f->dtype, &v, &s->all, &registers[f->second]);
        s->result = s->all;
    } else {
        if (f->block && s->terms == f->block) {
            s->before = s->parted ? nest_join(f, s->before, s->total) : s->total;
            s->parted = true;
            s->some = false;
            s->terms = 0;
        }
        int k = (int)(s->terms++ % f->lanes);
        for (int l = 0; 1 << l < f->lanes; l++)
            if (k >> l & 1)
                v = nest_join(f, s->level[l], v);
            else
                s->level[l] = v;
        if (!s->some && f->kind == TY_NEST_PROD) s->all = start_of(f);
        s->total = s->some || f->kind == TY_NEST_PROD ? nest_join(f, s->all, v) : v;
        s->result = s->parted ? nest_join(f, s->before, s->total) : s->total;
        if (k == f->lanes - 1) {
            s->all = s->total;
            s->some = true;
        }
    }
    s->second = s->result;
    if (f->exclusive) s->result = kept;
}
