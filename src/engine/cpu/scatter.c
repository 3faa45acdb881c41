/*
 * Scatter: g's slices are added to zeros at indices that may repeat.  Units of work are parts of the output
 * that no other unit touches: an outer index, a band of places, a range of the inner axes; each looks
 * through all indices in order, so that the sums are the same however many threads there are.
 */
#include <string.h>
#include "engine/cpu/index.h"
#include "engine/cpu/place.h"
#include "ops/lower.h"

enum { BAND_WORK = 64 }; /* elements added for an index, so that looking at it for nothing does not matter */

struct scatter_plan {
    struct cpu_whole whole;
    struct cpu_index index;
    struct cpu_around around; /* of g */
    struct cpu_reader reader;
    const struct cpu_add *add;
    int64_t outer, count, inner; /* sizes of g */
    struct layout along;         /* the index's axes in g, collapsed */
    bool single;                 /* no inner axes, and g steps evenly along the index */
    struct cpu_plane plane;      /* then */
    int64_t size;                /* of the output's axis */
    int64_t bands, pieces;       /* of the axis and of inner */
    size_t at_index, at_threads, at_whole, scratch;
};

/* Bands are for threads to have work; which there are changes no bit. */
static void plan_units(struct scatter_plan *p, int width) {
    int64_t pieces = (p->inner + CPU_TILE - 1) / CPU_TILE;
    p->pieces = pieces > 0 ? pieces : 1;
    int64_t units = p->outer * p->pieces, missing = units > 0 ? width / units : 1;
    bool worth = p->count * p->inner >= 1 << 15 && p->inner >= BAND_WORK;
    p->bands = worth && missing > 1 ? missing : 1;
    if (p->bands > p->size) p->bands = p->size > 0 ? p->size : 1;
}

static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct gather_attr *attr = kernel->attr;
    const struct layout *g = &kernel->inputs[0].layout, *index = &kernel->inputs[1].layout;
    struct scatter_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    int after = attr->axis + index->rank;
    p->size = attr->size;
    if (!cpu_whole_prepare(&p->whole, kernel, arena, fault) ||
        !cpu_index_prepare(&p->index, &kernel->inputs[1], attr->size, arena, fault) ||
        !cpu_around_prepare(&p->around, g, attr->axis, after, arena, fault) ||
        !cpu_reader_prepare(&p->reader, kernel->inputs[0].dtype, p->whole.dtype, fault))
        return false;
    p->add = cpu_add_find(p->whole.dtype);
    if (!p->add)
        return fault_set(fault, "%s: the cpu engine does not add %s", kernel->op->name,
                         ty_dtype_name(p->whole.dtype));
    p->outer = shape_size(attr->axis, g->shape);
    p->count = p->index.count;
    p->inner = shape_size(g->rank - after, g->shape + after);
    struct layout along = {index->rank, 0, g->shape + attr->axis, g->strides + attr->axis};
    if (!layout_copy(&p->along, &along, arena)) return fault_memory(fault, sizeof *p);
    layout_collapse(1, (struct layout *[]){&p->along});
    p->single = p->around.inner.rank == 0 && p->along.rank <= 1;
    p->plane = (struct cpu_plane){p->size, p->size, {p->size, 1}};
    plan_units(p, kernel->width);
    p->scratch = p->reader.scratch;
    p->at_index = p->index.scratch;
    p->at_threads = p->at_index + p->index.bytes;
    p->at_whole = p->at_threads + (size_t)kernel->width * p->scratch;
    kernel->workspace += p->at_whole;
    return true;
}

struct scatter_run {
    const struct scatter_plan *p;
    const int64_t *indices;
    const char *g;
    char *out, *scratch;
};

/* Elements first .. first+n-1 of the inner axes of a slice at `g`, added at `to`. */
static void add_slice(const struct scatter_run *run, char *scratch, const char *g, int64_t first, int64_t n,
                      char *to) {
    const struct scatter_plan *p = run->p;
    const struct layout *inner = &p->around.inner;
    int last = inner->rank - 1;
    size_t size = dtype_table[p->whole.dtype].size;
    if (last < 0) p->add->run(1, to, 1, cpu_read(&p->reader, g, 1, 1, scratch));
    while (n > 0 && last >= 0) {
        int64_t index[TY_MAX_RANK], at = 0;
        cpu_unrank(inner->rank, inner->shape, first, index);
        int64_t left = inner->shape[last] - index[last], count = left < n ? left : n;
        for (int i = 0; i <= last; i++) at += index[i] * inner->strides[i];
        const void *values =
            cpu_read(&p->reader, g + at * (int64_t)p->reader.size, inner->strides[last], count, scratch);
        p->add->run(count, to, 1, values);
        to += count * (int64_t)size;
        first += count;
        n -= count;
    }
}

/* One element for each index. */
static void add_elements(const struct scatter_run *run, char *scratch, const char *g, char *out) {
    const struct scatter_plan *p = run->p;
    int64_t stride = p->along.rank ? p->along.strides[0] : 1;
    for (int64_t k = 0; k < p->count; k += CPU_TILE) {
        int64_t n = p->count - k < CPU_TILE ? p->count - k : CPU_TILE;
        const void *values =
            cpu_read(&p->reader, g + k * stride * (int64_t)p->reader.size, stride, n, scratch);
        p->add->at(n, out, 0, &p->plane, run->indices + k, values);
    }
}

static void add_all(const struct scatter_run *run, char *scratch, const char *g, int64_t low, int64_t high,
                    int64_t first, int64_t n, char *out) {
    const struct scatter_plan *p = run->p;
    int64_t size = (int64_t)dtype_table[p->whole.dtype].size, at = 0;
    struct odometer walk = {.rank = p->along.rank, .shape = p->along.shape};
    const int64_t *strides = p->along.strides, even = walk.rank == 1 ? strides[0] : 0;
    for (int64_t k = 0; k < p->count; k++) {
        int64_t place = run->indices[k];
        if (place >= low && place < high)
            add_slice(run, scratch, g + at * (int64_t)p->reader.size, first, n,
                      out + (place * p->inner + first) * size);
        if (walk.rank == 1)
            at += even;
        else
            odometer_next(&walk, 1, &strides, &at);
    }
}

static void clear(const struct scatter_plan *p, char *out, int64_t low, int64_t high, int64_t first,
                  int64_t n) {
    int64_t size = (int64_t)dtype_table[p->whole.dtype].size;
    if (n == p->inner)
        memset(out + low * n * size, 0, (size_t)((high - low) * n * size));
    else
        for (int64_t i = low; i < high; i++)
            memset(out + (i * p->inner + first) * size, 0, (size_t)(n * size));
}

static void scatter_units(void *context, int64_t begin, int64_t end) {
    const struct scatter_run *run = context;
    const struct scatter_plan *p = run->p;
    const struct layout *outer = &p->around.outer;
    char *scratch = run->scratch + (size_t)parallel_index() * p->scratch;
    int64_t size = (int64_t)dtype_table[p->whole.dtype].size;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t piece = unit % p->pieces, band = unit / p->pieces % p->bands,
                row = unit / p->pieces / p->bands;
        int64_t first = piece * CPU_TILE, n = p->inner - first < CPU_TILE ? p->inner - first : CPU_TILE;
        int64_t each = (p->size + p->bands - 1) / p->bands, low = band * each, high = low + each;
        if (high > p->size) high = p->size;
        if (low >= high) continue;
        int64_t index[TY_MAX_RANK], at = 0;
        cpu_unrank(outer->rank, outer->shape, row, index);
        for (int i = 0; i < outer->rank; i++) at += index[i] * outer->strides[i];
        char *out = run->out + row * p->size * p->inner * size;
        clear(p, out, low, high, first, n);
        const char *g = run->g + at * (int64_t)p->reader.size;
        if (p->single)
            add_elements(run, scratch, g, out);
        else
            add_all(run, scratch, g, low, high, first, n, out);
    }
}

static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct scatter_plan *p = kernel->prepared;
    char *base = workspace;
    struct scatter_run run = {p, (int64_t *)(base + p->at_index), cpu_base(&kernel->inputs[0], slots),
                              .scratch = base + p->at_threads};
    if (!cpu_index_read(&p->index, kernel, slots, base, (int64_t *)(base + p->at_index), fault)) return false;
    run.out = cpu_whole_begin(&p->whole, slots, base + p->at_whole);
    if (p->whole.count > 0)
        parallel_for(kernel->width, p->outer * p->bands * p->pieces, 1, scatter_units, &run);
    cpu_whole_end(&p->whole, kernel, slots, base + p->at_whole);
    return true;
}

const struct cpu_kind cpu_scatter = {prepare, launch};
