/* Conversion of dtypes, also from and to strings. */
#include <math.h>
#include <stdlib.h>
#include <tyto/create.h>
#include "array/decimal.h"
#include "ops/core/storage.h"
#include "array/number_read.h"
#include "onnx/ops/rows.h"
#include "onnx/ops/text/words.h"

/* Convert x by the attributes saturate and round_mode.  Beyond the range, integers of 4 and 2 bits keep low bits. */
static ty_tensor *narrowed(struct onnx_call *call, ty_tensor *x, ty_dtype dtype) {
    static const char *const modes[] = {"up", "down", "nearest", NULL};
    int mode = onnx_word(call, "round_mode", "up", modes);
    ty_cast_options o = {.overflows = !onnx_int(call, "saturate", 1), .scale = (ty_scale_rounding)mode};
    if (call->fault->set) return onnx_failed(call);
    if (dtype_stored_integer(dtype)) x = ty_cast(x, TY_I32);
    return ty_cast_by(x, dtype, o);
}

/* ---- strings ---- */

/* Longest text of a number: sign, 17 digits, point, exponent of three digits and its sign. */
enum { MOST_TEXT = 32 };

/* Write the shortest digits that read back as x, as Python does: with an exponent below 1e-4 and from 1e16 on. */
static size_t write_real(ty_dtype dtype, double x, char *out) {
    struct decimal d;
    if (isnan(x)) return (size_t)text_print(out, MOST_TEXT, "nan");
    if (isinf(x)) return (size_t)text_print(out, MOST_TEXT, x < 0 ? "-inf" : "inf");
    decimal_unique(&d, dtype, x, 0, DECIMAL_MOST, false);
    int point = d.exponent + 1; /* digits before the point */
    const char *sign = d.negative ? "-" : "", *digits = d.digits;
    if (point < -3 || point > 16)
        return (size_t)text_print(out, MOST_TEXT, "%s%c%s%.*se%s%02d", sign, digits[0],
                                  d.count > 1 ? "." : "", d.count - 1, digits + 1, d.exponent < 0 ? "-" : "+",
                                  abs(d.exponent));
    if (point <= 0)
        return (size_t)text_print(out, MOST_TEXT, "%s0.%.*s%.*s", sign, -point, "000", d.count, digits);
    if (point >= d.count)
        return (size_t)text_print(out, MOST_TEXT, "%s%.*s%.*s.0", sign, d.count, digits, point - d.count,
                                  "0000000000000000");
    return (size_t)text_print(out, MOST_TEXT, "%s%.*s.%.*s", sign, point, digits, d.count - point,
                              digits + point);
}
/* Give the elements of x as text. */
static bool to_strings(struct onnx_call *call, ty_tensor *x) {
    ty_dtype dtype = dtype_widened(ty_dtype_of(x));
    x = ty_cast(x, dtype);
    int n;
    bool real = is_floating(dtype);
    const double *reals = real ? onnx_known_reals_of(call, x, &n) : NULL;
    const int64_t *ints = real ? NULL : onnx_known_ints_of(call, x, &n);
    struct wire_bytes *out = reals || ints ? onnx_memory(call, n, sizeof *out) : NULL;
    char *text = out ? onnx_memory(call, n, MOST_TEXT) : NULL;
    for (int i = 0; i < n && text; i++, text += MOST_TEXT) {
        size_t size = real               ? write_real(dtype, reals[i], text)
                      : dtype == TY_BOOL ? (size_t)text_print(text, MOST_TEXT, ints[i] ? "True" : "False")
                      : dtype == TY_U64
                          ? (size_t)text_print(text, MOST_TEXT, "%llu", (unsigned long long)ints[i])
                          : (size_t)text_print(text, MOST_TEXT, "%lld", (long long)ints[i]);
        out[i] = (struct wire_bytes){(const uint8_t *)text, size};
    }
    return text && onnx_output_strings(call, 0, ty_rank(x), ty_shape(x), out);
}
/* Give the numbers of strings, of a dtype. */
static bool from_strings(struct onnx_call *call, ty_dtype dtype) {
    const struct onnx_strings *x = onnx_strings(call, 0);
    bool real = is_floating(dtype_widened(dtype));
    double *reals = x ? onnx_memory(call, x->n, sizeof *reals) : NULL;
    int64_t *ints = x ? onnx_memory(call, x->n, sizeof *ints) : NULL;
    for (int64_t i = 0; reals && ints && i < x->n; i++) {
        struct wire_bytes s = x->items[i];
        struct number number;
        while (s.n && is_blank(s.at[s.n - 1])) s.n--;
        while (s.n && is_blank(*s.at)) s.at++, s.n--;
        if (!s.n || number_read((const char *)s.at, s.n, &number) != s.n)
            return onnx_refuse(call, E_DOMAIN, "string %lld is no number", (long long)i);
        reals[i] = number.value;
        uint64_t bits = number.negative ? 0 - number.size : number.size;
        ints[i] = number.whole                ? (int64_t)bits
                  : fabs(number.value) < 9e18 ? (int64_t)number.value
                                              : INT64_MAX;
    }
    return reals && ints &&
           onnx_output(
               call, 0,
               narrowed(call, ty_from(real ? TY_F64 : TY_I64, x->rank, x->shape, real ? (void *)reals : ints),
                        dtype));
}

/* ---- dtypes ---- */

/* Convert input 0 to the element type of ONNX of this number. */
static bool convert(struct onnx_call *call, int64_t type) {
    bool strings = call->ninputs && call->inputs[0].kind == ONNX_STRINGS;
    if (type == PROTO_STRING)
        return strings ? onnx_output_value(call, 0, call->inputs[0]) : to_strings(call, onnx_input(call, 0));
    ty_dtype dtype = onnx_dtype_of(type);
    if (dtype == TY_DTYPES)
        return onnx_refuse(call, E_UNSUPPORTED, "elements of the type %s (%lld) are not supported",
                           onnx_type_words(type), (long long)type);
    return strings ? from_strings(call, dtype)
                   : onnx_output(call, 0, narrowed(call, onnx_input(call, 0), dtype));
}
bool onnx_op_cast(struct onnx_call *call) {
    if (!onnx_attribute(call, "to")) return onnx_refuse(call, E_ARGUMENT, "has no attribute to");
    return convert(call, onnx_int(call, "to", 0));
}
/* Opsets 1 to 5 name the type. */
bool onnx_op_cast_name(struct onnx_call *call) {
    const char *name = onnx_text(call, "to", "");
    int type = PROTO_FLOAT;
    while (type < PROTO_BFLOAT16 && strcmp(onnx_type_words(type), name)) type++;
    return convert(call, strcmp(onnx_type_words(type), name) ? 0 : type);
}
bool onnx_op_cast_like(struct onnx_call *call) {
    if (call->ninputs > 1 && call->inputs[1].kind == ONNX_STRINGS) return convert(call, PROTO_STRING);
    return convert(call, onnx_type_of(ty_dtype_of(onnx_input(call, 1))));
}
