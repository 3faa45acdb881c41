#include "ops/core/memory/give.h"
#include <tyto/memory.h>
#include "array/dense.h"
#include "base/alloc.h"

ty_tensor *ty_give(ty_tensor *x) {
    x = tensor_of(x);
    if (x == &tensor_null) return tensor_refuse_null("give", 0);
    bool alone = ty_ok(x) && x->buffer && !x->promise && !x->immortal && atomic_load(&x->refs) == 1;
    if (alone) x->given = (uint16_t)(scope_depth() + 1);
    return x;
}

/* As give_owned, for any layout. */
static bool owns_memory(const ty_tensor *x) {
    const struct buffer *b = x->buffer;
    return !x->promise && !x->immortal && !x->weak && !x->op && b && !buffer_may_change(b) && !b->read_only &&
           !b->remote && atomic_load(&b->refs) == 1 && x->layout.offset == 0;
}

bool give_owned(const ty_tensor *x) { return owns_memory(x) && layout_is_contiguous(&x->layout); }

/* True if the library may write over the memory of x without anyone seeing it, and it has as many bytes as y. */
static bool is_free(const ty_tensor *x, const ty_tensor *y) {
    return owns_memory(x) && atomic_load(&x->refs) == 1 && x->buffer->bytes == tensor_bytes(y);
}

/* True if an output dense in y's shape may be written over operand number i of the operator: as kernel_may_overwrite
   says of kernels without an epilogue. */
static bool may_overwrite(const ty_tensor *y, const struct infer *in, int i) {
    const struct kernel_row *kind = &kernel_table[in->op->kind];
    const ty_tensor *x = in->inputs[i];
    return (kind->in_place || (kind->replaces && i == 0)) && layout_same_order(&x->layout, &y->layout) &&
           dtype_table[x->dtype].size == dtype_table[y->dtype].size;
}

ty_tensor *give_find(const ty_tensor *y, const struct infer *in) {
    ty_tensor *found = NULL;
    for (int i = 0; i < in->ninputs; i++) {
        ty_tensor *x = in->inputs[i];
        if (!is_given(x)) continue;
        if (!found && is_free(x, y) && may_overwrite(y, in, i)) found = x;
    }
    for (int i = 0; i < in->ninputs; i++)
        if (is_given(in->inputs[i])) in->inputs[i]->given = 0;
    if (found && kernel_table[in->op->kind].replaces) /* x is read by the kernel as other operands, too */
        for (int i = 1; i < in->ninputs; i++)
            if (in->inputs[i] == found) return NULL;
    return found;
}

void give_end(ty_tensor *x) {
    if (x->buffer) atomic_store(&x->buffer->readers, 0); /* the result that takes it is new */
    buffer_release(x->buffer);
    x->buffer = NULL;
    x->promise = false;
    x->layout.rank = 0;
    x->layout.offset = 0;
    x->error = tensor_given_away;
    x->code = E_STATE;
}
