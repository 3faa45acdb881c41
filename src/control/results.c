/* The results of loops and branches: promises, or values at once where all operands are values. */
#include <string.h>
#include <tyto/graph.h>
#include "base/alloc.h"
#include "control/body.h"
#include "control/results.h"

/* A value that remembers which result of which loop or branch it is. */
static ty_tensor *with_history(ty_tensor *node, ty_tensor *value, const ty_tensor *promise) {
    ty_tensor *y = value_from(&op_result, value, 1, promise->attr_bytes);
    if (!y) return tensor_out_of_memory();
    memcpy(y->attr, promise->attr, promise->attr_bytes);
    y->inputs[0] = ty_retain(node);
    y->tracked = true;
    return tensor_return(y);
}

enum { MOST_DEPTH = 12 };
/* Whether x is a value, or what a body made of nothing but values (a mask, say), which was moved out of it. */
static bool is_settled(const ty_tensor *x, int depth) {
    if (!x->promise) return true;
    if (x->level <= tensor_level || x->varies || is_parameter(x) || depth == 0) return false;
    for (int i = 0; i < x->ninputs; i++)
        if (!is_settled(x->inputs[i], depth - 1)) return false;
    return true;
}

/* Whether the operator computes at once when all its operands are values. */
static bool is_eager(const ty_tensor *node) {
    for (int i = 0; i < node->ninputs; i++)
        if (!is_settled(node->inputs[i], MOST_DEPTH)) return false;
    return tensor_level == 0;
}

static bool evaluate(ty_tensor *node, int n, ty_tensor **results) {
    ty_tensor **values = mem_array((size_t)n, sizeof *values);
    bool done = values && ty_eval_all(n, results, values);
    for (int i = 0; i < n; i++) {
        ty_tensor *value = values ? values[i] : tensor_out_of_memory();
        results[i] = ty_ok(value) && node->tracked ? with_history(node, value, results[i]) : value;
        done = done && ty_ok(results[i]);
    }
    mem_free(values);
    return done;
}

bool results_of(ty_tensor *node, int n, const int *which, ty_tensor **results) {
    bool done = true;
    for (int i = 0; i < n; i++) {
        results[i] = result_of(node, which[i]);
        done = done && ty_ok(results[i]);
    }
    return done && ty_ok(node) && is_eager(node) ? evaluate(node, n, results) : done;
}
