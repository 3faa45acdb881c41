/*
 * Constant folding: nodes that depend on constants alone are computed now. A result above 64 KiB that exceeds
 * the memory of its operands stays a promise, as memory costs more than one computation per run. Views
 * without a copy always fold.
 */
#include <string.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "compile/passes/rewrite.h"

enum { FOLD_BYTES = 64 << 10 };

/* Return the bytes of memory that the elements of x, a value, occupy; elements repeated by broadcasting count
   once. */
static int64_t bytes_held(const ty_tensor *x) {
    int64_t low, high, size = tensor_size(x);
    layout_extent(&x->layout, &low, &high);
    return dtype_bytes(x->dtype, size < high - low ? size : high - low);
}

/* True if x is a view that the strides of its constant operand allow without a copy. */
static bool is_free_view(const ty_tensor *x) {
    if (!x->op->view) return false;
    struct fault unused = {0};
    struct layout_room room;
    struct layout *out = layout_room_init(&room, x->layout.rank);
    struct infer in = infer_of(x, &unused);
    if (in.rank) memcpy(out->shape, in.shape, sizeof *in.shape * (size_t)in.rank);
    return x->op->view(&in, &constant_value(x->inputs[0])->layout, out);
}

/* True if all operands of x are constants, and x should be computed now. */
static bool worth_folding(const ty_tensor *x) {
    int64_t operands = 0, bytes = (int64_t)tensor_bytes(x);
    for (int i = 0; i < x->ninputs; i++) {
        const ty_tensor *value = constant_value(x->inputs[i]);
        if (!value) return false;
        operands += bytes_held(value);
    }
    return bytes <= FOLD_BYTES || bytes <= operands || is_free_view(x);
}

/* Rewrite rule: return the value of x if its operands are constants and folding pays, else x. context is a
   struct graph. Poison if memory runs out. */
static ty_tensor *fold(void *context, ty_tensor *x) {
    struct graph *g = context;
    enum { USUAL = 8 };
    ty_tensor *room[USUAL], **values = room;
    if (!x->promise || x->op == &op_input || x->op == &op_constant || !worth_folding(x)) return x;
    if (x->ninputs > USUAL && !(values = mem_array((size_t)x->ninputs, sizeof *values)))
        return tensor_out_of_memory();
    for (int i = 0; i < x->ninputs; i++) values[i] = constant_value(x->inputs[i]);
    ty_tensor *y = record(x->op, x->attr, x->attr_bytes, x->ninputs, values);
    if (values != room) mem_free(values);
    if (y == tensor_out_of_memory()) return y;
    if (!ty_ok(y) || y->promise) return x;                    /* errors are reported in the run */
    if (y->keeps_order && !x->op->view) y = ty_contiguous(y); /* as programs compute it: row-major */
    if (!ty_ok(y)) return y;
    y->weak = x->weak;
    g->report->folded++;
    return y;
}

bool pass_fold(struct graph *g) { return rewrite(g, fold, g); }
