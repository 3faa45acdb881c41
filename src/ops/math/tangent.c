/* Tangents of linear operators: the same operator recorded on tangents. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "ops/core/op.h"

static bool is_fixed(const struct op *op, int i) { return op->no_gradient[i < 2 ? i : 2] != NULL; }

/* Return the result of y's operator recorded on the tangents t[i] of differentiable operands, zeros where
   NULL, and on the operands themselves for others (indices). Poison on failure. */
static ty_tensor *itself(const ty_tensor *y, ty_tensor *const *t) {
    enum { USUAL = 8 };
    ty_tensor *room[USUAL], **x = y->ninputs <= USUAL ? room : mem_array((size_t)y->ninputs, sizeof *x);
    if (!x) return tensor_out_of_memory();
    for (int i = 0; i < y->ninputs; i++) {
        const ty_tensor *like = y->inputs[i];
        x[i] = is_fixed(y->op, i) ? y->inputs[i]
               : t[i]             ? t[i]
                      : ty_broadcast(ty_scalar(like->dtype, 0), like->layout.rank, like->layout.shape);
    }
    ty_tensor *dy = record(y->op, y->attr, y->attr_bytes, y->ninputs, x);
    if (x != room) mem_free(x);
    return dy;
}

ty_tensor *jvp_linear(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    (void)wanted;
    bool moves = false;
    for (int i = 0; i < y->ninputs; i++) moves = moves || (t[i] && !is_fixed(y->op, i));
    return moves ? itself(y, t) : NULL;
}

ty_tensor *jvp_multilinear(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    enum { MOST = 16 }; /* no operator of this kind has more operands */
    (void)wanted;
    ty_tensor *sum = NULL, *x[MOST];
    if (y->ninputs > MOST)
        return ty_poison_code(E_ARGUMENT, "%s: %d operands, and a tangent", y->op->name, y->ninputs);
    for (int i = 0; i < y->ninputs; i++) {
        if (!t[i] || is_fixed(y->op, i)) continue;
        memcpy(x, y->inputs, sizeof *x * (size_t)y->ninputs);
        x[i] = t[i];
        ty_tensor *dy = record(y->op, y->attr, y->attr_bytes, y->ninputs, x);
        sum = sum ? ty_add(sum, dy) : dy;
    }
    return sum;
}
