/* Template: resampling of all element types for one instruction set; TABLE is the table's name. */
#include <complex.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif
#include <string.h>
#include "engine/cpu/image/resample.h"
#include "engine/cpu/madd.h"

static bool inside(int64_t n, const int32_t *index, int64_t size) {
    uint32_t most = 0;
    for (int64_t i = 0; i < n; i++) most = (uint32_t)index[i] > most ? (uint32_t)index[i] : most;
    return n == 0 || most < size;
}

#ifdef __AVX512F__
/* Return the mask of lanes 0 .. count-1; none if count <= 0, all 16 from 16 on. */
static inline uint16_t first_lanes(int64_t count) {
    return count >= 16 ? 0xFFFF : count > 0 ? (uint16_t)((1 << count) - 1) : 0;
}
#endif

#define T float
#define W float
#define NAME(verb) verb##_f32
#define WEIGHED(sum, w, x) madd_scalar_f32(w, x, sum)
#define REAL_PRODUCT(sum, g, x) madd_scalar_f32(g, x, sum)
#ifdef __AVX512F__
#define LANES 16
#define MASK __mmask16
#define VECTOR __m512
#define INDICES __m512i
#define V(verb) _mm512_##verb##_ps
#define FIRST(count) first_lanes(count)
#define NONZERO(w) _mm512_cmp_ps_mask(w, _mm512_setzero_ps(), _CMP_NEQ_UQ)
#define LOAD_INDICES(mask, from) _mm512_maskz_loadu_epi32(mask, from)
#define OFFSETS(index, base) _mm512_sub_epi32(index, _mm512_set1_epi32(base))
#define WITHIN(mask, off) (_mm512_mask_cmpge_epu32_mask(mask, off, _mm512_set1_epi32(2 * LANES)) == 0)
#define PERMUTE(low, off, high) _mm512_permutex2var_ps(low, off, high)
#define GATHER(mask, index, x) _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, index, x, 4)
#endif
#include "engine/cpu/image/resample.kernel.c"
#ifdef __AVX512F__
#undef LANES
#undef MASK
#undef VECTOR
#undef INDICES
#undef V
#undef FIRST
#undef NONZERO
#undef LOAD_INDICES
#undef OFFSETS
#undef WITHIN
#undef PERMUTE
#undef GATHER
#endif
#define T double
#define W double
#define NAME(verb) verb##_f64
#define WEIGHED(sum, w, x) madd_scalar_f64(w, x, sum)
#define REAL_PRODUCT(sum, g, x) madd_scalar_f64(g, x, sum)
#ifdef __AVX512F__
#define LANES 8
#define MASK __mmask8
#define VECTOR __m512d
#define INDICES __m256i
#define V(verb) _mm512_##verb##_pd
#define FIRST(count) ((__mmask8)first_lanes(count))
#define NONZERO(w) _mm512_cmp_pd_mask(w, _mm512_setzero_pd(), _CMP_NEQ_UQ)
#define LOAD_INDICES(mask, from) _mm256_maskz_loadu_epi32(mask, from)
#define OFFSETS(index, base) _mm256_sub_epi32(index, _mm256_set1_epi32(base))
#define WITHIN(mask, off) (_mm256_mask_cmpge_epu32_mask(mask, off, _mm256_set1_epi32(2 * LANES)) == 0)
#define PERMUTE(low, off, high) _mm512_permutex2var_pd(low, _mm512_cvtepi32_epi64(off), high)
#define GATHER(mask, index, x) _mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask, index, x, 8)
#endif
#include "engine/cpu/image/resample.kernel.c"
#ifdef __AVX512F__
#undef LANES
#undef V
#endif
#define T float _Complex
#define W float
#define NAME(verb) verb##_c64
#define WEIGHED(sum, w, x) ((sum) + (w) * (x))
#define REAL_PRODUCT(sum, g, x)                                                                              \
    madd_scalar_f32(cimagf(g), cimagf(x), madd_scalar_f32(crealf(g), crealf(x), sum))
#include "engine/cpu/image/resample.kernel.c"
#define T double _Complex
#define W double
#define NAME(verb) verb##_c128
#define WEIGHED(sum, w, x) ((sum) + (w) * (x))
#define REAL_PRODUCT(sum, g, x) madd_scalar_f64(cimag(g), cimag(x), madd_scalar_f64(creal(g), creal(x), sum))
#include "engine/cpu/image/resample.kernel.c"

const struct resample_type *const TABLE[TY_DTYPES] = {
    [TY_F32] = &type_f32, [TY_F64] = &type_f64, [TY_C64] = &type_c64, [TY_C128] = &type_c128};
