/*
 * Reader of graphs. Files are untrusted: operands must precede their users, subgraphs may use only their
 * parameters, and recording each node infers dtype and shape again.
 */
#include "base/hash.h"
#include "base/order.h"
#include "io/graphs/graph_reading.h"
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "graph/rewrite.h"
#include "graph/structure.h"

/* nesting: root, bodies, body, nodes, node, attributes, list, record */
enum { MOST_DEPTH = 8 };

static bool out_of_memory(struct graph_reading *r) { return fault_memory(r->fault, sizeof *r); }

/* ---- one graph ---- */

/* Read the nodes of one graph from the list into a new array r->nodes, which the caller frees (mem_free,
   also on failure), and count them in r->n. False sets the fault. */
static bool read_nodes(struct graph_reading *r, const struct json *list) {
    size_t n = json_count(list);
    if (!json_is(list, JSON_LIST)) return field_unexpected(&r->fields, "nodes", list, "a list of nodes");
    r->nodes = mem_array(n + 1, sizeof *r->nodes);
    r->n = r->nparameters = 0;
    if (!r->nodes) return out_of_memory(r);
    for (size_t i = 0; i < n; i++) {
        ty_tensor *x = graph_node_read(r, json_at(list, i));
        if (!x) return fault_set(r->fault, E_FILE, "%s: node %zu cannot be read", r->file, i);
        r->nodes[r->n++] = x;
    }
    r->op = NULL;
    return true;
}

/* Return the node of the present graph whose index from 0 is `value`, given as field `field`. NULL sets the
   fault, also if the node has several results. */
static ty_tensor *node_of(struct graph_reading *r, const char *field, const struct json *value) {
    int64_t place;
    if (!graph_integer(r, field, value, 0, r->n - 1, &place)) return NULL;
    ty_tensor *x = r->nodes[place];
    if (!x->promise || !x->op || !x->op->results) return x;
    graph_refuse(r, E_FORMAT, "node %lld has several results; select one by \"result\"", (long long)place);
    return NULL;
}

/* ---- subgraphs ---- */

/* Fill parameters[0..r->nparameters) with the parameters among the nodes, in the order of the file. */
static void list_parameters(const struct graph_reading *r, ty_tensor **parameters) {
    int64_t n = 0;
    for (int64_t i = 0; i < r->n; i++)
        if (is_parameter(r->nodes[i])) parameters[n++] = r->nodes[i];
}

/* Read the four numbers of "kinds" into like->extends: carries and sequences among the parameters of the
   base, then of this subgraph. False sets the fault. */
static bool read_kinds(struct graph_reading *r, const struct json *object, struct body *like) {
    struct extension *e = &like->extends;
    int *numbers[] = {&e->of_base.carries, &e->of_base.sequences, &e->own.carries, &e->own.sequences};
    const struct json *list = json_get(object, "kinds");
    if (!json_is(list, JSON_LIST) || json_count(list) != 4)
        return field_unexpected(&r->fields, "kinds", list, "a list of four numbers");
    for (int i = 0; i < 4; i++) {
        int64_t number, most = (i < 2 ? e->base->nparameters : like->nparameters) - 1;
        if (!graph_integer(r, "kinds", json_at(list, (size_t)i), 0, most, &number)) return false;
        *numbers[i] = (int)number;
    }
    return (e->of_base.carries + e->of_base.sequences < e->base->nparameters &&
            e->own.carries + e->own.sequences < like->nparameters && e->of_base.carries <= e->base->nroots &&
            e->of_base.carries <= e->own.carries && e->of_base.sequences <= e->own.sequences) ||
           graph_refuse(r, E_FORMAT, "\"kinds\" does not fit the parameters");
}

/* Return true if `like` computes all outputs of the subgraph that it extends: first in each kind, from the
   first parameters of each kind. The last output may be of a kind of its own, the stop condition of a
   loop. Else set the fault. */
static bool check_base(struct graph_reading *r, const struct body *like) {
    const struct body *base = like->extends.base;
    bool extends = false;
    size_t n = (size_t)base->nparameters, nroots = (size_t)base->nroots;
    ty_tensor **room = mem_array(n + nroots + 1, sizeof *room), **roots = room + n;
    if (!room) return out_of_memory(r);
    int last_parameter = body_extended_parameter(like, base->nparameters - 1);
    for (int stops = 0; stops < 2 && !extends && last_parameter < like->nparameters; stops++) {
        int last = stops ? base->nroots - 2 : base->nroots - 1;
        if (last >= 0 && body_extended_result(like, last, stops) >= like->nroots) continue;
        for (int i = 0; i < base->nparameters; i++)
            room[i] = like->parameters[body_extended_parameter(like, i)];
        for (int i = 0; i < base->nroots; i++) roots[i] = like->roots[body_extended_result(like, i, stops)];
        if (!substitute(0, base->nparameters, room, base->parameters, base->nroots, roots, r->fault)) break;
        struct body *same =
            body_make(base->nparameters, base->parameters, base->nroots, roots, NULL, r->fault);
        extends = same == base;
        if (same) body_release(same);
        if (!same) break;
    }
    mem_free(room);
    return extends || graph_refuse(r, E_FORMAT, "does not compute the results of the body that it extends");
}

/* Return a new subgraph of n results that the object describes, from the nodes of r. roots[n] and
   parameters[] are scratch that receive its nodes. NULL sets the fault. */
static struct body *make_body(struct graph_reading *r, const struct json *object, int n, ty_tensor **roots,
                              ty_tensor **parameters) {
    const struct json *extends = json_get(object, "extends");
    struct body like = {
        .nparameters = (int)r->nparameters, .nroots = n, .parameters = parameters, .roots = roots};
    int64_t number = 0;
    for (int i = 0; i < n; i++)
        if (!(roots[i] = node_of(r, "results", json_at(json_get(object, "results"), (size_t)i)))) return NULL;
    list_parameters(r, parameters);
    if (extends && json_get(object, "kinds")) { /* without kinds the two loops are not run as one */
        if (!graph_integer(r, "extends", extends, 0, r->body - 1, &number)) return NULL;
        like.extends.base = r->bodies[number];
        if (!read_kinds(r, object, &like) || !check_base(r, &like)) return NULL;
    }
    return body_make((int)r->nparameters, parameters, n, roots, &like.extends, r->fault);
}

/* Read the next subgraph from its object into r->bodies[r->nbodies]; false sets the fault. */
static bool read_body(struct graph_reading *r, const struct json *object) {
    static const char *const fields[] = {"nodes", "results", "?extends", "?kinds", NULL};
    const struct json *results = json_get(object, "results");
    if (!fields_check(&r->fields, object, fields)) return false;
    if (!json_is(results, JSON_LIST) || json_count(results) == 0 || json_count(results) > INT32_MAX / 2)
        return field_unexpected(&r->fields, "results", results, "a list of nodes, at least one");
    r->depth = 1;
    bool done = read_nodes(r, json_get(object, "nodes"));
    size_t n = json_count(results);
    ty_tensor **room = done ? mem_array(n + (size_t)r->nparameters + 1, sizeof *room) : NULL;
    if (done && !room) out_of_memory(r);
    r->bodies[r->nbodies] = room ? make_body(r, object, (int)n, room, room + n) : NULL;
    r->depths[r->nbodies] = r->depth;
    mem_free(room);
    mem_free(r->nodes);
    r->nodes = NULL;
    return r->bodies[r->nbodies] != NULL;
}

/* Read all subgraphs from the list into r->bodies and count them; inner ones precede outer ones and have a
   higher level. False sets the fault. */
static bool read_bodies(struct graph_reading *r, const struct json *list) {
    enum { LEVELS = 1000 };
    size_t n = json_count(list);
    if (!json_is(list, JSON_LIST)) return field_unexpected(&r->fields, "bodies", list, "a list of bodies");
    r->bodies = arena_array(&r->graph->arena, n + 1, sizeof *r->bodies);
    r->depths = arena_array(&r->graph->arena, n + 1, sizeof *r->depths);
    if (!r->bodies || !r->depths) return out_of_memory(r);
    uint16_t level = tensor_level;
    for (size_t i = 0; i < n && !r->fault->set; i++, r->nbodies += !r->fault->set) {
        tensor_level = (uint16_t)(n - i < LEVELS ? n - i : LEVELS);
        r->body = (int64_t)i;
        if (!read_body(r, json_at(list, i)))
            fault_set(r->fault, E_FILE, "%s: body %zu cannot be read", r->file, i);
    }
    tensor_level = level;
    r->body = -1;
    return !r->fault->set;
}

/* ---- whole graph ---- */

/* Return true if the n names differ from each other, else set the fault. */
static bool check_distinct(struct graph_reading *r, int n, const char *const *names) {
    const char **sorted = mem_array((size_t)n + 1, sizeof *sorted);
    if (!sorted) return out_of_memory(r);
    for (int i = 0; i < n; i++) sorted[i] = names[i];
    if (n) qsort(sorted, (size_t)n, sizeof *sorted, order_texts);
    bool done = true;
    for (int i = 1; i < n && done; i++)
        if (!strcmp(sorted[i - 1], sorted[i]))
            done = graph_refuse(r, E_FORMAT, "two outputs are named \"%.100s\"", sorted[i]);
    mem_free(sorted);
    return done;
}

/* Read the names and nodes of the outputs from the list into the graph; false sets the fault, also if two
   names are equal. */
static bool read_outputs(struct graph_reading *r, const struct json *list) {
    static const char *const fields[] = {"name", "node", NULL};
    ty_graph *g = r->graph;
    size_t n = json_count(list);
    if (!json_is(list, JSON_LIST) || n > INT32_MAX / 2)
        return field_unexpected(&r->fields, "outputs", list, "a list of outputs");
    g->names = arena_array(&g->arena, n + 1, sizeof *g->names);
    g->outputs = arena_array(&g->arena, n + 1, sizeof *g->outputs);
    if (!g->names || !g->outputs) return out_of_memory(r);
    for (size_t i = 0; i < n; i++) {
        const struct json *item = json_at(list, i);
        const char *name = json_text(json_get(item, "name"));
        if (!fields_check(&r->fields, item, fields)) return false;
        if (!name) return field_unexpected(&r->fields, "name", json_get(item, "name"), "a text");
        ty_tensor *x = node_of(r, "node", json_get(item, "node"));
        if (!x) return false;
        if (!(g->names[i] = arena_copy(&g->arena, name, strlen(name) + 1))) return out_of_memory(r);
        g->outputs[g->noutputs++] = ty_retain(x);
    }
    return check_distinct(r, g->noutputs, g->names);
}

/* Read the updates from the list into the graph; each must be of another variable and keep its dtype and
   shape. False sets the fault. */
static bool read_updates(struct graph_reading *r, const struct json *list) {
    static const char *const fields[] = {"variable", "value", NULL};
    ty_graph *g = r->graph;
    struct map seen = {0};
    size_t n = json_count(list);
    bool is_new = true, done = true;
    if (!json_is(list, JSON_LIST) || n > INT32_MAX / 2)
        return field_unexpected(&r->fields, "updates", list, "a list of updates");
    if (!(g->updates = arena_array(&g->arena, n + 1, sizeof *g->updates))) return out_of_memory(r);
    for (size_t i = 0; i < n && done; i++) {
        const struct json *item = json_at(list, i);
        if (!(done = fields_check(&r->fields, item, fields))) break;
        ty_tensor *variable = node_of(r, "variable", json_get(item, "variable"));
        ty_tensor *value = variable ? node_of(r, "value", json_get(item, "value")) : NULL;
        if (!(done = value != NULL)) break;
        if (!map_put(&seen, map_key(variable), 0, &is_new))
            done = out_of_memory(r);
        else if (!variable->promise || variable->op != &op_input || !is_new ||
                 !tensor_same_form(variable, value))
            done = graph_refuse(r, E_FORMAT,
                                "update %zu has no variable, repeats one, or has another shape or dtype", i);
        if (done) g->updates[g->nupdates++] = (ty_update){variable, ty_retain(value)};
    }
    map_drop(&seen);
    return done;
}

/* Return true if this reader understands the version of the file, and set r->newer if that is newer; else
   set the fault. */
static bool check_version(struct graph_reading *r, const struct json *root) {
    int64_t version, reader;
    if (!json_is(root, JSON_OBJECT)) return graph_refuse(r, E_FORMAT, "the structure is not an object");
    if (!graph_integer(r, GRAPH_KEY, json_get(root, GRAPH_KEY), 1, INT32_MAX, &version) ||
        !graph_integer(r, "reader", json_get(root, "reader"), 1, version, &reader))
        return false;
    r->fields.newer = version > GRAPH_VERSION;
    return reader <= GRAPH_VERSION ||
           graph_refuse(r, E_UNSUPPORTED,
                        "it is of version %lld and needs a reader of version %lld; this one reads version %d",
                        (long long)version, (long long)reader, GRAPH_VERSION);
}

/* Read the whole structure of a file into r->graph; false sets the fault. */
static bool read_root(struct graph_reading *r, const struct json *root) {
    static const char *const fields[] = {GRAPH_KEY, "reader", "bodies", "nodes", "outputs", "updates", NULL};
    bool done = check_version(r, root) && fields_check(&r->fields, root, fields) &&
                read_bodies(r, json_get(root, "bodies")) && read_nodes(r, json_get(root, "nodes")) &&
                (graph_list_variables(r->graph, r->n, r->nodes) || out_of_memory(r)) &&
                read_outputs(r, json_get(root, "outputs")) && read_updates(r, json_get(root, "updates"));
    mem_free(r->nodes);
    return done;
}

/* Fill r->places, which maps hashes of names to indices of the archive's tensors, and allocate r->held;
   false sets the fault: no memory. */
static bool index_places(struct graph_reading *r) {
    int n = ty_archive_count(r->archive);
    r->held = arena_array(&r->graph->arena, (size_t)n + 1, sizeof *r->held);
    if (!r->held) return out_of_memory(r);
    for (int i = 0; i < n; i++) {
        const char *name = ty_archive_name(r->archive, i);
        if (!map_put(&r->places, hash_bytes(name, strlen(name)), i, NULL)) return out_of_memory(r);
    }
    return true;
}

static void refuse_field(void *context, ty_code code, const char *reason) {
    graph_refuse(context, code, "%s", reason);
}

bool graph_read(ty_graph *g, const ty_archive *archive, const char *name, const char *json, uint64_t most,
                struct fault *fault) {
    struct graph_reading r = {
        .graph = g, .archive = archive, .file = name, .fault = fault, .budget = most, .body = -1};
    r.fields = (struct field_reader){.refuse = refuse_field, .other = graph_body_read, .context = &r};
    struct json *root = json_read(name, "the structure", json, strlen(json), MOST_DEPTH, most, fault);
    bool sources = record_lazily(true);
    bool done = root && index_places(&r) && read_root(&r, root);
    record_lazily(sources);
    for (int64_t i = 0; i < r.nbodies; i++) body_release(r.bodies[i]);
    mem_free(root);
    map_drop(&r.places);
    return done;
}
