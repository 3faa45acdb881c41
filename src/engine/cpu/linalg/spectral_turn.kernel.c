/* Sweeps of rotations on rows of reals: a block of columns goes through all sweeps, so that it stays in a near cache, and
   the row that the next rotation meets again stays in registers. */
enum { NAME(turn_vectors) = 8 };

MADD_INLINE V NAME(turn_load)(const R *x) {
    V y;
    memcpy(&y, x, sizeof y);
    return y;
}
MADD_INLINE void NAME(turn_columns)(int vectors, const struct turn_sweep *s, const double *pairs, R *rows, int64_t ld) {
    enum { LANES_OF = sizeof(V) / sizeof(R) };
    V x[NAME(turn_vectors)];
    R *row = rows + s->first * ld;
    for (int q = 0; q < vectors; q++) x[q] = NAME(turn_load)(row + q * LANES_OF);
    for (int64_t k = 0; k < s->count; k++) {
        V c = (R)pairs[2 * k] - (V){0}, sine = (R)pairs[2 * k + 1] - (V){0};
        R *next = row + s->step * ld;
        for (int q = 0; q < vectors; q++) {
            V y = NAME(turn_load)(next + q * LANES_OF), new = MADDS(c, x[q], sine *y);
            memcpy(row + q * LANES_OF, &new, sizeof new);
            x[q] = MADDS(c, y, -(sine * x[q]));
        }
        row = next;
    }
    for (int q = 0; q < vectors; q++) memcpy(row + q * LANES_OF, &x[q], sizeof x[q]);
}

static void NAME(turn_rows)(int64_t sweeps, const struct turn_sweep *sweep, const double *pairs, int64_t columns, void *from,
                       int64_t ld) {
    enum { ONE = sizeof(V) / sizeof(R), WIDE = ONE * NAME(turn_vectors) };
    R *rows = from;
    int64_t j = 0;
    for (; j + WIDE <= columns; j += WIDE)
        for (int64_t s = 0; s < sweeps; s++)
            NAME(turn_columns)(NAME(turn_vectors), &sweep[s], pairs + sweep[s].at, rows + j, ld);
    for (; j + ONE <= columns; j += ONE)
        for (int64_t s = 0; s < sweeps; s++)
            NAME(turn_columns)(1, &sweep[s], pairs + sweep[s].at, rows + j, ld);
    for (; j < columns; j++)
        for (int64_t s = 0; s < sweeps; s++)
            for (int64_t k = 0; k < sweep[s].count; k++) {
                R *x = rows + (sweep[s].first + k * sweep[s].step) * ld + j, *y = x + sweep[s].step * ld;
                R c = (R)pairs[sweep[s].at + 2 * k], sine = (R)pairs[sweep[s].at + 2 * k + 1], new = MADD(c, *x, sine * *y);
                *y = MADD(c, *y, -(sine * *x));
                *x = new;
            }
}
#undef V
#undef R
#undef NAME
#undef MADD
#undef MADDS
