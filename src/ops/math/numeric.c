/* Comparison with tolerance, replacement of NaN and infinities, and other small composites. */
#include <math.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include "ops/core/structure.h"

/* Return a bool mask by NumPy's isclose, elementwise: |a - b| <= atol + rtol |b|, or a == b, which covers
   infinities; two NaNs are close if equal_nan. */
static ty_tensor *is_close(ty_tensor *a, ty_tensor *b, double rtol, double atol, bool equal_nan) {
    ty_tensor *pair[] = {a, b};
    cast_to_common(NULL, 2, (ty_tensor *const[]){a, b}, MATCHED, pair);
    ty_tensor *x = as_floating(pair[0]), *y = as_floating(pair[1]);
    ty_tensor *bound = ty_add(ty_mul(ty_abs(y), ty_num(rtol)), ty_num(atol));
    ty_tensor *near = ty_logical_and(ty_le(ty_abs(ty_sub(x, y)), bound), ty_is_finite(y));
    near = ty_logical_or(near, ty_eq(pair[0], pair[1]));
    return equal_nan ? ty_logical_or(near, ty_logical_and(ty_is_nan(x), ty_is_nan(y))) : near;
}

ty_tensor *ty_is_close(ty_tensor *a, ty_tensor *b, double rtol, double atol, bool equal_nan) {
    ty_tensor *pair[] = {a, b}, *bad = first_poison(2, pair);
    if (bad) return bad;
    struct composite c = composite_open_plain("is_close", 0, 2, pair);
    return composite_close(c, is_close(pair[0], pair[1], rtol, atol, equal_nan));
}

ty_tensor *ty_all_close(ty_tensor *a, ty_tensor *b, double rtol, double atol, bool equal_nan) {
    ty_tensor *pair[] = {a, b}, *bad = first_poison(2, pair);
    if (bad) return bad;
    struct composite c = composite_open_plain("all_close", 0, 2, pair);
    return composite_close(c, ty_all(is_close(pair[0], pair[1], rtol, atol, equal_nan), TY_ALL));
}

/* Return x with NaN replaced by `nan`, infinity by `above` and -infinity by `below`; infinite replacements
   stand for the dtype's greatest and least finite number. */
static ty_tensor *finite_part(ty_tensor *x, double nan, double above, double below) {
    double most = dtype_greatest(ty_dtype_of(x));
    ty_tensor *y = ty_where(ty_is_nan(x), ty_num(nan), x);
    y = ty_where(ty_is_pos_inf(x), ty_num(above < INFINITY ? above : most), y);
    return ty_where(ty_is_neg_inf(x), ty_num(below > -INFINITY ? below : -most), y);
}

ty_tensor *ty_nan_to_num(ty_tensor *x, double nan, double above, double below) {
    if (!ty_ok(x) || !dtype_is(ty_dtype_of(x), CLASS_FLOAT | CLASS_COMPLEX)) return tensor_share(x);
    struct composite c = composite_open_plain("nan_to_num", 0, 1, &x);
    if (!dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        return composite_close(c, finite_part(x, nan, above, below));
    ty_tensor *real = finite_part(ty_real(x), nan, above, below),
              *imaginary = finite_part(ty_imag(x), nan, above, below);
    return composite_close(c, ty_add(real, ty_mul(imaginary, ty_complex(0, 1))));
}

ty_tensor *ty_lerp(ty_tensor *a, ty_tensor *b, ty_tensor *weight) {
    ty_tensor *x[] = {a, b, weight}, *bad = first_poison(3, x);
    if (bad) return bad;
    struct composite c = composite_open_plain("lerp", 0, 3, x);
    cast_to_common(NULL, 3, x, FLOATING, x); /* differences of integers would wrap */
    return composite_close(c, ty_fma(x[2], ty_sub(x[1], x[0]), x[0]));
}

ty_tensor *ty_float_power(ty_tensor *a, ty_tensor *b) {
    ty_tensor *x[] = {a, b}, *bad = first_poison(2, x);
    if (bad) return bad;
    ty_dtype dtype = ty_promote(ty_promote(ty_dtype_of(a), ty_dtype_of(b)), TY_F64);
    struct composite c = composite_open_plain("float_power", 0, 2, x);
    return composite_close(c, ty_pow(ty_cast(x[0], dtype), ty_cast(x[1], dtype)));
}
