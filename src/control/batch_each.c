/* Batching of operators without a batch rule: a loop over the examples. */
#include <tyto/shape.h>
#include "base/alloc.h"
#include "control/scan.h"
#include "grad/batch.h"
#include "ops/core/result.h"

/* Context of one loop over examples. */
struct each {
    const struct batch *b;
    int m;            /* number of results; -1: the operator has a single result */
    const int *which; /* indices of the results, m of them */
    ty_tensor **x;    /* scratch: operands of one example */
};

/* Step of a loop, whose context is a struct each: record the operator on one example, whose batched operands
   are elements of the sequences. */
static void one(void *context, ty_step *s) {
    const struct each *e = context;
    ty_tensor *y = e->b->y;
    for (int i = 0, element = 0; i < y->ninputs; i++)
        e->x[i] = e->b->batched[i] ? s->x[element++] : e->b->x[i];
    y = record(y->op, y->attr, y->attr_bytes, y->ninputs, e->x);
    if (e->m < 0) s->y[0] = y;
    for (int i = 0; i < e->m; i++) s->y[i] = result_of(y, e->which[i]);
}

/* Record a loop over all examples, and write its stacked results which[0..m) to out[]; m is -1 for an
   operator with a single result, out[0]. On failure out[] is poison. */
static void loop_over(const struct batch *b, int m, const int *which, ty_tensor **out) {
    size_t n = (size_t)b->y->ninputs;
    struct each e = {b, m, which, mem_array(n, sizeof *e.x)};
    ty_tensor **sequences = mem_array(n, sizeof *sequences);
    ty_scan_spec loop = {.x = sequences, .ny = m < 0 ? 1 : m, .length = b->n};
    bool fits = e.x && sequences;
    for (int i = 0; i < b->y->ninputs && fits; i++)
        if (b->batched[i]) sequences[loop.nx++] = b->x[i];
    if (fits) scan_counted(b->y->op->name, one, &e, &loop, NULL, NULL, out, NULL);
    for (int i = 0; i < loop.ny && !fits; i++) out[i] = tensor_out_of_memory();
    mem_free(e.x);
    mem_free(sequences);
}

static ty_tensor *one_by_one(const struct batch *b) {
    ty_tensor *all;
    loop_over(b, -1, NULL, &all);
    return all;
}

const struct batch_fallback batch_fallback = {one_by_one, loop_over};
