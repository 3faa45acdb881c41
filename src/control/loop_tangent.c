/*
 * The tangent of a loop is one loop that computes values and tangents together. Its carries, sequences and
 * shared operands are those of the first loop and their tangents. No step is stored, and the number of steps
 * may be unknown. The tangent of a step is that of the body's graph.
 */
#include <tyto/shape.h>
#include "base/arena.h"
#include "control/loop.h"
#include "control/recorder.h"
#include "control/results.h"
#include "grad/forward.h"
#include "grad/reverse.h"

/* State of the tangent of one loop; lists are in `arena`. */
struct along {
    ty_tensor *loop;
    const struct loop_attr *attr;
    ty_tensor *const *t; /* tangents by operand; NULL: 0 */
    const bool *wanted;  /* by result */
    struct arena arena;
    struct fault fault;

    ty_tensor **moves; /* by parameter of the body: the parameter that is its tangent; NULL: 0 */
    ty_tensor **flows; /* by output of the body: its tangent; NULL: 0 */

    int n, ncarries, nsequences; /* numbers of parameters, carries and sequences of the new body */
    /* by new parameter: the node it replaces, the parameter, its operand (NULL for the index) */
    ty_tensor **originals, **parameters, **operands;
    struct captures captures;
};

/* Return the index of the loop's operand for parameter number `parameter` of its body, which must not be the
   step's index. */
static int operand_of(const struct along *m, int parameter) {
    return parameter < loop_index_parameter(m->attr) ? parameter : parameter - 1;
}

/* Return a new parameter, number -1 - i, for the tangent of parameter i of the loop body. Poison on failure. */
static ty_tensor *moving_parameter(struct along *m, int i) {
    const ty_tensor *x = m->attr->body->parameters[i];
    return parameter_new(-1 - i, x->dtype, x->layout.rank, x->layout.shape);
}

/* ---- the tangent of one step, on the parameters of the body ---- */

/* Set m->flows[], the tangents of the loop body's outputs (NULL: 0), from m->moves, those of its parameters.
   False, with the fault set, on failure. */
static bool step_along(struct along *m) {
    const struct body *f = m->attr->body;
    size_t n = (size_t)f->nparameters;
    ty_tensor **x = arena_array(&m->arena, 2 * n + 1, sizeof *x), **t = x + n;
    int count = 0;
    if (!x) return fault_memory(&m->fault, n * sizeof *x);
    for (int i = 0; i < f->nparameters; i++) {
        if (!m->moves[i]) continue;
        if (!ty_ok(m->moves[i])) return fault_tensor(&m->fault, m->moves[i]);
        x[count] = f->parameters[i];
        t[count++] = m->moves[i];
    }
    return forward_all(0, f->nroots, f->roots, count, x, t, m->flows, &m->fault);
}

/* Find the parameters with a tangent by fixed-point iteration: those given one, and carries that get one from
   a step. Each gets a parameter in m->moves. False, with the fault set, on failure. */
static bool find_moves(struct along *m) {
    const struct loop_attr *a = m->attr;
    for (int i = 0; i < a->body->nparameters; i++)
        if (i != loop_index_parameter(a) && m->t[operand_of(m, i)]) m->moves[i] = moving_parameter(m, i);
    for (bool changed = true; changed;) {
        changed = false;
        if (!step_along(m)) return false;
        for (int i = 0; i < a->ncarries; i++) {
            if (!m->flows[i] || m->moves[i]) continue;
            m->moves[i] = moving_parameter(m, i);
            changed = true;
        }
    }
    return true;
}

/* ---- the new loop: parameters and operands ---- */

/* Append to the lists of m a parameter of the new loop body in place of `original`, and the loop's `operand`
   for it. False, with the fault set, on failure. */
static bool add_parameter(struct along *m, ty_tensor *original, ty_tensor *operand) {
    ty_tensor *p = parameter_new(m->n, original->dtype, original->layout.rank, original->layout.shape);
    m->originals[m->n] = original;
    m->operands[m->n] = operand;
    m->parameters[m->n++] = p;
    return ty_ok(p) || fault_tensor(&m->fault, p);
}

/* Append parameters first .. end-1 of the loop body to the new one, then those of their tangents. False, with
   the fault set, on failure. */
static bool add_parameters(struct along *m, int first, int end) {
    const struct body *f = m->attr->body;
    bool done = true;
    for (int i = first; i < end && done; i++)
        done = add_parameter(m, f->parameters[i], m->loop->inputs[operand_of(m, i)]);
    for (int i = first; i < end && done; i++) {
        int operand = operand_of(m, i);
        if (m->moves[i])
            done = add_parameter(m, m->moves[i],
                                 m->t[operand] ? m->t[operand] : reverse_zeros(m->loop->inputs[operand]));
    }
    return done;
}

/* List the parameters and operands of the new loop body: carries, sequences, index, shared ones, then
   captures, each kind with its tangents. False, with the fault set, on failure. */
static bool order_parameters(struct along *m) {
    const struct loop_attr *a = m->attr;
    const struct body *f = a->body;
    int index = loop_index_parameter(a);
    size_t most = 2 * (size_t)f->nparameters + (size_t)m->captures.count + 1;
    m->originals = arena_array(&m->arena, most, sizeof *m->originals);
    m->parameters = arena_array(&m->arena, most, sizeof *m->parameters);
    m->operands = arena_array(&m->arena, most + 1, sizeof *m->operands);
    if (!m->originals || !m->parameters || !m->operands)
        return fault_memory(&m->fault, 3 * most * sizeof *m->operands);
    if (!add_parameters(m, 0, a->ncarries)) return false;
    m->ncarries = m->n;
    if (!add_parameters(m, a->ncarries, index)) return false;
    m->nsequences = m->n - m->ncarries;
    bool done = add_parameter(m, f->parameters[index], NULL) && add_parameters(m, index + 1, f->nparameters);
    for (int i = 0; i < m->captures.count && done; i++)
        done = add_parameter(m, m->captures.tensors[i], m->captures.tensors[i]);
    return done;
}

/* ---- the new loop: outputs and results ---- */

/* Tangents that the caller wants: which[i] is a result of the new loop, the tangent of result of[i] of the
   first. */
struct tangents {
    int n, *which, *of;
};

static void add_tangent(struct tangents *r, int which, int of) {
    r->which[r->n] = which;
    r->of[r->n++] = of;
}

static bool is_wanted(const struct along *m, int result) { return m->wanted && m->wanted[result]; }

/* List the outputs of the new loop body in roots[]: next carries and their tangents, results and the wanted
   tangents of these, the stop flag. Return their number. *e gets the counts of histories and stacked results,
   *r the results that are tangents. Outputs that nobody reads are not computed, unless pass_loops merges the
   first loop with this one. */
static int order_roots(struct along *m, struct loop_attr *e, ty_tensor **roots, struct tangents *r) {
    const struct loop_attr *a = m->attr;
    ty_tensor *const *f = a->body->roots;
    int n = 0, moved = 0;
    for (int i = 0; i < a->ncarries; i++) roots[n++] = f[i];
    for (int i = 0; i < a->ncarries; i++) {
        if (!m->moves[i]) continue;
        int history = loop_history_of(a, i), carry = a->ncarries + moved++;
        roots[n++] = m->flows[i] ? m->flows[i] : reverse_zeros(f[i]);
        if (is_wanted(m, i)) add_tangent(r, carry, i);
        if (history >= 0 && is_wanted(m, loop_history_result(a, history)))
            e->histories[e->nhistories++] = carry;
    }
    for (int i = a->ncarries; i < a->ncarries + a->nstacked; i++) roots[n++] = f[i];
    for (int i = a->ncarries; i < a->ncarries + a->nstacked; i++) {
        if (!m->flows[i] || !is_wanted(m, i)) continue;
        add_tangent(r, n, i);
        roots[n++] = m->flows[i];
        e->nstacked++;
    }
    if (a->stops) roots[n++] = f[a->body->nroots - 1];
    return n;
}

/* Add to *r the tangents of the histories in loop e, with the results of the first loop that they belong
   to. */
static void add_histories(const struct along *m, const struct loop_attr *e, struct tangents *r) {
    const struct loop_attr *a = m->attr;
    for (int i = 0, moved = 0; i < a->ncarries; i++) {
        if (!m->moves[i]) continue;
        int history = loop_history_of(e, a->ncarries + moved++);
        if (history >= 0)
            add_tangent(r, loop_history_result(e, history), loop_history_result(a, loop_history_of(a, i)));
    }
}

/* Find the captures of the outputs roots[]: tensors from outside that they read, which become parameters.
   False, with the fault set, on failure. */
static bool find_captures(struct along *m, int nroots, ty_tensor *const *roots) {
    const struct body *f = m->attr->body;
    int n = 0;
    ty_tensor **all = arena_array(&m->arena, 2 * (size_t)f->nparameters + 1, sizeof *all);
    if (!all) return fault_memory(&m->fault, (size_t)f->nparameters * sizeof *all);
    for (int i = 0; i < f->nparameters; i++) {
        all[n++] = f->parameters[i];
        if (m->moves[i]) all[n++] = m->moves[i];
    }
    return captures_add(&m->captures, 0, true, n, all, nroots, roots, &m->fault);
}

/* Record the new loop with outputs roots[nroots] and attributes *e, which is completed, and return its node.
   roots[] is rewritten in terms of the parameters. NULL, with the fault set, on failure. */
static ty_tensor *make_node(struct along *m, struct loop_attr *e, int nroots, ty_tensor **roots) {
    if (!find_captures(m, nroots, roots) || !order_parameters(m) ||
        !substitute(0, m->n, m->originals, m->parameters, nroots, roots, &m->fault))
        return NULL;
    e->ncarries = m->ncarries;
    e->nsequences = m->nsequences;
    struct extension extends = {
        m->attr->body, {m->attr->ncarries, m->attr->nsequences}, {m->ncarries, m->nsequences}};
    e->body = body_make(m->n, m->parameters, nroots, roots, &extends, &m->fault);
    if (!e->body) return NULL;
    e->body_id = e->body->id;
    int n = 0, index = m->ncarries + m->nsequences;
    for (int i = 0; i < m->n; i++)
        if (i != index) m->operands[n++] = m->operands[i];
    if (e->counted) m->operands[n++] = m->loop->inputs[m->loop->ninputs - 1];
    ty_tensor *node = record(&op_loop, e, loop_attr_bytes(e), n, m->operands);
    body_release(e->body);
    if (ty_ok(node)) return node;
    fault_tensor(&m->fault, node);
    return NULL;
}

/* Record the new loop and return the set of wanted tangents. NULL if all are 0, or with the fault set on
   failure. */
static ty_tensor *run_along(struct along *m) {
    const struct loop_attr *a = m->attr;
    size_t n = 2 * (size_t)loop_results(a) + (size_t)a->ncarries + 2;
    struct loop_attr *e = arena_alloc(&m->arena, sizeof *e + (size_t)a->ncarries * sizeof *e->histories);
    ty_tensor **roots = arena_array(&m->arena, 2 * n, sizeof *roots), **results = roots + n;
    struct tangents r = {.which = arena_array(&m->arena, 2 * n, sizeof *r.which)};
    if (!e || !roots || !r.which) {
        fault_memory(&m->fault, n * sizeof *roots);
        return NULL;
    }
    r.of = r.which + n;
    *e = *a;
    e->nhistories = 0;
    int nroots = order_roots(m, e, roots, &r);
    ty_tensor *node = r.n || e->nhistories ? make_node(m, e, nroots, roots) : NULL;
    if (!node) return NULL;
    add_histories(m, e, &r);
    if (results_of(node, r.n, r.which, results)) return gradients_new(r.n, r.of, results);
    for (int i = 0; i < r.n; i++)
        if (!ty_ok(results[i]))
            fault_set(&m->fault, ty_error_code(results[i]), "tangent of a loop: %s", ty_error(results[i]));
    return NULL;
}

ty_tensor *loop_jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    struct along m = {.loop = y, .attr = y->attr, .t = t, .wanted = wanted};
    const struct body *f = m.attr->body;
    ++tensor_level;
    m.moves = arena_array(&m.arena, (size_t)f->nparameters + (size_t)f->nroots + 1, sizeof *m.moves);
    m.flows = m.moves + f->nparameters;
    bool done = m.moves ? find_moves(&m) : fault_memory(&m.fault, sizeof *m.moves);
    --tensor_level;
    ty_tensor *set = done ? run_along(&m) : NULL;
    if (m.fault.set) set = tensor_fault(&m.fault);
    captures_drop(&m.captures);
    arena_drop(&m.arena);
    return set;
}
