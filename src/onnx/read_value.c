/* Values in messages: sequences, optionals and maps of onnx-data.proto. */
#include "onnx/value.h"
#include "array/tensor.h"
#include <tyto/create.h>
#include <tyto/shape.h>

struct reading {
    struct arena *arena;
    struct fault *fault;
};

static bool read_sequence(struct reading *r, const struct proto_sequence *s, struct onnx_value *out);
static bool read_map(struct reading *r, const struct proto_map *m, struct onnx_value *out);
static bool read_optional(struct reading *r, const struct proto_optional *o, struct onnx_value *out);

static bool read_tensor(struct reading *r, const struct proto_tensor *t, struct onnx_value *out) {
    return onnx_read_tensor(t, NULL, r->arena, out, r->fault);
}

static bool make_list(struct reading *r, enum onnx_kind kind, int64_t n, const struct onnx_value *items,
                      struct onnx_value *out) {
    *out = onnx_value_list(r->arena, kind, n, items, r->fault);
    return out->kind == kind;
}

/* A sequence has items of one kind; those of other kinds are empty. */
static bool read_sequence(struct reading *r, const struct proto_sequence *s, struct onnx_value *out) {
    int64_t n = 0, all = s->tensors.n + s->sequences.n + s->maps.n + s->optionals.n;
    struct onnx_value *items = arena_array(r->arena, (size_t)all + 1, sizeof *items);
    if (!items) return fault_memory(r->fault, (size_t)all * sizeof *items);
    bool good = true;
    for (int64_t i = 0; good && i < s->tensors.n; i++)
        good = read_tensor(r, &s->tensors.items[i], &items[n++]);
    for (int64_t i = 0; good && i < s->sequences.n; i++)
        good = read_sequence(r, &s->sequences.items[i], &items[n++]);
    for (int64_t i = 0; good && i < s->maps.n; i++) good = read_map(r, &s->maps.items[i], &items[n++]);
    for (int64_t i = 0; good && i < s->optionals.n; i++)
        good = read_optional(r, &s->optionals.items[i], &items[n++]);
    return good && make_list(r, ONNX_SEQUENCE, n, items, out);
}

/* Make the values of a map, n numbers of one dtype, a vector, as rows expect them; other values stay a sequence. */
static bool join_numbers(struct reading *r, struct onnx_value *values) {
    const struct onnx_list *list = values->list;
    if (!list->n) return true;
    ty_tensor **numbers = arena_array(r->arena, (size_t)list->n, sizeof *numbers);
    if (!numbers) return fault_memory(r->fault, (size_t)list->n * sizeof *numbers);
    for (int64_t i = 0; i < list->n; i++) {
        numbers[i] = list->items[i].kind == ONNX_TENSOR ? list->items[i].tensor : NULL;
        if (!numbers[i] || ty_size(numbers[i]) != 1 || ty_dtype_of(numbers[i]) != ty_dtype_of(numbers[0]))
            return true;
        numbers[i] = ty_reshape(numbers[i], 1, (int64_t[]){1});
    }
    ty_tensor *vector = ty_concat((int)list->n, numbers, 0);
    if (!ty_ok(vector)) return fault_tensor(r->fault, vector);
    *values = onnx_value_tensor(vector);
    return true;
}

static bool read_map(struct reading *r, const struct proto_map *m, struct onnx_value *out) {
    struct onnx_value parts[2] = {{.kind = ONNX_ABSENT}, {.kind = ONNX_ABSENT}};
    if (!m->values) return fault_set(r->fault, E_FORMAT, "a map has no values");
    if (!read_sequence(r, m->values, &parts[1])) return false;
    int64_t n = m->key_type == PROTO_STRING ? m->string_keys.n : m->keys.n;
    if (n != parts[1].list->n)
        return fault_set(r->fault, E_FORMAT, "a map has %lld keys, but %lld values", (long long)n,
                         (long long)parts[1].list->n);
    if (!join_numbers(r, &parts[1])) return false;
    if (m->key_type == PROTO_STRING) {
        parts[0] = onnx_value_strings(r->arena, 1, &n, m->string_keys.items, r->fault);
        if (parts[0].kind != ONNX_STRINGS) return false;
    } else {
        parts[0] = onnx_value_tensor(ty_from(TY_I64, 1, &n, m->keys.items));
        if (!ty_ok(parts[0].tensor)) return fault_tensor(r->fault, parts[0].tensor);
    }
    return make_list(r, ONNX_MAP, 2, parts, out);
}

static bool read_optional(struct reading *r, const struct proto_optional *o, struct onnx_value *out) {
    struct onnx_value item;
    int64_t n = o->tensor || o->sequence || o->map || o->optional;
    bool good = o->tensor     ? read_tensor(r, o->tensor, &item)
                : o->sequence ? read_sequence(r, o->sequence, &item)
                : o->map      ? read_map(r, o->map, &item)
                : o->optional ? read_optional(r, o->optional, &item)
                              : true;
    return good && make_list(r, ONNX_OPTIONAL, n, &item, out);
}

bool onnx_read_value(const char *name, enum onnx_kind kind, struct wire_bytes bytes, struct arena *arena,
                     struct onnx_value *out, struct fault *fault) {
    struct reading r = {arena, fault};
    const struct wire_message *message = kind == ONNX_SEQUENCE   ? &proto_sequence_message
                                         : kind == ONNX_OPTIONAL ? &proto_optional_message
                                         : kind == ONNX_MAP      ? &proto_map_message
                                                                 : &proto_tensor_message;
    void *read = wire_read(name, message, bytes, arena, fault);
    if (!read) return false;
    return kind == ONNX_SEQUENCE   ? read_sequence(&r, read, out)
           : kind == ONNX_OPTIONAL ? read_optional(&r, read, out)
           : kind == ONNX_MAP      ? read_map(&r, read, out)
                                   : read_tensor(&r, read, out);
}
