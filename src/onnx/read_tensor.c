/* Tensors in messages: their elements lie in the file as raw bytes or as numbers, or in another file. */
#include <string.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "ops/core/storage.h"
#include "array/tensor.h"
#include "base/utf8.h"
#include "onnx/outside.h"
#include "onnx/value.h"

/* Check rank and sizes, and compute the number of elements of `size` bytes each. */
static bool read_shape(const struct proto_tensor *t, size_t size, int64_t *n, struct fault *fault) {
    if (t->dims.n > TY_MAX_RANK)
        return fault_set(fault, E_LIMIT, "a tensor has %lld axes, more than %d", (long long)t->dims.n,
                         TY_MAX_RANK);
    for (int64_t i = 0; i < t->dims.n; i++)
        if (t->dims.items[i] < 0)
            return fault_set(fault, E_FORMAT, "a tensor has the size %lld", (long long)t->dims.items[i]);
    if (shape_check((int)t->dims.n, t->dims.items, size, n)) return true;
    return fault_set(fault, E_FORMAT, "the sizes of a tensor exceed memory");
}

/* Convert little-endian elements to the machine's order, in place. */
static void order_bytes(ty_dtype dtype, char *data, size_t n) {
    const uint16_t probe = 1;
    if (*(const uint8_t *)&probe) return;
    size_t width = dtype_table[dtype_table[dtype].real].size;
    for (size_t i = 0; i + width <= n; i += width)
        for (size_t a = i, b = i + width - 1; a < b; a++, b--) {
            char byte = data[a];
            data[a] = data[b], data[b] = byte;
        }
}

/* Copy raw bytes to the elements of x. */
static bool fill_raw(ty_tensor *x, struct wire_bytes raw, struct fault *fault) {
    char *data = tensor_data(x);
    if (raw.n) memcpy(data, raw.at, raw.n);
    order_bytes(x->dtype, data, raw.n);
    for (size_t i = 0; x->dtype == TY_BOOL && i < raw.n; i++)
        if ((uint8_t)data[i] > 1)
            return fault_set(fault, E_FORMAT, "a tensor of BOOL holds the byte %d", data[i]);
    return true;
}

/* Read n numbers of the field of the type; below 8 bits, a number is a byte of several elements. */
static bool fill_numbers(ty_tensor *x, const struct proto_tensor *t, int64_t n, struct fault *fault) {
    struct wire_bytes body = t->base.body;
    void *data = tensor_data(x);
    switch (t->data_type) {
    case PROTO_FLOAT:
        return wire_numbers(body, PROTO_FLOAT_DATA, WIRE_4, n, 4, data, fault);
    case PROTO_COMPLEX64:
        return wire_numbers(body, PROTO_FLOAT_DATA, WIRE_4, 2 * n, 4, data, fault);
    case PROTO_DOUBLE:
        return wire_numbers(body, PROTO_DOUBLE_DATA, WIRE_8, n, 8, data, fault);
    case PROTO_COMPLEX128:
        return wire_numbers(body, PROTO_DOUBLE_DATA, WIRE_8, 2 * n, 8, data, fault);
    case PROTO_INT64:
        return wire_numbers(body, PROTO_INT64_DATA, WIRE_VARINT, n, 8, data, fault);
    case PROTO_UINT32:
    case PROTO_UINT64:
        return wire_numbers(body, PROTO_UINT64_DATA, WIRE_VARINT, n, dtype_table[x->dtype].size, data, fault);
    default:
        break;
    }
    if (!wire_numbers(body, PROTO_INT32_DATA, WIRE_VARINT, n, dtype_table[x->dtype].size, data, fault))
        return false;
    uint8_t *bytes = data;
    for (int64_t i = 0; x->dtype == TY_BOOL && i < n; i++) bytes[i] = bytes[i] != 0;
    return true;
}

/* Read the numbers of a tensor into a new value, which the caller owns; NULL sets the fault. */
static ty_tensor *read_numbers(const struct proto_tensor *t, ty_dtype dtype, const struct wire_bytes *raw,
                               struct fault *fault) {
    int64_t n;
    size_t size = dtype_table[dtype].size;
    if (!read_shape(t, size, &n, fault)) return NULL;
    int64_t bytes = dtype_bytes(dtype, n), numbers = bytes / (int64_t)size;
    if (raw && raw->n != (size_t)bytes) {
        fault_set(fault, E_FORMAT, "a tensor has %zu bytes of raw data, but its shape has %zu", raw->n,
                  (size_t)bytes);
        return NULL;
    }
    if (!raw && (uint64_t)numbers > t->base.body.n) { /* a number takes at least a byte */
        fault_set(fault, E_FORMAT, "a tensor has %lld elements, but no data of this length", (long long)n);
        return NULL;
    }
    ty_tensor *x = tensor_new_value(dtype, (int)t->dims.n, t->dims.items);
    if (!x) fault_memory(fault, (size_t)bytes);
    if (x && (raw ? fill_raw(x, *raw, fault) : fill_numbers(x, t, numbers, fault))) return x;
    tensor_free_one_reference(x);
    return NULL;
}

static bool read_strings(const struct proto_tensor *t, struct arena *arena, struct onnx_value *out,
                         struct fault *fault) {
    int64_t n;
    if (!read_shape(t, sizeof(struct wire_bytes), &n, fault)) return false;
    if (n != t->string_data.n)
        return fault_set(fault, E_FORMAT, "a tensor has %lld strings, but its shape has %lld",
                         (long long)t->string_data.n, (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (!utf8_is((const char *)t->string_data.items[i].at, t->string_data.items[i].n))
            return fault_set(fault, E_FORMAT, "string %lld is not UTF-8", (long long)i);
    *out = onnx_value_strings(arena, (int)t->dims.n, t->dims.items, t->string_data.items, fault);
    return out->kind == ONNX_STRINGS;
}

/* The fields that hold numbers, as bits of wire_base.seen. */
static const uint64_t numbers_fields = 1u << PROTO_FLOAT_DATA | 1u << PROTO_INT32_DATA |
                                       1u << PROTO_INT64_DATA | 1u << PROTO_DOUBLE_DATA |
                                       1u << PROTO_UINT64_DATA;

/* Get the raw bytes of a tensor, which lie in the message or in another file; *has_raw: it has some.  A tensor whose elements
   are in two places is refused: readers would disagree. */
static bool find_raw(const struct proto_tensor *t, struct onnx_outside *outside, struct wire_bytes *raw,
                     bool *has_raw, struct fault *fault) {
    bool numbers = (t->base.seen & numbers_fields) != 0, external = t->data_location == PROTO_EXTERNAL;
    if (t->data_location != PROTO_DEFAULT && !external)
        return fault_set(fault, E_FORMAT, "the data location %lld is unknown", (long long)t->data_location);
    *raw = t->raw_data;
    *has_raw = external || raw->n || (t->base.seen >> PROTO_RAW_DATA & 1 && !numbers);
    if ((numbers && *has_raw) || (external && raw->n))
        return fault_set(fault, E_FORMAT, "a tensor has its elements in two places");
    return !external || outside_find(outside, t, raw, fault);
}

/* Read the message's elements; *name of the tensor is not in the messages. */
static bool read_tensor(const struct proto_tensor *t, struct onnx_outside *outside, struct arena *arena,
                        struct onnx_value *out, struct fault *fault) {
    if (t->base.seen >> PROTO_SEGMENT & 1)
        return fault_set(fault, E_UNSUPPORTED, "a tensor is a segment of another, which is not supported");
    if (t->data_type == PROTO_STRING) return read_strings(t, arena, out, fault);
    ty_dtype dtype = onnx_dtype_of(t->data_type);
    if (dtype == TY_DTYPES)
        return fault_set(fault, E_UNSUPPORTED, "elements of the type %s (%lld) are not supported",
                         onnx_type_words(t->data_type), (long long)t->data_type);
    struct wire_bytes raw;
    bool has_raw;
    if (!find_raw(t, outside, &raw, &has_raw, fault)) return false;
    ty_tensor *x = read_numbers(t, dtype, has_raw ? &raw : NULL, fault);
    if (outside && outside->path) outside_done(outside, raw); /* mapped, here or elsewhere */
    if (x) *out = onnx_value_tensor(tensor_return(x));
    return x != NULL;
}

bool onnx_read_tensor(const struct proto_tensor *tensor, struct onnx_outside *outside, struct arena *arena,
                      struct onnx_value *out, struct fault *fault) {
    struct fault why;
    fault_clear(&why);
    if (read_tensor(tensor, outside, arena, out, &why)) return true;
    const char *name = tensor->name ? tensor->name : "";
    return fault_set(fault, why.code, "tensor \"%.100s\": %s", name, why.text);
}

/* Check that indices of shape [n], or [n, axes], select elements of a dense tensor, one for each of the n values. */
static bool sparse_fits(const struct proto_sparse *sparse, ty_tensor *values, ty_tensor *indices,
                        struct fault *fault) {
    int64_t total = 1, axes = sparse->dims.n, n = ty_size(values);
    bool flat = ty_rank(indices) == 1;
    for (int64_t i = 0; i < axes; i++)
        if (sparse->dims.items[i] < 0 || __builtin_mul_overflow(total, sparse->dims.items[i], &total))
            return fault_set(fault, E_FORMAT, "the sizes of a sparse tensor exceed memory, or are negative");
    if (ty_rank(values) != 1 || (!flat && (ty_rank(indices) != 2 || ty_shape(indices)[1] != axes)) ||
        ty_shape(indices)[0] != n)
        return fault_set(fault, E_FORMAT,
                         "a sparse tensor of %lld axes has %lld values, but indices of another shape",
                         (long long)axes, (long long)n);
    const int64_t *index = ty_data(indices);
    for (int64_t i = 0; i < ty_size(indices); i++) {
        int64_t end = flat ? total : sparse->dims.items[i % axes];
        if (index[i] < 0 || index[i] >= end)
            return fault_set(fault, E_INDEX, "index %lld of a sparse tensor is outside of 0..%lld",
                             (long long)index[i], (long long)end - 1);
    }
    return true;
}

bool onnx_read_sparse(const struct proto_sparse *sparse, struct onnx_outside *outside, struct onnx_value *out,
                      struct fault *fault) {
    struct onnx_value values = {0}, indices = {0};
    struct arena arena = {0};
    if (!sparse->values || !sparse->indices)
        return fault_set(fault, E_FORMAT, "a sparse tensor lacks its values or indices");
    bool read = onnx_read_tensor(sparse->values, outside, &arena, &values, fault) &&
                onnx_read_tensor(sparse->indices, outside, &arena, &indices, fault);
    arena_drop(&arena);
    if (!read) return false;
    if (values.kind != ONNX_TENSOR || indices.kind != ONNX_TENSOR || ty_dtype_of(indices.tensor) != TY_I64)
        return fault_set(fault, E_FORMAT, "a sparse tensor needs numbers and indices of INT64");
    if (sparse->dims.n > TY_MAX_RANK) return fault_set(fault, E_LIMIT, "a sparse tensor has too many axes");
    if (!sparse_fits(sparse, values.tensor, indices.tensor, fault)) return false;
    ty_tensor *zeros = ty_zeros(ty_dtype_of(values.tensor), (int)sparse->dims.n, sparse->dims.items);
    ty_tensor *dense;
    if (ty_rank(indices.tensor) == 1) {
        dense = ty_reshape(ty_put(ty_ravel(zeros), indices.tensor, values.tensor), (int)sparse->dims.n,
                           sparse->dims.items);
    } else {
        dense = ty_scatter_nd(zeros, indices.tensor, values.tensor, TY_SCATTER_SET);
    }
    *out = onnx_value_tensor(dense);
    return ty_ok(dense) || fault_set(fault, code_of_contents(ty_error_code(dense)), "%s", ty_error(dense));
}
