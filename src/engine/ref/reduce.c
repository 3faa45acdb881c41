/*
 * Reductions: an output element folds the prologue's values over the reduced axes, row-major. Sums and products fold
 * in the widest type and are rounded once.
 */
#include "engine/ref/ref.h"
#include "ops/core/attributes.h"

/* Return the value to be reduced at index[] of the inputs' shape; set *dtype to its dtype. */
static struct element reduced_value(const struct ref_call *call, const int64_t *index, ty_dtype *dtype) {
    const struct kernel *k = call->kernel;
    const struct program *p = k->prologue;
    *dtype = k->inputs[0].dtype;
    if (!p) return ref_at(call, 0, index);
    struct element registers[REF_REGISTERS];
    ty_dtype dtypes[REF_REGISTERS];
    for (int i = 0; i < k->ncore; i++) {
        dtypes[i] = k->inputs[i].dtype;
        registers[i] = ref_at(call, i, index);
    }
    ref_program_run(p, registers, dtypes);
    *dtype = dtypes[p->outputs[0]];
    return registers[p->outputs[0]];
}

struct fold {
    enum reduce_kind kind;
    ty_dtype core; /* dtype of the result */
    int64_t count;
    struct element value, best;
};

/* Add element e, of `dtype`, to the reduction *f. */
static void fold_one(struct fold *f, ty_dtype dtype, struct element e) {
    bool first = f->count == 0, least = f->kind == REDUCE_MIN || f->kind == REDUCE_ARGMIN;
    switch (f->kind) {
    case REDUCE_SUM:
        f->value = ref_add(f->core, f->value, ref_convert(f->core, dtype, e));
        break;
    case REDUCE_PROD:
        f->value = ref_mul(f->core, f->value, ref_convert(f->core, dtype, e));
        break;
    case REDUCE_ANY:
        f->value.i |= ref_is_nonzero(dtype, e);
        break;
    case REDUCE_ALL:
        f->value.i &= ref_is_nonzero(dtype, e);
        break;
    default:
        if (first || ref_beats(dtype, least ? -1 : 1, e, f->best)) {
            f->best = e;
            f->value = f->kind == REDUCE_MAX || f->kind == REDUCE_MIN ? e : ref_integer(f->count);
        }
    }
    f->count++;
}

/* Return the result of an empty reduction; for MAX and MIN a value that every element beats. */
static struct element fold_start(enum reduce_kind kind, ty_dtype core) {
    switch (kind) {
    case REDUCE_PROD:
    case REDUCE_ALL:
        return ref_integer(1);
    case REDUCE_MAX:
        return ref_least(core);
    case REDUCE_MIN:
        return ref_greatest(core);
    default:
        return ref_integer(0);
    }
}

/* Return the reduction of all elements at index[] of the kept axes. */
static struct element reduce_value(const struct ref_call *call, const int64_t *index) {
    const struct reduce_attr *attr = call->kernel->attr;
    const struct layout *x = &call->kernel->inputs[0].layout;
    struct fold f = {.kind = attr->kind, .core = call->kernel->core_dtype};
    f.value = fold_start(f.kind, f.core);
    bool kept = call->kernel->outputs[0].layout.rank == x->rank; /* reduced axes are kept with size 1 */
    int64_t at[TY_MAX_RANK], size[TY_MAX_RANK], count = 1, fixed[TY_MAX_RANK];
    for (int i = 0; i < x->rank; i++) {
        bool folded = attr->axes >> i & 1;
        size[i] = folded ? x->shape[i] : 1;
        count *= size[i];
        fixed[i] = folded && !kept ? 0 : *index++;
    }
    struct odometer o = {.rank = x->rank, .shape = size};
    for (int64_t n = 0; n < count; n++) {
        for (int i = 0; i < x->rank; i++) at[i] = attr->axes >> i & 1 ? o.index[i] : fixed[i];
        ty_dtype dtype;
        struct element e = reduced_value(call, at, &dtype);
        fold_one(&f, dtype, e);
        odometer_next(&o, 0, NULL, NULL);
    }
    return ref_round(f.core, f.value);
}

const struct ref_kind ref_reduce = {.value = reduce_value};
