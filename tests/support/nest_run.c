/* Interpreter of nests: plain loops, one element at a time, in the order of <tyto/engine.h>.  It knows no kinds. */
#include "tests/support/nest_run.h"
#include <stdlib.h>
#include <string.h>
struct running {
    const ty_nest *nest;
    void *const *slots;
    ty_nest_value *registers;
    ty_folding **folds;
    int64_t index[TY_NEST_DIMS];
    int first_fold; /* first dim of role FOLD */
    struct nest_refusal *why;
};

static size_t size_of(ty_dtype dtype) { return dtype_table[dtype].size; }
static int64_t whole(const struct running *r, int reg) {
    ty_dtype dtype = r->nest->reads[reg].dtype;
    int64_t i = element_load(dtype, r->registers[reg].words).i;
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

static ty_nest_value read_one(const struct running *r, const ty_nest_access *a) {
    ty_nest_value v = {{0}};
    int64_t at;
    if (!address(r, a, &at)) return v;
    if (a->slot == TY_NEST_INDEX)
        memcpy(v.words, &at, sizeof at);
    else
        memcpy(v.words,
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

/* ---- one iteration ---- */

static void compute(struct running *r, const ty_nest_instr *s, int n, int first) {
    for (int i = 0; i < n; i++, s++) {
        const void *from[3];
        for (int k = 0; k < s->n; k++) from[k] = &r->registers[s->from[k]];
        r->registers[first + i] = (ty_nest_value){{0}};
        ty_nest_apply(s, 1, from, &r->registers[first + i]);
    }
}

static void store(const struct running *r, const ty_nest_write *w) {
    int64_t at;
    if ((w->when != TY_NEST_ALWAYS && !r->registers[w->when].words[0]) || !address(r, &w->to, &at)) return;
    ty_nest_put(w, r->registers, (char *)r->slots[w->to.slot] + at * (int64_t)size_of(w->to.dtype));
}

/* Note the lowest refusal of this iteration. */
static void look(struct running *r) {
    const ty_nest *nest = r->nest;
    for (int i = 0; i < nest->nchecks; i++) {
        const ty_nest_check *c = &nest->checks[i];
        if (c->when != TY_NEST_ALWAYS && !r->registers[c->when].words[0]) continue;
        ty_dtype dtype =
            c->value < nest->nreads ? nest->reads[c->value].dtype : nest->before[c->value - nest->nreads].out;
        int64_t v = element_load(dtype, r->registers[c->value].words).i, position;
        memcpy(&position, r->registers[c->position].words, sizeof position);
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
    for (int i = 0; i < nest->nfolds; i++) ty_folding_result(r->folds[i], &r->registers[folds + i]);
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
        ends[i] = element_load(a->dtype, read_one(r, a).words).i;
        ends[i] = ends[i] < 0 ? 0 : ends[i] > dim->size ? dim->size : ends[i];
    }
    *from = ends[0];
    *to = ends[1];
}

/* ---- loops ---- */

static void start_folds(struct running *r) {
    for (int i = 0; i < r->nest->nfolds; i++) ty_folding_start(r->folds[i]);
}

/* Read, compute and fold one iteration. */
static void add_terms(struct running *r) {
    begin(r);
    for (int i = 0; i < r->nest->nfolds; i++) ty_folding_term(r->folds[i], r->registers);
}

/* Run the FOLD dims from `dim` on. */
static void fold_dims(struct running *r, int dim) {
    const ty_nest *nest = r->nest;
    int64_t from, to;
    if (dim == nest->ndims) {
        add_terms(r);
    } else {
        range_of(r, &nest->dims[dim], &from, &to);
        for (r->index[dim] = from; r->index[dim] < to; r->index[dim]++) fold_dims(r, dim + 1);
        r->index[dim] = 0;
    }
    for (int i = 0; i < nest->nfolds; i++) ty_folding_end(r->folds[i], nest->ndims - dim);
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
        add_terms(r);
        finish(r);
    }
    r->index[dim] = 0;
}

/* False if memory runs out. */
static bool run_nest(const ty_nest *nest, void *const *slots, struct nest_refusal *why) {
    struct running r = {.nest = nest, .slots = slots, .why = why};
    int n = nest->nreads + nest->nbefore + nest->nfolds + nest->nafter;
    bool fits = true;
    r.registers = calloc((size_t)n + 1, sizeof *r.registers);
    r.folds = calloc((size_t)nest->nfolds + 1, sizeof *r.folds);
    for (int i = 0; i < nest->nfolds; i++) fits = (r.folds[i] = ty_folding_new(nest, i)) && fits;
    while (r.first_fold < nest->ndims && nest->dims[r.first_fold].role != TY_NEST_FOLD) r.first_fold++;
    if (fits) walk(&r, 0);
    for (int i = 0; i < nest->nfolds; i++) ty_folding_free(r.folds[i]);
    free(r.registers);
    free(r.folds);
    return fits;
}

bool nests_run(const ty_nests *nests, void *const *slots, struct nest_refusal *why) {
    for (int i = 0; i < nests->nsteps; i++) {
        *why = (struct nest_refusal){i, -1, 0};
        if (!run_nest(nests->steps[i].nest, slots, why) || why->check >= 0) return false;
    }
    return true;
}
