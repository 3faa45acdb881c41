#include "graph/walk.h"

/* Set a fault that names node x, of index `place` in the walk, up to three operands and the problem `what`.
   Always return false. */
static bool node_fault(const ty_tensor *x, int64_t place, const char *what, struct fault *fault) {
    char mine[160], operands[3][160] = {{0}};
    for (int i = 0; i < x->ninputs && i < 3; i++)
        tensor_describe_into(operands[i], sizeof operands[i], x->inputs[i]);
    return fault_set(fault, E_INTERNAL, "verify: node %lld, %s of %s %s %s%s giving %s: %s", (long long)place,
                     x->op->name, operands[0], operands[1], operands[2], x->ninputs > 3 ? " ..." : "",
                     tensor_describe_into(mine, sizeof mine, x), what);
}

/* Check arity, order of operands, and dtype and shape of node x, of index `place` in the walk, against
   inference. False, with the fault set, if one is wrong. */
static bool verify_node(const struct walk *w, const ty_tensor *x, int64_t place, struct fault *fault) {
    if (!x->op || !x->ninputs) return true;
    if (x->op->arity >= 0 && x->op->arity != x->ninputs)
        return node_fault(x, place, "wrong number of operands", fault);
    for (int i = 0; i < x->ninputs && walk_enters(w, x); i++)
        if (walk_place(w, x->inputs[i]) >= place)
            return node_fault(x, place, "an operand comes after it", fault);
    struct infer in = {.op = x->op,
                       .attr = x->attr,
                       .attr_bytes = x->attr_bytes,
                       .ninputs = x->ninputs,
                       .inputs = x->inputs,
                       .fault = fault};
    if (!x->op->infer(&in)) return false;
    if (in.dtype != x->dtype) return node_fault(x, place, "inference gives another dtype", fault);
    if (!shape_equal(in.rank, in.shape, x->layout.rank, x->layout.shape))
        return node_fault(x, place, "inference gives another shape", fault);
    return true;
}

/* Verify the loop bodies and branches of x. False, with the fault set, on failure. */
static bool verify_bodies(const ty_tensor *x, struct fault *fault) {
    ty_tensor *const *roots;
    uint64_t id;
    bool well = true;
    for (int i = 0, n = 0; well && (n = x->op->body(x->attr, i, &roots, &id)); i++) {
        struct walk w = {0};
        well = walk_order(&w, n, roots, fault) && graph_verify(&w, fault);
        walk_drop(&w);
    }
    return well;
}

bool graph_verify(const struct walk *w, struct fault *fault) {
    for (int64_t i = 0; i < w->count; i++) {
        const ty_tensor *x = w->nodes[i];
        if (!verify_node(w, x, i, fault) || (x->op && x->op->body && !verify_bodies(x, fault))) return false;
    }
    return true;
}
