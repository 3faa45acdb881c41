/* tyto summary: prints the layers of a network. */
#include <stdio.h>
#include <stdlib.h>
#include <tyto/core.h>
#include "tools/network/network.h"

struct settings {
    const char *network;
    int64_t classes, batch;
};

/* Run the command summary with the parsed settings `chosen`; return the exit status. */
static int run(const void *chosen) {
    const struct settings *s = chosen;
    struct network n = {0};
    if (!network_check(s->network)) return EXIT_USAGE;
    ty_scope *scope = ty_open();
    int status = EXIT_FAILED;
    if (network_open(&n, s->network, s->classes, (ty_model_options){.lazy = true}) &&
        network_build(&n, s->batch)) {
        char *table = ty_model_summary(n.model);
        status = table ? EXIT_SUCCESS : complain("out of memory");
        if (table) fputs(table, stdout);
        ty_free(table);
    }
    network_close(&n);
    ty_close(scope);
    return status;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"NETWORK", &option_name, AT(network), network_names},
    {"--classes", &option_count, AT(classes), "number of classes or tokens (the network's default)"},
    {"--batch", &option_count, AT(batch), "batch size for which operations and bytes are counted (1)"},
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
    .run = run};
