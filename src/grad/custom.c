/*
 * Operators with derivatives given by the caller. `custom` returns its first operand, the value that the
 * caller's function computed from detached tensors. Its rule sends gradients to the other operands, the
 * original tensors. `barrier` returns its first operand too, and no pass removes it. A checkpoint computes
 * again behind barriers, so that the result is not merged with the first computation.
 */
#include <string.h>
#include <tyto/create.h>
#include <tyto/derivative.h>
#include "array/scope.h"
#include "base/options.h"
#include "base/alloc.h"
#include "grad/asked.h"
#include "grad/custom.h"
#include "grad/forward.h"
#include "grad/reverse.h"
#include "grad/unused.h"
#include "grad/uses.h"
#include "graph/rewrite.h"
#include "ops/core/bound.h"
#include "ops/core/batch.h"
#include "ops/core/identity.h"
#include "ops/core/operators.h"
#include "ops/core/reach.h"
#include "ops/core/structure.h"

/* A rule shared by tensors, reference counted. */
struct shared_rule {
    atomic_int refs;
    ty_custom rule;
    struct uses uses; /* captures of the function at its first call */
};

struct custom_attr {
    struct shared_rule *shared;
    int64_t n; /* number of operands of the function; captures follow */
};

/* Return the user's rule of node y; NULL for a node read from a file, which has none. */
static const ty_custom *rule_of(const ty_tensor *y) {
    return y->attr_bytes ? &((const struct custom_attr *)y->attr)->shared->rule : NULL;
}

/* Return the number of operands of the user's function, which follow y's first operand, the value. */
static int count_of(const ty_tensor *y) {
    return y->attr_bytes ? (int)((const struct custom_attr *)y->attr)->n : y->ninputs - 1;
}

/* Call the rule's release function, if any, behind a fence: scopes that it leaves open are closed. */
static void end_rule(const ty_custom *rule) {
    struct scope_fence fence = scope_fence();
    if (rule->release) rule->release(rule->context);
    scope_fence_end(fence);
}

static void attr_retain(void *attr) {
    atomic_fetch_add_explicit(&((struct custom_attr *)attr)->shared->refs, 1, memory_order_relaxed);
}

/* Drop the reference that *attr, a struct custom_attr, has to the user's rule; the last one calls its release
   function and frees it. */
static void attr_release(void *attr) {
    struct shared_rule *s = ((struct custom_attr *)attr)->shared;
    if (!last_reference(&s->refs)) return;
    end_rule(&s->rule);
    uses_drop(&s->uses);
    mem_free(s);
}

/* ---- operators: views of the first operand ---- */

/* Set dtype and shape in *in to those of the first operand, the value. False, with the fault set, if there is
   no operand or the attributes are no rule. */
static bool infer(struct infer *in) {
    if (in->ninputs < 1) return infer_fault(in, E_UNSUPPORTED, "it has no value");
    if (in->attr_bytes && in->attr_bytes != sizeof(struct custom_attr))
        return infer_fault(in, E_UNSUPPORTED, "its attributes are no rule");
    infer_like(in, in->inputs[0]);
    return true;
}

/* View rule of the barrier: set strides and offset of *out to those of x, the layout of its first operand;
   shape and rank are not set. Always true. */
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

/* Batch rule of the barrier: return it recorded on the batched operands; only the first has elements. */
static ty_tensor *barrier_batch(const struct batch *b) {
    return record(&op_barrier, NULL, 0, b->y->ninputs, b->x);
}

/* Reach rule of the barrier for operand i of y, sets *r: its first operand as it is, nothing from others. */
static void barrier_reach(ty_tensor *y, int i, struct reach *r) {
    if (i)
        reach_nothing(y, i, r);
    else
        reach_broadcast(y, i, r);
}

const struct op op_barrier = {
    .name = "barrier",
    .kind = KERNEL_NONE,
    .arity = -1,
    .infer = infer,
    .view = view,
    .vjp = barrier_vjp,
    .jvp = identity_jvp,
    .batch = barrier_batch,
    .reach = barrier_reach,
    .no_gradient = {NULL, "it only orders the computation", "it only orders the computation"},
    .row = -1,
    .onnx = "Identity",
    .doc = "the same, of which nothing is known to be computed already"};

/* ---- calling the rules ---- */

bool rule_fits(const char *who, const char *what, int i, const ty_tensor *made, const ty_tensor *like,
               const char *of, struct fault *fault) {
    char left[160], right[160];
    if (!ty_ok(made)) return fault_tensor(fault, made);
    return tensor_same_form(made, like) ||
           fault_set(fault, E_ARGUMENT, "%s: the rule's %s %d is %s, and %s %s; they must match", who, what,
                     i, tensor_describe_into(left, sizeof left, made), of,
                     tensor_describe_into(right, sizeof right, like));
}

/* Call the rule's vjp for the gradient g of y. It sets gradients[], one per operand of the function, of which
   any may be NULL; they are checked. False, with the fault set, on failure. */
static bool call_vjp(ty_tensor *y, ty_tensor *g, ty_tensor **gradients, struct fault *fault) {
    const ty_custom *rule = rule_of(y);
    int n = count_of(y);
    struct scope_fence fence = scope_fence();
    bool unused = unused_allow(false);
    rule->vjp(rule->context, n, y->inputs + 1, y, g, gradients);
    unused_allow(unused);
    if (!scope_fence_join(fence, "apply", fault)) return false;
    for (int i = 0; i < n; i++) {
        if (!gradients[i]) continue;
        gradients[i] = tensor_resolve(gradients[i]);
        if (!rule_fits("apply", "gradient", i, gradients[i], y->inputs[i + 1], "its x", fault)) return false;
    }
    return true;
}

/* Call the rule's jvp for tangents t[], one per operand of the function, and return the tangent of y,
   checked. NULL if it is 0, or with the fault set on failure. */
static ty_tensor *call_jvp(ty_tensor *y, ty_tensor *const *t, struct fault *fault) {
    const ty_custom *rule = rule_of(y);
    struct scope_fence fence = scope_fence();
    bool unused = unused_allow(false);
    ty_tensor *dy = rule->jvp(rule->context, count_of(y), y->inputs + 1, y, t);
    unused_allow(unused);
    if (!scope_fence_join(fence, "apply", fault) || !dy) return NULL;
    dy = tensor_resolve(dy);
    return rule_fits("apply", "tangent", 0, dy, y, "y", fault) ? dy : NULL;
}

/* Call the rule's function on x. Poison on failure. */
static ty_tensor *call_value(const ty_custom *rule, const char *name, ty_tensor *const *x) {
    struct scope_fence fence = scope_fence();
    bool unused = unused_allow(false);
    ty_tensor *y = tensor_resolve(scope_fence_result(fence, name, rule->f(rule->context, x)));
    unused_allow(unused);
    return ty_ok(y) && y->weak ? ty_cast(y, y->dtype) : y;
}

/* True if the rule has neither vjp nor jvp. */
static bool is_checkpoint(const ty_custom *rule) { return !rule->vjp && !rule->jvp; }

/* True if `rule` is not NULL. If it is NULL, set the fault and return false. */
static bool has_rule(const ty_custom *rule, struct fault *fault) {
    return rule || fault_set(fault, E_UNSUPPORTED,
                             "custom: the rule was a function of the program that saved this graph, "
                             "so there are no derivatives");
}

/* Check that `again`, the value of the second call of a checkpoint's function, has the dtype and shape of y,
   that of the first. False, with the fault set, on failure. */
static bool same_again(const ty_tensor *again, const ty_tensor *y, struct fault *fault) {
    char left[160], right[160];
    if (!ty_ok(again)) return fault_tensor(fault, again);
    return tensor_same_form(again, y) ||
           fault_set(fault, E_USER, "checkpoint: f returned %s; before it returned %s",
                     tensor_describe_into(left, sizeof left, again),
                     tensor_describe_into(right, sizeof right, y));
}

/* ---- reverse mode ---- */

/* Compute out[i], the gradient of y by operand i of the function, for each needed[i + 1], from g, that of y:
   the rule's jvp, called on placeholder directions, is differentiated by these. Others stay; if jvp returns
   NULL all do. t[] is scratch for 2 n tensors. False, with the fault set, on failure. */
static bool transpose_jvp(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **t, ty_tensor **out,
                          struct fault *fault) {
    int n = count_of(y), count = 0;
    uint16_t level = bound_open();
    for (int i = 0; i < n; i++) {
        t[i] = NULL;
        if (!needed[i + 1] || !has_gradient(y->inputs[i + 1])) continue;
        t[i] = y->promise || g->promise ? direction_new(y->inputs[i + 1])
                                        : tensor_resolve(ty_track(reverse_zeros(y->inputs[i + 1]), ""));
        if (!ty_ok(t[i])) fault_tensor(fault, t[i]);
    }
    ty_tensor *dy = fault->set ? NULL : call_jvp(y, t, fault);
    bound_close();
    if (!dy) return !fault->set;
    for (int i = 0; i < n; i++)
        if (t[i]) t[count++] = t[i];
    ty_tensor **flows = t + n;
    if (!reverse_all(level, 1, &dy, &g, count, t, flows, fault)) return false;
    for (int i = 0, k = 0; i < n; i++)
        if (needed[i + 1] && has_gradient(y->inputs[i + 1])) out[i] = flows[k++];
    return true;
}

/* ---- captures ---- */

/* Set the fault that the rule has no derivative by operand i of y, a capture of the function. Always return
   false. */
static bool refuse_uses(const ty_tensor *y, int i, struct fault *fault) {
    char words[160];
    return fault_set(fault, E_UNSUPPORTED,
                     "apply: f uses %s besides its operands, and the rule has no derivative by it; pass it "
                     "in x, or ty_detach it",
                     tensor_describe_into(words, sizeof words, y->inputs[i]));
}

/* Return the captures of y's function (tensors that it uses besides its operands) at its first call. */
static const struct uses *uses_of(const ty_tensor *y) {
    return &((const struct custom_attr *)y->attr)->shared->uses;
}

/* Check that the second call captured the same tensors, *u, as the first. If y has moved to another subgraph,
   replace them in *again, which was recorded at `level`, by y's operands. False, with the fault set, if they
   differ or on failure. */
static bool use_alike(const struct uses *u, const ty_tensor *y, uint16_t level, ty_tensor **again,
                      struct fault *fault) {
    const struct uses *before = uses_of(y);
    ty_tensor *const *now = y->inputs + count_of(y) + 1;
    char left[160], right[160];
    bool moved = false;
    if (u->n != before->n)
        return fault_set(fault, E_USER,
                         "checkpoint: f uses %d tensors besides its operands; before it used %d", u->n,
                         before->n);
    for (int i = 0; i < u->n; i++) {
        moved = moved || before->tensors[i] != now[i];
        if (u->tensors[i] == before->tensors[i]) continue;
        return fault_set(fault, E_USER,
                         "checkpoint: f uses %s; before it used %s; take gradients before ty_assign",
                         tensor_describe_into(left, sizeof left, u->tensors[i]),
                         tensor_describe_into(right, sizeof right, before->tensors[i]));
    }
    return !moved || substitute_history(level, u->n, u->tensors, now, 1, again, fault);
}

/* Call a checkpoint's function again, at a new level that is stored in *level. x[] is set to the operands
   that it gets: barriers on y's operands, which wait for `after` (may be NULL). Return its value; NULL, with
   the fault set, on failure. */
static ty_tensor *call_again(ty_tensor *y, ty_tensor *after, ty_tensor **x, uint16_t *level,
                             struct fault *fault) {
    struct uses uses = {0};
    int n = count_of(y);
    for (int i = 0; i < n; i++) {
        x[i] = record(&op_barrier, NULL, 0, after ? 2 : 1, (ty_tensor *[]){y->inputs[i + 1], after});
        if (!ty_ok(x[i])) fault_tensor(fault, x[i]);
    }
    *level = bound_open(); /* above the barriers: f may also capture nodes below them */
    ty_tensor *again = fault->set ? NULL : call_value(rule_of(y), "checkpoint", x);
    bool done = again && same_again(again, y, fault) &&
                uses_find(&uses, *level, again, n, x, uses_of(y), fault) &&
                use_alike(&uses, y, *level, &again, fault);
    bound_close();
    uses_drop(&uses);
    return done ? again : NULL;
}

/* Gradient rule of a checkpoint y: compute it again behind barriers that wait for g, then walk back through
   it. Sets out[i] to the gradient by operand i + 1 of y for each needed[i + 1]. x[] is scratch for twice the
   operands. False, with the fault set, on failure. */
static bool compute_again(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **x, ty_tensor **out,
                          struct fault *fault) {
    int n = y->ninputs - 1, count = 0;
    uint16_t level;
    ty_tensor *again = call_again(y, g, x, &level, fault);
    if (!again) return false;
    for (int i = count_of(y); i < n; i++) x[i] = y->inputs[i + 1];
    ty_tensor **flows = x + n;
    for (int i = 0; i < n; i++)
        if (needed[i + 1] && has_gradient(x[i])) x[count++] = x[i];
    if (!reverse_all(level, 1, &again, &g, count, x, flows, fault)) return false;
    for (int i = 0, k = 0; i < n; i++)
        if (needed[i + 1] && has_gradient(y->inputs[i + 1])) out[i] = flows[k++];
    return true;
}

/* Gradient rule of the operator `custom`, given the gradient g of y: set out[i] for each needed[i] to the
   gradient by operand i, NULL where it is 0, poison on failure; others to NULL. */
static void vjp_all(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out) {
    struct fault fault = {0};
    const ty_custom *rule = rule_of(y);
    size_t n = (size_t)y->ninputs - 1;
    ty_tensor **room = mem_array(2 * n + 1, sizeof *room);
    bool done = (room || fault_memory(&fault, 2 * n * sizeof *room)) && has_rule(rule, &fault);
    for (int i = count_of(y) + 1; i < y->ninputs && done && !is_checkpoint(rule); i++)
        if (needed[i]) done = refuse_uses(y, i, &fault);
    bool was = ty_set_history(true);
    if (done && rule->vjp)
        done = call_vjp(y, g, out + 1, &fault);
    else if (done && rule->jvp)
        done = transpose_jvp(y, g, needed, room, out + 1, &fault);
    else if (done)
        done = compute_again(y, g, needed, room, out + 1, &fault);
    ty_set_history(was);
    for (int i = 1; i < y->ninputs; i++) {
        if (done && out[i] && !y->promise && !g->promise && ty_is_promise(out[i])) out[i] = ty_eval(out[i]);
        if (!needed[i]) out[i] = NULL;
        if (!done && needed[i]) out[i] = tensor_fault(&fault);
    }
    mem_free(room);
}

/* ---- forward mode ---- */

/* Tangent rule of a checkpoint y: compute it again and return its tangent for the tangents t[] of its
   operands. NULL if it is 0, or with the fault set on failure. */
static ty_tensor *move_again(ty_tensor *y, ty_tensor *const *t, struct fault *fault) {
    int n = y->ninputs - 1, count = 0;
    uint16_t level;
    ty_tensor **x = mem_array(2 * (size_t)n + 1, sizeof *x), **moves = x + n, *dy = NULL;
    if (!x) return fault_memory(fault, 2 * (size_t)n * sizeof *x), NULL;
    bool was = ty_set_history(true);
    ty_tensor *again = call_again(y, NULL, x, &level, fault);
    ty_set_history(was);
    for (int i = count_of(y); i < n; i++) x[i] = y->inputs[i + 1];
    for (int i = 0; i < n; i++) {
        if (!t[i + 1]) continue;
        x[count] = x[i];
        moves[count++] = t[i + 1];
    }
    if (again) forward_all(level, 1, &again, count, x, moves, &dy, fault);
    mem_free(x);
    return dy;
}

/* Tangent rule of the operator `custom`: return the tangent of y for tangents t[] of its operands (NULL: 0),
   by the rule's jvp, else the transpose of its vjp, else by computing the checkpoint again. NULL if it is 0.
   Poison on failure. `wanted` is ignored. */
static ty_tensor *jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    struct fault fault = {0};
    const ty_custom *rule = rule_of(y);
    ty_tensor *dy = NULL;
    (void)wanted;
    if (!has_rule(rule, &fault)) return tensor_fault(&fault);
    for (int i = count_of(y) + 1; i < y->ninputs && !is_checkpoint(rule); i++)
        if (t[i]) refuse_uses(y, i, &fault);
    if (fault.set) return tensor_fault(&fault);
    if (rule->vjp && !rule->jvp) return forward_transposed(y, t);
    dy = rule->jvp ? call_jvp(y, t + 1, &fault) : move_again(y, t, &fault);
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

/* ---- public functions ---- */

/* Return the value of the rule's function, computed at a new level, on detached[n], which are set to the
   operands x[] without gradients. *uses is set to its captures. Poison, in the name of function `name`, on
   failure. */
static ty_tensor *value_of(const char *name, const ty_custom *rule, int n, ty_tensor *const *x,
                           ty_tensor **detached, struct uses *uses) {
    struct fault fault = {0};
    for (int i = 0; i < n; i++) detached[i] = ty_detach(x[i]);
    ty_tensor *bad = first_poison_in(name, n, detached);
    if (bad) return bad;
    uint16_t level = bound_open();
    ty_tensor *y = call_value(rule, name, detached);
    bound_close();
    if (!ty_ok(y)) return y;
    if (!has_gradient(y))
        return refuse(name, 1, &y, E_UNSUPPORTED,
                      "the value has no gradient; it must be floating or complex");
    bool done = uses_find(uses, level, y, n, detached, &(struct uses){0}, &fault);
    return done ? y : tensor_fault(&fault);
}

/* Record the operator `custom` on the value y, the n operands x[] and the captures. Poison on failure. */
static ty_tensor *record_custom(struct shared_rule *shared, int n, ty_tensor *const *x, ty_tensor *y) {
    const struct uses *uses = &shared->uses;
    struct custom_attr attr = {shared, n};
    size_t count = (size_t)n + (size_t)uses->n + 1;
    ty_tensor **all = mem_array(count, sizeof *all);
    if (!all) return tensor_out_of_memory();
    all[0] = y->promise ? y : ty_detach(y);
    for (int i = 0; i < n; i++) all[i + 1] = tensor_resolve(x[i]);
    for (int i = 0; i < uses->n; i++) all[n + 1 + i] = uses->tensors[i];
    y = record(&op_custom, &attr, sizeof attr, (int)count, all);
    mem_free(all);
    return y;
}

/* Apply the rule to n operands x[]: compute its value and record it with its captures. Poison, in the name
   of function `name`, on failure. */
static ty_tensor *apply(const char *name, struct shared_rule *shared, int n, ty_tensor *const *x) {
    ty_scope *scope = ty_open();
    ty_tensor **detached = mem_array((size_t)n, sizeof *detached), *y = tensor_out_of_memory();
    if (detached) y = value_of(name, &shared->rule, n, x, detached, &shared->uses);
    if (ty_ok(y)) y = record_custom(shared, n, x, y);
    mem_free(detached);
    return leave(scope, y);
}

/* Apply the rule to n operands x[] and return the result. The rule is released when no tensor uses it any
   more. Poison, in the name of function `name`, on failure. */
static ty_tensor *apply_rule(const char *name, ty_custom rule, int n, ty_tensor *const *x) {
    ty_tensor *bad =
        rule.f ? first_poison_in(name, n, x) : ty_poison_code(E_ARGUMENT, "%s: the function is NULL", name);
    struct shared_rule *shared = bad ? NULL : mem_alloc(sizeof *shared);
    if (!shared) {
        end_rule(&rule);
        return bad ? bad : tensor_out_of_memory();
    }
    atomic_init(&shared->refs, 1);
    shared->rule = rule;
    shared->uses = (struct uses){0};
    ty_tensor *y = apply(name, shared, n, x);
    attr_release(&(struct custom_attr){shared, n});
    return y;
}

ty_tensor *ty_apply_sized(const ty_custom *given, size_t given_size, int n, ty_tensor *const *x) {
    OPTIONS(ty_custom, rule, given, given_size);
    if (rule.f && is_checkpoint(&rule)) {
        end_rule(&rule);
        return ty_poison_code(E_ARGUMENT,
                              "apply: the rule has neither a vjp nor a jvp; use ty_detach for no derivative");
    }
    return apply_rule("apply", rule, n, x);
}

ty_tensor *ty_checkpoint(ty_body f, void *context, int n, ty_tensor *const *x) {
    return apply_rule("checkpoint", (ty_custom){.f = f, .context = context}, n, x);
}
