/* Trained networks of the commands: weights that name their network, or a name beside weights. */
#include "tools/network/model_in.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/nearest.h"
#include "tools/network/table.h"
#include "tools/options/message.h"

/* Return true if an argument is a description, or the name of a network that is not also that of a file of weights. */
static bool names_network(const struct model_in *in, const char *text) {
    size_t n = strlen(text);
    bool described = n > 5 && !strcmp(text + n - 5, ".json");
    return described || (ty_network_named(text) && (in->weights || access(text, F_OK)));
}

/* Set *network, NULL if the weights name it, *weights and *first, the number of the first positional argument that is
   an input.  False after a message. */
static bool resolve(const struct model_in *in, const char **network, const char **weights, int *first) {
    const char *place = in->places.n ? in->places.items[0] : NULL;
    bool named = place && names_network(in, place);
    *network = named ? place : NULL;
    *weights = in->weights;
    *first = named;
    if (!in->weights && named)
        return complain("the weights are missing: add --weights FILE, a file of tyto train --save") ==
               EXIT_SUCCESS;
    if (in->weights && place && !named && !strpbrk(place, "./") && access(place, F_OK))
        return network_check(place); /* a misspelt name */
    if (!in->weights) *weights = place, *first = 1;
    if (!*weights)
        return complain(
                   "the weights are missing: expected WEIGHTS FILE..., of which the first is a file of tyto "
                   "train --save") == EXIT_SUCCESS;
    bool table = table_named(*weights) && !reader_streams(*weights);
    if (table || inputs_image(*weights))
        return complain("%s: is %s; the weights come first, then the files", *weights,
                        table ? "a table" : "an image") == EXIT_SUCCESS;
    if (in->places.n > *first || in->further.n) return true;
    return complain("an input is missing: expected files or folders behind the weights") == EXIT_SUCCESS;
}

/* Load the preparation of the weights, if any; false after a message. */
static bool load_preparation(struct model *m, const char *weights) {
    ty_preparation *p = ty_preparation_read(weights);
    if (!*ty_preparation_error(p)) {
        m->preparation = p;
        return true;
    }
    /* A file without one is that of another network. */
    bool lacks = ty_error_code(ty_preparation_failure(p)) == TY_ERROR_ARGUMENT;
    if (!lacks) COMPLAIN_FAILURE(ty_preparation_failure(p));
    ty_preparation_free(p);
    return lacks;
}

/* Load the network; false after a message. */
static bool load(struct model *m, const struct model_in *in, const char *name, const char *weights) {
    if (!load_preparation(m, weights)) return false;
    if (!name && in->layout)
        return complain("%s: weights in another layout do not name their network: name it first, and add "
                        "--weights",
                        weights) == EXIT_SUCCESS;
    if (in->classes && (!name || m->preparation))
        return complain("--classes: %s says how many classes its network has", weights) == EXIT_SUCCESS;
    if (!name) return network_from(&m->network, weights, "name it first, and add --weights");
    if (m->preparation) return table_network(&m->network, name, m->preparation, weights, in->layout);
    return network_open(&m->network, name, in->classes, (ty_model_options){.lazy = true}) &&
           network_build(&m->network, 1) && network_load(&m->network, weights, in->layout);
}

/* Read the names of the classes, one for each; false after a message. */
static bool load_labels(struct model *m, const char *path) {
    int64_t classes = m->preparation ? ty_preparation_classes(m->preparation) : m->network.classes;
    return labels_load(&m->labels, path) &&
           (!classes || m->labels.n == classes ||
            complain("%s: has %lld lines; expected %lld, one for each class", path, (long long)m->labels.n,
                     (long long)classes) == EXIT_SUCCESS);
}

/* List the files of a network; false after a message. */
static bool list(struct model *m, const struct model_in *in, int first, bool whole) {
    bool (*wanted)(const char *name) = m->preparation ? table_named : whole ? NULL : inputs_image;
    bool well = true;
    for (int i = first; i < in->places.n && well; i++)
        well = inputs_add(&m->inputs, in->places.items[i], wanted);
    for (int i = 0; i < in->further.n && well; i++)
        well = inputs_add(&m->inputs, in->further.items[i], wanted);
    return well;
}

bool model_open(struct model *m, const struct model_in *in, bool whole, int *status) {
    const char *name, *weights;
    int first;
    *m = (struct model){0};
    *status = EXIT_USAGE;
    if (!resolve(in, &name, &weights, &first)) return false;
    if (in->threads) ty_set_threads((int)in->threads);
    *status = EXIT_FAILED;
    return load(m, in, name, weights) &&
           (in->labels ? load_labels(m, in->labels)
                       : labels_of(&m->labels, m->preparation, m->network.model)) &&
           list(m, in, first, whole);
}

void model_close(struct model *m) {
    ty_preparation_free(m->preparation);
    network_close(&m->network);
    labels_drop(&m->labels);
    inputs_drop(&m->inputs);
}
