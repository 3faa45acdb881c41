/*
 * Template: sparse products of values T with indices PLACE (sparse.h). A few rows at a time are checked, so that the
 * product loops find their indices in L1 and need no tests. The order of every sum depends on its row alone.
 */
typedef void (*NAME(rows))(const struct sparse_job *j, int64_t begin, int64_t end);

static inline __attribute__((always_inline)) int64_t NAME(each)(const struct sparse_job *j, int64_t begin,
                                                                int64_t end, NAME(rows) rows) {
    for (int64_t first = begin, last; first < end; first = last) {
        last = first + ROWS < end ? first + ROWS : end;
        if ((first - begin) % (LOOK * ROWS) == (LOOK - 1) * ROWS && stop_cut()) return -1;
        int64_t fault = CHECK(j, first, last);
        if (fault >= 0) return fault;
        rows(j, first, last);
    }
    return -1;
}

/* ---- READ ---- */

/* Return the sum of values[e] * x[indices[e]] over e < n, in four sums whose terms alternate if there are more than
   a few. */
static inline T NAME(sum)(int64_t n, const T *values, const PLACE *indices, const T *x) {
    T sum = 0, more[3] = {0, 0, 0};
    int64_t e = 0;
    for (; e + 4 <= n; e += 4) {
        sum = MADD(sum, values[e], x[indices[e]]);
        more[0] = MADD(more[0], values[e + 1], x[indices[e + 1]]);
        more[1] = MADD(more[1], values[e + 2], x[indices[e + 2]]);
        more[2] = MADD(more[2], values[e + 3], x[indices[e + 3]]);
    }
#pragma GCC unroll 1 /* else written out for each count */
    for (; e < n; e++) sum = MADD(sum, values[e], x[indices[e]]);
    return (T)((T)(sum + more[0]) + (T)(more[1] + more[2]));
}

/* Computes n <= W columns of a row. */
#define TILE(W, n)                                                                                           \
    {                                                                                                        \
        T sums[W] = {0};                                                                                     \
        for (int64_t e = 0; e < entries; e++) {                                                              \
            const T *from = x + (int64_t)indices[e] * width;                                                 \
            for (int64_t k = 0; k < (n); k++) sums[k] = MADD(sums[k], values[e], from[k]);                   \
        }                                                                                                    \
        for (int64_t k = 0; k < (n); k++) out[k] = sums[k];                                                  \
    }

#ifdef VECTOR
#define LANES ((int64_t)(VECTOR_BYTES / sizeof(T)))
static inline VECTOR NAME(load)(const T *from) {
    VECTOR x;
    memcpy(&x, from, sizeof x);
    return x;
}
/* Computes COUNT vectors of columns of a row. */
#define VECTORS(COUNT)                                                                                       \
    static inline void NAME(vectors_##COUNT)(int64_t entries, const T *values, const PLACE *indices,         \
                                             const T *x, int64_t width, T *out) {                            \
        VECTOR sums[COUNT] = {{0}};                                                                          \
        for (int64_t e = 0; e < entries; e++) {                                                              \
            const T *from = x + (int64_t)indices[e] * width;                                                 \
            VECTOR value = values[e] - (VECTOR){0};                                                          \
            _Pragma("GCC unroll 8") for (int c = 0; c < COUNT; c++) sums[c] =                                \
                VECTOR_MADD(sums[c], value, NAME(load)(from + c * LANES));                                   \
        }                                                                                                    \
        memcpy(out, sums, sizeof sums);                                                                      \
    }
VECTORS(1)
VECTORS(2)
VECTORS(4)
VECTORS(8)
#undef VECTORS
#endif

/* Compute all `width` columns of a row of the result: out[c] = sum over entries of values[e] * x[indices[e]*width +
   c]. */
static inline void NAME(line)(int64_t entries, const T *values, const PLACE *indices, const T *x,
                              int64_t width, T *out) {
    int64_t left = width;
#ifdef VECTOR
#define ALONG(COUNT)                                                                                         \
    for (; left >= COUNT * LANES; left -= COUNT * LANES, x += COUNT * LANES, out += COUNT * LANES)           \
        NAME(vectors_##COUNT)(entries, values, indices, x, width, out);
    ALONG(8)
    ALONG(4)
    ALONG(2)
    ALONG(1)
#undef ALONG
#undef LANES
#else
    for (; left >= 8; left -= 8, x += 8, out += 8) TILE(8, 8)
#endif
    if (left > 0) TILE(16, left)
}

static void NAME(read_column)(const struct sparse_job *j, int64_t begin, int64_t end) {
    const T *values = j->first;
    const PLACE *indices = j->indices;
    const int64_t *starts = j->starts;
    T *out = j->out;
    for (int64_t row = begin; row < end; row++)
        out[row] =
            NAME(sum)(starts[row + 1] - starts[row], values + starts[row], indices + starts[row], j->x);
}

/* Prefetch the rows of x for entries begin .. end-1, as much as the first loop reads. */
static inline void NAME(fetch)(const struct sparse_job *j, int64_t begin, int64_t end) {
    const PLACE *indices = j->indices;
    uintptr_t bytes = (uintptr_t)j->width * sizeof(T), first = bytes < 512 ? bytes : 512;
    if (end > j->entries) end = j->entries;
    for (int64_t e = begin; e < end; e++)
        for (uintptr_t at = 0; at < first; at += 64)
            __builtin_prefetch((const void *)((uintptr_t)j->x + (uintptr_t)indices[e] * bytes + at));
}

static void NAME(read_lines)(const struct sparse_job *j, int64_t begin, int64_t end, T *out) {
    const T *values = j->first, *x = j->x;
    const PLACE *indices = j->indices;
    for (int64_t row = begin; row < end; row++, out += j->width) {
        int64_t e = j->starts[row];
        if (j->fetches) NAME(fetch)(j, e + AHEAD, j->starts[row + 1] + AHEAD);
        NAME(line)(j->starts[row + 1] - e, values + e, indices + e, x, j->width, out);
    }
}
/* Compute rows begin .. end-1 of a result of several columns. Results that will not stay in cache are stored
   non-temporally, some rows at a time. */
static void NAME(read_columns)(const struct sparse_job *j, int64_t begin, int64_t end) {
    T *out = j->out, buffer[SPARSE_BUFFER / sizeof(T)];
    int64_t fit = SPARSE_BUFFER / (j->width * (int64_t)sizeof(T));
    if (!j->bypass || fit == 0) {
        NAME(read_lines)(j, begin, end, out + begin * j->width);
        return;
    }
    for (int64_t row = begin, n; row < end; row += n) {
        n = end - row < fit ? end - row : fit;
        NAME(read_lines)(j, row, row + n, buffer);
        cache_bypass_copy(out + row * j->width, buffer, (size_t)(n * j->width) * sizeof(T));
    }
}

static int64_t NAME(read)(const struct sparse_job *j, int64_t begin, int64_t end) {
    return j->width == 1 ? NAME(each)(j, begin, end, NAME(read_column))
                         : NAME(each)(j, begin, end, NAME(read_columns));
}

/* ---- ADD: rows from .. to-1 of the result ---- */

static void NAME(add_rows)(const struct sparse_job *j, int64_t begin, int64_t end) {
    const T *values = j->first, *g = j->x;
    const PLACE *indices = j->indices;
    T *out = j->out;
    int64_t width = j->width;
    WIDE count = (WIDE)(j->to - j->from);
    for (int64_t row = begin; row < end; row++)
        for (int64_t e = j->starts[row]; e < j->starts[row + 1]; e++) {
            WIDE at = (WIDE)indices[e] - (WIDE)j->from;
            if (at >= count) continue;
            T *to = out + (j->from + (int64_t)at) * width;
            for (int64_t k = 0; k < width; k++) to[k] = MADD(to[k], values[e], g[row * width + k]);
        }
}
/* Add the entries of rows begin .. end-1, times g[row], into rows j->from .. j->to-1 of a result of one column. */
static void NAME(add_column)(const struct sparse_job *j, int64_t begin, int64_t end) {
    const T *values = j->first, *g = j->x;
    const PLACE *indices = j->indices;
    T *out = (T *)j->out + j->from;
    WIDE count = (WIDE)(j->to - j->from), from = (WIDE)j->from;
    for (int64_t row = begin; row < end; row++) {
        T here = g[row];
        for (int64_t e = j->starts[row], last = j->starts[row + 1]; e < last; e++) {
            WIDE at = (WIDE)indices[e] - from;
            if (at < count) out[at] = MADD(out[at], values[e], here);
        }
    }
}
static int64_t NAME(add)(const struct sparse_job *j, int64_t begin, int64_t end) {
    return NAME(each)(j, begin, end, j->width == 1 ? NAME(add_column) : NAME(add_rows));
}

/* ---- DOT ---- */

static inline T NAME(product)(int64_t n, const T *a, const T *b) {
    T sums[8] = {0};
    int64_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (int c = 0; c < 8; c++) sums[c] = MADD(sums[c], a[k + c], CONJ(b[k + c]));
    for (; k < n; k++) sums[0] = MADD(sums[0], a[k], CONJ(b[k]));
    for (int c = 0; c < 4; c++) sums[c] = (T)(sums[c] + sums[c + 4]);
    return (T)((T)(sums[0] + sums[1]) + (T)(sums[2] + sums[3]));
}

static void NAME(dot_rows)(const struct sparse_job *j, int64_t begin, int64_t end) {
    const T *g = j->first, *x = j->x;
    const PLACE *indices = j->indices;
    T *out = j->out;
    int64_t width = j->width;
    for (int64_t row = begin; row < end; row++)
        for (int64_t e = j->starts[row]; e < j->starts[row + 1]; e++) {
            bool counts = sparse_counts((enum sparse_part)j->part, row, indices[e]);
            out[e] = counts ? NAME(product)(width, g + row * width, x + indices[e] * width) : 0;
        }
}
static int64_t NAME(dot)(const struct sparse_job *j, int64_t begin, int64_t end) {
    return NAME(each)(j, begin, end, NAME(dot_rows));
}

/* ---- values of a part ---- */

static void NAME(mask_rows)(const struct sparse_job *j, int64_t begin, int64_t end) {
    const T *values = j->first;
    const PLACE *indices = j->indices;
    T *out = j->out;
    for (int64_t row = begin; row < end; row++) {
        int64_t first, last;
        sparse_range((enum sparse_part)j->part, row, &first, &last);
        for (int64_t e = j->starts[row]; e < j->starts[row + 1]; e++) {
            T value = values[e]; /* read in any case, so that no branch is needed */
            bool counts = (indices[e] >= first) & (indices[e] <= last);
            out[e] = counts ? value : 0;
        }
    }
}
static int64_t NAME(mask)(const struct sparse_job *j, int64_t begin, int64_t end) {
    return NAME(each)(j, begin, end, NAME(mask_rows));
}

/* ---- SOLVE: columns from .. to-1 in place, all rows ---- */

#ifdef DIVIDES
/* Eliminate with one row of the triangle, in columns j->from .. j->to-1 of the solution: subtract known unknowns,
   then divide by the pivot. Transposed: divide, then subtract from the unknowns of other rows. */
static inline void NAME(solve_row)(const struct sparse_job *j, int64_t row, T pivot) {
    const T *values = j->first;
    const PLACE *indices = j->indices;
    T *out = j->out, *own = out + row * j->width;
    enum sparse_part part = (enum sparse_part)j->part;
    if (j->transposed)
        for (int64_t k = j->from; k < j->to; k++) own[k] = DIVIDES(own[k], pivot);
    for (int64_t e = j->starts[row]; e < j->starts[row + 1]; e++) {
        if (indices[e] == row || !sparse_counts(part, row, indices[e])) continue;
        T *other = out + indices[e] * j->width, *to = j->transposed ? other : own,
          *from = j->transposed ? own : other;
        for (int64_t k = j->from; k < j->to; k++) to[k] = MADD(to[k], -values[e], from[k]);
    }
    if (!j->transposed)
        for (int64_t k = j->from; k < j->to; k++) own[k] = DIVIDES(own[k], pivot);
}

static void NAME(nothing)(const struct sparse_job *j, int64_t begin, int64_t end) {
    (void)j, (void)begin, (void)end;
}

static int64_t NAME(solve)(const struct sparse_job *j, int64_t begin, int64_t end) {
    const T *values = j->first;
    const PLACE *indices = j->indices;
    bool upper = j->part == SPARSE_UPPER || j->part == SPARSE_ABOVE;
    bool unit = j->part == SPARSE_BELOW || j->part == SPARSE_ABOVE, down = upper == (j->transposed != 0);
    int64_t fault = NAME(each)(j, begin, end, NAME(nothing));
    for (int64_t i = 0; i < end - begin && fault < 0; i++) {
        if (i % LOOK == 0 && stop_cut()) return -1; /* before the first row: indices may be unchecked */
        int64_t row = down ? begin + i : end - 1 - i;
        T pivot = unit ? 1 : 0;
        for (int64_t e = j->starts[row]; e < j->starts[row + 1] && !unit; e++)
            if (indices[e] == row) pivot += values[e];
        if (pivot == 0) return row;
        NAME(solve_row)(j, row, pivot);
    }
    return fault;
}
#endif
#undef TILE
