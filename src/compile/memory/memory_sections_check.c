/*
 * Independent checker of sections: what two strands of a section touch, neither may write.  Blocks are compared as
 * such, a variable and its update as one; then the bytes of the arena, sorted by address.  Several strands may write parts of
 * one block, which memory_boxes.c checks.
 */
#include <stdlib.h>
#include "base/arena.h"
#include "compile/memory/memory_plan.h"

/* Bytes of the arena that a strand reads or writes. */
struct touch {
    int64_t offset, end;
    int who; /* strand; behind all strands: a block that several ones write, or read */
    bool writes;
    int kernel;
};

/* Strands of a section that touch a block. */
struct touched {
    int section;        /* for which the rest holds, from 1 */
    int reader, writer; /* a strand that reads (writes) it; -1: none, -2: several */
};

struct sides {
    const struct memory_plan *plan;
    const struct flow *flow;
    struct fault *fault;
    struct arena arena;
    struct touched *blocks; /* by block */
    struct touch *touches;
    int n, shared;
};

enum { NONE = -1, MANY = -2 };

static void add_strand(int *to, int strand) { *to = *to == NONE || *to == strand ? strand : MANY; }

/* Record that kernel k, of section number `section`, from 1, touches a block. False, with the fault set, if another
   strand writes it, or k does and another one reads it. */
static bool touch_block(struct sides *c, int section, int k, int slot, bool writes) {
    int b = sections_block(c->flow, slot), strand = strand_of(c->flow, k);
    struct touched *t = &c->blocks[b];
    if (t->section != section) *t = (struct touched){section, NONE, NONE};
    add_strand(writes ? &t->writer : &t->reader, strand);
    bool meet = t->writer != NONE && t->reader != NONE && (t->writer != t->reader || t->writer == MANY);
    return !meet || fault_set(c->fault, E_INTERNAL,
                              "sections: kernel %d %s block %d, which another strand of its section %s", k,
                              writes ? "writes" : "reads", b, writes ? "reads" : "writes");
}

/* Add the bytes of a block that kernel k touches, or with a block of -1 those of its workspace. */
static void touch_bytes(struct sides *c, int k, int slot, bool writes) {
    int region = slot < 0 ? c->plan->of_workspace[k] : c->plan->of_block[slot];
    if (region < 0) return;
    int64_t offset = c->plan->regions[region].offset;
    int64_t bytes = slot < 0 ? (int64_t)c->flow->kernels[k].workspace : c->flow->blocks[slot].bytes;
    const struct touched *t = slot < 0 ? NULL : &c->blocks[sections_block(c->flow, slot)];
    bool many = t && (writes ? t->writer : t->reader) == MANY;
    int who = many ? c->flow->sections.nstrands + slot : strand_of(c->flow, k);
    c->touches[c->n++] = (struct touch){offset, offset + bytes, who, writes, k};
}

static int by_offset(const void *a, const void *b) {
    const struct touch *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The touches of greatest end so far: the first, and the first of another strand. */
struct ends {
    const struct touch *one, *other;
};

static void put_end(struct ends *e, const struct touch *t) {
    if (!e->one || e->one->who == t->who) {
        if (!e->one || t->end > e->one->end) e->one = t;
    } else if (t->end > e->one->end) {
        e->other = e->one;
        e->one = t;
    } else if (!e->other || t->end > e->other->end) {
        e->other = t;
    }
}

/* Return a touch of another strand that reaches beyond the beginning of t; NULL if there is none. */
static const struct touch *reaching(const struct ends *e, const struct touch *t) {
    const struct touch *x = e->one && e->one->who == t->who ? e->other : e->one;
    return x && x->end > t->offset ? x : NULL;
}

/* Compare the bytes that the strands of a section touch. False, with the fault set, if two share some. */
static bool compare_bytes(struct sides *c) {
    struct ends any = {0}, written = {0};
    qsort(c->touches, (size_t)c->n, sizeof *c->touches, by_offset);
    for (int i = 0; i < c->n; i++) {
        const struct touch *t = &c->touches[i], *x = reaching(t->writes ? &any : &written, t);
        if (x)
            return fault_set(c->fault, E_INTERNAL,
                             "sections: kernels %d and %d, of two strands, share byte %lld of the arena",
                             x->kernel, t->kernel, (long long)t->offset);
        put_end(&any, t);
        if (t->writes) put_end(&written, t);
    }
    return true;
}

/* Check section number i. False, with the fault set, on failure. */
static bool check_section(struct sides *c, int i) {
    const struct section *s = &c->flow->sections.all[i];
    for (int k = s->first; k < s->end; k++) {
        const struct kernel *kernel = &c->flow->kernels[k];
        for (int j = 0; j < kernel->ninputs; j++)
            if (!touch_block(c, i + 1, k, kernel->inputs[j].slot, false)) return false;
        for (int j = 0; j < kernel->noutputs; j++)
            if (!touch_block(c, i + 1, k, kernel->outputs[j].slot, true)) return false;
    }
    c->n = 0;
    for (int k = s->first; k < s->end; k++) {
        const struct kernel *kernel = &c->flow->kernels[k];
        for (int j = 0; j < kernel->ninputs; j++) touch_bytes(c, k, kernel->inputs[j].slot, false);
        for (int j = 0; j < kernel->noutputs; j++) touch_bytes(c, k, kernel->outputs[j].slot, true);
        touch_bytes(c, k, -1, true);
    }
    return compare_bytes(c);
}

bool memory_sections_check(const struct memory_plan *p, const struct flow *f, struct fault *fault) {
    struct sides c = {.plan = p, .flow = f, .fault = fault};
    size_t touches = 1;
    if (!f->sections.n) return true;
    for (int k = 0; k < f->nkernels; k++)
        touches += 1 + (size_t)(f->kernels[k].ninputs + f->kernels[k].noutputs);
    c.blocks = arena_array(&c.arena, (size_t)f->nblocks + 1, sizeof *c.blocks);
    c.touches = arena_array(&c.arena, touches, sizeof *c.touches);
    bool done = (c.blocks && c.touches) || fault_memory(fault, touches * sizeof *c.touches);
    for (int i = 0; done && i < f->sections.n; i++) done = check_section(&c, i);
    arena_drop(&c.arena);
    return done;
}
