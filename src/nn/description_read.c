/* Parser of network descriptions: JSON to nodes. Options are read through the tables of the kinds of
   layers. */
#include "nn/description.h"
#include "base/alloc.h"
#include "base/nearest.h"
#include "io/fields.h"
#include "nn/option.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 10000, DEPTH = 8, MOST_BYTES = 1 << 30 };

/* State of the parser. */
struct description_reader {
    const char *what;
    struct fault *fault;
    struct description *d;
    int node; /* index of the current node; -1: none */
    struct field_reader fields;
};

/* Set the fault to the number and name of the present layer, if any, then words and `more`; always return
   false. */
static bool refuse(const struct description_reader *r, ty_code code, const char *words, const char *more) {
    if (r->node < 0) return fault_set(r->fault, code, "%s: %s%s", r->what, words, more);
    const struct described_node *node = &r->d->nodes[r->node];
    return fault_set(r->fault, code, "%s: layer %d%s%s%s: %s%s", r->what, r->node, node->name ? " (" : "",
                     node->name ? node->name : "", node->name ? ")" : "", words, more);
}

/* Set the fault from the message in t, followed by `more`, and free t; always return false. */
static bool refuse_text(const struct description_reader *r, struct text *t, const char *more) {
    if (t->failed)
        fault_memory(r->fault, t->length);
    else
        refuse(r, E_FORMAT, t->data, more);
    text_drop(t);
    return false;
}

static void refuse_field(void *r, ty_code code, const char *reason) { refuse(r, code, reason, ""); }

/* ---- options ---- */

static const struct {
    const char *name;
    ty_tensor *(*draw)(const ty_place *place, double a, double b);
} initialisers[] = {
#define INIT(name, value, doc) {#name, ty_init_##name},
#include <tyto/tables/initialisers.def>
};

static const char *init_name(int i) {
    return i < (int)(sizeof initialisers / sizeof *initialisers) ? initialisers[i].name : NULL;
}

/* Read one of the names that named(i) returns, and store its number in *i. False sets the fault. */
static bool read_named(const struct description_reader *r, const char *field, const struct json *value,
                       const char *(*named)(int i), int *i) {
    struct field f = {.name = field, .type = FIELD_NAME, .size = sizeof *i, .named = named};
    return field_read(&r->fields, &f, value, i);
}

/* Read an initialiser, a name or a list of a name and up to two numbers, into *out. False sets the fault;
   `field` names the value in messages. */
static bool read_init(const struct description_reader *r, const char *field, const struct json *value,
                      ty_init *out) {
    bool list = json_is(value, JSON_LIST);
    int i;
    if (!read_named(r, field, list ? json_at(value, 0) : value, init_name, &i)) return false;
    *out = (ty_init){initialisers[i].draw, 0, 0};
    for (size_t k = 1; list && k < json_count(value); k++)
        if (k > 2 || !json_number(json_at(value, k), k == 1 ? &out->a : &out->b))
            return field_unexpected(&r->fields, field, value, "the name of an initialiser and two numbers");
    return true;
}

static bool read_activation(const struct description_reader *r, const char *field, const struct json *value,
                            ty_activation *out) {
    int i;
    if (!read_named(r, field, value, activation_listed, &i)) return false;
    *out = ty_activation_named(activation_listed(i));
    return true;
}

/* Read the value of option o into its field of options: a JSON list into an array, one number into its first element.
   False sets the fault. */
static bool read_option(const struct description_reader *r, const ty_option *o, const struct json *value,
                        char *options) {
    struct field f = option_field(o);
    char *out = options + o->offset, expected[64] = "one number";
    bool list = json_is(value, JSON_LIST) && f.type != FIELD_FLAG;
    size_t most = (size_t)f.most, n = list ? json_count(value) : 1;
    if (o->type == TY_OPTION_ACTIVATION) return read_activation(r, o->name, value, (void *)out);
    if (o->type == TY_OPTION_INIT) return read_init(r, o->name, value, (void *)out);
    if (f.type == FIELD_OTHER)
        return field_unexpected(&r->fields, o->name, value, "no such field: it is for programs only");
    if (most > 1) text_print(expected, sizeof expected, "a list of up to %d", f.most);
    if (n > most) return field_unexpected(&r->fields, o->name, value, expected);
    for (size_t i = 0; i < n; i++) {
        const struct json *item = list ? json_at(value, i) : value;
        if (!field_read(&r->fields, &f, item, out + i * f.size)) return false;
    }
    return true;
}

static bool is_about_node(const char *key) {
    return !strcmp(key, "layer") || !strcmp(key, "name") || !strcmp(key, "inputs");
}

/* Read all fields of a layer's object that are not about the node as options of its kind into
   node->options. False sets the fault. */
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

/* Read the field "layer" of the object, set node->kind and allocate node->options, all zeros. False sets
   the fault. */
static bool read_kind(const struct description_reader *r, const struct json *object,
                      struct described_node *node) {
    const struct json *value = json_get(object, "layer");
    const char *name = json_text(value);
    node->kind = ty_layer_kind_named(name);
    if (node->kind) {
        node->options = mem_alloc(node->kind->bytes ? node->kind->bytes : 1);
        return node->options || fault_memory(r->fault, node->kind->bytes);
    }
    if (!name) return field_unexpected(&r->fields, "layer", value, "the name of a kind of layer");
    struct nearest near = {.wanted = name};
    struct text t = {0};
    for (int i = 0; ty_layer_kinds[i]; i++) nearest_offer(&near, ty_layer_kinds[i]->name);
    text_add(&t, "unknown kind of layer \"");
    text_add_visible(&t, name);
    text_add(&t, "\"");
    return refuse_text(r, &t, nearest_hint(&near, (char[NEAREST_HINT]){0}));
}

/* Copy the field "name" of a layer's object to node->name; a missing name leaves it NULL. False sets the
   fault. */
static bool read_name(const struct description_reader *r, const struct json *object,
                      struct described_node *node) {
    const struct json *value = json_get(object, "name");
    if (!value) return true;
    const char *name = json_text(value);
    if (!name || !*name || strlen(name) > 127 || strchr(name, '.'))
        return field_unexpected(&r->fields, "name", value, "1 to 127 bytes without a dot");
    node->name = mem_copy_text(name);
    return node->name || fault_memory(r->fault, strlen(name));
}

/* Find a name among inputs and nodes and return true, with *number set to -1 - i for input i, or to the
   index of the node; false if there is none. */
static bool find_name(const struct description_reader *r, const char *name, int *number) {
    const struct description *d = r->d;
    for (int i = 0; i < d->ninputs; i++)
        if (!strcmp(d->inputs[i].name, name)) return *number = -1 - i, true;
    for (int i = 0; i < d->nnodes; i++)
        if (d->nodes[i].name && !strcmp(d->nodes[i].name, name)) return *number = i, true;
    return false;
}

/* Read the name of an input or a layer, and set *number to -1 - i for input i, or to the index of the
   layer. False sets the fault; `field` names the list in messages. */
static bool read_reference(const struct description_reader *r, const char *field, const struct json *value,
                           int *number) {
    const char *name = json_text(value);
    if (!name) return field_unexpected(&r->fields, field, value, "names of layers or inputs");
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

/* Read a name or a list of names into the new array *list of *n references as of find_name, which the
   caller frees also on failure. A missing value gives the single reference `before`. False sets the
   fault. */
static bool read_references(const struct description_reader *r, const char *field, const struct json *value,
                            int before, int **list, int *n) {
    bool several = json_is(value, JSON_LIST);
    size_t count = several ? json_count(value) : 1;
    *list = mem_array(count + 1, sizeof **list);
    if (!*list) return fault_memory(r->fault, count * sizeof **list);
    *n = (int)count;
    if (!value) return **list = before, true;
    if (!count) return field_unexpected(&r->fields, field, value, "at least one name");
    for (size_t i = 0; i < count; i++)
        if (!read_reference(r, field, several ? json_at(value, i) : value, &(*list)[i])) return false;
    return true;
}

/* Name nodes without a name as the model would, such as "linear1"; false sets the fault if that name is
   taken, or without memory. */
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
        if (taken) refuse(r, E_FORMAT, "it has no name, and its default name is taken: ", t.data);
        d->nodes[i].name = taken ? NULL : text_take(&t);
        text_drop(&t);
        if (taken) return false;
        if (!d->nodes[i].name) return fault_memory(r->fault, 16);
    }
    return true;
}

/* Check that the names of all inputs and nodes differ; false sets the fault. */
static bool check_names(struct description_reader *r) {
    struct description *d = r->d;
    for (int i = 0; i < d->nnodes; i++) {
        int first;
        r->node = i;
        if (find_name(r, d->nodes[i].name, &first) && first != i)
            return refuse(r, E_FORMAT, "an input or another layer has its name: ", d->nodes[i].name);
    }
    return true;
}

/* Read the list of layers with their names, options and inputs into r->d. False sets the fault. */
static bool read_nodes(struct description_reader *r, const struct json *layers) {
    struct description *d = r->d;
    size_t n = json_count(layers);
    if (!json_is(layers, JSON_LIST) || !n || n > MOST_NODES)
        return field_unexpected(&r->fields, "layers", layers, "a list of 1 to 10000 layers");
    d->nodes = mem_array(n, sizeof *d->nodes);
    if (!d->nodes) return fault_memory(r->fault, n * sizeof *d->nodes);
    d->nnodes = (int)n;
    for (r->node = 0; r->node < d->nnodes; r->node++) {
        const struct json *object = json_at(layers, (size_t)r->node);
        struct described_node *node = &d->nodes[r->node];
        d->nnodes = r->node + 1; /* later nodes are not set yet */
        if (!json_is(object, JSON_OBJECT))
            return field_unexpected(&r->fields, "it", object, "an object with a field \"layer\"");
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

/* Read `value`, the shape without the batch and perhaps the dtype of the input `name`, into *in; f32 by
   default. False sets the fault. */
static bool read_shape(const struct description_reader *r, const char *name, const struct json *value,
                       struct described_input *in) {
    static const char expected[] =
        "a list of sizes without the batch's, or {\"shape\": list, \"dtype\": name}";
    const struct json *list = json_is(value, JSON_OBJECT) ? json_get(value, "shape") : value;
    static const struct field dtype = {.name = "dtype", .type = FIELD_DTYPE, .size = sizeof in->dtype};
    const struct json *named = json_get(value, "dtype");
    in->dtype = TY_F32;
    if (named && !field_read(&r->fields, &dtype, named, &in->dtype)) return false;
    if (!json_is(list, JSON_LIST) || json_count(list) >= TY_MAX_RANK)
        return field_unexpected(&r->fields, name, value, expected);
    in->rank = (int)json_count(list);
    for (int i = 0; i < in->rank; i++) {
        if (!json_integer(json_at(list, (size_t)i), &in->shape[i]) || in->shape[i] < 1)
            return field_unexpected(&r->fields, name, value, expected);
    }
    return true;
}

/* Read the object of inputs, names with shapes, into r->d; false sets the fault. */
static bool read_inputs(struct description_reader *r, const struct json *inputs) {
    struct description *d = r->d;
    size_t n = json_count(inputs);
    if (!json_is(inputs, JSON_OBJECT) || !n || n > TY_MAX_RANK)
        return field_unexpected(&r->fields, "inputs", inputs, "an object of names and shapes");
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

/* Read the whole description, inputs, layers and outputs, into r->d; false sets the fault. */
static bool read_root(struct description_reader *r, const struct json *root) {
    static const char *const known[] = {"inputs", "layers", "?outputs", "?name", "?doc", NULL};
    struct description *d = r->d;
    if (!fields_check(&r->fields, root, known)) return false;
    if (!read_inputs(r, json_get(root, "inputs")) || !read_nodes(r, json_get(root, "layers"))) return false;
    if (!read_references(r, "outputs", json_get(root, "outputs"), d->nnodes - 1, &d->outputs, &d->noutputs))
        return false;
    return d->noutputs <= TY_MAX_RANK || refuse(r, E_LIMIT, "it has more than 64 outputs", "");
}

struct description *description_read(const char *what, const char *json, size_t n, struct fault *fault) {
    struct json *root = json_read(what, "the description", json, n, DEPTH, MOST_BYTES, fault);
    if (!root) return NULL;
    struct description_reader r = {
        .what = what, .fault = fault, .d = mem_alloc(sizeof(struct description)), .node = -1};
    r.fields = (struct field_reader){.refuse = refuse_field, .context = &r};
    bool done = r.d ? read_root(&r, root) : fault_memory(fault, sizeof *r.d);
    mem_free(root);
    if (done) return r.d;
    description_drop(r.d);
    return NULL;
}
