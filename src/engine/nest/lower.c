/* Lowering of kernels to lists of nests: a function for each kind. */
#include "base/checked.h"
#include "base/machine/debug.h"
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
    [KERNEL_FEW_BITS] = lower_few_bits,
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

/* Lists are checked in builds with assertions, and with TY_DEBUG. */
static bool checks(void) {
#ifdef NDEBUG
    return debug_level() > 0;
#else
    return true;
#endif
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
    return !checks() || nests_check_kernel(k, out, fault);
}

enum { ALIGN = 128 }; /* of temporaries: at least that of the widest element of any language */

int64_t *nests_place(const ty_nests *nests, size_t *bytes, struct arena *arena, struct fault *fault) {
    size_t n = (size_t)nests->ntemporaries;
    int64_t at = 0, own, *offsets = arena_array(arena, n + 1, sizeof *offsets);
    if (!offsets) fault_memory(fault, (n + 1) * sizeof *offsets);
    for (size_t i = 0; offsets && i < n; i++) {
        const ty_nest_temporary *t = &nests->temporaries[i];
        offsets[i] = at;
        if (!checked_mul(t->size, (int64_t)dtype_table[t->dtype].size, &own) || !checked_add(at, own, &at) ||
            !checked_add(at, ALIGN - 1, &at)) {
            fault_set(fault, E_LIMIT, "the temporaries of a kernel exceed 64-bit sizes");
            return NULL;
        }
        at -= at % ALIGN;
    }
    *bytes = (size_t)at;
    return offsets;
}
