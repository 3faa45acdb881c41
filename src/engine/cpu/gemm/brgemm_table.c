/* Table-driven kernels: cuts a block into tiles and calls the table's function for each. */
#include "engine/cpu/gemm/brgemm.h"
#include <string.h>
#include "base/machine/isa.h"
#include "engine/cpu/gemm/brgemm_pick.h"
#include "engine/cpu/gemm/brgemm_table.h"

static const struct brgemm_kernels *const tables[ISA_COUNT] = ISA_TABLE(brgemm_);
static const int *const counts[ISA_COUNT] = ISA_TABLE(&brgemm_count_);

/* Kernels with optional CPU instructions, tried first. */
static const struct {
    enum isa_extra needs;
    int count;
    const struct brgemm_kernels *kernels;
} extras[] = {
#if defined(__aarch64__)
    {ISA_DOT, 2, brgemm_neondot},
    {ISA_MIXED_DOT, 2, brgemm_neoni8mm},
#endif
    {ISA_EXTRAS, 0, NULL},
};

static bool are_of(const struct brgemm_kernels *k, const struct brgemm_types *types) {
    return k->left == types->left && k->right == types->right && k->out == types->out &&
           k->group == types->group && k->left_columns == types->left_columns &&
           k->right_single == types->right_single;
}

static const struct brgemm_kernels *find_of(const struct brgemm_kernels *kernels, int count,
                                            const struct brgemm_types *types) {
    for (int i = 0; i < count; i++)
        if (are_of(&kernels[i], types)) return &kernels[i];
    return NULL;
}

const struct brgemm_kernels *brgemm_extra_find(const struct brgemm_types *types) {
    const struct brgemm_kernels *found = NULL;
    for (int i = 0; extras[i].count && !found; i++)
        if (isa_has(extras[i].needs)) found = find_of(extras[i].kernels, extras[i].count, types);
    return found;
}

const struct brgemm_kernels *brgemm_kernels_find(const struct brgemm_types *types) {
    enum isa isa = isa_current();
    const struct brgemm_kernels *found = brgemm_extra_find(types);
    return found ? found : find_of(tables[isa], *counts[isa], types);
}

static inline int64_t ceiling(int64_t n, int64_t of) { return (n + of - 1) / of; }

static void fetch_soon(const struct brgemm_call *call) {
    for (int64_t i = 0; i < call->soon_count; i++)
        __builtin_prefetch((const char *)call->soon + i * call->soon_step, 0, 2);
}

/* Run a tile's function `run` on the terms of sum `chain` (0-based) of `chains`: those with index chain, chain +
   chains, ... The sum goes to the tile's out, or is added to it if t->add. */
static void run_chain(const struct brgemm_tile *t, brgemm_tile_run *run, int chain, int chains) {
    struct brgemm_tile one = *t;
    one.left_step *= chains, one.right_step *= chains;
    if (t->batches == 1 || t->depth % chains == 0) {
        one.left += chain * t->left_step, one.right += chain * t->right_step;
        one.depth = chain < t->depth ? ceiling(t->depth - chain, chains) : 0;
        run(&one);
        return;
    }
    one.batches = 0;
    run(&one);
    one.batches = 1, one.add = true;
    for (int64_t b = 0; b < t->batches; b++) {
        int64_t first = (chain + chains - b * t->depth % chains) % chains;
        if (first >= t->depth) continue;
        one.left = t->left + first * t->left_step, one.right = t->right + first * t->right_step;
        one.left_at = t->left_at ? t->left_at + b : NULL, one.right_at = t->right_at ? t->right_at + b : NULL;
        one.depth = ceiling(t->depth - first, chains);
        run(&one);
    }
}

/* Add n floats or doubles (`dtype`) of `from` to those of `out`, elementwise. */
static void add_to(char *out, const char *from, int n, ty_dtype dtype) {
    for (int i = 0; i < n; i++) {
        float x, y;
        double u, v;
        if (dtype == TY_F32) {
            memcpy(&x, out + 4 * i, 4), memcpy(&y, from + 4 * i, 4);
            x += y;
            memcpy(out + 4 * i, &x, 4);
        } else {
            memcpy(&u, out + 8 * i, 8), memcpy(&v, from + 8 * i, 8);
            u += v;
            memcpy(out + 8 * i, &u, 8);
        }
    }
}

/* Compute a tile of rows x vectors whose elements have several sums each: one sum after the other, then add them to
   the first. So a tile needs no more registers than with one sum. */
static void run_chains(const struct brgemm *kernel, const struct brgemm_tile *t, int64_t rows, int vectors) {
    enum { WIDEST = 64, HIGHEST = 14, ROW = BRGEMM_VECTORS * WIDEST };
    const struct brgemm_kernels *k = kernel->detail;
    const struct brgemm_shape *s = &kernel->shape;
    brgemm_tile_run *run = k->tile[vectors][rows];
    int columns = (vectors - 1) * k->lanes + t->last;
    _Alignas(WIDEST) char sums[HIGHEST * ROW];
    run_chain(t, run, 0, s->chains);
    struct brgemm_tile other = *t;
    other.out = sums, other.rows = NULL, other.out_row = ROW, other.add = false;
    for (int chain = 1; chain < s->chains; chain++) {
        run_chain(&other, run, chain, s->chains);
        for (int i = 0; i < rows; i++)
            add_to(t->out + (t->rows ? t->rows[i] : i * t->out_row), sums + i * ROW, columns, s->out);
    }
}

/* Compute a column of tiles, `vectors` wide, over all rows of the kernel's block; strips have nearly equal rows and
   stay inside lines. t is the call's operands and is changed. */
static void run_column(const struct brgemm *kernel, struct brgemm_tile *t, int vectors) {
    const struct brgemm_kernels *k = kernel->detail;
    int most = k->most[vectors] < kernel->tile_rows ? k->most[vectors] : kernel->tile_rows;
    const struct brgemm_shape *s = &kernel->shape;
    int64_t line = s->line ? s->line : s->rows;
    const char *left = t->left;
    for (int64_t i = 0, rows; i < s->rows; i += rows) {
        int64_t rest = line - i % line;
        rows = ceiling(rest, ceiling(rest, most));
        t->left = left + brgemm_left_row(s, i);
        if (s->chains > 1)
            run_chains(kernel, t, rows, vectors);
        else
            k->tile[vectors][rows](t);
        if (t->rows)
            t->rows += rows;
        else
            t->out += rows * t->out_row;
    }
}

/* Copy n rows of right, as wide as the kernel's block, from `from` to `to`; to_step and from_step are bytes
   between rows. */
static void copy_rows(const struct brgemm *kernel, void *to, int64_t to_step, const void *from,
                      int64_t from_step, int64_t n) {
    const struct brgemm_kernels *k = kernel->detail;
    size_t bytes = (size_t)(kernel->shape.columns * (k->right_bytes / k->lanes));
    for (int64_t i = 0; i < n; i++)
        memcpy((char *)to + i * to_step, (const char *)from + i * from_step, bytes);
}

/* Compute a block by the table of tiles, column by column, with the copies and prefetches that the call
   requests. */
static JIT_CALL void run_table(const struct brgemm *kernel, const struct brgemm_call *call) {
    const struct brgemm_kernels *k = kernel->detail;
    const struct brgemm_shape *s = &kernel->shape;
    int vectors = (int)ceiling(s->columns, k->lanes), last = s->columns - (vectors - 1) * k->lanes;
    int64_t depth = s->depth ? s->depth : call->depth;
    const char *right = s->copy_step ? call->copy : call->right;
    int64_t right_step = s->copy_step ? s->copy_step : s->right_step;
    if (s->copy_step) copy_rows(kernel, call->copy, s->copy_step, call->right, s->right_step, depth);
    for (int v = 0, wide; v < vectors; v += wide) {
        wide = vectors - v < kernel->tile_vectors ? vectors - v : kernel->tile_vectors;
        struct brgemm_tile t = {.left = (const char *)call->left + (s->left_columns ? v * k->right_bytes : 0),
                                .right = right + (s->right_single ? 0 : v * k->right_bytes),
                                .out = (char *)call->out + v * k->out_bytes,
                                .rows = s->out_row == BRGEMM_ROWS ? call->rows : NULL,
                                .left_at = call->left_at,
                                .right_at = call->right_at,
                                .batches = call->batches,
                                .depth = depth,
                                .left_row = s->left_row,
                                .left_step = s->left_step,
                                .right_step = right_step,
                                .out_row = s->out_row,
                                .last = v + wide == vectors ? last : k->lanes,
                                .add = call->add};
        run_column(kernel, &t, wide);
    }
    if (s->carries)
        copy_rows(kernel, call->soon_to, right_step, call->soon, call->soon_step, call->soon_count);
    else
        fetch_soon(call);
}

bool brgemm_table_find(struct brgemm *kernel, const struct brgemm_shape *shape) {
    struct brgemm_types types = {shape->left,  shape->right,        shape->out,
                                 shape->group, shape->left_columns, shape->right_single};
    const struct brgemm_kernels *k = brgemm_kernels_find(&types);
    if (!k) return false;
    *kernel = (struct brgemm){.run = run_table, .shape = *shape, .detail = k};
    struct brgemm_tiles tiles = {k->most, BRGEMM_VECTORS, k->left_columns, 0};
    brgemm_pick(&tiles, shape->line ? shape->line : shape->rows, 1, ceiling(shape->columns, k->lanes),
                &kernel->tile_rows, &kernel->tile_vectors);
    return true;
}
