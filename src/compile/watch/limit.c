#include "compile/watch/limit.h"
#include "ops/core/kernel/work.h"

static _Thread_local struct work_limit *innermost;

void work_limit_begin(struct work_limit *limit, double most) {
    *limit = (struct work_limit){most, most, innermost};
    innermost = limit;
    atomic_fetch_add(&launch_watched, WATCH_WORK);
}

void work_limit_end(struct work_limit *limit) {
    atomic_fetch_sub(&launch_watched, WATCH_WORK);
    innermost = limit->outer;
}

bool work_limit_charge(const struct launch *l, struct fault *fault) {
    if (!innermost) return true; /* the limit is another thread's */
    double needed = work_operations(l->kernel);
    for (struct work_limit *limit = innermost; limit; limit = limit->outer)
        if (needed > limit->left)
            return fault_set(fault, E_LIMIT,
                             "operation limit %.3g exceeded: %s needs %.3g, and %.3g are left", limit->most,
                             kernel_kind_name(l->kernel->kind), needed, limit->left);
    for (struct work_limit *limit = innermost; limit; limit = limit->outer) limit->left -= needed;
    return true;
}
