/* Pooling: the values of a part of a row, joined along the rows of x first and along the line then. */
#include <string.h>
#include "engine/cpu/pool.h"
#include "ops/pool.h"

static const struct pool_attr *attr_of(const struct pool_part *part) { return part->kernel->attr; }

/* ---- rows into the line ---- */

/* Asks for the rows that a few rows of the output later need: the processor's own guess stops at every page. */
static void prefetch(const struct pool_part *part, const struct pool_row *last) {
    enum { AHEAD = 1024, MOST = 4096, LINE = 64 };
    const struct pool_plan *p = part->plan;
    const struct pool_window *w = p->window;
    int64_t bytes = w[1].stride * w[2].length * part->w * (int64_t)p->reader.size;
    uintptr_t next = (uintptr_t)last->x + (uintptr_t)(p->steps[1] * (int64_t)p->reader.size) + AHEAD;
    for (int64_t i = 0; i < bytes && bytes <= MOST; i += LINE) __builtin_prefetch((const void *)(next + (uintptr_t)i));
}

/* Where rows begin for the line, and how far an element of it is. */
struct joining {
    const struct pool_part *part;
    const struct pool_row *rows;
    int count;
    bool more; /* onto what the line holds already */
};

/* n elements `skip` bytes behind the rows' beginnings, `stride` apart, into the line. */
static void join_stretch(const struct joining *g, int64_t skip, int64_t n, int64_t stride, char *line) {
    const struct pool_plan *p = g->part->plan;
    const void *x[POOL_TAPS];
    if (stride == 1 && !p->reader.cast) {
        x[0] = line;
        for (int i = 0; i < g->count; i++) x[i + g->more] = g->rows[i].x + skip;
        p->loops.taps(n, g->count + g->more, x, line);
        return;
    }
    for (int64_t i = 0, piece; i < n; i += piece) {
        char *to = line + i * (int64_t)p->size;
        piece = n - i < CPU_TILE ? n - i : CPU_TILE;
        for (int k = 0; k < g->count; k++) {
            const char *from = g->rows[k].x + skip + i * stride * (int64_t)p->reader.size;
            const void *values = cpu_read(&p->reader, from, stride, piece, g->part->scratch);
            bool first = !g->more && k == 0;
            x[0] = first ? values : to;
            x[1] = values;
            p->loops.taps(piece, first ? 1 : 2, x, to);
        }
    }
}

static void join_rows(const struct joining *g, char *line) {
    const struct pool_part *part = g->part;
    const struct pool_plan *p = part->plan;
    struct pool_stretch s = pool_stretch(part);
    int64_t column = p->steps[POOL_OTHER] * (int64_t)p->reader.size;
    line += part->low * part->w * (int64_t)p->size;
    for (int64_t i = 0; i < s.count; i++)
        join_stretch(g, (part->begin + part->low + i) * column, s.n, s.stride, line + i * s.n * (int64_t)p->size);
}

/* The part's line; x itself where that is what it would be. */
static const char *line_of(const struct pool_part *part) {
    const struct pool_plan *p = part->plan;
    struct pool_row rows[POOL_TAPS];
    int64_t from = 0, size = (int64_t)p->size;
    char *line = part->scratch + p->at_line;
    bool whole = part->low == 0 && part->high == part->columns;
    struct joining g = {part, rows, pool_rows(part, &from, rows), false};
    if (!g.count) {
        p->fill(part->columns * part->w, line);
        return line;
    }
    prefetch(part, &rows[g.count - 1]);
    if (g.count == 1 && whole && !p->reader.cast) {
        struct pool_stretch s = pool_stretch(part);
        if (s.count == 1 && s.stride == 1) return rows[0].x + part->begin * p->steps[POOL_OTHER] * (int64_t)p->reader.size;
    }
    p->fill(part->low * part->w, line);
    p->fill((part->columns - part->high) * part->w, line + part->high * part->w * size);
    for (; g.count; g.more = true, g.count = pool_rows(part, &from, rows)) join_rows(&g, line);
    return line;
}

/* ---- the line into pixels ---- */

static void slide_adaptive(const struct pool_part *part, char *out, const char *line) {
    const struct pool_plan *p = part->plan;
    const struct pool_window *w = &p->window[POOL_OTHER];
    int64_t pixel = part->w * (int64_t)p->size;
    for (int64_t j = part->j; j < part->j + part->n; j++, out += pixel) {
        int64_t start = pool_adaptive_start(w, j), n = pool_adaptive_end(w, j) - start;
        p->loops.slide(1, part->w, n, 1, 1, out, line + (start - part->begin) * pixel);
    }
}

static void spread(const struct pool_part *part, char *out, const char *line) {
    const struct pool_plan *p = part->plan;
    const struct pool_window *w = &p->window[POOL_OTHER];
    int64_t pixel = part->w * (int64_t)p->size;
    p->fill(part->n * part->w, out);
    for (int64_t t = 0; t < w->size; t++) {
        struct pool_run run = pool_spread_run(w, t, part->j, part->j + part->n);
        if (run.first < run.end)
            p->type->spread(run.end - run.first, part->w, w->stride, out + (run.place - part->j) * pixel,
                            line + (run.first - part->begin) * pixel);
    }
}

static void slide(const struct pool_part *part, char *out, const char *line) {
    const struct pool_window *w = &part->plan->window[POOL_OTHER];
    if (!w->size)
        slide_adaptive(part, out, line);
    else if (attr_of(part)->kind == POOL_SPREAD)
        spread(part, out, line);
    else
        part->plan->loops.slide(part->n, part->w, w->size, w->stride, w->dilation, out, line);
}

/* ---- means ---- */

/* Pixels from j on that count as many places as j does, of those before end. */
static int64_t alike(const struct pool_window *w, bool padding, int64_t j, int64_t end) {
    int64_t from = j * w->stride - w->low, last = (w->size - 1) * w->dilation;
    int64_t limit = padding ? w->length + w->high : w->length;
    if (!w->size || (from < 0 && !padding) || from + last >= limit) return 1;
    int64_t n = (limit - 1 - last - from) / w->stride + 1;
    return n < end - j ? n : end - j;
}

static void divide(const struct pool_part *part, char *out) {
    const struct pool_plan *p = part->plan;
    const struct pool_attr *attr = attr_of(part);
    if (attr->divisor != 0) {
        p->type->divide(part->n * part->w, out, attr->divisor);
        return;
    }
    const struct pool_window *w = p->window;
    bool padding = attr->count_padding;
    double rows = 1;
    for (int k = 0; k < POOL_OTHER; k++) rows *= (double)pool_count(&w[k], padding, part->at[k]);
    for (int64_t j = part->j, end = part->j + part->n, n; j < end; j += n) {
        n = alike(&w[POOL_OTHER], padding, j, end);
        double count = rows * (double)pool_count(&w[POOL_OTHER], padding, j);
        p->type->divide(n * part->w, out, count > 0 ? count : 1);
        out += n * part->w * (int64_t)p->size;
    }
}

void pool_make_values(const struct pool_part *part, char *out) {
    slide(part, out, line_of(part));
    if (attr_of(part)->kind == POOL_MEAN) divide(part, out);
}
