/* Depth first with a stack of (node, next operand): the iterative form of postorder. */
#include "graph/walk.h"
#include "base/alloc.h"

struct frame {
    ty_tensor *node;
    int next;
};
struct stack {
    struct frame *frames;
    int64_t count, capacity;
};

static bool grow(void **memory, int64_t count, int64_t *capacity, size_t size) {
    if (count < *capacity) return true;
    int64_t bigger = *capacity ? 2 * *capacity : 64;
    void *grown = mem_grow(*memory, (size_t)bigger, size);
    if (!grown) return false;
    *memory = grown;
    *capacity = bigger;
    return true;
}

static bool push(struct walk *w, struct stack *s, ty_tensor *x) {
    bool is_new;
    if (!map_put(&w->index, map_key(x), -1, &is_new)) return false;
    if (!is_new) return true;
    if (!grow((void **)&s->frames, s->count, &s->capacity, sizeof *s->frames)) return false;
    s->frames[s->count++] = (struct frame){x, 0};
    return true;
}

static bool drain(struct walk *w, struct stack *s, int64_t *capacity) {
    while (s->count) {
        struct frame *top = &s->frames[s->count - 1];
        ty_tensor *x = top->node;
        if (walk_enters(w, x) && top->next < x->ninputs) {
            if (!push(w, s, x->inputs[top->next++])) return false;
            continue;
        }
        s->count--;
        if (walk_enters(w, x)) w->edges += x->ninputs;
        if (!grow((void **)&w->nodes, w->count, capacity, sizeof *w->nodes)) return false;
        *map_find(&w->index, map_key(x)) = w->count;
        w->nodes[w->count++] = x;
    }
    return true;
}

bool walk_order(struct walk *w, int n, ty_tensor *const *roots, struct fault *fault) {
    struct stack stack = {0};
    int64_t capacity = 0;
    bool done = true;
    if (n > 0 && !roots) return fault_set(fault, "NULL where an array of %d tensors belongs", n);
    for (int i = 0; i < n && done; i++)
        done = push(w, &stack, tensor_resolve(roots[i])) && drain(w, &stack, &capacity);
    mem_free(stack.frames);
    return done || fault_memory(fault, (size_t)(w->count + 1) * sizeof *w->nodes);
}

void walk_drop(struct walk *w) {
    mem_free(w->nodes);
    map_drop(&w->index);
    *w = (struct walk){0};
}

int64_t walk_place(const struct walk *w, const ty_tensor *x) {
    const int64_t *place = map_find(&w->index, map_key(x));
    return place ? *place : -1;
}
