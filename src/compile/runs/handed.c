/*
 * Memory of operands that outputs of a program take. An operand qualifies if it was given away (ops/core/memory/give.h)
 * and nobody else can see it. An output is written there under the conditions that hold for destinations (into.c):
 * each kernel has read what it needs by then. Otherwise the output has memory of its own, and the operand stays a
 * value.
 */
#include "compile/runs/handed.h"
#include "base/alloc.h"
#include "ops/core/memory/give.h"
#include "ops/core/memory/overlap.h"

static bool reserve(struct handed *h, int n, struct fault *fault) {
    if (h->n) return true;
    h->x = mem_array((size_t)n, sizeof *h->x);
    h->taken = mem_array((size_t)n, sizeof *h->taken);
    if (h->x && h->taken) h->n = n;
    return h->n || fault_memory(fault, (size_t)n * sizeof *h->x);
}

bool handed_operands(struct handed *h, int n, ty_tensor *const *x, struct fault *fault) {
    for (int i = 0; i < n; i++) {
        if (!is_given_outside(x[i])) continue;
        x[i]->given = 0;
        if (!give_owned(x[i]) || atomic_load(&x[i]->refs) != 1) continue;
        if (!reserve(h, n, fault)) return false;
        h->x[i] = x[i];
    }
    return true;
}

void handed_add(struct handed *h, int n, int i, ty_tensor *x) {
    struct fault fault = {0};
    if (give_owned(x) && atomic_load(&x->refs) == 1 && reserve(h, n, &fault)) h->x[i] = x;
}

/* ---- leaves of graphs ---- */

/* Set depends[k], for each node of w, to whether it is x or depends on it. */
static void find_dependents(const struct walk *w, const ty_tensor *x, bool *depends) {
    for (int64_t k = 0; k < w->count; k++) {
        depends[k] = w->nodes[k] == x;
        for (int i = 0; walk_enters(w, w->nodes[k]) && i < w->nodes[k]->ninputs; i++)
            depends[k] = depends[k] || depends[walk_operand(w, k, i)];
    }
}

/* Set uses[k] to the number of references that the graph w itself has to node k. */
static void count_uses(const struct walk *w, int *uses) {
    for (int64_t k = 0; k < w->count; k++)
        for (int i = 0; walk_enters(w, w->nodes[k]) && i < w->nodes[k]->ninputs; i++)
            uses[walk_operand(w, k, i)]++;
}

/* True if each node of w that depends on x has the references of the graph and one handle at most. */
static bool is_inside(const struct walk *w, const int *uses, const ty_tensor *x, bool *depends) {
    find_dependents(w, x, depends);
    for (int64_t k = 0; k < w->count; k++)
        if (depends[k] && atomic_load(&w->nodes[k]->refs) > uses[k] + 1) return false;
    return true;
}

bool handed_leaves(struct handed *h, const struct walk *w, int n, ty_tensor *const *arguments,
                   struct fault *fault) {
    bool any = false;
    for (int i = 0; i < n && !any; i++) any = is_given(arguments[i]);
    if (!any) return true;
    int *uses = mem_array((size_t)w->count, sizeof *uses);
    h->depends = mem_array((size_t)w->count, sizeof *h->depends);
    bool done = h->depends && uses && reserve(h, n, fault);
    if (done) count_uses(w, uses);
    for (int i = 0; i < n && done; i++) {
        ty_tensor *x = arguments[i];
        if (!is_given(x)) continue;
        x->given = 0;
        if (give_owned(x) && is_inside(w, uses, x, h->depends)) h->x[i] = x;
    }
    mem_free(uses);
    return done || fault_memory(fault, (size_t)w->count * sizeof *uses);
}

/* ---- runs ---- */

ty_tensor *handed_for(const struct ty_program *p, int b) {
    const struct handed *h = p->handed;
    const struct block *block = &p->flow.blocks[b];
    for (int i = 0; h && i < h->n; i++) {
        ty_tensor *x = h->x[i];
        if (!x || h->taken[i] || x->buffer->bytes != (size_t)block->bytes) continue;
        struct place to = place_of(x);
        to.size = dtype_table[block->dtype].size;
        if (dtype_table[x->dtype].size != to.size || !program_leaves_allow(p, b, &to, NULL)) continue;
        h->taken[i] = true;
        return x;
    }
    return NULL;
}

/* Make the promises of w poison that depend on x, which has been taken, so that nothing reads it again. */
static void end_dependents(const struct walk *w, const ty_tensor *x, bool *depends) {
    find_dependents(w, x, depends);
    for (int64_t k = 0; k < w->count; k++)
        if (depends[k] && w->nodes[k] != x) give_end(w->nodes[k]);
}

void handed_end(struct handed *h, const struct walk *w) {
    for (int i = 0; i < h->n; i++) {
        if (!h->taken[i]) continue;
        if (w) end_dependents(w, h->x[i], h->depends);
        give_end(h->x[i]);
    }
    mem_free(h->x);
    mem_free(h->taken);
    mem_free(h->depends);
    *h = (struct handed){0};
}
