#include "engine/cpu/jit/jit_allowed.h"
#include <stdatomic.h>

static _Atomic int enabled = -1; /* -1: TY_JIT has not been read */

const struct environment_row environment_jit = {"TY_JIT", "0 or 1", environment_switch,
                                                "Generate machine code for kernels."};

void jit_allow(bool on) { atomic_store(&enabled, on); }

bool jit_allowed(void) {
    int on = atomic_load_explicit(&enabled, memory_order_relaxed);
    if (on >= 0) return on;
    const char *asked = environment_value(&environment_jit);
    on = !asked || *asked == '1';
    atomic_store(&enabled, on);
    return on;
}
