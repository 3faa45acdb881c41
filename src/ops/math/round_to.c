/* Rounding to decimal digits by scaling and rounding; exact for integers. */
#include <math.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include "base/math/scalar.h"
#include "ops/core/structure.h"

/* 10^18 is the largest power of ten in i64. */
enum { MOST_DIGITS = 18 };

/* Return integers x rounded to multiples of `unit`, which is even and fits the dtype; ties go to the even
   multiple. A result that does not fit the dtype wraps. */
static ty_tensor *whole_units(ty_tensor *x, int64_t unit) {
    ty_dtype dtype = ty_dtype_of(x);
    ty_tensor *step = stored_as(NULL, ty_int(unit), dtype), *half = stored_as(NULL, ty_int(unit / 2), dtype);
    ty_tensor *below = ty_floor_div(x, step), *rest = ty_sub(x, ty_mul(below, step));
    ty_tensor *odd = ty_ne(ty_bit_and(below, ty_int(1)), ty_int(0));
    ty_tensor *up = ty_logical_or(ty_gt(rest, half), ty_logical_and(ty_eq(rest, half), odd));
    return ty_mul(ty_add(below, ty_cast(up, dtype)), step);
}

/* Return integers x rounded to multiples of 10^digits, digits >= 0. Computed in 64 bits, because the unit may
   not fit narrower dtypes; wraps to x's dtype like other arithmetic. */
static ty_tensor *rounded_integers(ty_tensor *x, int digits) {
    ty_dtype dtype = ty_dtype_of(x);
    int64_t unit = 1;
    if (digits > MOST_DIGITS) return ty_zeros_like(x);
    for (int i = 0; i < digits; i++) unit *= 10;
    ty_dtype wide = dtype == TY_U64 ? TY_U64 : TY_I64;
    return ty_cast(whole_units(ty_cast(x, wide), unit), dtype);
}

/* Return floating x rounded to this number of decimals; negative: to tens, hundreds. Where scaling overflows,
   x has no such digits, or rounds to 0. */
static ty_tensor *rounded_floats(ty_tensor *x, int decimals) {
    ty_tensor *unit = ty_num(math_pow(10, fabs((double)decimals)));
    if (decimals > 0) {
        ty_tensor *scaled = ty_mul(x, unit);
        ty_tensor *inside = ty_logical_and(ty_is_finite(scaled), ty_is_finite(unit));
        return ty_where(inside, ty_div(ty_round(scaled), unit), x);
    }
    ty_tensor *units = ty_round(ty_div(x, unit));
    ty_tensor *back = ty_where(ty_eq(units, ty_num(0)), units, ty_mul(units, unit));
    return ty_where(ty_is_finite(x), back, x);
}

/* Return x rounded to this number of decimals, for any dtype; complex numbers by parts. */
static ty_tensor *rounded(ty_tensor *x, int decimals) {
    ty_dtype dtype = ty_dtype_of(x);
    if (dtype_is(dtype, CLASS_COMPLEX))
        return ty_from_parts(rounded_floats(ty_real(x), decimals), rounded_floats(ty_imag(x), decimals));
    if (dtype_is(dtype, CLASS_FLOAT)) return rounded_floats(x, decimals);
    return decimals >= 0 || dtype == TY_BOOL ? x : rounded_integers(x, -decimals);
}

ty_tensor *ty_round_to(ty_tensor *x, int decimals) {
    FLOATING_DEFAULT;
    if (!ty_ok(x)) return tensor_share(x);
    if (decimals == 0 && !dtype_is(ty_dtype_of(x), CLASS_COMPLEX)) return ty_round(x);
    enum { MOST = 400 }; /* further digits than f64 has, including subnormals: nothing changes */
    decimals = decimals > MOST ? MOST : decimals < -MOST ? -MOST : decimals;
    struct composite c = composite_open("round_to", 1, &x);
    return composite_close(c, rounded(x, decimals));
}
