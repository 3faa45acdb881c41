/* Costs of kernels, of which their own decision about threads is a part. */
#include "compile/passes/sections.h"
#include "ops/core/attributes.h"
#include "ops/core/kernel/work.h"

enum { LAUNCH = 1 << 14 }; /* work that takes as long as the launch of a kernel, some 0.4 us */

/* Return the cost of all kernels of f, one after the other, except for sections. */
static struct side_cost flow_cost(const struct flow *f, int width) {
    struct side_cost sum = {0};
    for (int k = 0; k < f->nkernels; k++) {
        struct side_cost one = side_cost_of(&f->kernels[k], width);
        sum.alone += one.alone;
        sum.own += one.own;
    }
    for (int i = 0; i < f->sections.n; i++) sum.own -= f->sections.all[i].gain;
    return sum;
}

/* Return the cost of loop or branch k. */
static struct side_cost cost_inside(const struct kernel *k, int width) {
    struct side_cost most = {0};
    double times = k->kind == KERNEL_LOOP ? (double)((const struct loop_attr *)k->attr)->length : 1;
    for (int i = 0; i < k->ninside; i++) {
        struct side_cost one = flow_cost(k->inside[i].flow, width);
        if (one.alone > most.alone) most = one;
    }
    return (struct side_cost){LAUNCH + times * most.alone, LAUNCH + times * most.own};
}

struct side_cost side_cost_of(const struct kernel *k, int width) {
    if (kernel_table[k->kind].launches) return cost_inside(k, width);
    struct work work = kernel_work(k);
    double alone = work.flops + work.bytes;
    int most = k->width < width ? k->width : width;
    return (struct side_cost){LAUNCH + alone, LAUNCH + alone / work_width(alone, most > 1 ? most : 1)};
}
