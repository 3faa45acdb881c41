/*
 * Constant folding: what depends on constants alone is computed now.  A result that is larger than its
 * operands and than 64 KiB stays a promise: memory is worth more than one computation a run.  Views
 * cost nothing and always fold.
 */
#include "base/alloc.h"
#include "compile/passes/rewrite.h"

enum { FOLD_BYTES = 64 << 10 };

static int64_t bytes_of(const ty_tensor *x) { return tensor_size(x) * (int64_t)dtype_table[x->dtype].size; }

static bool worth_folding(const ty_tensor *x) {
    int64_t operands = 0, bytes = bytes_of(x);
    for (int i = 0; i < x->ninputs; i++) {
        if (!constant_value(x->inputs[i])) return false;
        operands += bytes_of(constant_value(x->inputs[i]));
    }
    return x->op->view || bytes <= FOLD_BYTES || bytes <= operands;
}

static ty_tensor *fold(void *context, ty_tensor *x) {
    struct graph *g = context;
    enum { USUAL = 8 };
    ty_tensor *room[USUAL], **values = room;
    if (!x->promise || x->op == &op_input || x->op == &op_constant || !worth_folding(x)) return x;
    if (x->ninputs > USUAL && !(values = mem_array((size_t)x->ninputs, sizeof *values)))
        return tensor_out_of_memory();
    for (int i = 0; i < x->ninputs; i++) values[i] = constant_value(x->inputs[i]);
    ty_tensor *y = record(x->op, x->attr, x->attr_bytes, x->ninputs, values);
    if (values != room) mem_free(values);
    if (y == tensor_out_of_memory()) return y;
    if (!ty_ok(y) || y->promise) return x; /* what cannot be computed says so when it runs */
    y->weak = x->weak;
    g->report->folded++;
    return y;
}

bool pass_fold(struct graph *g) { return rewrite(g, fold, g); }
