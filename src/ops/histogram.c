/*
 * Histograms: a bin for each element, then elements (or weights) added up at their bins.  Bins of equal width
 * are found by arithmetic, corrected by one where rounding put an element beyond an edge (NumPy's rule).
 */
#include "ops/sort.h"

/* Refuses what is no number of bins; NULL: fine. */
static ty_tensor *refuse_bins(const char *name, ty_tensor *x, int64_t bins) {
    if (!ty_ok(x)) return tensor_share(x);
    if (dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        return refuse(name, 1, &x, "complex numbers have no bins; use ty_abs or a part");
    return bins > 0 ? NULL : refuse(name, 1, &x, "%lld bins; there must be one at least", (long long)bins);
}

/* Where the bins begin and end: low and high, or from the data; never at one point. */
static void range_of(ty_tensor *x, double low, double high, ty_tensor **begin, ty_tensor **end) {
    bool given = low != high, empty = ty_size(x) == 0;
    ty_dtype dtype = ty_dtype_of(x);
    ty_tensor *a = given || empty ? ty_scalar(dtype, given ? low : 0) : ty_amin(x, TY_ALL);
    ty_tensor *b = given || empty ? ty_scalar(dtype, given ? high : 1) : ty_amax(x, TY_ALL);
    ty_tensor *same = ty_eq(a, b), *half = ty_num(0.5);
    *begin = ty_where(same, ty_sub(a, half), a);
    *end = ty_where(same, ty_add(b, half), b);
}

/* bins + 1 edges; the last is exactly the end. */
static ty_tensor *edges_between(ty_tensor *begin, ty_tensor *end, int64_t bins) {
    int64_t n = bins + 1;
    ty_tensor *i = ty_iota(ty_dtype_of(begin), 1, &n, 0), *step = ty_div(ty_sub(end, begin), ty_num((double)bins));
    return ty_where(ty_eq(i, ty_num((double)bins)), end, ty_add(ty_mul(i, step), begin));
}

ty_tensor *ty_histogram_bin_edges(ty_tensor *x, int64_t bins, double low, double high) {
    ty_tensor *bad = refuse_bins("histogram_bin_edges", x, bins), *begin, *end;
    if (bad) return bad;
    ty_scope *scope = ty_open();
    range_of(as_floating(x), low, high, &begin, &end);
    return leave_as("histogram_bin_edges", scope, x, edges_between(begin, end, bins));
}

/* The bin of each element, and whether it has one. */
struct binned {
    ty_tensor *bin, *inside;
};

static struct binned by_width(ty_tensor *x, ty_tensor *begin, ty_tensor *end, ty_tensor *edges) {
    int64_t bins = ty_size(edges) - 1;
    ty_tensor *inside = ty_logical_and(ty_ge(x, begin), ty_le(x, end));
    ty_tensor *scale = ty_div(ty_num((double)bins), ty_sub(end, begin));
    ty_tensor *at = ty_where(inside, ty_mul(ty_sub(x, begin), scale), ty_num(0));
    ty_tensor *last = ty_int(bins - 1), *bin = ty_min(ty_cast(at, TY_I64), last);
    ty_tensor *low = ty_gather(edges, bin, 0), *high = ty_gather(edges, ty_add(bin, ty_int(1)), 0);
    ty_tensor *below = ty_logical_and(ty_lt(x, low), ty_gt(bin, ty_int(0)));
    ty_tensor *above = ty_logical_and(ty_ge(x, high), ty_lt(bin, last));
    bin = ty_where(below, ty_sub(bin, ty_int(1)), ty_where(above, ty_add(bin, ty_int(1)), bin));
    return (struct binned){ty_where(inside, bin, ty_int(0)), inside};
}

static struct binned by_edges(ty_tensor *x, ty_tensor *edges) {
    ty_tensor *last = ty_int(ty_size(edges) - 2), *place = ty_sub(ty_searchsorted(edges, x, true), ty_int(1));
    ty_tensor *begin = ty_squeeze(ty_slice(edges, 0, 0, 1, 1), 0);
    ty_tensor *end = ty_squeeze(ty_slice(edges, 0, -1, TY_END, 1), 0);
    ty_tensor *inside = ty_logical_and(ty_ge(x, begin), ty_le(x, end));
    return (struct binned){ty_where(inside, ty_min(place, last), ty_int(0)), inside};
}

/* What each element adds: its weight or 1; nothing where it has no bin. */
static ty_tensor *shares(ty_tensor *inside, ty_tensor *weights) {
    if (!weights) return ty_cast(inside, TY_I64);
    return ty_where(inside, dtype_is(ty_dtype_of(weights), CLASS_BOOL) ? ty_cast(weights, TY_I64) : weights, ty_num(0));
}

static ty_tensor *flat(ty_tensor *x) { return ty_reshape(x, 1, (int64_t[]){-1}); }

/* volume: of each cell, or NULL for counts. */
static ty_tensor *added_up(ty_tensor *bin, ty_tensor *share, int64_t bins, ty_tensor *volume) {
    ty_tensor *counts = ty_scatter_add(flat(share), flat(bin), 0, bins);
    return volume ? ty_div(counts, ty_mul(volume, ty_sum(counts, TY_ALL))) : counts;
}

static ty_tensor *widths(ty_tensor *edges) {
    return ty_sub(ty_slice(edges, 0, 1, TY_END, 1), ty_slice(edges, 0, 0, -1, 1));
}

static ty_tensor *refuse_weights(const char *name, ty_tensor *x, ty_tensor *weights) {
    if (!weights) return NULL;
    if (!ty_ok(weights)) return tensor_share(weights);
    if (shape_equal(ty_rank(x), ty_shape(x), ty_rank(weights), ty_shape(weights))) return NULL;
    return refuse(name, 2, (ty_tensor *[]){x, weights}, "weights must have the shape of what they weigh");
}

ty_tensor *ty_histogram(ty_tensor *x, int64_t bins, double low, double high, ty_tensor *weights, bool density) {
    ty_tensor *bad = refuse_bins("histogram", x, bins), *begin, *end;
    if (!bad) bad = refuse_weights("histogram", x, weights);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *real = as_floating(x);
    range_of(real, low, high, &begin, &end);
    ty_tensor *edges = edges_between(begin, end, bins);
    struct binned b = by_width(real, begin, end, edges);
    ty_tensor *volume = density ? widths(edges) : NULL;
    return leave_as("histogram", scope, x, added_up(b.bin, shares(b.inside, weights), bins, volume));
}

ty_tensor *ty_histogram_edges(ty_tensor *x, ty_tensor *edges, ty_tensor *weights, bool density) {
    ty_tensor *both[] = {x, edges}, *bad = first_poison(2, both);
    if (!bad) bad = refuse_weights("histogram_edges", x, weights);
    if (bad) return bad;
    if (ty_rank(edges) != 1 || ty_size(edges) < 2)
        return refuse("histogram_edges", 2, both, "edges must be a vector of two at least");
    ty_scope *scope = ty_open();
    struct binned b = by_edges(x, edges);
    ty_tensor *volume = density ? widths(edges) : NULL;
    return leave_as("histogram_edges", scope, x,
                    added_up(b.bin, shares(b.inside, weights), ty_size(edges) - 1, volume));
}

ty_tensor *ty_histogram2d(ty_tensor *x, ty_tensor *y, ty_tensor *x_edges, ty_tensor *y_edges, ty_tensor *weights,
                          bool density) {
    ty_tensor *all[] = {x, y, x_edges, y_edges}, *bad = first_poison(4, all);
    if (!bad) bad = refuse_weights("histogram2d", x, weights);
    if (bad) return bad;
    if (!shape_equal(ty_rank(x), ty_shape(x), ty_rank(y), ty_shape(y)))
        return refuse("histogram2d", 2, all, "both coordinates must have one shape");
    for (int i = 2; i < 4; i++)
        if (ty_rank(all[i]) != 1 || ty_size(all[i]) < 2)
            return refuse("histogram2d", 4, all, "edges must be vectors of two at least");
    ty_scope *scope = ty_open();
    struct binned a = by_edges(x, x_edges), b = by_edges(y, y_edges);
    int64_t rows = ty_size(x_edges) - 1, columns = ty_size(y_edges) - 1;
    ty_tensor *bin = ty_add(ty_mul(a.bin, ty_int(columns)), b.bin), *inside = ty_logical_and(a.inside, b.inside);
    ty_tensor *area = density ? flat(ty_mul(ty_expand(widths(x_edges), 1), widths(y_edges))) : NULL;
    ty_tensor *counts = added_up(bin, shares(inside, weights), rows * columns, area);
    return leave_as("histogram2d", scope, x, ty_reshape(counts, TY_SHAPE(rows, columns)));
}

/* The greatest number decides about the shape. */
ty_tensor *ty_bincount(ty_tensor *x, ty_tensor *weights, int64_t least) {
    if (!ty_ok(x)) return tensor_share(x);
    ty_tensor *bad = refuse_weights("bincount", x, weights);
    if (bad) return bad;
    if (!dtype_is(ty_dtype_of(x), CLASS_INTEGER) || ty_rank(x) != 1)
        return refuse("bincount", 1, &x, "numbers to count must be a vector of integers");
    if (least < 0) return refuse("bincount", 1, &x, "the least size %lld is negative", (long long)least);
    ty_scope *scope = ty_open();
    ty_tensor *known = ty_eval(x);
    if (ty_ok(known) && ty_size(known)) {
        int64_t low, high;
        ty_tensor *ends[] = {ty_amin(known, TY_ALL), ty_amax(known, TY_ALL)};
        if (!ty_read(ends[0], TY_I64, &low) || !ty_read(ends[1], TY_I64, &high))
            return leave(scope, first_poison(2, ends) ? first_poison(2, ends) : tensor_out_of_memory());
        if (low < 0) return leave(scope, refuse("bincount", 1, &x, "%lld is negative", (long long)low));
        if (high >= least) least = high < INT64_MAX ? high + 1 : high;
    }
    ty_tensor *share = weights ? ty_cast(weights, TY_F64) : ty_ones(TY_I64, 1, ty_shape(x));
    return leave_as("bincount", scope, x, ty_scatter_add(share, known, 0, least));
}
