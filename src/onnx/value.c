/* Values: lists, strings, types. */
#include "onnx/value.h"
#include <string.h>

const char *onnx_kind_words(enum onnx_kind kind) {
    static const char *const words[ONNX_KINDS] = {"nothing",    "a tensor",    "an array of strings",
                                                  "a sequence", "an optional", "a map"};
    return (unsigned)kind < ONNX_KINDS ? words[kind] : "?";
}

/* ---- lists and strings ---- */

struct onnx_value onnx_value_list(struct arena *arena, enum onnx_kind kind, int64_t n,
                                  const struct onnx_value *items, struct fault *fault) {
    struct onnx_list *list = arena_alloc(arena, sizeof *list);
    struct onnx_value *copies = arena_array(arena, (size_t)n + !n, sizeof *copies);
    if (!list || !copies) {
        fault_memory(fault, (size_t)n * sizeof *copies);
        return (struct onnx_value){.kind = ONNX_ABSENT};
    }
    if (n) memcpy(copies, items, (size_t)n * sizeof *copies);
    *list = (struct onnx_list){n, copies, NULL};
    return (struct onnx_value){.kind = kind, .list = list};
}

/* Return room for twice as many items, with those of the list; NULL without memory. */
static struct onnx_room *room_for(struct arena *arena, const struct onnx_list *list) {
    int64_t capacity = 2 * list->n + 8;
    struct onnx_room *room = arena_alloc(arena, sizeof *room);
    struct onnx_value *items = arena_array(arena, (size_t)capacity, sizeof *items);
    if (!room || !items) return NULL;
    if (list->n) memcpy(items, list->items, (size_t)list->n * sizeof *items);
    *room = (struct onnx_room){list->n, capacity, items};
    return room;
}

struct onnx_value onnx_value_append(struct arena *arena, const struct onnx_list *list,
                                    const struct onnx_value *item, struct fault *fault) {
    struct onnx_room *room = list->room;
    struct onnx_list *longer = arena_alloc(arena, sizeof *longer);
    bool fits = room && room->used == list->n && room->used < room->capacity;
    if (!fits) room = room_for(arena, list);
    if (!longer || !room) {
        fault_memory(fault, (size_t)list->n * sizeof *item);
        return (struct onnx_value){.kind = ONNX_ABSENT};
    }
    room->items[room->used++] = *item;
    *longer = (struct onnx_list){room->used, room->items, room};
    return (struct onnx_value){.kind = ONNX_SEQUENCE, .list = longer};
}

struct onnx_value onnx_value_strings(struct arena *arena, int rank, const int64_t *shape,
                                     const struct wire_bytes *items, struct fault *fault) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= shape[i];
    struct onnx_strings *strings = arena_alloc(arena, sizeof *strings);
    int64_t *sizes = arena_array(arena, (size_t)rank + 1, sizeof *sizes);
    struct wire_bytes *copies = arena_array(arena, (size_t)n + !n, sizeof *copies);
    if (!strings || !sizes || !copies) {
        fault_memory(fault, (size_t)n * sizeof *copies);
        return (struct onnx_value){.kind = ONNX_ABSENT};
    }
    if (rank) memcpy(sizes, shape, (size_t)rank * sizeof *sizes);
    if (n) memcpy(copies, items, (size_t)n * sizeof *copies);
    *strings = (struct onnx_strings){rank, sizes, n, copies};
    return (struct onnx_value){.kind = ONNX_STRINGS, .strings = strings};
}

bool onnx_value_map(struct arena *arena, const struct onnx_value *value,
                    ty_tensor *(*f)(void *context, ty_tensor *x), void *context, struct onnx_value *out) {
    *out = *value;
    if (value->kind == ONNX_TENSOR && value->list) return true;
    if (value->kind == ONNX_TENSOR) return (out->tensor = f(context, value->tensor)) != NULL;
    if (!value->list) return true;
    int64_t n = value->list->n;
    struct onnx_list *list = arena_alloc(arena, sizeof *list);
    struct onnx_value *items = arena_array(arena, (size_t)n + 1, sizeof *items);
    if (!list || !items) return false;
    for (int64_t i = 0; i < n; i++)
        if (!onnx_value_map(arena, &value->list->items[i], f, context, &items[i])) return false;
    *list = (struct onnx_list){n, items, NULL};
    out->list = list;
    return true;
}

/* ---- types ---- */

static const struct {
    const char *name;
    ty_dtype dtype;
} types[] = {
    [PROTO_FLOAT] = {"FLOAT", TY_F32},
    [PROTO_UINT8] = {"UINT8", TY_U8},
    [PROTO_INT8] = {"INT8", TY_I8},
    [PROTO_UINT16] = {"UINT16", TY_U16},
    [PROTO_INT16] = {"INT16", TY_I16},
    [PROTO_INT32] = {"INT32", TY_I32},
    [PROTO_INT64] = {"INT64", TY_I64},
    [PROTO_STRING] = {"STRING", TY_DTYPES},
    [PROTO_BOOL] = {"BOOL", TY_BOOL},
    [PROTO_FLOAT16] = {"FLOAT16", TY_F16},
    [PROTO_DOUBLE] = {"DOUBLE", TY_F64},
    [PROTO_UINT32] = {"UINT32", TY_U32},
    [PROTO_UINT64] = {"UINT64", TY_U64},
    [PROTO_COMPLEX64] = {"COMPLEX64", TY_C64},
    [PROTO_COMPLEX128] = {"COMPLEX128", TY_C128},
    [PROTO_BFLOAT16] = {"BFLOAT16", TY_BF16},
    [PROTO_FLOAT8E4M3FN] = {"FLOAT8E4M3FN", TY_F8_E4M3FN},
    [PROTO_FLOAT8E4M3FNUZ] = {"FLOAT8E4M3FNUZ", TY_F8_E4M3FNUZ},
    [PROTO_FLOAT8E5M2] = {"FLOAT8E5M2", TY_F8_E5M2},
    [PROTO_FLOAT8E5M2FNUZ] = {"FLOAT8E5M2FNUZ", TY_F8_E5M2FNUZ},
    [PROTO_UINT4] = {"UINT4", TY_U4},
    [PROTO_INT4] = {"INT4", TY_I4},
    [PROTO_FLOAT4E2M1] = {"FLOAT4E2M1", TY_F4_E2M1},
    [PROTO_FLOAT8E8M0] = {"FLOAT8E8M0", TY_F8_E8M0},
    [PROTO_UINT2] = {"UINT2", TY_U2},
    [PROTO_INT2] = {"INT2", TY_I2},
    [PROTO_FLOAT6E2M3] = {"FLOAT6E2M3", TY_DTYPES},
    [PROTO_FLOAT6E3M2] = {"FLOAT6E3M2", TY_DTYPES},
};
enum { TYPES = sizeof types / sizeof *types };

ty_dtype onnx_dtype_of(int64_t type) { return type > 0 && type < TYPES ? types[type].dtype : TY_DTYPES; }

enum proto_type onnx_type_of(ty_dtype dtype) {
    int type = 1;
    while (type < TYPES - 1 && types[type].dtype != dtype) type++;
    return (enum proto_type)type;
}

const char *onnx_type_words(int64_t type) { return type > 0 && type < TYPES ? types[type].name : "?"; }
