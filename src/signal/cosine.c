/*
 * Cosine and sine transforms by real Fourier transforms. Type 1 mirrors the vector, types 2 and 3 reorder it,
 * type 4 rotates it by half an angle. Source: Makhoul, "A fast cosine transform in one and two dimensions",
 * 1980. Sine transforms are cosine transforms of vectors with alternating signs or reversed order.
 */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include <tyto/signal.h>
#include "ops/core/structure.h"

static const double pi = 3.14159265358979323846;

/* The transformed axis. */
struct cosine_line {
    int axis, rank;
    int64_t n;
    ty_dtype dtype;
};

/* Return 0, 1, ... count - 1 along the line's axis, f64, shaped to broadcast with x. */
static ty_tensor *counted(const struct cosine_line *l, int64_t count) {
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < l->rank; i++) shape[i] = i == l->axis ? count : 1;
    return ty_iota(TY_F64, l->rank, shape, l->axis);
}
/* Return exp(i angle (j + offset)) for j = 0 .. count - 1 along the line's axis, computed in f64, in the
   complex dtype of the line. */
static ty_tensor *turns(const struct cosine_line *l, int64_t count, double offset, double angle) {
    ty_tensor *at = ty_mul(ty_add(counted(l, count), ty_num(offset)), ty_num(angle));
    return ty_cast(ty_from_parts(ty_cos(at), ty_sin(at)), l->dtype == TY_F64 ? TY_C128 : TY_C64);
}
static ty_tensor *part(const struct cosine_line *l, ty_tensor *x, int64_t start, int64_t stop, int64_t step) {
    return ty_slice(x, l->axis, start, stop, step);
}
static ty_tensor *joined(const struct cosine_line *l, ty_tensor *a, ty_tensor *b) {
    return ty_concat(2, (ty_tensor *[]){a, b}, l->axis);
}
static ty_tensor *twice(ty_tensor *x) { return ty_mul(x, ty_num(2)); }
/* Return 1, -1, 1, ..., l->n elements along the line's axis, shaped to broadcast. */
static ty_tensor *signs(const struct cosine_line *l) {
    ty_tensor *odd = ty_fmod(counted(l, l->n), ty_num(2));
    return ty_cast(ty_sub(ty_num(1), twice(odd)), l->dtype);
}
/* Return x with the element at index `at`, from 0, along the line's axis multiplied by `by`. */
static ty_tensor *weighed(const struct cosine_line *l, ty_tensor *x, int64_t at, double by) {
    ty_tensor *weights = ty_where(ty_eq(counted(l, l->n), ty_num((double)at)), ty_num(by), ty_num(1));
    return ty_mul(x, ty_cast(weights, l->dtype));
}

static ty_tensor *cosine_1(const struct cosine_line *l, ty_tensor *x) {
    ty_tensor *mirrored = joined(l, x, ty_flip(part(l, x, 1, l->n - 1, 1), l->axis));
    return ty_real(ty_rfft(mirrored, TY_FFT_WHOLE, l->axis, TY_FFT_BACKWARD));
}
/* Return the sine transform of type 1 along the line's axis, by a Fourier transform of the odd extension. */
static ty_tensor *sine_1(const struct cosine_line *l, ty_tensor *x) {
    ty_tensor *zero = ty_zeros_like(part(l, x, 0, 1, 1));
    ty_tensor *there = joined(l, zero, x), *back = joined(l, zero, ty_neg(ty_flip(x, l->axis)));
    ty_tensor *y = ty_rfft(joined(l, there, back), TY_FFT_WHOLE, l->axis, TY_FFT_BACKWARD);
    return ty_neg(part(l, ty_imag(y), 1, l->n + 1, 1));
}
/* Return the cosine transform of type 2 along the line's axis, by one real Fourier transform of reordered
   elements. */
static ty_tensor *cosine_2(const struct cosine_line *l, ty_tensor *x) {
    int64_t n = l->n;
    ty_tensor *even = part(l, x, 0, TY_END, 2), *odd = part(l, x, 1, TY_END, 2);
    ty_tensor *ordered = n > 1 ? joined(l, even, ty_flip(odd, l->axis)) : x;
    ty_tensor *y = ty_rfft(ordered, TY_FFT_WHOLE, l->axis, TY_FFT_BACKWARD);
    y = twice(ty_mul(y, turns(l, n / 2 + 1, 0, -pi / (2 * (double)n))));
    if (n < 3) return part(l, ty_real(y), 0, n, 1);
    ty_tensor *rest = ty_neg(ty_flip(part(l, ty_imag(y), 1, (n - 1) / 2 + 1, 1), l->axis));
    return joined(l, ty_real(y), rest);
}
/* Return the cosine transform of type 3 along the line's axis, by one inverse real Fourier transform. */
static ty_tensor *cosine_3(const struct cosine_line *l, ty_tensor *x) {
    int64_t n = l->n, half = n / 2 + 1;
    if (n == 1) return x;
    /* pairs element k with element n - k; element 0 with zero */
    ty_tensor *beside = part(l, ty_flip(x, l->axis), 0, half - 1, 1);
    beside = joined(l, ty_zeros_like(part(l, x, 0, 1, 1)), beside);
    ty_tensor *pairs = ty_from_parts(part(l, x, 0, half, 1), ty_neg(beside));
    ty_tensor *y = ty_mul(pairs, turns(l, half, 0, pi / (2 * (double)n)));
    y = ty_irfft(y, n, l->axis, TY_FFT_FORWARD);
    ty_tensor *even = part(l, y, 0, (n + 1) / 2, 1), *odd = ty_flip(part(l, y, (n + 1) / 2, n, 1), l->axis);
    if (n % 2) odd = joined(l, odd, ty_zeros_like(part(l, x, 0, 1, 1)));
    /* interleave: stack along a new last axis and merge it with this one */
    ty_tensor *both[] = {ty_expand(even, l->axis + 1), ty_expand(odd, l->axis + 1)};
    ty_tensor *stacked = ty_concat(2, both, l->axis + 1);
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < l->rank; i++) shape[i] = ty_rank(x) == l->rank ? ty_shape(x)[i] : 1;
    shape[l->axis] = 2 * ((n + 1) / 2);
    return part(l, ty_reshape(stacked, l->rank, shape), 0, n, 1);
}
/* Return the cosine transform of type 4 along the line's axis, by a Fourier transform of twice the length. */
static ty_tensor *cosine_4(const struct cosine_line *l, ty_tensor *x) {
    double n = (double)l->n;
    ty_tensor *turned = ty_mul(ty_from_parts(x, ty_zeros_like(x)), turns(l, l->n, 0, -pi / (2 * n)));
    ty_tensor *y = part(l, ty_fft(turned, 2 * l->n, l->axis, TY_FFT_BACKWARD), 0, l->n, 1);
    return twice(ty_real(ty_mul(y, turns(l, l->n, 0.5, -pi / (2 * n)))));
}

static ty_tensor *sine_2(const struct cosine_line *l, ty_tensor *x) {
    return ty_flip(cosine_2(l, ty_mul(x, signs(l))), l->axis);
}
static ty_tensor *sine_3(const struct cosine_line *l, ty_tensor *x) {
    return ty_mul(cosine_3(l, ty_flip(x, l->axis)), signs(l));
}
static ty_tensor *sine_4(const struct cosine_line *l, ty_tensor *x) {
    return ty_mul(cosine_4(l, ty_flip(x, l->axis)), signs(l));
}

/* ---- public functions ---- */

static const struct kind {
    ty_tensor *(*run)(const struct cosine_line *l, ty_tensor *x);
    int inverse;
    int grows; /* transform and inverse together multiply by 2 (n + grows) */
    int ends; /* orthogonal scaling: 1: divide the result's special ends; 2: multiply the operand's; 3: both */
    bool last; /* the special end is the last element; cosine_1 has two */
} kinds[2][4] = {
    {{cosine_1, 1, -1, 3, false},
     {cosine_2, 3, 0, 1, false},
     {cosine_3, 2, 0, 2, false},
     {cosine_4, 4, 0, 0, false}},
    {{sine_1, 1, 1, 0, false}, {sine_2, 3, 0, 1, true}, {sine_3, 2, 0, 2, true}, {sine_4, 4, 0, 0, false}}};

struct cosine_wanted {
    const char *name;
    bool sine, inverse;
    int type;
    ty_fft_norm norm;
};

static ty_tensor *weigh_ends(const struct kind *k, const struct cosine_line *l, ty_tensor *x, double by) {
    x = weighed(l, x, k->last ? l->n - 1 : 0, by);
    return k->ends == 3 && l->n > 1 ? weighed(l, x, l->n - 1, by) : x;
}

/* Return the sine or cosine transform of real x that w describes, along the line's axis, with its
   normalisation. */
static ty_tensor *real_lines(const struct cosine_wanted *w, const struct cosine_line *l, ty_tensor *x) {
    const struct kind *asked = &kinds[w->sine][w->type - 1];
    const struct kind *k = w->inverse ? &kinds[w->sine][asked->inverse - 1] : asked;
    double factor = 2 * (double)(l->n + k->grows), root = sqrt(2);
    bool ortho = w->norm == TY_FFT_ORTHO;
    if (ortho && k->ends & 2) x = weigh_ends(k, l, x, root);
    ty_tensor *y = k->run(l, x);
    if (ortho && k->ends & 1) y = weigh_ends(k, l, y, 1 / root);
    if (ortho) return ty_mul(y, ty_num(1 / sqrt(factor)));
    return (w->norm == TY_FFT_BACKWARD) == w->inverse ? ty_mul(y, ty_num(1 / factor)) : y;
}

/* Return x with `axis`, not negative, cut to n elements or padded with zeros at its end. */
static ty_tensor *fitted(ty_tensor *x, int axis, int64_t n) {
    int64_t m = ty_shape(x)[axis];
    ty_padding padding[TY_MAX_RANK] = {{0}};
    padding[axis].high = n - m;
    return n <= m ? ty_slice(x, axis, 0, n, 1) : ty_pad(x, padding, ty_scalar(ty_dtype_of(x), 0));
}

/* Check the arguments and return the transform of x, real or complex, that w describes, cut or padded to n
   elements (TY_FFT_WHOLE: its length) along the axis, which may be negative. Poison on failure. */
static ty_tensor *transform(struct cosine_wanted w, ty_tensor *x, int64_t n, int axis) {
    if (!ty_ok(x)) return tensor_share_in(w.name, x);
    int rank = ty_rank(x), at = axis_normal(axis, rank);
    if (w.type < 1 || w.type > 4)
        return refuse(w.name, 1, &x, E_ARGUMENT, "type %d; expected 1, 2, 3 or 4", w.type);
    if ((unsigned)w.norm >= TY_FFT_NORMS)
        return refuse(w.name, 1, &x, E_ARGUMENT,
                      "unknown norm %d; expected TY_FFT_BACKWARD, TY_FFT_ORTHO or TY_FFT_FORWARD",
                      (int)w.norm);
    if (at < 0 || at >= rank) return refuse_axis(w.name, x, axis);
    if (n == TY_FFT_WHOLE) n = ty_shape(x)[at];
    int64_t least = w.type == 1 && !w.sine ? 2 : 1;
    if (n < least || n > INT64_MAX / 16)
        return refuse(w.name, 1, &x, E_ARGUMENT,
                      "a transform of type %d of %lld elements along axis %d; expected %lld or more", w.type,
                      (long long)n, axis, (long long)least);
    struct composite c = composite_open(w.name, 1, &x);
    ty_dtype dtype = ty_dtype_of(x), real = dtype == TY_F32 || dtype == TY_C64 ? TY_F32 : TY_F64;
    struct cosine_line l = {at, rank, n, real};
    ty_tensor *y;
    if (dtype_is(dtype, CLASS_COMPLEX)) {
        ty_tensor *line = fitted(x, at, n);
        y = ty_from_parts(real_lines(&w, &l, ty_real(line)), real_lines(&w, &l, ty_imag(line)));
    } else {
        y = real_lines(&w, &l, fitted(ty_cast(x, real), at, n));
    }
    return composite_close(c, y);
}

#define TRANSFORM(symbol, sine, inverse)                                                                     \
    ty_tensor *ty_##symbol(ty_tensor *x, int type, int64_t n, int axis, ty_fft_norm norm) {                  \
        return transform((struct cosine_wanted){#symbol, sine, inverse, type, norm}, x, n, axis);            \
    }
TRANSFORM(dct, false, false)
TRANSFORM(idct, false, true)
TRANSFORM(dst, true, false)
TRANSFORM(idst, true, true)
