/* The tables of loops, one per ISA; each defined by the unit of that ISA. */
#ifndef ENGINE_CPU_ELEMENTWISE_LOOP_TABLES_H
#define ENGINE_CPU_ELEMENTWISE_LOOP_TABLES_H
#include "engine/cpu/cpu.h"

/* [dtype of the operands][row] */
extern const cpu_loop *const elementwise_base[TY_DTYPES], *const elementwise_avx2[TY_DTYPES],
                                                              *const elementwise_avx512[TY_DTYPES];
/* [from][to] */
extern const cpu_loop *const cast_base[TY_DTYPES], *const cast_avx2[TY_DTYPES], *const cast_avx512[TY_DTYPES];
#endif
