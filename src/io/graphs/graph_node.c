/* Nodes from JSON: recorded by the usual checks of all operators, then compared with the dtype and shape in
   the file. */
#include "base/hash.h"
#include "io/graphs/graph_reading.h"
#include <string.h>
#include <tyto/graph.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "array/location.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "graph/structure.h"
#include "ops/core/result.h"

/* ---- messages ---- */

bool graph_refuse(struct graph_reading *r, ty_code code, const char *format, ...) {
    char reason[512], where[160] = "";
    size_t n = 0;
    va_list args;
    va_start(args, format);
    text_format(reason, sizeof reason, format, args);
    va_end(args);
    if (r->body >= 0) n = (size_t)text_print(where, sizeof where, "body %lld, ", (long long)r->body);
    if (r->op) text_print(where + n, sizeof where - n, "node %lld, %.60s: ", (long long)r->n, r->op);
    text_make_visible(reason);
    text_make_visible(where);
    return fault_set(r->fault, code, "%.300s: %s%s", r->file, where, reason);
}

/* ---- fields ---- */

bool graph_integer(struct graph_reading *r, const char *field, const struct json *value, int64_t low,
                   int64_t high, int64_t *number) {
    struct field f = {.name = field, .type = FIELD_LONG, .size = sizeof *number};
    f.low = (double)low, f.end = (double)high + 1;
    if (high < low) return field_unexpected(&r->fields, field, value, "nothing, as there is none to name");
    return field_read(&r->fields, &f, value, number);
}

bool graph_body_read(void *context, const struct field *f, const struct json *value, void *at) {
    struct graph_reading *r = context;
    int64_t number;
    if (!graph_integer(r, f->name, value, 0, r->nbodies - 1, &number)) return false;
    struct body *b = r->bodies[number];
    memcpy(at, &b, sizeof b);
    memcpy((char *)at + f->size - sizeof b->id, &b->id, sizeof b->id);
    if (r->depth <= r->depths[number]) r->depth = r->depths[number] + 1;
    if (r->body < 0 || r->depth <= GRAPH_DEPTH) return true;
    return graph_refuse(r, E_LIMIT, "bodies are nested deeper than %d", GRAPH_DEPTH);
}

/* Dtype and shape of a node as the file states them. */
struct node_form {
    ty_dtype dtype;
    int rank;
    int64_t shape[TY_MAX_RANK];
};

/* Read dtype, rank and shape of a node into *form; false sets the fault. */
static bool read_form(struct graph_reading *r, const struct json *node, struct node_form *form) {
    const struct json *shape = json_get(node, "shape");
    static const struct field dtype = {.name = "dtype", .type = FIELD_DTYPE, .size = sizeof form->dtype};
    if (!field_read(&r->fields, &dtype, json_get(node, "dtype"), &form->dtype)) return false;
    if (!json_is(shape, JSON_LIST) || json_count(shape) > TY_MAX_RANK)
        return field_unexpected(&r->fields, "shape", shape, "a list of up to 64 sizes");
    form->rank = (int)json_count(shape);
    for (int i = 0; i < form->rank; i++)
        if (!graph_integer(r, "shape", json_at(shape, (size_t)i), 0, INT64_MAX, &form->shape[i]))
            return false;
    return true;
}

static bool is_of_form(const ty_tensor *x, const struct node_form *form) {
    return x->dtype == form->dtype && shape_equal(x->layout.rank, x->layout.shape, form->rank, form->shape);
}

/* ---- values ---- */

/* Return the index, from 0, of the tensor `name` in the archive, by its hash or, after a collision, by
   search; -1 if there is none. No fault is set. */
static int place_of(const struct graph_reading *r, const char *name) {
    const int64_t *found = map_find(&r->places, hash_bytes(name, strlen(name)));
    int place = found ? (int)*found : -1, n = ty_archive_count(r->archive);
    if (place < 0 || !strcmp(ty_archive_name(r->archive, place), name)) return place;
    for (place = 0; place < n && strcmp(ty_archive_name(r->archive, place), name); place++) {
    }
    return place < n ? place : -1;
}

/* Return the stored value of a leaf node, broadcast along axes of size 1 to `form`, owned by the current
   scope; NULL sets the fault. */
static ty_tensor *read_value(struct graph_reading *r, const struct json *node, const struct node_form *form) {
    const struct json *field = json_get(node, "tensor");
    const char *name = json_text(field);
    char words[160];
    if (!name) return field_unexpected(&r->fields, "tensor", field, "the name of a tensor"), NULL;
    int place = place_of(r, name);
    if (place < 0) return graph_refuse(r, E_FORMAT, "unknown tensor \"%.100s\"", name), NULL;
    if (r->held[place] && is_of_form(r->held[place], form)) return r->held[place];
    ty_tensor *x = ty_archive_at(r->archive, place), *value = x;
    if (!ty_ok(x)) return graph_refuse(r, ty_error_code(x), "%s", ty_error(x)), NULL;
    if (x->layout.rank == form->rank && !is_of_form(x, form))
        value = ty_broadcast(x, form->rank, form->shape);
    if (ty_ok(value) && is_of_form(value, form)) return r->held[place] = value;
    graph_refuse(r, E_FORMAT, "tensor \"%.100s\" is %s, and does not have the dtype and shape of the node",
                 name, tensor_describe_into(words, sizeof words, x));
    return NULL;
}

/* Return zeros of `form` for a variable without a stored value and subtract their bytes from r->budget;
   NULL sets the fault. */
static ty_tensor *make_value(struct graph_reading *r, const struct node_form *form) {
    int64_t n;
    uint64_t bytes = 0;
    bool fits = shape_check(form->rank, form->shape, dtype_table[form->dtype].size, &n);
    if (fits) bytes = (uint64_t)dtype_bytes(form->dtype, n);
    if (!fits || bytes > r->budget) {
        graph_refuse(r, E_LIMIT,
                     "a variable without a value exceeds the allowed bytes: if the file is trusted, allow "
                     "more (.most_bytes)");
        return NULL;
    }
    r->budget -= bytes;
    if (!dtype_stored(form->dtype)) return ty_zeros(form->dtype, form->rank, form->shape);
    ty_tensor *x = tensor_return(tensor_new_value(form->dtype, form->rank, form->shape));
    if (ty_ok(x) && bytes) memset(tensor_data(x), 0, (size_t)bytes);
    return x;
}

/* ---- locations ---- */

#define LOCATION "?layer", "?file", "?line"

/* Set *kept to a text of a location, NULL if there is no room for another one.  False, with the fault set, if it is too
   long, or the graph has too many: a file must not fill the room of others. */
static bool read_place(struct graph_reading *r, const char *field, const char *text, const char **kept) {
    enum { LONGEST = 4096, MOST = LOCATION_LAYERS / 4 }; /* of a path; of the texts of a graph */
    bool fresh;
    if (strlen(text) > LONGEST)
        return graph_refuse(r, E_LIMIT, "\"%s\" has %zu bytes; expected at most %d", field, strlen(text),
                            LONGEST);
    *kept = location_read(text, &fresh);
    r->places_read += fresh;
    return r->places_read <= MOST ||
           graph_refuse(r, E_LIMIT, "the graph has more than %d names of layers and files", MOST);
}

/* Read the layer and the source place of a node; what the file does not say stays as it is.  False sets the fault. */
static bool read_location(struct graph_reading *r, const struct json *node, struct location *at) {
    const struct json *layer = json_get(node, "layer"), *file = json_get(node, "file");
    const struct json *line = json_get(node, "line");
    int64_t number = 0;
    if (layer && !json_is(layer, JSON_TEXT)) return field_unexpected(&r->fields, "layer", layer, "a text");
    if (file && !json_is(file, JSON_TEXT)) return field_unexpected(&r->fields, "file", file, "a text");
    if (line && !graph_integer(r, "line", line, 0, INT32_MAX, &number)) return false;
    return (!layer || read_place(r, "layer", json_text(layer), &at->layer)) &&
           (!file || (at->line = (int)number, read_place(r, "file", json_text(file), &at->file)));
}

/* ---- leaves ---- */

/* Return a new variable for a node, with its stored value, else zeros; NULL sets the fault. */
static ty_tensor *read_variable(struct graph_reading *r, const struct json *node) {
    static const char *const fields[] = {"op", "dtype", "shape", "?name", "?tensor", LOCATION, NULL};
    struct node_form form;
    if (!fields_check(&r->fields, node, fields) || !read_form(r, node, &form)) return NULL;
    if (r->body >= 0)
        return graph_refuse(r, E_FORMAT, "the body uses nothing from around it, so it cannot have variables"),
               NULL;
    const char *name = json_text(json_get(node, "name"));
    ty_tensor *value = json_get(node, "tensor") ? read_value(r, node, &form) : make_value(r, &form);
    return value ? ty_var(value, name ? name : "") : NULL;
}

/* Return the stored value of a constant node; NULL sets the fault. */
static ty_tensor *read_constant(struct graph_reading *r, const struct json *node) {
    static const char *const fields[] = {"op", "dtype", "shape", "tensor", "?name", "?weak", LOCATION, NULL};
    struct node_form form;
    if (!fields_check(&r->fields, node, fields) || !read_form(r, node, &form)) return NULL;
    return read_value(r, node, &form);
}

/* Return a new parameter for a node of a subgraph, numbered by r->nparameters; NULL sets the fault. */
static ty_tensor *read_parameter(struct graph_reading *r, const struct json *node) {
    static const char *const fields[] = {"op", "dtype", "shape", "?name", LOCATION, NULL};
    struct node_form form;
    if (!fields_check(&r->fields, node, fields) || !read_form(r, node, &form)) return NULL;
    if (r->body < 0) return graph_refuse(r, E_FORMAT, "only bodies have parameters"), NULL;
    return parameter_new(r->nparameters++, form.dtype, form.rank, form.shape);
}

static const struct {
    const char *name;
    ty_tensor *(*read)(struct graph_reading *r, const struct json *node);
} leaves[] = {{"variable", read_variable}, {"value", read_constant}, {"parameter", read_parameter}};

/* ---- operators ---- */

static bool is_several(const ty_tensor *x) { return x->promise && x->op && x->op->results; }

/* Set *x to the operand of `op` whose node index is `value`. Only `result` accepts a node of several
   results, and constants must hold values. False sets the fault. */
static bool read_operand(struct graph_reading *r, const struct json *value, const struct op *op,
                         ty_tensor **x) {
    int64_t place;
    if (!graph_integer(r, "of", value, 0, r->n - 1, &place)) return false;
    *x = r->nodes[place];
    if (is_several(*x) && op != &op_result)
        return graph_refuse(r, E_FORMAT, "operand %lld has several results; select one by \"result\"",
                            (long long)place);
    return op != &op_constant || !(*x)->promise ||
           graph_refuse(r, E_FORMAT, "a constant must be a promise of a value");
}

/* Read the in->ninputs operands of in->op from the list into inputs[]; false sets the fault, also for
   another number than its arity. */
static bool read_operands(struct graph_reading *r, const struct json *list, struct infer *in,
                          ty_tensor **inputs) {
    bool promises = in->op->lazy || in->ninputs == 0;
    if (in->op->arity >= 0 && in->op->arity != in->ninputs)
        return graph_refuse(r, E_FORMAT, "%d operands; expected %d", in->ninputs, in->op->arity);
    for (int i = 0; i < in->ninputs; i++) {
        if (!read_operand(r, json_at(list, (size_t)i), in->op, &inputs[i])) return false;
        promises = promises || inputs[i]->promise;
    }
    return promises ||
           graph_refuse(r, E_FORMAT, "all its operands are values; reading a graph computes nothing");
}

/* Return the attributes of in->op from a JSON object, which the caller frees (mem_free), and their size in *bytes;
   NULL after a fault. */
static char *read_attributes(struct graph_reading *r, const struct json *object, const struct infer *in,
                             size_t *bytes) {
    const struct attributes *a = in->op->attributes;
    if (!fields_bytes(&r->fields, a, object, in, bytes)) return NULL;
    char *attr = mem_alloc(*bytes + 1);
    if (!attr) fault_memory(r->fault, *bytes);
    if (attr && fields_read(&r->fields, a, object, in, attr)) return attr;
    mem_free(attr);
    return NULL;
}

/* Record the operator in->op with its attributes on in->inputs and return its result; NULL sets the fault,
   also if the result has another dtype or shape than the file says. */
static ty_tensor *record_node(struct graph_reading *r, const struct json *node, struct infer *in) {
    const struct json *attributes = json_get(node, "attributes");
    size_t bytes = 0;
    char *attr = NULL;
    char words[160];
    if (!in->op->attributes != !attributes)
        return graph_refuse(r, E_FORMAT, attributes ? "it has no attributes" : "\"attributes\" are missing"),
               NULL;
    if (attributes && !(attr = read_attributes(r, attributes, in, &bytes))) return NULL;
    ty_tensor *x = record(in->op, attr, bytes, in->ninputs, in->inputs);
    mem_free(attr);
    const struct node_form *form = NULL;
    struct node_form said = {in->dtype, in->rank, {0}};
    memcpy(said.shape, in->shape, sizeof said.shape);
    if (!ty_ok(x)) return graph_refuse(r, ty_error_code(x), "%s", ty_error(x)), NULL;
    if (!x->op->results) form = &said;
    if (form && !is_of_form(x, form))
        return graph_refuse(r, E_FORMAT, "it computes %s, not the dtype and shape in the file",
                            tensor_describe_into(words, sizeof words, x)),
               NULL;
    return x;
}

/* Return the result of recording a node that is an operator; NULL sets the fault. */
static ty_tensor *read_operator(struct graph_reading *r, const struct json *node) {
    static const char *const fields[] = {"op",    "?of",   "?attributes", "?dtype", "?shape",
                                         "?name", "?weak", LOCATION,      NULL};
    const struct json *list = json_get(node, "of");
    struct infer in = {.op = op_find(r->op)};
    struct node_form form = {0};
    if (!in.op || in.op->of_values) return graph_refuse(r, E_FORMAT, "unknown operator"), NULL;
    if (!fields_check(&r->fields, node, fields)) return NULL;
    if (list && !json_is(list, JSON_LIST))
        return field_unexpected(&r->fields, "of", list, "a list of nodes"), NULL;
    if (json_count(list) > INT32_MAX / 2) return graph_refuse(r, E_FORMAT, "too many operands"), NULL;
    if (!in.op->results && !read_form(r, node, &form)) return NULL;
    in.ninputs = (int)json_count(list);
    in.dtype = form.dtype;
    in.rank = form.rank;
    memcpy(in.shape, form.shape, sizeof in.shape);
    ty_tensor **inputs = mem_array((size_t)in.ninputs + 1, sizeof *inputs), *x = NULL;
    in.inputs = inputs;
    if (!inputs)
        fault_memory(r->fault, sizeof *inputs);
    else if (read_operands(r, list, &in, inputs))
        x = record_node(r, node, &in);
    mem_free(inputs);
    return x;
}

/* ---- any node ---- */

/* Set the name of x, and its weak type, as the fields of `node` say; false sets the fault. */
static bool read_marks(struct graph_reading *r, const struct json *node, ty_tensor *x) {
    const struct json *name = json_get(node, "name"), *weak = json_get(node, "weak");
    if (name && !json_is(name, JSON_TEXT)) return field_unexpected(&r->fields, "name", name, "a text");
    if (weak && !json_is_flag(weak)) return field_unexpected(&r->fields, "weak", weak, "true or false");
    if (json_is(weak, JSON_TRUE)) x->weak = true;
    if (!name || !strcmp(json_text(name), ty_name(x))) return true;
    ty_tensor *named = ty_named(x, json_text(name));
    return ty_ok(named) || graph_refuse(r, ty_error_code(named), "%s", ty_error(named));
}

ty_tensor *graph_node_read(struct graph_reading *r, const struct json *node) {
    const struct json *op = json_get(node, "op");
    ty_tensor *(*read)(struct graph_reading * r, const struct json *node) = read_operator;
    r->op = json_is(node, JSON_OBJECT) ? "" : "node";
    if (!json_is(node, JSON_OBJECT)) return graph_refuse(r, E_FORMAT, "expected an object"), NULL;
    if (!json_is(op, JSON_TEXT))
        return field_unexpected(&r->fields, "op", op, "the name of an operator"), NULL;
    r->op = json_text(op);
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++)
        if (!strcmp(r->op, leaves[i].name)) read = leaves[i].read;
    const struct location before = location_now;
    ty_tensor *x = read_location(r, node, &location_now) ? read(r, node) : NULL;
    location_now = before;
    if (x && !ty_ok(x)) graph_refuse(r, ty_error_code(x), "%s", ty_error(x));
    return x && ty_ok(x) && read_marks(r, node, x) ? x : NULL;
}
