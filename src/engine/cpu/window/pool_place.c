/*
 * Pooling: positions of maxima of a part of a row. Works as for values, but each element carries its position. Rows
 * come in ascending order of positions, so the first of equals wins automatically. Along the line, positions are
 * compared, too.
 */
#include "engine/cpu/window/pool.h"
#include "ops/window/pool.h"

struct looking {
    const struct pool_part *part;
    char *line, *places;
};

/* Compare part->stretch elements of a row, from x on, with the line from element `to` on; greater ones enter it,
   with `place`, the position of the row. */
static void look_stretch(const struct looking *g, const char *x, int64_t place, int64_t to) {
    const struct pool_plan *p = g->part->plan;
    int64_t stride = g->part->stride, n = g->part->stretch;
    for (int64_t i = 0, piece; i < n; i += piece) {
        piece = n - i < cpu_tile ? n - i : cpu_tile;
        const char *from = x + i * stride * (int64_t)p->reader.size;
        const void *values = cpu_read(&p->reader, from, stride, piece, g->part->scratch);
        int64_t at = (to + i) * (int64_t)p->size;
        p->type->places.look(piece, g->line + at, g->places + at, values, place);
    }
}

/* Compare the elements of one row of x, inside it, with the line; greater ones enter it, with the row's
   position. */
static void look_row(const struct looking *g, const struct pool_row *row) {
    const struct pool_part *part = g->part;
    int64_t column = part->plan->steps[POOL_OTHER] * (int64_t)part->plan->reader.size;
    for (int64_t i = 0; i < part->stretches; i++)
        look_stretch(g, row->x + part->skip + i * column, row->place,
                     part->low * part->w + i * part->stretch);
}

/* Fill the line with lowest values. Columns inside x get the position of row *first, which stays if all elements
   there have the lowest value. Other columns, and all if `first` is NULL, get -1: none. */
static void start_line(const struct looking *g, const struct pool_row *first) {
    const struct pool_part *part = g->part;
    const struct pool_plan *p = part->plan;
    int64_t n = part->columns * part->w, low = part->low * part->w,
            inside = (part->high - part->low) * part->w;
    p->fill(n, g->line);
    p->type->places.mark(n, g->places, -1);
    if (first) p->type->places.mark(inside, g->places + low * (int64_t)p->size, first->place);
}

/* Make the line for output row `row`: the extremes of the rows of x under its windows, and their
   positions. */
static void make_line(const struct looking *g, int64_t row) {
    const struct pool_part *part = g->part;
    const struct pool_plan *p = part->plan;
    struct pool_row rows[POOL_TAPS];
    int64_t from = 0;
    int count = pool_rows(part, row, &from, rows);
    start_line(g, count ? rows : NULL);
    if (!count) return;
    for (; count; count = pool_rows(part, row, &from, rows))
        for (int i = 0; i < count; i++) look_row(g, &rows[i]);
    p->type->places.number(part->high - part->low, part->w,
                           g->places + part->low * part->w * (int64_t)p->size, part->begin + part->low);
}

/* Slide the windows along the line, and write their extremes to `best` and the positions to `places`. */
static void slide_line(const struct looking *g, char *best, char *places) {
    const struct pool_part *part = g->part;
    const struct pool_plan *p = part->plan;
    const struct pool_window *w = &p->window[POOL_OTHER];
    int64_t pixel = part->w * (int64_t)p->size;
    if (w->size) {
        p->type->places.slide(part->n, part->w, w->size, w->stride, w->dilation, best, places, g->line,
                              g->places);
        return;
    }
    for (int64_t i = 0; i < part->n; i++, best += pixel, places += pixel) {
        int64_t j = part->j + i, start = pool_adaptive_start(w, j), at = (start - part->begin) * pixel;
        p->type->places.slide(1, part->w, pool_adaptive_end(w, j) - start, 1, 1, best, places, g->line + at,
                              g->places + at);
    }
}

void pool_make_places(const struct pool_part *part, int64_t *out) {
    const struct pool_plan *p = part->plan;
    struct looking g = {part, part->scratch + p->at_line, part->scratch + p->at_line_places};
    char *best = part->scratch + p->at_row, *places = part->scratch + p->at_row_places;
    for (int64_t row = 0; row < part->rows; row++, out += part->n * part->w) {
        make_line(&g, row);
        slide_line(&g, best, places);
        p->type->places.finish(part->n * part->w, out, places);
    }
}
