#include "base/isa.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/tyto.h>

static const char *const names[ISA_COUNT] = {"base", "avx2", "avx512"};
static _Atomic int current = -1;

const char *isa_name(enum isa isa) { return names[isa]; }

enum isa isa_best(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c"))
        return ISA_BASE;
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    return wide ? ISA_AVX512 : ISA_AVX2;
#else
    return ISA_BASE;
#endif
}

void isa_force(enum isa isa) { atomic_store(&current, isa < isa_best() ? isa : isa_best()); }

enum isa isa_current(void) {
    int isa = atomic_load_explicit(&current, memory_order_relaxed);
    if (isa >= 0) return (enum isa)isa;
    const char *asked = getenv("TY_ISA");
    enum isa best = isa_best();
    for (int i = 0; asked && i < ISA_COUNT; i++)
        if (!strcmp(asked, names[i]) && i < (int)best) best = (enum isa)i;
    atomic_store(&current, best);
    return best;
}

const char *ty_isa(void) { return names[isa_current()]; }
