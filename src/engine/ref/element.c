/* Elements of the reference engine: loads, rounding, and the operations that folds need. */
#include "engine/ref/ref.h"

#include <math.h>
#include <string.h>

static ty_dtype widest(ty_dtype dtype) {
    if (dtype_is(dtype, CLASS_SIGNED)) return TY_I64;
    if (dtype_is(dtype, CLASS_UNSIGNED | CLASS_BOOL)) return TY_U64;
    return dtype_is(dtype, CLASS_FLOAT) ? TY_F64 : TY_C128;
}

static bool is_whole(ty_dtype dtype) { return dtype_is(dtype, CLASS_INTEGER | CLASS_BOOL); }

struct element ref_load(ty_dtype dtype, const void *from) {
    struct element e = element_load(dtype, from);
    if (is_whole(dtype)) e.z = dtype == TY_U64 ? (long double)(uint64_t)e.i : (long double)e.i;
    return e;
}

struct element ref_at(const struct ref_call *call, int input, const int64_t *index) {
    const struct operand *x = &call->kernel->inputs[input];
    int64_t at = x->layout.offset;
    for (int i = 0; x->guard && i < x->layout.rank; i++)
        if (index[i] < x->guard->low[i] || index[i] >= x->guard->high[i]) return ref_integer(0);
    for (int i = 0; i < x->layout.rank; i++) at += index[i] * x->layout.strides[i];
    const char *data = call->slots[x->slot];
    return ref_load(x->dtype, data + at * (int64_t)dtype_table[x->dtype].size);
}

struct element ref_convert(ty_dtype to, ty_dtype from, struct element e) {
    _Alignas(16) char room[16] = {0};
    element_store(to, room, from, e);
    return ref_load(to, room);
}

struct element ref_round(ty_dtype dtype, struct element e) {
    return ref_convert(dtype, widest(dtype), e);
}

struct element ref_integer(int64_t i) {
    return (struct element){.i = i, .z = i};
}

struct element ref_add(ty_dtype dtype, struct element a, struct element b) {
    if (is_whole(dtype)) return (struct element){.i = (int64_t)((uint64_t)a.i + (uint64_t)b.i)};
    return (struct element){.z = a.z + b.z};
}

/* Return a * b in the widest type of dtype's class, not rounded. Reals are multiplied as reals: inf * (2 + 0i)
   would have a NaN part. */
struct element ref_mul(ty_dtype dtype, struct element a, struct element b) {
    if (is_whole(dtype)) return (struct element){.i = (int64_t)((uint64_t)a.i * (uint64_t)b.i)};
    if (dtype_is(dtype, CLASS_COMPLEX)) return (struct element){.z = a.z * b.z};
    return (struct element){.z = creall(a.z) * creall(b.z)};
}

/* Return the greatest value of `dtype` if `greatest`, else the least; infinite for floats. */
static struct element extreme(ty_dtype dtype, bool greatest) {
    int bits = 8 * (int)dtype_table[dtype].size;
    if (dtype_is(dtype, CLASS_SIGNED)) {
        int64_t top = (int64_t)(UINT64_MAX >> (65 - bits));
        return ref_integer(greatest ? top : -top - 1);
    }
    if (dtype_is(dtype, CLASS_UNSIGNED)) return ref_round(dtype, ref_integer(greatest ? -1 : 0));
    if (dtype_is(dtype, CLASS_BOOL)) return ref_integer(greatest);
    return (struct element){.z = greatest ? INFINITY : -INFINITY};
}

struct element ref_least(ty_dtype dtype) {
    return extreme(dtype, false);
}

struct element ref_greatest(ty_dtype dtype) {
    return extreme(dtype, true);
}

bool ref_is_nonzero(ty_dtype dtype, struct element e) { return is_whole(dtype) ? e.i != 0 : e.z != 0; }

bool ref_beats(ty_dtype dtype, int sign, struct element e, struct element best) {
    if (dtype_is(dtype, CLASS_UNSIGNED | CLASS_BOOL))
        return sign > 0 ? (uint64_t)e.i > (uint64_t)best.i : (uint64_t)e.i < (uint64_t)best.i;
    if (dtype_is(dtype, CLASS_SIGNED)) return sign > 0 ? e.i > best.i : e.i < best.i;
    long double x = creall(e.z), y = creall(best.z);
    if (isnan(y)) return false;
    return isnan(x) || (sign > 0 ? x > y : x < y);
}

int64_t ref_index(ty_dtype dtype, struct element e, int64_t size) {
    if (dtype == TY_U64 && e.i < 0) return -1;
    int64_t i = e.i < 0 ? e.i + size : e.i;
    return i >= 0 && i < size ? i : -1;
}
