/*
 * Internals of pooling: loops of one element type (pool.kernel.c, one table for each instruction set), and
 * declarations shared by pool.c (plan), pool_value.c and pool_place.c.
 *
 * The output is made in rows along the last windowed axis, of W' pixels with C elements each; C is 1 if that axis is
 * the last one (NCHW). Joining is separable. First the rows of x that an output row needs, one per tap of the other
 * windowed axes, are joined into a *line*. Its ends outside x hold the identity. Then neighbours in the line are
 * joined. x is not copied with padding, and an element is read once for each row that needs it.
 */
#ifndef ENGINE_CPU_WINDOW_POOL_H
#define ENGINE_CPU_WINDOW_POOL_H
#include "engine/cpu/reduce/reduce.h"
#include "engine/cpu/window/pool_loops.h"
#include "ops/core/attributes.h"

enum {
    POOL_TAPS = 64,   /* rows joined at once */
    POOL_LINE = 4096, /* elements of a line, unless one window needs more */
    POOL_OTHER = POOL_AXES - 1,
};

/* Plan of a kernel, immutable after prepare. */
struct pool_plan {
    struct cpu_rows rows;
    struct cpu_reader reader;
    const struct pool_type *type;
    struct pool_loops loops;
    void (*fill)(int64_t n, void *out); /* fills with the identity of joining */
    cpu_loop finish;                    /* cast to the core's dtype; NULL: equal */
    size_t size;                        /* bytes of a joined element */
    int before, axes;                   /* axes before the windowed ones; number of windowed axes */
    int64_t row;                        /* elements of a row of the output */
    bool even,
        flat; /* even: windows of the last axis but one are not adaptive; flat: the axis before has size 1 */
    struct pool_window window[POOL_AXES];  /* right-aligned: the last one gives the columns */
    struct pool_window counted[POOL_AXES]; /* as the operator asked; padding may count for means */
    int64_t steps[POOL_AXES];              /* strides of x along these axes, in elements */
    int64_t pixel, step;                   /* elements of a pixel; their stride in x */
    int64_t reach, advance; /* n pixels need at most (n-1)*advance + reach columns of the line */
    /* offsets in a row's scratch, after the reader's */
    size_t at_row, at_line, at_row_places, at_line_places;
};

/* Part of the output: for `rows` consecutive rows, n pixels from pixel j on, w channels of each. Parts have whole
   rows, or one row. */
struct pool_part {
    const struct kernel *kernel;
    const struct pool_plan *plan;
    const char *x; /* element 0 of the part's first channel */
    char *scratch;
    int64_t at[POOL_OTHER]; /* position of the first row on the other windowed axes */
    int64_t rows, j, n, w;
    int64_t begin,
        columns; /* range of columns of the line in x; low .. high-1, relative to begin, are inside x */
    int64_t low, high;
    /* Columns inside x lie in a row of x as `stretches` runs of `stretch` elements, `stride` apart, from byte
       `skip` on. */
    int64_t stretches, stretch, stride, skip;
    bool lying; /* as one contiguous run, used in place */
};

/* A row of x that a part needs. */
struct pool_row {
    const char *x;
    int64_t place; /* position of its column 0 in the plane */
};
/* List in rows[] the rows of x that output row `row` of the part needs, from tap *from on, and advance *from.
   Return their number, at most POOL_TAPS; 0 at the end. */
int pool_rows(const struct pool_part *part, int64_t row, int64_t *from, struct pool_row rows[POOL_TAPS]);

/* Set *begin and *end to the taps *begin .. *end - 1 of window i that lie inside x; *end <= *begin if none does.
   For axes that are not adaptive. */
static inline void pool_inside(const struct pool_window *w, int64_t i, int64_t *begin, int64_t *end) {
    int64_t before = w->low - i * w->stride, left = w->length + before;
    if (w->dilation > 1) {
        before = before > 0 ? (before - 1) / w->dilation + 1 : 0;
        left = left > 0 ? (left - 1) / w->dilation + 1 : 0;
    }
    *begin = before > 0 ? before : 0;
    *end = left < w->size ? left : w->size;
}

/* Windows first .. end-1, and the position of the first one's tap. */
struct pool_run {
    int64_t first, end, place;
};
/* Return the range of windows whose tap t falls on a position in from .. to-1, and the position of the first one's
   tap. */
struct pool_run pool_spread_run(const struct pool_window *w, int64_t t, int64_t from, int64_t to);

/* Make the values of a part, contiguous at `out`. */
void pool_make_values(const struct pool_part *part, char *out);
/* Make the positions of maxima of a part, contiguous at `out`; -1 for none. */
void pool_make_places(const struct pool_part *part, int64_t *out);
#endif
