/* Descriptions of networks: JSON to nodes.  Options are read through the tables of the kinds. */
#include "nn/description.h"
#include "base/alloc.h"

#ifndef TY_HAVE_JANSSON
struct description *description_read(const char *what, const char *json, size_t n, struct fault *fault) {
    (void)json, (void)n;
    fault_set(fault, "%s: a description cannot be read: this build is without jansson", what);
    return NULL;
}
#else
#include "array/dtype.h"
#include "base/nearest.h"
#include "io/json.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 10000, DEPTH = 8, MOST_BYTES = 1 << 30 };

struct reader {
    const char *what;
    struct fault *fault;
    struct description *d;
    int node; /* that is read; -1: none */
};

static bool refuse(const struct reader *r, const char *words, const char *more) {
    if (r->node < 0) return fault_set(r->fault, "%s: %s%s", r->what, words, more);
    const struct described_node *node = &r->d->nodes[r->node];
    return fault_set(r->fault, "%s: layer %d%s%s%s: %s%s", r->what, r->node, node->name ? " (" : "",
                     node->name ? node->name : "", node->name ? ")" : "", words, more);
}

/* The same of a text, which is dropped. */
static bool refuse_text(const struct reader *r, struct text *t, const char *more) {
    if (t->failed)
        fault_memory(r->fault, t->length);
    else
        refuse(r, t->data, more);
    text_drop(t);
    return false;
}

/* "`field` is 3.5, expected a whole number" */
static bool unexpected(const struct reader *r, const char *field, const json_t *found, const char *expected) {
    enum { SHOWN = 60 };
    struct text t = {0};
    char *words = found ? json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    text_add(&t, "\"%s\" is ", field);
    text_add_visible(&t, words && strlen(words) <= SHOWN ? words : found ? "something else" : "missing");
    text_add(&t, ", expected %s", expected);
    free(words);
    return refuse_text(r, &t, "");
}

/* ---- options ---- */

static const struct {
    const char *name;
    ty_tensor *(*draw)(ty_place place, double a, double b);
} initialisers[] = {
#define INIT(name, value, doc) {#name, ty_init_##name},
#include <tyto/initialisers.def>
};

static bool read_init(const struct reader *r, const char *field, const json_t *value, ty_init *out) {
    static const char expected[] = "the name of an initialiser, or a list of the name and two numbers";
    const json_t *name = json_is_array(value) ? json_array_get(value, 0) : value;
    const char *words = json_string_value(name);
    size_t n = sizeof initialisers / sizeof *initialisers, i = 0;
    while (words && i < n && strcmp(initialisers[i].name, words) != 0) i++;
    if (!words || i == n) return unexpected(r, field, value, expected);
    *out = (ty_init){initialisers[i].draw, 0, 0};
    for (size_t k = 1; json_is_array(value) && k < json_array_size(value); k++) {
        const json_t *number = json_array_get(value, k);
        if (k > 2 || !json_is_number(number)) return unexpected(r, field, value, expected);
        *(k == 1 ? &out->a : &out->b) = json_number_value(number);
    }
    return true;
}

static bool read_activation(const struct reader *r, const char *field, const json_t *value,
                            ty_activation *out) {
    const char *words = json_string_value(value);
    *out = ty_activation_find(words);
    return *out || unexpected(r, field, value, "the name of an activation, as \"relu\"");
}

static bool read_number(const struct reader *r, const char *field, const json_t *value, ty_option_type type,
                        char *out) {
    if (type == TY_OPTION_INT && json_is_integer(value)) {
        *(int64_t *)(void *)out = json_integer_value(value);
        return true;
    }
    if (type == TY_OPTION_REAL && json_is_number(value)) {
        *(double *)(void *)out = json_number_value(value);
        return true;
    }
    return unexpected(r, field, value, type == TY_OPTION_INT ? "a whole number" : "a number");
}

/* One number for the first, or a list. */
static bool read_numbers(const struct reader *r, const ty_option *o, const json_t *value, char *out) {
    size_t size = o->type == TY_OPTION_INT ? sizeof(int64_t) : sizeof(double),
           most = o->count ? (size_t)o->count : 1;
    if (!json_is_array(value)) return read_number(r, o->name, value, o->type, out);
    if (json_array_size(value) > most)
        return unexpected(r, o->name, value, most == 1 ? "one number" : "fewer numbers");
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!read_number(r, o->name, json_array_get(value, i), o->type, out + i * size)) return false;
    return true;
}

static bool read_option(const struct reader *r, const ty_option *o, const json_t *value, char *options) {
    char *out = options + o->offset;
    switch (o->type) {
    case TY_OPTION_INT:
    case TY_OPTION_REAL:
        return read_numbers(r, o, value, out);
    case TY_OPTION_FLAG:
        *(bool *)(void *)out = json_is_true(value);
        return json_is_boolean(value) || unexpected(r, o->name, value, "true or false");
    case TY_OPTION_ACTIVATION:
        return read_activation(r, o->name, value, (void *)out);
    case TY_OPTION_INIT:
        return read_init(r, o->name, value, (void *)out);
    case TY_OPTION_POINTER:
        break;
    }
    return unexpected(r, o->name, value, "no such field: it is for programs only");
}

static bool is_about_node(const char *key) {
    return !strcmp(key, "layer") || !strcmp(key, "name") || !strcmp(key, "inputs");
}

static bool read_options(const struct reader *r, json_t *object, struct described_node *node) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        struct nearest near = {.wanted = key};
        const ty_option *o = node->kind->options;
        while (o && o->name && strcmp(o->name, key) != 0) nearest_offer(&near, o++->name);
        if (is_about_node(key)) continue;
        if (!o || !o->name) {
            struct text t = {0};
            text_add(&t, "a %s has no option \"", node->kind->name);
            text_add_visible(&t, key);
            text_add(&t, "\"");
            return refuse_text(r, &t, nearest_hint(&near, (char[NEAREST_HINT]){0}));
        }
        if (!read_option(r, o, value, node->options)) return false;
    }
    return true;
}

/* ---- nodes ---- */

static bool read_kind(const struct reader *r, const json_t *object, struct described_node *node) {
    const json_t *value = json_object_get(object, "layer");
    const char *name = json_string_value(value);
    node->kind = ty_layer_kind_find(name);
    if (node->kind) {
        node->options = mem_alloc(node->kind->bytes ? node->kind->bytes : 1);
        return node->options || fault_memory(r->fault, node->kind->bytes);
    }
    if (!name) return unexpected(r, "layer", value, "the name of a kind of layer");
    struct nearest near = {.wanted = name};
    struct text t = {0};
    for (int i = 0; ty_layer_kinds[i]; i++) nearest_offer(&near, ty_layer_kinds[i]->name);
    text_add(&t, "there is no kind of layer \"");
    text_add_visible(&t, name);
    text_add(&t, "\"");
    return refuse_text(r, &t, nearest_hint(&near, (char[NEAREST_HINT]){0}));
}

static bool read_name(const struct reader *r, const json_t *object, struct described_node *node) {
    const json_t *value = json_object_get(object, "name");
    if (!value) return true;
    const char *name = json_string_value(value);
    if (!name || !*name || strlen(name) > 127 || strchr(name, '.'))
        return unexpected(r, "name", value, "1 to 127 bytes without a dot");
    node->name = mem_copy_text(name);
    return node->name || fault_memory(r->fault, strlen(name));
}

/* The number of a name among inputs and nodes.  Nodes without a name are named as the model will name them: by prefix and
   number. */
static bool find_name(const struct reader *r, const char *name, int *number) {
    const struct description *d = r->d;
    for (int i = 0; i < d->ninputs; i++)
        if (!strcmp(d->inputs[i].name, name)) return *number = -1 - i, true;
    for (int i = 0; i < d->nnodes; i++)
        if (d->nodes[i].name && !strcmp(d->nodes[i].name, name)) return *number = i, true;
    return false;
}

static bool read_reference(const struct reader *r, const char *field, const json_t *value, int *number) {
    const char *name = json_string_value(value);
    if (!name) return unexpected(r, field, value, "names of layers or inputs");
    if (find_name(r, name, number)) return true;
    struct nearest near = {.wanted = name};
    struct text t = {0};
    for (int i = 0; i < r->d->ninputs; i++) nearest_offer(&near, r->d->inputs[i].name);
    for (int i = 0; i < r->d->nnodes; i++)
        if (r->d->nodes[i].name) nearest_offer(&near, r->d->nodes[i].name);
    text_add(&t, "\"%s\" names ", field);
    text_add_visible(&t, name);
    text_add(&t, ", which is no input and no layer");
    return refuse_text(r, &t, nearest_hint(&near, (char[NEAREST_HINT]){0}));
}

/* A name or a list of names; of NULL one, `before`. */
static bool read_references(const struct reader *r, const char *field, const json_t *value, int before,
                            int **list, int *n) {
    bool several = json_is_array(value);
    size_t count = several ? json_array_size(value) : 1;
    *list = mem_array(count + 1, sizeof **list);
    if (!*list) return fault_memory(r->fault, count * sizeof **list);
    *n = (int)count;
    if (!value) return **list = before, true;
    if (!count) return unexpected(r, field, value, "at least one name");
    for (size_t i = 0; i < count; i++)
        if (!read_reference(r, field, several ? json_array_get(value, i) : value, &(*list)[i])) return false;
    return true;
}

/* "linear1": what a layer without a name is called by the model, so that others can name it. */
static bool number_nodes(struct reader *r) {
    struct description *d = r->d;
    for (int i = 0; i < d->nnodes; i++) {
        const ty_layer_kind *kind = d->nodes[i].kind;
        const char *prefix = kind->prefix ? kind->prefix : kind->name;
        struct text t = {0};
        int same = 1, number;
        for (int k = 0; k < i; k++) {
            const ty_layer_kind *other = d->nodes[k].kind;
            same += !strcmp(other->prefix ? other->prefix : other->name, prefix);
        }
        if (d->nodes[i].name) continue;
        text_add(&t, "%s%d", prefix, same);
        bool taken = t.data && find_name(r, t.data, &number);
        r->node = i;
        if (taken) refuse(r, "it has no name, and the one that it would get is taken: ", t.data);
        d->nodes[i].name = taken ? NULL : text_take(&t);
        text_drop(&t);
        if (taken) return false;
        if (!d->nodes[i].name) return fault_memory(r->fault, 16);
    }
    return true;
}

static bool check_names(struct reader *r) {
    struct description *d = r->d;
    for (int i = 0; i < d->nnodes; i++) {
        int first;
        r->node = i;
        if (find_name(r, d->nodes[i].name, &first) && first != i)
            return refuse(r, "an input or another layer has its name: ", d->nodes[i].name);
    }
    return true;
}

static bool read_nodes(struct reader *r, json_t *layers) {
    struct description *d = r->d;
    size_t n = json_array_size(layers);
    if (!json_is_array(layers) || !n || n > MOST_NODES)
        return unexpected(r, "layers", layers, "a list of 1 to 10000 layers");
    d->nodes = mem_array(n, sizeof *d->nodes);
    if (!d->nodes) return fault_memory(r->fault, n * sizeof *d->nodes);
    d->nnodes = (int)n;
    for (r->node = 0; r->node < d->nnodes; r->node++) {
        json_t *object = json_array_get(layers, (size_t)r->node);
        struct described_node *node = &d->nodes[r->node];
        d->nnodes = r->node + 1; /* of those behind nothing is known yet */
        if (!json_is_object(object)) return unexpected(r, "it", object, "an object with a field \"layer\"");
        if (!read_name(r, object, node) || !read_kind(r, object, node) || !read_options(r, object, node))
            return false;
        d->nnodes = (int)n;
    }
    if (!number_nodes(r) || !check_names(r)) return false;
    for (r->node = 0; r->node < d->nnodes; r->node++) {
        struct described_node *node = &d->nodes[r->node];
        const json_t *value = json_object_get(json_array_get(layers, (size_t)r->node), "inputs");
        if (!read_references(r, "inputs", value, r->node - 1, &node->inputs, &node->ninputs)) return false;
    }
    r->node = -1;
    return true;
}

/* ---- inputs ---- */

static bool read_shape(const struct reader *r, const char *name, const json_t *value,
                       struct described_input *in) {
    static const char expected[] =
        "a list of sizes without the batch's, or {\"shape\": list, \"dtype\": name}";
    const json_t *list = json_is_object(value) ? json_object_get(value, "shape") : value;
    const char *dtype = json_string_value(json_object_get(value, "dtype"));
    in->dtype = TY_F32;
    if (dtype) {
        int i = 0;
        while (i < TY_DTYPES && strcmp(ty_dtype_name((ty_dtype)i), dtype) != 0) i++;
        if (i == TY_DTYPES) return unexpected(r, name, value, "the name of a dtype, as \"f32\"");
        in->dtype = (ty_dtype)i;
    }
    if (!json_is_array(list) || json_array_size(list) >= TY_MAX_RANK)
        return unexpected(r, name, value, expected);
    in->rank = (int)json_array_size(list);
    for (int i = 0; i < in->rank; i++) {
        const json_t *size = json_array_get(list, (size_t)i);
        in->shape[i] = json_integer_value(size);
        if (!json_is_integer(size) || in->shape[i] < 1) return unexpected(r, name, value, expected);
    }
    return true;
}

static bool read_inputs(struct reader *r, json_t *inputs) {
    struct description *d = r->d;
    const char *key;
    json_t *value;
    size_t n = json_object_size(inputs);
    if (!json_is_object(inputs) || !n || n > TY_MAX_RANK)
        return unexpected(r, "inputs", inputs, "an object of names and shapes");
    d->inputs = mem_array(n, sizeof *d->inputs);
    if (!d->inputs) return fault_memory(r->fault, n * sizeof *d->inputs);
    json_object_foreach(inputs, key, value) {
        struct described_input *in = &d->inputs[d->ninputs++];
        in->name = mem_copy_text(key);
        if (!in->name) return fault_memory(r->fault, strlen(key));
        if (!read_shape(r, key, value, in)) return false;
    }
    return true;
}

static bool read_root(struct reader *r, json_t *root) {
    static const char *const known[] = {"inputs", "layers", "outputs", "name", "doc"};
    const char *key;
    json_t *value;
    struct description *d = r->d;
    if (!json_is_object(root)) return unexpected(r, "it", root, "an object with \"inputs\" and \"layers\"");
    json_object_foreach(root, key, value) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) found = found || !strcmp(known[i], key);
        if (!found) return unexpected(r, key, value, "no such field");
    }
    if (!read_inputs(r, json_object_get(root, "inputs")) || !read_nodes(r, json_object_get(root, "layers")))
        return false;
    if (!read_references(r, "outputs", json_object_get(root, "outputs"), d->nnodes - 1, &d->outputs,
                         &d->noutputs))
        return false;
    return d->noutputs <= TY_MAX_RANK || refuse(r, "it has more than 64 outputs", "");
}

struct description *description_read(const char *what, const char *json, size_t n, struct fault *fault) {
    json_error_t error;
    if (!json_check(what, json, n, DEPTH, MOST_BYTES, fault)) return NULL;
    json_t *root = json_loadb(json, n, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        fault_set(fault, "%s: is not valid JSON: %s, at line %d, column %d", what, error.text, error.line,
                  error.column);
        return NULL;
    }
    struct reader r = {what, fault, mem_alloc(sizeof(struct description)), -1};
    bool done = r.d ? read_root(&r, root) : fault_memory(fault, sizeof *r.d);
    json_decref(root);
    if (done) return r.d;
    description_drop(r.d);
    return NULL;
}
#endif
