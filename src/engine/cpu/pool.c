/*
 * Max pooling and the place of the maximum, row by row of the output.
 *
 * Where the last axis is not one that windows slide along (NHWC), a row of channels is the maximum of a few
 * rows of x.  Where it is (NCHW), the maximum separates: first of the rows under each other into a line with
 * its padding, then of neighbours in that line.  No padded copy of x is made; rows outside are left out.
 * Places are looked for tap by tap in row-major order, so that the first of equals stays.
 */
#include "engine/cpu/pool.h"
#include <string.h>

static const struct pool_type *const *const tables[ISA_COUNT] = {
    [ISA_BASE] = pool_base,
#if defined(__x86_64__)
    [ISA_AVX2] = pool_avx2,
    [ISA_AVX512] = pool_avx512,
#endif
};

enum { TAPS = 64 }; /* rows folded at once */

struct pool_plan {
    struct cpu_rows rows;
    struct cpu_reader reader;
    const struct pool_type *type;
    struct reduce_fold fold;
    cpu_loop finish;        /* to the core's dtype; NULL: the same */
    size_t size;            /* of an element that is compared */
    int sliding;            /* which of the two axes is the last; -1: none */
    size_t at_line, at_row; /* in the scratch of a row, behind the reader's; line: or places */
};

/* Windows of one output row on axis k: x's positions start .. start+size-1, taps low .. high-1 of them
 * inside. */
struct span {
    int64_t start, low, high;
};

static struct span span_at(const struct kernel *kernel, int k, int64_t i) {
    const struct pool_attr *attr = kernel->attr;
    int64_t n = kernel->inputs[0].layout.shape[attr->axis[k]], start = i * attr->stride[k] - attr->low[k];
    int64_t left = n - start;
    return (struct span){start, start < 0 ? -start : 0, left < attr->size[k] ? left : attr->size[k]};
}

/* One row of the output: where its values go, and x at its indices on all axes but the two. */
struct row {
    const struct kernel *kernel;
    const struct pool_plan *plan;
    const struct pool_attr *attr;
    const char *x;
    char *scratch;
    int64_t step[2], stride; /* bytes from position to position of the two axes; elements along the row */
    struct span span[2];     /* of the axis that slides: not meant */
    int64_t first, n;
};

static void row_at(struct row *r, const struct cpu_row_call *call, const int64_t *index, int64_t first,
                   int64_t n) {
    const struct kernel *kernel = r->kernel = call->kernel;
    const struct pool_plan *plan = r->plan = kernel->prepared;
    const struct pool_attr *attr = r->attr = kernel->attr;
    const struct layout *x = &kernel->inputs[0].layout;
    int last = x->rank - 1;
    int64_t at = plan->sliding < 0 ? first * x->strides[last] : 0, size = (int64_t)plan->reader.size;
    for (int i = 0; i < last; i++)
        if (i != attr->axis[0] && i != attr->axis[1]) at += index[i] * x->strides[i];
    r->x = cpu_base(&kernel->inputs[0], call->slots) + at * size;
    r->scratch = call->scratch;
    r->stride = x->strides[last];
    r->first = first;
    r->n = n;
    for (int k = 0; k < 2; k++) {
        r->step[k] = x->strides[attr->axis[k]] * size;
        if (k != plan->sliding) r->span[k] = span_at(kernel, k, index[attr->axis[k]]);
    }
}

/* ---- the maximum ---- */

/* Folds rows into `to`; those that cannot be used as they lie, one by one. */
struct taps {
    const struct row *row;
    int64_t n;
    char *to;
    int count;
    const void **x; /* room for TAPS */
};

static void flush(struct taps *t) {
    t->row->plan->type->taps(t->n, t->count, t->x, t->to);
    t->x[0] = t->to;
    t->count = 1;
}

static void add_tap(struct taps *t, const char *x) {
    const struct row *r = t->row;
    bool lying = r->stride == 1 && !r->plan->reader.cast;
    t->x[t->count++] = lying ? x : cpu_read(&r->plan->reader, x, r->stride, t->n, r->scratch);
    if (t->count == TAPS || !lying) flush(t);
}

static void max_of_channels(const struct row *r, char *out) {
    const void *room[TAPS];
    struct taps taps = {r, r->n, out, 0, room};
    for (int64_t i = r->span[0].low; i < r->span[0].high; i++)
        for (int64_t j = r->span[1].low; j < r->span[1].high; j++)
            add_tap(&taps, r->x + (r->span[0].start + i) * r->step[0] + (r->span[1].start + j) * r->step[1]);
    if (taps.count) flush(&taps);
}

/* Columns begin .. begin+n-1 of the rows under each other, which may be outside of x, into `line`. */
static void max_of_rows(const struct row *r, int64_t begin, int64_t n, char *line) {
    const struct pool_plan *p = r->plan;
    int down = !p->sliding;
    int64_t width = r->kernel->inputs[0].layout.shape[r->attr->axis[p->sliding]];
    int64_t low = begin < 0 ? -begin : 0, high = width - begin < n ? width - begin : n;
    if (low > 0) p->fold.fill(low, line);
    if (high < n) p->fold.fill(n - high, line + high * (int64_t)p->size);
    for (int64_t i = low; i < high; i += CPU_TILE) {
        const void *room[TAPS];
        struct taps taps = {r, high - i < CPU_TILE ? high - i : CPU_TILE, line + i * (int64_t)p->size, 0,
                            room};
        const char *x = r->x + (begin + i) * r->step[p->sliding] + r->span[down].start * r->step[down];
        for (int64_t k = r->span[down].low; k < r->span[down].high; k++)
            add_tap(&taps, x + k * r->step[down]);
        flush(&taps);
    }
}

/* Asks for the rows that a few output rows later need: the processor's own guess stops at every page. */
static void prefetch(const struct row *r) {
    enum { AHEAD = 1024, MOST = 4096, LINE = 64 };
    int down = !r->plan->sliding;
    int64_t width = r->kernel->inputs[0].layout.shape[r->attr->axis[r->plan->sliding]];
    int64_t bytes = r->attr->stride[down] * width * (int64_t)r->plan->reader.size;
    int64_t behind = (r->span[down].start + r->span[down].high) * r->step[down];
    uintptr_t next = (uintptr_t)r->x + (uintptr_t)behind + AHEAD;
    for (int64_t i = 0; i < bytes && i < MOST && r->stride == 1; i += LINE)
        __builtin_prefetch((const void *)(next + (uintptr_t)i));
}

static void max_sliding(const struct row *r, char *out) {
    const struct pool_plan *p = r->plan;
    int64_t size = r->attr->size[p->sliding], stride = r->attr->stride[p->sliding];
    char *line = r->scratch + p->at_line;
    prefetch(r);
    max_of_rows(r, r->first * stride - r->attr->low[p->sliding], (r->n - 1) * stride + size, line);
    p->type->slide(r->n, size, stride, out, line);
}

static void make_max(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    struct row r;
    row_at(&r, call, index, first, n);
    char *values = r.plan->finish ? r.scratch + r.plan->at_row : out;
    if (r.plan->sliding < 0)
        max_of_channels(&r, values);
    else
        max_sliding(&r, values);
    if (r.plan->finish) r.plan->finish(n, out, values, NULL, NULL);
}

/* ---- its place ---- */

static int64_t width_of(const struct row *r) { return r->kernel->inputs[0].layout.shape[r->attr->axis[1]]; }

/* Compares windows from .. from+n-1 at one tap with the best so far. */
static void look(const struct row *r, const char *x, int64_t stride, int64_t from, int64_t n, int64_t place) {
    const struct pool_plan *p = r->plan;
    int64_t at = from * (int64_t)p->size;
    const void *values = x;
    if (p->reader.cast) {
        values = cpu_read(&p->reader, x, stride, n, r->scratch);
        stride = 1;
    }
    p->type->look(n, r->scratch + p->at_row + at, r->scratch + p->at_line + at, values, stride, place);
}

static void places_of_channels(const struct row *r, int64_t *places) {
    const struct span down = r->span[0], along = r->span[1];
    int64_t width = width_of(r);
    r->plan->type->mark(r->n, r->scratch + r->plan->at_line, down.low * width + along.low);
    for (int64_t i = down.low; i < down.high; i++)
        for (int64_t j = along.low; j < along.high; j++) {
            const char *x = r->x + (down.start + i) * r->step[0] + (along.start + j) * r->step[1];
            look(r, x, r->stride, 0, r->n, i * width + j);
        }
    r->plan->type->place(r->n, places, r->scratch + r->plan->at_line, down.start * width + along.start, 0);
}

/* The windows of the row whose tap t on the sliding axis is inside x: from .. from+n-1, the first one's at
 * `at`. */
static int64_t windows_inside(const struct row *r, int64_t t, int64_t *from, int64_t *at) {
    int k = r->plan->sliding;
    int64_t size = r->kernel->inputs[0].layout.shape[r->attr->axis[k]], stride = r->attr->stride[k];
    int64_t first = r->first * stride - r->attr->low[k] + t;
    int64_t begin = first < 0 ? (-first + stride - 1) / stride : 0;
    int64_t end = first < size ? (size - first + stride - 1) / stride : 0;
    *from = begin;
    *at = first + begin * stride;
    return (end < r->n ? end : r->n) - begin;
}

/* Tap t of the sliding axis k, tap i of the other. */
static void look_sliding(const struct row *r, int k, int64_t t, int64_t i) {
    int64_t from, at, n = windows_inside(r, t, &from, &at), stride = r->stride * r->attr->stride[k];
    const char *x = r->x + (r->span[!k].start + i) * r->step[!k] + at * r->step[k];
    if (n > 0) look(r, x, stride, from, n, k == 1 ? i * width_of(r) + t : t * width_of(r) + i);
}

/* Places are counted from where each window starts; the first tap inside x is the one that is marked. */
static void places_sliding(const struct row *r, int64_t *places) {
    const struct pool_plan *p = r->plan;
    const struct span other = r->span[!p->sliding];
    int k = p->sliding;
    int64_t width = width_of(r), along = k == 1 ? 1 : width, across = k == 1 ? width : 1;
    int64_t start = r->first * r->attr->stride[k] - r->attr->low[k], step = r->attr->stride[k],
            size = r->attr->size[k];
    char *marks = r->scratch + p->at_line;
    p->type->mark(r->n, marks, other.low * across);
    for (int64_t j = 0; j < r->n && start + j * step < 0; j++)
        p->type->mark(1, marks + j * (int64_t)p->size, other.low * across - (start + j * step) * along);
    if (k == 1)
        for (int64_t i = other.low; i < other.high; i++)
            for (int64_t t = 0; t < size; t++) look_sliding(r, k, t, i);
    else
        for (int64_t t = 0; t < size; t++)
            for (int64_t i = other.low; i < other.high; i++) look_sliding(r, k, t, i);
    p->type->place(r->n, places, marks, start * along + other.start * across, step * along);
}

static void make_places(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                        void *out) {
    struct row r;
    row_at(&r, call, index, first, n);
    r.plan->fold.fill(n, r.scratch + r.plan->at_row);
    if (r.plan->sliding < 0)
        places_of_channels(&r, out);
    else
        places_sliding(&r, out);
}

/* ---- */

/* The dtype that is compared; for places so wide that an integer of its size counts them. */
static ty_dtype working_dtype(const struct kernel *kernel) {
    const struct pool_attr *attr = kernel->attr;
    const int64_t *shape = kernel->inputs[0].layout.shape;
    ty_dtype dtype = kernel->inputs[0].dtype;
    if (dtype == TY_F16 || dtype == TY_BF16) dtype = TY_F32;
    if (attr->kind == POOL_MAX || dtype_table[dtype].size == 8) return dtype;
    if (dtype_table[dtype].size < 4) dtype = TY_I32;
    if (shape[attr->axis[0]] * shape[attr->axis[1]] <= INT32_MAX) return dtype;
    return dtype == TY_F32 ? TY_F64 : dtype == TY_I32 ? TY_I64 : TY_U64;
}

static bool plan_dtype(struct pool_plan *p, const struct kernel *kernel, struct fault *fault) {
    const struct pool_attr *attr = kernel->attr;
    ty_dtype dtype = kernel->inputs[0].dtype, work = working_dtype(kernel);
    const struct reduce_type *type = reduce_type_find(work);
    p->type = tables[isa_current()][work];
    if (!type || !p->type)
        return fault_set(fault, "%s: the cpu engine does not compare %s", kernel->op->name,
                         ty_dtype_name(work));
    p->fold = type->fold[REDUCE_MAX];
    p->size = dtype_table[work].size;
    p->finish = attr->kind == POOL_MAX && work != dtype ? cpu_loop_find(&op_cast, work, dtype) : NULL;
    if (attr->kind == POOL_MAX && work != dtype && !p->finish)
        return fault_set(fault, "%s: the cpu engine has no cast to %s", kernel->op->name,
                         ty_dtype_name(dtype));
    return cpu_reader_prepare(&p->reader, dtype, work, fault);
}

static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct pool_attr *attr = kernel->attr;
    const struct layout *out = &kernel->outputs[0].layout;
    struct pool_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    if (!plan_dtype(p, kernel, fault)) return false;
    int last = out->rank - 1;
    p->sliding = last == attr->axis[1] ? 1 : last == attr->axis[0] ? 0 : -1;
    int64_t row = out->shape[last] < CPU_TILE ? out->shape[last] : CPU_TILE;
    size_t line = (size_t)row; /* of places */
    if (p->sliding >= 0 && row > 0)
        line = (size_t)((row - 1) * attr->stride[p->sliding] + attr->size[p->sliding]);
    p->at_row = p->reader.scratch;
    p->at_line = p->at_row + cpu_per_thread(CPU_TILE * p->size);
    return cpu_rows_prepare(&p->rows, kernel, out->rank, out->shape,
                            p->at_line + cpu_per_thread(line * p->size), arena, fault);
}

static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct pool_plan *p = kernel->prepared;
    const struct pool_attr *attr = kernel->attr;
    cpu_rows_run(&p->rows, kernel, slots, workspace, NULL, attr->kind == POOL_MAX ? make_max : make_places);
    return true;
}

const struct cpu_kind cpu_pool = {prepare, launch};
