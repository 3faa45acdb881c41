/*
 * The loop that all kinds share: for each output index the core's value, then the program, then a store for each
 * output.
 */
#include "engine/engines.h"
#include "engine/ref/ref.h"

const struct ref_kind ref_map = {0}; /* no core: the program reads the inputs */

static const struct ref_kind *const kinds[KERNEL_KINDS] = {
#define KERNEL(NAME, name, ...) [KERNEL_##NAME] = &ref_##name,
#include "ops/core/kernel/kernels.def"
};

/* Return true if the engine can run kernels of this kind. */
static bool has(enum kernel_kind kind) {
    return kinds[kind] && (kinds[kind]->value || kernel_table[kind].no_core);
}

/* Check that this engine has the kernel's kind and the operators of its programs, and set the workspace.
   Return false with a fault otherwise. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    (void)arena;
    kernel->width = 1;
    kernel->workspace = 0;
    if ((unsigned)kernel->kind >= KERNEL_KINDS || !has(kernel->kind))
        return fault_set(fault, E_UNSUPPORTED, "ref: no kernel of kind %s", kernel_kind_name(kernel->kind));
    if (kinds[kernel->kind]->workspace) kernel->workspace = kinds[kernel->kind]->workspace(kernel);
    return ref_program_check(kernel->prologue, fault) && ref_program_check(kernel->program, fault);
}

/* Store e at index[] of output number `output`, in its dtype. */
static void store(const struct ref_call *call, int output, const int64_t *index, struct element e) {
    const struct operand *y = &call->kernel->outputs[output];
    int64_t at = y->layout.offset;
    for (int i = 0; i < y->layout.rank; i++) at += index[i] * y->layout.strides[i];
    char *data = call->slots[y->slot];
    element_store(y->dtype, data + at * (int64_t)dtype_table[y->dtype].size, y->dtype, e);
}

/* Compute and store the output elements at index[], by the kernel's kind and its program. */
static void compute_one(const struct ref_call *call, const struct ref_kind *kind, const int64_t *index) {
    const struct kernel *k = call->kernel;
    struct element registers[REF_REGISTERS];
    ty_dtype dtypes[REF_REGISTERS];
    int n = 0;
    dtypes[0] = k->core_dtype;
    if (kind->value) registers[n++] = kind->value(call, index);
    if (!k->program) {
        store(call, 0, index, registers[0]);
        return;
    }
    for (int i = kind->value ? k->ncore : 0; i < k->ninputs; i++) {
        dtypes[n] = k->inputs[i].dtype;
        registers[n++] = ref_at(call, i, index);
    }
    ref_program_run(k->program, registers, dtypes);
    for (int i = 0; i < k->noutputs; i++) {
        int from = k->program->outputs[i];
        store(call, i, index, ref_viewed(k->outputs[i].dtype, dtypes[from], registers[from]));
    }
}

/* Compute a kernel on the addresses slots[], element by element. Return false, with a fault, if its check
   fails. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct ref_kind *kind = kinds[kernel->kind];
    struct ref_call call = {.kernel = kernel, .slots = slots, .fault = fault, .workspace = workspace};
    if (kind->check && !kind->check(&call)) return false;
    const struct layout *y = &kernel->outputs[0].layout;
    struct odometer o = {.rank = y->rank, .shape = y->shape};
    for (int64_t n = shape_size(y->rank, y->shape); n > 0; n--) {
        compute_one(&call, kind, o.index);
        odometer_next(&o, 0, NULL, NULL);
    }
    return true;
}

const struct engine ref_engine = {.name = "ref", .prepare = prepare, .launch = launch};
