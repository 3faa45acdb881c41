/*
 * Incomplete vectors: loads and stores that do not touch memory past the last column; lanes that are not loaded are
 * 0. AVX-512 has masks for all sizes, AVX2 masked loads of 4 and 8 bytes. Otherwise halves, quarters and so on of the
 * vector are moved according to the bits of the count. AVX2 stores do so, too, since masked ones take a dozen times
 * as long on some processors (AMD's).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif
#define INLINE inline __attribute__((always_inline))

#if defined(__AVX512F__) && defined(__AVX512BW__)
#define VECTOR_BYTES 64
#define PART_STORE_MASKED 1 /* masked stores exist */
typedef uint64_t part;      /* a mask */
/* Return true if parts of a vector of `bytes` bytes with elements of `element` bytes are accessed by a mask. */
static INLINE bool part_masked(int bytes, int element) {
    (void)bytes, (void)element;
    return true;
}
static INLINE int part_absent(part last, int lanes) { return lanes - __builtin_popcountll(last); }
static INLINE part part_of(int n, int element) {
    (void)element;
    return ~(uint64_t)0 >> (64 - n);
}

/* Load the part of a vector of `bytes` bytes that the mask `last` selects from memory to `to`; the rest is
   0. `element`: bytes of one. */
static INLINE void part_load(void *to, int bytes, int element, const void *from, part last) {
    if (bytes == 64) {
        __m512i v = element == 1   ? _mm512_maskz_loadu_epi8((__mmask64)last, from)
                    : element == 2 ? _mm512_maskz_loadu_epi16((__mmask32)last, from)
                    : element == 4 ? _mm512_maskz_loadu_epi32((__mmask16)last, from)
                                   : _mm512_maskz_loadu_epi64((__mmask8)last, from);
        memcpy(to, &v, sizeof v);
    } else {
        __m256i v = element == 2 ? _mm256_maskz_loadu_epi16((__mmask16)last, from)
                                 : _mm256_maskz_loadu_epi8((__mmask32)last, from);
        memcpy(to, &v, sizeof v);
    }
}

/* Store the part of the vector at `from`, of `bytes` bytes, that the mask `last` selects to memory.
   `element`: bytes of one. */
static INLINE void part_store(void *to, int bytes, int element, const void *from, part last) {
    __m512i v;
    memcpy(&v, from, (size_t)bytes);
    if (element == 1) _mm512_mask_storeu_epi8(to, (__mmask64)last, v);
    if (element == 2) _mm512_mask_storeu_epi16(to, (__mmask32)last, v);
    if (element == 4) _mm512_mask_storeu_epi32(to, (__mmask16)last, v);
    if (element == 8) _mm512_mask_storeu_epi64(to, (__mmask8)last, v);
}
#else
#define PART_STORE_MASKED 0
struct part_by_count {
    int n;
#if defined(__AVX2__)
    __m256i mask;
#endif
};
typedef struct part_by_count part;
static INLINE int part_absent(part last, int lanes) { return lanes - last.n; }

/* Copy the first n elements of the vector `from`, of `bytes` bytes, to `to` by halves, quarters and so on; n is
   less than all of them. `element`: bytes of one. Not inlined: hundreds of tiles call it on rare paths. */
static __attribute__((noinline)) void ladder(char *to, const char *from, int bytes, int element, int n) {
    for (int width = bytes / 2; width >= element; width /= 2)
        if (n * element & width) {
            memcpy(to, from, (size_t)width);
            to += width, from += width;
        }
}

#if defined(__AVX2__)
#define VECTOR_BYTES 32
static INLINE part part_of(int n, int element) {
    __m256i narrow = _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i wide = _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
    return (part){n, element == 8 ? wide : narrow};
}
static INLINE bool part_masked(int bytes, int element) { return bytes == 32 && element >= 4; }
static INLINE void part_load_masked(void *to, int element, const void *from, part last) {
    __m256i v =
        element == 8 ? _mm256_maskload_epi64(from, last.mask) : _mm256_maskload_epi32(from, last.mask);
    memcpy(to, &v, sizeof v);
}
#else
#define VECTOR_BYTES 16
static INLINE part part_of(int n, int element) {
    (void)element;
    return (part){n};
}
static INLINE bool part_masked(int bytes, int element) {
    (void)bytes, (void)element;
    return false;
}
#endif

/* Load the first last.n elements of a vector of `bytes` bytes from memory to `to`; the rest is 0.
   `element`: bytes of one. */
static INLINE void part_load(void *to, int bytes, int element, const void *from, part last) {
#if defined(__AVX2__)
    if (part_masked(bytes, element)) {
        part_load_masked(to, element, from, last);
        return;
    }
#endif
    if (last.n * element == bytes) {
        memcpy(to, from, (size_t)bytes);
    } else {
        char room[VECTOR_BYTES] = {0}; /* lets the vector itself stay in a register */
        ladder(room, from, bytes, element, last.n);
        memcpy(to, room, (size_t)bytes);
    }
}

/* Store bytes `at` .. at + width - 1 of n adjacent vectors, `from`, to n rows of out. Row i is at rows[i], or at i
   * row if rows is NULL; offsets in bytes. */
static INLINE void store_piece(char *out, const int64_t *rows, int64_t row, const char *from, int n, int at,
                               size_t width) {
#pragma GCC unroll 1
    for (int i = 0; i < n; i++)
        memcpy(out + (rows ? rows[i] : i * row) + at, from + (ptrdiff_t)i * VECTOR_BYTES + at, width);
}

/* Store the first `bytes` bytes of n adjacent vectors, `from`, to n rows of out: at byte rows[i], or at i * row if
   rows is NULL. One call serves all rows of a tile, as it spills the vectors. */
static __attribute__((noinline, unused)) void part_store_rows(char *out, const int64_t *rows, int64_t row,
                                                              const void *from, int n, int bytes) {
    int at = 0;
#define PIECE(width)                                                                                         \
    if (bytes & (width)) store_piece(out, rows, row, from, n, at, width), at += (width);
    PIECE(16)
    PIECE(8)
    PIECE(4)
    PIECE(2)
    PIECE(1)
#undef PIECE
#if defined(__AVX2__)
    /* GCC 12 omits this in callers that end in this call; SSE code then stalls, 100 ns on Zen 3 */
    _mm256_zeroupper();
#endif
}
#endif
