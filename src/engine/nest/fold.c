/* Kinds that fold along axes: REDUCE and SCAN.  Orders of sums are those of engine/cpu/reduce/reduce.h and scan.h. */
#include "contract/narrow.h"
#include "engine/cpu/reduce/reduce.h"
#include "engine/cpu/reduce/scan.h"
#include "engine/nest/draft.h"
#include "engine/nest/folds.h"

/* Return the elements of 64 bytes, the lanes of sums. */
static int lanes_of(ty_dtype dtype) { return CONTRACT_LANE_BYTES / (int)dtype_table[dtype].size; }

/* ---- REDUCE ---- */

static const uint8_t reduce_folds[] = {
    [REDUCE_SUM] = TY_NEST_SUM, [REDUCE_PROD] = TY_NEST_PROD,     [REDUCE_MAX] = TY_NEST_MAX,
    [REDUCE_MIN] = TY_NEST_MIN, [REDUCE_ARGMAX] = TY_NEST_ARGMAX, [REDUCE_ARGMIN] = TY_NEST_ARGMIN,
    [REDUCE_ANY] = TY_NEST_MAX, [REDUCE_ALL] = TY_NEST_MIN};

/* Return the dtype in which values of dtype `value` are reduced. */
static ty_dtype reduce_dtype(const struct kernel *k, int kind, ty_dtype value) {
    if (kind == REDUCE_ANY || kind == REDUCE_ALL) return TY_BOOL;
    if (kind == REDUCE_SUM || kind == REDUCE_PROD) value = dtype_table[k->core_dtype].sums;
    return dtype_table[value].computed;
}

/* Read the inputs along axes[] and run the prologue; return the register of the value, and its dtype. */
static int read_values(struct draft *d, const int *axes, ty_dtype *dtype) {
    const struct kernel *k = d->l->k;
    const struct program *p = k->prologue;
    int inputs[PROGRAM_MAX_INPUTS], result[PROGRAM_MAX_OUTPUTS] = {0};
    *dtype = k->inputs[0].dtype;
    for (int i = 0; i < k->ncore; i++) inputs[i] = nest_read_input(d, i, axes);
    if (!p) return inputs[0];
    nest_program(d, false, p, inputs, result);
    int at = p->outputs[0];
    *dtype = at < p->ninputs ? k->inputs[at].dtype : p->instrs[at - p->ninputs].out;
    return result[0];
}

/* Return the register of the row-major index over the reduced axes. */
static int reduced_place(struct draft *d, const struct layout *x, uint64_t reduced, const int *axes) {
    int r = nest_index(d, 0, -1, 0);
    int64_t stride = 1;
    for (int i = x->rank - 1; i >= 0; i--) {
        if (!(reduced >> i & 1)) continue;
        nest_step(nest_read_of(d, r), axes[i], stride);
        stride *= x->shape[i];
    }
    return r;
}

void lower_reduce(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct reduce_attr *attr = k->attr;
    const struct layout *x = &k->inputs[0].layout;
    struct draft *d = nest_over_outputs(l, "reduce", x->rank);
    int axes[TY_MAX_RANK], out = 0, second = 0;
    bool kept = k->outputs[0].layout.rank == x->rank;
    if (!d) return;
    for (int i = 0; i < x->rank; i++) {
        bool folded = attr->axes >> i & 1;
        axes[i] = folded ? nest_dim(d, x->shape[i], TY_NEST_FOLD) : out;
        out += !folded || kept;
    }
    ty_dtype dtype;
    int value = read_values(d, axes, &dtype);
    bool place = attr->kind == REDUCE_ARGMAX || attr->kind == REDUCE_ARGMIN;
    if (place) second = reduced_place(d, x, attr->axes, axes);
    ty_nest_fold fold = {.kind = reduce_folds[attr->kind], .dtype = reduce_dtype(k, attr->kind, dtype)};
    if (nest_rounds(&fold)) {
        fold.lanes = lanes_of(fold.dtype);
        fold.block = REDUCE_LANE_ELEMENTS * fold.lanes;
    }
    value = nest_cast(d, false, value, dtype, fold.dtype);
    int result = nest_fold(d, fold, value, second, NEST_NONE);
    nest_deliver(d, nest_cast(d, true, result, place ? TY_I64 : fold.dtype, k->core_dtype));
    nest_end(d);
}

/* ---- SCAN ---- */

static const uint8_t scan_folds[] = {
    [SCAN_SUM] = TY_NEST_SUM,      [SCAN_PROD] = TY_NEST_PROD,     [SCAN_MAX] = TY_NEST_MAX,
    [SCAN_MIN] = TY_NEST_MIN,      [SCAN_ARGMAX] = TY_NEST_ARGMAX, [SCAN_ARGMIN] = TY_NEST_ARGMIN,
    [SCAN_LINEAR] = TY_NEST_LINEAR};

/* Return the number of steps of a part of the axis; 0: it is not cut. */
static int64_t part_of(const struct layout *x, const struct scan_attr *attr) {
    int64_t outer = shape_size(attr->axis, x->shape), n = x->shape[attr->axis] - (attr->exclusive != 0);
    int64_t inner = shape_size(x->rank - attr->axis - 1, x->shape + attr->axis + 1);
    int64_t width = inner < CPU_TILE ? inner : CPU_TILE;
    return scan_steps_of_part(width ? outer * ((inner + width - 1) / width) : 0, width, n, SCAN_PART);
}

/* Return true if all axes after the scanned one have size 1. */
static bool is_line(const struct layout *x, const struct scan_attr *attr) {
    return shape_size(x->rank - attr->axis - 1, x->shape + attr->axis + 1) == 1;
}

/* Set the order of a running sum or product of reals. */
static void order_of(ty_nest_fold *fold, const struct layout *x, const struct scan_attr *attr) {
    if (!nest_rounds(fold) || fold->kind == TY_NEST_LINEAR) return;
    fold->block = part_of(x, attr);
    if (is_line(x, attr) && dtype_is(fold->dtype, CLASS_FLOAT)) fold->lanes = lanes_of(fold->dtype);
}

/* Deliver a filter's lines, of dtype `wide`, which have the scanned axis last.  Results of halves are rounded to f32
   first. */
static void deliver_filtered(struct lowering *l, int lines, ty_dtype wide) {
    const struct kernel *k = l->k;
    const struct scan_attr *attr = k->attr;
    const struct layout *x = &k->inputs[0].layout;
    int64_t strides[TY_MAX_RANK], n = x->shape[attr->axis];
    struct draft *d = nest_over_outputs(l, "store the filtered lines", 0);
    if (!d) return;
    lower_line_strides(x->rank, x->shape, attr->axis, strides);
    int r = nest_read(d, lines, wide, attr->reverse ? n - 1 : 0);
    for (int a = 0; a < x->rank; a++)
        nest_step(nest_read_of(d, r), a, a == attr->axis && attr->reverse ? -1 : strides[a]);
    ty_dtype computed = dtype_table[k->core_dtype].computed;
    nest_deliver(d, nest_cast(d, false, nest_cast(d, false, r, wide, computed), computed, k->core_dtype));
    nest_end(d);
}

/* FILTER reads its own results at several distances, so its core is an algorithm.  As on `cpu`, its state is f64 or
   c128. */
static void lower_filter(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct scan_attr *attr = k->attr;
    const struct layout *x = &k->inputs[0].layout, *b = &k->inputs[1].layout, *a = &k->inputs[2].layout;
    ty_dtype wide = dtype_is(k->core_dtype, CLASS_COMPLEX) ? TY_C128 : TY_F64;
    int lead = b->rank - 1;
    int64_t n = x->shape[attr->axis], all = shape_size(x->rank, x->shape), lines = n ? all / n : 0;
    int64_t sets = shape_size(lead, b->shape), nb = b->shape[lead], na = a->shape[lead];
    int64_t order = na > nb - 1 ? na : nb - 1;
    if (order < 1) order = 1;
    uint64_t values[] = {(uint64_t)n, (uint64_t)nb, (uint64_t)na, (uint64_t)order,
                         sets ? (uint64_t)(lines / sets) : 1};
    int from = lower_lines(l, 0, attr->axis, attr->reverse, wide);
    int taps[] = {lower_lines(l, 1, -1, false, wide), lower_lines(l, 2, -1, false, wide)};
    int made = lower_temporary(l, wide, all), state = lower_temporary(l, wide, lines * (order + 1));
    lower_call(l, (struct lower_call){.function = ALGORITHM_filter,
                                      .dtype = wide,
                                      .items = n ? lines : 0,
                                      .slots = (int[]){from, taps[0], taps[1], made, state},
                                      .nvalues = 5,
                                      .values = values});
    deliver_filtered(l, made, wide);
}

void lower_scan(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct scan_attr *attr = k->attr;
    const struct layout *x = &k->inputs[0].layout;
    ty_dtype dtype = k->inputs[0].dtype;
    if (attr->kind == SCAN_FILTER) {
        lower_filter(l);
        return;
    }
    struct draft *d = nest_over_outputs(l, "scan", 0);
    if (!d) return;
    d->dims[attr->axis].role = TY_NEST_RUN;
    if (attr->reverse) {
        d->origin[attr->axis] = x->shape[attr->axis] - 1;
        d->way[attr->axis] = -1;
    }
    bool place = attr->kind == SCAN_ARGMAX || attr->kind == SCAN_ARGMIN;
    bool sums = attr->kind == SCAN_SUM || attr->kind == SCAN_PROD;
    ty_nest_fold fold = {.kind = scan_folds[attr->kind],
                         .dtype = dtype_table[sums ? k->core_dtype : dtype].computed,
                         .exclusive = attr->exclusive};
    order_of(&fold, x, attr);
    int value = nest_read_input(d, 0, NULL), second = 0;
    if (attr->kind == SCAN_LINEAR) second = nest_read_input(d, 1, NULL);
    if (place) second = nest_axis(d, attr->axis, 0);
    value = nest_cast(d, false, value, dtype, fold.dtype);
    if (attr->kind == SCAN_LINEAR) second = nest_cast(d, false, second, k->inputs[1].dtype, fold.dtype);
    int result = nest_fold(d, fold, value, second, NEST_NONE);
    /* Along lines `cpu` joins each result to a total before it, 1 if there is none; signs of zeros show it. */
    if (attr->kind == SCAN_PROD && dtype_is(fold.dtype, CLASS_COMPLEX) && is_line(x, attr))
        result = nest_op(d, true, "mul", fold.dtype, fold.dtype, nest_constant(d, fold.dtype, 1), result,
                         NEST_NONE);
    nest_deliver(d, nest_cast(d, true, result, place ? TY_I64 : fold.dtype, k->core_dtype));
    nest_end(d);
}
