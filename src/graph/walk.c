/* Iterative depth-first postorder with a stack of (node, next operand). Nodes are numbered as they are
   found, so each edge costs one look-up. */
#include "graph/walk.h"
#include "base/alloc.h"
#include "base/list.h"

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

/* Push a frame for node x, which has just been found and got this number, in order of discovery. False if
   memory runs out. */
static bool enter(struct walk *w, struct stack *s, ty_tensor *x, int64_t number) {
    int64_t first = w->edges;
    if (x->error == tensor_given_away) w->gone = x;
    if (walk_enters(w, x)) w->edges += x->ninputs;
    if (!list_reserve(w->place_of, number + 1, s->found_room) ||
        !list_reserve(w->operands, w->edges, s->operand_room) ||
        !list_reserve(s->frames, s->count + 1, s->capacity))
        return false;
    w->place_of[number] = -1;
    s->frames[s->count++] = (struct frame){x, 0, number, first};
    return true;
}

/* Return the number of x, from 0, in order of discovery, and push a frame for x if it is new. -1 if memory
   runs out. */
static int64_t find(struct walk *w, struct stack *s, ty_tensor *x) {
    bool is_new;
    int64_t *known = map_put(&w->index, map_key(x), w->index.count, &is_new);
    if (!known) return -1;
    int64_t number = *known;
    return is_new && !enter(w, s, x, number) ? -1 : number;
}

/* Pop the top frame and append its node to the order. False if memory runs out. */
static bool leave(struct walk *w, struct stack *s) {
    struct frame *top = &s->frames[--s->count];
    if (!list_reserve(w->nodes, w->count + 1, s->node_room) ||
        !list_reserve(w->first, w->count + 1, s->first_room))
        return false;
    w->place_of[top->number] = w->count;
    w->first[w->count] = top->first;
    w->nodes[w->count++] = top->node;
    return true;
}

/* Visit all nodes below the frames on the stack, and append them to the order. False if memory runs out. */
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
    if (n > 0 && !roots) return fault_set(fault, E_ARGUMENT, "the array of %d tensors is NULL", n);
    for (int i = 0; i < n && done; i++)
        done = find(w, &stack, tensor_resolve(roots[i])) >= 0 && drain(w, &stack);
    for (int64_t e = 0; e < w->edges && done; e++) w->operands[e] = w->place_of[w->operands[e]];
    mem_free(stack.frames);
    if (done && w->gone) return fault_tensor(fault, w->gone);
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
