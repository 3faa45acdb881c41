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
 *   - Right that streams from memory past few rows: its box is small enough for L2 to keep it, its copy and
 * the next one's lines.  Lines that the kernel asks for one by one cost the same in any order but for what is
 * fetched behind the end of a run, in slivers of a tile's columns, so its runs are whole slivers.
 *   - Then what is innermost anywhere, then by the least step on any side, so that runs in memory grow
 *     longer on one side or the other.
 *
 * K's steps depend on sizes, dtypes and the instruction set alone, never on the number of threads, since
 * they decide in which order sums are rounded.  Where rows, columns and batches are few register tiles in
 * all, and K is long, its loop is cut into `spans` that are summed apart and added up in order: that too
 * by shape alone.
 */
#include "contract/split.h"
#include <math.h>
#include "array/dtype.h"

/* Which dimension is innermost on each side; it needs a line, unless it is a batch. */
static void find_lines(struct splitting *s) {
    for (int side = 0; side < 3; side++) {
        int inner = contraction_innermost(s->c, (ty_side)side);
        if (inner >= 0) s->needs_line[inner] = s->c->dims[inner].type != TY_DIM_C;
    }
}

/* The box of vectors along a batch, or along rows: lanes, then rows, then sums, as many as fill a part of L2;
   at last, where lanes are rows, batches. */
static void split_lanes(struct splitting *s) {
    int inner = contraction_lane(s->c);
    bool along = s->c->dims[inner].type == TY_DIM_M;
    int64_t size = (int64_t)dtype_table[s->c->sums].size;
    int64_t room = (int64_t)((double)s->m->l2 * contract_constants.second_share / 4) / size, all = room;
    int64_t taps = lesser(split_total(s, TY_DIM_K), split_total(s, TY_DIM_M)),
            first = s->m->l1 / (4 * size * greater(taps, 1));
    int64_t run =
        lesser(greater(first, contract_constants.lanes_fewest * s->m->lanes), contract_constants.lanes_run);
    s->step[inner] =
        split_evenly(s->c->dims[inner].size, along ? contract_constants.lanes_run : run, s->m->lanes);
    room = greater(room / greater(s->step[inner], 1), 1);
    int64_t sums = split_grow(s, TY_DIM_K, greater(room / 4, 1), 1, 1);
    int64_t lanes = along ? s->step[inner] : 1;
    split_grow(s, TY_DIM_M,
               greater(room / (split_window(s->c) >= 0 ? 2 : 2 * greater(lesser(sums, 16), 1)), 1) * lanes, 1,
               1);
    if (along) split_grow(s, TY_DIM_C, greater(all / 2 / greater(split_size(s, TY_DIM_M), 1), 1), 1, 1);
}

/* The side that decides the order of a type's loops.  Of boxes: the operand, so that the next box reads on
   where this one stopped; but where out's runs are shorter and end inside lines, out, so that the rest of a
   line is stored before it leaves the cache.  Inside a box: where runs are longer, so that one of packing and
   storing moves them as they are, and the other one turns blocks.  Of K: what windows step over, whichever
   side that is. */
static int deciding_side(const struct splitting *s, ty_dim_type type, ty_exec exec) {
    int side = type == TY_DIM_N ? TY_RIGHT : TY_LEFT, next;
    if (type == TY_DIM_K) return split_window(s->c) >= 0 ? split_window(s->c) : side;
    double operand = split_run_bytes(s, side, &next), out = split_run_bytes(s, TY_OUT, &next);
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
        if (!contraction_insert(c, at, i, exec, greater(s->step[i], 1), fault)) return false;
    }
    return true;
}

/* The register tile's rows, and the steps of one product of a batch, are cut from a run that steps evenly,
   and the dimensions of a type that windows step over do not fuse: the last of the box's entries from `begin`
   on decides. Where the run that ends there is shorter than `enough`, the longest becomes the last, if it is
   that by `times`. */
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

/* Register tiles, whichever side is left: what is turned has as many spans. */
static double tiles(const struct splitting *s) {
    double rows = contraction_size(s->c, TY_DIM_M), columns = contraction_size(s->c, TY_DIM_N);
    double high = s->m->tile_rows, wide = s->m->tile_columns;
    double count = floor(rows / high + 1) * floor(columns / wide + 1);
    double turned = floor(columns / high + 1) * floor(rows / wide + 1);
    return contraction_size(s->c, TY_DIM_C) * fmin(count, turned);
}

/* At least two blocks of K a span. */
static void set_spans(struct splitting *s) {
    ty_contraction *c = s->c;
    int sum = contraction_outermost_sum(c);
    if (sum == contraction_walked(c) || tiles(s) > (double)contract_constants.spans_tiles) return;
    int64_t spans = lesser(contraction_trips(c, sum) / 2, contract_constants.spans_most);
    c->spans = spans > 1 ? spans : 0;
}

/* The loops of a box of these steps. */
static bool write_loops(struct splitting *s, struct fault *fault) {
    static const ty_dim_type order[] = {TY_DIM_C, TY_DIM_M, TY_DIM_N, TY_DIM_K};
    ty_contraction *c = s->c;
    for (int i = 0; i < 4; i++)
        if (!add_loops(s, order[i], TY_EXEC_SEQUENTIAL, fault)) return false;
    int begin = c->nloops;
    for (int i = 0; i < 4; i++)
        if (!add_loops(s, order[i], TY_EXEC_PRIMITIVE, fault)) return false;
    if (c->primitive == TY_PRIMITIVE_GEMM || c->primitive == TY_PRIMITIVE_BRGEMM) {
        fill_run(s, begin, TY_DIM_M, TY_LEFT, s->m->tile_rows / 2, 1);
        fill_run(s, begin, TY_DIM_K, split_window(c), contract_constants.depth_short, 4);
    }
    return true;
}

double split_cost(const struct splitting *s) {
    ty_contraction c = *s->c;
    struct contract_machine m = *s->m;
    struct splitting tried = *s;
    struct fault fault = {0};
    struct contract_cost cost;
    tried.c = &c;
    tried.m = &m;
    c.nloops = 0;
    m.threads = 1;
    m.workspace = 0;
    m.sums_apart = false;
    if (!write_loops(&tried, &fault) || !pass_contract_order(&c, &m, &fault)) return INFINITY;
    contract_cost_of(&c, &m, &cost);
    return cost.seconds;
}

bool pass_contract_split(ty_contraction *c, const struct contract_machine *m, struct fault *fault) {
    struct splitting s = {.c = c, .m = m, .line = (int64_t)CACHE_LINE};
    s.line = greater(s.line / (int64_t)dtype_table[c->dtype[TY_OUT]].size, 1);
    bool product = c->primitive == TY_PRIMITIVE_GEMM || c->primitive == TY_PRIMITIVE_BRGEMM;
    bool steps = product || c->primitive == TY_PRIMITIVE_LANES;
    for (int i = 0; i < c->ndims; i++) s.step[i] = steps ? 1 : c->dims[i].size;
    find_lines(&s);
    split_measure(&s);
    if (product)
        split_product(&s);
    else if (steps)
        split_lanes(&s);
    if (!write_loops(&s, fault)) return false;
    set_spans(&s);
    return true;
}
