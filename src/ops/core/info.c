/* Description of a tensor, without its elements, as lines of text. */
#include <inttypes.h>
#include "ops/core/op.h"
#include "ops/core/variable.h"

static void add_sizes(struct text *t, const char *name, int rank, const int64_t *sizes) {
    text_add(t, "%-11s(", name);
    for (int i = 0; i < rank; i++) text_add(t, i ? ", %" PRId64 : "%" PRId64, sizes[i]);
    text_add(t, rank == 1 ? ",)" : ")");
}

/* Append lines with dtype, shape and number of elements of x to t. */
static void add_form(struct text *t, const ty_tensor *x) {
    bool bits = dtype_share(x->dtype) > 1;
    int size = bits ? dtype_table[x->dtype].bits : (int)dtype_table[x->dtype].size;
    int64_t n = tensor_size(x);
    text_add(t, "%-11s%s, %d %s%s%s\n", "dtype", ty_dtype_name(x->dtype), size, bits ? "bit" : "byte",
             size == 1 ? "" : "s", x->weak ? ", weak: adopts the dtype of other operands" : "");
    add_sizes(t, "shape", x->layout.rank, x->layout.shape);
    text_add(t, "\n%-11s%" PRId64 "\n%-11s%" PRIu64 "\n", "elements", n, "bytes", (uint64_t)tensor_bytes(x));
}

/* Append lines about the memory of a value x to t: strides, contiguity, offset, buffer size, sharing and
   device. Append nothing if it has no buffer. */
static void add_memory(struct text *t, ty_tensor *x) {
    struct variable_use use = {.leaf = x};
    variables_take(1, &use);
    struct buffer *b = use.buffer, *dead = NULL;
    if (!b) return;
    int others = atomic_load(&b->refs) - 2; /* not counting x and this function */
    int64_t offset = (use.data - b->data) / (int64_t)dtype_table[x->dtype].size * dtype_share(x->dtype);
    add_sizes(t, "strides", x->layout.rank, x->layout.strides);
    text_add(t, " elements%s\n", layout_is_contiguous(&x->layout) ? ", contiguous" : "");
    text_add(t, "%-11s%" PRId64 " elements into a buffer of %zu bytes%s\n", "offset", offset, b->bytes,
             b->done ? ", borrowed" : "");
    text_add(t, "%-11s", "shared");
    if (others)
        text_add(t, "with %d other tensor%s\n", others, others == 1 ? "" : "s");
    else
        text_add(t, "no\n");
    text_add(t, "%-11scpu\n", "device");
    variables_give(1, &use, false, &dead);
    buffers_end(dead);
}

/* Append a line to t that says if x is a promise, a value with a history, a variable or a plain value, and
   its name. `value` is the tensor behind the handle x. */
static void add_kind(struct text *t, const ty_tensor *x, const ty_tensor *value) {
    const char *name = value->op ? value->op->name : "";
    text_add(t, "%-11s", "kind");
    if (x->promise)
        text_add(t, *name ? "promise: %s of %d operand%s, not computed" : "promise%s", name, x->ninputs,
                 x->ninputs == 1 ? "" : "s");
    else if (value != x)
        text_add(t, "eager variable");
    else if (x->tracked)
        text_add(t, "value, tracked: %s", name);
    else
        text_add(t, "value");
    if (x->name) text_add(t, "\n%-11s%s", "name", x->name);
}

char *ty_info(const ty_tensor *x) {
    struct text t = {0};
    x = tensor_of(x);
    if (x->error) {
        text_add(&t, "error: %s", x->error);
        return text_take(&t);
    }
    ty_scope *scope = ty_open();
    ty_tensor *value = tensor_resolve((ty_tensor *)(uintptr_t)x);
    add_form(&t, x);
    add_memory(&t, value);
    add_kind(&t, x, value);
    ty_close(scope);
    return text_take(&t);
}
