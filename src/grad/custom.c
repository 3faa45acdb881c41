/*
 * Derivatives that the caller tells.  The operator `custom` is its first operand, the value that the caller's function made
 * of detached tensors, and beside it has those tensors, to which its rule hands what flows.  `barrier` is its first operand
 * too, and no pass takes it away: what a checkpoint computes again hangs on barriers, so it is not merged with what was
 * computed before.
 */
#include <string.h>
#include <tyto/create.h>
#include <tyto/derivative.h>
#include "array/scope.h"
#include "base/alloc.h"
#include "grad/asked.h"
#include "grad/forward.h"
#include "grad/reverse.h"
#include "ops/core/batch.h"
#include "ops/core/operators.h"
#include "ops/core/reach.h"
#include "ops/core/structure.h"

/* A rule that tensors share. */
struct shared_rule {
    atomic_int refs;
    ty_custom rule;
};

struct custom_attr {
    struct shared_rule *shared;
};

/* NULL: it was read from a file, where rules, which are functions, are none. */
static const ty_custom *rule_of(const ty_tensor *y) {
    return y->attr_bytes ? &((const struct custom_attr *)y->attr)->shared->rule : NULL;
}

static void end_rule(const ty_custom *rule) {
    struct scope_fence fence = scope_fence();
    if (rule->release) rule->release(rule->context);
    scope_fence_end(fence);
}

static void attr_retain(void *attr) {
    atomic_fetch_add_explicit(&((struct custom_attr *)attr)->shared->refs, 1, memory_order_relaxed);
}

static void attr_release(void *attr) {
    struct shared_rule *s = ((struct custom_attr *)attr)->shared;
    if (!last_reference(&s->refs)) return;
    end_rule(&s->rule);
    mem_free(s);
}

/* ---- the operators: the first operand as it lies ---- */

static bool infer(struct infer *in) {
    if (in->ninputs < 1) return infer_fault(in, "it has no value");
    if (in->attr_bytes && in->attr_bytes != sizeof(struct custom_attr))
        return infer_fault(in, "its attributes are no rule");
    infer_like(in, in->inputs[0]);
    return true;
}

static bool view(const struct infer *in, const struct layout *x, struct layout *out) {
    (void)in;
    out->offset = x->offset;
    if (x->rank) memcpy(out->strides, x->strides, sizeof(int64_t) * (size_t)x->rank);
    return true;
}

static ty_tensor *barrier_vjp(ty_tensor *y, ty_tensor *g, int i) {
    (void)y;
    return i ? NULL : g;
}

static ty_tensor *barrier_jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    (void)y, (void)wanted;
    return t[0];
}

/* What it waits for has no elements in it. */
static ty_tensor *barrier_batch(const struct batch *b) {
    return record(&op_barrier, NULL, 0, b->y->ninputs, b->x);
}

static void barrier_reach(ty_tensor *y, int i, struct reach *r) {
    if (i)
        reach_nothing(y, i, r);
    else
        reach_broadcast(y, i, r);
}

const struct op op_barrier = {.name = "barrier",
                              .kind = KERNEL_NONE,
                              .arity = -1,
                              .infer = infer,
                              .view = view,
                              .vjp = barrier_vjp,
                              .jvp = barrier_jvp,
                              .batch = barrier_batch,
                              .reach = barrier_reach,
                              .no_gradient = {NULL, "it is only waited for", "it is only waited for"},
                              .row = -1,
                              .onnx = "Identity",
                              .doc = "the same, of which nothing is known to be computed already"};

/* ---- the caller's rules, behind a fence, and whether what they make fits ---- */

static bool check_form(const char *what, int i, const ty_tensor *made, const ty_tensor *like, const char *of,
                       struct fault *fault) {
    char left[160], right[160];
    if (!ty_ok(made)) return fault_set(fault, "%s", ty_error(made));
    return tensor_same_form(made, like) ||
           fault_set(fault, "apply: the rule's %s %d is %s, and %s %s; they must agree", what, i,
                     tensor_describe_into(left, sizeof left, made), of,
                     tensor_describe_into(right, sizeof right, like));
}

static bool call_vjp(ty_tensor *y, ty_tensor *g, ty_tensor **gradients, struct fault *fault) {
    const ty_custom *rule = rule_of(y);
    int n = y->ninputs - 1;
    struct scope_fence fence = scope_fence();
    rule->vjp(rule->context, n, y->inputs + 1, y, g, gradients);
    if (!scope_fence_join(fence, "apply", fault)) return false;
    for (int i = 0; i < n; i++) {
        if (!gradients[i]) continue;
        gradients[i] = tensor_resolve(gradients[i]);
        if (!check_form("gradient", i, gradients[i], y->inputs[i + 1], "its x", fault)) return false;
    }
    return true;
}

/* NULL: it does not move, or a fault. */
static ty_tensor *call_jvp(ty_tensor *y, ty_tensor *const *t, struct fault *fault) {
    const ty_custom *rule = rule_of(y);
    struct scope_fence fence = scope_fence();
    ty_tensor *dy = rule->jvp(rule->context, y->ninputs - 1, y->inputs + 1, y, t);
    if (!scope_fence_join(fence, "apply", fault) || !dy) return NULL;
    dy = tensor_resolve(dy);
    return check_form("tangent", 0, dy, y, "y", fault) ? dy : NULL;
}

/* What f makes of x. */
static ty_tensor *call_value(const ty_custom *rule, const char *name, ty_tensor *const *x) {
    struct scope_fence fence = scope_fence();
    ty_tensor *y = tensor_resolve(scope_fence_result(fence, name, rule->f(rule->context, x)));
    return ty_ok(y) && y->weak ? ty_cast(y, y->dtype) : y;
}

static bool is_checkpoint(const ty_custom *rule) { return !rule->vjp && !rule->jvp; }

static bool has_rule(const ty_custom *rule, struct fault *fault) {
    return rule ||
           fault_set(fault,
                     "custom: its rule was a function of the program that saved this graph, so there are "
                     "no derivatives");
}

/* Whether a checkpoint's function made the same the second time. */
static bool same_again(const ty_tensor *again, const ty_tensor *y, struct fault *fault) {
    char left[160], right[160];
    if (!ty_ok(again)) return fault_set(fault, "%s", ty_error(again));
    return tensor_same_form(again, y) || fault_set(fault, "checkpoint: what f makes is %s, and was %s before",
                                                   tensor_describe_into(left, sizeof left, again),
                                                   tensor_describe_into(right, sizeof right, y));
}

/* ---- what flows back ---- */

/* By the transpose of jvp: it is told of directions, along which g flows back. */
static bool transpose_jvp(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **t, ty_tensor **out,
                          struct fault *fault) {
    int n = y->ninputs - 1, count = 0;
    uint16_t level = ++tensor_level;
    for (int i = 0; i < n; i++) {
        t[i] = NULL;
        if (!needed[i + 1] || !has_gradient(y->inputs[i + 1])) continue;
        t[i] = y->promise || g->promise ? direction_new(y->inputs[i + 1])
                                        : tensor_resolve(ty_track(reverse_zeros(y->inputs[i + 1]), ""));
        if (!ty_ok(t[i])) fault_set(fault, "%s", ty_error(t[i]));
    }
    ty_tensor *dy = fault->set ? NULL : call_jvp(y, t, fault);
    --tensor_level;
    if (!dy) return !fault->set;
    for (int i = 0; i < n; i++)
        if (t[i]) t[count++] = t[i];
    ty_tensor **flows = t + n;
    if (!reverse_all(level, 1, &dy, &g, count, t, flows, fault)) return false;
    for (int i = 0, k = 0; i < n; i++)
        if (needed[i + 1] && has_gradient(y->inputs[i + 1])) out[i] = flows[k++];
    return true;
}

/* Of a checkpoint: computed again behind barriers that wait for g, then back through that. */
static bool compute_again(ty_tensor *y, ty_tensor *g, ty_tensor **x, ty_tensor **out, struct fault *fault) {
    int n = y->ninputs - 1, count = 0;
    uint16_t level = ++tensor_level;
    for (int i = 0; i < n; i++) {
        x[i] = record(&op_barrier, NULL, 0, 2, (ty_tensor *[]){y->inputs[i + 1], g});
        if (!ty_ok(x[i])) fault_set(fault, "%s", ty_error(x[i]));
    }
    ty_tensor *again = fault->set ? NULL : call_value(rule_of(y), "checkpoint", x);
    if (again && same_again(again, y, fault))
        for (int i = 0; i < n; i++)
            if (has_gradient(x[i])) x[count++] = x[i];
    --tensor_level;
    ty_tensor **flows = x + n;
    if (fault->set || !reverse_all(level, 1, &again, &g, count, x, flows, fault)) return false;
    for (int i = 0, k = 0; i < n; i++)
        if (has_gradient(y->inputs[i + 1])) out[i] = flows[k++];
    return true;
}

static void vjp_all(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out) {
    struct fault fault = {0};
    const ty_custom *rule = rule_of(y);
    size_t n = (size_t)y->ninputs - 1;
    ty_tensor **room = mem_array(2 * n + 1, sizeof *room);
    bool done = (room || fault_memory(&fault, 2 * n * sizeof *room)) && has_rule(rule, &fault);
    bool was = ty_remember(true);
    if (done && rule->vjp)
        done = call_vjp(y, g, out + 1, &fault);
    else if (done && rule->jvp)
        done = transpose_jvp(y, g, needed, room, out + 1, &fault);
    else if (done)
        done = compute_again(y, g, room, out + 1, &fault);
    ty_remember(was);
    for (int i = 1; i < y->ninputs; i++) {
        if (done && out[i] && !y->promise && !g->promise && ty_is_promise(out[i])) out[i] = ty_eval(out[i]);
        if (!needed[i]) out[i] = NULL;
        if (!done && needed[i]) out[i] = tensor_fault(&fault);
    }
    mem_free(room);
}

/* ---- what moves ---- */

/* Without a jvp: that of what a checkpoint computes again, else the transpose of vjp (forward.c asks for that itself). */
static ty_tensor *jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    struct fault fault = {0};
    const ty_custom *rule = rule_of(y);
    (void)wanted;
    if (!has_rule(rule, &fault)) return tensor_fault(&fault);
    if (rule->jvp) {
        ty_tensor *dy = call_jvp(y, t + 1, &fault);
        return fault.set ? tensor_fault(&fault) : dy;
    }
    if (!is_checkpoint(rule)) return forward_transposed(y, t);
    size_t n = (size_t)y->ninputs - 1;
    ty_tensor **x = mem_array(2 * n + 1, sizeof *x), **moves = x + n, *dy = NULL;
    int count = 0;
    if (!x) return tensor_out_of_memory();
    bool was = ty_remember(true);
    uint16_t level = ++tensor_level;
    for (size_t i = 0; i < n; i++) {
        x[i] = record(&op_barrier, NULL, 0, 1, &y->inputs[i + 1]);
        if (!ty_ok(x[i])) fault_set(&fault, "%s", ty_error(x[i]));
    }
    ty_tensor *again = fault.set ? NULL : call_value(rule, "checkpoint", x);
    --tensor_level;
    ty_remember(was);
    for (size_t i = 0; i < n; i++) {
        if (!t[i + 1]) continue;
        x[count] = x[i];
        moves[count++] = t[i + 1];
    }
    if (again && same_again(again, y, &fault)) forward_all(level, 1, &again, count, x, moves, &dy, &fault);
    mem_free(x);
    return fault.set ? tensor_fault(&fault) : dy;
}

const struct op op_custom = {.name = "custom",
                             .kind = KERNEL_NONE,
                             .arity = -1,
                             .infer = infer,
                             .view = view,
                             .vjp_all = vjp_all,
                             .jvp = jvp,
                             .attr_retain = attr_retain,
                             .attr_release = attr_release,
                             .row = -1,
                             .onnx = "",
                             .doc = "a value whose derivatives are the caller's"};

/* ---- public ---- */

static ty_tensor *value_of(const char *name, const ty_custom *rule, int n, ty_tensor **x) {
    bool was = ty_remember(false);
    for (int i = 0; i < n; i++) x[i] = ty_detach(x[i]);
    ty_tensor *bad = first_poison_in(name, n, x), *y = bad ? bad : call_value(rule, name, x);
    ty_remember(was);
    if (ty_ok(y) && !has_gradient(y))
        return refuse(name, 1, &y, "the value has no gradient; it must be floating or complex");
    return y;
}

static ty_tensor *apply(const char *name, struct shared_rule *shared, int n, ty_tensor *const *x) {
    struct custom_attr attr = {shared};
    ty_scope *scope = ty_open();
    ty_tensor **all = mem_array((size_t)n + 1, sizeof *all), *y = tensor_out_of_memory();
    for (int i = 0; all && i < n; i++) all[i + 1] = tensor_resolve(x[i]);
    if (all) y = value_of(name, &shared->rule, n, all + 1);
    for (int i = 0; all && i < n; i++) all[i + 1] = tensor_resolve(x[i]);
    if (all && ty_ok(y)) {
        all[0] = y->promise ? y : ty_detach(y);
        y = record(&op_custom, &attr, sizeof attr, n + 1, all);
    }
    mem_free(all);
    return leave(scope, y);
}

static ty_tensor *apply_rule(const char *name, ty_custom rule, int n, ty_tensor *const *x) {
    ty_tensor *bad = rule.f ? first_poison_in(name, n, x) : ty_poison("%s: the function is NULL", name);
    struct shared_rule *shared = bad ? NULL : mem_alloc(sizeof *shared);
    if (!shared) {
        end_rule(&rule);
        return bad ? bad : tensor_out_of_memory();
    }
    atomic_init(&shared->refs, 1);
    shared->rule = rule;
    ty_tensor *y = apply(name, shared, n, x);
    attr_release(&(struct custom_attr){shared});
    return y;
}

ty_tensor *ty_apply(ty_custom rule, int n, ty_tensor *const *x) {
    if (rule.f && is_checkpoint(&rule)) {
        end_rule(&rule);
        return ty_poison("apply: the rule has neither a vjp nor a jvp; ty_detach is without derivatives");
    }
    return apply_rule("apply", rule, n, x);
}

ty_tensor *ty_checkpoint(ty_body f, void *context, int n, ty_tensor *const *x) {
    return apply_rule("checkpoint", (ty_custom){.f = f, .context = context}, n, x);
}
