/* Networks of the commands: known by name, or described in a file. */
#ifndef TOOLS_NETWORK_NETWORK_H
#define TOOLS_NETWORK_NETWORK_H
#include <tyto/zoo.h>
#include "tools/command.h"

/* An open network; network_close frees its model. */
struct network {
    const ty_network *known; /* network of the library; NULL: it is described in a file */
    ty_model *model;
    int64_t classes; /* 0: none, or unknown */
    bool opened;     /* by network_from: dtype, rank and shape are those of its examples */
    ty_dtype dtype;
    int rank;
    int64_t shape[TY_MAX_RANK];
};

/* Return true if the name is a known network or ends in .json; false after a message on stderr. */
bool network_check(const char *name);
/* Create the model of the network `name`, known or a .json file; classes 0: the network's own number. False
   after a message on stderr; call network_close in any case. */
bool network_open(struct network *n, const char *name, int64_t classes, ty_model_options options);
/* Make the network that a file of weights names, with its weights; false after a message on stderr, with the advice
   unless that is NULL if the file names none.  Call network_close in any case. */
bool network_from(struct network *n, const char *weights, const char *advice);
/* Create the model's parameters, by a call on `batch` examples without elements; false after a message on
   stderr. */
bool network_build(struct network *n, int64_t batch);
/* Fill x[] with inputs of a batch for measurements: f32 normal, integers small; at most `room` tensors.
   Return their number, 0 after a message. */
int network_examples(const struct network *n, int64_t batch, int room, ty_tensor **x);
/* Load the weights file `path`; layout is a ty_layout. False after a message on stderr. */
bool network_load(struct network *n, const char *path, int layout);
/* Write the weights to `path` in a layout; false after a message on stderr. */
bool network_save(const struct network *n, const char *path, int layout);
/* Dtype and shape of one example, without the batch axis. */
struct form {
    ty_dtype dtype;
    int rank;
    const int64_t *shape;
    bool any_size; /* the first two axes may have other sizes */
};
/* Describe the first input in *f; false if there is none. */
bool network_form(const struct network *n, struct form *f);
/* Return true if the axes of x from `from` on have the shape of an example. */
bool network_fits(const struct form *f, const ty_tensor *x, int from);
/* Return true if no element of x is NaN; false after a message that tells how many are, where the first is, and the
   command that fills them.  x is the only array of the file `path` (n = 0), or that with the name names[i] of n, NULL for
   arrays that are not there. */
bool network_whole(const char *path, int n, const char *const *names, int i, ty_tensor *x);
enum { FORM_WORDS = 200 };
/* Write the shape of examples, "4 columns" or "(28,28,1)", to `out`, of FORM_WORDS bytes, and return it. */
const char *network_form_words(char *out, int rank, const int64_t *shape);
/* Free the model. */
void network_close(struct network *n);
/* list for help texts, "lenet, mlp, ..." */
extern const char network_names[];
extern const struct option_type option_layout;
#endif
