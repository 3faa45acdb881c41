/*
 * Convolution along all axes: directly, as a convolution of networks with one channel, or by Fourier transforms
 * with zero padding.
 */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include <tyto/signal.h>
#include "base/math/scalar.h"
#include "ops/math/numbers.h"
#include "ops/core/structure.h"

enum { DIRECT_AXES = 3 }; /* limit of ty_conv3d */

ty_overlap ty_overlap_named(const char *name) {
    static const char *const names[] = {[TY_FULL] = "full", [TY_SAME] = "same", [TY_VALID] = "valid"};
    for (int i = 0; name && i < TY_OVERLAPS; i++)
        if (!strcmp(name, names[i])) return (ty_overlap)i;
    return TY_OVERLAPS;
}

/* Operands, sizes along each axis, and the range of the full result to return. */
struct convolving {
    const char *name;
    ty_tensor *x[2]; /* operands of one dtype and rank */
    ty_overlap overlap;
    int rank;
    uint64_t axes;
    int64_t a[TY_MAX_RANK], b[TY_MAX_RANK], full[TY_MAX_RANK], start[TY_MAX_RANK], size[TY_MAX_RANK];
};

/* Return NULL if the overlap mode is known, no convolved axis is empty and one operand fits inside the
   other where the mode needs it; else poison. */
static ty_tensor *refuse_convolving(const struct convolving *c) {
    char a[WORDS], b[WORDS];
    bool larger = false, smaller = false;
    if ((unsigned)c->overlap >= TY_OVERLAPS)
        return refuse(c->name, 2, c->x, E_ARGUMENT, "unknown mode %d; expected TY_FULL, TY_SAME or TY_VALID",
                      (int)c->overlap);
    for (int i = 0; i < c->rank; i++) {
        if (!(c->axes >> i & 1)) continue;
        if (c->a[i] == 0 || c->b[i] == 0) return refuse(c->name, 2, c->x, E_SHAPE, "axis %d is empty", i);
        larger = larger || c->a[i] > c->b[i];
        smaller = smaller || c->a[i] < c->b[i];
    }
    if (c->overlap == TY_VALID && larger && smaller)
        return refuse(c->name, 2, c->x, E_SHAPE,
                      "of %s and %s neither fits inside the other along every axis",
                      shape_words(a, c->rank, c->a), shape_words(b, c->rank, c->b));
    return NULL;
}

/* Set for each axis the full length and, where it is convolved, start and length of the part that the
   overlap mode keeps. */
static void settle(struct convolving *c) {
    for (int i = 0; i < c->rank; i++) {
        int64_t a = c->a[i], b = c->b[i], less = a < b ? a : b;
        c->full[i] = c->size[i] = a + b - 1;
        if (!(c->axes >> i & 1)) continue;
        if (c->overlap == TY_SAME) {
            c->start[i] = (b - 1) / 2;
            c->size[i] = a;
        } else if (c->overlap == TY_VALID) {
            c->start[i] = less - 1;
            c->size[i] = a + b - 1 - 2 * (less - 1);
        }
    }
}

/* ---- by Fourier transforms ---- */

/* Return the convolution by Fourier transforms along the chosen axes, products along the others, cut to the
   kept part. */
static ty_tensor *by_transforms(const struct convolving *c) {
    int64_t axes[TY_MAX_RANK], sizes[TY_MAX_RANK];
    int n = 0;
    for (int i = 0; i < c->rank; i++) {
        if (!(c->axes >> i & 1)) continue;
        axes[n] = i;
        sizes[n++] = ty_fft_good(c->full[i]);
    }
    if (n == 0) return ty_mul(c->x[0], c->x[1]);
    bool paired = dtype_is(ty_dtype_of(c->x[0]), CLASS_COMPLEX);
    ty_tensor *(*there)(ty_tensor *, int, const int64_t *, const int64_t *, ty_fft_norm) =
        paired ? ty_fftn : ty_rfftn;
    ty_tensor *(*back)(ty_tensor *, int, const int64_t *, const int64_t *, ty_fft_norm) =
        paired ? ty_ifftn : ty_irfftn;
    ty_tensor *a = there(c->x[0], n, axes, sizes, TY_FFT_BACKWARD),
              *b = there(c->x[1], n, axes, sizes, TY_FFT_BACKWARD);
    ty_tensor *y = back(ty_mul(a, b), n, axes, sizes, TY_FFT_BACKWARD);
    for (int i = 0; i < n; i++) {
        int axis = (int)axes[i];
        y = ty_slice(y, axis, c->start[axis], c->start[axis] + c->size[axis], 1);
    }
    return ty_contiguous(y);
}

/* ---- directly ---- */

/* Return x, of `rank` axes, reshaped to one example of one channel, [1, axes..., 1], or, if `kernel`, to
   [axes..., 1, 1]. */
static ty_tensor *channelled(ty_tensor *x, int rank, bool kernel) {
    int64_t shape[TY_MAX_RANK];
    int n = 0;
    if (!kernel) shape[n++] = 1;
    for (int i = 0; i < rank && ty_ok(x); i++) shape[n++] = ty_shape(x)[i];
    shape[n++] = 1;
    if (kernel) shape[n++] = 1;
    return ty_reshape(x, n, shape);
}

/* Return the convolution along all axes, one to three, by sums of products, cut to the kept part. */
static ty_tensor *by_products(const struct convolving *c) {
    static ty_tensor *(*const convs[])(ty_tensor *, ty_tensor *, ty_conv) = {ty_conv1d, ty_conv2d, ty_conv3d};
    int64_t elements[2] = {ty_size(c->x[0]), ty_size(c->x[1])};
    bool swapped = elements[0] < elements[1]; /* the smaller operand is the kernel */
    ty_tensor *x = c->x[swapped], *w = ty_flip_axes(c->x[!swapped], 0, NULL);
    const int64_t *kernel = swapped ? c->a : c->b;
    ty_conv conv = {.groups = 1};
    for (int i = 0; i < c->rank; i++) {
        conv.low[i] = kernel[i] - 1 - c->start[i];
        conv.high[i] = kernel[i] - 1 - (c->full[i] - c->start[i] - c->size[i]);
    }
    ty_tensor *y = convs[c->rank - 1](channelled(x, c->rank, false), channelled(w, c->rank, true), conv);
    return ty_reshape(y, c->rank, c->size);
}

/* Return true if sums of products are cheaper than Fourier transforms; the factor 3 is measured. */
static bool products_are_less(const struct convolving *c) {
    double products = 1, elements = 1, less = 1;
    for (int i = 0; i < c->rank; i++) {
        products *= (double)c->size[i];
        less *= (double)(c->a[i] < c->b[i] ? c->a[i] : c->b[i]);
        elements *= (double)ty_fft_good(c->full[i]);
    }
    return products * less < 3 * 2 * elements * (4 + math_log2(elements));
}

static ty_tensor *refuse_rank(const struct convolving *c) {
    if (ty_rank(c->x[0]) == ty_rank(c->x[1])) return NULL;
    return refuse(c->name, 2, c->x, E_SHAPE, "%d and %d axes; the numbers must match", ty_rank(c->x[0]),
                  ty_rank(c->x[1]));
}

/* Return the convolution of a and b, of equal rank, along all axes, by the cheaper method, cut as `overlap`
   says; poison that begins with `name` on failure. */
static ty_tensor *convolve(const char *name, ty_tensor *a, ty_tensor *b, ty_overlap overlap) {
    struct convolving c = {
        .name = name, .x = {a, b}, .overlap = overlap, .rank = ty_rank(a), .axes = ~(uint64_t)0};
    ty_tensor *bad = first_poison_in(name, 2, c.x);
    if (bad || (bad = refuse_rank(&c))) return bad;
    memcpy(c.a, ty_shape(a), sizeof *c.a * (size_t)c.rank);
    memcpy(c.b, ty_shape(b), sizeof *c.b * (size_t)c.rank);
    if ((bad = refuse_convolving(&c))) return bad;
    settle(&c);
    struct composite composite = composite_open_met(name, 2, c.x, COUNTED);
    if ((bad = first_poison_in(name, 2, c.x))) return composite_close(composite, bad);
    ty_dtype dtype = ty_dtype_of(c.x[0]);
    bool floating = dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX);
    ty_tensor *y;
    if (c.rank == 0)
        y = ty_mul(c.x[0], c.x[1]);
    else if (c.rank > DIRECT_AXES && !floating)
        y = refuse(name, 2, c.x, E_LIMIT, "%d axes of integers; cast them, or use at most %d axes", c.rank,
                   DIRECT_AXES);
    else
        y = c.rank <= DIRECT_AXES && (!floating || products_are_less(&c)) ? by_products(&c)
                                                                          : by_transforms(&c);
    return composite_close(composite, y);
}

ty_tensor *ty_convolve(ty_tensor *a, ty_tensor *b, ty_overlap overlap) {
    return convolve("convolve", a, b, overlap);
}

ty_tensor *ty_correlate(ty_tensor *a, ty_tensor *b, ty_overlap overlap) {
    ty_tensor *bad = first_poison(2, ((ty_tensor *[]){a, b}));
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *turned = ty_flip_axes(b, 0, NULL);
    return leave(scope,
                 convolve("correlate", a, dtype_is(ty_dtype_of(b), CLASS_COMPLEX) ? ty_conj(turned) : turned,
                          overlap));
}

/* ---- along some axes ---- */

/* Set c->axes, a bit mask, from n axes, which may be negative (0 and NULL: all). Return NULL, or poison if
   one is out of range. */
static ty_tensor *find_axes(struct convolving *c, int n, const int64_t *axes) {
    bool all = n == 0 && !axes;
    if (n < 0) return refuse(c->name, 2, c->x, E_SHAPE, "%d axes", n);
    ty_tensor *missing = refuse_missing(c->name, n, axes, "axes");
    if (missing) return missing;
    c->axes = all ? ~(uint64_t)0 : 0;
    for (int i = 0; i < n; i++) {
        if (axes[i] < -c->rank || axes[i] >= c->rank)
            return refuse(c->name, 2, c->x, E_INDEX, "axis %lld is out of bounds; expected %d..%d",
                          (long long)axes[i], -c->rank, c->rank - 1);
        c->axes |= (uint64_t)1 << axis_normal((int)axes[i], c->rank);
    }
    return NULL;
}

ty_tensor *ty_fft_convolve(ty_tensor *a, ty_tensor *b, ty_overlap overlap, int n, const int64_t *axes) {
    struct convolving c = {.name = "fft_convolve", .x = {a, b}, .overlap = overlap};
    ty_tensor *bad = first_poison(2, c.x);
    if (bad || (bad = refuse_rank(&c))) return bad;
    c.rank = ty_rank(a);
    if ((bad = find_axes(&c, n, axes))) return bad;
    memcpy(c.a, ty_shape(a), sizeof *c.a * (size_t)c.rank);
    memcpy(c.b, ty_shape(b), sizeof *c.b * (size_t)c.rank);
    if ((bad = refuse_convolving(&c))) return bad;
    settle(&c);
    struct composite composite = composite_open_met("fft_convolve", 2, c.x, FLOATING);
    return composite_close(composite, by_transforms(&c));
}
