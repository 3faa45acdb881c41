/* Fourier transforms along several axes, one after the other; shifts and frequencies of their results. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "ops/core/structure.h"
#include "ops/fft/fft.h"

/* ---- several axes ---- */

struct fft_axes {
    int n;
    int axis[TY_MAX_RANK];
    int64_t size[TY_MAX_RANK];
};

/* Fill *a from axes[n] (normalised) and sizes[n] (NULL: TY_FFT_WHOLE); n = 0 with axes NULL means all axes of
   x. Return poison, in the name of function `name`, if an axis is invalid or repeated, or there are sizes
   without axes, else NULL. */
static ty_tensor *axes_fill(struct fft_axes *a, const char *name, ty_tensor *x, int n, const int64_t *axes,
                            const int64_t *sizes) {
    int rank = ty_rank(x);
    bool all = n == 0 && !axes;
    uint64_t seen = 0;
    if (n < 0 || n > TY_MAX_RANK)
        return refuse(name, 1, &x, E_ARGUMENT, "%d axes are out of range; expected 0..%d", n, TY_MAX_RANK);
    ty_tensor *missing = refuse_missing(name, n, axes, "axes");
    if (missing) return missing;
    if (all && sizes) return refuse(name, 1, &x, E_ARGUMENT, "sizes are given without axes");
    a->n = all ? rank : n;
    for (int i = 0; i < a->n; i++) {
        int64_t axis = all ? i : axes[i];
        if (axis < -rank || axis >= rank)
            return refuse_axis(name, x,
                               axis > INT32_MAX   ? INT32_MAX
                               : axis < INT32_MIN ? INT32_MIN
                                                  : (int)axis);
        a->axis[i] = axis_normal((int)axis, rank);
        if (seen >> a->axis[i] & 1)
            return refuse(name, 1, &x, E_ARGUMENT, "axis %lld is repeated", (long long)axis);
        seen |= (uint64_t)1 << a->axis[i];
        a->size[i] = sizes ? sizes[i] : TY_FFT_WHOLE;
    }
    return NULL;
}

/* Return x transformed along axes[n], to sizes[n] (NULL: x's sizes): by *last along the last of them, by f
   along the others. *last comes first of all, or for HERMITIAN after the others. Poison if an argument is
   invalid. */
static ty_tensor *along_all(const struct fft_public *f, const struct fft_public *last, ty_tensor *x, int n,
                            const int64_t *axes, const int64_t *sizes, ty_fft_norm norm) {
    struct fft_axes a;
    if (!ty_ok(x)) return tensor_share_in(last->name, x);
    ty_tensor *bad = fft_refuse_norm(last->name, x, norm);
    if (!bad) bad = axes_fill(&a, last->name, x, n, axes, sizes);
    if (bad) return bad;
    if (a.n == 0) return refuse(last->name, 1, &x, E_SHAPE, "no axis to transform along");
    int end = a.n - 1;
    struct composite c = composite_open_plain(last->name, 0, 1, &x);
    if (last->kind != FFT_HERMITIAN) x = fft_along(last, x, a.size[end], a.axis[end], norm);
    for (int i = end - 1; i >= 0; i--) x = fft_along(f, x, a.size[i], a.axis[i], norm);
    if (last->kind == FFT_HERMITIAN) x = fft_along(last, x, a.size[end], a.axis[end], norm);
    return composite_close(c, x);
}

#define AXES(word, kind, inverse)                                                                            \
    static ty_tensor *word##_axes(const char *name, ty_tensor *x, int n, const int64_t *axes,                \
                                  const int64_t *sizes, ty_fft_norm norm) {                                  \
        struct fft_public f = {name, FFT_COMPLEX, inverse, inverse}, last = {name, kind, inverse, inverse};  \
        return along_all(&f, &last, x, n, axes, sizes, norm);                                                \
    }                                                                                                        \
    ty_tensor *ty_##word##n(ty_tensor *x, int n, const int64_t *axes, const int64_t *sizes,                  \
                            ty_fft_norm norm) {                                                              \
        return word##_axes(#word "n", x, n, axes, sizes, norm);                                              \
    }                                                                                                        \
    ty_tensor *ty_##word##2(ty_tensor * x, const int64_t *sizes, ty_fft_norm norm) {                         \
        static const int64_t two[] = {-2, -1};                                                               \
        return word##_axes(#word "2", x, 2, two, sizes, norm);                                               \
    }
AXES(fft, FFT_COMPLEX, false)
AXES(ifft, FFT_COMPLEX, true)
AXES(rfft, FFT_REAL, false)
AXES(irfft, FFT_HERMITIAN, true)
#undef AXES

/* ---- frequencies ---- */

/* Return x rolled along each of axes[n] (n 0: all) by half its size, rounded down, or if `back` by the rest
   of its size. Poison, in the name of function `name`, if an axis is invalid. */
static ty_tensor *shift(const char *name, ty_tensor *x, int n, const int64_t *axes, bool back) {
    struct fft_axes a;
    if (!ty_ok(x)) return tensor_share_in(name, x);
    ty_tensor *bad = axes_fill(&a, name, x, n, n == 0 ? NULL : axes, NULL);
    if (bad) return bad;
    int64_t shifts[TY_MAX_RANK], along[TY_MAX_RANK];
    for (int i = 0; i < a.n; i++) {
        int64_t size = ty_shape(x)[a.axis[i]];
        shifts[i] = back ? size - size / 2 : size / 2;
        along[i] = a.axis[i];
    }
    if (a.n == 0) return tensor_share(x);
    return ty_roll(x, a.n, shifts, along);
}

ty_tensor *ty_fftshift(ty_tensor *x, int n, const int64_t *axes) {
    return shift("fftshift", x, n, axes, false);
}
ty_tensor *ty_ifftshift(ty_tensor *x, int n, const int64_t *axes) {
    return shift("ifftshift", x, n, axes, true);
}

/* Return the first `count` frequencies k / (n spacing), in `dtype`, of a transform of n elements; from index
   `positive` on, k is the index minus n. Poison, in the name of function `name`, if an argument is invalid. */
static ty_tensor *frequencies(const char *name, ty_dtype dtype, int64_t n, int64_t count, int64_t positive,
                              double spacing) {
    FLOATING_DEFAULT;
    if (!dtype_valid(dtype) || !dtype_is(dtype, CLASS_FLOAT))
        return refuse(name, 0, NULL, E_DTYPE, "expected a floating-point dtype, not %s",
                      ty_dtype_name(dtype));
    if (n < 1) return refuse(name, 0, NULL, E_ARGUMENT, "%lld elements; expected 1 or more", (long long)n);
    if (spacing == 0 || spacing != spacing)
        return refuse(name, 0, NULL, E_ARGUMENT, "the spacing is %g; expected a number other than 0",
                      spacing);
    struct composite c = composite_open_plain(NULL, composite_bytes(TY_F64, 1, &count), 0, NULL);
    ty_tensor *k = ty_iota(TY_I64, 1, &count, 0);
    k = ty_where(ty_lt(k, ty_int(positive)), k, ty_sub(k, ty_int(n)));
    /* multiplies by the reciprocal in f64, as NumPy does */
    k = ty_mul(ty_cast(k, TY_F64), ty_num(1 / ((double)n * spacing)));
    return composite_close(c, ty_cast(k, dtype));
}

ty_tensor *ty_fftfreq(ty_dtype dtype, int64_t n, double spacing) {
    return frequencies("fftfreq", dtype, n, n, n / 2 + n % 2, spacing);
}
ty_tensor *ty_rfftfreq(ty_dtype dtype, int64_t n, double spacing) {
    return frequencies("rfftfreq", dtype, n, n / 2 + 1, n / 2 + 1, spacing);
}

/* Return the least length >= size that has no prime factor above 7. Each product of powers of 3, 5 and 7 (a
   few thousand below 2^63) is multiplied by the least power of 2 that reaches `size`. */
int64_t ty_fft_good(int64_t size) {
    uint64_t least = size < 1 ? 1 : (uint64_t)size, best = UINT64_MAX;
    for (uint64_t p7 = 1; p7 < best; p7 = p7 <= best / 7 ? p7 * 7 : best)
        for (uint64_t p5 = p7; p5 < best; p5 = p5 <= best / 5 ? p5 * 5 : best)
            for (uint64_t p3 = p5; p3 < best; p3 = p3 <= best / 3 ? p3 * 3 : best) {
                uint64_t n = p3;
                while (n < least) n *= 2; /* below 2^64, since least is below 2^63 */
                if (n < best) best = n;
            }
    return best > INT64_MAX ? size : (int64_t)best;
}
