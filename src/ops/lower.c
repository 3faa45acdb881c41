#include "ops/lower.h"
#include <string.h>

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

/* inputs -> one instruction -> one output */
static struct program *program_of(const struct op *op, int n, ty_dtype in, ty_dtype out, struct arena *arena) {
    struct program *p = arena_alloc(arena, sizeof *p);
    struct instr *instr = arena_alloc(arena, sizeof *instr);
    uint16_t *outputs = arena_alloc(arena, sizeof *outputs);
    if (!p || !instr || !outputs) return NULL;
    *instr = (struct instr){op, in, out, {0}};
    for (int i = 0; i < n; i++) instr->src[i] = (uint16_t)i;
    outputs[0] = (uint16_t)n;
    *p = (struct program){n, 1, 1, instr, outputs};
    return p;
}

static bool lower_inputs(struct kernel *k, int n, const struct operand *inputs, struct arena *arena) {
    const struct layout *out = &k->outputs->layout;
    for (int i = 0; i < n; i++) {
        k->inputs[i] = inputs[i];
        if (k->kind != KERNEL_MAP) {
            if (!layout_copy(&k->inputs[i].layout, &inputs[i].layout, arena)) return false;
            continue;
        }
        if (!layout_new(&k->inputs[i].layout, out->rank, arena)) return false;
        layout_broadcast(&inputs[i].layout, out->rank, out->shape, &k->inputs[i].layout);
    }
    return true;
}

bool lower(struct kernel *k, const struct op *op, const void *attr, size_t attr_bytes, int n,
           const struct operand *inputs, const struct operand *output, struct arena *arena, struct fault *fault) {
    *k = (struct kernel){.kind = op->kind, .op = op, .attr_bytes = attr_bytes, .core_dtype = output->dtype};
    k->ninputs = k->ncore = n;
    k->noutputs = 1;
    k->attr = attr_bytes ? arena_copy(arena, attr, attr_bytes) : NULL;
    k->inputs = arena_array(arena, (size_t)n, sizeof *inputs);
    k->outputs = arena_copy(arena, output, sizeof *output);
    bool fits = k->inputs && k->outputs && (k->attr || !attr_bytes) &&
                layout_copy(&k->outputs->layout, &output->layout, arena) && lower_inputs(k, n, inputs, arena);
    if (fits && k->kind == KERNEL_MAP) {
        k->program = program_of(op, n, inputs[n - 1].dtype, output->dtype, arena);
        fits = k->program != NULL;
    }
    return fits || fault_memory(fault, sizeof *k);
}
