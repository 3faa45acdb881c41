/* Leaves of a graph: lazy variable, constant, eager variable; and assignment.  An eager variable points at its
   current value, an ordinary tracked tensor.  Results computed from an earlier value keep that value, so nothing
   has to be invalidated. */
#include <string.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "array/remote.h"
#include "base/alloc.h"
#include "ops/core/identity.h"
#include "ops/core/reach.h"
#include "ops/core/batch.h"
#include "ops/core/evaluator.h"
#include "ops/core/structure.h"
#include "ops/core/variable.h"

const struct op op_input = {"variable",
                            KERNEL_NONE,
                            0,
                            identity_infer,
                            .row = -1,
                            .no_gradient = {"a leaf: gradients end here"},
                            .doc = "a lazy variable: what ty_assign said last"};
const struct op op_track = {"tracked",
                            KERNEL_NONE,
                            0,
                            identity_infer,
                            .row = -1,
                            .of_values = true,
                            .no_gradient = {"a leaf: gradients end here"},
                            .doc = "an eager variable's value at one time"};
static ty_tensor *constant_jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    (void)y, (void)wanted;
    return ty_lazy(t[0]);
}
static ty_tensor *constant_batch(const struct batch *b) { return ty_lazy(b->x[0]); }

const struct op op_constant = {"constant",
                               KERNEL_NONE,
                               1,
                               identity_infer,
                               .vjp = identity_vjp,
                               .jvp = constant_jvp,
                               .batch = constant_batch,
                               .reach = reach_broadcast,
                               .row = -1,
                               .lazy = true,
                               .stores = true,
                               .onnx = "Constant",
                               .doc = "a promise of a fixed value"};

ty_tensor *value_from(const struct op *op, ty_tensor *value, int ninputs, size_t attr_bytes) {
    ty_tensor *x = tensor_new(value->dtype, value->layout.rank, ninputs, attr_bytes);
    if (!x) return NULL;
    size_t bytes = sizeof(int64_t) * (size_t)value->layout.rank;
    if (bytes) memcpy(x->layout.shape, value->layout.shape, bytes);
    if (bytes) memcpy(x->layout.strides, value->layout.strides, bytes);
    x->layout.offset = value->layout.offset;
    x->buffer = buffer_retain(value->buffer);
    x->place = value->place;
    x->op = op;
    return x;
}

/* leaf_new of a dense value. */
static ty_tensor *leaf_of_dense(const struct op *op, ty_tensor *dense, uint64_t variable) {
    if (!ty_ok(dense)) return ty_retain(dense);
    bool tracked = op == &op_track;
    ty_tensor *x = value_from(op, dense, 0, tracked ? sizeof(struct track_attr) : 0);
    if (!x) return tensor_out_of_memory();
    if (op_watch) op_watch(op, NULL);
    x->promise = x->varies = !tracked;
    x->tracked = tracked;
    if (tracked) *(struct track_attr *)x->attr = (struct track_attr){variable};
    if (tracked) tensor_remembers(x);
    return x;
}
/* Return a new leaf (a variable's value) with operator `op`, op_track or op_input, on dense memory with the
   elements of `value`, which is evaluated. `variable` identifies the tracked variable. Poison on failure. The
   caller owns the reference, also that to poison. */
static ty_tensor *leaf_new(const struct op *op, ty_tensor *value, uint64_t variable) {
    ty_scope *scope = ty_open(); /* owns the value of a promise */
    ty_tensor *x = leaf_of_dense(op, ty_contiguous(ty_eval(value)), variable);
    ty_close(scope);
    return x;
}

ty_tensor *ty_var(ty_tensor *value, const char *name) {
    ty_tensor *x = leaf_new(&op_input, value, 0);
    x = tensor_return(x);
    return ty_ok(x) ? ty_named(x, name ? name : "") : x;
}

ty_tensor *ty_track(ty_tensor *value, const char *name) {
    static _Atomic uint64_t variables;
    ty_tensor *current = leaf_new(&op_track, value, variables++);
    if (!ty_ok(current)) return tensor_return(current);
    ty_tensor *x = tensor_new(current->dtype, current->layout.rank, 0, 0);
    if (!x) {
        tensor_free_one_reference(current);
        return tensor_out_of_memory();
    }
    memcpy(x->layout.shape, current->layout.shape, 2 * sizeof(int64_t) * (size_t)current->layout.rank);
    x->tracked = true;
    x->weak = current->weak = tensor_resolve(value)->weak;
    x->current = current;
    return ty_named(tensor_return(x), name ? name : "");
}

ty_tensor *ty_lazy(ty_tensor *value) {
    value = tensor_resolve(value);
    if (!ty_ok(value) || value->promise) return tensor_share(value);
    ty_tensor *y = record(&op_constant, NULL, 0, 1, &value);
    if (ty_ok(y)) y->weak = value->weak;
    return y;
}

/* ---- values read while recording ---- */

struct evaluated_attr {
    const char *name, *reason;
};

static ty_tensor *evaluated_vjp(ty_tensor *y, ty_tensor *g, int i) {
    const struct evaluated_attr *a = y->attr;
    (void)g;
    return refuse(a->name, 1, &y->inputs[i], E_UNSUPPORTED, "%s", a->reason);
}

static ty_tensor *evaluated_batch(const struct batch *b) {
    return batch_refused(b, "its elements were read during recording, for one example only");
}

const struct op op_evaluated = {"evaluated",
                                KERNEL_NONE,
                                1,
                                identity_infer,
                                .vjp = evaluated_vjp,
                                .batch = evaluated_batch,
                                .row = -1,
                                .of_values = true,
                                .no_gradient = {"history ends where elements are read"},
                                .doc = "what a promise was when a function had to know its elements"};

ty_tensor *value_without_gradient(const char *name, const char *reason, ty_tensor *promise,
                                  ty_tensor *value) {
    if (op_watch) op_watch(&op_evaluated, NULL);
    ty_tensor *y = value_from(&op_evaluated, value, 1, sizeof(struct evaluated_attr));
    if (!y) return NULL;
    *(struct evaluated_attr *)y->attr = (struct evaluated_attr){name, reason};
    tensor_set_input(y, 0, promise);
    y->weak = value->weak;
    y->tracked = record_remembers() && dtype_is(promise->dtype, CLASS_FLOAT | CLASS_COMPLEX);
    return y;
}

ty_tensor *evaluated(const char *name, ty_tensor *x) {
    ty_tensor *value = ty_eval(x);
    if (!ty_ok(value)) return value;
    ty_tensor *y = value_without_gradient(name,
                                          "its elements were read during recording, so no gradient flows; "
                                          "use a tracked value (ty_track), or ty_detach",
                                          x, value);
    if (!y) return tensor_out_of_memory();
    y->varies = x->varies;
    return tensor_return(y);
}

ty_tensor *value_now(const char *name, ty_tensor *x) {
    x = tensor_resolve(x);
    return at_home(ty_ok(x) && x->promise ? evaluated(name, x) : tensor_share_in(name, x));
}

ty_tensor *refuse_fixed(const char *name, const ty_tensor *known, int n, ty_tensor *const *operands) {
    bool promise = false;
    for (int i = 0; i < n; i++) promise |= operands[i]->promise;
    if (!promise || !known->varies) return NULL;
    return refuse(name, n, operands, E_STATE,
                  "values that determine the shape were read from a variable (ty_var) during recording, and "
                  "the result would not follow it; ty_eval them to fix today's values");
}

/* ---- detach: a view without gradient ---- */

const struct op op_detach = {"detach",
                             KERNEL_NONE,
                             1,
                             identity_infer,
                             identity_view,
                             .stores = true,
                             .batch = batch_single,
                             .reach = reach_nothing,
                             .row = -1,
                             .no_gradient = {"cuts the gradient by definition"},
                             .doc = "the same without its history"};

ty_tensor *ty_detach(ty_tensor *x) {
    x = tensor_resolve(x);
    if (!ty_ok(x)) return tensor_share(x);
    if (x->promise) return record(&op_detach, NULL, 0, 1, &x);
    return tensor_return(tensor_new_view(x, &x->layout));
}

/* ---- assignment ---- */

/* Check that `value` may be assigned to `variable`: `variable` must be a variable, of value's dtype and
   shape. Return poison, or NULL if it may. */
static ty_tensor *assign_check(ty_tensor *variable, ty_tensor *value) {
    char left[160], right[160];
    if (!ty_ok(variable) || !ty_ok(value))
        return first_poison_in("assign", 2, (ty_tensor *[]){variable, value});
    if (tensor_resolve(variable) == variable && variable->op != &op_input)
        return ty_poison_code(E_ARGUMENT,
                              "assign: only variables (ty_var, ty_track) can be assigned; this is a %s",
                              variable->promise ? "promise" : "value");
    if (tensor_same_form(variable, value)) return NULL;
    return ty_poison_code(
        E_DTYPE, "assign: the variable is %s, the value is %s; shapes and dtypes must match",
        tensor_describe_into(left, sizeof left, variable), tensor_describe_into(right, sizeof right, value));
}

/* Evaluate values[n] and make of each the leaf that variables[i] will refer to, into fresh[n], whose
   references the caller owns. Return NULL. On failure return poison that says why; fresh[] then owns nothing. */
static ty_tensor *make_leaves(int n, ty_tensor *const *variables, ty_tensor *const *values,
                              ty_tensor **fresh) {
    for (int i = 0; i < n; i++) {
        ty_tensor *bad = assign_check(variables[i], values[i]);
        if (bad) return bad;
    }
    if (!ty_eval_all(n, values, fresh)) {
        for (int i = 0; i < n; i++)
            if (!ty_ok(fresh[i])) return fresh[i];
    }
    for (int i = 0; i < n; i++) {
        const ty_tensor *now = variables[i]->promise ? NULL : tensor_resolve(variables[i]);
        ty_tensor *leaf =
            now ? leaf_new(&op_track, fresh[i], ((const struct track_attr *)now->attr)->variable)
                : leaf_new(&op_input, fresh[i], 0);
        if (ty_ok(leaf)) {
            leaf->weak = now && now->weak;
            fresh[i] = leaf;
            continue;
        }
        while (--i >= 0) tensor_free_one_reference(fresh[i]);
        return tensor_return(leaf);
    }
    return NULL;
}

bool ty_assign_all(int n, ty_tensor *const *variables, ty_tensor *const *values, ty_tensor **error) {
    enum { USUAL = 8 };
    ty_tensor *missing =
        n > 0 && variables && values ? NULL : first_poison(n, variables ? values : variables);
    if (missing || n == 0) {
        if (missing && error) *error = missing;
        return !missing;
    }
    ty_tensor *room[USUAL], **fresh = n <= USUAL ? room : mem_array((size_t)n, sizeof *fresh);
    ty_scope *scope = ty_open();
    ty_tensor *bad = fresh ? make_leaves(n, variables, values, fresh) : tensor_out_of_memory();
    if (!bad) variables_assign(n, variables, fresh); /* cannot fail */
    if (error) *error = bad && scope ? ty_keep(bad) : bad;
    ty_close(scope);
    if (fresh != room) mem_free(fresh);
    return !bad;
}

bool ty_assign(ty_tensor *variable, ty_tensor *value, ty_tensor **error) {
    return ty_assign_all(1, &variable, &value, error);
}
