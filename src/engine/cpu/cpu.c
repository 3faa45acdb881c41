/* The CPU engine: hands each kernel to the pair of functions of its kind. */
#include "engine/cpu/cpu.h"
#include "engine/engines.h"

const struct cpu_kind *const cpu_kinds[KERNEL_KINDS] = {
    [KERNEL_MAP] = &cpu_map,
    [KERNEL_REDUCE] = &cpu_reduce,
    [KERNEL_CONTRACT] = &cpu_contract,
    [KERNEL_POOL] = &cpu_pool,
    [KERNEL_UNPOOL] = &cpu_unpool,
    [KERNEL_POOL_TAKE] = &cpu_pool_take,
    [KERNEL_WINDOW_ADD] = &cpu_window_add,
    [KERNEL_PAD] = &cpu_pad,
    [KERNEL_CONCAT] = &cpu_concat,
    [KERNEL_GATHER] = &cpu_gather,
    [KERNEL_SCATTER] = &cpu_scatter,
    [KERNEL_NONZERO] = &cpu_nonzero,
    [KERNEL_PLACE] = &cpu_place,
    [KERNEL_SCAN] = &cpu_scan,
    [KERNEL_SORT] = &cpu_sort,
    [KERNEL_SEARCH] = &cpu_search,
    [KERNEL_RESAMPLE] = &cpu_resample,
    [KERNEL_SUPPRESS] = &cpu_suppress,
    [KERNEL_IOTA] = &cpu_iota,
    [KERNEL_RANDOM] = &cpu_random,
    [KERNEL_SAMPLE] = &cpu_sample,
    [KERNEL_COPY] = &cpu_copy,
};

static bool cpu_prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct cpu_kind *kind = cpu_kinds[kernel->kind];
    if (!kind) return fault_set(fault, "cpu: no kernel of kind %s", kernel_kind_name(kernel->kind));
    return kind->prepare(kernel, arena, fault);
}

static bool cpu_launch(const struct kernel *kernel, void *const *slots, void *workspace,
                       struct fault *fault) {
    return cpu_kinds[kernel->kind]->launch(kernel, slots, workspace, fault);
}

const struct engine cpu_engine = {"cpu", cpu_prepare, cpu_launch, cpu_contract_keep};
