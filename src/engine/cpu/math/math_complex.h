/*
 * Template: complex lanes, one at a time, in doubles by base/math/scalar.h and special_complex.c; c64 results are
 * rounded. Parameters: LANE, SCALAR (the complex type), REAL_SCALAR, LIBM(name) (the C library's function, copysign),
 * CLIBM(name) (creal, cimag, conj). "Vectors" have one lane, masks are int.
 */

typedef SCALAR L(vector);
typedef int L(mask);
typedef REAL_SCALAR L(part);
enum { L(lanes) = 1 };
typedef SCALAR L(stored) __attribute__((aligned(1), may_alias));
typedef REAL_SCALAR L(stored_part) __attribute__((aligned(1), may_alias));

static inline L(vector) L(load)(const void *from, int64_t i) { return ((const L(stored) *)from)[i]; }
static inline void L(store)(void *to, int64_t i, L(vector) v) { ((L(stored) *)to)[i] = v; }
static inline void L(store_part)(void *to, int64_t i, L(part) v) { ((L(stored_part) *)to)[i] = v; }
static inline L(mask) L(load_truth)(const void *from, int64_t i) { return ((const uint8_t *)from)[i]; }
static inline void L(store_truth)(void *to, int64_t i, L(mask) m) { ((uint8_t *)to)[i] = m != 0; }

static inline REAL_SCALAR L(splat)(REAL_SCALAR c) { return c; }
static inline L(vector) L(select)(L(mask) m, L(vector) a, L(vector) b) { return m ? a : b; }

static inline SCALAR L(times)(SCALAR a, SCALAR b) { return LIBM(math_cmul)(a, b); }
static inline SCALAR L(fma)(SCALAR a, SCALAR b, SCALAR c) { return L(times)(a, b) + c; }
static __attribute__((noinline)) int L(order)(SCALAR a, SCALAR b) {
    return complex_order((double)CLIBM(real)(a), (double)CLIBM(imag)(a), (double)CLIBM(real)(b),
                         (double)CLIBM(imag)(b));
}
static inline L(mask) L(less)(SCALAR a, SCALAR b) { return L(order)(a, b) == ORDER_LESS; }
static inline L(mask) L(lessequal)(SCALAR a, SCALAR b) { return L(order)(a, b) <= ORDER_SAME; }

static inline REAL_SCALAR L(abs)(SCALAR x) {
    double u = (double)CLIBM(real)(x), v = (double)CLIBM(imag)(x);
#if LANE_BITS == 32 /* squares neither overflow nor vanish in doubles */
    double square = u * u + v * v;
    if (square == square) return (REAL_SCALAR)sqrt(square);
    return isinf(u) || isinf(v) ? (REAL_SCALAR)INFINITY : (REAL_SCALAR)NAN;
#else
    return (REAL_SCALAR)math_hypot(u, v);
#endif
}
static inline REAL_SCALAR L(arg)(SCALAR x) {
    return (REAL_SCALAR)math_atan2((double)CLIBM(imag)(x), (double)CLIBM(real)(x));
}
static inline REAL_SCALAR L(realpart)(SCALAR x) { return CLIBM(real)(x); }
static inline REAL_SCALAR L(imagpart)(SCALAR x) { return CLIBM(imag)(x); }
static inline SCALAR L(conj)(SCALAR x) { return CLIBM(onj)(x); }
static inline SCALAR L(pair)(REAL_SCALAR real, REAL_SCALAR imaginary) {
    SCALAR z;
    __real__ z = real;
    __imag__ z = imaginary;
    return z;
}
/* Return x / |x|, or 0 for 0. x is scaled by a power of two if |x| leaves the normal range; a single infinite part
   gives a unit part. */
static inline SCALAR L(sign)(SCALAR x) {
    REAL_SCALAR u = CLIBM(real)(x), v = CLIBM(imag)(x), r = L(abs)(x);
    if (x == 0) return 0;
    if (!isinf(u) != !isinf(v))
        return L(pair)(isinf(u) ? LIBM(copysign)(1, u) : 0, isinf(v) ? LIBM(copysign)(1, v) : 0);
    if (r > (REAL_SCALAR)1e38 || r < (REAL_SCALAR)1e-37) {
        x *= (REAL_SCALAR)(r < 1 ? 0x1p64 : 0x1p-2);
        r = L(abs)(x);
    }
    return x / r;
}
static inline int L(isinf)(SCALAR x) { return isinf(CLIBM(real)(x)) || isinf(CLIBM(imag)(x)); }
static inline int L(isfinite)(SCALAR x) { return isfinite(CLIBM(real)(x)) && isfinite(CLIBM(imag)(x)); }

#define FUNCTION(name)                                                                                       \
    static inline SCALAR L(name)(SCALAR x) { return (SCALAR)math_c##name((double _Complex)x); }
#include "engine/cpu/math/complex_functions.def"

static inline SCALAR L(div)(SCALAR a, SCALAR b) { return (SCALAR)math_cdiv(a, b); }
static inline SCALAR L(pow)(SCALAR a, SCALAR b) { return (SCALAR)special_complex_pow(a, b); }

static inline SCALAR L(log2)(SCALAR x) { return (SCALAR)(math_clog((double _Complex)x) / M_LN2); }
static inline SCALAR L(log10)(SCALAR x) { return (SCALAR)(math_clog((double _Complex)x) / M_LN10); }
