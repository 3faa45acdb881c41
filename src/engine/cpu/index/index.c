#include "engine/cpu/index/index.h"
#include <stdatomic.h>
#include <string.h>
#include "engine/cpu/elementwise/collect.h"
#include "ops/core/kernel/kernel_lower.h"
#include "ops/index/index.h"

enum { TILES_A_RANGE = 16 };

static const struct cpu_index_loops *loops_of(ty_dtype dtype) {
    static const struct cpu_index_loops *const tables[ISA_COUNT] = ISA_TABLE(index_);
    return &tables[isa_current()][dtype];
}

/* ---- relations of axes ---- */

/* Return the first axis of the space that an index tensor has; the index tensors are operands `first` and
   later. */
static int block_begin(const struct kernel *kernel, int first) {
    const struct gather_attr *attr = kernel->attr;
    int begin = attr->end;
    for (int t = first; t < kernel->ncore; t++)
        if (attr->end - kernel->inputs[t].layout.rank < begin)
            begin = attr->end - kernel->inputs[t].layout.rank;
    return begin;
}

void cpu_space_strides(const struct gather_attr *attr, const struct layout *x, int64_t *strides) {
    memset(strides, 0, sizeof *strides * (size_t)attr->rank);
    for (int i = 0; i < x->rank; i++)
        if (attr->axis[i] < GATHER_INDEXED && x->shape[i] != 1) strides[attr->axis[i]] = x->strides[i];
}

void cpu_block_strides(const struct kernel *kernel, int first, const int64_t *shape, int64_t *strides) {
    const struct gather_attr *attr = kernel->attr;
    int begin = block_begin(kernel, first);
    memset(strides, 0, sizeof *strides * (size_t)attr->rank);
    shape_row_major(attr->end - begin, shape + begin, strides + begin);
}

/* ---- preparation ---- */

/* Set *out to a collapsed copy of x in the arena, with rank >= 1; collapses x itself. Return false if out of
   memory. */
static bool collapsed(struct layout *out, struct layout *x, struct arena *arena) {
    static int64_t one = 1, none = 0;
    layout_collapse(1, &x);
    return layout_copy(out, x->rank ? x : &(struct layout){1, 0, &one, &none}, arena);
}

/* Prepare index tensor p, operand `input`: its layout by itself, and broadcast to the block of positions, whose
   shape is block[rank]. Return false if out of memory. */
static bool part_prepare(struct cpu_index_part *p, const struct kernel *kernel, int input, int rank,
                         const int64_t *block, struct arena *arena) {
    const struct operand *operand = &kernel->inputs[input];
    struct layout_room room;
    struct layout *x = layout_room_init(&room, operand->layout.rank);
    p->input = input;
    p->dtype = operand->dtype;
    p->loops = loops_of(operand->dtype);
    layout_broadcast(&operand->layout, x->rank, operand->layout.shape, x);
    if (!collapsed(&p->own, x, arena)) return false;
    x->rank = rank;
    layout_broadcast(&operand->layout, rank, block, x);
    return collapsed(&p->block, x, arena);
}

bool cpu_index_prepare(struct cpu_index *index, const struct kernel *kernel, int first,
                       const struct layout *x, const int64_t *shape, struct arena *arena,
                       struct fault *fault) {
    const struct gather_attr *attr = kernel->attr;
    int begin = block_begin(kernel, first), rank = attr->end - begin;
    index->count = kernel->ncore - first;
    index->positions = shape_size(rank, shape + begin);
    index->scratch = CPU_TILE * sizeof(int64_t);
    index->parts = arena_array(arena, (size_t)index->count, sizeof *index->parts);
    if (!index->parts) return fault_memory(fault, (size_t)index->count * sizeof *index->parts);
    for (int t = 0; t < index->count; t++)
        if (!part_prepare(&index->parts[t], kernel, first + t, rank, shape + begin, arena))
            return fault_memory(fault, sizeof *index->parts);
    for (int i = 0; i < x->rank; i++) {
        if (attr->axis[i] < GATHER_INDEXED) continue;
        struct cpu_index_part *p = &index->parts[attr->axis[i] - GATHER_INDEXED];
        p->axis = i;
        p->size = x->shape[i];
        p->stride = x->strides[i];
    }
    return true;
}

/* Return elements start .. start+n-1 of an index tensor with layout l, contiguous: in place if dense, else copied
   to scratch. */
static const void *part_read(const struct cpu_index_part *p, const struct layout *l,
                             const struct kernel *kernel, void *const *slots, void *scratch, int64_t start,
                             int64_t n) {
    size_t size = dtype_table[p->dtype].size;
    const char *base = operand_base(&kernel->inputs[p->input], slots);
    if (l->rank == 1 && l->strides[0] == 1) return base + start * (int64_t)size;
    cpu_collect(l, size, base, scratch, start, n);
    return scratch;
}

/* ---- checking ---- */

struct check {
    const struct cpu_index_part *part;
    const struct kernel *kernel;
    void *const *slots;
    char *scratch;
    _Atomic int64_t bad; /* the first tile with an index out of range */
};

static int64_t tile_length(const struct cpu_index_part *p, int64_t tile) {
    int64_t left = shape_size(p->own.rank, p->own.shape) - tile * cpu_tile;
    return left < cpu_tile ? left : cpu_tile;
}

/* Check tiles begin .. end-1 of an index tensor; c->bad is the lowest one with an index out of range. Task of
   parallel_for; context is a struct check. */
static void check_tiles(void *context, int64_t begin, int64_t end) {
    struct check *c = context;
    const struct cpu_index_part *p = c->part;
    char *scratch = c->scratch + (size_t)parallel_index() * CPU_TILE * sizeof(int64_t);
    for (int64_t tile = begin; tile < end; tile++) {
        int64_t n = tile_length(p, tile), seen = atomic_load_explicit(&c->bad, memory_order_relaxed);
        if (tile >= seen) return;
        const void *x = part_read(p, &p->own, c->kernel, c->slots, scratch, tile * cpu_tile, n);
        if (p->loops->inside(n, x, p->size)) continue;
        while (tile < seen && !atomic_compare_exchange_weak(&c->bad, &seen, tile)) continue;
        return;
    }
}

/* Set a fault for element i, with value *x, of an index tensor, like "gather: index 7 at [0,3] is out of bounds for
   axis 1 of size 5: expected -5..4". Always return false. */
static bool outside(const struct cpu_index_part *p, const struct kernel *kernel, const void *x, int64_t i,
                    struct fault *fault) {
    const struct layout *own = &kernel->inputs[p->input].layout;
    int64_t at[TY_MAX_RANK], value = element_load(p->dtype, x).i;
    cpu_unrank(own->rank, own->shape, i, at);
    return index_refused(kernel, p->input, at, value, p->axis, p->size, fault);
}

/* Set the fault of the first index out of range in tile `tile`, and return false. */
static bool first_outside(const struct cpu_index_part *p, const struct kernel *kernel, void *const *slots,
                          void *scratch, int64_t tile, struct fault *fault) {
    int64_t n = tile_length(p, tile), k = 0;
    const char *x = part_read(p, &p->own, kernel, slots, scratch, tile * cpu_tile, n);
    size_t size = dtype_table[p->dtype].size;
    while (k < n - 1 && p->loops->inside(1, x + (size_t)k * size, p->size)) k++;
    return outside(p, kernel, x + (size_t)k * size, tile * cpu_tile + k, fault);
}

bool cpu_index_check(const struct cpu_index *index, const struct kernel *kernel, void *const *slots,
                     void *scratch, struct fault *fault) {
    for (int t = 0; t < index->count; t++) {
        const struct cpu_index_part *p = &index->parts[t];
        struct check c = {p, kernel, slots, scratch, INT64_MAX};
        int64_t tiles = (shape_size(p->own.rank, p->own.shape) + cpu_tile - 1) / cpu_tile;
        parallel_for(kernel->width, tiles, TILES_A_RANGE, check_tiles, &c);
        if (c.bad != INT64_MAX) return first_outside(p, kernel, slots, scratch, c.bad, fault);
    }
    return true;
}

/* ---- offsets ---- */

/* Set out[] to the offsets of positions start .. start+n-1: index * stride, summed over the index tensors. With
   `look`, check indices first, and return false if one is out of range. */
static bool add_up(const struct cpu_index *index, const struct kernel *kernel, void *const *slots,
                   void *scratch, int64_t start, int64_t n, int64_t *out, bool look) {
    memset(out, 0, (size_t)n * sizeof *out);
    for (int t = 0; t < index->count; t++) {
        const struct cpu_index_part *p = &index->parts[t];
        const void *x = part_read(p, &p->block, kernel, slots, scratch, start, n);
        if (look && !p->loops->inside(n, x, p->size)) return false;
        p->loops->add(n, out, x, p->size, p->stride);
    }
    return true;
}

void cpu_index_offsets(const struct cpu_index *index, const struct kernel *kernel, void *const *slots,
                       void *scratch, int64_t start, int64_t n, int64_t *out) {
    add_up(index, kernel, slots, scratch, start, n, out, false);
}

bool cpu_index_try(const struct cpu_index *index, const struct kernel *kernel, void *const *slots,
                   void *scratch, int64_t start, int64_t n, int64_t *out) {
    return add_up(index, kernel, slots, scratch, start, n, out, true);
}

struct offsets {
    const struct cpu_index *index;
    const struct kernel *kernel;
    void *const *slots;
    char *scratch;
    int64_t *out;
};

/* Compute the offsets of tiles begin .. end-1 of positions. Task of parallel_for; context is a struct offsets. */
static void offset_tiles(void *context, int64_t begin, int64_t end) {
    const struct offsets *o = context;
    char *scratch = o->scratch + (size_t)parallel_index() * o->index->scratch;
    for (int64_t start = begin * cpu_tile; start < end * cpu_tile && start < o->index->positions;
         start += cpu_tile) {
        int64_t left = o->index->positions - start, n = left < cpu_tile ? left : cpu_tile;
        cpu_index_offsets(o->index, o->kernel, o->slots, scratch, start, n, o->out + start);
    }
}

void cpu_index_all(const struct cpu_index *index, const struct kernel *kernel, void *const *slots,
                   void *scratch, int64_t *out) {
    struct offsets o = {index, kernel, slots, scratch, out};
    parallel_for(kernel->width, (index->positions + cpu_tile - 1) / cpu_tile, TILES_A_RANGE, offset_tiles,
                 &o);
}
