/* Keys of graphs: the settings that compilation depends on, then the structure. */
#include "array/remote.h"
#include "compile/demand/key.h"
#include "ops/core/kernel/devices.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/machine/isa.h"
#include "base/threads/parallel.h"
#include "base/workspace.h"
#include "graph/structure.h"

enum { SMALL_BYTES = 64 };

/* True if leaf x is an argument of the program: it may differ between evaluations. If `general`, all values
   are arguments, else only large or changing ones. */
static bool is_argument(const ty_tensor *x, bool general) {
    int64_t low;
    if (x->promise) return x->op == &op_input;
    return general || tensor_may_change(x) ? tensor_size(x) > 0 : structure_extent(x, &low) > SMALL_BYTES;
}

bool key_make(struct key *key, const struct walk *w, int n, ty_tensor *const *roots, bool general,
              struct fault *fault) {
    *key = (struct key){.arguments = mem_array((size_t)w->count, sizeof *key->arguments)};
    struct text *t = &key->bytes;
    const void *engine = engine_of(n, roots);
    text_add_bytes(t, &engine, sizeof engine);
    structure_add_number(t, parallel_width());
    structure_add_number(t, isa_current());
    structure_add_number(t, workspace_most());
    structure_add_number(t, general);
    structure_add_number(t, n);
    for (int i = 0; i < n; i++) structure_add_number(t, walk_place(w, tensor_resolve(roots[i])));
    for (int64_t i = 0; i < w->count && key->arguments && !t->failed; i++) {
        ty_tensor *x = w->nodes[i];
        bool leaf = !x->promise || x->op == &op_input, argument = leaf && is_argument(x, general);
        if (leaf && !argument && !tensor_home(x, fault)) return false;
        if (leaf)
            structure_add_leaf(t, x, !argument);
        else
            structure_add_node(t, w, x);
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
