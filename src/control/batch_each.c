/* Operators without a rule for many examples: a loop over the examples. */
#include <tyto/shape.h>
#include "base/alloc.h"
#include "control/scan.h"
#include "grad/batch.h"

struct each {
    const struct batch *b;
    ty_tensor **x; /* room for the operands of one example */
};

static void one(void *context, ty_step *s) {
    const struct each *e = context;
    ty_tensor *y = e->b->y;
    for (int i = 0, element = 0; i < y->ninputs; i++)
        e->x[i] = e->b->batched[i] ? s->x[element++] : e->b->x[i];
    s->y[0] = record(y->op, y->attr, y->attr_bytes, y->ninputs, e->x);
}

static ty_tensor *one_by_one(const struct batch *b) {
    size_t n = (size_t)b->y->ninputs;
    struct each e = {b, mem_array(n, sizeof *e.x)};
    ty_tensor **sequences = mem_array(n, sizeof *sequences), *all = tensor_out_of_memory();
    ty_scan_spec loop = {.x = sequences, .ny = 1, .length = b->n};
    if (e.x && sequences) {
        for (int i = 0; i < b->y->ninputs; i++)
            if (b->batched[i]) sequences[loop.nx++] = b->x[i];
        scan_counted(b->y->op->name, one, &e, &loop, NULL, NULL, &all, NULL);
    }
    mem_free(e.x);
    mem_free(sequences);
    return all;
}

const struct batch_fallback batch_fallback = {one_by_one};
