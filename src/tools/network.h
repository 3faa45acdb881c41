/* Networks that the commands take: one that is known by name, or a description in a file. */
#ifndef TOOLS_NETWORK_H
#define TOOLS_NETWORK_H
#include <tyto/zoo.h>
#include "tools/command.h"

struct network {
    const ty_network *known; /* NULL: a description */
    ty_model *model;
    int64_t classes; /* 0: it has none, or they are not told */
};

/* Whether there is a network of that name, or the name ends in .json; false after a message on stderr. */
bool network_check(const char *name);
/* Opens it; classes 0: its own.  False after a message on stderr.  Ended with network_close. */
bool network_open(struct network *n, const char *name, int64_t classes, ty_model_options options);
/* Makes the parameters for a batch of so many; false after a message on stderr. */
bool network_build(struct network *n, int64_t batch);
/* Inputs of a batch that are drawn, for measuring: f32 normal, integers small; at most `room` of them.  0 after a message. */
int network_examples(const struct network *n, int64_t batch, int room, ty_tensor **x);
/* Reads weights; layout: "tyto", "pytorch" or "keras"; false after a message on stderr. */
bool network_load(struct network *n, const char *path, const char *layout);
/* The form of one example, what the network takes without the batch axis. */
struct form {
    ty_dtype dtype;
    int rank;
    const int64_t *shape;
    bool any_size; /* the first two axes may have other sizes */
};
/* That of the first input; false: it has none. */
bool network_form(const struct network *n, struct form *f);
/* Whether axes of x from `from` on are those of an example. */
bool network_fits(const struct form *f, const ty_tensor *x, int from);
/* "4 columns", "(28,28,1)": the form of examples with these sizes, into room of FORM_WORDS. */
enum { FORM_WORDS = 200 };
const char *network_form_words(char *out, int rank, const int64_t *shape);
void network_close(struct network *n);
/* "lenet, mlp, ...", for help texts. */
extern const char network_names[];
extern const struct option_type option_layout;
#endif
