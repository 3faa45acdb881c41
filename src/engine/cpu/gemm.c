/* Which table of contraction kernels is in use. */
#include "engine/cpu/gemm.h"
#include "base/isa.h"

static const struct gemm *const tables[ISA_COUNT] = {
    [ISA_BASE] = gemm_base, [ISA_AVX2] = gemm_avx2, [ISA_AVX512] = gemm_avx512};

const struct gemm *gemm_find(ty_dtype dtype) { return &tables[isa_current()][dtype]; }
