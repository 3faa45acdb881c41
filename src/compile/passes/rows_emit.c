/* Turns groups of rows into kernels: inputs, outputs, and blocks between the group's kernels. */
#include <string.h>
#include "base/alloc.h"
#include "base/machine/levels.h"
#include "compile/passes/rows.h"
#include "ops/core/attributes.h"
#include "ops/core/guard.h"

enum { NOBODY = -1 };

/* A group being made into a kernel. */
struct rows_making {
    struct rows *r;
    const struct rows_group *group;
    struct rows_attr *attr;
    struct kernel *kernel; /* the resulting kernel */
    int *slot;             /* by block of the flow: its index inside the group, if the group makes it */
};

static const struct op op_rows = {.name = "rows", .kind = KERNEL_ROWS, .arity = -1, .row = -1, .onnx = ""};

/* ---- profitability ---- */

/* True if the group writes `block`. */
static bool is_made(struct rows *r, int block, int group) {
    int writer = r->flow->blocks[block].writer;
    return writer >= 0 && rows_group(r, writer) == group;
}

/* True if `block` is used outside the group. */
static bool is_wanted(struct rows *r, int block, int group) {
    const struct flow *flow = r->flow;
    if (flow->blocks[block].kept || flow->blocks[block].kind != BLOCK_TEMPORARY) return true;
    for (int u = flow->use_start[block]; u < flow->use_start[block + 1]; u++)
        if (rows_group(r, flow->use_kernel[u]) != group) return true;
    return false;
}

/* True if an input of the group before input `input` of its kernel k reads the same block. */
static bool read_before(const struct rows *r, int group, int k, int input) {
    int slot = r->flow->kernels[k].inputs[input].slot;
    for (int j = r->groups[group].first; j >= 0 && j <= k; j = r->next[j])
        for (int i = 0; i < (j == k ? input : r->flow->kernels[j].ninputs); i++)
            if (r->flow->kernels[j].inputs[i].slot == slot) return true;
    return false;
}

/* True if the group has at least two kernels, touches less memory (by an eighth or more) than its kernels
   alone, and these would exceed the second-level cache. */
static bool is_worth_it(struct rows *r, int group) {
    const struct rows_group *g = &r->groups[group];
    const struct flow *flow = r->flow;
    int64_t alone = 0, together = 0;
    if (g->count < 2) return false;
    for (int k = g->first; k >= 0; k = r->next[k]) {
        const struct kernel *kernel = &flow->kernels[k];
        int64_t rows = shape_size(g->axes, g->shape);
        for (int i = 0; i < kernel->ninputs; i++) {
            int64_t bytes = rows_bytes(&kernel->inputs[i], g->axes) * rows;
            alone += bytes;
            if (!is_made(r, kernel->inputs[i].slot, group) && !read_before(r, group, k, i)) together += bytes;
        }
        for (int i = 0; i < kernel->noutputs; i++) {
            alone += flow->blocks[kernel->outputs[i].slot].bytes;
            if (is_wanted(r, kernel->outputs[i].slot, group))
                together += flow->blocks[kernel->outputs[i].slot].bytes;
        }
    }
    return alone > level_bytes(LEVEL_SECOND) && together + together / 8 < alone;
}

/* ---- the kernel ---- */

/* True if operands a and b read the same elements: same block, dtype, layout and guard. */
static bool same_operand(const struct operand *a, const struct operand *b) {
    if (a->slot != b->slot || a->dtype != b->dtype || a->layout.offset != b->layout.offset ||
        a->layout.rank != b->layout.rank || !guard_equal(a->layout.rank, a->guard, b->guard))
        return false;
    size_t bytes = sizeof(int64_t) * (size_t)a->layout.rank;
    return !bytes || (!memcmp(a->layout.shape, b->layout.shape, bytes) &&
                      !memcmp(a->layout.strides, b->layout.strides, bytes));
}

/* Return the index of the kernel's input equal to x, or NOBODY. */
static int input_of(const struct kernel *kernel, const struct operand *x) {
    for (int i = 0; i < kernel->ninputs; i++)
        if (same_operand(&kernel->inputs[i], x)) return i;
    return NOBODY;
}

static int64_t elements(const struct operand *x) { return shape_size(x->layout.rank, x->layout.shape); }

/* Add a block of `size` elements (not bytes) inside the group and return its index. */
static int add_block(struct rows_making *m, int64_t size, ty_dtype dtype) {
    m->attr->blocks[m->attr->nblocks] = (struct rows_block){size, (int32_t)dtype};
    return m->attr->nblocks++;
}

/* Number the blocks that the group touches from 0, in m->slot: inputs, then outputs, then those used only
   inside. */
static void number_blocks(struct rows_making *m, int group) {
    struct rows *r = m->r;
    struct kernel *out = m->kernel;
    for (int k = m->group->first; k >= 0; k = r->next[k]) {
        const struct kernel *kernel = &r->flow->kernels[k];
        for (int i = 0; i < kernel->ninputs; i++) {
            const struct operand *x = &kernel->inputs[i];
            if (is_made(r, x->slot, group) || input_of(out, x) >= 0) continue;
            add_block(m, elements(x), x->dtype);
            out->inputs[out->ninputs++] = *x;
        }
    }
    for (int wanted = 1; wanted >= 0; wanted--)
        for (int k = m->group->first; k >= 0; k = r->next[k]) {
            const struct kernel *kernel = &r->flow->kernels[k];
            for (int i = 0; i < kernel->noutputs; i++) {
                const struct operand *y = &kernel->outputs[i];
                if (is_wanted(r, y->slot, group) != wanted) continue;
                m->slot[y->slot] = add_block(m, elements(y), y->dtype);
                if (wanted) out->outputs[out->noutputs++] = *y;
            }
        }
    out->ncore = out->ninputs;
}

/* Copy kernel `from` of the group to *to, with blocks renumbered. False, with the fault set, on failure. */
static bool copy_kernel(struct rows_making *m, int group, struct kernel *to, const struct kernel *from) {
    struct arena *arena = &m->r->flow->arena;
    *to = *from;
    to->inputs = arena_copy(arena, from->inputs, sizeof *to->inputs * (size_t)from->ninputs);
    to->outputs = arena_copy(arena, from->outputs, sizeof *to->outputs * (size_t)from->noutputs);
    if ((from->ninputs && !to->inputs) || !to->outputs)
        return fault_memory(m->r->fault, sizeof *to->inputs * (size_t)from->ninputs);
    for (int i = 0; i < to->ninputs; i++) {
        const struct operand *x = &from->inputs[i];
        to->inputs[i].slot = is_made(m->r, x->slot, group) ? m->slot[x->slot] : input_of(m->kernel, x);
    }
    for (int i = 0; i < to->noutputs; i++) to->outputs[i].slot = m->slot[from->outputs[i].slot];
    return true;
}

/* True if kernel `at` of the group still reads input i correctly when an output shares its memory: no earlier
   kernel writes an output, and if this one does, it reads the input elementwise. */
static bool reads_in_time(const struct rows_making *m, int at, int i) {
    const struct kernel *reader = &m->attr->kernels[at];
    for (int k = 0; k <= at; k++)
        for (int o = 0; o < m->attr->kernels[k].noutputs; o++) {
            int slot = m->attr->kernels[k].outputs[o].slot;
            if (slot >= m->kernel->ninputs + m->kernel->noutputs) continue;
            if (k < at) return false;
            for (int j = 0; j < reader->ninputs; j++)
                if (reader->inputs[j].slot == i && !kernel_may_overwrite(reader, j)) return false;
        }
    return true;
}

/* Mark the inputs, of the first 32, that outputs may overwrite in the bits of m->kernel->overwrites. */
static void find_overwritten(struct rows_making *m) {
    for (int i = 0; i < m->kernel->ninputs && i < 32; i++) {
        bool may = true;
        for (int k = 0; k < m->attr->nkernels; k++)
            for (int j = 0; j < m->attr->kernels[k].ninputs; j++)
                if (m->attr->kernels[k].inputs[j].slot == i) may = may && reads_in_time(m, k, i);
        if (may) m->kernel->overwrites |= UINT32_C(1) << i;
    }
}

/* Count the operands and results of all kernels of the group, into *inputs and *outputs. */
static void count_operands(const struct rows_making *m, size_t *inputs, size_t *outputs) {
    *inputs = *outputs = 0;
    for (int k = m->group->first; k >= 0; k = m->r->next[k]) {
        *inputs += (size_t)m->r->flow->kernels[k].ninputs;
        *outputs += (size_t)m->r->flow->kernels[k].noutputs;
    }
}

/* Make the kernel of a group: its blocks, its kernels inside and its attributes. False, with the fault set,
   on failure. */
static bool make_kernel(struct rows_making *m, int group) {
    struct arena *arena = &m->r->flow->arena;
    size_t inputs, outputs, n = (size_t)m->group->count;
    count_operands(m, &inputs, &outputs);
    m->attr = arena_alloc(arena, sizeof *m->attr);
    if (m->attr) m->attr->blocks = arena_array(arena, inputs + outputs, sizeof *m->attr->blocks);
    if (m->attr) m->attr->kernels = arena_array(arena, n, sizeof *m->attr->kernels);
    *m->kernel = (struct kernel){.kind = KERNEL_ROWS,
                                 .op = &op_rows,
                                 .attr = m->attr,
                                 .attr_bytes = sizeof *m->attr,
                                 .inputs = arena_array(arena, inputs, sizeof *m->kernel->inputs),
                                 .outputs = arena_array(arena, outputs, sizeof *m->kernel->outputs)};
    if (!m->attr || !m->attr->blocks || !m->attr->kernels || !m->kernel->inputs || !m->kernel->outputs)
        return fault_memory(m->r->fault, (inputs + outputs) * sizeof *m->kernel->inputs);
    m->attr->axes = m->group->axes;
    m->attr->shape = m->group->shape;
    number_blocks(m, group);
    for (int k = m->group->first; k >= 0; k = m->r->next[k])
        if (!copy_kernel(m, group, &m->attr->kernels[m->attr->nkernels++], &m->r->flow->kernels[k]))
            return false;
    find_overwritten(m);
    return true;
}

/* ---- the pass ---- */

/* Append the new list of kernels to kernels[*count ..], and advance *count: a group's kernel in place of its
   newest, others unchanged. worth[group] says which groups are made. slot[] is scratch. False, with the fault
   set, on failure. */
static bool emit_all(struct rows *r, struct kernel *kernels, int *slot, const bool *worth, int *count) {
    for (int k = 0; k < r->flow->nkernels; k++) {
        int group = rows_group(r, k);
        if (!worth[group]) {
            kernels[(*count)++] = r->flow->kernels[k];
        } else if (r->groups[group].newest == k) {
            struct rows_making m = {r, &r->groups[group], NULL, &kernels[(*count)++], slot};
            if (!make_kernel(&m, group)) return false;
        }
    }
    return true;
}

bool rows_emit(struct rows *r, int64_t *gone) {
    struct flow *flow = r->flow;
    size_t n = (size_t)flow->nkernels + 1;
    struct kernel *kernels = mem_array(n, sizeof *kernels);
    int *slot = mem_array((size_t)flow->nblocks + 1, sizeof *slot), count = 0;
    bool *worth = mem_array(n, sizeof *worth), done = kernels && slot && worth;
    if (!done) fault_memory(r->fault, n * sizeof *kernels);
    for (int k = 0; done && k < flow->nkernels; k++)
        if (rows_group(r, k) == k) worth[k] = is_worth_it(r, k);
    done = done && emit_all(r, kernels, slot, worth, &count);
    if (done) {
        struct kernel *before = flow->kernels;
        *gone = flow->nkernels - count;
        flow->kernels = kernels;
        flow->nkernels = count;
        flow->kernel_room = (int)n;
        kernels = before;
    }
    mem_free(kernels);
    mem_free(slot);
    mem_free(worth);
    return done;
}
