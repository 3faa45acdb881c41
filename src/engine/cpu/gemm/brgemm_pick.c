/*
 * Chooses the register tile. For each width in vectors, takes the fewest rows that give the least number of strips;
 * then picks the width with the fewest cycles in a small model of a core. The model has two multiply-adds or two
 * loads a cycle, four cycles of latency of a sum, and a cost for the begin and end of a tile. If left has columns,
 * each multiply-add has its own load, and each row starts elsewhere in memory.
 *
 * A load costs a quarter of a cycle even if its port is free: it may miss, and it takes a front-end slot that another
 * thread may share. Tiles of 9 x 3 vectors (12 loads for 27 multiply-adds), 6 x 4 and 5 x 5 (10 for 24 or 25) beat 14
 * x 2 (16 for 28). On an idle core they were 1.0 to 1.1 times as fast, on a shared one 1.1 to 1.3 times. Nine rows on
 * one set of L1 fit its twelve ways, fourteen do not.
 *
 * Right that does not stay in L1 between strips arrives at three vectors in four cycles, so tiles of two rows wait
 * for it. (2 x 5 vectors of AVX2 over 344 steps: 0.83 of the speed of 6 x 2, Zen 3.)
 */
#include "engine/cpu/gemm/brgemm_pick.h"
#include <math.h>
#include "base/number.h"

/* Return the cycles of one step of k in a tile of rows x vectors, plus its share of begin and end over a depth of
   64. */
static double tile_cycles(const struct brgemm_tiles *tiles, int64_t rows, int64_t vectors) {
    enum { NEAR = 24 << 10 }; /* bytes; L1 has 32 KB and more, and holds other operands */
    double work = (double)(rows * vectors) / 2, loads = (double)(rows + vectors) / 2, latency = 4;
    if (tiles->left_columns) loads = (double)((rows + 1) * vectors) / 2 + (double)rows / 4;
    if (vectors * tiles->column > NEAR) work = fmax(work, (double)vectors * 4 / 3);
    return fmax(fmax(work, loads), latency) + loads / 4 + (double)(10 + rows * vectors) / 64;
}

/* Return the cycles of one step of k in a block of rows x vectors, cut into columns of `wide` vectors and strips of
   nearly equal rows. Strips hold whole lines of `line` rows. Sets *tile_rows to the rows of the higher strips. */
static double block_cycles(const struct brgemm_tiles *tiles, int64_t rows, int64_t line, int64_t vectors,
                           int wide, int64_t *tile_rows) {
    int most = tiles->most[wide];
    int64_t lines = rows / line, strips = ceil_div(lines, most / line), high = ceil_div(lines, strips),
            tall = lines - strips * (high - 1);
    double cycles = 0;
    for (int rest = 0; rest < 2; rest++) { /* the full columns of tiles, then the last one */
        int64_t width = rest ? vectors % wide : wide, columns = rest ? width > 0 : vectors / wide;
        if (!columns) continue;
        double each = (double)tall * tile_cycles(tiles, high * line, width);
        if (tall < strips) each += (double)(strips - tall) * tile_cycles(tiles, (high - 1) * line, width);
        cycles += (double)columns * each;
    }
    *tile_rows = high * line;
    return cycles;
}

void brgemm_pick(const struct brgemm_tiles *tiles, int64_t rows, int64_t line, int64_t vectors,
                 int32_t *tile_rows, int32_t *tile_vectors) {
    double best = 0;
    for (int wide = 1; wide <= tiles->widest; wide++) {
        if (tiles->most[wide] < line) continue;
        int64_t high;
        double cycles = block_cycles(tiles, rows, line, vectors, wide, &high);
        if (best == 0 || cycles < best) {
            best = cycles;
            *tile_rows = (int32_t)high;
            *tile_vectors = wide;
        }
    }
}
