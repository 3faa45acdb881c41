/* Half-precision conversion, and loads and stores of single elements.  The command `tyto` has a copy (CMakeLists.txt). */
#include "array/dtype.h"
#include <math.h>
#include <string.h>

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
