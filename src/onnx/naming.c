/* Names of values in a graph: each has a slot. */
#include <string.h>
#include "base/alloc.h"
#include "base/hash.h"
#include "base/list.h"
#include "onnx/resolve.h"

/* Return the slot of a name, and its key; -1, and a free key after those of other names with its hash, if there is
   none. */
static int32_t slot_of(const struct naming *n, const char *name, uint64_t *key) {
    *key = hash_bytes(name, strlen(name));
    for (int64_t *found; (found = map_find(&n->slots, *key)); ++*key) {
        if (strcmp(n->names[*found], name) == 0) return (int32_t)*found;
    }
    return -1;
}

/* Make room for one more slot in the lists by slot. */
static bool grow(struct naming *n) {
    struct onnx_graph *g = n->graph;
    if (g->nslots < n->capacity) return true;
    int more = n->capacity ? 2 * n->capacity : 64;
    const char **names = mem_grow(n->names, (size_t)more, sizeof *names);
    if (names) n->names = names;
    int32_t *last = mem_grow(n->last, (size_t)more, sizeof *last);
    if (last) n->last = last;
    if (!names || !last) return fault_memory(&n->model->fault, (size_t)more * sizeof *names);
    n->capacity = more;
    return true;
}

/* Add a slot under a key that is free; -1 without memory. */
static int32_t add_at(struct naming *n, const char *name, uint64_t key) {
    struct onnx_graph *g = n->graph;
    if (!grow(n)) return -1;
    if (!map_put(&n->slots, key, g->nslots, NULL)) {
        fault_memory(&n->model->fault, sizeof(struct map_entry));
        return -1;
    }
    n->names[g->nslots] = name;
    n->last[g->nslots] = -1;
    return g->nslots++;
}

int32_t naming_add(struct naming *n, const char *name) {
    uint64_t key;
    if (slot_of(n, name, &key) < 0) return add_at(n, name, key);
    fault_set(&n->model->fault, E_FORMAT, "%s: the value \"%.200s\" is computed twice", n->model->path, name);
    return -1;
}

int32_t naming_own(const struct naming *n, const char *name) {
    uint64_t key;
    return slot_of(n, name, &key);
}

int32_t naming_find(struct naming *n, const char *name) {
    uint64_t key;
    int32_t own = slot_of(n, name, &key);
    if (own >= 0) return n->last[own] = n->node, own;
    int32_t outer = n->outer ? naming_find(n->outer, name) : -1;
    if (outer < 0) return -1;
    struct onnx_graph *g = n->graph;
    int32_t slot = add_at(n, name, key);
    if (slot < 0) return -1;
    n->last[slot] = n->node;
    if (list_append(n->captures, g->ncaptures, n->captures_capacity, (struct onnx_capture){outer, slot}))
        return slot;
    fault_memory(&n->model->fault, sizeof *n->captures);
    return -1;
}

void *naming_room(struct naming *n, int64_t count, size_t size) {
    void *memory = arena_array(&n->model->arena, (size_t)count + 1, size);
    if (!memory) fault_memory(&n->model->fault, (size_t)count * size);
    return memory;
}

bool naming_finish(struct naming *n) {
    struct onnx_graph *g = n->graph;
    g->names = naming_room(n, g->nslots, sizeof *g->names);
    g->captures = naming_room(n, g->ncaptures, sizeof *g->captures);
    if (!g->names || !g->captures) return false;
    if (g->nslots) memcpy(g->names, n->names, (size_t)g->nslots * sizeof *g->names);
    if (g->ncaptures) memcpy(g->captures, n->captures, (size_t)g->ncaptures * sizeof *g->captures);
    return true;
}

void naming_drop(struct naming *n) {
    map_drop(&n->slots);
    mem_free(n->names);
    mem_free(n->last);
    mem_free(n->captures);
}
