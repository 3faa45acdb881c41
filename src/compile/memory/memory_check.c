/*
 * Independent checker of memory plans. It walks through the kernels with the live blocks in a tree by
 * address, and checks each new block for overlap. The one overlap allowed is a result in place of an operand
 * that dies there and that the kernel reads elementwise.
 */
#include <stdio.h>
#include <stdlib.h>
#include "base/arena.h"
#include "compile/memory/memory_plan.h"

/* A live block or workspace. */
struct span {
    int block; /* block; -1 - kernel for a workspace */
    int last;  /* last kernel that uses it */
    int next;  /* next span that dies in the same kernel; -1: none */
    bool gone; /* dead */
    int64_t offset, bytes;
};

/* Segment tree over the addresses at which regions begin or end. */
struct tree {
    int64_t *places; /* addresses, ascending, distinct */
    int64_t count, leaves;
    int *over, *some; /* by node: the span that covers it, and a span in any part of it; -1: none */
};

/* State of the check. */
struct memory_check {
    const struct memory_plan *plan;
    const struct flow *flow;
    struct fault *fault;
    struct arena arena;
    struct span *spans;
    int count;
    int *last;  /* by block: its last reader or writer */
    bool *born; /* by block: an earlier kernel has written to it */
    int *dying; /* by kernel: first span that dies after it; -1: none */
    struct tree tree;
};

/* ---- the tree ---- */

static int ascending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Return the index in the tree of the leaf for the segment that contains address `place`. */
static int64_t leaf_of(const struct tree *t, int64_t place) {
    int64_t low = 0, high = t->count;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (t->places[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low + t->leaves;
}

/* Return the number of a live span that shares a byte with s; -1 if there is none. */
static int tree_find(const struct tree *t, const struct span *s) {
    int64_t low = leaf_of(t, s->offset), high = leaf_of(t, s->offset + s->bytes);
    for (int64_t i = low; i > 0; i /= 2)
        if (t->over[i] >= 0) return t->over[i];
    for (int64_t i = high - 1; i > 0; i /= 2)
        if (t->over[i] >= 0) return t->over[i];
    for (; low < high; low /= 2, high /= 2) {
        if (low & 1 && t->some[low++] >= 0) return t->some[low - 1];
        if (high & 1 && t->some[--high] >= 0) return t->some[high];
    }
    return -1;
}

/* Mark the addresses of s as used by span number `who`; -1 marks them as free. */
static void tree_put(const struct tree *t, const struct span *s, int who) {
    int64_t low = leaf_of(t, s->offset), high = leaf_of(t, s->offset + s->bytes), ends[] = {low, high - 1};
    for (; low < high; low /= 2, high /= 2) {
        if (low & 1) t->some[low] = t->over[low] = who, low++;
        if (high & 1) --high, t->some[high] = t->over[high] = who;
    }
    for (int e = 0; e < 2; e++)
        for (int64_t i = ends[e] / 2; i > 0; i /= 2) {
            int below = t->some[2 * i] >= 0 ? t->some[2 * i] : t->some[2 * i + 1];
            t->some[i] = t->over[i] >= 0 ? t->over[i] : below;
        }
}

/* Build the tree over the addresses of all regions. Their sizes are taken from blocks and kernels, not from
   the plan. False if memory runs out. */
static bool make_tree(struct memory_check *c) {
    const struct memory_plan *p = c->plan;
    struct tree *t = &c->tree;
    size_t most = 2 * ((size_t)c->flow->nblocks + (size_t)c->flow->nkernels) + 2;
    t->places = arena_array(&c->arena, most, sizeof *t->places);
    if (!t->places) return false;
    for (int b = 0; b < c->flow->nblocks; b++)
        if (p->of_block[b] >= 0) {
            t->places[t->count++] = p->regions[p->of_block[b]].offset;
            t->places[t->count++] = p->regions[p->of_block[b]].offset + c->flow->blocks[b].bytes;
        }
    for (int k = 0; k < c->flow->nkernels; k++)
        if (p->of_workspace[k] >= 0) {
            t->places[t->count++] = p->regions[p->of_workspace[k]].offset;
            t->places[t->count++] =
                p->regions[p->of_workspace[k]].offset + (int64_t)c->flow->kernels[k].workspace;
        }
    qsort(t->places, (size_t)t->count, sizeof *t->places, ascending);
    int64_t kept = 0;
    for (int64_t i = 0; i < t->count; i++)
        if (!kept || t->places[kept - 1] != t->places[i]) t->places[kept++] = t->places[i];
    t->count = kept;
    for (t->leaves = 1; t->leaves < t->count;) t->leaves *= 2;
    t->over = arena_array(&c->arena, 2 * (size_t)t->leaves, sizeof *t->over);
    t->some = arena_array(&c->arena, 2 * (size_t)t->leaves, sizeof *t->some);
    for (int64_t i = 0; t->over && t->some && i < 2 * t->leaves; i++) t->over[i] = t->some[i] = -1;
    return t->over && t->some;
}

/* ---- allowed and forbidden overlaps ---- */

/* Write the name of a span, a block or a workspace, to out[capacity], and return `out`. */
static const char *span_name(const struct span *s, char *out, size_t capacity) {
    if (s->block < 0)
        snprintf(out, capacity, "the workspace of kernel %d", -1 - s->block);
    else
        snprintf(out, capacity, "block %d", s->block);
    return out;
}

/* True if kernel k may write span `born` over span `dying`: both have the same addresses, and k reads `dying`
   only elementwise and for the last time. */
static bool takes_over(const struct memory_check *c, int k, const struct span *dying,
                       const struct span *born) {
    const struct kernel *kernel = &c->flow->kernels[k];
    if (dying->block < 0 || born->block < 0 || dying->last != k || c->flow->blocks[dying->block].writer == k)
        return false;
    if (c->flow->blocks[dying->block].stays) return false;
    if (dying->offset != born->offset || dying->bytes != born->bytes) return false;
    const struct block *a = &c->flow->blocks[dying->block], *b = &c->flow->blocks[born->block];
    if (dtype_table[a->dtype].size != dtype_table[b->dtype].size) return false;
    for (int i = 0; i < kernel->ninputs; i++) {
        if (kernel->inputs[i].slot != dying->block) continue;
        if (!kernel_may_overwrite(kernel, i) || kernel->inputs[i].guard || kernel->inputs[i].layout.offset ||
            !layout_is_contiguous(&kernel->inputs[i].layout))
            return false;
        if (shape_size(kernel->inputs[i].layout.rank, kernel->inputs[i].layout.shape) != a->size)
            return false;
    }
    return true;
}

/* Set the fault that spans a and b overlap and are both alive in kernel k. Return false. */
static bool collide(struct memory_check *c, int k, const struct span *a, const struct span *b) {
    char one[64], other[64];
    return fault_set(c->fault, E_INTERNAL,
                     "plan: %s at bytes %lld..%lld and %s at bytes %lld..%lld are both alive in kernel %d",
                     span_name(a, one, sizeof one), (long long)a->offset, (long long)(a->offset + a->bytes),
                     span_name(b, other, sizeof other), (long long)b->offset,
                     (long long)(b->offset + b->bytes), k);
}

/* Remove span number `span` from the tree, unless it is gone already. */
static void bury(struct memory_check *c, int span) {
    if (!c->spans[span].gone) tree_put(&c->tree, &c->spans[span], -1);
    c->spans[span].gone = true;
}

/* Add span s, which is born in kernel k, to the tree. False, with the fault set, if it is outside of the
   arena or overlaps a live span. */
static bool add(struct memory_check *c, int k, struct span s) {
    if (s.offset < 0 || s.offset % PLAN_ALIGN || s.offset + s.bytes > c->plan->arena_bytes) {
        char name[64];
        return fault_set(c->fault, E_INTERNAL,
                         "plan: %s at bytes %lld..%lld is not aligned or outside of the arena of %lld bytes",
                         span_name(&s, name, sizeof name), (long long)s.offset,
                         (long long)(s.offset + s.bytes), (long long)c->plan->arena_bytes);
    }
    for (int other; (other = tree_find(&c->tree, &s)) >= 0;) {
        if (!takes_over(c, k, &c->spans[other], &s)) return collide(c, k, &c->spans[other], &s);
        bury(c, other);
    }
    s.next = c->dying[s.last];
    c->dying[s.last] = c->count;
    tree_put(&c->tree, &s, c->count);
    c->spans[c->count++] = s;
    return true;
}

/* Add the span of a block, which is born in kernel k, to the tree; blocks outside the arena are ignored.
   False, with the fault set, on failure. */
static bool add_block(struct memory_check *c, int k, int block) {
    int region = c->plan->of_block[block];
    if (region < 0) return true;
    return add(c, k,
               (struct span){.block = block,
                             .last = c->last[block],
                             .offset = c->plan->regions[region].offset,
                             .bytes = c->flow->blocks[block].bytes});
}

/* Add the blocks that stay between runs; they exist before the first kernel. False, with the fault set, if
   two overlap or one is outside of the arena. */
static bool add_staying(struct memory_check *c) {
    const struct flow *f = c->flow;
    for (int b = 0; b < f->nblocks; b++) {
        if (!f->blocks[b].stays) continue;
        c->last[b] = f->nkernels - 1;
        if (!add_block(c, 0, b)) return false;
    }
    return true;
}

/* Remove the spans that died before kernel k and add its outputs and workspace. False, with the fault set, if
   one overlaps a live span. */
static bool check_kernel(struct memory_check *c, int k) {
    const struct kernel *kernel = &c->flow->kernels[k];
    for (int i = k ? c->dying[k - 1] : -1; i >= 0; i = c->spans[i].next) bury(c, i);
    for (int i = 0; i < kernel->noutputs; i++) {
        int block = kernel->outputs[i].slot;
        if (c->flow->blocks[block].stays || c->born[block]) continue;
        c->born[block] = true;
        if (!add_block(c, k, block)) return false;
    }
    int workspace = c->plan->of_workspace[k];
    if (workspace < 0) return true;
    return add(c, k,
               (struct span){.block = -1 - k,
                             .last = k,
                             .offset = c->plan->regions[workspace].offset,
                             .bytes = (int64_t)kernel->workspace});
}

/* Check that no two spans of the plan that are alive at once overlap. False, with the fault set, on failure. */
static bool check_all(struct memory_check *c) {
    const struct flow *f = c->flow;
    for (int k = 0; k < f->nkernels; k++) {
        c->dying[k] = -1;
        for (int i = 0; i < f->kernels[k].noutputs; i++) c->last[f->kernels[k].outputs[i].slot] = k;
        for (int i = 0; i < f->kernels[k].ninputs; i++) c->last[f->kernels[k].inputs[i].slot] = k;
    }
    if (!add_staying(c)) return false;
    for (int k = 0; k < f->nkernels; k++)
        if (!check_kernel(c, k)) return false;
    return true;
}

bool memory_plan_check(const struct memory_plan *p, const struct flow *f, struct fault *fault) {
    struct memory_check c = {.plan = p, .flow = f, .fault = fault};
    size_t blocks = (size_t)f->nblocks + 1, kernels = (size_t)f->nkernels + 1;
    c.last = arena_array(&c.arena, blocks, sizeof *c.last);
    c.born = arena_array(&c.arena, blocks, sizeof *c.born);
    c.dying = arena_array(&c.arena, kernels, sizeof *c.dying);
    c.spans = arena_array(&c.arena, blocks + kernels, sizeof *c.spans);
    bool fits = c.last && c.born && c.dying && c.spans && make_tree(&c);
    bool well = fits ? check_all(&c) && memory_boxes_check(f, fault) && memory_sections_check(p, f, fault)
                     : fault_memory(fault, blocks * sizeof *c.spans);
    arena_drop(&c.arena);
    return well;
}
