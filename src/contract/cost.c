/*
 * The cost model: predicted time of a configuration.
 *
 * The traffic of an operand beyond a cache of Z bytes is found from the innermost loop outwards. A box
 * touches `footprint` bytes of it. A loop that steps the operand multiplies the traffic by its trips. A loop
 * that does not step it brings the same bytes again. That is free if everything touched inside one step fits
 * Z, else it multiplies the traffic too. These are the reuse distances of Mattson et al., 1970, per loop. Low
 * et al. ("Analytical modeling is enough for high-performance BLIS", ACM TOMS 43, 2016) place the loops of
 * BLIS so. Traffic beyond L3 costs memory time, between L2 and L3 that of L3. Runs shorter than a cache line
 * cost the whole line. Partial sums are read and written for each block of K. Out that is written once, by
 * streaming stores, costs the gaps (gaps.c) of the block that is stored at once.
 *
 * Arithmetic runs at peak, less the empty part of the last register tile. Packing moves each box once per
 * change of its operand, unless it is read in place, and pays its gaps each time. Each call of the primitive
 * has a constant cost. The parts are added: hardware prefetch overlaps little of a stream with arithmetic on
 * packed panels (docs/measured.md). The model ranks configurations; it does not promise times.
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

/* Fill in *machine, a typical machine for sums of this dtype: the values of a Sapphire Rapids core, with
   `threads` threads, at least 1. Engines that know CPU, caches and vectors fill in their own. */
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

/* Return bytes fetched per useful byte of a side in a block of extent[] indices, as cache lines are fetched
   whole. */
static double line_waste(const ty_contraction *c, ty_side side, const int64_t *extent) {
    int inner = contraction_innermost(c, side);
    if (inner < 0) return 1;
    double size = size_of(c, side), step = (double)contraction_magnitude(c->dims[inner].stride[side]);
    double run = step * size * (double)(extent[inner] - 1) + size, lines = CACHE_LINE;
    if (extent[inner] >= c->dims[inner].size) return fmin(step, lines / size);
    return (run < lines ? lines : run + lines / 2) / (size * (double)(extent[inner] > 0 ? extent[inner] : 1));
}

/* Return the bytes that a side touches within a block of extent[] indices per dimension. */
static double touched(const ty_contraction *c, int side, const int64_t *extent) {
    return contraction_footprint(c, (ty_side)side, extent) * size_of(c, side);
}

/* Set extent[d] to the indices of dimension d in the largest block inside the outermost `loops` loops; 0:
   everything. */
static void extents_inside(const ty_contraction *c, int loops, int64_t *extent) {
    for (int d = 0; d < c->ndims; d++) extent[d] = c->dims[d].size;
    for (int i = 0; i < loops; i++) extent[c->loops[i].dim] = c->loops[i].step;
}

static void box_extents(const ty_contraction *c, int64_t *extent) { extents_inside(c, c->nloops, extent); }

/* Set extent[d] to the indices of dimension d in the block of out that is stored at once. It is the box, or
   everything inside the loops over K if sums wait for the last block of K. */
static void stored_extents(const ty_contraction *c, int64_t *extent) {
    int sum = contraction_outermost_sum(c);
    extents_inside(c, c->bypass && sum < contraction_walked(c) ? sum : c->nloops, extent);
}

double contract_lines_bytes(const ty_contraction *c, ty_side side) {
    int64_t all[TY_CONTRACTION_DIMS];
    extents_inside(c, 0, all);
    return touched(c, side, all) * line_waste(c, side, all);
}

/* Return the average number of steps of a loop: fractional, as the last step may be shorter. */
static double steps_of(const ty_contraction *c, int loop) {
    double rest = (double)contraction_rest(c, loop);
    return rest / (double)c->loops[loop].step < 1 ? 1 : rest / (double)c->loops[loop].step;
}

/* Set traffic[] to the bytes of left, right and out that come from outside a cache of `cache` bytes. */
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
            if (contraction_touches(c, (ty_side)side, dim)) traffic[side] *= steps_of(c, i);
            /* a shorter last step brings all of it again */
            else if (inside > cache)
                traffic[side] *= (double)contraction_trips(c, i);
        extent[dim] = contraction_rest(c, i);
    }
}

/* Return the index of the innermost loop over a dimension that operand `side` has, or -1 if none is walked. */
static int stepping_loop(const ty_contraction *c, ty_side side) {
    int i = contraction_walked(c) - 1;
    while (i >= 0 && !contraction_touches(c, side, c->loops[i].dim)) i--;
    return i;
}

double contract_workspace(const struct contract_machine *m) {
    double room = m->room ? (double)m->room : (double)m->l2 * contract_constants.workspace;
    return m->workspace ? (double)m->workspace : room;
}

/* Return the number of contiguous columns of right in the box; 0 if none are. */
static int64_t columns_along(const ty_contraction *c) {
    int64_t run = 1;
    for (int d = c->ndims - 1; d >= 0; d--) {
        if (c->dims[d].type != TY_DIM_N || c->dims[d].size < 2 ||
            contraction_magnitude(c->dims[d].stride[TY_RIGHT]) != (uint64_t)run)
            continue;
        run *= contraction_box(c, d);
        if (contraction_box(c, d) < c->dims[d].size) break;
        d = c->ndims; /* search again for the dimension that continues it */
    }
    return run > 1 ? run : 0;
}

/* True if kernels pack right as they multiply, at no extra cost: its columns are contiguous in whole or many
   micro-panels, and K has one dimension. */
static bool kernels_copy(const ty_contraction *c, const struct contract_machine *m) {
    int64_t run = columns_along(c), many = 4 * (int64_t)m->tile_columns;
    int summed = 0;
    for (int d = 0; d < c->ndims; d++) summed += c->dims[d].type == TY_DIM_K && contraction_box(c, d) > 1;
    bool plain =
        m->expanded == 1 && m->group == 1 && dtype_table[c->dtype[TY_RIGHT]].size == (size_t)m->packed;
    return plain && summed == 1 && run && (run % m->tile_columns == 0 || run >= many);
}

/* Packing costs: seconds per byte copied, extra seconds per byte that has left L2 when it is rewritten,
   bytes of L2. */
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

/* Return the packing costs of a side, in seconds per byte. Each copy pays the gaps of its boxes. Lines that
   have left L2 are written whole if memory order is that of the panels; else they are fetched and written in
   parts. */
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

/* Return the seconds of packing `all` bytes in total into copies of `kept` bytes, of which the part beyond L2
   leaves it. */
static double packing_seconds(const struct packing_rates *rates, double all, double kept) {
    double part = kept > rates->l2 ? 1 - rates->l2 / kept : 0;
    return all * rates->copied + (all - kept) * part * rates->spilled;
}

/* Return the bytes of a side's packed copy per byte of the side. */
static double held_bytes(const ty_contraction *c, const struct contract_machine *m, ty_side side) {
    return (double)m->packed * (side == TY_RIGHT ? m->expanded : 1) / size_of(c, side);
}

/* Return how many of `room` bytes copies of a side may fill. Copies beyond L2 are read from L3, which must
   take little time compared with the arithmetic on them. */
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
    double raw = held > 1 ? box : 0; /* elements are gathered before they are widened or expanded */
    for (int i = 0; i <= best; i++) all *= steps_of(c, i);
    *bytes = inside + raw;
    *seconds = packing_seconds(&rates, all, inside);
    for (int i = best; i >= 0; i--) { /* kept for all steps of loop i */
        bool steps = contraction_touches(c, side, c->loops[i].dim);
        *(steps ? &inside : &all) *= steps ? steps_of(c, i) : 1 / steps_of(c, i);
        double next = packing_seconds(&rates, all, inside);
        if (inside + raw > room) break;
        if (next < *seconds / 1.01) best = i - 1, *bytes = inside + raw, *seconds = next;
    }
    return best;
}

/* Return the seconds of packing a side (0 if it is read in place), and subtract its copy from *room. */
static double pack_seconds(const ty_contraction *c, const struct contract_machine *m, ty_side side,
                           double *room) {
    double bytes, seconds;
    if (contract_lies_well(c, m, side)) return 0;
    contract_pack_loop(c, m, side, *room, &bytes, &seconds);
    *room -= bytes;
    return seconds;
}

/* Return the utilisation, 0 .. 1, of register tiles of length `tile` that cover n elements; 1 if n <= 0. A
   partial tile costs between its share and a whole tile. */
static double filled(double n, double tile) {
    double whole = (double)(int64_t)((n + tile - 1) / tile) * tile;
    return n <= 0 ? 1 : 2 * n / (n + whole);
}

double contract_adds_a_load(double rows, double vectors) { return rows * vectors / (rows + vectors); }

/* Return the N dimension along which contiguous columns of out continue after `run` elements, or -1. */
static int goes_on(const ty_contraction *c, double run) {
    int d = c->ndims - 1;
    while (d >= 0 && (c->dims[d].type != TY_DIM_N || c->dims[d].size < 2 ||
                      (double)contraction_magnitude(c->dims[d].stride[TY_OUT]) != run))
        d--;
    return d;
}

/* Return the utilisation, 0 .. 1, of vectors by columns. Buffered sums are contiguous; others end where out
   is not contiguous, and the last box may be narrower. */
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

/* Return the seconds to move this traffic (bytes of left, right and out) at this rate. Partial sums are read as
   often as they are written. `first`: out is also read the first time. */
static double seconds_of(const ty_contraction *c, const double traffic[3], double bytes_per_second,
                         bool first) {
    int sum = contraction_outermost_sum(c);
    bool again = sum < contraction_walked(c) && !c->bypass;
    return (traffic[TY_LEFT] + traffic[TY_RIGHT] + traffic[TY_OUT] * (again || first ? 2 : 1)) /
           bytes_per_second;
}

/* Return the bytes per second of memory traffic far[] (per side). With streaming stores the rate approaches
   that of a stream, in which a third of the bytes are written. */
static double memory_rate(const ty_contraction *c, const struct contract_machine *m, const double far[3]) {
    double written = far[TY_OUT] / (far[TY_LEFT] + far[TY_RIGHT] + far[TY_OUT]);
    return c->bypass ? m->read + (m->stream - m->read) * fmin(3 * written, 1) : m->read;
}

/* Return the seconds lost in gaps between the runs of out if each element is stored once. */
static double gap_seconds(const ty_contraction *c, const struct contract_machine *m) {
    int64_t all[TY_CONTRACTION_DIMS], stored[TY_CONTRACTION_DIMS];
    extents_inside(c, 0, all);
    stored_extents(c, stored);
    return touched(c, TY_OUT, all) * contract_gaps(c, TY_OUT, stored, false) / m->read;
}

/* Return the extra bytes that are moved in incomplete lines when `bytes` of partial sums are; cached: out
   stays in a cache. */
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
    double summed = 2; /* kernels multiply and add even if a sum is one product */
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

/* The loops that threads share. inside[i]: tasks within one step of loop i. */
struct dealt {
    int n;
    double inside[TY_CONTRACTION_LOOPS];
};

/* Describe in *dealt the loops outside of K, which threads share. Return the number of tasks, the product of
   their steps. */
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

/* Return the fraction of out that the first `tasks` tasks compute. */
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
    double longer = tasks - share * ranges; /* the first ranges have one task more */
    for (int i = 1; i <= ranges; i++) {
        double done = done_after(c, &dealt, i * share + fmin(i, longer));
        if (done - before > most) most = done - before;
        before = done;
    }
    return 1 / (most * threads);
}
