/*
 * Template: indices of the greatest or least element. Included by reduce.kernel.c with T, ARG(name) and ABOVE(a, b).
 * A later element wins only if it is strictly better; NaN is better than any number.
 */
#define BETTER(a, b) (ABOVE(a, b) | (IS_NAN(a) & !IS_NAN(b)))

/* Compare `rows` rows of `width` columns, `stride` elements apart, with best[width], in place; place[j] becomes
   the row of column j's best. `first` is the number of the first row. */
static void ARG(columns)(int64_t first, int64_t rows, int64_t width, void *best, int64_t *place,
                         const void *x, int64_t stride) {
    T *restrict most = best;
    for (int64_t i = 0; i < rows; i++) {
        const T *restrict row = (const T *)x + i * stride;
        for (int64_t j = 0; j < width; j++) {
            bool better = BETTER(row[j], most[j]);
            most[j] = better ? row[j] : most[j];
            place[j] = better ? first + i : place[j];
        }
    }
}

/* Merge n later candidates, values `other` and positions other_place[], into the best so far, values `best` and
   positions place[], in place. The earlier of equals stays. */
static void ARG(join)(int64_t n, void *best, int64_t *place, const void *other, const int64_t *other_place) {
    T *most = best;
    const T *later = other;
    for (int64_t j = 0; j < n; j++) {
        bool better = BETTER(later[j], most[j]);
        most[j] = better ? later[j] : most[j];
        place[j] = better ? other_place[j] : place[j];
    }
}
#undef ARG
#undef ABOVE
#undef BETTER
