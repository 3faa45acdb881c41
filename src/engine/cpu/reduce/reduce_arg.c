/*
 * Indices of maxima and minima. Comparison is exact, so any order finds the first of equals, as long as a later index
 * wins only if strictly better.
 */
#include <string.h>
#include "engine/cpu/reduce/reduce.h"

/* Return the address of the extreme of a tile of n elements x: that of its parts, which are written to `values`, is
   found first. */
static const char *extreme(const struct reduce_plan *p, int64_t n, const char *x, char *values) {
    int64_t parts = n / REDUCE_ARG_PART, rest = n % REDUCE_ARG_PART;
    p->fold.rows(parts, REDUCE_ARG_PART, values, x);
    if (rest) p->fold.rows(1, rest, values + parts++ * (int64_t)p->size, x + (n - rest) * (int64_t)p->size);
    char *value = values + parts * (int64_t)p->size;
    p->fold.rows(1, parts, value, values);
    return value;
}

/* Return the index (0-based) in the tile of n elements x of its extreme *value: in the first part whose extreme,
   in values[], equals it. */
static int64_t place_in(const struct reduce_plan *p, int64_t n, const char *x, const char *values,
                        const char *value) {
    int64_t parts = (n + REDUCE_ARG_PART - 1) / REDUCE_ARG_PART;
    int64_t first = p->type->find(parts, values, value) * REDUCE_ARG_PART;
    int64_t length = n - first < REDUCE_ARG_PART ? n - first : REDUCE_ARG_PART;
    return first + p->type->find(length, x + first * (int64_t)p->size, value);
}

/* Find the extreme of elements u->begin .. u->end-1 of row `row`; set *best to its value and *place to its index
   in the row. Only tiles that beat the best so far are searched for the index. */
static void arg_row(const struct reduce_thread *t, int64_t row, const struct reduce_unit *u, char *best,
                    int64_t *place) {
    const struct reduce_plan *p = t->plan;
    char *values = t->scratch + p->at_lanes;
    for (int64_t i = u->begin; i < u->end; i += p->tile) {
        int64_t n = u->end - i < p->tile ? u->end - i : p->tile, here = -1;
        const char *x = reduce_values(t, row * p->reduced + i, n), *value = extreme(p, n, x, values);
        if (i == u->begin) {
            memcpy(best, value, p->size);
            *place = here;
        } else {
            p->type->arg[p->place].join(1, best, place, value, &here);
        }
        if (*place < 0) *place = i + place_in(p, n, x, values, value);
    }
}

/* Find extremes and indices of a unit's rows of at most a tile, several rows to a tile. */
static void arg_short_rows(const struct reduce_thread *t, const struct reduce_unit *u) {
    const struct reduce_plan *p = t->plan;
    int64_t most = p->tile / p->reduced, bytes = p->reduced * (int64_t)p->size;
    for (int64_t i = 0; i < u->width; i += most) {
        int64_t rows = u->width - i < most ? u->width - i : most;
        const char *x = reduce_values(t, (u->first + i) * p->reduced, rows * p->reduced);
        char *best = u->result + i * (int64_t)p->size;
        p->fold.rows(rows, p->reduced, best, x);
        for (int64_t k = 0; k < rows; k++)
            u->places[i + k] = p->type->find(p->reduced, x + k * bytes, best + k * (int64_t)p->size);
    }
}

/* Find extremes and indices of a unit's columns, over its rows u->begin .. u->end-1. */
static void arg_columns(const struct reduce_thread *t, const struct reduce_unit *u) {
    const struct reduce_plan *p = t->plan;
    int64_t rows, stride;
    for (int64_t i = u->begin; i < u->end; i += rows) {
        rows = u->end - i;
        const char *x =
            reduce_rows(t, (u->row * p->reduced + i) * p->inner + u->first, u->width, &rows, &stride);
        if (i == u->begin) {
            memcpy(u->result, x, (size_t)u->width * p->size);
            for (int64_t k = 0; k < u->width; k++) u->places[k] = i;
        }
        p->type->arg[p->place].columns(i, rows, u->width, u->result, u->places, x, stride);
    }
}

void reduce_unit_arg(const struct reduce_thread *t, const struct reduce_unit *u) {
    if (t->plan->down)
        arg_columns(t, u);
    else if (t->plan->reduced <= cpu_tile)
        arg_short_rows(t, u);
    else
        for (int64_t i = 0; i < u->width; i++)
            arg_row(t, u->first + i, u, u->result + i * (int64_t)t->plan->size, u->places + i);
}
