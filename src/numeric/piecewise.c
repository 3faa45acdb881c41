/* Piecewise polynomials: values, derivatives, integrals. */
#include <tyto/sort.h>
#include "numeric/numeric.h"

enum { MOST_DEGREE = 64 };

/* Return NULL if the points [n], coefficients [degree + 1, n - 1, ...] and axis of p fit together, else
   poison that begins with `name`. */
static ty_tensor *refuse_piecewise(const char *name, const ty_piecewise *p) {
    ty_tensor *both[] = {p->x, p->coefficients}, *bad = first_poison_in(name, 2, both);
    if (bad) return bad;
    const int64_t *shape = ty_shape(p->coefficients);
    if (ty_rank(p->x) != 1 || ty_rank(p->coefficients) < 2 || ty_size(p->x) < 2 ||
        shape[1] != ty_size(p->x) - 1 || shape[0] < 1 || shape[0] > MOST_DEGREE + 1)
        return refuse(
            name, 2, both, E_SHAPE,
            "points are [n], coefficients [degree + 1, n - 1, ...] with n of 2 or more and a degree of 0..%d",
            MOST_DEGREE);
    if (dtype_is(ty_dtype_of(p->x), CLASS_COMPLEX) ||
        !dtype_is(ty_dtype_of(p->coefficients), CLASS_FLOAT | CLASS_COMPLEX))
        return refuse(name, 2, both, E_DTYPE, "points must be real and coefficients floating");
    if (p->axis < 0 || p->axis > ty_rank(p->coefficients) - 2)
        return refuse(name, 2, both, E_INDEX, "axis %d is out of bounds; expected 0..%d", p->axis,
                      ty_rank(p->coefficients) - 2);
    return refuse_places(name, p->x, 2, "points");
}

/* Return `value` with its first `places` axes, those of the queries, moved to position `axis`, that of the
   interpolated axis; poison is passed on. */
static ty_tensor *axes_to_place(ty_tensor *value, int places, int axis) {
    int64_t from[TY_MAX_RANK], to[TY_MAX_RANK];
    if (!ty_ok(value) || axis == 0) return value;
    for (int i = 0; i < places; i++) from[i] = i, to[i] = axis + i;
    return ty_moveaxis(value, places, from, to);
}

/* Return p at the queries `at` [queries..., ...] by Horner's scheme in the piece of each; queries outside
   extend the end pieces. */
static ty_tensor *horner(const ty_piecewise *p, ty_tensor *at) {
    int64_t degree = ty_shape(p->coefficients)[0] - 1, pieces = ty_size(p->x) - 1;
    ty_tensor *index = ty_sub(ty_searchsorted(p->x, at, true), ty_int(1));
    index = ty_clip(index, ty_int(0), ty_int(pieces - 1));
    ty_tensor *t = ty_sub(at, ty_take(p->x, index, 0));
    ty_tensor *value = ty_take(element_at(p->coefficients, 0), index, 0);
    if (!ty_ok(value)) return value;
    t = with_axes_behind(t, ty_rank(value));
    for (int64_t k = 1; k <= degree; k++)
        value = ty_add(ty_mul(value, t), ty_take(element_at(p->coefficients, k), index, 0));
    return value;
}

ty_tensor *piecewise_value(const ty_piecewise *p, ty_tensor *at) {
    int places = ty_rank(at);
    ty_tensor *first = end_element(p->x, false), *last = end_element(p->x, true);
    ty_tensor *outside = extrapolate_outside(at, first, last, p->extrapolate);
    ty_tensor *value = horner(p, extrapolate_inside(at, first, last, p->extrapolate));
    if (ty_ok(value) && outside)
        value = ty_where(with_axes_behind(outside, ty_rank(value)), ty_num(p->fill), value);
    return axes_to_place(unless_falling(value, p->x), places, p->axis);
}

/* Replace the points and coefficients of p and the queries *at by casts to matching floating dtypes;
   coefficients may be complex. */
static void settle(ty_piecewise *p, ty_tensor **at) {
    ty_tensor *real[] = {p->x, *at, ty_zeros(real_of(ty_dtype_of(p->coefficients)), TY_SHAPE(1))};
    cast_to_floating(3, real);
    p->x = real[0], *at = real[1];
    ty_tensor *made[] = {p->coefficients, ty_zeros_like(part_of(real[2], 0, 0, 1))};
    cast_to_common(NULL, 2, made, FLOATING, made);
    p->coefficients = made[0];
}

ty_tensor *ty_piecewise_at(ty_piecewise p, ty_tensor *at) {
    ty_tensor *bad = first_poison(1, &at);
    if (!bad) bad = refuse_piecewise("piecewise_at", &p);
    if (bad) return bad;
    if (dtype_is(ty_dtype_of(at), CLASS_COMPLEX))
        return refuse("piecewise_at", 1, &at, E_DTYPE, "queries must be real");
    int places = ty_rank(at);
    if (places + ty_rank(p.coefficients) - 2 > TY_MAX_RANK)
        return refuse("piecewise_at", 1, &at, E_LIMIT, "the result would have more than %d axes",
                      TY_MAX_RANK);
    bad = refuse_extrapolate("piecewise_at", at, end_element(p.x, false), end_element(p.x, true),
                             p.extrapolate);
    if (bad) return bad;
    if (p.extrapolate == TY_EXTRAPOLATE_ERROR) p.extrapolate = TY_EXTRAPOLATE_EXTEND;
    ty_tensor *all[] = {at, p.x, p.coefficients};
    struct composite c = composite_open("piecewise_at", 3, all);
    at = all[0], p.x = all[1], p.coefficients = all[2];
    settle(&p, &at);
    return composite_close(c, ty_contiguous(piecewise_value(&p, at)));
}

/* ---- derivatives and integrals ---- */

/* Return the n exponents from, from - 1, ... along axis 0, shaped to broadcast with `like` and in its real
   dtype. */
static ty_tensor *powers(ty_tensor *like, int64_t from, int64_t n) {
    ty_tensor *k = ty_sub(ty_num((double)from), ty_iota(TY_F64, 1, &n, 0));
    return with_axes_behind(ty_cast(k, real_of(ty_dtype_of(like))), ty_rank(like));
}

/* Return the coefficients, highest power first, of the derivative of pieces c [degree + 1, pieces, ...]:
   [degree, pieces, ...], zeros of c's shape for degree 0. Poison is passed on. */
static ty_tensor *derived(ty_tensor *c) {
    int64_t n = ty_ok(c) ? ty_shape(c)[0] : 0;
    if (n == 0) return c;
    if (n == 1) return ty_zeros_like(c);
    return ty_mul(part_of(c, 0, 0, n - 1), powers(c, n - 1, n - 1));
}

/* Return the coefficients [degree + 2, pieces, ...], highest power first, of the integral of pieces c
   [degree + 1, pieces, ...] with ends x [pieces + 1]: of each piece from its start, plus the sum of the
   pieces before. */
static ty_tensor *integrated(ty_tensor *x, ty_tensor *c) {
    int64_t n = ty_ok(c) ? ty_shape(c)[0] : 0;
    if (n == 0) return c;
    ty_tensor *raised = ty_div(c, powers(c, n, n));
    ty_tensor *width = with_axes_behind(ty_diff(x, 1, 0, NULL, NULL), ty_rank(c) - 1),
              *whole = element_at(raised, 0);
    for (int64_t k = 1; k < n; k++) whole = ty_add(ty_mul(whole, width), element_at(raised, k));
    whole = ty_mul(whole, width);
    ty_tensor *before = ty_cumsum(whole, 0, (ty_running){.exclusive = true});
    return ty_concat(2, ((ty_tensor *[]){raised, ty_expand(before, 0)}), 0);
}

ty_piecewise ty_piecewise_derivative(ty_piecewise p, int order) {
    ty_tensor *bad = refuse_piecewise("piecewise_derivative", &p);
    if (!bad && (order < -MOST_DEGREE || order > MOST_DEGREE + 1 ||
                 ty_shape(p.coefficients)[0] - order > MOST_DEGREE + 1))
        bad = refuse("piecewise_derivative", 1, &p.coefficients, E_LIMIT,
                     "order %d is out of range; expected at most %d, with degrees at most %d", order,
                     MOST_DEGREE + 1, MOST_DEGREE);
    if (bad) {
        p.x = bad, p.coefficients = tensor_share(bad);
        return p;
    }
    ty_tensor *both[] = {p.x, p.coefficients};
    struct composite c = composite_open("piecewise_derivative", 2, both);
    ty_tensor *made = ty_mul(both[1], ty_num(1));
    for (int i = 0; i < order; i++) made = derived(made);
    for (int i = 0; i > order; i--) made = integrated(ty_cast(both[0], real_of(ty_dtype_of(both[1]))), made);
    p.coefficients = composite_close(c, made);
    p.x = tensor_share(p.x);
    return p;
}

/* Return the integrals of p from x[0] to each query in `at`, outside the points as p->extrapolate says;
   `sums` is p's antiderivative. */
static ty_tensor *integral_to(const ty_piecewise *p, const ty_piecewise *sums, ty_tensor *at) {
    if (p->extrapolate != TY_EXTRAPOLATE_NEAREST && p->extrapolate != TY_EXTRAPOLATE_WRAP)
        return ty_piecewise_at(*sums, at);
    ty_tensor *first = end_element(p->x, false), *last = end_element(p->x, true),
              *period = ty_sub(last, first);
    ty_tensor *inside = extrapolate_inside(at, first, last, p->extrapolate);
    ty_tensor *value = ty_piecewise_at(*sums, inside);
    if (!ty_ok(value)) return value;
    int rank = ty_rank(value);
    ty_tensor *whole = ty_piecewise_at(*sums, last), *rest;
    if (p->extrapolate == TY_EXTRAPOLATE_WRAP) {
        ty_tensor *turns = ty_floor_div(ty_sub(at, first), period);
        rest = ty_mul(with_axes_behind(turns, rank), whole);
    } else {
        rest = ty_mul(with_axes_behind(ty_sub(at, inside), rank), ty_piecewise_at(*p, inside));
    }
    return ty_add(value, rest);
}

ty_tensor *ty_piecewise_integral(ty_piecewise p, ty_tensor *low, ty_tensor *high) {
    ty_tensor *ends[] = {low, high}, *bad = first_poison(2, ends);
    if (!bad) bad = refuse_piecewise("piecewise_integral", &p);
    if (bad) return bad;
    if (dtype_is(ty_dtype_of(low), CLASS_COMPLEX) || dtype_is(ty_dtype_of(high), CLASS_COMPLEX))
        return refuse("piecewise_integral", 2, ends, E_DTYPE, "the ends must be real");
    ty_scope *scope = ty_open();
    ty_broadcast_together(2, ends, ends);
    int axis = p.axis, places = ty_rank(ends[0]);
    p.axis = 0;
    ty_piecewise sums = ty_piecewise_derivative(p, -1);
    sums.extrapolate = TY_EXTRAPOLATE_EXTEND;
    ty_tensor *y = ty_sub(integral_to(&p, &sums, ends[1]), integral_to(&p, &sums, ends[0]));
    return leave_as("piecewise_integral", scope, low, ty_contiguous(axes_to_place(y, places, axis)));
}
