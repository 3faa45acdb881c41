#include "base/machine/isa.h"
#include <stdatomic.h>
#include <string.h>
#include <tyto/core.h>
#include "base/machine/environment.h"
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
/* HWCAP_ASIMDDP of AT_HWCAP and HWCAP2_I8MM of AT_HWCAP2, which older headers lack. */
enum { HAS_DOT = 1 << 20, HAS_MIXED_DOT = 1 << 13 };
#endif

#if defined(__aarch64__)
static const char *const names[ISA_COUNT] = {"neon"};
static const char in_words[] = "neon";
static const enum isa largest = ISA_BASE;
#else
static const char *const names[ISA_COUNT] = {"base", "avx2", "avx512"};
#if defined(TY_ISA_AVX2) && defined(TY_ISA_AVX512)
static const char in_words[] = "base, avx2 or avx512";
#else
static const char in_words[] = "base" ISA_IF_AVX2(" or avx2") ISA_IF_AVX512(" or avx512");
#endif
static const enum isa largest = ISA_AVX512;
#endif
enum { is_base = true, is_avx2 = true, is_avx512 = true };
static const bool built[ISA_COUNT] = ISA_TABLE(is_);
static _Atomic int current = -1;

const char *isa_name(enum isa isa) { return names[isa]; }

#if defined(__x86_64__)
/* True if the processor has F16C (conversion of half floats). Uses cpuid, since __builtin_cpu_supports of
   clang 14 does not know "f16c". */
static bool has_f16c(void) {
    unsigned eax, ebx, ecx = 0, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C);
}
#endif

/* Asks the processor, which takes tens of microseconds in a virtual machine. */
static enum isa read_isa(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !has_f16c()) return ISA_BASE;
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    return wide ? ISA_AVX512 : ISA_AVX2;
#else
    return ISA_BASE;
#endif
}

enum isa isa_of_cpu(void) {
    static _Atomic int known = -1;
    int isa = atomic_load_explicit(&known, memory_order_relaxed);
    if (isa < 0) atomic_store(&known, isa = (int)read_isa());
    return (enum isa)isa;
}

static enum isa built_below(enum isa isa) {
    while (!built[isa]) isa--;
    return isa;
}

enum isa isa_best(void) { return built_below(isa_of_cpu()); }

void isa_force(enum isa isa) { atomic_store(&current, isa < isa_best() ? built_below(isa) : isa_best()); }

/* Return the instruction set called `name` if this build has it, else ISA_COUNT. */
static enum isa isa_named(const char *name) {
    for (int i = 0; i <= (int)largest; i++)
        if (built[i] && !strcmp(name, names[i])) return (enum isa)i;
    return ISA_COUNT;
}
static bool allows(const char *value) { return isa_named(value) < ISA_COUNT; }
const struct environment_row environment_isa = {"TY_ISA", in_words, allows,
                                                "Newest instruction set that kernels may use."};

enum isa isa_current(void) {
    int isa = atomic_load_explicit(&current, memory_order_relaxed);
    if (isa >= 0) return (enum isa)isa;
    const char *asked = environment_value(&environment_isa);
    enum isa best = isa_best();
    if (asked && isa_named(asked) < best) best = isa_named(asked);
    atomic_store(&current, best);
    return best;
}

/* Return the bit mask of the processor's instruction set extensions for short integers, which no ISA level
   includes; 0 if it has none. */
static int read_extras(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vnni") ? 1 << ISA_VNNI : 0;
#elif defined(__aarch64__) && defined(__linux__)
    return (getauxval(AT_HWCAP) & HAS_DOT ? 1 << ISA_DOT : 0) |
           (getauxval(AT_HWCAP2) & HAS_MIXED_DOT ? 1 << ISA_MIXED_DOT : 0);
#else
    return 0;
#endif
}

bool isa_has(enum isa_extra extra) {
    static _Atomic int known = -1;
    int extras = atomic_load_explicit(&known, memory_order_relaxed);
    if (extras < 0) atomic_store(&known, extras = read_extras());
    return isa_current() == largest && (extras >> extra & 1);
}

const char *ty_isa(void) { return names[isa_current()]; }
