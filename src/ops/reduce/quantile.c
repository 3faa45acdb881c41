/*
 * Quantiles.  All methods are entries of one table (R. Hyndman, Y. Fan, "Sample quantiles in statistical packages",
 * American Statistician 50, 1996, and NumPy's five).  Quantile q of n numbers has the real rank n q + a + q (1 - a -
 * b) - 1.  It is interpolated between the two ranks around it, with a share that depends on the fraction of the rank.
 */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "base/machine/floating.h"
#include "ops/shape/arrange.h"
#include "ops/math/slopes.h"
#include "ops/sort/sort.h"

/* Shares besides constants: ALONG: the fraction.  TO_EVEN, TO_ODD: 0 or 1, selecting the even or odd rank, counted
   from 0. */
enum { ALONG = 2, TO_EVEN = 3, TO_ODD = 4 };

static const struct method {
    const char *name;
    double a, b;
    double zero, below, half, above; /* share if the fraction is 0, below 1/2, 1/2, above 1/2 */
} methods[] = {
    {"linear", 1, 1, ALONG, ALONG, ALONG, ALONG},
    {"inverted_cdf", 0, 1, 0, 1, 1, 1},
    {"averaged_inverted_cdf", 0, 1, 0.5, 1, 1, 1},
    {"closest_observation", -0.5, 1.5, TO_ODD, 1, 1,
     1}, /* even counted from 1: Hyndman and Fan's method 3, and NumPy's since 2.1 */
    {"interpolated_inverted_cdf", 0, 1, ALONG, ALONG, ALONG, ALONG},
    {"hazen", 0.5, 0.5, ALONG, ALONG, ALONG, ALONG},
    {"weibull", 0, 0, ALONG, ALONG, ALONG, ALONG},
    {"median_unbiased", 1 / 3.0, 1 / 3.0, ALONG, ALONG, ALONG, ALONG},
    {"normal_unbiased", 3 / 8.0, 3 / 8.0, ALONG, ALONG, ALONG, ALONG},
    {"lower", 1, 1, 0, 0, 0, 0},
    {"higher", 1, 1, 0, 1, 1, 1},
    {"nearest", 1, 1, 0, 0, TO_EVEN, 1},
    {"midpoint", 1, 1, 0, 0.5, 0.5, 0.5},
};

static const struct method *method_find(const char *name) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!name || !strcmp(methods[i].name, name)) return &methods[i];
    return NULL;
}

/* Return the term to add to n q, which gives the position (from 0) of quantile q among n sorted elements. */
static double shift_of(const struct method *m, double q) { return m->a + q * (1 - m->a - m->b) - 1; }

/* ---- x with its reduced axes merged into the last ---- */

struct quantile_lines {
    ty_tensor *x; /* [kept.., n], in the original dtype: only the selected ranks are cast */
    int64_t n;
    int rank; /* of the result */
    int64_t shape[TY_MAX_RANK];
};

/* Return x as lines: reduced axes are moved to the end of l.x and merged into one of l.n elements. l.rank and
   l.shape[] are the result's. l.x is poison if there are too many axes. */
static struct quantile_lines lines_of(ty_tensor *x, ty_axes axes) {
    uint64_t bits = axes_bits(axes, ty_rank(x));
    struct quantile_lines l = {.n = 1};
    int order[TY_MAX_RANK], kept = 0, rank = ty_rank(x);
    int64_t flat[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        bool reduced = bits >> i & 1;
        if (reduced) l.n *= ty_shape(x)[i];
        if (!reduced || axes.keep) l.shape[l.rank++] = reduced ? 1 : ty_shape(x)[i];
        if (!reduced) flat[kept] = ty_shape(x)[i];
        if (!reduced) order[kept++] = i;
    }
    for (int i = 0, n = kept; i < rank; i++)
        if (bits >> i & 1) order[n++] = i;
    if (kept == TY_MAX_RANK) {
        l.x = refuse("quantile", 1, &x, E_LIMIT, "a tensor of %d axes cannot get one more", TY_MAX_RANK);
        return l;
    }
    flat[kept] = l.n;
    l.x = ty_reshape(ty_permute(x, order), kept + 1, flat);
    return l;
}

/* Return a + share * way, elementwise, for a finite way = b - a, where a is the nearer rank. It is exact if a
   and b are equal; callers handle infinite ones. */
static ty_tensor *early(ty_tensor *a, ty_tensor *way, ty_tensor *share) {
    return ty_add(a, ty_mul(way, share));
}

static ty_tensor *late(ty_tensor *b, ty_tensor *way, ty_tensor *rest) { return ty_sub(b, ty_mul(way, rest)); }

/* Return the interpolation a + share (b - a) of two sorted elements a and b, elementwise, share in 0 .. 1. If
   b - a is not finite, both are weighted instead. */
static ty_tensor *between(ty_tensor *a, ty_tensor *b, ty_tensor *share) {
    ty_tensor *way = ty_sub(b, a), *rest = ty_sub(ty_num(1), share);
    ty_tensor *apart = ty_where(ty_lt(share, ty_num(0.5)), early(a, way, share), late(b, way, rest));
    apart = ty_where(ty_is_finite(way), apart, ty_add(ty_mul(a, rest), ty_mul(b, share)));
    return ty_where(ty_logical_or(ty_eq(a, b), ty_eq(share, ty_num(0))), a, apart);
}

/* Return the interpolation a + share (b - a) of two sorted elements a and b, elementwise, by one constant
   share in 0 .. 1. If b - a is not finite, both are weighted instead. */
static ty_tensor *between_at(ty_tensor *a, ty_tensor *b, double share) {
    if (share == 0) return a;
    ty_tensor *way = ty_sub(b, a);
    if (share == 1) return b;
    ty_tensor *apart = share < 0.5 ? early(a, way, ty_num(share)) : late(b, way, ty_num(1 - share));
    ty_tensor *weighed = ty_add(ty_mul(a, ty_num(1 - share)), ty_mul(b, ty_num(share)));
    apart = ty_where(ty_is_finite(way), apart, weighed);
    return ty_where(ty_eq(a, b), a, apart);
}

/* ---- equal numbers of elements in all lines: only the required ranks are sorted ---- */

struct rank_share {
    int64_t low, high;
    double share;
};

/* Return the weight, 0 .. 1, of the upper of two adjacent sorted elements, from the fraction of a position
   between them and the index `low` of the lower one, by method *m. */
static double share_at(const struct method *m, double fraction, int64_t low) {
    double share = fraction == 0 ? m->zero : fraction < 0.5 ? m->below : fraction == 0.5 ? m->half : m->above;
    if (share == TO_EVEN) return (double)(low & 1);
    if (share == TO_ODD) return (double)(~low & 1);
    return share == ALONG ? fraction : share;
}

/* Return the indices, from 0, of the two sorted elements between which quantile q of n elements lies, and the
   weight of the upper one. */
static struct rank_share rank_of(const struct method *m, double q, int64_t n) {
    double at = (double)n * q + shift_of(m, q), low = floor(at);
    if (at < 0) return (struct rank_share){0, 0, 0};
    if (low >= (double)(n - 1)) return (struct rank_share){n - 1, n - 1, 0};
    return (struct rank_share){(int64_t)low, (int64_t)low + 1, share_at(m, at - low, (int64_t)low)};
}

/* Compute quantile q[i] of each line into results[i], i < nq; each has a last axis of size 1. A line with NaN
   gives NaN: its maximum, so that the gradient flows there. Return the sorted elements that were needed; NULL
   if nq is 0. */
static ty_tensor *quantiles(const struct method *m, const struct quantile_lines *l, int64_t nq,
                            const double *q, ty_tensor **results) {
    int64_t first = l->n, last = 0;
    for (int64_t i = 0; i < nq; i++) {
        struct rank_share r = rank_of(m, q[i], l->n);
        if (r.low < first) first = r.low;
        if (r.high > last) last = r.high;
    }
    if (nq == 0) return NULL;
    int axis = ty_rank(l->x) - 1;
    ty_tensor *sorted = as_floating(sort_ranks(l->x, axis, SORT_VALUES, false, first, last - first + 1));
    bool floats = dtype_is(ty_dtype_of(l->x), CLASS_FLOAT);
    ty_tensor *greatest = floats ? ty_amax(l->x, ty_axes_of(1, &axis, true)) : NULL;
    ty_tensor *spoiled = floats ? ty_is_nan(greatest) : NULL;
    for (int64_t i = 0; i < nq; i++) {
        struct rank_share r = rank_of(m, q[i], l->n);
        ty_tensor *low = ty_slice(sorted, axis, r.low - first, r.low - first + 1, 1);
        ty_tensor *high = r.share == 0 ? low : ty_slice(sorted, axis, r.high - first, r.high - first + 1, 1);
        results[i] = between_at(low, high, r.share);
        if (floats) results[i] = ty_where(spoiled, greatest, results[i]);
    }
    return sorted;
}

/* ---- NaN ignored: numbers of elements differ between lines ---- */

/* Return the weight, 0 .. 1, of the upper of two adjacent sorted elements, elementwise, from the fraction of
   a position between them and the index `low` of the lower one, by method *m. */
static ty_tensor *share_tensor(const struct method *m, ty_tensor *fraction, ty_tensor *low) {
    ty_tensor *even = ty_mod(low, ty_num(2)), *odd = ty_sub(ty_num(1), even);
    double shares[] = {m->zero, m->below, m->half, m->above};
    ty_tensor *share[4];
    for (int i = 0; i < 4; i++)
        share[i] = shares[i] == ALONG     ? fraction
                   : shares[i] == TO_EVEN ? even
                   : shares[i] == TO_ODD  ? odd
                                          : ty_num(shares[i]);
    ty_tensor *small = ty_where(ty_eq(fraction, ty_num(0)), share[0], share[1]);
    ty_tensor *large = ty_where(ty_eq(fraction, ty_num(0.5)), share[2], share[3]);
    return ty_where(ty_lt(fraction, ty_num(0.5)), small, large);
}

/* Compute quantile q[i] of the elements of each line that are not NaN into results[i], i < nq; each has a
   last axis of size 1, NaN if all elements are NaN. Return the sorted lines. */
static ty_tensor *quantiles_of_numbers(const struct method *m, const struct quantile_lines *l, int64_t nq,
                                       const double *q, ty_tensor **results) {
    int axis = ty_rank(l->x) - 1;
    ty_axes along = ty_axes_of(1, &axis, true);
    ty_tensor *sorted = ty_sort(l->x, axis, false), *none = ty_num(0);
    ty_tensor *n = ty_cast(ty_sum(ty_logical_not(ty_is_nan(l->x)), along), TY_F64);
    ty_tensor *last = ty_max(ty_sub(n, ty_num(1)), none);
    for (int64_t i = 0; i < nq; i++) {
        ty_tensor *at = ty_add(ty_mul(n, ty_num(q[i])), ty_num(shift_of(m, q[i])));
        ty_tensor *low = ty_min(ty_max(ty_floor(at), none), last);
        ty_tensor *high = ty_where(ty_lt(at, none), none, ty_min(ty_add(low, ty_num(1)), last));
        ty_tensor *share = share_tensor(m, ty_sub(at, ty_floor(at)), ty_floor(at));
        share = ty_cast(ty_where(ty_eq(low, high), none, share), ty_dtype_of(l->x));
        ty_tensor *a = ty_take_along_axis(sorted, ty_cast(low, TY_I64), axis);
        ty_tensor *b = ty_take_along_axis(sorted, ty_cast(high, TY_I64), axis);
        results[i] = between(a, b, share);
    }
    return sorted;
}

/* ---- the public functions ---- */

/* Return poison that lists the methods, as there is none of this name. */
static ty_tensor *refuse_method(const char *name, ty_tensor *x, const char *method) {
    char names[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, i ? ", %s" : "%s", methods[i].name);
    return refuse(name, 1, &x, E_ARGUMENT, "unknown method \"%.40s\"; expected one of %s", method, names);
}

/* Return results[nq], each with a last axis of size 1, as one tensor: the axes of q, then the remaining axes
   of x (l->shape). Poison if one of them is. */
static ty_tensor *assemble(ty_tensor *q, int64_t nq, ty_tensor **results, const struct quantile_lines *l) {
    int rank = ty_rank(q) + l->rank;
    int64_t shape[2 * TY_MAX_RANK];
    ty_tensor *bad = first_poison((int)nq, results);
    if (bad) return bad;
    memcpy(shape, ty_shape(q), sizeof *shape * (size_t)ty_rank(q));
    memcpy(shape + ty_rank(q), l->shape, sizeof *shape * (size_t)l->rank);
    if (nq == 0) return ty_zeros(dtype_table[ty_dtype_of(l->x)].floating, rank, shape);
    if (!ty_rank(q)) return reshape_like(results[0], rank, shape);
    for (int64_t i = 0; i < nq; i++) results[i] = ty_squeeze(results[i], -1);
    return reshape_like(ty_stack((int)nq, results, 0), rank, shape);
}

enum { QUANTILES_MOST = 1024 };

/* Return the quantiles q / scale of x over the axes by the named method (NULL: the default): q's axes, then
   the remaining ones of x. q is evaluated; numbers_only ignores NaN. Poison, in the name of function `name`,
   on failure. */
static ty_tensor *quantile(const char *name, ty_tensor *x, ty_tensor *q, double scale, ty_axes axes,
                           const char *method, bool numbers_only) {
    FLOATING_DEFAULT;
    ty_tensor *bad = first_poison_in(name, 2, (ty_tensor *[]){x, q}), *results[QUANTILES_MOST];
    const struct method *m = method_find(method);
    double values[QUANTILES_MOST];
    if (bad) return bad;
    if ((bad = refuse_axes(name, x, axes))) return bad;
    if (!m) return refuse_method(name, x, method);
    if (dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        return refuse(name, 1, &x, E_DTYPE, "complex numbers have no quantiles; use ty_abs or a part");
    if (ty_size(q) > QUANTILES_MOST)
        return refuse(name, 2, (ty_tensor *[]){x, q}, E_LIMIT, "too many quantiles; expected at most %d",
                      QUANTILES_MOST);
    ty_scope *scope = ty_open();
    int64_t nq = ty_size(q);
    ty_tensor *known = value_now(name, q);
    if ((bad = refuse_fixed(name, known, 1, &x))) return leave(scope, bad);
    if (!ty_read(known, TY_F64, values)) return leave(scope, ty_ok(known) ? tensor_out_of_memory() : known);
    for (int64_t i = 0; i < nq; i++) {
        values[i] /= scale;
        if (!(values[i] >= 0 && values[i] <= 1))
            return leave(scope, refuse(name, 1, &x, E_ARGUMENT, "%g is out of range; expected 0..%g",
                                       values[i] * scale, scale));
    }
    struct quantile_lines l = lines_of(x, axes);
    if (!ty_ok(l.x)) return leave(scope, l.x);
    if (l.n == 0) return leave(scope, refuse(name, 1, &x, E_SHAPE, "there are no elements for a quantile"));
    bool gaps = numbers_only && dtype_is(ty_dtype_of(x), CLASS_FLOAT);
    (gaps ? quantiles_of_numbers : quantiles)(m, &l, nq, values, results);
    return leave_as(name, scope, x, result_without(name, assemble(q, nq, results, &l), q));
}

ty_tensor *ty_quantile(ty_tensor *x, ty_tensor *q, ty_axes axes, const char *method) {
    return quantile("quantile", x, q, 1, axes, method, false);
}
ty_tensor *ty_percentile(ty_tensor *x, ty_tensor *q, ty_axes axes, const char *method) {
    return quantile("percentile", x, q, 100, axes, method, false);
}
ty_tensor *ty_nanquantile(ty_tensor *x, ty_tensor *q, ty_axes axes, const char *method) {
    return quantile("nanquantile", x, q, 1, axes, method, true);
}
ty_tensor *ty_nanpercentile(ty_tensor *x, ty_tensor *q, ty_axes axes, const char *method) {
    return quantile("nanpercentile", x, q, 100, axes, method, true);
}

static ty_tensor *at_number(const char *name, ty_tensor *x, double q, ty_axes axes, bool numbers_only) {
    ty_scope *scope = ty_open();
    return leave(scope, quantile(name, x, ty_scalar(TY_F64, q), 1, axes, NULL, numbers_only));
}

ty_tensor *ty_median(ty_tensor *x, ty_axes axes) { return at_number("median", x, 0.5, axes, false); }
ty_tensor *ty_nanmedian(ty_tensor *x, ty_axes axes) { return at_number("nanmedian", x, 0.5, axes, true); }

ty_tensor *ty_iqr(ty_tensor *x, ty_axes axes) {
    ty_scope *scope = ty_open();
    ty_tensor *ends =
        quantile("iqr", x, ty_from(TY_F64, TY_SHAPE(2), (double[]){0.25, 0.75}), 1, axes, NULL, false);
    ty_tensor *low = ty_slice(ends, 0, 0, 1, 1), *high = ty_slice(ends, 0, 1, 2, 1);
    return leave(scope, ty_squeeze(ty_sub(high, low), 0));
}
