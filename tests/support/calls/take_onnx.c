/* Models in ONNX's format, and their values. */
#include <string.h>
#include "tests/onnx/pieces.h"
#include "tests/support/calls/take.h"
#include "tests/support/wire_text.h"

/* Two inputs and outputs, as many as the usual length of arrays; a parameter, and metadata of the usual key. */
static const char usual_model[] =
    MODEL_OF(OPSET_OF("", 21) "14{1'a'2'b'}",
             IN("x", 1, SYMBOL("n") SYMBOL("m")) IN("y", 1, SYMBOL("n") SYMBOL("m")) OUT("p", 1) OUT("q", 1)
                 F32("w", "1=1 ", "4%2") NODE("Add", I("x") I("y") O("p")) NODE("Mul", I("x") I("w") O("q")));
/* An operator that no library has. */
static const char lacking_model[] = MODEL(X Y NODE("None", I("x") O("y")));
/* A sequence of one tensor, f32[2], as SequenceProto. */
static const char usual_sequence[] = "2=1 3{1=2 2=1 4%1 4%2}";

/* Return the message that `text` describes, which is freed after the call; c->bytes becomes its length. */
static char *message(struct calls *c, const char *text) {
    struct wire w = wire_text(text);
    char *bytes = calls_room(c, w.n);
    memcpy(bytes, w.bytes, w.n);
    c->bytes = w.n;
    wire_drop(&w);
    return bytes;
}

TAKE(onnx_bytes, const void *) {
    (void)name;
    char *bytes = message(c, strstr(c->function, "value") ? usual_sequence : usual_model);
    if (calls_choose(c, 4) == 3)
        bytes[(size_t)calls_choose(c, 256) % c->bytes] ^= (char)(1 + calls_choose(c, 255));
    return bytes;
}

TAKE(ty_onnx_kind, ty_onnx_kind) {
    (void)name;
    return (ty_onnx_kind)((take_enumerator(c, TY_ONNX_MAP + 2) + (int64_t)TY_ONNX_SEQUENCE) %
                          (TY_ONNX_MAP + 2));
}

TAKE(ty_onnx_options, ty_onnx_options) {
    (void)name;
    return (ty_onnx_options){.eager = calls_choose(c, 2)};
}

/* ---- handles ---- */

TAKE(owned_ty_onnx_p, ty_onnx *) {
    int way = calls_refusal(c, 4);
    if (way == 4) return ty_onnx_load("/nonexistent/a.onnx", (ty_onnx_options){0});
    const char *bytes =
        message(c, way == 3 || strcmp(c->function, "ty_onnx_lack") == 0 ? lacking_model : usual_model);
    return ty_onnx_parse(bytes,
                         way == 1   ? 3
                         : way == 2 ? c->bytes - 1
                                    : c->bytes,
                         take_ty_onnx_options(c, name));
}
HANDLE(ty_onnx_p, ty_onnx, ty_onnx_free)

/* Return an array of two strings. */
static ty_onnx_value *strings(void) {
    return ty_onnx_value_strings(1, (int64_t[]){2}, (const char *const[]){"a", ""}, NULL);
}
/* Functions of strings get strings, ty_onnx_value_item a list, and the others a tensor, unless a byte chooses. */
TAKE(owned_ty_onnx_value_p, ty_onnx_value *) {
    int way = calls_refusal(c, 3),
        usual = strstr(c->function, "value_text") || strstr(c->function, "value_shape") ? 1
                : strstr(c->function, "value_item")                                     ? 2
                                                                                        : 0;
    (void)name;
    if (way == 1) return ty_onnx_value_new(ty_poison("none"));
    if (way == 2) return ty_onnx_value_parse(TY_ONNX_TENSOR, "?", 1);
    if (way == 3) return ty_onnx_value_list(TY_ONNX_TENSOR, 0, NULL);
    usual = (usual + calls_choose(c, 3)) % 3;
    if (!usual) return ty_onnx_value_new(calls_tensor(c, ""));
    ty_onnx_value *words = strings();
    if (usual == 1) return words;
    ty_onnx_value *list = ty_onnx_value_list(TY_ONNX_MAP, 2, (ty_onnx_value *[]){words, words});
    ty_onnx_value_free(words);
    return list;
}
HANDLE(ty_onnx_value_p, ty_onnx_value, ty_onnx_value_free)

TAKE(ty_onnx_value_pc_p, ty_onnx_value *const *) {
    size_t n = calls_elements(c);
    ty_onnx_value **values = calls_room(c, n * sizeof(ty_onnx_value *)), *one = take_ty_onnx_value_p(c, name);
    for (size_t i = 0; i < n; i++) values[i] = calls_choose(c, 32) == 31 ? NULL : one;
    return values;
}
TAKE(c_ty_onnx_value_pc_p, const ty_onnx_value *const *) {
    return (const ty_onnx_value *const *)take_ty_onnx_value_pc_p(c, name);
}

/* Free the values of a NULL-terminated array. */
static void end_values(void *values) {
    for (ty_onnx_value **value = values; *value; value++) ty_onnx_value_free(*value);
}
TAKE(ty_onnx_value_p_p, ty_onnx_value **) {
    (void)name;
    return calls_own(c, calls_room(c, (calls_elements(c) + 1) * sizeof(ty_onnx_value *)), end_values);
}

/* ---- arrays of strings ---- */

/* Sizes, whose product counts the next arrays; a shape of more elements than these may have fits no memory. */
TAKE(onnx_shape, const int64_t *) {
    size_t rank = calls_elements(c);
    int64_t *shape = (int64_t *)take_c_int64_t_p(c, name), n = 1, least = 1;
    for (size_t i = 0; i < rank; i++) {
        if (shape[i] < least) least = shape[i];
        n = shape[i] <= 0 ? 0 : n > CALLS_MOST / shape[i] ? CALLS_MOST + 1 : n * shape[i];
    }
    if (least > 0 && n > CALLS_MOST) shape[0] = INT64_MAX;
    c->count = least <= 0 ? least : n > CALLS_MOST ? 0 : n;
    return shape;
}

enum { MOST_TEXT = 3 };

/* One more element than sizes count: an array of no axes has one, also where the shape is NULL. */
TAKE(onnx_texts, const char *const *) {
    static const char text[MOST_TEXT + 1] = "a\0b";
    size_t n = calls_elements(c);
    const char **texts = calls_room(c, (n + 1) * sizeof *texts);
    (void)name;
    for (size_t i = 0; i <= n; i++) texts[i] = calls_choose(c, 32) == 31 ? NULL : text;
    return texts;
}
TAKE(onnx_lengths, const size_t *) {
    size_t n = calls_elements(c), *lengths = calls_room(c, (n + 1) * sizeof *lengths);
    (void)name;
    for (size_t i = 0; i <= n; i++) lengths[i] = (size_t)calls_choose(c, MOST_TEXT + 1);
    return lengths;
}

/* Symbols of the usual model, which has two. */
TAKE(onnx_symbols, const char *const *) {
    static const char *const names[] = {"n", "m"};
    size_t n = calls_elements(c);
    const char **symbols = calls_room(c, (n + 1) * sizeof *symbols);
    (void)name;
    for (size_t i = 0; i <= n; i++) symbols[i] = calls_choose(c, 32) == 31 ? NULL : names[i % 2];
    return symbols;
}
TAKE(onnx_sizes, const int64_t *) {
    size_t n = calls_elements(c);
    int64_t *sizes = calls_room(c, (n + 1) * sizeof *sizes);
    (void)name;
    for (size_t i = 0; i <= n; i++) sizes[i] = calls_choose(c, 32) == 31 ? 0 : 1 + calls_choose(c, 4);
    return sizes;
}
