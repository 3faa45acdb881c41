/* Which instruction set the kernels use: the best that the CPU has, or what TY_ISA asks for. */
#ifndef BASE_ISA_H
#define BASE_ISA_H
#include <stdbool.h>

enum isa { ISA_BASE, ISA_AVX2, ISA_AVX512, ISA_COUNT };

/* The set in use; read once. */
enum isa isa_current(void);
/* The best that this CPU and build have. */
enum isa isa_best(void);
/* Instructions that only some CPUs with AVX-512 have: sums of products of 8-bit integers, of pairs of bf16. */
enum isa_extra { ISA_VNNI, ISA_BF16, ISA_EXTRAS };
/* Whether the set in use is AVX-512 and the CPU has these too. */
bool isa_has(enum isa_extra extra);
const char *isa_name(enum isa isa);
/* Tests: use a lesser set from now on (no running work). */
void isa_force(enum isa isa);
#endif
