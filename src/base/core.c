/*
 * Designs of cores that differ in more than their caches and instruction sets.  Figures are those of
 * `./dev bench tccg` (its roofs) and of sums in L3, of one core of a virtual machine; ratios between them
 * decide, so clocks matter little.
 */
#include "base/core.h"
#include <stdatomic.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <string.h>
#endif

static const struct core cores[CORES] = {
    /* A Sapphire Rapids: two multiply-adds a cycle whatever their width, a third level that is far. */
    [CORE_USUAL] = {{11e9, 11e9, 11e9}, 17e9, 22e9, 91e9, 28e9, 0, 16},
    /* Zen 4: 64 bytes are computed in two halves; eight cores have a third level of their own, which is near.
     */
    [CORE_ZEN_4] = {{14.7e9, 14.7e9, 7.3e9}, 27e9, 33e9, 91e9, 70e9, 1.5, 16},
    /* Zen 3: a third level of eight cores as well, 50 to 75 GB/s by itself, 45 while others use it.
       3 to 12 rows by matrices of 4000 squared, 1000 x 20000, 20000 x 1000: 1.12 to 1.5 times as fast in
       tens of rows as in sixteens, which were no better with lines asked for. */
    [CORE_ZEN_3] = {{11e9, 11e9, 11e9}, 17e9, 22e9, 91e9, 45e9, 0, 10},
};
static _Atomic int current = -1;

/* AMD's family 19h with AVX-512 is Zen 4; Zen 3, of the same family, has none. */
static int find(void) {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    char maker[13] = "";
    if (!__get_cpuid(0, &a, &b, &c, &d)) return CORE_USUAL;
    memcpy(maker, &b, 4), memcpy(maker + 4, &d, 4), memcpy(maker + 8, &c, 4);
    if (strcmp(maker, "AuthenticAMD") != 0 || !__get_cpuid(1, &a, &b, &c, &d)) return CORE_USUAL;
    unsigned family = (a >> 8 & 15) + (a >> 20 & 255);
    if (family == 0x19 && isa_best() == ISA_AVX512) return CORE_ZEN_4;
    if (family == 0x19) return CORE_ZEN_3;
#endif
    return CORE_USUAL;
}

const struct core *core_current(void) {
    int index = atomic_load_explicit(&current, memory_order_relaxed);
    if (index < 0) {
        index = find();
        atomic_store_explicit(&current, index, memory_order_relaxed);
    }
    return &cores[index];
}

void core_force(int index) { atomic_store(&current, index < 0 ? find() : index); }
