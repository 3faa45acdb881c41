/* Counting over the messages of a model's file. */
#include "tools/onnx/info.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "onnx/api.h"
#include "onnx/resolve.h"
#include "tools/onnx/flops.h"
#include "tools/onnx/form.h"
#include "tools/onnx/tally.h"
#include "tools/onnx/use.h"
#include "tools/options/message.h"
#include "tools/options/result.h"

static const char *text_of(const char *words) { return words ? words : ""; }

static void print_visible(const char *words) {
    struct text t = {0};
    text_add_visible(&t, words);
    char *all = text_take(&t);
    say("%s", all ? all : "");
    mem_free(all);
}

/* ---- operators ---- */

/* Count the nodes of a list, and of the graphs inside them. */
static void count_nodes(struct tally *all, int64_t n, const struct proto_node *nodes) {
    for (int64_t i = 0; i < n && !all->failed; i++) {
        tally_add(all, &nodes[i], 1);
        for (int64_t a = 0; a < nodes[i].attributes.n; a++) {
            const struct proto_graph *inner = nodes[i].attributes.items[a].g;
            if (inner) count_nodes(all, inner->nodes.n, inner->nodes.items);
        }
    }
}

/* Print the number of nodes and a name: "  3 ai.onnx.ml.Scaler"; the caller closes their object in the JSON. */
static void print_operator(int64_t nodes, const char *domain, const char *name) {
    result_open(NULL, '{');
    result_text("domain", domain);
    result_text("name", name);
    result_whole("nodes", nodes);
    say("  %6" PRId64 " ", nodes);
    tally_say(domain, name);
}

/* Print the operators, the most frequent first, and those that Tyto lacks; false after a message on stderr. */
static bool print_operators(const ty_onnx *model) {
    const struct proto_model *m = model->proto;
    struct tally all = {0};
    if (m->graph) count_nodes(&all, m->graph->nodes.n, m->graph->nodes.items);
    for (int64_t i = 0; i < m->functions.n; i++)
        count_nodes(&all, m->functions.items[i].nodes.n, m->functions.items[i].nodes.items);
    bool well = !all.failed;
    tally_sort(&all);
    if (well)
        say("operators: %" PRId64 " node%s of %" PRId64 " kind%s\n", (int64_t)all.all,
            plural((int64_t)all.all), all.n, plural(all.n));
    result_open("operators", '[');
    for (int64_t i = 0; i < all.n && well; i++) {
        print_operator((int64_t)all.items[i].amount, all.items[i].domain, all.items[i].name);
        say("\n");
        result_close();
    }
    result_close();
    mem_free(all.items);
    ty_onnx_operator lack;
    if (well && ty_onnx_lacks(model))
        say("not supported: %d kind%s\n", ty_onnx_lacks(model), plural(ty_onnx_lacks(model)));
    result_open("lacks", '[');
    for (int i = 0; well && ty_onnx_lack(model, i, &lack); i++) {
        print_operator(lack.count, lack.domain, lack.name);
        say(" of opset %" PRId64 "\n", lack.opset);
        result_whole("opset", lack.opset);
        result_close();
    }
    result_close();
    return well || complain("out of memory") == EXIT_SUCCESS;
}

/* ---- the other parts ---- */

static bool is_stored(const struct proto_graph *graph, const char *name) {
    for (int64_t i = 0; i < graph->initializers.n; i++)
        if (!strcmp(text_of(graph->initializers.items[i].name), name)) return true;
    return false;
}

static void add_port(const ty_onnx_port *port) {
    struct text form = {0};
    form_add(&form, port);
    result_open(NULL, '{');
    result_text("name", port->name);
    result_text("form", form.data);
    result_close();
    text_drop(&form);
}

/* Print the declared forms of n inputs or outputs, but those of stored tensors. */
static void print_values(const char *title, ty_onnx *model, int64_t n, const struct proto_value *values) {
    say("%s\n", title);
    result_open(title, '[');
    for (int64_t i = 0; i < n; i++) {
        ty_onnx_port port;
        struct text t = {0};
        if (is_stored(model->proto->graph, text_of(values[i].name)) || !onnx_port(model, &values[i], &port))
            continue;
        text_add(&t, "  ");
        text_add_visible(&t, port.name);
        text_add(&t, " ");
        form_add(&t, &port);
        char *line = text_take(&t);
        say("%s\n", line ? line : "");
        mem_free(line);
        add_port(&port);
    }
    result_close();
}

/* Tensors in a model, and their sizes. */
struct stored {
    int64_t n;
    double numbers, bytes;
};

static void add_tensor(struct stored *s, const struct proto_tensor *t) {
    ty_dtype dtype = onnx_dtype_of(t->data_type);
    double size = 1;
    for (int64_t k = 0; k < t->dims.n; k++) size *= (double)t->dims.items[k];
    s->n++;
    s->numbers += size;
    s->bytes += dtype == TY_DTYPES ? size : size * ty_dtype_bits(dtype) / 8;
}

static void print_stored(const char *title, const char *key, const struct stored *s) {
    result_open(key, '{');
    result_whole("tensors", s->n);
    result_number("elements", s->numbers);
    result_number("bytes", s->bytes);
    result_close();
    say("%s: %" PRId64 " tensor%s, %.0f element%s, %.1f MB\n", title, s->n, plural(s->n), s->numbers,
        s->numbers == 1 ? "" : "s", s->bytes / (1 << 20));
}

static void print_parameters(const struct proto_graph *graph) {
    struct stored initial = {0}, constants = {0};
    for (int64_t i = 0; i < graph->initializers.n; i++) add_tensor(&initial, &graph->initializers.items[i]);
    for (int64_t i = 0; i < graph->nodes.n; i++) {
        const struct proto_node *node = &graph->nodes.items[i];
        if (!strcmp(text_of(node->op_type), "Constant") && node->attributes.n && node->attributes.items[0].t)
            add_tensor(&constants, node->attributes.items[0].t);
    }
    print_stored("stored", "stored", &initial);
    if (constants.n) print_stored("constants in nodes", "constants", &constants);
}

/* Print the operations and the memory of runs with given sizes; false after a message on stderr. */
static bool print_runs(ty_onnx *model, const struct option_list *sizes, const struct option_list *most,
                       double seconds) {
    struct fault fault = {0};
    int64_t bytes;
    if (!form_sizes_known(model, sizes) || !flops_print(model, sizes->n ? sizes : most, seconds))
        return false;
    if (!use_reserve(model, USE_COMPILED, most, &bytes, &fault))
        return complain_fault(&fault) == EXIT_SUCCESS;
    if (most->n) say("memory for all runs: %" PRId64 " bytes\n", bytes);
    if (most->n) result_whole("memory", bytes);
    return true;
}

static void print_head(const char *path, const struct proto_model *m) {
    print_visible(path);
    say(": ONNX, IR version %" PRId64 ", opset", m->ir_version);
    result_text("format", "onnx");
    result_whole("ir_version", m->ir_version);
    result_open("opsets", '[');
    for (int64_t i = 0; i < m->opsets.n; i++) {
        const char *domain = onnx_domain(m->opsets.items[i].domain);
        say(i ? ", " : " ");
        print_visible(domain);
        say("%s%" PRId64, *domain ? " " : "", m->opsets.items[i].version);
        result_open(NULL, '{');
        result_text("domain", domain);
        result_whole("version", m->opsets.items[i].version);
        result_close();
    }
    result_close();
    result_text("producer", text_of(m->producer_name));
    if (*text_of(m->producer_name)) {
        say("; made by ");
        print_visible(m->producer_name);
        say(" ");
        print_visible(text_of(m->producer_version));
    }
    say("\n");
}

bool onnx_info_print(const char *path, ty_onnx *model, const struct option_list *sizes,
                     const struct option_list *most, double seconds) {
    const struct proto_model *m = model->proto;
    if (!m) return COMPLAIN_FAILURE(ty_onnx_failure(model)) == EXIT_SUCCESS;
    print_head(path, m);
    if (m->graph) {
        print_values("inputs", model, m->graph->inputs.n, m->graph->inputs.items);
        print_values("outputs", model, m->graph->outputs.n, m->graph->outputs.items);
        print_parameters(m->graph);
    }
    if (!print_operators(model) || (!*ty_onnx_error(model) && !print_runs(model, sizes, most, seconds)))
        return false;
    if (m->metadata.n) say("metadata\n");
    result_open("metadata", '[');
    for (int64_t i = 0; i < m->metadata.n; i++) {
        say("  ");
        print_visible(text_of(m->metadata.items[i].key));
        say(": ");
        print_visible(text_of(m->metadata.items[i].value));
        say("\n");
        result_pair(text_of(m->metadata.items[i].key), text_of(m->metadata.items[i].value));
    }
    result_close();
    if (!ty_onnx_lacks(model) && *ty_onnx_error(model))
        return COMPLAIN_FAILURE(ty_onnx_failure(model)) == EXIT_SUCCESS;
    return true;
}
