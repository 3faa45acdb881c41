/* tyto summary: prints the layers of a network. */
#include <stdio.h>
#include <stdlib.h>
#include <tyto/core.h>
#include "nn/model/model.h"
#include "tools/network/network.h"
#include "tools/options/result.h"

enum { DIGITS = 3 }; /* of operations and bytes */

struct settings {
    const char *network;
    int64_t classes, batch;
};

/* Append the layers to the JSON, with what the lines of the table have. */
static void add_layers(const struct network *n, const char *name) {
    double all = 0, operations = 0;
    result_text("network", name);
    result_open("layers", '[');
    for (int i = 0; i < n->model->nlayers; i++) {
        const ty_layer *l = n->model->layers[i];
        double parameters = 0;
        for (const struct variable_entry *e = l->variables; e; e = e->next)
            if (!e->is_state) parameters += (double)ty_size(e->variable);
        result_open(NULL, '{');
        result_text("name", l->path);
        result_text("kind", l->kind ? l->kind->name : NULL);
        result_shape(l->rank, l->shape);
        result_number("parameters", parameters);
        result_number("operations", l->operations);
        result_close();
        operations += l->operations;
    }
    result_close();
    for (int i = 0; i < ty_model_parameters(n->model); i++)
        all += (double)ty_size(ty_model_parameter(n->model, i));
    result_number("parameters", all);
    result_number("operations", operations);
}

/* Run the command summary with the parsed settings `chosen`; return the exit status. */
static int run(const void *chosen) {
    const struct settings *s = chosen;
    struct network n = {0};
    if (!network_check(s->network)) return EXIT_USAGE;
    ty_scope *scope = ty_open();
    int status = EXIT_FAILED;
    if (network_open(&n, s->network, s->classes, (ty_model_options){.lazy = true}) &&
        network_build(&n, s->batch)) {
        char *table = model_summary(n.model, precision_or(DIGITS));
        status = table ? EXIT_SUCCESS : complain("out of memory");
        if (table) say("%s", table);
        add_layers(&n, s->network);
        ty_free(table);
    }
    network_close(&n);
    ty_close(scope);
    return status;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"NETWORK", &option_name, AT(network), network_names},
    {"--classes", &option_count, AT(classes), "distinguish N classes or tokens (the network's default)"},
    {"--batch", &option_count, AT(batch), "count operations and bytes of a batch of N examples (1)"},
    {0}};

const struct command command_summary = {
    .name = "summary",
    .doc = "List the layers of a network: shapes, parameters, operations.",
    .details = "Operations are those of contractions, two per product.  Bytes are those of the results.\n"
               "  tyto summary resnet50\n"
               "  tyto summary lenet --batch 32",
    .options = options,
    .defaults = &(const struct settings){.network = "", .batch = 1},
    .bytes = sizeof(struct settings),
    .run = run,
    .prints = true};
