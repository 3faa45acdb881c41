/*
 * Split: divides each dimension into steps, so that the box of remaining extents fits the caches.
 *
 * A split is a loop with a step; its last step may be shorter.  Any size splits: 1601, a prime, is seven steps of
 * 229.  Steps are even: 1600 rows at most 252 at a time are 7 steps of 238, not 6 of 252 and one of 88.
 *
 * The size of a box follows Low et al. ("Analytical modeling is enough for high-performance BLIS", ACM TOMS 43,
 * 2016), from the inside out:
 *
 *   K     a micro-panel of right (K x tile columns) and one of left (tile rows x K) share L1 while a tile is
 *         computed.  If sums do not stay in L2, blocks of K are longer and both stream from L2.
 *   M, N  a box of left, a box of right and the sums share L2, with the rows and columns that make most sums of the
 *         bytes loaded; a short side leaves its room to the other.  Data that each box loads anew counts twice, as
 *         the next box is prefetched: left, or right if few rows use it.
 *
 * A type may have several dimensions, and the box is a product of steps.  They are chosen as follows:
 *
 *   - Dimensions along which windows overlap come first, among K or, for a kernel's gradient, among kept ones.  The
 *     box then reads each input element once for all taps.
 *   - While there is room, the dimension that saves most time is doubled.  Rows and columns are considered together,
 *     since a run of out continues from one to the other.  Times are those of gaps.c, weighted by the bytes of each
 *     side and the rate of its memory level: cached operands may be read in small pieces, out in memory needs long
 *     runs.  For left[e,f,b,a,d], right[c,f], out[a,b,c,d,e], d is innermost on one side and e on the other.  Both
 *     are columns, and the box holds lines of e and runs of d and a, so packing is a blocked transpose (GETT's
 *     "macro-kernel" rule: Springer and Bientinesi 2018, 4.2).
 *   - If right streams from memory past few rows, its box is small enough for L2 to hold it, its copy and the next
 *     lines.  Its runs are whole micro-panels: prefetched lines cost the same in any order, except those that
 *     hardware fetches behind the end of a run.
 *   - Then innermost dimensions, then ascending stride on any side, so that runs in memory grow longer.
 *
 * Steps of K depend on sizes, dtypes and the instruction set alone, never on threads, since they decide the order
 * in which sums are rounded.  If rows, columns and batches are few register tiles and K is long, its loop is
 * cut into `spans`.  These are summed separately and added up in order, by shape alone too.
 */
#include "contract/split.h"
#include <math.h>
#include "array/dtype.h"
#include "contract/narrow.h"

/* Mark the innermost dimension of each side, unless it is a batch: its step should fill a cache line. */
static void find_lines(struct splitting *s) {
    for (int side = 0; side < 3; side++) {
        int inner = contraction_innermost(s->c, (ty_side)side);
        if (inner >= 0) s->needs_line[inner] = s->c->dims[inner].type != TY_DIM_C;
    }
}

/* Choose the box of the primitive LANES: vectors, then rows, then sums, as many as fill a part of L2; if rows
   are the vectors, batches last. */
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

/* Return the side whose strides order the loops of a type. For loops outside the box it is the operand, so
   that boxes continue where the previous one stopped; but out if its runs are shorter and end inside lines.
   Inside the box it is the side with longer runs. For K it is the side of the windows. */
static int deciding_side(const struct splitting *s, ty_dim_type type, ty_exec exec) {
    int side = type == TY_DIM_N ? TY_RIGHT : TY_LEFT, next;
    if (type == TY_DIM_K) return split_window(s->c) >= 0 ? split_window(s->c) : side;
    double operand = split_run_bytes(s, side, &next), out = split_run_bytes(s, TY_OUT, &next);
    if (exec == TY_EXEC_PRIMITIVE) return operand > out ? side : TY_OUT;
    return operand < out || contract_whole_lines(s->c, TY_OUT, s->step) ? side : TY_OUT;
}

/* Append loops of kind `exec` over the dimensions of a type, outermost first. False with the fault set on error. */
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

/* Reorder PRIMITIVE entries of a type from `begin` on for windows of `side` (-1: none). A register tile's
   rows, and a product's K, come from one evenly strided run: the one that ends at the last entry. If that run
   is shorter than `enough`, the longest entry is moved to the end, if it is longer by the factor `times`. */
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

/* Return the number of register tiles of out, the same whichever side is left. */
static double tiles(const struct splitting *s) {
    double rows = contraction_size(s->c, TY_DIM_M), columns = contraction_size(s->c, TY_DIM_N);
    double high = s->m->tile_rows, wide = s->m->tile_columns;
    double count = floor(rows / high + 1) * floor(columns / wide + 1);
    double turned = floor(columns / high + 1) * floor(rows / wide + 1);
    return contraction_size(s->c, TY_DIM_C) * fmin(count, turned);
}

/* Set c->spans, the number of parts of K that are summed apart, if tiles of out are too few for all threads;
   each has two blocks of K at least. */
static void set_spans(struct splitting *s) {
    ty_contraction *c = s->c;
    int sum = contraction_outermost_sum(c);
    if (sum == contraction_walked(c) || tiles(s) > (double)contract_constants.spans_most) return;
    int64_t spans = lesser(contraction_trips(c, sum) / 2, contract_constants.spans_most);
    c->spans = spans > 1 ? spans : 0;
}

/* Append all loops of the box, and its PRIMITIVE entries, to the contraction. False with the fault set on error. */
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
    if (steps) contraction_narrow_steps(c, s.step);
    if (!write_loops(&s, fault)) return false;
    set_spans(&s);
    return true;
}
