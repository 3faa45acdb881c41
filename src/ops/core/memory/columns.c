/*
 * Column order. An operand that keeps its order is marked (keeps_order in array/tensor.h); ty_columns alone sets
 * the mark (ops/shape/columns.c). So programs that never call it get row-major results, also of transposed views.
 */
#include "ops/core/memory/columns.h"
#include <string.h>
#include <tyto/memory.h>
#include "array/dense.h"

static bool has_shape(const ty_tensor *x, int rank, const int64_t *shape) {
    return shape_equal(x->layout.rank, x->layout.shape, rank, shape);
}

const ty_tensor *columns_kept(int n, ty_tensor *const *x, int rank, const int64_t *shape) {
    const ty_tensor *kept = NULL;
    for (int i = 0; i < n && !kept; i++)
        if (x[i]->keeps_order && has_shape(x[i], rank, shape)) kept = x[i];
    for (int i = 0; i < n && kept; i++)
        if (has_shape(x[i], rank, shape) && !layout_same_order(&x[i]->layout, &kept->layout)) return NULL;
    return kept;
}

/* Give y the steps of x, which has its shape, and the mark. */
static void follow(ty_tensor *y, const ty_tensor *x) {
    memcpy(y->layout.strides, x->layout.strides, sizeof *y->layout.strides * (size_t)y->layout.rank);
    y->keeps_order = true;
}

void columns_follow(ty_tensor *y, const struct infer *in) {
    if (!kernel_table[in->op->kind].no_core) return;
    const ty_tensor *kept = columns_kept(in->ninputs, in->inputs, y->layout.rank, y->layout.shape);
    if (kept) follow(y, kept);
}

void columns_adopt(ty_tensor *y, const ty_tensor *x) {
    if (x->keeps_order && y->buffer) follow(y, x);
}

bool ty_is_columns(const ty_tensor *x) { return layout_is_columns(&tensor_of(x)->layout); }
bool ty_keeps_order(const ty_tensor *x) { return tensor_of(x)->keeps_order; }
