/* Histograms: each element gets a bin, and elements or weights are added up per bin, in pieces.  Bins of equal
   width are computed arithmetically and corrected by one where rounding put an element beyond an edge (NumPy's
   rule). */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "base/machine/floating.h"
#include "ops/shape/pieces.h"
#include "ops/sort/sort.h"

/* Check x and the number of bins. Return poison, in the name of function `name`, or NULL if they are valid. */
static ty_tensor *refuse_bins(const char *name, ty_tensor *x, int64_t bins) {
    if (!ty_ok(x)) return tensor_share_in(name, x);
    if (dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        return refuse(name, 1, &x, E_DTYPE, "complex numbers cannot be binned; use ty_abs or a part");
    if (bins >= INT64_MAX / 16)
        return refuse(name, 1, &x, E_LIMIT, "%lld bins are too many", (long long)bins);
    return bins > 0 ? NULL
                    : refuse(name, 1, &x, E_ARGUMENT, "%lld bins; expected at least one", (long long)bins);
}

/* Check the caller's range of bins: both finite, low <= high. Return poison, in the name of function `name`
   on x, or NULL if it is valid. */
static ty_tensor *refuse_range(const char *name, ty_tensor *x, double low, double high) {
    if (isfinite(low) && isfinite(high) && low <= high) return NULL;
    return refuse(name, 1, &x, E_ARGUMENT, "bins from %g to %g; expected finite ends in ascending order", low,
                  high);
}

/* Check the caller's edges of bins: a non-decreasing vector of at least two real numbers. Evaluates a
   promise. Return poison, in the name of function `name`, or NULL if they are valid. */
static ty_tensor *refuse_edges(const char *name, ty_tensor *edges) {
    if (!ty_ok(edges)) return tensor_share_in(name, edges);
    if (ty_rank(edges) != 1 || ty_size(edges) < 2)
        return refuse(name, 1, &edges, E_SHAPE, "edges must be a vector of at least two elements");
    if (dtype_is(ty_dtype_of(edges), CLASS_COMPLEX))
        return refuse(name, 1, &edges, E_DTYPE, "edges must be real");
    ty_scope *scope = ty_open();
    ty_tensor *known = ty_eval(edges);
    ty_tensor *rise = ty_all(ty_le(ty_slice(known, 0, 0, -1, 1), ty_slice(known, 0, 1, TY_END, 1)), TY_ALL);
    bool rising = ty_item(rise) == 1, well = ty_ok(rise);
    ty_tensor *bad = !well    ? rise
                     : rising ? NULL
                              : refuse(name, 1, &edges, E_DOMAIN, "edges must be non-decreasing and not NaN");
    if (bad) return leave(scope, bad);
    ty_close(scope);
    return NULL;
}

/* Check the data x if the range of bins comes from them (low == high). Return poison if x is a value whose
   range is not finite, else NULL. Promises are not checked: if their data are not finite, all bins count
   nothing. */
static ty_tensor *refuse_data(const char *name, ty_tensor *x, double low, double high) {
    bool floats = dtype_is(ty_dtype_of(x), CLASS_FLOAT);
    if (low != high || ty_is_promise(x) || ty_size(x) == 0 || !floats) return NULL;
    ty_scope *scope = ty_open();
    ty_tensor *ends[] = {ty_amin(x, TY_ALL), ty_amax(x, TY_ALL)};
    ty_tensor *bad = first_poison_in(name, 2, ends);
    double least = ty_item(ends[0]), most = ty_item(ends[1]);
    if (!bad && !(isfinite(least) && isfinite(most)))
        bad = refuse(
            name, 1, &x, E_DOMAIN,
            "the range of the data is %g to %g: give finite ends, or remove elements that are not finite",
            least, most);
    if (bad) return leave(scope, bad);
    ty_close(scope);
    return NULL;
}

/* Set *begin and *end to the ends of the bins, 0-d: low and high, or if they are equal the range of the data
   x (0 and 1 if x is empty). Equal ends are moved apart by 1/2 each. */
static void range_of(ty_tensor *x, double low, double high, ty_tensor **begin, ty_tensor **end) {
    bool given = low != high, empty = ty_size(x) == 0;
    ty_dtype dtype = dtype_is(ty_dtype_of(x), CLASS_FLOAT) ? ty_dtype_of(x) : TY_F64; /* as in NumPy */
    ty_tensor *a = given || empty ? ty_scalar(dtype, given ? low : 0) : ty_cast(ty_amin(x, TY_ALL), dtype);
    ty_tensor *b = given || empty ? ty_scalar(dtype, given ? high : 1) : ty_cast(ty_amax(x, TY_ALL), dtype);
    ty_tensor *same = ty_eq(a, b), *half = ty_num(0.5);
    *begin = ty_where(same, ty_sub(a, half), a);
    *end = ty_where(same, ty_add(b, half), b);
}

/* Return x as a promise, if that changes nothing but speed: then all steps up to the bins fuse into one pass.
   Else x itself. NULL stays NULL. */
static ty_tensor *promised(ty_tensor *x) {
    return !x || ty_is_promise(x) || x->tracked || x->varies ? x : ty_lazy(x);
}

/* Return the edges of indices i, of `bins` bins: line[0] + i line[1], computed in f64 and rounded once to the
   dtype of `end`, as in NumPy's linspace. Edge `bins`, the last one, is exactly `end`. */
static ty_tensor *edge_at(ty_tensor *i, ty_tensor *const *line, ty_tensor *end, int64_t bins) {
    ty_tensor *edge = ty_add(ty_mul(ty_cast(i, TY_F64), line[1]), line[0]);
    return ty_where(ty_eq(i, ty_num((double)bins)), end,
                    ty_cast(edge, ty_ok(end) ? ty_dtype_of(end) : TY_F64));
}

enum { COORDINATES = 2, NUMBERS = 5 };

/* State of a histogram. */
struct binned {
    int n;
    ty_tensor *x[COORDINATES], *weights; /* of equal shape; weights NULL: ones */
    int64_t bins[COORDINATES], cells;
    /* returns the cell of each element; `cells` for none */
    ty_tensor *(*find)(const struct binned *b, ty_tensor *const *x);
    int nnumbers;
    ty_tensor *numbers[NUMBERS]; /* operands of `find`: edges, or those of by_width */
    ty_tensor *sums;             /* sums so far; the last is of elements in no cell */
};

/* Set b->numbers[0..4], operands of by_width: `begin` and `end`, bins per unit, and in f64 the first edge and
   the width of a bin. b->bins[0] must be set. */
static void measure(struct binned *b, ty_tensor *begin, ty_tensor *end) {
    ty_tensor *bins = ty_num((double)b->bins[0]), *from = ty_cast(begin, TY_F64);
    b->nnumbers = 5;
    b->numbers[0] = begin;
    b->numbers[1] = end;
    b->numbers[2] = ty_div(bins, ty_sub(end, begin));
    b->numbers[3] = from;
    b->numbers[4] = ty_div(ty_sub(ty_cast(end, TY_F64), from), bins);
}

/* Return the description of bins of equal width for x, from low to high or, if these are equal, over the
   range of the data. */
static struct binned equal_bins(ty_tensor *x, int64_t bins, double low, double high) {
    struct binned b = {.n = 1, .x = {x}, .bins = {bins}, .cells = bins};
    ty_tensor *begin, *end;
    range_of(x, low, high, &begin, &end);
    measure(&b, begin, end);
    return b;
}

static ty_tensor *edges_of(const struct binned *b) {
    int64_t bins = b->bins[0], n = bins + 1;
    return edge_at(ty_iota(TY_F64, 1, &n, 0), b->numbers + 3, b->numbers[1], bins);
}

ty_tensor *ty_histogram_bin_edges(ty_tensor *x, int64_t bins, double low, double high) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refuse_bins("histogram_bin_edges", x, bins);
    if (!bad) bad = refuse_range("histogram_bin_edges", x, low, high);
    if (!bad) bad = refuse_data("histogram_bin_edges", x, low, high);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    struct binned b = equal_bins(tensor_resolve(x), bins, low, high);
    return leave_as("histogram_bin_edges", scope, x, edges_of(&b));
}

/* Return the bin index, from 0, of each element of given[0] for bins of equal width, i32 or i64; the last bin
   includes its end. Elements in no bin get the index `bins`. */
static ty_tensor *by_width(const struct binned *b, ty_tensor *const *given) {
    ty_tensor *x = as_floating(given[0]), *begin = b->numbers[0], *end = b->numbers[1];
    ty_tensor *const *line = b->numbers + 3;
    int64_t bins = b->bins[0];
    ty_tensor *one = ty_num(1), *most = ty_num((double)bins), *last = ty_num((double)bins - 1);
    ty_tensor *inside = ty_logical_and(ty_ge(x, begin), ty_le(x, end));
    ty_tensor *bin = ty_min(ty_floor(ty_mul(ty_sub(x, begin), b->numbers[2])), last),
              *next = ty_add(bin, one);
    ty_tensor *below = ty_lt(x, edge_at(bin, line, end, bins)); /* never true in the first bin */
    ty_tensor *above = ty_logical_and(ty_ge(x, edge_at(next, line, end, bins)), ty_lt(bin, last));
    bin = ty_where(below, ty_sub(bin, one), ty_where(above, next, bin));
    return ty_cast(ty_where(inside, bin, most), bins < INT32_MAX ? TY_I32 : TY_I64);
}

/* Return the index, from 0, of the bin of each element of x by the ascending vector `edges`; a bin includes
   its first edge, the last bin both. Elements in no bin get the number of bins. */
static ty_tensor *between(ty_tensor *x, ty_tensor *edges) {
    int64_t bins = ty_size(edges) - 1;
    ty_tensor *place = ty_sub(ty_searchsorted(edges, x, true), ty_int(1));
    ty_tensor *begin = ty_squeeze(ty_slice(edges, 0, 0, 1, 1), 0);
    ty_tensor *end = ty_squeeze(ty_slice(edges, 0, -1, TY_END, 1), 0);
    ty_tensor *inside = ty_logical_and(ty_ge(x, begin), ty_le(x, end));
    return ty_where(inside, ty_min(place, ty_int(bins - 1)), ty_int(bins));
}

static ty_tensor *by_edges(const struct binned *b, ty_tensor *const *x) {
    return between(x[0], b->numbers[0]);
}

/* Return the row-major index of the cell of each pair x[0], x[1] in a histogram of two variables; b->cells if
   it is outside. */
static ty_tensor *by_both(const struct binned *b, ty_tensor *const *x) {
    ty_tensor *row = between(x[0], b->numbers[0]), *column = between(x[1], b->numbers[1]);
    ty_tensor *outside = ty_logical_or(ty_eq(row, ty_int(b->bins[0])), ty_eq(column, ty_int(b->bins[1])));
    ty_tensor *cell = ty_add(ty_mul(row, ty_int(b->bins[1])), column);
    return ty_where(outside, ty_int(b->cells), cell);
}

static ty_tensor *flat(ty_tensor *x) { return ty_reshape(x, 1, (int64_t[]){-1}); }

/* Return the dtype in which cells are summed: that of sums of the weights, i64 without weights. */
static ty_dtype sums_dtype(const struct binned *b) {
    return b->weights ? dtype_table[ty_dtype_of(b->weights)].sums : TY_I64;
}

/* Return the summands for a vector of cells: the weights, flattened and cast to `dtype`, or if there are none
   ones, as many as cells. */
static ty_tensor *share_of(const struct binned *b, ty_tensor *weights, ty_tensor *cells, ty_dtype dtype) {
    int64_t n = ty_size(cells);
    return b->weights ? ty_cast(flat(weights), dtype) : ty_broadcast(ty_scalar(dtype, 1), 1, &n);
}

/* Add the elements of a box of the data to the sums b->sums; context is a struct binned. All operands are
   made promises, so all boxes of one size use one program. Return NULL, or poison on failure. */
static ty_tensor *add_box(void *context, const struct box *box) {
    struct binned *b = context, lazy = *b;
    ty_tensor *x[COORDINATES], *weights = b->weights ? ty_lazy(box_of(b->weights, box, UINT64_MAX)) : NULL;
    for (int i = 0; i < b->n; i++) x[i] = ty_lazy(flat(box_of(b->x[i], box, UINT64_MAX)));
    for (int i = 0; i < b->nnumbers; i++) lazy.numbers[i] = ty_lazy(b->numbers[i]);
    ty_tensor *cells = lazy.find(&lazy, x), *share = share_of(b, weights, cells, ty_dtype_of(b->sums));
    ty_tensor *sums = ty_eval(ty_scatter(ty_lazy(b->sums), cells, share, 0, TY_SCATTER_ADD));
    if (!ty_ok(sums)) return sums;
    ty_release(b->sums);
    b->sums = ty_retain(sums);
    return NULL;
}

/* Return the sums of all cells and, last, of elements outside, computed box by box. The bits equal those of
   one pass: each cell adds its elements in order, without rounding in between. Poison on failure. */
static ty_tensor *add_pieces(struct binned *b) {
    int64_t places = b->cells + 1, most = piece_elements();
    ty_dtype dtype = sums_dtype(b);
    ty_tensor *zeros = ty_zeros(dtype_table[dtype].computed, 1, &places);
    if (!ty_ok(zeros)) return zeros;
    b->sums = ty_retain(zeros);
    if (most < places) most = places; /* because all sums are copied for each piece */
    ty_tensor *bad = each_piece(ty_rank(b->x[0]), ty_shape(b->x[0]), most, add_box, b);
    ty_tensor *sums = bad ? bad : ty_cast(b->sums, dtype);
    ty_release(b->sums);
    return sums;
}

/* Return the sums of all cells and, last, of elements outside, by a single scatter-add. Poison on failure. */
static ty_tensor *add_all(const struct binned *b) {
    ty_tensor *x[COORDINATES];
    for (int i = 0; i < b->n; i++)
        x[i] = flat(b->weights && ty_is_promise(b->weights) ? promised(b->x[i]) : b->x[i]);
    ty_tensor *cells = b->find(b, x);
    return ty_scatter_add(share_of(b, b->weights, cells, sums_dtype(b)), cells, 0, b->cells + 1);
}

/* Return the sums of ones or weights per cell, a vector. If `volume`, the cells' volumes, is not NULL, they
   are divided by it and by their total. Resolves the operands in *b. Poison on failure. */
static ty_tensor *added_up(struct binned *b, ty_tensor *volume) {
    ty_tensor *operands[COORDINATES + NUMBERS + 1];
    int n = 0;
    if (volume && b->weights && ty_ok(volume) && ty_ok(b->weights) &&
        dtype_is(ty_dtype_of(b->weights), CLASS_FLOAT)) {
        ty_tensor *met[] = {b->weights, volume}; /* so that the sums have the precision of the density */
        cast_to_common(NULL, 2, met, FLOATING, met);
        b->weights = met[0];
    }
    for (int i = 0; i < b->n; i++) operands[n++] = b->x[i] = tensor_resolve(b->x[i]);
    for (int i = 0; i < b->nnumbers; i++) operands[n++] = b->numbers[i];
    if (b->weights) operands[n++] = b->weights = tensor_resolve(b->weights);
    ty_tensor *sums = all_plain(n, operands) ? add_pieces(b) : add_all(b);
    ty_tensor *counts = ty_slice(sums, 0, 0, b->cells, 1);
    return volume ? ty_div(counts, ty_mul(volume, ty_sum(counts, TY_ALL))) : counts;
}

static ty_tensor *widths(ty_tensor *edges) {
    cast_to_common(NULL, 1, &edges, FLOATING, &edges); /* differences of integers may wrap */
    return ty_sub(ty_slice(edges, 0, 1, TY_END, 1), ty_slice(edges, 0, 0, -1, 1));
}

/* Return NULL if the weights are NULL or have x's shape, else poison that begins with `name`. */
static ty_tensor *refuse_weights(const char *name, ty_tensor *x, ty_tensor *weights) {
    if (!weights) return NULL;
    if (!ty_ok(weights)) return tensor_share_in(name, weights);
    if (shape_equal(ty_rank(x), ty_shape(x), ty_rank(weights), ty_shape(weights))) return NULL;
    return refuse(name, 2, (ty_tensor *[]){x, weights}, E_SHAPE, "weights must have the shape of the data");
}

ty_tensor *ty_histogram(ty_tensor *x, int64_t bins, double low, double high, ty_tensor *weights,
                        bool density) {
    ty_tensor *bad = refuse_bins("histogram", x, bins);
    if (!bad) bad = refuse_weights("histogram", x, weights);
    if (!bad) bad = refuse_range("histogram", x, low, high);
    if (!bad) bad = refuse_data("histogram", x, low, high);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    struct binned b = equal_bins(tensor_resolve(x), bins, low, high);
    b.weights = weights;
    b.find = by_width;
    return leave_as("histogram", scope, x, added_up(&b, density ? widths(edges_of(&b)) : NULL));
}

ty_tensor *ty_histogram_edges(ty_tensor *x, ty_tensor *edges, ty_tensor *weights, bool density) {
    ty_tensor *both[] = {x, edges}, *bad = first_poison(2, both);
    if (!bad) bad = refuse_weights("histogram_edges", x, weights);
    if (bad) return bad;
    if ((bad = refuse_edges("histogram_edges", edges))) return bad;
    ty_scope *scope = ty_open();
    struct binned b = {.n = 1, .x = {x}, .weights = weights, .find = by_edges};
    b.numbers[b.nnumbers++] = edges;
    b.cells = b.bins[0] = ty_size(edges) - 1;
    return leave_as("histogram_edges", scope, x, added_up(&b, density ? widths(edges) : NULL));
}

ty_tensor *ty_histogram2d(ty_tensor *x, ty_tensor *y, ty_tensor *x_edges, ty_tensor *y_edges,
                          ty_tensor *weights, bool density) {
    ty_tensor *all[] = {x, y, x_edges, y_edges}, *bad = first_poison(4, all);
    if (!bad) bad = refuse_weights("histogram2d", x, weights);
    if (bad) return bad;
    if (!shape_equal(ty_rank(x), ty_shape(x), ty_rank(y), ty_shape(y)))
        return refuse("histogram2d", 2, all, E_SHAPE, "both coordinates must have the same shape");
    for (int i = 2; i < 4; i++)
        if ((bad = refuse_edges("histogram2d", all[i]))) return bad;
    ty_scope *scope = ty_open();
    struct binned b = {.n = 2, .x = {x, y}, .weights = weights, .find = by_both};
    for (int i = 0; i < 2; i++) {
        b.numbers[b.nnumbers++] = all[2 + i];
        b.bins[i] = ty_size(all[2 + i]) - 1;
    }
    b.cells = b.bins[0] * b.bins[1];
    ty_tensor *area = density ? flat(ty_mul(ty_expand(widths(x_edges), 1), widths(y_edges))) : NULL;
    return leave_as("histogram2d", scope, x, ty_reshape(added_up(&b, area), 2, b.bins));
}

/* Compute the maximum of the integer value x, which is not empty, into *high. Return NULL, or poison if
   memory runs out or an element is negative. */
static ty_tensor *greatest(ty_tensor *x, int64_t *high) {
    ty_dtype dtype = ty_dtype_of(x), same_size = (ty_dtype)(dtype - TY_I8 + TY_U8);
    bool is_signed = dtype_is(dtype, CLASS_SIGNED);
    int64_t low;
    /* Read as unsigned, negative numbers are largest, so that one pass finds both. */
    ty_tensor *most = ty_amax(is_signed ? ty_view_as(x, same_size) : x, TY_ALL);
    if (is_signed) most = ty_view_as(most, dtype);
    if (!ty_read(most, TY_I64, high)) return ty_ok(most) ? tensor_out_of_memory() : most;
    if (!is_signed || *high >= 0) return NULL;
    ty_tensor *least = ty_amin(x, TY_ALL);
    if (!ty_read(least, TY_I64, &low)) return ty_ok(least) ? tensor_out_of_memory() : least;
    return refuse("bincount", 1, &x, E_ARGUMENT, "%lld is negative; expected 0 or more", (long long)low);
}

/* Return the vector of the count, i64, or the sum of weights, f64, of each integer 0 .. n-1 in the vector x;
   weights has x's shape or is NULL. n is at least `least` and the maximum + 1, so x is evaluated. Poison if
   an element is negative. */
ty_tensor *ty_bincount(ty_tensor *x, ty_tensor *weights, int64_t least) {
    if (!ty_ok(x)) return tensor_share(x);
    ty_tensor *bad = refuse_weights("bincount", x, weights);
    if (bad) return bad;
    if (!dtype_is(ty_dtype_of(x), CLASS_INTEGER) || ty_rank(x) != 1)
        return refuse("bincount", 1, &x, E_DTYPE, "expected a vector of integers");
    if (least < 0)
        return refuse("bincount", 1, &x, E_ARGUMENT, "the minimum length %lld is negative", (long long)least);
    ty_scope *scope = ty_open();
    ty_tensor *known = value_now("bincount", x);
    if (ty_ok(known) && ty_size(known)) {
        int64_t high;
        if ((bad = greatest(known, &high))) return leave(scope, bad);
        if (high >= least) least = high < INT64_MAX ? high + 1 : high;
    }
    ty_tensor *one = ty_scalar(TY_I64, 1);
    ty_tensor *share = weights ? ty_cast(weights, TY_F64) : ty_broadcast(one, 1, ty_shape(x));
    return leave_as("bincount", scope, x, ty_scatter_add(share, known, 0, least));
}
