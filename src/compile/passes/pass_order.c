/*
 * The order of kernels decides how much is alive at once.  Two orders are simulated and the better one
 * kept: that of the graph (operands just before what uses them), and a greedy one, which among the kernels
 * that could run next takes the one after which the least memory is held (list scheduling; Sethi and Ullman
 * 1970 for trees).  The greedy one looks at the first few ready kernels only, to stay linear.
 *
 * Kernels that write over variables wait until no other is left that may refuse: a run that fails then has changed
 * none (pass_update.c sees to it that this is no circle).
 */
#include "base/alloc.h"
#include "compile/passes.h"

enum { LOOKAHEAD = 64 };

struct order {
    const struct flow *flow;
    struct edges edges;
    int *before;  /* edges that still arrive */
    int *readers; /* of each block, that have not run */
    int *ready;   /* kernels that could run: a heap by number, or a list */
    int *waiting; /* those that could, were all refusals past */
    int *result[2];
    int nready, nwaiting;
    int refusals; /* kernels left that may refuse */
};

static int64_t held(const struct flow *f, int block) {
    return f->blocks[block].kind == BLOCK_TEMPORARY ? f->blocks[block].bytes : 0;
}

/* What memory grows by when k runs, with its outputs in place and its operands gone. */
static int64_t growth(const struct order *o, int k) {
    const struct kernel *kernel = &o->flow->kernels[k];
    int64_t bytes = 0;
    for (int i = 0; i < kernel->noutputs; i++) {
        int block = kernel->outputs[i].slot;
        if (o->readers[block] > 0) bytes += held(o->flow, block);
    }
    for (int i = 0; i < kernel->ninputs; i++) {
        int block = kernel->inputs[i].slot, j = 0;
        while (kernel->inputs[j].slot != block) j++;
        if (j == i && o->readers[block] == 1) bytes -= held(o->flow, block);
    }
    return bytes;
}

static void mark_read(struct order *o, int k) {
    const struct kernel *kernel = &o->flow->kernels[k];
    for (int i = 0; i < kernel->ninputs; i++) {
        int block = kernel->inputs[i].slot, j = 0;
        while (kernel->inputs[j].slot != block) j++;
        o->readers[block] -= j == i;
    }
}

/* ---- ready kernels: a binary heap by number ---- */

static void ready_push(struct order *o, int k) {
    int i = o->nready++;
    for (; i > 0 && o->ready[(i - 1) / 2] > k; i = (i - 1) / 2) o->ready[i] = o->ready[(i - 1) / 2];
    o->ready[i] = k;
}

static void ready_remove(struct order *o, int at) {
    int k = o->ready[--o->nready], i = at;
    if (at == o->nready) return;
    for (; i > 0 && o->ready[(i - 1) / 2] > k; i = (i - 1) / 2) o->ready[i] = o->ready[(i - 1) / 2];
    for (int child = 2 * i + 1; child < o->nready; child = 2 * i + 1) {
        if (child + 1 < o->nready && o->ready[child + 1] < o->ready[child]) child++;
        if (o->ready[child] >= k) break;
        o->ready[i] = o->ready[child];
        i = child;
    }
    o->ready[i] = k;
}

static int pick(const struct order *o, bool greedy) {
    int best = 0, looks = o->nready < LOOKAHEAD ? o->nready : LOOKAHEAD;
    int64_t least = 0;
    for (int i = 0; greedy && i < looks; i++) {
        int64_t bytes = growth(o, o->ready[i]);
        if (i && (bytes > least || (bytes == least && o->ready[i] > o->ready[best]))) continue;
        best = i;
        least = bytes;
    }
    return best;
}

/* ---- what updates comes last ---- */

/* All that kernel k reads is there: it is ready, or waits while another one is left that may refuse. */
static void arrive(struct order *o, int k) {
    const struct kernel *kernel = &o->flow->kernels[k];
    if (!kernel_updates(o->flow, kernel) || o->refusals == kernel_may_refuse(o->flow, kernel))
        ready_push(o, k);
    else
        o->waiting[o->nwaiting++] = k;
}

/* One that may refuse has not. */
static void count_refusal(struct order *o) {
    int n = o->nwaiting;
    if (--o->refusals > 1) return; /* one writes directly at most */
    o->nwaiting = 0;
    for (int i = 0; i < n; i++) arrive(o, o->waiting[i]);
}

static void start(struct order *o) {
    const struct flow *f = o->flow;
    for (int b = 0; b < f->nblocks; b++) o->readers[b] = f->use_start[b + 1] - f->use_start[b];
    o->nready = o->nwaiting = o->refusals = 0;
    for (int k = 0; k < f->nkernels; k++) o->refusals += kernel_may_refuse(f, &f->kernels[k]);
    for (int k = 0; k < f->nkernels; k++) {
        o->before[k] = o->edges.before[k];
        if (!o->before[k]) arrive(o, k);
    }
}

/* Fills `result`; returns the most bytes held, or -1 when a circle leaves kernels over. */
static int64_t schedule(struct order *o, bool greedy, int *result) {
    int64_t now = 0, peak = 0;
    int count = 0;
    start(o);
    while (o->nready) {
        int at = pick(o, greedy), k = o->ready[at];
        int64_t fresh = 0, after = growth(o, k);
        for (int i = 0; i < o->flow->kernels[k].noutputs; i++)
            fresh += held(o->flow, o->flow->kernels[k].outputs[i].slot);
        if (now + fresh > peak) peak = now + fresh;
        now += after;
        ready_remove(o, at);
        mark_read(o, k);
        result[count++] = k;
        if (kernel_may_refuse(o->flow, &o->flow->kernels[k])) count_refusal(o);
        for (int e = o->edges.start[k]; e < o->edges.start[k + 1]; e++)
            if (--o->before[o->edges.to[e]] == 0) arrive(o, o->edges.to[e]);
    }
    return count == o->flow->nkernels ? peak : -1;
}

static bool apply(struct flow *f, const int *result, struct fault *fault) {
    struct kernel *kernels = mem_array((size_t)f->nkernels + 1, sizeof *kernels);
    if (!kernels) return fault_memory(fault, (size_t)f->nkernels * sizeof *kernels);
    for (int k = 0; k < f->nkernels; k++) kernels[k] = f->kernels[result[k]];
    mem_free(f->kernels);
    f->kernels = kernels;
    f->kernel_room = f->nkernels + 1;
    return flow_index(f, fault);
}

static bool choose(struct order *o, struct flow *f, struct fault *fault) {
    int64_t as_recorded = schedule(o, false, o->result[0]), greedy = schedule(o, true, o->result[1]);
    if (as_recorded < 0 || greedy < 0)
        return fault_set(fault,
                         "compile: kernels wait for each other in a circle; fusion or updates are at fault");
    return apply(f, o->result[greedy < as_recorded], fault);
}

bool pass_order(struct flow *f, ty_report *report, struct fault *fault) {
    size_t n = (size_t)f->nkernels + 1;
    (void)report;
    struct order o = {.flow = f};
    bool done = flow_index(f, fault) && edges_build(&o.edges, f, fault);
    if (done) {
        o.before = mem_array(n, sizeof(int));
        o.readers = mem_array((size_t)f->nblocks + 1, sizeof(int));
        o.ready = mem_array(n, sizeof(int));
        o.waiting = mem_array(n, sizeof(int));
        for (int i = 0; i < 2; i++) o.result[i] = mem_array(n, sizeof(int));
        done = o.before && o.readers && o.ready && o.waiting && o.result[0] && o.result[1];
        done = done ? choose(&o, f, fault) : fault_memory(fault, n * sizeof(int));
    }
    edges_drop(&o.edges);
    mem_free(o.before);
    mem_free(o.readers);
    mem_free(o.ready);
    mem_free(o.waiting);
    for (int i = 0; i < 2; i++) mem_free(o.result[i]);
    return done;
}
