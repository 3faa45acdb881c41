/* Attributes of a call. */
#include <string.h>
#include "base/nearest.h"
#include "onnx/run.h"

static const struct proto_attribute *find(const struct proto_attribute *items, int64_t n, const char *name) {
    for (int64_t i = 0; i < n; i++)
        if (items[i].name && strcmp(items[i].name, name) == 0) return &items[i];
    return NULL;
}

const struct proto_attribute *onnx_attribute(struct onnx_call *call, const char *name) {
    const struct onnx_scope *scope = &call->scope;
    const struct proto_attribute *a = find(scope->node->attributes.items, scope->node->attributes.n, name);
    while (a && a->reference && *a->reference && scope->function) {
        const struct proto_function *function = scope->function;
        name = a->reference;
        scope = scope->outer;
        a = scope ? find(scope->node->attributes.items, scope->node->attributes.n, name) : NULL;
        if (!a) return find(function->defaults.items, function->defaults.n, name);
    }
    return a;
}

/* Return the attribute if it is given; NULL if it is absent or, with the fault set, has another type.  Files of IR version
   1 have no types, so the field that is there decides. */
static const struct proto_attribute *typed(struct onnx_call *call, const char *name,
                                           enum proto_attribute_type type, int field) {
    static const char *const words[] = {"?",       "a float", "an int", "a string", "a tensor",
                                        "a graph", "floats",  "ints",   "strings"};
    const struct proto_attribute *a = onnx_attribute(call, name);
    if (!a) return NULL;
    if (a->type ? a->type == (int64_t)type : a->base.seen >> field & 1) return a;
    onnx_refuse(call, E_DTYPE, "attribute %.60s is of type %lld, but %s is expected", name,
                (long long)a->type, words[type]);
    return NULL;
}

int64_t onnx_int(struct onnx_call *call, const char *name, int64_t otherwise) {
    const struct proto_attribute *a = typed(call, name, PROTO_A_INT, 3);
    return a ? a->i : otherwise;
}

double onnx_float(struct onnx_call *call, const char *name, double otherwise) {
    const struct proto_attribute *a = typed(call, name, PROTO_A_FLOAT, 2);
    return a ? (double)a->f : otherwise;
}

const char *onnx_text(struct onnx_call *call, const char *name, const char *otherwise) {
    const struct proto_attribute *a = typed(call, name, PROTO_A_STRING, 4);
    if (!a) return otherwise;
    char *copy = onnx_memory(call, (int64_t)a->s.n + 1, 1);
    if (!copy) return otherwise;
    if (a->s.n) memcpy(copy, a->s.at, a->s.n);
    return copy;
}

int onnx_word(struct onnx_call *call, const char *name, const char *otherwise, const char *const *words) {
    const char *word = onnx_text(call, name, otherwise);
    struct nearest nearest = {.wanted = word};
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0) return i;
        nearest_offer(&nearest, words[i]);
    }
    char hint[NEAREST_HINT];
    onnx_refuse(call, E_ARGUMENT, "attribute %s is \"%.60s\", which is unknown%s", name, word,
                nearest_hint(&nearest, hint));
    return 0;
}

/* The lists differ in type and field alone. */
#define LIST(function, item, kind, member, field)                                                            \
    const item *function(struct onnx_call *call, const char *name, int *n) {                                 \
        const struct proto_attribute *a = typed(call, name, kind, field);                                    \
        *n = a ? (int)a->member.n : 0;                                                                       \
        static const item none[1];                                                                           \
        return !a ? NULL : a->member.n ? a->member.items : none;                                             \
    }
LIST(onnx_ints, int64_t, PROTO_A_INTS, ints, 8)
LIST(onnx_floats, float, PROTO_A_FLOATS, floats, 7)
LIST(onnx_texts, struct wire_bytes, PROTO_A_STRINGS, strings, 9)

ty_tensor *onnx_tensor(struct onnx_call *call, const char *name) {
    const struct proto_attribute *a = typed(call, name, PROTO_A_TENSOR, 5);
    if (!a || !a->t) return NULL;
    struct onnx_value value;
    struct fault why = {.set = false};
    if (!onnx_read_tensor(a->t, NULL, call->arena, &value, &why)) {
        onnx_refuse(call, why.code, "attribute %s: %s", name, why.text);
        return NULL;
    }
    if (value.kind == ONNX_TENSOR) return value.tensor;
    onnx_refuse(call, E_DTYPE, "attribute %s has strings, but numbers are expected", name);
    return NULL;
}

int onnx_axis_of(struct onnx_call *call, int64_t axis, int rank) {
    if (axis >= -rank && axis < rank) return (int)(axis < 0 ? axis + rank : axis);
    onnx_refuse(call, E_INDEX, "axis %lld is outside of %d axes", (long long)axis, rank);
    return 0;
}

int onnx_axis(struct onnx_call *call, const char *name, int64_t otherwise, const ty_tensor *x) {
    return onnx_axis_of(call, onnx_int(call, name, otherwise), ty_rank(x));
}

ty_dtype onnx_dtype(struct onnx_call *call, const char *name, ty_dtype otherwise) {
    const struct proto_attribute *a = typed(call, name, PROTO_A_INT, 3);
    if (!a) return otherwise;
    ty_dtype dtype = onnx_dtype_of(a->i);
    if (dtype != TY_DTYPES) return dtype;
    onnx_refuse(call, E_UNSUPPORTED, "attribute %s: elements of the type %s (%lld) are not supported", name,
                onnx_type_words(a->i), (long long)a->i);
    return otherwise;
}
