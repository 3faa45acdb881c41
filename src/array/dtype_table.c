/* The table of dtypes.  The command `tyto` has a copy, because inline functions of dtype.h read it (CMakeLists.txt). */
#include "array/dtype.h"

/* name, bytes, bits, class, real, floating, computed, sums, digits, exponent */
const struct dtype_info dtype_table[DTYPE_ROWS] = {
    [TY_BOOL] = {"bool", 1, 8, CLASS_BOOL, TY_BOOL, TY_F32, TY_BOOL, TY_I64, 1, 0},
    [TY_I8] = {"i8", 1, 8, CLASS_SIGNED, TY_I8, TY_F32, TY_I8, TY_I64, 7, 0},
    [TY_I16] = {"i16", 2, 16, CLASS_SIGNED, TY_I16, TY_F32, TY_I16, TY_I64, 15, 0},
    [TY_I32] = {"i32", 4, 32, CLASS_SIGNED, TY_I32, TY_F64, TY_I32, TY_I64, 31, 0},
    [TY_I64] = {"i64", 8, 64, CLASS_SIGNED, TY_I64, TY_F64, TY_I64, TY_I64, 63, 0},
    [TY_U8] = {"u8", 1, 8, CLASS_UNSIGNED, TY_U8, TY_F32, TY_U8, TY_U64, 8, 0},
    [TY_U16] = {"u16", 2, 16, CLASS_UNSIGNED, TY_U16, TY_F32, TY_U16, TY_U64, 16, 0},
    [TY_U32] = {"u32", 4, 32, CLASS_UNSIGNED, TY_U32, TY_F64, TY_U32, TY_U64, 32, 0},
    [TY_U64] = {"u64", 8, 64, CLASS_UNSIGNED, TY_U64, TY_F64, TY_U64, TY_U64, 64, 0},
    [TY_F16] = {"f16", 2, 16, CLASS_FLOAT, TY_F16, TY_F16, TY_F32, TY_F16, 11, 16},
    [TY_BF16] = {"bf16", 2, 16, CLASS_FLOAT, TY_BF16, TY_BF16, TY_F32, TY_BF16, 8, 128},
    [TY_F32] = {"f32", 4, 32, CLASS_FLOAT, TY_F32, TY_F32, TY_F32, TY_F32, 24, 128},
    [TY_F64] = {"f64", 8, 64, CLASS_FLOAT, TY_F64, TY_F64, TY_F64, TY_F64, 53, 1024},
    [TY_C64] = {"c64", 8, 64, CLASS_COMPLEX, TY_F32, TY_C64, TY_C64, TY_C64, 24, 128},
    [TY_C128] = {"c128", 16, 128, CLASS_COMPLEX, TY_F64, TY_C128, TY_C128, TY_C128, 53, 1024},
#define STORED(D, name, bits, digits, exponent)                                                              \
    [D] = {name, 1, bits, CLASS_STORED, D, D, D, D, digits, exponent}
    [TY_DTYPES] = {"", 1, 8, CLASS_STORED, TY_DTYPES, TY_DTYPES, TY_DTYPES, TY_DTYPES, 1, 0},
    STORED(TY_F8_E4M3FN, "f8_e4m3fn", 8, 4, 9),
    STORED(TY_F8_E4M3FNUZ, "f8_e4m3fnuz", 8, 4, 8),
    STORED(TY_F8_E5M2, "f8_e5m2", 8, 3, 16),
    STORED(TY_F8_E5M2FNUZ, "f8_e5m2fnuz", 8, 3, 16),
    STORED(TY_F8_E8M0, "f8_e8m0", 8, 1, 128),
    STORED(TY_F4_E2M1, "f4_e2m1", 4, 2, 3),
    STORED(TY_I4, "i4", 4, 3, 0),
    STORED(TY_U4, "u4", 4, 4, 0),
    STORED(TY_I2, "i2", 2, 1, 0),
    STORED(TY_U2, "u2", 2, 2, 0),
#undef STORED
};
