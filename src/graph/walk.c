/* Iterative depth-first postorder with a stack of (node, next operand). Nodes are numbered as they are
   found, so each edge costs one look-up. */
#include "graph/walk.h"
#include "base/alloc.h"

/* A node whose operands are being visited. */
struct frame {
    ty_tensor *node;
    int next;
    int64_t number, first; /* number of the node; start of its operands in walk.operands */
};
struct stack {
    struct frame *frames;
    int64_t count, capacity, found_room, operand_room, node_room, first_room;
};

/* Grow the array *memory to at least `count` elements of `size` bytes; *capacity is its capacity. False: no
   memory. */
static bool grow(void *memory, int64_t count, int64_t *capacity, size_t size) {
    if (count <= *capacity) return true;
    int64_t bigger = *capacity ? 2 * *capacity : 64;
    if (bigger < count) bigger = count;
    void *grown = mem_grow(*(void **)memory, (size_t)bigger, size);
    if (!grown) return false;
    *(void **)memory = grown;
    *capacity = bigger;
    return true;
}

/* Push a frame for node x, which has just been found and got this number. False: no memory. */
static bool enter(struct walk *w, struct stack *s, ty_tensor *x, int64_t number) {
    int64_t first = w->edges;
    if (walk_enters(w, x)) w->edges += x->ninputs;
    if (!grow(&w->place_of, number + 1, &s->found_room, sizeof *w->place_of) ||
        !grow(&w->operands, w->edges, &s->operand_room, sizeof *w->operands) ||
        !grow(&s->frames, s->count + 1, &s->capacity, sizeof *s->frames))
        return false;
    w->place_of[number] = -1;
    s->frames[s->count++] = (struct frame){x, 0, number, first};
    return true;
}

/* Return the number of x in order of discovery, and push x if it is new. -1: no memory. */
static int64_t find(struct walk *w, struct stack *s, ty_tensor *x) {
    bool is_new;
    int64_t *known = map_put(&w->index, map_key(x), w->index.count, &is_new);
    if (!known) return -1;
    int64_t number = *known;
    return is_new && !enter(w, s, x, number) ? -1 : number;
}

/* Pop the top frame and append its node to the order. False: no memory. */
static bool leave(struct walk *w, struct stack *s) {
    struct frame *top = &s->frames[--s->count];
    if (!grow(&w->nodes, w->count + 1, &s->node_room, sizeof *w->nodes) ||
        !grow(&w->first, w->count + 1, &s->first_room, sizeof *w->first))
        return false;
    w->place_of[top->number] = w->count;
    w->first[w->count] = top->first;
    w->nodes[w->count++] = top->node;
    return true;
}

/* Visit all nodes below the frames on the stack, and append them to the order. False: no memory. */
static bool drain(struct walk *w, struct stack *s) {
    while (s->count) {
        struct frame *top = &s->frames[s->count - 1];
        const ty_tensor *x = top->node;
        if (!walk_enters(w, x) || top->next == x->ninputs) {
            if (!leave(w, s)) return false;
            continue;
        }
        int64_t edge = top->first + top->next, number = find(w, s, x->inputs[top->next++]);
        if (number < 0) return false;
        w->operands[edge] = number;
    }
    return true;
}

bool walk_order(struct walk *w, int n, ty_tensor *const *roots, struct fault *fault) {
    struct stack stack = {0};
    bool done = true;
    if (n > 0 && !roots) return fault_set(fault, "the array of %d tensors is NULL", n);
    for (int i = 0; i < n && done; i++)
        done = find(w, &stack, tensor_resolve(roots[i])) >= 0 && drain(w, &stack);
    for (int64_t e = 0; e < w->edges && done; e++) w->operands[e] = w->place_of[w->operands[e]];
    mem_free(stack.frames);
    return done || fault_memory(fault, (size_t)(w->count + 1) * sizeof *w->nodes);
}

void walk_drop(struct walk *w) {
    mem_free(w->nodes);
    mem_free(w->first);
    mem_free(w->operands);
    mem_free(w->place_of);
    map_drop(&w->index);
    *w = (struct walk){0};
}

int64_t walk_place(const struct walk *w, const ty_tensor *x) {
    const int64_t *number = map_find(&w->index, map_key(x));
    return number ? w->place_of[*number] : -1;
}
