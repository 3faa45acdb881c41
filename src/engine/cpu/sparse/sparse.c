/*
 * Kernel kind SPARSE: products with sparse matrices. Strided operands are copied. Rows are divided by number of
 * entries, so that a few long rows delay no thread.
 */
#include <stdatomic.h>
#include <string.h>
#include "base/machine/cache.h"
#include "engine/cpu/elementwise/dense.h"
#include "engine/cpu/elementwise/store.h"
#include "engine/cpu/sparse/sparse.h"
#include "ops/core/kernel/kernel_lower.h"
#include "ops/sparse/sparse.h"

enum { FIRST, X, INDICES, STARTS, OPERANDS };
/* ENTRIES_A_TILE: entries of a tile; WORTH: products that repay a thread. */
enum { ENTRIES_A_TILE = 2048, WORTH = 1 << 15 };
/* Bytes of a row of x from which prefetch pays. With 512 bytes it took 0.65 of the time; with 64 bytes, which the
   processor overlaps itself, 1.6 times as long. */
enum { LONG_ROW = 256 };

struct sparse_plan {
    const struct sparse_loops *loops;
    struct cpu_whole whole;
    struct sparse_job job;
    size_t size; /* bytes of an element */
    struct cpu_dense dense[OPERANDS];
    size_t masked; /* byte offset in the workspace */
};

static const struct sparse_loops *loops_of(ty_dtype dtype, ty_dtype index) {
    typedef const struct sparse_loops(*table)[2];
    static const table tables[ISA_COUNT] = ISA_TABLE(sparse_);
    return &tables[isa_current()][dtype][index == TY_I64];
}

/* ---- preparation ---- */

/* Set the sizes of the job: rows, columns, entries, and columns of x. */
static void plan_job(struct sparse_plan *p, const struct kernel *kernel) {
    const struct sparse_attr *attr = kernel->attr;
    const struct layout *x = &kernel->inputs[X].layout;
    int64_t rows = kernel->inputs[STARTS].layout.shape[0] - 1;
    p->job = (struct sparse_job){.rows = rows,
                                 .columns = attr->kind == SPARSE_ADD     ? attr->size
                                            : attr->kind == SPARSE_SOLVE ? rows
                                                                         : x->shape[0],
                                 .entries = kernel->inputs[INDICES].layout.shape[0],
                                 .width = x->shape[1],
                                 .part = attr->part,
                                 .transposed = attr->transposed};
}

/* Prepare a sparse operator: operands, loops and workspace. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct sparse_attr *attr = kernel->attr;
    struct sparse_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    p->size = dtype_table[kernel->core_dtype].size;
    p->loops = loops_of(kernel->core_dtype, kernel->inputs[INDICES].dtype);
    if (!p->loops->read || (attr->kind == SPARSE_SOLVE && !p->loops->solve))
        return fault_set(fault, E_UNSUPPORTED, "%s: the cpu engine has no products of %s", kernel->op->name,
                         ty_dtype_name(kernel->core_dtype));
    plan_job(p, kernel);
    if (!cpu_whole_prepare(&p->whole, kernel, kernel->core_dtype, arena, fault)) return false;
    kernel->width = parallel_width();
    for (int i = 0; i < OPERANDS; i++)
        if (!cpu_dense_prepare(&p->dense[i], kernel, i, arena, fault)) return false;
    bool masks = attr->part != SPARSE_ALL && (attr->kind == SPARSE_READ || attr->kind == SPARSE_ADD);
    size_t bytes = (size_t)p->job.entries * p->size;
    bool large = cache_bypassed((size_t)shape_size(2, kernel->inputs[X].layout.shape) * p->size);
    p->job.fetches = large && (size_t)p->job.width * p->size >= LONG_ROW;
    p->job.bypass = p->whole.direct && cache_bypassed((size_t)p->whole.count * p->size);
    return !masks || cpu_reserve(kernel, bytes, &p->masked) || fault_memory(fault, bytes);
}

/* ---- launch ---- */

struct sparse_run {
    struct sparse_job job;
    sparse_loop loop;
    int64_t tiles, parts;
    _Atomic int64_t fault; /* a faulty row; -1: none */
};

/* Return the first row whose entries belong to tile `tile` or later. Tiles cut the rows at equal numbers of entries
   and rows. */
static int64_t first_row(const struct sparse_run *r, int64_t tile) {
    const struct sparse_job *j = &r->job;
    int64_t low = 0, high = j->rows;
    if (tile <= 0) return 0;
    if (tile >= r->tiles) return j->rows;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (j->starts[middle] + middle < tile * ENTRIES_A_TILE)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void note(struct sparse_run *r, int64_t row) {
    if (row >= 0) atomic_store(&r->fault, row);
}

static void run_tiles(void *context, int64_t begin, int64_t end) {
    struct sparse_run *r = context;
    int64_t from = first_row(r, begin), to = first_row(r, end);
    if (from < to) note(r, r->loop(&r->job, from, to));
}

/* Run `loop` on all rows, in tiles on `threads` threads. Return false if a row is faulty; r->fault is its index,
   and no fault is set yet. */
static bool run_rows(struct sparse_run *r, sparse_loop loop, int threads) {
    r->loop = loop;
    r->tiles = (r->job.rows + r->job.entries) / ENTRIES_A_TILE + 1;
    int64_t grain = 1 + WORTH / ENTRIES_A_TILE / (r->job.width + 1);
    parallel_for(threads, r->tiles, grain, run_tiles, r);
    return atomic_load(&r->fault) < 0;
}

/* Make parts begin .. end-1 of the result, each from all entries: ranges of rows (ADD) or columns (SOLVE). Task
   of parallel_for; context is a struct sparse_run. */
static void run_parts(void *context, int64_t begin, int64_t end) {
    struct sparse_run *r = context;
    for (int64_t part = begin; part < end; part++) {
        struct sparse_job job = r->job;
        int64_t all = job.to, size = all / r->parts, more = all % r->parts;
        job.from = part * size + (part < more ? part : more);
        job.to = job.from + size + (part < more);
        if (job.from < job.to) note(r, r->loop(&job, 0, job.rows));
    }
}

/* Run `loop` on parts of 0 .. all-1, at least `least` long each, for up to `threads` threads. Return false
   if a row is faulty; r->fault is its index. */
static bool run_all(struct sparse_run *r, sparse_loop loop, int threads, int64_t all, int64_t least) {
    int64_t worth = (r->job.entries + r->job.rows) * r->job.width / WORTH, parts = all / least;
    r->loop = loop;
    r->job.to = all;
    r->parts = parts < threads ? parts : threads;
    if (r->parts > worth) r->parts = worth;
    if (r->parts < 1) r->parts = 1;
    parallel_for(threads, r->parts, 1, run_parts, r);
    return atomic_load(&r->fault) < 0;
}

static int64_t index_at(const struct kernel *kernel, const struct sparse_job *j, int64_t e) {
    return kernel->inputs[INDICES].dtype == TY_I64 ? ((const int64_t *)j->indices)[e]
                                                   : ((const int32_t *)j->indices)[e];
}

/* Set a fault for the first row with invalid starts or indices, else for `row`, which has no pivot. Always return
   false. */
static bool tell(const struct kernel *kernel, const struct sparse_job *j, int64_t row, struct fault *fault) {
    const char *name = kernel->op->name;
    for (int64_t i = 0; i < j->rows; i++) {
        int64_t from = j->starts[i], to = j->starts[i + 1];
        if (from < 0 || to < from || to > j->entries)
            return sparse_refuse_starts(fault, name, i, from, to, j->entries);
        for (int64_t e = from; e < to; e++) {
            int64_t index = index_at(kernel, j, e);
            if (index < 0 || index >= j->columns)
                return sparse_refuse_index(fault, name, index, i, j->columns);
        }
    }
    return sparse_refuse_diagonal(fault, name, row);
}

static bool check_ends(const struct kernel *kernel, const struct sparse_job *j, struct fault *fault) {
    if (j->starts[0] == 0 && j->starts[j->rows] == j->entries) return true;
    return sparse_refuse_ends(fault, kernel->op->name, j->starts[0], j->starts[j->rows], j->entries);
}

/* Copy the values to `workspace` with zeros outside the triangle or diagonal that counts, on `threads` threads,
   and let r->job use them. Return false if a row is faulty; r->fault is its index. */
static bool mask(struct sparse_run *r, const struct sparse_plan *p, int threads, char *workspace) {
    void *out = r->job.out;
    r->job.out = workspace + p->masked;
    bool done = run_rows(r, p->loops->mask, threads);
    r->job.first = r->job.out;
    r->job.out = out;
    return done;
}

/* Compute the operator of the kernel's kind. Return false if a row is faulty; r->fault is its index. */
static bool run(struct sparse_run *r, const struct kernel *kernel, char *workspace) {
    const struct sparse_plan *p = kernel->prepared;
    const struct sparse_attr *attr = kernel->attr;
    size_t bytes = (size_t)p->whole.count * p->size;
    switch ((enum sparse_kind)attr->kind) {
    case SPARSE_DOT:
        return run_rows(r, p->loops->dot, kernel->width);
    case SPARSE_SOLVE:
        if (bytes) memcpy(r->job.out, r->job.x, bytes);
        return run_all(r, p->loops->solve, kernel->width, r->job.width, 8);
    case SPARSE_ADD:
        if (attr->part != SPARSE_ALL && !mask(r, p, kernel->width, workspace)) return false;
        if (bytes) memset(r->job.out, 0, bytes);
        return run_all(r, p->loops->add, kernel->width, r->job.columns, 64);
    default:
        if (attr->part != SPARSE_ALL && !mask(r, p, kernel->width, workspace)) return false;
        return run_rows(r, p->loops->read, kernel->width);
    }
}

/* Compute a sparse operator on the addresses slots[]. Return false, with a fault, if the matrix is invalid
   or has a zero pivot. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct sparse_plan *p = kernel->prepared;
    struct sparse_run r = {.job = p->job, .fault = -1};
    r.job.first = cpu_dense_ready(&p->dense[FIRST], kernel, FIRST, slots, workspace);
    r.job.x = cpu_dense_ready(&p->dense[X], kernel, X, slots, workspace);
    r.job.indices = cpu_dense_ready(&p->dense[INDICES], kernel, INDICES, slots, workspace);
    r.job.starts = cpu_dense_ready(&p->dense[STARTS], kernel, STARTS, slots, workspace);
    if (!check_ends(kernel, &r.job, fault)) return false;
    r.job.out = cpu_whole_begin(&p->whole, slots, workspace);
    if (!run(&r, kernel, workspace)) return tell(kernel, &r.job, atomic_load(&r.fault), fault);
    cpu_whole_end(&p->whole, kernel, slots, workspace);
    return true;
}

const struct cpu_kind cpu_sparse = {.prepare = prepare, .launch = launch};
