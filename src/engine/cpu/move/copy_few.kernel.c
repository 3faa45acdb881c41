/*
 * Template, part of copy.kernel.c: conversion between R planes and R interleaved elements, R = 2, 3, 4, as in pixels.
 * A 16-byte lane never reads another: lane l of R vectors holds R*16 adjacent bytes of the interleaved side. So all
 * instruction sets have the shuffles, except three 1-byte elements, which need pshufb (not in the base set).
 */
#define FEW_THREE (SIZE >= 4 || WIDTH > 16)
#define LANE(l) ((l) / UNIT * UNIT)
#define EVEN_ODD(l, r) ((2 * ((l) % UNIT) + (r)) / UNIT * N + LANE(l) + (2 * ((l) % UNIT) + (r)) % UNIT)
#define EVENS(l) EVEN_ODD(l, 0)
#define ODDS(l) EVEN_ODD(l, 1)
/* Element r of each group of three: from the first two vectors, then from the third. */
#define SPLIT(l, r) (3 * ((l) % UNIT) + (r))
#define SPLIT_AB(l, r)                                                                                       \
    (SPLIT(l, r) < 2 * UNIT ? SPLIT(l, r) / UNIT * N + LANE(l) + SPLIT(l, r) % UNIT : LANE(l))
#define SPLIT_C(l, r) (SPLIT(l, r) < 2 * UNIT ? (l) : N + LANE(l) + SPLIT(l, r) % UNIT)
#define SPLIT_AB_0(l) SPLIT_AB(l, 0)
#define SPLIT_AB_1(l) SPLIT_AB(l, 1)
#define SPLIT_AB_2(l) SPLIT_AB(l, 2)
#define SPLIT_C_0(l) SPLIT_C(l, 0)
#define SPLIT_C_1(l) SPLIT_C(l, 1)
#define SPLIT_C_2(l) SPLIT_C(l, 2)
/* Vector m of interleaved threes, made of three planes. */
#define JOIN(l, m) ((m)*UNIT + (l) % UNIT)
#define JOIN_AB(l, m) (JOIN(l, m) % 3 < 2 ? JOIN(l, m) % 3 * N + LANE(l) + JOIN(l, m) / 3 : LANE(l))
#define JOIN_C(l, m) (JOIN(l, m) % 3 < 2 ? (l) : N + LANE(l) + JOIN(l, m) / 3)
#define JOIN_AB_0(l) JOIN_AB(l, 0)
#define JOIN_AB_1(l) JOIN_AB(l, 1)
#define JOIN_AB_2(l) JOIN_AB(l, 2)
#define JOIN_C_0(l) JOIN_C(l, 0)
#define JOIN_C_1(l) JOIN_C(l, 1)
#define JOIN_C_2(l) JOIN_C(l, 2)
#define MIX(a, b, F) __builtin_shufflevector(a, b, LANES(F))

static inline __attribute__((always_inline)) void NAME(split)(NAME(vector) * v, int r) {
    if (r == 2) {
        NAME(vector) even = MIX(v[0], v[1], EVENS), odd = MIX(v[0], v[1], ODDS);
        v[0] = even, v[1] = odd;
    } else if (r == 3) {
        NAME(vector)
        x = MIX(v[0], v[1], SPLIT_AB_0), y = MIX(v[0], v[1], SPLIT_AB_1), z = MIX(v[0], v[1], SPLIT_AB_2);
        v[0] = MIX(x, v[2], SPLIT_C_0), v[1] = MIX(y, v[2], SPLIT_C_1), v[2] = MIX(z, v[2], SPLIT_C_2);
    } else {
        NAME(vector) even = MIX(v[0], v[1], EVENS), odd = MIX(v[0], v[1], ODDS);
        NAME(vector) even2 = MIX(v[2], v[3], EVENS), odd2 = MIX(v[2], v[3], ODDS);
        v[0] = MIX(even, even2, EVENS), v[2] = MIX(even, even2, ODDS);
        v[1] = MIX(odd, odd2, EVENS), v[3] = MIX(odd, odd2, ODDS);
    }
}

static inline __attribute__((always_inline)) void NAME(join)(NAME(vector) * v, int r) {
    if (r == 2) {
        NAME(vector) low = NAME(low)(v[0], v[1]), high = NAME(high)(v[0], v[1]);
        v[0] = low, v[1] = high;
    } else if (r == 3) {
        NAME(vector)
        x = MIX(v[0], v[1], JOIN_AB_0), y = MIX(v[0], v[1], JOIN_AB_1), z = MIX(v[0], v[1], JOIN_AB_2);
        v[0] = MIX(x, v[2], JOIN_C_0), v[1] = MIX(y, v[2], JOIN_C_1), v[2] = MIX(z, v[2], JOIN_C_2);
    } else {
        NAME(vector) low = NAME(low)(v[0], v[2]), high = NAME(high)(v[0], v[2]);
        NAME(vector) low2 = NAME(low)(v[1], v[3]), high2 = NAME(high)(v[1], v[3]);
        v[0] = NAME(low)(low, low2), v[1] = NAME(high)(low, low2);
        v[2] = NAME(low)(high, high2), v[3] = NAME(high)(high, high2);
    }
}

/* Split columns of r interleaved elements, from element `row` on, into the first `rows` of r output rows. Return
   the columns done. With fewer rows than r the last column is left out, since its load may cross the end of the
   source. */
static inline __attribute__((always_inline)) int64_t NAME(split_rows)(const struct cpu_block *b, int64_t row,
                                                                      int rows, const int r) {
    const char *from = b->from + row * b->row_step;
    char *to = b->to + row * b->pitch;
    int64_t i = 0, end = b->columns - (rows < r);
    for (; i + ACROSS <= end; i += ACROSS) {
        NAME(vector) v[4];
#pragma GCC unroll 4
        for (int k = 0; k < r; k++) v[k] = (NAME(vector))load_lanes(from + i * r * SIZE + k * 16, r * 16);
        NAME(split)(v, r);
#pragma GCC unroll 4
        for (int k = 0; k < rows; k++) *(NAME(loose) *)(to + k * b->pitch + i * SIZE) = v[k];
    }
    return i;
}

/* Interleave r columns into output rows of r elements, from row j on, for as many rows as `lanes` 16-byte lanes
   hold. lanes: all of a vector, or 1. */
static inline __attribute__((always_inline)) void NAME(join_lanes)(const struct cpu_block *b, int64_t j,
                                                                   const int r, const int lanes) {
    NAME(vector) v[4];
#pragma GCC unroll 4
    for (int k = 0; k < r; k++) {
        const char *from = b->from + j * SIZE + k * b->column_step;
        if (lanes < WIDTH / 16)
            v[k] = (NAME(vector))load_lanes(from, 0);
        else
            v[k] = *(const NAME(loose) *)from;
    }
    NAME(join)(v, r);
    char *to = b->to + j * r * SIZE;
#pragma GCC unroll 4
    for (int lane = 0; lane < lanes; lane++) {
#pragma GCC unroll 4
        for (int k = 0; k < r; k++) copy_lane(to + (lane * r + k) * 16, &v[k], lane);
    }
}

/* Interleave r columns into output rows of r elements, which must be contiguous. Return the rows done; the caller
   copies the rest. */
static inline __attribute__((always_inline)) int64_t NAME(join_rows)(const struct cpu_block *b, const int r) {
    int64_t j = 0;
    for (; j + ACROSS <= b->rows; j += ACROSS) NAME(join_lanes)(b, j, r, WIDTH / 16);
    for (; WIDTH > 16 && j + K <= b->rows; j += K) NAME(join_lanes)(b, j, r, 1);
    return j;
}

/* Copy columns of row `row` if they are 2, 3 or 4 elements apart in the source. Return the columns done; 0 for
   other steps. */
static int64_t NAME(thinned)(const struct cpu_block *b, int64_t row) {
    if (b->column_step == 2 * SIZE) return NAME(split_rows)(b, row, 1, 2);
    if (b->column_step == 3 * SIZE && FEW_THREE) return NAME(split_rows)(b, row, 1, 3);
    return b->column_step == 4 * SIZE ? NAME(split_rows)(b, row, 1, 4) : 0;
}

/* Copy a block of 2, 3 or 4 rows that are interleaved in the source. Return the columns done; 0 for other blocks. */
static int64_t NAME(few_rows)(const struct cpu_block *b) {
    if (b->row_step != SIZE || b->column_step != b->rows * SIZE) return 0;
    if (b->rows == 2) return NAME(split_rows)(b, 0, 2, 2);
    if (b->rows == 3 && FEW_THREE) return NAME(split_rows)(b, 0, 3, 3);
    return b->rows == 4 ? NAME(split_rows)(b, 0, 4, 4) : 0;
}

/* Copy a block of 2, 3 or 4 columns to rows that are contiguous in the output, interleaving them. Return the rows
   done; 0 for other blocks. */
static int64_t NAME(few_columns)(const struct cpu_block *b) {
    if (b->row_step != SIZE || b->pitch != b->columns * SIZE) return 0;
    if (b->columns == 2) return NAME(join_rows)(b, 2);
    if (b->columns == 3 && FEW_THREE) return NAME(join_rows)(b, 3);
    return b->columns == 4 ? NAME(join_rows)(b, 4) : 0;
}
#undef FEW_THREE
#undef LANE
#undef EVEN_ODD
#undef EVENS
#undef ODDS
#undef SPLIT
#undef SPLIT_AB
#undef SPLIT_C
#undef SPLIT_AB_0
#undef SPLIT_AB_1
#undef SPLIT_AB_2
#undef SPLIT_C_0
#undef SPLIT_C_1
#undef SPLIT_C_2
#undef JOIN
#undef JOIN_AB
#undef JOIN_C
#undef JOIN_AB_0
#undef JOIN_AB_1
#undef JOIN_AB_2
#undef JOIN_C_0
#undef JOIN_C_1
#undef JOIN_C_2
#undef MIX
