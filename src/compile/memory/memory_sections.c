/*
 * Memory of sections.  Kernels of different strands run at the same time, in any order.  So regions that one strand
 * alone uses are packed by themselves, strand by strand, and a pack lives for the whole section.  Other regions that a
 * kernel of a section uses live for the whole section, too.
 */
#include <stdlib.h>
#include "base/alloc.h"
#include "base/arena.h"
#include "base/machine/levels.h"
#include "base/number.h"
#include "compile/memory/memory_plan.h"

enum {
    GROWTH_PARTS = 4, /* sections raise the bytes alive at once by one of so many parts */
    TRIES = 16        /* sections given up, one by one, before all are */
};

/* ---- packs ---- */

enum { NO_USER = -2, SEVERAL = -1 }; /* values of pack_of[] besides strands */

static void use(struct memory_plan *p, int region, int strand) {
    if (region < 0) return;
    int *pack = &p->pack_of[region];
    *pack = *pack == NO_USER || *pack == strand ? strand : SEVERAL;
}

/* Set pack_of[] of all regions to the strand that alone uses it, or to -1. */
static void find_users(struct memory_plan *p, const struct flow *f) {
    for (int i = 0; i < p->nregions; i++) p->pack_of[i] = NO_USER;
    for (int k = 0; k < f->nkernels; k++) {
        const struct kernel *kernel = &f->kernels[k];
        int strand = strand_of(f, k);
        for (int i = 0; i < kernel->ninputs; i++) use(p, p->of_block[kernel->inputs[i].slot], strand);
        for (int i = 0; i < kernel->noutputs; i++) use(p, p->of_block[kernel->outputs[i].slot], strand);
        use(p, p->of_workspace[k], strand);
    }
    for (int b = 0; b < f->nblocks; b++)
        if (f->blocks[b].stays && p->of_block[b] >= 0) p->pack_of[p->of_block[b]] = SEVERAL;
}

/* Let the regions that lie in no pack live through all sections in which they are used first and last. */
static void extend(struct memory_plan *p, const struct flow *f) {
    for (int i = 0; i < p->nregions; i++) {
        struct region *r = &p->regions[i];
        const struct section *first = section_of(f, r->first), *last = section_of(f, r->last);
        if (p->pack_of[i] >= 0) continue;
        if (first) r->first = first->first;
        if (last) r->last = last->end - 1;
    }
}

/* The regions of packs, strand after strand. */
struct packed {
    struct region *regions; /* copies */
    int *numbers;           /* of these regions in the plan */
    int *start;             /* by strand, and one more */
};

/* Sort the regions in packs by strand, in the arena. False if memory runs out. */
static bool sort_packed(const struct memory_plan *p, struct packed *to, struct arena *arena) {
    size_t n = (size_t)p->nregions + 1;
    to->regions = arena_array(arena, n, sizeof *to->regions);
    to->numbers = arena_array(arena, n, sizeof *to->numbers);
    to->start = arena_array(arena, (size_t)p->npacks + 2, sizeof *to->start);
    if (!to->regions || !to->numbers || !to->start) return false;
    for (int i = 0; i < p->nregions; i++)
        if (p->pack_of[i] >= 0) to->start[p->pack_of[i] + 2]++;
    for (int s = 2; s <= p->npacks + 1; s++) to->start[s] += to->start[s - 1];
    for (int i = 0; i < p->nregions; i++) {
        if (p->pack_of[i] < 0) continue;
        int at = to->start[p->pack_of[i] + 1]++;
        to->regions[at] = p->regions[i];
        to->numbers[at] = i;
    }
    return true;
}

/* An end of the life of a region: bytes that are alive from kernel `at` on, or with a minus sign are not. */
struct change {
    int at;
    int64_t bytes;
};

static int by_time(const void *a, const void *b) {
    const struct change *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes); /* deaths first */
}

/* Return the most bytes of n regions alive at once. changes[] has room for 2 n. */
static int64_t most_alive(int n, const struct region *regions, struct change *changes) {
    int64_t now = 0, most = 0;
    for (int i = 0; i < n; i++) {
        changes[2 * i] = (struct change){regions[i].first, regions[i].bytes};
        changes[2 * i + 1] = (struct change){regions[i].last + 1, -regions[i].bytes};
    }
    qsort(changes, 2 * (size_t)n, sizeof *changes, by_time);
    for (int i = 0; i < 2 * n; i++)
        if ((now += changes[i].bytes) > most) most = now;
    return most;
}

bool memory_sections_lives(struct memory_plan *p, const struct flow *f, struct fault *fault) {
    struct arena arena = {0};
    struct packed packed;
    p->npacks = f->sections.nstrands;
    p->pack_of = mem_array((size_t)p->nregions + 1, sizeof *p->pack_of);
    p->packs = mem_array((size_t)p->npacks + 1, sizeof *p->packs);
    struct change *changes = arena_array(&arena, 2 * (size_t)p->nregions + 1, sizeof *changes);
    bool done = p->pack_of && p->packs && changes;
    if (done) find_users(p, f);
    if (done) extend(p, f);
    done = done && sort_packed(p, &packed, &arena);
    for (int i = 0; done && i < f->sections.n; i++) {
        const struct section *s = &f->sections.all[i];
        for (int strand = s->strands; strand < s->strands + s->nstrands; strand++) {
            int first = packed.start[strand], n = packed.start[strand + 1] - first;
            p->packs[strand] =
                (struct region){s->first, s->end - 1, most_alive(n, &packed.regions[first], changes), 0, -1};
        }
    }
    arena_drop(&arena);
    return done || fault_memory(fault, ((size_t)p->nregions + 1) * sizeof *changes);
}

/* ---- offsets ---- */

/* Give each region in a pack its offset there, and set the bytes of the packs. False if memory runs out. */
static bool fill_packs(struct memory_plan *p, struct packed *packed) {
    for (int s = 0; s < p->npacks; s++) {
        int first = packed->start[s], n = packed->start[s + 1] - first;
        struct region *pack = &p->packs[s];
        if (!n) continue;
        pack->bytes =
            memory_plan_pack(n, &packed->regions[first], pack->bytes, 1); /* many packs: few steps each */
        if (pack->bytes < 0) return false;
        for (int i = first; i < first + n; i++)
            p->regions[packed->numbers[i]].offset = packed->regions[i].offset;
    }
    return true;
}

/* Place packs and the regions outside of packs in the arena, and return its bytes; -1: no memory. */
static int64_t place_all(struct memory_plan *p, int64_t steps, struct arena *arena) {
    size_t most = (size_t)p->nregions + (size_t)p->npacks + 1;
    struct region *all = arena_array(arena, most, sizeof *all);
    struct change *changes = arena_array(arena, 2 * most, sizeof *changes);
    int n = 0;
    if (!all || !changes) return -1;
    for (int i = 0; i < p->nregions; i++)
        if (p->pack_of[i] < 0) all[n++] = p->regions[i];
    for (int s = 0; s < p->npacks; s++)
        if (p->packs[s].bytes) all[n++] = p->packs[s];
    int64_t enough = greater(most_alive(n, all, changes), p->live_bound); /* a shared plan asks for less */
    int64_t bytes = memory_plan_pack(n, all, enough, steps);
    n = 0;
    for (int i = 0; i < p->nregions && bytes >= 0; i++)
        if (p->pack_of[i] < 0) p->regions[i].offset = all[n++].offset;
    for (int s = 0; s < p->npacks && bytes >= 0; s++)
        if (p->packs[s].bytes) p->packs[s].offset = all[n++].offset;
    for (int i = 0; i < p->nregions && bytes >= 0; i++)
        if (p->pack_of[i] >= 0) p->regions[i].offset += p->packs[p->pack_of[i]].offset;
    return bytes;
}

int64_t memory_sections_place(struct memory_plan *p, int64_t steps) {
    struct arena arena = {0};
    struct packed packed;
    int64_t bytes = -1;
    if (sort_packed(p, &packed, &arena) && fill_packs(p, &packed)) bytes = place_all(p, steps, &arena);
    arena_drop(&arena);
    return bytes;
}

/* ---- choosing ---- */

/* Compute the most bytes alive at once in *bytes, and the first kernel that has them in *at. False, with the fault set,
   on failure. */
static bool measure(const struct flow *f, const ty_compile_options *options, int64_t *bytes, int *at,
                    struct fault *fault) {
    struct memory_plan plan;
    int64_t *live = mem_array((size_t)f->nkernels + 1, sizeof *live);
    bool done = memory_plan_lives(&plan, f, options, fault) && (live || fault_memory(fault, sizeof *live));
    *bytes = *at = 0;
    if (done) memory_plan_live(&plan, f->nkernels, live);
    for (int k = 0; done && k < f->nkernels; k++)
        if (live[k] > *bytes) *bytes = live[*at = k];
    memory_plan_drop(&plan);
    mem_free(live);
    return done;
}

bool memory_sections_choose(struct flow *f, const struct sections *s, const ty_compile_options *options,
                            struct fault *fault) {
    int64_t before, now;
    int at;
    if (!measure(f, options, &before, &at, fault) || !sections_apply(f, s, fault)) return false;
    int64_t caches = level_bytes(LEVEL_SECOND) * s->width;
    int64_t most = before + greater(before / GROWTH_PARTS, caches);
    for (int tries = 0; tries < TRIES && f->sections.n; tries++) {
        if (!measure(f, options, &now, &at, fault)) return false;
        const struct section *peak = section_of(f, at);
        if (now <= most) return true;
        if (!peak) break;
        sections_give_up(f, (int)(peak - f->sections.all));
    }
    return sections_drop(f, fault);
}
