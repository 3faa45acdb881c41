/* Kernel kind RANDOM: converts tiles of words from the counter-based generator to the distributions of
   ops/random/random.h. */
#include "engine/cpu/random/random.h"
#include <string.h>
#include "engine/cpu/elementwise/store.h"
#include "ops/core/attributes.h"

struct random_plan {
    struct cpu_rows rows;
    const struct random_loops *loops;
    int kind;
    bool wide;
    int bits;      /* UNIFORM of f32, f16 and bf16: random bits */
    bool truth;    /* one random bit per element */
    ty_dtype made; /* dtype of the numbers before the cast */
    cpu_loop cast; /* cast from `made` to the core's dtype; NULL: equal */
};

/* Key and stream of one launch. */
struct random_key {
    uint64_t key, stream;
};

static ty_dtype made_dtype(int kind, ty_dtype dtype) {
    bool wide = dtype_table[dtype].size > 4;
    if (kind == RANDOM_BITS) return wide ? dtype : TY_U32;
    return wide ? TY_F64 : TY_F32;
}

const struct random_loops *random_loops_current(void) {
    static const struct random_loops *const tables[ISA_COUNT] = ISA_TABLE(&random_);
    return tables[isa_current()];
}

/* Prepare random numbers of the attributes' kind. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct random_attr *attr = kernel->attr;
    const struct layout *out = &kernel->outputs[0].layout;
    ty_dtype dtype = kernel->core_dtype;
    struct random_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    p->loops = random_loops_current();
    p->kind = attr->kind;
    p->wide = dtype_table[dtype].size > 4;
    p->bits = dtype == TY_F16 ? RANDOM_BITS_F16 : dtype == TY_BF16 ? RANDOM_BITS_BF16 : RANDOM_BITS_F32;
    p->truth = dtype == TY_BOOL;
    p->made = made_dtype(attr->kind, dtype);
    p->cast = p->made == dtype ? NULL : cpu_loop_find(&op_cast, p->made, dtype);
    if (p->made != dtype && !p->cast)
        return fault_set(fault, E_UNSUPPORTED, "random: the cpu engine has no cast from %s to %s",
                         ty_dtype_name(p->made), ty_dtype_name(dtype));
    int64_t count = shape_size(out->rank, out->shape);
    return cpu_rows_prepare(&p->rows, kernel, 1, &count, 2 * CPU_TILE * sizeof(uint64_t), arena, fault);
}

/* Convert n random words to values of the plan's kind, at `out`. */
static void make_values(const struct random_plan *p, int64_t n, const void *words, void *out) {
    if (p->kind == RANDOM_BITS) {
        memcpy(out, words, (size_t)n * dtype_table[p->made].size);
        for (int64_t i = 0; p->truth && i < n; i++) ((uint32_t *)out)[i] &= 1;
    } else if (p->kind == RANDOM_UNIFORM) {
        if (p->wide)
            p->loops->uniform_f64(n, words, out);
        else
            p->loops->uniform_f32(n, p->bits, words, out);
    } else {
        if (p->wide)
            p->loops->normal_f64(n, words, out);
        else
            p->loops->normal_f32(n, words, out);
    }
}

/* Make elements first .. first+n-1 of the output, n <= CPU_TILE, at `out`; index[] is unused. `first` is a multiple
   of CPU_TILE, so all blocks of the generator but the last are whole. */
static void make_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    (void)index;
    const struct random_plan *p = call->kernel->prepared;
    const struct random_key *key = call->shared;
    int64_t each = p->wide ? 2 : 4, blocks = (n + each - 1) / each;
    uint32_t *words = (uint32_t *)call->scratch;
    char *values = call->scratch + CPU_TILE * sizeof(uint64_t);
    bool direct = !p->cast && n % each == 0;
    p->loops->words((uint64_t)(first / each), blocks, key->stream, key->key, words);
    if (p->wide) random_join(2 * blocks, words);
    make_values(p, blocks * each, words, direct ? out : values);
    if (p->cast)
        p->cast(n, out, values, NULL, NULL);
    else if (!direct)
        memcpy(out, values, (size_t)n * dtype_table[p->made].size);
}

/* Compute random numbers on the addresses slots[], from the key there. Always true. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct random_plan *p = kernel->prepared;
    const struct random_attr *attr = kernel->attr;
    const uint64_t *key = (const uint64_t *)operand_base(&kernel->inputs[0], slots);
    uint64_t sequence = key[kernel->inputs[0].layout.strides[0]];
    struct random_key shared = {key[0], sequence + attr->stream * RANDOM_STREAM_STEP};
    cpu_rows_run(&p->rows, kernel, slots, workspace, &shared, make_row);
    return true;
}

const struct cpu_kind cpu_random = {.prepare = prepare, .launch = launch};
