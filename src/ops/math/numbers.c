/* Promotion of operands of mixed dtypes.  Every function of several tensors, elementwise or not, gets its common
   dtype here, and only this file decides on the dtype of plain numbers next to arrays. */
#include "ops/math/numbers.h"
#include "array/remote.h"
#include <stdio.h>

/* Return the common dtype of `strong` and a weak (plain) number of dtype `weak`, which contributes only its
   class: complex over floating over integer over bool. It is `strong` if that has the same or a higher class.
   Else it is f64 for a floating number, i64 for an integer, and for a complex one the complex dtype of a floating
   `strong`, or c128. */
static ty_dtype promote_weak(ty_dtype strong, ty_dtype weak) {
    bool floating = dtype_is(strong, CLASS_FLOAT | CLASS_COMPLEX);
    if (dtype_is(weak, CLASS_COMPLEX)) return floating ? ty_promote(strong, TY_C64) : TY_C128;
    if (dtype_is(weak, CLASS_FLOAT)) return floating ? strong : TY_F64;
    return dtype_is(strong, CLASS_BOOL) ? TY_I64 : strong;
}

ty_dtype common_dtype(int n, ty_tensor *const *operands, bool *all_weak) {
    uint32_t strong = 0, weak = 0;
    for (int i = 0; i < n; i++) *(operands[i]->weak ? &weak : &strong) |= dtype_bit(operands[i]->dtype);
    ty_dtype common = promote_set(strong), weakest = promote_set(weak);
    *all_weak = !strong;
    if (*all_weak) return weakest;
    return weakest == TY_DTYPES ? common : promote_weak(common, weakest);
}

const ty_tensor *plain_number(const ty_tensor *x) {
    if (!x->weak || x->layout.rank || x->tracked) return NULL;
    if (x->promise) x = x->op == &op_constant ? x->inputs[0] : NULL;
    return x && tensor_known(x) ? x : NULL;
}

int number_beyond(const ty_tensor *number, ty_dtype dtype) {
    return element_beyond(dtype, number->dtype, element_load(number->dtype, tensor_data(number)));
}

/* Return the smallest (side -1) or largest (side 1) value of an integer dtype, in the field i of an element
   of I64 or, if it is unsigned, U64. */
static struct element end_of(ty_dtype dtype, int side) {
    int bits = 8 * (int)dtype_table[dtype].size - dtype_is(dtype, CLASS_SIGNED);
    uint64_t greatest = UINT64_MAX >> (64 - bits);
    return (struct element){.i = (int64_t)(side > 0                        ? greatest
                                           : dtype_is(dtype, CLASS_SIGNED) ? ~greatest
                                                                           : 0)};
}

/* Write the integer e, of `dtype`, in decimal with a final 0 to out[24], and return out. */
static const char *integer_words(char out[24], ty_dtype dtype, struct element e) {
    if (dtype == TY_U64)
        snprintf(out, 24, "%llu", (unsigned long long)e.i);
    else
        snprintf(out, 24, "%lld", (long long)e.i);
    return out;
}

/* Return poison that says that `number`, a plain number, does not fit `dtype`, and the dtype's range, in
   the name of function `name`. */
static ty_tensor *refuse_number(const char *name, const ty_tensor *number, ty_dtype dtype) {
    struct element e = element_load(number->dtype, tensor_data(number));
    char words[32], low[24], high[24];
    if (dtype_is(number->dtype, CLASS_INTEGER))
        integer_words(words, number->dtype, e);
    else
        text_print(words, sizeof words, "%.17g", element_number(number->dtype, e));
    return ty_poison_code(E_DOMAIN, "%s%sthe number %s does not fit %s, which holds %s to %s",
                          name ? name : "", name ? ": " : "", words, ty_dtype_name(dtype),
                          integer_words(low, dtype, end_of(dtype, -1)),
                          integer_words(high, dtype, end_of(dtype, 1)));
}

static ty_tensor *scalar_of(ty_dtype dtype, ty_dtype from, struct element e) {
    ty_tensor *y = tensor_new_value(dtype, 0, NULL);
    if (y) element_store(dtype, tensor_data(y), from, e);
    return tensor_return(y);
}

ty_tensor *number_end(ty_dtype dtype, int side) { return scalar_of(dtype, dtype, end_of(dtype, side)); }

ty_tensor *stored_as(const char *name, ty_tensor *value, ty_dtype dtype) {
    FLOATING_DEFAULT;
    ty_tensor *x = tensor_resolve(value);
    const ty_tensor *number = ty_ok(x) ? plain_number(x) : NULL;
    if (!number) return ty_cast(x, dtype);
    if (number_beyond(number, dtype)) return refuse_number(name, number, dtype);
    if (x->promise) return ty_cast(x, dtype);
    return scalar_of(dtype, number->dtype, element_load(number->dtype, tensor_data(number)));
}

ty_dtype dtype_with_number(ty_dtype common, const ty_tensor *x) {
    if (!dtype_is(common, CLASS_INTEGER)) return common;
    const ty_tensor *number = plain_number(x);
    return number && number_beyond(number, common) ? ty_promote(common, number->dtype) : common;
}

/* Return the dtype in which the tensors x[n] are compared. It holds all plain numbers among them, if an
   integer dtype does. Comparisons of integers must be exact, so a number that no common integer dtype holds
   is refused later. */
ty_dtype matched_dtype(int n, ty_tensor *const *x) {
    bool all_weak;
    ty_dtype common = common_dtype(n, x, &all_weak), wide = common;
    for (int i = 0; i < n; i++) wide = dtype_with_number(wide, x[i]);
    return dtype_is(common, CLASS_INTEGER) && !dtype_is(wide, CLASS_INTEGER) ? common : wide;
}

void cast_to_common(const char *name, int n, ty_tensor *const *x, enum meeting how, ty_tensor **cast) {
    bool all_weak;
    ty_tensor *stored = refuse_stored(name ? name : "cast", n, x);
    for (int i = 0; i < n && stored; i++) cast[i] = stored;
    if (stored) return;
    ty_dtype dtype = common_dtype(n, x, &all_weak);
    if (how == COUNTED && dtype == TY_BOOL) dtype = TY_I64;
    if (how == MATCHED) dtype = matched_dtype(n, x);
    if (how == FLOATING && !dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX)) dtype = TY_F64;
    for (int i = 0; i < n; i++) cast[i] = ty_dtype_of(x[i]) == dtype ? x[i] : stored_as(name, x[i], dtype);
}

struct composite composite_open_met(const char *name, int n, ty_tensor **x, enum meeting how) {
    bool all_weak, well = true;
    for (int i = 0; i < n; i++) well = well && ty_ok(x[i]);
    ty_dtype common = well ? common_dtype(n, x, &all_weak) : TY_DTYPES;
    struct composite c = composite_open(name, n, x);
    if (!dtype_valid(common) || !dtype_is_half(common)) c.half = TY_DTYPES;
    for (int i = 0; i < n; i++)
        well = well && ty_ok(x[i]); /* after composite_open, which yields poison
                                       if memory runs out */
    if (well) cast_to_common(NULL, n, x, how, x);
    return c;
}
