/*
 * All contraction kernels of one instruction set: the includer names the TABLE and the compiler's flags
 * decide the rest.  Tile sizes: sums fill the registers but those for a row of right and one broadcast of
 * left: 14 x 2 of 32 (AVX-512), 6 x 2 of 16 (AVX2), 4 x 2 where a multiply-add needs a temporary.  No tile
 * has more rows than PANEL_PITCH.
 *
 * Integers wrap, so signed ones are computed as unsigned.  f16 and bf16 are widened when packed and rounded
 * once at the end: they use the kernels of f32.  bool is "or" of "and".  Rare types have smaller tiles: code
 * size.
 */
#include "engine/cpu/gemm.h"

#if defined(__AVX512F__) && defined(__AVX512BW__)
enum { PANEL_PITCH = 16 };
#define VECTOR_BYTES 64
#define FULL_ROWS 14
#define SOME_ROWS 6
#define SQUARE 16
#define SQUARE_64 8
#elif defined(__AVX2__)
enum { PANEL_PITCH = 8 };
#define VECTOR_BYTES 32
#define FULL_ROWS 6
#define SOME_ROWS 6
#define SQUARE 8
#define SQUARE_64 4
#else
enum { PANEL_PITCH = 4 };
#define VECTOR_BYTES 16
#define FULL_ROWS 4
#define SOME_ROWS 4
#define SQUARE 4
#define SQUARE_64 2
#endif

#define T uint8_t
#define NAME(x) bytes_##x
#define TURN SQUARE
#include "engine/cpu/gemm_pack.kernel.c"
#define T uint16_t
#define NAME(x) words_##x
#define TURN SQUARE
#include "engine/cpu/gemm_pack.kernel.c"
#define T uint32_t
#define NAME(x) longs_##x
#define TURN SQUARE
#include "engine/cpu/gemm_pack.kernel.c"
#define T uint64_t
#define NAME(x) quads_##x
#define TURN SQUARE_64
#include "engine/cpu/gemm_pack.kernel.c"
#define T float
#define NAME(x) c64_##x
#include "engine/cpu/gemm_complex.kernel.c"
#define T double
#define NAME(x) c128_##x
#include "engine/cpu/gemm_complex.kernel.c"

#define T uint8_t
#define NAME(x) bit_##x
#define ROWS 4
#define MADD(c, a, b) ((c) | ((a) & (b)))
#define ADD(c, x) ((c) | (x))
#include "engine/cpu/gemm.kernel.c"
#define T uint8_t
#define NAME(x) u8_##x
#define ROWS 4
#define MADD(c, a, b) ((c) + (a) * (b))
#define ADD(c, x) ((c) + (x))
#include "engine/cpu/gemm.kernel.c"
#define T uint16_t
#define NAME(x) u16_##x
#define ROWS 4
#define MADD(c, a, b) ((c) + (a) * (b))
#define ADD(c, x) ((c) + (x))
#include "engine/cpu/gemm.kernel.c"
#define T uint32_t
#define NAME(x) u32_##x
#define ROWS SOME_ROWS
#define MADD(c, a, b) ((c) + (a) * (b))
#define ADD(c, x) ((c) + (x))
#include "engine/cpu/gemm.kernel.c"
#define T uint64_t
#define NAME(x) u64_##x
#define ROWS SOME_ROWS
#define MADD(c, a, b) ((c) + (a) * (b))
#define ADD(c, x) ((c) + (x))
#include "engine/cpu/gemm.kernel.c"
#define T float
#define NAME(x) f32_##x
#define ROWS FULL_ROWS
#define MADD(c, a, b) ((c) + (a) * (b))
#define ADD(c, x) ((c) + (x))
#include "engine/cpu/gemm.kernel.c"
#define T double
#define NAME(x) f64_##x
#define ROWS FULL_ROWS
#define MADD(c, a, b) ((c) + (a) * (b))
#define ADD(c, x) ((c) + (x))
#include "engine/cpu/gemm.kernel.c"

#define KERNELS(name, sums, type, parts_, direct_, left, right, across)                                 \
    {.inner = sums, .rows = (int)(sizeof name##_tiles / sizeof *name##_tiles) - 1,                      \
     .lanes = VECTOR_BYTES / (int)sizeof(type), .pitch = PANEL_PITCH, .parts = parts_, .direct = direct_,\
     .tile = name##_tiles, .lane = {NULL, name##_lane_1, name##_lane_2}, .pack_left = left,             \
     .pack_right = right, .pack_lanes = across, .place = name##_place, .sum = name##_sum}
#define PLAIN(name, sums, type, direct, width)                                                          \
    KERNELS(name, sums, type, 1, direct, width##_pack, width##_pack, width##_pack)
#define COMPLEX(name, sums, type, packs)                                                                \
    KERNELS(name, sums, type, 2, false, packs##_pack_left, packs##_pack_right, packs##_pack_lanes)

const struct gemm TABLE[TY_DTYPES] = {
    [TY_BOOL] = PLAIN(bit, TY_BOOL, uint8_t, true, bytes),
    [TY_I8] = PLAIN(u8, TY_I8, uint8_t, true, bytes),
    [TY_I16] = PLAIN(u16, TY_I16, uint16_t, true, words),
    [TY_I32] = PLAIN(u32, TY_I32, uint32_t, true, longs),
    [TY_I64] = PLAIN(u64, TY_I64, uint64_t, true, quads),
    [TY_U8] = PLAIN(u8, TY_U8, uint8_t, true, bytes),
    [TY_U16] = PLAIN(u16, TY_U16, uint16_t, true, words),
    [TY_U32] = PLAIN(u32, TY_U32, uint32_t, true, longs),
    [TY_U64] = PLAIN(u64, TY_U64, uint64_t, true, quads),
    [TY_F16] = PLAIN(f32, TY_F32, float, false, words),
    [TY_BF16] = PLAIN(f32, TY_F32, float, false, words),
    [TY_F32] = PLAIN(f32, TY_F32, float, true, longs),
    [TY_F64] = PLAIN(f64, TY_F64, double, true, quads),
    [TY_C64] = COMPLEX(f32, TY_F32, float, c64),
    [TY_C128] = COMPLEX(f64, TY_F64, double, c128),
};
