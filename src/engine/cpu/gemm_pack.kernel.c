/*
 * Packing: copies a block of an operand, which may lie in memory any way, into the panel that the
 * micro-kernel reads in one stream.  Over a window view this is where the im2col of a convolution happens,
 * one panel at a time (TBLIS' block-scatter packing).  Template; the includer defines T, NAME(x) and, of
 * elements in a vector, TURN (a power of two, at most 16).
 *
 * Three ways: elements side by side across the panel are copied in runs; elements side by side along k are
 * turned, TURN x TURN at a time, in log2(TURN) rounds of perfect shuffles; the rest goes one by one.
 */
typedef T NAME(vector) __attribute__((vector_size(TURN * sizeof(T))));
typedef T NAME(loose) __attribute__((vector_size(TURN * sizeof(T)), aligned(sizeof(T)), may_alias));

/* Lanes 0, TURN, 1, TURN+1, ... of two vectors, and those of their upper halves. */
#define LOW2 0, 2
#define LOW4 0, 4, 1, 5
#define LOW8 0, 8, 1, 9, 2, 10, 3, 11
#define LOW16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH2 1, 3
#define HIGH4 2, 6, 3, 7
#define HIGH8 4, 12, 5, 13, 6, 14, 7, 15
#define HIGH16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define PASTE(a, b) a##b
#define LANES_OF(half, turn) PASTE(half, turn)

/* Rows of x become columns. */
static inline __attribute__((always_inline)) void NAME(turn)(NAME(vector) * x) {
    NAME(vector) y[TURN];
#pragma GCC unroll 4
    for (int round = 1; round < TURN; round *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < TURN / 2; i++) {
            y[2 * i] = __builtin_shufflevector(x[i], x[i + TURN / 2], LANES_OF(LOW, TURN));
            y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + TURN / 2], LANES_OF(HIGH, TURN));
        }
#pragma GCC unroll 16
        for (int i = 0; i < TURN; i++) x[i] = y[i];
    }
}

/* TURN values of k for TURN rows of the operand. */
static inline void NAME(pack_square)(T *to, int64_t pitch, const T *from, const int64_t *row) {
    NAME(vector) x[TURN];
#pragma GCC unroll 16
    for (int i = 0; i < TURN; i++) x[i] = *(const NAME(loose) *)(from + row[i]);
    NAME(turn)(x);
#pragma GCC unroll 16
    for (int k = 0; k < TURN; k++) *(NAME(loose) *)(to + k * pitch) = x[k];
}

static inline void NAME(copy_run)(T *to, const T *from, int64_t n) {
    if (n >= TURN) {
        for (int64_t i = 0; i + TURN < n; i += TURN)
            *(NAME(loose) *)(to + i) = *(const NAME(loose) *)(from + i);
        *(NAME(loose) *)(to + n - TURN) = *(const NAME(loose) *)(from + n - TURN);
    } else if (n >= TURN / 2) {
        enum { HALF = TURN / 2 * sizeof(T) };
        char low[HALF], high[HALF];
        __builtin_memcpy(low, from, HALF);
        __builtin_memcpy(high, from + n - TURN / 2, HALF);
        __builtin_memcpy(to, low, HALF);
        __builtin_memcpy(to + n - TURN / 2, high, HALF);
    } else {
        for (int64_t i = 0; i < n; i++) to[i] = from[i];
    }
}

static void NAME(pack_runs)(T *to, int64_t pitch, const T *from, struct steps across, int64_t width,
                            const int64_t *along, int64_t depth) {
    for (int64_t i = 0, n; i < width; i += n) {
        n = across.run[i] < width - i ? across.run[i] : width - i;
        for (int64_t k = 0; k < depth; k++)
            NAME(copy_run)(to + k * pitch + i, from + across.at[i] + along[k], n);
    }
}

/* Up to TURN rows; where there are fewer, the last one is read again. */
static void NAME(pack_strip)(T *to, int64_t pitch, const T *from, struct steps across, int64_t width,
                             struct steps along, int64_t depth) {
    int64_t row[TURN];
    for (int i = 0; i < TURN; i++) row[i] = across.at[i < width ? i : width - 1];
    for (int64_t k = 0, n; k < depth; k += n) {
        n = along.run[k] < depth - k ? along.run[k] : depth - k;
        if (n < TURN) NAME(pack_runs)(to + k * pitch, pitch, from, across, width, along.at + k, n);
        for (int64_t j = k; j < k + n && n >= TURN; j += TURN) {
            int64_t at = j + TURN <= k + n ? j : k + n - TURN;
            NAME(pack_square)(to + at * pitch, pitch, from + along.at[at], row);
        }
    }
}

static void NAME(pack)(void *to, int64_t pitch, const void *from, struct steps across, int64_t width,
                       struct steps along, int64_t depth) {
    if (width <= 0 || depth <= 0) return;
    if (across.run[0] < width && along.run[0] >= TURN && width >= TURN / 4 && pitch % TURN == 0)
        for (int64_t i = 0; i < width; i += TURN)
            NAME(pack_strip)
            ((T *)to + i, pitch, from, (struct steps){across.at + i, across.run + i},
             width - i < TURN ? width - i : TURN, along, depth);
    else
        NAME(pack_runs)(to, pitch, from, across, width, along.at, depth);
}

#undef T
#undef NAME
#undef TURN
#undef LOW2
#undef LOW4
#undef LOW8
#undef LOW16
#undef HIGH2
#undef HIGH4
#undef HIGH8
#undef HIGH16
#undef PASTE
#undef LANES_OF
