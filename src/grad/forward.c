/*
 * Forward mode, from graph to graph. The walk visits nodes after their operands and calls each operator's jvp
 * rule. Without one, the tangent is the transpose of the gradient rule: the gradient is linear in the incoming
 * gradient, so differentiating it by that transposes it. This is the reverse of Radul et al., "You only
 * linearize once", 2023. The incoming gradient is a placeholder that is never computed. A tangent is released
 * after its last use.
 */
#include "grad/forward.h"
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/derivative.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "grad/leaves.h"
#include "grad/reverse.h"
#include "grad/unused.h"
#include "ops/core/bound.h"
#include "ops/core/result.h"

/* State of one walk; lists are indexed by node. */
struct forward {
    struct walk walk;
    ty_tensor **tangent; /* tangent, retained; NULL: 0, or not reached yet */
    int64_t *last;       /* the last node that reads the tangent */
    bool **wanted;       /* for operators with several results: those in the walk; NULL: it has one result */
    ty_tensor **t;       /* scratch: tangents of the current node's operands */
    struct fault *fault;
};

/* ---- placeholders ---- */

static const struct op op_direction = {.name = "direction", .row = -1};

ty_tensor *direction_new(const ty_tensor *x) {
    int rank = x->layout.rank;
    ty_tensor *y = tensor_new(x->dtype, rank, 0, 0);
    if (!y) return tensor_out_of_memory();
    if (rank) memcpy(y->layout.shape, x->layout.shape, sizeof(int64_t) * (size_t)rank);
    shape_row_major(rank, y->layout.shape, y->layout.strides);
    y->op = &op_direction;
    y->promise = true;
    return tensor_return(y);
}

/* ---- tangents by transposition ---- */

/* Compute the gradients of y by its operands that have a tangent t[i], given the gradient g of y, where they
   are not 0. flows[k] receives a gradient, seeds[k] the tangent of its operand. Return the number of both. On
   failure *fault is set. */
static int flow_back(ty_tensor *y, ty_tensor *const *t, ty_tensor *g, ty_tensor **flows, ty_tensor **seeds,
                     struct fault *fault) {
    int n = 0;
    bool *needed = y->op->vjp_all ? mem_array((size_t)y->ninputs, sizeof *needed) : NULL;
    if (y->op->vjp_all && !needed) fault_memory(fault, (size_t)y->ninputs);
    for (int i = 0; i < y->ninputs && needed; i++) needed[i] = t[i] != NULL;
    if (needed) y->op->vjp_all(y, g, needed, flows);
    for (int i = 0; i < y->ninputs && !fault->set; i++) {
        ty_tensor *flow = !t[i] ? NULL : needed ? flows[i] : y->op->vjp(y, g, i);
        if (!flow) continue;
        if (!ty_ok(flow)) fault_tensor(fault, flow);
        flows[n] = flow;
        seeds[n++] = t[i];
    }
    mem_free(needed);
    return n;
}

/* Return the tangent of y for tangents t[] of its operands, by transposing its gradient rule. `value`: use
   tracked zeros instead of a placeholder, so that everything is computed at once. NULL if it is 0, or with
   the fault set on failure. */
static ty_tensor *transpose(ty_tensor *y, ty_tensor *const *t, bool value, struct fault *fault) {
    size_t n = (size_t)y->ninputs;
    ty_tensor **flows = mem_array(2 * n, sizeof *flows), **seeds = flows + n, *dy = NULL;
    if (!flows) {
        fault_memory(fault, 2 * n * sizeof *flows);
        return NULL;
    }
    bool remembered = value && ty_set_history(true);
    uint16_t level = bound_open(); /* bounds the walk back to nodes recorded from here on */
    ty_tensor *g = value ? tensor_resolve(ty_track(reverse_zeros(y), "")) : direction_new(y);
    int count = 0;
    if (ty_ok(g))
        count = flow_back(y, t, g, flows, seeds, fault);
    else
        fault_tensor(fault, g);
    bound_close();
    if (value) ty_set_history(remembered);
    if (!fault->set && count) reverse_all(level, count, flows, seeds, 1, &g, &dy, fault);
    mem_free(flows);
    return fault->set ? NULL : dy;
}

/* Return the tangent of y for tangents t[] of its operands (NULL: 0), by transposing its gradient rule. NULL
   if it is 0. Poison on failure. A placeholder is used for values too, as the way back then costs nothing. It
   is not used if an operand depends on a variable's value, or if the tangent would be a promise. */
ty_tensor *forward_transposed(ty_tensor *y, ty_tensor *const *t) {
    struct fault fault = {0};
    bool value = !y->promise, varies = false;
    for (int i = 0; i < y->ninputs; i++) {
        value = value && !(t[i] && t[i]->promise);
        varies = varies || (!y->inputs[i]->promise && y->inputs[i]->varies);
    }
    ty_tensor *dy = varies ? NULL : transpose(y, t, false, &fault);
    if (value && !fault.set && (varies || (dy && ty_is_promise(dy)))) dy = transpose(y, t, true, &fault);
    if (fault.set) return tensor_fault(&fault);
    return dy && value && ty_is_promise(dy) ? ty_eval(dy) : dy;
}

/* ---- the walk ---- */

/* Return the tangent of node k of the walk from those of its operands. NULL if it is 0; it may be poison. */
static ty_tensor *tangent_of(struct forward *f, int64_t k) {
    ty_tensor *y = f->walk.nodes[k];
    bool moves = false;
    if (!walk_enters(&f->walk, y) || (!has_gradient(y) && !y->op->results)) return NULL;
    for (int i = 0; i < y->ninputs; i++) {
        f->t[i] = f->tangent[walk_operand(&f->walk, k, i)];
        moves = moves || f->t[i];
    }
    if (!moves) return NULL;
    if (y->op->jvp) return y->op->jvp(y, f->t, f->wanted[k]);
    return y->op->vjp || y->op->vjp_all ? forward_transposed(y, f->t) : NULL;
}

/* Compute the tangent of node k and add it to the tangent that it has already, if any. False, with the fault
   set, on failure. */
static bool move_on(struct forward *f, int64_t k) {
    ty_tensor *dy = tangent_of(f, k), *own = f->tangent[k];
    if (f->fault->set || !dy) return !f->fault->set;
    if (own) dy = ty_add(own, dy); /* an x that depends on another x */
    if (!ty_ok(dy)) return fault_tensor(f->fault, dy);
    f->tangent[k] = ty_retain(dy);
    if (own) ty_release(own);
    return true;
}

/* Release the tangent of node k, if it has one. */
static void give_up(struct forward *f, int64_t k) {
    if (f->tangent[k]) ty_release(f->tangent[k]);
    f->tangent[k] = NULL;
}

/* Compute the tangents of all nodes in order, and release each after its last use. False, with the fault set,
   on failure. */
static bool walk_forward(struct forward *f) {
    const struct walk *w = &f->walk;
    for (int64_t k = 0; k < w->count; k++) {
        ty_scope *scope = ty_open();
        bool done = move_on(f, k);
        ty_close(scope);
        if (!done) return false;
        for (int i = 0; walk_enters(w, w->nodes[k]) && i < w->nodes[k]->ninputs; i++)
            if (f->last[walk_operand(w, k, i)] == k) give_up(f, walk_operand(w, k, i));
    }
    return true;
}

/* Mark result k in its operator's list of wanted results, if node k is a result; else do nothing. False if
   memory runs out. */
static bool note_result(struct forward *f, int64_t k) {
    const ty_tensor *x = f->walk.nodes[k];
    if (x->op != &op_result || !walk_enters(&f->walk, x)) return true;
    int64_t several = walk_operand(&f->walk, k, 0);
    const ty_tensor *of = f->walk.nodes[several];
    bool **wanted = &f->wanted[several];
    if (!*wanted) *wanted = mem_array((size_t)of->op->results(of->attr), sizeof **wanted);
    if (*wanted) (*wanted)[((const struct result_attr *)x->attr)->index] = true;
    return *wanted;
}

/* Walk the graph of y[ny], allocate the tables, and note each node's last user; results y count as used
   forever. values[i] is the present value of variable x[i]. False, with the fault set, on failure, also if an
   x was assigned after y was computed. */
static bool start(struct forward *f, int ny, ty_tensor *const *y, int nx, ty_tensor *const *values,
                  ty_tensor *const *x) {
    struct walk *w = &f->walk;
    int most = 1;
    w->history = true;
    if (!walk_order(w, ny, y, f->fault) || !leaves_check("jvp", w, nx, x, values, f->fault)) return false;
    size_t n = (size_t)w->count;
    f->tangent = mem_array(n, sizeof *f->tangent);
    f->last = mem_array(n, sizeof *f->last);
    f->wanted = mem_array(n, sizeof *f->wanted);
    bool fits = f->tangent && f->last && f->wanted;
    for (int64_t k = 0; k < w->count && fits; k++) {
        const ty_tensor *node = w->nodes[k];
        if (node->ninputs > most) most = node->ninputs;
        for (int i = 0; walk_enters(w, node) && i < node->ninputs; i++) f->last[walk_operand(w, k, i)] = k;
        fits = note_result(f, k);
    }
    for (int i = 0; i < ny && fits; i++) f->last[walk_place(w, tensor_resolve(y[i]))] = INT64_MAX;
    f->t = fits ? mem_array((size_t)most, sizeof *f->t) : NULL;
    return f->t || fault_memory(f->fault, n * sizeof *f->tangent);
}

/* Store the tangents t[i] (NULL: 0) of values[i] that are in the walk; a value that is given twice gets the
   sum. False, with the fault set, on failure. */
static bool begin(struct forward *f, int n, ty_tensor *const *values, ty_tensor *const *t) {
    for (int i = 0; i < n; i++) {
        int64_t place = walk_place(&f->walk, values[i]);
        if (place < 0 || !t[i]) continue;
        ty_tensor *own = f->tangent[place], *sum = own ? ty_add(own, t[i]) : t[i];
        if (!ty_ok(sum)) return fault_tensor(f->fault, sum);
        f->tangent[place] = ty_retain(sum);
        if (own) ty_release(own);
    }
    return true;
}

/* Release the tangents and free the tables. */
static void end(struct forward *f) {
    for (int64_t k = 0; k < f->walk.count; k++) {
        if (f->tangent) give_up(f, k);
        if (f->wanted) mem_free(f->wanted[k]);
    }
    mem_free(f->tangent);
    mem_free(f->last);
    mem_free(f->wanted);
    mem_free(f->t);
    walk_drop(&f->walk);
}

/* Compute the tangents of y[ny] for tangents t[nx] of x[nx] into tangents[ny] (NULL: 0), in the caller's
   scope; the walk stops below `level`. If `name` is not NULL, also check that each y depends on an x and each
   x is used, in the name of this public function. False, with the fault set, on failure. */
static bool move_all(const char *name, uint16_t level, int ny, ty_tensor *const *y, int nx,
                     ty_tensor *const *x, ty_tensor *const *t, ty_tensor **tangents, struct fault *fault) {
    struct forward f = {.walk.level = level, .fault = fault};
    ty_tensor **values = mem_array((size_t)nx, sizeof *values);
    for (int i = 0; i < nx && values; i++) values[i] = tensor_resolve(x[i]);
    bool done = values || fault_memory(fault, (size_t)nx * sizeof *values);
    done = done && start(&f, ny, y, nx, values, x) &&
           (!name || unused_check(name, &f.walk, ny, y, true, nx, x, values, fault)) &&
           begin(&f, nx, values, t) && walk_forward(&f);
    for (int i = 0; i < ny; i++) {
        int64_t place = done ? walk_place(&f.walk, tensor_resolve(y[i])) : -1;
        bool moves = place >= 0 && f.tangent[place];
        tangents[i] = moves ? tensor_share(f.tangent[place]) : NULL;
    }
    end(&f);
    mem_free(values);
    return done;
}

bool forward_all(uint16_t level, int ny, ty_tensor *const *y, int nx, ty_tensor *const *x,
                 ty_tensor *const *t, ty_tensor **tangents, struct fault *fault) {
    return move_all(NULL, level, ny, y, nx, x, t, tangents, fault);
}

/* ---- ty_jvp ---- */

/* Check that x, element i of the argument `what` of ty_jvp, has a tangent: it is floating or complex. False,
   with the fault set, if not. */
static bool check_form(const char *what, int i, const ty_tensor *x, struct fault *fault) {
    char words[160];
    return has_gradient(x) ||
           fault_set(fault, E_DTYPE, "jvp: %s[%d] is %s; only floating and complex tensors have tangents",
                     what, i, tensor_describe_into(words, sizeof words, x));
}

/* Check the arguments of ty_jvp: y[ny], x[n] and the tangents t[n] of x. False, with the fault set, if one is
   invalid. */
static bool check(int ny, ty_tensor *const *y, int n, ty_tensor *const *x, ty_tensor *const *t,
                  struct fault *fault) {
    char left[160], right[160];
    const ty_tensor *bad = first_poison_in("jvp", ny, y);
    if (!bad) bad = first_poison_in("jvp", n, x);
    if (!bad) bad = first_poison_in("jvp", n, t);
    if (bad) return fault_tensor(fault, bad);
    for (int i = 0; i < ny; i++)
        if (!check_form("y", i, y[i], fault)) return false;
    for (int i = 0; i < n; i++) {
        if (!check_form("x", i, x[i], fault)) return false;
        if (!tensor_same_form(x[i], t[i]))
            return fault_set(fault, E_ARGUMENT, "jvp: tangent %d is %s, x[%d] is %s; they must match", i,
                             tensor_describe_into(right, sizeof right, t[i]), i,
                             tensor_describe_into(left, sizeof left, x[i]));
    }
    return true;
}

/* True if all n tensors x[] are values. Then the results must be values too, although the history may contain
   evaluated promises (ty_eval). */
static bool all_values(int n, ty_tensor *const *x) {
    for (int i = 0; i < n; i++)
        if (tensor_resolve(x[i])->promise) return false;
    return true;
}

bool ty_jvp(int ny, ty_tensor *const *y, int n, ty_tensor *const *x, ty_tensor *const *tangents,
            ty_tensor **results) {
    struct fault fault = {0};
    if (!results_given(ny, y, results)) return false;
    ty_scope *scope = ty_open();
    ty_tensor **forms = mem_array((size_t)ny, sizeof *forms); /* copied, as y may be the array of results */
    bool done = forms || fault_memory(&fault, (size_t)ny * sizeof *forms);
    for (int i = 0; done && i < ny; i++) forms[i] = tensor_resolve(y[i]);
    done = done && check(ny, y, n, x, tangents, &fault) &&
           move_all("jvp", 0, ny, forms, n, x, tangents, results, &fault);
    bool value = done && all_values(ny, forms) && all_values(n, tangents);
    ty_tensor *bad = done ? NULL : tensor_fault(&fault);
    for (int i = 0; i < ny; i++) {
        const ty_tensor *like = bad ? NULL : forms[i];
        if (bad)
            results[i] = bad;
        else if (!results[i])
            results[i] = ty_zeros(like->dtype, like->layout.rank, like->layout.shape);
        if (value) results[i] = ty_eval(results[i]);
        if (scope) results[i] = ty_keep(results[i]);
    }
    ty_close(scope);
    mem_free(forms);
    return results_settled(ny, results) && !bad;
}
