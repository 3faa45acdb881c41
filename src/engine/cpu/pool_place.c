/*
 * Pooling: the places of the greatest of a part of a row.  As values are made, but every element goes with its place.
 * Rows are met in the order of their places, so there the first of equals stays by itself; along the line places are
 * compared, too.
 */
#include "engine/cpu/pool.h"
#include "ops/pool.h"

struct looking {
    const struct pool_part *part;
    char *line, *places;
};

/* n elements of a row, `stride` apart, into the line; the first row is not compared with anything. */
static void look_stretch(const struct looking *g, const char *x, int64_t place, int64_t n, int64_t stride,
                         int64_t to) {
    const struct pool_plan *p = g->part->plan;
    for (int64_t i = 0, piece; i < n; i += piece) {
        piece = n - i < CPU_TILE ? n - i : CPU_TILE;
        const char *from = x + i * stride * (int64_t)p->reader.size;
        const void *values = cpu_read(&p->reader, from, stride, piece, g->part->scratch);
        int64_t at = (to + i) * (int64_t)p->size;
        p->type->places.look(piece, g->line + at, g->places + at, values, place);
    }
}

static void look_row(const struct looking *g, const struct pool_row *row) {
    const struct pool_part *part = g->part;
    struct pool_stretch s = pool_stretch(part);
    int64_t column = part->plan->steps[POOL_OTHER] * (int64_t)part->plan->reader.size;
    for (int64_t i = 0; i < s.count; i++)
        look_stretch(g, row->x + (part->begin + part->low + i) * column, row->place, s.n, s.stride,
                     part->low * part->w + i * s.n);
}

/* Before any row: less than everything, and where a row will come the place of the first one, which loses to no
   equal. */
static void start_line(const struct looking *g, const struct pool_row *first) {
    const struct pool_part *part = g->part;
    const struct pool_plan *p = part->plan;
    int64_t n = part->columns * part->w, low = part->low * part->w, inside = (part->high - part->low) * part->w;
    p->fill(n, g->line);
    p->type->places.mark(n, g->places, -1);
    if (first) p->type->places.mark(inside, g->places + low * (int64_t)p->size, first->place);
}

void pool_make_places(const struct pool_part *part, char *out) {
    const struct pool_plan *p = part->plan;
    const struct pool_window *w = &p->window[POOL_OTHER];
    struct looking g = {part, part->scratch + p->at_line, part->scratch + p->at_line_places};
    struct pool_row rows[POOL_TAPS];
    int64_t from = 0, low = part->low * part->w, size = (int64_t)p->size, pixel = part->w * size;
    int count = pool_rows(part, &from, rows);
    bool any = count > 0;
    start_line(&g, any ? rows : NULL);
    for (; count; count = pool_rows(part, &from, rows))
        for (int i = 0; i < count; i++) look_row(&g, &rows[i]);
    if (any)
        p->type->places.number(part->high - part->low, part->w, g.places + low * size, part->begin + part->low);
    char *best = part->scratch + p->at_row, *places = part->scratch + p->at_row_places;
    if (w->size)
        p->type->places.slide(part->n, part->w, w->size, w->stride, w->dilation, best, places, g.line, g.places);
    for (int64_t i = 0; i < part->n && !w->size; i++) {
        int64_t j = part->j + i, start = pool_adaptive_start(w, j), at = (start - part->begin) * pixel;
        p->type->places.slide(1, part->w, pool_adaptive_end(w, j) - start, 1, 1, best + i * pixel,
                              places + i * pixel, g.line + at, g.places + at);
    }
    p->type->places.finish(part->n * part->w, (int64_t *)(void *)out, places);
}
