/*
 * Contractions without a matrix product: dot products, batches of them, elementwise products. Packing would reuse
 * nothing, so they run as a reduction whose prologue multiplies.
 */
#include <string.h>
#include "engine/cpu/contract/contract_flat.h"
#include "ops/core/attributes.h"
#include "ops/core/row_op.h"
#include "ops/core/structure.h"

/* Return the axis of operand x that has the label; -1 if it has none or its size there is 1. */
static int axis_of(const struct operand *x, const uint8_t *labels, uint8_t label) {
    for (int i = 0; i < x->layout.rank; i++)
        if (labels[i] == label && x->layout.shape[i] != 1) return i;
    return -1;
}

/* List the labels that out lacks, each once, in summed[]; return their number. Return -1 if result and summed
   labels together exceed TY_MAX_RANK. */
static int summed_labels(const struct kernel *k, uint8_t *summed) {
    const struct contract_attr *attr = k->attr;
    int n = 0;
    for (int i = 0; i < attr->ra + attr->rb; i++) {
        uint8_t label = attr->labels[i];
        if (memchr(attr->labels + attr->ra + attr->rb, label, (size_t)attr->ro) ||
            memchr(summed, label, (size_t)n))
            continue;
        if (attr->ro + n == TY_MAX_RANK) return -1;
        summed[n++] = label;
    }
    return n;
}

/* Return true if the contraction is no matrix product: no dimension of the result belongs to one operand alone. If
   no label is summed, one of the two operands may have such dimensions. `summed` is the number of summed labels. */
static bool is_flat(const struct kernel *k, int summed) {
    const struct contract_attr *attr = k->attr;
    const uint8_t *right = attr->labels + attr->ra, *out = right + attr->rb;
    bool rows = false, columns = false;
    for (int i = 0; i < attr->ro; i++) {
        bool in_left = axis_of(&k->inputs[0], attr->labels, out[i]) >= 0;
        bool in_right = axis_of(&k->inputs[1], right, out[i]) >= 0;
        rows = rows || (in_left && !in_right);
        columns = columns || (in_right && !in_left);
    }
    return summed ? !rows && !columns : !rows || !columns;
}

/* Set *to to a view of x with `rank` axes: axis i has the label along[i] and shape[i] elements, with stride 0 if x
   lacks it. labels[] are those of x. Return false if out of memory. */
static bool spread(struct operand *to, const struct operand *x, const uint8_t *labels, int rank,
                   const uint8_t *along, const int64_t *shape, struct arena *arena) {
    *to = *x;
    to->layout.rank = rank;
    to->layout.shape = arena_array(arena, 2 * (size_t)rank + 1, sizeof(int64_t));
    if (!to->layout.shape) return false;
    to->layout.strides = to->layout.shape + rank;
    for (int i = 0; i < rank; i++) {
        int axis = axis_of(x, labels, along[i]);
        to->layout.shape[i] = shape[i];
        to->layout.strides[i] = axis < 0 ? 0 : x->layout.strides[axis];
    }
    return true;
}

/* Return a program that computes x * y in `wide`, the dtype of the sums, casting both operands from `dtype` first
   if it differs. NULL if out of memory. */
static struct program *product(ty_dtype dtype, ty_dtype wide, struct arena *arena) {
    struct program *p = arena_alloc(arena, sizeof *p);
    struct instr *instrs = arena_array(arena, 3, sizeof *instrs);
    uint16_t *outputs = arena_alloc(arena, sizeof *outputs);
    if (!p || !instrs || !outputs) return NULL;
    *p = (struct program){.ninputs = 2, .noutputs = 1, .instrs = instrs, .outputs = outputs};
    if (dtype != wide)
        for (uint16_t i = 0; i < 2; i++)
            instrs[p->ninstrs++] = (struct instr){&op_cast, dtype, wide, {i, i, i}};
    uint16_t left = dtype == wide ? 0 : 2, right = (uint16_t)(left + 1);
    instrs[p->ninstrs++] = (struct instr){ROW_OP(mul), wide, wide, {left, right, left}};
    outputs[0] = (uint16_t)(2 + p->ninstrs - 1);
    return p;
}

/* Turn *to, a copy of *k, into a reduction kernel that sums the products of k's two operands over labels[0 ..
   summed-1]. False if out of memory. */
static bool fill(struct kernel *to, const struct kernel *k, int summed, const uint8_t *labels,
                 struct arena *arena) {
    const struct contract_attr *attr = k->attr;
    const uint8_t *sides[] = {attr->labels, attr->labels + attr->ra, attr->labels + attr->ra + attr->rb};
    struct reduce_attr reduce = {.kind = REDUCE_SUM};
    int rank = attr->ro + summed;
    ty_dtype dtype = k->inputs[0].dtype, wide = dtype_table[dtype_table[dtype].sums].computed;
    uint8_t along[TY_MAX_RANK];
    int64_t shape[TY_MAX_RANK];
    memcpy(along, sides[2], (size_t)attr->ro);
    memcpy(along + attr->ro, labels, (size_t)summed);
    for (int i = 0; i < rank; i++) {
        int left = axis_of(&k->inputs[0], sides[0], along[i]),
            right = axis_of(&k->inputs[1], sides[1], along[i]);
        shape[i] = left >= 0    ? k->inputs[0].layout.shape[left]
                   : right >= 0 ? k->inputs[1].layout.shape[right]
                                : 1;
        if (i >= attr->ro) reduce.axes |= (uint64_t)1 << i;
    }
    to->kind = KERNEL_REDUCE;
    to->attr = arena_copy(arena, &reduce, sizeof reduce);
    to->attr_bytes = sizeof reduce;
    to->inputs = arena_copy(arena, k->inputs, sizeof *k->inputs * (size_t)k->ninputs);
    to->prologue = product(dtype, wide, arena);
    if (!to->attr || !to->inputs || !to->prologue) return false;
    for (int i = 0; i < 2; i++)
        if (!spread(&to->inputs[i], &k->inputs[i], sides[i], rank, along, shape, arena)) return false;
    return true;
}

struct kernel *contract_as_reduction(const struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct contract_attr *attr = kernel->attr;
    uint8_t labels[TY_MAX_RANK];
    int summed = attr->nwindows || attr->sums ? -1 : summed_labels(kernel, labels);
    if (summed < 0 || !is_flat(kernel, summed)) return NULL;
    struct kernel *reduce = arena_copy(arena, kernel, sizeof *kernel);
    if (reduce && fill(reduce, kernel, summed, labels, arena)) return reduce;
    fault_memory(fault, sizeof *kernel);
    return NULL;
}

struct kernel *contract_flat(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct kernel *reduce = contract_as_reduction(kernel, arena, fault);
    if (!reduce || !cpu_reduce.prepare(reduce, arena, fault)) return NULL;
    kernel->width = reduce->width;
    kernel->workspace = reduce->workspace;
    return reduce;
}
