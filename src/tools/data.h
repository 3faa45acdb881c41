/* The examples that the commands train and test on. */
#ifndef TOOLS_DATA_H
#define TOOLS_DATA_H
#include <tyto/nn.h>
#include "tools/loaded.h"
#include "tools/network.h"

struct data {
    ty_tensor *images, *labels;           /* for training: inputs and targets; NULL: they are loaded */
    ty_tensor *test_images, *test_labels; /* held out; NULL: none are */
    struct loaded loaded;                 /* a folder of images, a text; all NULL: neither */
    int64_t classes;  /* as many as the labels number; 0: they are no labels, but values */
    const char *what; /* "images", "rows" */
};

struct data_options {
    const char *path;     /* NULL: generated digits, or for networks of text the system's copy of the GPL */
    const char *target;   /* of a table: the column that is to be found; NULL: the last */
    int64_t limit;        /* at most so many examples; 0: all */
    double held_out;      /* share for validation where the data has no part of its own; 0: none */
    const int64_t *shape; /* of a folder of images: what the network takes; NULL: no images */
    int64_t batch;
    uint64_t seed;      /* of which are held out */
    int64_t most_bytes; /* what unpacking may come to; 0: the usual */
};

/* A folder of MNIST's files, a folder of images by class, a table (.csv), arrays (.npz, .safetensors), a text.  Tensors belong
   to the open scope.  False after a message on stderr.  Ended with data_close. */
bool data_open(struct data *d, const ty_network *network, const struct data_options *options);
void data_close(struct data *d);
#endif
