/* Comparison of elements in their widest types. */
#include "tools/onnx/agree.h"
#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <tyto/shape.h>
#include "ops/core/storage.h"

/* Relative tolerance of bf16, two units in the last place: that of the official tests. */
static const double BF16_RELATIVE = 0x1p-6;

/* Append a dtype and a shape: "f32[2,3]". */
static void add_form(struct text *t, const ty_tensor *x) {
    text_add(t, "%s[", ty_dtype_name(ty_dtype_of(x)));
    for (int i = 0; i < ty_rank(x); i++) text_add(t, i ? ",%" PRId64 : "%" PRId64, ty_shape(x)[i]);
    text_add(t, "]");
}

/* Return true if dtypes and shapes agree and no tensor is poison; else append the difference. */
static bool same_form(const ty_tensor *found, const ty_tensor *expected, struct text *words) {
    bool same = ty_dtype_of(found) == ty_dtype_of(expected) && ty_rank(found) == ty_rank(expected);
    if (!ty_ok(found) || !ty_ok(expected)) {
        text_add(words, "%s", ty_error(ty_ok(found) ? expected : found));
        return false;
    }
    for (int i = 0; i < ty_rank(found) && same; i++) same = ty_shape(found)[i] == ty_shape(expected)[i];
    if (same) return true;
    text_add(words, "expected ");
    add_form(words, expected);
    text_add(words, ", found ");
    add_form(words, found);
    return false;
}

/* ---- element by element ---- */

static void add_element(struct text *t, ty_dtype dtype, struct element e) {
    if (dtype_is(dtype, CLASS_COMPLEX))
        text_add(t, "%.9g%+.9gi", (double)creall(e.z), (double)cimagl(e.z));
    else if (dtype_is(dtype, CLASS_FLOAT))
        text_add(t, "%.9g", element_number(dtype, e));
    else if (dtype_is(dtype, CLASS_UNSIGNED))
        text_add(t, "%" PRIu64, (uint64_t)e.i);
    else
        text_add(t, "%" PRId64, e.i);
}

/* Append the index of element k in row-major order: "[1,0]". */
static void add_index(struct text *t, const ty_tensor *x, int64_t k) {
    int64_t index[TY_MAX_RANK];
    for (int i = ty_rank(x); i-- > 0; k /= ty_shape(x)[i]) index[i] = k % ty_shape(x)[i];
    text_add(t, "[");
    for (int i = 0; i < ty_rank(x); i++) text_add(t, i ? ",%" PRId64 : "%" PRId64, index[i]);
    text_add(t, "]");
}

/* Real and imaginary parts are compared by the distance in the plane, as NumPy does. */
static bool close_elements(ty_dtype dtype, struct element x, struct element y, struct tolerance t) {
    if (!dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX)) return x.i == y.i;
    long double distance = cabsl(x.z - y.z), size = cabsl(y.z);
    bool nan_x = isnan(creall(x.z)) || isnan(cimagl(x.z)), nan_y = isnan(creall(y.z)) || isnan(cimagl(y.z));
    if (nan_x || nan_y) return nan_x && nan_y;
    if (x.z == y.z) return true;
    return isfinite(size) && distance <= (long double)t.absolute + (long double)t.relative * size;
}

bool agree_tensors(ty_tensor *found, ty_tensor *expected, struct tolerance t, struct text *words) {
    if (!same_form(found, expected, words)) return false;
    ty_dtype dtype = dtype_widened(ty_dtype_of(expected));
    found = ty_cast(found, dtype), expected = ty_cast(expected, dtype);
    size_t size = ty_dtype_size(dtype);
    int64_t n = ty_size(expected), differ = 0;
    const char *x = ty_data(ty_contiguous(found)), *y = ty_data(ty_contiguous(expected));
    if (dtype == TY_BF16 && t.relative < BF16_RELATIVE) t.relative = BF16_RELATIVE;
    if (n && (!x || !y)) {
        text_add(words, "the elements cannot be read");
        return false;
    }
    for (int64_t k = 0; k < n; k++) {
        struct element a = element_load(dtype, x + (size_t)k * size),
                       b = element_load(dtype, y + (size_t)k * size);
        if (close_elements(dtype, a, b, t) || differ++) continue;
        text_add(words, "at ");
        add_index(words, expected, k);
        text_add(words, " expected ");
        add_element(words, dtype, b);
        text_add(words, ", found ");
        add_element(words, dtype, a);
    }
    if (differ) text_add(words, "; %" PRId64 " of %" PRId64 " elements differ", differ, n);
    return !differ;
}

/* ---- draws ---- */

/* Set moments[0] and [1] to the mean of the n numbers' powers 1 and 2, errors[0] and [1] to the variances of these means. */
static void moments_of(const double *x, int64_t n, double moments[2], double errors[2]) {
    for (int power = 0; power < 2; power++) {
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < n; i++) {
            double y = power ? x[i] * x[i] : x[i];
            sum += y;
            squares += y * y;
        }
        moments[power] = sum / (double)n;
        errors[power] = fmax(0, squares / (double)n - moments[power] * moments[power]) / (double)n;
    }
}

bool agree_draws(ty_tensor *found, ty_tensor *expected, struct text *words) {
    enum { ERRORS = 5 }; /* standard errors: 1 in 10^6 draws is farther off */
    static const char *const names[] = {"means", "mean squares"};
    if (!same_form(found, expected, words)) return false;
    int64_t n = ty_size(expected);
    double a[2], b[2], in_a[2], in_b[2];
    if (n <= 1) return true;
    const double *x = ty_data(ty_contiguous(ty_cast(found, TY_F64)));
    const double *y = ty_data(ty_contiguous(ty_cast(expected, TY_F64)));
    if (!x || !y) {
        text_add(words, "the elements cannot be read");
        return false;
    }
    moments_of(x, n, a, in_a);
    moments_of(y, n, b, in_b);
    for (int power = 0; power < 2; power++) {
        double most = ERRORS * sqrt(in_a[power] + in_b[power]);
        if (fabs(a[power] - b[power]) <= most) continue;
        text_add(words, "the %s of %" PRId64 " draws are far apart: expected %.6g, found %.6g", names[power],
                 n, b[power], a[power]);
        return false;
    }
    return true;
}
