/*
 * Template: sorts a few items of one unsigned type without branches: networks for 8, then merges from both ends at
 * once (the parity merge of quadsort, S. van den Hoven, 2021). Parameters: T, NAME(verb). Included by
 * sort_type.kernel.c.
 */

static inline void NAME(exchange)(T *a, T *b) {
    T x = *a, y = *b;
    *a = x < y ? x : y;
    *b = x < y ? y : x;
}

/* Sort the 8 items a[], in place, by the 19 comparisons of Batcher's network. */
static void NAME(sort_8)(T *a) {
    static const uint8_t pairs[19][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6},
                                         {5, 7}, {1, 2}, {5, 6}, {0, 4}, {1, 5}, {2, 6}, {3, 7},
                                         {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
#pragma GCC unroll 19
    for (int i = 0; i < 19; i++) NAME(exchange)(a + pairs[i][0], a + pairs[i][1]);
}

static void NAME(insert_all)(int64_t n, T *a) {
    for (int64_t i = 1; i < n; i++) {
        T x = a[i];
        int64_t k = i;
        for (; k > 0 && x < a[k - 1]; k--) a[k] = a[k - 1];
        a[k] = x;
    }
}

/* Merge two adjacent sorted runs of n items each, a[0 .. 2 n - 1], to `out`: the n least from the front and the
   n greatest from the back, as two independent chains. */
static void NAME(merge_even)(int64_t n, const T *a, T *out) {
    const T *x = a, *y = a + n, *u = a + n - 1, *v = a + 2 * n - 1;
    T *front = out, *back = out + 2 * n - 1;
    for (int64_t i = 0; i < n; i++) {
        bool take = *y < *x, keep = *v < *u;
        *front++ = take ? *y : *x;
        y += take;
        x += !take;
        *back-- = keep ? *u : *v;
        u -= keep;
        v -= !keep;
    }
}

static void NAME(merge_any)(int64_t n, int64_t m, const T *a, T *out) {
    const T *b = a + n, *a_end = b, *b_end = b + m;
    while (a < a_end && b < b_end) {
        bool take = *b < *a;
        *out++ = take ? *b : *a;
        b += take;
        a += !take;
    }
    while (a < a_end) *out++ = *a++;
    while (b < b_end) *out++ = *b++;
}

static T *NAME(sort_merging)(int64_t n, T *a, T *b) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) NAME(sort_8)(a + i);
    NAME(insert_all)(n - i, a + i);
    for (int64_t run = 8; run < n; run *= 2) {
        for (i = 0; i + 2 * run <= n; i += 2 * run) NAME(merge_even)(run, a + i, b + i);
        int64_t left = n - i, first = left < run ? left : run;
        NAME(merge_any)(first, left - first, a + i, b + i);
        T *other = a;
        a = b;
        b = other;
    }
    return a;
}
