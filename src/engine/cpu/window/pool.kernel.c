/*
 * Template: pooling of one element type T; TYPE is the end of names. Optional parameters: BITS, a signed integer of
 * its size; REAL, the type that divides sums; ORDERED, for maxima; PLACE, an integer of its size for positions; MOST,
 * its greatest value, for no position. Loops are over contiguous unaligned memory (pool.h).
 */
#define GLUE(verb, type) verb##_##type
#define NAMED(verb, type) GLUE(verb, type)

#ifdef BITS
#define LANES ((int)(VECTOR_BYTES / sizeof(T)))
typedef BITS NAMED(vector, TYPE) __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef NAMED(vector, TYPE) NAMED(loose, TYPE) __attribute__((may_alias, aligned(sizeof(T))));

/* Return the even (odd 0) or odd (odd 1) elements of the two vectors from x on. */
static inline __attribute__((always_inline)) NAMED(vector, TYPE) NAMED(lanes, TYPE)(const T *x, BITS odd) {
#if defined(__clang__) /* clang has no shuffle by a vector of lanes, but makes one of this */
    T every[LANES];
    NAMED(vector, TYPE) lanes;
    for (int i = 0; i < LANES; i++) every[i] = x[2 * i + odd];
    memcpy(&lanes, every, sizeof lanes);
    return lanes;
#else
    static const BITS even[] __attribute__((aligned(VECTOR_BYTES))) = {EVEN_NUMBERS};
    return __builtin_shuffle(*(const NAMED(loose, TYPE) *)x, *(const NAMED(loose, TYPE) *)(x + LANES),
                             *(const NAMED(vector, TYPE) *)even + odd);
#endif
}
#endif

#ifdef REAL
static inline T NAMED(sum_of, TYPE)(T a, T b) { return (T)(a + b); }
#define NAME(verb) NAMED(sum_##verb, TYPE)
#define JOIN(a, b) NAMED(sum_of, TYPE)(a, b)
#include "engine/cpu/window/pool_join.kernel.c"

#define NAME(verb) NAMED(verb, TYPE)
static void NAME(divide)(int64_t n, void *x, double by) {
    T *y = x;
    REAL divisor = (REAL)by;
    for (int64_t i = 0; i < n; i++) y[i] = (T)(y[i] / divisor);
}

static inline void NAME(spread_by)(int64_t n, int64_t stride, int64_t apart, T *restrict out,
                                   const T *restrict x) {
    for (int64_t i = 0; i < n; i++) out[i * stride] = (T)(out[i * stride] + x[i * apart]);
}

static void NAME(spread)(int64_t n, int64_t w, int64_t stride, void *out, const void *x) {
    enum { FEW = 8 };
    T *to = out;
    const T *from = x;
    if (stride == 1)
        NAME(spread_by)(n * w, 1, 1, to, from);
    else if (w == 1 && stride == 2)
        NAME(spread_by)(n, 2, 1, to, from);
    else if (w < FEW)
        for (int64_t c = 0; c < w; c++) NAME(spread_by)(n, stride * w, w, to + c, from + c);
    else
        for (int64_t j = 0; j < n; j++) NAME(spread_by)(w, 1, 1, to + j * stride * w, from + j * w);
}
#undef NAME
#define SUMS                                                                                                 \
    .sum = {NAMED(sum_taps, TYPE), NAMED(sum_slide, TYPE)}, .divide = NAMED(divide, TYPE),                   \
    .spread = NAMED(spread, TYPE),
#else
#define SUMS
#endif

#ifdef ORDERED
/* Return the greater of a and b; NaN if either is NaN. Two steps, each one instruction. */
static inline T NAMED(greater, TYPE)(T a, T b) {
    T most = b > a ? b : a;
    return IS_NAN(b) ? b : most;
}
#define NAME(verb) NAMED(max_##verb, TYPE)
#define JOIN(a, b) NAMED(greater, TYPE)(a, b)
#include "engine/cpu/window/pool_join.kernel.c"
#define MAXIMA .max = {NAMED(max_taps, TYPE), NAMED(max_slide, TYPE)},
#else
#define MAXIMA
#endif

#ifdef PLACE
#define NAME(verb) NAMED(verb, TYPE)
static void NAME(mark)(int64_t n, void *places, int64_t place) {
    PLACE mark = place < 0 ? MOST : (PLACE)place;
    for (int64_t i = 0; i < n; i++) ((PLACE *)places)[i] = mark;
}

static inline void NAME(look_by)(int64_t n, T *restrict best, PLACE *restrict places, const T *restrict x,
                                 PLACE place) {
    for (int64_t i = 0; i < n; i++) {
        T next = x[i], most = best[i];
        bool better = (next > most) | (IS_NAN(next) & !IS_NAN(most));
        best[i] = better ? next : most;
        places[i] = better ? place : places[i];
    }
}

static void NAME(look)(int64_t n, void *best, void *places, const void *x, int64_t place) {
    NAME(look_by)(n, best, places, x, (PLACE)place);
}

static void NAME(number)(int64_t n, int64_t w, void *places, int64_t first) {
    PLACE *to = places;
    if (w == 1)
        for (int64_t i = 0; i < n; i++) to[i] = (PLACE)(to[i] + (PLACE)(first + i));
    else
        for (int64_t i = 0; i < n; i++, to += w)
            for (int64_t c = 0; c < w; c++) to[c] = (PLACE)(to[c] + (PLACE)(first + i));
}

/* Set best[i*apart] and places[i*apart] to the greatest of window i and its position, for n windows of `size`
   taps. Taps are `step` apart, windows `stride`, results `apart`, in elements. from[] are the positions of x[].
   Of equal elements the lowest position wins. */
static inline void NAME(places_by)(int64_t n, int64_t size, int64_t stride, int64_t step, int64_t apart,
                                   T *restrict best, PLACE *restrict places, const T *restrict x,
                                   const PLACE *restrict from) {
    for (int64_t i = 0; i < n; i++) best[i * apart] = x[i * stride], places[i * apart] = from[i * stride];
    for (int64_t t = 1; t < size; t++)
        for (int64_t i = 0; i < n; i++) {
            T next = x[i * stride + t * step], most = best[i * apart];
            PLACE place = from[i * stride + t * step], had = places[i * apart];
            bool equal = (next == most) | (IS_NAN(next) & IS_NAN(most));
            bool better = (next > most) | (IS_NAN(next) & !IS_NAN(most)) | (equal & (place < had));
            best[i * apart] = better ? next : most;
            places[i * apart] = better ? place : had;
        }
}

static void NAME(places)(int64_t n, int64_t w, int64_t size, int64_t stride, int64_t dilation, void *best,
                         void *places, const void *x, const void *from) {
    enum { FEW = 8 };
    const T *of = x;
    const PLACE *its = from;
    T *to = best;
    PLACE *where = places;
    bool even = stride == 1 || n == 1; /* windows are neighbours: one run of all pixels, else one for each */
    if (!even && w == 1 && stride == 2 && dilation == 1)
        NAME(places_by)(n, size, 2, 1, 1, to, where, of, its);
    else if (!even && w < FEW)
        for (int64_t c = 0; c < w; c++)
            NAME(places_by)(n, size, stride * w, dilation * w, w, to + c, where + c, of + c, its + c);
    else
        for (int64_t j = 0, run = even ? n : 1; j < n; j += run) NAME(places_by)
    (run * w, size, 1, dilation * w, 1, to + j * w, where + j * w, of + j * stride * w, its + j * stride * w);
}

static void NAME(finish)(int64_t n, int64_t *out, const void *places) {
    const PLACE *from = places;
    for (int64_t i = 0; i < n; i++) out[i] = from[i] == MOST ? -1 : from[i];
}
#undef NAME
#define PLACES                                                                                               \
    .places = {NAMED(mark, TYPE), NAMED(look, TYPE), NAMED(number, TYPE), NAMED(places, TYPE),               \
               NAMED(finish, TYPE)},
#else
#define PLACES
#endif

static const struct pool_type NAMED(type, TYPE) = {SUMS MAXIMA PLACES};
#undef SUMS
#undef MAXIMA
#undef PLACES
#undef GLUE
#undef NAMED
#undef T
#undef BITS
#undef LANES
#undef REAL
#undef TYPE
#undef ORDERED
#undef PLACE
#undef MOST
