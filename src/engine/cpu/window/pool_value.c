/* Pooling: values of a part of a row, joined first over the rows of x, then along the line. */
#include <string.h>
#include "base/number.h"
#include "engine/cpu/window/pool.h"
#include "ops/window/pool.h"

static const struct pool_attr *attr_of(const struct pool_part *part) { return part->kernel->attr; }

/* ---- rows into the line ---- */

/* Rows to be joined into the line. */
struct joining {
    const struct pool_part *part;
    const struct pool_row *rows;
    int count;
    bool more; /* add to the line's contents */
};

/* Pool a run of part->stretch elements, `skip` bytes after the start of each of g's rows, into `line`; with g->more
   combine them with its contents. */
static void join_stretch(const struct joining *g, int64_t skip, char *line) {
    const struct pool_part *part = g->part;
    const struct pool_plan *p = part->plan;
    const void *x[POOL_TAPS];
    int64_t n = part->stretch;
    if (part->stride == 1 && !p->reader.cast) {
        x[0] = line;
        for (int i = 0; i < g->count; i++) x[i + g->more] = g->rows[i].x + skip;
        p->loops.taps(n, g->count + g->more, x, line);
        return;
    }
    for (int64_t i = 0, piece; i < n; i += piece) {
        char *to = line + i * (int64_t)p->size;
        piece = n - i < cpu_tile ? n - i : cpu_tile;
        for (int k = 0; k < g->count; k++) {
            const char *from = g->rows[k].x + skip + i * part->stride * (int64_t)p->reader.size;
            const void *values = cpu_read(&p->reader, from, part->stride, piece, part->scratch);
            bool first = !g->more && k == 0;
            x[0] = first ? values : to;
            x[1] = values;
            p->loops.taps(piece, first ? 1 : 2, x, to);
        }
    }
}

/* Pool g's rows into `line`, run by run; with g->more combine them with its contents. */
static void join_rows(const struct joining *g, char *line) {
    const struct pool_part *part = g->part;
    const struct pool_plan *p = part->plan;
    int64_t column = p->steps[POOL_OTHER] * (int64_t)p->reader.size;
    line += part->low * part->w * (int64_t)p->size;
    for (int64_t i = 0; i < part->stretches; i++)
        join_stretch(g, part->skip + i * column, line + i * part->stretch * (int64_t)p->size);
}

/* Fill the ends of the line, the columns outside x, with the identity; they stay for all rows. */
static void fill_ends(const struct pool_part *part, char *line) {
    const struct pool_plan *p = part->plan;
    p->fill(part->low * part->w, line);
    p->fill((part->columns - part->high) * part->w, line + part->high * part->w * (int64_t)p->size);
}

/* Pool the rows of x that output row `row` of the part needs, of any kind, into `line`. */
static void join_any(const struct pool_part *part, int64_t row, char *line) {
    const struct pool_plan *p = part->plan;
    struct pool_row rows[POOL_TAPS];
    int64_t from = 0;
    struct joining g = {part, rows, pool_rows(part, row, &from, rows), false};
    if (!g.count) p->fill((part->high - part->low) * part->w, line + part->low * part->w * (int64_t)p->size);
    for (; g.count; g.more = true, g.count = pool_rows(part, row, &from, rows)) join_rows(&g, line);
}

enum { AHEAD = 4096, MOST_AHEAD = 2048 };

/* Pool evenly spaced rows of one plane that are read in place; return the line, or x itself if a single row needs
   no ends. Prefetch rows for later output rows, since hardware stops at every page. (In a function of its own,
   compilers would drop the prefetch.) */
static const char *join_even(const struct pool_part *part, int64_t row, char *line) {
    const struct pool_plan *p = part->plan;
    const struct pool_window *w = &p->window[1];
    int64_t i = part->at[1] + row, begin, end, step = p->steps[1] * (int64_t)p->reader.size;
    const void *x[POOL_TAPS];
    char *to = line + part->low * part->w * (int64_t)p->size;
    pool_inside(w, i, &begin, &end);
    const char *from = part->x + part->skip;
    if (begin < end) from += (i * w->stride - w->low + begin * w->dilation) * step;
    if (end - begin == 1 && part->stretch == part->columns * part->w) return from;
    for (int64_t t = begin; t < end; t++) x[t - begin] = from + (t - begin) * step * w->dilation;
    int64_t row_bytes = part->stretch * (int64_t)p->size, k = 0;
    int64_t bytes = row_bytes && w->stride <= MOST_AHEAD / row_bytes ? w->stride * row_bytes : 0;
    uintptr_t next = (uintptr_t)from + (uintptr_t)((end - begin) * step * w->dilation) + AHEAD;
    for (; k < bytes / 2; k += CACHE_LINE) __builtin_prefetch((const void *)(next + (uintptr_t)k));
    if (begin < end)
        p->loops.taps(part->stretch, (int)(end - begin), x, to);
    else
        p->fill(part->stretch, to);
    for (; k < bytes; k += CACHE_LINE) __builtin_prefetch((const void *)(next + (uintptr_t)k));
    return line;
}

/* Return the pooled rows of x for output row `row` of the part: in `line`, or x itself if no copy is needed. */
static const char *line_of(const struct pool_part *part, int64_t row, char *line) {
    if (part->lying && part->plan->flat && part->plan->even) return join_even(part, row, line);
    join_any(part, row, line);
    return line;
}

/* ---- the line into pixels ---- */

/* Pool the line along adaptive windows of the part's columns into `out`. */
static void slide_adaptive(const struct pool_part *part, char *out, const char *line) {
    const struct pool_plan *p = part->plan;
    const struct pool_window *w = &p->window[POOL_OTHER];
    int64_t pixel = part->w * (int64_t)p->size;
    for (int64_t j = part->j; j < part->j + part->n; j++, out += pixel) {
        int64_t start = pool_adaptive_start(w, j), n = pool_adaptive_end(w, j) - start;
        p->loops.slide(1, part->w, n, 1, 1, out, line + (start - part->begin) * pixel);
    }
}

/* Add the line's windows to the positions that they cover, the adjoint of a sum, into `out`. */
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

/* Pool the line along the last axis into `out`, by the kind of windows. */
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

/* Return the number of windows from j on, before `end`, that average as many elements as window j does; padding:
   elements of the padding count. */
static int64_t alike(const struct pool_window *w, bool padding, int64_t j, int64_t end) {
    int64_t from = j * w->stride - w->low, last = (w->size - 1) * w->dilation;
    int64_t limit = padding ? w->length + w->high : w->length;
    if (!w->size || (from < 0 && !padding) || from + last >= limit) return 1;
    int64_t n = (limit - 1 - last - from) / w->stride + 1;
    return n < end - j ? n : end - j;
}

/* Divide the sums at `out`, output row `row` of the part, by the fixed divisor or by the number of
   elements of each window. */
static void divide(const struct pool_part *part, int64_t row, char *out) {
    const struct pool_plan *p = part->plan;
    const struct pool_attr *attr = attr_of(part);
    if (attr->divisor != 0) {
        p->type->divide(part->n * part->w, out, attr->divisor);
        return;
    }
    const struct pool_window *w = p->counted;
    bool padding = attr->count_padding;
    double rows = 1;
    rows *= (double)pool_count(&w[0], padding, part->at[0]);
    rows *= (double)pool_count(&w[1], padding, part->at[1] + row);
    for (int64_t j = part->j, end = part->j + part->n, n; j < end; j += n) {
        n = alike(&w[POOL_OTHER], padding, j, end);
        double count = rows * (double)pool_count(&w[POOL_OTHER], padding, j);
        p->type->divide(n * part->w, out, count > 0 ? count : 1);
        out += n * part->w * (int64_t)p->size;
    }
}

void pool_make_values(const struct pool_part *part, char *out) {
    char *line = part->scratch + part->plan->at_line;
    int64_t row = part->n * part->w * (int64_t)part->plan->size;
    fill_ends(part, line);
    for (int64_t i = 0; i < part->rows; i++, out += row) {
        slide(part, out, line_of(part, i, line));
        if (attr_of(part)->kind == POOL_MEAN) divide(part, i, out);
    }
}
