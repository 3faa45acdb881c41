/*
 * Kernel kind POOL: the plan, and the cutting of rows into parts. pool.h explains how a row is made. pool_window
 * describes windows. For the adjoint (SPREAD), "rows" are those of windows, and taps run backwards.
 */
#include "engine/cpu/window/pool.h"
#include <string.h>
#include "base/number.h"
#include "ops/window/pool.h"

static const struct pool_type *const *const tables[ISA_COUNT] = ISA_TABLE(pool_);

/* Return floor(a / b) for any a and positive b. */
static int64_t floor_of(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
/* Return ceil(a / b) for any a and positive b. */
static int64_t ceiling_of(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

static int kind_of(const struct pool_part *part) {
    return ((const struct pool_attr *)part->kernel->attr)->kind;
}

/* ---- taps ---- */

/* Return the number of taps of window i, those outside x included. */
static int64_t taps_of(const struct pool_window *w, int64_t i) {
    return w->size ? w->size : pool_adaptive_end(w, i) - pool_adaptive_start(w, i);
}

/* Return the position in x of tap t of window i; -1 if it is outside. For `kind` SPREAD the roles are exchanged:
   the window that has position i at its tap, counted backwards. */
static int64_t tap_of(int kind, const struct pool_window *w, int64_t i, int64_t t) {
    if (kind == POOL_SPREAD && w->size) {
        int64_t at = i + w->low - (w->size - 1 - t) * w->dilation;
        return at < 0 || at % w->stride || at / w->stride >= w->windows ? -1 : at / w->stride;
    }
    int64_t at = w->size ? i * w->stride - w->low + t * w->dilation : pool_adaptive_start(w, i) + t;
    return at < w->length ? at : -1;
}

/* List in rows[] the rows of one plane x that output row `row` needs, from tap *from on, at most `room`; skip
   those outside x. `deep`: index of the plane's first row. Return their number and advance *from behind the last
   tap examined. */
static int rows_of_plane(const struct pool_part *part, int64_t row, const char *x, int64_t deep,
                         int64_t *from, struct pool_row *rows, int room) {
    const struct pool_plan *p = part->plan;
    const struct pool_window *w = &p->window[1];
    int64_t step = p->steps[1] * (int64_t)p->reader.size, i = part->at[1] + row, begin = 0,
            end = taps_of(w, i);
    int kind = kind_of(part), count = 0;
    if (p->even) pool_inside(w, i, &begin, &end);
    if (*from > begin) begin = *from;
    for (int64_t t = begin; t < end && count < room; *from = ++t) {
        int64_t at = p->even ? i * w->stride - w->low + t * w->dilation : tap_of(kind, w, i, t);
        if (at >= 0)
            rows[count++] = (struct pool_row){x + at * step, (deep + at) * p->window[POOL_OTHER].length};
    }
    return count;
}

int pool_rows(const struct pool_part *part, int64_t row, int64_t *from, struct pool_row rows[POOL_TAPS]) {
    const struct pool_plan *p = part->plan;
    const struct pool_window *w = p->window;
    if (p->flat) return rows_of_plane(part, row, part->x, 0, from, rows, POOL_TAPS - 1);
    int64_t across = taps_of(&w[1], part->at[1] + row), all = taps_of(&w[0], part->at[0]) * across;
    int count = 0;
    while (*from < all && count < POOL_TAPS - 1) {
        int64_t plane = *from / across, tap = *from % across,
                a = tap_of(kind_of(part), &w[0], part->at[0], plane);
        if (a >= 0) {
            const char *x = part->x + a * p->steps[0] * (int64_t)p->reader.size;
            count += rows_of_plane(part, row, x, a * w[1].length, &tap, rows + count, POOL_TAPS - 1 - count);
        }
        *from = count < POOL_TAPS - 1 || tap == across ? (plane + 1) * across : plane * across + tap;
    }
    return count;
}

struct pool_run pool_spread_run(const struct pool_window *w, int64_t t, int64_t from, int64_t to) {
    int64_t shift = t * w->dilation - w->low;
    int64_t first = greater(ceiling_of(from - shift, w->stride), 0);
    int64_t end = lesser(ceiling_of(to - shift, w->stride), w->windows);
    return (struct pool_run){first, end, first * w->stride + shift};
}

/* ---- rows and parts ---- */

/* Set the range of columns of x that the part's line holds: begin and columns. Also set low and high: columns
   low .. high-1, relative to begin, are inside x. */
static void set_columns(struct pool_part *part) {
    const struct pool_window *w = &part->plan->window[POOL_OTHER];
    int64_t limit = w->length, last = part->j + part->n - 1, span = (w->size - 1) * w->dilation, end;
    if (!w->size) {
        part->begin = pool_adaptive_start(w, part->j);
        end = pool_adaptive_end(w, last);
    } else if (kind_of(part) == POOL_SPREAD) {
        limit = w->windows;
        part->begin = greater(ceiling_of(part->j + w->low - span, w->stride), 0);
        end = greater(lesser(floor_of(last + w->low, w->stride) + 1, limit), part->begin);
    } else {
        part->begin = part->j * w->stride - w->low;
        end = last * w->stride - w->low + span + 1;
    }
    part->columns = end - part->begin;
    part->low = part->begin < 0 ? lesser(-part->begin, part->columns) : 0;
    part->high = greater(lesser(limit - part->begin, part->columns), part->low);
}

/* Set the runs of elements inside x that a row of the part reads: offset, number, length and stride. */
static void set_stretches(struct pool_part *part) {
    const struct pool_plan *p = part->plan;
    int64_t inside = part->high - part->low, column = p->steps[POOL_OTHER];
    bool one = part->w == 1, dense = p->step == 1 && column == part->w;
    part->skip = inside ? (part->begin + part->low) * column * (int64_t)p->reader.size : 0;
    part->stretches = one || dense ? 1 : inside;
    part->stretch = one ? inside : dense ? inside * part->w : part->w;
    part->stride = one ? column : p->step;
    part->lying = part->stretches == 1 && part->stride == 1 && !p->reader.cast;
}

/* Return the part for a plane, given its index[] on the outer axes; set *at to its offset in x, in elements. */
static struct pool_part part_of_plane(const struct cpu_row_call *call, const int64_t *index, int64_t *at) {
    const struct kernel *kernel = call->kernel;
    const struct pool_plan *p = kernel->prepared;
    struct pool_part part = {.kernel = kernel, .plan = p, .scratch = call->scratch, .rows = 1};
    *at = 0;
    for (int i = 0; i < p->before; i++) *at += index[i] * kernel->inputs[0].layout.strides[i];
    if (p->axes == POOL_AXES) part.at[0] = index[p->before];
    return part;
}

/* Limit the part to elements made at once, of the n from `first` on in its plane: whole rows, pixels of a row, or
   channels of a pixel. Set *channel to the first channel; return the number of elements. */
static int64_t cut_part(struct pool_part *part, int64_t first, int64_t n, int64_t *channel) {
    const struct pool_plan *p = part->plan;
    int64_t within = first % p->row, left = lesser(n, p->row - within), pixel = within / p->pixel;
    *channel = within % p->pixel;
    part->at[1] = first / p->row;
    part->j = pixel;
    part->w = *channel || left < p->pixel ? lesser(p->pixel - *channel, left) : p->pixel;
    int64_t most = greater((POOL_LINE / part->w - p->reach) / p->advance + 1, 1);
    part->n = part->w < p->pixel ? 1 : lesser(left / p->pixel, most);
    bool whole = part->n * part->w == p->row;
    part->rows = whole ? n / p->row : 1;
    return part->rows * part->n * part->w;
}

/* Compute elements first .. first+n-1 of the plane at index[] into out, part by part. */
static void make_elements(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                          void *out) {
    int64_t at, channel, count;
    struct pool_part part = part_of_plane(call, index, &at);
    const struct pool_plan *p = part.plan;
    const char *x = operand_base(&call->kernel->inputs[0], call->slots);
    char *to = p->finish ? call->scratch + p->at_row : out;
    for (int64_t done = 0; done < n; done += count) {
        count = cut_part(&part, first + done, n - done, &channel);
        part.x = x + (at + channel * p->step) * (int64_t)p->reader.size;
        set_columns(&part);
        set_stretches(&part);
        if (kind_of(&part) == POOL_INDEX)
            pool_make_places(&part, (int64_t *)(void *)to + done);
        else
            pool_make_values(&part, to + done * (int64_t)p->size);
    }
    if (p->finish) p->finish(n, out, to, NULL, NULL);
}

/* ---- plan ---- */

/* Return the dtype in which elements are pooled; for positions it is wide enough that an integer of its size counts
   them. */
static ty_dtype working_dtype(const struct kernel *kernel) {
    const struct pool_attr *attr = kernel->attr;
    ty_dtype dtype = kernel->inputs[0].dtype;
    if (attr->kind == POOL_MEAN) return dtype_table[kernel->core_dtype].computed;
    if (attr->kind == POOL_SUM || attr->kind == POOL_SPREAD) return dtype_table[kernel->core_dtype].computed;
    dtype = dtype_table[dtype].computed;
    if (attr->kind == POOL_MAX || dtype_table[dtype].size == 8) return dtype;
    if (dtype_table[dtype].size < 4) dtype = TY_I32;
    int64_t volume = 1;
    for (int k = 0; k < attr->axes; k++) volume *= kernel->inputs[0].layout.shape[attr->axis + k];
    if (volume < INT32_MAX) return dtype;
    return dtype == TY_F32 ? TY_F64 : dtype == TY_I32 ? TY_I64 : TY_U64;
}

/* Choose the loops and casts of pooling for its dtype. Return false, with a fault, if one is missing. */
static bool plan_dtype(struct pool_plan *p, const struct kernel *kernel, struct fault *fault) {
    const struct pool_attr *attr = kernel->attr;
    ty_dtype dtype = kernel->inputs[0].dtype, work = working_dtype(kernel);
    const struct reduce_type *type = reduce_type_find(work);
    bool max = attr->kind == POOL_MAX || attr->kind == POOL_INDEX;
    p->type = tables[isa_current()][work];
    if (p->type) p->loops = max ? p->type->max : p->type->sum;
    if (!type || !p->loops.taps)
        return fault_set(fault, E_UNSUPPORTED, "%s: the cpu engine does not %s %s", kernel->op->name,
                         max ? "compare" : "add", ty_dtype_name(work));
    p->fill = type->fold[max ? REDUCE_MAX : REDUCE_SUM].fill;
    p->size = dtype_table[work].size;
    bool same = attr->kind == POOL_INDEX || work == kernel->core_dtype;
    p->finish = same ? NULL : cpu_loop_find(&op_cast, work, kernel->core_dtype);
    if (!same && !p->finish)
        return fault_set(fault, E_UNSUPPORTED, "%s: the cpu engine has no cast to %s", kernel->op->name,
                         ty_dtype_name(kernel->core_dtype));
    return cpu_reader_prepare(&p->reader, dtype, work, fault);
}

/* Exchange positions and windows of adaptive windows, for the adjoint. They are symmetric: floor(i n / o) <= p <
   ceil((i+1) n / o) says floor(p o / n) <= i < ceil((p+1) o / n). */
static void turn_round(struct pool_window *w) {
    int64_t length = w->length;
    w->length = w->windows;
    w->windows = length;
}

/* Set the windows, steps and sizes of the pooled axes, missing ones of size 1, and the reach of windows in
   x. */
static void plan_axes(struct pool_plan *p, const struct kernel *kernel) {
    const struct pool_attr *attr = kernel->attr;
    const struct layout *x = &kernel->inputs[0].layout;
    p->before = attr->axis;
    p->axes = attr->axes;
    for (int k = 0; k < POOL_AXES; k++) {
        int axis = k + attr->axes - POOL_AXES;
        p->counted[k] = axis < 0 ? (struct pool_window){1, 1, 1, 0, 0, 1, 1} : attr->window[axis];
        p->window[k] = pool_trimmed(p->counted[k]);
        p->steps[k] = axis < 0 ? 0 : x->strides[attr->axis + axis];
        if (attr->kind == POOL_SPREAD && !p->window[k].size) turn_round(&p->window[k]);
    }
    p->even = p->window[1].size && attr->kind != POOL_SPREAD && p->window[1].size < POOL_TAPS;
    p->flat = p->window[0].length == 1 && p->window[0].windows == 1 && p->window[0].low == 0;
    bool channels = attr->axis + attr->axes < x->rank;
    p->pixel = channels ? x->shape[x->rank - 1] : 1;
    p->step = channels ? x->strides[x->rank - 1] : 1;
    const struct pool_window *w = &p->window[POOL_OTHER];
    int64_t span = (w->size - 1) * w->dilation, even = w->windows ? w->length / w->windows : 0;
    p->advance = !w->size ? even + 1 : attr->kind == POOL_SPREAD ? 1 : w->stride;
    p->reach = !w->size ? even + 2 : attr->kind == POOL_SPREAD ? span / w->stride + 2 : span + 1;
}

/* Prepare pooling: dtype, axes and scratch. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct pool_attr *attr = kernel->attr;
    const struct layout *out = &kernel->outputs[0].layout;
    struct pool_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    if (!plan_dtype(p, kernel, fault)) return false;
    plan_axes(p, kernel);
    int64_t shape[TY_MAX_RANK];
    int plane = attr->axis + (attr->axes == POOL_AXES);
    memcpy(shape, out->shape, sizeof *shape * (size_t)plane);
    p->row = out->shape[attr->axis + attr->axes - 1] * p->pixel;
    shape[plane] = attr->axes == 1 ? p->row : out->shape[attr->axis + attr->axes - 2] * p->row;
    bool places = attr->kind == POOL_INDEX;
    int64_t widest = lesser(p->pixel, cpu_tile), line = greater(POOL_LINE, p->reach * widest);
    size_t row = cpu_per_thread(CPU_TILE * p->size), of_line = cpu_per_thread((size_t)line * p->size);
    p->at_row = p->reader.scratch;
    p->at_line = p->at_row + row;
    p->at_row_places = p->at_line + of_line;
    p->at_line_places = p->at_row_places + (places ? row : 0);
    size_t scratch = p->at_line_places + (places ? of_line : 0);
    if (!cpu_rows_prepare(&p->rows, kernel, plane + 1, shape, scratch, arena, fault)) return false;
    cpu_rows_whole(&p->rows, p->row);
    return true;
}

/* Compute pooling on the addresses slots[]. Always true. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct pool_plan *p = kernel->prepared;
    cpu_rows_run(&p->rows, kernel, slots, workspace, NULL, make_elements);
    return true;
}

const struct cpu_kind cpu_pool = {.prepare = prepare, .launch = launch};
