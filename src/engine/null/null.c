/* The null engine: accepts every kernel and computes nothing, so that compiling can be tested without a device. */
#include "engine/engines.h"

/* Prepare any kernel: no work and no workspace. Return false, with a fault, if its kind is unknown. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    (void)arena;
    kernel->width = 1;
    kernel->workspace = 0;
    if ((unsigned)kernel->kind >= KERNEL_KINDS)
        return fault_set(fault, E_UNSUPPORTED, "null: no kernel of kind %d", (int)kernel->kind);
    return true;
}

/* Compute nothing. Always true. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)kernel;
    (void)slots;
    (void)workspace;
    (void)fault;
    return true;
}

const struct engine null_engine = {.name = "null", .prepare = prepare, .launch = launch};
