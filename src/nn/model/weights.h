/* Names and layouts of a model's variables in files. */
#ifndef NN_MODEL_WEIGHTS_H
#define NN_MODEL_WEIGHTS_H
#include "nn/model/model.h"

/* Return the name of a variable in the file, which the caller frees (mem_free); NULL without memory. */
char *weights_name(const struct variable_entry *e, const ty_weights_options *o);
/* Return how many of the n entries e[], from the first on, form one tensor of the file; `names` are their
   names in it. */
int weights_joined(int n, struct variable_entry *const *e, char *const *names, const ty_weights_options *o);
/* Return the file's tensor of n joined entries, stacked or summed as their layout says; poison on
   failure. */
ty_tensor *weights_to_file(int n, struct variable_entry *const *e, const ty_weights_options *o);
/* Write the shape of the file's tensor of n joined entries like e to `shape` and return its rank. */
int weights_shape(int n, const struct variable_entry *e, const ty_weights_options *o, int64_t *shape);
/* Return the value of entry i of n joined ones, counted from 0, out of the file's tensor x; of a sum the
   first gets all, others 0. */
ty_tensor *weights_from_file(int n, const struct variable_entry *e, const ty_weights_options *o, ty_tensor *x,
                             int i);
/* Return x reshaped to `shape` if the layout allows another shape for it in the file; else return x. */
ty_tensor *weights_reshaped(const ty_weights_options *o, ty_tensor *x, int rank, const int64_t *shape);
#endif
