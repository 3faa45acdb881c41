/* Table of dtypes, promotion rule, half-precision conversion, and loads and stores of single elements. */
#include "array/dtype.h"
#include <math.h>
#include <string.h>

/* name, bytes, bits, class, real, floating, computed, sums, digits, exponent */
const struct dtype_info dtype_table[DTYPE_ROWS] = {
    [TY_BOOL] = {"bool", 1, 8, CLASS_BOOL, TY_BOOL, TY_F32, TY_BOOL, TY_I64, 1, 0},
    [TY_I8] = {"i8", 1, 8, CLASS_SIGNED, TY_I8, TY_F32, TY_I8, TY_I64, 7, 0},
    [TY_I16] = {"i16", 2, 16, CLASS_SIGNED, TY_I16, TY_F32, TY_I16, TY_I64, 15, 0},
    [TY_I32] = {"i32", 4, 32, CLASS_SIGNED, TY_I32, TY_F64, TY_I32, TY_I64, 31, 0},
    [TY_I64] = {"i64", 8, 64, CLASS_SIGNED, TY_I64, TY_F64, TY_I64, TY_I64, 63, 0},
    [TY_U8] = {"u8", 1, 8, CLASS_UNSIGNED, TY_U8, TY_F32, TY_U8, TY_U64, 8, 0},
    [TY_U16] = {"u16", 2, 16, CLASS_UNSIGNED, TY_U16, TY_F32, TY_U16, TY_U64, 16, 0},
    [TY_U32] = {"u32", 4, 32, CLASS_UNSIGNED, TY_U32, TY_F64, TY_U32, TY_U64, 32, 0},
    [TY_U64] = {"u64", 8, 64, CLASS_UNSIGNED, TY_U64, TY_F64, TY_U64, TY_U64, 64, 0},
    [TY_F16] = {"f16", 2, 16, CLASS_FLOAT, TY_F16, TY_F16, TY_F32, TY_F16, 11, 16},
    [TY_BF16] = {"bf16", 2, 16, CLASS_FLOAT, TY_BF16, TY_BF16, TY_F32, TY_BF16, 8, 128},
    [TY_F32] = {"f32", 4, 32, CLASS_FLOAT, TY_F32, TY_F32, TY_F32, TY_F32, 24, 128},
    [TY_F64] = {"f64", 8, 64, CLASS_FLOAT, TY_F64, TY_F64, TY_F64, TY_F64, 53, 1024},
    [TY_C64] = {"c64", 8, 64, CLASS_COMPLEX, TY_F32, TY_C64, TY_C64, TY_C64, 24, 128},
    [TY_C128] = {"c128", 16, 128, CLASS_COMPLEX, TY_F64, TY_C128, TY_C128, TY_C128, 53, 1024},
#define STORED(D, name, bits, digits, exponent)                                                              \
    [D] = {name, 1, bits, CLASS_STORED, D, D, D, D, digits, exponent}
    [TY_DTYPES] = {"", 1, 8, CLASS_STORED, TY_DTYPES, TY_DTYPES, TY_DTYPES, TY_DTYPES, 1, 0},
    STORED(TY_F8_E4M3FN, "f8_e4m3fn", 8, 4, 9),
    STORED(TY_F8_E4M3FNUZ, "f8_e4m3fnuz", 8, 4, 8),
    STORED(TY_F8_E5M2, "f8_e5m2", 8, 3, 16),
    STORED(TY_F8_E5M2FNUZ, "f8_e5m2fnuz", 8, 3, 16),
    STORED(TY_F8_E8M0, "f8_e8m0", 8, 1, 128),
    STORED(TY_F4_E2M1, "f4_e2m1", 4, 2, 3),
    STORED(TY_I4, "i4", 4, 3, 0),
    STORED(TY_U4, "u4", 4, 4, 0),
    STORED(TY_I2, "i2", 2, 1, 0),
    STORED(TY_U2, "u2", 2, 2, 0),
#undef STORED
};

const char *ty_dtype_name(ty_dtype dtype) { return dtype_known(dtype) ? dtype_table[dtype].name : "?"; }
size_t ty_dtype_size(ty_dtype dtype) { return dtype_known(dtype) ? dtype_table[dtype].size : 0; }
int ty_dtype_bits(ty_dtype dtype) { return dtype_known(dtype) ? dtype_table[dtype].bits : 0; }

/* Return the smallest floating dtype that NumPy promotes the integers of `dtype` to: f16, f32 or f64, by size. */
static ty_dtype float_holding(ty_dtype dtype) {
    static const ty_dtype by_size[] = {[1] = TY_F16, [2] = TY_F32, [4] = TY_F64, [8] = TY_F64};
    return dtype_is(dtype, CLASS_BOOL) ? TY_F16 : by_size[dtype_table[dtype].size];
}

/* Return the common dtype of two integer dtypes: the smallest that holds both; f64 for u64 with a signed
   one. */
static ty_dtype promote_integers(ty_dtype a, ty_dtype b) {
    size_t size_a = dtype_table[a].size, size_b = dtype_table[b].size;
    if (dtype_table[a].klass == dtype_table[b].klass) return size_a >= size_b ? a : b;
    size_t size_signed = dtype_is(a, CLASS_SIGNED) ? size_a : size_b;
    size_t size_unsigned = dtype_is(a, CLASS_SIGNED) ? size_b : size_a;
    if (size_signed > size_unsigned) return dtype_is(a, CLASS_SIGNED) ? a : b;
    static const ty_dtype above[] = {[1] = TY_I16, [2] = TY_I32, [4] = TY_I64, [8] = TY_F64};
    return above[size_unsigned];
}

static ty_dtype promote_floats(ty_dtype a, ty_dtype b) {
    if (a == b) return a;
    if (dtype_table[a].size == dtype_table[b].size) return TY_F32; /* f16 with bf16 */
    return dtype_table[a].size > dtype_table[b].size ? a : b;
}

/* Return the common dtype of the floating dtype f and another real one. bf16 with an integer stays bf16, as
   in PyTorch and JAX, since NumPy has no bf16. */
static ty_dtype promote_to_float(ty_dtype f, ty_dtype other) {
    if (f == TY_BF16 && dtype_is(other, CLASS_BOOL | CLASS_INTEGER)) return f;
    if (dtype_is(other, CLASS_BOOL | CLASS_INTEGER)) other = float_holding(other);
    return promote_floats(f, other);
}

ty_dtype ty_promote(ty_dtype a, ty_dtype b) {
    if (!dtype_valid(a) || !dtype_valid(b)) return TY_DTYPES;
    if (a == b) return a;
    if (dtype_is(a, CLASS_BOOL)) return b;
    if (dtype_is(b, CLASS_BOOL)) return a;
    if (dtype_is(a, CLASS_INTEGER) && dtype_is(b, CLASS_INTEGER)) return promote_integers(a, b);
    if (!dtype_is(a, CLASS_COMPLEX) && !dtype_is(b, CLASS_COMPLEX))
        return dtype_is(a, CLASS_FLOAT) ? promote_to_float(a, b) : promote_to_float(b, a);
    ty_dtype real_a = dtype_table[a].real, real_b = dtype_table[b].real;
    ty_dtype part =
        dtype_is(real_a, CLASS_FLOAT) ? promote_to_float(real_a, real_b) : promote_to_float(real_b, real_a);
    return part == TY_F64 ? TY_C128 : TY_C64;
}

/* Return the common dtype of a set of dtype_bit; TY_DTYPES if it is empty, and a dtype for storage if it has one. Dtypes are promoted from the last to
   the first, complex before bool. So an integer is promoted with the floating dtype, and not with another
   integer, which might give a wider result. */
ty_dtype promote_set(uint32_t dtypes) {
    ty_dtype met = TY_DTYPES;
    if (dtypes >> TY_DTYPES) return (ty_dtype)(31 - __builtin_clz(dtypes));
    for (int d = TY_DTYPES - 1; d >= 0; d--)
        if (dtypes & dtype_bit((ty_dtype)d))
            met = met == TY_DTYPES ? (ty_dtype)d : ty_promote(met, (ty_dtype)d);
    return met;
}

ty_dtype ty_promote_all(int n, const ty_dtype *dtypes) {
    uint32_t set = 0;
    if (!dtypes) return TY_DTYPES;
    for (int i = 0; i < n; i++) {
        if (!dtype_valid(dtypes[i])) return TY_DTYPES;
        set |= dtype_bit(dtypes[i]);
    }
    return promote_set(set);
}

double dtype_greatest(ty_dtype dtype) {
    return ldexp(1 - ldexp(1, -dtype_table[dtype].digits), dtype_table[dtype].exponent);
}

/* ---- half precision ---- */

static float float_of_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static uint32_t bits_of_float(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

float f16_to_f32(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 1023;
    if (exponent == 31) return float_of_bits(sign | 0x7f800000 | mantissa << 13);
    if (exponent) return float_of_bits(sign | (exponent + 112) << 23 | mantissa << 13);
    float tiny = (float)mantissa * 0x1p-24f;
    return sign ? -tiny : tiny;
}

/* Return the bits of d rounded to f16, to nearest, ties to even; NaN stays NaN. f32 and f64 share this code, so
   no value is rounded twice. */
uint16_t f64_to_f16(double d) {
    uint16_t sign = signbit(d) ? 0x8000 : 0;
    d = fabs(d);
    if (d != d) return sign | 0x7e00;
    if (d >= 65520) return sign | 0x7c00;
    if (d < 0x1p-14) return sign | (uint16_t)nearbyint(d * 0x1p24);
    int exponent;
    double mantissa = frexp(d, &exponent);       /* in [0.5, 1) */
    int whole = (int)nearbyint(mantissa * 2048); /* 1024 to 2048: a carry moves into the exponent */
    return sign | (uint16_t)(((exponent + 13) << 10) + whole);
}
uint16_t f32_to_f16(float f) { return f64_to_f16(f); }

float bf16_to_f32(uint16_t h) { return float_of_bits((uint32_t)h << 16); }

uint16_t f32_to_bf16(float f) {
    uint32_t bits = bits_of_float(f);
    if (f != f) return (uint16_t)(bits >> 16 | 64);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Return the bits of d rounded to bf16 as if in one step, to nearest, ties to even; NaN stays NaN. The
   intermediate float is rounded to odd: its last bit keeps whether anything was cut. */
uint16_t f64_to_bf16(double d) {
    float f = (float)d;
    if (d != d || f == (double)INFINITY || f == -(double)INFINITY) return f32_to_bf16(f);
    uint32_t bits = bits_of_float(f);
    if (fabs((double)f) > fabs(d)) bits -= 1;
    if ((double)float_of_bits(bits) != d) bits |= 1;
    return f32_to_bf16(float_of_bits(bits));
}

/* ---- single elements ---- */

#define INTEGER_TYPES(ROW)                                                                                   \
    ROW(TY_I8, int8_t)                                                                                       \
    ROW(TY_I16, int16_t)                                                                                     \
    ROW(TY_I32, int32_t)                                                                                     \
    ROW(TY_I64, int64_t) ROW(TY_U8, uint8_t) ROW(TY_U16, uint16_t) ROW(TY_U32, uint32_t) ROW(TY_U64, uint64_t)

/* Return the integer or bool at `from` as int64_t; u64 values keep their bits. */
static int64_t load_integer(ty_dtype dtype, const void *from) {
    switch (dtype) {
#define ROW(D, T)                                                                                            \
    case D: {                                                                                                \
        T v;                                                                                                 \
        memcpy(&v, from, sizeof v);                                                                          \
        return (int64_t)v;                                                                                   \
    }
        INTEGER_TYPES(ROW)
#undef ROW
    default:
        return *(const uint8_t *)from != 0;
    }
}

static long double _Complex load_number(ty_dtype dtype, const void *from) {
    union {
        uint16_t h;
        float f;
        double d;
        float _Complex cf;
        double _Complex cd;
    } v;
    memcpy(&v, from, dtype_table[dtype].size);
    switch (dtype) {
    case TY_F16:
        return f16_to_f32(v.h);
    case TY_BF16:
        return bf16_to_f32(v.h);
    case TY_F32:
        return v.f;
    case TY_F64:
        return v.d;
    case TY_C64:
        return v.cf;
    default:
        return v.cd;
    }
}

struct element element_load(ty_dtype dtype, const void *from) {
    struct element e = {0};
    if (dtype_is(dtype, CLASS_BOOL | CLASS_INTEGER))
        e.i = load_integer(dtype, from);
    else
        e.z = load_number(dtype, from);
    return e;
}

static long double real_of(ty_dtype dtype, struct element e) {
    if (!dtype_is(dtype, CLASS_BOOL | CLASS_INTEGER)) return creall(e.z);
    return dtype == TY_U64 ? (long double)(uint64_t)e.i : (long double)e.i;
}

double element_number(ty_dtype dtype, struct element e) { return (double)real_of(dtype, e); }

int element_beyond(ty_dtype to, ty_dtype from, struct element e) {
    if (!dtype_is(to, CLASS_INTEGER)) return 0;
    int bits = 8 * (int)dtype_table[to].size - dtype_is(to, CLASS_SIGNED);
    if (dtype_is(from, CLASS_BOOL | CLASS_INTEGER)) {
        if (from != TY_U64 && e.i < 0)
            return e.i < (dtype_is(to, CLASS_SIGNED) ? INT64_MIN >> (63 - bits) : 0) ? -1 : 0;
        return (uint64_t)e.i > UINT64_MAX >> (64 - bits);
    }
    long double x = truncl(creall(e.z)), end = ldexpl(1, bits);
    if (x != x || x >= end) return 1;
    return x < (dtype_is(to, CLASS_SIGNED) ? -end : 0) ? -1 : 0;
}

/* Round x toward zero to the integer dtype `to`: NaN becomes 0, and values out of range saturate (undefined
   in C). */
static int64_t integer_of_real(ty_dtype to, long double x) {
    int bits = 8 * (int)dtype_table[to].size;
    if (x != x) return 0;
    if (dtype_is(to, CLASS_UNSIGNED)) {
        long double most = ldexpl(1, bits);
        if (x <= -1) return 0;
        return x >= most ? (int64_t)(UINT64_MAX >> (64 - bits)) : (int64_t)(uint64_t)x;
    }
    long double most = ldexpl(1, bits - 1);
    if (x >= most) return INT64_MAX >> (64 - bits);
    return x <= -most ? INT64_MIN >> (64 - bits) : (int64_t)x;
}

/* Store `value` at `at` as integer dtype `to`, modulo its size; as bool, store value != 0. */
static void store_integer(ty_dtype to, void *at, int64_t value) {
    switch (to) {
#define ROW(D, T)                                                                                            \
    case D: {                                                                                                \
        T v = (T)value;                                                                                      \
        memcpy(at, &v, sizeof v);                                                                            \
        return;                                                                                              \
    }
        INTEGER_TYPES(ROW)
#undef ROW
    default:
        *(uint8_t *)at = value != 0;
    }
}

/* Store z at `at`, rounded to the floating dtype `to`; real dtypes store its real part. */
static void store_number(ty_dtype to, void *at, long double _Complex z) {
    union {
        uint16_t h;
        float f;
        double d;
        float _Complex cf;
        double _Complex cd;
    } v;
    switch (to) {
    case TY_F16:
        v.h = f64_to_f16((double)creall(z));
        break;
    case TY_BF16:
        v.h = f64_to_bf16((double)creall(z));
        break;
    case TY_F32:
        v.f = (float)creall(z);
        break;
    case TY_F64:
        v.d = (double)creall(z);
        break;
    case TY_C64:
        v.cf = (float _Complex)z;
        break;
    default:
        v.cd = (double _Complex)z;
        break;
    }
    memcpy(at, &v, dtype_table[to].size);
}

void element_store(ty_dtype to, void *at, ty_dtype from, struct element e) {
    bool whole = dtype_is(from, CLASS_BOOL | CLASS_INTEGER);
    if (!dtype_is(to, CLASS_BOOL | CLASS_INTEGER)) {
        store_number(to, at, whole ? real_of(from, e) : e.z);
    } else if (to == TY_BOOL) {
        *(uint8_t *)at = whole ? e.i != 0 : e.z != 0;
    } else {
        store_integer(to, at, whole ? e.i : integer_of_real(to, creall(e.z)));
    }
}
