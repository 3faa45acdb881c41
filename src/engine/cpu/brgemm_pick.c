/*
 * The tile: of all widths in vectors, with the fewest rows that cut the block into as few strips, the one
 * that takes the fewest cycles by a small model of the core: two multiply-adds or two loads a cycle, four
 * cycles until a sum can be added to again, and some for the beginning and end of a tile.  Where left has
 * columns, each multiply-add has a load of its own, and each row begins somewhere else in memory.
 *
 * A load costs a quarter of a cycle even where its port is free: it may miss, and it takes a slot of a front
 * end that another thread of the core may share.  Of tiles that multiply as fast, 9 x 3 vectors (12 loads for
 * 27 multiply-adds) were 1.0 to 1.1 times as fast as 14 x 2 (16 for 28) on an idle core, 1.15 to 1.3 on a
 * shared one; and nine rows that fall on one set of L1 find room in its twelve ways, fourteen do not.
 */
#include "engine/cpu/brgemm_pick.h"

static inline int64_t ceiling(int64_t n, int64_t of) { return (n + of - 1) / of; }
static inline double larger(double x, double y) { return x > y ? x : y; }

/* Cycles of a step of k in a tile, plus its share of beginning and end over a depth of 64. */
static double tile_cycles(int64_t rows, int64_t vectors, bool left_columns) {
    double work = (double)(rows * vectors) / 2, loads = (double)(rows + vectors) / 2, latency = 4;
    if (left_columns) loads = (double)((rows + 1) * vectors) / 2 + (double)rows / 4;
    return larger(larger(work, loads), latency) + loads / 4 + (double)(10 + rows * vectors) / 64;
}

/* Cycles of a step of k in a block cut into columns `wide` vectors wide and strips as equal as lines allow.
 */
static double block_cycles(const struct brgemm_tiles *tiles, int64_t rows, int64_t line, int64_t vectors,
                           int wide, int64_t *tile_rows) {
    int most = tiles->most[wide];
    int64_t lines = rows / line, strips = ceiling(lines, most / line), high = ceiling(lines, strips),
            tall = lines - strips * (high - 1);
    double a_strip = 0;
    for (int64_t left = vectors; left > 0; left -= wide) {
        int64_t width = left < wide ? left : wide;
        a_strip += (double)tall * tile_cycles(high * line, width, tiles->left_columns);
        if (tall < strips)
            a_strip += (double)(strips - tall) * tile_cycles((high - 1) * line, width, tiles->left_columns);
    }
    *tile_rows = high * line;
    return a_strip;
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
