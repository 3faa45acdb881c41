/* Training and test examples of the commands. */
#ifndef TOOLS_NETWORK_DATA_H
#define TOOLS_NETWORK_DATA_H
#include <tyto/nn.h>
#include "tools/network/loaded.h"
#include "tools/network/network.h"
#include "tools/network/table.h"

/* Examples of a command, in memory or behind loaders; data_close frees them. */
struct data {
    ty_tensor *images, *labels;           /* training inputs and targets; NULL: use `loaded` */
    ty_tensor *test_images, *test_labels; /* held out; NULL: none */
    const char *names[4];                 /* of these in a file of arrays; NULL: of another kind */
    struct loaded loaded;                 /* folder of images or text; all NULL: neither */
    struct table_parts table;             /* a prepared table, of which the tensors are parts */
    int64_t classes;                      /* number of classes of the labels; 0: targets are values */
    const char *what;                     /* word for the examples in messages: "images", "rows" */
};

/* Arguments of data_open. */
struct data_options {
    /* File or folder; NULL: generated digits, or for text networks the system's copy of the GPL. */
    const char *path;
    const char *target;   /* target column of a table; NULL: the last */
    int64_t limit;        /* most examples; 0: all */
    double held_out;      /* share for validation if the data has no test set; 0: none */
    const int64_t *shape; /* image shape for a folder; NULL: not images */
    int64_t batch;
    uint64_t seed;         /* seed of the draw of held-out examples */
    double test;           /* share of a table's rows for the test, apart from validation */
    int64_t folds, fold;   /* of a table, as in table_split_options */
    ty_task task;          /* of a table */
    const char *augment;   /* steps of images, as in image_plan */
    bool skip_bad;         /* leave out images that cannot be read */
    const char *tokenizer; /* of a text, as in text_plan */
    int64_t vocabulary;
    const struct reader_in *reader; /* options of tables; limit of unpacked bytes; not NULL with a path */
};

/* Open MNIST's folder, a folder of images by class, a table (.csv), arrays (.npz, .safetensors), or a text.
   Tensors are owned by the current scope. False after a message on stderr; call data_close in any case. */
bool data_open(struct data *d, const ty_network *network, const struct data_options *options);
/* Free the loaders and data sets of d. */
void data_close(struct data *d);
#endif
