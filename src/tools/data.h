/* The examples that the commands train and test on. */
#ifndef TOOLS_DATA_H
#define TOOLS_DATA_H
#include <tyto/nn.h>

struct data {
    ty_tensor *images, *labels;           /* for training */
    ty_tensor *test_images, *test_labels; /* held out */
};

/* MNIST files of the folder, or generated digits for NULL; at most `limit` (0: no limit) of each.  The
   tensors belong to the open scope.  False after a message on stderr. */
bool data_open(struct data *d, const char *folder, int64_t limit);
#endif
