/*
 * Conversion from and to dtypes for storage, by elementwise operators on codes: the bits of one number each.  So all
 * engines compute the same bits, and codes fuse with the operators around.
 *
 * Floats become f32, which holds them all, and integers i8 or u8; ty_cast does the rest.  In the other direction numbers
 * become f32 first.  Those that f32 cannot hold are rounded to odd: their last bit is 1 if digits were cut.  So the
 * second rounding cannot meet a false tie (Boldo and Melquiond, "When double rounding is odd", 2005).
 */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "ops/core/storage.h"
#include "ops/math/storage_formats.h"
#include "ops/shape/arrange.h"

static ty_tensor *masked(ty_tensor *x, int64_t bits) { return ty_bit_and(x, ty_int(bits)); }
static ty_tensor *left(ty_tensor *x, int n) { return n ? ty_shift_left(x, ty_int(n)) : x; }
static ty_tensor *right(ty_tensor *x, int n) { return n ? ty_shift_right(x, ty_int(n)) : x; }
static ty_tensor *f32_of_bits(ty_tensor *bits) { return ty_view_as(bits, TY_F32); }

/* ---- codes and bytes ---- */

/* Return the bit at which byte i of a word of n bytes lies in memory order. */
static int byte_bit(int i, int n) { return 8 * (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : n - 1 - i); }

/* Return the dtype of words with a byte for each number that shares one. */
static ty_dtype word_of(int share) { return share == 2 ? TY_U16 : TY_U32; }

/* Return the codes of x, u8 of its shape: each byte spreads over a word. */
static ty_tensor *codes_of(ty_tensor *x) {
    ty_dtype dtype = ty_dtype_of(x);
    int share = (int)dtype_share(dtype), bits = dtype_table[dtype].bits;
    ty_tensor *bytes = bytes_of_packed(x);
    if (share == 1) return reshape_like(bytes, ty_rank(x), ty_shape(x));
    ty_tensor *word = ty_cast(bytes, word_of(share)), *spread = masked(word, (1 << bits) - 1);
    spread = left(spread, byte_bit(0, share));
    for (int i = 1; i < share; i++)
        spread = ty_bit_or(spread, left(masked(right(word, bits * i), (1 << bits) - 1), byte_bit(i, share)));
    ty_tensor *codes = ty_view_as(spread, TY_U8);
    return reshape_like(range_of(codes, 0, 0, ty_size(x)), ty_rank(x), ty_shape(x));
}

/* Return the numbers of `dtype` with these codes, u8 whose bits above those of the dtype are 0. */
static ty_tensor *of_codes(ty_tensor *codes, ty_dtype dtype) {
    int share = (int)dtype_share(dtype), bits = dtype_table[dtype].bits;
    int64_t n = ty_size(codes), lacking = dtype_bytes(dtype, n) * share - n;
    ty_tensor *line = reshape_like(codes, 1, &n);
    if (lacking) line = ty_concat(2, (ty_tensor *[]){line, ty_zeros(TY_U8, 1, &lacking)}, 0);
    if (share > 1) {
        ty_tensor *word = ty_view_as(line, word_of(share));
        line = right(word, byte_bit(0, share));
        for (int i = 1; i < share; i++)
            line = ty_bit_or(line, left(masked(right(word, byte_bit(i, share)), (1 << bits) - 1), bits * i));
        line = ty_cast(line, TY_U8);
    }
    return packed_of_bytes(line, dtype, ty_rank(codes), ty_shape(codes));
}

/* ---- numbers of codes ---- */

/* Return the numbers of an integer dtype, i8 or u8. */
static ty_tensor *integers_of(ty_tensor *codes, ty_dtype dtype) {
    int bits = dtype_table[dtype].bits;
    if (dtype == TY_U4 || dtype == TY_U2) return codes;
    ty_tensor *half = ty_int(1 << (bits - 1));
    return ty_sub(ty_bit_xor(ty_view_as(codes, TY_I8), half), half);
}

/* Return the numbers of TY_F8_E8M0, f32: the code is the exponent of f32, but 0, which is half the least normal one. */
static ty_tensor *scales_of(ty_tensor *codes) {
    ty_tensor *code = ty_cast(codes, TY_I32);
    ty_tensor *bits = ty_max(left(code, F32_DIGITS), ty_int(F32_LEAST_SCALE));
    return f32_of_bits(ty_where(ty_eq(code, ty_int(SCALE_NAN)), ty_int(F32_NAN), bits));
}

/* Return the numbers of a float of 8 or 4 bits, f32. */
static ty_tensor *floats_of(ty_tensor *codes, const struct storage_format *f) {
    int sign = 1 << (f->digits + f->exponents);
    ty_tensor *code = ty_cast(codes, TY_I32), *size = masked(code, sign - 1);
    ty_tensor *normal = ty_add(left(size, F32_DIGITS - f->digits), ty_int(f32_shift(f)));
    ty_tensor *small = ty_mul(ty_cast(size, TY_F32), ty_num(ldexp(1, 1 - f->bias - f->digits)));
    ty_tensor *bits = ty_where(ty_lt(size, ty_int(1 << f->digits)), ty_view_as(small, TY_I32), normal);
    if (f->infinity) bits = ty_where(ty_eq(size, ty_int(f->infinity)), ty_int(F32_INFINITY), bits);
    if (f->nan && !f->unsigned_zero) bits = ty_where(ty_ge(size, ty_int(f->nan)), ty_int(F32_NAN), bits);
    bits = ty_bit_or(bits, left(right(code, f->digits + f->exponents), 31));
    if (f->unsigned_zero) bits = ty_where(ty_eq(code, ty_int(sign)), ty_int(F32_NAN), bits);
    return f32_of_bits(bits);
}

/* Return x, of a dtype for storage, in the least wide dtype of operators that holds it. */
static ty_tensor *widened(ty_tensor *x) {
    ty_dtype dtype = ty_dtype_of(x);
    ty_tensor *codes = codes_of(x);
    if (dtype == TY_F8_E8M0) return scales_of(codes);
    return dtype >= TY_I4 ? integers_of(codes, dtype) : floats_of(codes, storage_format_of(dtype));
}

/* ---- codes of numbers ---- */

/* Return x, of f64, as f32 rounded to odd. */
static ty_tensor *odd_of_doubles(ty_tensor *x) {
    ty_tensor *near = ty_cast(x, TY_F32), *back = ty_cast(near, TY_F64), *bits = ty_view_as(near, TY_I32);
    ty_tensor *cut = ty_sub(bits, ty_cast(ty_gt(ty_abs(back), ty_abs(x)), TY_I32));
    ty_tensor *beyond = ty_logical_not(ty_lt(ty_abs(x), ty_num(0x1p128))); /* or NaN: stays what it is */
    ty_tensor *exact = ty_logical_or(ty_eq(back, x), beyond);
    return f32_of_bits(ty_where(exact, bits, ty_bit_or(cut, ty_int(1))));
}

/* Return x, integers of 64 bits, as f64 in which integers that need more digits are rounded to odd. */
static ty_tensor *odd_of_integers(ty_tensor *x) {
    enum { KEPT = 11 }; /* 64 bits less the 53 of f64 */
    ty_tensor *cut = ty_ne(masked(x, (1 << KEPT) - 1), ty_int(0));
    ty_tensor *odd = ty_bit_or(right(x, KEPT), ty_cast(cut, ty_dtype_of(x)));
    ty_tensor *large = ty_mul(ty_cast(odd, TY_F64), ty_num(1 << KEPT));
    ty_tensor *limit = ty_int(INT64_C(1) << 53);
    return ty_where(ty_lt(ty_abs(x), limit), ty_cast(x, TY_F64), large);
}

/* Return x, of any dtype but those for storage, as f32 that rounds to the same number of fewer digits. */
static ty_tensor *singles_of(ty_tensor *x) {
    ty_dtype dtype = ty_dtype_of(x);
    if (dtype_is(dtype, CLASS_COMPLEX)) return singles_of(ty_real(x));
    if (dtype == TY_I64 || dtype == TY_U64) return odd_of_doubles(odd_of_integers(x));
    if (dtype == TY_I32 || dtype == TY_U32) return odd_of_doubles(ty_cast(x, TY_F64));
    return dtype == TY_F64 ? odd_of_doubles(x) : ty_cast(x, TY_F32);
}

/* Return the codes of f32 numbers in TY_F8_E8M0: bits of f32 and a summand that carries into the exponent. */
static ty_tensor *scale_codes(ty_tensor *x, const ty_cast_options *options) {
    static const int32_t normal[] = {(1 << F32_DIGITS) - 1, 0, 1 << (F32_DIGITS - 1)};
    static const int32_t least[] = {F32_LEAST_SCALE - 1, 0, F32_LEAST_SCALE / 2};
    ty_tensor *bits = ty_view_as(x, TY_I32), *size = masked(bits, INT32_MAX);
    ty_tensor *carry =
        ty_where(ty_lt(size, ty_int(1 << F32_DIGITS)), ty_scalar(TY_I32, least[options->scale]),
                 ty_scalar(TY_I32, normal[options->scale]));
    ty_tensor *code = right(ty_add(ty_min(size, ty_int(F32_INFINITY)), carry), F32_DIGITS);
    ty_tensor *bad = ty_logical_or(ty_is_nan(x), ty_lt(x, ty_num(0)));
    if (options->overflows) bad = ty_logical_or(bad, ty_lt(size, ty_int(F32_LEAST_SCALE)));
    code = ty_min(code, ty_int(options->overflows ? SCALE_NAN : SCALE_NAN - 1));
    return ty_where(bad, ty_int(SCALE_NAN), code);
}

/* Return the codes of f32 numbers in a float of 8 or 4 bits, i32.  The sum with a number whose unit is the least
   subnormal number rounds small ones, a sum of integers the others. */
static ty_tensor *float_codes(ty_tensor *x, const struct storage_format *f, bool overflows) {
    int cut = F32_DIGITS - f->digits, sign = f->digits + f->exponents;
    ty_tensor *bits = ty_view_as(x, TY_I32), *size = masked(bits, INT32_MAX);
    ty_tensor *magic = ty_scalar(TY_F32, ldexp(1, 1 - f->bias - f->digits + F32_DIGITS));
    ty_tensor *small =
        ty_sub(ty_view_as(ty_add(f32_of_bits(size), magic), TY_I32), ty_view_as(magic, TY_I32));
    ty_tensor *kept = ty_min(size, ty_int(F32_INFINITY)), *odd = masked(right(kept, cut), 1);
    ty_tensor *normal = ty_add(ty_add(kept, odd), ty_int((1 << (cut - 1)) - 1 - f32_shift(f)));
    ty_tensor *code =
        ty_where(ty_lt(size, ty_int(f32_shift(f) + (1 << F32_DIGITS))), small, right(normal, cut));
    ty_tensor *negative = left(masked(right(bits, 31), 1), sign);
    int64_t most = f->largest + (overflows && f->nan), nan = f->nan;
    ty_tensor *bad = ty_gt(size, ty_int(F32_INFINITY));
    if (f->unsigned_zero) {
        if (overflows) bad = ty_logical_or(bad, ty_gt(code, ty_int(f->largest)));
        code = ty_min(code, ty_int(f->largest));
        negative = ty_where(ty_eq(code, ty_int(0)), ty_int(0), negative);
        return ty_where(bad, ty_int(nan), ty_bit_or(code, ty_cast(negative, TY_I32)));
    }
    code = ty_where(bad, ty_int(f->quiet), ty_min(code, ty_int(most)));
    code = ty_bit_or(ty_cast(code, TY_I32), negative);
    return f->nan ? code : ty_where(bad, ty_int(0), code);
}

/* Return the codes of x in an integer dtype: integers wrap, others are truncated and saturate, and NaN becomes 0. */
static ty_tensor *integer_codes(ty_tensor *x, ty_dtype dtype) {
    int bits = dtype_table[dtype].bits;
    int64_t low = dtype == TY_I4 || dtype == TY_I2 ? -(1 << (bits - 1)) : 0, high = low + (1 << bits) - 1;
    if (!dtype_is(ty_dtype_of(x), CLASS_BOOL | CLASS_INTEGER))
        x = ty_min(ty_max(ty_cast(x, TY_I32), ty_int(low)), ty_int(high));
    return masked(ty_cast(x, TY_U8), (1 << bits) - 1);
}

/* Return x, of a dtype of operators, in the dtype for storage. */
static ty_tensor *narrowed(ty_tensor *x, ty_dtype dtype, const ty_cast_options *options) {
    if (dtype >= TY_I4) return of_codes(integer_codes(x, dtype), dtype);
    x = singles_of(x);
    ty_tensor *codes = dtype == TY_F8_E8M0 ? scale_codes(x, options)
                                           : float_codes(x, storage_format_of(dtype), options->overflows);
    return of_codes(ty_cast(codes, TY_U8), dtype);
}

static ty_tensor *cast(ty_tensor *x, ty_dtype dtype, const ty_cast_options *options) {
    ty_tensor *first = x;
    struct composite c = composite_open_plain("cast", composite_bytes(dtype, ty_rank(x), ty_shape(x)), 1, &x);
    if (c.evaluates) x = ty_lazy(x); /* operands for storage may be small beside the result */
    c.first = first;
    if (dtype_stored(ty_dtype_of(x))) x = widened(x);
    return composite_close(c, dtype_stored(dtype) ? narrowed(x, dtype, options) : ty_cast(x, dtype));
}

const struct storage storage = {cast, codes_of, of_codes};
