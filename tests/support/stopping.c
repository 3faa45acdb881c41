#include "tests/support/stopping.h"
#include <string.h>
#include "base/context/stop.h"
#include "base/threads/parallel.h"
#include "tests/support/harness.h"

static void end_stopping(void *unused) {
    (void)unused;
    stop_at(0);
    parallel_force_pieces(0);
    ty_resume(NULL);
    ty_limits(NULL, 0, 0);
    ty_context_use(NULL);
}

void stops(void) {
    static int something;
    test_own(&something, end_stopping);
}

bool same_bits(ty_tensor *x, ty_tensor *y) {
    size_t bytes = (size_t)ty_size(x) * ty_dtype_size(ty_dtype_of(x));
    x = ty_contiguous(x), y = ty_contiguous(y);
    return ty_size(x) == ty_size(y) && ty_dtype_of(x) == ty_dtype_of(y) &&
           (!bytes || !memcmp(ty_data(x), ty_data(y), bytes));
}
