/*
 * Writer of graphs: nodes in topological order, each subgraph before its users. A shared value is written once.
 */
#include <inttypes.h>
#include <string.h>
#include "base/options.h"
#include "base/alloc.h"
#include "array/progress.h"
#include "base/files/folders.h"
#include "base/machine/floating.h"
#include "base/hash.h"
#include "base/list.h"
#include "graph/structure.h"
#include "io/archive.h"
#include "io/fields.h"
#include "io/graphs/graph_file.h"

/* State of writing one file. */
struct saving {
    const ty_graph_options *options;
    struct fault *fault;
    struct arena arena;
    struct text bodies;
    struct map body_numbers; /* id -> index in the file */
    int depth;               /* nesting of the subgraphs that are being written */
    bool located;            /* a node has a layer or a place */
    int nvalues, value_room, name_room;
    ty_tensor **values; /* tensors of the file, and their names */
    const char **names;
    struct map value_numbers; /* tensor -> index in values */
    struct map taken;         /* hashes of names in use */
};

/* Nodes of a graph in the order of the file; parameters of a subgraph come first. */
struct listing {
    struct walk walk;
    int64_t n;
    ty_tensor **nodes;
    int64_t *number; /* indices in the file, by position in the walk */
};

static bool out_of_memory(struct saving *s) { return fault_memory(s->fault, sizeof *s); }

/* ---- values ---- */

/* Return a view of x with size 1 along each axis of stride 0, as all elements there are one; x itself if
   there is no such axis, or if it is a promise. */
static ty_tensor *without_repeats(ty_tensor *x) {
    int64_t shape[TY_MAX_RANK];
    struct layout small = x->layout;
    bool repeats = false;
    for (int i = 0; i < x->layout.rank; i++) {
        bool one = x->layout.strides[i] == 0 && x->layout.shape[i] > 1;
        shape[i] = one ? 1 : x->layout.shape[i];
        repeats = repeats || one;
    }
    if (!repeats || x->promise) return x;
    small.shape = shape;
    return tensor_return(tensor_new_view(x, &small));
}

/* Return the name under which x is stored, in memory of s's arena: the variable's own if no other tensor
   has it, else "#number". NULL without memory, with no fault set. */
static const char *name_of(struct saving *s, const ty_tensor *x) {
    char words[32];
    const char *name = x->promise && x->name && *x->name && *x->name != '#' ? x->name : NULL;
    bool is_new = false;
    if (name && strcmp(name, "__metadata__") &&
        !map_put(&s->taken, hash_bytes(name, strlen(name)), 0, &is_new))
        return NULL;
    if (!is_new) snprintf(words, sizeof words, "#%d", s->nvalues);
    if (!is_new) name = words;
    return arena_copy(&s->arena, name, strlen(name) + 1);
}

/* Make room for one more entry in s->values and s->names; false without memory, with no fault set. */
static bool grow(struct saving *s) {
    return list_reserve(s->values, s->nvalues + 1, s->value_room) &&
           list_reserve(s->names, s->nvalues + 1, s->name_room);
}

/* Append ,"tensor":"name" to t: the name under which the value of leaf x is stored; adds x to the values to
   store on first use. False sets the fault. */
static bool write_value(struct saving *s, struct text *t, ty_tensor *x) {
    bool is_new;
    int64_t *number = map_put(&s->value_numbers, map_key(x), s->nvalues, &is_new);
    if (!number || !grow(s)) return out_of_memory(s);
    if (is_new) {
        ty_tensor *value = without_repeats(x);
        const char *name = name_of(s, x);
        if (!ty_ok(value)) return fault_tensor(s->fault, value);
        if (!name) return out_of_memory(s);
        s->values[s->nvalues] = value;
        s->names[s->nvalues++] = name;
    }
    text_add(t, ",\"tensor\":");
    return json_add_text(t, s->names[*number], s->fault);
}

/* ---- nodes ---- */

/* Fill l with the nodes of a graph and their numbers: parameters[] first, then all that roots[] depend on,
   operands before their users. False sets the fault; free l with listing_drop in any case. */
static bool list_nodes(struct saving *s, struct listing *l, int nparameters, ty_tensor *const *parameters,
                       int nroots, ty_tensor *const *roots) {
    if (!walk_order(&l->walk, nroots, roots, s->fault)) return false;
    size_t most = (size_t)l->walk.count + (size_t)nparameters + 1;
    l->nodes = mem_array(most, sizeof *l->nodes);
    l->number = mem_array(most, sizeof *l->number);
    if (!l->nodes || !l->number) return out_of_memory(s);
    for (int i = 0; i < nparameters; i++) {
        int64_t place = walk_place(&l->walk, parameters[i]);
        if (place >= 0) l->number[place] = i;
        l->nodes[l->n++] = parameters[i];
    }
    for (int64_t i = 0; i < l->walk.count; i++) {
        if (nparameters && is_parameter(l->walk.nodes[i])) continue;
        l->number[i] = l->n;
        l->nodes[l->n++] = l->walk.nodes[i];
    }
    return true;
}

static void listing_drop(struct listing *l) {
    mem_free(l->nodes);
    mem_free(l->number);
    walk_drop(&l->walk);
}

static int64_t number_of(const struct listing *l, const ty_tensor *x) {
    return l->number[walk_place(&l->walk, x)];
}

static int64_t number_of_body(struct saving *s, struct body *b);

/* Append the index of the subgraph at address `at`, which is written first if it is new; false after a fault. */
static bool write_place(void *context, struct text *t, const struct field *f, const void *at) {
    struct body *b;
    (void)f;
    memcpy(&b, at, sizeof b);
    int64_t number = number_of_body(context, b);
    text_add(t, "%" PRId64, number);
    return number >= 0;
}

static bool write_attributes(struct saving *s, struct text *t, const ty_tensor *x) {
    struct infer in = infer_of(x, NULL);
    struct field_writer w = {t, FIELDS_TIGHT, s->fault, write_place, s};
    text_add(t, ",\"attributes\":");
    return fields_write(&w, x->op->attributes, &in);
}

static void write_form(struct text *t, const ty_tensor *x) {
    text_add(t, ",\"dtype\":\"%s\",\"shape\":[", ty_dtype_name(x->dtype));
    for (int i = 0; i < x->layout.rank; i++) text_add(t, i ? ",%" PRId64 : "%" PRId64, x->layout.shape[i]);
    text_add(t, "]");
}

/* Append the layer and the source place of x, the file without its folders, which are those of one machine; false sets
   the fault. */
static bool write_location(struct saving *s, struct text *t, const struct location *at) {
    s->located = s->located || location_known(at);
    if (at->layer) {
        text_add(t, ",\"layer\":");
        if (!json_add_text(t, at->layer, s->fault)) return false;
    }
    if (!at->file) return true;
    text_add(t, ",\"file\":");
    if (!json_add_text(t, folders_name(at->file), s->fault)) return false;
    text_add(t, ",\"line\":%d", at->line);
    return true;
}

/* Append the JSON of node x to t; a leaf's value is added to the values to store. False sets the fault. */
static bool write_node(struct saving *s, struct text *t, const struct listing *l, ty_tensor *x) {
    bool leaf = !walk_enters(&l->walk, x), variable = x->promise && x->op == &op_input;
    if (x->promise && kernel_table[x->op->kind].foreign)
        return fault_set(
            s->fault, E_UNSUPPORTED,
            "graph: a %s is a function of this program, which a file cannot have; use ty_eval on its "
            "results, or save the graphs before and behind it",
            x->op->name);
    text_add(t, "{\"op\":\"%s\"", x->promise ? x->op->name : "value");
    if (!leaf) text_add(t, ",\"of\":[");
    for (int i = 0; !leaf && i < x->ninputs; i++)
        text_add(t, i ? ",%" PRId64 : "%" PRId64, number_of(l, tensor_resolve(x->inputs[i])));
    if (!leaf) text_add(t, "]");
    if (x->promise && x->op->attributes && !is_parameter(x) && !write_attributes(s, t, x)) return false;
    if (!x->promise || !x->op->results) write_form(t, x);
    if (x->name && *x->name) {
        text_add(t, ",\"name\":");
        if (!json_add_text(t, x->name, s->fault)) return false;
    }
    if (x->weak) text_add(t, ",\"weak\":true");
    if (!write_location(s, t, &x->location)) return false;
    if ((!x->promise || (variable && !s->options->no_values)) && !write_value(s, t, x)) return false;
    text_add(t, "}");
    return !t->failed || out_of_memory(s);
}

/* Append the JSON of all nodes listed in l to t; false sets the fault. */
static bool write_nodes(struct saving *s, struct text *t, const struct listing *l) {
    text_add(t, "\"nodes\":[");
    for (int64_t i = 0; i < l->n; i++) {
        if (i) text_add(t, ",");
        if (!write_node(s, t, l, l->nodes[i])) return false;
    }
    text_add(t, "]");
    return true;
}

/* ---- subgraphs ---- */

/* Append the JSON of subgraph b to t; false sets the fault. */
static bool write_body(struct saving *s, struct text *t, const struct body *b) {
    struct listing l = {0};
    bool done = list_nodes(s, &l, b->nparameters, b->parameters, b->nroots, b->roots);
    text_add(t, "{");
    if (done && b->extends.base) {
        const struct body_kinds *from = &b->extends.of_base, *to = &b->extends.own;
        int64_t base = number_of_body(s, b->extends.base);
        text_add(t, "\"extends\":%" PRId64 ",\"kinds\":[%d,%d,%d,%d],", base, from->carries, from->sequences,
                 to->carries, to->sequences);
        done = base >= 0;
    }
    done = done && write_nodes(s, t, &l);
    text_add(t, ",\"results\":[");
    for (int i = 0; i < b->nroots && done; i++)
        text_add(t, i ? ",%" PRId64 : "%" PRId64, number_of(&l, tensor_resolve(b->roots[i])));
    text_add(t, "]}");
    listing_drop(&l);
    return done;
}

/* Return the index of subgraph b in the file, from 0. On first use it is written, after the subgraphs
   inside it. -1, with the fault set, on failure. context is the struct saving. */
static int64_t number_of_body(struct saving *s, struct body *b) {
    const int64_t *known = map_find(&s->body_numbers, b->id);
    if (known) return *known;
    if (s->depth == GRAPH_DEPTH) {
        fault_set(s->fault, E_LIMIT, "save: bodies of loops and branches are nested deeper than %d",
                  GRAPH_DEPTH);
        return -1;
    }
    struct text own = {0};
    s->depth++;
    bool done = write_body(s, &own, b);
    s->depth--;
    int64_t number = s->body_numbers.count;
    if (done && (own.failed || !map_put(&s->body_numbers, b->id, number, NULL))) done = out_of_memory(s);
    if (done && s->bodies.length) text_add(&s->bodies, ",");
    if (done) text_add_bytes(&s->bodies, own.data, own.length);
    text_drop(&own);
    return done ? number : -1;
}

/* ---- whole graph ---- */

/* Arguments of a save. */
struct request {
    int n;
    const char *const *names;
    ty_tensor *const *outputs;
    int nroots;
    ty_tensor **roots; /* outputs, then variable and value of each update */
};

/* Append the JSON of outputs and updates, whose nodes l numbers, and the end of the object to t; false sets
   the fault. */
static bool write_outputs(struct saving *s, struct text *t, const struct request *r,
                          const struct listing *l) {
    text_add(t, ",\"outputs\":[");
    for (int i = 0; i < r->n; i++) {
        text_add(t, i ? ",{\"name\":" : "{\"name\":");
        if (!json_add_text(t, r->names[i], s->fault)) return false;
        text_add(t, ",\"node\":%" PRId64 "}", number_of(l, r->roots[i]));
    }
    text_add(t, "],\"updates\":[");
    for (int i = 0; i < s->options->nupdates; i++)
        text_add(t, "%s{\"variable\":%" PRId64 ",\"value\":%" PRId64 "}", i ? "," : "",
                 number_of(l, r->roots[r->n + 2 * i]), number_of(l, r->roots[r->n + 2 * i + 1]));
    text_add(t, "]}");
    return true;
}

/* Append the JSON of the whole graph to t, subgraphs first; false sets the fault. */
static bool write_graph(struct saving *s, struct text *t, const struct request *r) {
    struct listing l = {0};
    struct text nodes = {0};
    bool done = list_nodes(s, &l, 0, NULL, r->nroots, r->roots) && write_nodes(s, &nodes, &l);
    text_add(t, "{\"" GRAPH_KEY "\":%d,\"reader\":%d,\"bodies\":[", s->located ? GRAPH_VERSION : GRAPH_PLAIN,
             GRAPH_READER);
    text_add_bytes(t, s->bodies.data, s->bodies.length);
    text_add(t, "],");
    text_add_bytes(t, nodes.data, nodes.length);
    done = done && write_outputs(s, t, r, &l);
    if (done && (t->failed || nodes.failed || s->bodies.failed)) done = out_of_memory(s);
    text_drop(&nodes);
    listing_drop(&l);
    return done;
}

/* Return true if the counts of outputs and updates are not negative and their arrays and names not NULL;
   else set the fault. */
static bool check_updates(const struct request *r, const ty_graph_options *o, struct fault *fault) {
    if (r->n < 0 || o->nupdates < 0)
        return fault_set(fault, E_ARGUMENT, "save: %d outputs and %d updates; expected 0 or more of each",
                         r->n, o->nupdates);
    if (r->n && (!r->names || !r->outputs))
        return fault_set(fault, E_ARGUMENT, "save: the array of %d %s is NULL", r->n,
                         r->names ? "outputs" : "names");
    if (o->nupdates && !o->updates)
        return fault_set(fault, E_ARGUMENT, "save: the array of %d updates is NULL", o->nupdates);
    for (int i = 0; i < r->n; i++)
        if (!r->names[i]) return fault_set(fault, E_ARGUMENT, "save: the name of output %d is NULL", i + 1);
    return true;
}

/* Return true if all roots are valid, names of outputs are distinct, and each update is of another variable
   and keeps its dtype and shape; else set the fault. */
static bool check_roots(const struct request *r, const ty_graph_options *o, struct fault *fault) {
    struct map seen = {0};
    bool fits = true, is_new = true, done = true;
    for (int i = 0; i < r->nroots && done; i++)
        if (!ty_ok(r->roots[i]))
            done = fault_set(fault, ty_error_code(r->roots[i]), "save: %s", ty_error(r->roots[i]));
    for (int i = 0; i < r->n && done && fits; i++) {
        fits = map_put(&seen, hash_bytes(r->names[i], strlen(r->names[i])), 0, &is_new);
        if (fits && !is_new)
            done = fault_set(fault, E_ARGUMENT, "save: the output name \"%.200s\" occurs twice", r->names[i]);
    }
    for (int i = 0; i < o->nupdates && done && fits; i++) {
        const ty_tensor *variable = r->roots[r->n + 2 * i], *value = r->roots[r->n + 2 * i + 1];
        fits = map_put(&seen, map_key(variable), 0, &is_new);
        if (!variable->promise || variable->op != &op_input)
            done = fault_set(fault, E_ARGUMENT, "save: update %d is not of a variable (ty_var)", i + 1);
        else if (!tensor_same_form(variable, value))
            done =
                fault_set(fault, E_DTYPE, "save: update %d gives a variable another dtype or shape", i + 1);
        else if (fits && !is_new)
            done =
                fault_set(fault, E_ARGUMENT, "save: update %d repeats the variable of another update", i + 1);
    }
    map_drop(&seen);
    return done && (fits || fault_memory(fault, sizeof seen));
}

/* Set r->roots: the outputs, then variable and value of each update, and check them; false sets the fault. */
static bool make_request(struct saving *s, struct request *r) {
    const ty_graph_options *o = s->options;
    if (!check_updates(r, o, s->fault)) return false;
    r->roots = arena_array(&s->arena, (size_t)r->n + 2 * (size_t)o->nupdates + 1, sizeof *r->roots);
    if (!r->roots) return out_of_memory(s);
    for (int i = 0; i < r->n; i++) r->roots[r->nroots++] = tensor_resolve(r->outputs[i]);
    for (int i = 0; i < o->nupdates; i++) {
        r->roots[r->nroots++] = tensor_resolve(o->updates[i].variable);
        r->roots[r->nroots++] = tensor_resolve(o->updates[i].value);
    }
    return check_roots(r, o, s->fault);
}

/* Save the graph of r to the file `path`, or, if path is NULL, to new memory *memory of *size bytes, which
   the caller frees. Return false on failure, with poison in *error unless error is NULL. */
static bool save(struct request r, const ty_graph_options *options, const char *path, void **memory,
                 size_t *size, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    struct saving s = {.options = options, .fault = &fault};
    struct text json = {0};
    ty_tensor *bad = NULL;
    ty_scope *scope = ty_open();
    bool done = (path || memory || fault_set(&fault, E_ARGUMENT, "save: the path is NULL")) &&
                make_request(&s, &r) && write_graph(&s, &json, &r);
    const char *key = GRAPH_KEY;
    ty_file_options file = {
        .format = "safetensors", .nmeta = 1, .keys = &key, .values = (const char *const *)&json.data};
    if (done && path) done = ty_archive_save(path, s.nvalues, s.names, s.values, file, &bad);
    if (done && memory)
        done = (*memory = ty_archive_bytes(s.nvalues, s.names, s.values, file, size, &bad)) != NULL;
    if (!done)
        fault_set(&fault, bad ? ty_error_code(bad) : E_MEMORY, "%s",
                  bad ? ty_error(bad) : "out of memory: a graph could not be saved");
    ty_close(scope);
    text_drop(&json);
    text_drop(&s.bodies);
    map_drop(&s.body_numbers);
    map_drop(&s.value_numbers);
    map_drop(&s.taken);
    mem_free(s.values);
    mem_free(s.names);
    arena_drop(&s.arena);
    if (!done && error) *error = tensor_fault(&fault);
    return done;
}

bool ty_graph_save_sized(const char *path, int n, const char *const *names, ty_tensor *const *outputs,
                         const ty_graph_options *given, size_t given_size, ty_tensor **error) {
    OPTIONS_ERROR(ty_graph_options, options, given, given_size, error);
    PROGRESS_NAMED("write");
    return save((struct request){.n = n, .names = names, .outputs = outputs}, &options, path, NULL, NULL,
                error);
}

void *ty_graph_bytes_sized(int n, const char *const *names, ty_tensor *const *outputs,
                           const ty_graph_options *given, size_t given_size, size_t *size,
                           ty_tensor **error) {
    OPTIONS_OR(ty_graph_options, options, given, given_size,
               (options_told(error, tensor_fault(&options_fault)), NULL));
    void *memory = NULL;
    size_t unasked;
    if (!size) size = &unasked;
    *size = 0;
    save((struct request){.n = n, .names = names, .outputs = outputs}, &options, NULL, &memory, size, error);
    return memory;
}
