/* Template: sweeps of rotations on rows of reals. A block of columns passes through all sweeps, to stay in cache;
   the row that the next rotation uses stays in registers. */
/* two rows of them, and temporaries, fill the registers */
enum { NAME(turn_vectors) = VECTOR_BYTES == 64 ? 8 : 4 };

MADD_INLINE V NAME(turn_load)(const R *x) {
    V y;
    memcpy(&y, x, sizeof y);
    return y;
}
MADD_INLINE V NAME(turn_splat)(double x) { return (R)x - (V){0}; }
/* Rotate x, the first row, with y, the second. *x becomes the new second row; return the new first row. */
MADD_INLINE V NAME(turn_one)(V c, V sine, V *x, V y) {
    V first = MADDS(c, *x, sine * y);
    *x = MADDS(c, y, -(sine * *x));
    return first;
}
enum { NAME(turn_lanes) = sizeof(V) / sizeof(R) };

/* Apply rotations k .. end-1 of sweep s, given as pairs of cosine and sine, to `vectors` vectors of the rows,
   which are `ld` elements apart. x holds row k before, row `end` after. */
MADD_INLINE void NAME(turn_alone)(int vectors, const struct turn_sweep *s, const double *pairs, int64_t k,
                                  int64_t end, R *rows, int64_t ld, V *x) {
    R *row = rows + (s->first + k * s->step) * ld;
    for (; k < end; k++) {
        V c = NAME(turn_splat)(pairs[2 * k]), sine = NAME(turn_splat)(pairs[2 * k + 1]);
        R *next = row + s->step * ld;
        for (int q = 0; q < vectors; q++) {
            V first = NAME(turn_one)(c, sine, &x[q], NAME(turn_load)(next + q * NAME(turn_lanes)));
            memcpy(row + q * NAME(turn_lanes), &first, sizeof first);
        }
        row = next;
    }
}
MADD_INLINE void NAME(turn_put)(int vectors, R *row, const V *x) {
    for (int q = 0; q < vectors; q++) memcpy(row + q * NAME(turn_lanes), &x[q], sizeof x[q]);
}
MADD_INLINE void NAME(turn_get)(int vectors, const R *row, V *x) {
    for (int q = 0; q < vectors; q++) x[q] = NAME(turn_load)(row + q * NAME(turn_lanes));
}

MADD_INLINE void NAME(turn_columns)(int vectors, const struct turn_sweep *s, const double *pairs, R *rows,
                                    int64_t ld) {
    V x[NAME(turn_vectors)];
    NAME(turn_get)(vectors, rows + s->first * ld, x);
    NAME(turn_alone)(vectors, s, pairs, 0, s->count, rows, ld, x);
    NAME(turn_put)(vectors, rows + (s->first + s->count * s->step) * ld, x);
}

/* Apply two sweeps, s[0] and s[1], with their cosines and sines in `all`, to `vectors` vectors of `rows`, `ld`
   elements apart. The second runs one row behind the first, so that a row is loaded and stored once for both. It
   must lie within the first. */
MADD_INLINE void NAME(turn_two)(int vectors, const struct turn_sweep *s, const double *all, R *rows,
                                int64_t ld) {
    const double *one = all + s[0].at, *two = all + s[1].at;
    int64_t begin = (s[1].first - s[0].first) * s[0].step + 1, k = begin, j = 0, step = s[0].step * ld;
    V x[NAME(turn_vectors)], z[NAME(turn_vectors)];
    NAME(turn_get)(vectors, rows + s[0].first * ld, x);
    NAME(turn_alone)(vectors, s, one, 0, begin, rows, ld, x);
    R *row = rows + s[1].first * ld;
    NAME(turn_get)(vectors, row, z);
    for (; j < s[1].count && k < s[0].count; j++, k++, row += step) {
        V c = NAME(turn_splat)(one[2 * k]), sine = NAME(turn_splat)(one[2 * k + 1]);
        V d = NAME(turn_splat)(two[2 * j]), other = NAME(turn_splat)(two[2 * j + 1]);
        for (int q = 0; q < vectors; q++) {
            V middle = NAME(turn_one)(c, sine, &x[q], NAME(turn_load)(row + 2 * step + q * NAME(turn_lanes)));
            V first = NAME(turn_one)(d, other, &z[q], middle);
            memcpy(row + q * NAME(turn_lanes), &first, sizeof first);
        }
    }
    if (j < s[1].count) { /* the first sweep is done */
        V d = NAME(turn_splat)(two[2 * j]), other = NAME(turn_splat)(two[2 * j + 1]);
        for (int q = 0; q < vectors; q++) {
            V first = NAME(turn_one)(d, other, &z[q], x[q]);
            memcpy(row + q * NAME(turn_lanes), &first, sizeof first);
        }
        NAME(turn_put)(vectors, row + step, z);
        return;
    }
    NAME(turn_put)(vectors, row, z);
    NAME(turn_alone)(vectors, s, one, k, s[0].count, rows, ld, x);
    NAME(turn_put)(vectors, rows + (s[0].first + s[0].count * s[0].step) * ld, x);
}

static bool NAME(turn_joins)(const struct turn_sweep *s) {
    int64_t begin = (s[1].first - s[0].first) * s[0].step;
    return s[0].step == s[1].step && begin >= 0 && begin < s[0].count && begin + s[1].count <= s[0].count;
}

MADD_INLINE void NAME(turn_all)(int vectors, int64_t sweeps, const struct turn_sweep *s, const double *pairs,
                                R *rows, int64_t ld) {
    for (int64_t k = 0; k < sweeps; k++) {
        if (k + 1 < sweeps && NAME(turn_joins)(s + k))
            NAME(turn_two)(vectors, s + k++, pairs, rows, ld);
        else
            NAME(turn_columns)(vectors, s + k, pairs + s[k].at, rows, ld);
    }
}

static void NAME(turn_rows)(int64_t sweeps, const struct turn_sweep *sweep, const double *pairs,
                            int64_t columns, void *from, int64_t ld) {
    enum { ONE = NAME(turn_lanes), WIDE = ONE * NAME(turn_vectors) };
    R *rows = from;
    int64_t j = 0;
    for (; j + WIDE <= columns; j += WIDE)
        NAME(turn_all)(NAME(turn_vectors), sweeps, sweep, pairs, rows + j, ld);
    for (; j + ONE <= columns; j += ONE) NAME(turn_all)(1, sweeps, sweep, pairs, rows + j, ld);
    for (; j < columns; j++)
        for (int64_t s = 0; s < sweeps; s++)
            for (int64_t k = 0; k < sweep[s].count; k++) {
                R *x = rows + (sweep[s].first + k * sweep[s].step) * ld + j, *y = x + sweep[s].step * ld;
                R c = (R)pairs[sweep[s].at + 2 * k], sine = (R)pairs[sweep[s].at + 2 * k + 1],
                  new = MADD(c, *x, sine * *y);
                *y = MADD(c, *y, -(sine * *x));
                *x = new;
            }
}
#undef V
#undef R
#undef NAME
#undef MADD
#undef MADDS
