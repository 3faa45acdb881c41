#include "tools/timing.h"
#include "base/machine/debug.h"

bool timing_round(struct timing *t, bool (*run)(void *context), void *context) {
    static const double least_ms = 5;
    if (t->count == 0) t->count = 1;
    for (;;) {
        double start = debug_clock();
        for (int64_t i = 0; i < t->count; i++)
            if (!run(context)) return false;
        double elapsed = debug_clock() - start, each = elapsed / (double)t->count;
        if (elapsed < least_ms) {
            t->count *= elapsed > least_ms / 16 ? 2 : 8;
            continue;
        }
        if (t->rounds++ == 0 || each < t->best) t->best = each;
        return true;
    }
}
