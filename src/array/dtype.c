/* Names and sizes of dtypes, and the promotion rule. */
#include "array/dtype.h"

const char *ty_dtype_name(ty_dtype dtype) { return dtype_known(dtype) ? dtype_table[dtype].name : "?"; }
size_t ty_dtype_size(ty_dtype dtype) { return dtype_known(dtype) ? dtype_table[dtype].size : 0; }
int ty_dtype_bits(ty_dtype dtype) { return dtype_known(dtype) ? dtype_table[dtype].bits : 0; }

/* Return the smallest floating dtype that NumPy promotes the integers of `dtype` to: f16, f32 or f64, by size. */
static ty_dtype float_holding(ty_dtype dtype) {
    static const ty_dtype by_size[] = {[1] = TY_F16, [2] = TY_F32, [4] = TY_F64, [8] = TY_F64};
    return dtype_is(dtype, CLASS_BOOL) ? TY_F16 : by_size[dtype_table[dtype].size];
}

/* Return the common dtype of two integer dtypes: the smallest that holds both; f64 for u64 with a signed
   one. */
static ty_dtype promote_integers(ty_dtype a, ty_dtype b) {
    size_t size_a = dtype_table[a].size, size_b = dtype_table[b].size;
    if (dtype_table[a].klass == dtype_table[b].klass) return size_a >= size_b ? a : b;
    size_t size_signed = dtype_is(a, CLASS_SIGNED) ? size_a : size_b;
    size_t size_unsigned = dtype_is(a, CLASS_SIGNED) ? size_b : size_a;
    if (size_signed > size_unsigned) return dtype_is(a, CLASS_SIGNED) ? a : b;
    static const ty_dtype above[] = {[1] = TY_I16, [2] = TY_I32, [4] = TY_I64, [8] = TY_F64};
    return above[size_unsigned];
}

static ty_dtype promote_floats(ty_dtype a, ty_dtype b) {
    if (a == b) return a;
    if (dtype_table[a].size == dtype_table[b].size) return TY_F32; /* f16 with bf16 */
    return dtype_table[a].size > dtype_table[b].size ? a : b;
}

/* Return the common dtype of the floating dtype f and another real one. bf16 with an integer stays bf16, as
   in PyTorch and JAX, since NumPy has no bf16. */
static ty_dtype promote_to_float(ty_dtype f, ty_dtype other) {
    if (f == TY_BF16 && dtype_is(other, CLASS_BOOL | CLASS_INTEGER)) return f;
    if (dtype_is(other, CLASS_BOOL | CLASS_INTEGER)) other = float_holding(other);
    return promote_floats(f, other);
}

ty_dtype ty_promote(ty_dtype a, ty_dtype b) {
    if (!dtype_valid(a) || !dtype_valid(b)) return TY_DTYPES;
    if (a == b) return a;
    if (dtype_is(a, CLASS_BOOL)) return b;
    if (dtype_is(b, CLASS_BOOL)) return a;
    if (dtype_is(a, CLASS_INTEGER) && dtype_is(b, CLASS_INTEGER)) return promote_integers(a, b);
    if (!dtype_is(a, CLASS_COMPLEX) && !dtype_is(b, CLASS_COMPLEX))
        return dtype_is(a, CLASS_FLOAT) ? promote_to_float(a, b) : promote_to_float(b, a);
    ty_dtype real_a = dtype_table[a].real, real_b = dtype_table[b].real;
    ty_dtype part =
        dtype_is(real_a, CLASS_FLOAT) ? promote_to_float(real_a, real_b) : promote_to_float(real_b, real_a);
    return part == TY_F64 ? TY_C128 : TY_C64;
}

/* Return the common dtype of a set of dtype_bit; TY_DTYPES if it is empty, and a dtype for storage if it has one. Dtypes are promoted from the last to
   the first, complex before bool. So an integer is promoted with the floating dtype, and not with another
   integer, which might give a wider result. */
ty_dtype promote_set(uint32_t dtypes) {
    ty_dtype met = TY_DTYPES;
    if (dtypes >> TY_DTYPES) return (ty_dtype)(31 - __builtin_clz(dtypes));
    if (!(dtypes & (dtypes - 1))) return dtypes ? (ty_dtype)__builtin_ctz(dtypes) : TY_DTYPES;
    for (int d = TY_DTYPES - 1; d >= 0; d--)
        if (dtypes & dtype_bit((ty_dtype)d))
            met = met == TY_DTYPES ? (ty_dtype)d : ty_promote(met, (ty_dtype)d);
    return met;
}

ty_dtype ty_promote_all(int n, const ty_dtype *dtypes) {
    uint32_t set = 0;
    if (!dtypes) return TY_DTYPES;
    for (int i = 0; i < n; i++) {
        if (!dtype_valid(dtypes[i])) return TY_DTYPES;
        set |= dtype_bit(dtypes[i]);
    }
    return promote_set(set);
}
