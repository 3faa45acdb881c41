/*
 * Template: block copies of elements of one size (copy.h).  Parameters: T (lane type), ELEMENT (type of an element),
 * SIZE (its bytes), NAME(verb); the including file provides WIDTH, LANES_*, copy_lane.  Loads and stores are unaligned
 * but for those of `lines`.
 *
 * A transpose works on 16 bytes in each 128-bit lane of a vector.  K = 16/SIZE columns are loaded as vectors along the
 * rows.  log2 K rounds of the perfect shuffle (interleave the first half of the vectors with the second) leave K
 * consecutive elements of one output row in each lane.  That needs only the unpack instructions of every instruction
 * set, and loads each source line once.
 *
 * If a block has columns enough for a vector, the lanes of a vector come from columns K apart.  This leaves K whole
 * rows, with one store each instead of one per lane, or a non-temporal line each.  Lines of these columns are used four
 * times, so they must fit L1 together.
 */
#define K (16 / SIZE)
#define N (WIDTH / (int)sizeof(T))
#define ACROSS (WIDTH / SIZE) /* elements of a vector */
#define AHEAD (K > 8 ? K : 8) /* columns from loads to prefetches */
#define UNIT (16 / (int)sizeof(T))
typedef T NAME(vector) __attribute__((vector_size(WIDTH)));
typedef NAME(vector) NAME(loose) __attribute__((aligned(1), may_alias));
typedef ELEMENT NAME(element) __attribute__((aligned(1), may_alias));
#if K > 1
typedef ELEMENT NAME(together) __attribute__((vector_size(16)));
#endif

#define LOW_LANE(l) ((l) / UNIT * UNIT + (l) % UNIT / 2 + ((l)&1 ? N : 0))
#define HIGH_LANE(l) (LOW_LANE(l) + UNIT / 2)
#if K > 1
static inline __attribute__((always_inline)) NAME(vector) NAME(low)(NAME(vector) a, NAME(vector) b) {
    return __builtin_shufflevector(a, b, LANES(LOW_LANE));
}
static inline __attribute__((always_inline)) NAME(vector) NAME(high)(NAME(vector) a, NAME(vector) b) {
    return __builtin_shufflevector(a, b, LANES(HIGH_LANE));
}
/* Transpose K vectors in place: before, vector k holds column k; after, each 16-byte lane holds K consecutive
   elements of one output row. */
static inline __attribute__((always_inline)) void NAME(turn)(NAME(vector) * v) {
    NAME(vector) w[K];
#pragma GCC unroll 8
    for (int round = 1; round < K; round *= 2) {
#pragma GCC unroll 16
        for (int i = 0; i < K / 2; i++) {
            w[2 * i] = NAME(low)(v[i], v[i + K / 2]);
            w[2 * i + 1] = NAME(high)(v[i], v[i + K / 2]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < K; i++) v[i] = w[i];
    }
}
#include "engine/cpu/move/copy_few.kernel.c"
#else
static inline void NAME(turn)(NAME(vector) * v) { (void)v; }
static inline int64_t NAME(thinned)(const struct cpu_block *b, int64_t row) { return (void)b, row & 0; }
static inline int64_t NAME(few_rows)(const struct cpu_block *b) { return b == NULL; }
static inline __attribute__((always_inline)) int64_t NAME(join_rows)(const struct cpu_block *b, const int r) {
    NAME(element) *to = (NAME(element) *)b->to;
    for (int64_t j = 0; j < b->rows; j++, to += r)
        for (int k = 0; k < r; k++) to[k] = *(const NAME(element) *)(b->from + j * SIZE + k * b->column_step);
    return b->rows;
}
static int64_t NAME(few_columns)(const struct cpu_block *b) {
    if (b->row_step != SIZE || b->pitch != b->columns * SIZE) return 0;
    if (b->columns == 2) return NAME(join_rows)(b, 2);
    return b->columns == 3 ? NAME(join_rows)(b, 3) : 0;
}
#endif

/* Transpose a tile to ACROSS rows of K columns. `to`: rows `pitch` bytes apart; `from`: columns `step` bytes apart. */
static inline __attribute__((always_inline)) void NAME(tile)(char *to, int64_t pitch, const char *from,
                                                             int64_t step) {
    NAME(vector) v[K];
#pragma GCC unroll 16
    for (int k = 0; k < K; k++) v[k] = *(const NAME(loose) *)(from + k * step);
    NAME(turn)(v);
#pragma GCC unroll 16
    for (int k = 0; k < K; k++) {
#pragma GCC unroll 4
        for (int lane = 0; lane < WIDTH / 16; lane++) copy_lane(to + (lane * K + k) * pitch, &v[k], lane);
    }
}

/* Transpose a tile to K rows of ACROSS columns: each lane has K columns, so a row is one store. `to`: rows `pitch`
   bytes apart; `from`: columns `step` bytes apart; `streamed`: non-temporal stores. */
static inline __attribute__((always_inline)) void NAME(wide_tile)(char *to, int64_t pitch, const char *from,
                                                                  int64_t step, bool streamed) {
    NAME(vector) v[K];
#pragma GCC unroll 16
    for (int k = 0; k < K; k++) v[k] = (NAME(vector))load_lanes(from + k * step, K * step);
    NAME(turn)(v);
#pragma GCC unroll 16
    for (int k = 0; k < K; k++) {
        if (streamed)
            stream_vector(to + k * pitch, (wide)v[k]);
        else
            *(NAME(loose) *)(to + k * pitch) = v[k];
    }
}

/* Copy a block of elements with any steps; K of them make one store. */
static void NAME(strided)(const struct cpu_block *b) {
    for (int64_t j = 0; j < b->rows; j++) {
        NAME(element) *to = (NAME(element) *)(b->to + j * b->pitch);
        const char *from = b->from + j * b->row_step;
        int64_t n = b->columns, step = b->column_step, i = NAME(thinned)(b, j);
#if K > 1
        for (; i + K <= n; i += K) {
            NAME(together) v = {0};
#pragma GCC unroll 16
            for (int k = 0; k < K; k++) v[k] = *(const NAME(element) *)(from + (i + k) * step);
            *(loose_pair *)(to + i) = (pair)v;
        }
#endif
        for (; i < n; i++) to[i] = *(const NAME(element) *)(from + i * step);
    }
}

/* Copy the part of a block that fills no tile: `rows` rows from `row` on and `columns` columns from `column` on. */
static void NAME(edge)(const struct cpu_block *b, int64_t row, int64_t rows, int64_t column,
                       int64_t columns) {
    struct cpu_block rest = *b;
    rest.rows = rows;
    rest.columns = columns;
    rest.to += row * b->pitch + column * SIZE;
    rest.from += row * b->row_step + column * b->column_step;
    NAME(strided)(&rest);
}

/* Transpose a block by wide tiles, with non-temporal stores if `streamed`. Tiles at the far edges overlap their
   neighbours. Lines of a row are written in order, since rows may be pages apart. The tiles that share a source
   line divide the prefetch of the next lines, at the end those of the next block. */
static inline __attribute__((always_inline)) void NAME(wide_tiles)(const struct cpu_block *b, bool streamed) {
    enum { TILES = COPY_LINE / COPY_ROWS };
    int64_t rows = b->rows, columns = b->columns, step = b->column_step;
    for (int64_t j = 0; j < rows; j += K) {
        int64_t row = j + K <= rows ? j : rows - K;
        const char *from = b->from + row * SIZE;
        char *to = b->to + row * b->pitch;
        for (int64_t i = 0; i < columns; i += ACROSS) {
            int64_t column = i + ACROSS <= columns ? i : columns - ACROSS;
            const char *ahead = from + COPY_LINE + (column + j / K % TILES * (ACROSS / TILES)) * step;
#pragma GCC unroll 16
            for (int k = 0; k < ACROSS / TILES; k++) __builtin_prefetch(ahead + k * step);
            NAME(wide_tile)(to + column * SIZE, b->pitch, from + column * step, step, streamed);
        }
    }
}

static void NAME(lines)(const struct cpu_block *b) { NAME(wide_tiles)(b, true); }

/* Return the address of the K columns to prefetch while column i is read: later in the block, or in the next one;
   NULL: none. */
static inline const char *NAME(fetched)(const struct cpu_block *b, int64_t i) {
    int64_t columns = copy_pieces(b->columns, K) * K, column = i + AHEAD;
    const char *from = b->from;
    if (column >= columns) {
        column = columns > AHEAD ? column - columns : i;
        from = b->next;
    }
    if (column + K > b->columns) column = b->columns - K;
    return from ? from + column * b->column_step : NULL;
}

static void NAME(across)(const struct cpu_block *b) {
    int64_t rows = b->rows, columns = b->columns;
    if (ACROSS >= COPY_LINE / COPY_ROWS && rows >= K && columns >= ACROSS && b->column_step % COPY_ALIAS) {
        NAME(wide_tiles)(b, false);
        return;
    }
    if (rows < ACROSS || columns < K || columns == 3) {
        int64_t column = NAME(few_rows)(b), row = column ? 0 : NAME(few_columns)(b);
        NAME(edge)(b, row, rows - row, column, columns - column);
        return;
    }
    for (int64_t i = 0; i < columns; i += K) {
        int64_t column = i + K <= columns ? i : columns - K;
        const char *from = b->from + column * b->column_step;
        char *to = b->to + column * SIZE;
        const char *ahead = rows > ACROSS ? NAME(fetched)(b, i) : NULL;
        for (int64_t j = 0; j < rows; j += ACROSS) {
            if (ahead) {
#pragma GCC unroll 16
                for (int k = 0; k < K; k++) __builtin_prefetch(ahead + j * SIZE + k * b->column_step);
            }
            int64_t row = j + ACROSS <= rows ? j : rows - ACROSS;
            NAME(tile)(to + row * b->pitch, b->pitch, from + row * SIZE, b->column_step);
        }
    }
}

static void NAME(reversed)(const struct cpu_block *b) {
    for (int64_t j = 0; j < b->rows; j++) {
        char *to = b->to + j * b->pitch;
        const char *from = b->from + j * b->row_step; /* column 0, the last in memory */
        int64_t i = 0;
#define BACKWARDS(l) ((l) / UNIT * UNIT + (UNIT - 1 - (l) % UNIT))
#if K > 1
        for (; i + ACROSS <= b->columns; i += ACROSS) {
            NAME(vector) v = *(const NAME(loose) *)(from - (i + ACROSS - 1) * SIZE);
            v = __builtin_shufflevector(v, v, LANES(BACKWARDS));
#pragma GCC unroll 4
            for (int lane = 0; lane < WIDTH / 16; lane++)
                copy_lane(to + i * SIZE + WIDTH - 16 - lane * 16, &v, lane);
        }
#endif
#undef BACKWARDS
        for (; i < b->columns; i++)
            *(NAME(element) *)(to + i * SIZE) = *(const NAME(element) *)(from - i * SIZE);
    }
}

#if K > 1
static inline NAME(vector) NAME(splat)(ELEMENT x) { return (NAME(vector)){0} + x; }
#else
#define EVERY(l) ((l) % UNIT)
static inline NAME(vector) NAME(splat)(ELEMENT x) { return __builtin_shufflevector(x, x, LANES(EVERY)); }
#undef EVERY
#endif

/* Copy a block to a strided output in the output's order, whose lines may share cache sets, unless rows are very
   short. Steps are kept in registers, since stores may alias *b. */
static void NAME(apart)(const struct cpu_block *b) {
    enum { FEW = 6 };
    struct cpu_block x = *b;
    if (x.rows > x.columns && x.columns < FEW)
        x = (struct cpu_block){x.columns, x.rows, x.run,         x.to,       x.column_to,
                               x.pitch,   x.from, x.column_step, x.row_step, NULL};
    for (int64_t j = 0; j < x.rows; j++) {
        const char *from = x.from + j * x.row_step;
        char *to = x.to + j * x.pitch;
#pragma GCC unroll 4
        for (int64_t left = x.columns; left > 0; left--, from += x.column_step, to += x.column_to)
            *(NAME(element) *)to = *(const NAME(element) *)from;
    }
}

/* Fill each row of a block with one element of the source. A row shorter than a vector is written as a whole vector
   if the next row, written later, overwrites the excess. */
static void NAME(repeated)(const struct cpu_block *b) {
    int64_t bytes = b->columns * SIZE;
    bool joined = b->pitch == bytes && bytes <= WIDTH;
    int64_t j = NAME(few_columns)(b), whole = joined ? b->rows - WIDTH / bytes : 0;
    for (; j < b->rows; j++) {
        char *to = b->to + j * b->pitch;
        NAME(element) x = *(const NAME(element) *)(b->from + j * b->row_step);
        NAME(vector) v = NAME(splat)(x);
        int64_t i = 0;
        if (j < whole) {
            *(NAME(loose) *)to = v;
            continue;
        }
        for (; i + ACROSS <= b->columns; i += ACROSS) *(NAME(loose) *)(to + i * SIZE) = v;
        for (; i < b->columns; i++) *(NAME(element) *)(to + i * SIZE) = x;
    }
}
#undef K
#undef N
#undef ACROSS
#undef UNIT
#undef AHEAD
#undef LOW_LANE
#undef HIGH_LANE
#undef T
#undef ELEMENT
#undef SIZE
#undef NAME
#undef LANES
