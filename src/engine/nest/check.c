/*
 * Checks lists of nests, whatever made them: numbers of registers, dtypes, strides and roles; and for nests of up to
 * MOST iterations, by running through all of them, that each access stays in its slot and that no two parallel
 * iterations write one element.  Values that are read are not known: a term by such a value reaches from 0 to its
 * bound.
 */
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "engine/nest/folds.h"
#include "engine/nest/lower.h"
#include "ops/core/guard.h"

enum { MOST = 1 << 14 }; /* iterations: a check takes about a millisecond */

struct checking {
    const ty_nests *nests;
    const ty_nest *nest;
    const int64_t *low, *high;
    int64_t *index,
        *written; /* written: pairs of an element and the number of the parallel iteration that wrote it */
    int64_t count;
    struct fault *fault;
};

#define REFUSE(c, ...) fault_set((c)->fault, E_INTERNAL, "nests: " __VA_ARGS__)

/* ---- registers ---- */

/* Return the dtype of register r; TY_DTYPES if there is none. */
static ty_dtype dtype_of(const ty_nest *n, int r) {
    if (r < n->nreads) return n->reads[r].dtype;
    if ((r -= n->nreads) < n->nbefore) return n->before[r].out;
    if ((r -= n->nbefore) < n->nfolds) return nest_fold_dtype(&n->folds[r]);
    return (r -= n->nfolds) < n->nafter ? n->after[r].out : TY_DTYPES;
}

static bool is_whole(ty_dtype dtype) { return dtype < TY_DTYPES && dtype_is(dtype, CLASS_INTEGER); }

/* Check that register r is below `end` and of a dtype. */
static bool check_register(const struct checking *c, const char *use, int r, int end, ty_dtype dtype) {
    if (r < end && dtype_of(c->nest, r) == dtype) return true;
    return REFUSE(c, "%s: %s reads register %d, %s; expected %s below %d", c->nest->name, use, r,
                  ty_dtype_name(dtype_of(c->nest, r)), ty_dtype_name(dtype), end);
}

static bool check_instrs(const struct checking *c, const ty_nest_instr *instrs, int n, int first) {
    for (int i = 0; i < n; i++) {
        const ty_nest_instr *s = &instrs[i];
        if (!nest_instr_valid(s))
            return REFUSE(c, "%s: no operator %s of %d operands %s", c->nest->name,
                          s->name ? s->name : "NULL", s->n, ty_dtype_name(s->in));
        for (int k = 0; k < s->n; k++) {
            ty_dtype wanted = s->n == 3 && k == 0 && !strcmp(s->name, "where") ? TY_BOOL : s->in;
            if (k == 2 && !strncmp(s->name, "random_", 7)) wanted = TY_U64;
            if (!check_register(c, s->name, s->from[k], first + i, wanted)) return false;
        }
    }
    return true;
}

static bool check_when(const struct checking *c, int when, int end) {
    return when == TY_NEST_ALWAYS || check_register(c, "a condition", when, end, TY_BOOL);
}

bool nest_fold_valid(const ty_nest *nest, const ty_nest_fold *f) {
    if (nest->ndims < 0 || nest->ndims > TY_NEST_DIMS || (nest->ndims && !nest->dims)) return false;
    int loops = 0, runs = 0, uneven = f->join != TY_NEST_CHAIN && (f->lanes & (f->lanes - 1));
    for (int d = 0; d < nest->ndims; d++) {
        loops += nest->dims[d].role == TY_NEST_FOLD;
        runs += nest->dims[d].role == TY_NEST_RUN;
    }
    bool scans = f->kind == TY_NEST_LINEAR || f->exclusive, placed = f->kind != TY_NEST_DOT || !runs;
    bool near = f->join != TY_NEST_NEAR ||
                (loops == 1 && f->when == TY_NEST_ALWAYS && (f->lanes == 4 || f->lanes == 8));
    return f->kind >= TY_NEST_SUM && f->kind <= TY_NEST_LINEAR && f->join <= TY_NEST_NEAR && !uneven &&
           near && placed && (!scans || runs) && dtype_valid(f->dtype) && f->lanes >= 1 &&
           f->lanes <= NEST_LANES && f->block >= 0 && f->inner >= 0 && f->inner <= loops && f->run >= 0 &&
           f->run <= loops && f->spans >= 0 && f->spans <= loops;
}

static bool check_folds(const struct checking *c) {
    int end = c->nest->nreads + c->nest->nbefore;
    for (int i = 0; i < c->nest->nfolds; i++) {
        const ty_nest_fold *f = &c->nest->folds[i];
        if (!nest_fold_valid(c->nest, f)) return REFUSE(c, "%s: a fold has no valid order", c->nest->name);
        bool place = nest_is_place(f);
        bool two = place || f->kind == TY_NEST_DOT || f->kind == TY_NEST_LINEAR;
        if (!check_register(c, "a fold", f->value, end, f->dtype) || !check_when(c, f->when, end))
            return false;
        if (two && !check_register(c, "a fold", f->second, end, place ? TY_I64 : f->dtype)) return false;
    }
    return true;
}

/* ---- dims and accesses ---- */

static bool check_access(const struct checking *c, const ty_nest_access *a, int reads) {
    int slots = c->nests->noperands + c->nests->ntemporaries;
    if (a->dtype >= TY_DTYPES || a->slot < TY_NEST_CONSTANT || a->slot >= slots || !a->strides)
        return REFUSE(c, "%s: an access of slot %d of %d", c->nest->name, a->slot, slots);
    if (a->nterms < 0 || (a->nterms && !a->terms))
        return REFUSE(c, "%s: an access has %d terms, or they are NULL", c->nest->name, a->nterms);
    for (int d = 0; a->late && d < c->nest->ndims; d++)
        if (c->nest->dims[d].role == TY_NEST_FOLD && a->strides[d])
            return REFUSE(c, "%s: a late read steps along a fold", c->nest->name);
    for (int i = 0; i < a->nterms; i++) {
        const ty_nest_term *t = &a->terms[i];
        if (t->read < 0 || t->read >= reads || !is_whole(c->nest->reads[t->read].dtype) || t->divide < 1)
            return REFUSE(c, "%s: a term by read %d of %d", c->nest->name, t->read, reads);
    }
    return true;
}

static bool check_dims(const struct checking *c) {
    const ty_nest *n = c->nest;
    for (int d = 0; d < n->ndims; d++) {
        const ty_nest_dim *dim = &n->dims[d];
        int ends[] = {dim->begin, dim->end};
        bool order = d == 0 || dim->role >= n->dims[d - 1].role;
        bool alone = dim->role != TY_NEST_RUN ||
                     (d == n->ndims - 1 && (d == 0 || n->dims[d - 1].role == TY_NEST_PARALLEL));
        if (!order || !alone || dim->size < 0 || dim->role > TY_NEST_FOLD ||
            (dim->begin < 0) != (dim->end < 0))
            return REFUSE(c, "%s: dim %d has no valid role or size", n->name, d);
        for (int e = 0; e < 2 && dim->begin >= 0; e++) {
            if (ends[e] >= n->nreads || !n->reads[ends[e]].strides || !is_whole(n->reads[ends[e]].dtype))
                return REFUSE(c, "%s: dim %d is bounded by read %d", n->name, d, ends[e]);
            for (int k = d; k < n->ndims; k++)
                if (n->reads[ends[e]].strides[k])
                    return REFUSE(c, "%s: a bound of dim %d steps along dim %d", n->name, d, k);
        }
    }
    return true;
}

/* Check the numbers of parts, on which all else relies. */
static bool check_numbers(const struct checking *c) {
    const ty_nest *n = c->nest;
    struct {
        int64_t n;
        const void *at;
    } parts[] = {{n->ndims, n->dims},    {n->nreads, n->reads}, {n->nbefore, n->before},
                 {n->nfolds, n->folds},  {n->nafter, n->after}, {n->nwrites, n->writes},
                 {n->nchecks, n->checks}};
    int64_t all = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].n < 0 || (parts[i].n && !parts[i].at))
            return REFUSE(c, "a number of parts is negative, or they are NULL");
        if (i) all += parts[i].n;
    }
    if (n->nchecks && (n->nfolds || n->nwrites))
        return REFUSE(c, "%s: checks beside folds or writes", n->name ? n->name : "NULL");
    if (!n->name || n->ndims > TY_NEST_DIMS || all >= TY_NEST_ALWAYS)
        return REFUSE(c, "%s: %d loops and %lld parts", n->name ? n->name : "NULL", n->ndims, (long long)all);
    return true;
}

/* Check that register r of a nest with folds has its value behind them. */
static bool check_behind(const struct checking *c, int r) {
    const ty_nest *n = c->nest;
    bool early = r < n->nreads ? !n->reads[r].late : r < n->nreads + n->nbefore;
    return !n->nfolds || r == TY_NEST_ALWAYS || !early ||
           REFUSE(c, "%s: register %d is used behind the folds, and is computed before them", n->name, r);
}

/* Check what reads registers behind the folds. */
static bool check_end(const struct checking *c) {
    const ty_nest *n = c->nest;
    for (int i = 0; i < n->nafter; i++)
        for (int k = 0; k < n->after[i].n; k++)
            if (!check_behind(c, n->after[i].from[k])) return false;
    for (int i = 0; i < n->nwrites; i++) {
        const ty_nest_write *w = &n->writes[i];
        if (!check_behind(c, w->value) || !check_behind(c, w->when)) return false;
        if (w->store == TY_NEST_MADD && !check_behind(c, w->second)) return false;
        for (int k = 0; k < w->to.nterms; k++)
            if (!check_behind(c, w->to.terms[k].read)) return false;
        for (int d = 0; d < n->ndims; d++)
            if (n->dims[d].role == TY_NEST_FOLD && w->to.strides[d])
                return REFUSE(c, "%s: a write steps along a fold", n->name);
    }
    return true;
}

static bool check_form(const struct checking *c) {
    const ty_nest *n = c->nest;
    int folds = n->nreads + n->nbefore, all = folds + n->nfolds + n->nafter;
    if (!check_dims(c)) return false;
    for (int i = 0; i < n->nreads; i++)
        if (!check_access(c, &n->reads[i], i)) return false;
    if (!check_instrs(c, n->before, n->nbefore, n->nreads) || !check_folds(c)) return false;
    if (!check_instrs(c, n->after, n->nafter, folds + n->nfolds)) return false;
    for (int i = 0; i < n->nwrites; i++) {
        const ty_nest_write *w = &n->writes[i];
        if (w->store < TY_NEST_SET || w->store > TY_NEST_MADD)
            return REFUSE(c, "%s: a write of kind %d", n->name, w->store);
        if (w->to.slot < 0 || !check_access(c, &w->to, n->nreads) || !check_when(c, w->when, all) ||
            !check_register(c, "a write", w->value, all, w->to.dtype))
            return w->to.slot < 0 ? REFUSE(c, "%s: a write to no memory", n->name) : false;
        if (w->store == TY_NEST_MADD && !check_register(c, "a write", w->second, all, w->to.dtype))
            return false;
    }
    for (int i = 0; i < n->nchecks; i++) {
        const ty_nest_check *k = &n->checks[i];
        if (!is_whole(dtype_of(n, k->value))) return REFUSE(c, "%s: a check of no integer", n->name);
        if (!check_register(c, "a check", k->position, all, TY_I64) || !check_when(c, k->when, all))
            return false;
    }
    return check_end(c);
}

/* ---- iterations ---- */

/* Add n times a stride to *at; false if it overflows. */
static bool advance(int64_t *at, int64_t n, int64_t stride) {
    int64_t step;
    return !__builtin_mul_overflow(n, stride, &step) && !__builtin_add_overflow(*at, step, at);
}

/* Set *low and *high to the range of an affine sum and its terms at the present index: all integers if it overflows.
   False: outside in any case. */
static bool range_of(const struct checking *c, const ty_nest_access *a, int64_t *low, int64_t *high) {
    bool whole = true;
    *low = a->offset;
    for (int d = 0; d < c->nest->ndims; d++) whole = whole && advance(low, c->index[d], a->strides[d]);
    *high = *low;
    for (int i = 0; i < a->nterms; i++) {
        const ty_nest_term *t = &a->terms[i];
        const ty_nest_access *read = &c->nest->reads[t->read];
        int64_t from = 0, to = t->bound - 1;
        if (t->bound <= 0) return false;
        if (read->slot == TY_NEST_INDEX) {
            int64_t ends[2];
            if (!range_of(c, read, &ends[0], &ends[1])) ends[0] = ends[1] = 0;
            if (ends[0] == ends[1]) {
                from = to = ends[0] + (t->wrap && ends[0] < 0 ? t->bound : 0);
                if (from < 0 || from >= t->bound || (t->exact && from % t->divide)) return false;
            }
        }
        from /= t->divide;
        to /= t->divide;
        if (t->modulo && from != to) from = 0, to = t->modulo - 1;
        if (t->modulo && from == to) from = to = from % t->modulo;
        whole = whole && advance(low, t->stride < 0 ? to : from, t->stride) &&
                advance(high, t->stride < 0 ? from : to, t->stride);
    }
    if (!whole) *low = INT64_MIN, *high = INT64_MAX;
    return true;
}

static bool check_place(const struct checking *c, const ty_nest_access *a) {
    int64_t low, high;
    if (a->slot < 0 || !c->low || !range_of(c, a, &low, &high)) return true;
    if (low >= c->low[a->slot] && high < c->high[a->slot]) return true;
    return REFUSE(c, "%s: elements %lld to %lld of slot %d, which has %lld to %lld", c->nest->name,
                  (long long)low, (long long)high, a->slot, (long long)c->low[a->slot],
                  (long long)c->high[a->slot] - 1);
}

/* Note the element that write w sets now, unless values decide. */
static void note(struct checking *c, const ty_nest_write *w, int64_t parallel) {
    int64_t low, high;
    if (!range_of(c, &w->to, &low, &high) || low != high) return;
    c->written[2 * c->count] = low;
    c->written[2 * c->count++ + 1] = parallel;
}

static int ascending(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static bool check_apart(struct checking *c) {
    qsort(c->written, (size_t)c->count, 2 * sizeof *c->written, ascending);
    for (int64_t i = 1; i < c->count; i++)
        if (c->written[2 * i] == c->written[2 * i - 2] && c->written[2 * i + 1] != c->written[2 * i - 1])
            return REFUSE(c, "%s: parallel iterations write element %lld", c->nest->name,
                          (long long)c->written[2 * i]);
    return true;
}

/* Go to the next index of dims 0 .. n-1.  False at the end. */
static bool next(const struct checking *c, int n) {
    for (int d = n - 1; d >= 0; d--) {
        if (++c->index[d] < c->nest->dims[d].size) return true;
        c->index[d] = 0;
    }
    return false;
}

/* Check accesses of all iterations.  Ragged dims run through all their indices, which their bounds may exclude: their
   accesses are not checked. */
static bool check_iterations(struct checking *c) {
    const ty_nest *n = c->nest;
    int64_t all = 1, parallel;
    for (int d = 0; d < n->ndims; d++) {
        if (n->dims[d].begin >= 0) return true;
        if (n->dims[d].size == 0) return true;
        if ((all *= n->dims[d].size) > MOST) return true;
    }
    for (int w = -1; w < n->nwrites; w++) {
        for (int d = 0; d < n->ndims; d++) c->index[d] = 0;
        c->count = 0;
        do {
            for (int i = 0; w < 0 && i < n->nreads; i++)
                if (!check_place(c, &n->reads[i])) return false;
            if (w < 0) continue;
            if (!check_place(c, &n->writes[w].to)) return false;
            parallel = 0;
            bool folding = false;
            for (int d = 0; d < n->ndims; d++) {
                if (n->dims[d].role == TY_NEST_PARALLEL) parallel = parallel * n->dims[d].size + c->index[d];
                folding = folding || (n->dims[d].role == TY_NEST_FOLD && c->index[d]);
            }
            if (!folding) note(c, &n->writes[w], parallel);
        } while (next(c, n->ndims));
        if (w >= 0 && !check_apart(c)) return false;
    }
    return true;
}

bool nests_check(const ty_nests *nests, const int64_t *low, const int64_t *high, struct fault *fault) {
    int64_t index[TY_NEST_DIMS];
    struct checking c = {.nests = nests, .low = low, .high = high, .index = index, .fault = fault};
    c.written = mem_array(2 * MOST, sizeof *c.written);
    bool done = c.written || fault_memory(fault, 2 * MOST * sizeof *c.written);
    for (int i = 0; i < nests->nsteps && done; i++) {
        c.nest = nests->steps[i].nest;
        done = !c.nest || (check_numbers(&c) && check_form(&c) && check_iterations(&c));
    }
    mem_free(c.written);
    return done;
}

bool nests_check_kernel(const struct kernel *k, const ty_nests *nests, struct fault *fault) {
    size_t n = (size_t)(nests->noperands + nests->ntemporaries) + 1;
    int64_t *low = mem_array(n, sizeof *low), *high = mem_array(n, sizeof *high);
    bool done = (low && high) || fault_memory(fault, n * sizeof *low);
    for (int i = 0; done && i < nests->noperands; i++) {
        const struct operand *x = i < k->ninputs ? &k->inputs[i] : &k->outputs[i - k->ninputs];
        struct layout_room room;
        layout_extent(i < k->ninputs ? operand_inside(x, &room) : &x->layout, &low[i], &high[i]);
    }
    for (int i = 0; done && i < nests->ntemporaries; i++) {
        low[nests->noperands + i] = 0;
        high[nests->noperands + i] = nests->temporaries[i].size;
    }
    done = done && nests_check(nests, low, high, fault);
    mem_free(low);
    mem_free(high);
    return done;
}
