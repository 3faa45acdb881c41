/*
 * Template: complex lanes as vectors of real and imaginary parts in f64, for rows whose value is a function of
 * complex_lanes.h or complex_arc.h; c64 results are rounded. Parameters: LANE, REAL_SCALAR (a part in memory),
 * UNPACKED(half, a, b) (the instruction that pairs the lower or upper lanes of a and b, which decides their order).
 */

typedef struct complex_f64 L(vector);
typedef vector_f64 L(part);
enum { L(lanes) = lanes_f64 };
typedef REAL_SCALAR L(parts) __attribute__((vector_size(lanes_f64 * sizeof(REAL_SCALAR))));
typedef L(parts) L(stored) __attribute__((aligned(1), may_alias));
typedef REAL_SCALAR L(stored_part) __attribute__((aligned(1), may_alias));

ALWAYS L(part) L(part_at)(const void *from, int64_t i) {
    return __builtin_convertvector(*(const L(stored) *)((const REAL_SCALAR *)from + i), L(part));
}
ALWAYS L(vector) L(load)(const void *from, int64_t i) {
    L(part) a = L(part_at)(from, 2 * i), b = L(part_at)(from, 2 * i + L(lanes));
    return (L(vector)){UNPACKED(lo, a, b), UNPACKED(hi, a, b)};
}
ALWAYS void L(store)(void *to, int64_t i, L(vector) z) {
    L(stored) *y = (L(stored) *)((REAL_SCALAR *)to + 2 * i);
    y[0] = __builtin_convertvector(UNPACKED(lo, z.re, z.im), L(parts));
    y[1] = __builtin_convertvector(UNPACKED(hi, z.re, z.im), L(parts));
}
ALWAYS void L(store_part)(void *to, int64_t i, L(part) x) {
    L(stored_part) *y = (L(stored_part) *)to + i;
    for (int k = 0; k < L(lanes); k++) y[k / 2 + k % 2 * (L(lanes) / 2)] = (REAL_SCALAR)x[k];
}

ALWAYS L(part) L(arg)(L(vector) x) { return atan2_f64(x.im, x.re); }
/* Round to the parts in memory: 1 / sqrt(x) has the bits of two functions of the type. */
ALWAYS L(vector) L(rounded)(L(vector) z) {
    return (L(vector)){__builtin_convertvector(__builtin_convertvector(z.re, L(parts)), L(part)),
                       __builtin_convertvector(__builtin_convertvector(z.im, L(parts)), L(part))};
}
#define FUNCTION(name)                                                                                       \
    ALWAYS L(vector) L(name)(L(vector) x) { return L(rounded)(complex_##name##_f64(x)); }
#include "engine/cpu/math/complex_functions.def"
ALWAYS L(vector) L(div)(L(vector) a, L(vector) b) { return complex_div_f64(a, b); }
ALWAYS L(vector) L(pow)(L(vector) a, L(vector) b) { return complex_pow_f64(a, b); }
ALWAYS L(vector) L(log2)(L(vector) x) {
    x = complex_log_f64(x);
    return (L(vector)){x.re / M_LN2, x.im / M_LN2};
}
ALWAYS L(vector) L(log10)(L(vector) x) {
    x = complex_log_f64(x);
    return (L(vector)){x.re / M_LN10, x.im / M_LN10};
}
