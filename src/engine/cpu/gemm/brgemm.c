/*
 * Finds the kernel for a block: machine code generated for its shape and kept until the process ends, else the
 * table-driven kernel. Look-ups take no lock: they read a hash table of atomic pointers that only grows.
 */
#include "engine/cpu/gemm/brgemm.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/machine/isa.h"
#include "base/threads/lock.h"
#include "base/threads/unload.h"
#include "engine/cpu/gemm/brgemm_pick.h"
#include "engine/cpu/gemm/brgemm_table.h"
#include "engine/cpu/gemm/jit_brgemm.h"
#include "engine/cpu/jit/jit_allowed.h"
#include "engine/cpu/jit/jit_memory.h"

enum { MOST = 2048, SLOTS = 2 * MOST, MOST_CODE = 1 << 16, CODE_ALIGNED = 64 };

struct made {
    struct brgemm kernel;
    enum isa isa;
};

LOCK(lock) /* guards the cache; `slots` is read without it */
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

/* Return a hash of a kernel's shape and instruction set; its upper 12 bits are the slot of the cache. */
static uint64_t hash_of(const struct brgemm_shape *s, enum isa isa) {
    uint64_t types = (uint64_t)s->left << 40 | (uint64_t)s->right << 32 | (uint64_t)s->out << 24 |
                     (uint64_t)s->group << 16 | (uint64_t)s->left_columns << 8 |
                     (uint64_t)s->soon_often << 10 | (uint64_t)s->carries << 11 |
                     (uint64_t)s->right_single << 9 | isa;
    uint64_t sizes = (uint64_t)s->line << 56 | (uint64_t)s->rows << 8 | (uint64_t)s->columns << 16 |
                     (uint64_t)s->depth << 24;
    const uint64_t words[] = {types,
                              sizes,
                              (uint64_t)s->left_row,
                              (uint64_t)s->left_step,
                              (uint64_t)s->right_step,
                              (uint64_t)s->out_row ^ (uint64_t)s->chains << 56,
                              (uint64_t)s->copy_step,
                              s->line ? (uint64_t)s->left_line : 0};
    return hash_words(words, sizeof words / sizeof *words);
}

/* Return true if two shapes need the same kernel. */
static bool same(const struct brgemm_shape *a, const struct brgemm_shape *b) {
    return a->rows == b->rows && a->columns == b->columns && a->depth == b->depth &&
           a->left_row == b->left_row && a->left_step == b->left_step && a->right_step == b->right_step &&
           a->out_row == b->out_row && a->copy_step == b->copy_step && a->left == b->left &&
           a->right == b->right && a->out == b->out && a->group == b->group && a->chains == b->chains &&
           a->left_columns == b->left_columns && a->right_single == b->right_single && a->line == b->line &&
           a->soon_often == b->soon_often && a->carries == b->carries &&
           (!a->line || a->left_line == b->left_line);
}

/* Return the cached kernel of a shape for this instruction set; NULL if there is none. Either way set *slot to
   its index in the hash table, or to the free index for it. */
static const struct made *look(const struct brgemm_shape *shape, enum isa isa, size_t *slot) {
    for (size_t i = hash_of(shape, isa) >> 52;; i = (i + 1) % SLOTS) {
        const struct made *m = atomic_load_explicit(&cache.slots[i], memory_order_acquire);
        if (m && (m->isa != isa || !same(&m->kernel.shape, shape))) continue;
        *slot = i;
        return m;
    }
}

/* --- making ------------------------------------------------------------------------------------------ */

/* Kernels whose code is written but not yet placed. They are placed together, since changing page protection takes
   as long as writing kilobytes of code. */
struct gemm_batch {
    int n;
    size_t used;
    struct {
        struct brgemm *kernel;
        size_t at;
        bool coded; /* false: stays table-driven */
    } items[BRGEMM_TOGETHER];
};

/* Place the batch's code in executable memory, publish its kernels in the cache and empty the batch. Return false
   if the system refuses executable memory. */
static bool place(struct gemm_batch *b, enum isa isa) {
    const char *code = b->used ? jit_memory_place(&pages, cache.code, b->used) : cache.code;
    for (int i = 0; code && i < b->n; i++) {
        size_t slot;
        const char *at = code + b->items[i].at;
        struct made *m = &cache.made[cache.n++];
        *m = (struct made){*b->items[i].kernel, isa};
        if (b->items[i].coded) memcpy(&m->kernel.run, &at, sizeof at);
        *b->items[i].kernel = m->kernel;
        look(&m->kernel.shape, isa, &slot);
        atomic_store_explicit(&cache.slots[slot], m, memory_order_release);
    }
    b->n = 0;
    b->used = 0;
    return code;
}

/* Generate a kernel's code and append it to the batch; return false if the batch has no room. A kernel without code
   for its shape stays table-driven. */
static bool add(struct gemm_batch *b, struct brgemm *kernel, const struct jit_kind *kind) {
    struct jit_code code = {.bytes = cache.code + b->used, .room = MOST_CODE - b->used};
    bool coded = jit_brgemm(&code, kind, &kernel->shape);
    if (!coded && b->used) return false;
    b->items[b->n].kernel = kernel;
    b->items[b->n].at = b->used;
    b->items[b->n++].coded = coded;
    if (coded) b->used += (code.n + CODE_ALIGNED - 1) / CODE_ALIGNED * CODE_ALIGNED;
    return true;
}

/* Replace n table-driven kernels by generated or cached ones, in place; each stays as it is if that fails. If
   several have one shape, only the first gets code now. The caller holds the lock. */
static void make(int n, struct brgemm *const *kernels, const struct jit_kind *kind, enum isa isa) {
    struct gemm_batch b = {.n = 0};
    for (int i = 0; i < n && !cache.refused && cache.n + b.n < MOST; i++) {
        size_t slot;
        bool alike = false;
        const struct made *found = look(&kernels[i]->shape, isa, &slot);
        for (int k = 0; k < b.n; k++) alike = alike || same(&b.items[k].kernel->shape, &kernels[i]->shape);
        if (found) *kernels[i] = found->kernel;
        if (found || alike || add(&b, kernels[i], kind)) continue;
        cache.refused = !place(&b, isa);
        if (!cache.refused) add(&b, kernels[i], kind);
    }
    if (!cache.refused) cache.refused = !place(&b, isa);
}

bool brgemm_find_all(int n, struct brgemm *const *kernels, const struct brgemm_shape *shapes) {
    enum isa isa = isa_current();
    struct brgemm *missing[BRGEMM_TOGETHER];
    int nmissing = 0;
    for (int i = 0; i < n; i++) {
        size_t slot;
        const struct made *m = jit_allowed() ? look(&shapes[i], isa, &slot) : NULL;
        if (m)
            *kernels[i] = m->kernel;
        else if (!brgemm_table_find(missing[nmissing++] = kernels[i], &shapes[i]))
            return false;
    }
    if (!nmissing || !jit_allowed()) return true;
    struct brgemm_types types = {shapes->left,  shapes->right,        shapes->out,
                                 shapes->group, shapes->left_columns, shapes->right_single};
    const struct jit_kind *kind = jit_kind_find(&types);
    if (!kind) return true;
    lock_take(&lock);
    make(nmissing, missing, kind, isa);
    lock_give(&lock);
    return true;
}

bool brgemm_find(struct brgemm *kernel, const struct brgemm_shape *shape) {
    return brgemm_find_all(1, &kernel, shape);
}

/* True if an instruction adds products of adjacent i16. */
#if defined(__x86_64__)
enum { SHORT_PAIRS = 1 };
#else
enum { SHORT_PAIRS = 0 };
#endif

/* Return true if i16 holds all values of the dtype and it is 8 or 16 bits: u8, i8 or i16. */
static bool is_short(ty_dtype dtype) { return dtype == TY_U8 || dtype == TY_I8 || dtype == TY_I16; }

/* Return the types of the fastest kernel for operands of dtypes left and right and sums of dtype `sums`. Integer
   sums do not depend on order, so CPU and TY_JIT may choose. Pairs of bf16 use f32: the instruction for pairs rounds
   otherwise and flushes subnormal numbers, and a Xeon makes half as many products by it. */
struct brgemm_types brgemm_types_of(ty_dtype left, ty_dtype right, ty_dtype sums) {
    struct brgemm_types quick = {left, right, sums, 4, false, false};
    if ((jit_allowed() && jit_kind_find(&quick)) || brgemm_extra_find(&quick)) return quick;
    if (SHORT_PAIRS && sums == TY_I32 && is_short(left) && is_short(right))
        return (struct brgemm_types){TY_I16, TY_I16, TY_I32, 2, false, false};
    return (struct brgemm_types){sums, sums, sums, 1, false, false};
}

bool brgemm_widens(ty_dtype right, ty_dtype sums) {
    return right != sums && brgemm_kernels_find(&(struct brgemm_types){sums, right, sums, 1, false, false});
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
