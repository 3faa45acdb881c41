/* Public functions of graphs loaded from files. */
#include <string.h>
#include "base/options.h"
#include "base/alloc.h"
#include "array/progress.h"
#include "base/machine/floating.h"
#include "graph/structure.h"
#include "graph/walk.h"
#include "io/archive.h"
#include "io/graphs/graph_file.h"

static ty_graph no_memory = {.fault = {true, E_MEMORY, "out of memory: a graph could not be loaded"}};
/* Replaces NULL handles of graphs. */
static const ty_graph null_graph = {.fault = {true, E_ARGUMENT, "graph: the graph is NULL"}};
static const ty_graph *graph_of(const ty_graph *g) { return g ? g : &null_graph; }

/* Release all tensors of the graph and set their counts to 0. */
static void drop_tensors(ty_graph *g) {
    for (int i = 0; i < g->noutputs; i++) ty_release(g->outputs[i]);
    for (int i = 0; i < g->nvariables; i++) ty_release(g->variables[i]);
    for (int i = 0; i < g->nupdates; i++) ty_release(g->updates[i].value);
    g->noutputs = g->nvariables = g->nupdates = 0;
}

/* Read the graph of archive a into g and free a. Failures, also those of the archive, set g->fault and
   leave g without tensors. The options give the limit of bytes. */
static void read_archive(ty_graph *g, ty_archive *a, ty_file_options options) {
    const char *json = ty_archive_meta(a, GRAPH_KEY);
    const char *name = a->input ? a->input->name : "graph";
    ty_scope *scope = ty_open();
    if (*ty_archive_error(a))
        fault_copy(&g->fault, &a->fault);
    else if (!json)
        fault_set(&g->fault, E_FORMAT,
                  "%s: has no graph, which ty_graph_save writes as its text \"" GRAPH_KEY "\"", name);
    else if (!scope)
        fault_set(&g->fault, E_LIMIT, "%s: too many scopes are open", name);
    else
        graph_read(g, a, name, json, unpack_limit(a->input, &options), &g->fault);
    if (g->fault.set) drop_tensors(g);
    ty_close(scope);
    ty_archive_free(a);
}

/* Open an archive by open(where, n, options), as safetensors, and return its graph, which the caller frees.
   Never NULL: failures are kept in the graph's fault. */
static ty_graph *load(ty_archive *(*open)(const void *where, size_t n, ty_file_options options),
                      const void *where, size_t n, const ty_file_options *given, size_t given_size) {
    FLOATING_DEFAULT;
    ty_file_options options;
    ty_graph *g = mem_alloc(sizeof *g);
    if (!g) return &no_memory;
    if (!options_read(&options, sizeof options, given, given_size, "graph", &g->fault)) return g;
    options.format = "safetensors";
    read_archive(g, open(where, n, options), options);
    return g;
}

static ty_archive *open_path(const void *path, size_t n, ty_file_options options) {
    (void)n;
    return ty_archive_open(path, options);
}
static ty_archive *open_bytes(const void *bytes, size_t n, ty_file_options options) {
    return ty_archive_parse(bytes, n, options);
}

ty_graph *ty_graph_load_sized(const char *path, const ty_file_options *given, size_t given_size) {
    PROGRESS_NAMED("read");
    return load(open_path, path, 0, given, given_size);
}
ty_graph *ty_graph_parse_sized(const void *bytes, size_t n, const ty_file_options *given, size_t given_size) {
    return load(open_bytes, bytes, n, given, given_size);
}

bool graph_list_variables(ty_graph *g, int64_t n, ty_tensor *const *nodes) {
    g->variables = arena_array(&g->arena, (size_t)n + 1, sizeof *g->variables);
    for (int64_t i = 0; g->variables && i < n && g->nvariables < INT32_MAX; i++)
        if (nodes[i]->promise && nodes[i]->op == &op_input)
            g->variables[g->nvariables++] = ty_retain(nodes[i]);
    return g->variables;
}

/* Fill the graph with n outputs and the variables among the nodes; false without memory, with no fault set. */
static bool hold(ty_graph *g, int n, const char *const *names, ty_tensor *const *outputs,
                 const struct walk *w) {
    g->names = arena_array(&g->arena, (size_t)n + 1, sizeof *g->names);
    g->outputs = arena_array(&g->arena, (size_t)n + 1, sizeof *g->outputs);
    if (!g->names || !g->outputs) return false;
    for (int i = 0; i < n; i++) {
        if (!(g->names[i] = arena_copy(&g->arena, names[i], strlen(names[i]) + 1))) return false;
        g->outputs[g->noutputs++] = ty_retain(outputs[i]);
    }
    return graph_list_variables(g, w->count, w->nodes);
}

ty_graph *graph_hold(int n, const char *const *names, ty_tensor *const *outputs) {
    ty_graph *g = mem_alloc(sizeof *g);
    struct walk w = {0};
    if (!g) return &no_memory;
    if (walk_order(&w, n, outputs, &g->fault) && !hold(g, n, names, outputs, &w))
        fault_memory(&g->fault, sizeof *g);
    if (g->fault.set) drop_tensors(g);
    walk_drop(&w);
    return g;
}

void ty_graph_free(ty_graph *g) {
    if (!g || g == &no_memory) return;
    drop_tensors(g);
    arena_drop(&g->arena);
    mem_free(g);
}

const char *ty_graph_error(const ty_graph *g) {
    return graph_of(g)->fault.set ? graph_of(g)->fault.text : "";
}
ty_tensor *ty_graph_failure(const ty_graph *g) { return tensor_failure(&graph_of(g)->fault); }

/* ---- contents ---- */

int ty_graph_count(const ty_graph *g) { return graph_of(g)->noutputs; }
const char *ty_graph_name(const ty_graph *g, int i) {
    return i >= 0 && i < ty_graph_count(g) ? g->names[i] : NULL;
}

/* Return tensor i, from 0, of all[0..n), shared with the current scope. Poison, whose message names
   `function` and `what`, if the graph failed or i is out of range. */
static ty_tensor *among(const char *function, const ty_graph *g, const char *what, int n,
                        ty_tensor *const *all, int i) {
    if (g->fault.set) return ty_poison_code(g->fault.code, "%s: %s", function, g->fault.text);
    if (i < 0 || i >= n)
        return ty_poison_code(E_INDEX, "%s: %s %d is out of bounds; there are %d", function, what, i, n);
    return tensor_share(all[i]);
}

ty_tensor *ty_graph_at(const ty_graph *g, int i) {
    g = graph_of(g);
    return among("graph_at", g, "output", g->noutputs, g->outputs, i);
}

ty_tensor *ty_graph_get(const ty_graph *g, const char *name) {
    g = graph_of(g);
    if (!name) return ty_poison_code(E_ARGUMENT, "graph_get: the name of an output is NULL");
    for (int i = 0; i < g->noutputs; i++)
        if (!strcmp(g->names[i], name)) return tensor_share(g->outputs[i]);
    if (g->fault.set) return ty_poison_code(g->fault.code, "graph_get: %s", g->fault.text);
    return ty_poison_code(E_ARGUMENT, "graph_get: unknown output \"%.200s\"; there are %d", name,
                          g->noutputs);
}

int ty_graph_variables(const ty_graph *g) { return graph_of(g)->nvariables; }

ty_tensor *ty_graph_variable(const ty_graph *g, int i) {
    g = graph_of(g);
    return among("graph_variable", g, "variable", g->nvariables, g->variables, i);
}

ty_tensor *ty_graph_find(const ty_graph *g, const char *name) {
    ty_tensor *found = NULL;
    int n = 0;
    g = graph_of(g);
    if (!name) return ty_poison_code(E_ARGUMENT, "graph_find: the name of a variable is NULL");
    if (g->fault.set) return ty_poison_code(g->fault.code, "graph_find: %s", g->fault.text);
    for (int i = 0; i < g->nvariables; i++)
        if (!strcmp(ty_name(g->variables[i]), name)) found = g->variables[i], n++;
    if (n == 1) return tensor_share(found);
    return ty_poison_code(E_ARGUMENT, "graph_find: %d of %d variables are named \"%.200s\"; expected one", n,
                          g->nvariables, name);
}

const ty_update *ty_graph_updates(const ty_graph *g, int *n) {
    g = graph_of(g);
    if (n) *n = g->nupdates;
    return n ? g->updates : NULL;
}
