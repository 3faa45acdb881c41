/* A trained network and the files that a command applies it to: `COMMAND WEIGHTS FILE...`. */
#ifndef TOOLS_NETWORK_MODEL_IN_H
#define TOOLS_NETWORK_MODEL_IN_H
#include <tyto/prepare.h>
#include "tools/network/labels.h"
#include "tools/network/network.h"
#include "tools/options/inputs.h"
#include "tools/options/reader.h"

/* Settings; a member `in` of a command's settings. */
struct model_in {
    struct option_list places;  /* positional arguments */
    struct option_list further; /* --input */
    const char *weights, *labels;
    int layout;
    int64_t classes, threads;
    struct reader_in reader;
};
#define MODEL_IN_OPTIONS(settings)                                                                           \
    {"WEIGHTS FILE...", &option_files, offsetof(settings, in.places),                                        \
     "a file of weights of tyto train, then tables, images, arrays, or folders of them"},                    \
        {"--input", &option_files, offsetof(settings, in.further),                                           \
         "read a further file or folder; repeatable"},                                                       \
        {"--weights", &option_file, offsetof(settings, in.weights),                                          \
         "read weights that do not name their network: then the first argument is its name or description"}, \
        {"--layout", &option_layout, offsetof(settings, in.layout),                                          \
         "expect names and order of axes in the file of weights as in tyto, pytorch or keras (tyto)"},       \
        {"--labels", &option_file, offsetof(settings, in.labels),                                            \
         "read the names of the classes from a file, one per line (those of the training)"},                 \
        {"--classes", &option_count, offsetof(settings, in.classes),                                         \
         "distinguish N classes or tokens, for weights that do not name their network"},                     \
        READER_OPTIONS(offsetof(settings, in.reader)), {                                                     \
        "--threads", &option_width, offsetof(settings, in.threads),                                          \
            "use N threads (all processors); results have the same bits for any number"                      \
    }

/* A loaded network with what travels with its weights, and the files. */
struct model {
    struct network network;
    ty_preparation *preparation; /* NULL: the network is not one of tables */
    struct labels labels;
    struct inputs inputs;
};
/* Load the network of the settings and list its files, folders of images as such if `whole`.  False after a message on
   stderr: *status receives EXIT_USAGE or EXIT_FAILED.  Call model_close in any case. */
bool model_open(struct model *m, const struct model_in *in, bool whole, int *status);
void model_close(struct model *m);
#endif
