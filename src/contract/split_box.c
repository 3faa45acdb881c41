/* Growing a box for pass split: order of dimensions, limits, and costs of runs (rules in pass_split.c). */
#include "contract/split.h"
#include <string.h>
#include "array/dtype.h"

/* Return the rank of a dimension when the box grows; smaller ranks first. Overlapping windows have 0,
   dimensions that need a cache line 1, others follow by stride. */
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

/* Write the dimensions of a type into list[], most urgent (smallest rank) first, and return their number. Digits of
   K come in their order. */
static int ranked(const struct splitting *s, ty_dim_type type, int *list) {
    int n = type == TY_DIM_K ? split_digits(s, list) : -1;
    if (n >= 0) return n;
    n = 0;
    for (int i = s->c->ndims - 1; i >= 0; i--) {
        if (s->c->dims[i].type != type) continue;
        int j = n++;
        for (; j > 0 && urgency(s, list[j - 1]) > urgency(s, i); j--) list[j] = list[j - 1];
        list[j] = i;
    }
    return n;
}

int64_t split_size(const struct splitting *s, ty_dim_type type) {
    int64_t n = 1;
    for (int i = 0; i < s->c->ndims; i++)
        if (s->c->dims[i].type == type && __builtin_mul_overflow(n, s->step[i], &n)) return INT64_MAX;
    return n;
}

int64_t split_evenly(int64_t size, int64_t most, int64_t unit) {
    if (most >= size) return size;
    int64_t steps = (size - 1) / greater(most, 1) + 1, step = (size - 1) / steps + 1;
    int64_t whole = (step + unit - 1) / unit * unit;
    if (whole <= most + most / 8) return lesser(whole, size);
    return most < unit ? step : split_evenly(size, most / unit * unit, unit);
}

double split_run_bytes(const struct splitting *s, int side, int *next) {
    const ty_contraction *c = s->c;
    int64_t run = 1;
    *next = -1;
    for (int i = 0; i < c->ndims; i++) {
        const ty_dim *d = &c->dims[i];
        if (d->size < 2 || contraction_magnitude(d->stride[side]) != (uint64_t)run) continue;
        run *= s->step[i];
        *next = s->step[i] < d->size ? i : -1;
        if (*next >= 0) break;
        i = -1; /* search again for the dimension that continues it */
    }
    return (double)run * (double)dtype_table[c->dtype[side]].size;
}

/* Return the number of contiguous columns of right in the box, 0 if there are none. *rest: their number in a
   shorter last box, else 0. */
static int64_t columns_along(const struct splitting *s, int64_t *rest) {
    int next, inner = contraction_innermost(s->c, TY_RIGHT);
    double size = (double)dtype_table[s->c->dtype[TY_RIGHT]].size;
    int64_t run = (int64_t)(split_run_bytes(s, TY_RIGHT, &next) / size);
    *rest = next < 0 ? 0 : s->c->dims[next].size % s->step[next] * (run / s->step[next]);
    return inner < 0 || s->c->dims[inner].type != TY_DIM_N ? 0 : run;
}

bool split_in_slivers(const struct splitting *s) {
    int64_t rest, run = columns_along(s, &rest), tile = s->m->tile_columns;
    return run && (run >= split_size(s, TY_DIM_N) || (run % tile == 0 && rest % tile == 0));
}

/* True if most boxes have whole micro-panels of right: each is packed by the kernel that multiplies the
   previous one. */
static bool is_carried(const struct splitting *s) {
    int64_t rest, run = columns_along(s, &rest);
    return split_in_slivers(s) && run % s->m->tile_columns == 0;
}

/* True if right streams and there are enough rows to prefetch its next box meanwhile. */
static bool split_asked(const struct splitting *s) {
    double sliver = (double)(s->m->tile_columns * (int64_t)dtype_table[s->c->dtype[TY_RIGHT]].size);
    double tiles = (double)split_total(s, TY_DIM_M) / s->m->tile_rows;
    return s->streams && tiles >= sliver / CACHE_LINE;
}

bool split_fits(const struct splitting *s, const struct limits *limits) {
    double rows = (double)greater(split_size(s, TY_DIM_M), s->m->tile_rows);
    double columns = (double)greater(split_size(s, TY_DIM_N), s->m->tile_columns);
    double column = (double)(split_in_slivers(s) ? limits->sliver : limits->column);
    double slack = contract_constants.even_slack, room = (double)limits->room * slack;
    double held = (double)limits->row * rows + columns * rows, right = columns * column;
    if (limits->reach) return held <= room && right <= (double)limits->reach * slack;
    return held + right <= room;
}

/* True if the box is within the limits, also the one for this type, and keeps the order of sums. */
static bool may_grow(const struct splitting *s, const struct limits *limits, ty_dim_type type) {
    return split_size(s, type) <= limits->most[type] && (!limits->room || split_fits(s, limits)) &&
           (type != TY_DIM_K || split_keeps(s));
}

/* Return the extra cost of gaps in a side's box, as a multiple of the cost of its bytes. Prefetched lines of
   right cost only the bytes that hardware prefetchers read past the end of a run. */
static double find_gaps(const struct splitting *s, ty_side side, bool cached) {
    const struct contract_constants *k = &contract_constants;
    bool asked = !cached && side == TY_RIGHT && split_in_slivers(s) && split_asked(s);
    double gaps = contract_gaps(s->c, side, s->step, cached || asked);
    return asked ? gaps * k->read_gap / CACHE_LINE : gaps;
}

void split_measure(struct splitting *s) {
    int64_t all[TY_CONTRACTION_DIMS];
    for (int d = 0; d < s->c->ndims; d++) all[d] = s->c->dims[d].size;
    for (int side = 0; side < 3; side++)
        s->bytes[side] =
            contraction_footprint(s->c, (ty_side)side, all) * (double)dtype_table[s->c->dtype[side]].size;
}

double split_bring(const struct splitting *s, ty_side side) {
    double bytes = s->bytes[side];
    double rate = bytes <= (double)s->m->l2 / 2 ? s->m->l2_bytes
                  : bytes <= (double)s->m->l3   ? s->m->l3_bytes
                                                : s->m->read;
    return bytes / rate * (1 + find_gaps(s, side, bytes <= (double)s->m->l3));
}

/* Return the predicted seconds of the product, where moving each side takes bring[side] seconds. */
static double predict_of(const struct splitting *s, const double bring[3]) {
    double seconds = 2 / s->m->flops;
    for (int d = 0; d < s->c->ndims; d++) seconds *= (double)s->c->dims[d].size;
    for (int side = 0; side < 3; side++) seconds += bring[side];
    if (s->streams && !is_carried(s))
        seconds += s->bytes[TY_RIGHT] * contract_constants.pack_bytes / s->m->l2_bytes;
    return seconds;
}

/* Compute the seconds of moving each side once (split_bring) into bring[]. */
static void bring_all(const struct splitting *s, double bring[3]) {
    for (int side = 0; side < 3; side++) bring[side] = split_bring(s, (ty_side)side);
}

double split_predict(const struct splitting *s) {
    double bring[3];
    bring_all(s, bring);
    return predict_of(s, bring);
}

/* Compute the seconds of moving each side into bring[] after a change along dimension `dim`; sides that do
   not depend on it keep before[side]. */
static void bring_changed(const struct splitting *s, int dim, const double before[3], double bring[3]) {
    const ty_dim *d = &s->c->dims[dim];
    for (int side = 0; side < 3; side++) {
        bool changes = d->stride[side] || (side == TY_RIGHT && d->type == TY_DIM_N);
        bring[side] = changes ? split_bring(s, (ty_side)side) : before[side];
    }
}

void split_lengthen(struct splitting *s, const struct limits *limits) {
    double now[3];
    bring_all(s, now);
    for (int best = 0; best >= 0;) {
        double least = predict_of(s, now) * (1 - contract_constants.runs_gain), changed[3], kept[3];
        best = -1;
        for (int d = 0; d < s->c->ndims; d++) {
            int64_t before = s->step[d], size = split_most(s, d);
            if (before >= size || !limits->most[s->c->dims[d].type]) continue;
            s->step[d] = lesser(2 * before, size);
            if (may_grow(s, limits, s->c->dims[d].type)) {
                bring_changed(s, d, now, changed);
                double seconds = predict_of(s, changed);
                if (seconds < least) least = seconds, best = d, memcpy(kept, changed, sizeof kept);
            }
            s->step[d] = before;
        }
        if (best < 0) break;
        s->step[best] = lesser(2 * s->step[best], split_most(s, best));
        memcpy(now, kept, sizeof now);
    }
}

/* Return the N dimension with this stride in right, or -1. */
static int columns_by(const struct splitting *s, int64_t step) {
    int i = s->c->ndims - 1;
    while (i >= 0 && (s->c->dims[i].type != TY_DIM_N || s->c->dims[i].size < 2 ||
                      s->c->dims[i].stride[TY_RIGHT] != step))
        i--;
    return i;
}

/* Return the step along dimension `dim` that makes whole micro-panels of right together with the dimensions
   inside it; 1: none. */
static int64_t sliver_unit(const struct splitting *s, int dim) {
    int64_t inside = 1, unit = s->m->tile_columns, size = s->c->dims[dim].size;
    int at = columns_by(s, inside);
    for (; at >= 0 && at != dim && s->step[at] == s->c->dims[at].size; at = columns_by(s, inside))
        inside *= s->step[at];
    if (at != dim) return 1;
    for (; unit % 2 == 0 && inside % 2 == 0; inside /= 2) unit /= 2;
    return size % unit == 0 ? unit : 1;
}

/* Return the unit of steps along dimension `dim`: a micro-panel if right streams, else a cache line if the
   dimension needs one and `tile` is no multiple of it, else `tile`. */
static int64_t unit_of(const struct splitting *s, int dim, int64_t tile) {
    int64_t sliver = s->streams ? sliver_unit(s, dim) : 1;
    if (sliver > 1) return sliver;
    return s->needs_line[dim] && tile % s->line ? s->line : tile;
}

void split_rescale(struct splitting *s, int dim, double times) {
    int64_t size = split_most(s, dim);
    s->step[dim] =
        split_evenly(size, greater((int64_t)((double)s->step[dim] * times), 1), unit_of(s, dim, 1));
}

int64_t split_grow(struct splitting *s, ty_dim_type type, int64_t target, double slack, int64_t unit) {
    int list[TY_CONTRACTION_DIMS], n = ranked(s, type, list);
    bool digits = type == TY_DIM_K && s->sums;
    for (int i = 0; i < n && urgency(s, list[i]) == 0; i++) {
        int64_t size = split_most(s, list[i]);
        if (size <= target / greater(split_size(s, type), 1))
            s->step[list[i]] = size;
        else if (digits)
            break; /* outer digits stay at one index, or the order of sums would change */
    }
    struct limits limits = {0};
    limits.most[type] = target + target / 4;
    split_lengthen(s, &limits);
    for (int i = 0; i < n; i++) {
        int d = list[i];
        int64_t size = split_most(s, d), others = split_size(s, type) / greater(s->step[d], 1);
        int64_t room = greater(target / greater(others, 1), 1);
        double all = digits ? (double)target / (double)greater(others, 1) : (double)room;
        if ((double)size <= all * slack)
            s->step[d] = size;
        else
            s->step[d] = split_evenly(size, greater(room, s->step[d]), unit_of(s, d, others == 1 ? unit : 1));
        if (digits && s->step[d] < size) break; /* a digit that is cut is the outermost one of the box */
    }
    return split_size(s, type);
}

int64_t split_total(const struct splitting *s, ty_dim_type type) {
    double n = contraction_size(s->c, type);
    return n < 1e15 ? (int64_t)n : (int64_t)1e15;
}

int split_window(const ty_contraction *c) {
    for (int i = 0; i < c->ndims; i++)
        for (int side = TY_LEFT; side <= TY_RIGHT; side++)
            if (c->dims[i].type == TY_DIM_K && contraction_overlaps(c, (ty_side)side, i)) return side;
    return -1;
}
