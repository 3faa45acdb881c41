/* Encoders of ai.onnx.ml: maps between labels, categories and columns. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "onnx/ops/ml/labels.h"
#include "onnx/ops/rows.h"
#include "onnx/ops/text/words.h"

/* ---- lists ---- */

struct labels onnx_labels_read(struct onnx_call *call, const char *floats, const char *ints,
                               const char *strings, const char *tensor) {
    struct labels out = {0, NULL, NULL};
    int n = 0;
    int64_t size;
    if (ints && onnx_attribute(call, ints)) {
        const int64_t *items = onnx_ints(call, ints, &n);
        out.numbers = ty_from(TY_I64, 1, (size = n, &size), items);
    } else if (floats && onnx_attribute(call, floats)) {
        const float *items = onnx_floats(call, floats, &n);
        out.numbers = ty_from(TY_F32, 1, (size = n, &size), items);
    } else if (strings && onnx_attribute(call, strings)) {
        out.strings = onnx_texts(call, strings, &n);
    } else if (tensor && onnx_attribute(call, tensor)) {
        struct onnx_value value = {.kind = ONNX_ABSENT};
        const struct proto_attribute *attribute = onnx_attribute(call, tensor);
        if (!attribute->t || !onnx_read_tensor(attribute->t, NULL, call->arena, &value, call->fault))
            return out;
        if (value.kind == ONNX_STRINGS) return (struct labels){value.strings->n, NULL, value.strings->items};
        return (struct labels){ty_size(value.tensor), ty_ravel(value.tensor), NULL};
    }
    out.n = n;
    return out;
}

/* Find numbers in keys, which are sorted first; NaN finds NaN. */
static ty_tensor *number_places(ty_tensor *x, struct labels keys) {
    ty_tensor *order = ty_argsort(keys.numbers, 0, false), *sorted = ty_gather(keys.numbers, order, 0);
    ty_tensor *at = ty_max(ty_sub(ty_searchsorted(sorted, x, true), ty_int(1)), ty_int(0));
    ty_tensor *key = ty_gather(sorted, at, 0), *found = ty_eq(key, x);
    if (is_floating(ty_dtype_of(key)) && is_floating(ty_dtype_of(x)))
        found = ty_logical_or(found, ty_logical_and(ty_is_nan(key), ty_is_nan(x)));
    return ty_where(found, ty_gather(order, at, 0), ty_int(keys.n));
}
/* Return for each element of input i its place in the keys, i64, the last of equal ones; keys.n if it is not a key. */
static ty_tensor *places_of(struct onnx_call *call, int i, struct labels keys) {
    bool strings = i < call->ninputs && call->inputs[i].kind == ONNX_STRINGS;
    if (keys.n < 1 || keys.n > INT32_MAX || strings != (keys.strings != NULL)) {
        onnx_refuse(call, E_ARGUMENT, "input %d has %s, but there are %lld keys of %s", i,
                    strings ? "strings" : "numbers", (long long)keys.n, keys.strings ? "strings" : "numbers");
        return onnx_failed(call);
    }
    if (!strings) return number_places(onnx_input(call, i), keys);
    const struct onnx_strings *x = onnx_strings(call, i);
    int64_t *places = onnx_memory(call, x->n, sizeof *places);
    if (!places) return onnx_failed(call);
    for (int64_t k = 0; k < x->n; k++) {
        int place = words_find(x->items[k], (int)keys.n, keys.strings);
        places[k] = place < 0 ? keys.n : place;
    }
    return ty_from(TY_I64, x->rank, x->shape, places);
}
bool onnx_labels_give(struct onnx_call *call, int i, struct labels values, struct labels otherwise,
                      ty_tensor *places) {
    int n;
    if (values.numbers) {
        ty_tensor *other = ty_cast(otherwise.numbers, ty_dtype_of(values.numbers));
        ty_tensor *all =
            ty_concat(2, (ty_tensor *[]){values.numbers, ty_reshape(other, 1, (int64_t[]){1})}, 0);
        return onnx_output(call, i, ty_gather(all, places, 0));
    }
    const int64_t *at = onnx_known_ints_of(call, places, &n);
    struct wire_bytes *out = at ? onnx_memory(call, n, sizeof *out) : NULL;
    for (int k = 0; k < n && out; k++)
        out[k] = at[k] < values.n ? values.strings[at[k]] : otherwise.strings[0];
    return out && onnx_output_strings(call, i, ty_rank(places), ty_shape(places), out);
}

/* ---- encoders ---- */

/* A list of one word, whose bytes stay in the file. */
static struct labels one_word(struct onnx_call *call, const char *name, const char *otherwise) {
    const struct proto_attribute *given = onnx_attribute(call, name);
    struct wire_bytes *word = onnx_memory(call, 1, sizeof *word);
    if (word) *word = given ? given->s : words_of(otherwise);
    return (struct labels){1, NULL, word};
}
static struct labels one_number(ty_tensor *x) { return (struct labels){1, x, NULL}; }

/* Return the default of values: that of their type, or a tensor. */
static struct labels default_of(struct onnx_call *call, struct labels values) {
    if (onnx_attribute(call, "default_tensor"))
        return onnx_labels_read(call, NULL, NULL, NULL, "default_tensor");
    if (values.strings) return one_word(call, "default_string", "_Unused");
    if (values.numbers && is_floating(ty_dtype_of(values.numbers)))
        return one_number(ty_num(onnx_float(call, "default_float", -0.0)));
    return one_number(ty_int(onnx_int(call, "default_int64", -1)));
}
bool onnx_op_label_encoder(struct onnx_call *call) {
    struct labels keys = onnx_labels_read(call, "keys_floats", "keys_int64s", "keys_strings", "keys_tensor");
    struct labels values =
        onnx_labels_read(call, "values_floats", "values_int64s", "values_strings", "values_tensor");
    if (keys.n != values.n)
        return onnx_refuse(call, E_SHAPE, "%lld keys and %lld values", (long long)keys.n,
                           (long long)values.n);
    ty_tensor *places = places_of(call, 0, keys);
    return !call->fault->set && onnx_labels_give(call, 0, values, default_of(call, values), places);
}

/* Opset 1: the places of strings in classes_strings, or the strings at places; category mappers name the places. */
static bool mapped(struct onnx_call *call, const char *words, const char *numbers) {
    struct labels strings = onnx_labels_read(call, NULL, NULL, words, NULL);
    struct labels ints = onnx_labels_read(call, NULL, numbers, NULL, NULL);
    if (!ints.numbers) ints = (struct labels){strings.n, ty_iota(TY_I64, 1, &strings.n, 0), NULL};
    if (ints.n != strings.n || !ints.n)
        return onnx_refuse(call, E_SHAPE, "%lld strings and %lld integers", (long long)strings.n,
                           (long long)ints.n);
    bool from_words = call->ninputs && call->inputs[0].kind == ONNX_STRINGS;
    struct labels keys = from_words ? strings : ints, values = from_words ? ints : strings;
    ty_tensor *places = places_of(call, 0, keys);
    return !call->fault->set && onnx_labels_give(call, 0, values, default_of(call, values), places);
}
bool onnx_op_label_encoder_classes(struct onnx_call *call) { return mapped(call, "classes_strings", NULL); }
bool onnx_op_category_mapper(struct onnx_call *call) { return mapped(call, "cats_strings", "cats_int64s"); }

bool onnx_op_one_hot_encoder(struct onnx_call *call) {
    struct labels keys = onnx_labels_read(call, NULL, "cats_int64s", "cats_strings", NULL);
    ty_tensor *places = places_of(call, 0, keys);
    if (!onnx_int(call, "zeros", 1)) {
        int n;
        const int64_t *at = onnx_known_ints_of(call, places, &n);
        for (int i = 0; i < n && at; i++)
            if (at[i] == keys.n) return onnx_refuse(call, E_DOMAIN, "element %d is no category", i);
    }
    return !call->fault->set && onnx_output(call, 0, ty_one_hot(places, keys.n, TY_F32));
}

/* ---- features ---- */

/* Strings of columns: x has `row` elements in the last axis. */
static bool extract_strings(struct onnx_call *call, const struct onnx_strings *x, ty_tensor *index) {
    int n;
    const int64_t *at = onnx_known_ints_of(call, index, &n);
    int64_t row = x->rank ? x->shape[x->rank - 1] : 0, rows = row ? x->n / row : 0, shape[TY_MAX_RANK] = {1};
    if (!row) return onnx_refuse(call, E_SHAPE, "expected strings with one axis or more and elements");
    struct wire_bytes *out = at && rows < INT32_MAX ? onnx_memory(call, rows * n, sizeof *out) : NULL;
    for (int64_t i = 0; i < rows * n && out; i++) {
        if (at[i % n] < 0 || at[i % n] >= row)
            return onnx_refuse(call, E_INDEX, "index %lld; expected 0..%lld", (long long)at[i % n],
                               (long long)row - 1);
        out[i] = x->items[i / n * row + at[i % n]];
    }
    int rank = x->rank == 1 ? 2 : x->rank;
    for (int i = 0; i < x->rank - 1; i++) shape[i] = x->shape[i];
    shape[rank - 1] = n;
    return out && onnx_output_strings(call, 0, rank, shape, out);
}
/* Columns of x, along the last axis; those of a vector are one row. */
bool onnx_op_array_feature_extractor(struct onnx_call *call) {
    ty_tensor *index = ty_ravel(onnx_input(call, 1));
    if (call->ninputs && call->inputs[0].kind == ONNX_STRINGS)
        return extract_strings(call, onnx_strings(call, 0), index);
    ty_tensor *x = onnx_input(call, 0), *y = ty_gather(x, index, ty_rank(x) - 1);
    return onnx_output(call, 0, ty_rank(x) == 1 ? ty_expand(y, 0) : y);
}
bool onnx_op_binarizer(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    return onnx_output(call, 0, ty_cast(ty_gt(x, ty_num(onnx_float(call, "threshold", 0))), ty_dtype_of(x)));
}
/* Replace one value of each column, NaN or a number, by that of the column. */
bool onnx_op_imputer(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    struct labels values = onnx_labels_read(call, "imputed_value_floats", "imputed_value_int64s", NULL, NULL);
    double old = onnx_float(call, "replaced_value_float", 0);
    bool real = is_floating(ty_dtype_of(x));
    if (!values.numbers) return onnx_refuse(call, E_ARGUMENT, "there are no imputed values");
    ty_tensor *missing = real && old != old ? ty_is_nan(x)
                         : real             ? ty_eq(x, ty_cast(ty_num(old), ty_dtype_of(x)))
                                            : ty_eq(x, ty_int(onnx_int(call, "replaced_value_int64", 0)));
    return onnx_output(call, 0, ty_where(missing, ty_cast(values.numbers, ty_dtype_of(x)), x));
}
/* Return (x - offset) scale, in f32. */
bool onnx_op_scaler(struct onnx_call *call) {
    ty_tensor *x = ty_cast(onnx_input(call, 0), TY_F32);
    struct labels offset = onnx_labels_read(call, "offset", NULL, NULL, NULL);
    struct labels scale = onnx_labels_read(call, "scale", NULL, NULL, NULL);
    if (offset.numbers) x = ty_sub(x, offset.numbers);
    return onnx_output(call, 0, scale.numbers ? ty_mul(x, scale.numbers) : x);
}
/* Divide rows by their greatest magnitude, the sum of magnitudes, or the root of the sum of squares. */
bool onnx_op_normalizer(struct onnx_call *call) {
    static const char *const norms[] = {"MAX", "L1", "L2", NULL};
    int which = onnx_word(call, "norm", "MAX", norms);
    static const double orders[] = {INFINITY, 1, 2};
    ty_tensor *x = ty_cast(onnx_input(call, 0), TY_F32);
    ty_tensor *norm = ty_norm(x, orders[which], ty_axes_of(1, (int[]){-1}, true));
    return onnx_output(call, 0, ty_div(x, ty_max(norm, ty_num(1e-30))));
}
/* Join the columns of all inputs, each cut or extended by zeros to its number of columns. */
bool onnx_op_feature_vectorizer(struct onnx_call *call) {
    struct ints columns = ints_attribute(call, "inputdimensions");
    ty_tensor **x = onnx_tensors_from(call, 0);
    if (!x || (columns.items && columns.n != call->ninputs))
        return x && onnx_refuse(call, E_SHAPE, "%d inputdimensions for %d inputs", columns.n, call->ninputs);
    for (int i = 0; i < call->ninputs; i++) {
        x[i] = ty_cast(x[i], TY_F32);
        if (ty_rank(x[i]) == 1) x[i] = ty_expand(x[i], 1);
        if (ty_rank(x[i]) != 2)
            return onnx_refuse(call, E_SHAPE, "input %d has %d axes; expected 1 or 2", i, ty_rank(x[i]));
        ty_padding padding[2] = {{0, 0, 0}, {0, 0, 0}};
        if (columns.items) padding[1].high = columns.items[i] - ty_shape(x[i])[1];
        x[i] = ty_pad(x[i], padding, ty_scalar(TY_F32, 0));
    }
    return onnx_output(call, 0, ty_concat(call->ninputs, x, 1));
}

/* ---- maps ---- */

/* Make each row of x a map from labels to numbers; a vector is one row. */
bool onnx_op_zip_map(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    struct labels keys = onnx_labels_read(call, NULL, "classlabels_int64s", "classlabels_strings", NULL);
    if (ty_rank(x) == 1) x = ty_expand(x, 0);
    if (ty_rank(x) != 2 || ty_shape(x)[1] != keys.n)
        return onnx_refuse(call, E_SHAPE, "%lld labels for an operand of %d axes", (long long)keys.n,
                           ty_rank(x));
    int64_t rows = ty_shape(x)[0];
    struct onnx_value *maps = onnx_memory(call, rows, sizeof *maps), pair[2];
    pair[0] = keys.strings ? onnx_value_strings(call->arena, 1, &keys.n, keys.strings, call->fault)
                           : onnx_value_tensor(keys.numbers);
    for (int64_t i = 0; i < rows && maps; i++) {
        pair[1] = onnx_value_tensor(ty_squeeze(ty_slice(x, 0, i, i + 1, 1), 0));
        maps[i] = onnx_value_list(call->arena, ONNX_MAP, 2, pair, call->fault);
    }
    return maps && !call->fault->set && onnx_output_list(call, 0, ONNX_SEQUENCE, rows, maps);
}
/* Return the keys of a map as a list; its numbers as a vector. */
static struct labels map_keys(const struct onnx_list *map, ty_tensor **numbers) {
    *numbers = map->items[1].kind == ONNX_TENSOR ? map->items[1].tensor : NULL;
    if (map->items[0].kind == ONNX_STRINGS)
        return (struct labels){map->items[0].strings->n, NULL, map->items[0].strings->items};
    return (struct labels){ty_size(map->items[0].tensor), map->items[0].tensor, NULL};
}
/* Return the numbers of a map in the order of a vocabulary, 0 for a key that is missing. */
bool onnx_op_dict_vectorizer(struct onnx_call *call) {
    const struct onnx_list *map = onnx_list(call, 0, ONNX_MAP);
    struct labels words = onnx_labels_read(call, NULL, "int64_vocabulary", "string_vocabulary", NULL);
    ty_tensor *numbers, *places;
    if (!map) return false;
    struct labels keys = map_keys(map, &numbers);
    if (!numbers || (keys.strings == NULL) != (words.strings == NULL) || keys.n > INT32_MAX)
        return onnx_refuse(call, E_DTYPE,
                           "the map and the vocabulary have keys of different types, or no numbers");
    if (words.strings) {
        int64_t *at = onnx_memory(call, words.n, sizeof *at);
        for (int64_t i = 0; i < words.n && at; i++) {
            int place = words_find(words.strings[i], (int)keys.n, keys.strings);
            at[i] = place < 0 ? keys.n : place;
        }
        if (!at) return false;
        places = ty_from(TY_I64, 1, &words.n, at);
    } else {
        places = keys.n ? number_places(words.numbers, keys) : ty_zeros(TY_I64, 1, &words.n);
    }
    struct labels values = {keys.n, numbers, NULL};
    ty_tensor *none = ty_zeros(ty_dtype_of(numbers), 0, NULL);
    return onnx_labels_give(call, 0, values, one_number(none),
                            ty_reshape(places, 2, (int64_t[]){1, words.n}));
}
/* Return the numbers of a map from integers: in the order of its keys, or each at the place that is its key. */
bool onnx_op_cast_map(struct onnx_call *call) {
    static const char *const forms[] = {"DENSE", "SPARSE", NULL}, *const types[] = {"TO_FLOAT", "TO_INT64",
                                                                                    NULL};
    const struct onnx_list *map = onnx_list(call, 0, ONNX_MAP);
    int form = onnx_word(call, "map_form", "DENSE", forms),
        type = onnx_word(call, "cast_to", "TO_FLOAT", types);
    int64_t size = onnx_int(call, "max_map", 1);
    ty_tensor *numbers;
    if (!map) return false;
    struct labels keys = map_keys(map, &numbers);
    if (!numbers || !keys.numbers)
        return onnx_refuse(call, E_DTYPE, "expected a map from integers to numbers");
    ty_tensor *y = ty_gather(numbers, ty_argsort(keys.numbers, 0, false), 0);
    if (form == 1)
        y = ty_scatter(ty_zeros(ty_dtype_of(numbers), 1, &size), keys.numbers, numbers, 0, TY_SCATTER_SET);
    return onnx_output(call, 0, ty_expand(ty_cast(y, type ? TY_I64 : TY_F32), 0));
}
