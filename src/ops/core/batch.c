#include "ops/core/batch.h"
#include "base/alloc.h"
#include "ops/core/structure.h"

ty_tensor *batch_refused(const struct batch *b, const char *reason) {
    return refuse(b->y->op->name, b->y->ninputs, b->y->inputs, E_UNSUPPORTED, "vmap: %s", reason);
}

ty_tensor *batch_record(const struct batch *b, ty_tensor *const *x) {
    ty_tensor *y = b->y;
    struct fault fault = {0};
    struct infer in = infer_of(y, &fault);
    if (!y->attr_bytes && !y->op->attributes) return record(y->op, NULL, 0, y->ninputs, x);
    char *attr = mem_alloc(y->attr_bytes + FIELD_FRONT_BYTES);
    if (!attr) return tensor_out_of_memory();
    size_t bytes = attributes_in_front(&in, b->n, attr);
    y = record(y->op, attr, bytes, y->ninputs, x);
    mem_free(attr);
    return y;
}

ty_tensor *batch_single(const struct batch *b) { return batch_record(b, b->x); }
