/*
 * Batched loops: one loop with a batched body. Which carries differ between examples is found by fixed-point
 * iteration: a carry that differs after a step differs before the next. If examples stop at different times,
 * the loop runs until all have stopped. A step then changes only the examples that still run. Each example
 * has a step counter and, if it may stop, a running flag.
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/arena.h"
#include "control/loop.h"
#include "control/many.h"
#include "control/results.h"
#include "grad/batch.h"
#include "ops/shape/batch.h"

/* A loop being batched; lists are in `arena`. */
struct many {
    const struct batch *b;
    const struct loop_attr *attr; /* of the unbatched loop */
    struct arena arena;
    struct fault fault;
    bool *differs; /* by parameter of the body: it has the batch axis */
    bool *roots;   /* by output of the body: it has the batch axis */
    bool counts;   /* the number of steps differs between examples */
    bool stops;    /* the stop flag differs between examples */
    ty_tensor **old, **parameters, **replacements, **made, **operands; /* scratch */
    int nparameters, noperands;
};

/* True if examples may run different numbers of steps of the loop. */
static bool uneven(const struct many *m) { return m->counts || m->stops; }
/* Return the number of additional carries, after the others: step counters and, if the loop may stop, running
   flags, one per example each. 0 for an even loop. */
static int added(const struct many *m) { return uneven(m) ? 1 + m->stops : 0; }

/* Allocate the tables of parameters, operands and outputs. False, with the fault set, on failure. */
static bool make_room(struct many *m) {
    const struct body *f = m->attr->body;
    size_t n = (size_t)f->nparameters + (size_t)f->nroots + 8;
    ty_tensor ***lists[] = {&m->parameters, &m->replacements, &m->made, &m->operands};
    m->differs = arena_array(&m->arena, n, sizeof *m->differs);
    m->roots = arena_array(&m->arena, n, sizeof *m->roots);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!(*lists[i] = arena_array(&m->arena, n, sizeof **lists[i])))
            return fault_memory(&m->fault, n * sizeof **lists[i]);
    return (m->differs && m->roots) || fault_memory(&m->fault, n);
}

/* Set m->differs[i] for the parameters of the loop body whose operands have the batch axis, and m->counts if
   the number of steps has it. */
static void begin(struct many *m) {
    const struct loop_attr *a = m->attr;
    for (int i = 0; i < a->body->nparameters; i++) {
        int operand = i < loop_index_parameter(a) ? i : i - 1;
        m->differs[i] = i != loop_index_parameter(a) && m->b->batched[operand];
    }
    m->counts = a->counted && m->b->batched[m->b->y->ninputs - 1];
}

/* ---- the loop body ---- */

/* True if x is not poison. Else copy its message to m->fault and return false. */
static bool well(struct many *m, ty_tensor *x) { return ty_ok(x) || fault_tensor(&m->fault, x); }

/* Append a parameter of this dtype and shape to the batched loop body and write it to *to. False, with the
   fault set, on failure. */
static bool add_parameter(struct many *m, ty_tensor **to, ty_dtype dtype, int rank, const int64_t *shape) {
    *to = m->parameters[m->nparameters] = parameter_new(m->nparameters, dtype, rank, shape);
    m->nparameters++;
    return well(m, *to);
}

/* Append the parameter for parameter i of the unbatched loop body, with the batch axis if it differs between
   examples. False, with the fault set, on failure. */
static bool add_like(struct many *m, int i) {
    const ty_tensor *p = m->attr->body->parameters[i];
    int64_t shape[TY_MAX_RANK + 1] = {m->b->n};
    bool differs = m->differs[i];
    if (differs && p->layout.rank == TY_MAX_RANK)
        return fault_set(&m->fault, E_LIMIT,
                         "vmap of a loop: a carry has %d axes, the maximum, and needs one more", TY_MAX_RANK);
    for (int k = 0; k < p->layout.rank; k++) shape[k + differs] = p->layout.shape[k];
    return add_parameter(m, &m->replacements[i], p->dtype, p->layout.rank + differs, shape);
}

/* Additional parameters of an uneven loop; NULL: not used. */
struct own {
    ty_tensor *steps, *running, *count;
};

/* Make the parameters of the batched loop body for those of f, and the additional carries of an uneven loop,
   in *own. False, with the fault set, on failure. */
static bool make_parameters(struct many *m, const struct body *f, struct own *own) {
    const struct loop_attr *a = m->attr;
    bool done = true;
    m->nparameters = 0;
    for (int i = 0; i < f->nparameters && done; i++) {
        if (i == a->ncarries && uneven(m)) done = add_parameter(m, &own->steps, TY_I64, 1, &m->b->n);
        if (i == a->ncarries && m->stops && done)
            done = add_parameter(m, &own->running, TY_BOOL, 1, &m->b->n);
        done = done && add_like(m, i);
        if (i == loop_index_parameter(a) && m->counts && done)
            done = add_parameter(m, &own->count, TY_I64, 1, &m->b->n);
    }
    return done;
}

/* Return x, [n, ...], for examples where `runs`, bool[n], is true, else y. */
static ty_tensor *choose(ty_tensor *runs, ty_tensor *x, ty_tensor *y) {
    return ty_where(batch_align(runs, ty_rank(x) - 1), x, y);
}

/* Convert m->made[], in place, from the outputs of an even loop to those of an uneven one: examples that have
   stopped keep their carries. Outputs after the carries move up by added(m). False, with the fault set, on
   failure. */
static bool settle(struct many *m, const struct body *f, const struct own *own) {
    const struct loop_attr *a = m->attr;
    ty_tensor *index = m->replacements[loop_index_parameter(a)], *runs = own->running;
    ty_tensor *counted = m->counts ? ty_lt(index, own->count) : NULL;
    runs = !counted ? runs : !runs ? counted : ty_logical_and(runs, counted);
    int nstacked = f->nroots - a->ncarries - (a->stops != 0), more = added(m);
    for (int i = 0; i < a->ncarries; i++) m->made[i] = choose(runs, m->made[i], m->replacements[i]);
    for (int i = f->nroots - 1; i >= a->ncarries; i--) m->made[i + more] = m->made[i];
    ty_tensor **made = m->made + a->ncarries;
    *made++ = ty_add(own->steps, ty_cast(runs, TY_I64));
    ty_tensor **running = made;
    if (m->stops) made++;
    for (int i = 0; i < nstacked; i++) {
        ty_tensor *y = m->roots[a->ncarries + i] ? made[i] : batch_repeat(made[i], m->b->n);
        made[i] = ty_ok(y) ? choose(runs, y, ty_scalar(ty_dtype_of(y), 0)) : y;
        m->roots[a->ncarries + i] = true;
    }
    if (m->stops) {
        /* the flag of a stopped example is arbitrary */
        ty_tensor *stop = ty_logical_and(made[nstacked], runs);
        *running = ty_logical_and(own->running, ty_logical_not(stop));
        made[nstacked] = ty_logical_not(ty_any(*running, TY_ALL));
    }
    for (int i = 0; i < f->nroots + more; i++)
        if (!well(m, m->made[i])) return false;
    return true;
}

/* Batch the outputs of the loop body f into m->made[]. *known is set to true, or to false if more carries
   differ between examples than were marked; then call it again. False, with the fault set, on failure. */
static bool try_roots(struct many *m, const struct body *f, struct own *own, bool *known) {
    const struct loop_attr *a = m->attr;
    *known = true;
    if (!make_parameters(m, f, own)) return false;
    struct batch_job job = {.n = m->b->n,
                            .ny = f->nroots,
                            .nx = f->nparameters,
                            .y = f->roots,
                            .x = f->parameters,
                            .replacements = m->replacements,
                            .batched = m->differs};
    if (!batch_graph(&job, m->made, m->roots, &m->fault)) return false;
    bool stops = a->stops && m->roots[f->nroots - 1];
    if (stops && !m->stops) *known = false;
    m->stops = m->stops || stops;
    for (int i = 0; i < a->ncarries; i++) {
        if (!m->differs[i] && (m->roots[i] || uneven(m))) *known = false, m->differs[i] = true;
        if (m->differs[i] && !m->roots[i]) m->made[i] = batch_repeat(m->made[i], m->b->n);
        if (!well(m, m->made[i])) return false;
    }
    return true;
}

static struct body *make_body(struct many *m, const struct body *f);

/* Return the batched loop body of the one that f extends, so that pass_loops can still merge the two loops;
   the caller releases it. NULL, with no fault set, if there is none or it cannot be made; then merging is
   lost. */
static struct body *make_base(struct many *m, const struct body *f) {
    const struct loop_attr *a = m->attr;
    const struct extension *e = &f->extends;
    struct body *base = e->base;
    bool alike = base && e->of_base.carries == a->ncarries && e->of_base.sequences == a->nsequences &&
                 e->own.carries == a->ncarries && e->own.sequences == a->nsequences;
    if (!alike || base->nroots < a->ncarries + (a->stops != 0) || base->nroots > f->nroots ||
        base->nparameters <= loop_index_parameter(a) || base->nparameters > f->nparameters)
        return NULL;
    struct fault before = m->fault;
    struct body *made = make_body(m, base);
    if (!made) m->fault = before;
    return made;
}

static struct body *make_extending(struct many *m, const struct body *f, struct body *base) {
    struct body_kinds kinds = {m->attr->ncarries + added(m), m->attr->nsequences};
    return body_make(m->nparameters, m->parameters, f->nroots + added(m), m->made,
                     &(struct extension){base, kinds, kinds}, &m->fault);
}

/* Return the batched body of f; the caller releases it. NULL, with the fault set, on failure. */
static struct body *make_body(struct many *m, const struct body *f) {
    struct body *base = make_base(m, f), *b = NULL;
    ty_scope *scope = ty_open();
    struct own own = {0};
    bool known = false, done = true;
    ++tensor_level;
    while (done && !known) done = try_roots(m, f, &own, &known);
    if (done && (!uneven(m) || settle(m, f, &own))) b = make_extending(m, f, base);
    --tensor_level;
    ty_close(scope);
    if (base) body_release(base);
    return b;
}

/* ---- the loop ---- */

/* Return x with its first two axes swapped: [steps, n, ...] <-> [n, steps, ...]; x itself if it has one axis. */
static ty_tensor *swapped(ty_tensor *x) {
    int order[TY_MAX_RANK];
    for (int i = 0; i < ty_rank(x); i++) order[i] = i;
    if (ty_rank(x) > 1) order[0] = 1, order[1] = 0;
    return ty_permute(x, order);
}

/* Return, i64[], the largest of the counts, i64[n], or 0 if n is 0. */
static ty_tensor *most(ty_tensor *counts) {
    ty_tensor *none = ty_zeros(TY_I64, TY_SHAPE(1));
    return ty_amax(ty_concat(2, (ty_tensor *[]){counts, none}, 0), TY_ALL);
}

/* Set m->operands[0 .. m->noperands - 1] to the operands of the batched loop. */
static void make_operands(struct many *m) {
    const struct loop_attr *a = m->attr;
    const struct batch *b = m->b;
    ty_tensor **to = m->operands;
    int n = b->y->ninputs - (a->counted != 0), i = 0;
    for (; i < a->ncarries; i++) *to++ = m->differs[i] ? batch_operand(b, i) : b->x[i];
    if (uneven(m)) *to++ = ty_zeros(TY_I64, 1, &b->n);
    if (m->stops) *to++ = ty_ones(TY_BOOL, 1, &b->n);
    for (; i < loop_index_parameter(a); i++) *to++ = b->batched[i] ? swapped(b->x[i]) : b->x[i];
    if (m->counts) *to++ = b->x[n];
    for (; i < n; i++) *to++ = b->x[i];
    if (a->counted) *to++ = m->counts ? most(b->x[n]) : b->x[n];
    m->noperands = (int)(to - m->operands);
}

/* Record the batched loop and return its node. Poison on failure. */
static ty_tensor *make_node(struct many *m) {
    const struct loop_attr *a = m->attr;
    struct loop_attr *attr = arena_alloc(&m->arena, loop_attr_bytes(a));
    struct body *body = attr ? make_body(m, a->body) : NULL;
    if (!body) return attr ? tensor_fault(&m->fault) : tensor_out_of_memory();
    memcpy(attr, a, loop_attr_bytes(a));
    attr->body = body;
    attr->body_id = body->id;
    attr->ncarries += added(m);
    make_operands(m);
    ty_tensor *node = record(&op_loop, attr, loop_attr_bytes(attr), m->noperands, m->operands);
    body_release(body);
    return node;
}

/* ---- results ---- */

/* Return x, result number `index` of the batched loop, as batched result of the original loop: [n, ...].
   steps, i64 [n], has the number of steps of each example of an uneven loop. Poison stays poison. */
static ty_tensor *result_for_one(const struct many *m, int index, ty_tensor *x, ty_tensor *steps) {
    const struct loop_attr *a = m->attr;
    int stack = index - a->ncarries, history = stack - a->nstacked;
    if (!ty_ok(x) || stack < 0 || history == a->nhistories) return x;
    if (history < 0) return m->roots[index] ? swapped(x) : x;
    if (!m->differs[a->histories[history]]) return x;
    x = swapped(x);
    if (!uneven(m) || !ty_ok(x)) return x;
    int64_t rows = ty_shape(x)[1]; /* histories are 0 for steps that an example did not run */
    ty_tensor *ran = ty_le(ty_iota(TY_I64, 1, &rows, 0), ty_expand(steps, 1));
    for (int i = 2; i < ty_rank(x); i++) ran = ty_expand(ran, -1);
    return ty_where(ran, x, ty_scalar(ty_dtype_of(x), 0));
}

/* Write the batched results which[0..n) of the original loop, taken from the batched loop `node`, to out[n].
   False, with the fault set, on failure. */
static bool hand_out(struct many *m, ty_tensor *node, int n, const int *which, ty_tensor **out) {
    const struct loop_attr *a = m->attr;
    int *places = arena_array(&m->arena, (size_t)n + 1, sizeof *places);
    ty_tensor **results = arena_array(&m->arena, (size_t)n + 1, sizeof *results);
    if (!places || !results) return fault_memory(&m->fault, (size_t)n * sizeof *results);
    for (int i = 0; i < n; i++) {
        bool count = which[i] == loop_count_result(a);
        places[i] = count && uneven(m)       ? a->ncarries
                    : which[i] < a->ncarries ? which[i]
                                             : which[i] + added(m);
    }
    places[n] = a->ncarries; /* step counters */
    if (!results_of(node, n + uneven(m), places, results)) {
        for (int i = 0; i < n + uneven(m); i++)
            if (!well(m, results[i])) return false;
    }
    for (int i = 0; i < n; i++) out[i] = result_for_one(m, which[i], results[i], results[n]);
    return true;
}

void loop_batch(const struct batch *b, int n, const int *which, ty_tensor **out) {
    struct many m = {.b = b, .attr = b->y->attr};
    bool done = make_room(&m);
    if (done) {
        begin(&m);
        ty_tensor *node = make_node(&m);
        done = well(&m, node) && hand_out(&m, node, n, which, out);
    }
    for (int i = 0; i < n && !done; i++) out[i] = tensor_fault(&m.fault);
    arena_drop(&m.arena);
}
