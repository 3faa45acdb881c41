/* Interpreter of nests: plain loops, one element at a time, in the order that nest.h states.  It knows no kinds. */
#include "tests/support/nest_run.h"
#include <stdlib.h>
#include <string.h>
#include "engine/cpu/cpu.h"
#include "tests/support/nest_folds.h"

enum { DIMS = 160 };
struct running {
    const ty_nest *nest;
    void *const *slots;
    value *registers;
    struct folding *folds;
    int64_t index[DIMS];
    int first_fold; /* first dim of role FOLD */
    struct nest_refusal *why;
};

static size_t size_of(ty_dtype dtype) { return dtype_table[dtype].size; }
static int64_t whole(const struct running *r, int reg) {
    ty_dtype dtype = r->nest->reads[reg].dtype;
    int64_t i = element_load(dtype, r->registers[reg].bytes).i;
    return dtype == TY_U64 && i < 0 ? INT64_MIN / 2 : i;
}

/* ---- accesses ---- */

/* Set *at to the element that an access addresses now.  False if it is outside. */
static bool address(const struct running *r, const ty_nest_access *a, int64_t *at) {
    *at = a->offset;
    for (int d = 0; d < r->nest->ndims; d++) *at += a->strides[d] * r->index[d];
    for (int i = 0; i < a->nterms; i++) {
        const ty_nest_term *t = &a->terms[i];
        int64_t v = whole(r, t->read);
        if (t->wrap && v < 0) v += t->bound;
        if (v < 0 || v >= t->bound || (t->exact && v % t->divide)) return false;
        v /= t->divide;
        *at += (t->modulo ? v % t->modulo : v) * t->stride;
    }
    return true;
}

static value read_one(const struct running *r, const ty_nest_access *a) {
    value v = {{0}};
    int64_t at;
    if (!address(r, a, &at)) return v;
    if (a->slot == TY_NEST_INDEX)
        memcpy(v.bytes, &at, sizeof at);
    else
        memcpy(v.bytes,
               a->slot == TY_NEST_CONSTANT
                   ? (const char *)a->constant
                   : (const char *)r->slots[a->slot] + at * (int64_t)size_of(a->dtype),
               size_of(a->dtype));
    return v;
}

static void read_all(struct running *r, bool late) {
    for (int i = 0; i < r->nest->nreads; i++)
        if (r->nest->reads[i].late == late) r->registers[i] = read_one(r, &r->nest->reads[i]);
}

static void compute(struct running *r, const ty_nest_instr *s, int n, int first) {
    for (int i = 0; i < n; i++) r->registers[first + i] = nest_compute(&s[i], r->registers);
}

/* ---- one iteration ---- */

static void store(const struct running *r, const ty_nest_write *w) {
    static const int folds[] = {[TY_NEST_ADD] = TY_NEST_SUM,
                                [TY_NEST_MUL] = TY_NEST_PROD,
                                [TY_NEST_LEAST] = TY_NEST_MIN,
                                [TY_NEST_GREATEST] = TY_NEST_MAX};
    int64_t at;
    if ((w->when != TY_NEST_ALWAYS && !r->registers[w->when].bytes[0]) || !address(r, &w->to, &at)) return;
    size_t size = size_of(w->to.dtype);
    char *to = (char *)r->slots[w->to.slot] + at * (int64_t)size;
    value v = r->registers[w->value], old = {{0}};
    ty_nest_fold f = {.kind = w->store == TY_NEST_MADD ? 0 : folds[w->store], .dtype = w->to.dtype};
    memcpy(old.bytes, to, size);
    if (w->store == TY_NEST_MADD)
        v = nest_multiply_add(f.dtype, &v, &r->registers[w->second], &old);
    else if (w->store != TY_NEST_SET)
        v = nest_join(&f, old, v);
    memcpy(to, v.bytes, size);
}

/* Note the lowest refusal of this iteration. */
static void look(struct running *r) {
    const ty_nest *nest = r->nest;
    for (int i = 0; i < nest->nchecks; i++) {
        const ty_nest_check *c = &nest->checks[i];
        if (c->when != TY_NEST_ALWAYS && !r->registers[c->when].bytes[0]) continue;
        ty_dtype dtype =
            c->value < nest->nreads ? nest->reads[c->value].dtype : nest->before[c->value - nest->nreads].out;
        int64_t v = element_load(dtype, r->registers[c->value].bytes).i, position;
        memcpy(&position, r->registers[c->position].bytes, sizeof position);
        bool bad = v < c->low || v >= c->high || (dtype == TY_U64 && v < 0);
        if (bad && (r->why->check < 0 || position < r->why->position))
            *r->why = (struct nest_refusal){r->why->step, i, position};
    }
}

/* Read and compute up to the folds. */
static void begin(struct running *r) {
    read_all(r, false);
    compute(r, r->nest->before, r->nest->nbefore, r->nest->nreads);
}

/* Compute behind the folds and write. */
static void finish(struct running *r) {
    const ty_nest *nest = r->nest;
    int folds = nest->nreads + nest->nbefore;
    read_all(r, true);
    for (int i = 0; i < nest->nfolds; i++)
        r->registers[folds + i] = nest_fold_result(&nest->folds[i], &r->folds[i]);
    compute(r, nest->after, nest->nafter, folds + nest->nfolds);
    for (int i = 0; i < nest->nwrites; i++) store(r, &nest->writes[i]);
    look(r);
}

static void range_of(const struct running *r, const ty_nest_dim *dim, int64_t *from, int64_t *to) {
    *from = 0;
    *to = dim->size;
    if (dim->begin < 0) return;
    int64_t ends[2];
    for (int i = 0; i < 2; i++) {
        const ty_nest_access *a = &r->nest->reads[i ? dim->end : dim->begin];
        ends[i] = element_load(a->dtype, read_one(r, a).bytes).i;
        ends[i] = ends[i] < 0 ? 0 : ends[i] > dim->size ? dim->size : ends[i];
    }
    *from = ends[0];
    *to = ends[1];
}

/* ---- loops ---- */

static void start_folds(struct running *r) {
    for (int i = 0; i < r->nest->nfolds; i++) nest_fold_start(&r->nest->folds[i], &r->folds[i]);
}

/* Run the FOLD dims from `dim` on. */
static void fold_dims(struct running *r, int dim) {
    const ty_nest *nest = r->nest;
    int64_t from, to;
    if (dim == nest->ndims) {
        begin(r);
        for (int i = 0; i < nest->nfolds; i++) nest_fold_term(&nest->folds[i], &r->folds[i], r->registers);
        return;
    }
    range_of(r, &nest->dims[dim], &from, &to);
    for (int i = 0; i < nest->nfolds; i++)
        r->folds[i].whole = (to - from) / nest->folds[i].lanes * nest->folds[i].lanes;
    for (r->index[dim] = from; r->index[dim] < to; r->index[dim]++) {
        fold_dims(r, dim + 1);
        for (int i = 0; i < nest->nfolds; i++)
            if (dim == r->first_fold + nest->folds[i].spans - 1)
                nest_fold_end_span(&nest->folds[i], &r->folds[i]);
    }
    r->index[dim] = 0;
    for (int i = 0; i < nest->nfolds; i++)
        nest_fold_end_dims(&nest->folds[i], &r->folds[i], nest->ndims - dim);
}

static void walk(struct running *r, int dim) {
    const ty_nest *nest = r->nest;
    int64_t from, to;
    if (dim == r->first_fold) {
        start_folds(r);
        if (nest->nfolds)
            fold_dims(r, dim);
        else
            begin(r);
        finish(r);
        return;
    }
    bool running = nest->dims[dim].role == TY_NEST_RUN;
    if (running) start_folds(r);
    range_of(r, &nest->dims[dim], &from, &to);
    for (r->index[dim] = from; r->index[dim] < to; r->index[dim]++) {
        if (!running) {
            walk(r, dim + 1);
            continue;
        }
        begin(r);
        for (int i = 0; i < nest->nfolds; i++) nest_fold_step(&nest->folds[i], &r->folds[i], r->registers);
        finish(r);
    }
    r->index[dim] = 0;
}

static void run_nest(const ty_nest *nest, void *const *slots, struct nest_refusal *why) {
    struct running r = {.nest = nest, .slots = slots, .why = why};
    int n = nest->nreads + nest->nbefore + nest->nfolds + nest->nafter;
    r.registers = calloc((size_t)n + 1, sizeof *r.registers);
    r.folds = calloc((size_t)nest->nfolds + 1, sizeof *r.folds);
    while (r.first_fold < nest->ndims && nest->dims[r.first_fold].role != TY_NEST_FOLD) r.first_fold++;
    walk(&r, 0);
    free(r.registers);
    free(r.folds);
}

bool nests_run(const ty_nests *nests, void *const *slots, struct nest_refusal *why) {
    for (int i = 0; i < nests->nsteps; i++) {
        *why = (struct nest_refusal){i, -1, 0};
        run_nest(nests->steps[i].nest, slots, why);
        if (why->check >= 0) return false;
    }
    return true;
}
