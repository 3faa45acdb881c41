/*
 * Copies for packing. Runs of at least a cache line on both sides are copied in source order; other copies use
 * copy.h, which transposes small blocks.
 */
#include "engine/cpu/contract/contract_move.h"
#include <stdlib.h>
#include "base/number.h"
#include "engine/cpu/contract/contract_kernels.h"

void move_axis(struct move_box *b, int64_t size, int64_t from, int64_t to) {
    int i = b->rank++;
    b->shape[i] = size;
    b->from[i] = from;
    b->to[i] = to;
}

/* Sort the axes of b by descending absolute stride key[], outermost first; key is b->from or b->to. */
static void sort_axes(struct move_box *b, const int64_t *key) {
    for (int i = 1; i < b->rank; i++)
        for (int j = i; j > 0 && llabs(key[j]) > llabs(key[j - 1]); j--) {
            int64_t *lists[] = {b->shape, b->from, b->to};
            for (int k = 0; k < 3; k++) {
                int64_t x = lists[k][j];
                lists[k][j] = lists[k][j - 1];
                lists[k][j - 1] = x;
            }
        }
}

/* Fuse neighbouring axes that step evenly on both sides. Then, if the innermost axis is contiguous on both sides,
   remove it and return its size in elements; else return 1. */
static int64_t fuse_axes(struct move_box *b) {
    int n = 0;
    for (int i = 0; i < b->rank; i++) {
        int64_t size = b->shape[i], from = b->from[i], to = b->to[i];
        if (n > 0 && b->from[n - 1] == from * size && b->to[n - 1] == to * size) size *= b->shape[--n];
        b->shape[n] = size;
        b->from[n] = from;
        b->to[n++] = to;
    }
    b->rank = n;
    if (n == 0 || b->from[n - 1] != 1 || b->to[n - 1] != 1) return 1;
    b->rank--;
    return b->shape[n - 1];
}

void move_prepare(struct move_plan *m, struct move_box *b, int64_t element, bool streamed) {
    struct move_box axes = *b;
    m->n = -1;
    sort_axes(&axes, axes.from);
    int64_t run = fuse_axes(&axes);
    if (!streamed && run * element >= CACHE_LINE && axes.rank <= MOVE_AXES) {
        m->run = run * element;
        m->n = axes.rank;
        for (int i = 0; i < axes.rank; i++) {
            m->size[i] = axes.shape[i];
            m->from[i] = axes.from[i] * element;
            m->to[i] = axes.to[i] * element;
        }
        return;
    }
    sort_axes(b, b->to);
    struct layout from = {b->rank, 0, b->shape, b->from}, to = {b->rank, 0, b->shape, b->to};
    cpu_copy_prepare(&m->copy, (size_t)element, &from, &to, streamed);
}

void move_run(const struct move_plan *m, const char *from, char *to, char *stage) {
    if (m->n < 0) {
        cpu_copy_run(&m->copy, 1, from, to, stage);
        return;
    }
    struct move_call call = {.run = m->run, .rows = 1, .columns = 1, .from = from, .to = to};
    int64_t index[MOVE_AXES] = {0};
    int outer = m->n - 1;
    if (outer >= 0) {
        call.columns = m->size[outer];
        call.from_column = m->from[outer];
        call.to_column = m->to[outer--];
    }
    if (outer >= 0) {
        call.rows = m->size[outer];
        call.from_row = m->from[outer];
        call.to_row = m->to[outer--];
    }
    for (int i = 0;;) {
        contract_kernels()->move(&call);
        for (i = outer; i >= 0; i--) {
            call.from += m->from[i];
            call.to += m->to[i];
            if (++index[i] < m->size[i]) break;
            call.from -= m->size[i] * m->from[i];
            call.to -= m->size[i] * m->to[i];
            index[i] = 0;
        }
        if (i < 0) return;
    }
}
