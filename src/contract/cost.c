/*
 * The cost model: what an order of loops costs in time.
 *
 * For a cache of Z bytes, the traffic of an operand is found from the inside out.  A box touches
 * `footprint` bytes of it.  A loop that steps it multiplies the traffic by its steps.  A loop that does
 * not step it brings the same bytes again: free if all that is touched between, which is everything
 * inside one step, fits in Z, else the steps multiply as well.  (The reuse distances of Mattson et al.,
 * 1970, at the granularity of loops; the same reasoning places the five loops of BLIS in Low et al.,
 * "Analytical modeling is enough for high-performance BLIS", ACM TOMS 43, 2016.) Traffic below L3 costs
 * memory's time, between L3 and L2 the third level's.  Runs shorter than a cache line cost the whole
 * line.  Sums that several blocks of K add to are read and written each time.  Out that is written once, past
 * the caches, pays for the places (gaps.c) of what is stored at once: a box, or all boxes inside K.
 *
 * Arithmetic is at the peak, but for what of the last register tile stays empty; packing moves each box
 * once for each time that its operand changes, unless it lies well, and finds its places again each time;
 * each call of the primitive costs a constant.  The parts are added, not overlapped: "additive" bounds fit
 * what is measured on the machines at hand (docs/measured.md), where hardware prefetch hides little of a
 * stream behind arithmetic on panels that were just packed.  The model ranks, it does not promise.
 */
#include "contract/cost.h"
#include <math.h>
#include "array/dtype.h"
#include "contract/loops.h"
#include "ops/einsum/path.h"

const struct contract_constants contract_constants = {
#define CONSTANT(type, name, value, unit, what, measured) .name = (value),
#include "contract/constants.def"
};

/* Figures of a Sapphire-Rapids class core; engines that know better say so: that of CPUs, caches and vectors.
 */
void contract_machine_usual(struct contract_machine *machine, ty_dtype sums, int threads) {
    size_t size = ty_dtype_size(dtype_valid(sums) ? dtype_table[sums].real : TY_F32);
    int element = dtype_valid(sums) ? (int)dtype_table[sums].size : 4;
    bool pairs = dtype_valid(sums) && dtype_is(sums, CLASS_COMPLEX);
    if (size < 2) size = 2;
    int lanes = (int)(64 / size);
    *machine = (struct contract_machine){.threads = threads < 1 ? 1 : threads,
                                         .l1 = 48 << 10,
                                         .l2 = 2 << 20,
                                         .l3 = 32 << 20,
                                         .sums_room = 1400 << 10,
                                         .l2_way = 128 << 10,
                                         .tile_rows = 6,
                                         .tile_columns = 4 * lanes,
                                         .lanes = lanes,
                                         .packed = element,
                                         .expanded = pairs ? 2 : 1,
                                         .summed = element,
                                         .group = 1,
                                         .depth = 128 / (int)size,
                                         .flops = 11e9 * lanes,
                                         .read = 17e9,
                                         .stream = 22e9,
                                         .call = 5e-8,
                                         .l2_bytes = 91e9,
                                         .l3_bytes = 28e9,
                                         .streams = 16};
}

static double size_of(const ty_contraction *c, int side) { return (double)ty_dtype_size(c->dtype[side]); }

/* How many bytes come for a byte that is wanted: lines are fetched whole. */
static double line_waste(const ty_contraction *c, ty_side side, const int64_t *extent) {
    int inner = contraction_innermost(c, side);
    if (inner < 0) return 1;
    double size = size_of(c, side), step = (double)contraction_magnitude(c->dims[inner].stride[side]);
    double run = step * size * (double)(extent[inner] - 1) + size, lines = CACHE_LINE;
    if (extent[inner] >= c->dims[inner].size) return fmin(step, lines / size);
    return (run < lines ? lines : run + lines / 2) / (size * (double)(extent[inner] > 0 ? extent[inner] : 1));
}

/* Bytes that a side touches in one step of everything inside. */
static double touched(const ty_contraction *c, int side, const int64_t *extent) {
    return contraction_footprint(c, (ty_side)side, extent) * size_of(c, side);
}

/* What is left of each dimension inside the first so many loops. */
static void extents_inside(const ty_contraction *c, int loops, int64_t *extent) {
    for (int d = 0; d < c->ndims; d++) extent[d] = c->dims[d].size;
    for (int i = 0; i < loops; i++) extent[c->loops[i].dim] = c->loops[i].step;
}

static void box_extents(const ty_contraction *c, int64_t *extent) { extents_inside(c, c->nloops, extent); }

/* What is stored at once: the box, or all boxes inside K where their sums wait until they are finished. */
static void stored_extents(const ty_contraction *c, int64_t *extent) {
    int sum = contraction_outermost_sum(c);
    extents_inside(c, c->bypass && sum < contraction_walked(c) ? sum : c->nloops, extent);
}

double contract_lines_bytes(const ty_contraction *c, ty_side side) {
    int64_t all[TY_CONTRACTION_DIMS];
    extents_inside(c, 0, all);
    return touched(c, side, all) * line_waste(c, side, all);
}

/* Steps of a loop on average: sizes are seldom multiples, and the last step is shorter. */
static double steps_of(const ty_contraction *c, int loop) {
    double rest = (double)contraction_rest(c, loop);
    return rest / (double)c->loops[loop].step < 1 ? 1 : rest / (double)c->loops[loop].step;
}

/* Bytes per side that come from beyond a cache of so many bytes. */
static void traffic_beyond(const ty_contraction *c, double cache, double traffic[3]) {
    int64_t extent[TY_CONTRACTION_DIMS], stored[TY_CONTRACTION_DIMS];
    box_extents(c, extent);
    stored_extents(c, stored);
    for (int side = 0; side < 3; side++)
        traffic[side] =
            touched(c, side, extent) * line_waste(c, (ty_side)side, side == TY_OUT ? stored : extent);
    for (int i = contraction_walked(c) - 1; i >= 0; i--) {
        int dim = c->loops[i].dim;
        double inside = 0;
        for (int side = 0; side < 3; side++) inside += touched(c, side, extent);
        for (int side = 0; side < 3; side++)
            if (contraction_touches(c, (ty_side)side, dim))
                traffic[side] *= steps_of(c, i);
            else if (inside > cache)
                traffic[side] *= (double)contraction_trips(c, i); /* a shorter step brings all of it again */
        extent[dim] = contraction_rest(c, i);
    }
}

/* The innermost loop that steps a side; -1: none. */
static int stepping_loop(const ty_contraction *c, ty_side side) {
    int i = contraction_walked(c) - 1;
    while (i >= 0 && !contraction_touches(c, side, c->loops[i].dim)) i--;
    return i;
}

double contract_workspace(const struct contract_machine *m) {
    double room = m->room ? (double)m->room : (double)m->l2 * contract_constants.workspace;
    return m->workspace ? (double)m->workspace : room;
}

/* Columns that lie side by side in right, in the box; 0: rows do. */
static int64_t columns_along(const ty_contraction *c) {
    int64_t run = 1;
    for (int d = c->ndims - 1; d >= 0; d--) {
        if (c->dims[d].type != TY_DIM_N || c->dims[d].size < 2 ||
            contraction_magnitude(c->dims[d].stride[TY_RIGHT]) != (uint64_t)run)
            continue;
        run *= contraction_box(c, d);
        if (contraction_box(c, d) < c->dims[d].size) break;
        d = c->ndims; /* look for what continues it */
    }
    return run > 1 ? run : 0;
}

/* Whether the kernels copy right as they multiply, and that is hidden: columns lie side by side in whole
   slivers, or in many of them, and the steps of K are even. */
static bool kernels_copy(const ty_contraction *c, const struct contract_machine *m) {
    int64_t run = columns_along(c), many = 4 * (int64_t)m->tile_columns;
    int summed = 0;
    for (int d = 0; d < c->ndims; d++) summed += c->dims[d].type == TY_DIM_K && contraction_box(c, d) > 1;
    bool plain =
        m->expanded == 1 && m->group == 1 && dtype_table[c->dtype[TY_RIGHT]].size == (size_t)m->packed;
    return plain && summed == 1 && run && (run % m->tile_columns == 0 || run >= many);
}

/* Seconds of packing a byte of a side, and what is more of one that has left L2 when it is written again. */
struct packing_rates {
    double copied, spilled, l2;
};

double contract_copied_bytes(const ty_contraction *c, ty_side side) {
    const struct contract_constants *k = &contract_constants;
    int inner = contraction_innermost(c, side);
    ty_dim_type along = side == TY_LEFT ? TY_DIM_K : TY_DIM_N, across = side == TY_LEFT ? TY_DIM_M : TY_DIM_K;
    bool turned = inner >= 0 && c->dims[inner].type == across;
    uint64_t apart = contraction_least_step(c, side, along);
    if (!turned) return k->pack_bytes;
    return k->pack_bytes * (apart % (uint64_t)CACHE_PAGE == 0 ? k->crowded_turn : k->turn);
}

/* Each copy finds the places of its boxes again.  Lines that have left L2 are written as whole ones where
   columns, or rows, lie side by side as they will in a panel, and nobody waits for them; else in pieces. */
static struct packing_rates find_rates(const ty_contraction *c, const struct contract_machine *m,
                                       ty_side side) {
    const struct contract_constants *k = &contract_constants;
    struct packing_rates rates = {.copied = contract_copied_bytes(c, side) / m->l2_bytes,
                                  .l2 = (double)m->l2};
    int64_t box[TY_CONTRACTION_DIMS];
    int inner = contraction_innermost(c, side);
    bool near = contract_lines_bytes(c, side) <= (double)m->l3;
    bool turned = inner < 0 || c->dims[inner].type != (side == TY_LEFT ? TY_DIM_M : TY_DIM_N);
    if (c->primitive == TY_PRIMITIVE_LANES || contraction_is_window(c, side)) return rates; /* no panels */
    box_extents(c, box);
    bool copied = side == TY_LEFT || !kernels_copy(c, m);
    if (!copied) rates.copied *= k->carried;
    rates.copied += contract_gaps(c, side, box, near) / (near ? m->l3_bytes : m->read);
    if (copied && !near && side == TY_RIGHT) rates.copied += k->awaited / m->read;
    if (turned) rates.spilled = k->spilled_bytes / CACHE_LINE / m->l3_bytes;
    return rates;
}

/* Seconds of packing so many bytes in all, of which so many are kept: what exceeds L2 has left it. */
static double packing_seconds(const struct packing_rates *rates, double all, double kept) {
    double part = kept > rates->l2 ? 1 - rates->l2 / kept : 0;
    return all * rates->copied + (all - kept) * part * rates->spilled;
}

/* Bytes of a copy for each one that is copied. */
static double held_bytes(const ty_contraction *c, const struct contract_machine *m, ty_side side) {
    return (double)m->packed * (side == TY_RIGHT ? m->expanded : 1) / size_of(c, side);
}

/* What of `room` copies of a side may fill.  Beyond the second level they come back from the third, which must
   take little beside what is computed with them. */
static double room_for(const ty_contraction *c, const struct contract_machine *m, ty_side side, double room) {
    const struct contract_constants *k = &contract_constants;
    double users = (double)contraction_box_size(c, side == TY_LEFT ? TY_DIM_N : TY_DIM_M);
    double computing = 2 * users / m->flops,
           reading = held_bytes(c, m, side) * size_of(c, side) / m->l3_bytes;
    return reading <= computing * k->waiting ? room : fmin(room, (double)m->l2 * k->workspace);
}

int contract_pack_loop(const ty_contraction *c, const struct contract_machine *m, ty_side side, double room,
                       double *bytes, double *seconds) {
    int64_t extent[TY_CONTRACTION_DIMS];
    int best = stepping_loop(c, side);
    struct packing_rates rates = find_rates(c, m, side);
    box_extents(c, extent);
    room = room_for(c, m, side, room);
    double box = touched(c, side, extent), held = held_bytes(c, m, side), inside = box * held, all = inside;
    double raw = held > 1 ? box : 0; /* what is widened or expanded is gathered first */
    for (int i = 0; i <= best; i++) all *= steps_of(c, i);
    *bytes = inside + raw;
    *seconds = packing_seconds(&rates, all, inside);
    for (int i = best; i >= 0; i--) { /* kept for all of loop i */
        bool steps = contraction_touches(c, side, c->loops[i].dim);
        *(steps ? &inside : &all) *= steps ? steps_of(c, i) : 1 / steps_of(c, i);
        double next = packing_seconds(&rates, all, inside);
        if (inside + raw > room) break;
        if (next < *seconds / 1.01) best = i - 1, *bytes = inside + raw, *seconds = next;
    }
    return best;
}

/* Seconds of packing a side, out of so much room. */
static double pack_seconds(const ty_contraction *c, const struct contract_machine *m, ty_side side,
                           double *room) {
    double bytes, seconds;
    if (contract_lies_well(c, m, side)) return 0;
    contract_pack_loop(c, m, side, *room, &bytes, &seconds);
    *room -= bytes;
    return seconds;
}

/* The part of register tiles that computes: n elements in tiles of `tile`, of which the last may be smaller,
   at a cost between its share and a whole one. */
static double filled(double n, double tile) {
    double whole = (double)(int64_t)((n + tile - 1) / tile) * tile;
    return n <= 0 ? 1 : 2 * n / (n + whole);
}

double contract_adds_a_load(double rows, double vectors) { return rows * vectors / (rows + vectors); }

/* The dimension of columns along which out goes on after so many of them; -1: none. */
static int goes_on(const ty_contraction *c, double run) {
    int d = c->ndims - 1;
    while (d >= 0 && (c->dims[d].type != TY_DIM_N || c->dims[d].size < 2 ||
                      (double)contraction_magnitude(c->dims[d].stride[TY_OUT]) != run))
        d--;
    return d;
}

/* The part of vectors that columns fill.  Sums that wait lie as one; others end where out does not go on, and
   in the last box after fewer. */
static double columns_filled(const ty_contraction *c, const struct contract_machine *m) {
    double run = 1, boxes = 1, rest = 0;
    for (int d = goes_on(c, 1); d >= 0 && boxes == 1; d = goes_on(c, run)) {
        double size = (double)c->dims[d].size, box = (double)contraction_box(c, d);
        boxes = (double)(c->dims[d].size / contraction_box(c, d));
        rest = (size - boxes * box) * run;
        run *= box;
        if (boxes == 1 && rest > 0) break;
    }
    if (c->bypass || m->sums_apart || run == 1)
        return filled((double)contraction_box_size(c, TY_DIM_N), m->lanes);
    double all = boxes * run + rest;
    return all / (boxes * run / filled(run, m->lanes) + rest / filled(rest, m->lanes));
}

static double calls_of(const ty_contraction *c) {
    double n = 1;
    for (int i = contraction_walked(c) - 1; i >= 0; i--) n *= steps_of(c, i);
    return n;
}

/* Seconds of the traffic beyond a cache, sums read as often as they are written again. */
static double seconds_of(const ty_contraction *c, const double traffic[3], double bytes_per_second,
                         bool first) {
    int sum = contraction_outermost_sum(c);
    bool again = sum < contraction_walked(c) && !c->bypass;
    return (traffic[TY_LEFT] + traffic[TY_RIGHT] + traffic[TY_OUT] * (again || first ? 2 : 1)) /
           bytes_per_second;
}

/* Bytes a second from and to memory: past the caches the stream's, which writes a third of what it moves, or
   less where out is less. */
static double memory_rate(const ty_contraction *c, const struct contract_machine *m, const double far[3]) {
    double written = far[TY_OUT] / (far[TY_LEFT] + far[TY_RIGHT] + far[TY_OUT]);
    return c->bypass ? m->read + (m->stream - m->read) * fmin(3 * written, 1) : m->read;
}

/* Seconds that places of out cost beyond their bytes, where it is stored once. */
static double gap_seconds(const ty_contraction *c, const struct contract_machine *m) {
    int64_t all[TY_CONTRACTION_DIMS], stored[TY_CONTRACTION_DIMS];
    extents_inside(c, 0, all);
    stored_extents(c, stored);
    return touched(c, TY_OUT, all) * contract_gaps(c, TY_OUT, stored, false) / m->read;
}

/* What sums which come and go in parts of lines take beyond their bytes, in bytes. */
static double parted_bytes(const ty_contraction *c, double bytes, bool cached) {
    int64_t box[TY_CONTRACTION_DIMS];
    box_extents(c, box);
    return contract_whole_lines(c, TY_OUT, box) ? 0 : bytes * contract_gaps(c, TY_OUT, box, cached);
}

void contract_cost_of(const ty_contraction *c, const struct contract_machine *m, struct contract_cost *cost) {
    double far[3], near[3], between[3];
    traffic_beyond(c, (double)m->l3, far);
    traffic_beyond(c, (double)m->l2 * contract_constants.second_share, near);
    for (int side = 0; side < 3; side++) between[side] = near[side] > far[side] ? near[side] - far[side] : 0;
    bool cached = c->bytes <= (double)m->l3;
    bool lanes = c->primitive == TY_PRIMITIVE_LANES;
    int lane = contraction_lane(c);
    double columns = (double)contraction_box_size(c, TY_DIM_C);
    if (lanes && lane >= 0 && c->dims[lane].type == TY_DIM_M) columns = (double)contraction_box(c, lane);
    double use = lanes
                     ? filled(columns, m->lanes)
                     : columns_filled(c, m) * filled((double)contraction_box_size(c, TY_DIM_M), m->tile_rows);
    double summed = 2; /* kernels multiply and add, even where a sum is one product */
    cost->arithmetic = path_flops(contraction_products(c), summed, c->sums) / (m->flops * use);
    cost->memory = cached ? 0 : seconds_of(c, far, memory_rate(c, m, far), !c->bypass);
    if (c->bypass) cost->memory += gap_seconds(c, m);
    cost->caches = seconds_of(c, cached ? near : between, m->l3_bytes, false);
    if (!c->bypass) cost->caches += parted_bytes(c, (cached ? near : between)[TY_OUT], true) / m->l3_bytes;
    if (!c->bypass && !cached) cost->memory += parted_bytes(c, far[TY_OUT], false) / m->read;
    double room = contract_workspace(m);
    cost->packing = 0;
    for (int side = TY_RIGHT; side >= TY_LEFT; side--) /* a constant is packed once for all runs */
        if (!c->constant[side]) cost->packing += pack_seconds(c, m, (ty_side)side, &room);
    cost->calls = calls_of(c) * m->call;
    cost->seconds = cost->arithmetic + cost->memory + cost->caches + cost->packing + cost->calls;
}

/* The loops that threads share, and how many tasks are inside one step of each. */
struct dealt {
    int n;
    double inside[TY_CONTRACTION_LOOPS];
};

static double deal(const ty_contraction *c, struct dealt *dealt) {
    double tasks = 1;
    dealt->n = contraction_outermost_sum(c);
    for (int i = dealt->n - 1; i >= 0; i--) {
        dealt->inside[i] = tasks;
        tasks *= (double)contraction_trips(c, i);
    }
    return tasks;
}

double contract_tasks(const ty_contraction *c) {
    struct dealt dealt;
    return deal(c, &dealt);
}

/* The part of out that the first so many tasks make, as they are dealt out: the outermost loop steps last,
   and a loop inside another one over its dimension walks what that one leaves. */
static double done_after(const ty_contraction *c, const struct dealt *dealt, double tasks) {
    double left[TY_CONTRACTION_DIMS], done = 0, all = 1;
    for (int d = 0; d < c->ndims; d++) left[d] = (double)c->dims[d].size;
    for (int i = 0; i < dealt->n && all > 0; i++) {
        double *size = &left[c->loops[i].dim], step = (double)c->loops[i].step;
        double index = (double)(int64_t)(tasks / dealt->inside[i]), before = fmin(index * step, *size);
        double now = fmin(step, *size - before);
        done += all * before / *size;
        all *= now / *size;
        tasks -= index * dealt->inside[i];
        *size = now;
    }
    return done;
}

double contract_evenness(const ty_contraction *c, int threads) {
    struct dealt dealt;
    double tasks = deal(c, &dealt), most = 0, before = 0;
    if (tasks <= 1) return tasks < 1 ? 1 : 1 / (double)threads;
    double ranges = fmin(tasks, threads), share = (double)(int64_t)(tasks / ranges);
    double longer = tasks - share * ranges; /* the first ones have a task more */
    for (int i = 1; i <= ranges; i++) {
        double done = done_after(c, &dealt, i * share + fmin(i, longer));
        if (done - before > most) most = done - before;
        before = done;
    }
    return 1 / (most * threads);
}
