#include "base/machine/levels.h"
#include <stdatomic.h>
#include "base/machine/machine.h"

/* Plausible range of each size: emulators and unusual kernels report 0 or nonsense, and then `usual` applies. */
static const struct {
    enum machine_level asked;
    int64_t least, most, usual;
} rows[LEVELS] = {
    [LEVEL_FIRST] = {MACHINE_FIRST, 8 << 10, 1 << 20, 32 << 10},
    [LEVEL_SECOND] = {MACHINE_SECOND, 64 << 10, 64 << 20, 1 << 20},
    [LEVEL_SECOND_WAY] = {MACHINE_SECOND_WAY, 4 << 10, 4 << 20, 64 << 10},
};
static _Atomic int64_t known[LEVELS]; /* 0: not read yet */

void level_force(enum level level, int64_t bytes) { atomic_store(&known[level], bytes); }

int64_t level_bytes(enum level level) {
    int64_t bytes = atomic_load_explicit(&known[level], memory_order_relaxed);
    if (bytes) return bytes;
    bytes = (int64_t)machine_cache(rows[level].asked);
    if (bytes < rows[level].least || bytes > rows[level].most) bytes = rows[level].usual;
    atomic_store_explicit(&known[level], bytes, memory_order_relaxed);
    return bytes;
}
