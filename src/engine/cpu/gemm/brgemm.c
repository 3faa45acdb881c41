/*
 * Which kernel a block gets: machine code made for its very shape, kept for the process, or else the
 * table-driven kernel.  Finding takes no lock: a hash table of atomic pointers, filled once and never
 * emptied.
 */
#include "engine/cpu/gemm/brgemm.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/isa.h"
#include "base/lock.h"
#include "base/unload.h"
#include "engine/cpu/gemm/brgemm_pick.h"
#include "engine/cpu/gemm/brgemm_table.h"
#include "engine/cpu/gemm/jit_brgemm.h"
#include "engine/cpu/jit/jit_allowed.h"
#include "engine/cpu/jit/jit_memory.h"

enum { MOST = 2048, SLOTS = 2 * MOST, MOST_CODE = 1 << 16 };

struct made {
    struct brgemm kernel;
    enum isa isa;
};

LOCK(lock) /* for what is below, but `slots` is read without */
static struct {
    bool refused;
    int n;
    struct made made[MOST];
    uint8_t code[MOST_CODE];
    _Atomic(const struct made *) slots[SLOTS];
} cache;

static struct jit_pages pages = {.most = 32 << 20};

void brgemm_force_jit(bool on) {
    jit_allow(on);
    jit_memory_forget(&pages);
    cache.n = 0;
    cache.refused = false;
    for (int i = 0; i < SLOTS; i++) atomic_store_explicit(&cache.slots[i], NULL, memory_order_relaxed);
}

__attribute__((destructor)) static void end(void) {
    if (unloading()) jit_memory_forget(&pages);
}

/* --- finding ----------------------------------------------------------------------------------------- */

static inline uint64_t mix(uint64_t hash, uint64_t x) { return (hash ^ x) * 0x9e3779b97f4a7c15u; }

static uint64_t hash_of(const struct brgemm_shape *s, enum isa isa) {
    uint64_t types = (uint64_t)s->left << 40 | (uint64_t)s->right << 32 | (uint64_t)s->out << 24 |
                     (uint64_t)s->group << 16 | (uint64_t)s->left_columns << 8 |
                     (uint64_t)s->soon_often << 10 | (uint64_t)s->carries << 11 |
                     (uint64_t)s->right_single << 9 | isa;
    uint64_t sizes = (uint64_t)s->line << 56 | (uint64_t)s->rows << 8 | (uint64_t)s->columns << 16 |
                     (uint64_t)s->depth << 24;
    uint64_t hash = mix(mix(types, sizes), (uint64_t)s->left_row);
    hash = mix(hash ^ hash >> 32, (uint64_t)s->left_step) ^ mix(1, (uint64_t)s->right_step);
    hash = mix(hash ^ hash >> 32, (uint64_t)s->out_row ^ (uint64_t)s->chains << 56) ^
           mix(2, (uint64_t)s->copy_step);
    return s->line ? mix(hash ^ hash >> 32, (uint64_t)s->left_line) : mix(hash, hash >> 32);
}

static bool same(const struct brgemm_shape *a, const struct brgemm_shape *b) {
    return a->rows == b->rows && a->columns == b->columns && a->depth == b->depth &&
           a->left_row == b->left_row && a->left_step == b->left_step && a->right_step == b->right_step &&
           a->out_row == b->out_row && a->copy_step == b->copy_step && a->left == b->left &&
           a->right == b->right && a->out == b->out && a->group == b->group && a->chains == b->chains &&
           a->left_columns == b->left_columns && a->right_single == b->right_single && a->line == b->line &&
           a->soon_often == b->soon_often && a->carries == b->carries &&
           (!a->line || a->left_line == b->left_line);
}

/* The kernel made for a shape, or NULL and the slot where it belongs. */
static const struct made *look(const struct brgemm_shape *shape, enum isa isa, size_t *slot) {
    for (size_t i = hash_of(shape, isa) >> 52;; i = (i + 1) % SLOTS) {
        const struct made *m = atomic_load_explicit(&cache.slots[i], memory_order_acquire);
        if (m && (m->isa != isa || !same(&m->kernel.shape, shape))) continue;
        *slot = i;
        return m;
    }
}

/* --- making ------------------------------------------------------------------------------------------ */

typedef void run_block(const struct brgemm *kernel, const struct brgemm_call *call);

/* Where machine code cannot be had the table-driven kernel stays.  False: the system refuses it altogether.
 */
static bool make_code(struct brgemm *kernel, const struct jit_kind *kind) {
    struct jit_code code = {.bytes = cache.code, .room = MOST_CODE};
    if (!jit_brgemm(&code, kind, &kernel->shape)) return true;
    const char *at = jit_memory_place(&pages, code.bytes, code.n);
    if (!at) return false;
    memcpy(&kernel->run, &at, sizeof at);
    return true;
}

static const struct made *make(const struct brgemm *fallback, const struct jit_kind *kind, enum isa isa) {
    size_t slot;
    const struct made *found = look(&fallback->shape, isa, &slot);
    if (found || cache.n == MOST || cache.refused) return found;
    struct made *m = &cache.made[cache.n];
    *m = (struct made){*fallback, isa};
    cache.refused = !make_code(&m->kernel, kind);
    if (cache.refused) return NULL;
    cache.n++;
    atomic_store_explicit(&cache.slots[slot], m, memory_order_release);
    return m;
}

bool brgemm_find(struct brgemm *kernel, const struct brgemm_shape *shape) {
    enum isa isa = isa_current();
    size_t slot;
    const struct made *m = NULL;
    if (jit_allowed()) m = look(shape, isa, &slot);
    if (m) {
        *kernel = m->kernel;
        return true;
    }
    if (!brgemm_table_find(kernel, shape)) return false;
    struct brgemm_types types = {shape->left,  shape->right,        shape->out,
                                 shape->group, shape->left_columns, shape->right_single};
    const struct jit_kind *kind = jit_allowed() ? jit_kind_find(&types) : NULL;
    if (!kind) return true;
    lock_take(&lock);
    m = make(kernel, kind, isa);
    lock_give(&lock);
    if (m) *kernel = m->kernel;
    return true;
}

/* Whether an instruction adds products of neighbouring i16. */
#if defined(__x86_64__)
enum { SHORT_PAIRS = 1 };
#else
enum { SHORT_PAIRS = 0 };
#endif

/* Values that an i16 holds. */
static bool is_short(ty_dtype dtype) { return dtype == TY_U8 || dtype == TY_I8 || dtype == TY_I16; }

/* Whole numbers have one sum in any order, so that it may depend on the CPU and on TY_JIT which kernel makes
   it.  Pairs of bf16 are left to f32: where it was measured, a Xeon with AVX512_BF16, their instruction makes
   half as many products as multiply-adds do. */
struct brgemm_types brgemm_types_of(ty_dtype left, ty_dtype right, ty_dtype sums) {
    struct brgemm_types quick = {left, right, sums, 4, false, false};
    if ((jit_allowed() && jit_kind_find(&quick)) || brgemm_extra_find(&quick)) return quick;
    if (SHORT_PAIRS && sums == TY_I32 && is_short(left) && is_short(right))
        return (struct brgemm_types){TY_I16, TY_I16, TY_I32, 2, false, false};
    return (struct brgemm_types){sums, sums, sums, 1, false, false};
}

int32_t brgemm_chains(const struct brgemm_types *types, int64_t rows, int64_t columns, int64_t terms) {
    enum { ENOUGH = 12 }; /* terms: with fewer, adding the sums up takes as long as they save */
    static const int32_t chains[BRGEMM_CHAINED + 1] = {1, 4, 4, 2, 2};
    const struct brgemm_kernels *k = brgemm_kernels_find(types);
    bool waits = types->group == 1 && dtype_is(types->out, CLASS_FLOAT) && types->left == types->out &&
                 types->right == types->out;
    if (!waits || !k || terms < ENOUGH || rows > BRGEMM_CHAINED || columns > BRGEMM_CHAINED * k->lanes)
        return 1;
    int64_t vectors = rows * ((columns + k->lanes - 1) / k->lanes);
    return vectors <= BRGEMM_CHAINED ? chains[vectors] : 1;
}

void brgemm_tile(const struct brgemm_types *types, int64_t rows, int64_t line, int64_t columns, int64_t depth,
                 int *tile_rows, int *tile_columns) {
    const struct brgemm_kernels *k = brgemm_kernels_find(types);
    const struct jit_kind *kind = jit_allowed() ? jit_kind_find(types) : NULL;
    int32_t high = 1, wide = 1;
    if (kind) {
        jit_brgemm_pick(kind, types->left_columns, rows, line, columns, depth, &high, &wide);
    } else if (k) {
        struct brgemm_tiles tiles = {k->most, BRGEMM_VECTORS, k->left_columns, 0};
        brgemm_pick(&tiles, line > 1 ? line : rows, 1, (columns + k->lanes - 1) / k->lanes, &high, &wide);
    }
    *tile_rows = high;
    *tile_columns = k ? wide * k->lanes : 1;
}
