/* Resolves the names of a model's graphs. */
#include "onnx/resolve.h"
#include <string.h>
#include "array/dtype.h"
#include "base/alloc.h"
#include "base/list.h"

enum {
    MOST_INSIDE = 100, /* graphs and functions inside one another: each takes stack in loads and runs */
    /* Nodes of a graph when all functions are expanded.  A walk of so many takes some seconds; without a limit, n functions
       that call each other twice are 2^n nodes. */
    MOST_NODES = 10000000
};

static bool resolve_graph(struct naming *n, const struct proto_graph *proto);

/* True if no more than MOST_INSIDE graphs and functions are inside one another. */
static bool inside_fits(struct ty_onnx *model, int inside) {
    return inside <= MOST_INSIDE ||
           fault_set(&model->fault, E_LIMIT, "%s: more than %d graphs and functions are inside one another",
                     model->path, MOST_INSIDE);
}

/* Count the nodes and the depth of a graph or function for a node that runs it. */
static bool count_inside(struct naming *n, const struct onnx_graph *inner) {
    struct onnx_graph *g = n->graph;
    g->weight += inner->weight;
    if (g->inside <= inner->inside) g->inside = inner->inside + 1;
    return inside_fits(n->model, g->inside);
}

/* ---- nodes ---- */

static bool resolve_inputs(struct naming *n, const struct proto_node *proto, struct onnx_node *node) {
    struct fault *fault = &n->model->fault;
    for (int i = 0; i < node->ninputs; i++) {
        const char *name = proto->inputs.items[i];
        node->inputs[i] = *name ? naming_find(n, name) : -1;
        if (*name && node->inputs[i] < 0)
            return fault_set(fault, E_FORMAT, "%s: %.100s reads \"%.200s\", which nothing before it computes",
                             n->model->path, proto->op_type ? proto->op_type : "", name);
    }
    return true;
}

/* Count the graphs among the attributes of a node. */
static int bodies_of(const struct proto_node *proto) {
    int count = 0;
    for (int64_t i = 0; i < proto->attributes.n; i++) count += proto->attributes.items[i].g != NULL;
    return count;
}

/* Add a graph inside of a node. */
static bool resolve_inside(struct naming *n, struct onnx_node *node, const char *attribute,
                           const struct proto_graph *proto) {
    struct onnx_graph *body = &node->bodies[node->nbodies++];
    body->attribute = attribute ? attribute : "";
    struct naming inner = {.model = n->model,
                           .outer = n,
                           .graph = body,
                           .opsets = n->opsets,
                           .nopsets = n->nopsets,
                           .depth = n->depth + 1};
    bool good = inside_fits(n->model, inner.depth) && resolve_graph(&inner, proto);
    naming_drop(&inner);
    return good && count_inside(n, body);
}

static bool resolve_bodies(struct naming *n, const struct proto_node *proto, struct onnx_node *node) {
    bool retraces = node->row && node->row->kind == ONNX_RETRACES;
    int count = bodies_of(proto) + retraces;
    if (!count) return true;
    if (!(node->bodies = naming_room(n, count, sizeof *node->bodies))) return false;
    const struct proto_graph *again = retraces ? resolve_retrace(n, proto) : NULL;
    if (retraces && !(again && resolve_inside(n, node, "y", again))) return false;
    for (int64_t i = 0; i < proto->attributes.n; i++) {
        const struct proto_attribute *a = &proto->attributes.items[i];
        if (a->g && !resolve_inside(n, node, a->name, a->g)) return false;
    }
    return true;
}

static bool resolve_node(struct naming *n, const struct proto_node *proto, struct onnx_node *node) {
    node->proto = proto;
    node->ninputs = (int)proto->inputs.n, node->noutputs = (int)proto->outputs.n;
    node->inputs = naming_room(n, node->ninputs, sizeof *node->inputs);
    node->outputs = naming_room(n, node->noutputs, sizeof *node->outputs);
    if (!node->inputs || !node->outputs || !resolve_operator(n, proto, node) ||
        !resolve_inputs(n, proto, node) || !resolve_bodies(n, proto, node))
        return false;
    for (int i = 0; i < node->noutputs; i++) {
        const char *name = proto->outputs.items[i];
        node->outputs[i] = *name ? naming_add(n, name) : -1;
        if (*name && node->outputs[i] < 0) return false;
        if (*name) n->last[node->outputs[i]] = n->node; /* if no node reads it, it ends here */
    }
    n->graph->weight++;
    if (node->function && !count_inside(n, &node->function->graph)) return false;
    if (n->graph->weight <= MOST_NODES) return true;
    return fault_set(&n->model->fault, E_LIMIT, "%s: has more than %d nodes when its functions are expanded",
                     n->model->path, MOST_NODES);
}

/* Give each node the list of the slots that it reads last. */
static bool resolve_ends(struct naming *n) {
    struct onnx_graph *g = n->graph;
    int total = 0;
    for (int i = 0; i < g->nslots; i++)
        if (n->last[i] >= 0 && n->last[i] < g->nnodes) g->nodes[n->last[i]].nends++, total++;
    int32_t *ends = naming_room(n, total, sizeof *ends);
    if (!ends) return false;
    for (int i = 0; i < g->nnodes; i++) {
        g->nodes[i].ends = ends;
        ends += g->nodes[i].nends;
        g->nodes[i].nends = 0;
    }
    for (int i = 0; i < g->nslots; i++)
        if (n->last[i] >= 0 && n->last[i] < g->nnodes) {
            struct onnx_node *node = &g->nodes[n->last[i]];
            node->ends[node->nends++] = i;
        }
    return true;
}

/* ---- initialisers ---- */

static bool resolve_initial(struct naming *n, const char *name, const struct proto_tensor *tensor,
                            const struct proto_sparse *sparse) {
    struct ty_onnx *model = n->model;
    struct onnx_initial *initial = &n->graph->initial[n->graph->ninitial];
    *initial = (struct onnx_initial){.slot = naming_add(n, name), .name = name};
    if (initial->slot < 0) return false;
    ty_scope *scope = ty_open();
    bool good =
        sparse ? onnx_read_sparse(sparse, &model->outside, &initial->value, &model->fault)
               : onnx_read_tensor(tensor, &model->outside, &model->arena, &initial->value, &model->fault);
    if (good && initial->value.kind == ONNX_TENSOR) ty_retain(initial->value.tensor);
    ty_close(scope);
    if (!good) return false;
    if (list_append(model->initial, model->ninitial, model->initial_capacity, initial))
        return n->graph->ninitial++, true;
    if (initial->value.kind == ONNX_TENSOR) ty_release(initial->value.tensor);
    return fault_memory(&model->fault, sizeof *model->initial);
}

/* Return the tensor of a Constant that is an initialiser in another form: some exporters store weights in it.  NULL for
   other nodes, and for single numbers, which formulas have. */
static const struct proto_tensor *weight_of(const struct naming *n, const struct proto_node *proto) {
    static const char *const words[] = {"", "ai.onnx"};
    const char *domain = proto->domain ? proto->domain : "";
    const struct proto_attribute *a = proto->attributes.items;
    if (n->outer || proto->attributes.n != 1 || !a->t || !a->name || strcmp(a->name, "value") != 0 ||
        proto->outputs.n != 1 || !*proto->outputs.items[0] || !proto->op_type ||
        strcmp(proto->op_type, "Constant") != 0 || (strcmp(domain, words[0]) && strcmp(domain, words[1])))
        return NULL;
    ty_dtype dtype = onnx_dtype_of(a->t->data_type);
    bool single = true;
    for (int64_t i = 0; i < a->t->dims.n; i++) single = single && a->t->dims.items[i] == 1;
    return dtype < TY_DTYPES && dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX) && !single ? a->t : NULL;
}

static bool resolve_initials(struct naming *n, const struct proto_graph *proto) {
    int64_t dense = proto->initializers.n, sparse = proto->sparse_initializers.n, constants = 0;
    for (int64_t i = 0; i < proto->nodes.n; i++) constants += weight_of(n, &proto->nodes.items[i]) != NULL;
    n->graph->initial = naming_room(n, dense + sparse + constants, sizeof *n->graph->initial);
    if (!n->graph->initial) return false;
    for (int64_t i = 0; i < dense; i++) {
        const struct proto_tensor *t = &proto->initializers.items[i];
        if (!resolve_initial(n, t->name ? t->name : "", t, NULL)) return false;
    }
    for (int64_t i = 0; i < sparse; i++) {
        const struct proto_sparse *s = &proto->sparse_initializers.items[i];
        const char *name = s->values && s->values->name ? s->values->name : "";
        if (!resolve_initial(n, name, NULL, s)) return false;
    }
    return true;
}

static bool resolve_nodes(struct naming *n, const struct proto_node *nodes, int64_t count) {
    struct onnx_graph *g = n->graph;
    if (count > MOST_NODES || !(g->nodes = naming_room(n, count, sizeof *g->nodes)))
        return fault_set(&n->model->fault, E_LIMIT, "%s: a graph has too many nodes", n->model->path);
    n->node = 0;
    for (int64_t i = 0; i < count; i++) {
        const struct proto_tensor *weight = g->proto ? weight_of(n, &nodes[i]) : NULL;
        if (weight ? !resolve_initial(n, nodes[i].outputs.items[0], weight, NULL)
                   : !resolve_node(n, &nodes[i], &g->nodes[n->node]))
            return false;
        n->node += !weight;
    }
    g->nnodes = n->node;
    return true;
}

/* ---- graphs ---- */

/* Add the inputs that are no initialisers: these have slots already. */
static bool resolve_graph_inputs(struct naming *n, const struct proto_graph *proto) {
    struct onnx_graph *g = n->graph;
    for (int64_t i = 0; i < proto->inputs.n; i++) {
        const char *name = proto->inputs.items[i].name ? proto->inputs.items[i].name : "";
        int32_t slot = naming_own(n, name);
        if (slot >= 0 && slot < g->ninitial) continue;
        if ((slot = naming_add(n, name)) < 0) return false;
        g->inputs[g->ninputs++] = slot;
    }
    return true;
}

/* Find the slot of output i, which is read after the last node.  False, with the fault set, if it is not computed. */
static bool resolve_output(struct naming *n, int i, const char *name) {
    n->graph->outputs[i] = naming_find(n, name);
    return n->graph->outputs[i] >= 0 ||
           fault_set(&n->model->fault, E_FORMAT, "%s: the output \"%.200s\" is not computed", n->model->path,
                     name);
}

static bool resolve_graph(struct naming *n, const struct proto_graph *proto) {
    struct onnx_graph *g = n->graph;
    g->inputs = naming_room(n, proto->inputs.n, sizeof *g->inputs);
    g->outputs = naming_room(n, proto->outputs.n, sizeof *g->outputs);
    g->proto = proto;
    n->node = -1;
    if (!g->inputs || !g->outputs || !resolve_initials(n, proto) || !resolve_graph_inputs(n, proto))
        return false;
    if (!resolve_nodes(n, proto->nodes.items, proto->nodes.n)) return false;
    g->noutputs = (int)proto->outputs.n;
    for (int i = 0; i < g->noutputs; i++)
        if (!resolve_output(n, i, proto->outputs.items[i].name ? proto->outputs.items[i].name : ""))
            return false;
    return resolve_ends(n) && naming_finish(n);
}

static bool resolve_body(struct naming *n, const struct proto_function *proto) {
    struct onnx_graph *g = n->graph;
    g->inputs = naming_room(n, proto->inputs.n, sizeof *g->inputs);
    g->outputs = naming_room(n, proto->outputs.n, sizeof *g->outputs);
    n->node = -1;
    if (!g->inputs || !g->outputs) return false;
    g->ninputs = (int)proto->inputs.n, g->noutputs = (int)proto->outputs.n;
    for (int i = 0; i < g->ninputs; i++)
        if ((g->inputs[i] = naming_add(n, proto->inputs.items[i])) < 0) return false;
    if (!resolve_nodes(n, proto->nodes.items, proto->nodes.n)) return false;
    for (int i = 0; i < g->noutputs; i++)
        if (!resolve_output(n, i, proto->outputs.items[i])) return false;
    return resolve_ends(n) && naming_finish(n);
}

bool resolve_function(struct ty_onnx *model, struct onnx_function *function, int depth) {
    const struct proto_function *proto = function->proto;
    if (function->resolved) return true;
    const char *name = proto->name ? proto->name : "";
    if (function->resolving)
        return fault_set(&model->fault, E_FORMAT, "%s: the function %.100s calls itself", model->path, name);
    if (!inside_fits(model, depth)) return false;
    function->resolving = true;
    struct naming n = {.model = model,
                       .graph = &function->graph,
                       .opsets = proto->opsets.items,
                       .nopsets = proto->opsets.n,
                       .depth = depth};
    bool good = resolve_body(&n, proto);
    naming_drop(&n);
    function->resolving = false;
    return function->resolved = good;
}

/* ---- models ---- */

/* Set one fault that lists all missing operators. */
static bool refuse_lacks(struct ty_onnx *model) {
    struct text words = {0};
    for (int i = 0; i < model->nlacks; i++) {
        const struct onnx_lack *l = &model->lacks[i];
        text_add(&words, "%s%s%s%.60s of opset %lld (%lld)", i ? ", " : "", l->domain, *l->domain ? "." : "",
                 l->name, (long long)l->opset, (long long)l->count);
    }
    char *all = text_take(&words);
    fault_set(&model->fault, all ? E_UNSUPPORTED : E_MEMORY, "%s: operators that are not supported: %s",
              model->path, all ? all : "");
    mem_free(all);
    return false;
}

bool onnx_resolve(struct ty_onnx *model) {
    const struct proto_model *proto = model->proto;
    if (!onnx_check_head(model)) return false;
    if (!proto->graph) return fault_set(&model->fault, E_FORMAT, "%s: has no graph", model->path);
    struct naming n = {
        .model = model, .graph = &model->graph, .opsets = proto->opsets.items, .nopsets = proto->opsets.n};
    bool good = resolve_graph(&n, proto->graph);
    naming_drop(&n);
    return good && (model->nlacks == 0 || refuse_lacks(model));
}
