/*
 * The checker knows nothing of how a plan was made.  It walks through the kernels in order with the set of
 * blocks that are alive, ordered by offset, and asks of each new one whether its neighbours keep their
 * distance. The one overlap it lets pass is a result in the very place of an operand that dies there and that
 * the kernel reads element by element.
 */
#include <stdio.h>
#include "base/alloc.h"
#include "compile/memory/memory_plan.h"

struct span {
    int block; /* or -1 - kernel for a workspace */
    int last;
    int64_t offset, bytes;
};

struct check {
    const struct memory_plan *plan;
    const struct flow *flow;
    struct fault *fault;
    struct span *alive;
    int count, room;
    int *last; /* kernel that reads each block last, or writes it */
};

static const char *span_name(const struct span *s, char *out, size_t capacity) {
    if (s->block < 0)
        snprintf(out, capacity, "the workspace of kernel %d", -1 - s->block);
    else
        snprintf(out, capacity, "block %d", s->block);
    return out;
}

static bool takes_over(const struct check *c, int k, const struct span *dying, const struct span *born) {
    const struct kernel *kernel = &c->flow->kernels[k];
    if (dying->block < 0 || born->block < 0 || dying->last != k || c->flow->blocks[dying->block].writer == k)
        return false;
    if (dying->offset != born->offset || dying->bytes != born->bytes) return false;
    const struct block *a = &c->flow->blocks[dying->block], *b = &c->flow->blocks[born->block];
    if (dtype_table[a->dtype].size != dtype_table[b->dtype].size) return false;
    for (int i = 0; i < kernel->ninputs; i++) {
        if (kernel->inputs[i].slot != dying->block) continue;
        if (!kernel_may_overwrite(kernel, i) || kernel->inputs[i].layout.offset ||
            !layout_is_contiguous(&kernel->inputs[i].layout))
            return false;
        if (shape_size(kernel->inputs[i].layout.rank, kernel->inputs[i].layout.shape) != a->size)
            return false;
    }
    return true;
}

static bool collide(struct check *c, int k, const struct span *a, const struct span *b) {
    char one[64], other[64];
    return fault_set(
        c->fault, "plan: %s at bytes %lld..%lld and %s at bytes %lld..%lld are both alive in kernel %d",
        span_name(a, one, sizeof one), (long long)a->offset, (long long)(a->offset + a->bytes),
        span_name(b, other, sizeof other), (long long)b->offset, (long long)(b->offset + b->bytes), k);
}

static bool add(struct check *c, int k, struct span s) {
    if (s.offset < 0 || s.offset % PLAN_ALIGN || s.offset + s.bytes > c->plan->arena_bytes) {
        char name[64];
        return fault_set(c->fault,
                         "plan: %s at bytes %lld..%lld is not aligned or outside of the arena of %lld bytes",
                         span_name(&s, name, sizeof name), (long long)s.offset,
                         (long long)(s.offset + s.bytes), (long long)c->plan->arena_bytes);
    }
    for (int i = 0; i < c->count; i++) {
        const struct span *other = &c->alive[i];
        if (other->offset >= s.offset + s.bytes || s.offset >= other->offset + other->bytes) continue;
        if (!takes_over(c, k, other, &s)) return collide(c, k, other, &s);
    }
    if (c->count == c->room) {
        int room = c->room ? 2 * c->room : 64;
        struct span *alive = mem_grow(c->alive, (size_t)room, sizeof *alive);
        if (!alive) return fault_memory(c->fault, (size_t)room * sizeof *alive);
        c->alive = alive;
        c->room = room;
    }
    c->alive[c->count++] = s;
    return true;
}

static bool check_kernel(struct check *c, int k) {
    const struct kernel *kernel = &c->flow->kernels[k];
    int kept = 0;
    for (int i = 0; i < c->count; i++)
        if (c->alive[i].last >= k) c->alive[kept++] = c->alive[i];
    c->count = kept;
    for (int i = 0; i < kernel->noutputs; i++) {
        int block = kernel->outputs[i].slot, region = c->plan->of_block[block];
        if (region < 0) continue;
        if (!add(c, k,
                 (struct span){block, c->last[block], c->plan->regions[region].offset,
                               c->flow->blocks[block].bytes}))
            return false;
    }
    int workspace = c->plan->of_workspace[k];
    if (workspace < 0) return true;
    return add(c, k,
               (struct span){-1 - k, k, c->plan->regions[workspace].offset, (int64_t)kernel->workspace});
}

bool memory_plan_check(const struct memory_plan *p, const struct flow *f, struct fault *fault) {
    struct check c = {.plan = p, .flow = f, .fault = fault};
    c.last = mem_array((size_t)f->nblocks + 1, sizeof(int));
    if (!c.last) return fault_memory(fault, (size_t)f->nblocks * sizeof(int));
    for (int k = 0; k < f->nkernels; k++) {
        for (int i = 0; i < f->kernels[k].noutputs; i++) c.last[f->kernels[k].outputs[i].slot] = k;
        for (int i = 0; i < f->kernels[k].ninputs; i++) c.last[f->kernels[k].inputs[i].slot] = k;
    }
    bool well = true;
    for (int k = 0; k < f->nkernels && well; k++) well = check_kernel(&c, k);
    mem_free(c.alive);
    mem_free(c.last);
    return well;
}
