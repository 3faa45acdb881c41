/* The loops of contractions for one instruction set: the includer names the TABLE, the compiler's flags decide the
   rest.  Integers wrap, so they are computed as unsigned. */
#include "engine/cpu/contract_kernels.h"

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#include "engine/cpu/contract_move.kernel.c"
#define T uint32_t
#define NAME(x) u32_##x
#include "engine/cpu/contract_lanes.kernel.c"
#define T uint64_t
#define NAME(x) u64_##x
#include "engine/cpu/contract_lanes.kernel.c"
#define T float
#define NAME(x) f32_##x
#include "engine/cpu/contract_lanes.kernel.c"
#define T double
#define NAME(x) f64_##x
#include "engine/cpu/contract_lanes.kernel.c"
#define T float
#define NAME(x) c64_##x
#include "engine/cpu/contract_complex.kernel.c"
#define T double
#define NAME(x) c128_##x
#include "engine/cpu/contract_complex.kernel.c"

const struct contract_kernels TABLE = {
    .move = move_runs,
    .lanes = {[TY_I32] = u32_lanes,
              [TY_I64] = u64_lanes,
              [TY_F32] = f32_lanes,
              [TY_F64] = f64_lanes,
              [TY_C64] = c64_complex_lanes,
              [TY_C128] = c128_complex_lanes},
    .expand = {[TY_F32] = c64_expand, [TY_F64] = c128_expand},
};
