/* Template: products with a matrix of numbers of few bits for one instruction set; LOOPS is the name of its table. */
#include "engine/cpu/gemm/few_bits.h"
#include "engine/cpu/math/math.h"

#pragma GCC diagnostic ignored "-Wunused-function" /* of the mathematics, only look-ups are used */

#define NORMAL(v) (v)
#define LANE f32
#define SCALAR float
#define LANE_BITS 32
#define WHOLE 0x1p23f
#define LIBM(name) name##f
#include "engine/cpu/math/math_vector.h"
#include "engine/cpu/math/math_float.h"

enum { LANES = 16, WORD = 32, PARTS = LANES / (VECTOR_BYTES / 4) };
typedef L(bits) few_bits_stored __attribute__((aligned(1), may_alias));

/* Return words of codes, whose first byte has the lowest bits. */
ALWAYS L(bits) word_at(const uint8_t *codes) {
    L(bits) word = *(const few_bits_stored *)codes;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = word << 24 | (word & 0xff00) << 8 | (word >> 8 & 0xff00) | word >> 24;
#endif
    return word;
}

/* Return numbers `at` of words of codes, as `read` says. */
ALWAYS L(vector) numbers_at(enum few_bits_read read, const float *table, L(bits) word, int at) {
    if (read == FEW_BITS_TWO) return L(lookup)(table, word >> (uint32_t)(2 * at));
    if (read == FEW_BITS_FOUR) return L(lookup)(table, word >> (uint32_t)(4 * at));
    if (read == FEW_BITS_SIGNED)
        return __builtin_convertvector((L(ints))(word << (uint32_t)(24 - 8 * at)) >> 24, L(vector)) +
               table[0];
    L(ints) code = (L(ints))(word >> (uint32_t)(8 * at) & 255);
    if (read == FEW_BITS_UNSIGNED) return __builtin_convertvector(code, L(vector)) + table[0];
#if VECTOR_BYTES == 64
    return (L(vector))_mm512_i32gather_ps((__m512i)code, table, 4);
#else
    L(vector) y = ZERO;
    EACH_LANE(i) y[i] = table[code[i]];
    return y;
#endif
}

/* Return a number for each lane: entry lane >> shift of x. */
ALWAYS L(vector) spread(const float *x, int shift) {
#if VECTOR_BYTES == 64
    __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __mmask16 mask = (__mmask16)(0xffffu >> (16 - (shift < 4 ? 16 >> shift : 1)));
    return (L(vector))_mm512_permutexvar_ps(_mm512_srl_epi32(lane, _mm_cvtsi32_si128(shift)),
                                            _mm512_maskz_loadu_ps(mask, x));
#elif VECTOR_BYTES == 32
    __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(shift < 3 ? 8 >> shift : 1), lane);
    return (L(vector))_mm256_permutevar8x32_ps(_mm256_maskload_ps(x, mask),
                                               _mm256_srl_epi32(lane, _mm_cvtsi32_si128(shift)));
#else
    L(vector) y = ZERO;
    EACH_LANE(i) y[i] = x[i >> shift];
    return y;
#endif
}

/* Products of `height` rows of a and `columns` rows of the matrix; all parameters but the call are constants. */
ALWAYS void products(const struct few_bits_call *c, enum few_bits_read read, bool zeros, int height,
                     int columns) {
    const int share = read == FEW_BITS_TWO ? 16 : read == FEW_BITS_FOUR ? 8 : 4;
    const int shift = c->shift < 31 ? c->shift : 31;
    for (int part = 0; part < PARTS; part++) {
        L(vector) sum[8][FEW_BITS_COLUMNS];
        float *to = c->sums + part * L(lanes);
        for (int r = 0; r < height; r++)
            for (int n = 0; n < columns; n++) sum[r][n] = L(load)(to, n * c->sums_column + r * LANES);
        for (int64_t g = 0; g < c->groups; g++) {
            L(vector) product[8][FEW_BITS_COLUMNS], zero[FEW_BITS_COLUMNS];
            L(bits) word[FEW_BITS_COLUMNS];
            const float *a = c->a + g * LANES * share * height + part * L(lanes);
            int64_t block = ((c->first + g) * LANES + part * L(lanes)) >> c->shift;
            for (int n = 0; n < columns; n++) {
                word[n] = word_at(c->rows[n].codes + g * FEW_BITS_GROUP_BYTES + part * VECTOR_BYTES);
                if (zeros) zero[n] = spread(c->rows[n].zeros + block, shift);
                for (int r = 0; r < height; r++) product[r][n] = ZERO;
            }
#pragma GCC unroll 16
            for (int at = 0; at < share; at++)
                for (int n = 0; n < columns; n++) {
                    L(vector) value = numbers_at(read, c->table, word[n], at);
                    if (zeros) value -= zero[n];
                    for (int r = 0; r < height; r++)
                        product[r][n] = MADD(L(load)(a, (at * height + r) * LANES), value, product[r][n]);
                }
            for (int n = 0; n < columns; n++) {
                L(vector) scale = spread(c->rows[n].scales + block, shift);
                for (int r = 0; r < height; r++) sum[r][n] = MADD(scale, product[r][n], sum[r][n]);
            }
        }
        for (int r = 0; r < height; r++)
            for (int n = 0; n < columns; n++) L(store)(to, n * c->sums_column + r * LANES, sum[r][n]);
    }
}

/* Columns that registers have room for. */
enum { COLUMNS_1 = 4, COLUMNS_2 = 4, COLUMNS_4 = 2, COLUMNS_8 = VECTOR_BYTES == 64 ? 2 : 1 };
#define LOOP(read, zeros, height)                                                                            \
    static void JOIN(JOIN(read, zeros), height)(const struct few_bits_call *call) {                          \
        products(call, read, zeros, height, COLUMNS_##height);                                               \
    }
#define LOOPS_OF(read, zeros)                                                                                \
    LOOP(read, zeros, 1) LOOP(read, zeros, 2) LOOP(read, zeros, 4) LOOP(read, zeros, 8)
#define READS(each)                                                                                          \
    each(FEW_BITS_TWO) each(FEW_BITS_FOUR) each(FEW_BITS_UNSIGNED) each(FEW_BITS_SIGNED) each(FEW_BITS_BYTES)
#define DEFINE(read) LOOPS_OF(read, 0) LOOPS_OF(read, 1)
READS(DEFINE)

#define ROW(read, zeros)                                                                                     \
    { read##zeros##1, read##zeros##2, read##zeros##4, read##zeros##8 }
#define ENTRY(read) [read] = {ROW(read, 0), ROW(read, 1)},
const struct few_bits_loops LOOPS = {.run = {READS(ENTRY)},
                                     .columns = {COLUMNS_1, COLUMNS_2, COLUMNS_4, COLUMNS_8}};
