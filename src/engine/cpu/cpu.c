/* The cpu engine: passes each kernel to the functions of its kind. */
#include "engine/cpu/cpu.h"
#include "engine/engines.h"

/* A missing kind would be NULL; cpu_prepare reports it by name. */
static const struct cpu_kind *const kinds[KERNEL_KINDS] = {
#define KERNEL(NAME, name, ...) [KERNEL_##NAME] = &cpu_##name,
#include "ops/core/kernel/kernels.def"
};

/* Prepare a kernel by its kind; false sets the fault, also if this engine has none. */
static bool cpu_prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct cpu_kind *kind = kinds[kernel->kind];
    if (!kind || !kind->prepare)
        return fault_set(fault, E_UNSUPPORTED, "cpu: no kernel of kind %s", kernel_kind_name(kernel->kind));
    return kind->prepare(kernel, arena, fault);
}

static bool cpu_launch(const struct kernel *kernel, void *const *slots, void *workspace,
                       struct fault *fault) {
    return kinds[kernel->kind]->launch(kernel, slots, workspace, fault);
}

static void cpu_keep(const struct kernel *kernel, void *const *slots, void *workspace) {
    if (kinds[kernel->kind]->keep) kinds[kernel->kind]->keep(kernel, slots, workspace);
}

static void cpu_describe(const struct kernel *kernel, struct text *t) {
    if (kinds[kernel->kind]->describe) kinds[kernel->kind]->describe(kernel, t);
}

static bool cpu_round(const struct kernel *kernel, struct boxes *boxes) {
    return kinds[kernel->kind]->round && kinds[kernel->kind]->round(kernel, boxes);
}

static bool cpu_launch_part(const struct kernel *kernel, const struct boxes *boxes, void *const *slots,
                            void *workspace, struct fault *fault) {
    return kinds[kernel->kind]->launch_part(kernel, boxes, slots, workspace, fault);
}

const struct engine cpu_engine = {.name = "cpu",
                                  .prepare = cpu_prepare,
                                  .launch = cpu_launch,
                                  .keep = cpu_keep,
                                  .describe = cpu_describe,
                                  .round = cpu_round,
                                  .launch_part = cpu_launch_part};
