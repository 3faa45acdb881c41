/* Which instruction set the kernels use: the best that the CPU has, or what TY_ISA asks for. */
#ifndef BASE_ISA_H
#define BASE_ISA_H

enum isa { ISA_BASE, ISA_AVX2, ISA_AVX512, ISA_COUNT };

/* The set in use; read once. */
enum isa isa_current(void);
/* The best that this CPU and build have. */
enum isa isa_best(void);
const char *isa_name(enum isa isa);
/* Tests: use a lesser set from now on (no running work). */
void isa_force(enum isa isa);
#endif
