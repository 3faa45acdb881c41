#include "ops/core/watch.h"
#include "base/context/stop.h"
#include "ops/core/kernel/work.h"

atomic_int launch_watched;

bool launch_asked(const struct kernel *k, struct fault *fault) {
    if (!stop_check(fault)) return false;
    if (!stop_counts() || context_thread.masked) return true;
    return stop_charge(work_operations(k), kernel_kind_name(k->kind), fault);
}
