/* Interpolation on rectangular grids: the corners of the query's cell, each weighted by a product of weights
   along the axes. */
#include <math.h>
#include <tyto/sort.h>
#include "numeric/numeric.h"
#include "base/options.h"

enum { MOST_AXES = 8, MOST_CUBIC = 4 };

/* One axis: the cell's lower corner, the query's position in the cell from 0 to 1, and the cell's width; for
   nearest, the nearest corner alone. */
struct along {
    ty_tensor *index, *share, *width;
};

/* Arguments of one interpolation. */
struct grid {
    const char *name;
    int n;
    ty_tensor *axes[MOST_AXES];
    const ty_interp_options *o;
    ty_tensor *outside; /* mask of queries to fill; NULL: none */
};

/* Locate queries `at` [..] along `axis`, from 0, of the grid: index of the cell, fraction within it and
   width, each of the queries' shape; for nearest only the index of the point. Queries outside are moved
   as the options say; those without a value are marked in g->outside. */
static struct along find_along(struct grid *g, int axis, ty_tensor *at) {
    ty_tensor *x = g->axes[axis], *first = end_element(x, false), *last = end_element(x, true);
    int64_t n = ty_size(x);
    ty_tensor *outside = extrapolate_outside(at, first, last, g->o->extrapolate);
    if (outside) g->outside = g->outside ? ty_logical_or(g->outside, outside) : outside;
    at = extrapolate_inside(at, first, last, g->o->extrapolate);
    ty_tensor *low = part_of(x, 0, 0, n - 1), *step = ty_diff(x, 1, 0, NULL, NULL);
    if (g->o->kind == TY_INTERP_NEAREST) {
        ty_tensor *middle = ty_add(low, ty_mul(step, ty_num(0.5)));
        return (struct along){ty_searchsorted(middle, at, false), NULL, NULL};
    }
    ty_tensor *index = ty_sub(ty_searchsorted(x, at, true), ty_int(1));
    index = ty_clip(index, ty_int(0), ty_int(n - 2));
    ty_tensor *width = ty_take(step, index, 0), *share = ty_div(ty_sub(at, ty_take(low, index, 0)), width);
    return (struct along){index, share, width};
}

/* Return the weight, shaped like the queries, of a cell's end along one axis: the upper end if `up`, else
   the lower. It is linear, or for cubics that of the value there or, if `slope`, of the slope there. */
static ty_tensor *weight_of(const struct grid *g, const struct along *a, bool up, bool slope) {
    ty_tensor *t = a->share, *rest = ty_sub(ty_num(1), t), *own = up ? t : rest, *other = up ? rest : t;
    if (g->o->kind == TY_INTERP_LINEAR) return own;
    ty_tensor *square = ty_square(own);
    if (!slope) return ty_mul(square, ty_add(ty_mul(other, ty_num(2)), ty_num(1)));
    ty_tensor *bend = ty_mul(ty_mul(square, other), a->width);
    return up ? ty_neg(bend) : bend;
}

/* Return the weighted values [points, ...] at one corner of each query's cell; bit i of `high` picks the
   upper end of axis i. flat [grid points, ...] are values; for cubics bit i of `slopes` says that they
   are slopes along axis i. */
static ty_tensor *corner(const struct grid *g, const struct along *a, int high, int slopes, ty_tensor *flat) {
    ty_tensor *place = NULL, *weight = NULL;
    for (int i = 0; i < g->n; i++) {
        bool up = high >> i & 1;
        ty_tensor *index = up ? ty_add(a[i].index, ty_int(1)) : a[i].index;
        place = place ? ty_add(ty_mul(place, ty_int(ty_size(g->axes[i]))), index) : index;
        if (g->o->kind == TY_INTERP_NEAREST) continue;
        ty_tensor *one = weight_of(g, &a[i], up, slopes >> i & 1);
        weight = weight ? ty_mul(weight, one) : one;
    }
    ty_tensor *value = ty_take(flat, place, 0);
    return weight && ty_ok(value) ? ty_mul(value, with_axes_behind(weight, ty_rank(value))) : value;
}

/* Return the slopes, shaped like y [grid..., ...], along axis `axis`, from 0, of the grid, by cubic
   splines. */
static ty_tensor *slopes_along(const struct grid *g, ty_tensor *y, int axis) {
    int64_t from[] = {axis}, to[] = {0};
    ty_tensor *s = spline_slopes(g->axes[axis], ty_moveaxis(y, 1, from, to), g->o);
    return ty_moveaxis(s, 1, to, from);
}

/* Return the interpolated values: the sum over all corners of the cells, for cubics also over the subsets
   of axes along which slopes are used. a[] has one location per axis; y is reshaped to flat[rank], one
   row per grid point. */
static ty_tensor *sum_corners(const struct grid *g, const struct along *a, ty_tensor *y, int rank,
                              const int64_t *flat) {
    ty_tensor *tables[1 << MOST_CUBIC] = {y}, *value = NULL;
    int corners = g->o->kind == TY_INTERP_NEAREST ? 1 : 1 << g->n;
    int sets = g->o->kind == TY_INTERP_CUBIC ? 1 << g->n : 1;
    for (int s = 0; s < sets; s++) {
        for (int i = 0; i < g->n && s; i++)
            if (s >> i & 1) {
                tables[s] = slopes_along(g, tables[s ^ 1 << i], i);
                break;
            }
        ty_tensor *rows = ty_reshape(tables[s], rank, flat);
        for (int i = 0; i < corners; i++) {
            ty_tensor *one = corner(g, a, i, s, rows);
            value = value ? ty_add(value, one) : one;
        }
    }
    return value;
}

/* Return y [grid..., ...] interpolated at `at` [queries..., axes]: [queries..., ...]. NaN for NaN queries,
   the option `fill` outside if the options say so, and poison or NaN if an axis of the grid is not
   ascending. */
static ty_tensor *on_grid(struct grid *g, ty_tensor *at, ty_tensor *y) {
    struct along a[MOST_AXES];
    int64_t flat[TY_MAX_RANK] = {1};
    int behind = ty_rank(y) - g->n;
    ty_tensor *nothing = ty_any(ty_is_nan(at), ty_axis(-1));
    for (int i = 0; i < g->n; i++) {
        a[i] = find_along(g, i, ty_squeeze(part_of(at, -1, i, i + 1), -1));
        flat[0] *= ty_size(g->axes[i]);
    }
    for (int i = 0; i < behind; i++) flat[1 + i] = ty_shape(y)[g->n + i];
    ty_tensor *value = sum_corners(g, a, y, 1 + behind, flat);
    if (!ty_ok(value)) return value;
    int rank = ty_rank(value);
    if (g->outside) value = ty_where(with_axes_behind(g->outside, rank), ty_num(g->o->fill), value);
    value = ty_where(with_axes_behind(nothing, rank), ty_num((double)NAN), value);
    for (int i = 0; i < g->n; i++) value = unless_falling(value, g->axes[i]);
    return value;
}

/* Return NULL if the arguments of interpn are valid, else poison: queries `at` [.., n], n vectors `axes` of
   the grid's points, values y [grid..., ...], and options. */
static ty_tensor *refuse_grid(ty_tensor *at, int n, ty_tensor *const *axes, ty_tensor *y,
                              const ty_interp_options *o) {
    ty_tensor *both[] = {at, y}, *bad = first_poison_in("interpn", 2, both);
    if (bad) return bad;
    if (n < 1 || n > MOST_AXES || n > ty_rank(y))
        return refuse("interpn", 2, both, E_ARGUMENT,
                      "a grid of %d axes; expected 1 to %d, the first axes of y", n, MOST_AXES);
    bad = first_poison_in("interpn", n, axes);
    if (bad) return bad;
    bool cubic = o->kind == TY_INTERP_CUBIC;
    if (o->kind != TY_INTERP_LINEAR && o->kind != TY_INTERP_NEAREST && !cubic)
        return refuse(
            "interpn", 2, both, E_ARGUMENT,
            "unknown kind %d; grids support TY_INTERP_LINEAR, TY_INTERP_NEAREST and TY_INTERP_CUBIC",
            (int)o->kind);
    if (cubic && (n > MOST_CUBIC || (unsigned)o->end >= TY_SPLINE_PERIODIC))
        return refuse("interpn", 2, both, E_SHAPE,
                      "splines over %d axes with end %d; expected at most 4 axes, and an end other than "
                      "TY_SPLINE_PERIODIC",
                      n, (int)o->end);
    if (dtype_is(ty_dtype_of(at), CLASS_COMPLEX))
        return refuse("interpn", 2, both, E_DTYPE, "queries must be real");
    int rank = ty_rank(at);
    if (rank < 1 || ty_shape(at)[rank - 1] != n)
        return refuse("interpn", 2, both, E_SHAPE, "queries must be [.., %d], a position along each axis", n);
    for (int i = 0; i < n; i++) {
        bad = refuse_places("interpn", axes[i], 2, "points of an axis");
        if (bad) return bad;
        if (ty_size(axes[i]) != ty_shape(y)[i])
            return refuse("interpn", 2, both, E_SHAPE, "axis %d has %lld points, but y has %lld values there",
                          i, (long long)ty_size(axes[i]), (long long)ty_shape(y)[i]);
        if (o->extrapolate == TY_EXTRAPOLATE_ERROR)
            bad = refuse_extrapolate("interpn", ty_squeeze(part_of(at, -1, i, i + 1), -1),
                                     end_element(axes[i], false), end_element(axes[i], true), o->extrapolate);
        if (bad) return bad;
    }
    return (unsigned)o->extrapolate < TY_EXTRAPOLATIONS
               ? NULL
               : refuse_extrapolate("interpn", at, axes[0], axes[0], o->extrapolate);
}

ty_tensor *ty_interpn_sized(ty_tensor *at, int n, ty_tensor *const *axes, ty_tensor *y,
                            const ty_interp_options *given, size_t given_size) {
    OPTIONS(ty_interp_options, options, given, given_size);
    ty_tensor *all[MOST_AXES + 2] = {at}, *bad = refuse_grid(at, n, axes, y, &options);
    if (bad) return bad;
    for (int i = 0; i < n; i++) all[1 + i] = axes[i];
    all[n + 1] = y;
    struct composite c = composite_open("interpn", n + 2, all);
    cast_to_floating(n + 2, all);
    struct grid g = {.name = "interpn", .n = n, .o = &options};
    for (int i = 0; i <= n; i++)
        if (ty_ok(all[i])) all[i] = ty_cast(all[i], real_of(ty_dtype_of(all[i])));
    for (int i = 0; i < n; i++) g.axes[i] = all[1 + i];
    return composite_close(c, on_grid(&g, all[0], all[n + 1]));
}
