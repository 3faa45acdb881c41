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
 *         is computed
 *   M, N  a box of left, a box of right and the sums share L2; as a square, since rows repay the packing
 *         of right and columns that of left (x * x + 2 K x elements), and whichever is short leaves its
 *         room to the other
 *
 * A type may have many dimensions and the box is a product of steps, which leaves a choice: which
 * dimensions are in it.
 *
 *   - An operand's dimension with the least step is in the box for a whole cache line at least, whatever
 *     its type: packing then reads (and out is written in) whole lines.  For left[e,f,b,a,d], right[c,f],
 *     out[a,b,c,d,e], d is innermost on one side and e on the other; both are columns, and the box holds
 *     at least a line of each, so that packing is a blocked transpose.  (GETT's "macro-kernel" has the
 *     same rule: Springer and Bientinesi 2018, 4.2.)
 *   - Dimensions along which windows overlap come first among K: the box then touches each place of the
 *     input once for all taps, where separate loops over taps would bring it again for each.
 *   - While there is room, the shorter run of the operand and out grows, along its own dimension and then
 *     along whatever continues it in memory: longer runs are read and written faster, up to a kilobyte; out
 *     is stored in whole lines, so that one of them is as good as eight of an operand.
 *   - Then by the least step on any side, so that runs in memory grow longer on one side or the other.
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
    if (d->type == TY_DIM_K &&
        (contraction_overlaps(c, TY_LEFT, dim) || contraction_overlaps(c, TY_RIGHT, dim)))
        return 0;
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

/* Longer runs, as long as there is room and until they are long enough: the shorter one of the operand's
   and out's is doubled along whatever continues it. */
static void lengthen_runs(struct splitting *s, ty_dim_type type, int64_t target) {
    const struct contract_constants *k = &contract_constants;
    while (product(s, type) * 2 <= target + target / 4) {
        int shortest = -1;
        double least = k->run_bytes;
        const int sides[2] = {type == TY_DIM_N ? TY_RIGHT : TY_LEFT, TY_OUT};
        for (int i = 0; i < 2; i++) {
            int next, side = sides[i];
            double run = run_bytes(s, side, &next) * (side == TY_OUT ? k->stored_runs : 1);
            if (next >= 0 && s->c->dims[next].type == type && run < least) least = run, shortest = next;
        }
        if (shortest < 0) break;
        s->step[shortest] = smaller(2 * s->step[shortest], s->c->dims[shortest].size);
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
    for (int i = 0; i < n; i++) {
        int64_t size = s->c->dims[list[i]].size;
        s->step[list[i]] = !s->needs_line[list[i]] ? 1 : size <= s->line * 3 / 2 ? size : s->line;
    }
    for (int i = 0; i < n && urgency(s, list[i]) == 0; i++) {
        int64_t size = s->c->dims[list[i]].size;
        if (size <= target / larger(product(s, type), 1)) s->step[list[i]] = size;
    }
    lengthen_runs(s, type, target);
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

/* The side x of a square of sums that fits `room` elements beside its two operands: x * x + 2 * depth * x =
 * room. */
static int64_t square_side(int64_t room, int64_t depth) {
    int64_t low = 1, high = (int64_t)1 << 20;
    while (high - low > 1) {
        int64_t x = (low + high) / 2;
        *(x * (x + 2 * depth) <= room ? &low : &high) = x;
    }
    return low;
}

static bool has_window(const ty_contraction *c) {
    for (int i = 0; i < c->ndims; i++)
        if (c->dims[i].type == TY_DIM_K &&
            (contraction_overlaps(c, TY_LEFT, i) || contraction_overlaps(c, TY_RIGHT, i)))
            return true;
    return false;
}

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

/* The box of a matrix product. */
static void split_product(struct splitting *s) {
    const struct contract_constants *k = &contract_constants;
    const struct contract_machine *m = s->m;
    int64_t size = m->summed;
    if (split_vector(s) || split_turned_vector(s)) return;
    int64_t sliver = smaller(m->tile_rows, total(s, TY_DIM_M)) + smaller(m->tile_columns, total(s, TY_DIM_N));
    int64_t depth = (int64_t)((double)m->l1 * k->first_share) / (larger(sliver, 1) * m->packed);
    if (has_window(s->c)) depth = (int64_t)((double)depth * k->window_depth);
    depth = grow(s, TY_DIM_K, larger(depth / 8 * 8, k->depth_vectors * m->lanes), k->sums_again, 8);
    bool thin = total(s, TY_DIM_K) <= depth && depth < k->columns_most / 2;
    depth = larger(depth * m->packed / size, 1); /* from here on as long as so many sums */
    int64_t room = (int64_t)((double)m->l2 * k->second_share) / size, square = square_side(room, depth);
    int64_t rows = smaller(total(s, TY_DIM_M), larger(square / m->tile_rows * m->tile_rows, m->tile_rows));
    bool shallow = rows < square / 2 || thin;
    int64_t most = shallow ? k->columns_shallow : k->columns_most;
    int64_t columns = smaller((room - depth * rows) / (depth + rows), most), all = total(s, TY_DIM_N);
    bool wide = !shallow && all <= k->columns_wide && depth * all <= m->l2 / (2 * size);
    if (wide) columns = all;
    columns = grow(s, TY_DIM_N, larger(columns, m->tile_columns), 1.25, m->tile_columns);
    rows = (room - depth * columns) / (wide ? depth : depth + columns); /* wide: sums stream by */
    if (wide || columns >= square / 2) rows = smaller(rows, square);
    grow(s, TY_DIM_M, larger(smaller(rows, k->rows_most), 2 * m->tile_rows), 1.25, m->tile_rows);
}

/* The box of vectors along a batch: lanes, then rows, then sums, as many as fill a part of L2. */
static void split_lanes(struct splitting *s) {
    int inner = contraction_lane(s->c);
    int64_t size = (int64_t)dtype_table[s->c->sums].size;
    int64_t room = (int64_t)((double)s->m->l2 * contract_constants.second_share / 4) / size;
    s->step[inner] = even_step(s->c->dims[inner].size, contract_constants.lanes_run, s->m->lanes);
    room = larger(room / larger(s->step[inner], 1), 1);
    int64_t sums = grow(s, TY_DIM_K, larger(room / 4, 1), 1, 1);
    grow(s, TY_DIM_M, larger(room / (has_window(s->c) ? 2 : 2 * larger(smaller(sums, 16), 1)), 1), 1, 1);
}

/* The side that decides the order of a type's loops.  Of boxes: where their runs are shorter, so that the
   next box takes up the line that this one left.  Inside a box: where runs are longer, so that one of packing and
   storing moves them as they are, and the other one turns blocks. */
static int deciding_side(const struct splitting *s, ty_dim_type type, ty_exec exec) {
    int side = type == TY_DIM_N ? TY_RIGHT : TY_LEFT, next;
    if (type == TY_DIM_K) return side;
    double operand = run_bytes(s, side, &next), out = run_bytes(s, TY_OUT, &next);
    bool shorter = operand < out || (operand <= out && exec == TY_EXEC_PRIMITIVE);
    return shorter == (exec == TY_EXEC_SEQUENTIAL) ? side : TY_OUT;
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
    for (int i = 0; i < 4; i++)
        if (!add_loops(&s, order[i], TY_EXEC_PRIMITIVE, fault)) return false;
    set_spans(&s);
    return true;
}
