/* Template: sorting of all sizes of keys for one instruction set; TABLE is the table's name. */
#include <string.h>
#include "base/context/stop.h"
#include "base/threads/parallel.h"
#include "engine/cpu/loop.h"
#include "engine/cpu/sort/sort_loops.h"
#ifdef __AVX512F__
#include <immintrin.h>
#define JOIN(a, b) a##b
#define BLOCK_VECTORS 8 /* vectors that a network sorts faster than partitioning */
#endif

#define T uint8_t
#define NAME(verb) verb##_1
#include "engine/cpu/sort/sort_type.kernel.c"
#define T uint16_t
#define NAME(verb) verb##_2
#include "engine/cpu/sort/sort_type.kernel.c"
#define T uint32_t
#define NAME(verb) verb##_4
#ifdef __AVX512F__
#define V(verb) JOIN(_mm512_##verb, _epi32)
#define U(verb) JOIN(_mm512_##verb, _epu32)
#define MASK __mmask16
#define BELOW(a, b) _mm512_cmplt_epu32_mask(a, b)
#define NOT_ABOVE(a, b) _mm512_cmple_epu32_mask(a, b)
#define NUMBERS _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#endif
#include "engine/cpu/sort/sort_type.kernel.c"
#define T uint64_t
#define NAME(verb) verb##_8
#ifdef __AVX512F__
#define V(verb) JOIN(_mm512_##verb, _epi64)
#define U(verb) JOIN(_mm512_##verb, _epu64)
#define MASK __mmask8
#define BELOW(a, b) _mm512_cmplt_epu64_mask(a, b)
#define NOT_ABOVE(a, b) _mm512_cmple_epu64_mask(a, b)
#define NUMBERS _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0)
#endif
#include "engine/cpu/sort/sort_type.kernel.c"

#define LOOPS(size)                                                                                          \
    {                                                                                                        \
        sort_##size, select_##size, tally_##size, pick_##size, network_##size, keys_##size, elements_##size, \
            pack_##size, collect_##size, spread_##size                                                       \
    }
const sort_table TABLE = {[1] = LOOPS(1), [2] = LOOPS(2), [4] = LOOPS(4), [8] = LOOPS(8)};
