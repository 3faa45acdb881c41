/*
 * The walk from x up: each node gets a tensor with the set of each element. An operator that only moves
 * elements is run on set ids; for others sets are joined along axes. A tensor of sets is released after its
 * last use.
 */
#include "grad/sparse_pattern.h"
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "array/remote.h"
#include "base/alloc.h"
#include "grad/reverse.h"
#include "graph/walk.h"
#include "ops/core/operators.h"
#include "ops/core/reach.h"
#include "ops/core/result.h"

/* State of one walk; lists are indexed by node. */
struct reaching {
    struct walk walk;
    struct sets *sets;
    ty_tensor **of;       /* sets of the elements, retained; NULL: all empty */
    ty_tensor ***results; /* for operators with several results: the sets of each, retained; NULL: not made */
    int64_t *uses;        /* remaining uses by other nodes */
    bool *given;          /* `of` was given by the caller */
    struct fault *fault;
};

static int64_t *data_of(const ty_tensor *x) { return tensor_data(x); }

/* True if x is not poison. Else copy its message to the fault and return false. */
static bool well(struct reaching *r, const ty_tensor *x) {
    return ty_ok(x) || fault_tensor(r->fault, tensor_of(x));
}

/* ---- unions ---- */

/* Return a new i64 value of shape[rank], whose elements are not set, in the innermost scope. Poison if memory
   runs out. */
static ty_tensor *numbers_new(int rank, const int64_t *shape) {
    return tensor_return(tensor_new_value(TY_I64, rank, shape));
}

/* Return the id of the union of the n sets sets[], which is reordered. If memory runs out, set *done to false
   and return 0; else *done stays. */
static int64_t join(struct reaching *r, int64_t n, int64_t *sets, bool *done) {
    int64_t set = sets_union(r->sets, n, sets);
    *done = *done && set >= 0;
    return set < 0 ? 0 : set;
}

ty_tensor *pattern_join(struct sets *sets, ty_tensor *a, ty_tensor *b) {
    if (!a || !b || !ty_ok(a) || a == b) return !a || (b && !ty_ok(b)) ? b : a;
    if (!ty_ok(b)) return b;
    ty_tensor *both = numbers_new(b->layout.rank, b->layout.shape);
    bool done = true;
    for (int64_t i = 0; ty_ok(both) && done && i < tensor_size(b); i++) {
        int64_t pair[2] = {data_of(a)[i], data_of(b)[i]};
        data_of(both)[i] = sets_union(sets, 2, pair);
        done = data_of(both)[i] >= 0;
    }
    return done ? both : tensor_out_of_memory();
}

/* ---- axis by axis ---- */

/* Write to places[n] the indices along the operand's axis, of n elements, that index c of the result depends
   on by the rule *a. Return their number, at most n. All are written if a->axis < 0. */
static int64_t places_for(const struct reach_axis *a, int64_t c, int64_t n, int64_t *places) {
    int64_t count = 0;
    if (a->axis < 0) {
        for (int64_t p = 0; p < n; p++) places[p] = p;
        return n;
    }
    for (int64_t t = 0; t < a->size; t++) {
        int64_t p = a->inverse ? c + a->low - t * a->dilation : c * a->stride + t * a->dilation - a->low;
        if (a->inverse && p % a->stride) continue;
        if (a->inverse) p /= a->stride;
        if (p >= 0 && p < n && count < n) places[count++] = p;
    }
    return count;
}

/* Return the sets `of`, a dense i64 tensor of ids, joined along axis k by the rule *a, so that this axis has
   `length` elements, as in the result. Poison if memory runs out. */
static ty_tensor *join_axis(struct reaching *r, ty_tensor *of, int k, const struct reach_axis *a,
                            int64_t length) {
    int64_t shape[TY_MAX_RANK], n = of->layout.shape[k], outer = 1, inner = 1;
    for (int i = 0; i < of->layout.rank; i++) {
        shape[i] = i == k ? length : of->layout.shape[i];
        outer *= i < k ? shape[i] : 1;
        inner *= i > k ? shape[i] : 1;
    }
    ty_tensor *joined = numbers_new(of->layout.rank, shape);
    int64_t *places = mem_array((size_t)n + 1, sizeof *places),
            *sets = mem_array((size_t)n + 1, sizeof *sets);
    bool done = ty_ok(joined) && places && sets;
    for (int64_t c = 0; c < length && done; c++) {
        int64_t count = places_for(a, c, n, places);
        for (int64_t o = 0; o < outer && done; o++)
            for (int64_t i = 0; i < inner && done; i++) {
                for (int64_t p = 0; p < count; p++) sets[p] = data_of(of)[(o * n + places[p]) * inner + i];
                data_of(joined)[(o * length + c) * inner + i] = join(r, count, sets, &done);
            }
    }
    mem_free(places);
    mem_free(sets);
    return done ? joined : tensor_out_of_memory();
}

/* True if, by the rule *a, index c of the result depends on index c of the operand alone. */
static bool is_same(const struct reach_axis *a) {
    return a->axis >= 0 && !a->inverse && a->size == 1 && a->stride == 1 && a->low == 0;
}

/* Return `of` broadcast to the shape of y, dense: axis k of `of` is axis a[k].axis of y, or has size 1 if
   that is negative. */
static ty_tensor *spread(ty_tensor *of, const struct reach_axis *a, const ty_tensor *y) {
    struct layout layout = {.rank = y->layout.rank, .offset = of->layout.offset};
    int64_t strides[TY_MAX_RANK] = {0}, shape[TY_MAX_RANK];
    for (int k = 0; k < of->layout.rank; k++)
        if (a[k].axis >= 0) strides[a[k].axis] += of->layout.strides[k];
    if (layout.rank) memcpy(shape, y->layout.shape, sizeof *shape * (size_t)layout.rank);
    layout.shape = shape;
    layout.strides = strides;
    return at_home(ty_contiguous(tensor_return(tensor_new_view(of, &layout))));
}

/* Return the sets of y from the sets `of` of an operand, joined axis by axis by the rules in *reach. Poison
   on failure. */
static ty_tensor *along_axes(struct reaching *r, ty_tensor *of, const struct reach *reach,
                             const ty_tensor *y) {
    for (int k = 0; k < of->layout.rank && ty_ok(of); k++) {
        const struct reach_axis *a = &reach->axis[k];
        int64_t length = a->axis < 0 ? 1 : y->layout.shape[a->axis];
        if (!is_same(a) && !(a->axis < 0 && of->layout.shape[k] == 1)) of = join_axis(r, of, k, a, length);
    }
    return ty_ok(of) ? spread(of, reach->axis, y) : of;
}

/* ---- moved elements ---- */

/* Return the ids, evaluated and dense, if all are in 0 .. limit-1; else poison, as for an engine that
   computes nothing. */
static ty_tensor *checked(ty_tensor *numbers, int64_t limit) {
    numbers = at_home(ty_contiguous(ty_eval(numbers)));
    bool inside = true;
    for (int64_t i = 0; ty_ok(numbers) && i < tensor_size(numbers); i++)
        inside = inside && data_of(numbers)[i] >= 0 && data_of(numbers)[i] < limit;
    return inside ? numbers : ty_poison_code(E_UNSUPPORTED, "the engine did not compute where elements go");
}

/* Return the sets of the elements of node k, computed by its operator run on set ids, of all operands or only
   of operand `only` (-1: all). Operands without a derivative (indices) keep their values, others are 0.
   Poison on failure. */
static ty_tensor *moved(struct reaching *r, int64_t k, int only) {
    ty_tensor *y = r->walk.nodes[k], **x = mem_array((size_t)y->ninputs, sizeof *x);
    struct reach *reach = mem_alloc(sizeof *reach);
    if (!x || !reach) {
        mem_free(x);
        mem_free(reach);
        return tensor_out_of_memory();
    }
    for (int i = 0; i < y->ninputs; i++) {
        const ty_tensor *operand = y->inputs[i];
        ty_tensor *of = r->of[walk_operand(&r->walk, k, i)];
        if (of && (only < 0 || only == i)) {
            x[i] = of;
            continue;
        }
        reach_of(y, i, reach);
        x[i] = reach->kind == REACH_NOTHING
                   ? ty_eval(y->inputs[i])
                   : ty_broadcast(ty_scalar(TY_I64, 0), operand->layout.rank, operand->layout.shape);
    }
    ty_tensor *sets = record(y->op, y->attr, y->attr_bytes, y->ninputs, x);
    mem_free(x);
    mem_free(reach);
    return checked(sets, 1 + r->sets->elements + r->sets->count);
}

/* Return the sets of y from the sets `of` of an operand whose element i goes to element to[i] of y. Poison on
   failure. */
static ty_tensor *gone(struct reaching *r, ty_tensor *of, ty_tensor *to, const ty_tensor *y) {
    int64_t size = tensor_size(y), n = tensor_size(of);
    to = checked(to, size);
    ty_tensor *sets = numbers_new(y->layout.rank, y->layout.shape);
    int64_t *start = mem_array((size_t)size + 1, sizeof *start), *all = mem_array((size_t)n, sizeof *all);
    bool done = ty_ok(to) && ty_ok(sets) && start && all;
    for (int64_t i = 0; i < n && done; i++) start[data_of(to)[i]]++;
    for (int64_t i = 0, sum = 0; i <= size && done; i++) sum += start[i], start[i] = sum;
    for (int64_t i = n - 1; i >= 0 && done; i--) all[--start[data_of(to)[i]]] = data_of(of)[i];
    for (int64_t i = 0; i < size && done; i++)
        data_of(sets)[i] = join(r, start[i + 1] - start[i], all + start[i], &done);
    mem_free(start);
    mem_free(all);
    return done ? sets : ty_ok(to) ? tensor_out_of_memory() : to;
}

/* ---- one node ---- */

/* Return the id of the union of all sets of all operands of node k, i64 []. Poison if memory runs out. */
static ty_tensor *everything(struct reaching *r, int64_t k) {
    const ty_tensor *y = r->walk.nodes[k];
    bool done = true;
    int64_t all = 0;
    for (int i = 0; i < y->ninputs; i++) {
        const ty_tensor *of = r->of[walk_operand(&r->walk, k, i)];
        for (int64_t e = 0; of && e < tensor_size(of) && done; e++) {
            int64_t pair[2] = {all, data_of(of)[e]};
            if (!e || pair[1] != data_of(of)[e - 1]) all = join(r, 2, pair, &done);
        }
    }
    return done ? ty_scalar(TY_I64, (double)all) : tensor_out_of_memory();
}

/* Return the union of the sets so_far (NULL: empty) with those that operand i contributes to node k.
   *moved_all says that the operator was run on the sets of all operands already, and is set when it is.
   Poison on failure. */
static ty_tensor *reach_operand(struct reaching *r, int64_t k, int i, ty_tensor *so_far, bool *moved_all) {
    ty_tensor *y = r->walk.nodes[k], *of = r->of[walk_operand(&r->walk, k, i)], *sets = NULL;
    struct reach *reach = mem_alloc(sizeof *reach);
    if (!reach) return tensor_out_of_memory();
    reach_of(y, i, reach);
    if (reach->kind == REACH_AXES)
        sets = along_axes(r, of, reach, y);
    else if (reach->kind == REACH_MOVES && !*moved_all)
        sets = moved(r, k, -1);
    else if (reach->kind == REACH_ALONE)
        sets = moved(r, k, i);
    else if (reach->kind == REACH_GOES)
        sets = gone(r, of, reach->to, y);
    *moved_all = *moved_all || reach->kind == REACH_MOVES;
    mem_free(reach);
    return pattern_join(r->sets, so_far, sets);
}

/* Compute the sets of all results of node k, an operator with several, into r->results[k]. False, with the
   fault set, on failure. */
static bool reach_several(struct reaching *r, int64_t k) {
    ty_tensor *y = r->walk.nodes[k];
    size_t n = (size_t)y->op->results(y->attr), nof = (size_t)y->ninputs;
    ty_tensor **out = r->results[k] = mem_array(n + 1, sizeof *out), **of = mem_array(nof, sizeof *of);
    bool done = (out && of) || fault_memory(r->fault, (n + nof) * sizeof *out);
    for (size_t i = 0; i < nof && done; i++) of[i] = r->of[walk_operand(&r->walk, k, (int)i)];
    struct reach_results job = {y, of, r->sets, r->fault};
    bool known = done && y->op->reach_results && y->op->reach_results(&job, out);
    ty_tensor *all = done && !known && !r->fault->set ? everything(r, k) : NULL;
    done = !r->fault->set && (!all || well(r, all));
    for (size_t i = 0; out && i < n; i++) {
        out[i] = known ? out[i] : all;
        if (out[i]) out[i] = at_home(out[i]);
        if (done && out[i]) done = well(r, out[i]);
        out[i] = done && out[i] ? ty_retain(out[i]) : NULL;
    }
    mem_free(of);
    return done;
}

/* Return the sets of node k, one of several results, in its shape; a single set for all elements is
   broadcast. NULL if they are empty. */
static ty_tensor *reach_result(const struct reaching *r, int64_t k) {
    const ty_tensor *y = r->walk.nodes[k];
    ty_tensor **results = r->results[walk_operand(&r->walk, k, 0)];
    ty_tensor *of = results ? results[((const struct result_attr *)y->attr)->index] : NULL;
    return of ? ty_contiguous(ty_broadcast(of, y->layout.rank, y->layout.shape)) : NULL;
}

/* Return the sets of the elements of node k. NULL if they are empty, or if it has several results, whose sets
   are stored. Poison on failure. */
static ty_tensor *reach_node(struct reaching *r, int64_t k) {
    ty_tensor *y = r->walk.nodes[k], *sets = NULL;
    bool any = false, moved_all = false;
    for (int i = 0; i < y->ninputs && walk_enters(&r->walk, y); i++)
        any = any || r->of[walk_operand(&r->walk, k, i)];
    if (any && y->op->results) return reach_several(r, k) ? NULL : tensor_fault(r->fault);
    if (has_gradient(y) && walk_enters(&r->walk, y) && y->op == &op_result) return reach_result(r, k);
    if (!any || !has_gradient(y)) return NULL;
    for (int i = 0; i < y->ninputs && (!sets || ty_ok(sets)); i++)
        if (r->of[walk_operand(&r->walk, k, i)]) sets = reach_operand(r, k, i, sets, &moved_all);
    return sets;
}

/* Return, i64 of x's shape, the ids of the sets {i} for each element i of x. Poison if memory runs out. */
static ty_tensor *elements(const ty_tensor *x) {
    ty_tensor *numbers = numbers_new(x->layout.rank, x->layout.shape);
    for (int64_t i = 0; ty_ok(numbers) && i < tensor_size(x); i++) data_of(numbers)[i] = 1 + i;
    return numbers;
}

/* Release the sets of node k. */
static void forget(struct reaching *r, int64_t k) {
    ty_tensor **results = r->results[k];
    for (int i = 0, n = results ? r->walk.nodes[k]->op->results(r->walk.nodes[k]->attr) : 0; i < n; i++)
        if (results[i]) ty_release(results[i]);
    if (r->of[k]) ty_release(r->of[k]);
    mem_free(results);
    r->results[k] = NULL;
    r->of[k] = NULL;
}

/* Compute the sets of all nodes in topological order. False, with the fault set, on failure. */
static bool walk_up(struct reaching *r) {
    const struct walk *w = &r->walk;
    for (int64_t k = 0; k < w->count; k++) {
        ty_tensor *node = w->nodes[k];
        if (!r->given[k]) {
            ty_scope *scope = ty_open();
            ty_tensor *sets = reach_node(r, k);
            if (sets) sets = at_home(sets);
            bool done = !sets || well(r, sets);
            if (done && sets) r->of[k] = ty_retain(sets);
            ty_close(scope);
            if (!done) return false;
        }
        for (int i = 0; i < node->ninputs && walk_enters(w, node); i++) {
            int64_t below = walk_operand(w, k, i);
            if (--r->uses[below] == 0) forget(r, below);
        }
    }
    return true;
}

/* Walk the graph of y[ny], allocate the tables and store the sets of_x[i] (NULL: empty) of x[i], i < nx; an x[i]
   outside the graph is skipped. False, with r->fault set, on failure; the caller frees the tables in both cases. */
static bool begin(struct reaching *r, int ny, ty_tensor *const *y, int nx, ty_tensor *const *x,
                  ty_tensor *const *of_x) {
    if (!walk_order(&r->walk, ny, y, r->fault)) return false;
    size_t n = (size_t)r->walk.count + 1;
    r->of = mem_array(n, sizeof *r->of);
    r->results = mem_array(n, sizeof *r->results);
    r->uses = mem_array(n, sizeof *r->uses);
    r->given = mem_array(n, sizeof *r->given);
    if (!r->of || !r->results || !r->uses || !r->given) return fault_memory(r->fault, n * sizeof *r->of);
    for (int64_t k = 0; k < r->walk.count; k++)
        for (int i = 0; i < r->walk.nodes[k]->ninputs && walk_enters(&r->walk, r->walk.nodes[k]); i++)
            r->uses[walk_operand(&r->walk, k, i)]++;
    for (int i = 0; i < ny; i++) r->uses[walk_place(&r->walk, tensor_resolve(y[i]))]++;
    for (int i = 0; i < nx; i++) {
        int64_t k = walk_place(&r->walk, x[i]);
        if (k < 0 || r->given[k]) continue;
        r->given[k] = true;
        r->of[k] = of_x[i] ? ty_retain(of_x[i]) : NULL;
    }
    return true;
}

bool pattern_graph(struct sets *sets, bool history, int ny, ty_tensor *const *y, int nx, ty_tensor *const *x,
                   ty_tensor *const *of_x, ty_tensor **of_y, struct fault *fault) {
    struct reaching r = {.walk = {.history = history}, .sets = sets, .fault = fault};
    bool lazily = record_lazily(false), done = begin(&r, ny, y, nx, x, of_x) && walk_up(&r);
    record_lazily(lazily);
    for (int i = 0; i < ny && done; i++) {
        ty_tensor *of = r.of[walk_place(&r.walk, tensor_resolve(y[i]))];
        of_y[i] = of ? tensor_share(of) : NULL;
        done = !of || well(&r, of_y[i]);
    }
    for (int64_t k = 0; r.of && r.results && k < r.walk.count; k++) forget(&r, k);
    mem_free(r.of);
    mem_free(r.results);
    mem_free(r.uses);
    mem_free(r.given);
    walk_drop(&r.walk);
    return done;
}

bool pattern_find(struct pattern *p, ty_tensor *y, ty_tensor *x, struct fault *fault) {
    char words[160];
    y = tensor_resolve(y);
    x = tensor_resolve(x);
    if (tensor_size(x) >= INT32_MAX)
        return fault_set(fault, E_LIMIT, "x is %s; expected at most 2^31 - 2 elements",
                         tensor_describe_into(words, sizeof words, x));
    if (!sets_begin(&p->sets, tensor_size(x))) return fault_memory(fault, (size_t)tensor_size(x) * 9);
    ty_scope *scope = ty_open();
    ty_tensor *own = elements(x), *of = NULL;
    bool done = (ty_ok(own) || fault_tensor(fault, own)) &&
                pattern_graph(&p->sets, true, 1, &y, 1, &x, &own, &of, fault);
    if (done) {
        p->of = of ? ty_retain(of) : tensor_new_value(TY_I64, y->layout.rank, y->layout.shape);
        if (p->of && !of) memset(data_of(p->of), 0, tensor_bytes(p->of));
        done = p->of || fault_memory(fault, tensor_bytes(y));
    }
    ty_close(scope);
    return done;
}

void pattern_end(struct pattern *p) {
    if (p->of) ty_release(p->of);
    sets_end(&p->sets);
}
