/* Lowering of kernels to lists of nests: a function for each kind. */
#include "engine/nest/draft.h"
#include "ops/core/attributes.h"
#include "ops/core/op.h"

/* Kinds without a function are algorithms that have no text: whole kernels by name. */
static void (*const kinds[KERNEL_KINDS])(struct lowering *) = {
    [KERNEL_MAP] = lower_map,
    [KERNEL_COPY] = lower_copy,
    [KERNEL_IOTA] = lower_iota,
    [KERNEL_PAD] = lower_pad,
    [KERNEL_PLACE] = lower_place,
    [KERNEL_CONCAT] = lower_concat,
    [KERNEL_REDUCE] = lower_reduce,
    [KERNEL_SCAN] = lower_scan,
    [KERNEL_GATHER] = lower_gather,
    [KERNEL_SCATTER] = lower_scatter,
    [KERNEL_CONTRACT] = lower_contract,
    [KERNEL_POOL] = lower_pool,
    [KERNEL_UNPOOL] = lower_unpool,
    [KERNEL_POOL_TAKE] = lower_pool_take,
    [KERNEL_WINDOW_ADD] = lower_window_add,
    [KERNEL_RESAMPLE] = lower_resample,
    [KERNEL_RANDOM] = lower_random,
    [KERNEL_SPARSE] = lower_sparse,
    [KERNEL_ROWS] = lower_rows,
    [KERNEL_SORT] = lower_sort,
    [KERNEL_SEARCH] = lower_search,
    [KERNEL_NONZERO] = lower_nonzero,
    [KERNEL_SUPPRESS] = lower_suppress,
    [KERNEL_SAMPLE] = lower_sample,
    [KERNEL_MATRIX] = lower_matrix,
    [KERNEL_FFT] = lower_fft,
};

void lower_kernel(struct lowering *l) {
    void (*lower)(struct lowering *) = kinds[l->k->kind];
    (lower ? lower : lower_algorithm)(l);
}

/* Add the steps of all kernels of ROWS.  Their slots number the inputs, the outputs, then the blocks between them. */
void lower_rows(struct lowering *l) {
    const struct kernel *outer = l->k;
    const struct rows_attr *attr = outer->attr;
    const int32_t *slots = l->slots;
    int number = l->number;
    for (int i = l->noperands; i < attr->nblocks; i++)
        lower_temporary(l, (ty_dtype)attr->blocks[i].dtype, attr->blocks[i].size);
    for (int i = 0; i < attr->nkernels && !l->failed; i++) {
        const struct kernel *k = &attr->kernels[i];
        int32_t *own = lower_room(l, (size_t)(k->ninputs + k->noutputs), sizeof *own);
        if (!own) return;
        for (int o = 0; o < k->ninputs + k->noutputs; o++)
            own[o] = o < k->ninputs ? k->inputs[o].slot : k->outputs[o - k->ninputs].slot;
        l->k = k;
        l->slots = own;
        l->number = i;
        lower_kernel(l);
    }
    l->k = outer;
    l->slots = slots;
    l->number = number;
}

bool nest_lower(const struct kernel *k, ty_nests *out, struct arena *arena, struct fault *fault) {
    struct lowering l = {.k = k, .arena = arena, .fault = fault, .noperands = k->ninputs + k->noutputs};
    lower_kernel(&l);
    if (l.failed) return false;
    *out = (ty_nests){.nsteps = l.nsteps,
                      .noperands = l.noperands,
                      .ntemporaries = l.ntemporaries,
                      .steps = l.steps,
                      .temporaries = l.temporaries};
    return true;
}
