/* Nodes are serialised in topological order; operands are written as indices into it. */
#include "graph/structure.h"
#include "array/remote.h"
#include "base/alloc.h"

size_t structure_extent(const ty_tensor *x, int64_t *low) {
    int64_t high;
    layout_extent(&x->layout, low, &high);
    return (size_t)dtype_bytes(x->dtype, high - *low);
}

void structure_add_number(struct text *t, int64_t n) { text_add_bytes(t, &n, sizeof n); }

static void add_sizes(struct text *t, int rank, const int64_t *sizes) {
    text_add_bytes(t, sizes, sizeof *sizes * (size_t)rank);
}

void structure_add_leaf(struct text *t, const ty_tensor *x, bool content) {
    int64_t low;
    structure_add_number(t, content ? -2 : -1);
    structure_add_number(t, x->dtype);
    structure_add_number(t, x->layout.rank);
    add_sizes(t, x->layout.rank, x->layout.shape);
    add_sizes(t, x->layout.rank, x->layout.strides);
    if (!content) return;
    size_t bytes = structure_extent(x, &low);
    structure_add_number(t, x->layout.offset - low);
    struct fault unused; /* callers bring x home before */
    fault_clear(&unused);
    const char *data = buffer_at(x->buffer, NULL, &unused);
    t->failed |= !data;
    if (bytes && data)
        text_add_bytes(t, data + (dtype_stored(x->dtype) ? 0 : low * (int64_t)dtype_table[x->dtype].size),
                       bytes);
}

void structure_add_node(struct text *t, const struct walk *w, const ty_tensor *x) {
    structure_add_number(t, x->ninputs);
    text_add_bytes(t, &x->op, sizeof x->op);
    structure_add_number(t, x->dtype);
    structure_add_number(t, (int64_t)x->attr_bytes);
    text_add_bytes(t, x->attr, x->attr_bytes);
    for (int i = 0; i < x->ninputs; i++) structure_add_number(t, walk_place(w, x->inputs[i]));
}
