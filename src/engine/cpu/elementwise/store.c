/*
 * Implements store.h. Tiles depend on shapes alone, so bits do not depend on threads.
 */
#include "engine/cpu/elementwise/store.h"
#include <string.h>
#include "base/machine/cache.h"
#include "base/checked.h"

enum { TILES_A_RANGE = 16 }; /* least work worth waking a thread */

/* Prepare the store of a kernel's core values in s; `bytes`: operands of the core, which pass through the caches,
   too. Return false with a fault on error. */
static bool prepare_store(struct cpu_store *s, const struct kernel *kernel, size_t bytes, struct arena *arena,
                          struct fault *fault) {
    size_t size = dtype_table[kernel->core_dtype].size;
    *s = (struct cpu_store){
        .slot = kernel->outputs[0].slot, .size = size, .offset = kernel->outputs[0].layout.offset};
    if (!kernel->program && layout_is_contiguous(&kernel->outputs[0].layout)) return true;
    s->epilogue = cpu_body_prepare_behind(bytes, kernel->program, true, kernel->core_dtype,
                                          kernel->ninputs - kernel->ncore, kernel->inputs + kernel->ncore,
                                          kernel->noutputs, kernel->outputs, arena, fault);
    if (!s->epilogue) return false;
    s->scratch = cpu_per_thread(CPU_TILE * size) + cpu_per_thread(cpu_body_scratch(s->epilogue));
    return true;
}

bool cpu_store_prepare(struct cpu_store *s, const struct kernel *kernel, struct arena *arena,
                       struct fault *fault) {
    return prepare_store(s, kernel, 0, arena, fault);
}

static char *output_at(const struct cpu_store *s, void *const *slots, int64_t start) {
    return (char *)slots[s->slot] + (s->offset + start) * (int64_t)s->size;
}

void *cpu_store_begin(const struct cpu_store *s, void *const *slots, void *scratch, int64_t start) {
    return s->epilogue || s->bypass ? scratch : output_at(s, slots, start);
}

void cpu_store_end(const struct cpu_store *s, void *const *slots, void *scratch, int64_t start, int64_t n) {
    if (s->bypass) cache_bypass_copy(output_at(s, slots, start), scratch, (size_t)n * s->size);
    if (!s->epilogue) return;
    char *rest = (char *)scratch + cpu_per_thread(CPU_TILE * s->size);
    cpu_body_run(s->epilogue, slots, rest, scratch, start, n);
}

/* ---- rows ---- */

void cpu_unrank(int rank, const int64_t *shape, int64_t i, int64_t *index) {
    for (int k = rank - 1; k >= 0; k--) {
        index[k] = i % shape[k];
        i /= shape[k];
    }
}

/* Return the bytes that the kernel's core reads; broadcast elements count once. */
static size_t bytes_of_core(const struct kernel *kernel) {
    size_t bytes = 0;
    for (int i = 0; i < kernel->ncore; i++) {
        const struct layout *x = &kernel->inputs[i].layout;
        size_t size = dtype_table[kernel->inputs[i].dtype].size;
        for (int k = 0; k < x->rank; k++) size *= x->strides[k] ? (size_t)x->shape[k] : 1;
        bytes += size;
    }
    return bytes;
}

/* Prepare the store of rows in s, tile by tile, so that a large output can use non-temporal stores. Return false
   with a fault on error. */
static bool prepare_rows_store(struct cpu_store *s, const struct kernel *kernel, struct arena *arena,
                               struct fault *fault) {
    const struct layout *out = &kernel->outputs[0].layout;
    size_t bytes = bytes_of_core(kernel);
    if (!prepare_store(s, kernel, bytes, arena, fault)) return false;
    s->bypass = !s->epilogue && cache_bypassed(bytes + (size_t)shape_size(out->rank, out->shape) * s->size);
    if (s->bypass) s->scratch = cpu_per_thread(CPU_TILE * s->size);
    return true;
}

bool cpu_rows_prepare(struct cpu_rows *r, struct kernel *kernel, int rank, const int64_t *shape,
                      size_t scratch, struct arena *arena, struct fault *fault) {
    static const int64_t one = 1;
    if (rank == 0) {
        rank = 1;
        shape = &one;
    }
    r->rank = rank;
    r->shape = arena_copy(arena, shape, sizeof *shape * (size_t)rank);
    if (!r->shape) return fault_memory(fault, sizeof *shape * (size_t)rank);
    if (!prepare_rows_store(&r->store, kernel, arena, fault)) return false;
    r->length = shape[rank - 1];
    r->rows = shape_size(rank - 1, shape);
    bool shorter = r->length <= cpu_tile;
    r->rows_a_tile = shorter && r->length ? cpu_tile / r->length : 1;
    r->tile = cpu_tile;
    r->tiles_a_row = shorter ? 1 : (r->length + cpu_tile - 1) / cpu_tile;
    r->scratch = r->store.scratch + cpu_per_thread(scratch);
    kernel->width = parallel_width();
    kernel->workspace = (size_t)kernel->width * r->scratch;
    return true;
}

void cpu_rows_whole(struct cpu_rows *r, int64_t piece) {
    if (r->tiles_a_row == 1 || piece > cpu_tile) return;
    r->tile = cpu_tile / piece * piece;
    r->tiles_a_row = (r->length + r->tile - 1) / r->tile;
}

struct rows_run {
    const struct cpu_rows *r;
    struct cpu_row_call call; /* without scratch */
    char *workspace;
    cpu_row_maker make;
};

/* Compute and deliver the whole rows row .. row+count-1. */
static void make_rows(const struct rows_run *run, char *scratch, int64_t row, int64_t count) {
    const struct cpu_rows *r = run->r;
    struct cpu_row_call call = run->call;
    call.scratch = scratch + r->store.scratch;
    char *out = cpu_store_begin(&r->store, call.slots, scratch, row * r->length);
    struct odometer at = {.rank = r->rank - 1, .shape = r->shape};
    cpu_unrank(at.rank, at.shape, row, at.index);
    for (int64_t i = 0; i < count; i++) {
        run->make(&call, at.index, 0, r->length, out);
        out += r->length * (int64_t)r->store.size;
        odometer_next(&at, 0, NULL, NULL);
    }
    cpu_store_end(&r->store, call.slots, scratch, row * r->length, count * r->length);
}

/* Compute and deliver elements from `first` on of one row, at most a tile of them. */
static void make_part(const struct rows_run *run, char *scratch, int64_t row, int64_t first) {
    const struct cpu_rows *r = run->r;
    struct cpu_row_call call = run->call;
    int64_t index[TY_MAX_RANK], n = r->length - first;
    if (n > r->tile) n = r->tile;
    call.scratch = scratch + r->store.scratch;
    cpu_unrank(r->rank - 1, r->shape, row, index);
    void *out = cpu_store_begin(&r->store, call.slots, scratch, row * r->length + first);
    run->make(&call, index, first, n, out);
    cpu_store_end(&r->store, call.slots, scratch, row * r->length + first, n);
}

/* Compute tiles begin .. end-1 of the rows: parts of long rows or several short rows. Task of parallel_for;
   context is a struct rows_run. */
static void make_tiles(void *context, int64_t begin, int64_t end) {
    const struct rows_run *run = context;
    const struct cpu_rows *r = run->r;
    static char none[1]; /* used without scratch, since offsets of 0 are added to it */
    char *scratch = run->workspace ? run->workspace + (size_t)parallel_index() * r->scratch : none;
    for (int64_t tile = begin; tile < end; tile++) {
        int64_t row = tile * r->rows_a_tile, left = r->rows - row;
        if (r->tiles_a_row > 1)
            make_part(run, scratch, tile / r->tiles_a_row, tile % r->tiles_a_row * r->tile);
        else
            make_rows(run, scratch, row, left < r->rows_a_tile ? left : r->rows_a_tile);
    }
}

void cpu_rows_run(const struct cpu_rows *r, const struct kernel *kernel, void *const *slots, void *workspace,
                  const void *shared, cpu_row_maker make) {
    if (r->rows == 0 || r->length == 0) return;
    struct rows_run run = {r, {kernel, slots, shared, NULL}, workspace, make};
    int64_t tiles =
        r->tiles_a_row > 1 ? r->rows * r->tiles_a_row : (r->rows + r->rows_a_tile - 1) / r->rows_a_tile;
    parallel_for(kernel->width, tiles, TILES_A_RANGE, make_tiles, &run);
}

/* ---- sums over the whole output ---- */

bool cpu_whole_prepare(struct cpu_whole *w, struct kernel *kernel, ty_dtype sums, struct arena *arena,
                       struct fault *fault) {
    const struct layout *out = &kernel->outputs[0].layout;
    ty_dtype core = kernel->core_dtype;
    if (!cpu_store_prepare(&w->store, kernel, arena, fault)) return false;
    w->dtype = sums;
    w->finish = w->dtype == core ? NULL : cpu_loop_find(&op_cast, w->dtype, core);
    if (w->dtype != core && !w->finish)
        return fault_set(fault, E_UNSUPPORTED, "the cpu engine has no cast from f32 to %s",
                         ty_dtype_name(core));
    w->direct = w->dtype == core && !w->store.epilogue;
    w->count = shape_size(out->rank, out->shape);
    if (!checked_mul_size((size_t)w->count, dtype_table[w->dtype].size, &w->bytes) ||
        w->bytes > PTRDIFF_MAX / 2)
        return fault_memory(fault, SIZE_MAX);
    w->bytes = w->direct ? 0 : cpu_per_thread(w->bytes);
    kernel->width = parallel_width();
    kernel->workspace = w->bytes + (size_t)kernel->width * w->store.scratch;
    return true;
}

const struct layout *cpu_whole_layout(const struct kernel *kernel, struct layout_room *room) {
    const struct layout *out = &kernel->outputs[0].layout;
    struct layout *dense = layout_room_init(room, out->rank);
    shape_row_major(out->rank, out->shape, dense->strides);
    for (int i = 0; i < out->rank; i++) dense->shape[i] = out->shape[i];
    return dense;
}

void *cpu_whole_begin(const struct cpu_whole *w, void *const *slots, void *workspace) {
    return w->direct ? cpu_store_begin(&w->store, slots, NULL, 0) : workspace;
}

struct whole_run {
    const struct cpu_whole *w;
    void *const *slots;
    char *workspace;
};

/* Convert and store tiles begin .. end-1 of values that were computed as a whole. Task of parallel_for; context
   is a struct whole_run. */
static void finish_tiles(void *context, int64_t begin, int64_t end) {
    const struct whole_run *run = context;
    const struct cpu_whole *w = run->w;
    char *scratch = run->workspace + w->bytes + (size_t)parallel_index() * w->store.scratch;
    for (int64_t start = begin * cpu_tile; start < end * cpu_tile && start < w->count; start += cpu_tile) {
        int64_t n = w->count - start < cpu_tile ? w->count - start : cpu_tile;
        const char *sums = run->workspace + start * (int64_t)dtype_table[w->dtype].size;
        void *out = cpu_store_begin(&w->store, run->slots, scratch, start);
        if (w->finish)
            w->finish(n, out, sums, NULL, NULL);
        else
            memcpy(out, sums, (size_t)n * w->store.size);
        cpu_store_end(&w->store, run->slots, scratch, start, n);
    }
}

void cpu_whole_end(const struct cpu_whole *w, const struct kernel *kernel, void *const *slots,
                   void *workspace) {
    if (w->direct) return;
    struct whole_run run = {w, slots, workspace};
    parallel_for(kernel->width, (w->count + cpu_tile - 1) / cpu_tile, TILES_A_RANGE, finish_tiles, &run);
}
