/* Results of loops and branches: promises, or values computed now if all operands are values. */
#include <tyto/graph.h>
#include "control/body.h"
#include "control/results.h"
#include "ops/core/bound.h"

enum { MOST_DEPTH = 12 };
/* True if x is a value, or a promise of an enclosed subgraph that depends on values alone, such as a hoisted
   mask. `depth` limits the search. */
static bool is_settled(const ty_tensor *x, int depth) {
    if (!x->promise) return true;
    if (x->level <= tensor_level || x->varies || is_parameter(x) || depth == 0) return false;
    for (int i = 0; i < x->ninputs; i++)
        if (!is_settled(x->inputs[i], depth - 1)) return false;
    return true;
}

/* True if all operands of the node are values, or settled, and no subgraph is being recorded. */
static bool is_eager(const ty_tensor *node) {
    for (int i = 0; i < node->ninputs; i++)
        if (!is_settled(node->inputs[i], MOST_DEPTH)) return false;
    return bound_alone();
}

bool results_of(ty_tensor *node, int n, const int *which, ty_tensor **results) {
    for (int i = 0; i < n; i++) results[i] = result_of(node, which[i]);
    bool done = results_settled(n, results);
    return done && ty_ok(node) && is_eager(node) ? ty_eval_all(n, results, results) : done;
}
