/*
 * Kernel kind UNPOOL: zeros, to which each g is added at its position in the plane (volume) of the windowed axes;
 * positions may repeat if windows overlap. A unit of work is one index of the other axes, with (NHWC) a range of the
 * last one. So no two threads share a plane, and inside a unit the order is that of g.
 *
 * POOL_TAKE: reads x at the positions, a row of the output at a time.
 */
#include <string.h>
#include "engine/cpu/index/add_at.h"
#include "engine/cpu/elementwise/store.h"
#include "ops/core/attributes.h"

struct unpool_plan {
    struct cpu_whole whole;
    struct cpu_reader values, places;
    const struct cpu_add *add;
    struct cpu_plane plane;
    /* Axes of g: those of units, those walked within a unit, and the last one, the row. */
    int unit_axes, walk_axes;
    int64_t unit_shape[TY_MAX_RANK], walk_shape[POOL_AXES];
    int64_t unit_strides[3][TY_MAX_RANK], walk_strides[2][POOL_AXES]; /* strides of g, index and output */
    int64_t length, piece, pieces; /* of the row; pieces are units as well if the row is no windowed axis */
    int64_t steps[3];              /* strides along the row */
    bool row_is_unit, zero_units;  /* zero_units: a unit's plane is contiguous and zeroed by the unit */
    int64_t units;
    size_t scratch;
};

/* Return the plane of the windowed axes of layout l: sizes and strides, missing axes of size 1. */
static struct cpu_plane plane_of(const struct pool_attr *attr, const struct layout *l) {
    struct cpu_plane plane = {1, {1, 1, 1}, {0}, true};
    for (int k = 0; k < attr->axes; k++) {
        int to = k + POOL_AXES - attr->axes;
        plane.size *= plane.shape[to] = l->shape[attr->axis + k];
        plane.strides[to] = l->strides[attr->axis + k];
        if (k) plane.even = plane.even && plane.strides[to - 1] == plane.shape[to] * plane.strides[to];
    }
    return plane;
}

static bool is_windowed(const struct pool_attr *attr, int axis) {
    return axis >= attr->axis && axis < attr->axis + attr->axes;
}

/* Divide the axes into those that units of work share and those that a unit walks, and set their steps. */
static void plan_axes(struct unpool_plan *p, const struct kernel *kernel) {
    const struct pool_attr *attr = kernel->attr;
    struct layout_room sums;
    const struct layout *layouts[3] = {&kernel->inputs[0].layout, &kernel->inputs[1].layout,
                                       cpu_whole_layout(kernel, &sums)};
    int last = layouts[0]->rank - 1;
    for (int i = 0; i < last; i++) {
        bool windowed = is_windowed(attr, i);
        int to = windowed ? p->walk_axes++ : p->unit_axes++;
        (windowed ? p->walk_shape : p->unit_shape)[to] = layouts[0]->shape[i];
        for (int k = 0; k < (windowed ? 2 : 3); k++)
            (windowed ? p->walk_strides[k] : p->unit_strides[k])[to] = layouts[k]->strides[i];
    }
    p->row_is_unit = !is_windowed(attr, last);
    p->length = layouts[0]->shape[last];
    for (int k = 0; k < 2; k++) p->steps[k] = layouts[k]->strides[last];
    p->steps[2] = p->row_is_unit ? layouts[2]->strides[last] : 0;
}

/* Divide the output into units of work and pieces of rows, which fit the reader's scratch; finer if planes are few,
   to have work for all threads. */
static void plan_units(struct unpool_plan *p, const struct kernel *kernel) {
    enum { FEW = 8, FINE = 64 };
    const struct pool_attr *attr = kernel->attr;
    int64_t units = shape_size(p->unit_axes, p->unit_shape);
    p->piece = p->row_is_unit && units < FEW ? FINE : cpu_tile;
    p->pieces = (p->length + p->piece - 1) / p->piece;
    p->units = p->row_is_unit ? units * p->pieces : units;
    p->zero_units = attr->axis == p->unit_axes && (!p->row_is_unit || p->pieces == 1);
}

/* Prepare unpooling: axes, units and scratch. Return false with a fault on error. */
static bool prepare_unpool(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct unpool_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    if (!cpu_whole_prepare(&p->whole, kernel, dtype_table[kernel->core_dtype].computed, arena, fault))
        return false;
    p->add = cpu_add_find(p->whole.dtype);
    if (!p->add)
        return fault_set(fault, E_UNSUPPORTED, "%s: the cpu engine does not add %s", kernel->op->name,
                         ty_dtype_name(p->whole.dtype));
    plan_axes(p, kernel);
    plan_units(p, kernel);
    struct layout_room sums;
    p->plane = plane_of(kernel->attr, cpu_whole_layout(kernel, &sums));
    if (!cpu_reader_prepare(&p->values, kernel->inputs[0].dtype, p->whole.dtype, fault) ||
        !cpu_reader_prepare(&p->places, kernel->inputs[1].dtype, TY_I64, fault))
        return false;
    p->scratch = p->values.scratch + p->places.scratch;
    kernel->workspace += (size_t)kernel->width * p->scratch;
    return true;
}

struct unpool_run {
    const struct kernel *kernel;
    const struct unpool_plan *p;
    const char *from[2]; /* g, index */
    char *out, *scratch;
};

/* Add elements first .. first+n-1 of a row of g at their positions in the output. at[]: offsets of the row's first
   elements in g, index and output. */
static void add_part(const struct unpool_run *run, char *scratch, const int64_t at[3], int64_t first,
                     int64_t n) {
    const struct unpool_plan *p = run->p;
    const char *g = run->from[0] + (at[0] + first * p->steps[0]) * (int64_t)p->values.size;
    const char *index = run->from[1] + (at[1] + first * p->steps[1]) * (int64_t)p->places.size;
    const void *values = cpu_read(&p->values, g, p->steps[0], n, scratch);
    const int64_t *places = cpu_read(&p->places, index, p->steps[1], n, scratch + p->values.scratch);
    char *out = run->out + (at[2] + first * p->steps[2]) * (int64_t)dtype_table[p->whole.dtype].size;
    p->add->at(n, out, p->steps[2], &p->plane, places, values);
}

/* Compute unit `unit` (0-based): add all elements that belong there to its part of the output, which is zeroed
   first if p->zero_units. */
static void unpool_unit(const struct unpool_run *run, char *scratch, int64_t unit) {
    const struct unpool_plan *p = run->p;
    int64_t at[3] = {0}, index[TY_MAX_RANK], begin = 0, end = p->length;
    if (p->row_is_unit) {
        begin = unit % p->pieces * p->piece;
        if (end > begin + p->piece) end = begin + p->piece;
        unit /= p->pieces;
    }
    cpu_unrank(p->unit_axes, p->unit_shape, unit, index);
    for (int i = 0; i < p->unit_axes; i++)
        for (int k = 0; k < 3; k++) at[k] += index[i] * p->unit_strides[k][i];
    size_t size = dtype_table[p->whole.dtype].size;
    int64_t plane = p->plane.size * (p->row_is_unit ? p->length : 1);
    if (p->zero_units) memset(run->out + at[2] * (int64_t)size, 0, (size_t)plane * size);
    struct odometer walk = {.rank = p->walk_axes, .shape = p->walk_shape};
    if (shape_size(p->walk_axes, p->walk_shape) == 0) return;
    do
        for (int64_t i = begin; i < end; i += cpu_tile)
            add_part(run, scratch, at, i, end - i < cpu_tile ? end - i : cpu_tile);
    while (odometer_next(&walk, 2, (const int64_t *[]){p->walk_strides[0], p->walk_strides[1]}, at));
}

static void unpool_units(void *context, int64_t begin, int64_t end) {
    const struct unpool_run *run = context;
    char *scratch = run->scratch + (size_t)parallel_index() * run->p->scratch;
    for (int64_t unit = begin; unit < end; unit++) unpool_unit(run, scratch, unit);
}

/* Compute unpooling on the addresses slots[]. Always true; index -1, of a window without elements, and
   others outside the plane are ignored. */
static bool launch_unpool(const struct kernel *kernel, void *const *slots, void *workspace,
                          struct fault *fault) {
    (void)fault;
    const struct unpool_plan *p = kernel->prepared;
    size_t of_threads = (size_t)kernel->width * p->scratch;
    struct unpool_run run = {
        kernel,
        p,
        {operand_base(&kernel->inputs[0], slots), operand_base(&kernel->inputs[1], slots)},
        .scratch = workspace};
    char *rest = (char *)workspace + of_threads;
    run.out = cpu_whole_begin(&p->whole, slots, rest);
    if (!p->zero_units) memset(run.out, 0, (size_t)p->whole.count * dtype_table[p->whole.dtype].size);
    if (p->whole.count > 0) parallel_for(kernel->width, p->units, 1, unpool_units, &run);
    cpu_whole_end(&p->whole, kernel, slots, rest);
    return true;
}

const struct cpu_kind cpu_unpool = {.prepare = prepare_unpool, .launch = launch_unpool};

/* ---- pool_take ---- */

struct take_plan {
    struct cpu_rows rows;
    struct cpu_reader places;
    struct cpu_plane plane;
};

/* Prepare reading at the positions of pooling. Return false with a fault on error. */
static bool prepare_take(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct layout *out = &kernel->outputs[0].layout;
    struct take_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    p->plane = plane_of(kernel->attr, &kernel->inputs[0].layout);
    return cpu_reader_prepare(&p->places, kernel->inputs[1].dtype, TY_I64, fault) &&
           cpu_rows_prepare(&p->rows, kernel, out->rank, out->shape, p->places.scratch, arena, fault);
}

/* Read elements first .. first+n-1 of the index's row at at[] from x into out. */
static void make_row(const struct cpu_row_call *call, const int64_t *at, int64_t first, int64_t n,
                     void *out) {
    const struct kernel *kernel = call->kernel;
    const struct take_plan *p = kernel->prepared;
    const struct pool_attr *attr = kernel->attr;
    const struct layout *x = &kernel->inputs[0].layout, *index = &kernel->inputs[1].layout;
    int last = x->rank - 1;
    bool windowed = is_windowed(attr, last);
    int64_t step = windowed ? 0 : x->strides[last], from = first * step, place = first * index->strides[last];
    for (int i = 0; i < last; i++) {
        place += at[i] * index->strides[i];
        if (!is_windowed(attr, i)) from += at[i] * x->strides[i];
    }
    size_t size = dtype_table[kernel->inputs[0].dtype].size;
    const char *places = operand_base(&kernel->inputs[1], call->slots) + place * (int64_t)p->places.size;
    const int64_t *indices = cpu_read(&p->places, places, index->strides[last], n, call->scratch);
    cpu_pick(size, n, out, operand_base(&kernel->inputs[0], call->slots) + from * (int64_t)size, step,
             &p->plane, indices);
}

/* Read at the positions of pooling on the addresses slots[]. Always true. */
static bool launch_take(const struct kernel *kernel, void *const *slots, void *workspace,
                        struct fault *fault) {
    (void)fault;
    const struct take_plan *p = kernel->prepared;
    cpu_rows_run(&p->rows, kernel, slots, workspace, NULL, make_row);
    return true;
}

const struct cpu_kind cpu_pool_take = {.prepare = prepare_take, .launch = launch_take};
