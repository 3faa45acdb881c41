/* Order of nodes with effects. */
#include <stdlib.h>
#include "base/alloc.h"
#include "compile/flow/flow.h"
#include "graph/walk.h"

static int64_t serial_of(const ty_tensor *x) { return x->promise ? op_serial(x->op, x->attr) : 0; }

static int by_serial(const void *a, const void *b) {
    int64_t x = serial_of(*(ty_tensor *const *)a), y = serial_of(*(ty_tensor *const *)b);
    return (x > y) - (x < y);
}

bool flow_order_effects(struct walk *w, int n, ty_tensor *const *roots, struct fault *fault) {
    int64_t count = 0, at = 0;
    for (int64_t i = 0; i < w->count; i++) count += serial_of(w->nodes[i]) > 0;
    if (count < 2) return true;
    ty_tensor **all = mem_array((size_t)count + (size_t)n, sizeof *all);
    if (!all) return fault_memory(fault, (size_t)count * sizeof *all);
    for (int64_t i = 0; i < w->count; i++)
        if (serial_of(w->nodes[i])) all[at++] = w->nodes[i];
    qsort(all, (size_t)count, sizeof *all, by_serial);
    for (int i = 0; i < n; i++) all[count + i] = roots[i];
    walk_drop(w);
    bool done = walk_order(w, (int)count + n, all, fault);
    mem_free(all);
    return done;
}
