/* Parser of network descriptions: JSON to nodes. Options are read through the tables of the kinds of
   layers. */
#include "nn/description.h"
#include "base/alloc.h"
#include "array/dtype.h"
#include "base/nearest.h"
#include "io/json.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 10000, DEPTH = 8, MOST_BYTES = 1 << 30 };

/* State of the parser. */
struct description_reader {
    const char *what;
    struct fault *fault;
    struct description *d;
    int node; /* index of the current node; -1: none */
};

/* Set the fault: the number and name of the present layer, if any, then words and `more`; always return
   false. */
static bool refuse(const struct description_reader *r, const char *words, const char *more) {
    if (r->node < 0) return fault_set(r->fault, "%s: %s%s", r->what, words, more);
    const struct described_node *node = &r->d->nodes[r->node];
    return fault_set(r->fault, "%s: layer %d%s%s%s: %s%s", r->what, r->node, node->name ? " (" : "",
                     node->name ? node->name : "", node->name ? ")" : "", words, more);
}

/* Set the fault from the message in t, followed by `more`, and free t; always return false. */
static bool refuse_text(const struct description_reader *r, struct text *t, const char *more) {
    if (t->failed)
        fault_memory(r->fault, t->length);
    else
        refuse(r, t->data, more);
    text_drop(t);
    return false;
}

/* Set the fault: "`field` is 3.5, expected a whole number". found is the value; NULL means that it is
   missing. Always return false. */
static bool unexpected(const struct description_reader *r, const char *field, const struct json *found,
                       const char *expected) {
    enum { SHOWN = 60 };
    struct text t = {0};
    char *words = found ? json_shown(found, SHOWN) : NULL;
    text_add(&t, "\"%s\" is ", field);
    text_add_visible(&t, words && *words ? words : found ? "something else" : "missing");
    text_add(&t, ", expected %s", expected);
    mem_free(words);
    return refuse_text(r, &t, "");
}

/* ---- options ---- */

static const struct {
    const char *name;
    ty_tensor *(*draw)(ty_place place, double a, double b);
} initialisers[] = {
#define INIT(name, value, doc) {#name, ty_init_##name},
#include <tyto/tables/initialisers.def>
};

/* Read an initialiser, a name or a list of a name and two numbers, into *out. False sets the fault. */
static bool read_init(const struct description_reader *r, const char *field, const struct json *value,
                      ty_init *out) {
    static const char expected[] = "the name of an initialiser, or a list of the name and two numbers";
    const struct json *name = json_is(value, JSON_LIST) ? json_at(value, 0) : value;
    const char *words = json_text(name);
    size_t n = sizeof initialisers / sizeof *initialisers, i = 0;
    while (words && i < n && strcmp(initialisers[i].name, words) != 0) i++;
    if (!words || i == n) return unexpected(r, field, value, expected);
    *out = (ty_init){initialisers[i].draw, 0, 0};
    for (size_t k = 1; json_is(value, JSON_LIST) && k < json_count(value); k++) {
        const struct json *number = json_at(value, k);
        if (k > 2 || !json_number(number, k == 1 ? &out->a : &out->b))
            return unexpected(r, field, value, expected);
    }
    return true;
}

static bool read_activation(const struct description_reader *r, const char *field, const struct json *value,
                            ty_activation *out) {
    const char *words = json_text(value);
    *out = ty_activation_named(words);
    return *out || unexpected(r, field, value, "the name of an activation, as \"relu\"");
}

static bool read_number(const struct description_reader *r, const char *field, const struct json *value,
                        ty_option_type type, char *out) {
    if (type == TY_OPTION_INT && json_integer(value, (int64_t *)(void *)out)) return true;
    if (type == TY_OPTION_REAL && json_number(value, (double *)(void *)out)) return true;
    return unexpected(r, field, value, type == TY_OPTION_INT ? "a whole number" : "a number");
}

/* Read a JSON list into the array `out` of option o, or one number into its first element; false sets the
   fault. */
static bool read_numbers(const struct description_reader *r, const ty_option *o, const struct json *value,
                         char *out) {
    size_t size = o->type == TY_OPTION_INT ? sizeof(int64_t) : sizeof(double),
           most = o->count ? (size_t)o->count : 1;
    if (!json_is(value, JSON_LIST)) return read_number(r, o->name, value, o->type, out);
    if (json_count(value) > most)
        return unexpected(r, o->name, value, most == 1 ? "one number" : "fewer numbers");
    for (size_t i = 0; i < json_count(value); i++)
        if (!read_number(r, o->name, json_at(value, i), o->type, out + i * size)) return false;
    return true;
}

/* Read the value of option o into its field of options. False sets the fault. */
static bool read_option(const struct description_reader *r, const ty_option *o, const struct json *value,
                        char *options) {
    char *out = options + o->offset;
    switch (o->type) {
    case TY_OPTION_INT:
    case TY_OPTION_REAL:
        return read_numbers(r, o, value, out);
    case TY_OPTION_FLAG:
        *(bool *)(void *)out = json_is(value, JSON_TRUE);
        return json_is_flag(value) || unexpected(r, o->name, value, "true or false");
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

/* Read all other fields of a layer's object as options of its kind. False sets the fault. */
static bool read_options(const struct description_reader *r, const struct json *object,
                         struct described_node *node) {
    for (size_t i = 0; i < json_count(object); i++) {
        const struct json *value = json_at(object, i);
        const char *key = value->key;
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

/* Read the kind of a layer and allocate its options. False sets the fault. */
static bool read_kind(const struct description_reader *r, const struct json *object,
                      struct described_node *node) {
    const struct json *value = json_get(object, "layer");
    const char *name = json_text(value);
    node->kind = ty_layer_kind_named(name);
    if (node->kind) {
        node->options = mem_alloc(node->kind->bytes ? node->kind->bytes : 1);
        return node->options || fault_memory(r->fault, node->kind->bytes);
    }
    if (!name) return unexpected(r, "layer", value, "the name of a kind of layer");
    struct nearest near = {.wanted = name};
    struct text t = {0};
    for (int i = 0; ty_layer_kinds[i]; i++) nearest_offer(&near, ty_layer_kinds[i]->name);
    text_add(&t, "unknown kind of layer \"");
    text_add_visible(&t, name);
    text_add(&t, "\"");
    return refuse_text(r, &t, nearest_hint(&near, (char[NEAREST_HINT]){0}));
}

/* Read the name of a layer, if it has one. False sets the fault. */
static bool read_name(const struct description_reader *r, const struct json *object,
                      struct described_node *node) {
    const struct json *value = json_get(object, "name");
    if (!value) return true;
    const char *name = json_text(value);
    if (!name || !*name || strlen(name) > 127 || strchr(name, '.'))
        return unexpected(r, "name", value, "1 to 127 bytes without a dot");
    node->name = mem_copy_text(name);
    return node->name || fault_memory(r->fault, strlen(name));
}

/* Find a name among inputs and nodes; return false if there is none. *number becomes -1 - i for input i, or
   the index of the node. */
static bool find_name(const struct description_reader *r, const char *name, int *number) {
    const struct description *d = r->d;
    for (int i = 0; i < d->ninputs; i++)
        if (!strcmp(d->inputs[i].name, name)) return *number = -1 - i, true;
    for (int i = 0; i < d->nnodes; i++)
        if (d->nodes[i].name && !strcmp(d->nodes[i].name, name)) return *number = i, true;
    return false;
}

/* Read the name of an input or a layer into *number, as find_name does. False sets the fault. */
static bool read_reference(const struct description_reader *r, const char *field, const struct json *value,
                           int *number) {
    const char *name = json_text(value);
    if (!name) return unexpected(r, field, value, "names of layers or inputs");
    if (find_name(r, name, number)) return true;
    struct nearest near = {.wanted = name};
    struct text t = {0};
    for (int i = 0; i < r->d->ninputs; i++) nearest_offer(&near, r->d->inputs[i].name);
    for (int i = 0; i < r->d->nnodes; i++)
        if (r->d->nodes[i].name) nearest_offer(&near, r->d->nodes[i].name);
    text_add(&t, "\"%s\" names ", field);
    text_add_visible(&t, name);
    text_add(&t, ", which is neither an input nor a layer");
    return refuse_text(r, &t, nearest_hint(&near, (char[NEAREST_HINT]){0}));
}

/* Read a name or a list of names into *list of *n references, which the caller frees also on failure. A
   missing value gives the single reference `before`. False sets the fault. */
static bool read_references(const struct description_reader *r, const char *field, const struct json *value,
                            int before, int **list, int *n) {
    bool several = json_is(value, JSON_LIST);
    size_t count = several ? json_count(value) : 1;
    *list = mem_array(count + 1, sizeof **list);
    if (!*list) return fault_memory(r->fault, count * sizeof **list);
    *n = (int)count;
    if (!value) return **list = before, true;
    if (!count) return unexpected(r, field, value, "at least one name");
    for (size_t i = 0; i < count; i++)
        if (!read_reference(r, field, several ? json_at(value, i) : value, &(*list)[i])) return false;
    return true;
}

/* Give nodes without a name the one that the model would, such as "linear1"; false sets the fault if that
   name is taken. */
static bool number_nodes(struct description_reader *r) {
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
        if (taken) refuse(r, "it has no name, and its default name is taken: ", t.data);
        d->nodes[i].name = taken ? NULL : text_take(&t);
        text_drop(&t);
        if (taken) return false;
        if (!d->nodes[i].name) return fault_memory(r->fault, 16);
    }
    return true;
}

/* Check that all names differ. False sets the fault. */
static bool check_names(struct description_reader *r) {
    struct description *d = r->d;
    for (int i = 0; i < d->nnodes; i++) {
        int first;
        r->node = i;
        if (find_name(r, d->nodes[i].name, &first) && first != i)
            return refuse(r, "an input or another layer has its name: ", d->nodes[i].name);
    }
    return true;
}

/* Read the list of layers. False sets the fault. */
static bool read_nodes(struct description_reader *r, const struct json *layers) {
    struct description *d = r->d;
    size_t n = json_count(layers);
    if (!json_is(layers, JSON_LIST) || !n || n > MOST_NODES)
        return unexpected(r, "layers", layers, "a list of 1 to 10000 layers");
    d->nodes = mem_array(n, sizeof *d->nodes);
    if (!d->nodes) return fault_memory(r->fault, n * sizeof *d->nodes);
    d->nnodes = (int)n;
    for (r->node = 0; r->node < d->nnodes; r->node++) {
        const struct json *object = json_at(layers, (size_t)r->node);
        struct described_node *node = &d->nodes[r->node];
        d->nnodes = r->node + 1; /* later nodes are not set yet */
        if (!json_is(object, JSON_OBJECT))
            return unexpected(r, "it", object, "an object with a field \"layer\"");
        if (!read_name(r, object, node) || !read_kind(r, object, node) || !read_options(r, object, node))
            return false;
        d->nnodes = (int)n;
    }
    if (!number_nodes(r) || !check_names(r)) return false;
    for (r->node = 0; r->node < d->nnodes; r->node++) {
        struct described_node *node = &d->nodes[r->node];
        const struct json *value = json_get(json_at(layers, (size_t)r->node), "inputs");
        if (!read_references(r, "inputs", value, r->node - 1, &node->inputs, &node->ninputs)) return false;
    }
    r->node = -1;
    return true;
}

/* ---- inputs ---- */

/* Read shape and dtype of the input `name` into *in. False sets the fault. */
static bool read_shape(const struct description_reader *r, const char *name, const struct json *value,
                       struct described_input *in) {
    static const char expected[] =
        "a list of sizes without the batch's, or {\"shape\": list, \"dtype\": name}";
    const struct json *list = json_is(value, JSON_OBJECT) ? json_get(value, "shape") : value;
    const char *dtype = json_text(json_get(value, "dtype"));
    in->dtype = TY_F32;
    if (dtype) {
        int i = 0;
        while (i < TY_DTYPES && strcmp(ty_dtype_name((ty_dtype)i), dtype) != 0) i++;
        if (i == TY_DTYPES) return unexpected(r, name, value, "the name of a dtype, as \"f32\"");
        in->dtype = (ty_dtype)i;
    }
    if (!json_is(list, JSON_LIST) || json_count(list) >= TY_MAX_RANK)
        return unexpected(r, name, value, expected);
    in->rank = (int)json_count(list);
    for (int i = 0; i < in->rank; i++) {
        if (!json_integer(json_at(list, (size_t)i), &in->shape[i]) || in->shape[i] < 1)
            return unexpected(r, name, value, expected);
    }
    return true;
}

/* Read the object of inputs. False sets the fault. */
static bool read_inputs(struct description_reader *r, const struct json *inputs) {
    struct description *d = r->d;
    size_t n = json_count(inputs);
    if (!json_is(inputs, JSON_OBJECT) || !n || n > TY_MAX_RANK)
        return unexpected(r, "inputs", inputs, "an object of names and shapes");
    d->inputs = mem_array(n, sizeof *d->inputs);
    if (!d->inputs) return fault_memory(r->fault, n * sizeof *d->inputs);
    for (size_t i = 0; i < n; i++) {
        const struct json *value = json_at(inputs, i);
        const char *key = value->key;
        struct described_input *in = &d->inputs[d->ninputs++];
        in->name = mem_copy_text(key);
        if (!in->name) return fault_memory(r->fault, strlen(key));
        if (!read_shape(r, key, value, in)) return false;
    }
    return true;
}

/* Read the whole description. False sets the fault. */
static bool read_root(struct description_reader *r, const struct json *root) {
    static const char *const known[] = {"inputs", "layers", "outputs", "name", "doc"};
    struct description *d = r->d;
    if (!json_is(root, JSON_OBJECT))
        return unexpected(r, "it", root, "an object with \"inputs\" and \"layers\"");
    for (size_t k = 0; k < root->count; k++) {
        const struct json *value = json_at(root, k);
        const char *key = value->key;
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) found = found || !strcmp(known[i], key);
        if (!found) return unexpected(r, key, value, "no such field");
    }
    if (!read_inputs(r, json_get(root, "inputs")) || !read_nodes(r, json_get(root, "layers"))) return false;
    if (!read_references(r, "outputs", json_get(root, "outputs"), d->nnodes - 1, &d->outputs, &d->noutputs))
        return false;
    return d->noutputs <= TY_MAX_RANK || refuse(r, "it has more than 64 outputs", "");
}

struct description *description_read(const char *what, const char *json, size_t n, struct fault *fault) {
    struct json *root = json_read(what, "the description", json, n, DEPTH, MOST_BYTES, fault);
    if (!root) return NULL;
    struct description_reader r = {what, fault, mem_alloc(sizeof(struct description)), -1};
    bool done = r.d ? read_root(&r, root) : fault_memory(fault, sizeof *r.d);
    mem_free(root);
    if (done) return r.d;
    description_drop(r.d);
    return NULL;
}
