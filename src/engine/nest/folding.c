/* Folds of one iteration after another, in the orders that <tyto/engine.h> states, for interpreters of nests. */
#include <math.h>
#include <string.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "engine/cpu/cpu.h"
#include "engine/nest/folds.h"
#include "engine/nest/lower.h"
#include "ops/core/row_op.h"

/* LEVELS: of the tree of blocks, one for each bit of their number. NEAR_LANES: most lanes of neighbours. */
enum { LEVELS = 64, NEAR_LANES = 8 };

/* FOLD dims: sums of lanes, of blocks (level), of the present span, of all.  RUN: levels of the tree in a group; `all`:
   of earlier groups; `before`: of earlier parts; `second`: the last value. */
struct ty_folding {
    const ty_nest_fold *fold;
    int loops; /* FOLD dims of the nest; -1: it has a RUN */
    ty_nest_value lane[NEST_LANES], level[LEVELS], all, total, before, result, second;
    ty_nest_value kept[NEAR_LANES],
        group[NEAR_LANES][2]; /* NEAR: lanes before the present group, and its operands */
    int64_t terms, blocks, steps;
    bool some, spanned, parted, run;
};

static size_t size_of(ty_dtype dtype) { return dtype_table[dtype].size; }
static struct element load(ty_dtype dtype, ty_nest_value v) { return element_load(dtype, v.words); }

static ty_nest_value compute(const struct op *op, ty_dtype dtype, const ty_nest_value *a,
                             const ty_nest_value *b) {
    ty_nest_value v = {{0}};
    cpu_loop_find(op, dtype, dtype)(1, v.words, a->words, b->words, b->words);
    return v;
}

/* ---- joining ---- */
/* Return true if x replaces `best` as maximum (sign 1) or minimum (sign -1). */
static bool beats(ty_dtype dtype, int sign, ty_nest_value x, ty_nest_value best) {
    struct element a = load(dtype, x), b = load(dtype, best);
    if (dtype_is(dtype, CLASS_UNSIGNED | CLASS_BOOL))
        return sign > 0 ? (uint64_t)a.i > (uint64_t)b.i : (uint64_t)a.i < (uint64_t)b.i;
    if (dtype_is(dtype, CLASS_SIGNED)) return sign > 0 ? a.i > b.i : a.i < b.i;
    long double p = creall(a.z), q = creall(b.z);
    return !isnan(q) && (isnan(p) || (sign > 0 ? p > q : p < q));
}

/* a * b + c in two steps: by the real part of a, then by its imaginary part. */
static ty_nest_value complex_madd(ty_dtype dtype, const ty_nest_value *a, const ty_nest_value *b,
                                  const ty_nest_value *c) {
    double wide[3][2];
    float narrow[3][2];
    const ty_nest_value *from[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        memcpy(wide[i], from[i]->words, sizeof wide[i]);
        memcpy(narrow[i], from[i]->words, sizeof narrow[i]);
    }
    for (int step = 0; step < 2; step++)
        for (int part = 0; part < 2; part++) {
            double sign = step && !part ? -1 : 1;
            wide[2][part] = fma(wide[0][step], sign * wide[1][step != part], wide[2][part]);
            narrow[2][part] = fmaf(narrow[0][step], (float)sign * narrow[1][step != part], narrow[2][part]);
        }
    ty_nest_value v = {{0}};
    memcpy(v.words, dtype == TY_C128 ? (void *)wide[2] : (void *)narrow[2], size_of(dtype));
    return v;
}

/* Return a * b + c; reals are rounded once. */
static ty_nest_value multiply_add(ty_dtype dtype, const ty_nest_value *a, const ty_nest_value *b,
                                  const ty_nest_value *c) {
    ty_nest_value v = {{0}};
    const ty_nest_value *from[3] = {a, b, c};
    if (dtype == TY_F32) {
        float x[3];
        for (int i = 0; i < 3; i++) memcpy(&x[i], from[i]->words, sizeof x[i]);
        x[0] = fmaf(x[0], x[1], x[2]);
        memcpy(v.words, x, sizeof x[0]);
        return v;
    }
    if (dtype == TY_F64) {
        double x[3];
        for (int i = 0; i < 3; i++) memcpy(&x[i], from[i]->words, sizeof x[i]);
        x[0] = fma(x[0], x[1], x[2]);
        memcpy(v.words, x, sizeof x[0]);
        return v;
    }
    if (dtype_is(dtype, CLASS_COMPLEX)) return complex_madd(dtype, a, b, c);
    v = compute(ROW_OP(mul), dtype, a, b);
    return compute(ROW_OP(add), dtype, &v, c);
}

static int sign_of(int kind) { return kind == TY_NEST_MAX || kind == TY_NEST_ARGMAX ? 1 : -1; }

/* Return a joined with the later b; of sums, a + b. */
static ty_nest_value join(int kind, ty_dtype dtype, ty_nest_value a, ty_nest_value b) {
    if (kind == TY_NEST_SUM || kind == TY_NEST_DOT) return compute(ROW_OP(add), dtype, &a, &b);
    if (kind == TY_NEST_PROD) return compute(ROW_OP(mul), dtype, &a, &b);
    return beats(dtype, sign_of(kind), b, a) ? b : a;
}

/* ---- folds ---- */

static ty_nest_value number(ty_dtype dtype, double x) {
    ty_nest_value v = {{0}};
    bool integer = dtype_is(dtype, CLASS_INTEGER | CLASS_BOOL);
    element_store(dtype, v.words, integer ? TY_I64 : TY_F64, (struct element){.i = (int64_t)x, .z = x});
    return v;
}

/* Return the value of a fold without terms. */
static ty_nest_value start_of(const ty_nest_fold *f) {
    bool most = f->kind == TY_NEST_MIN, integer = dtype_is(f->dtype, CLASS_INTEGER | CLASS_BOOL);
    int bits = 8 * (int)size_of(f->dtype);
    int64_t top = dtype_is(f->dtype, CLASS_SIGNED) ? (int64_t)(UINT64_MAX >> (65 - bits)) : -1;
    if (nest_is_place(f)) return number(TY_I64, -1);
    if (f->kind != TY_NEST_MAX && f->kind != TY_NEST_MIN) return number(f->dtype, f->kind == TY_NEST_PROD);
    if (!integer) return number(f->dtype, most ? INFINITY : -INFINITY);
    if (f->dtype == TY_BOOL) return number(TY_BOOL, most);
    ty_nest_value v = {{0}};
    int64_t least = dtype_is(f->dtype, CLASS_SIGNED) ? -top - 1 : 0;
    element_store(f->dtype, v.words, TY_I64, (struct element){.i = most ? top : least});
    return v;
}

static void join_lanes(const ty_nest_fold *f, ty_folding *s) {
    int filled = s->terms < f->lanes ? (int)s->terms : f->lanes;
    for (int half = f->lanes / 2; half > 0; half /= 2, filled = filled < half * 2 ? filled : half * 2)
        for (int i = 0; i < half; i++)
            if (i + half < filled) s->lane[i] = join(f->kind, f->dtype, s->lane[i], s->lane[i + half]);
}

/* Return the second register of a sum; its only one if that is the value. */
static int second_of(const ty_nest_fold *f) { return f->kind == TY_NEST_DOT ? f->second : f->value; }
/* Fold values a and b, which a sum ignores, into lane `at`. */
static void add_to(const ty_nest_fold *f, ty_folding *s, int at, const ty_nest_value *a,
                   const ty_nest_value *b) {
    s->lane[at] = f->kind == TY_NEST_DOT ? multiply_add(f->dtype, a, b, &s->lane[at])
                                         : join(f->kind, f->dtype, s->lane[at], *a);
}
/* Fold the terms behind the last whole group of lanes into lane 0. */
static void end_group(const ty_nest_fold *f, ty_folding *s) {
    int rest = (int)(s->steps % f->lanes);
    if (!rest) return;
    memcpy(s->lane, s->kept, sizeof s->kept);
    for (int i = 0; i < rest; i++) add_to(f, s, 0, &s->group[i][0], &s->group[i][1]);
}
/* Fold a term of NEAR: lanes 1 and 2 of each four are exchanged, so that halving joins neighbours. */
static void near_term(const ty_nest_fold *f, ty_folding *s, const ty_nest_value *registers) {
    int at = (int)(s->steps++ % f->lanes);
    if (!at) memcpy(s->kept, s->lane, sizeof s->kept);
    s->group[at][0] = registers[f->value];
    s->group[at][1] = registers[second_of(f)];
    add_to(f, s, (at & 4) | (at & 1) << 1 | (at >> 1 & 1), &s->group[at][0], &s->group[at][1]);
}

/* End a block, if it has terms. */
static void end_block(const ty_nest_fold *f, ty_folding *s) {
    if (s->terms == 0 || nest_is_place(f)) return;
    if (f->join == TY_NEST_NEAR) end_group(f, s);
    if (f->join == TY_NEST_CHAIN) {
        for (int i = 1; i < f->lanes; i++) s->lane[0] = join(f->kind, f->dtype, s->lane[0], s->lane[i]);
        s->result = s->lane[0];
    } else {
        if (f->join != TY_NEST_HALVES) s->terms = f->lanes;
        join_lanes(f, s);
        if (f->join != TY_NEST_HALVES) s->result = join(f->kind, f->dtype, s->result, s->lane[0]);
    }
    s->terms = s->steps = 0;
    if (f->join != TY_NEST_HALVES) return;
    ty_nest_value sums = join(f->kind, f->dtype, s->lane[0], start_of(f));
    int level = 0;
    for (int64_t count = s->blocks++; count & 1; count >>= 1)
        sums = join(f->kind, f->dtype, s->level[level++], sums);
    s->level[level] = sums;
}

/* Finish the sum over a span or over all terms: into s->result. */
static void end_sum(const ty_nest_fold *f, ty_folding *s) {
    end_block(f, s);
    if (f->join != TY_NEST_HALVES || nest_is_place(f)) return;
    ty_nest_value sums = start_of(f);
    bool some = false;
    int level = 0;
    for (int64_t count = s->blocks; count; count >>= 1, level++) {
        if (!(count & 1)) continue;
        sums = some ? join(f->kind, f->dtype, s->level[level], sums) : s->level[level];
        some = true;
    }
    s->result = sums;
    s->blocks = 0;
}

static void end_span(const ty_nest_fold *f, ty_folding *s) {
    end_sum(f, s);
    s->total = s->spanned ? join(f->kind, f->dtype, s->total, s->result) : s->result;
    s->spanned = true;
    s->result = start_of(f);
}

static void term(const ty_nest_fold *f, ty_folding *s, const ty_nest_value *registers) {
    const ty_nest_value *v = &registers[f->value];
    if (f->when != TY_NEST_ALWAYS && !registers[f->when].words[0]) return;
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
    if (f->join == TY_NEST_NEAR) {
        near_term(f, s, registers);
        s->terms++;
        return;
    }
    int at = (int)(s->steps++ % f->lanes);
    bool fresh = f->join == TY_NEST_HALVES && s->terms < f->lanes;
    if (fresh && f->kind != TY_NEST_DOT) {
        s->lane[at] = *v;
    } else {
        if (fresh) s->lane[at] = (ty_nest_value){{0}};
        add_to(f, s, at, v, &registers[second_of(f)]);
    }
    if (++s->terms == f->block) end_block(f, s);
}

static void start(const ty_nest_fold *f, ty_folding *s) {
    int loops = s->loops;
    *s = (ty_folding){.fold = f, .loops = loops, .result = start_of(f), .all = start_of(f)};
}

static void end_dims(const ty_nest_fold *f, ty_folding *s, int dims) {
    if (f->run && dims == f->run) s->steps = 0;
    if (f->inner && dims == f->inner) end_block(f, s);
}

static ty_nest_value result_of(const ty_nest_fold *f, ty_folding *s) {
    if (s->run || nest_is_place(f)) return s->result;
    if (f->spans) return s->spanned ? s->total : start_of(f);
    end_sum(f, s);
    return s->result;
}

/* One step of a RUN: the total of earlier parts is in s->before, of earlier groups in s->all. */
static void step(const ty_nest_fold *f, ty_folding *s, const ty_nest_value *registers) {
    ty_nest_value v = registers[f->value], kept = s->run ? s->second : start_of(f);
    s->run = true;
    if (nest_is_place(f)) {
        term(f, s, registers);
    } else if (f->kind == TY_NEST_LINEAR) {
        ty_nest_value product = compute(ROW_OP(mul), f->dtype, &v, &s->all);
        s->all = dtype_is(f->dtype, CLASS_COMPLEX)
                     ? compute(ROW_OP(add), f->dtype, &product, &registers[f->second])
                     : multiply_add(f->dtype, &v, &s->all, &registers[f->second]);
        s->result = s->all;
    } else {
        if (f->block && s->terms == f->block) {
            s->before = s->parted ? join(f->kind, f->dtype, s->before, s->total) : s->total;
            s->parted = true;
            s->some = false;
            s->terms = 0;
        }
        int k = (int)(s->terms++ % f->lanes);
        for (int l = 0; 1 << l < f->lanes; l++)
            if (k >> l & 1)
                v = join(f->kind, f->dtype, s->level[l], v);
            else
                s->level[l] = v;
        if (!s->some && f->kind == TY_NEST_PROD) s->all = start_of(f);
        s->total = s->some || f->kind == TY_NEST_PROD ? join(f->kind, f->dtype, s->all, v) : v;
        s->result = s->parted ? join(f->kind, f->dtype, s->before, s->total) : s->total;
        if (k == f->lanes - 1) {
            s->all = s->total;
            s->some = true;
        }
    }
    s->second = s->result;
    if (f->exclusive) s->result = kept;
}

/* ---- public functions ---- */

ty_folding *ty_folding_new(const ty_nest *nest, int fold) {
    FLOATING_DEFAULT;
    if (!nest || fold < 0 || fold >= nest->nfolds || !nest_fold_valid(nest, &nest->folds[fold])) return NULL;
    ty_folding *f = mem_alloc(sizeof *f);
    if (!f) return NULL;
    *f = (ty_folding){.fold = &nest->folds[fold]};
    for (int d = 0; d < nest->ndims; d++) {
        if (nest->dims[d].role == TY_NEST_FOLD) f->loops++;
        if (nest->dims[d].role == TY_NEST_RUN) f->loops = -1;
    }
    start(f->fold, f);
    return f;
}

void ty_folding_free(ty_folding *f) { mem_free(f); }

void ty_folding_start(ty_folding *f) {
    FLOATING_DEFAULT;
    if (f) start(f->fold, f);
}

void ty_folding_term(ty_folding *f, const ty_nest_value *registers) {
    FLOATING_DEFAULT;
    if (f && registers) (f->loops < 0 ? step : term)(f->fold, f, registers);
}

void ty_folding_end(ty_folding *f, int loops) {
    FLOATING_DEFAULT;
    if (!f || f->loops < 0 || loops < 0 || loops > f->loops) return;
    if (loops) end_dims(f->fold, f, loops);
    if (f->fold->spans && loops == f->loops - f->fold->spans) end_span(f->fold, f);
}

void ty_folding_result(ty_folding *f, ty_nest_value *result) {
    FLOATING_DEFAULT;
    if (f && result) *result = result_of(f->fold, f);
}

/* ---- stores ---- */

void ty_nest_put(const ty_nest_write *write, const ty_nest_value *registers, void *to) {
    FLOATING_DEFAULT;
    static const int kinds[] = {[TY_NEST_ADD] = TY_NEST_SUM,
                                [TY_NEST_MUL] = TY_NEST_PROD,
                                [TY_NEST_LEAST] = TY_NEST_MIN,
                                [TY_NEST_GREATEST] = TY_NEST_MAX};
    if (!write || !registers || !to || !dtype_valid(write->to.dtype)) return;
    if (write->store < TY_NEST_SET || write->store > TY_NEST_MADD) return;
    ty_dtype dtype = write->to.dtype;
    ty_nest_value v = registers[write->value], old = {{0}};
    memcpy(old.words, to, size_of(dtype));
    if (write->store == TY_NEST_MADD)
        v = multiply_add(dtype, &v, &registers[write->second], &old);
    else if (write->store != TY_NEST_SET)
        v = join(kinds[write->store], dtype, old, v);
    memcpy(to, v.words, size_of(dtype));
}
