/* An engine in plain loops, which counts what kernels compute and move: it trains LeNet to the bits of `cpu`. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/data.h>
#include <tyto/engine.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>

/* ---- the engine ---- */

/* The counts; several threads may add to them at once. */
struct counts {
    _Atomic int64_t operations, bytes;
};

/* One nest that is being executed. */
struct running {
    const ty_nest *nest;
    const ty_engine_place *slots;
    ty_nest_value *registers;
    ty_folding **folds;
    int64_t index[TY_NEST_DIMS];
    int64_t operations, bytes;
    ty_engine_refusal *refusal;
    int step;
};

/* Return register `r`, of an integer dtype, as an index.  Numbers that are too large count as outside. */
static int64_t whole(const ty_nest_value *r, ty_dtype dtype) {
    int64_t i = 0;
    ty_nest_instr cast = {"cast", dtype, TY_I64, 1, {0}};
    const void *operand = r;
    ty_nest_apply(&cast, 1, &operand, &i);
    return dtype == TY_U64 && i < 0 ? INT64_MAX : i;
}

/* Set *at to the element that an access addresses now.  False if it is outside. */
static bool find(const struct running *r, const ty_nest_access *a, int64_t *at) {
    *at = a->offset;
    for (int d = 0; d < r->nest->ndims; d++) *at += a->strides[d] * r->index[d];
    for (int i = 0; i < a->nterms; i++) {
        const ty_nest_term *t = &a->terms[i];
        int64_t v = whole(&r->registers[t->read], r->nest->reads[t->read].dtype);
        if (t->wrap && v < 0) v += t->bound;
        if (v < 0 || v >= t->bound || (t->exact && v % t->divide)) return false;
        v /= t->divide;
        *at += (t->modulo ? v % t->modulo : v) * t->stride;
    }
    return true;
}

static char *address(const struct running *r, const ty_nest_access *a, int64_t at) {
    const ty_engine_place *p = &r->slots[a->slot];
    return (char *)p->memory + p->offset + at * (int64_t)ty_dtype_size(a->dtype);
}

static ty_nest_value read_one(struct running *r, const ty_nest_access *a) {
    ty_nest_value v = {{0, 0}};
    size_t size = ty_dtype_size(a->dtype);
    int64_t at;
    if (!find(r, a, &at)) return v;
    if (a->slot == TY_NEST_INDEX) {
        memcpy(v.words, &at, sizeof at);
    } else if (a->slot == TY_NEST_CONSTANT) {
        memcpy(v.words, a->constant, size);
    } else {
        memcpy(v.words, address(r, a, at), size);
        r->bytes += (int64_t)size;
    }
    return v;
}

static void read_all(struct running *r, bool late) {
    for (int i = 0; i < r->nest->nreads; i++)
        if (r->nest->reads[i].late == late) r->registers[i] = read_one(r, &r->nest->reads[i]);
}

/* Apply n operators; their results are the registers from `first` on. */
static void compute(struct running *r, const ty_nest_instr *instr, int n, int first) {
    for (int i = 0; i < n; i++, instr++) {
        const void *operands[3];
        for (int k = 0; k < instr->n; k++) operands[k] = &r->registers[instr->from[k]];
        memset(&r->registers[first + i], 0, sizeof *r->registers);
        ty_nest_apply(instr, 1, operands, &r->registers[first + i]);
    }
    r->operations += n;
}

static bool holds(const struct running *r, int when) {
    return when == TY_NEST_ALWAYS || r->registers[when].words[0];
}

static void write_all(struct running *r) {
    for (int i = 0; i < r->nest->nwrites; i++) {
        const ty_nest_write *w = &r->nest->writes[i];
        int64_t at;
        if (!holds(r, w->when) || !find(r, &w->to, &at)) continue;
        ty_nest_put(w, r->registers, address(r, &w->to, at));
        r->operations += w->store != TY_NEST_SET;
        r->bytes += (int64_t)ty_dtype_size(w->to.dtype) * (w->store == TY_NEST_SET ? 1 : 2);
    }
}

/* Look for values that are refused; the lowest position counts. */
static void check_all(struct running *r) {
    const ty_nest *nest = r->nest;
    for (int i = 0; i < nest->nchecks; i++) {
        const ty_nest_check *c = &nest->checks[i];
        bool read = c->value < nest->nreads;
        ty_dtype dtype = read ? nest->reads[c->value].dtype : nest->before[c->value - nest->nreads].out;
        int64_t v = whole(&r->registers[c->value], dtype);
        int64_t position = whole(&r->registers[c->position], TY_I64);
        if (!holds(r, c->when) || (v >= c->low && v < c->high)) continue;
        if (r->refusal->step >= 0 && position >= r->refusal->position) continue;
        *r->refusal = (ty_engine_refusal){.position = position, .step = r->step, .check = i};
    }
}

/* Read and compute what comes before the folds, and fold it. */
static void begin(struct running *r) {
    read_all(r, false);
    compute(r, r->nest->before, r->nest->nbefore, r->nest->nreads);
    for (int i = 0; i < r->nest->nfolds; i++) {
        ty_folding_term(r->folds[i], r->registers);
        r->operations += r->nest->folds[i].kind == TY_NEST_DOT ? 2 : 1;
    }
}

/* Compute what comes after the folds, and write. */
static void finish(struct running *r) {
    int folds = r->nest->nreads + r->nest->nbefore;
    read_all(r, true);
    for (int i = 0; i < r->nest->nfolds; i++) ty_folding_result(r->folds[i], &r->registers[folds + i]);
    compute(r, r->nest->after, r->nest->nafter, folds + r->nest->nfolds);
    write_all(r);
    check_all(r);
}

static void start_folds(struct running *r) {
    for (int i = 0; i < r->nest->nfolds; i++) ty_folding_start(r->folds[i]);
}

/* Return the end of a loop that read number `read` tells; `usual` if there is no such read. */
static int64_t end_of(struct running *r, int read, int64_t usual, int64_t size) {
    if (read < 0) return usual;
    ty_nest_value v = read_one(r, &r->nest->reads[read]);
    int64_t end = whole(&v, r->nest->reads[read].dtype);
    return end < 0 ? 0 : end > size ? size : end;
}

/* Begin loop d; return the index behind its last one. */
static int64_t begin_loop(struct running *r, int d) {
    const ty_nest_dim *dim = &r->nest->dims[d];
    r->index[d] = end_of(r, dim->begin, 0, dim->size);
    return end_of(r, dim->end, dim->size, dim->size);
}

/* Run the FOLD loops from d on. */
static void fold_loops(struct running *r, int d) {
    if (d == r->nest->ndims) {
        begin(r);
    } else {
        int64_t end = begin_loop(r, d);
        for (; r->index[d] < end; r->index[d]++) fold_loops(r, d + 1);
        r->index[d] = 0;
    }
    for (int i = 0; i < r->nest->nfolds; i++) ty_folding_end(r->folds[i], r->nest->ndims - d);
}

/* Run the loops from d on; `outer` of them are around the folds. */
static void loops(struct running *r, int d, int outer) {
    if (d == outer) {
        start_folds(r);
        fold_loops(r, d);
        finish(r);
        return;
    }
    bool runs = r->nest->dims[d].role == TY_NEST_RUN;
    int64_t end = begin_loop(r, d);
    if (runs) start_folds(r);
    for (; r->index[d] < end; r->index[d]++) {
        if (runs)
            begin(r), finish(r);
        else
            loops(r, d + 1, outer);
    }
    r->index[d] = 0;
}

static void close_nest(struct running *r) {
    for (int i = 0; r->folds && i < r->nest->nfolds; i++) ty_folding_free(r->folds[i]);
    free(r->registers);
    free(r->folds);
}

/* Run one nest and count it.  False if memory runs out. */
static bool run_nest(struct running *r, struct counts *counts) {
    const ty_nest *nest = r->nest;
    int outer = 0, n = nest->nreads + nest->nbefore + nest->nfolds + nest->nafter;
    r->registers = calloc((size_t)n + 1, sizeof *r->registers);
    r->folds = calloc((size_t)nest->nfolds + 1, sizeof *r->folds);
    bool fits = r->registers && r->folds;
    for (int i = 0; fits && i < nest->nfolds; i++) fits = (r->folds[i] = ty_folding_new(nest, i)) != NULL;
    while (outer < nest->ndims && nest->dims[outer].role != TY_NEST_FOLD) outer++;
    if (fits) loops(r, 0, outer);
    close_nest(r);
    atomic_fetch_add(&counts->operations, r->operations);
    atomic_fetch_add(&counts->bytes, r->bytes);
    return fits;
}

static bool prepare(void *context, const ty_nests *nests, void **kernel, ty_engine_error *error) {
    (void)context, (void)error;
    *kernel = (void *)(uintptr_t)nests; /* it is there until `drop` */
    return true;
}

static bool launch(void *context, void *stream, void *kernel, const ty_engine_place *slots,
                   ty_engine_refusal *refusal, ty_engine_error *error) {
    const ty_nests *nests = kernel;
    (void)stream;
    for (int i = 0; i < nests->nsteps && refusal->step < 0; i++) {
        struct running r = {.nest = nests->steps[i].nest, .slots = slots, .refusal = refusal, .step = i};
        if (!run_nest(&r, context)) return ty_engine_fail(error, TY_ERROR_MEMORY, "out of memory");
    }
    return true;
}

/* ---- its use ---- */

/* Do some steps of training with the thread's engine; set losses[].  False, with a message, on failure. */
static bool train(int steps, double *losses) {
    const ty_layer_value layers[] = {
        TY_LAYER(scale, .factor = 1.0 / 256),
        TY_LAYER(conv2d, .size = {5, 5}, .channels = 4, .activation = ty_relu, .same = true),
        TY_LAYER(max_pool2d, .size = {2, 2}),
        TY_LAYER(dropout, .p = 0.1),
        TY_LAYER(fully_connected, .units = 16, .activation = ty_relu),
        TY_LAYER(linear, .units = 10)};
    ty_model *m = ty_model_sequence(sizeof layers / sizeof *layers, layers,
                                    (ty_model_options){.seed = 1, .lazy = true});
    ty_tensor *seen[2]; /* images, labels */
    ty_dataset *digits = ty_dataset_digits(1, 0, 40);
    ty_dataset_get_all(digits, 2, seen);
    ty_trainer *t = ty_trainer_new(
        m, (ty_trainer_options){
               .inputs = seen[0], .targets = seen[1], .batch = 4, .optimiser = {.rule = &ty_adam}});
    for (int i = 0; i < steps; i++) losses[i] = ty_trainer_step(t);
    bool done = !*ty_trainer_error(t);
    if (!done) printf("%s\n", ty_trainer_error(t));
    ty_trainer_free(t);
    ty_model_free(m);
    ty_dataset_free(digits);
    return done;
}

/* One program on two devices: the products on `counting`, the rest on `cpu`. */
static bool mix(void) {
    ty_tensor *x = ty_normal(TY_F32, TY_SHAPE(8, 16), ty_key(1));
    ty_tensor *w = ty_normal(TY_F32, TY_SHAPE(16, 4), ty_key(2));
    ty_tensor *there = ty_to(ty_matmul(ty_to(ty_lazy(x), "counting"), w), "cpu");
    ty_tensor *mixed = ty_softmax(there, -1), *plain = ty_softmax(ty_matmul(x, w), -1);
    bool same = ty_item(ty_all(ty_eq(mixed, plain), TY_ALL)) == 1;
    printf("a program on two devices: %s\n", same ? "the bits of cpu" : "wrong");
    return same;
}

int main(void) {
    enum { STEPS = 3 };
    struct counts counts = {0};
    ty_engine engine = {.name = "counting",
                        .model = "plain loops that count",
                        .context = &counts,
                        .language = TY_NEST_LANGUAGE,
                        .prepare = prepare,
                        .launch = launch};
    ty_tensor *error;
    double losses[2][STEPS];
    ty_scope *scope = ty_open();
    bool well = ty_engine_register(&engine, &error);
    if (!well) printf("%s\n", ty_error(error));
    well = well && train(STEPS, losses[0]) && ty_use_engine("counting") && train(STEPS, losses[1]);
    ty_use_engine("cpu");
    for (int i = 0; well && i < STEPS; i++) {
        well = losses[0][i] == losses[1][i];
        printf("step %d  loss %.9f by cpu, %.9f by counting\n", i, losses[0][i], losses[1][i]);
    }
    ty_engine_counts state;
    ty_engine_counted("counting", &state);
    printf("%lld operations and %lld bytes in %lld launches; cpu computed %lld of its kernels\n",
           (long long)counts.operations, (long long)counts.bytes, (long long)state.launches,
           (long long)state.refused);
    well = well && mix();
    ty_close(scope);
    if (!ty_engine_unregister("counting", &error)) printf("%s\n", ty_error(error)), well = false;
    return !well;
}
