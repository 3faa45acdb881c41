/*
 * Pack: how operands reach the primitive.
 *
 * The register kernel wants right's columns side by side and takes left with any steps.  Packing copies a
 * box into just the order in which it is read: each line used whole, no two lines in each other's way,
 * few pages.  It costs a pass over the box and pays when the box is used often, or when it lies badly.
 * In turn:
 *
 *   WHOLE      what is the same in every run: once for all runs, unless it lies as well as packed.  And
 *              what would be packed again and is small enough to keep.  Once, before all loops.
 *   FOOTPRINT  an operand that windows step over, or that is padded: the touched places of the box are
 *              copied once, padding as zeros, and read there by steps (im2col without the columns), in pieces
 *              without the padding where that is much.  For right only when its columns lie side by
 *              side; else panels.
 *   NONE       where it lies well enough:
 *                window on the left: vectors along a batch or along rows that lie side by side, unless
 *                       few rows of a batch meet all taps, or its lines fall on few sets; or, of a
 *                       product, rows that few columns use, taps far apart, and where most rows meet all
 *                       taps, or padding is much, K along lines, or rows in them, that do not fall on each
 *                       other's sets
 *                right  unit step along its innermost columns, for a vector at least, and either rows of the
 *                       box so close that they are one stretch (a step of K of 256 bytes), or, where fewer
 *                       than 48 panels of left meet them, whichever loops those are in, no further than
 *                       half a page apart (or used by few panels of left), not on each other's sets, nor
 *                       on so few that a sliver does not stay where its copy would, and not from memory;
 *                       or used by too few panels of left to repay a copy, whether it is a constant or not
 *                left   runs along K of a kilobyte, if they are neither parts of rows that all begin in
 *                       four places of L2 at most, for many columns, nor lines of rows that cut tiles; or
 *                       too few slivers of right to repay a copy: runs along K that are not scattered, or
 *                       one stretch, or in the cache, and a few more where rows do not all fall on one set;
 *                       or runs along K in the cache, in rows that do not fall on each other's sets
 *                both   a vector, or nearly, on the other side: what is used once is never worth a copy
 *   PANELS     else.
 *
 * Cache sets: lines whose addresses are equal modulo 4096 bytes compete for the same eight or twelve ways of
 * L1 (a power of two as a leading dimension is the usual case), so steps that are a multiple of half of that
 * are packed where they are used more than once.  Left in long runs along K is not: a tile reads a line of
 * each of its rows for some sixteen steps, L2 has room for what L1 drops, and the next box of left was
 * fetched there ahead.  Pages: a box whose steps of K are a page apart touches a page for each, and needs a
 * TLB entry for each; that rule is contained in the other two, since 256 bytes are less than a page.  And
 * from memory only what is read in order is read fast: the kernel goes down K with a step, packing reads
 * runs.  (Goto and van de Geijn 2008, section 4.2.3, on why packing is about the TLB; TBLIS 2018,
 * section 4.1, for packing through scatter vectors.)
 *
 * `loop` says how long a copy is kept.  Everything of the operand inside one step of that loop is packed
 * once (box by box, as the boxes are met) and stays until the next step.  The innermost loop that steps
 * the operand keeps one box; a loop further out keeps many, which saves packing them again when a loop
 * between does not step the operand (columns of right for every block of rows), as long as they fit the
 * workspace.
 */
#include "contract/passes.h"
#include <math.h>
#include "array/dtype.h"

/* Columns lie side by side, a vector of them at least. */
static bool columns_together(const ty_contraction *c, const struct contract_machine *m) {
    int inner = contraction_innermost(c, TY_OUT);
    if (contraction_box_size(c, TY_DIM_N) == 1) return true;
    if (inner < 0 || c->dims[inner].type != TY_DIM_N || c->dims[inner].stride[TY_RIGHT] != 1) return false;
    int64_t box = contraction_box(c, inner);
    return box >= m->lanes || box == contraction_box_size(c, TY_DIM_N);
}

/* Whether a dimension of a type in the box steps further than so many bytes, or by a multiple of `alias`. */
static bool has_steps(const ty_contraction *c, ty_side side, ty_dim_type type, int64_t at_most,
                      int64_t alias) {
    for (int d = 0; d < c->ndims; d++) {
        uint64_t step = contraction_magnitude(c->dims[d].stride[side]) * dtype_table[c->dtype[side]].size;
        if (c->dims[d].type != type || contraction_box(c, d) < 2 || step == 0) continue;
        if (alias ? step % (uint64_t)alias == 0 : step > (uint64_t)at_most) return true;
    }
    return false;
}

/* Bytes of a side that lie side by side in the box along dimensions of a type. */
static double run_along(const ty_contraction *c, ty_side side, ty_dim_type type) {
    uint64_t run = 1;
    for (int d = c->ndims - 1; d >= 0; d--) {
        if (c->dims[d].type != type || contraction_magnitude(c->dims[d].stride[side]) != run) continue;
        run *= (uint64_t)contraction_box(c, d);
        if (contraction_box(c, d) < c->dims[d].size) break;
    }
    return (double)run * (double)dtype_table[c->dtype[side]].size;
}

static double bytes_of(const ty_contraction *c, ty_side side) {
    int64_t extent[TY_CONTRACTION_DIMS];
    for (int d = 0; d < c->ndims; d++) extent[d] = c->dims[d].size;
    return contraction_footprint(c, side, extent) * (double)dtype_table[c->dtype[side]].size;
}

/* The part of a cache in which runs of so many bytes lie that begin at a side's steps along K and, if told,
   rows. */
static double part_of_sets(const ty_contraction *c, const struct contract_machine *m, ty_side side, bool rows,
                           double width) {
    uint64_t size = dtype_table[c->dtype[side]].size, steps = (uint64_t)m->l2;
    for (int d = 0; d < c->ndims; d++)
        if ((c->dims[d].type == TY_DIM_K || (rows && c->dims[d].type == TY_DIM_M)) &&
            contraction_box(c, d) > 1)
            steps |= contraction_magnitude(c->dims[d].stride[side]) * size;
    return fmin(1, width / (double)(steps & -steps));
}

/* Whether a sliver of right, read in place, falls on so few sets of a cache that it does not stay there from
   one panel of left to the next, as its copy would: in L1, or of L2 in a half. */
static bool sliver_is_crowded(const ty_contraction *c, const struct contract_machine *m) {
    double width = (double)m->tile_columns * (double)dtype_table[c->dtype[TY_RIGHT]].size;
    double share = part_of_sets(c, m, TY_RIGHT, false, width);
    double crowded = width > CACHE_LINE ? contract_constants.crowded_lines : 1;
    double copy = (double)contraction_box_size(c, TY_DIM_K) * width, first = (double)m->l1,
           second = (double)m->l2 / 2;
    return (copy <= contract_constants.nearly * first && copy > crowded * first * share) ||
           copy > second * share;
}

static bool right_lies_well(const ty_contraction *c, const struct contract_machine *m) {
    int64_t rows = contraction_box_size(c, TY_DIM_M);
    double panels = ceil(contraction_size(c, TY_DIM_M) / m->tile_rows); /* whichever loops are outside */
    if (contraction_size(c, TY_DIM_N) <= 1) /* by shape alone: the order of sums follows from it */
        return contraction_least_step(c, TY_RIGHT, TY_DIM_K) == dtype_table[c->dtype[TY_RIGHT]].size;
    if (!columns_together(c, m)) return false;
    if (rows <= contract_constants.sliver) return true;
    /* right streams by, and a copy would be used once or twice, which does not repay it even where it is made
       once for all (Zen 1, 8 rows of 1000 x 2000 to 20000 x 1000: 1.4 times as long) */
    if (panels <= contract_constants.reuse_right) return true;
    if (!has_steps(c, TY_RIGHT, TY_DIM_K, contract_constants.stretch, 0)) return true;
    if (c->constant[TY_RIGHT] || panels >= (double)contract_constants.reuse_many) return false;
    if (panels > contract_constants.reuse_apart && sliver_is_crowded(c, m)) return false;
    bool near = contract_lines_bytes(c, TY_RIGHT) <= (double)m->l3 / 4;
    bool apart = has_steps(c, TY_RIGHT, TY_DIM_K, contract_constants.dense_step, 0);
    return near && !has_steps(c, TY_RIGHT, TY_DIM_K, 0, CACHE_PAGE / 2) &&
           (!apart || panels <= contract_constants.reuse_apart);
}

/* Whether finding the places of a side in a box costs more than they themselves do. */
static bool is_scattered(const ty_contraction *c, ty_side side) {
    int64_t extent[TY_CONTRACTION_DIMS];
    for (int d = 0; d < c->ndims; d++) extent[d] = contraction_box(c, d);
    return contract_gaps(c, side, extent, false) > contract_constants.scattered;
}

/* Multiply-adds for each load of a tile, as a part of those of a whole one, where a copy would have rows in
   one series: in place only whole lines of a few rows, or parts of one, are a tile.  Seven rows are two tiles
   of four and three, or two lines one of fourteen narrow ones. */
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
        !has_steps(c, TY_LEFT, TY_DIM_K, contract_constants.stretch, 0))
        return true;
    bool crowded = has_steps(c, TY_LEFT, TY_DIM_M, 0, CACHE_PAGE); /* a tile on one set */
    bool in_order = along && (slivers <= 1 || !is_scattered(c, TY_LEFT));
    if (slivers <= contract_constants.reuse_left) return near || in_order;
    if (slivers <= contract_constants.reuse_along && in_order && !crowded) return true;
    return near && along && !alias;
}

/* How often each element is packed: steps of loops out there that do not step the side. */
static double packed_again(const ty_contraction *c, ty_side side, int loop) {
    double n = 1;
    for (int i = 0; i <= loop; i++)
        if (!contraction_touches(c, side, c->loops[i].dim)) n *= (double)contraction_trips(c, i);
    return n;
}

/* The primitive reads a side in place: its own elements, and groups of k's where it takes several at once. */
static bool may_lie(const ty_contraction *c, const struct contract_machine *m, ty_side side) {
    int inner = contraction_innermost(c, side);
    if (m->group > 1 && (side == TY_RIGHT || inner < 0 || c->dims[inner].type != TY_DIM_K)) return false;
    if (m->group > 1 && (c->dims[inner].stride[side] != 1 || c->dims[inner].size % m->group)) return false;
    return dtype_table[c->dtype[side]].size == (size_t)m->packed;
}

bool contract_lies_well(const ty_contraction *c, const struct contract_machine *m, ty_side side) {
    if (contraction_is_window(c, side) || !may_lie(c, m, side)) return false;
    return side == TY_LEFT ? left_lies_well(c, m) : right_lies_well(c, m);
}

/* How many places a window's copy has for each one that a box touches: those between dilated taps. */
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

/* Taps along vectors of rows: all but one make an edge that is computed apart, a column at a time. */
static bool has_edges(const ty_contraction *c, ty_side side, int lane) {
    for (int i = 0; i < c->nguards; i++) {
        const ty_guard *guard = &c->guards[i];
        int other = guard->dim[0] == lane ? guard->dim[1] : guard->dim[0];
        bool along = guard->side == side && (guard->dim[0] == lane || guard->dim[1] == lane);
        if (along && other >= 0 && c->dims[other].size - 1 > contract_constants.edges_most) return true;
    }
    return false;
}

/* The share of rows that meet all taps of a window, which are those of one piece. */
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

/* Whether a tile of rows uses lines up as it goes down K, which lies side by side for a line at least; or
   lies in two lines itself.  What they step along does not fall on the same sets. */
static bool uses_lines(const ty_contraction *c, const struct contract_machine *m, ty_side side) {
    int64_t alias = CACHE_PAGE / 2;
    uint64_t step = contraction_least_step(c, side, TY_DIM_M);
    if ((double)step * (double)m->tile_rows <= 2 * CACHE_LINE) return !has_steps(c, side, TY_DIM_K, 0, alias);
    return run_along(c, side, TY_DIM_K) >= CACHE_LINE && step % (uint64_t)alias != 0;
}

/* Pieces of few rows read all of right, too; those of K, in the gradient of a kernel, are short sums that are
   added up. */
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

/* Places of left, and of right, that the innermost line of out in a box reads; places under a window count
   once. */
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

/* Whether vectors along a batch read a window better where it lies: not where so few rows meet all taps that
   most pieces are a row alone, which loads right for itself; nor where lines fall on so few sets of L1 that a
   line of out does not find there what the one before it read. */
static bool batch_lies(const ty_contraction *c, const struct contract_machine *m, ty_side side, int lane) {
    bool few = inner_rows(c, side) * contraction_size(c, TY_DIM_M) <= 1;
    if (few && contraction_box_size(c, TY_DIM_M) >= contract_constants.batch_rows) return false;
    double width = (double)contraction_box(c, lane) * (double)dtype_table[c->dtype[side]].size;
    double room = (double)m->l1 * part_of_sets(c, m, side, true, width);
    return line_places(c) * width <= contract_constants.batch_crowded * room;
}

/* Whether the primitive reads a window better where it lies, in pieces without padding (contract_pieces.c):
   vectors along a batch that are side by side, mostly; rows that few columns use; taps far apart; and rows
   whose lines are used up, where most meet all taps, as others make pieces of few rows, each of which reads
   all of right, or where a copy would be cut into pieces, too. */
static bool window_lies(const ty_contraction *c, const struct contract_machine *m, ty_side side) {
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

static ty_packing choose(const ty_contraction *c, const struct contract_machine *m, ty_side side, int loop) {
    if (contraction_is_window(c, side) && window_lies(c, m, side)) return TY_PACK_NONE;
    if (contraction_is_window(c, side))
        return side == TY_LEFT || columns_together(c, m) ? TY_PACK_FOOTPRINT : TY_PACK_PANELS;
    if (contract_lies_well(c, m, side)) return TY_PACK_NONE;
    if (c->constant[side]) return TY_PACK_WHOLE;
    if (packed_again(c, side, loop) > 1 && bytes_of(c, side) <= (double)m->l2 / 2) return TY_PACK_WHOLE;
    return TY_PACK_PANELS;
}

/* Left stays what it was where another kind would sum in another order. */
static ty_packing keep_order(const ty_contraction *c, ty_packing kind) {
    bool lay = c->packing[TY_LEFT].kind == TY_PACK_NONE;
    if (!contraction_parts_sums(c) || lay == (kind == TY_PACK_NONE)) return kind;
    return lay ? TY_PACK_NONE : TY_PACK_FOOTPRINT;
}

static void pack(ty_contraction *c, const struct contract_machine *m, bool again) {
    bool product = c->primitive == TY_PRIMITIVE_GEMM || c->primitive == TY_PRIMITIVE_BRGEMM;
    double room = contract_workspace(m), bytes, seconds;
    for (int side = TY_RIGHT; side >= TY_LEFT; side--) {
        int loop = contract_pack_loop(c, m, (ty_side)side, room, &bytes, &seconds);
        ty_packing kind = TY_PACK_NONE;
        if (product)
            kind = choose(c, m, (ty_side)side, loop);
        else if (c->primitive == TY_PRIMITIVE_LANES && contraction_is_window(c, (ty_side)side) &&
                 !window_lies(c, m, (ty_side)side))
            kind = TY_PACK_FOOTPRINT;
        if (again && side == TY_LEFT) kind = keep_order(c, kind);
        bool copied = kind == TY_PACK_PANELS || kind == TY_PACK_FOOTPRINT;
        c->packing[side].kind = kind;
        c->packing[side].loop = copied ? loop : -1;
        if (copied) room -= bytes;
    }
}

bool pass_contract_pack(ty_contraction *c, const struct contract_machine *m, struct fault *fault) {
    (void)fault;
    pack(c, m, false);
    return true;
}

void contract_pack_again(ty_contraction *c, const struct contract_machine *m) { pack(c, m, true); }
