/* Nodes in the order of the walk, each with what distinguishes it; operands are named by their place. */
#include "compile/key.h"
#include "base/alloc.h"
#include "base/isa.h"
#include "base/parallel.h"
#include "base/workspace.h"

enum { SMALL_BYTES = 64 };

/* The bytes that a value touches, from the first to the last. */
static size_t extent(const ty_tensor *x, int64_t *low) {
    int64_t high;
    layout_extent(&x->layout, low, &high);
    return (size_t)(high - *low) * dtype_table[x->dtype].size;
}

/* Whether a leaf may differ from one evaluation to the next. */
static bool is_argument(const ty_tensor *x, bool general) {
    int64_t low;
    if (x->promise) return x->op == &op_input;
    return general || tensor_may_change(x) ? tensor_size(x) > 0 : extent(x, &low) > SMALL_BYTES;
}

static void add_number(struct text *t, int64_t n) { text_add_bytes(t, &n, sizeof n); }
static void add_sizes(struct text *t, int rank, const int64_t *sizes) {
    text_add_bytes(t, sizes, sizeof *sizes * (size_t)rank);
}

static void add_leaf(struct text *t, const ty_tensor *x, bool argument) {
    int64_t low;
    add_number(t, argument ? -1 : -2);
    add_number(t, x->dtype);
    add_number(t, x->layout.rank);
    add_sizes(t, x->layout.rank, x->layout.shape);
    add_sizes(t, x->layout.rank, x->layout.strides);
    if (argument) return;
    size_t bytes = extent(x, &low);
    add_number(t, x->layout.offset - low);
    if (bytes) text_add_bytes(t, x->buffer->data + low * (int64_t)dtype_table[x->dtype].size, bytes);
}

static void add_node(struct text *t, const struct walk *w, const ty_tensor *x) {
    add_number(t, x->ninputs);
    text_add_bytes(t, &x->op, sizeof x->op);
    add_number(t, x->dtype);
    add_number(t, (int64_t)x->attr_bytes);
    text_add_bytes(t, x->attr, x->attr_bytes);
    for (int i = 0; i < x->ninputs; i++) add_number(t, walk_place(w, x->inputs[i]));
}

static uint64_t hash_bytes(const char *bytes, size_t n) { /* FNV-1a over words of eight, then the rest */
    uint64_t h = 0xcbf29ce484222325u, word;
    size_t i = 0;
    for (; i + sizeof word <= n; i += sizeof word) {
        __builtin_memcpy(&word, bytes + i, sizeof word);
        h = (h ^ word) * 0x100000001b3u;
        h ^= h >> 29;
    }
    for (; i < n; i++) h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return h;
}

bool key_make(struct key *key, const struct walk *w, int n, ty_tensor *const *roots, bool general,
              struct fault *fault) {
    *key = (struct key){.arguments = mem_array((size_t)w->count, sizeof *key->arguments)};
    struct text *t = &key->bytes;
    const void *engine = engine_current();
    text_add_bytes(t, &engine, sizeof engine);
    add_number(t, parallel_width());
    add_number(t, isa_current());
    add_number(t, workspace_most());
    add_number(t, general);
    add_number(t, n);
    for (int i = 0; i < n; i++) add_number(t, walk_place(w, tensor_resolve(roots[i])));
    for (int64_t i = 0; i < w->count && key->arguments && !t->failed; i++) {
        ty_tensor *x = w->nodes[i];
        bool leaf = !x->promise || x->op == &op_input, argument = leaf && is_argument(x, general);
        if (leaf)
            add_leaf(t, x, argument);
        else
            add_node(t, w, x);
        if (argument) key->arguments[key->narguments++] = x;
    }
    if (!key->arguments || t->failed) return fault_memory(fault, t->length);
    key->hash = hash_bytes(t->data, t->length);
    return true;
}

void key_drop(struct key *key) {
    text_drop(&key->bytes);
    mem_free(key->arguments);
    *key = (struct key){0};
}
