/* Lifetimes of regions and in-place reuse; memory_pack.c then assigns offsets. */
#include "compile/memory/memory_plan.h"
#include "base/context/stop.h"
#include "base/alloc.h"
#include "base/checked.h"

void memory_plan_drop(struct memory_plan *p) {
    mem_free(p->regions);
    mem_free(p->of_block);
    mem_free(p->of_workspace);
    mem_free(p->pack_of);
    mem_free(p->packs);
    *p = (struct memory_plan){0};
}

_Alignas(PLAN_ALIGN) char plan_nothing[PLAN_ALIGN];

/* Return the last kernel that reads or writes a block; -1 if there is none. */
static int last_reader(const struct flow *f, int block) {
    int last = f->blocks[block].writer;
    for (int u = f->use_start[block]; u < f->use_start[block + 1]; u++)
        if (f->use_kernel[u] > last) last = f->use_kernel[u];
    return last;
}

static bool in_arena(const struct block *b) {
    return b->kind == BLOCK_TEMPORARY && b->writer >= 0 && b->bytes > 0;
}

/* ---- in-place results ---- */

/* True if kernel k reads `block` elementwise only, or not at all, and its elements have `element` bytes, so
   that a result with such elements may overwrite it. */
static bool may_overwrite(const struct flow *f, const struct kernel *k, int block, size_t element) {
    if (dtype_table[f->blocks[block].dtype].size != element) return false;
    for (int i = 0; i < k->ninputs; i++) {
        if (k->inputs[i].slot != block) continue;
        if (!kernel_may_overwrite(k, i) || !operand_is_whole(f, &k->inputs[i])) return false;
    }
    return true;
}

/* True if an output of kernel k before `out` was assigned region number `region`. */
static bool taken_by_sibling(const struct memory_plan *p, const struct kernel *k, const struct flow *f,
                             int region, const struct block *out) {
    for (int i = 0; i < k->noutputs && &f->blocks[k->outputs[i].slot] != out; i++)
        if (p->of_block[k->outputs[i].slot] == region) return true;
    return false;
}

/* Return the region of an operand that dies in kernel k and that its output `out` may overwrite; -1 if there
   is none. */
static int dying_region(const struct memory_plan *p, const struct flow *f, int k, const struct block *out) {
    const struct kernel *kernel = &f->kernels[k];
    for (int i = 0; i < kernel->ninputs; i++) {
        if (!kernel_may_overwrite(kernel, i)) continue;
        int block = kernel->inputs[i].slot, region = p->of_block[block];
        if (region < 0 || p->regions[region].last != k || f->blocks[block].writer >= k) continue;
        if (f->blocks[block].stays || !strand_owns(f, k, block)) continue;
        if (last_reader(f, block) != k || f->blocks[block].bytes != out->bytes) continue;
        if (taken_by_sibling(p, kernel, f, region, out)) continue;
        if (may_overwrite(f, kernel, block, dtype_table[out->dtype].size)) return region;
    }
    return -1;
}

/* Assign a region to `block`, an output of kernel k: that of a dying operand if allowed, or, always if
   no_reuse, a new one. Blocks that stay live from the first kernel to the last. */
static void place_block(struct memory_plan *p, const struct flow *f, int k, int block, bool no_reuse) {
    const struct block *b = &f->blocks[block];
    int64_t bytes = plan_aligned(b->bytes);
    int region = no_reuse || b->stays ? -1 : dying_region(p, f, k, b);
    if (region < 0) {
        region = p->nregions++;
        p->regions[region] = (struct region){b->stays ? 0 : k, k, bytes, 0, block};
    } else {
        p->inplace++;
    }
    p->of_block[block] = region;
    p->regions[region].last = b->stays ? f->nkernels - 1 : last_reader(f, block);
    if (b->stays) p->stays_bytes += bytes;
}

/* ---- sizes ---- */

/* Compute p->unplanned_bytes, the bytes without reuse, and p->workspace_bytes, those of the largest
   workspace. False, with the fault set, if the sum is too large. */
static bool total(struct memory_plan *p, const struct flow *f, struct fault *fault) {
    int64_t *sum = &p->unplanned_bytes, *workspace = &p->workspace_bytes;
    bool fits = true;
    for (int b = 0; b < f->nblocks; b++)
        if (p->of_block[b] >= 0) fits = fits && checked_add(*sum, plan_aligned(f->blocks[b].bytes), sum);
    for (int k = 0; k < f->nkernels; k++)
        if ((int64_t)f->kernels[k].workspace > *workspace) *workspace = (int64_t)f->kernels[k].workspace;
    for (int k = 0; k < f->nkernels; k++) /* workspaces of several strands are there at once */
        if (strand_of(f, k) >= 0)
            fits = fits && checked_add(*sum, plan_aligned((int64_t)f->kernels[k].workspace), sum);
    return (fits && checked_add(*sum, plan_aligned(*workspace), sum)) ||
           fault_set(fault, E_MEMORY, "compile: the program's blocks together exceed the address space");
}

static void add_life(const struct region *r, int64_t *live) {
    live[r->first] += r->bytes;
    live[r->last + 1] -= r->bytes;
}

void memory_plan_live(const struct memory_plan *p, int nkernels, int64_t *live) {
    memset(live, 0, sizeof *live * ((size_t)nkernels + 1));
    for (int i = 0; i < p->nregions; i++)
        if (!p->pack_of || p->pack_of[i] < 0) add_life(&p->regions[i], live);
    for (int i = 0; i < p->npacks; i++) add_life(&p->packs[i], live);
    for (int k = 1; k < nkernels; k++) live[k] += live[k - 1];
}

bool memory_plan_bound(struct memory_plan *p, int nkernels, struct fault *fault) {
    int64_t *live = mem_array((size_t)nkernels + 1, sizeof *live);
    if (!live) return fault_memory(fault, ((size_t)nkernels + 1) * sizeof *live);
    memory_plan_live(p, nkernels, live);
    for (int k = 0; k < nkernels; k++)
        if (live[k] > p->live_bound) p->live_bound = live[k];
    mem_free(live);
    return true;
}

/* Set the offsets of all regions one after the other, without reuse, and return the total bytes. */
static int64_t side_by_side(struct memory_plan *p) {
    int64_t top = 0;
    for (int i = 0; i < p->nregions; i++) {
        p->regions[i].offset = top;
        top += p->regions[i].bytes;
    }
    return top;
}

/* Assign a region to each block that kernels write into the arena, and to each kernel's workspace. no_reuse:
   no result overwrites an operand. Offsets are not set. */
static void make_regions(struct memory_plan *p, const struct flow *f, bool no_reuse) {
    for (int b = 0; b < f->nblocks; b++) p->of_block[b] = -1;
    for (int k = 0; k < f->nkernels; k++) {
        const struct kernel *kernel = &f->kernels[k];
        for (int i = 0; i < kernel->noutputs; i++)
            if (in_arena(&f->blocks[kernel->outputs[i].slot]) && p->of_block[kernel->outputs[i].slot] < 0)
                place_block(p, f, k, kernel->outputs[i].slot, no_reuse);
        p->of_workspace[k] = kernel->workspace ? p->nregions : -1;
        if (kernel->workspace)
            p->regions[p->nregions++] =
                (struct region){k, k, plan_aligned((int64_t)kernel->workspace), 0, -1};
    }
}

bool memory_plan_lives(struct memory_plan *p, const struct flow *f, const ty_compile_options *options,
                       struct fault *fault) {
    size_t most = (size_t)f->nblocks + (size_t)f->nkernels + 1;
    *p = (struct memory_plan){.regions = mem_array(most, sizeof *p->regions),
                              .of_block = mem_array((size_t)f->nblocks + 1, sizeof(int)),
                              .of_workspace = mem_array((size_t)f->nkernels + 1, sizeof(int))};
    if (!p->regions || !p->of_block || !p->of_workspace)
        return fault_memory(fault, most * sizeof *p->regions);
    make_regions(p, f, options->no_reuse);
    if (f->sections.n && !memory_sections_lives(p, f, fault)) return false;
    return total(p, f, fault) && memory_plan_bound(p, f->nkernels, fault);
}

bool memory_plan_place(struct memory_plan *p, const ty_compile_options *options, struct fault *fault) {
    p->arena_bytes = options->no_reuse ? side_by_side(p)
                     : p->pack_of
                         ? memory_sections_place(p, options->pack_steps)
                         : memory_plan_pack(p->nregions, p->regions, p->live_bound, options->pack_steps);
    if (!stop_end(fault)) return false; /* the search left early */
    if (p->arena_bytes < 0) return fault_memory(fault, ((size_t)p->nregions + 1) * sizeof *p->regions);
    if (p->arena_bytes <= PTRDIFF_MAX - 4096) return true;
    return fault_set(fault, E_MEMORY,
                     "compile: the memory plan needs %lld bytes, more than the address space",
                     (long long)p->arena_bytes);
}

bool memory_plan_make(struct memory_plan *p, const struct flow *f, const ty_compile_options *options,
                      struct fault *fault) {
    return memory_plan_lives(p, f, options, fault) && memory_plan_place(p, options, fault);
}
