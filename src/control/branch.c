#include "control/branch.h"
#include "base/alloc.h"
#include <tyto/create.h>
#include <tyto/shape.h>
#include "control/loop.h"
#include "control/many.h"
#include "control/recorder.h"
#include "grad/forward.h"
#include "grad/reverse.h"

/* ---- the operator ---- */

/* Check that branch `number` fits the operands and has results like those of the first. False, with the fault
   set, on failure. */
static bool check_body(struct infer *in, int number) {
    const struct branch_attr *a = in->attr;
    const struct body *first = a->bodies[0].body, *b = a->bodies[number].body;
    if (b->nparameters != in->ninputs - 1 || b->nroots != first->nroots)
        return infer_fault(in, E_ARGUMENT, "branch %d has %d parameters and %d results; expected %d and %d",
                           number, b->nparameters, b->nroots, in->ninputs - 1, first->nroots);
    for (int i = 0; i < b->nparameters; i++)
        if (!tensor_same_form(b->parameters[i], in->inputs[i + 1]))
            return infer_fault(in, E_SHAPE, "operand %d does not fit the parameter of branch %d", i, number);
    char left[128], right[128];
    for (int i = 0; i < b->nroots; i++)
        if (!tensor_same_form(b->roots[i], first->roots[i]))
            return infer_fault(in, E_ARGUMENT,
                               "result %d of branch 0 is %s, of branch %d %s; all must be the same", i,
                               tensor_describe_into(left, sizeof left, first->roots[i]), number,
                               tensor_describe_into(right, sizeof right, b->roots[i]));
    return true;
}

/* Infer the operator `branch`, a node without elements, into *in; checks its index operand and its subgraphs.
   False, with the fault set, if one is invalid. */
static bool infer(struct infer *in) {
    const struct branch_attr *a = in->attr;
    infer_nothing(in);
    if (in->attr_bytes < sizeof *a || a->nbodies < 1 || in->attr_bytes < branch_attr_bytes(a) ||
        in->ninputs < 1)
        return infer_fault(in, E_ARGUMENT, "expected at least one branch");
    if (in->inputs[0]->dtype != TY_I64 || in->inputs[0]->layout.rank != 0)
        return infer_fault(in, E_DTYPE, "the index of the branch must be i64[]");
    for (int i = 0; i < a->nbodies; i++)
        if (!check_body(in, i)) return false;
    return true;
}

static void describe(const struct infer *in, struct text *t) {
    const struct branch_attr *a = in->attr;
    text_add(t, "one of bodies");
    for (int i = 0; i < a->nbodies; i++) text_add(t, " %llu", (unsigned long long)a->bodies[i].body_id);
}

static void retain(void *attr) {
    struct branch_attr *a = attr;
    for (int i = 0; i < a->nbodies; i++) body_retain(a->bodies[i].body);
}

static void release(void *attr) {
    struct branch_attr *a = attr;
    for (int i = 0; i < a->nbodies; i++) body_release(a->bodies[i].body);
}

/* True if one of the branches may refuse values at run time. */
static bool refuses(const void *attr) {
    const struct branch_attr *a = attr;
    bool any = false;
    for (int i = 0; i < a->nbodies; i++) any = any || a->bodies[i].body->refuses;
    return any;
}

/* Set *roots to the outputs and *id to the id of the subgraph of branch i, from 0, and return the number of
   outputs; 0, with nothing set, if there is no branch i. */
static int body(const void *attr, int i, ty_tensor *const **roots, uint64_t *id) {
    const struct branch_attr *a = attr;
    if (i >= a->nbodies) return 0;
    *roots = a->bodies[i].body->roots;
    *id = a->bodies[i].body_id;
    return a->bodies[i].body->nroots;
}

static int results(const void *attr) { return ((const struct branch_attr *)attr)->bodies[0].body->nroots; }

static bool result(const void *attr, int64_t index, struct infer *in) {
    infer_like(in, ((const struct branch_attr *)attr)->bodies[0].body->roots[index]);
    return true;
}

ATTRIBUTES(attributes, sizeof(struct branch_attr),
           FIELD_TAIL(struct branch_attr, bodies, BODY, .many = FIELD_COUNTED,
                      .counter = offsetof(struct branch_attr, nbodies)));

static void vjp_all(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
static ty_tensor *jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted);

const struct op op_branch = {
    .name = "branch",
    .kind = KERNEL_BRANCH,
    .arity = -1,
    .infer = infer,
    .vjp_all = vjp_all,
    .jvp = jvp,
    .batch_results = branch_batch,
    .reach_results = branch_reach,
    .attributes = &attributes,
    .describe = describe,
    .attr_retain = retain,
    .attr_release = release,
    .refuses = refuses,
    .body = body,
    .results = results,
    .result = result,
    .row = -1,
    .lazy = true,
    .onnx = "If",
    .doc = "one of several bodies, chosen when it runs: cond, switch, and their gradients"};

ty_tensor *branch_node(ty_tensor *which, int nbodies, struct body *const *bodies, int n,
                       ty_tensor *const *operands) {
    struct branch_attr *a = mem_alloc(branch_attr_bytes(&(struct branch_attr){.nbodies = nbodies}));
    ty_tensor **inputs = mem_array((size_t)n + 1, sizeof *inputs), *node = tensor_out_of_memory();
    if (a && inputs) {
        a->nbodies = nbodies;
        for (int i = 0; i < nbodies; i++) {
            a->bodies[i].body = bodies[i];
            a->bodies[i].body_id = bodies[i]->id;
        }
        inputs[0] = which;
        for (int i = 0; i < n; i++) inputs[i + 1] = operands[i];
        node = record(&op_branch, a, branch_attr_bytes(a), n + 1, inputs);
    }
    mem_free(a);
    mem_free(inputs);
    return node;
}

/* ---- the gradient: a branch whose bodies compute the forward values again ---- */

/* The gradient of one branch. */
struct branch_back {
    const struct branch_attr *attr;
    int nx, ng, nwanted;
    /* of_gradient[i], i < ng: results with a gradient; wanted[i], i < nwanted: operands that need one */
    int *of_gradient, *wanted;
};

/* Compute the gradients of the wanted operands for branch `which` into results[]; context is a struct back.
   x[] has the nx operands, then the ng gradients of the branch's results. On failure results[] are poison. */
static void backward(void *context, int which, ty_tensor *const *x, ty_tensor **results) {
    const struct branch_back *b = context;
    const struct body *f = b->attr->bodies[which].body;
    struct fault fault = {0};
    ty_tensor **roots = mem_array((size_t)f->nroots + (size_t)b->ng + (size_t)b->nwanted, sizeof *roots);
    bool done = roots || fault_memory(&fault, sizeof *roots);
    for (int i = 0; done && i < f->nroots; i++) roots[i] = f->roots[i];
    done = done && substitute(0, b->nx, f->parameters, x, f->nroots, roots, &fault);
    for (int i = 0; done && i < b->ng; i++) roots[f->nroots + i] = roots[b->of_gradient[i]];
    for (int i = 0; done && i < b->nwanted; i++) roots[f->nroots + b->ng + i] = x[b->wanted[i]];
    done = done && reverse_all(0, b->ng, roots + f->nroots, x + b->nx, b->nwanted, roots + f->nroots + b->ng,
                               results, &fault);
    for (int i = 0; i < b->nwanted; i++)
        if (!done || !results[i]) results[i] = done ? reverse_zeros(x[b->wanted[i]]) : tensor_fault(&fault);
    mem_free(roots);
}

/* Record the branch operator that computes the gradients of y's needed operands, listed in b->wanted, into
   results[], from `set`, the gradients of y's results. operands[] is scratch. False, with no fault set, if
   there are none to compute. On failure results[] are poison. */
static bool record_back(ty_tensor *y, ty_tensor *set, const bool *needed, struct branch_back *b,
                        ty_tensor **operands, ty_tensor **results) {
    for (int i = 0; i < b->nx; i++) {
        operands[i] = y->inputs[i + 1];
        if (needed[i + 1] && has_gradient(operands[i])) b->wanted[b->nwanted++] = i;
    }
    for (int i = 0; i < b->attr->bodies[0].body->nroots; i++) {
        ty_tensor *g = gradients_of(set, i);
        if (!g) continue;
        operands[b->nx + b->ng] = g;
        b->of_gradient[b->ng++] = i;
    }
    if (!b->ng || !b->nwanted) return false;
    choose_by("gradient of a branch", y->inputs[0], (int)b->attr->nbodies, backward, b, b->nx + b->ng,
              operands, b->nwanted, results);
    return true;
}

/* Gradient rule of the operator `branch`: set out[i] for each needed[i] to the gradient by operand i. g is
   the set of gradients of its results. On failure out[] is poison. */
static void vjp_all(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out) {
    struct branch_back b = {.attr = y->attr, .nx = y->ninputs - 1};
    size_t nroots = (size_t)b.attr->bodies[0].body->nroots, nx = (size_t)b.nx;
    int *numbers = mem_array(nroots + nx, sizeof *numbers);
    ty_tensor **operands = mem_array(nroots + 2 * nx, sizeof *operands), **results = operands + nroots + nx;
    b.of_gradient = numbers;
    b.wanted = numbers + nroots;
    bool fits = numbers && operands;
    if (fits && record_back(y, g, needed, &b, operands, results))
        for (int i = 0; i < b.nwanted; i++) out[b.wanted[i] + 1] = results[i];
    for (int i = 0; i < b.nx && !fits; i++)
        if (needed[i + 1]) out[i + 1] = tensor_out_of_memory();
    mem_free(numbers);
    mem_free(operands);
}

/* ---- the tangent: a branch over the tangents of the bodies ---- */

/* The tangent of one branch. */
struct along {
    const struct branch_attr *attr;
    int nx, nt, nwanted;
    /* moving[i], i < nt: operands with a tangent; wanted[i], i < nwanted: results whose tangent is needed */
    int *moving, *wanted;
};

/* Compute the tangents of the wanted results for branch `which` into results[]; context is a struct along.
   x[] has the nx operands, then the nt tangents. On failure results[] are poison. */
static void move(void *context, int which, ty_tensor *const *x, ty_tensor **results) {
    const struct along *m = context;
    const struct body *f = m->attr->bodies[which].body;
    struct fault fault = {0};
    size_t nroots = (size_t)f->nroots;
    ty_tensor **roots = mem_array(nroots + (size_t)m->nwanted + (size_t)m->nt, sizeof *roots);
    ty_tensor **y = roots + nroots, **moving = y + m->nwanted;
    bool done = roots || fault_memory(&fault, nroots * sizeof *roots);
    for (int i = 0; done && i < f->nroots; i++) roots[i] = f->roots[i];
    done = done && substitute(0, m->nx, f->parameters, x, f->nroots, roots, &fault);
    for (int i = 0; done && i < m->nwanted; i++) y[i] = roots[m->wanted[i]];
    for (int i = 0; done && i < m->nt; i++) moving[i] = x[m->moving[i]];
    done = done && forward_all(0, m->nwanted, y, m->nt, moving, x + m->nx, results, &fault);
    for (int i = 0; i < m->nwanted; i++)
        if (!done || !results[i])
            results[i] = done ? reverse_zeros(f->roots[m->wanted[i]]) : tensor_fault(&fault);
    mem_free(roots);
}

/* Record the branch operator that computes the tangents of y's results with wanted[], from the tangents t[]
   of its operands. operands[] and results[] are scratch. Return the set of tangents; NULL if no wanted result
   has one; poison on failure. */
static ty_tensor *record_move(ty_tensor *y, ty_tensor *const *t, const bool *wanted, struct along *m,
                              ty_tensor **operands, ty_tensor **results) {
    const struct body *first = m->attr->bodies[0].body;
    for (int i = 0; i < m->nx; i++) operands[i] = y->inputs[i + 1];
    for (int i = 0; i < m->nx; i++) {
        if (!t[i + 1]) continue;
        operands[m->nx + m->nt] = t[i + 1];
        m->moving[m->nt++] = i;
    }
    for (int i = 0; i < first->nroots; i++)
        if (wanted && wanted[i] && has_gradient(first->roots[i])) m->wanted[m->nwanted++] = i;
    if (!m->nwanted) return NULL;
    bool done = choose_by("tangent of a branch", y->inputs[0], (int)m->attr->nbodies, move, m, m->nx + m->nt,
                          operands, m->nwanted, results);
    return done ? gradients_new(m->nwanted, m->wanted, results) : results[0];
}

/* Tangent rule of the operator `branch`: return the set of tangents of y's wanted results for tangents t[]
   of its operands. NULL: they are 0. Poison on failure. */
static ty_tensor *jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    struct along m = {.attr = y->attr, .nx = y->ninputs - 1};
    size_t nroots = (size_t)m.attr->bodies[0].body->nroots, nx = (size_t)m.nx;
    int *numbers = mem_array(nroots + nx, sizeof *numbers);
    ty_tensor **tensors = mem_array(nroots + 2 * nx, sizeof *tensors), *set = tensor_out_of_memory();
    if (numbers && tensors) {
        m.wanted = numbers;
        m.moving = numbers + nroots;
        set = record_move(y, t, wanted, &m, tensors + nroots, tensors);
    }
    mem_free(numbers);
    mem_free(tensors);
    return set;
}
