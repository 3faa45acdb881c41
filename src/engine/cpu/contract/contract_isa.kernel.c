/* Contraction loops for one instruction set. The includer defines TABLE; compiler flags choose the instructions.
   Integers are computed as unsigned, so that they wrap. */
#include <string.h>
#include "base/number.h"
#include "engine/cpu/gemm/brgemm_part.h"
#include "engine/cpu/gemm/brgemm_widen.h"
#include "engine/cpu/contract/contract_kernels.h"
#include "engine/cpu/madd.h"

#include "engine/cpu/contract/contract_move.kernel.c"
#define T uint32_t
#define MADD(a, b, c) ((a) * (b) + (c))
#define NAME(x) u32_##x
#include "engine/cpu/contract/contract_dots.kernel.c"
#define T uint64_t
#define MADD(a, b, c) ((a) * (b) + (c))
#define NAME(x) u64_##x
#include "engine/cpu/contract/contract_dots.kernel.c"
#define T float
#define MADD madd_vector_f32
#define NAME(x) f32_##x
#include "engine/cpu/contract/contract_dots.kernel.c"
#define T float
#define MADD madd_vector_f32
#define NAME(x) f16_##x
#define STORED uint16_t
#define WIDEN WIDEN_F16
#include "engine/cpu/contract/contract_dots.kernel.c"
#define T float
#define MADD madd_vector_f32
#define NAME(x) bf16_##x
#define STORED uint16_t
#define WIDEN WIDEN_BF16
#include "engine/cpu/contract/contract_dots.kernel.c"
#define T double
#define MADD madd_vector_f64
#define NAME(x) f64_##x
#include "engine/cpu/contract/contract_dots.kernel.c"
#define T float
#define MADD madd_scalar_f32
#define NAME(x) c64_##x
#include "engine/cpu/contract/contract_complex.kernel.c"
#define T double
#define MADD madd_scalar_f64
#define NAME(x) c128_##x
#include "engine/cpu/contract/contract_complex.kernel.c"

const struct contract_kernels TABLE = {
    .move = move_runs,
    .lanes = {[TY_C64] = c64_complex_lanes, [TY_C128] = c128_complex_lanes},
    .dots = {[TY_I32] = u32_dots,
             [TY_I64] = u64_dots,
             [TY_F32] = f32_dots,
             [TY_F64] = f64_dots,
             [TY_F16] = f16_dots,
             [TY_BF16] = bf16_dots},
    .expand = {[TY_F32] = c64_expand, [TY_F64] = c128_expand},
};
