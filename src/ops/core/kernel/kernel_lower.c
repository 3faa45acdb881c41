#include "ops/core/kernel/kernel_lower.h"
#include <string.h>

/* Allocate shape and strides, of `rank` elements each, for *out in the arena; their contents are not set.
   False if memory runs out. */
static bool layout_new(struct layout *out, int rank, struct arena *arena) {
    out->rank = rank;
    out->offset = 0;
    out->shape = arena_array(arena, 2 * (size_t)rank, sizeof(int64_t));
    out->strides = out->shape + rank;
    return out->shape != NULL;
}

bool layout_copy(struct layout *out, const struct layout *from, struct arena *arena) {
    struct layout copy;
    if (!layout_new(&copy, from->rank, arena)) return false;
    size_t bytes = sizeof(int64_t) * (size_t)from->rank;
    if (bytes) {
        memcpy(copy.shape, from->shape, bytes);
        memcpy(copy.strides, from->strides, bytes);
    }
    copy.offset = from->offset;
    *out = copy;
    return true;
}

/* Make a program of one instruction: op maps n inputs of dtype `in` to one output of dtype `out`. NULL if
   memory runs out. */
static struct program *program_of(const struct op *op, int n, ty_dtype in, ty_dtype out,
                                  struct arena *arena) {
    struct {
        struct program program;
        struct instr instr;
        uint16_t output;
    } *p = arena_alloc(arena, sizeof *p);
    if (!p) return NULL;
    p->instr = (struct instr){op, in, out, {0}};
    for (int i = 0; i < n; i++) p->instr.src[i] = (uint16_t)i;
    p->output = (uint16_t)n;
    p->program = (struct program){n, 1, 1, &p->instr, &p->output};
    return &p->program;
}

/* Copy inputs[k->ninputs] to k->inputs[], which is allocated, with copies of their layouts in the arena.
   False if memory runs out. */
static bool copy_inputs(struct kernel *k, const struct operand *inputs, struct arena *arena) {
    for (int i = 0; i < k->ninputs; i++) {
        k->inputs[i] = inputs[i];
        if (!layout_copy(&k->inputs[i].layout, &inputs[i].layout, arena)) return false;
    }
    return true;
}

/* Copy inputs[k->ninputs] to k->inputs[], which is allocated, with layouts, in the arena, that are broadcast
   to the output's shape. False if memory runs out. */
static bool broadcast_inputs(struct kernel *k, const struct operand *inputs, struct arena *arena) {
    const struct layout *out = &k->outputs->layout;
    size_t rank = (size_t)out->rank;
    int64_t *axes = arena_array(arena, 2 * rank * (size_t)k->ninputs, sizeof *axes);
    for (int i = 0; axes && i < k->ninputs; i++, axes += 2 * rank) {
        k->inputs[i] = inputs[i];
        k->inputs[i].layout.shape = axes;
        k->inputs[i].layout.strides = axes + rank;
        layout_broadcast(&inputs[i].layout, out->rank, out->shape, &k->inputs[i].layout);
    }
    return axes != NULL;
}

bool kernel_lower(struct kernel *k, const struct op *op, const void *attr, size_t attr_bytes, int n,
                  const struct operand *inputs, const struct operand *output, struct arena *arena,
                  struct fault *fault) {
    *k = (struct kernel){.kind = op->kind, .op = op, .attr_bytes = attr_bytes, .core_dtype = output->dtype};
    k->ninputs = k->ncore = n;
    k->noutputs = 1;
    k->attr = attr_bytes ? arena_copy(arena, attr, attr_bytes) : NULL;
    k->inputs = arena_array(arena, (size_t)n, sizeof *inputs);
    k->outputs = arena_copy(arena, output, sizeof *output);
    bool fits = k->inputs && k->outputs && (k->attr || !attr_bytes) &&
                layout_copy(&k->outputs->layout, &output->layout, arena);
    if (fits && kernel_table[k->kind].no_core) {
        k->program = program_of(op, n, inputs[n - 1].dtype, output->dtype, arena);
        fits = k->program && broadcast_inputs(k, inputs, arena);
    } else if (fits) {
        fits = copy_inputs(k, inputs, arena);
    }
    if (op_watch) op_watch(op, k);
    return fits ? kernel_check(k, fault) : fault_memory(fault, sizeof *k);
}
