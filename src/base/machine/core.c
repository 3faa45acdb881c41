/*
 * Table of microarchitectures that differ in more than caches and instruction sets.  The figures are measured by
 * `./dev bench tccg` (its roofs) and by sums in L3, on one core of a virtual machine.  Decisions use their
 * ratios, so clock rates matter little.
 */
#include "base/machine/core.h"
#include <stdatomic.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <string.h>
#endif

static const struct core cores[CORES] = {
    /* Sapphire Rapids: two multiply-adds a cycle at any vector width; L3 is slow. */
    [CORE_USUAL] = {{11e9, 11e9, 11e9}, 17e9, 22e9, 91e9, 28e9, 0, 16},
    /* Zen 4: 64-byte vectors take two cycles; L3 is fast and shared by eight cores. */
    [CORE_ZEN_4] = {{14.7e9, 14.7e9, 7.3e9}, 27e9, 33e9, 91e9, 70e9, 1.5, 16},
    /* Zen 3: L3 is shared by eight cores, 50 to 75 GB/s alone, 45 GB/s under load. 3 to 12 rows by matrices of
       4000 squared, 1000 x 20000 and 20000 x 1000: panels of ten rows run 1.12 to 1.5 times as fast as panels
       of sixteen, which prefetching did not improve. */
    [CORE_ZEN_3] = {{11e9, 11e9, 11e9}, 17e9, 22e9, 91e9, 45e9, 0, 10},
    /* Zen 5: two multiply-adds of 64 bytes a cycle; each cache level is about twice as fast as Zen 4's. Right
       boxes of 1.1 times L2: GEMM of 900 to 2048 runs 1.01 to 1.04 times as fast as with boxes that fit (f64
       2048: 0.99); of 1.5 times L2, f64 of 1600 and 2048 runs at 0.96. 3 to 12 rows by matrices in memory or
       L3: panels of a thousand rows run 1.34 to 1.8 times as fast as panels of sixteen. */
    [CORE_ZEN_5] = {{17e9, 17e9, 17e9}, 40e9, 54e9, 200e9, 105e9, 1.1, 1024},
};
static _Atomic int current = -1;

/* Return the index of this processor in the table `cores`, CORE_USUAL if it has no entry. AMD family 19h with
   AVX-512 is Zen 4, without it Zen 3; family 1Ah is Zen 5. */
static int find(void) {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    char maker[13] = "";
    if (!__get_cpuid(0, &a, &b, &c, &d)) return CORE_USUAL;
    memcpy(maker, &b, 4), memcpy(maker + 4, &d, 4), memcpy(maker + 8, &c, 4);
    if (strcmp(maker, "AuthenticAMD") != 0 || !__get_cpuid(1, &a, &b, &c, &d)) return CORE_USUAL;
    unsigned family = (a >> 8 & 15) + (a >> 20 & 255);
    if (family == 0x19 && isa_of_cpu() == ISA_AVX512) return CORE_ZEN_4;
    if (family == 0x19) return CORE_ZEN_3;
    if (family == 0x1a) return CORE_ZEN_5;
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
