/* Sizes of tiles and parts that kernels work on; in the lowest folder of this engine, as all use it. */
#include "engine/cpu/cpu.h"

int64_t cpu_tile = CPU_TILE, cpu_part = 1;

/* Test hook: set the size of tiles to `tile` elements if it is in 1 .. CPU_TILE - 1, else to CPU_TILE. Divide
   part sizes by `part` if it is above 1, else leave them as they are. */
void cpu_force(int64_t tile, int64_t part) {
    cpu_tile = tile > 0 && tile < CPU_TILE ? tile : CPU_TILE;
    cpu_part = part > 1 ? part : 1;
}
