/*
 * Plans a copy of a strided source. Axes of size 1 are dropped, evenly stepped neighbours merge, and a part
 * contiguous on both sides becomes the element (so 4-byte pixels move as one). Two axes form the blocks. Columns are
 * the output's innermost axis. Rows are the source's innermost axis if that differs (a transpose), else the output's
 * next one.
 *
 * Source lines of a transpose are often a power of two apart and then share a cache set, and so are output lines. So
 * a block is assembled in a buffer, and each line of either side is touched once.
 */
#include "engine/cpu/move/copy.h"
#include <stdlib.h>
#include "base/number.h"

enum {
    PIECE = 64 << 10,  /* bytes of a block of longer elements */
    GRAIN = 128 << 10, /* bytes; below, waking a thread costs more than it saves */
};

/* Return the index of an element size: 0 .. 4 for 1, 2, 4, 8, 16 bytes; -1 for others. */
static int cpu_copy_size(int64_t bytes) {
    return bytes > 16 || bytes < 1 || (bytes & (bytes - 1)) ? -1 : __builtin_ctzll((uint64_t)bytes);
}

/* Axes: counts, and steps of source and output in bytes. */
struct axes {
    int rank;
    int64_t n[TY_MAX_RANK], from[TY_MAX_RANK], to[TY_MAX_RANK];
};

/* Add to a the axes of a copy from layout x to `out`, in bytes; axes of size 1 are left out and even
   neighbours are merged. */
static void take_axes(struct axes *a, size_t size, const struct layout *x, const struct layout *out) {
    for (int i = 0; i < x->rank; i++) {
        if (x->shape[i] == 1) continue;
        int64_t n = x->shape[i], from = x->strides[i] * (int64_t)size, to = out->strides[i] * (int64_t)size;
        int last = a->rank - 1;
        if (a->rank && a->from[last] == from * n && a->to[last] == to * n) {
            a->n[last] *= n;
        } else {
            last = a->rank++;
            a->n[last] = n;
        }
        a->from[last] = from;
        a->to[last] = to;
    }
}

/* Remove axis number `axis` (0-based) from a; the later ones move down by one. */
static void drop_axis(struct axes *a, int axis) {
    a->rank--;
    for (int i = axis; i < a->rank; i++) {
        a->n[i] = a->n[i + 1];
        a->from[i] = a->from[i + 1];
        a->to[i] = a->to[i + 1];
    }
}

/* Reverse the direction of axis i; the plan's first elements move to its other end. */
static void turn_axis(struct copy_plan *p, struct axes *a, int i) {
    p->base_from += (a->n[i] - 1) * a->from[i];
    p->base_to += (a->n[i] - 1) * a->to[i];
    a->from[i] = -a->from[i];
    a->to[i] = -a->to[i];
}

/* Make the output's innermost axis the columns, and remove it from a. A strided one only if a kernel has the
   element size; else there is one column. */
static void choose_columns(struct copy_plan *p, struct axes *a) {
    int last = a->rank - 1;
    p->columns = 1;
    p->column_to = p->run;
    if (last < 0 || (a->to[last] != p->run && cpu_copy_size(p->run) < 0)) return;
    p->columns = a->n[last];
    p->column_from = a->from[last];
    p->column_to = a->to[last];
    drop_axis(a, last);
}

static bool goes_apart(const struct copy_plan *p) { return p->column_to != p->run; }

/* Choose the axis of the rows and remove it from a: the source's innermost axis, or the output's next one.
   Return true for the former, a transpose; false if not, or if no axis is left. Negative source steps become
   positive. Call it after choose_columns. */
static bool choose_rows(struct copy_plan *p, struct axes *a) {
    int best = a->rank - 1;
    p->rows = 1;
    if (best < 0) return false;
    for (int i = 0; i < a->rank; i++) {
        if (a->from[i] < 0) turn_axis(p, a, i);
    }
    int inner = -1;
    for (int i = 0; i < a->rank; i++)
        if (a->from[i] && (inner < 0 || a->from[i] < a->from[inner])) inner = i;
    bool crosses =
        p->column_from && inner >= 0 && a->from[inner] < llabs(p->column_from) && p->run < COPY_LONG;
    if (crosses) best = inner;
    p->rows = a->n[best];
    p->row_from = a->from[best];
    p->row_to = a->to[best];
    drop_axis(a, best);
    return crosses;
}

/* Return the copy function for the element size and the source's stride along columns; `crosses`: the
   block is a transpose. */
static cpu_block_copy choose_copy(const struct copy_plan *p, bool crosses) {
    const struct copy_kernels *k = p->kernels;
    int size = cpu_copy_size(p->run);
    if (size < 0) return k->runs;
    if (goes_apart(p)) return k->apart[size];
    if (crosses && p->row_from == p->run) return k->across[size];
    if (p->column_from == 0) return k->repeated[size];
    return p->column_from == -p->run ? k->reversed[size] : k->strided[size];
}

/* Return true if rows of the output may begin at other than multiples of `bytes` from its first element. */
static bool is_askew(const struct copy_plan *p, const struct axes *a, int64_t bytes) {
    int64_t steps = p->row_to;
    for (int i = 0; i < a->rank; i++) steps |= a->to[i];
    return steps % bytes != 0;
}

/* Return the fewest elements of `run` bytes that fill whole cache lines. */
static int64_t whole_lines(int64_t run) {
    int64_t n = COPY_LINE;
    for (; n > 1 && run % 2 == 0; run /= 2) n /= 2;
    return n;
}

/* Set the block size of a transpose, of at most `fit` elements: nearly square and whole lines long. Rows that do
   not begin at lines (`askew`) get long blocks that overlap by a line, since writing part of a line is slow. */
static void choose_crossing(struct copy_plan *p, int64_t fit, bool askew) {
    int64_t line = copy_pieces(COPY_LINE, p->run), whole = whole_lines(p->run), side = 1;
    while (4 * side * side <= fit) side *= 2;
    p->block_rows = lesser(p->rows, lesser(askew ? greater(line, 32) : side, greater(1, fit / whole)));
    p->block_columns = greater(1, fit / p->block_rows);
    if (p->block_columns > whole) p->block_columns -= p->block_columns % whole;
    p->block_columns = lesser(p->columns, p->block_columns);
    p->overlapping = askew && p->block_columns < p->columns && p->block_columns >= 4 * line;
    if (p->overlapping) p->block_columns -= line;
    if (p->block_columns < p->columns) return;
    p->block_rows = greater(1, fit / p->block_columns);
    if (p->block_rows > line) p->block_rows -= p->block_rows % line; /* begin at lines */
    p->block_rows = lesser(p->rows, p->block_rows);
}

/* Set the size of the blocks. crosses: the copy is a transpose; askew: rows of the output do not begin at
   lines. */
static void choose_blocks(struct copy_plan *p, bool crosses, bool askew) {
    int64_t fit = greater(1, (p->run < COPY_LONG ? COPY_STAGE : PIECE) / p->run);
    p->block_run = lesser(p->run, PIECE);
    p->rows_first = crosses;
    if (crosses) {
        choose_crossing(p, fit, askew);
    } else {
        p->block_columns = lesser(p->columns, fit);
        p->block_rows = p->block_columns < p->columns ? 1 : greater(1, fit / p->columns);
        if (p->block_rows > COPY_LINE) p->block_rows -= p->block_rows % COPY_LINE;
        p->block_rows = lesser(p->rows, p->block_rows);
    }
}

/* Choose a copy by non-temporal stores without a buffer, p->lines, where possible. A streamed transpose can use one
   if its blocks are whole lines with enough rows for a tile; so can contiguous runs of 16-byte pairs. */
static void choose_lines(struct copy_plan *p, const struct axes *a) {
    enum { PAIR = 16 };
    const struct copy_kernels *k = p->kernels;
    int size = cpu_copy_size(p->run);
    bool whole = p->columns * p->run % COPY_LINE == 0 && p->block_columns * p->run % COPY_LINE == 0;
    if (p->streamed && !p->overlapping && p->copy == k->runs && p->run % PAIR == 0 && !is_askew(p, a, PAIR)) {
        p->lines = k->run_lines;
        p->aligned = PAIR;
    }
    if (!k->has_lines || !p->streamed || !whole || is_askew(p, a, COPY_LINE) || size < 0) return;
    if (p->copy == k->across[size] && p->column_from % COPY_ALIAS) p->lines = k->lines[size];
    p->aligned = COPY_LINE;
}

enum { SHORT_RUN = 2048 }; /* bytes: the lines at both ends are then 1/16 of the run, or more */

/* Return true if the copy writes short runs of bytes that begin or end inside of lines. Two runs share such a line, so
   non-temporal stores write it in parts, which takes several times as long as through the caches. */
static bool splits_lines(const struct copy_plan *p, const struct axes *a, bool crosses) {
    int64_t bytes = p->columns * p->run;
    struct copy_plan whole = *p;
    if (p->row_to == bytes) bytes *= p->rows, whole.row_to = 0; /* rows of a block are one run */
    return !crosses && bytes < SHORT_RUN && is_askew(&whole, a, COPY_LINE);
}

/* Count the blocks of a plan whose outer axes are *a. */
static void count_blocks(struct copy_plan *p, const struct axes *a) {
    p->outer = a->rank;
    p->parts = copy_pieces(p->run, p->block_run);
    p->down = copy_pieces(p->rows, p->block_rows);
    p->across = copy_pieces(p->columns, p->block_columns);
    p->items = p->around = p->parts * p->down * p->across;
    for (int i = 0; i < a->rank; i++) {
        p->shape[i] = a->n[i];
        p->from[i] = a->from[i];
        p->to[i] = a->to[i];
        p->items *= a->n[i];
    }
    p->grain = greater(1, GRAIN / (p->block_rows * p->block_columns * p->block_run));
}

/* The last axes are: rows, copies of each row, elements, copies of each element. Elements of all rows are evenly spaced in
   the source, so those of many rows are repeated at once. */
bool cpu_copy_prepare_twice(struct copy_plan *p, size_t size, const struct layout *x,
                            const struct layout *out) {
    struct axes a = {0};
    take_axes(&a, size, x, out);
    int rows = a.rank - 4, copies = rows + 1, unit = rows + 2, each = rows + 3,
        index = cpu_copy_size((int64_t)size);
    if (rows < 0 || index < 0 || shape_size(x->rank, x->shape) == 0) return false;
    int64_t row = a.n[unit] * a.n[each] * (int64_t)size;
    bool repeats = !a.from[copies] && !a.from[each] && a.from[rows] == a.n[unit] * a.from[unit];
    bool dense = a.to[each] == (int64_t)size && a.to[unit] == a.n[each] * (int64_t)size &&
                 a.to[copies] == row && a.to[rows] == a.n[copies] * row;
    if (!repeats || !dense || row >= COPY_LONG) return false;
    *p = (struct copy_plan){.kernels = cpu_copy_kernels(),
                            .run = a.n[copies] * row,
                            .rows = a.n[rows],
                            .row_from = a.from[rows],
                            .row_to = a.to[rows],
                            .columns = 1,
                            .block_columns = 1,
                            .staged = true,
                            .times = a.n[copies],
                            .unit = a.n[unit],
                            .unit_from = a.from[unit],
                            .each = a.n[each],
                            .size = (int64_t)size};
    p->column_to = p->block_run = p->run;
    p->copy = p->kernels->repeated[index];
    p->block_rows = lesser(p->rows, COPY_STAGE / row);
    a.rank -= 4;
    count_blocks(p, &a);
    return true;
}

void cpu_copy_prepare(struct copy_plan *p, size_t size, const struct layout *x, const struct layout *out,
                      bool streamed) {
    struct axes a = {0};
    *p = (struct copy_plan){.kernels = cpu_copy_kernels(), .run = (int64_t)size};
    int64_t bytes = shape_size(x->rank, x->shape) * (int64_t)size;
    if (bytes == 0) return;
    take_axes(&a, size, x, out);
    int last = a.rank - 1;
    if (last >= 0 && a.from[last] == p->run && a.to[last] == p->run) {
        p->run *= a.n[last];
        a.rank--;
    }
    choose_columns(p, &a);
    bool crosses = choose_rows(p, &a);
    p->copy = choose_copy(p, crosses);
    streamed = streamed && !splits_lines(p, &a, crosses);
    p->streamed = streamed && !goes_apart(p); /* non-temporal stores write whole lines */
    p->staged = !goes_apart(p) && p->run < COPY_LONG && (streamed || (crosses && bytes > COPY_STAGE));
    choose_blocks(p, crosses, p->streamed && is_askew(p, &a, COPY_LINE));
    choose_lines(p, &a);
    count_blocks(p, &a);
}
