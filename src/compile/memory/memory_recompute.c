/*
 * Recomputation: a value that is alive at the peak but not read there need not be kept. Its kernel is copied
 * to just before its next reader, and later readers read the copy. Of the values alive at the peak, those of
 * least work per freed byte are tried first. A copy stays if it lowers the peak or the number of kernels at
 * the peak. The sequence of copies does not depend on the budget, so a smaller budget uses the same copies
 * and some more.
 *
 * A copy computes the same bits: random numbers are functions of their key. It reads variables before they
 * are overwritten. Kernels that may refuse or keep data of constants are not copied, nor are loops and
 * branches, whose work is unknown.
 */
#include "compile/memory/memory_recompute.h"
#include "array/progress.h"
#include "base/context/stop.h"
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "ops/core/kernel/work.h"

enum {
    FLOPS_A_BYTE = 8, /* operations per byte of memory traffic: 100 GFLOP/s to 12 GB/s */
    TRIES = 64,       /* candidates tried at a peak */
    CHAIN = 32        /* most kernels copied together: in a chain of 1000 one value in 32 may be kept */
};

/* State of the pass. */
struct recompute {
    struct flow *flow;
    struct memory_plan *plan;
    const ty_compile_options *options;
    struct fault *fault;
    int64_t *live; /* bytes alive in each kernel */
    int64_t peak;
    int at, often; /* the first kernel at the peak; number of kernels at the peak */
};

/* A kernel `writer` to run again before kernel `before`, with the producers of operands that are gone. */
struct candidate {
    int writer, before;
    double work; /* per byte freed at the peak */
};

/* Kernels copied together, ascending. */
struct chain {
    int kernels[CHAIN], count;
};

/* ---- lifetimes ---- */

/* Recompute lifetimes, the peak of memory and the kernel that has it. False, with the fault set, on failure. */
static bool measure(struct recompute *r) {
    int n = r->flow->nkernels;
    memory_plan_drop(r->plan);
    mem_free(r->live);
    r->live = mem_array((size_t)n + 2, sizeof *r->live);
    if (!r->live) return fault_memory(r->fault, ((size_t)n + 2) * sizeof *r->live);
    if (!memory_plan_lives(r->plan, r->flow, r->options, r->fault)) return false;
    memory_plan_live(r->plan, n, r->live);
    r->peak = r->often = 0;
    for (int k = 0; k < n; k++) {
        r->often = r->live[k] > r->peak ? 1 : r->often + (r->live[k] == r->peak);
        if (r->live[k] > r->peak) r->peak = r->live[r->at = k];
    }
    return true;
}

/* ---- candidates ---- */

/* Return the work of a kernel, as the number of bytes of memory traffic that take as long. */
static double work_of(const struct kernel *k) {
    struct work work = kernel_work(k);
    return work.bytes + work.flops / FLOPS_A_BYTE;
}

/* Return the first kernel after k, exclusive, that reads the block; nkernels if there is none. */
static int reader_behind(const struct flow *f, int block, int k) {
    int first = f->nkernels;
    for (int u = f->use_start[block]; u < f->use_start[block + 1]; u++)
        if (f->use_kernel[u] > k && f->use_kernel[u] < first) first = f->use_kernel[u];
    return first;
}

/* Return the last kernel that reads a block; -1 if there is none. */
static int last_reader(const struct flow *f, int block) {
    int last = -1;
    for (int u = f->use_start[block]; u < f->use_start[block + 1]; u++)
        if (f->use_kernel[u] > last) last = f->use_kernel[u];
    return last;
}

static bool in_arena(const struct recompute *r, int block) {
    return r->flow->blocks[block].kind == BLOCK_TEMPORARY && r->plan->of_block[block] >= 0;
}

/* True if a single kernel writes the whole block: it contains no boxes. */
static bool has_one_writer(const struct flow *f, int block) {
    return f->write_start[block + 1] - f->write_start[block] == 1;
}

/* True if kernel k may run again right before kernel `before` and would read the same values there. In a program that
   can be stopped nothing runs again among the last kernels, which write over variables. */
static bool may_copy(const struct flow *f, const struct kernel *k, int before) {
    if (k->results || k->kept || kernel_may_refuse(f, k)) return false;
    if (f->stoppable && kernel_updates(f, &f->kernels[before])) return false;
    for (int i = 0; i < k->noutputs; i++)
        if (!has_one_writer(f, k->outputs[i].slot) || !operand_is_whole(f, &k->outputs[i])) return false;
    for (int i = 0; i < k->ninputs; i++) {
        int update = f->blocks[k->inputs[i].slot].update;
        if (update >= 0 && f->blocks[update].writer < before) return false;
    }
    return true;
}

/* Add a kernel to the chain, which stays in ascending order; true also if the chain has it already. False if
   the chain is full. */
static bool chain_add(struct chain *c, int kernel) {
    int i = c->count;
    for (int j = 0; j < c->count; j++)
        if (c->kernels[j] == kernel) return true;
    if (c->count == CHAIN) return false;
    for (c->count++; i > 0 && c->kernels[i - 1] > kernel; i--) c->kernels[i] = c->kernels[i - 1];
    c->kernels[i] = kernel;
    return true;
}

/* Fill *c with all kernels to copy with kernel w before kernel `before`: w and the producers of operands that
   are dead at the peak, transitively. Operands come from earlier kernels, so the chain is processed from its
   end. False if one must not be copied or there are too many. */
static bool make_chain(const struct recompute *r, int w, int before, struct chain *c) {
    const struct flow *f = r->flow;
    *c = (struct chain){{w}, 1};
    for (int done = 0; done < c->count; done++) {
        const struct kernel *k = &f->kernels[c->kernels[c->count - 1 - done]];
        if (!may_copy(f, k, before)) return false;
        for (int i = 0; i < k->ninputs; i++) {
            int block = k->inputs[i].slot;
            bool gone = in_arena(r, block) && last_reader(f, block) < r->at;
            if (gone && !(has_one_writer(f, block) && chain_add(c, f->blocks[block].writer))) return false;
        }
    }
    return true;
}

/* Return the bytes of k's results that are alive at the peak only for readers from kernel `before` on. */
static int64_t gain_of(const struct recompute *r, const struct kernel *k, int before) {
    const struct flow *f = r->flow;
    int64_t gain = 0;
    for (int i = 0; i < k->noutputs; i++) {
        int block = k->outputs[i].slot, next = reader_behind(f, block, r->at - 1);
        if (in_arena(r, block) && next >= before && next < f->nkernels)
            gain += plan_aligned(f->blocks[block].bytes);
    }
    return gain;
}

/* Set *c to the candidate for copying kernel w before the first reader after the peak. False if a result is
   read at the peak, or copying is not allowed or frees nothing. */
static bool consider(const struct recompute *r, int w, struct candidate *c) {
    const struct flow *f = r->flow;
    const struct kernel *k = &f->kernels[w];
    struct chain chain;
    int before = f->nkernels;
    for (int i = 0; i < k->noutputs; i++) {
        int next = in_arena(r, k->outputs[i].slot) ? reader_behind(f, k->outputs[i].slot, r->at) : before;
        if (next < before) before = next;
    }
    int64_t gain = before < f->nkernels ? gain_of(r, k, before) : 0;
    if (gain <= 0 || !make_chain(r, w, before, &chain)) return false;
    *c = (struct candidate){w, before, 0};
    for (int i = 0; i < chain.count; i++) c->work += work_of(&f->kernels[chain.kernels[i]]) / (double)gain;
    return true;
}

/* ---- copying ---- */

/* Replace block `from` by `to` in the inputs of kernels first .. end-1. */
static void redirect(struct flow *f, int first, int end, int from, int to) {
    for (int k = first; k < end; k++)
        for (int i = 0; i < f->kernels[k].ninputs; i++)
            if (f->kernels[k].inputs[i].slot == from) f->kernels[k].inputs[i].slot = to;
}

/* Set *copy to a copy of kernel w with operands and new output blocks of its own. False, with the fault set,
   on failure. */
static bool copy_kernel(struct recompute *r, int w, struct kernel *copy) {
    struct flow *f = r->flow;
    *copy = f->kernels[w];
    copy->prepared = NULL;
    copy->shared = NULL;
    copy->ninside = 0;
    copy->inputs =
        arena_copy(&f->arena, copy->inputs, sizeof *copy->inputs * (size_t)(copy->ninputs + !copy->ninputs));
    copy->outputs = arena_copy(&f->arena, copy->outputs, sizeof *copy->outputs * (size_t)copy->noutputs);
    if (!copy->inputs || !copy->outputs) return fault_memory(r->fault, sizeof *copy);
    for (int i = 0; i < copy->noutputs; i++) {
        const struct block *b = &f->blocks[copy->outputs[i].slot];
        copy->outputs[i].slot = flow_add_block(f, BLOCK_TEMPORARY, b->dtype, b->size, NULL, r->fault);
        if (copy->outputs[i].slot < 0) return false;
    }
    return true;
}

/* Insert a copy of kernel w at position `at`; kernels at+1 .. end-1 read its results in place of w's. False,
   with the fault set, on failure. */
static bool insert_copy(struct recompute *r, int w, int at, int end) {
    struct flow *f = r->flow;
    struct kernel copy;
    if (!copy_kernel(r, w, &copy) || !flow_add_kernel(f, r->fault)) return false;
    struct kernel *place = &f->kernels[at];
    memmove(place + 1, place, sizeof *place * (size_t)(f->nkernels - 1 - at));
    *place = copy;
    for (int i = 0; i < copy.noutputs; i++)
        if (f->blocks[f->kernels[w].outputs[i].slot].kind == BLOCK_TEMPORARY)
            redirect(f, at + 1, end, f->kernels[w].outputs[i].slot, copy.outputs[i].slot);
    return true;
}

/* Insert the copies of a chain before kernel `before`, last one first, each before its readers. Only the last
   one is read outside the chain. False, with the fault set, on failure. */
static bool insert_copies(struct recompute *r, const struct chain *c, int before) {
    for (int i = c->count - 1; i >= 0; i--)
        if (!insert_copy(r, c->kernels[i], before,
                         i == c->count - 1 ? r->flow->nkernels + 1 : before + c->count - i))
            return false;
    return flow_index(r->flow, r->fault) && measure(r);
}

/* Remove the copies that insert_copies inserted for the same chain and position. False, with the fault set,
   on failure. */
static bool remove_copies(struct recompute *r, const struct chain *c, int before) {
    struct flow *f = r->flow;
    for (int i = 0; i < c->count; i++) {
        struct kernel *place = &f->kernels[before];
        for (int j = 0; j < place->noutputs; j++)
            redirect(f, before, f->nkernels, place->outputs[j].slot,
                     f->kernels[c->kernels[i]].outputs[j].slot);
        f->nblocks -= place->noutputs;
        f->nkernels--;
        memmove(place, place + 1, sizeof *place * (size_t)(f->nkernels - before));
    }
    return flow_index(f, r->fault) && measure(r);
}

/* ---- the loop ---- */

static int by_work(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    if (x->work != y->work) return x->work < y->work ? -1 : 1;
    return (x->writer > y->writer) - (x->writer < y->writer);
}

/* Try copies, the cheapest per byte first, until one lowers the peak; *copied is set to the number of kernels
   copied, or 0. candidates[] is scratch for an entry per kernel. False, with the fault set, on failure. */
static bool step(struct recompute *r, struct candidate *candidates, int *copied) {
    int64_t peak = r->peak, often = r->often;
    int n = 0, at = r->at;
    for (int w = 0; w < at; w++) n += consider(r, w, &candidates[n]);
    qsort(candidates, (size_t)n, sizeof *candidates, by_work);
    *copied = 0;
    for (int i = 0; i < n && i < TRIES && !*copied; i++) {
        struct chain chain;
        make_chain(r, candidates[i].writer, candidates[i].before, &chain);
        if (!insert_copies(r, &chain, candidates[i].before)) return false;
        if (r->peak < peak || (r->peak == peak && r->often < often))
            *copied = chain.count;
        else if (!remove_copies(r, &chain, candidates[i].before))
            return false;
    }
    return true;
}

/* Set *well to true if the arena of the plan, which is placed if the peak allows it, fits `bytes`, else to
   false. False, with the fault set, on failure. */
static bool fits(struct recompute *r, int64_t bytes, bool *well) {
    *well = false;
    if (r->peak > bytes) return true;
    if (!memory_plan_place(r->plan, r->options, r->fault)) return false;
    *well = r->plan->arena_bytes <= bytes;
    return true;
}

/* Copy kernels until the plan fits `bytes` or no copy helps, and place the plan. Add the number of copies to
   *copies. False, with the fault set, on failure. */
static bool copy_until(struct recompute *r, int64_t bytes, int64_t *copies) {
    bool well = false;
    for (int copied = 1; copied; *copies += copied) {
        if (!stop_check(r->fault) || !progress_occasion(r->fault) || !fits(r, bytes, &well)) return false;
        if (well) return true;
        struct candidate *candidates = mem_array((size_t)r->flow->nkernels + 1, sizeof *candidates);
        bool done = candidates ? step(r, candidates, &copied) : fault_memory(r->fault, sizeof *candidates);
        mem_free(candidates);
        if (!done) return false;
    }
    return memory_plan_place(r->plan, r->options, r->fault);
}

bool memory_recompute(struct memory_plan *p, struct flow *f, const ty_compile_options *options, int64_t bytes,
                      int64_t *copies, struct fault *fault) {
    struct recompute r = {.flow = f, .plan = p, .options = options, .fault = fault};
    bool done = measure(&r) && copy_until(&r, bytes, copies);
    mem_free(r.live);
    return done;
}
