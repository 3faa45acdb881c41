/* Programs of a run, and the nodes between them. */
#include "tools/onnx/programs.h"
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/context/stop.h"
#include "base/list.h"
#include "onnx/resolve.h"
#include "onnx/trace.h"
#include "tools/onnx/use.h"
#include "tools/options/result.h"

/* Nodes of one operator that end segments. */
struct ending {
    const struct onnx_node *node;
    bool chooses;
    int count;
};
struct endings {
    int n, capacity, programs;
    struct ending *items;
};

static bool same_operator(const struct proto_node *a, const struct proto_node *b) {
    const char *names[] = {a->op_type ? a->op_type : "", b->op_type ? b->op_type : ""};
    return !strcmp(names[0], names[1]) && !strcmp(onnx_domain(a->domain), onnx_domain(b->domain));
}

/* Count the programs of a chain, and the nodes at their ends.  False: no memory. */
static bool count_chain(const struct chain *chain, struct endings *all) {
    for (int i = 0; i < chain->nsegments; i++) {
        const struct segment *s = &chain->segments[i];
        all->programs += s->program != NULL;
        if (!s->node) continue;
        int k = 0;
        while (k < all->n && !same_operator(all->items[k].node->proto, s->node->proto)) k++;
        struct ending one = {s->node, s->chooses, 0};
        if (k == all->n && !list_append(all->items, all->n, all->capacity, one)) return false;
        all->items[k].count++;
    }
    return true;
}

static void print_endings(const struct endings *all) {
    say("programs: %d\n", all->programs);
    result_whole("programs", all->programs);
    for (int i = 0; i < all->n; i++) {
        struct text t = {0};
        const struct proto_node *proto = all->items[i].node->proto;
        const char *domain = onnx_domain(proto->domain);
        text_add_visible(&t, domain);
        if (*domain) text_add(&t, ".");
        text_add_visible(&t, proto->op_type ? proto->op_type : "");
        char *name = text_take(&t);
        say("  %6d %s %s\n", all->items[i].count, name ? name : "",
            all->items[i].chooses
                ? "between them: the chosen graph alone is compiled, since both cannot be one"
                : "between them on values, since elements decide on shapes");
        mem_free(name);
    }
}

bool programs_print(ty_onnx *model, const struct onnx_value *inputs, struct arena *arena,
                    struct onnx_value *outputs) {
    struct fault fault = {0}, stopped = {0};
    struct endings all = {0};
    bool drawn, ran = use_run(model, USE_COMPILED, inputs, arena, NULL, outputs, &drawn, &fault);
    if (!stop_check(&stopped)) return complain("%s", stopped.text) == EXIT_SUCCESS;
    const struct onnx_trace *t = model->traces;
    if (!ran || !t || t->failed) {
        say("programs: none: %s\n", ran ? model->untraced.text : fault.text);
        return true;
    }
    bool counted = count_chain(t->chains, &all);
    if (counted) print_endings(&all);
    mem_free(all.items);
    return counted || complain("out of memory") == EXIT_SUCCESS;
}
