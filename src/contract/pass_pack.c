/*
 * Pack: how operands reach the primitive.
 *
 * The micro-kernel needs contiguous columns of right and takes left with any stride.  Packing copies a box into the
 * order in which it is read: lines are used whole, without set conflicts, from few pages.  It costs a pass over the
 * box and pays if the box is used often or has a bad layout.  In this order:
 *
 *   WHOLE      constants, packed once for all runs, unless reading in place is as fast.  Also operands that would be
 *              packed repeatedly and are small enough to keep.  Packed once, before all loops.
 *   FOOTPRINT  windows and padded operands.  The elements that the box touches are copied once, padding as zeros, and
 *              read from there with strides (im2col without columns).  Much padding: in pieces without it.
 *              Right only if its columns are contiguous, else panels.
 *   NONE       read in place, one of the following:
 *                window on the left: vectors along a batch or along contiguous rows, unless few rows of a batch use
 *                       all taps or lines conflict on few sets.  Of a product, rows that few columns use, or taps
 *                       far apart.  Or rows that mostly use all taps, or much padding, if K is contiguous along
 *                       lines, or rows in them, without set conflicts.
 *                right  contiguous columns, for a vector at least, and one of: a step of K of at most 256 bytes;
 *                       fewer than 48 panels of left in total and steps of K of at most half a page (more if few
 *                       panels use it), cached, without set conflicts; too few panels of left to repay a copy.
 *                left   runs along K of a kilobyte, except in two cases.  They are parts of rows that begin in
 *                       four places of L2 at most and many columns use them, or lines of rows that cut tiles.
 *                       Or few micro-panels of right, if runs along K are contiguous, cached or not scattered
 *                       (some more if rows do not conflict).  Or cached runs along K without conflicts.
 *                both   with at most four rows or columns on the other side, as the operand is used hardly once.
 *   PANELS     else.
 *
 * Set conflicts: lines whose addresses are equal modulo 4096 bytes compete for eight or twelve ways of L1, typically
 * with a power of two as leading dimension.  Steps that are multiples of half of that are packed if used more than
 * once.  Long runs of left along K are exempt: a tile reads a line of each row for some sixteen steps, L2 holds
 * lines that L1 evicts; the next box of left was prefetched.  Pages: a box whose steps of K are a page apart
 * needs a TLB entry for each.  The rules above cover this, as 256 bytes are less than a page.  From memory only
 * sequential reads are fast: the kernel goes down K with a stride, packing reads runs.  (Goto and van de Geijn 2008,
 * section 4.2.3, on packing and the TLB; TBLIS 2018, section 4.1, on packing through scatter vectors.)
 *
 * `loop` tells how long a copy is kept.  Everything of the operand inside one step of that loop is packed once, box
 * by box, and kept until the next step.  The innermost loop that steps the operand keeps one box.  An outer loop
 * keeps many, as long as they fit the workspace.  That saves packing if a loop between does not step the operand
 * (columns of right for every block of rows).
 */
#include "contract/passes.h"
#include <math.h>
#include "array/dtype.h"
#include "contract/narrow.h"

/* True if the box's columns of right are contiguous for a vector at least, or all of them. */
static bool columns_together(const ty_contraction *c, const struct contract_machine *m) {
    int inner = contraction_innermost(c, TY_OUT);
    if (contraction_box_size(c, TY_DIM_N) == 1) return true;
    if (inner < 0 || c->dims[inner].type != TY_DIM_N || c->dims[inner].stride[TY_RIGHT] != 1) return false;
    int64_t box = contraction_box(c, inner);
    return box >= m->lanes || box == contraction_box_size(c, TY_DIM_N);
}

/* True if operand `side` has, within the box, a stride of more than at_most bytes along a dimension of this
   type. If alias is not 0: a stride that is a multiple of `alias` bytes. */
static bool has_steps(const ty_contraction *c, ty_side side, ty_dim_type type, int64_t at_most,
                      int64_t alias) {
    for (int d = 0; d < c->ndims; d++) {
        uint64_t step = contraction_magnitude(c->dims[d].stride[side]) * dtype_table[c->dtype[side]].size;
        if (c->dims[d].type != type || contraction_box(c, d) < 2 || step == 0) continue;
        if (alias ? step % (uint64_t)alias == 0 : step > (uint64_t)at_most) return true;
    }
    return false;
}

/* Return the length in bytes of contiguous runs of a box's side along dimensions of a type. */
static double run_along(const ty_contraction *c, ty_side side, ty_dim_type type) {
    uint64_t run = 1;
    for (int d = c->ndims - 1; d >= 0; d--) {
        if (c->dims[d].type != type || contraction_magnitude(c->dims[d].stride[side]) != run) continue;
        run *= (uint64_t)contraction_box(c, d);
        if (contraction_box(c, d) < c->dims[d].size) break;
    }
    return (double)run * (double)dtype_table[c->dtype[side]].size;
}

/* Return the bytes of a whole operand. */
static double bytes_of(const ty_contraction *c, ty_side side) {
    int64_t extent[TY_CONTRACTION_DIMS];
    for (int d = 0; d < c->ndims; d++) extent[d] = c->dims[d].size;
    return contraction_footprint(c, side, extent) * (double)dtype_table[c->dtype[side]].size;
}

/* Return the fraction, 0 .. 1, of L2's sets that runs of `width` bytes use if they start at each step of
   `side` along K and, if `rows`, along its rows. */
static double part_of_sets(const ty_contraction *c, const struct contract_machine *m, ty_side side, bool rows,
                           double width) {
    uint64_t size = dtype_table[c->dtype[side]].size, steps = (uint64_t)m->l2;
    for (int d = 0; d < c->ndims; d++)
        if ((c->dims[d].type == TY_DIM_K || (rows && c->dims[d].type == TY_DIM_M)) &&
            contraction_box(c, d) > 1)
            steps |= contraction_magnitude(c->dims[d].stride[side]) * size;
    return fmin(1, width / (double)(steps & -steps));
}

/* True if a micro-panel of right, read in place, conflicts on so few cache sets that it is evicted between
   panels of left. The cache is L1, or half of L2, if a copy would stay there. */
static bool sliver_is_crowded(const ty_contraction *c, const struct contract_machine *m) {
    double width = (double)m->tile_columns * (double)dtype_table[c->dtype[TY_RIGHT]].size;
    double share = part_of_sets(c, m, TY_RIGHT, false, width);
    double crowded = width > CACHE_LINE ? contract_constants.crowded_lines : 1;
    double copy = (double)contraction_box_size(c, TY_DIM_K) * width, first = (double)m->l1,
           second = (double)m->l2 / 2;
    return (copy <= contract_constants.nearly * first && copy > crowded * first * share) ||
           copy > second * share;
}

/* True if right, which is no window, is read in place as fast as from a packed copy. */
static bool right_lies_well(const ty_contraction *c, const struct contract_machine *m) {
    int64_t rows = contraction_box_size(c, TY_DIM_M);
    double panels = ceil(contraction_size(c, TY_DIM_M) / m->tile_rows); /* panels in all loops */
    if (contraction_size(c, TY_DIM_N) <= 1) /* by shape alone, as the order of summation depends on it */
        return contraction_least_step(c, TY_RIGHT, TY_DIM_K) == dtype_table[c->dtype[TY_RIGHT]].size;
    if (!columns_together(c, m)) return false;
    if (rows <= contract_constants.sliver) return true;
    /* Right streams, and a copy used once or twice does not pay, even if made once for all runs. Measured:
       Zen 1, 8 rows of 1000 x 2000 to 20000 x 1000, 1.4 times as long. */
    if (panels <= contract_constants.reuse_right) return true;
    if (!has_steps(c, TY_RIGHT, TY_DIM_K, (int64_t)contract_constants.read_gap, 0)) return true;
    if (c->constant[TY_RIGHT] || panels >= (double)contract_constants.reuse_many) return false;
    if (panels > contract_constants.reuse_apart && sliver_is_crowded(c, m)) return false;
    bool near = contract_lines_bytes(c, TY_RIGHT) <= (double)m->l3 / 4;
    bool apart = has_steps(c, TY_RIGHT, TY_DIM_K, CACHE_PAGE / 2, 0); /* no two rows share a page */
    return near && !has_steps(c, TY_RIGHT, TY_DIM_K, 0, CACHE_PAGE / 2) &&
           (!apart || panels <= contract_constants.reuse_apart);
}

/* True if the gaps between runs of a side's box cost more than its bytes. */
static bool is_scattered(const ty_contraction *c, ty_side side) {
    int64_t extent[TY_CONTRACTION_DIMS];
    for (int d = 0; d < c->ndims; d++) extent[d] = contraction_box(c, d);
    return contract_gaps(c, side, extent, false) > contract_constants.scattered;
}

/* Return the multiply-adds per load of a tile in place, relative to a whole tile. A copy has rows in one
   series; in place a tile is whole lines of a few rows, or parts of one. Seven rows are two tiles of four
   and three, or two lines one of fourteen narrow ones. */
static double filled_by_lines(const ty_contraction *c, const struct contract_machine *m) {
    int64_t line = 1, rows = contraction_box_size(c, TY_DIM_M), whole = m->tile_rows;
    for (int d = 0; d < c->ndims; d++)
        if (c->dims[d].type == TY_DIM_M && contraction_box(c, d) > 1) line = contraction_box(c, d);
    if (line == rows) return 1;
    double high =
        line <= whole ? (double)(whole / line * line) : (double)line / ceil((double)line / (double)whole);
    double wide = (double)m->tile_columns / m->lanes;
    return contract_adds_a_load(high, wide) / contract_adds_a_load((double)whole, wide);
}

/* True if left, which is no window, is read in place as fast as from a packed copy. */
static bool left_lies_well(const ty_contraction *c, const struct contract_machine *m) {
    int64_t columns = contraction_box_size(c, TY_DIM_N), slivers = (columns - 1) / m->tile_columns + 1;
    bool along = contraction_least_step(c, TY_LEFT, TY_DIM_K) == dtype_table[c->dtype[TY_LEFT]].size;
    bool near = contract_lines_bytes(c, TY_LEFT) <= (double)m->l2 / 2;
    bool alias = has_steps(c, TY_LEFT, TY_DIM_M, 0, CACHE_PAGE / 2);
    if (columns <= contract_constants.sliver) return true;
    if (c->constant[TY_LEFT]) return false;
    bool part = contraction_box_size(c, TY_DIM_K) < contraction_size(c, TY_DIM_K) &&
                slivers > contract_constants.reuse_along;
    if (part && has_steps(c, TY_LEFT, TY_DIM_M, 0, m->l2_way / contract_constants.places_few)) return false;
    bool often = contraction_size(c, TY_DIM_N) > (double)(contract_constants.reuse_along * m->tile_columns);
    bool once = slivers > contract_constants.reuse_along || bytes_of(c, TY_LEFT) <= (double)m->l2 / 2;
    if (often && once && filled_by_lines(c, m) < contract_constants.lines_least) return false;
    if (along && run_along(c, TY_LEFT, TY_DIM_K) >= contract_constants.run_bytes) return true;
    if (slivers <= contract_constants.reuse_right &&
        !has_steps(c, TY_LEFT, TY_DIM_K, (int64_t)contract_constants.read_gap, 0))
        return true;
    bool crowded = has_steps(c, TY_LEFT, TY_DIM_M, 0, CACHE_PAGE); /* a tile falls on one set */
    bool in_order = along && (slivers <= 1 || !is_scattered(c, TY_LEFT));
    if (slivers <= contract_constants.reuse_left) return near || in_order;
    if (slivers <= contract_constants.reuse_along && in_order && !crowded) return true;
    return near && along && !alias;
}

/* Return how often each element of a side is packed in loop number `loop`: trips of the loops up to it that
   do not step the side. */
static double packed_again(const ty_contraction *c, ty_side side, int loop) {
    double n = 1;
    for (int i = 0; i <= loop; i++)
        if (!contraction_touches(c, side, c->loops[i].dim)) n *= (double)contraction_trips(c, i);
    return n;
}

/* True if the primitive can read a side in place: it needs no conversion, and groups of k are contiguous if
   the primitive needs them. */
static bool may_lie(const ty_contraction *c, const struct contract_machine *m, ty_side side) {
    int inner = contraction_innermost(c, side);
    if (m->group > 1 && (side == TY_RIGHT || inner < 0 || c->dims[inner].type != TY_DIM_K)) return false;
    if (m->group > 1 && (c->dims[inner].stride[side] != 1 || c->dims[inner].size % m->group)) return false;
    return dtype_table[c->dtype[side]].size == (size_t)m->packed;
}

/* True if the primitive reads a side in place and widens its elements as it reads them, and so few panels of left use
   each that a copy would not repay widening once. */
static bool is_widened(const ty_contraction *c, const struct contract_machine *m, ty_side side) {
    double panels = ceil(contraction_size(c, TY_DIM_M) / m->tile_rows);
    if (!m->widens[side] || m->group > 1 || !contraction_may_widen(c, side)) return false;
    return side == TY_LEFT || panels <= contract_constants.reuse_right;
}

bool contract_lies_well(const ty_contraction *c, const struct contract_machine *m, ty_side side) {
    if (contraction_is_window(c, side)) return false;
    if (!may_lie(c, m, side) && !is_widened(c, m, side)) return false;
    return side == TY_LEFT ? left_lies_well(c, m) : right_lies_well(c, m);
}

/* Return the number of elements that a packed copy of a window on `side` has per element that is read; above
   1 for dilated taps. */
static double untouched(const ty_contraction *c, ty_side side) {
    double places = 1;
    for (int i = 0; i < c->nguards; i++) {
        const ty_guard *guard = &c->guards[i];
        double span = 1, touched = 1;
        if (guard->side != side) continue;
        for (int k = 0; k < 2; k++) {
            if (guard->dim[k] < 0) continue;
            double n = (double)contraction_box(c, guard->dim[k]);
            span += (n - 1) * (double)contraction_magnitude(guard->coefficient[k]);
            touched *= n;
        }
        if (touched < span) places *= span / touched;
    }
    return places;
}

/* True if a guard of a side along the vector dimension `lane` has many taps: each tap but one makes an edge
   that is computed column by column. */
static bool has_edges(const ty_contraction *c, ty_side side, int lane) {
    for (int i = 0; i < c->nguards; i++) {
        const ty_guard *guard = &c->guards[i];
        int other = guard->dim[0] == lane ? guard->dim[1] : guard->dim[0];
        bool along = guard->side == side && (guard->dim[0] == lane || guard->dim[1] == lane);
        if (along && other >= 0 && c->dims[other].size - 1 > contract_constants.edges_most) return true;
    }
    return false;
}

/* Return the share, 0 .. 1, of rows that use all taps of a window on a side; these form one piece. */
static double inner_rows(const ty_contraction *c, ty_side side) {
    double share = 1;
    for (int i = 0; i < c->nguards; i++) {
        const ty_guard *guard = &c->guards[i];
        double n[2] = {1, 1}, step[2] = {1, 0};
        if (guard->side != side) continue;
        for (int k = 0; k < 2; k++) {
            if (guard->dim[k] < 0) continue;
            int at = c->dims[guard->dim[k]].type == TY_DIM_K;
            n[at] = (double)c->dims[guard->dim[k]].size;
            step[at] = (double)contraction_magnitude(guard->coefficient[k]);
        }
        double inside = ((double)guard->size - 1 - step[1] * (n[1] - 1)) / step[0] + 1;
        share *= inside < 0 ? 0 : fmin(inside, n[0]) / n[0];
    }
    return share;
}

/* True if a tile of a side's rows uses whole cache lines as it goes down K, or is within two lines itself,
   without set conflicts. */
static bool uses_lines(const ty_contraction *c, const struct contract_machine *m, ty_side side) {
    int64_t alias = CACHE_PAGE / 2;
    uint64_t step = contraction_least_step(c, side, TY_DIM_M);
    if ((double)step * (double)m->tile_rows <= 2 * CACHE_LINE) return !has_steps(c, side, TY_DIM_K, 0, alias);
    return run_along(c, side, TY_DIM_K) >= CACHE_LINE && step % (uint64_t)alias != 0;
}

/* True if so much of a window on a side is padding that it is computed in pieces without padding. Pieces of
   few rows read all of right, and pieces of K, in a kernel's gradient, are short sums to be added up. */
bool contract_is_padded(const ty_contraction *c, ty_side side) {
    for (int i = 0; i < c->nguards; i++) {
        const ty_guard *guard = &c->guards[i];
        int64_t rows = 1, sums = 1;
        for (int k = 0; k < 2; k++)
            if (guard->side == side && guard->dim[k] >= 0)
                *(c->dims[guard->dim[k]].type == TY_DIM_K ? &sums : &rows) = c->dims[guard->dim[k]].size;
        if (sums > rows) return false;
    }
    return contraction_inside(c, side) <= contract_constants.inside_most;
}

/* Return the number of positions of left and right that the innermost line of out in a box reads;
   positions that windows share count once. */
static double line_places(const ty_contraction *c) {
    int line = -1;
    for (int d = 0; d < c->ndims; d++)
        if (c->dims[d].type == TY_DIM_M && contraction_box(c, d) > 1) line = d;
    double step = line < 0 ? 0 : (double)contraction_magnitude(c->dims[line].stride[TY_LEFT]), least = step;
    double rows = line < 0 ? 1 : (double)contraction_box(c, line), span = step * (rows - 1), outside = 1,
           taps = 1;
    for (int d = 0; d < c->ndims; d++) {
        double n = (double)contraction_box(c, d),
               along = (double)contraction_magnitude(c->dims[d].stride[TY_LEFT]);
        if (c->dims[d].type != TY_DIM_K) continue;
        taps *= n;
        if (along > 0 && along < step * rows)
            span += along * (n - 1), rows *= n, least = fmin(least, along);
        else
            outside *= n;
    }
    return outside * fmin(rows, least > 0 ? span / least + 1 : 1) + taps;
}

/* True if vectors along batch dimension `lane` read a window in place. Not if most rows are pieces of their
   own, as each piece loads right for itself. Not if lines conflict on so few sets of L1 that they are evicted
   before the next line of out. */
static bool batch_lies(const ty_contraction *c, const struct contract_machine *m, ty_side side, int lane) {
    bool few = inner_rows(c, side) * contraction_size(c, TY_DIM_M) <= 1;
    if (few && contraction_box_size(c, TY_DIM_M) >= contract_constants.batch_rows) return false;
    double width = (double)contraction_box(c, lane) * (double)dtype_table[c->dtype[side]].size;
    double room = (double)m->l1 * part_of_sets(c, m, side, true, width);
    return line_places(c) * width <= contract_constants.batch_crowded * room;
}

/* This suits contiguous vectors along a batch, rows that few columns use, and taps far apart. It also suits rows
   whose lines are used whole, if most use all taps or a copy would be in pieces too. */
bool contract_window_lies(const ty_contraction *c, const struct contract_machine *m, ty_side side) {
    int lane = contraction_lane(c);
    if (side == TY_RIGHT || !may_lie(c, m, side)) return false;
    if (c->primitive == TY_PRIMITIVE_LANES)
        return lane >= 0 && c->dims[lane].stride[side] == 1 &&
               (c->dims[lane].type == TY_DIM_C ? batch_lies(c, m, side, lane) : !has_edges(c, side, lane));
    return contraction_box_size(c, TY_DIM_N) <= contract_constants.sliver ||
           untouched(c, side) >= contract_constants.untouched_most ||
           (uses_lines(c, m, side) &&
            (contract_is_padded(c, side) || inner_rows(c, side) >= contract_constants.inner_least));
}

/* Return the best packing of a side of a product, if it would be packed in loop number `loop`. */
static ty_packing choose(const ty_contraction *c, const struct contract_machine *m, ty_side side, int loop) {
    if (contraction_is_window(c, side) && contract_window_lies(c, m, side)) return TY_PACK_NONE;
    if (contraction_is_window(c, side))
        return side == TY_LEFT || columns_together(c, m) ? TY_PACK_FOOTPRINT : TY_PACK_PANELS;
    if (contract_lies_well(c, m, side)) return TY_PACK_NONE;
    if (c->constant[side]) return TY_PACK_WHOLE;
    if (packed_again(c, side, loop) > 1 && bytes_of(c, side) <= (double)m->l2 / 2) return TY_PACK_WHOLE;
    return TY_PACK_PANELS;
}

/* Return `kind`, or the packing of left, NONE or FOOTPRINT, that keeps the order of sums of pass sum if `kind` would
   change it. */
static ty_packing keep_order(const ty_contraction *c, ty_packing kind) {
    bool lay = c->packing[TY_LEFT].kind == TY_PACK_NONE;
    if (!contraction_parts_sums(c) || lay == (kind == TY_PACK_NONE)) return kind;
    return lay ? TY_PACK_NONE : TY_PACK_FOOTPRINT;
}

bool pass_contract_pack(ty_contraction *c, const struct contract_machine *m, struct fault *fault) {
    (void)fault;
    bool product = c->primitive == TY_PRIMITIVE_GEMM || c->primitive == TY_PRIMITIVE_BRGEMM;
    double room = contract_workspace(m), bytes, seconds;
    for (int side = TY_RIGHT; side >= TY_LEFT; side--) {
        int loop = contract_pack_loop(c, m, (ty_side)side, room, &bytes, &seconds);
        ty_packing kind = TY_PACK_NONE;
        if (product)
            kind = choose(c, m, (ty_side)side, loop);
        else if (c->primitive == TY_PRIMITIVE_LANES && contraction_is_window(c, (ty_side)side) &&
                 !contract_window_lies(c, m, (ty_side)side))
            kind = TY_PACK_FOOTPRINT;
        if (side == TY_LEFT) kind = keep_order(c, kind);
        bool copied = kind == TY_PACK_PANELS || kind == TY_PACK_FOOTPRINT;
        c->packing[side].kind = kind;
        c->packing[side].loop = copied ? loop : -1;
        if (copied) room -= bytes;
    }
    return true;
}
