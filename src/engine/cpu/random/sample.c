/* Kernel kind SAMPLE: draws by rejection. Checks each distinct parameter first, then ops/random/sampler.c draws
   rows. */
#include "ops/random/sampler.h"
#include "engine/cpu/random/random.h"
#include "engine/cpu/elementwise/store.h"

enum { BLOCK = 16 }; /* bytes of random words */

struct sample_plan {
    struct cpu_rows rows;
    const struct sampler *sampler;
    cpu_loop cast; /* cast from the sampler's dtype; NULL: equal */
    const struct random_loops *loops;
    int64_t one; /* shape and stride of the row of a 0-d output */
};

/* Prepare draws by rejection. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct sample_attr *attr = kernel->attr;
    const struct layout *out = &kernel->outputs[0].layout;
    struct sample_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    p->one = 1;
    p->loops = random_loops_current();
    p->sampler = &sampler_table[attr->kind];
    ty_dtype made = p->sampler->makes, dtype = kernel->core_dtype;
    p->cast = made == dtype ? NULL : cpu_loop_find(&op_cast, made, dtype);
    if (made != dtype && !p->cast)
        return fault_set(fault, E_UNSUPPORTED, "%s: the cpu engine has no cast from %s to %s",
                         p->sampler->name, ty_dtype_name(made), ty_dtype_name(dtype));
    return cpu_rows_prepare(&p->rows, kernel, out->rank ? out->rank : 1, out->rank ? out->shape : &p->one,
                            CPU_TILE * (sizeof(union sample_number) + BLOCK), arena, fault);
}

/* Read the parameters of one draw into p[]; at[i] is the offset of parameter i in its operand, in elements. */
static void read(const struct kernel *kernel, void *const *slots, const int64_t *at, union sample_number *p) {
    for (int i = 1; i < kernel->ncore; i++)
        p[i - 1] = ((const union sample_number *)operand_base(&kernel->inputs[i], slots))[at[i - 1]];
}

/* Check all parameters; axes with stride 0 are walked once. Return false with a fault if one is invalid. */
static bool check(const struct kernel *kernel, void *const *slots, struct fault *fault) {
    const struct sample_plan *plan = kernel->prepared;
    const struct layout *out = &kernel->outputs[0].layout;
    const int64_t *strides[SAMPLE_PARAMETERS] = {0};
    int64_t shape[TY_MAX_RANK], at[SAMPLE_PARAMETERS] = {0};
    int n = kernel->ncore - 1;
    for (int i = 0; i < n; i++) strides[i] = kernel->inputs[i + 1].layout.strides;
    for (int axis = 0; axis < out->rank; axis++) {
        bool moves = out->shape[axis] == 0;
        for (int i = 0; i < n; i++) moves |= strides[i][axis] != 0;
        shape[axis] = moves ? out->shape[axis] : 1;
    }
    struct odometer o = {.rank = out->rank, .shape = shape};
    for (int64_t left = shape_size(out->rank, shape); left > 0; left--) {
        union sample_number p[SAMPLE_PARAMETERS] = {{0}};
        read(kernel, slots, at, p);
        if (!sample_check(plan->sampler, kernel->core_dtype, p, fault)) return false;
        odometer_next(&o, n, strides, at);
    }
    return true;
}

/* Draw n elements, from source->element on, into made[]. at[i] is the offset of the row's first parameter i,
   steps[i] the distance to the next one, in elements; at[] is advanced. */
static void draw_row(const struct cpu_row_call *call, struct sample_source *source, int64_t *at,
                     const int64_t *steps, int64_t n, union sample_number *made) {
    const struct sample_plan *plan = call->kernel->prepared;
    uint32_t *words = (uint32_t *)(call->scratch + CPU_TILE * sizeof(union sample_number));
    union sample_number p[SAMPLE_PARAMETERS] = {{0}};
    bool alike = true;
    for (int i = 0; i < SAMPLE_PARAMETERS; i++) alike = alike && steps[i] == 0;
    if (alike) read(call->kernel, call->slots, at, p);
    bool wordless = plan->sampler->wordless;
    if (!wordless)
        plan->loops->words(source->element + SAMPLE_FIRST, n, source->sequence, source->key, words);
    if (alike && plan->sampler->draw_alike) {
        plan->sampler->draw_alike(source, p, n, wordless ? NULL : words, made);
        return;
    }
    for (int64_t k = 0; k < n; k++, source->element++) {
        if (!alike) read(call->kernel, call->slots, at, p);
        source->draw = 0;
        source->count = 0;
        if (!wordless) sample_refill(source, words + 4 * k);
        made[k] = plan->sampler->draw(source, p);
        for (int i = 0; i < SAMPLE_PARAMETERS; i++) at[i] += steps[i];
    }
}

/* Draw elements first .. first+n-1 of the output's row at index[] into out. */
static void make_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    const struct kernel *kernel = call->kernel;
    const struct sample_plan *plan = kernel->prepared;
    const struct layout *y = &kernel->outputs[0].layout;
    struct sample_source source = *(const struct sample_source *)call->shared;
    union sample_number *made = plan->cast ? (union sample_number *)call->scratch : out;
    int64_t at[SAMPLE_PARAMETERS] = {0}, steps[SAMPLE_PARAMETERS] = {0}, row = 0, last = y->rank - 1;
    for (int axis = 0; axis < last; axis++) row = row * y->shape[axis] + index[axis];
    source.element = (uint64_t)(last < 0 ? 0 : row * y->shape[last] + first);
    for (int i = 0; i < kernel->ncore - 1; i++) {
        const int64_t *strides = kernel->inputs[i + 1].layout.strides;
        for (int axis = 0; axis < last; axis++) at[i] += index[axis] * strides[axis];
        if (last >= 0) steps[i] = strides[last];
        at[i] += first * steps[i];
    }
    draw_row(call, &source, at, steps, n, made);
    if (plan->cast) plan->cast(n, out, made, NULL, NULL);
}

/* Check the parameters and draw on the addresses slots[]. Return false, with a fault, if a parameter is
   invalid. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct sample_plan *p = kernel->prepared;
    if (!check(kernel, slots, fault)) return false;
    const uint64_t *key = (const uint64_t *)operand_base(&kernel->inputs[0], slots);
    struct sample_source source =
        sample_source_of(kernel->attr, key[0], key[kernel->inputs[0].layout.strides[0]]);
    cpu_rows_run(&p->rows, kernel, slots, workspace, &source, make_row);
    return true;
}

const struct cpu_kind cpu_sample = {.prepare = prepare, .launch = launch};
