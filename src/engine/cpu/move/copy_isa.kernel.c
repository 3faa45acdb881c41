/* Block copies for one instruction set: WIDTH is the bytes of a vector, TABLE the table's name. */
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif
#include "base/machine/cache.h"
#include "engine/cpu/move/copy_blocks.h"

typedef uint64_t pair __attribute__((vector_size(16)));
typedef pair loose_pair __attribute__((aligned(1), may_alias));

/* Stores 128-bit lane number `lane` of a vector. */
#define copy_lane(to, vector, lane) (*(loose_pair *)(to) = ((const loose_pair *)(vector))[lane])

/* Loads a vector whose 128-bit lanes lie `step` bytes apart. */
typedef uint64_t wide __attribute__((vector_size(WIDTH)));
static inline __attribute__((always_inline)) wide load_lanes(const char *from, int64_t step) {
#define PAIR(i) (*(const loose_pair *)(from + (i)*step))
#if WIDTH == 16
    (void)step;
    return PAIR(0);
#elif WIDTH == 32
    return __builtin_shufflevector(PAIR(0), PAIR(1), 0, 1, 2, 3);
#else
    return __builtin_shufflevector(__builtin_shufflevector(PAIR(0), PAIR(1), 0, 1, 2, 3),
                                   __builtin_shufflevector(PAIR(2), PAIR(3), 0, 1, 2, 3), 0, 1, 2, 3, 4, 5, 6,
                                   7);
#endif
#undef PAIR
}

/* Store a vector at `to`, with a non-temporal store if a vector is a whole cache line; `to` must then be aligned to
   it. */
static inline __attribute__((always_inline)) void stream_vector(char *to, wide v) {
#if WIDTH == 64
    _mm512_stream_si512((void *)to, (__m512i)v);
#else
    *(wide *)to = v;
#endif
}

/* Lists F(0), F(1), ... for each lane of a vector. */
#define LANES_2(F, i) F(i), F((i) + 1)
#define LANES_4(F, i) LANES_2(F, i), LANES_2(F, (i) + 2)
#define LANES_8(F, i) LANES_4(F, i), LANES_4(F, (i) + 4)
#define LANES_16(F, i) LANES_8(F, i), LANES_8(F, (i) + 8)
#define LANES_32(F, i) LANES_16(F, i), LANES_16(F, (i) + 16)
#define LANES_64(F, i) LANES_32(F, i), LANES_32(F, (i) + 32)
#if WIDTH == 64
#define BYTES(F) LANES_64(F, 0)
#define HALVES(F) LANES_32(F, 0)
#define WORDS(F) LANES_16(F, 0)
#define DOUBLES(F) LANES_8(F, 0)
#elif WIDTH == 32
#define BYTES(F) LANES_32(F, 0)
#define HALVES(F) LANES_16(F, 0)
#define WORDS(F) LANES_8(F, 0)
#define DOUBLES(F) LANES_4(F, 0)
#else
#define BYTES(F) LANES_16(F, 0)
#define HALVES(F) LANES_8(F, 0)
#define WORDS(F) LANES_4(F, 0)
#define DOUBLES(F) LANES_2(F, 0)
#endif

#define T uint8_t
#define ELEMENT uint8_t
#define SIZE 1
#define LANES(F) BYTES(F)
#define NAME(verb) verb##_1
#include "engine/cpu/move/copy.kernel.c"
#define T uint16_t
#define ELEMENT uint16_t
#define SIZE 2
#define LANES(F) HALVES(F)
#define NAME(verb) verb##_2
#include "engine/cpu/move/copy.kernel.c"
#define T uint32_t
#define ELEMENT uint32_t
#define SIZE 4
#define LANES(F) WORDS(F)
#define NAME(verb) verb##_4
#include "engine/cpu/move/copy.kernel.c"
#define T uint64_t
#define ELEMENT uint64_t
#define SIZE 8
#define LANES(F) DOUBLES(F)
#define NAME(verb) verb##_8
#include "engine/cpu/move/copy.kernel.c"
#define T uint64_t
#define ELEMENT pair
#define SIZE 16
#define LANES(F) DOUBLES(F)
#define NAME(verb) verb##_16
#include "engine/cpu/move/copy.kernel.c"

/* Copy a block of runs of sizeof TYPE to twice as many bytes, by two overlapping moves each. Steps are kept in registers,
   since stores may alias *b. */
typedef uint64_t half __attribute__((vector_size(32)));
#define RUNS_OF(NAME, TYPE)                                                                                  \
    static void NAME(const struct cpu_block *b) {                                                            \
        typedef TYPE loose __attribute__((aligned(1), may_alias));                                           \
        const int64_t rows = b->rows, columns = b->columns, run = b->run, pitch = b->pitch,                  \
                      row_step = b->row_step, step = b->column_step, back = run - (int64_t)sizeof(TYPE);     \
        char *start = b->to;                                                                                 \
        const char *source = b->from;                                                                        \
        for (int64_t j = 0; j < rows; j++, start += pitch, source += row_step) {                             \
            char *to = start;                                                                                \
            const char *from = source;                                                                       \
            for (int64_t i = 0; i < columns; i++, to += run, from += step) {                                 \
                TYPE first = *(const loose *)from, last = *(const loose *)(from + back);                     \
                *(loose *)to = first;                                                                        \
                *(loose *)(to + back) = last;                                                                \
            }                                                                                                \
        }                                                                                                    \
    }
RUNS_OF(runs_of_1, uint8_t)
RUNS_OF(runs_of_2, uint16_t)
RUNS_OF(runs_of_4, uint32_t)
RUNS_OF(runs_of_8, uint64_t)
RUNS_OF(runs_of_16, pair)
RUNS_OF(runs_of_32, half)
#undef RUNS_OF

/* Copy n bytes, at least a vector, from `from` to `to`; the last vector overlaps the one before. */
static inline __attribute__((always_inline)) void move_vectors(char *to, const char *from, int64_t n) {
    typedef wide loose __attribute__((aligned(1), may_alias));
    wide last = *(const loose *)(from + n - WIDTH);
    for (int64_t k = 0; k + WIDTH <= n; k += WIDTH) *(loose *)(to + k) = *(const loose *)(from + k);
    *(loose *)(to + n - WIDTH) = last;
}

/* Copy a block of runs of b->run bytes each, of any length, to contiguous rows of the output. */
static void runs(const struct cpu_block *b) {
    enum { SHORT = 64, LONG = 1024 }; /* bytes; longer runs use memcpy, which is as fast */
    static const cpu_block_copy few[] = {runs_of_1,  runs_of_2,  runs_of_4, runs_of_8,
                                         runs_of_16, runs_of_32, runs_of_32};
    if (b->run > 0 && b->run <= SHORT) {
        few[63 - __builtin_clzll((unsigned long long)b->run)](b);
        return;
    }
    for (int64_t j = 0; j < b->rows; j++) {
        char *to = b->to + j * b->pitch;
        const char *from = b->from + j * b->row_step;
        if (b->run < LONG)
            for (int64_t i = 0; i < b->columns; i++)
                move_vectors(to + i * b->run, from + i * b->column_step, b->run);
        else
            for (int64_t i = 0; i < b->columns; i++)
                cache_copy(to + i * b->run, from + i * b->column_step, (size_t)b->run);
    }
}

#if defined(__SSE2__)
/* Copy n bytes, whole 16-byte pairs, with non-temporal stores; `to` must be aligned to 16 bytes. A line is
   complete when the runs that share it are written in order. */
static inline __attribute__((always_inline)) void stream_pairs(char *to, const char *from, int64_t n) {
    for (int64_t k = 0; k < n; k += (int64_t)sizeof(pair))
        _mm_stream_si128((__m128i *)(to + k), _mm_loadu_si128((const __m128i *)(from + k)));
}

/* Copy n bytes, whole 16-byte pairs. Lines of the output from address `first` to before `last` are whole and use
   non-temporal stores. */
static void stream_ends(char *to, const char *from, int64_t n, const char *first, const char *last) {
    for (int64_t k = 0; k < n; k += (int64_t)sizeof(pair))
        if (to + k >= first && to + k < last)
            stream_pairs(to + k, from + k, sizeof(pair));
        else
            *(pair *)(to + k) = *(const loose_pair *)(from + k);
}

/* Copy a block of runs of 16-byte pairs; lines that are written whole use non-temporal stores. */
static void run_lines(const struct cpu_block *b) {
    int64_t run = b->run, bytes = b->columns * run;
    bool joined = b->pitch == bytes; /* rows are contiguous in the output */
    for (int64_t j = 0; j < b->rows; j++) {
        char *to = b->to + j * b->pitch, *begin = joined ? b->to : to,
             *end = joined ? begin + b->rows * bytes : to + bytes;
        const char *from = b->from + j * b->row_step;
        const char *first = begin + -(uintptr_t)begin % COPY_LINE, *last = end - (uintptr_t)end % COPY_LINE;
        for (int64_t i = 0; i < b->columns; i++, to += run, from += b->column_step)
            if (to >= first && to + run <= last)
                stream_pairs(to, from, run);
            else
                stream_ends(to, from, run, first, last);
    }
}
#define RUN_LINES run_lines
#else
#define RUN_LINES NULL
#endif

#define ALL(verb)                                                                                            \
    { verb##_1, verb##_2, verb##_4, verb##_8, verb##_16 }
const struct copy_kernels TABLE = {ALL(across), ALL(strided), ALL(reversed), ALL(repeated),     ALL(apart),
                                   ALL(lines),  runs,         RUN_LINES,     WIDTH == COPY_LINE};
