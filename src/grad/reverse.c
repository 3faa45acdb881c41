/*
 * Reverse mode, from graph to graph (Griewank & Walther, Evaluating Derivatives, 2008, ch. 3). The walk
 * visits nodes in reverse order and calls each operator's vjp rule, which gives gradients of its operands. On
 * promises the rules record promises, on tracked values they compute at once. The temporaries of each node
 * are in a scope of their own.
 */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/list.h"
#include "grad/leaves.h"
#include "grad/reverse.h"
#include "grad/unused.h"
#include "graph/walk.h"
#include "ops/core/result.h"
#include "ops/shape/concat.h"

/*
 * Gradients of slices of one tensor along an axis, collected to be joined by one concatenation. Other
 * gradients of that tensor, or slices along another axis, end the list, so that all sums are in the order of
 * arrival.
 */
struct gradient_pieces {
    int n, g_room, start_room, axis;
    ty_tensor **g; /* retained */
    int64_t *start;
};

/* State of one walk; lists are indexed by node. */
struct reverse {
    struct walk walk;
    ty_tensor **flow;                /* the gradient so far, retained; NULL: 0 */
    struct gradient_pieces **pieces; /* slices not joined yet; NULL: none */
    bool *needed;                    /* depends on an x */
    bool *asked;                     /* is an x */
    ty_tensor *bad;                  /* the first poison, retained */
};

static void keep_bad(struct reverse *r, ty_tensor *x) {
    if (!r->bad) r->bad = ty_retain(x);
}

/* Return the sum of two gradients or two sets of gradients; poison on failure. */
static ty_tensor *add(ty_tensor *a, ty_tensor *b) {
    return is_gradients(a) ? gradients_add(a, b, ty_add) : ty_add(a, b);
}

/* Release all pieces and free p, which may be NULL. */
static void drop_pieces(struct gradient_pieces *p) {
    for (int i = 0; p && i < p->n; i++) ty_release(p->g[i]);
    if (p) mem_free(p->g);
    if (p) mem_free(p->start);
    mem_free(p);
}

static bool accumulate(struct reverse *r, int64_t place, ty_tensor *g);

/* Concatenate the collected slices of the node with index `place`, if any, and add them to its gradient.
   False on failure, with the poison in r->bad. */
static bool put_together(struct reverse *r, int64_t place) {
    struct gradient_pieces *p = r->pieces[place];
    if (!p) return true;
    r->pieces[place] = NULL;
    ty_tensor *sum = concat_at(p->n, p->g, p->axis, r->walk.nodes[place]->layout.shape[p->axis], p->start);
    drop_pieces(p);
    return accumulate(r, place, sum);
}

/* Allocate *pieces if it is NULL and ensure capacity for one more piece. False if memory runs out. */
static bool grow_pieces(struct gradient_pieces **pieces) {
    if (!*pieces && !(*pieces = mem_alloc(sizeof **pieces))) return false;
    struct gradient_pieces *p = *pieces;
    return list_reserve(p->g, p->n + 1, p->g_room) && list_reserve(p->start, p->n + 1, p->start_room);
}

/* Collect g, a gradient of the node with index `place` that is non-zero only for its slice from index `start`
   along `axis`. False on failure, with the poison in r->bad. */
static bool accumulate_at(struct reverse *r, int64_t place, ty_tensor *g, int axis, int64_t start) {
    if (!ty_ok(g)) {
        keep_bad(r, g);
        return false;
    }
    if (r->pieces[place] && r->pieces[place]->axis != axis && !put_together(r, place)) return false;
    if (!grow_pieces(&r->pieces[place])) {
        keep_bad(r, tensor_out_of_memory());
        return false;
    }
    struct gradient_pieces *p = r->pieces[place];
    p->axis = axis;
    p->start[p->n] = start;
    p->g[p->n++] = ty_retain(g);
    return true;
}

/* Add g to the gradient of the node with index `place`. False on failure, with the poison in r->bad. */
static bool accumulate(struct reverse *r, int64_t place, ty_tensor *g) {
    if (!put_together(r, place)) return false;
    ty_tensor **flow = &r->flow[place];
    ty_tensor *sum = *flow ? add(*flow, g) : g;
    if (!ty_ok(sum)) {
        keep_bad(r, sum);
        return false;
    }
    ty_retain(sum);
    if (*flow) ty_release(*flow);
    *flow = sum;
    return true;
}

/* Compute the gradients of the needed operands of the node with index `place` by its vjp_all rule, and add
   them to those operands' gradients. False on failure, with the poison in r->bad. */
static bool hand_all(struct reverse *r, int64_t place) {
    ty_tensor *y = r->walk.nodes[place];
    size_t n = (size_t)y->ninputs;
    ty_tensor **all = mem_array(n, sizeof *all);
    bool *needed = mem_array(n, sizeof *needed), done = all && needed;
    if (!done) keep_bad(r, tensor_out_of_memory());
    for (size_t i = 0; done && i < n; i++) {
        needed[i] = r->needed[walk_operand(&r->walk, place, (int)i)];
    }
    if (done) y->op->vjp_all(y, r->flow[place], needed, all);
    for (size_t i = 0; done && i < n; i++)
        if (all[i]) done = accumulate(r, walk_operand(&r->walk, place, (int)i), all[i]);
    mem_free(all);
    mem_free(needed);
    return done;
}

/* Compute the gradients of the needed operands of the node with index `place`, and add them to those
   operands' gradients. False on failure, with the poison in r->bad. */
static bool hand_on(struct reverse *r, int64_t place) {
    ty_tensor *y = r->walk.nodes[place];
    if (!r->flow[place] || !r->needed[place] || !walk_enters(&r->walk, y)) return true;
    if (y->op->vjp_all) return hand_all(r, place);
    int axis;
    int64_t start;
    ty_tensor *piece = r->flow[place];
    if (y->op->places && y->op->places(y, &piece, &axis, &start)) {
        int64_t below = walk_operand(&r->walk, place, 0);
        return !r->needed[below] || accumulate_at(r, below, piece, axis, start);
    }
    if (!y->op->vjp) return true;
    for (int i = 0; i < y->ninputs; i++) {
        int64_t below = walk_operand(&r->walk, place, i);
        if (!r->needed[below]) continue;
        ty_tensor *g = y->op->vjp(y, r->flow[place], i);
        if (g && !ty_ok(g)) {
            keep_bad(r, g);
            return false;
        }
        if (g && !accumulate(r, below, g)) return false;
    }
    return true;
}

/* Walk the graph of y[ny], allocate the tables, and find the nodes that depend on an x. values[i] is set to
   the current value of x[i], read once, as another thread may assign an eager variable. False, with the fault
   set, on failure. */
static bool start(struct reverse *r, int ny, ty_tensor *const *y, int n, ty_tensor *const *x,
                  ty_tensor **values, struct fault *fault) {
    for (int i = 0; i < n; i++) values[i] = tensor_resolve(x[i]);
    r->walk.history = true;
    if (!walk_order(&r->walk, ny, y, fault) || !leaves_check("grad", &r->walk, n, x, values, fault))
        return false;
    r->flow = mem_array((size_t)r->walk.count, sizeof *r->flow);
    r->pieces = mem_array((size_t)r->walk.count, sizeof *r->pieces);
    r->needed = mem_array((size_t)r->walk.count, sizeof *r->needed);
    r->asked = mem_array((size_t)r->walk.count, sizeof *r->asked);
    if (!r->flow || !r->pieces || !r->needed || !r->asked)
        return fault_memory(fault, (size_t)r->walk.count * sizeof *r->flow);
    for (int i = 0; i < n; i++) {
        int64_t place = walk_place(&r->walk, values[i]);
        if (place >= 0) r->needed[place] = r->asked[place] = true;
    }
    for (int64_t k = 0; k < r->walk.count; k++) {
        const ty_tensor *node = r->walk.nodes[k];
        for (int i = 0; i < node->ninputs && walk_enters(&r->walk, node) && !r->needed[k]; i++)
            r->needed[k] = r->needed[walk_operand(&r->walk, k, i)];
    }
    return true;
}

/* Store the incoming gradients g[i] of y[i], i < ny; those of y that are not floating or complex are skipped.
   False on failure, with the poison in r->bad. */
static bool begin(struct reverse *r, int ny, ty_tensor *const *y, ty_tensor *const *g) {
    for (int i = 0; i < ny; i++)
        if (has_gradient(y[i]) && !accumulate(r, walk_place(&r->walk, y[i]), g[i])) return false;
    return true;
}

/* Release all gradients and free the tables. */
static void end(struct reverse *r) {
    for (int64_t k = 0; r->flow && k < r->walk.count; k++)
        if (r->flow[k]) ty_release(r->flow[k]);
    for (int64_t k = 0; r->pieces && k < r->walk.count; k++) drop_pieces(r->pieces[k]);
    mem_free(r->flow);
    mem_free(r->pieces);
    mem_free(r->needed);
    mem_free(r->asked);
    walk_drop(&r->walk);
    if (r->bad) ty_release(r->bad);
}

ty_tensor *reverse_zeros(const ty_tensor *x) {
    return ty_broadcast(ty_scalar(x->dtype, 0), x->layout.rank, x->layout.shape);
}

/* Return the gradient of x, owned by the caller's scope; zeros if it has none. Poison if *fault is set or the
   walk has failed. */
static ty_tensor *result(struct reverse *r, ty_tensor *x, const struct fault *fault) {
    if (fault->set) return tensor_fault(fault);
    if (r->bad) return tensor_share(r->bad);
    int64_t place = walk_place(&r->walk, x);
    if (place >= 0 && r->flow[place]) return tensor_share(r->flow[place]);
    return ty_zeros(x->dtype, x->layout.rank, x->layout.shape);
}

/* Propagate gradients through all nodes in reverse order; stop on failure, with the poison in r->bad. Each
   gradient gets the source location of its node. */
static void walk_back(struct reverse *r) {
    struct location here = location_now;
    for (int64_t k = r->walk.count - 1; k >= 0; k--) {
        ty_scope *scope = ty_open();
        location_now = location_known(&r->walk.nodes[k]->location) ? r->walk.nodes[k]->location : here;
        bool done = put_together(r, k) && hand_on(r, k);
        location_now = here;
        ty_close(scope);
        if (!done) return;
        if (!r->flow[k] || r->asked[k]) continue;
        ty_release(r->flow[k]);
        r->flow[k] = NULL;
    }
}

/* Return the first of y, g and x[n] that is poison or NULL, as poison. NULL if all are valid. */
static const ty_tensor *first_bad(ty_tensor *y, ty_tensor *g, int n, ty_tensor *const *x) {
    if (!ty_ok(y)) return tensor_of(y);
    if (!ty_ok(g)) return tensor_of(g);
    for (int i = 0; i < n; i++)
        if (!ty_ok(x[i])) return tensor_of(x[i]);
    return NULL;
}

/* Check the arguments of ty_vjp: y, its gradient g and x[n]. Errors go to *fault. */
static void check(ty_tensor *y, ty_tensor *g, int n, ty_tensor *const *x, struct fault *fault) {
    char left[160], right[160];
    const ty_tensor *poison = first_bad(y, g, n, x);
    if (poison) {
        fault_tensor(fault, poison);
        return;
    }
    tensor_describe_into(left, sizeof left, y);
    if (!has_gradient(y))
        fault_set(fault, E_DTYPE, "grad: y is %s; only floating and complex tensors have gradients", left);
    if (!tensor_same_form(y, g))
        fault_set(fault, E_ARGUMENT, "grad: the incoming gradient is %s, y is %s; they must match",
                  tensor_describe_into(right, sizeof right, g), left);
    for (int i = 0; i < n; i++)
        if (!has_gradient(x[i]))
            fault_set(fault, E_DTYPE, "grad: x[%d] is %s; only floating and complex tensors have gradients",
                      i, tensor_describe_into(right, sizeof right, x[i]));
}

bool reverse_all(uint16_t level, int ny, ty_tensor *const *y, ty_tensor *const *g, int nx,
                 ty_tensor *const *x, ty_tensor **gradients, struct fault *fault) {
    struct reverse r = {.walk.level = level};
    ty_tensor **values = gradients;
    if (start(&r, ny, y, nx, x, values, fault) && begin(&r, ny, y, g)) walk_back(&r);
    if (r.bad) fault_tensor(fault, r.bad);
    for (int i = 0; i < nx; i++) {
        int64_t place = fault->set ? -1 : walk_place(&r.walk, values[i]);
        gradients[i] = place >= 0 && r.flow[place] ? tensor_share(r.flow[place]) : NULL;
    }
    end(&r);
    return !fault->set;
}

/* Evaluate gradients[n], in place, if one is a promise: the history of values may contain evaluated promises
   (ty_eval), but gradients of values must be values. False, with poison among them, on failure. */
static bool settle(int n, ty_tensor **gradients) {
    bool promise = false;
    for (int i = 0; i < n; i++) promise = promise || ty_is_promise(gradients[i]);
    return !promise || ty_eval_all(n, gradients, gradients);
}

bool ty_vjp(ty_tensor *y, ty_tensor *g, int n, ty_tensor *const *x, ty_tensor **gradients) {
    struct reverse r = {0};
    struct fault fault = {0};
    y = tensor_resolve(y);
    g = tensor_of(g);
    if (!results_given(n, x, gradients)) return false;
    check(y, g, n, x, &fault);
    ty_tensor **values = gradients;
    if (!fault.set && start(&r, 1, &y, n, x, values, &fault) &&
        unused_check("grad", &r.walk, 1, &y, false, n, x, values, &fault) && begin(&r, 1, &y, &g))
        walk_back(&r);
    bool promise = y->promise || tensor_resolve(g)->promise;
    for (int i = 0; i < n; i++) gradients[i] = result(&r, fault.set ? x[i] : values[i], &fault);
    end(&r);
    return results_settled(n, gradients) && !fault.set && (promise || settle(n, gradients));
}

bool ty_grad(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor **gradients) {
    if (!results_given(n, x, gradients)) return false;
    ty_scope *scope = ty_open();
    bool seeded = ty_ok(y) && has_gradient(tensor_resolve(y)); /* else ty_vjp refuses y */
    ty_tensor *one = seeded ? ty_broadcast(ty_scalar(ty_dtype_of(y), 1), ty_rank(y), ty_shape(y)) : y;
    bool done = ty_vjp(y, tensor_resolve(one), n, x, gradients);
    for (int i = 0; i < n; i++) gradients[i] = scope ? ty_keep(gradients[i]) : gradients[i];
    ty_close(scope);
    return done;
}
