/*
 * Plans a reduction: innermost axes, cutting into units, scratch per thread.
 *
 * Along rows, reduced axes are innermost and a result is folded from contiguous elements. Down columns, kept axes are
 * innermost and vectors of results are folded row by row. Memory strides decide; bits do not depend on it.
 */
#include "ops/core/guard.h"
#include "base/number.h"
#include "engine/cpu/reduce/reduce.h"
#include "ops/core/row_op.h"
#include "ops/core/structure.h"

static const struct reduce_type *const *const tables[ISA_COUNT] = ISA_TABLE(reduce_);

const struct reduce_type *reduce_type_find(ty_dtype dtype) { return tables[isa_current()][dtype]; }

/* ---- dtypes ---- */

static const struct reduce_attr *attr_of(const struct kernel *kernel) { return kernel->attr; }

/* Return the dtype that is reduced in, for values of dtype `value`: bool for any and all, a wide one for sums and
   products. */
static ty_dtype working_dtype(const struct kernel *kernel, ty_dtype value) {
    int kind = attr_of(kernel)->kind;
    if (kind == REDUCE_ANY || kind == REDUCE_ALL) return TY_BOOL;
    if (kind == REDUCE_SUM || kind == REDUCE_PROD) value = dtype_table[kernel->core_dtype].sums;
    return dtype_table[value].computed;
}

/* Set *cast to the cast between dtypes, NULL if they are equal, and return true. Return false with the fault set
   if the engine has no such cast. */
static bool find_cast(cpu_loop *cast, ty_dtype from, ty_dtype to, struct fault *fault) {
    *cast = from == to ? NULL : cpu_loop_find(&op_cast, from, to);
    return from == to || *cast ||
           fault_set(fault, E_UNSUPPORTED, "the cpu engine has no cast from %s to %s", ty_dtype_name(from),
                     ty_dtype_name(to));
}

/* Choose the loops, the start value and the casts of a reduction. Return false, with a fault, if a loop is
   missing. */
static bool plan_loops(struct reduce_plan *p, const struct kernel *kernel, struct fault *fault) {
    static const uint8_t folds[] = {
        [REDUCE_SUM] = REDUCE_SUM, [REDUCE_PROD] = REDUCE_PROD,  [REDUCE_MAX] = REDUCE_MAX,
        [REDUCE_MIN] = REDUCE_MIN, [REDUCE_ARGMAX] = REDUCE_MAX, [REDUCE_ARGMIN] = REDUCE_MIN,
        [REDUCE_ANY] = REDUCE_MAX, [REDUCE_ALL] = REDUCE_MIN};
    int kind = attr_of(kernel)->kind;
    ty_dtype value = p->values ? cpu_body_dtype(p->values) : kernel->inputs[0].dtype;
    ty_dtype work = working_dtype(kernel, value);
    bool arg = kind == REDUCE_ARGMAX || kind == REDUCE_ARGMIN,
         sum = kind == REDUCE_SUM || kind == REDUCE_PROD;
    p->place = arg ? kind - REDUCE_ARGMAX : -1;
    p->settled = kind == REDUCE_ANY ? 1 : kind == REDUCE_ALL ? 0 : -1;
    p->empty = kind == REDUCE_PROD ? -1 : kind == REDUCE_ALL;
    p->size = dtype_table[work].size;
    p->type = reduce_type_find(sum && work == TY_I64 ? TY_U64 : work);
    if (p->type) p->fold = p->type->fold[folds[kind]];
    if (!p->fold.rows)
        return fault_set(fault, E_UNSUPPORTED, "%s: the cpu engine does not reduce %s", kernel->op->name,
                         ty_dtype_name(work));
    bool inexact = dtype_is(work, CLASS_FLOAT | CLASS_COMPLEX);
    p->block = inexact ? REDUCE_LANE_ELEMENTS * p->type->lanes : cpu_tile;
    p->lanes = inexact ? p->type->lanes : 1;
    return find_cast(&p->start, value, work, fault) &&
           find_cast(&p->finish, arg ? TY_I64 : work, kernel->core_dtype, fault);
}

/* ---- axes ---- */

struct axes {
    int order[TY_MAX_RANK]; /* outer kept, reduced, inner kept */
    int outer, reduced, inner;
};

/* Return the sum of the inputs' absolute strides along an axis, each at most a tile: the cost of walking
   along it. */
static int64_t step(const struct kernel *kernel, int axis) {
    int64_t sum = 0;
    for (int i = 0; i < kernel->ncore; i++) {
        int64_t stride = kernel->inputs[i].layout.strides[axis];
        stride = stride < 0 ? -stride : stride;
        sum += stride < cpu_tile ? stride : cpu_tile;
    }
    return sum;
}

/* Return true if all inputs step evenly from axis b to axis a (a < b), so that they merge. */
static bool merges(const struct kernel *kernel, int a, int b) {
    for (int i = 0; i < kernel->ncore; i++) {
        const struct layout *x = &kernel->inputs[i].layout;
        if (x->strides[a] != x->strides[b] * x->shape[b]) return false;
    }
    return true;
}

/* Return how many of the last of `kept` axes keep[] are walked innermost, so that columns are reduced; 0: rows are.
   last_reduced: the last reduced axis, -1: none. */
static int inner_axes(const struct kernel *kernel, int kept, const int *keep, int last_reduced) {
    enum { ENOUGH = 16 }; /* columns that hide the cost of a step down */
    const int64_t *shape = kernel->inputs[0].layout.shape;
    if (kept == 0 || (last_reduced >= 0 && step(kernel, keep[kept - 1]) >= step(kernel, last_reduced)))
        return 0;
    int64_t columns = shape[keep[kept - 1]];
    int n = 1;
    while (n < kept && (columns < ENOUGH || merges(kernel, keep[kept - n - 1], keep[kept - n])))
        columns *= shape[keep[kept - ++n]];
    return n;
}

/* Set the order of axes: outer kept, reduced, inner kept; those of size 1 are dropped. */
static void sort_axes(const struct kernel *kernel, struct axes *axes) {
    const struct layout *x = &kernel->inputs[0].layout;
    int keep[TY_MAX_RANK], reduce[TY_MAX_RANK], kept = 0, reduced = 0, n = 0;
    for (int i = 0; i < x->rank; i++) {
        if (x->shape[i] == 1) continue;
        if (attr_of(kernel)->axes >> i & 1)
            reduce[reduced++] = i;
        else
            keep[kept++] = i;
    }
    axes->reduced = reduced;
    axes->inner = inner_axes(kernel, kept, keep, reduced ? reduce[reduced - 1] : -1);
    axes->outer = kept - axes->inner;
    for (int i = 0; i < axes->outer; i++) axes->order[n++] = keep[i];
    for (int i = 0; i < reduced; i++) axes->order[n++] = reduce[i];
    for (int i = axes->outer; i < kept; i++) axes->order[n++] = keep[i];
}

/* Set *out to x with its axes in the order order[rank], in the arena. Return false if out of memory. */
static bool permuted(struct layout *out, const struct layout *x, int rank, const int *order,
                     struct arena *arena) {
    out->rank = rank;
    out->offset = x->offset;
    out->shape = arena_array(arena, 2 * (size_t)rank + 1, sizeof(int64_t));
    out->strides = out->shape + rank;
    if (!out->shape) return false;
    for (int i = 0; i < rank; i++) {
        out->shape[i] = x->shape[order[i]];
        out->strides[i] = x->strides[order[i]];
    }
    return true;
}

/* Prepare p->values, the program that computes or collects the elements to reduce, in the order of the
   axes. Return false with a fault on error. */
static bool plan_values(struct reduce_plan *p, const struct kernel *kernel, const struct axes *axes,
                        struct arena *arena, struct fault *fault) {
    int rank = axes->outer + axes->reduced + axes->inner;
    struct operand *inputs = arena_array(arena, (size_t)kernel->ncore, sizeof *inputs);
    if (!inputs) return fault_memory(fault, (size_t)kernel->ncore * sizeof *inputs);
    for (int i = 0; i < kernel->ncore; i++) {
        inputs[i] = kernel->inputs[i];
        if (!permuted(&inputs[i].layout, &kernel->inputs[i].layout, rank, axes->order, arena))
            return fault_memory(fault, sizeof(int64_t) * (size_t)rank);
        const struct guard *guard = kernel->inputs[i].guard;
        if (guard && !(inputs[i].guard = guard_copy(rank, axes->order, guard, arena)))
            return fault_memory(fault, sizeof *guard);
    }
    const int64_t *shape = inputs[0].layout.shape;
    p->outer = shape_size(axes->outer, shape);
    p->reduced = shape_size(axes->reduced, shape + axes->outer);
    p->inner = shape_size(axes->inner, shape + axes->outer + axes->reduced);
    p->down = axes->inner > 0;
    p->values =
        cpu_body_prepare(kernel->prologue, false, TY_BOOL, kernel->ncore, inputs, 0, NULL, arena, fault);
    return p->values != NULL;
}

/* Set p->slot[k] and p->walk[k], the iteration order over operand x, and *lies to true if that is contiguous
   along the last axis. Return false with a fault on error. */
static bool plan_walk(struct reduce_plan *p, int k, const struct operand *x, const struct axes *axes,
                      struct arena *arena, bool *lies, struct fault *fault) {
    struct layout *walk = &p->walk[k];
    p->slot[k] = x->slot;
    if (!permuted(walk, &x->layout, axes->outer + axes->reduced + axes->inner, axes->order, arena))
        return fault_memory(fault, sizeof *p);
    layout_collapse(1, &walk);
    int last = walk->rank - 1;
    *lies = last < 0 || walk->strides[last] == 1;
    return true;
}

/* Return true if the prologue is one product or square that the sum can do itself, with factors[] set to the
   indices of its two inputs. Else false; factors[] is then undefined. */
static bool is_product(const struct reduce_plan *p, const struct kernel *kernel, int *factors) {
    const struct program *program = kernel->prologue;
    if (!program || program->ninstrs != 1 || p->start || p->down || !p->type->products) return false;
    const struct instr *instr = &program->instrs[0];
    bool square = instr->op == ROW_OP(square);
    if (attr_of(kernel)->kind != REDUCE_SUM || (!square && instr->op != ROW_OP(mul))) return false;
    factors[0] = instr->src[0];
    factors[1] = square ? instr->src[0] : instr->src[1];
    return program->outputs[0] == program->ninputs && instr->out == instr->in;
}

/* Plan reading inputs in place, without a prologue program, if their layouts allow it. Return false with a fault on
   error. */
static bool plan_direct(struct reduce_plan *p, const struct kernel *kernel, const struct axes *axes,
                        struct arena *arena, struct fault *fault) {
    int factors[2] = {0};
    bool lies[2] = {false, false};
    p->tile = round_up(cpu_tile, p->block); /* tests make tiles smaller than blocks */
    p->pair = is_product(p, kernel, factors);
    if (!p->pair && (kernel->prologue || p->start)) return true;
    for (int k = 0; k <= p->pair; k++)
        if (kernel->inputs[factors[k]].guard) p->pair = false;
    if (!p->pair && (kernel->prologue || kernel->inputs[0].guard)) return true;
    for (int k = 0; k <= p->pair; k++)
        if (!plan_walk(p, k, &kernel->inputs[factors[k]], axes, arena, &lies[k], fault)) return false;
    p->direct = !p->pair && lies[0];
    p->pair = p->pair && lies[0] && lies[1];
    bool flat = p->walk[0].rank <= 1 && (!p->pair || p->walk[1].rank <= 1);
    bool exact = p->lanes == 1, lengthens = (p->direct || p->pair) && flat;
    if (lengthens) p->tile = round_up(REDUCE_LONG_TILE / CPU_TILE * cpu_tile, p->block);
    if (lengthens && exact && !p->down) p->block = p->tile / 4;
    struct layout_room room;
    struct layout *reduced = layout_room_init(&room, axes->reduced);
    const struct layout *x = &kernel->inputs[0].layout;
    for (int i = 0; i < axes->reduced; i++) {
        reduced->shape[i] = x->shape[axes->order[axes->outer + i]];
        reduced->strides[i] = x->strides[axes->order[axes->outer + i]];
    }
    layout_collapse(1, &reduced);
    p->run = reduced->rank ? reduced->shape[reduced->rank - 1] : 1;
    p->run_stride = reduced->rank ? reduced->strides[reduced->rank - 1] : 0;
    return true;
}

/* Plan reading by strips if the input is contiguous along the outermost axis of the iteration alone. Return
   false with a fault on error. */
static bool plan_strips(struct reduce_plan *p, const struct kernel *kernel, const struct axes *axes,
                        struct arena *arena, struct fault *fault) {
    struct reduce_strip *s = &p->strip;
    struct layout *walk = &s->walk;
    const struct operand *x = &kernel->inputs[0];
    if (p->direct || p->pair || kernel->prologue || x->guard) return true;
    if (!permuted(walk, &x->layout, axes->outer + axes->reduced + axes->inner, axes->order, arena))
        return fault_memory(fault, sizeof *p);
    if (layout_collapse(1, &walk) < 2 || walk->strides[0] != 1 || walk->shape[0] < REDUCE_STRIP_LEAST)
        return true;
    s->size = dtype_table[x->dtype].size;
    s->slot = x->slot;
    s->inner = shape_size(walk->rank - 1, walk->shape + 1);
    const int64_t line = CACHE_LINE / (int64_t)s->size, last = walk->strides[walk->rank - 1];
    s->pitch = s->inner + line; /* rows a power of two apart would share the sets of a cache */
    bool fits = s->pitch <= REDUCE_STRIP_BYTES / CACHE_LINE, far = last >= line || last <= -line;
    s->rows = fits && far ? line : 0;
    return true;
}

/* ---- work ---- */

/* Cut the elements of few long results into parts of 2^k blocks, which are whole subtrees of the sum, for several
   threads. */
static void plan_parts(struct reduce_plan *p) {
    p->parts = 1;
    p->part = p->reduced;
    int64_t most = p->units > 0 ? REDUCE_UNITS / p->units : 0;
    if (most < 2 || p->units >= 16) return;
    int64_t part = round_up(cpu_tile, p->block);
    while (part * p->width < cpu_parted(REDUCE_UNIT) || (p->reduced + part - 1) / part > most) part *= 2;
    if (part >= p->reduced) return;
    p->part = part;
    p->parts = (p->reduced + part - 1) / part;
}

/* Divide the results into units of work, p->width results each, and cut long ones into parts. */
static void plan_units(struct reduce_plan *p) {
    int64_t results = p->down ? p->inner : p->outer, most = cpu_tile;
    if (p->down)
        most = p->lanes > 1 || p->place >= 0 ? REDUCE_COLUMNS : cpu_tile;
    else if (p->reduced > 0)
        most = cpu_parted(REDUCE_UNIT) / p->reduced;
    p->width = most < 1 ? 1 : most > cpu_tile ? cpu_tile : most;
    if (p->width > results) p->width = results ? results : 1;
    p->units_a_row = (results + p->width - 1) / p->width;
    p->units = p->down ? p->outer * p->units_a_row : p->units_a_row;
    plan_parts(p);
}

static size_t take(size_t *total, size_t bytes) {
    size_t at = *total;
    *total += cpu_per_thread(bytes);
    return at;
}

/* Compute where each thread's buffers are in its scratch, and the bytes of it and of the parts' results. */
static void plan_scratch(struct reduce_plan *p) {
    size_t width = (size_t)p->width * p->size, total = p->store.scratch;
    int levels = 1;
    while (levels < REDUCE_LEVELS - 1 && (p->block << levels) < p->reduced) levels++;
    p->at_values = take(&total, cpu_body_scratch(p->values));
    p->strip.at = take(&total, (size_t)(p->strip.rows * p->strip.pitch) * p->strip.size);
    p->strip.at_values = take(&total, p->strip.rows ? (size_t)(p->tile + CPU_TILE) * p->strip.size : 0);
    p->at_cast = take(&total, p->start ? CPU_TILE * p->size : 0);
    p->at_lanes = take(&total, p->down ? (size_t)p->lanes * width : (REDUCE_LONG_TILE / 64) * p->size);
    p->at_levels = take(&total, (size_t)(levels + 8) * (p->down ? width : p->size));
    p->at_result = take(&total, width);
    p->at_places = take(&total, p->place < 0 ? 0 : (size_t)p->width * sizeof(int64_t));
    p->scratch = total;
    p->partial = cpu_per_thread(width + (p->place < 0 ? 0 : (size_t)p->width * sizeof(int64_t)));
    p->partials = p->parts > 1 ? (size_t)(p->units * p->parts) * p->partial : 0;
}

bool reduce_plan(struct reduce_plan *p, const struct kernel *kernel, struct arena *arena,
                 struct fault *fault) {
    struct axes axes;
    sort_axes(kernel, &axes);
    if (!plan_values(p, kernel, &axes, arena, fault) || !plan_loops(p, kernel, fault) ||
        !plan_direct(p, kernel, &axes, arena, fault) || !plan_strips(p, kernel, &axes, arena, fault))
        return false;
    plan_units(p);
    plan_scratch(p);
    return true;
}
