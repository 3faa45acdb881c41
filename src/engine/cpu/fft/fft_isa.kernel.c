/* Template: passes for one instruction set: VECTOR_BYTES, TABLE (the table's name). */
#include <string.h>
#include "engine/cpu/fft/fft_loops.h"
#include "engine/cpu/madd.h"

/* F(lane, d) for each lane of a vector. */
#define LANES_2(F, d) F(0, d), F(1, d)
#define LANES_4(F, d) LANES_2(F, d), F(2, d), F(3, d)
#define LANES_8(F, d) LANES_4(F, d), F(4, d), F(5, d), F(6, d), F(7, d)
#define LANES_16(F, d)                                                                                       \
    LANES_8(F, d), F(8, d), F(9, d), F(10, d), F(11, d), F(12, d), F(13, d), F(14, d), F(15, d)

/* F(j) for each element j of a butterfly. Written out, since compilers keep arrays with constant indices in
   registers. */
#define EACH_2(F) F(0) F(1)
#define EACH_3(F) EACH_2(F) F(2)
#define EACH_4(F) EACH_3(F) F(3)
#define EACH_5(F) EACH_4(F) F(4)
#define EACH_7(F) EACH_5(F) F(5) F(6)
#define EACH_8(F) EACH_7(F) F(7)
#define EACH_9(F) EACH_8(F) F(8)
#define EACH_16(F) EACH_9(F) F(9) F(10) F(11) F(12) F(13) F(14) F(15)

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#if defined(__clang__)
#define MIXED(a, b, F, d) __builtin_shufflevector(a, b, LANES(F, d))
#else
#define MIXED(a, b, F, d) __builtin_shuffle(a, b, (mask){LANES(F, d)})
#endif
#define AT_EVEN(l, d) 2 * (l)
#define AT_ODD(l, d) 2 * (l) + 1
#define AT_LOW(l, d) ((l) % 2 * V + (l) / 2)
#define AT_HIGH(l, d) ((l) % 2 * V + V / 2 + (l) / 2)
#define AT_TURN_A(l, d) ((l) & (d) ? (l) - (d) + V : (l))
#define AT_TURN_B(l, d) ((l) & (d) ? (l) + V : ((l) + (d)) % (2 * V))
/* Indices for transposing pairs of lanes, and for lanes in reverse order. */
#define AT_PAIRS_A(l, d) ((l) / 2 & (d) ? (l)-2 * (d) + V : (l))
#define AT_PAIRS_B(l, d) ((l) / 2 & (d) ? (l) + V : ((l) + 2 * (d)) % (2 * V))
#define AT_BACK(l, d) (V - 1 - (l))
#define AT_OWN(l, d) (l)

#define T float
#define BITS int32_t
#define MADD madd_vector_f32
#define NAME(x) x##_f32
#define V (VECTOR_BYTES / 4)
#if VECTOR_BYTES == 64
#define LANES LANES_16
#elif VECTOR_BYTES == 32
#define LANES LANES_8
#else
#define LANES LANES_4
#endif
#include "engine/cpu/fft/fft.kernel.c"
#undef T
#undef BITS
#undef MADD
#undef NAME
#undef V
#undef LANES
#define T double
#define BITS int64_t
#define MADD madd_vector_f64
#define NAME(x) x##_f64
#define V (VECTOR_BYTES / 8)
#if VECTOR_BYTES == 64
#define LANES LANES_8
#elif VECTOR_BYTES == 32
#define LANES LANES_4
#else
#define LANES LANES_2
#endif
#include "engine/cpu/fft/fft.kernel.c"

const struct fft_types TABLE = {&loops_f32, &loops_f64};
