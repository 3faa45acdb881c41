/*
 * Order of kernels, which determines the memory alive at once. Two orders are simulated, and the one of the
 * lowest peak is kept, or of the lowest average if peaks are equal. The first is that of the graph. The second
 * is greedy list scheduling: of the ready kernels, the one after which least memory is alive (Sethi and
 * Ullman 1970 for trees). The growth of memory by a kernel changes only when it becomes the last reader of a
 * block. So ready kernels form one heap, and the cost is that of sorting the edges.
 *
 * Kernels that write over variables wait until no kernel is left that may refuse, so that a failing run
 * changes nothing; pass_update.c excludes cycles.  In a program that can be stopped they come after all ready
 * kernels that write over none.  What they read, such as gradients, then lives until the end.  So a third order is
 * simulated there: greedy, but kernels that compute such values wait while others are ready, if memory grows by them.
 */
#include "base/alloc.h"
#include "base/checked.h"
#include "compile/passes.h"

/* The simulated orders: by index; by growth, then index; the same, but some kernels wait. */
enum order_kind { AS_RECORDED, GREEDY, GREEDY_LATE, ORDERS };

/* State of the pass. */
struct order {
    const struct flow *flow;
    struct edges edges;
    struct arena arena;
    int *before;     /* by kernel: remaining incoming edges */
    int *readers;    /* by block: readers that have not run */
    int64_t *rest;   /* by block: sum of these readers' indices; the index if there is one */
    int *seen;       /* by block: 1 + the kernel that was counted last */
    int64_t *growth; /* by kernel: change of live memory by running it and freeing its operands */
    bool *waits;     /* by kernel: only kernels that write over variables read its results */
    int *ready;      /* heap of kernels that can run */
    int *at;         /* by kernel: position in the heap; -1: not there */
    int *waiting;    /* kernels that wait for kernels that may refuse */
    int *result[ORDERS];
    enum order_kind kind;
    int nready, nwaiting;
    int refusals; /* number of remaining kernels that may refuse */
};

/* Return the bytes that `block` takes in the arena while it lives; 0 if it is no temporary. */
static int64_t held(const struct flow *f, int block) {
    return f->blocks[block].kind == BLOCK_TEMPORARY ? f->blocks[block].bytes : 0;
}

/* ---- ready kernels: a binary heap ---- */

static bool comes_late(const struct order *o, int k) {
    return o->kind == GREEDY_LATE && o->waits[k] && o->growth[k] > 0;
}

static bool comes_before(const struct order *o, int a, int b) {
    bool writes[] = {o->flow->stoppable && kernel_updates(o->flow, &o->flow->kernels[a]),
                     o->flow->stoppable && kernel_updates(o->flow, &o->flow->kernels[b])};
    if (writes[0] != writes[1]) return writes[1];
    if (o->kind == AS_RECORDED) return a < b;
    bool late[] = {comes_late(o, a), comes_late(o, b)};
    if (late[0] != late[1]) return late[1];
    return o->growth[a] != o->growth[b] ? o->growth[a] < o->growth[b] : a < b;
}

static void settle(struct order *o, int place, int k) {
    o->ready[place] = k;
    o->at[k] = place;
}

/* Insert kernel k into the heap of ready kernels at index `place`, or nearer the top, where the order demands
   it. */
static void rise(struct order *o, int place, int k) {
    for (; place > 0 && comes_before(o, k, o->ready[(place - 1) / 2]); place = (place - 1) / 2)
        settle(o, place, o->ready[(place - 1) / 2]);
    settle(o, place, k);
}

/* Remove and return the first ready kernel; there must be one. */
static int pop(struct order *o) {
    int first = o->ready[0], k = o->ready[--o->nready], place = 0;
    o->at[first] = -1;
    if (!o->nready) return first;
    for (int child = 1; child < o->nready; child = 2 * place + 1) {
        if (child + 1 < o->nready && comes_before(o, o->ready[child + 1], o->ready[child])) child++;
        if (!comes_before(o, o->ready[child], k)) break;
        settle(o, place, o->ready[child]);
        place = child;
    }
    settle(o, place, k);
    return first;
}

/* ---- growth of memory ---- */

/* Set o->growth[] to the bytes by which memory grows when each kernel runs, less the blocks that it frees,
   and reset the counts of readers. */
static void count_growth(struct order *o) {
    const struct flow *f = o->flow;
    for (int k = 0; k < f->nkernels; k++) o->growth[k] = 0;
    for (int b = 0; b < f->nblocks; b++) {
        int first = f->use_start[b], end = f->use_start[b + 1];
        o->readers[b] = end - first;
        o->rest[b] = o->seen[b] = 0;
        for (int u = first; u < end; u++) o->rest[b] += f->use_kernel[u];
        if (end - first == 1) o->growth[f->use_kernel[first]] -= held(f, b);
        if (end > first && f->blocks[b].writer >= 0) o->growth[f->blocks[b].writer] += held(f, b);
    }
}

static bool read_by_updates(const struct flow *f, int block) {
    for (int u = f->use_start[block]; u < f->use_start[block + 1]; u++)
        if (!kernel_updates(f, &f->kernels[f->use_kernel[u]])) return false;
    return true;
}

/* Set o->waits[] in a program that can be stopped. */
static void find_waiting(struct order *o) {
    const struct flow *f = o->flow;
    for (int k = 0; k < f->nkernels; k++) {
        o->waits[k] = f->stoppable;
        for (int i = 0; i < f->kernels[k].noutputs; i++)
            o->waits[k] = o->waits[k] && read_by_updates(f, f->kernels[k].outputs[i].slot);
    }
}

/* Update o->growth[] after kernel k has read its operands: a block's last remaining reader frees it. */
static void mark_read(struct order *o, int k) {
    const struct kernel *kernel = &o->flow->kernels[k];
    for (int i = 0; i < kernel->ninputs; i++) {
        int block = kernel->inputs[i].slot;
        if (o->seen[block] == k + 1) continue;
        o->seen[block] = k + 1;
        o->rest[block] -= k;
        if (--o->readers[block] != 1) continue;
        int last = (int)o->rest[block];
        o->growth[last] -= held(o->flow, block);
        if (o->kind != AS_RECORDED && o->at[last] >= 0) rise(o, o->at[last], last);
    }
}

/* ---- updates ---- */

/* Make kernel k ready, or let it wait if it updates a variable and another kernel may still refuse. */
static void arrive(struct order *o, int k) {
    const struct kernel *kernel = &o->flow->kernels[k];
    if (!kernel_updates(o->flow, kernel) || o->refusals == kernel_may_refuse(o->flow, kernel))
        rise(o, o->nready++, k);
    else
        o->waiting[o->nwaiting++] = k;
}

/* Count down the kernels that may still refuse, after one did not, and make waiting kernels ready where that
   allows it. */
static void count_refusal(struct order *o) {
    int n = o->nwaiting;
    if (--o->refusals > 1) return; /* at most one refusing kernel also updates */
    o->nwaiting = 0;
    for (int i = 0; i < n; i++) arrive(o, o->waiting[i]);
}

/* Reset the simulation, and make the kernels without predecessors ready. */
static void start(struct order *o) {
    const struct flow *f = o->flow;
    count_growth(o);
    o->nready = o->nwaiting = o->refusals = 0;
    for (int k = 0; k < f->nkernels; k++) o->refusals += kernel_may_refuse(f, &f->kernels[k]);
    for (int k = 0; k < f->nkernels; k++) {
        o->before[k] = o->edges.before[k];
        o->at[k] = -1;
    }
    for (int k = 0; k < f->nkernels; k++)
        if (!o->before[k]) arrive(o, k);
}

/* Live memory of an order: peak and sum over kernels. */
struct held {
    int64_t peak;
    double sum;
};

/* Simulate an order and write it to o->result[kind]. Return the memory that it holds; the peak is -1 if there is a
   cycle. */
static struct held schedule(struct order *o, enum order_kind kind) {
    struct held all = {0};
    int64_t now = 0;
    int count = 0, *result = o->result[kind];
    o->kind = kind;
    start(o);
    while (o->nready) {
        int k = pop(o);
        int64_t fresh = 0;
        for (int i = 0; i < o->flow->kernels[k].noutputs && o->flow->kernels[k].kind != KERNEL_NONE; i++)
            fresh += held(o->flow, o->flow->kernels[k].outputs[i].slot);
        if (now + fresh > all.peak) all.peak = now + fresh;
        all.sum += (double)(now + fresh);
        now += o->growth[k];
        mark_read(o, k);
        result[count++] = k;
        if (kernel_may_refuse(o->flow, &o->flow->kernels[k])) count_refusal(o);
        for (int e = o->edges.start[k]; e < o->edges.start[k + 1]; e++)
            if (--o->before[o->edges.to[e]] == 0) arrive(o, o->edges.to[e]);
    }
    if (count < o->flow->nkernels) all.peak = -1;
    return all;
}

/* Reorder the kernels of f: result[i] is the old number of the new kernel i. False, with the fault set, on
   failure. */
static bool apply(struct flow *f, const int *result, struct fault *fault) {
    struct kernel *kernels = mem_array((size_t)f->nkernels + 1, sizeof *kernels);
    if (!kernels) return fault_memory(fault, (size_t)f->nkernels * sizeof *kernels);
    for (int k = 0; k < f->nkernels; k++) kernels[k] = f->kernels[result[k]];
    mem_free(f->kernels);
    f->kernels = kernels;
    f->kernel_room = f->nkernels + 1;
    return flow_index(f, fault);
}

static bool holds_less(const struct held *a, const struct held *b) {
    return a->peak < b->peak || (a->peak == b->peak && a->sum < b->sum);
}

/* Simulate the orders and apply the one that holds least memory to f. False, with the fault set, on failure. */
static bool choose(struct order *o, struct flow *f, struct fault *fault) {
    struct held best = schedule(o, AS_RECORDED);
    int chosen = AS_RECORDED, orders = f->stoppable ? ORDERS : GREEDY + 1;
    for (int i = GREEDY; i < orders && best.peak >= 0; i++) {
        struct held now = schedule(o, (enum order_kind)i);
        if (!holds_less(&now, &best)) continue;
        best = now;
        chosen = i;
    }
    if (best.peak < 0)
        return fault_set(fault, E_INTERNAL,
                         "compile: kernels wait for each other in a circle; fusion or updates are at fault");
    return apply(f, o->result[chosen], fault);
}

/* Allocate the tables of kernels and blocks. False if memory runs out. */
static bool make_room(struct order *o) {
    size_t n = (size_t)o->flow->nkernels + 1, blocks = (size_t)o->flow->nblocks + 1;
    int **of_kernels[] = {&o->before,    &o->ready,     &o->at,       &o->waiting,
                          &o->result[0], &o->result[1], &o->result[2]};
    int **of_blocks[] = {&o->readers, &o->seen};
    for (size_t i = 0; i < sizeof of_kernels / sizeof *of_kernels; i++)
        if (!(*of_kernels[i] = arena_array(&o->arena, n, sizeof(int)))) return false;
    for (size_t i = 0; i < sizeof of_blocks / sizeof *of_blocks; i++)
        if (!(*of_blocks[i] = arena_array(&o->arena, blocks, sizeof(int)))) return false;
    o->growth = arena_array(&o->arena, n, sizeof *o->growth);
    o->rest = arena_array(&o->arena, blocks, sizeof *o->rest);
    o->waits = arena_array(&o->arena, n, sizeof *o->waits);
    return o->growth && o->rest && o->waits;
}

enum { ALIGNMENT = 64 }; /* most bytes that alignment adds to a block */

/* Check that the aligned sizes of all blocks add up within 63 bits, so that later sums cannot overflow.
   False, with the fault set, on failure. */
static bool check_sizes(const struct flow *f, struct fault *fault) {
    int64_t sum = 0;
    bool fits = true;
    for (int b = 0; b < f->nblocks && fits; b++)
        fits = checked_add(sum, f->blocks[b].bytes, &sum) && checked_add(sum, ALIGNMENT, &sum);
    return fits ||
           fault_set(fault, E_MEMORY, "compile: the program's blocks together exceed the address space");
}

bool pass_order(struct flow *f, ty_report *report, struct fault *fault) {
    size_t n = (size_t)f->nkernels + 1;
    (void)report;
    struct order o = {.flow = f};
    bool done = check_sizes(f, fault) && flow_index(f, fault) && edges_build(&o.edges, f, fault);
    if (done && !make_room(&o)) done = fault_memory(fault, n * sizeof(int));
    if (done) find_waiting(&o);
    done = done && choose(&o, f, fault);
    edges_drop(&o.edges);
    arena_drop(&o.arena);
    return done;
}
