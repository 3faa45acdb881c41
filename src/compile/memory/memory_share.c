/* Shared memory plans: regions of two plans are paired by their lifetimes, in the order of kernels. */
#include "compile/memory/memory_share.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/number.h"
#include "base/threads/lock.h"

enum {
    SPARE =
        8, /* workspaces need not grow with the size: they, and regions that were too small, get 1/8 more */
    MORE = 16, /* plans within 1/16 above the family's largest arena are not improved */
    NOTE = -1  /* `count` of a note */
};

/* The strand that alone uses a region, and the section in which it runs beside others (flow/sections.h). */
struct strand_life {
    int strand, first, last; /* strand -1: none */
};

/* A plan of one family, or a note that the family is known. */
struct shared_plan {
    struct ring link;
    uint64_t family;
    int64_t arena_bytes;
    int count;                   /* of regions; NOTE: none */
    struct strand_life *strands; /* by region, behind the regions */
    struct region regions[];
};

LOCK(lock) /* guards all shares */

/* ---- pairs of regions ---- */

/* Walks over two lists of regions in the order of memory_plan_lives: blocks, then the workspace, of each kernel. */
struct pairing {
    const struct shared_plan *wanted, *given; /* regions of a program; a plan for them */
    int i, j;                                 /* regions passed so far */
};
enum pair {
    PAIR_END,
    PAIR_BOTH,   /* regions i - 1 and j - 1 have the same lifetime */
    PAIR_WANTED, /* region i - 1 is a workspace that the plan lacks */
    PAIR_GIVEN,  /* region j - 1 is a workspace that the program does not need */
    PAIR_CLASH   /* lifetimes differ */
};

static bool is_workspace(const struct region *r) { return r->block < 0; }
static int64_t place_of(const struct region *r) { return 2 * (int64_t)r->first + is_workspace(r); }

/* Pass the next region, or a pair of regions with equal lifetimes. */
static enum pair pair_next(struct pairing *p) {
    const struct region *a = p->i < p->wanted->count ? &p->wanted->regions[p->i] : NULL;
    const struct region *b = p->j < p->given->count ? &p->given->regions[p->j] : NULL;
    if (!a && !b) return PAIR_END;
    if (a && b && place_of(a) == place_of(b)) {
        p->i++, p->j++;
        const struct strand_life *s = &p->wanted->strands[p->i - 1], *t = &p->given->strands[p->j - 1];
        bool alike = s->strand == t->strand && s->first == t->first && s->last == t->last;
        return alike && a->last == b->last ? PAIR_BOTH : PAIR_CLASH;
    }
    if (b && is_workspace(b) && (!a || place_of(b) < place_of(a))) return p->j++, PAIR_GIVEN;
    if (a && is_workspace(a) && (!b || place_of(a) < place_of(b))) return p->i++, PAIR_WANTED;
    return PAIR_CLASH;
}

/* Return `bytes` and some to spare. */
static int64_t spacious(int64_t bytes) { return plan_aligned(bytes + bytes / SPARE); }

enum fit { FIT_NOT, FIT_SMALL, FIT_WELL };
/* Return whether a plan fits the regions wanted: FIT_SMALL if only its sizes do not. */
static enum fit fit_of(const struct shared_plan *wanted, const struct shared_plan *plan) {
    struct pairing p = {wanted, plan, 0, 0};
    enum fit fit = FIT_WELL;
    if (plan->count == NOTE) return FIT_NOT;
    for (enum pair pair; (pair = pair_next(&p)) != PAIR_END;) {
        if (pair == PAIR_CLASH) return FIT_NOT;
        bool small = pair == PAIR_BOTH && wanted->regions[p.i - 1].bytes > plan->regions[p.j - 1].bytes;
        if (small || pair == PAIR_WANTED) fit = FIT_SMALL;
    }
    return fit;
}

/* Enlarge the regions of `out` to those of `plan` with equal lifetimes, and a little more where these are too small. */
static void enlarge(struct shared_plan *out, const struct shared_plan *plan) {
    struct pairing p = {out, plan, 0, 0};
    for (enum pair pair; (pair = pair_next(&p)) != PAIR_END;) {
        struct region *r = pair == PAIR_GIVEN ? NULL : &out->regions[p.i - 1];
        int64_t given = pair == PAIR_BOTH ? plan->regions[p.j - 1].bytes : 0;
        if (r) r->bytes = r->bytes > given ? spacious(r->bytes) : given;
    }
}

/* Give the regions of p, which are those wanted, the offsets of `plan`, which fits them. */
static void take_offsets(struct memory_plan *p, const struct shared_plan *wanted,
                         const struct shared_plan *plan) {
    struct pairing pairs = {wanted, plan, 0, 0};
    for (enum pair pair; (pair = pair_next(&pairs)) != PAIR_END;)
        if (pair == PAIR_BOTH) p->regions[pairs.i - 1].offset = plan->regions[pairs.j - 1].offset;
    p->arena_bytes = plan->arena_bytes;
}

/* ---- lists of plans ---- */

#define PLAN_AT(place) RING_ITEM(place, struct shared_plan, link)

/* Return the best fit of the family for the regions wanted, newest first; NULL: none. The lock is held. */
static struct shared_plan *find(const struct plan_use *use, const struct shared_plan *wanted, enum fit *fit) {
    struct shared_plan *best = NULL;
    *fit = FIT_NOT;
    for (struct ring *r = ring_newest(&use->share->plans); r; r = ring_next(&use->share->plans, r)) {
        struct shared_plan *plan = PLAN_AT(r);
        enum fit now = plan->family == use->family ? fit_of(wanted, plan) : FIT_NOT;
        if (now <= *fit) continue;
        *fit = now;
        best = plan;
    }
    return best;
}

/* Remove a plan and free it. The lock is held. */
static void forget(struct plan_share *share, struct shared_plan *plan) {
    ring_remove(&plan->link);
    share->count--;
    mem_free(plan);
}

/* True if plan `a` serves all that plan b serves. */
static bool covers(const struct shared_plan *a, const struct shared_plan *b) {
    if (a->family != b->family || a->count == NOTE) return false;
    return b->count == NOTE || fit_of(b, a) == FIT_WELL;
}

/* Add a plan to the share, instead of those that it covers. */
static void add(const struct plan_use *use, struct shared_plan *plan) {
    struct plan_share *share = use->share;
    plan->family = use->family;
    lock_take(&lock);
    for (struct ring *r = ring_newest(&share->plans), *next; r; r = next) {
        next = ring_next(&share->plans, r);
        if (covers(plan, PLAN_AT(r))) forget(share, PLAN_AT(r));
    }
    if (share->count == SHARED_PLANS) forget(share, PLAN_AT(ring_oldest(&share->plans)));
    ring_add(&share->plans, &plan->link);
    share->count++;
    lock_give(&lock);
}

/* ---- places ---- */

/* Return the bytes of the largest arena of the family's plans; 0: none. The lock is held. */
static int64_t largest_arena(const struct plan_use *use) {
    int64_t most = 0;
    for (struct ring *r = ring_newest(&use->share->plans); r; r = ring_next(&use->share->plans, r))
        if (PLAN_AT(r)->family == use->family) most = greater(most, PLAN_AT(r)->arena_bytes);
    return most;
}

/* Return a new plan with the regions of p, which the caller frees. NULL, with the fault set, if memory runs out. */
static struct shared_plan *plan_of(const struct memory_plan *p, struct fault *fault) {
    const size_t bytes = sizeof(struct region) + sizeof(struct strand_life);
    struct shared_plan *plan = mem_alloc(sizeof *plan + (size_t)p->nregions * bytes);
    if (!plan) {
        fault_memory(fault, (size_t)p->nregions * bytes);
        return NULL;
    }
    plan->count = p->nregions;
    plan->strands = (struct strand_life *)(void *)&plan->regions[p->nregions];
    for (int i = 0; i < p->nregions; i++) {
        int strand = p->pack_of ? p->pack_of[i] : -1;
        plan->regions[i] = p->regions[i];
        plan->strands[i] = strand < 0
                               ? (struct strand_life){-1, 0, 0}
                               : (struct strand_life){strand, p->packs[strand].first, p->packs[strand].last};
    }
    return plan;
}

/* Enlarge the regions of *made, the first plan with such lifetimes. Its program may have a size far below the bound,
   and takes `live` bytes at once: all regions grow evenly until that is `arena`, as much as other sizes take. */
static void enlarge_evenly(struct shared_plan *made, int64_t live, int64_t arena) {
    double more = live > 0 && arena > live ? (double)arena / (double)live : 1;
    for (int i = 0; i < made->count; i++) {
        struct region *r = &made->regions[i];
        int64_t bytes = greater((int64_t)((double)r->bytes * more), r->bytes);
        r->bytes = is_workspace(r) ? spacious(bytes) : plan_aligned(bytes);
    }
}

/* Take the offsets of a shared plan that fits p and return NULL. Else return a new plan without offsets for the
   regions of p, enlarged to those of a plan of equal lifetimes if there is one, and the family's largest arena in
   *arena. The caller frees it. NULL, with the fault set, if memory runs out. */
static struct shared_plan *take_or_begin(const struct plan_use *use, struct memory_plan *p, int64_t *arena,
                                         struct fault *fault) {
    enum fit fit;
    struct shared_plan *made = plan_of(p, fault);
    if (!made) return NULL;
    lock_take(&lock);
    struct shared_plan *found = find(use, made, &fit);
    *arena = largest_arena(use);
    if (fit == FIT_WELL) {
        take_offsets(p, made, found);
        ring_remove(&found->link);
        ring_add(&use->share->plans, &found->link);
    } else if (found) {
        enlarge(made, found);
    } else {
        enlarge_evenly(made, p->live_bound, *arena);
    }
    lock_give(&lock);
    p->shared = fit == FIT_WELL;
    if (!p->shared) return made;
    mem_free(made);
    return NULL;
}

/* Assign offsets to the regions of a new shared plan for p by the usual search, which stops at `enough` bytes. False
   after a fault. */
static bool search(struct shared_plan *plan, struct memory_plan *p, int nkernels, int64_t enough,
                   const ty_compile_options *options, struct fault *fault) {
    struct region *own = p->regions;
    int64_t sum = 0, live = p->live_bound;
    for (int i = 0; i < plan->count; i++) /* enlarged regions may exceed what their program has checked */
        if (!checked_add(sum, plan->regions[i].bytes, &sum))
            return fault_set(fault, E_MEMORY, "compile: the shared plan exceeds the address space");
    p->regions = plan->regions;
    bool done = memory_plan_bound(p, nkernels, fault);
    p->live_bound = greater(p->live_bound, enough);
    done = done && memory_plan_place(p, options, fault);
    p->regions = own;
    p->live_bound = live;
    plan->arena_bytes = p->arena_bytes;
    return done;
}

bool memory_share_place(const struct plan_use *use, struct memory_plan *p, const struct flow *f,
                        const ty_compile_options *options, struct fault *fault) {
    int64_t arena;
    struct shared_plan *plan = take_or_begin(use, p, &arena, fault);
    if (!plan) return p->shared;
    int64_t enough = arena + arena / MORE;
    if (!search(plan, p, f->nkernels, enough, options, fault)) {
        mem_free(plan);
        return false;
    }
    take_offsets(p, plan, plan);
    p->shared = plan->arena_bytes <= enough;
    add(use, plan);
    return true;
}

/* ---- families, reports ---- */

bool memory_share_knows(const struct plan_use *use) {
    bool known = false;
    lock_take(&lock);
    for (struct ring *r = ring_newest(&use->share->plans); r && !known; r = ring_next(&use->share->plans, r))
        known = PLAN_AT(r)->family == use->family;
    lock_give(&lock);
    return known;
}

void memory_share_note(const struct plan_use *use) {
    struct shared_plan *note = mem_alloc(sizeof *note);
    if (!note) return;
    note->count = NOTE;
    add(use, note);
}

int memory_share_count(const struct plan_share *share, size_t *bytes) {
    int count = 0;
    *bytes = 0;
    lock_take(&lock);
    for (struct ring *r = ring_newest(&share->plans); r; r = ring_next(&share->plans, r)) {
        const struct shared_plan *plan = PLAN_AT(r);
        bool is_note = plan->count == NOTE;
        count += !is_note;
        *bytes += sizeof *plan +
                  (is_note ? 0 : (size_t)plan->count * (sizeof *plan->regions + sizeof *plan->strands));
    }
    lock_give(&lock);
    return count;
}

void memory_share_drop(struct plan_share *share) {
    lock_take(&lock);
    for (struct ring *r; (r = ring_newest(&share->plans));) forget(share, PLAN_AT(r));
    lock_give(&lock);
}
