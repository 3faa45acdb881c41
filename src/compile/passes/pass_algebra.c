/*
 * Algebraic simplification: the rules of an operator are tried in order at each node until none applies. A
 * rule may return a smaller shape that broadcasts to the node's. Results of another dtype, from numbers
 * without a dtype, are ignored.
 */
#include <tyto/shape.h>
#include "array/scope.h"
#include "base/alloc.h"
#include "base/map.h"
#include "compile/passes/algebra.h"
#include "compile/passes/rewrite.h"
#include "ops/core/operators.h"
#include "ops/core/structure.h"

enum { ROUNDS = 8 };

struct algebra {
    struct graph *graph;
    struct map first[2];     /* operator -> its first rule, in each table */
    const struct op **given; /* operator of each of the user's rules */
};
static const struct algebra_row *const tables[2] = {algebra_shapes, algebra_values};

/* Fill the maps from an operator to its first rule in both tables. False, with the fault set, on failure. */
static bool index_rows(struct algebra *a) {
    for (int t = 0; t < 2; t++)
        for (int i = 0; tables[t][i].op; i++)
            if (!map_put(&a->first[t], map_key(tables[t][i].op), i, NULL))
                return fault_memory(a->graph->fault, sizeof *tables[t]);
    return true;
}

/* Find the operators of the user's rules by their names, into a->given[]. False, with the fault set, if
   memory runs out. */
static bool index_given(struct algebra *a) {
    const ty_compile_options *o = a->graph->options;
    if (!o || !o->nrewrites) return true;
    a->given = mem_array((size_t)o->nrewrites, sizeof *a->given);
    if (!a->given) return fault_memory(a->graph->fault, (size_t)o->nrewrites * sizeof *a->given);
    for (int i = 0; i < o->nrewrites; i++) a->given[i] = op_find(o->rewrites[i].op);
    return true;
}

/* Rewrite rule: remove broadcasts of operands of an elementwise operator y, which broadcasts itself, if
   another operand still gives the shape. NULL if it does not apply. */
static ty_tensor *drop_broadcasts(ty_tensor *y) {
    ty_tensor *inputs[3];
    bool changed = false;
    if (y->op->kind != KERNEL_MAP || y->ninputs < 2 || y->ninputs > 3) return NULL;
    for (int i = 0; i < y->ninputs; i++) inputs[i] = y->inputs[i];
    for (int i = 0; i < y->ninputs; i++) {
        if (!inputs[i]->promise || inputs[i]->op != &op_broadcast) continue;
        int64_t shape[TY_MAX_RANK];
        int rank = 0, axis;
        for (int j = 0; j < y->ninputs; j++) {
            const ty_tensor *x = j == i ? inputs[i]->inputs[0] : inputs[j];
            if (!shape_broadcast(&rank, shape, x->layout.rank, x->layout.shape, &axis)) return NULL;
        }
        if (!shape_equal(rank, shape, y->layout.rank, y->layout.shape)) continue;
        inputs[i] = inputs[i]->inputs[0];
        changed = true;
    }
    return changed ? record(y->op, y->attr, y->attr_bytes, y->ninputs, inputs) : NULL;
}

/* Return z, the result of a rule for y, broadcast to the shape of y. NULL if z is NULL, poison or of another
   dtype. The poison of no memory is returned as it is. */
static ty_tensor *fitted(ty_tensor *y, ty_tensor *z) {
    if (!z || z == tensor_out_of_memory()) return z;
    if (!ty_ok(z)) return NULL;
    return z->dtype == y->dtype ? ty_broadcast(z, y->layout.rank, y->layout.shape) : NULL;
}

/* Apply the user's rule r to y and return the replacement. NULL if it does not apply. Poison on failure. */
static ty_tensor *act(const ty_rewrite *r, ty_tensor *y) {
    struct scope_fence fence = scope_fence();
    ty_tensor *z = r->act(r->context, y);
    if (!z) {
        scope_fence_end(fence);
        return NULL;
    }
    z = tensor_resolve(scope_fence_result(fence, "a rewrite", z));
    if (z == y) return NULL;
    if (!ty_ok(z)) return ty_poison_code(ty_error_code(z), "compile: rewrite %s: %s", r->name, ty_error(z));
    char was[160], is[160];
    ty_tensor *fit = z->dtype == y->dtype ? ty_broadcast(z, y->layout.rank, y->layout.shape) : NULL;
    if (fit && ty_ok(fit)) return fit;
    return ty_poison_code(E_USER, "compile: rewrite %s made %s of %s, which is %s", r->name,
                          tensor_describe_into(is, sizeof is, z), y->op->name,
                          tensor_describe_into(was, sizeof was, y));
}

/* Try the user's rules for y and return the replacement; *name is set to the name of the rule that applied.
   NULL if none applies. Poison on failure. */
static ty_tensor *apply_given(const struct algebra *a, ty_tensor *y, const char **name) {
    const ty_compile_options *o = a->graph->options;
    ty_tensor *z = NULL;
    for (int i = 0; o && i < o->nrewrites && !z; i++) {
        *name = o->rewrites[i].name;
        if (a->given[i] == y->op) z = act(&o->rewrites[i], y);
    }
    return z;
}

/* Try all rules for y, the user's first, and return the replacement; *name is set to the name of the rule
   that applied. NULL if none applies. Poison on failure. */
static ty_tensor *apply(const struct algebra *a, ty_tensor *y, const char **name) {
    ty_tensor *z = apply_given(a, y, name);
    if (!z) {
        *name = "drop_broadcasts";
        z = fitted(y, drop_broadcasts(y));
    }
    for (int t = 0; t < 2 && !z; t++) {
        const int64_t *first = map_find(&a->first[t], map_key(y->op));
        for (int64_t i = first ? *first : 0; first && tables[t][i].op && !z; i++) {
            *name = tables[t][i].name;
            if (tables[t][i].op == y->op) z = fitted(y, tables[t][i].act(y));
        }
    }
    return z;
}

/* Rewrite rule for all nodes x; context is a struct algebra. Apply rules until none applies, at most
   ROUNDS times; return the result, or poison. */
static ty_tensor *simplify(void *context, ty_tensor *x) {
    struct algebra *a = context;
    for (int round = 0; round < ROUNDS && x->promise && x->ninputs > 0 && x->op != &op_constant; round++) {
        const char *name;
        ty_tensor *y = apply(a, x, &name);
        if (!y) return x;
        a->graph->report->simplified++;
        if (!ty_ok(y)) return y;
        if (a->graph->shadows && !shadows_add(a->graph->shadows, name, x, y)) return tensor_out_of_memory();
        x = y;
    }
    return x;
}

bool pass_algebra(struct graph *g) {
    struct algebra a = {.graph = g};
    bool done = index_rows(&a) && index_given(&a) && rewrite(g, simplify, &a);
    mem_free(a.given);
    for (int t = 0; t < 2; t++) map_drop(&a.first[t]);
    return done;
}
