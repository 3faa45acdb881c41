/* Tables of loops, one for each group of operators and instruction set. Each is defined in its own unit
   (CMakeLists.txt). */
#ifndef ENGINE_CPU_ELEMENTWISE_LOOP_TABLES_H
#define ENGINE_CPU_ELEMENTWISE_LOOP_TABLES_H
#include <tyto/core.h>
#include "engine/cpu/loop.h"

/* [dtype of the operands][operator of the group]; named elementwise_<group>_<isa> */
typedef const cpu_loop *const cpu_row_loops[TY_DTYPES];
/* [from][to] */
extern const cpu_loop *const cast_base[TY_DTYPES], *const cast_avx2[TY_DTYPES], *const cast_avx512[TY_DTYPES];
#endif
