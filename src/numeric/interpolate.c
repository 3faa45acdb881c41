/* Interpolation in one dimension: slopes at the points by the rule of each kind, and cubics between values
   and slopes. */
#include <math.h>
#include <tyto/sort.h>
#include "base/options.h"
#include "base/machine/floating.h"
#include "numeric/numeric.h"
#include "ops/shape/pieces.h"

static const char *const kind_names[] = {"linear", "nearest", "previous", "next",
                                         "cubic",  "pchip",   "akima",    "makima"};
ty_interp_kind ty_interp_kind_named(const char *name) {
    return (ty_interp_kind)named_in(name, TY_INTERP_KINDS, kind_names);
}
ty_extrapolation ty_extrapolation_named(const char *name) {
    static const char *const names[] = {"nearest", "extend", "fill", "wrap", "error"};
    return (ty_extrapolation)named_in(name, TY_EXTRAPOLATIONS, names);
}
ty_spline_end ty_spline_end_named(const char *name) {
    static const char *const names[] = {"not-a-knot", "natural", "clamped", "periodic"};
    return (ty_spline_end)named_in(name, TY_SPLINE_ENDS, names);
}

static ty_tensor *first_of(ty_tensor *x) { return part_of(x, 0, 0, 1); }
static ty_tensor *last_of(ty_tensor *x) { return part_of(x, 0, -1, TY_END); }
static ty_tensor *but_first(ty_tensor *x) { return part_of(x, 0, 1, TY_END); }
static ty_tensor *but_last(ty_tensor *x) { return part_of(x, 0, 0, -1); }
static ty_tensor *at(ty_tensor *x, int64_t i) { return ty_slice(x, 0, i, i == -1 ? TY_END : i + 1, 1); }
static ty_tensor *join(int n, ty_tensor *const *x) { return ty_concat(n, x, 0); }

/* ---- slopes at points, from widths d and slopes m of the pieces ---- */

/* Return above / below elementwise where the bool `use` is true, else `other`; never divides by 0, whose
   gradient would be NaN. */
static ty_tensor *quotient_or(ty_tensor *above, ty_tensor *below, ty_tensor *use, ty_tensor *other) {
    return ty_where(use, ty_div(above, ty_where(use, below, ty_num(1))), other);
}

/* Return the three-point slope at an end, limited to preserve the shape. d0 and d1 are the widths, m0 and
   m1 the slopes, of the outermost piece and the one next to it. */
static ty_tensor *pchip_end(ty_tensor *d0, ty_tensor *d1, ty_tensor *m0, ty_tensor *m1) {
    ty_tensor *sum = ty_add(d0, d1), *wide = ty_add(d0, sum);
    ty_tensor *s = ty_div(ty_sub(ty_mul(wide, m0), ty_mul(d0, m1)), sum), *most = ty_mul(m0, ty_num(3));
    ty_tensor *turns = ty_ne(ty_sign(m0), ty_sign(m1));
    ty_tensor *steep = ty_logical_and(turns, ty_gt(ty_abs(s), ty_abs(most)));
    return ty_where(ty_ne(ty_sign(s), ty_sign(m0)), ty_num(0), ty_where(steep, most, s));
}

/* Return the slopes [n, ...] of PCHIP from the pieces' widths d and slopes m [n - 1, ...]: weighted
   harmonic means of neighbours, 0 where the curve turns, and pchip_end at both ends. */
static ty_tensor *pchip_slopes(ty_tensor *d, ty_tensor *m) {
    ty_tensor *d0 = but_last(d), *d1 = but_first(d), *m0 = but_last(m), *m1 = but_first(m);
    ty_tensor *w1 = ty_add(ty_mul(d1, ty_num(2)), d0), *w2 = ty_add(ty_mul(d0, ty_num(2)), d1);
    ty_tensor *goes_on = ty_gt(ty_mul(ty_sign(m0), ty_sign(m1)), ty_num(0));
    ty_tensor *nothing = ty_logical_or(ty_is_nan(m0), ty_is_nan(m1));
    ty_tensor *above = ty_mul(ty_mul(ty_add(w1, w2), m0), m1),
              *below = ty_add(ty_mul(w1, m1), ty_mul(w2, m0));
    ty_tensor *inner = quotient_or(above, below, ty_logical_or(goes_on, nothing), ty_num(0));
    return join(3, (ty_tensor *[]){pchip_end(at(d, 0), at(d, 1), at(m, 0), at(m, 1)), inner,
                                   pchip_end(at(d, -1), at(d, -2), at(m, -1), at(m, -2))});
}

static ty_tensor *next_in_line(ty_tensor *a, ty_tensor *b) { return ty_sub(ty_mul(a, ty_num(2)), b); }

/* Return the slopes [n, ...] at the points of Akima's curve from the slopes m [n - 1, ...] of the pieces;
   `modified` selects makima's weighting. */
static ty_tensor *akima_slopes(ty_tensor *m, bool modified) {
    ty_tensor *before = next_in_line(at(m, 0), at(m, 1)), *behind = next_in_line(at(m, -1), at(m, -2));
    m = join(5, (ty_tensor *[]){next_in_line(before, at(m, 0)), before, m, behind,
                                next_in_line(behind, at(m, -1))});
    ty_tensor *change = ty_abs(ty_sub(but_first(m), but_last(m)));
    if (modified) change = ty_add(change, ty_mul(ty_abs(ty_add(but_first(m), but_last(m))), ty_num(0.5)));
    ty_tensor *after = part_of(change, 0, 2, TY_END), *earlier = part_of(change, 0, 0, -2);
    ty_tensor *both = ty_add(after, earlier);
    ty_tensor *most = ty_amax(ty_detach(both), ty_axes_of(1, (int[]){0}, true));
    ty_tensor *use = ty_logical_not(ty_le(both, ty_mul(most, ty_num(1e-9))));
    ty_tensor *middle = ty_mul(ty_add(part_of(m, 0, 3, TY_END), part_of(m, 0, 0, -3)), ty_num(0.5));
    ty_tensor *above = ty_add(ty_mul(after, part_of(m, 0, 1, -2)), ty_mul(earlier, part_of(m, 0, 2, -1)));
    return quotient_or(above, both, use, middle);
}

/* Return the slopes [n, ...] at points x [n] with values y [n, ...] of the curve of kind o->kind; d and m
   [n - 1, ...] are the widths and slopes of pieces. */
static ty_tensor *slopes_of(ty_tensor *x, ty_tensor *y, ty_tensor *d, ty_tensor *m,
                            const ty_interp_options *o) {
    if (o->kind == TY_INTERP_CUBIC) return spline_slopes(x, y, o);
    if (ty_size(x) == 2) return join(2, (ty_tensor *[]){m, m});
    if (o->kind == TY_INTERP_PCHIP) return pchip_slopes(d, m);
    return akima_slopes(m, o->kind == TY_INTERP_MAKIMA);
}

/* ---- coefficients: y is [n, ...] ---- */

/* Return the coefficients [degree + 1, pieces, ...], highest power first, of the curve of kind o->kind
   through points x [n] and values y [n, ...]; there are n - 1 pieces. */
static ty_tensor *coefficients_of(ty_tensor *x, ty_tensor *y, const ty_interp_options *o) {
    if (o->kind == TY_INTERP_CUBIC && o->end == TY_SPLINE_PERIODIC)
        y = join(2, (ty_tensor *[]){but_last(y), first_of(y)});
    if (!ty_ok(y)) return y;
    ty_tensor *d = with_axes_behind(ty_sub(but_first(x), but_last(x)), ty_rank(y));
    ty_tensor *m = ty_div(ty_sub(but_first(y), but_last(y)), d), *low = but_last(y);
    if (o->kind == TY_INTERP_LINEAR) return ty_stack(2, (ty_tensor *[]){m, low}, 0);
    ty_tensor *s = slopes_of(x, y, d, m, o), *s0 = but_last(s);
    ty_tensor *t = ty_div(ty_sub(ty_add(s0, but_first(s)), ty_mul(m, ty_num(2))), d);
    return ty_stack(4, (ty_tensor *[]){ty_div(t, d), ty_sub(ty_div(ty_sub(m, s0), d), t), s0, low}, 0);
}

/* ---- checks ---- */

static bool is_step(ty_interp_kind kind) {
    return kind == TY_INTERP_NEAREST || kind == TY_INTERP_PREVIOUS || kind == TY_INTERP_NEXT;
}

/* Return NULL if all options of an interpolation are valid, else poison that begins with `name`. */
static ty_tensor *refuse_options(const char *name, const ty_interp_options *o) {
    if ((unsigned)o->kind >= TY_INTERP_KINDS)
        return refuse(name, 0, NULL, E_ARGUMENT, "unknown kind %d; TY_INTERP_LINEAR is the first of %d",
                      (int)o->kind, TY_INTERP_KINDS);
    if ((unsigned)o->end >= TY_SPLINE_ENDS)
        return refuse(name, 0, NULL, E_ARGUMENT,
                      "unknown end of splines %d; TY_SPLINE_NOT_A_KNOT is the first of %d", (int)o->end,
                      TY_SPLINE_ENDS);
    return NULL;
}

/* Return NULL if points x [n] and values y are valid for the options' kind and axis, which may be negative;
   else poison that begins with `name`. */
static ty_tensor *refuse_curve(const char *name, ty_tensor *x, ty_tensor *y, const ty_interp_options *o) {
    ty_tensor *both[] = {x, y}, *bad = refuse_options(name, o);
    int rank = ty_rank(y), axis = axis_normal(o->axis, rank);
    if (bad) return bad;
    if (axis < 0 || axis >= rank) return refuse_axis(name, y, o->axis);
    bad = refuse_places(name, x, is_step(o->kind) ? 1 : 2, "points");
    if (bad) return bad;
    if (ty_shape(y)[axis] != ty_size(x))
        return refuse(name, 2, both, E_SHAPE, "%lld points, but %lld values on axis %d",
                      (long long)ty_size(x), (long long)ty_shape(y)[axis], o->axis);
    bool ordered = o->kind >= TY_INTERP_PCHIP;
    if (ordered && dtype_is(ty_dtype_of(y), CLASS_COMPLEX))
        return refuse(name, 2, both, E_ARGUMENT, "%s needs real values", kind_names[o->kind]);
    return NULL;
}

/* ---- public functions ---- */

/* Replace x[0..n) by casts to a common floating dtype; all but the last, which may be complex, get its real
   dtype. */
static void cast_all(int n, ty_tensor **x) {
    cast_to_floating(n, x);
    for (int i = 0; i < n - 1; i++)
        if (ty_ok(x[i])) x[i] = ty_cast(x[i], real_of(ty_dtype_of(x[i])));
}

static ty_tensor *axis_in_front(ty_tensor *y, int axis) {
    return ty_moveaxis(y, 1, (int64_t[]){axis}, (int64_t[]){0});
}

ty_piecewise ty_interpolant_sized(ty_tensor *x, ty_tensor *y, const ty_interp_options *given,
                                  size_t given_size) {
    ty_interp_options options;
    struct fault fault;
    fault_clear(&fault);
    bool known = OPTIONS_READ(options, given, given_size, &fault);
    FLOATING_DEFAULT;
    ty_tensor *both[] = {x, y}, *bad = known ? first_poison(2, both) : tensor_fault(&fault);
    if (!bad) bad = refuse_curve("interpolant", x, y, &options);
    if (!bad && is_step(options.kind))
        bad = refuse("interpolant", 2, both, E_ARGUMENT, "%s is not a polynomial; use ty_interp",
                     kind_names[options.kind]);
    if (bad) return (ty_piecewise){bad, tensor_share(bad), 0, options.extrapolate, options.fill};
    int axis = axis_normal(options.axis, ty_rank(y));
    struct composite c = composite_open("interpolant", 2, both);
    cast_all(2, both);
    ty_tensor *made = coefficients_of(both[0], axis_in_front(both[1], axis), &options);
    made = composite_close(c, unless_falling(made, both[0]));
    if (ty_ok(made)) x = ty_cast(x, real_of(ty_dtype_of(made)));
    return (ty_piecewise){tensor_share(x), made, axis, options.extrapolate, options.fill};
}

/* Return the values [queries..., ...] of the points that a step rule (nearest, previous, next) chooses for
   queries `at`; x is [n], y [n, ...]. */
static ty_tensor *step_at(ty_tensor *at, ty_tensor *x, ty_tensor *y, const ty_interp_options *o) {
    ty_tensor *index;
    if (o->kind == TY_INTERP_NEAREST) {
        ty_tensor *middle = ty_add(but_last(x), ty_mul(ty_sub(but_first(x), but_last(x)), ty_num(0.5)));
        index = ty_searchsorted(middle, at, false);
    } else {
        bool previous = o->kind == TY_INTERP_PREVIOUS;
        index = ty_sub(ty_searchsorted(x, at, previous), ty_int(previous));
    }
    return ty_take(y, ty_clip(index, ty_int(0), ty_int(ty_size(x) - 1)), 0);
}

/* Return the values [queries..., ...] at queries `at` by a step rule: extrapolated as the options say, NaN
   for NaN queries. x is [n], y [n, ...]. */
static ty_tensor *stepwise(ty_tensor *at, ty_tensor *x, ty_tensor *y, const ty_interp_options *o) {
    ty_tensor *first = ty_squeeze(first_of(x), 0), *last = ty_squeeze(last_of(x), 0);
    ty_tensor *inside = extrapolate_inside(at, first, last, o->extrapolate);
    ty_tensor *outside = extrapolate_outside(at, first, last, o->extrapolate),
              *value = step_at(inside, x, y, o);
    if (!ty_ok(value)) return value;
    int rank = ty_rank(value);
    if (outside) value = ty_where(with_axes_behind(outside, rank), ty_num(o->fill), value);
    value = ty_where(with_axes_behind(ty_is_nan(at), rank), ty_num((double)NAN), value);
    return unless_falling(value, x);
}

/* Interpolate all queries at once, as one composite, and return their values; operands[3] are queries,
   points x and values y. The queries' axes replace the options' axis of y. */
static ty_tensor *interp_whole(ty_tensor *const *operands, ty_interp_options options) {
    ty_tensor *all[] = {operands[0], operands[1], operands[2]};
    int axis = axis_normal(options.axis, ty_rank(all[2])), places = ty_rank(all[0]);
    struct composite c = composite_open("interp", 3, all);
    cast_all(3, all);
    ty_tensor *line = axis_in_front(all[2], axis), *value;
    if (is_step(options.kind)) {
        value = stepwise(all[0], all[1], line, &options);
        int64_t from[TY_MAX_RANK], to[TY_MAX_RANK];
        for (int i = 0; i < places; i++) from[i] = i, to[i] = axis + i;
        value = ty_moveaxis(value, places, from, to);
    } else {
        ty_tensor *made = coefficients_of(all[1], line, &options);
        ty_piecewise p = {all[1], made, axis, options.extrapolate, options.fill};
        value = ty_ok(made) ? piecewise_value(&p, all[0]) : made;
    }
    return composite_close(c, ty_contiguous(value));
}

/* ---- many queries of one curve: in pieces, to limit the memory of indices and coefficients ---- */

/* Context of the loop over pieces of queries. */
struct queries {
    ty_tensor *at, *x, *y;
    const ty_interp_options *o;
    ty_piecewise p;
};

static ty_tensor *piece_of(void *context, const struct box *box) {
    const struct queries *q = context;
    ty_tensor *at = ty_cast(box_of(q->at, box, UINT64_MAX), ty_dtype_of(q->x));
    return is_step(q->o->kind) ? stepwise(at, q->x, q->y, q->o) : piecewise_value(&q->p, at);
}

static bool is_long(ty_tensor *const *all) {
    bool half = false;
    for (int i = 0; i < 3; i++) half = half || dtype_is_half(ty_dtype_of(all[i]));
    return !half && ty_rank(all[2]) == 1 && ty_size(all[0]) > piece_elements() && all_plain(3, all);
}

/* Interpolate very many queries piece by piece, so that temporaries stay small, and return their values;
   operands[3] are queries of any shape, points x [n] and values y [n]. */
static ty_tensor *interp_long(ty_tensor *const *operands, ty_interp_options options) {
    ty_scope *scope = ty_open();
    ty_tensor *all[] = {part_of(ty_ravel(operands[0]), 0, 0, 0), operands[1], operands[2]};
    cast_all(3, all);
    struct queries q = {operands[0], all[1], all[2], &options, {0}};
    ty_tensor *made = is_step(options.kind) ? all[2] : coefficients_of(all[1], all[2], &options);
    q.p = (ty_piecewise){all[1], made, 0, options.extrapolate, options.fill};
    if (ty_ok(made))
        made = in_pieces(ty_dtype_of(made), ty_rank(operands[0]), ty_shape(operands[0]), 1, 3, operands,
                         piece_of, &q);
    return leave_as("interp", scope, operands[0], made);
}

ty_tensor *ty_interp_sized(ty_tensor *at, ty_tensor *x, ty_tensor *y, const ty_interp_options *given,
                           size_t given_size) {
    OPTIONS(ty_interp_options, options, given, given_size);
    ty_tensor *all[] = {at, x, y}, *bad = first_poison(3, all);
    if (!bad) bad = refuse_curve("interp", x, y, &options);
    if (bad) return bad;
    if (dtype_is(ty_dtype_of(at), CLASS_COMPLEX))
        return refuse("interp", 3, all, E_DTYPE, "queries must be real");
    bad = refuse_extrapolate("interp", at, first_of(x), last_of(x), options.extrapolate);
    if (bad) return bad;
    if (options.extrapolate == TY_EXTRAPOLATE_ERROR)
        options.extrapolate = TY_EXTRAPOLATE_EXTEND; /* no query is outside */
    return is_long(all) ? interp_long(all, options) : interp_whole(all, options);
}
