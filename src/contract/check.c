/*
 * Validity of configurations. They come from users and files too, so everything is checked: numbers, types
 * against strides, loops, guards, and that out does not overlap itself, as tasks would race. Extents are
 * computed in 128 bits. They are exact for guards that lowering makes: strides are multiples of the
 * coefficients, or a coefficient is 1. For others they are upper bounds.
 */
#include <inttypes.h>
#include "array/dtype.h"
#include "base/checked.h"
#include "base/wide.h"
#include "contract/loops.h"

static const char *const side_names[] = {"left", "right", "out"};
static const char type_letters[] = "CMNK";
static const int64_t FARTHEST = (int64_t)1 << 56;

static bool is_far(int64_t n) { return n > FARTHEST || n < -FARTHEST; }

/* ---- numbers ---- */

/* Check that the accumulator dtype c->sums holds all operands, so that every engine gives the same result. False
   with the fault set on error. */
static bool check_sums(const ty_contraction *c, struct fault *fault) {
    if (!dtype_valid(c->sums))
        return fault_set(fault, E_ARGUMENT, "contraction: unknown dtype %d of sums", (int)c->sums);
    for (int side = 0; side < 3; side++) {
        ty_dtype both = ty_promote(c->dtype[side], c->sums);
        if (both == c->sums) continue;
        return fault_set(
            fault, E_ARGUMENT, "contraction: %s is %s, which sums in %s cannot represent; use sums in %s",
            side_names[side], ty_dtype_name(c->dtype[side]), ty_dtype_name(c->sums), ty_dtype_name(both));
    }
    return true;
}

/* Check the numbers of dimensions, loops and guards, and the offsets. False with the fault set on error. */
static bool check_counts(const ty_contraction *c, struct fault *fault) {
    if (c->ndims < 0 || c->ndims > TY_CONTRACTION_DIMS || c->nloops < 0 || c->nloops > TY_CONTRACTION_LOOPS ||
        c->nguards < 0 || c->nguards > TY_CONTRACTION_GUARDS)
        return fault_set(fault, E_ARGUMENT,
                         "contraction: %d dimensions, %d loops and %d guards; expected 0 to %d, %d and %d",
                         c->ndims, c->nloops, c->nguards, TY_CONTRACTION_DIMS, TY_CONTRACTION_LOOPS,
                         TY_CONTRACTION_GUARDS);
    for (int side = 0; side < 3; side++)
        if (!dtype_valid(c->dtype[side]))
            return fault_set(fault, E_ARGUMENT, "contraction: %s has the unknown dtype %d", side_names[side],
                             (int)c->dtype[side]);
    if (!check_sums(c, fault)) return false;
    for (int side = 0; side < 3; side++)
        if (is_far(c->offset[side]))
            return fault_set(fault, E_LIMIT,
                             "contraction: %s begins at element %" PRId64 ", which is beyond 2^56",
                             side_names[side], c->offset[side]);
    return true;
}

/* Check type, size and strides of dimension i. False with the fault set on error. */
static bool check_dim(const ty_contraction *c, int i, struct fault *fault) {
    const ty_dim *d = &c->dims[i];
    if ((unsigned)d->type > TY_DIM_K)
        return fault_set(fault, E_ARGUMENT, "contraction: dimension %d has the unknown type %d", i,
                         (int)d->type);
    if (d->size < 0 || is_far(d->size))
        return fault_set(fault, E_LIMIT, "contraction: dimension %d has size %" PRId64 "; expected 0 to 2^56",
                         i, d->size);
    for (int side = 0; side < 3; side++)
        if (is_far(d->stride[side]))
            return fault_set(fault, E_LIMIT,
                             "contraction: dimension %d has stride %" PRId64 " in %s, which is beyond 2^56",
                             i, d->stride[side], side_names[side]);
    ty_side absent = d->type == TY_DIM_M ? TY_RIGHT : d->type == TY_DIM_N ? TY_LEFT : TY_OUT;
    if (d->type != TY_DIM_C && d->stride[absent] != 0)
        return fault_set(fault, E_ARGUMENT,
                         "contraction: dimension %d of type %c has stride %" PRId64 " in %s; expected 0", i,
                         type_letters[d->type], d->stride[absent], side_names[absent]);
    if (d->type != TY_DIM_K && d->size > 1 && d->stride[TY_OUT] == 0)
        return fault_set(fault, E_ARGUMENT,
                         "contraction: dimension %d of type %c has size %" PRId64
                         " and stride 0 in out, so results would overwrite each other: make it K to sum them",
                         i, type_letters[d->type], d->size);
    return true;
}

/* Check that the product of all non-zero sizes fits 63 bits. False with the fault set on error. */
static bool check_points(const ty_contraction *c, struct fault *fault) {
    int64_t points = 1;
    for (int i = 0; i < c->ndims; i++)
        if (c->dims[i].size > 0 && !checked_mul(points, c->dims[i].size, &points))
            return fault_set(fault, E_LIMIT, "contraction: the product of all sizes exceeds 2^63");
    return true;
}

/* Check side, sizes and dimensions of guard i. False with the fault set on error. */
static bool check_guard(const ty_contraction *c, int i, struct fault *fault) {
    const ty_guard *g = &c->guards[i];
    if ((unsigned)g->side > TY_RIGHT)
        return fault_set(fault, E_ARGUMENT,
                         "contraction: guard %d is on side %d; expected left (0) or right (1)", i,
                         (int)g->side);
    if (g->size < 0 || is_far(g->size) || is_far(g->low))
        return fault_set(fault, E_LIMIT,
                         "contraction: guard %d has size %" PRId64 " and low %" PRId64
                         "; expected a size of 0 or more and values within 2^56",
                         i, g->size, g->low);
    for (int j = 0; j < 2; j++) {
        if (g->dim[j] < -1 || g->dim[j] >= c->ndims || (g->dim[j] >= 0 && g->dim[0] == g->dim[1]))
            return fault_set(fault, E_ARGUMENT,
                             "contraction: guard %d names dimensions %d and %d of %d; expected two different "
                             "ones, or -1 for none",
                             i, g->dim[0], g->dim[1], c->ndims);
        if (is_far(g->coefficient[j]))
            return fault_set(fault, E_LIMIT,
                             "contraction: guard %d has the coefficient %" PRId64 ", which is beyond 2^56", i,
                             g->coefficient[j]);
        if (g->dim[j] >= 0 && c->dims[g->dim[j]].type == (g->side == TY_LEFT ? TY_DIM_N : TY_DIM_M))
            return fault_set(fault, E_ARGUMENT,
                             "contraction: guard %d of %s depends on dimension %d of type %c, which %s does "
                             "not have: make it C",
                             i, side_names[g->side], g->dim[j], type_letters[c->dims[g->dim[j]].type],
                             side_names[g->side]);
    }
    return true;
}

/* Check that out does not overlap itself: each stride, in ascending order, exceeds the extent of the smaller
   ones. False with the fault set on error. */
static bool check_out(const ty_contraction *c, struct fault *fault) {
    int order[TY_CONTRACTION_DIMS], n = 0;
    for (int i = 0; i < c->ndims; i++) {
        if (c->dims[i].size == 0) return true;
        if (c->dims[i].type == TY_DIM_K || c->dims[i].size == 1) continue;
        uint64_t step = contraction_magnitude(c->dims[i].stride[TY_OUT]);
        int j = n++;
        for (; j > 0 && contraction_magnitude(c->dims[order[j - 1]].stride[TY_OUT]) > step; j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
    wide reach = wide_of(0);
    for (int j = 0; j < n; j++) {
        const ty_dim *d = &c->dims[order[j]];
        wide step = wide_of_natural(contraction_magnitude(d->stride[TY_OUT]));
        if (!wide_less(reach, step))
            return fault_set(fault, E_ARGUMENT,
                             "contraction: dimension %d has stride %" PRId64
                             " in out, but the dimensions inside it reach as far: out would overlap itself",
                             order[j], d->stride[TY_OUT]);
        reach = wide_add(reach, wide_times(step, d->size - 1));
    }
    return true;
}

/* ---- loops ---- */

/* Check kind, dimension and step of loop i, given the loops outside it. False with the fault set on error. */
static bool check_loop(const ty_contraction *c, int i, struct fault *fault) {
    const ty_loop *loop = &c->loops[i];
    if ((unsigned)loop->exec > TY_EXEC_PRIMITIVE || loop->dim < 0 || loop->dim >= c->ndims)
        return fault_set(
            fault, E_ARGUMENT,
            "contraction: loop %d has kind %d and dimension %d of %d; expected a known kind and dimension", i,
            (int)loop->exec, loop->dim, c->ndims);
    static const int rank[] = {[TY_EXEC_SHARED] = 0, [TY_EXEC_SEQUENTIAL] = 1, [TY_EXEC_PRIMITIVE] = 2};
    if (i > 0 && rank[loop->exec] < rank[c->loops[i - 1].exec])
        return fault_set(fault, E_ARGUMENT,
                         "contraction: loop %d is out of order: shared loops come first, then sequential "
                         "ones, then the primitive's",
                         i);
    if (loop->exec == TY_EXEC_SHARED && c->dims[loop->dim].type == TY_DIM_K)
        return fault_set(fault, E_ARGUMENT,
                         "contraction: loop %d shares dimension %d of type K among threads, which would add "
                         "to the same results: make it sequential, or use spans",
                         i, loop->dim);
    int64_t rest = contraction_rest(c, i), most = rest > 1 ? rest : 1;
    bool whole = loop->exec == TY_EXEC_PRIMITIVE;
    if (loop->step < 1 || loop->step > most || (whole && loop->step != most))
        return fault_set(fault, E_ARGUMENT,
                         "contraction: loop %d has the step %" PRId64 "; dimension %d has %" PRId64
                         " left there%s",
                         i, loop->step, loop->dim, rest, whole ? ", all of which is the primitive's" : "");
    return true;
}

/* Check that each dimension has one PRIMITIVE entry, if there are loops. False with the fault set on error. */
static bool check_cover(const ty_contraction *c, struct fault *fault) {
    int entries[TY_CONTRACTION_DIMS] = {0};
    for (int i = 0; i < c->nloops; i++) entries[c->loops[i].dim] += c->loops[i].exec == TY_EXEC_PRIMITIVE;
    for (int i = 0; i < c->ndims && c->nloops; i++)
        if (entries[i] != 1)
            return fault_set(
                fault, E_ARGUMENT,
                "contraction: dimension %d has %d primitive entries among the loops; expected one", i,
                entries[i]);
    return true;
}

/* Check primitive, packing and spans. False with the fault set on error. */
static bool check_rest(const ty_contraction *c, struct fault *fault) {
    if ((unsigned)c->primitive > TY_PRIMITIVE_SCALAR)
        return fault_set(fault, E_ARGUMENT, "contraction: unknown primitive %d", (int)c->primitive);
    for (int side = 0; side < 2; side++) {
        ty_packing kind = c->packing[side].kind;
        int loop = kind == TY_PACK_PANELS || kind == TY_PACK_FOOTPRINT ? c->packing[side].loop : -1;
        if ((unsigned)kind > TY_PACK_WHOLE || loop < -1 || loop >= contraction_walked(c))
            return fault_set(
                fault, E_ARGUMENT,
                "contraction: packing of %s has kind %d in loop %d; expected a known kind and loops -1 to %d",
                side_names[side], (int)kind, loop, contraction_walked(c) - 1);
    }
    int sum = contraction_outermost_sum(c);
    int64_t trips = sum < contraction_walked(c) ? contraction_trips(c, sum) : 1, most = trips > 1 ? trips : 1;
    if (c->spans < 0 || c->spans > most)
        return fault_set(fault, E_ARGUMENT,
                         "contraction: %" PRId64 " spans; expected 1 to the %" PRId64
                         " steps of the outermost loop over K",
                         c->spans, trips);
    return true;
}

/* ---- extents ---- */

/* A closed interval. */
struct range {
    wide least, most; /* empty if most < least */
};

static struct range range_of(int64_t least, int64_t most) {
    return (struct range){wide_of(least), wide_of(most)};
}

static bool range_empty(struct range r) { return wide_less(r.most, r.least); }

static struct range range_add(struct range a, struct range b) {
    return (struct range){wide_add(a.least, b.least), wide_add(a.most, b.most)};
}

static struct range range_shift(struct range a, wide by) { return range_add(a, (struct range){by, by}); }

/* Return the interval of step * x for x in r. */
static struct range range_scale(struct range r, int64_t step) {
    wide first = wide_times(r.least, step), last = wide_times(r.most, step);
    return step < 0 ? (struct range){last, first} : (struct range){first, last};
}

/* Return the intersection of intervals a and b; empty if its least is above its most. */
static struct range range_meet(struct range a, struct range b) {
    return (struct range){wide_less(b.least, a.least) ? a.least : b.least,
                          wide_less(a.most, b.most) ? a.most : b.most};
}

/* Return the interval of integers i with i * coefficient in r; the coefficient is not 0. */
static struct range range_divide(struct range r, int64_t coefficient) {
    if (coefficient < 0) r = range_scale(r, -1), coefficient = -coefficient;
    wide below = wide_floor_divide(wide_times(r.least, -1), wide_of(coefficient));
    return (struct range){wide_times(below, -1), wide_floor_divide(r.most, wide_of(coefficient))};
}

/* Return the interval of a * x + b * y for x in i and y in j with unit * x + c * y in `lies`. unit: 1 or -1.
   The bounds of x are piecewise linear in y, so the ends and the breakpoints suffice. */
static struct range range_within(struct range i, struct range j, int64_t a, int64_t b, int64_t unit,
                                 int64_t c, struct range lies) {
    struct range found = range_of(1, 0);
    wide places[10] = {j.least, j.most};
    int n = 2;
    for (int corner = 0; corner < 4 && c; corner++) {
        wide edge = wide_times(corner & 1 ? i.most : i.least, unit);
        wide room = wide_subtract(corner & 2 ? lies.most : lies.least, edge);
        places[n++] = wide_floor_divide(room, wide_of(c));
        places[n] = wide_add(places[n - 1], wide_of(1));
        n++;
    }
    for (int p = 0; p < n; p++) {
        struct range room = range_shift(lies, wide_times(places[p], -c));
        struct range at = range_meet(i, range_scale(room, unit));
        if (wide_less(places[p], j.least) || wide_less(j.most, places[p]) || range_empty(at)) continue;
        struct range here = range_shift(range_scale(at, a), wide_times(places[p], b));
        bool first = range_empty(found);
        if (first || wide_less(here.least, found.least)) found.least = here.least;
        if (first || wide_less(found.most, here.most)) found.most = here.most;
    }
    return found;
}

/* State of contraction_extent for one side. */
struct contraction_reach {
    const ty_contraction *c;
    ty_side side;
    struct range index[TY_CONTRACTION_DIMS];
    bool counted[TY_CONTRACTION_DIMS];
    struct range total;
};

/* Add the joint contribution of a guard's two dimensions to r->total if neither has been counted; `both` is
   the interval of the guard's position. False, with nothing added, if no formula applies. */
static bool reach_together(struct contraction_reach *r, const ty_guard *g, struct range both) {
    int x = g->dim[0], y = g->dim[1];
    if (x < 0 || y < 0 || r->counted[x] || r->counted[y]) return false;
    int64_t a = r->c->dims[x].stride[r->side], b = r->c->dims[y].stride[r->side];
    int64_t p = g->coefficient[0], q = g->coefficient[1];
    struct range lies = range_of(-g->low, g->size - 1 - g->low), sum;
    if (p && q && a % p == 0 && b % q == 0 && a / p == b / q)
        sum = range_scale(both, a / p);
    else if (p == 1 || p == -1)
        sum = range_within(r->index[x], r->index[y], a, b, p, q, lies);
    else if (q == 1 || q == -1)
        sum = range_within(r->index[y], r->index[x], b, a, q, p, lies);
    else
        return false;
    if (range_empty(sum)) return false;
    r->total = range_add(r->total, sum);
    r->counted[x] = r->counted[y] = true;
    return true;
}

/* Narrow the index ranges in *r of a guard's dimensions, or count both at once. False: the guard never holds. */
static bool apply_guard(struct contraction_reach *r, const ty_guard *g) {
    struct range part[2] = {range_of(0, 0), range_of(0, 0)},
                 allowed = range_of(-g->low, g->size - 1 - g->low);
    for (int j = 0; j < 2; j++)
        if (g->dim[j] >= 0) part[j] = range_scale(r->index[g->dim[j]], g->coefficient[j]);
    struct range both = range_meet(range_add(part[0], part[1]), allowed);
    if (range_empty(both)) return false;
    if (reach_together(r, g, both)) return true;
    for (int j = 0; j < 2; j++) {
        struct range room = range_add(allowed, range_scale(part[1 - j], -1));
        if (g->dim[j] < 0 || g->coefficient[j] == 0) continue;
        r->index[g->dim[j]] = range_meet(r->index[g->dim[j]], range_divide(room, g->coefficient[j]));
    }
    return true;
}

bool contraction_extent(const ty_contraction *c, ty_side side, int64_t *low, int64_t *high) {
    struct contraction_reach r = {.c = c, .side = side, .total = range_of(c->offset[side], c->offset[side])};
    *low = *high = 0;
    for (int i = 0; i < c->ndims; i++) {
        if (c->dims[i].size == 0 && (side != TY_OUT || c->dims[i].type != TY_DIM_K)) return true;
        r.index[i] = range_of(0, c->dims[i].size - 1);
    }
    for (int i = 0; i < c->nguards; i++)
        if (c->guards[i].side == side && !apply_guard(&r, &c->guards[i])) return true;
    for (int i = 0; i < c->ndims; i++) {
        if (r.counted[i] || c->dims[i].stride[side] == 0) continue;
        if (range_empty(r.index[i])) return true;
        r.total = range_add(r.total, range_scale(r.index[i], c->dims[i].stride[side]));
    }
    if (!wide_within(r.total.least, INT64_MIN, INT64_MAX) ||
        !wide_within(r.total.most, INT64_MIN, INT64_MAX - 1))
        return false;
    *low = (int64_t)wide_low(r.total.least);
    *high = (int64_t)wide_low(r.total.most) + 1;
    return true;
}

/* Check that no operand extends beyond addressable memory. False with the fault set on error. */
static bool check_extents(const ty_contraction *c, struct fault *fault) {
    for (int side = 0; side < 3; side++) {
        int64_t low, high, most = INT64_MAX / (int64_t)dtype_table[c->dtype[side]].size;
        if (contraction_extent(c, (ty_side)side, &low, &high) && low >= -most && high <= most) continue;
        return fault_set(fault, E_MEMORY, "contraction: %s exceeds the address space of 2^63 bytes",
                         side_names[side]);
    }
    return true;
}

bool contraction_check(const ty_contraction *c, struct fault *fault) {
    if (!check_counts(c, fault)) return false;
    for (int i = 0; i < c->ndims; i++)
        if (!check_dim(c, i, fault)) return false;
    if (!check_points(c, fault)) return false;
    for (int i = 0; i < c->nguards; i++)
        if (!check_guard(c, i, fault)) return false;
    for (int i = 0; i < c->nloops; i++)
        if (!check_loop(c, i, fault)) return false;
    return check_out(c, fault) && check_cover(c, fault) && check_rest(c, fault) && check_extents(c, fault);
}

bool contraction_check_buffers(const ty_contraction *c, const int64_t bytes[3], struct fault *fault) {
    for (int side = 0; side < 3; side++) {
        int64_t low, high, elements = bytes[side] / (int64_t)dtype_table[c->dtype[side]].size;
        contraction_extent(c, (ty_side)side, &low, &high); /* succeeds, as c was checked */
        if (low == high || (low >= 0 && high <= elements)) continue;
        return fault_set(fault, E_ARGUMENT,
                         "contraction: %s reaches elements %" PRId64 " to %" PRId64
                         ", its buffer has %" PRId64 " (%" PRId64 " bytes of %s)",
                         side_names[side], low, high - 1, elements, bytes[side],
                         ty_dtype_name(c->dtype[side]));
    }
    return true;
}
