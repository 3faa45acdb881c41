/* Template: binary search for all sizes of keys and one instruction set; TABLE is the table's name. */
#include "engine/cpu/sort/search.h"
#ifdef __AVX512F__
#include <immintrin.h>
#define V32(verb) _mm512_##verb##_epi32
#define V64(verb) _mm512_##verb##_epi64
#endif

#define T uint8_t
#define NAME(verb) verb##_1
#include "engine/cpu/sort/search_line.kernel.c"
#undef T
#undef NAME
#define T uint16_t
#define NAME(verb) verb##_2
#include "engine/cpu/sort/search_line.kernel.c"
#undef T
#undef NAME
#define T uint32_t
#define NAME(verb) verb##_4
#include "engine/cpu/sort/search_line.kernel.c"
#ifdef __AVX512F__
#define V(verb) V32(verb)
#define MASK __mmask16
#define BELOW(a, b) _mm512_cmplt_epu32_mask(a, b)
#define SAME(a, b) _mm512_cmpeq_epi32_mask(a, b)
#define NONE(a) _mm512_testn_epi32_mask(a, a)
#define GATHER(at, from) _mm512_i32gather_epi32(at, from, 4)
#include "engine/cpu/sort/search_vector.kernel.c"
#undef V
#undef MASK
#undef BELOW
#undef SAME
#undef NONE
#undef GATHER
#endif
#undef T
#undef NAME
#define T uint64_t
#define NAME(verb) verb##_8
#include "engine/cpu/sort/search_line.kernel.c"
#ifdef __AVX512F__
#define V(verb) V64(verb)
#define MASK __mmask8
#define BELOW(a, b) _mm512_cmplt_epu64_mask(a, b)
#define SAME(a, b) _mm512_cmpeq_epi64_mask(a, b)
#define NONE(a) _mm512_testn_epi64_mask(a, a)
#define GATHER(at, from) _mm512_i64gather_epi64(at, from, 8)
#include "engine/cpu/sort/search_vector.kernel.c"
#undef V
#undef MASK
#undef BELOW
#undef SAME
#undef NONE
#undef GATHER
#endif
#undef T
#undef NAME

#ifdef __AVX512F__
const search_table TABLE = {[1] = search_each_1, [2] = search_each_2, [4] = search_4, [8] = search_8};
#else
const search_table TABLE = {
    [1] = search_each_1, [2] = search_each_2, [4] = search_each_4, [8] = search_each_8};
#endif
