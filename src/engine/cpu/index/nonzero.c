/*
 * Kernel kind NONZERO. Counts each block of elements, sums the counts, and writes each block's positions after those
 * of earlier blocks. So the order is row-major for any number of threads. Eight zero elements are skipped at once;
 * others are written and counted without branches.
 */
#include <string.h>
#include "base/context/stop.h"
#include "engine/cpu/elementwise/store.h"

enum { BLOCK_TILES = 16, BLOCK = BLOCK_TILES * CPU_TILE };

struct nonzero_plan {
    struct cpu_body *values; /* values of x */
    cpu_loop truth;          /* cast to bool; NULL: x is bool */
    int64_t size, blocks;
    /* byte offset in a thread's scratch; bytes of it; byte offset of scratch in the workspace */
    size_t at_truths, scratch, at_threads;
};

/* Prepare nonzero: blocks of elements, whose counts give the positions of the results. Return false with a
   fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct operand *x = &kernel->inputs[0];
    struct nonzero_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    if (kernel->program)
        return fault_set(fault, E_UNSUPPORTED, "%s: the cpu engine puts no program behind it",
                         kernel->op->name);
    p->truth = x->dtype == TY_BOOL ? NULL : cpu_loop_find(&op_cast, x->dtype, TY_BOOL);
    if (!p->truth && x->dtype != TY_BOOL)
        return fault_set(fault, E_UNSUPPORTED, "the cpu engine has no cast from %s to bool",
                         ty_dtype_name(x->dtype));
    p->values = cpu_body_prepare(NULL, false, x->dtype, 1, x, 0, NULL, arena, fault);
    if (!p->values) return false;
    p->size = shape_size(x->layout.rank, x->layout.shape);
    p->blocks = (p->size + BLOCK - 1) / BLOCK;
    p->at_truths = cpu_per_thread(cpu_body_scratch(p->values));
    p->scratch = p->at_truths + CPU_TILE + CPU_TILE * sizeof(int64_t);
    p->at_threads = cpu_per_thread(((size_t)p->blocks + 1) * sizeof(int64_t));
    kernel->width = parallel_width();
    kernel->workspace = p->at_threads + (size_t)kernel->width * p->scratch;
    return true;
}

struct nonzero_run {
    const struct nonzero_plan *p;
    const struct kernel *kernel;
    void *const *slots;
    char *scratch;
    int64_t *counts; /* counts, later the first output position of each block */
    int64_t *out;
};

/* Return elements start .. start+n-1 of x as n bytes, 1 if nonzero, else 0. They are in place or in scratch;
   never NULL. */
static const uint8_t *truths(const struct nonzero_run *run, char *scratch, int64_t start, int64_t n) {
    const void *values = cpu_body_values(run->p->values, run->slots, scratch, start, n);
    if (!run->p->truth) return values;
    run->p->truth(n, scratch + run->p->at_truths, values, NULL, NULL);
    return (const uint8_t *)scratch + run->p->at_truths;
}

/* Return the sum of n bytes 0 or 1, eight at a time: a multiplication sums them in its top byte. */
static int64_t ones(int64_t n, const uint8_t *x) {
    int64_t sum = 0, k = 0;
    for (uint64_t eight; k + 8 <= n; k += 8) {
        memcpy(&eight, x + k, sizeof eight);
        sum += (int64_t)(eight * 0x0101010101010101u >> 56);
    }
    for (; k < n; k++) sum += x[k];
    return sum;
}

/* Count the nonzero elements of blocks begin .. end-1 into run->counts. Task of parallel_for; context is a
   struct nonzero_run. */
static void count_blocks(void *context, int64_t begin, int64_t end) {
    const struct nonzero_run *run = context;
    char *scratch = run->scratch + (size_t)parallel_index() * run->p->scratch;
    for (int64_t block = begin; block < end; block++) {
        int64_t count = 0, start = block * BLOCK, stop = start + BLOCK;
        for (; start < stop && start < run->p->size; start += cpu_tile) {
            int64_t n = run->p->size - start < cpu_tile ? run->p->size - start : cpu_tile;
            const uint8_t *x = truths(run, scratch, start, n);
            count += ones(n, x);
        }
        run->counts[block] = count;
    }
}

/* Write the positions of ones among n <= CPU_TILE bytes, counted from `first`, to out[]. Return their number. out[]
   needs room for n elements, and elements after the positions are overwritten. */
static int64_t find(int64_t n, const uint8_t *x, int64_t first, int64_t *out) {
    int64_t count = 0, k = 0;
    for (uint64_t eight; k + 8 <= n; k += 8) {
        memcpy(&eight, x + k, sizeof eight);
        if (eight == 0) continue;
        for (int i = 0; i < 8; i++) {
            out[count] = first + k + i;
            count += x[k + i];
        }
    }
    for (; k < n; k++) {
        out[count] = first + k;
        count += x[k];
    }
    return count;
}

/* Convert n ascending row-major positions places[n] in x to indices on each axis: out[i*stride + k] for axis i
   and position k. Neighbours are mostly in one row, so the row's index is cached. */
static void split(const struct layout *x, int64_t n, const int64_t *places, int64_t *out, int64_t stride) {
    int last = x->rank - 1;
    int64_t index[TY_MAX_RANK], begin = 0, length = x->shape[last];
    cpu_unrank(last, x->shape, 0, index);
    for (int64_t k = 0; k < n; k++) {
        if (places[k] - begin >= length || k == 0) {
            int64_t row = places[k] / length;
            begin = row * length;
            cpu_unrank(last, x->shape, row, index);
        }
        for (int i = 0; i < last; i++) out[i * stride + k] = index[i];
        out[last * stride + k] = places[k] - begin;
    }
}

/* Write the indices of the nonzero elements of blocks begin .. end-1. Task of parallel_for; context is a struct
   nonzero_run. */
static void write_blocks(void *context, int64_t begin, int64_t end) {
    const struct nonzero_run *run = context;
    const struct nonzero_plan *p = run->p;
    const struct layout *x = &run->kernel->inputs[0].layout;
    char *scratch = run->scratch + (size_t)parallel_index() * p->scratch;
    int64_t *found = (int64_t *)(scratch + p->at_truths + CPU_TILE), total = run->counts[p->blocks];
    for (int64_t block = begin; block < end; block++) {
        int64_t at = run->counts[block], start = block * BLOCK, stop = start + BLOCK;
        for (; start < stop && start < p->size && at < run->counts[block + 1]; start += cpu_tile) {
            int64_t n = p->size - start < cpu_tile ? p->size - start : cpu_tile;
            int64_t count = find(n, truths(run, scratch, start, n), start, found);
            if (x->rank == 1)
                memcpy(run->out + at, found, (size_t)count * sizeof *found);
            else if (x->rank > 1)
                split(x, count, found, run->out + at, total);
            at += count;
        }
    }
}

/* Compute nonzero on the addresses slots[]: count, sum up, write. Return false, with a fault, if the total
   is not the result's size. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct nonzero_plan *p = kernel->prepared;
    const struct operand *out = &kernel->outputs[0];
    struct nonzero_run run = {
        p, kernel, slots, (char *)workspace + p->at_threads, workspace, (int64_t *)operand_base(out, slots)};
    parallel_for(kernel->width, p->blocks, 1, count_blocks, &run);
    if (stop_cut()) return true;
    int64_t total = 0;
    for (int64_t i = 0; i <= p->blocks; i++) {
        int64_t count = i < p->blocks ? run.counts[i] : 0;
        run.counts[i] = total;
        total += count;
    }
    if (total != out->layout.shape[1])
        return fault_set(fault, E_DOMAIN, "%s: %lld elements are not 0; expected %lld", kernel->op->name,
                         (long long)total, (long long)out->layout.shape[1]);
    parallel_for(kernel->width, p->blocks, 1, write_blocks, &run);
    return true;
}

const struct cpu_kind cpu_nonzero = {.prepare = prepare, .launch = launch};
