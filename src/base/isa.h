/* Which instruction set the kernels use: the best that the CPU has, or what TY_ISA asks for. */
#ifndef BASE_ISA_H
#define BASE_ISA_H
#include <stdbool.h>

/* ISA_BASE is what every CPU of the architecture has: SSE2, or NEON. */
enum isa { ISA_BASE, ISA_AVX2, ISA_AVX512, ISA_COUNT };

/* Which of them are built, CMake says (TY_ISAS).  The initialiser of a table with an entry for each: of
   pool_base, pool_avx2, pool_avx512, or what of them is built, for ISA_TABLE(pool_). */
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

/* The set in use; read once. */
enum isa isa_current(void);
/* The best that this CPU and build have; that the CPU has. */
enum isa isa_best(void);
enum isa isa_of_cpu(void);
/* What only some CPUs have.  With AVX-512, sums of products of 8-bit integers, of pairs of bf16; with NEON,
   sums of products of 8-bit integers of the same sign, of different ones. */
enum isa_extra { ISA_VNNI, ISA_BF16, ISA_DOT, ISA_MIXED_DOT, ISA_EXTRAS };
/* Whether the set in use is the architecture's largest and the CPU has these too. */
bool isa_has(enum isa_extra extra);
const char *isa_name(enum isa isa);
/* Tests: use a lesser set, or the next one below that is built, from now on (no running work). */
void isa_force(enum isa isa);
#endif
