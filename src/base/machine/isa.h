/* Instruction set of the kernels: the best that the CPU has, or a lesser one that TY_ISA selects. */
#ifndef BASE_ISA_H
#define BASE_ISA_H
#include <stdbool.h>

/* ISA_BASE: the minimum of the architecture, SSE2 or NEON. */
enum isa { ISA_BASE, ISA_AVX2, ISA_AVX512, ISA_COUNT };

/* CMake (TY_ISAS) defines which sets are built.  ISA_TABLE(pool_) initialises an array with one entry per
   built set: pool_base, pool_avx2, pool_avx512. */
#ifdef TY_ISA_AVX2
#define ISA_IF_AVX2(...) __VA_ARGS__
#else
#define ISA_IF_AVX2(...)
#endif
#ifdef TY_ISA_AVX512
#define ISA_IF_AVX512(...) __VA_ARGS__
#else
#define ISA_IF_AVX512(...)
#endif
#define ISA_TABLE(name)                                                                                      \
    {                                                                                                        \
        [ISA_BASE] = name##base,                                                                             \
        ISA_IF_AVX2([ISA_AVX2] = name##avx2, ) ISA_IF_AVX512([ISA_AVX512] = name##avx512, )                  \
    }

/* Return the instruction set in use: the best one, unless the variable TY_ISA names a lesser one. TY_ISA is
   read once. */
enum isa isa_current(void);
/* Return the best instruction set that both this CPU and this build have. */
enum isa isa_best(void);
/* Return the best instruction set of this CPU, even if this build lacks it. */
enum isa isa_of_cpu(void);
/* Optional extensions.  ISA_VNNI (AVX-512): dot products of 8-bit integers.  ISA_DOT, ISA_MIXED_DOT (NEON): dot
   products of 8-bit integers of equal signedness, of mixed signedness. */
enum isa_extra { ISA_VNNI, ISA_DOT, ISA_MIXED_DOT, ISA_EXTRAS };
/* True if the CPU has the extension `extra`, and the instruction set in use is the largest of this
   architecture. */
bool isa_has(enum isa_extra extra);
/* Return the name of an instruction set, as in TY_ISA: "base", "avx2", "avx512"; on ARM "neon". */
const char *isa_name(enum isa isa);
/* Test hook: use `isa` from now on, or the best available set below it. No kernel may be running. */
void isa_force(enum isa isa);
#endif
