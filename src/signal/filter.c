/*
 * Linear filters: a convolution without feedback, else a sequential recurrence (ops/reduce/filter.c). Rounding
 * errors are those of the filter itself, and no element affects earlier ones.
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/signal.h>
#include "ops/contract/contract.h"
#include "ops/core/attributes.h"
#include "ops/core/structure.h"
#include "ops/reduce/filter.h"
#include "signal/coefficients.h"

/* Arguments of a filter. */
struct filtering {
    const char *name;
    ty_tensor *b, *a;
    int axis;         /* axis of x, from 0 */
    int64_t sections; /* b and a are [sections, 3]; 0: vectors */
    int64_t most;     /* longest possible edge */
    ty_tensor *edge; /* i64: number of elements by which both ends are extended; NULL: filter forwards only */
};

/* ---- from the zero state ---- */

/* Return x convolved with b [taps] along `axis`, of x's shape, from rest, by sums of products for any
   length. A transform would spread NaN to earlier elements, and round small results like large ones. */
static ty_tensor *moving_sum(ty_tensor *b, ty_tensor *x, int axis) {
    int rank = ty_rank(x);
    int64_t taps = ty_size(b), n = ty_shape(x)[axis];
    struct labelled kernel = {.x = ty_flip(b, 0), .labels = {(uint8_t)rank}}, line = {.x = x};
    uint8_t output[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) line.labels[i] = output[i] = (uint8_t)i;
    line.labels[axis] = CONTRACT_WINDOW;
    struct contract_rules rules = {.nwindows = 1};
    rules.windows[0] =
        (struct contract_window){n, taps, 1, 1, taps - 1, n, (uint8_t)axis, (uint8_t)rank, {0}};
    return contract_by(line, kernel, rank, output, &rules);
}

/* Return x filtered along `axis` from rest by coefficients b and a, vectors where a[0] is 1; the shape is
   x's. Poison is passed on. */
static ty_tensor *through(ty_tensor *b, ty_tensor *a, ty_tensor *x, int axis) {
    ty_tensor *all[] = {b, a, x};
    for (int i = 0; i < 3; i++)
        if (!ty_ok(all[i])) return all[i];
    int64_t order = ty_size(a) - 1;
    if (order == 0) return moving_sum(b, x, axis);
    return filter_record(x, b, ty_slice(a, 0, 1, order + 1, 1), axis, false);
}
static ty_tensor *row(ty_tensor *x, int64_t i) { return ty_squeeze(ty_slice(x, 0, i, i + 1, 1), 0); }

static ty_tensor *from_rest(const struct filtering *f, ty_tensor *x) {
    if (!f->sections) return through(f->b, f->a, x, f->axis);
    for (int64_t i = 0; i < f->sections; i++) x = through(row(f->b, i), row(f->a, i), x, f->axis);
    return x;
}

/* ---- forwards and backwards ---- */

/* Return x filtered from the steady state of its first element along f->axis: that state's output, plus the
   filtered difference from it. */
static ty_tensor *from_steady(const struct filtering *f, ty_tensor *x) {
    ty_tensor *gain = ty_div(ty_sum(f->b, ty_axis(-1)), ty_sum(f->a, ty_axis(-1)));
    ty_tensor *first = ty_slice(x, f->axis, 0, 1, 1);
    if (f->sections) gain = ty_prod(gain, TY_ALL);
    return ty_add(from_rest(f, ty_sub(x, first)), ty_mul(first, gain));
}

/* Return f->most elements of x along f->axis: those at indices from + sign * min(j, edge), j = 1, 2, ...;
   beyond the edge one element repeats. sign is 1 or -1. */
static ty_tensor *up_to_edge(const struct filtering *f, ty_tensor *x, int64_t from, int sign) {
    ty_tensor *steps = ty_min(ty_add(ty_iota(TY_I64, TY_SHAPE(f->most), 0), ty_int(1)), f->edge);
    ty_tensor *at = sign > 0 ? ty_add(ty_int(from), steps) : ty_sub(ty_int(from), steps);
    return ty_take(x, at, f->axis);
}

/* Return f->most elements of x along f->axis reflected about the element at `from`: twice that element
   minus its neighbours in the direction `sign`, 1 or -1. */
static ty_tensor *turned(const struct filtering *f, ty_tensor *x, int64_t from, int sign) {
    ty_tensor *end = ty_mul(ty_slice(x, f->axis, from, from + 1, 1), ty_num(2));
    return ty_sub(end, up_to_edge(f, x, from, sign));
}

/* Return x filtered forwards, then backwards, along f->axis, with no shift. Both ends are extended by
   f->most elements. Those past the edge are equal, so a filter in steady state stays there. */
static ty_tensor *there_and_back(const struct filtering *f, ty_tensor *x) {
    if (!ty_ok(x)) return x;
    int axis = f->axis;
    int64_t n = ty_shape(x)[axis], last = f->most + n;
    ty_tensor *parts[] = {ty_flip(turned(f, x, 0, 1), axis), x, turned(f, x, n - 1, -1)};
    ty_tensor *y = from_steady(f, ty_concat(3, parts, axis));
    ty_tensor *back[] = {ty_slice(y, axis, 0, last, 1), up_to_edge(f, y, last - 1, 1)};
    y = from_steady(f, ty_flip(ty_concat(2, back, axis), axis));
    return ty_slice(ty_flip(y, axis), axis, f->most, last, 1);
}

/* ---- operands ---- */

/* Return the edge (i64 []) for sections [n, 6]: 3 times their total length 2 n + 1, less the number of b2,
   or if fewer of a2, that are 0 (SciPy's rule). */
static ty_tensor *edge_of_sections(ty_tensor *sections) {
    ty_tensor *long_b = ty_count_nonzero(ty_slice(sections, 1, 2, 3, 1), TY_ALL);
    ty_tensor *long_a = ty_count_nonzero(ty_slice(sections, 1, 5, 6, 1), TY_ALL);
    ty_tensor *longer = ty_add(ty_max(long_b, long_a), ty_int(ty_shape(sections)[0] + 1));
    return ty_mul(longer, ty_int(3));
}

/* Set f->axis from `axis`, which may be negative. Return NULL if that axis of x is longer than the edge,
   else poison. `least` is the length of the shortest edge, used if the edge is a promise. */
static ty_tensor *refuse_line(struct filtering *f, ty_tensor *x, int axis, int64_t least) {
    int rank = ty_rank(x);
    f->axis = axis_normal(axis, rank);
    if (f->axis < 0 || f->axis >= rank) return refuse_axis(f->name, x, axis);
    if (!f->edge) return NULL;
    if (!ty_ok(f->edge)) return f->edge;
    if (!ty_is_promise(f->edge)) least = (int64_t)ty_item(f->edge);
    if (ty_shape(x)[f->axis] > least) return NULL;
    return refuse(f->name, 1, &x, E_LIMIT,
                  "the %lld elements of axis %d must be more than %lld, 3 times the filter's length",
                  (long long)ty_shape(x)[f->axis], axis, (long long)least);
}

/* Return NULL if no leading coefficient is 0 or if they are a promise, else poison. first: a[0] of each filter. */
static ty_tensor *refuse_leading(const struct filtering *f, ty_tensor *first, int n, ty_tensor **operands) {
    if (!ty_ok(first) || ty_is_promise(first)) return NULL;
    ty_tensor *zero = ty_any(ty_eq(first, ty_num(0)), TY_ALL);
    if (!ty_ok(zero)) return zero;
    if (ty_item(zero) == 0) return NULL;
    return refuse(f->name, n, operands, E_DOMAIN,
                  "the leading coefficient %s is 0, and all others are divided by it",
                  f->sections ? "a0 of a section" : "a[0]");
}

/* Return the last of n operands filtered by the others: coefficients b and a (n is 3), or sections (n is
   2). Casts operands[] in place. Poison if a leading coefficient is 0. */
static ty_tensor *filter(struct filtering f, int n, ty_tensor **operands) {
    cast_to_common(f.name, n, operands, FLOATING, operands);
    for (int i = 0; i < n; i++)
        if (!ty_ok(operands[i])) return operands[i];
    ty_tensor *x = operands[n - 1];
    f.b = n == 3 ? operands[0] : ty_slice(operands[0], 1, 0, 3, 1);
    f.a = n == 3 ? operands[1] : ty_slice(operands[0], 1, 3, 6, 1);
    ty_tensor *first = ty_slice(f.a, -1, 0, 1, 1), *bad = refuse_leading(&f, first, n, operands);
    if (bad) return bad;
    f.b = ty_div(f.b, first);
    f.a = ty_div(f.a, first);
    return f.edge ? there_and_back(&f, x) : from_rest(&f, x);
}

/* Check the line, the last of n operands, along `axis`, and run the filter on it as one composite; poison
   on failure. */
static ty_tensor *checked(struct filtering *f, int n, ty_tensor **operands, int axis, int64_t least) {
    ty_tensor *bad = refuse_line(f, operands[n - 1], axis, least);
    if (bad) return bad;
    struct composite c = composite_open(f->name, n, operands);
    return composite_close(c, ty_contiguous(filter(*f, n, operands)));
}

/* Return x filtered by coefficients b and a along the axis, which may be negative; forwards, or, if `both`,
   forwards and backwards. Poison that begins with `name` on failure. */
static ty_tensor *filter_of(const char *name, ty_tensor *b, ty_tensor *a, ty_tensor *x, int axis, bool both) {
    struct filtering f = {.name = name};
    ty_tensor *operands[] = {b, a, x};
    ty_tensor *bad = refuse_vectors(name, 3, operands);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    f.most = 3 * (ty_size(b) > ty_size(a) ? ty_size(b) : ty_size(a));
    if (both) f.edge = ty_scalar(TY_I64, (double)f.most);
    return leave(scope, checked(&f, 3, operands, axis, f.most));
}

/* Return x filtered by sections [n, 6] along the axis, which may be negative; forwards, or, if `both`,
   forwards and backwards. Poison that begins with `name` on failure. */
static ty_tensor *filter_by_sections(const char *name, ty_tensor *sections, ty_tensor *x, int axis,
                                     bool both) {
    struct filtering f = {.name = name};
    ty_tensor *operands[] = {sections, x};
    ty_tensor *bad = refuse_sections(name, 2, operands);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    f.sections = ty_shape(sections)[0];
    f.most = 3 * (2 * f.sections + 1);
    if (both) f.edge = edge_of_sections(sections);
    return leave(scope, checked(&f, 2, operands, axis, 3 * (f.sections + 1)));
}

ty_tensor *ty_filter(ty_tensor *b, ty_tensor *a, ty_tensor *x, int axis) {
    ty_tensor *bad = first_poison(3, ((ty_tensor *[]){b, a, x}));
    return bad ? bad : filter_of("filter", b, a, x, axis, false);
}
ty_tensor *ty_filter_both(ty_tensor *b, ty_tensor *a, ty_tensor *x, int axis) {
    ty_tensor *bad = first_poison(3, ((ty_tensor *[]){b, a, x}));
    return bad ? bad : filter_of("filter_both", b, a, x, axis, true);
}
ty_tensor *ty_filter_sections(ty_tensor *sections, ty_tensor *x, int axis) {
    ty_tensor *bad = first_poison(2, ((ty_tensor *[]){sections, x}));
    return bad ? bad : filter_by_sections("filter_sections", sections, x, axis, false);
}
ty_tensor *ty_filter_sections_both(ty_tensor *sections, ty_tensor *x, int axis) {
    ty_tensor *bad = first_poison(2, ((ty_tensor *[]){sections, x}));
    return bad ? bad : filter_by_sections("filter_sections_both", sections, x, axis, true);
}
