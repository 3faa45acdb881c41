/*
 * Pooling on the cpu engine: the loops of one element type (pool.kernel.c, one table for each instruction
 * set), and what pool.c (plan), pool_value.c and pool_place.c share.
 *
 * The output is made in rows along the last windowed axis, of W' pixels of C elements each; C is 1 where that
 * axis is the last one (NCHW).  Joining separates: the rows of x that a row of the output needs, one for each
 * tap of the other windowed axes, are joined into a *line*, with what joining does not change beyond both
 * ends; then neighbours in the line are joined.  No padded copy of x is made, and an element is looked at
 * once for each row that needs it.
 */
#ifndef ENGINE_CPU_WINDOW_POOL_H
#define ENGINE_CPU_WINDOW_POOL_H
#include "engine/cpu/reduce/reduce.h"
#include "ops/core/attributes.h"

struct pool_loops {
    /* out[i] = x[0][i] joined .. x[count-1][i]; out may be x[0]. */
    void (*taps)(int64_t n, int count, const void *const *x, void *out);
    /* out[j*w + c] = the join of x[(j*stride + t*dilation)*w + c] for t < size, for n pixels of w elements.
     */
    void (*slide)(int64_t n, int64_t w, int64_t size, int64_t stride, int64_t dilation, void *out,
                  const void *x);
};

/* Places are integers of the element's size until all is looked at, the greatest of them no place. */
struct pool_places {
    void (*mark)(int64_t n, void *places, int64_t place); /* -1: no place */
    /* Where x[i] is greater than best[i], or NaN first, it and `place` are kept. */
    void (*look)(int64_t n, void *best, void *places, const void *x, int64_t place);
    /* places[j*w + c] += first + j, for n pixels of w elements */
    void (*number)(int64_t n, int64_t w, void *places, int64_t first);
    /* As slide; of equals the one with the least place. */
    void (*slide)(int64_t n, int64_t w, int64_t size, int64_t stride, int64_t dilation, void *best,
                  void *places, const void *x, const void *x_places);
    void (*finish)(int64_t n, int64_t *out, const void *places);
};

struct pool_type {
    struct pool_loops max, sum; /* NULL: there is none for the type; so with what follows */
    void (*divide)(int64_t n, void *x, double by);
    /* out[j*stride*w + c] += x[j*w + c] for n pixels of w elements. */
    void (*spread)(int64_t n, int64_t w, int64_t stride, void *out, const void *x);
    struct pool_places places;
};
extern const struct pool_type *const pool_base[TY_DTYPES], *const pool_avx2[TY_DTYPES],
                                                               *const pool_avx512[TY_DTYPES];

enum {
    POOL_TAPS = 64,   /* rows joined at once */
    POOL_LINE = 4096, /* elements of a line, unless one window needs more */
    POOL_OTHER = POOL_AXES - 1,
};

struct pool_plan {
    struct cpu_rows rows;
    struct cpu_reader reader;
    const struct pool_type *type;
    struct pool_loops loops;
    void (*fill)(int64_t n, void *out); /* with what joining does not change */
    cpu_loop finish;                    /* to the core's dtype; NULL: the same */
    size_t size;                        /* of an element that is joined */
    int before, axes;                   /* axes before the windowed ones, and how many those are */
    int64_t row;                        /* elements of a row of the output */
    bool even,
        flat; /* windows along the last axis but one are not adaptive; the one before has a single place */
    struct pool_window window[POOL_AXES];  /* right-aligned, so that the last one makes the columns */
    struct pool_window counted[POOL_AXES]; /* as they were asked for: padding may count for means */
    int64_t steps[POOL_AXES];              /* of x along them, in elements */
    int64_t pixel, step;                   /* elements of a pixel, and how far they are apart in x */
    int64_t reach, advance; /* n pixels need at most (n-1)*advance + reach columns of the line */
    size_t at_row, at_line, at_row_places, at_line_places; /* in the scratch of a row, behind the reader's */
};

/* Part of the output: of `rows` rows under each other n pixels from pixel j on, w channels of each.  Rows are
   either whole or one. */
struct pool_part {
    const struct kernel *kernel;
    const struct pool_plan *plan;
    const char *x; /* its element 0 of the part's first channel */
    char *scratch;
    int64_t at[POOL_OTHER]; /* where the first row stands on the other windowed axes */
    int64_t rows, j, n, w;
    int64_t begin,
        columns; /* of x, that the line holds; of them low .. high-1, counted from begin, are in x */
    int64_t low, high;
    /* Of a row of x, those lie as `stretches` stretches of `stretch` elements, `stride` apart, from `skip`
     * bytes on. */
    int64_t stretches, stretch, stride, skip;
    bool lying; /* as one stretch, which can be used as it is */
};

/* A row of x that a part needs. */
struct pool_row {
    const char *x;
    int64_t place; /* of its column 0 in the plane */
};
/* The rows of x that row `row` of the output needs, from tap *from on and as many as there is room for; 0:
   there are no more. */
int pool_rows(const struct pool_part *part, int64_t row, int64_t *from, struct pool_row rows[POOL_TAPS]);

/* Taps begin .. end-1 of window i of an axis that is not adaptive are in x. */
static inline void pool_inside(const struct pool_window *w, int64_t i, int64_t *begin, int64_t *end) {
    int64_t before = w->low - i * w->stride, left = w->length + before;
    if (w->dilation > 1) {
        before = before > 0 ? (before - 1) / w->dilation + 1 : 0;
        left = left > 0 ? (left - 1) / w->dilation + 1 : 0;
    }
    *begin = before > 0 ? before : 0;
    *end = left < w->size ? left : w->size;
}

/* Which windows a place p is in of SPREAD by tap t, or the other way round: first .. end-1 of those from
   `from` to before `to` (places), and the place of the first. */
struct pool_run {
    int64_t first, end, place;
};
struct pool_run pool_spread_run(const struct pool_window *w, int64_t t, int64_t from, int64_t to);

/* Make a part: values or places. */
void pool_make_values(const struct pool_part *part, char *out);
void pool_make_places(const struct pool_part *part, int64_t *out);
#endif
