/* What a file calls a model's variables, and in which form it has them. */
#ifndef NN_MODEL_WEIGHTS_H
#define NN_MODEL_WEIGHTS_H
#include "nn/model/model.h"

/* The name in the file; mem_free.  NULL: no memory. */
char *weights_name(const struct variable_entry *e, const ty_weights_options *o);
/* How many entries from the first on, whose names are there too, are one tensor of the file. */
int weights_joined(int n, struct variable_entry *const *e, char *const *names, const ty_weights_options *o);
/* The tensor of n of them. */
ty_tensor *weights_to_file(int n, struct variable_entry *const *e, const ty_weights_options *o);
/* Its shape: returns the rank. */
int weights_shape(int n, const struct variable_entry *e, const ty_weights_options *o, int64_t *shape);
/* Entry i of n from the tensor of that shape. */
ty_tensor *weights_from_file(int n, const struct variable_entry *e, const ty_weights_options *o, ty_tensor *x,
                             int i);
/* x in the shape that is meant, where a file may have another one for it; else x. */
ty_tensor *weights_reshaped(const ty_weights_options *o, ty_tensor *x, int rank, const int64_t *shape);
#endif
