/* One row of what is batched after the other, on which the graph is recorded anew; rows of results are stacked. */
#include "grad/batch.h"
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "graph/rewrite.h"

struct batch {
    struct walk walk;
    ty_tensor **made; /* what becomes of each node in the row at hand */
    bool *depends;    /* per node: an x lies below it */
    struct fault *fault;
};

static bool start(struct batch *b, int ny, ty_tensor *const *y, int nx, ty_tensor *const *x) {
    b->walk.history = true;
    if (!walk_order(&b->walk, ny, y, b->fault)) return false;
    size_t n = (size_t)b->walk.count;
    b->made = mem_array(n, sizeof *b->made);
    b->depends = mem_array(n, sizeof *b->depends);
    if (!b->made || !b->depends) return fault_memory(b->fault, n * sizeof *b->made);
    for (int i = 0; i < nx; i++) {
        int64_t place = walk_place(&b->walk, tensor_resolve(x[i]));
        if (place >= 0) b->depends[place] = true;
    }
    for (int64_t k = 0; k < b->walk.count; k++)
        for (int i = 0; walk_enters(&b->walk, b->walk.nodes[k]) && i < b->walk.nodes[k]->ninputs; i++)
            b->depends[k] = b->depends[k] || b->depends[walk_operand(&b->walk, k, i)];
    return true;
}

static ty_tensor *row_of(ty_tensor *batched, const ty_tensor *x, int64_t row) {
    return ty_reshape(ty_slice(batched, 0, row, row + 1, 1), x->layout.rank, x->layout.shape);
}

static bool run_row(struct batch *b, int nx, ty_tensor *const *x, ty_tensor *const *batched, int64_t row) {
    const struct walk *w = &b->walk;
    for (int64_t k = 0; k < w->count; k++) b->made[k] = NULL;
    for (int i = 0; i < nx; i++) {
        int64_t place = walk_place(w, tensor_resolve(x[i]));
        if (place >= 0) b->made[place] = row_of(batched[i], tensor_resolve(x[i]), row);
    }
    for (int64_t k = 0; k < w->count; k++) {
        if (!b->made[k]) b->made[k] = b->depends[k] ? rewrite_node(w, b->made, k) : w->nodes[k];
        if (!ty_ok(b->made[k])) return fault_set(b->fault, "%s", ty_error(b->made[k]));
    }
    return true;
}

static ty_tensor *stack_rows(const ty_tensor *y, int64_t n, ty_tensor *const *rows) {
    int64_t shape[TY_MAX_RANK + 1] = {0};
    if (n) return ty_stack((int)n, rows, 0);
    for (int i = 0; i < y->layout.rank; i++) shape[i + 1] = y->layout.shape[i];
    return ty_zeros(y->dtype, y->layout.rank + 1, shape);
}

bool batch_all(int ny, ty_tensor *const *y, int nx, ty_tensor *const *x, ty_tensor *const *batched, int64_t n,
               ty_tensor **out, struct fault *fault) {
    struct batch b = {.fault = fault};
    ty_tensor **rows = mem_array((size_t)ny * (size_t)n + 1, sizeof *rows);
    bool done = rows ? start(&b, ny, y, nx, x) : fault_memory(fault, (size_t)n * sizeof *rows);
    for (int64_t row = 0; done && row < n; row++) {
        done = run_row(&b, nx, x, batched, row);
        for (int i = 0; done && i < ny; i++)
            rows[i * n + row] = b.made[walk_place(&b.walk, tensor_resolve(y[i]))];
    }
    for (int i = 0; done && i < ny; i++) {
        out[i] = stack_rows(tensor_resolve(y[i]), n, rows + i * n);
        if (!ty_ok(out[i])) done = fault_set(fault, "%s", ty_error(out[i]));
    }
    mem_free(rows);
    mem_free(b.made);
    mem_free(b.depends);
    walk_drop(&b.walk);
    return done;
}
