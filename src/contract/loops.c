/* Queries of configurations that several passes need. */
#include "contract/loops.h"
#include <string.h>
#include "array/dtype.h"
#include "contract/cost.h"
#include "ops/einsum/path.h"

bool contraction_touches(const ty_contraction *c, ty_side side, int dim) {
    if (c->dims[dim].stride[side] != 0) return true;
    for (int i = 0; i < c->nguards; i++)
        if (c->guards[i].side == side && (c->guards[i].dim[0] == dim || c->guards[i].dim[1] == dim))
            return true;
    return false;
}

double contraction_size(const ty_contraction *c, ty_dim_type type) {
    double n = 1;
    for (int i = 0; i < c->ndims; i++)
        if (c->dims[i].type == type) n *= (double)c->dims[i].size;
    return n;
}

int64_t contraction_box(const ty_contraction *c, int dim) {
    int64_t step = c->dims[dim].size;
    for (int i = 0; i < c->nloops; i++)
        if (c->loops[i].dim == dim) step = c->loops[i].step;
    return step;
}

int64_t contraction_box_size(const ty_contraction *c, ty_dim_type type) {
    int64_t n = 1;
    for (int d = 0; d < c->ndims; d++)
        if (c->dims[d].type == type && __builtin_mul_overflow(n, contraction_box(c, d), &n)) return INT64_MAX;
    return n;
}

int64_t contraction_left(const ty_contraction *c, int at, int dim) {
    int64_t rest = c->dims[dim].size;
    for (int i = 0; i < at; i++)
        if (c->loops[i].dim == dim) rest = c->loops[i].step;
    return rest;
}

int64_t contraction_rest(const ty_contraction *c, int loop) {
    return contraction_left(c, loop, c->loops[loop].dim);
}

int64_t contraction_trips(const ty_contraction *c, int loop) {
    int64_t rest = contraction_rest(c, loop);
    return rest <= 0 ? 0 : (rest - 1) / c->loops[loop].step + 1;
}

int contraction_walked(const ty_contraction *c) {
    int n = 0;
    while (n < c->nloops && c->loops[n].exec != TY_EXEC_PRIMITIVE) n++;
    return n;
}

int contraction_outermost_sum(const ty_contraction *c) {
    int i = 0, n = contraction_walked(c);
    while (i < n && c->dims[c->loops[i].dim].type != TY_DIM_K) i++;
    return i;
}

bool contraction_overlaps(const ty_contraction *c, ty_side side, int dim) {
    const ty_dim *a = &c->dims[dim];
    uint64_t step = contraction_magnitude(a->stride[side]);
    for (int i = 0; i < c->ndims && step; i++) {
        const ty_dim *b = &c->dims[i];
        uint64_t other = contraction_magnitude(b->stride[side]);
        if ((a->type == TY_DIM_K) == (b->type == TY_DIM_K) || !other || a->size < 2 || b->size < 2) continue;
        if ((step % other == 0 || other % step == 0) &&
            (double)step <= (double)other * (double)(b->size - 1) &&
            (double)other <= (double)step * (double)(a->size - 1))
            return true;
    }
    return false;
}

bool contraction_is_window(const ty_contraction *c, ty_side side) {
    for (int i = 0; i < c->nguards; i++)
        if (c->guards[i].side == side) return true;
    for (int d = 0; d < c->ndims; d++)
        if (c->dims[d].type == TY_DIM_K && contraction_overlaps(c, side, d)) return true;
    return false;
}

bool contraction_guard_parts_sums(const ty_contraction *c, const ty_guard *guard) {
    int64_t rows = -1, sums = -1;
    for (int i = 0; i < 2; i++) {
        if (guard->dim[i] < 0) continue;
        const ty_dim *dim = &c->dims[guard->dim[i]];
        if (dim->type == TY_DIM_M) rows = dim->size;
        if (dim->type == TY_DIM_K) sums = dim->size;
    }
    return rows >= 0 && sums > rows;
}

bool contraction_parts_sums(const ty_contraction *c) {
    for (int i = 0; i < c->nguards; i++)
        if (c->guards[i].side == TY_LEFT && contraction_guard_parts_sums(c, &c->guards[i])) return true;
    return false;
}

int contraction_innermost(const ty_contraction *c, ty_side side) {
    int best = -1;
    for (int i = 0; i < c->ndims; i++) {
        uint64_t step = contraction_magnitude(c->dims[i].stride[side]);
        if (step == 0 || c->dims[i].size < 2) continue;
        if (best < 0 || step < contraction_magnitude(c->dims[best].stride[side])) best = i;
    }
    return best;
}

int contraction_lane(const ty_contraction *c) {
    int best = -1, inner = contraction_innermost(c, TY_OUT);
    const ty_dim *along = inner < 0 ? NULL : &c->dims[inner];
    bool real = dtype_valid(c->sums) && !dtype_is(c->sums, CLASS_COMPLEX);
    if (real && along && along->type == TY_DIM_M && along->stride[TY_LEFT] == 1 &&
        along->size >= contract_constants.lane_least)
        return inner;
    for (int i = 0; i < c->ndims; i++) {
        uint64_t step = contraction_magnitude(c->dims[i].stride[TY_OUT]);
        if (c->dims[i].type != TY_DIM_C || c->dims[i].size < 2) continue;
        if (best < 0 || step < contraction_magnitude(c->dims[best].stride[TY_OUT])) best = i;
    }
    return best;
}

uint64_t contraction_least_step(const ty_contraction *c, ty_side side, ty_dim_type type) {
    uint64_t least = UINT64_MAX;
    for (int d = 0; d < c->ndims; d++) {
        uint64_t step = contraction_magnitude(c->dims[d].stride[side]) * dtype_table[c->dtype[side]].size;
        if (c->dims[d].type == type && contraction_box(c, d) > 1 && step && step < least) least = step;
    }
    return least;
}

double contraction_footprint(const ty_contraction *c, ty_side side, const int64_t *extent) {
    double product = 1, span = 1;
    for (int i = 0; i < c->ndims; i++) {
        if (extent[i] == 0 && contraction_touches(c, side, i)) return 0;
        if (c->dims[i].stride[side] == 0) continue;
        product *= (double)extent[i];
        span += (double)contraction_magnitude(c->dims[i].stride[side]) * (double)(extent[i] - 1);
    }
    return product < span ? product : span;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a ^ b) < 0); }

void contraction_keep_inside(int64_t low, int64_t coefficient, int64_t size, int64_t *first, int64_t *end) {
    if (coefficient == 0) {
        if (low < 0 || low >= size) *end = *first;
        return;
    }
    int64_t from = coefficient > 0 ? -floor_div(low, coefficient) : -floor_div(size - 1 - low, -coefficient);
    int64_t last = coefficient > 0 ? floor_div(size - 1 - low, coefficient) : floor_div(low, -coefficient);
    if (from > *first) *first = from;
    if (last + 1 < *end) *end = last + 1;
    if (*end < *first) *end = *first;
}

/* Return the share of its two dimensions' indices for which the guard holds, iterating over the shorter one;
   1 if both are too long to iterate. Positions that overflow count as outside. */
static double inside_guard(const ty_contraction *c, const ty_guard *guard) {
    enum { LONGEST = 1 << 16 };
    const uint64_t far = (uint64_t)1 << 61;
    int64_t n[2], low;
    double inside = 0;
    for (int k = 0; k < 2; k++) n[k] = guard->dim[k] < 0 ? 1 : c->dims[guard->dim[k]].size;
    int along = n[1] < n[0];
    if (n[along] > LONGEST) return 1;
    for (int64_t i = 0; i < n[along]; i++) {
        int64_t first = 0, end = n[!along];
        bool lost = __builtin_mul_overflow(i, guard->coefficient[along], &low) ||
                    __builtin_add_overflow(low, guard->low, &low) || contraction_magnitude(low) > far;
        if (lost) continue;
        contraction_keep_inside(low, guard->coefficient[!along], guard->size, &first, &end);
        inside += (double)(end - first);
    }
    return inside / ((double)n[0] * (double)n[1]);
}

double contraction_inside(const ty_contraction *c, ty_side side) {
    double share = 1;
    for (int i = 0; i < c->nguards; i++)
        if (c->guards[i].side == side) share *= inside_guard(c, &c->guards[i]);
    return share;
}

double contraction_products(const ty_contraction *c) {
    double products = 1;
    for (int i = 0; i < c->ndims; i++) products *= (double)c->dims[i].size;
    return products;
}

void contraction_measure(ty_contraction *c) {
    int64_t extent[TY_CONTRACTION_DIMS];
    for (int i = 0; i < c->ndims; i++) extent[i] = c->dims[i].size;
    c->flops = path_flops(contraction_products(c), contraction_size(c, TY_DIM_K), c->sums);
    c->bytes = 0;
    for (int side = 0; side < 3; side++)
        c->bytes += contraction_footprint(c, (ty_side)side, extent) * (double)ty_dtype_size(c->dtype[side]);
}

bool contraction_insert(ty_contraction *c, int at, int dim, ty_exec exec, int64_t step, struct fault *fault) {
    if (c->nloops == TY_CONTRACTION_LOOPS)
        return fault_set(fault, E_LIMIT, "contraction: more than %d loops", TY_CONTRACTION_LOOPS);
    memmove(c->loops + at + 1, c->loops + at, (size_t)(c->nloops - at) * sizeof *c->loops);
    c->loops[at] = (ty_loop){dim, exec, step};
    c->nloops++;
    return true;
}

void contraction_remove(ty_contraction *c, int at) {
    c->nloops--;
    memmove(c->loops + at, c->loops + at + 1, (size_t)(c->nloops - at) * sizeof *c->loops);
}

bool contraction_cut(ty_contraction *c, int at, int dim, int64_t step, struct fault *fault) {
    for (int i = c->nloops - 1; i >= at; i--) {
        if (c->loops[i].dim != dim || c->loops[i].step < step) continue;
        if (c->loops[i].exec == TY_EXEC_PRIMITIVE)
            c->loops[i].step = step;
        else
            contraction_remove(c, i);
    }
    ty_exec exec = TY_EXEC_SEQUENTIAL;
    if (at > 0 && c->loops[at - 1].dim == dim) {
        exec = c->loops[--at].exec;
        contraction_remove(c, at);
    }
    return contraction_insert(c, at, dim, exec, step, fault);
}

bool dim_guarded(const ty_contraction *c, int dim) {
    for (int i = 0; i < c->nguards; i++)
        if (c->guards[i].dim[0] == dim || c->guards[i].dim[1] == dim) return true;
    return false;
}
