/*
 * Template: branch-free binary search for a group of values at once, step by step, so that their loads overlap.
 * Parameters: T, the unsigned type of a key; NAME(verb). Included by search.kernel.c.
 */

static inline T NAME(key)(T bits, bool floating, T infinity, T flip) {
    const T sign = (T)((T)1 << (8 * sizeof(T) - 1)), size = bits & (T)~sign;
    if (!floating) return bits ^ flip;
    bits = size ? bits : 0;
    T key = bits & sign ? (T)~bits : (T)(bits | sign);
    return size > infinity ? (T) ~(T)0 : key;
}

/* Search `lanes` keys want[] at once: at[l], 0 before, becomes the number of keys below want[l]. `stride` is
   that of the line in elements. Inlined with constant `floating` and `stride`. */
static inline __attribute__((always_inline)) void NAME(steps)(const struct search_line *line, int64_t stride,
                                                              bool floating, int lanes, int64_t *restrict at,
                                                              const T *restrict want) {
    const T *sorted = line->sorted;
    const T infinity = (T)line->order.infinity, flip = (T)line->order.flip;
    for (int64_t n = line->n; n > 0;) {
        int64_t half = n / 2, rest = n - half;
        const T *middle = sorted + half * stride;
        for (int l = 0; l < lanes; l++) {
            T key = NAME(key)(middle[at[l] * stride], floating, infinity, flip);
            at[l] += key < want[l] ? rest : 0;
        }
        n = half;
    }
}

static inline __attribute__((always_inline)) void NAME(group)(const struct search_line *line, int lanes,
                                                              int64_t *at, const T *want) {
    if (line->stride == 1 && line->order.floating)
        NAME(steps)(line, 1, true, lanes, at, want);
    else if (line->stride == 1)
        NAME(steps)(line, 1, false, lanes, at, want);
    else
        NAME(steps)(line, line->stride, line->order.floating, lanes, at, want);
}

/* Set out[i] to the number of elements of the line less than x[i], for i < n, or with line->right not greater.
   The latter searches for the next greater key; the greatest key yields line->n. */
static void NAME(search_each)(const struct search_line *line, int64_t n, int64_t *out, const void *x) {
    enum { LANES = 16 };
    const T *from = x, infinity = (T)line->order.infinity, flip = (T)line->order.flip;
    for (int64_t i = 0; i < n; i += LANES) {
        T want[LANES] = {0};
        int64_t at[LANES] = {0};
        bool greatest[LANES] = {false};
        int lanes = n - i < LANES ? (int)(n - i) : LANES;
        for (int l = 0; l < lanes; l++) {
            want[l] = NAME(key)(from[i + l], line->order.floating, infinity, flip);
            greatest[l] = line->right && want[l] == (T) ~(T)0;
            if (line->right) want[l]++;
        }
        if (lanes == LANES)
            NAME(group)(line, LANES, at, want);
        else
            NAME(group)(line, lanes, at, want);
        for (int l = 0; l < lanes; l++) out[i + l] = greatest[l] ? line->n : at[l];
    }
}
