/*
 * The box of a matrix product: depth, rows and columns.
 *
 * The depth is chosen as if no operand were constant, for the orientation that would follow; rows and columns are
 * chosen for the actual operands.
 */
#include "contract/split.h"
#include <math.h>
#include <string.h>
#include "array/dtype.h"

static bool rows_fit(int64_t rows, int64_t room, int64_t row, int64_t column) {
    double columns = (double)rows * (double)row / (double)column;
    return (double)rows * (columns + 2 * (double)row) <= (double)room;
}

/* Return the rows of the box with most sums that fits `room` elements; a row needs `row` and a column
   `column` elements. Both operands then fill equal shares. */
static int64_t balanced_rows(int64_t room, int64_t row, int64_t column) {
    const int64_t most = ((int64_t)1 << 20) - 1;
    double rows = (double)column * (sqrt(1 + (double)room / ((double)row * (double)column)) - 1);
    int64_t n = (int64_t)fmin(fmax(rows, 1), (double)most);
    while (n > 1 && !rows_fit(n, room, row, column)) n--; /* corrects rounding of the root */
    while (n < most && rows_fit(n + 1, room, row, column)) n++;
    return n;
}

/* Choose the box of a matrix, contiguous along K, times a vector: whole rows, with the vector in L1. False,
   with nothing changed: it is another product. */
static bool split_turned_vector(struct splitting *s) {
    const struct contract_constants *k = &contract_constants;
    int inner = contraction_innermost(s->c, TY_LEFT);
    if (split_total(s, TY_DIM_N) > 1 || inner < 0 || s->c->dims[inner].type != TY_DIM_K) return false;
    int64_t size = (int64_t)dtype_table[s->c->sums].size;
    split_grow(s, TY_DIM_K, s->m->l1 / (2 * size), k->sums_again, s->m->lanes);
    split_grow(s, TY_DIM_N, 1, 1, 1);
    split_grow(s, TY_DIM_M, k->rows_most, 1.25, s->m->tile_rows);
    return true;
}

/* Choose the box of a vector or few rows times a matrix whose rows are contiguous along N. The matrix is read
   in place, few rows at a time. Each run is as long as sums stay in L1, and longer if that is short. With
   more than a few rows of left, as many matrix rows as prefetchers follow are read at once. That is 16 or 8
   on Zen 1 and 4 (4 and 12 rows of 4000 squared: 1.06 to 1.18; two rows 0.82). Narrow matrices take more
   rows, as changing boxes costs time. False, with nothing changed: it is another product. */
static bool split_vector(struct splitting *s) {
    const struct contract_constants *k = &contract_constants;
    int inner = contraction_innermost(s->c, TY_RIGHT);
    int64_t rows = greater(split_total(s, TY_DIM_M), 1), few = s->m->tile_rows * k->reuse_right;
    if (rows > k->sliver && (rows > few || split_window(s->c) >= 0)) return false;
    if (inner < 0 || s->c->dims[inner].type != TY_DIM_N) return false;
    int64_t size = (int64_t)dtype_table[s->c->sums].size;
    int64_t columns = greater(s->m->l1 / (2 * size * rows), k->vector_bytes / (k->vector_depth * size));
    columns = greater(columns, s->m->tile_columns);
    int64_t run = lesser(columns, greater(split_total(s, TY_DIM_N), 1)) * size;
    int64_t depth = greater(k->vector_depth, k->vector_bytes / run);
    if (rows >= k->vector_rows && run > CACHE_PAGE / 2) depth = s->m->streams;
    split_grow(s, TY_DIM_K, depth, k->sums_again, 1);
    split_grow(s, TY_DIM_N, columns, 1.25, s->m->tile_columns);
    split_grow(s, TY_DIM_M, rows, 1, 1);
    return true;
}

/* Return the factor by which the box's extent of K may exceed the limit that L1 sets. */
static double longer(const struct splitting *s) {
    const struct contract_constants *k = &contract_constants;
    double sums = contraction_size(s->c, TY_DIM_M) * contraction_size(s->c, TY_DIM_N);
    bool far = sums * (double)dtype_table[s->c->sums].size > (double)s->m->l2 * k->far_sums;
    return split_window(s->c) >= 0 ? k->window_depth : far ? k->far_depth : 1;
}

/* True if the whole product stays in L2. */
static bool stays(const struct splitting *s) {
    double rows = contraction_size(s->c, TY_DIM_M), columns = contraction_size(s->c, TY_DIM_N);
    double elements = contraction_size(s->c, TY_DIM_K) * (rows + columns) + rows * columns;
    double bytes = elements * (double)dtype_table[s->c->sums].size;
    return bytes <= (double)s->m->l2 * contract_constants.second_whole;
}

/* True if the box has parts of left's rows whose addresses fall on few sets of L2, and which many columns
   use. */
static bool begins_in_few(const struct splitting *s) {
    int64_t many = contract_constants.reuse_along * s->m->tile_columns;
    uint64_t apart = contraction_least_step(s->c, TY_LEFT, TY_DIM_M);
    bool part = split_size(s, TY_DIM_K) < split_total(s, TY_DIM_K) && split_total(s, TY_DIM_N) > many;
    return part && apart % (uint64_t)(s->m->l2_way / contract_constants.places_few) == 0;
}

/* True if left is packed: it is a window, or has no long runs along K, or its rows conflict on few cache
   sets. */
static bool copies_left(const struct splitting *s) {
    int next, inner = contraction_innermost(s->c, TY_LEFT);
    bool along = inner >= 0 && s->c->dims[inner].type == TY_DIM_K && !contraction_is_window(s->c, TY_LEFT);
    return !along || begins_in_few(s) || split_run_bytes(s, TY_LEFT, &next) < contract_constants.run_bytes;
}

/* Return the factor by which a row read in place fills more of L2 than its bytes, for this depth of K: rows a
   power of two apart conflict on the same sets. */
static int64_t crowding(const struct splitting *s, int64_t depth) {
    int64_t size = (int64_t)dtype_table[s->c->dtype[TY_LEFT]].size, way = s->m->l2_way;
    uint64_t apart = contraction_least_step(s->c, TY_LEFT, TY_DIM_M);
    if (copies_left(s) || apart == UINT64_MAX) return 1;
    int64_t window = lesser((int64_t)(apart & -apart), way);
    return greater(window / greater(depth * size, 1), 1);
}

/* Return how many taps of a window on left share an element, if taps are summed; at least 1. In a kernel's
   gradient taps are few rows and K is long, so they do not count. */
static int64_t shared_taps(const struct splitting *s) {
    int64_t shared = 1;
    for (int i = 0; i < s->c->nguards; i++) {
        const ty_guard *guard = &s->c->guards[i];
        int64_t taps = 1, rows = 1, step = 1;
        for (int k = 0; k < 2 && guard->side == TY_LEFT; k++) {
            if (guard->dim[k] < 0) continue;
            const ty_dim *dim = &s->c->dims[guard->dim[k]];
            *(dim->type == TY_DIM_K ? &taps : &rows) = dim->size;
            if (dim->type != TY_DIM_K)
                step = greater((int64_t)contraction_magnitude(guard->coefficient[k]), 1);
        }
        if (taps <= rows) shared *= greater(taps / step, 1);
    }
    return shared;
}

/* Return the limits of a product's box: elements of L2, and elements per row and column. Data that is loaded
   anew for each box counts twice, as the next box is prefetched or packed meanwhile: left, or right if rows
   or K are few (`shallow`). Right that streams in micro-panels counts more. Constants are not copied, windows
   share elements between taps, conflicting rows waste sets, and a copy of right may be larger than right. If
   left comes from beyond L3 and many rows use right, right gets a limit of its own beyond L2 (`reach`). Fewer
   boxes of columns then mean fewer passes over left (Zen 3 1.06 and f64 1.08, means from 1200 squared on;
   where L3 holds all 0.9 to 0.95). */
static struct limits find_room(const struct splitting *s, int64_t depth, bool shallow) {
    const struct contract_constants *k = &contract_constants;
    bool rows = !shallow && !s->c->constant[TY_LEFT] && !contraction_is_window(s->c, TY_LEFT);
    bool columns = shallow && !s->c->constant[TY_RIGHT];
    double share = s->streams ? k->stream_share * (s->roomy ? k->roomy : 1) : k->second_share;
    bool far = !shallow && split_window(s->c) < 0 && s->c->bytes > (double)s->m->l3;
    bool reaches = far && s->m->reach && split_total(s, TY_DIM_M) >= k->rows_reached;
    struct limits room = {.depth = depth, .row = rows ? 2 * depth : depth};
    room.room = (int64_t)((double)s->m->l2 * share) / s->m->summed;
    room.held = depth * s->m->expanded;
    room.reach =
        reaches && room.held * split_total(s, TY_DIM_N) > room.room / 2 ? s->m->reach / s->m->summed : 0;
    if (!room.reach) room.row *= crowding(s, depth);
    room.row = greater(room.row / shared_taps(s), 1);
    room.column = columns ? 2 * room.held : room.held;
    room.sliver = s->streams ? (k->sliver_places - 1) * depth + room.held : room.column;
    return room;
}

/* Return the number of columns that fit the limits beside `rows` rows, a column of right counting `column` elements,
   each sum 1; by room->reach, if set, right alone counts. It may be below 1. */
static int64_t columns_of(const struct limits *room, int64_t rows, int64_t column) {
    return room->reach ? room->reach / column : (room->room - room->row * rows) / (column + rows);
}

/* Return the number of rows that fit the limits with `columns` columns, all if possible. wide: sums are not
   kept in L2. */
static int64_t rows_beside(const struct splitting *s, const struct limits *room, int64_t columns, bool wide) {
    int64_t sums = wide ? 0 : columns, left = room->room - room->held * columns,
            all = split_total(s, TY_DIM_M);
    if (room->reach) return lesser(room->room / (room->row + columns), all);
    int64_t balanced = balanced_rows(room->room, room->row, room->column), rows = left / (room->depth + sums);
    if (stays(s)) return all;
    if (rows < all) rows = left / (room->row + sums);
    if (columns >= balanced / 2) return lesser(rows, balanced);
    return wide ? lesser(rows, greater(balanced, contract_constants.columns_most)) : rows;
}

/* Grow K of the box to about `depth` and return its size. Meanwhile rows and columns that need a cache line
   have one, so that runs are judged as they will be. */
static int64_t grow_depth(struct splitting *s, int64_t depth) {
    int64_t before[TY_CONTRACTION_DIMS];
    memcpy(before, s->step, sizeof before);
    for (int d = 0; d < s->c->ndims; d++)
        if (s->needs_line[d] && s->c->dims[d].type != TY_DIM_K)
            s->step[d] = lesser(s->line, s->c->dims[d].size);
    depth = split_grow(s, TY_DIM_K, depth, contract_constants.sums_again, 8);
    for (int d = 0; d < s->c->ndims; d++)
        if (s->c->dims[d].type != TY_DIM_K) s->step[d] = before[d];
    return depth;
}

/* Exchange extents of the box between pairs of N dimensions, within the limits, while that saves time. */
static void exchange_columns(struct splitting *s, const struct limits *limits) {
    for (bool better = true; better;) {
        struct splitting best = *s;
        double least = split_predict(s) * (1 - contract_constants.runs_gain);
        better = false;
        for (int pair = 0; pair < s->c->ndims * s->c->ndims; pair++) {
            int i = pair / s->c->ndims, j = pair % s->c->ndims;
            struct splitting next = *s;
            if (s->c->dims[i].type != TY_DIM_N || s->c->dims[j].type != TY_DIM_N) continue;
            split_rescale(&next, i, 2);
            if (j != i) split_rescale(&next, j, 0.5);
            double seconds = split_fits(&next, limits) ? split_predict(&next) : least;
            if (seconds < least) least = seconds, best = next, better = true;
        }
        *s = best;
    }
}

/* Choose the box with an extent of about `depth` along K. */
static void split_rows_columns(struct splitting *s, int64_t depth) {
    const struct contract_constants *k = &contract_constants;
    const struct contract_machine *m = s->m;
    int64_t all = split_total(s, TY_DIM_N);
    depth = grow_depth(s, depth);
    bool thin = split_total(s, TY_DIM_K) <= depth && depth < k->columns_most / 2;
    depth = greater(depth * m->packed / m->summed, 1); /* from here on in units of an accumulator */
    struct limits room = find_room(s, depth, true);
    bool shallow = split_total(s, TY_DIM_M) < balanced_rows(room.room, depth, depth) / 2 || thin;
    s->streams = shallow && !s->c->constant[TY_RIGHT] && s->bytes[TY_RIGHT] > (double)m->l3;
    room = find_room(s, depth, shallow);
    int64_t most = shallow && s->c->bytes > (double)m->l3 ? k->columns_shallow : k->columns_most;
    int64_t rows = balanced_rows(room.room, room.row, room.column) / m->tile_rows * m->tile_rows;
    rows = lesser(split_total(s, TY_DIM_M), greater(rows, m->tile_rows));
    int64_t columns = lesser(columns_of(&room, rows, room.column), most);
    columns = greater(columns, m->tile_columns);
    room.most[TY_DIM_M] = rows + rows / 4;
    room.most[TY_DIM_N] = columns + columns / 4;
    split_lengthen(s, &room);
    rows = greater(rows, split_size(s, TY_DIM_M));
    int64_t column = split_in_slivers(s) ? room.sliver : room.column;
    columns = lesser(columns_of(&room, rows, column), most);
    bool half = depth * all <= m->l2 / (2 * m->summed);
    bool wide = !shallow && copies_left(s) && all <= k->columns_wide && half;
    if (wide) columns = all;
    double slack = s->streams ? 1 : room.reach ? k->even_slack : 1.25;
    columns = split_grow(s, TY_DIM_N, greater(columns, m->tile_columns), slack, m->tile_columns);
    rows = lesser(rows_beside(s, &room, columns, wide), k->rows_most);
    split_grow(s, TY_DIM_M, greater(rows, 2 * m->tile_rows), 1.25, m->tile_rows);
    if (s->streams) exchange_columns(s, &room);
    s->room = room;
}

/* Return the seconds of reading and writing partial sums again for each further block of K: in L2 if
   those of a box of columns and all rows stay there. */
static double sums_seconds(const struct splitting *s) {
    double sums = 2 * (double)dtype_table[s->c->sums].size, blocks = 1;
    double waiting = sums / 2 * contraction_size(s->c, TY_DIM_M) * (double)split_size(s, TY_DIM_N);
    bool stays = waiting <= (double)s->m->l2 * contract_constants.second_share;
    for (int d = 0; d < s->c->ndims; d++) {
        double size = (double)s->c->dims[d].size;
        *(s->c->dims[d].type == TY_DIM_K ? &blocks : &sums) *= size;
        if (s->c->dims[d].type == TY_DIM_K) blocks /= (double)greater(s->step[d], 1);
    }
    return blocks > 1 ? (blocks - 1) * sums / (stays ? s->m->l2_bytes : s->m->l3_bytes) : 0;
}

/* Return the number of pages of right that a box alternates between, divided by the number that
   prefetchers follow; 0 if that is below two, or right is not read in micro-panels or fits L3. */
static double unfollowed(const struct splitting *s) {
    const ty_contraction *c = s->c;
    int64_t extent[TY_CONTRACTION_DIMS];
    if (!split_in_slivers(s) || s->bytes[TY_RIGHT] <= (double)s->m->l3) return 0;
    for (int d = 0; d < c->ndims; d++) extent[d] = c->dims[d].type == TY_DIM_K ? s->step[d] : 1;
    double times = contract_pages(c, TY_RIGHT, extent) / contract_constants.pages_followed;
    return times < 2 ? 0 : times;
}

/* Return the share, 0 .. 1, of left's reloading that is not hidden: rows contiguous for a page or more are
   prefetched while the previous box is computed. */
static double exposed(const struct splitting *s) {
    int inner = contraction_innermost(s->c, TY_LEFT);
    double size = (double)dtype_table[s->c->dtype[TY_LEFT]].size;
    bool ahead = !copies_left(s) && (double)s->step[inner] * size >= CACHE_PAGE;
    return ahead ? contract_constants.exposed : 1;
}

/* Return the number of boxes of columns; each uses all of left. */
static double column_boxes(const struct splitting *s) {
    double boxes = 1;
    for (int d = 0; d < s->c->ndims; d++)
        if (s->c->dims[d].type == TY_DIM_N)
            boxes *= ceil((double)s->c->dims[d].size / (double)greater(s->step[d], 1));
    return boxes;
}

/* Return the number of parts into which a side's block of K is cut so that a packed copy of one stays in L2. */
static double parts(const struct splitting *s, ty_side side) {
    double all = (double)split_total(s, side == TY_LEFT ? TY_DIM_M : TY_DIM_N);
    double element = (double)s->m->packed * (side == TY_RIGHT ? s->m->expanded : 1);
    return ceil(all * (double)split_size(s, TY_DIM_K) * element / (double)s->m->l2);
}

/* Return the seconds of packing a side once more. */
static double copied_again(const struct splitting *s, ty_side side) {
    return split_bring(s, side) + s->bytes[side] * contract_copied_bytes(s->c, side) / s->m->l2_bytes;
}

/* Return the seconds of loading operands more than once, 0 if left stays in L2. Left is loaded for each box
   of columns. If it is packed and neither side's block of K stays in L2, one side is cut and the other is
   packed for each part. */
static double operands_again(const struct splitting *s) {
    double left = s->bytes[TY_LEFT], rate = left > (double)s->m->l3 ? s->m->read : s->m->l3_bytes;
    if (left <= (double)s->m->l2 / 2) return 0;
    double seconds = (column_boxes(s) - 1) * left / rate * exposed(s);
    if (!copies_left(s)) return seconds;
    return seconds + fmin((parts(s, TY_LEFT) - 1) * copied_again(s, TY_RIGHT),
                          (parts(s, TY_RIGHT) - 1) * copied_again(s, TY_LEFT));
}

/* Return the predicted seconds in addition to loading all sides once: reloads, the partly empty last vector
   of columns, and right at half speed if prefetchers do not follow. */
static double again_seconds(const struct splitting *s) {
    double columns = (double)split_size(s, TY_DIM_N), lanes = (double)s->m->lanes;
    double seconds = 2 / s->m->flops * (ceil(columns / lanes) * lanes / columns - 1);
    for (int d = 0; d < s->c->ndims; d++) seconds *= (double)s->c->dims[d].size;
    return seconds + operands_again(s) + (unfollowed(s) > 0 ? s->bytes[TY_RIGHT] / s->m->read : 0);
}

/* The best box so far, the depth it was chosen for, and its seconds. */
struct depths {
    struct splitting best;
    int64_t depth;
    double seconds;
};

/* Replace *d by the box `next`, of this depth, if that saves enough, or if *d is empty. */
static void keep_better(struct depths *d, const struct splitting *next, int64_t depth) {
    double seconds = split_predict(next) + sums_seconds(next) + again_seconds(next);
    if (d->depth && seconds >= d->seconds * (1 - contract_constants.depth_gain)) return;
    *d = (struct depths){*next, depth, seconds};
}

/* Try depths from `depth` down by halves, and for too many pages of right a smaller one; keep the best box
   in *d. Few rows gain little from depth. Windows keep the depth, and fixed boxes have no other. */
static void choose_depth(const struct splitting *s, int64_t depth, struct depths *d) {
    bool window = split_window(s->c) >= 0 || split_size(s, TY_DIM_K) >= split_deepest(s);
    for (int halves = 0; halves == 0 || (!window && depth >> halves >= s->m->depth); halves++) {
        struct splitting next = *s;
        split_rows_columns(&next, depth >> halves);
        keep_better(d, &next, depth >> halves);
        double pages = window ? 0 : unfollowed(&next);
        if (pages == 0) continue;
        int64_t followed = (int64_t)((double)split_size(&next, TY_DIM_K) / pages);
        for (int i = 0; i < next.c->ndims; i++)
            if (next.c->dims[i].type == TY_DIM_K) next.step[i] = split_least(&next, i);
        split_grow(&next, TY_DIM_K, greater(followed / 8 * 8, 8), 1, 8);
        keep_better(d, &next, depth >> halves);
    }
}

/* If all operands stay in L3, try larger depths by the full model, and keep the best box in *d. Reading sums
   again costs more than an L1 that holds less of a micro-panel. */
static void go_deeper(const struct splitting *s, struct depths *d) {
    int64_t all = split_deepest(s), depth = split_size(&d->best, TY_DIM_K);
    if (depth >= all || s->c->bytes > (double)s->m->l3) return;
    double least = split_cost(&d->best);
    while (depth < all) {
        struct splitting next = *s;
        depth = lesser(2 * depth, all);
        split_rows_columns(&next, depth);
        double seconds = split_cost(&next);
        if (seconds >= least * (1 - contract_constants.deeper_gain)) continue;
        least = seconds;
        d->best = next;
        d->depth = depth;
    }
}

/* Choose the depth, from `depth` down, and, if right streams, whether it may fill more of L2, which must save
   much. The best box is in *d. */
static void choose_room(const struct splitting *s, int64_t depth, struct depths *d) {
    struct splitting roomy = *s;
    struct depths wide = {.depth = 0};
    choose_depth(s, depth, d);
    if (!d->best.streams) return;
    roomy.roomy = true;
    choose_depth(&roomy, depth, &wide);
    if (wide.seconds < d->seconds * (1 - contract_constants.roomy_gain)) *d = wide;
}

/* Return the largest extent of K for which micro-panels share L1, and L2 holds some tiles of rows. */
static int64_t first_depth(const struct splitting *s) {
    const struct contract_constants *k = &contract_constants;
    const struct contract_machine *m = s->m;
    int64_t sliver =
        lesser(m->tile_rows, split_total(s, TY_DIM_M)) + lesser(m->tile_columns, split_total(s, TY_DIM_N));
    int64_t depth = (int64_t)((double)m->l1 * k->first_share * longer(s)) / (greater(sliver, 1) * m->packed);
    double room = (double)m->l2 * k->second_share / m->summed; /* half for rows, which count twice */
    depth = lesser(depth, (int64_t)(room / (double)(4 * m->tile_rows * k->tiles_least)));
    return lesser(greater(depth / 8 * 8, m->depth), split_total(s, TY_DIM_K));
}

/* Put all rows into one box if the full model predicts a gain. The limits above are of a simpler model. */
static void try_all_rows(struct splitting *s) {
    struct splitting all = *s;
    int64_t rows = split_total(s, TY_DIM_M);
    if (split_size(s, TY_DIM_M) >= rows || rows > contract_constants.rows_most) return;
    for (int d = 0; d < s->c->ndims; d++)
        if (s->c->dims[d].type == TY_DIM_M) all.step[d] = s->c->dims[d].size;
    if (split_cost(&all) < split_cost(s) * (1 - contract_constants.rows_gain)) *s = all;
}

/* Keep short lines of out whole, with about as many columns as before, if the full model predicts a gain.
   Cut lines end in incomplete vectors and cache lines, which are moved twice per block of K. */
static void try_whole_lines(struct splitting *s) {
    struct splitting whole = *s;
    int inner = contraction_innermost(s->c, TY_OUT), others = 0, other = -1;
    int64_t size = inner < 0 ? 0 : s->c->dims[inner].size, columns = split_size(s, TY_DIM_N);
    if (inner < 0 || s->c->dims[inner].type != TY_DIM_N || s->step[inner] >= size || size > columns) return;
    for (int d = 0; d < s->c->ndims; d++)
        if (d != inner && s->c->dims[d].type == TY_DIM_N && s->step[d] > 1) others++, other = d;
    if (others != 1) return;
    whole.step[inner] = size;
    whole.step[other] = split_evenly(s->c->dims[other].size, columns / size, 1);
    if (split_cost(&whole) >= split_cost(s)) return;
    split_refine_columns(&whole);
    *s = whole;
}

/* Lengthen runs of out for an epilogue, which restarts at each run. The workspace is the limit, and the
   saving must exceed the cost. Zen 5: 1x1 to 512 columns with a residue, 192 at a time 1.09 ms, all 0.81;
   all of ResNet-50 1.07. Steps of K stay, so bits do not change. */
static void lengthen_runs(struct splitting *s) {
    const double run_seconds = 1e-7, worth = 0.01;
    struct splitting next = *s;
    int inner = contraction_innermost(s->c, TY_OUT);
    if (inner < 0 || s->c->dims[inner].type != TY_DIM_N || s->step[inner] >= s->c->dims[inner].size) return;
    int64_t size = s->c->dims[inner].size, others = split_size(s, TY_DIM_N) / greater(s->step[inner], 1);
    double rows = (double)split_size(s, TY_DIM_M), depth = (double)split_size(s, TY_DIM_K), most;
    double column = (double)others * (rows * s->m->summed + depth * s->m->packed);
    most = contract_workspace(s->m) / column;
    if (depth < (double)split_total(s, TY_DIM_K)) /* sums are buffered until the last block of K */
        most = fmin(most, (double)s->m->sums_room / (rows * (double)others * s->m->summed));
    next.step[inner] = split_evenly(size, lesser(size, (int64_t)most), s->m->tile_columns);
    double cuts = ceil((double)size / (double)s->step[inner]) - ceil((double)size / (double)next.step[inner]);
    double lines = contraction_products(s->c) / (contraction_size(s->c, TY_DIM_K) * (double)size);
    double saved = lines * cuts * run_seconds;
    if (saved < worth * s->c->flops / s->m->flops) return;
    if (split_predict(&next) < split_predict(s) + saved) *s = next;
}

void split_product(struct splitting *s) {
    ty_contraction plain = *s->c;
    struct splitting begin = *s;
    begin.c = &plain;
    plain.constant[TY_LEFT] = plain.constant[TY_RIGHT] = false;
    pass_contract_orient(&plain, s->m, NULL);
    split_measure(&begin);
    struct depths d = {.depth = 0};
    bool vector = split_vector(&begin) || split_turned_vector(&begin);
    if (vector)
        d = (struct depths){.best = begin, .depth = split_size(&begin, TY_DIM_K)};
    else
        choose_room(&begin, first_depth(&begin), &d);
    bool search = !vector && split_window(&plain) < 0;
    if (search) go_deeper(&begin, &d);
    if (search) split_exchange_runs(&d.best, TY_DIM_K);
    int64_t depth = split_size(&d.best, TY_DIM_K);
    if (search) split_refine(&d.best, true);
    if (search) try_whole_lines(&d.best);
    if (split_size(&d.best, TY_DIM_K) != depth) d.depth = split_size(&d.best, TY_DIM_K);
    s->roomy = d.best.roomy;
    bool same = plain.swapped == s->c->swapped;
    bool done = same && (vector || (!s->c->constant[TY_LEFT] && !s->c->constant[TY_RIGHT]));
    if (done)
        memcpy(s->step, d.best.step, sizeof s->step);
    else
        split_rows_columns(s, d.depth);
    for (int i = 0; i < s->c->ndims; i++)
        if (s->c->dims[i].type == TY_DIM_K) s->step[i] = d.best.step[i];
    if (search) split_exchange_runs(s, TY_DIM_N);
    if (search && !done) split_refine(s, false);
    if (!vector) try_all_rows(s);
    if (!vector && s->m->sums_apart) lengthen_runs(s);
}
