/* tyto evaluate: metrics of a trained network on a table with its target. */
#include <stdlib.h>
#include <string.h>
#include "tools/file.h"
#include "tools/table.h"

struct settings {
    const char *network, *weights, *data;
    int layout;
    int64_t threads;
    struct reader_in reader;
};

/* Evaluate the network on the table; false after a message on stderr. */
static bool evaluate(const struct settings *s, struct network *n, const ty_preparation *p) {
    ty_table *table = reader_open(s->data, &s->reader);
    if (!table) return false;
    double score;
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_preparation_inputs(p, table, TY_F32), *t = ty_preparation_targets(p, table),
              *y[TY_MAX_RANK];
    bool well = ty_ok(x) && ty_ok(t);
    if (well) {
        ty_model_predict(n->model, 1, &x, y);
        well = table_report(p, s->data, y[0], t, &score);
    } else {
        complain("%s: %s", s->data, ty_error(ty_ok(x) ? t : x));
    }
    ty_close(scope);
    ty_table_free(table);
    return well;
}

/* Return true if all necessary options are given; false after a message on stderr. */
static bool check(const struct settings *s) {
    if (!network_check(s->network)) return false;
    if (!s->weights)
        return complain("the weights are missing: add --weights FILE, a file of tyto train --save") ==
               EXIT_SUCCESS;
    return s->data || complain("the table is missing: add --data FILE.csv") == EXIT_SUCCESS;
}

/* Run the command evaluate with the parsed settings `chosen`; return the exit status. */
static int run(const void *chosen) {
    const struct settings *s = chosen;
    struct network n = {0};
    if (!check(s)) return EXIT_USAGE;
    if (s->threads) ty_set_threads((int)s->threads);
    ty_scope *scope = ty_open();
    ty_preparation *p = ty_preparation_read(s->weights);
    bool well =
        !*ty_preparation_error(p) || complain("%s: %s", s->weights, ty_preparation_error(p)) == EXIT_SUCCESS;
    well = well && table_network(&n, s->network, p, s->weights, s->layout) && evaluate(s, &n, p);
    ty_preparation_free(p);
    network_close(&n);
    ty_close(scope);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"NETWORK", &option_name, AT(network), network_names},
    {"--weights", &option_file, AT(weights), "a file of weights of tyto train --save or --best for a table"},
    {"--layout", &option_layout, AT(layout),
     "names and order of axes in the file of weights: tyto, pytorch, keras (tyto)"},
    {"--data", &option_file, AT(data), "a table, FILE.csv, with the target's column"},
    READER_OPTIONS(AT(reader)),
    {"--threads", &option_width, AT(threads),
     "number of threads (all processors); results have the same bits for any number"},
    {0}};

const struct command command_evaluate = {
    .name = "evaluate",
    .doc = "Print metrics of a trained network on a table.",
    .details =
        "Columns are matched by name.  Rows with another target than those of the training do not count.",
    .options = options,
    .defaults = &(const struct settings){.network = ""},
    .bytes = sizeof(struct settings),
    .run = run,
    .computes = true};
