/*
 * Finds sections.  From a kernel on, the order is followed as long as its kernels may be members; a union-find joins
 * those that share data.  The section ends where the estimated gain is greatest: the time of its kernels one after the
 * other, less that of the busiest thread.  Kernels that fill the threads by themselves are no members.  They are moved
 * in front of the section if they depend on nothing in it, and end it otherwise.
 *
 * Components of a section are put into a few strands for each thread, the most costly first, each into the strand that
 * has least (longest processing time, Graham 1969).
 */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "base/context/stop.h"
#include "base/number.h"
#include "compile/passes/sections.h"
#include "ops/core/kernel/work.h"

enum {
    STRANDS_A_THREAD = 4, /* balance the threads where costs are wrong */
    GAIN_PARTS = 4,       /* a section gains at least this part of its time */
    PATIENCE = 256,       /* kernels followed without more gain, unless nothing was found before */
    STEPS_A_KERNEL = 8,   /* kernels followed in all, for each kernel of the flow */
    STEPS_LEAST = 1 << 16
};

static const double FEW_THREADS = 1.25; /* threads that a kernel uses on average and is not large */

/* Roles that a kernel may have in a section. */
enum role { MEMBER, LARGE, BARRIER };

/* An access of a kernel to a block. */
struct side_note {
    int kernel, next; /* the next note on the same block; -1: none */
};

/* Accesses of members to a block. */
struct side_notes {
    int trial; /* the trial to which they belong */
    int reads, writes;
};

/* State of the pass. */
struct seeking {
    struct flow *flow;
    int width, trial;
    int64_t steps;
    struct arena arena;
    struct side_cost *costs; /* by kernel */
    unsigned char *roles;    /* by kernel: enum role */
    int *root;               /* by kernel: union-find */
    double *load;            /* by root: cost of the component on one thread */
    struct side_notes *at;   /* by block */
    struct side_note *notes;
    int nnotes;
    int *parts;   /* the roots of a section's components; then its kernels, sorted by strand */
    double *sums; /* by strand of a section: its load, in a heap with the least first */
    int *places;  /* by strand of a section: its number, in the same heap */
    struct sections *found;
};

/* A section that begins with a given kernel. */
struct trial {
    int end; /* the kernel after its last one */
    double own, alone, most, gain;
    bool refuses, updates, others; /* has kernels that may refuse, that write over variables, other kernels */
};

/* ---- components ---- */

static int root_of(struct seeking *s, int k) {
    while (s->root[k] != k) k = s->root[k] = s->root[s->root[k]];
    return k;
}

/* Join the components of kernels a and b, and return the cost of the component. */
static double join(struct seeking *s, int a, int b) {
    a = root_of(s, a);
    b = root_of(s, b);
    if (a == b) return s->load[a];
    if (a > b) {
        int c = a;
        a = b;
        b = c;
    }
    s->root[b] = a;
    return s->load[a] += s->load[b];
}

/* Return the accesses of this trial's members to block b. */
static struct side_notes *notes_of(struct seeking *s, int b) {
    struct side_notes *at = &s->at[sections_block(s->flow, b)];
    if (at->trial != s->trial) *at = (struct side_notes){s->trial, -1, -1};
    return at;
}

/* Join kernel k with all kernels of a list, which are one component then: the list keeps one. */
static double join_all(struct seeking *s, int k, int list) {
    double load = 0;
    for (int i = list; i >= 0; i = s->notes[i].next) load = join(s, k, s->notes[i].kernel);
    if (list >= 0) s->notes[list].next = -1;
    return load;
}

static void note(struct seeking *s, int *list, int k) {
    s->notes[s->nnotes] = (struct side_note){k, *list};
    *list = s->nnotes++;
}

/* Make kernel k a member: join it with the members that share data with it which one of them writes.  Return the cost
   of its component. */
static double add_member(struct seeking *s, int k) {
    const struct kernel *kernel = &s->flow->kernels[k];
    double most = s->load[k] = s->costs[k].alone, load;
    s->root[k] = k;
    for (int i = 0; i < kernel->ninputs; i++) {
        struct side_notes *at = notes_of(s, kernel->inputs[i].slot);
        if ((load = join_all(s, k, at->writes)) > most) most = load;
        note(s, &at->reads, k);
    }
    for (int i = 0; i < kernel->noutputs; i++) { /* several writers of one block write parts of it */
        struct side_notes *at = notes_of(s, kernel->outputs[i].slot);
        if ((load = join_all(s, k, at->reads)) > most) most = load;
        note(s, &at->writes, k);
    }
    return most;
}

/* True if kernel k shares data with a member that one of them writes. */
static bool meets(struct seeking *s, int k) {
    const struct kernel *kernel = &s->flow->kernels[k];
    for (int i = 0; i < kernel->ninputs; i++)
        if (notes_of(s, kernel->inputs[i].slot)->writes >= 0) return true;
    for (int i = 0; i < kernel->noutputs; i++)
        if (notes_of(s, kernel->outputs[i].slot)->reads >= 0) return true;
    return false;
}

/* ---- trials ---- */

/* True if kernel k, a member by itself, may be one of this section.  Kernels that write over variables run when nothing
   can fail any more; in a program that can be stopped, when nothing else is left. */
static bool may_join(const struct seeking *s, struct trial *t, int k) {
    const struct kernel *kernel = &s->flow->kernels[k];
    bool refuses = kernel_may_refuse(s->flow, kernel), updates = kernel_updates(s->flow, kernel);
    t->refuses |= refuses;
    t->updates |= updates;
    t->others |= !updates;
    return !t->updates || !(t->refuses || (s->flow->stoppable && t->others));
}

/* True if kernel k, which is large, may run before the members that come before it. */
static bool may_move(struct seeking *s, int k) {
    const struct kernel *kernel = &s->flow->kernels[k];
    return !kernel_may_refuse(s->flow, kernel) && !kernel_updates(s->flow, kernel) && !meets(s, k);
}

static double gain_of(const struct seeking *s, const struct trial *t) {
    double busiest = t->alone / s->width;
    return t->own - (t->most > busiest ? t->most : busiest);
}

static atomic_int forced;
void sections_force(enum sections_forced how) { atomic_store(&forced, (int)how); }
static bool is_forced(enum sections_forced how) { return atomic_load(&forced) == (int)how; }

static bool is_worth(double gain, double own) {
    return is_forced(SECTIONS_ALWAYS) ? gain > 0 : gain >= WORK_A_THREAD && gain * GAIN_PARTS >= own;
}

/* Follow the order from kernel `first` until `end`, exclusive, and return the section of the greatest gain; its end is
   `first` if there is none.  The components are those of the kernels that were followed. */
static struct trial follow(struct seeking *s, int first, int end, int patience) {
    struct trial t = {0}, best = {.end = first};
    s->trial++;
    s->nnotes = 0;
    for (int k = first, last = first; k < end && s->steps > 0 && k - last < patience; k++, s->steps--) {
        if (s->roles[k] == BARRIER || (s->roles[k] == LARGE && !may_move(s, k))) break;
        if (s->roles[k] == LARGE) continue;
        if (!may_join(s, &t, k)) break;
        double load = add_member(s, k);
        if (load > t.most) t.most = load;
        t.own += s->costs[k].own;
        t.alone += s->costs[k].alone;
        t.gain = gain_of(s, &t);
        t.end = k + 1;
        if (t.gain <= best.gain || !is_worth(t.gain, t.own)) continue;
        best = t;
        last = k;
    }
    return best;
}

/* True if a section may begin with kernel k: the one before is no member, or several kernels read its result. */
static bool may_begin(const struct seeking *s, int k) {
    const struct flow *f = s->flow;
    if (s->roles[k] != MEMBER) return false;
    if (!k || s->roles[k - 1] != MEMBER) return true;
    for (int i = 0; i < f->kernels[k - 1].noutputs; i++) {
        int b = f->kernels[k - 1].outputs[i].slot;
        if (f->use_start[b + 1] - f->use_start[b] > 1) return true;
    }
    return false;
}

/* ---- strands ---- */

/* A component of a section. */
struct component {
    int root;
    double load;
};

static int by_load(const void *a, const void *b) {
    const struct component *x = a, *y = b;
    if (x->load != y->load) return x->load > y->load ? -1 : 1;
    return (x->root > y->root) - (x->root < y->root);
}

/* Restore the heap of n strands after the load of the first has grown. */
static void sink(struct seeking *s, int n) {
    double load = s->sums[0];
    int strand = s->places[0], place = 0;
    for (int child = 1; child < n; child = 2 * place + 1) {
        if (child + 1 < n && s->sums[child + 1] < s->sums[child]) child++;
        if (s->sums[child] >= load) break;
        s->sums[place] = s->sums[child];
        s->places[place] = s->places[child];
        place = child;
    }
    s->sums[place] = load;
    s->places[place] = strand;
}

/* Put n components, the most costly first, into m strands, each into the one that has least: parts[root] is its strand.
   Return the load of the busiest strand. */
static double spread(struct seeking *s, int n, const struct component *components, int m) {
    double most = 0;
    for (int i = 0; i < m; i++) {
        s->sums[i] = 0;
        s->places[i] = i;
    }
    for (int i = 0; i < n; i++) {
        s->parts[components[i].root] = s->places[0];
        s->sums[0] += components[i].load;
        if (s->sums[0] > most) most = s->sums[0];
        sink(s, m);
    }
    return most;
}

/* Make the components of members first .. end-1 in the arena, the most costly first.  Return their number, or -1 if
   memory runs out. */
static int components_of(struct seeking *s, int first, int end, struct component **components) {
    int n = 0;
    for (int k = first; k < end; k++) n += s->roles[k] == MEMBER && s->root[k] == k;
    *components = arena_array(&s->arena, (size_t)n + 1, sizeof **components);
    if (!*components) return -1;
    n = 0;
    for (int k = first; k < end; k++)
        if (s->roles[k] == MEMBER && s->root[k] == k) (*components)[n++] = (struct component){k, s->load[k]};
    qsort(*components, (size_t)n, sizeof **components, by_load);
    return n;
}

/* Put the kernels first .. end-1 into the new order, large ones first. Return the new number of the first member. */
static int order(struct seeking *s, int first, int end) {
    int *before = s->found->before, at = first;
    for (int k = first; k < end; k++)
        if (s->roles[k] != MEMBER) before[at++] = k;
    int begin = at;
    for (int i = first; i < begin; i++) s->found->strand_of[i] = -1;
    for (int k = first; k < end; k++)
        if (s->roles[k] == MEMBER) before[at++] = k;
    return begin;
}

/* Renumber the m strands into which `spread` has put n components: the most costly first. */
static void sort_strands(struct seeking *s, int n, const struct component *components, int m,
                         struct component *scratch) {
    for (int i = 0; i < m; i++) scratch[i] = (struct component){s->places[i], s->sums[i]};
    qsort(scratch, (size_t)m, sizeof *scratch, by_load);
    for (int i = 0; i < m; i++) s->places[scratch[i].root] = i;
    for (int i = 0; i < n; i++) s->parts[components[i].root] = s->places[s->parts[components[i].root]];
}

/* List the kernels first .. end-1 of the new order, the members of a section, by strand; parts[root] is the strand. */
static void list_strands(struct seeking *s, struct section *section) {
    struct sections *found = s->found;
    struct strand *strands = &found->strands[section->strands];
    int at = section->first;
    for (int k = section->first; k < section->end; k++) {
        int member = found->before[k], strand = s->parts[root_of(s, member)];
        found->strand_of[k] = section->strands + strand;
        strands[strand].count++;
        strands[strand].cost += s->costs[member].alone;
    }
    for (int i = 0; i < section->nstrands; i++) {
        strands[i].section = found->n;
        strands[i].first = at;
        at += strands[i].count;
        strands[i].count = 0;
    }
    for (int k = section->first; k < section->end; k++) {
        struct strand *strand = &found->strands[found->strand_of[k]];
        found->kernels[strand->first + strand->count++] = k;
    }
}

/* Add the section that begins with kernel `first`.  False if its components cannot be balanced well enough, or with
   *failed set if memory runs out. */
static bool add_section(struct seeking *s, const struct trial *t, int first, bool *failed) {
    struct sections *found = s->found;
    struct component *components;
    s->steps += t->end - first; /* these are few: each kernel is in one section */
    follow(s, first, t->end, t->end - first + 1);
    int n = components_of(s, first, t->end, &components),
        most = (int)lesser(STRANDS_A_THREAD * s->width, STRANDS_MOST);
    struct component *scratch = arena_array(&s->arena, (size_t)most, sizeof *scratch);
    *failed = n < 0 || !scratch;
    if (*failed) return false;
    if (n < 2) return false;
    double gain = t->own - spread(s, n, components, n < s->width ? n : s->width);
    if (!is_worth(gain, t->own)) return false;
    struct section *section = &found->all[found->n];
    *section = (struct section){.strands = found->nstrands, .updates = t->updates, .gain = gain};
    section->nstrands = n < most ? n : most;
    spread(s, n, components, section->nstrands);
    sort_strands(s, n, components, section->nstrands, scratch);
    section->first = order(s, first, t->end);
    section->end = t->end;
    list_strands(s, section);
    found->nstrands += section->nstrands;
    found->n++;
    return true;
}

/* ---- the pass ---- */

/* Set costs and roles of all kernels.  Return the number of members. */
static int classify(struct seeking *s) {
    const struct flow *f = s->flow;
    int members = 0;
    for (int k = 0; k < f->nkernels; k++) {
        struct side_cost cost = side_cost_of(&f->kernels[k], s->width);
        if (is_forced(SECTIONS_ALWAYS)) cost.own = cost.alone;
        s->costs[k] = cost;
        bool large = cost.alone > cost.own * fmax(s->width / 2.0, FEW_THREADS);
        s->roles[k] = kernel_calls_user(&f->kernels[k]) ? BARRIER : large ? LARGE : MEMBER;
        members += s->roles[k] == MEMBER;
    }
    return members;
}

/* Find the sections, and the new order of kernels.  False, with the fault set, on failure. */
static bool seek(struct seeking *s, struct fault *fault) {
    int n = s->flow->nkernels;
    bool failed = false;
    for (int k = 0; k < n;) {
        if (!stop_check(fault)) return false;
        s->found->before[k] = k;
        s->found->strand_of[k] = -1;
        int patience = k && s->roles[k - 1] == MEMBER ? PATIENCE : n + 1;
        struct trial t = {.end = k};
        if (may_begin(s, k) || (s->found->n && s->found->all[s->found->n - 1].end == k))
            t = follow(s, k, n, patience);
        k = t.end > k && add_section(s, &t, k, &failed) ? t.end : k + 1;
        if (failed) return fault_memory(fault, (size_t)n * sizeof(struct component));
    }
    return true;
}

/* Allocate the tables of the pass and of the sections.  False if memory runs out. */
static bool make_room(struct seeking *s) {
    size_t n = (size_t)s->flow->nkernels + 1, strands = (size_t)STRANDS_A_THREAD * (size_t)s->width,
           accesses = 1;
    for (int k = 0; k < s->flow->nkernels; k++)
        accesses += (size_t)(s->flow->kernels[k].ninputs + s->flow->kernels[k].noutputs);
    struct sections *found = s->found;
    s->costs = arena_array(&s->arena, n, sizeof *s->costs);
    s->roles = arena_array(&s->arena, n, sizeof *s->roles);
    s->root = arena_array(&s->arena, n, sizeof *s->root);
    s->load = arena_array(&s->arena, n, sizeof *s->load);
    s->at = arena_array(&s->arena, (size_t)s->flow->nblocks + 1, sizeof *s->at);
    s->notes = arena_array(&s->arena, accesses, sizeof *s->notes);
    s->parts = arena_array(&s->arena, n, sizeof *s->parts);
    s->sums = arena_array(&s->arena, strands, sizeof *s->sums);
    s->places = arena_array(&s->arena, strands, sizeof *s->places);
    found->all = arena_array(&s->flow->arena, n / 2 + 1, sizeof *found->all);
    found->strands = arena_array(&s->flow->arena, n, sizeof *found->strands);
    found->kernels = arena_array(&s->flow->arena, n, sizeof *found->kernels);
    found->strand_of = arena_array(&s->flow->arena, n, sizeof *found->strand_of);
    found->before = arena_array(&s->flow->arena, n, sizeof *found->before);
    return s->costs && s->roles && s->root && s->load && s->at && s->notes && s->parts && s->sums &&
           s->places && found->all && found->strands && found->kernels && found->strand_of && found->before;
}

bool sections_find(struct flow *f, int width, struct sections *found, struct fault *fault) {
    struct seeking s = {.flow = f, .width = width, .found = found};
    size_t n = (size_t)f->nkernels;
    *found = (struct sections){.width = width};
    if (width < 2 || f->nkernels < 2 || is_forced(SECTIONS_NEVER)) return true;
    s.steps = STEPS_LEAST + (int64_t)n * STEPS_A_KERNEL;
    bool done = make_room(&s) || fault_memory(fault, n * sizeof *s.costs);
    done = done && (classify(&s) < 2 || seek(&s, fault));
    arena_drop(&s.arena);
    return done;
}
