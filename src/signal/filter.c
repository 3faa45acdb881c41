/*
 * Linear filters.  What stands over the bar is a convolution.  What stands under it is a recurrence, which goes block by
 * block of L elements: y = T v + S h, where T, the inverse of a triangular band matrix, is what a block does by itself and
 * S what the last elements h of the block before add.  So all blocks are one product, and a loop has n / L short steps.
 */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/signal.h>
#include "ops/core/structure.h"

enum { BLOCK = 64, LONG_KERNEL = 128, MOST_ORDER = 1 << 12 };

static ty_tensor *last_of(ty_tensor *x, int64_t start, int64_t stop) {
    return ty_slice(x, -1, start, stop, 1);
}
static ty_tensor *zeros_behind(ty_tensor *x, int64_t n) {
    ty_padding padding[TY_MAX_RANK] = {{0}};
    if (!ty_ok(x)) return x;
    padding[ty_rank(x) - 1].high = n;
    return ty_pad(x, padding, ty_scalar(ty_dtype_of(x), 0));
}

/* ---- b: x[lines, n] convolved, from rest ---- */

static ty_tensor *moving_sum(ty_tensor *b, ty_tensor *x) {
    int64_t taps = ty_size(b), n = ty_shape(x)[1], lines = ty_shape(x)[0];
    if (taps > LONG_KERNEL)
        return last_of(ty_fft_convolve(x, ty_reshape(b, TY_SHAPE(1, taps)), TY_FULL, 1, (int64_t[]){1}), 0,
                       n);
    ty_conv conv = {.low = {taps - 1}};
    ty_tensor *kernel = ty_reshape(ty_flip(b, 0), TY_SHAPE(taps, 1, 1));
    return ty_reshape(ty_conv1d(ty_reshape(x, TY_SHAPE(lines, n, 1)), kernel, conv), TY_SHAPE(lines, n));
}

/* ---- a: y[k] = v[k] - sum over j > 0 of a[j] y[k - j] ---- */

/* The inverse of the matrix with 1 on the diagonal and a[j] on diagonal -j, by halves:
   [A 0; B A]^-1 = [T 0; -T B T, T]. */
static ty_tensor *inverse_band(ty_tensor *a, int64_t size) {
    ty_tensor *column = ty_size(a) > size ? last_of(a, 0, size) : zeros_behind(a, size - ty_size(a));
    ty_tensor *band = ty_toeplitz(column, ty_mul(column, ty_cast(ty_unit(TY_F64, size, 0), ty_dtype_of(a))));
    ty_tensor *t = ty_ones(ty_dtype_of(a), TY_SHAPE(1, 1));
    for (int64_t m = 1; m < size; m *= 2) {
        ty_tensor *below = ty_slice(ty_slice(band, 0, m, 2 * m, 1), 1, 0, m, 1);
        ty_tensor *corner = ty_neg(ty_matmul(t, ty_matmul(below, t))), *none = ty_zeros_like(t);
        ty_tensor *upper = ty_concat(2, (ty_tensor *[]){t, none}, 1),
                  *lower = ty_concat(2, (ty_tensor *[]){corner, t}, 1);
        t = ty_concat(2, (ty_tensor *[]){upper, lower}, 0);
    }
    return t;
}

/* What a block's elements get from the p before it (in order): T times what the recurrence takes from those. */
static ty_tensor *from_before(ty_tensor *t, ty_tensor *a, int64_t p) {
    ty_tensor *row = ty_flip(last_of(a, 1, p + 1), 0); /* a[p] .. a[1] */
    ty_tensor *column = ty_mul(row, ty_cast(ty_unit(TY_F64, p, 0), ty_dtype_of(a)));
    return ty_neg(ty_matmul(ty_slice(t, 1, 0, p, 1), ty_toeplitz(column, row)));
}

/* The last elements of a block: its own, and what those of the block before add. */
static void next_block(void *context, ty_step *step) {
    ty_tensor *turned = context;
    step->y[0] = step->carry[0];
    step->next[0] = ty_add(step->x[0], ty_matmul(step->carry[0], turned));
}

static ty_tensor *recurrence(ty_tensor *a, ty_tensor *v) {
    if (!ty_ok(v) || !ty_ok(a)) return ty_ok(v) ? a : v;
    int64_t p = ty_size(a) - 1, lines = ty_shape(v)[0], n = ty_shape(v)[1], size = BLOCK;
    if (p == 0 || n == 0 || lines == 0) return v;
    while (size < p) size *= 2;
    while (size > 1 && size / 2 >= p && size / 2 >= n) size /= 2;
    int64_t blocks = (n + size - 1) / size;
    ty_tensor *t = inverse_band(a, size), *s = from_before(t, a, p);
    ty_tensor *own = ty_reshape(zeros_behind(v, blocks * size - n), TY_SHAPE(lines, blocks, size));
    own = ty_matmul(own, ty_transpose(t));
    if (blocks > 1) {
        ty_tensor *ends = ty_permute(last_of(own, size - p, size), (int[]){1, 0, 2}), *rest, *before;
        ty_tensor *first = ty_zeros(ty_dtype_of(v), TY_SHAPE(lines, p));
        ty_tensor *turned = ty_transpose(ty_slice(s, 0, size - p, size, 1));
        ty_scan_spec loop = {.ncarry = 1, .carry = &first, .nx = 1, .x = &ends, .ny = 1};
        ty_scan(next_block, turned, loop, &rest, &before, NULL);
        own = ty_add(own, ty_matmul(ty_permute(before, (int[]){1, 0, 2}), ty_transpose(s)));
    }
    return last_of(ty_reshape(own, TY_SHAPE(lines, blocks * size)), 0, n);
}

/* ---- any axis ---- */

struct filtering {
    const char *name;
    ty_tensor *b, *a, *x; /* a[0] = 1; x [lines, n] */
    int64_t sections;     /* b and a are [sections, 3]; 0: vectors */
    bool both;
};

static ty_tensor *through(ty_tensor *b, ty_tensor *a, ty_tensor *x) {
    ty_tensor *all[] = {b, a, x};
    for (int i = 0; i < 3; i++)
        if (!ty_ok(all[i])) return all[i];
    return recurrence(a, moving_sum(b, x));
}
static ty_tensor *row(ty_tensor *x, int64_t i) { return ty_squeeze(ty_slice(x, 0, i, i + 1, 1), 0); }

static ty_tensor *from_rest(const struct filtering *f, ty_tensor *x) {
    if (!f->sections) return through(f->b, f->a, x);
    for (int64_t i = 0; i < f->sections; i++) x = through(row(f->b, i), row(f->a, i), x);
    return x;
}

/* From the state in which x's first element has stood for ever: what it comes to, and from rest what is beyond it. */
static ty_tensor *from_steady(const struct filtering *f, ty_tensor *x) {
    ty_tensor *gain = ty_div(ty_sum(f->b, ty_axis(-1)), ty_sum(f->a, ty_axis(-1))), *first = last_of(x, 0, 1);
    if (f->sections) gain = ty_prod(gain, TY_ALL);
    return ty_add(from_rest(f, ty_sub(x, first)), ty_mul(first, gain));
}

static ty_tensor *there_and_back(const struct filtering *f, ty_tensor *x) {
    if (!ty_ok(x)) return x;
    int64_t n = ty_shape(x)[1], taps = f->sections ? 2 * f->sections + 1 : ty_size(f->b);
    if (!f->sections && ty_size(f->a) > taps) taps = ty_size(f->a);
    int64_t more = 3 * taps;
    ty_tensor *first = ty_mul(last_of(x, 0, 1), ty_num(2)), *last = ty_mul(last_of(x, n - 1, n), ty_num(2));
    ty_tensor *parts[] = {ty_sub(first, ty_flip(last_of(x, 1, more + 1), 1)), x,
                          ty_sub(last, ty_flip(last_of(x, n - 1 - more, n - 1), 1))};
    ty_tensor *y = from_steady(f, ty_concat(3, parts, 1));
    y = ty_flip(from_steady(f, ty_flip(y, 1)), 1);
    return last_of(y, more, more + n);
}

static ty_tensor *refuse_line(const struct filtering *f, ty_tensor *x, int axis, int64_t taps) {
    int rank = ty_rank(x), at = axis_normal(axis, rank);
    if (at < 0 || at >= rank) return refuse_axis(f->name, x, axis);
    if (f->both && ty_shape(x)[at] <= 3 * taps)
        return refuse(f->name, 1, &x,
                      "the %lld elements of axis %d must be more than %lld, 3 times the filter's length",
                      (long long)ty_shape(x)[at], axis, (long long)(3 * taps));
    return NULL;
}

/* operands: coefficients, then x. */
static ty_tensor *filter(struct filtering f, int n, ty_tensor **operands, int axis) {
    cast_to_common(f.name, n, operands, FLOATING, operands);
    for (int i = 0; i < n; i++)
        if (!ty_ok(operands[i])) return operands[i];
    ty_tensor *x = operands[n - 1];
    int rank = ty_rank(x), at = axis_normal(axis, rank);
    int64_t shape[TY_MAX_RANK], size = ty_shape(x)[at];
    f.b = n == 3 ? operands[0] : ty_slice(operands[0], 1, 0, 3, 1);
    f.a = n == 3 ? operands[1] : ty_slice(operands[0], 1, 3, 6, 1);
    ty_tensor *first = ty_slice(f.a, -1, 0, 1, 1);
    f.b = ty_div(f.b, first);
    f.a = ty_div(f.a, first);
    ty_tensor *moved = ty_swap(x, at, rank - 1);
    for (int i = 0; i < rank; i++) shape[i] = ty_ok(moved) ? ty_shape(moved)[i] : 1;
    int64_t lines = size > 0 ? ty_size(x) / size : 0;
    ty_tensor *line = ty_reshape(moved, TY_SHAPE(lines, size));
    ty_tensor *y = lines == 0 ? line : f.both ? there_and_back(&f, line) : from_rest(&f, line);
    return ty_swap(ty_reshape(y, rank, shape), at, rank - 1);
}

static ty_tensor *filter_of(const char *name, ty_tensor *b, ty_tensor *a, ty_tensor *x, int axis, bool both) {
    struct filtering f = {.name = name, .both = both};
    ty_tensor *operands[] = {b, a, x};
    for (int i = 0; i < 2; i++)
        if (ty_rank(operands[i]) != 1 || ty_size(operands[i]) < 1 || ty_size(operands[i]) > MOST_ORDER)
            return refuse(name, 3, operands, "coefficients are vectors of 1..%d elements", MOST_ORDER);
    int64_t taps = ty_size(b) > ty_size(a) ? ty_size(b) : ty_size(a);
    ty_tensor *bad = refuse_line(&f, x, axis, taps);
    if (bad) return bad;
    struct composite c = composite_open(name, 3, operands);
    return composite_close(c, ty_contiguous(filter(f, 3, operands, axis)));
}

static ty_tensor *filter_by_sections(const char *name, ty_tensor *sections, ty_tensor *x, int axis,
                                     bool both) {
    struct filtering f = {.name = name, .both = both};
    ty_tensor *operands[] = {sections, x};
    if (ty_rank(sections) != 2 || ty_shape(sections)[1] != 6 || ty_shape(sections)[0] < 1 ||
        ty_shape(sections)[0] > MOST_ORDER)
        return refuse(name, 2, operands, "sections are [1..%d, 6]: b0 b1 b2 a0 a1 a2 of each", MOST_ORDER);
    f.sections = ty_shape(sections)[0];
    ty_tensor *bad = refuse_line(&f, x, axis, 2 * f.sections + 1);
    if (bad) return bad;
    struct composite c = composite_open(name, 2, operands);
    return composite_close(c, ty_contiguous(filter(f, 2, operands, axis)));
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
