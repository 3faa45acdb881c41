/*
 * Filters of a signal that comes in blocks.  The state is that of direct form II transposed, as SciPy's: what earlier
 * elements add to the next `order` outputs before the feedback.  So a block is filtered from rest, and the response to
 * the state is added.
 */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/signal.h>
#include "ops/core/attributes.h"
#include "ops/core/structure.h"
#include "signal/coefficients.h"

/* A block and its filter; b and a have order + 1 coefficients, and a[0] is 1. */
struct block {
    const char *name;
    ty_tensor *b, *a, *x;
    int axis;
    int64_t order, n; /* n: elements of x along the axis */
};

/* Return x with `low` zeros before it and `high` behind it along the axis; negative numbers crop. */
static ty_tensor *padded(const struct block *f, ty_tensor *x, int64_t low, int64_t high) {
    ty_padding padding[TY_MAX_RANK] = {{0}};
    padding[f->axis] = (ty_padding){low, high, 0};
    return ty_pad(x, padding, ty_scalar(ty_dtype_of(x), 0));
}

/* Return the vector c with zeros up to n elements. */
static ty_tensor *lengthened(ty_tensor *c, int64_t n) {
    return ty_pad(c, &(ty_padding){0, n - ty_size(c), 0}, ty_scalar(ty_dtype_of(c), 0));
}

/* Return what the last elements of x add to the state, by the coefficients c [order + 1]: at j the sum of c[order - d]
   x[n - order + j + d] over d from 0. */
static ty_tensor *remembered(const struct block *f, ty_tensor *c, ty_tensor *x) {
    ty_tensor *last = padded(f, x, f->order - f->n, f->order - 1);
    ty_tensor *windows = ty_window(last, f->axis, f->order, 1, 1);
    return ty_matmul(windows, ty_flip(ty_slice(c, 0, 1, f->order + 1, 1), 0));
}

/* Return the state [.., order, ..] of the shape that x needs: the given one, broadcast along other axes; a vector lies along
   the axis. */
static ty_tensor *given_state(const struct block *f, ty_tensor *state) {
    int64_t shape[TY_MAX_RANK], line[TY_MAX_RANK];
    int rank = ty_rank(f->x);
    for (int i = 0; i < rank; i++) {
        shape[i] = i == f->axis ? f->order : ty_shape(f->x)[i];
        line[i] = i == f->axis ? f->order : 1;
    }
    if (!ty_ok(state)) return state;
    if (ty_rank(state) == 1 && ty_size(state) == f->order) state = ty_reshape(state, rank, line);
    bool fits = ty_rank(state) == rank && ty_shape(state)[f->axis] == f->order;
    for (int i = 0; i < rank && fits; i++)
        fits = ty_shape(state)[i] == shape[i] || (i != f->axis && ty_shape(state)[i] == 1);
    if (fits) return ty_broadcast(state, rank, shape);
    return refuse(f->name, 2, (ty_tensor *[]){f->x, state}, E_SHAPE,
                  "the state must be a vector of %lld elements, or of x's shape with as many along axis %d",
                  (long long)f->order, f->axis);
}

/* Filter the block from the state, or from rest if that is NULL.  Return x filtered, and set *state to the state behind
   the block. */
static ty_tensor *run_block(const struct block *f, ty_tensor **state) {
    ty_tensor *y = ty_filter(f->b, f->a, f->x, f->axis), *left = NULL;
    if (*state) {
        ty_tensor *from = given_state(f, *state), *one = ty_slice(f->a, 0, 0, 1, 1);
        if (f->n) y = ty_add(y, ty_filter(one, f->a, padded(f, from, 0, f->n - f->order), f->axis));
        left = padded(f, from, -(f->n < f->order ? f->n : f->order), f->n < f->order ? f->n : f->order);
    }
    if (!f->order) {
        *state = ty_slice(f->x, f->axis, 0, 0, 1);
        return y;
    }
    *state = ty_sub(remembered(f, f->b, f->x), remembered(f, f->a, y));
    if (left) *state = ty_add(*state, left);
    return y;
}

/* ---- operands ---- */

/* Return poison if leading coefficients are poison, or one of them, a value, is 0, else NULL. */
static ty_tensor *bad_leading(const char *name, ty_tensor *first) {
    if (!ty_ok(first)) return first;
    if (ty_is_promise(first)) return NULL;
    ty_tensor *zero = ty_any(ty_eq(first, ty_num(0)), TY_ALL);
    if (!ty_ok(zero)) return zero;
    return ty_item(zero) == 0 ? NULL
                              : refuse(name, 1, &first, E_DOMAIN,
                                       "the leading coefficient is 0, and all others are divided by it");
}

static ty_filtered_parts failed(ty_scope *scope, ty_tensor *bad) {
    bad = leave(scope, bad);
    return (ty_filtered_parts){bad, tensor_share(bad)};
}

/* Close the scope and return both results, in the scope outside; if one is poison, both are. */
static ty_filtered_parts leave_both(const char *name, ty_scope *scope, ty_tensor *y, ty_tensor *state) {
    ty_tensor *bad = !ty_ok(y) ? y : !ty_ok(state) ? state : NULL;
    if (bad) return failed(scope, tensor_share_in(name, bad));
    ty_filtered_parts both = {ty_contiguous(y), ty_contiguous(state)};
    if (!scope) return both; /* too many open scopes: all tensors stay in the innermost one */
    both = (ty_filtered_parts){ty_keep(both.y), ty_keep(both.state)};
    ty_close(scope);
    return both;
}

ty_filtered_parts ty_filter_from(ty_tensor *b, ty_tensor *a, ty_tensor *x, ty_tensor *state, int axis) {
    ty_tensor *operands[] = {b, a, x, state};
    int n = state ? 4 : 3;
    ty_scope *scope = ty_open();
    ty_tensor *bad = first_poison(n, operands);
    if (!bad) bad = refuse_vectors("filter_from", n, operands);
    if (bad) return failed(scope, bad);
    struct block f = {.name = "filter_from", .axis = axis_normal(axis, ty_rank(x))};
    if (f.axis < 0 || f.axis >= ty_rank(x)) return failed(scope, refuse_axis(f.name, x, axis));
    cast_to_common(f.name, n, operands, FLOATING, operands);
    bad = first_poison(n, operands);
    ty_tensor *first = bad ? bad : ty_slice(operands[1], 0, 0, 1, 1);
    bad = bad_leading(f.name, first);
    if (bad) return failed(scope, bad);
    f.x = operands[2];
    f.n = ty_shape(f.x)[f.axis];
    f.order = (ty_size(b) > ty_size(a) ? ty_size(b) : ty_size(a)) - 1;
    f.b = lengthened(ty_div(operands[0], first), f.order + 1);
    f.a = lengthened(ty_div(operands[1], first), f.order + 1);
    ty_tensor *next = state ? operands[3] : NULL, *y = run_block(&f, &next);
    return leave_both(f.name, scope, y, next);
}

/* Return part i of the first axis of x, without that axis. */
static ty_tensor *part(ty_tensor *x, int64_t i) { return ty_squeeze(ty_slice(x, 0, i, i + 1, 1), 0); }

ty_filtered_parts ty_filter_sections_from(ty_tensor *sections, ty_tensor *x, ty_tensor *state, int axis) {
    const char *name = "filter_sections_from";
    ty_tensor *operands[] = {sections, x, state}, *states[FILTER_MOST];
    int n = state ? 3 : 2;
    ty_scope *scope = ty_open();
    ty_tensor *bad = first_poison(n, operands);
    if (!bad) bad = refuse_sections(name, n, operands);
    if (!bad && state && (ty_rank(state) < 2 || ty_shape(state)[0] != ty_shape(sections)[0]))
        bad = refuse(name, n, operands, E_SHAPE, "the state must be [%lld, 2], or a state for each section",
                     (long long)ty_shape(sections)[0]);
    if (bad) return failed(scope, bad);
    struct block f = {.name = name, .order = 2, .axis = axis_normal(axis, ty_rank(x))};
    if (f.axis < 0 || f.axis >= ty_rank(x)) return failed(scope, refuse_axis(name, x, axis));
    cast_to_common(name, n, operands, FLOATING, operands);
    bad = first_poison(n, operands);
    if (!bad) bad = bad_leading(name, ty_slice(operands[0], 1, 3, 4, 1));
    if (bad) return failed(scope, bad);
    f.x = operands[1];
    f.n = ty_shape(f.x)[f.axis];
    int64_t count = ty_shape(sections)[0];
    for (int64_t i = 0; i < count; i++) {
        ty_tensor *row = part(operands[0], i), *first = ty_slice(row, 0, 3, 4, 1);
        f.b = ty_div(ty_slice(row, 0, 0, 3, 1), first);
        f.a = ty_div(ty_slice(row, 0, 3, 6, 1), first);
        states[i] = state ? part(operands[2], i) : NULL;
        f.x = run_block(&f, &states[i]);
        if (!ty_ok(f.x)) return failed(scope, tensor_share_in(name, f.x));
    }
    return leave_both(name, scope, f.x, ty_stack((int)count, states, 0));
}

/* ---- steady states ---- */

/* Return the state in which b and a [order + 1], with a[0] 1, answer a constant 1 by a constant; set *gain to it. */
static ty_tensor *steady(ty_tensor *b, ty_tensor *a, ty_tensor **gain) {
    int64_t n = ty_size(b);
    *gain = ty_div(ty_sum(b, TY_ALL), ty_sum(a, TY_ALL));
    ty_tensor *excess = ty_sub(b, ty_mul(a, *gain));
    return ty_cumsum(ty_slice(excess, 0, 1, n, 1), 0, (ty_running){.reverse = true});
}

ty_tensor *ty_filter_steady(ty_tensor *b, ty_tensor *a) {
    const char *name = "filter_steady";
    ty_tensor *operands[] = {b, a}, *bad = first_poison(2, operands), *gain;
    if (!bad) bad = refuse_vectors(name, 2, operands);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    cast_to_common(name, 2, operands, FLOATING, operands);
    bad = first_poison(2, operands);
    ty_tensor *first = bad ? bad : ty_slice(operands[1], 0, 0, 1, 1);
    bad = bad_leading(name, first);
    if (bad) return leave(scope, bad);
    int64_t n = ty_size(b) > ty_size(a) ? ty_size(b) : ty_size(a);
    return leave(scope, steady(lengthened(ty_div(operands[0], first), n),
                               lengthened(ty_div(operands[1], first), n), &gain));
}

ty_tensor *ty_filter_sections_steady(ty_tensor *sections) {
    const char *name = "filter_sections_steady";
    ty_tensor *operands[] = {sections}, *bad = first_poison(1, operands), *states[FILTER_MOST], *scale = NULL;
    if (!bad) bad = refuse_sections(name, 1, operands);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    cast_to_common(name, 1, operands, FLOATING, operands);
    ty_tensor *all = operands[0];
    bad = bad_leading(name, ty_slice(all, 1, 3, 4, 1));
    if (bad) return leave(scope, bad);
    int64_t count = ty_shape(sections)[0];
    for (int64_t i = 0; i < count; i++) {
        ty_tensor *row = part(all, i), *first = ty_slice(row, 0, 3, 4, 1), *gain;
        states[i] =
            steady(ty_div(ty_slice(row, 0, 0, 3, 1), first), ty_div(ty_slice(row, 0, 3, 6, 1), first), &gain);
        if (scale) states[i] = ty_mul(states[i], scale);
        scale = scale ? ty_mul(scale, gain) : gain;
    }
    return leave(scope, ty_stack((int)count, states, 0));
}
