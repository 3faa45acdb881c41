/* Compares the C type of the caller's elements with a dtype that is not constant (<tyto/typed.h>). */
#include "array/dtype.h"
#include "base/text.h"

/* A refused dtype is REFUSED, the dtype from bit DTYPE_BIT on, and the set of dtypes that fit from bit 0 on. */
enum { REFUSED = 1 << 30, DTYPE_BIT = 24, SET = (1 << TY_DTYPES) - 1, BYTES = 2 << TY_DTYPES };

#define BIT(dtype) (1 << (dtype))

/* C types by the set of dtypes that they fit; a type of one dtype comes before types of several. */
static const struct c_type {
    int fits;
    const char *name;
} c_types[] = {
    {BIT(TY_BOOL), "bool"},
    {BIT(TY_I8), "int8_t"},
    {BIT(TY_U8) | BIT(TY_BOOL), "uint8_t"},
    {BIT(TY_U8) | BIT(TY_I8) | BIT(TY_BOOL), "char"},
    {BIT(TY_I16), "int16_t"},
    {BIT(TY_U16) | BIT(TY_F16) | BIT(TY_BF16), "uint16_t"},
    {BIT(TY_I32), "int32_t"},
    {BIT(TY_U32), "uint32_t"},
    {BIT(TY_I64), "int64_t"},
    {BIT(TY_U64), "uint64_t"},
    {BIT(TY_F32), "float"},
    {BIT(TY_F64), "double"},
    {BIT(TY_C64), "float _Complex"},
    {BIT(TY_C128), "double _Complex"},
    {BIT(TY_F16), "_Float16"},
    {BIT(TY_BF16), "__bf16"},
};
enum { C_TYPES = sizeof c_types / sizeof *c_types };

/* Return the name of the C type that fits the dtypes of a set. */
static const char *type_of_set(int fits) {
    for (int i = 0; i < C_TYPES; i++)
        if (c_types[i].fits == fits) return c_types[i].name;
    return "an unknown one";
}

/* Return the name of the first C type that fits a dtype: of one for storage, bytes. */
static const char *type_of_dtype(ty_dtype dtype) {
    int i = 0;
    if (dtype_stored(dtype)) dtype = TY_U8;
    while (!(c_types[i].fits & BIT(dtype))) i++;
    return c_types[i].name;
}

ty_dtype ty_dtype_for(ty_dtype dtype, int fits) {
    int wanted = dtype_stored(dtype) ? TY_U8 : (int)dtype;
    if (!dtype_known(dtype) || (fits & BIT(wanted)) || (fits & BYTES)) return dtype;
    return (ty_dtype)(REFUSED | (int)dtype << DTYPE_BIT | (fits & SET));
}

void dtype_refusal(char *words, size_t room, int dtype) {
    ty_dtype wanted = (ty_dtype)((dtype & ~REFUSED) >> DTYPE_BIT);
    if (dtype > 0 && (dtype & REFUSED) && dtype_known(wanted))
        text_print(
            words, room,
            "the C type of the data is %s; expected %s for dtype %s, or (void *) data to skip the check",
            type_of_set(dtype & SET), type_of_dtype(wanted), ty_dtype_name(wanted));
    else if (dtype_stored((ty_dtype)dtype))
        text_print(words, room, "%s is for storage alone; use another dtype, and cast the result (ty_cast)",
                   ty_dtype_name((ty_dtype)dtype));
    else
        text_print(words, room, "unknown dtype %d", dtype);
}
