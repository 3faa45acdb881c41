/*
 * Which kernel a block gets, and the table-driven one.  The tile: of all widths in vectors, and the fewest rows that
 * cut the block into as few strips, the one that takes the fewest cycles by a small model of the core: two
 * multiply-adds or two loads a cycle, four cycles until a sum can be added to again, and some for a tile itself.
 */
#include "engine/cpu/brgemm.h"
#include "base/isa.h"
#include "engine/cpu/brgemm_table.h"

static const struct {
    const struct brgemm_kernels *kernels;
    const int *count;
} tables[ISA_COUNT] = {
    [ISA_BASE] = {brgemm_base, &brgemm_base_count},
#if defined(__x86_64__)
    [ISA_AVX2] = {brgemm_avx2, &brgemm_avx2_count},
    [ISA_AVX512] = {brgemm_avx512, &brgemm_avx512_count},
#endif
};

static const struct brgemm_kernels *kernels_find(ty_dtype left, ty_dtype right, ty_dtype out, int group) {
    enum isa isa = isa_current();
    for (int i = 0; i < *tables[isa].count; i++) {
        const struct brgemm_kernels *k = &tables[isa].kernels[i];
        if (k->left == left && k->right == right && k->out == out && k->group == group) return k;
    }
    return NULL;
}

/* --- the tile ---------------------------------------------------------------------------------------- */

static inline int64_t ceiling(int64_t n, int64_t of) { return (n + of - 1) / of; }
static inline double larger(double x, double y) { return x > y ? x : y; }

/* Cycles of a step of k in a tile, plus its share of beginning and end over a depth of 64. */
static double tile_cycles(int64_t rows, int64_t vectors) {
    double work = (double)(rows * vectors) / 2, loads = (double)(rows + vectors) / 2, latency = 4;
    return larger(larger(work, loads), latency) + (double)(10 + rows * vectors) / 64;
}

/* Cycles of a step of k in a block cut into columns `wide` vectors wide and strips as equal as they can be. */
static double block_cycles(int64_t rows, int64_t vectors, int most, int wide, int64_t *tile_rows) {
    int64_t strips = ceiling(rows, most), high = ceiling(rows, strips), tall = rows - strips * (high - 1);
    double a_strip = 0;
    for (int64_t left = vectors; left > 0; left -= wide) {
        int64_t width = left < wide ? left : wide;
        a_strip += (double)tall * tile_cycles(high, width);
        if (tall < strips) a_strip += (double)(strips - tall) * tile_cycles(high - 1, width);
    }
    *tile_rows = high;
    return a_strip;
}

/* most[wide]: rows of the largest tile that is so many vectors wide; 0: there is none. */
static void pick_tile(const int *most, int widest, int64_t rows, int64_t vectors, int32_t *tile_rows,
                      int32_t *tile_vectors) {
    double best = 0;
    for (int wide = 1; wide <= widest; wide++) {
        if (!most[wide]) continue;
        int64_t high;
        double cycles = block_cycles(rows, vectors, most[wide], wide, &high);
        if (best == 0 || cycles < best) {
            best = cycles;
            *tile_rows = (int32_t)high;
            *tile_vectors = wide;
        }
    }
}

void brgemm_tile(ty_dtype left, ty_dtype out, int64_t rows, int64_t columns, int *tile_rows, int *tile_columns) {
    int group = left == TY_BF16 && out == TY_F32 ? 2 : left != out && out == TY_I32 ? 4 : 1;
    ty_dtype right = group == 4 ? TY_I8 : left;
    const struct brgemm_kernels *k = kernels_find(left, right, out, group);
    *tile_rows = *tile_columns = 1;
    if (!k) return;
    int32_t high, wide;
    pick_tile(k->most, BRGEMM_VECTORS, rows, ceiling(columns, k->lanes), &high, &wide);
    *tile_rows = high;
    *tile_columns = wide * k->lanes;
}

/* --- the table-driven kernel ------------------------------------------------------------------------- */

static void fetch_soon(const struct brgemm_call *call) {
    for (int64_t i = 0; i < call->soon_count; i++)
        __builtin_prefetch((const char *)call->soon + i * call->soon_step, 0, 2);
}

/* A column of tiles: rows as equal as they can be. */
static void run_column(const struct brgemm *kernel, struct brgemm_tile *t, int vectors) {
    const struct brgemm_kernels *k = kernel->detail;
    int most = k->most[vectors] < kernel->tile_rows ? k->most[vectors] : kernel->tile_rows;
    int64_t left = kernel->shape.rows, strips = ceiling(left, most);
    for (int64_t rows; left > 0; left -= rows, strips--) {
        rows = ceiling(left, strips);
        k->tile[vectors][rows](t);
        t->left += rows * t->left_row;
        if (t->rows)
            t->rows += rows;
        else
            t->out += rows * t->out_row;
    }
}

static void run_table(const struct brgemm *kernel, const struct brgemm_call *call) {
    const struct brgemm_kernels *k = kernel->detail;
    const struct brgemm_shape *s = &kernel->shape;
    int vectors = (int)ceiling(s->columns, k->lanes), last = s->columns - (vectors - 1) * k->lanes;
    for (int v = 0, wide; v < vectors; v += wide) {
        wide = vectors - v < kernel->tile_vectors ? vectors - v : kernel->tile_vectors;
        struct brgemm_tile t = {.left = call->left,
                                .right = (const char *)call->right + v * k->right_bytes,
                                .out = (char *)call->out + v * k->out_bytes,
                                .rows = s->out_row == BRGEMM_ROWS ? call->rows : NULL,
                                .left_at = call->left_at,
                                .right_at = call->right_at,
                                .batches = call->batches,
                                .depth = s->depth ? s->depth : call->depth,
                                .left_row = s->left_row,
                                .left_step = s->left_step,
                                .right_step = s->right_step,
                                .out_row = s->out_row,
                                .last = v + wide == vectors ? last : k->lanes,
                                .add = call->add};
        run_column(kernel, &t, wide);
    }
    fetch_soon(call);
}

bool brgemm_find(struct brgemm *kernel, const struct brgemm_shape *shape) {
    const struct brgemm_kernels *k = kernels_find(shape->left, shape->right, shape->out, shape->group);
    if (!k) return false;
    *kernel = (struct brgemm){.run = run_table, .shape = *shape, .detail = k};
    pick_tile(k->most, BRGEMM_VECTORS, shape->rows, ceiling(shape->columns, k->lanes), &kernel->tile_rows,
                &kernel->tile_vectors);
    return true;
}
