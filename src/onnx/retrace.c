/* Graphs for the operator Gradient, which computes earlier nodes again: those that lead from its xs and zs to its y. */
#include <string.h>
#include "onnx/resolve.h"

enum { NEEDED = 1, GIVEN = 2 }; /* bits of slots */
/* Nodes that all gradients of a model compute again, with those of gradients among them.  Each has some 500 bytes.
   Without a limit, n gradients of one another would be 2^n nodes. */
enum { MOST_RETRACED = 100000 };

static const struct proto_attribute *attribute(const struct proto_node *proto, const char *name) {
    for (int64_t i = 0; i < proto->attributes.n; i++)
        if (proto->attributes.items[i].name && !strcmp(proto->attributes.items[i].name, name))
            return &proto->attributes.items[i];
    return NULL;
}

/* Set value->name to the name of an attribute, and the bit of its slot; false sets the fault. */
static bool name_value(struct naming *n, struct wire_bytes name, uint8_t *slots, int bit,
                       struct proto_value *value) {
    char *copy = naming_room(n, (int64_t)name.n, 1);
    if (!copy) return false;
    if (name.n) memcpy(copy, name.at, name.n);
    value->name = copy;
    int32_t slot = naming_own(n, copy);
    if (slot < 0)
        return fault_set(&n->model->fault, E_FORMAT,
                         "%s: Gradient names \"%.200s\", which no node before it computes", n->model->path,
                         copy);
    slots[slot] |= (uint8_t)bit;
    return true;
}

/* Read the names of a Gradient: those of values that are given, and of the value that is derived.  Their slots get these
   bits. */
static bool read_names(struct naming *n, const struct proto_node *proto, uint8_t *slots, int given,
                       int derived, struct proto_graph *graph) {
    const struct proto_attribute *lists[] = {attribute(proto, "xs"), attribute(proto, "zs")},
                                 *y = attribute(proto, "y");
    int64_t count = (lists[0] ? lists[0]->strings.n : 0) + (lists[1] ? lists[1]->strings.n : 0);
    graph->inputs.items = naming_room(n, count, sizeof *graph->inputs.items);
    graph->outputs.items = naming_room(n, 1, sizeof *graph->outputs.items);
    if (!graph->inputs.items || !graph->outputs.items) return false;
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; lists[k] && i < lists[k]->strings.n; i++)
            if (!name_value(n, lists[k]->strings.items[i], slots, given,
                            &graph->inputs.items[graph->inputs.n++]))
                return false;
    if (!y) return fault_set(&n->model->fault, E_FORMAT, "%s: Gradient has no attribute y", n->model->path);
    return name_value(n, y->s, slots, derived, &graph->outputs.items[graph->outputs.n++]);
}

/* Mark what a node reads, in graphs inside it, too.  A gradient also needs the values that it names.  False sets the
   fault. */
static bool need_inputs(struct naming *n, const struct onnx_node *node, uint8_t *slots) {
    struct proto_graph names = {.inputs.n = 0};
    for (int i = 0; i < node->ninputs; i++)
        if (node->inputs[i] >= 0) slots[node->inputs[i]] |= NEEDED;
    for (int b = 0; b < node->nbodies; b++)
        for (int c = 0; c < node->bodies[b].ncaptures; c++)
            slots[node->bodies[b].captures[c].outer] |= NEEDED;
    return !node->row || node->row->kind != ONNX_RETRACES ||
           read_names(n, node->proto, slots, NEEDED, NEEDED, &names);
}

/* True if a node computes a value that is needed and not given. */
static bool computes(const struct onnx_node *node, const uint8_t *slots) {
    bool found = false;
    for (int i = 0; i < node->noutputs; i++)
        found |= node->outputs[i] >= 0 && slots[node->outputs[i]] == NEEDED;
    return found;
}

/* Copy a node; results that are given are dropped, since they have values already. */
static bool copy_node(struct naming *n, const struct onnx_node *node, const uint8_t *slots,
                      struct proto_node *to) {
    const char **outputs = naming_room(n, node->noutputs, sizeof *outputs);
    if (!outputs) return false;
    *to = *node->proto;
    for (int i = 0; i < node->noutputs; i++) {
        bool given = node->outputs[i] >= 0 && slots[node->outputs[i]] & GIVEN;
        outputs[i] = given ? "" : node->proto->outputs.items[i];
    }
    to->outputs.items = outputs;
    return true;
}

struct proto_graph *resolve_retrace(struct naming *n, const struct proto_node *proto) {
    const struct onnx_graph *g = n->graph;
    struct proto_graph *graph = naming_room(n, 1, sizeof *graph);
    uint8_t *slots = naming_room(n, g->nslots, 1);
    int64_t nodes = 0;
    if (!graph || !slots || !read_names(n, proto, slots, GIVEN, NEEDED, graph)) return NULL;
    struct proto_node *all = naming_room(n, n->node, sizeof *all);
    if (!all) return NULL;
    for (int k = n->node - 1; k >= 0; k--) {
        if (!computes(&g->nodes[k], slots)) continue;
        if (++n->model->retraced > MOST_RETRACED) {
            fault_set(&n->model->fault, E_LIMIT, "%s: gradients compute more than %d nodes anew",
                      n->model->path, MOST_RETRACED);
            return NULL;
        }
        if (!need_inputs(n, &g->nodes[k], slots) ||
            !copy_node(n, &g->nodes[k], slots, &all[n->node - ++nodes]))
            return NULL;
    }
    graph->nodes.items = all + (n->node - nodes), graph->nodes.n = nodes;
    return graph;
}
