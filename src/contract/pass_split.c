/*
 * Split: each dimension in steps, so that what is left of all of them is a box that fits the caches.
 *
 * A split here is a loop with a step; its last step may be shorter.  Sizes are nobody's choice, and 1601,
 * a prime, splits as well as 1600: seven steps of 229 (the first pages on such compilers split into
 * factors, and leave primes whole). Steps are made even: 1600 rows at most 252 at a time are 7 steps of
 * 238, not 6 of 252 and one of 88.
 *
 * How large a box is follows the analysis of Low et al. ("Analytical modeling is enough for
 * high-performance BLIS", ACM TOMS 43, 2016), from the inside out:
 *
 *   K     a sliver of right (K x tile columns) and a panel of left (tile rows x K) share L1 while a tile
 *         is computed; where sums do not stay in L2, so that each block of K brings them again, blocks are
 *         longer and both stream from L2
 *   M, N  a box of left, a box of right and the sums share L2, rows and columns as many as make most sums of
 *         what they bring, and whichever is short leaves its room to the other; what the next box brings anew
 *         counts twice, since its lines come while this one is computed: left, or right where few rows use it
 *
 * A type may have many dimensions and the box is a product of steps, which leaves a choice: which
 * dimensions are in it.
 *
 *   - Dimensions along which windows overlap come first, among K or, for the gradient of a kernel, among what
 *     is kept: the box then touches each place of the input once for all taps, where separate loops over
 *     taps would bring it again for each.
 *   - While there is room, that dimension is doubled which saves most time: rows and columns together,
 *     since a run of out goes on from one to the other.  Time is what gaps.c says of the places that a box
 *     touches, for each side as much as it has bytes and at the rate of where it lies: an operand that
 *     stays in a cache may be read in any pieces while out, from memory, needs its runs long.  For
 *     left[e,f,b,a,d], right[c,f], out[a,b,c,d,e], d is innermost on one side and e on the other; both are
 *     columns, and the box holds lines of e and runs of d and a, so that packing is a blocked transpose.
 *     (GETT's "macro-kernel" has a rule for this: Springer and Bientinesi 2018, 4.2.)
 *   - Then what is innermost anywhere, then by the least step on any side, so that runs in memory grow
 *     longer on one side or the other.
 *
 * K's steps depend on sizes, dtypes and the instruction set alone, never on the number of threads, since
 * they decide in which order sums are rounded.  Where rows, columns and batches are few register tiles in
 * all, and K is long, its loop is cut into `spans` that are summed apart and added up in order: that too
 * by shape alone.
 */
#include "contract/passes.h"
#include "array/dtype.h"

struct splitting {
    ty_contraction *c;
    const struct contract_machine *m;
    int64_t step[TY_CONTRACTION_DIMS], line;
    bool needs_line[TY_CONTRACTION_DIMS];
};

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Before others in a box: 0 first. */
static uint64_t urgency(const struct splitting *s, int dim) {
    const ty_contraction *c = s->c;
    const ty_dim *d = &c->dims[dim];
    if (contraction_overlaps(c, TY_LEFT, dim) || contraction_overlaps(c, TY_RIGHT, dim)) return 0;
    if (s->needs_line[dim]) return 1;
    uint64_t least = UINT64_MAX;
    for (int side = 0; side < 3; side++) {
        uint64_t step = contraction_magnitude(d->stride[side]);
        if (step && step < least) least = step;
    }
    return least < UINT64_MAX - 2 ? least + 2 : UINT64_MAX;
}

/* The dimensions of a type, most urgent first. */
static int ranked(const struct splitting *s, ty_dim_type type, int *list) {
    int n = 0;
    for (int i = s->c->ndims - 1; i >= 0; i--) {
        if (s->c->dims[i].type != type) continue;
        int j = n++;
        for (; j > 0 && urgency(s, list[j - 1]) > urgency(s, i); j--) list[j] = list[j - 1];
        list[j] = i;
    }
    return n;
}

static int64_t product(const struct splitting *s, ty_dim_type type) {
    int64_t n = 1;
    for (int i = 0; i < s->c->ndims; i++)
        if (s->c->dims[i].type == type && __builtin_mul_overflow(n, s->step[i], &n)) return INT64_MAX;
    return n;
}

/* Even steps of about `most` at most, multiples of `unit` where there is room for one: half a line, a tile
   that is not full or the end of a panel cost as much as whole ones. */
static int64_t even_step(int64_t size, int64_t most, int64_t unit) {
    if (most >= size) return size;
    int64_t steps = (size - 1) / larger(most, 1) + 1, step = (size - 1) / steps + 1;
    int64_t whole = (step + unit - 1) / unit * unit;
    if (whole <= most + most / 8) return smaller(whole, size);
    return most < unit ? step : even_step(size, most / unit * unit, unit);
}

/* Bytes of a side that lie together in the box; *next: the dimension along which they would go on, -1: none.
 */
static double run_bytes(const struct splitting *s, int side, int *next) {
    const ty_contraction *c = s->c;
    int64_t run = 1;
    *next = -1;
    for (int i = 0; i < c->ndims; i++) {
        const ty_dim *d = &c->dims[i];
        if (d->size < 2 || contraction_magnitude(d->stride[side]) != (uint64_t)run) continue;
        run *= s->step[i];
        *next = s->step[i] < d->size ? i : -1;
        if (*next >= 0) break;
        i = -1; /* look for what continues it */
    }
    return (double)run * (double)dtype_table[c->dtype[side]].size;
}

/* How far a box may grow: elements of each type, and of a product all in all, where a row brings so many
   elements of left and a column so many of right. */
struct limits {
    int64_t most[4], row, column, room;
};

static bool is_within(const struct splitting *s, const struct limits *limits, ty_dim_type type) {
    if (product(s, type) > limits->most[type]) return false;
    if (!limits->room) return true;
    double rows = (double)larger(product(s, TY_DIM_M), s->m->tile_rows);
    double columns = (double)larger(product(s, TY_DIM_N), s->m->tile_columns);
    return (double)limits->row * rows + columns * ((double)limits->column + rows) <= (double)limits->room;
}

/* Seconds of arithmetic and of bringing each side once, boxes of these steps at a time. */
static double predict(const struct splitting *s) {
    const ty_contraction *c = s->c;
    int64_t all[TY_CONTRACTION_DIMS];
    double seconds = 2 / s->m->flops;
    for (int d = 0; d < c->ndims; d++) seconds *= (double)(all[d] = c->dims[d].size);
    for (int side = 0; side < 3; side++) {
        double size = (double)dtype_table[c->dtype[side]].size;
        double bytes = contraction_footprint(c, (ty_side)side, all) * size;
        double rate = bytes <= (double)s->m->l2 / 2 ? s->m->l2_bytes
                      : bytes <= (double)s->m->l3   ? s->m->l3_bytes
                                                    : s->m->read;
        bool cached = bytes <= (double)s->m->l3;
        seconds += bytes / rate * (1 + contract_gaps(c, (ty_side)side, s->step, cached));
    }
    return seconds;
}

/* Longer runs, while there is room and they save time: the dimension that saves most is doubled.  A side that
   is brought from memory outweighs one that stays in a cache, and one of many bytes one of few. */
static void lengthen_runs(struct splitting *s, const struct limits *limits) {
    for (int best = 0; best >= 0;) {
        double least = predict(s) * (1 - contract_constants.runs_gain);
        best = -1;
        for (int d = 0; d < s->c->ndims; d++) {
            int64_t before = s->step[d], size = s->c->dims[d].size;
            if (before >= size || !limits->most[s->c->dims[d].type]) continue;
            s->step[d] = smaller(2 * before, size);
            double seconds = is_within(s, limits, s->c->dims[d].type) ? predict(s) : least;
            if (seconds < least) least = seconds, best = d;
            s->step[d] = before;
        }
        if (best >= 0) s->step[best] = smaller(2 * s->step[best], s->c->dims[best].size);
    }
}

/* Steps are multiples of a tile, and of a line where the dimension needs one: of both if a tile is whole
   lines. */
static int64_t unit_of(const struct splitting *s, int dim, int64_t tile) {
    return s->needs_line[dim] && tile % s->line ? s->line : tile;
}

/* Grows the box along a type's dimensions to about `target` elements; whole up to `slack` times that. */
static int64_t grow(struct splitting *s, ty_dim_type type, int64_t target, double slack, int64_t unit) {
    int list[TY_CONTRACTION_DIMS], n = ranked(s, type, list);
    for (int i = 0; i < n && urgency(s, list[i]) == 0; i++) {
        int64_t size = s->c->dims[list[i]].size;
        if (size <= target / larger(product(s, type), 1)) s->step[list[i]] = size;
    }
    struct limits limits = {0};
    limits.most[type] = target + target / 4;
    lengthen_runs(s, &limits);
    for (int i = 0; i < n; i++) {
        int d = list[i];
        int64_t size = s->c->dims[d].size, others = product(s, type) / larger(s->step[d], 1);
        int64_t room = larger(target / larger(others, 1), 1);
        if ((double)size <= (double)room * slack)
            s->step[d] = size;
        else
            s->step[d] = even_step(size, larger(room, s->step[d]), unit_of(s, d, others == 1 ? unit : 1));
    }
    return product(s, type);
}

/* Which dimension is innermost on each side; it needs a line, unless it is a batch. */
static void find_lines(struct splitting *s) {
    for (int side = 0; side < 3; side++) {
        int inner = contraction_innermost(s->c, (ty_side)side);
        if (inner >= 0) s->needs_line[inner] = s->c->dims[inner].type != TY_DIM_C;
    }
}

static int64_t total(const struct splitting *s, ty_dim_type type) {
    double n = contraction_size(s->c, type);
    return n < 1e15 ? (int64_t)n : (int64_t)1e15;
}

/* Rows of the box that has most sums of those that fit `room` elements beside their operands, where a row
   brings so many elements and a column so many: there both operands take as much. */
static int64_t balanced_rows(int64_t room, int64_t row, int64_t column) {
    int64_t low = 1, high = (int64_t)1 << 20;
    while (high - low > 1) {
        int64_t rows = (low + high) / 2;
        double columns = (double)rows * (double)row / (double)column;
        *((double)rows * (columns + 2 * (double)row) <= (double)room ? &low : &high) = rows;
    }
    return low;
}

/* The side that windows step over; -1: none. */
static int window_side(const ty_contraction *c) {
    for (int i = 0; i < c->ndims; i++)
        for (int side = TY_LEFT; side <= TY_RIGHT; side++)
            if (c->dims[i].type == TY_DIM_K && contraction_overlaps(c, (ty_side)side, i)) return side;
    return -1;
}

static bool has_window(const ty_contraction *c) { return window_side(c) >= 0; }

/* A matrix that lies along K times a vector: rows are read from end to end, and the vector stays in L1. */
static bool split_turned_vector(struct splitting *s) {
    const struct contract_constants *k = &contract_constants;
    int inner = contraction_innermost(s->c, TY_LEFT);
    if (total(s, TY_DIM_N) > 1 || inner < 0 || s->c->dims[inner].type != TY_DIM_K) return false;
    int64_t size = (int64_t)dtype_table[s->c->sums].size;
    grow(s, TY_DIM_K, s->m->l1 / (2 * size), k->sums_again, s->m->lanes);
    grow(s, TY_DIM_N, 1, 1, 1);
    grow(s, TY_DIM_M, k->rows_most, 1.25, s->m->tile_rows);
    return true;
}

/* A vector, or nearly, times a matrix whose rows lie along N: few rows of the matrix at a time, each as long
   as sums stay in L1, so that memory is read in long runs, a few of them at once. */
static bool split_vector(struct splitting *s) {
    const struct contract_constants *k = &contract_constants;
    int inner = contraction_innermost(s->c, TY_RIGHT);
    if (total(s, TY_DIM_M) > k->sliver || inner < 0 || s->c->dims[inner].type != TY_DIM_N) return false;
    int64_t size = (int64_t)dtype_table[s->c->sums].size, rows = larger(total(s, TY_DIM_M), 1);
    grow(s, TY_DIM_K, k->vector_depth, k->sums_again, 1);
    grow(s, TY_DIM_N, larger(s->m->l1 / (2 * size * rows), s->m->tile_columns), 1.25, s->m->tile_columns);
    grow(s, TY_DIM_M, rows, 1, 1);
    return true;
}

/* How much longer K of a block may be than L1 says. */
static double longer(const struct splitting *s) {
    const struct contract_constants *k = &contract_constants;
    double sums = contraction_size(s->c, TY_DIM_M) * contraction_size(s->c, TY_DIM_N);
    bool far = sums * (double)dtype_table[s->c->sums].size > (double)s->m->l2 * k->far_sums;
    return has_window(s->c) ? k->window_depth : far ? k->far_depth : 1;
}

/* Whether the whole product stays in L2, so that nothing streams by. */
static bool stays(const struct splitting *s) {
    double rows = contraction_size(s->c, TY_DIM_M), columns = contraction_size(s->c, TY_DIM_N);
    double elements = contraction_size(s->c, TY_DIM_K) * (rows + columns) + rows * columns;
    double bytes = elements * (double)dtype_table[s->c->sums].size;
    return bytes <= (double)s->m->l2 * contract_constants.second_whole;
}

/* Whether the box's left is copied: it does not lie along K in long runs, or windows step over it. */
static bool copies_left(const struct splitting *s) {
    int next, inner = contraction_innermost(s->c, TY_LEFT);
    bool along = inner >= 0 && s->c->dims[inner].type == TY_DIM_K && !contraction_is_window(s->c, TY_LEFT);
    return !along || run_bytes(s, TY_LEFT, &next) < contract_constants.run_bytes;
}

/* Elements of L2 for the box of a product, of which a row brings so many and a column so many.  What is
   brought anew for each box counts twice, since the next box's lines are fetched, or copied from, while this
   one is computed: right where rows or K are few (`shallow`), as such a box is soon done with, else left.  A
   constant is not copied; the places of a window are shared by its taps. */
struct room {
    int64_t all, depth, row, column;
};

static struct room find_room(const struct splitting *s, int64_t depth, bool shallow) {
    bool rows = !shallow && !s->c->constant[TY_LEFT] && !contraction_is_window(s->c, TY_LEFT);
    bool columns = shallow && !s->c->constant[TY_RIGHT];
    int64_t all = (int64_t)((double)s->m->l2 * contract_constants.second_share) / s->m->summed;
    return (struct room){all, depth, rows ? 2 * depth : depth, columns ? 2 * depth : depth};
}

/* Rows beside so many columns: all of them where they fit, as then no other box follows.  Wide: sums stream
   by. */
static int64_t rows_beside(const struct splitting *s, const struct room *room, int64_t columns, bool wide) {
    int64_t sums = wide ? 0 : columns, left = room->all - room->depth * columns, all = total(s, TY_DIM_M);
    int64_t balanced = balanced_rows(room->all, room->row, room->column), rows = left / (room->depth + sums);
    if (stays(s)) return all;
    if (rows < all) rows = left / (room->row + sums);
    return wide || columns >= balanced / 2 ? smaller(rows, balanced) : rows;
}

/* The box of a matrix product, for about `depth` of K. */
static void split_rows_columns(struct splitting *s, int64_t depth) {
    const struct contract_constants *k = &contract_constants;
    const struct contract_machine *m = s->m;
    int64_t all = total(s, TY_DIM_N);
    depth = grow(s, TY_DIM_K, depth, k->sums_again, 8);
    bool thin = total(s, TY_DIM_K) <= depth && depth < k->columns_most / 2;
    depth = larger(depth * m->packed / m->summed, 1); /* from here on as long as so many sums */
    struct room room = find_room(s, depth, true);
    bool shallow = total(s, TY_DIM_M) < balanced_rows(room.all, depth, depth) / 2 || thin;
    room = find_room(s, depth, shallow);
    int64_t most = shallow && s->c->bytes > (double)m->l3 ? k->columns_shallow : k->columns_most;
    int64_t rows = balanced_rows(room.all, room.row, room.column) / m->tile_rows * m->tile_rows;
    rows = smaller(total(s, TY_DIM_M), larger(rows, m->tile_rows));
    int64_t columns = smaller((room.all - room.row * rows) / (room.column + rows), most);
    columns = larger(columns, m->tile_columns);
    struct limits limits = {{0, rows + rows / 4, columns + columns / 4, 0}, room.row, room.column, room.all};
    lengthen_runs(s, &limits);
    rows = larger(rows, product(s, TY_DIM_M));
    columns = smaller((room.all - room.row * rows) / (room.column + rows), most);
    bool half = depth * all <= m->l2 / (2 * m->summed);
    bool wide = !shallow && copies_left(s) && all <= k->columns_wide && half;
    if (wide) columns = all;
    columns = grow(s, TY_DIM_N, larger(columns, m->tile_columns), 1.25, m->tile_columns);
    rows = smaller(rows_beside(s, &room, columns, wide), k->rows_most);
    grow(s, TY_DIM_M, larger(rows, 2 * m->tile_rows), 1.25, m->tile_rows);
}

/* Seconds of reading and writing the sums again for each block of K but the first: in L2 where those of a box
   of columns and all rows stay there, as rows are what is inside K. */
static double sums_seconds(const struct splitting *s) {
    double sums = 2 * (double)dtype_table[s->c->sums].size, blocks = 1;
    double waiting = sums / 2 * contraction_size(s->c, TY_DIM_M) * (double)product(s, TY_DIM_N);
    bool stays = waiting <= (double)s->m->l2 * contract_constants.second_share;
    for (int d = 0; d < s->c->ndims; d++) {
        double size = (double)s->c->dims[d].size;
        *(s->c->dims[d].type == TY_DIM_K ? &blocks : &sums) *= size;
        if (s->c->dims[d].type == TY_DIM_K) blocks /= (double)larger(s->step[d], 1);
    }
    return blocks > 1 ? (blocks - 1) * sums / (stays ? s->m->l2_bytes : s->m->l3_bytes) : 0;
}

static double all_bytes(const struct splitting *s, ty_side side) {
    int64_t all[TY_CONTRACTION_DIMS];
    for (int d = 0; d < s->c->ndims; d++) all[d] = s->c->dims[d].size;
    return contraction_footprint(s->c, side, all) * (double)dtype_table[s->c->dtype[side]].size;
}

/* How many times more pages of right a box reads in turns than are followed; 0: not twice as many.  Right
   whose columns lie side by side, in whole slivers, is read by the kernel that multiplies the first rows, one
   after the other, each down all of K. */
static double unfollowed(const struct splitting *s) {
    const ty_contraction *c = s->c;
    int64_t extent[TY_CONTRACTION_DIMS];
    int inner = contraction_innermost(c, TY_RIGHT), next;
    int64_t run = (int64_t)(run_bytes(s, TY_RIGHT, &next) / (double)dtype_table[c->dtype[TY_RIGHT]].size);
    if (run % s->m->tile_columns && run < product(s, TY_DIM_N)) return 0;
    if (inner < 0 || c->dims[inner].type != TY_DIM_N || all_bytes(s, TY_RIGHT) <= (double)s->m->l3) return 0;
    for (int d = 0; d < c->ndims; d++) extent[d] = c->dims[d].type == TY_DIM_K ? s->step[d] : 1;
    double times = contract_pages(c, TY_RIGHT, extent) / contract_constants.pages_followed;
    return times < 2 ? 0 : times;
}

/* Seconds that the box costs beyond bringing all sides once: left, unless it stays in L2, comes again for
   each box of columns; the last vector of columns computes whole; right comes at half the speed where it is
   not followed. */
static double again_seconds(const struct splitting *s) {
    double columns = (double)product(s, TY_DIM_N), lanes = (double)s->m->lanes;
    double vectors = (double)((product(s, TY_DIM_N) + s->m->lanes - 1) / s->m->lanes);
    double boxes = contraction_size(s->c, TY_DIM_N) / columns, left = all_bytes(s, TY_LEFT);
    double seconds = 2 / s->m->flops * (vectors * lanes / columns - 1);
    for (int d = 0; d < s->c->ndims; d++) seconds *= (double)s->c->dims[d].size;
    double rate = left > (double)s->m->l3 ? s->m->read : s->m->l3_bytes;
    if (left > (double)s->m->l2 / 2) seconds += (boxes - 1) * left / rate;
    return seconds + (unfollowed(s) > 0 ? all_bytes(s, TY_RIGHT) / s->m->read : 0);
}

/* Keeps the next box where it saves enough. */
static void keep_better(struct splitting *s, double *least, const struct splitting *next) {
    double seconds = predict(next) + sums_seconds(next) + again_seconds(next);
    if (*least > 0 && seconds >= *least * (1 - contract_constants.depth_gain)) return;
    *least = seconds;
    *s = *next;
}

/* The box of a matrix product: as deep as the first level allows, or less where few rows make little of a
   sum's depth and longer runs of columns, or more of them, or fewer pages at once save more.  Not under
   windows, whose blocks of K are the same whichever side is left: their sums' order follows from them. */
static void split_product(struct splitting *s) {
    const struct contract_constants *k = &contract_constants;
    const struct contract_machine *m = s->m;
    if (split_vector(s) || split_turned_vector(s)) return;
    int64_t least_depth = k->depth_vectors * m->lanes;
    int64_t sliver = smaller(m->tile_rows, total(s, TY_DIM_M)) + smaller(m->tile_columns, total(s, TY_DIM_N));
    int64_t depth = (int64_t)((double)m->l1 * k->first_share * longer(s)) / (larger(sliver, 1) * m->packed);
    depth = smaller(larger(depth / 8 * 8, least_depth), total(s, TY_DIM_K));
    struct splitting begin = *s;
    double least = 0;
    bool window = has_window(s->c);
    for (int halves = 0; halves == 0 || (!window && depth >> halves >= least_depth); halves++) {
        struct splitting next = begin;
        split_rows_columns(&next, depth >> halves);
        keep_better(s, &least, &next);
        double pages = window ? 0 : unfollowed(&next);
        if (pages == 0) continue;
        int64_t followed = (int64_t)((double)product(&next, TY_DIM_K) / pages);
        for (int d = 0; d < next.c->ndims; d++)
            if (next.c->dims[d].type == TY_DIM_K) next.step[d] = 1;
        grow(&next, TY_DIM_K, larger(followed / 8 * 8, 8), 1, 8);
        keep_better(s, &least, &next);
    }
}

/* The box of vectors along a batch, or along rows: lanes, then rows, then sums, as many as fill a part of L2;
   at last, where lanes are rows, batches. */
static void split_lanes(struct splitting *s) {
    int inner = contraction_lane(s->c);
    bool along = s->c->dims[inner].type == TY_DIM_M;
    int64_t size = (int64_t)dtype_table[s->c->sums].size;
    int64_t room = (int64_t)((double)s->m->l2 * contract_constants.second_share / 4) / size, all = room;
    int64_t taps = smaller(total(s, TY_DIM_K), total(s, TY_DIM_M)),
            first = s->m->l1 / (4 * size * larger(taps, 1));
    int64_t run =
        smaller(larger(first, contract_constants.lanes_fewest * s->m->lanes), contract_constants.lanes_run);
    s->step[inner] =
        even_step(s->c->dims[inner].size, along ? contract_constants.lanes_run : run, s->m->lanes);
    room = larger(room / larger(s->step[inner], 1), 1);
    int64_t sums = grow(s, TY_DIM_K, larger(room / 4, 1), 1, 1);
    int64_t lanes = along ? s->step[inner] : 1;
    grow(s, TY_DIM_M, larger(room / (has_window(s->c) ? 2 : 2 * larger(smaller(sums, 16), 1)), 1) * lanes, 1,
         1);
    if (along) grow(s, TY_DIM_C, larger(all / 2 / larger(product(s, TY_DIM_M), 1), 1), 1, 1);
}

/* The side that decides the order of a type's loops.  Of boxes: the operand, so that the next box reads on
   where this one stopped; but where out's runs are shorter and end inside lines, out, so that the rest of a
   line is stored before it leaves the cache.  Inside a box: where runs are longer, so that one of packing and
   storing moves them as they are, and the other one turns blocks.  Of K: what windows step over, whichever
   side that is. */
static int deciding_side(const struct splitting *s, ty_dim_type type, ty_exec exec) {
    int side = type == TY_DIM_N ? TY_RIGHT : TY_LEFT, next;
    if (type == TY_DIM_K) return has_window(s->c) ? window_side(s->c) : side;
    double operand = run_bytes(s, side, &next), out = run_bytes(s, TY_OUT, &next);
    if (exec == TY_EXEC_PRIMITIVE) return operand > out ? side : TY_OUT;
    return operand < out || contract_whole_lines(s->c, TY_OUT, s->step) ? side : TY_OUT;
}

/* Loops over one type, outermost first, or the primitive's entries. */
static bool add_loops(struct splitting *s, ty_dim_type type, ty_exec exec, struct fault *fault) {
    ty_contraction *c = s->c;
    int side = deciding_side(s, type, exec), begin = c->nloops;
    for (int i = 0; i < c->ndims; i++) {
        bool whole = s->step[i] >= c->dims[i].size;
        if (c->dims[i].type != type || (exec == TY_EXEC_SEQUENTIAL && whole)) continue;
        int at = c->nloops;
        while (at > begin && contraction_magnitude(c->dims[c->loops[at - 1].dim].stride[side]) <
                                 contraction_magnitude(c->dims[i].stride[side]))
            at--;
        if (!contraction_insert(c, at, i, exec, larger(s->step[i], 1), fault)) return false;
    }
    return true;
}

/* The register tile's rows, and the steps of one product of a batch, are cut from a run that steps evenly, and the
   dimensions of a type that windows step over do not fuse: the last of the box's entries from `begin` on decides.
   Where the run that ends there is shorter than `enough`, the longest becomes the last, if it is that by `times`. */
static void fill_run(struct splitting *s, int begin, ty_dim_type type, int side, int64_t enough, int times) {
    ty_contraction *c = s->c;
    int most = -1, last = -1;
    int64_t run = 0, reach = 0;
    for (int i = begin; side >= 0 && i < c->nloops && contraction_is_window(c, (ty_side)side); i++) {
        const ty_dim *d = &c->dims[c->loops[i].dim];
        if (d->type != type) continue;
        bool even = reach == d->stride[side] * c->loops[i].step;
        run = (even ? run : 1) * c->loops[i].step;
        reach = d->stride[side];
        if (most < 0 || c->loops[i].step >= c->loops[most].step) most = i;
        last = i;
    }
    if (last < 0 || run >= enough || c->loops[most].step < times * c->loops[last].step) return;
    ty_loop longest = c->loops[most];
    for (int i = most; i < last; i++) c->loops[i] = c->loops[i + 1];
    c->loops[last] = longest;
}

static double tiles(const struct splitting *s) {
    double rows = contraction_size(s->c, TY_DIM_M), columns = contraction_size(s->c, TY_DIM_N);
    double batches = contraction_size(s->c, TY_DIM_C);
    return (double)(int64_t)(rows / s->m->tile_rows + 1) *
           (double)(int64_t)(columns / s->m->tile_columns + 1) * batches;
}

/* At least two blocks of K a span. */
static void set_spans(struct splitting *s) {
    ty_contraction *c = s->c;
    int sum = contraction_outermost_sum(c);
    if (sum == contraction_walked(c) || tiles(s) > (double)contract_constants.spans_tiles) return;
    int64_t spans = smaller(contraction_trips(c, sum) / 2, contract_constants.spans_most);
    c->spans = spans > 1 ? spans : 0;
}

bool pass_contract_split(ty_contraction *c, const struct contract_machine *m, struct fault *fault) {
    static const ty_dim_type order[] = {TY_DIM_C, TY_DIM_M, TY_DIM_N, TY_DIM_K};
    struct splitting s = {.c = c, .m = m, .line = (int64_t)contract_constants.line};
    s.line = larger(s.line / (int64_t)dtype_table[c->dtype[TY_OUT]].size, 1);
    bool product = c->primitive == TY_PRIMITIVE_GEMM || c->primitive == TY_PRIMITIVE_BRGEMM;
    bool steps = product || c->primitive == TY_PRIMITIVE_LANES;
    for (int i = 0; i < c->ndims; i++) s.step[i] = steps ? 1 : c->dims[i].size;
    find_lines(&s);
    if (product)
        split_product(&s);
    else if (steps)
        split_lanes(&s);
    for (int i = 0; i < 4; i++)
        if (!add_loops(&s, order[i], TY_EXEC_SEQUENTIAL, fault)) return false;
    int begin = c->nloops;
    for (int i = 0; i < 4; i++)
        if (!add_loops(&s, order[i], TY_EXEC_PRIMITIVE, fault)) return false;
    if (product) {
        fill_run(&s, begin, TY_DIM_M, TY_LEFT, m->tile_rows / 2, 1);
        fill_run(&s, begin, TY_DIM_K, window_side(c), contract_constants.depth_short, 4);
    }
    set_spans(&s);
    return true;
}
