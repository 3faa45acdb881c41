/*
 * Updates: the kernel that computes a variable's next value writes it over the present one, where it is
 * the last to read that one and reads it element by element, and where no circle of "must run before"
 * arises.  Elsewhere the value is computed into the arena and a copy at the end moves it; such a copy
 * has nothing after it, so it closes no circle.
 *
 * A run that fails changes no variable: kernels that may refuse run before all that update (pass_order.c).  So
 * one that such a kernel waits for does not write directly; and of those that may refuse themselves one may,
 * which is the last to refuse, and looks before it writes.
 */
#include "base/alloc.h"
#include "compile/passes.h"

/* Gives every update a block of its own, whole and written by a kernel of this program. */
static bool make_own(struct flow *f, struct flow_update *u, struct fault *fault) {
    struct block *value = &f->blocks[u->value.slot];
    bool taken = false;
    for (struct flow_update *other = f->updates; other < u; other++)
        taken |= other->value.slot == u->value.slot;
    if (value->kind == BLOCK_TEMPORARY && value->writer >= 0 && operand_is_whole(f, &u->value) && !taken)
        return true;
    int block = flow_add_block(f, BLOCK_TEMPORARY, value->dtype,
                               shape_size(u->value.layout.rank, u->value.layout.shape), NULL, fault);
    if (block < 0 || !flow_add_copy(f, &u->value, block, fault)) return false;
    u->value.slot = block;
    u->value.layout.offset = 0;
    shape_row_major(u->value.layout.rank, u->value.layout.shape, u->value.layout.strides);
    return true;
}

static int variable_block(const struct flow *f, const ty_tensor *leaf) {
    for (int b = 0; b < f->nblocks; b++)
        if (f->blocks[b].kind == BLOCK_VARIABLE && f->blocks[b].leaf == leaf) return b;
    return -1;
}

/* Whether kernel k may write over `variable`: it reads it nowhere or element by element. */
static bool elementwise_reader(const struct flow *f, int k, int variable) {
    const struct kernel *kernel = &f->kernels[k];
    for (int i = 0; i < kernel->ninputs; i++) {
        if (kernel->inputs[i].slot != variable) continue;
        if (!kernel_may_overwrite(kernel, i) || !operand_is_whole(f, &kernel->inputs[i])) return false;
    }
    return true;
}

/* Whether kernel `to` can only run after kernel `from`: a search forward over the edges of the flow. */
struct search {
    int *stack, *seen, stamp, count;
    bool refusing; /* a kernel that may refuse writes directly */
};
static void visit(struct search *s, int k) {
    if (s->seen[k] == s->stamp) return;
    s->seen[k] = s->stamp;
    s->stack[s->count++] = k;
}
static void visit_after(const struct flow *f, struct search *s, int k) {
    const struct kernel *kernel = &f->kernels[k];
    for (int i = 0; i < kernel->noutputs; i++) {
        int block = kernel->outputs[i].slot;
        for (int u = f->use_start[block]; u < f->use_start[block + 1]; u++) visit(s, f->use_kernel[u]);
    }
    for (int i = 0; i < kernel->ninputs; i++) {
        int update = f->blocks[kernel->inputs[i].slot].update;
        if (update >= 0 && f->blocks[update].writer != k) visit(s, f->blocks[update].writer);
    }
}

static void search_after(const struct flow *f, struct search *s, int writer) {
    s->stamp++;
    s->count = 0;
    visit(s, writer);
    while (s->count) visit_after(f, s, s->stack[--s->count]);
}

/* Whether a reader of `variable` other than `writer` can only run after it. */
static bool closes_circle(const struct flow *f, const struct search *s, int writer, int variable) {
    for (int u = f->use_start[variable]; u < f->use_start[variable + 1]; u++)
        if (f->use_kernel[u] != writer && s->seen[f->use_kernel[u]] == s->stamp) return true;
    return false;
}

/* Whether a kernel that may refuse can only run after `writer`. */
static bool is_waited_for(const struct flow *f, const struct search *s, int writer) {
    for (int k = 0; k < f->nkernels; k++)
        if (k != writer && s->seen[k] == s->stamp && kernel_may_refuse(f, &f->kernels[k])) return true;
    return false;
}

/* Marks the value's block as the update when its writer may do it. */
static void write_directly(struct flow *f, struct search *s, const struct flow_update *u, int variable) {
    struct block *value = &f->blocks[u->value.slot];
    if (value->writer < 0) return;
    const struct kernel *writer = &f->kernels[value->writer];
    bool refuses = kernel_may_refuse(f, writer);
    if (refuses && (!kernel_looks_first(writer) || (s->refusing && !kernel_updates(f, writer)))) return;
    search_after(f, s, value->writer);
    if (is_waited_for(f, s, value->writer)) return;
    if (variable >= 0 &&
        (!elementwise_reader(f, value->writer, variable) || closes_circle(f, s, value->writer, variable)))
        return;
    s->refusing |= refuses;
    value->kind = BLOCK_UPDATE;
    value->variable = variable;
    value->leaf = ty_retain(u->leaf);
    if (variable >= 0) f->blocks[variable].update = u->value.slot;
}

static bool add_copies(struct flow *f, const int *variables, ty_report *report, struct fault *fault) {
    for (int i = 0; i < f->nupdates; i++) {
        struct flow_update *u = &f->updates[i];
        if (f->blocks[u->value.slot].kind == BLOCK_UPDATE) {
            report->inplace++;
            continue;
        }
        int block =
            flow_add_block(f, BLOCK_UPDATE, u->value.dtype, f->blocks[u->value.slot].size, u->leaf, fault);
        if (block < 0 || !flow_add_copy(f, &u->value, block, fault)) return false;
        f->blocks[block].variable = variables[i];
        if (variables[i] >= 0) f->blocks[variables[i]].update = block;
    }
    return true;
}

bool pass_update(struct flow *f, ty_report *report, struct fault *fault) {
    if (!flow_index(f, fault)) return false;
    for (int i = 0; i < f->nupdates; i++)
        if (!make_own(f, &f->updates[i], fault)) return false;
    size_t n = (size_t)f->nkernels + 1, updates = (size_t)f->nupdates;
    struct search s = {.stack = mem_array(n, sizeof(int)), .seen = mem_array(n, sizeof(int))};
    int *variables = mem_array(updates, sizeof *variables);
    bool done = s.stack && s.seen && variables;
    done = done ? flow_index(f, fault) : fault_memory(fault, n * sizeof(int));
    for (int i = 0; done && i < f->nupdates; i++) {
        variables[i] = variable_block(f, f->updates[i].leaf);
        write_directly(f, &s, &f->updates[i], variables[i]);
    }
    done = done && add_copies(f, variables, report, fault) && flow_index(f, fault);
    mem_free(s.stack);
    mem_free(s.seen);
    mem_free(variables);
    return done;
}
