/*
 * Checks of indices apart from the kernels that use them, so that these may write over variables in place.
 *
 * A failing run changes no variable: kernels that may refuse run before all updates (pass_update.c).  So a gather or
 * scatter behind the next value of a variable would prevent that this is written in place, and so would a second scatter
 * that is such a value itself.  Here a kernel that does nothing but check the indices takes over the refusal.  It reads
 * the indices alone, so it needs no update.
 *
 * The check is a gather of zeros that take no memory, at the same indices and with the same operator, so its message is
 * the same.  Neighbours in the flow that would have the same check share one, such as the layers of a network that write
 * at one position.  Indices that depend on such a value cannot be checked before it.
 */
#include <string.h>
#include <tyto/create.h>
#include "base/alloc.h"
#include "compile/passes.h"
#include "ops/core/attributes.h"
#include "ops/core/kernel/kernel_lower.h"
#include "ops/index/index.h"

/* State of the pass. */
struct checks {
    struct flow *flow;
    bool *updates; /* by kernel: it makes the next value of a variable */
    bool *after;   /* by kernel: it needs such a value */
    int *queue;    /* kernels whose successors are to be marked */
    int refusing;  /* number of kernels that update and may refuse */
    int zero;      /* block of the zeros; -1: none yet */
    int last;      /* the kernel that was checked last; -1: none */
    struct fault *fault;
};

/* Return the number of the first index tensor among the inputs of k; its number of inputs if it has none. */
static int first_index(const struct kernel *k) {
    return k->kind == KERNEL_GATHER ? 1 : k->kind == KERNEL_SCATTER ? 2 : k->ncore;
}

/* Mark the kernels that make next values, and those that need one. False, with the fault set, on failure. */
static bool mark(struct checks *c) {
    const struct flow *f = c->flow;
    struct edges e = {0};
    int head = 0, count = 0;
    if (!edges_build(&e, f, c->fault)) {
        edges_drop(&e);
        return false;
    }
    for (int i = 0; i < f->nupdates; i++) {
        int k = f->blocks[f->updates[i].value.slot].writer;
        if (k < 0 || c->updates[k]) continue;
        c->updates[k] = true;
        c->refusing += kernel_may_refuse(f, &f->kernels[k]);
        c->queue[count++] = k;
    }
    while (head < count) {
        int k = c->queue[head++];
        for (int i = e.start[k]; i < e.start[k + 1]; i++) {
            int to = e.to[i];
            if (!c->after[to] && !c->updates[to]) c->queue[count++] = to;
            c->after[to] = true;
        }
    }
    edges_drop(&e);
    return true;
}

/* True if kernel k refuses indices, would prevent an update in place, and its indices exist before all next values. */
static bool is_wanted(const struct checks *c, int k) {
    const struct flow *f = c->flow;
    const struct kernel *kernel = &f->kernels[k];
    int first = first_index(kernel);
    if (first >= kernel->ncore || !kernel_may_refuse(f, kernel)) return false;
    if (!c->after[k] && !(c->updates[k] && c->refusing > 1)) return false;
    for (int i = first; i < kernel->ncore; i++) {
        int writer = f->blocks[kernel->inputs[i].slot].writer;
        if (writer >= 0 && (c->updates[writer] || c->after[writer])) return false;
    }
    return true;
}

/* Return the block of the zero, added on first use. -1, with the fault set, on failure. */
static int zero(struct checks *c) {
    if (c->zero >= 0) return c->zero;
    ty_scope *scope = ty_open();
    ty_tensor *leaf = ty_scalar(TY_U8, 0);
    if (ty_ok(leaf))
        c->zero = flow_add_block(c->flow, BLOCK_CONSTANT, TY_U8, 1, leaf, c->fault);
    else
        fault_tensor(c->fault, leaf);
    ty_close(scope);
    return c->zero;
}

/* Add the kernel that checks the indices of kernel k. False, with the fault set, on failure. */
static bool check_apart(struct checks *c, int k) {
    struct flow *f = c->flow;
    const struct kernel kernel = f->kernels[k];
    const struct gather_attr *attr = kernel.attr;
    int first = first_index(&kernel), n = 1 + kernel.ncore - first;
    int64_t shape[2][TY_MAX_RANK], strides[2][TY_MAX_RANK] = {{0}};
    struct operand inputs[INDEX_MAX_INPUTS], output = {.dtype = TY_U8};
    const struct layout *x = &kernel.inputs[0].layout;
    inputs[0] = (struct operand){.slot = zero(c), .dtype = TY_U8};
    inputs[0].layout = (struct layout){.rank = x->rank, .shape = shape[0], .strides = strides[0]};
    output.layout = (struct layout){.rank = attr->rank, .shape = shape[1], .strides = strides[1]};
    for (int i = 0; i < x->rank; i++) shape[0][i] = attr->axis[i] < GATHER_INDEXED ? 1 : x->shape[i];
    for (int i = 0; i < attr->rank; i++) shape[1][i] = 1;
    for (int i = 1; i < n; i++) {
        inputs[i] = kernel.inputs[first + i - 1];
        const struct layout *index = &inputs[i].layout;
        int64_t *space = shape[1] + attr->end - index->rank;
        for (int a = 0; a < index->rank; a++)
            if (index->shape[a] != 1) space[a] = index->shape[a];
    }
    shape_row_major(attr->rank, shape[1], strides[1]);
    output.slot = inputs[0].slot < 0 ? -1
                                     : flow_add_block(f, BLOCK_TEMPORARY, TY_U8,
                                                      shape_size(attr->rank, shape[1]), NULL, c->fault);
    struct kernel *check = output.slot < 0 ? NULL : flow_add_kernel(f, c->fault);
    if (!check ||
        !kernel_lower(check, &op_gather, attr, kernel.attr_bytes, n, inputs, &output, &f->arena, c->fault))
        return false;
    check->op = kernel.op;
    check->location = kernel.location;
    return true;
}

/* True if the check of kernel `last` is also that of k. */
static bool share_check(const struct kernel *last, const struct kernel *k) {
    const struct gather_attr *attr = k->attr;
    int first = first_index(k);
    const struct layout *x[] = {&last->inputs[0].layout, &k->inputs[0].layout};
    bool same = last->op == k->op && last->ncore == k->ncore && x[0]->rank == x[1]->rank &&
                last->attr_bytes == k->attr_bytes && !memcmp(last->attr, k->attr, k->attr_bytes);
    for (int i = first; i < k->ncore && same; i++) same = operand_same(&last->inputs[i], &k->inputs[i]);
    for (int i = 0; same && i < x[1]->rank; i++)
        same = attr->axis[i] < GATHER_INDEXED || x[0]->shape[i] == x[1]->shape[i];
    return same;
}

/* Add checks for all kernels that want them. False, with the fault set, on failure. */
static bool check_all(struct checks *c) {
    int n = c->flow->nkernels;
    bool done = mark(c);
    for (int k = 0; k < n && done; k++) {
        if (!is_wanted(c, k)) continue;
        struct kernel *kernels = c->flow->kernels;
        done = (c->last >= 0 && share_check(&kernels[c->last], &kernels[k])) || check_apart(c, k);
        c->flow->kernels[k].checked = done;
        c->last = k;
    }
    return done;
}

bool pass_checks(struct flow *f, ty_report *report, struct fault *fault) {
    (void)report;
    if (!f->nupdates) return true;
    if (!flow_index(f, fault)) return false;
    size_t n = (size_t)f->nkernels + 1;
    struct checks c = {.flow = f,
                       .updates = mem_array(2 * n, sizeof *c.updates),
                       .queue = mem_array(n, sizeof *c.queue),
                       .zero = -1,
                       .last = -1,
                       .fault = fault};
    c.after = c.updates + n;
    bool done = (c.updates && c.queue) || fault_memory(fault, n * sizeof *c.queue);
    done = done && check_all(&c) && flow_index(f, fault);
    mem_free(c.updates);
    mem_free(c.queue);
    return done;
}
