#include "engine/cpu/elementwise/stretches.h"

/* Set g->first and g->end so that the guard of x includes only elements g->first .. g->end - 1 of it, row-major. */
static void find_ends(struct cpu_guard *g, const struct operand *x) {
    int64_t step = 1;
    g->end = 1;
    for (int i = x->layout.rank - 1; i >= 0; i--) {
        g->first += x->guard->low[i] * step;
        g->end += (x->guard->high[i] - 1) * step;
        step *= x->layout.shape[i];
    }
}

struct cpu_guard *cpu_guard_prepare(const struct operand *x, struct arena *arena) {
    const struct layout *l = &x->layout;
    struct cpu_guard *g = arena_alloc(arena, sizeof *g);
    int64_t *numbers = arena_array(arena, 3 * (size_t)l->rank, sizeof *numbers), inner = 1;
    if (!g || !numbers) return NULL;
    g->free = x->guard->free;
    find_ends(g, x);
    for (int i = 0; i < l->rank; i++) g->rank += x->guard->low[i] != 0 || x->guard->high[i] != l->shape[i];
    g->size = numbers;
    g->low = numbers + g->rank;
    g->high = g->low + g->rank;
    int k = g->rank;
    for (int i = l->rank - 1; i >= 0; i--) {
        inner *= l->shape[i];
        if (x->guard->low[i] == 0 && x->guard->high[i] == l->shape[i]) continue;
        int64_t rest = inner / l->shape[i];
        g->size[--k] = inner;
        g->low[k] = x->guard->low[i] * rest;
        g->high[k] = x->guard->high[i] * rest;
        inner = 1;
    }
    return g;
}

/* Return true if all indices of `row` but the last one, row-major, are inside the guard. */
static bool row_is_inside(const struct cpu_guard *g, int64_t row) {
    bool inside = true;
    for (int i = g->rank - 2; i >= 0; i--) {
        int64_t rest = row / g->size[i], at = row - rest * g->size[i];
        inside = inside && at >= g->low[i] && at < g->high[i];
        row = rest;
    }
    return inside;
}

/* Set s->inside and s->end: the elements from index s->place of row s->row up to there are all inside or all
   outside the guard, a box of valid indices. */
static void find_end(struct cpu_stretch *s, const struct cpu_guard *g) {
    const int last = g->rank - 1;
    int64_t end = g->size[last];
    bool row = s->place < g->high[last] && row_is_inside(g, s->row);
    s->inside = row && s->place >= g->low[last];
    if (row) end = s->inside ? g->high[last] : g->low[last];
    s->end = s->at + (end - s->place);
    s->place = end;
}

void cpu_stretch_begin(struct cpu_stretch *s, const struct cpu_guard *g, int64_t at) {
    int64_t size = g->size[g->rank - 1];
    s->at = at;
    s->row = at / size;
    s->place = at - s->row * size;
    find_end(s, g);
}

void cpu_stretch_next(struct cpu_stretch *s, const struct cpu_guard *g) {
    s->at = s->end;
    if (s->place == g->size[g->rank - 1]) {
        s->place = 0;
        s->row++;
    }
    find_end(s, g);
}
