/* Variables to and from a file by their names: what models and trainers have in common. */
#ifndef NN_CHECKPOINT_H
#define NN_CHECKPOINT_H
#include "base/text.h"
#include <tyto/io.h>

/* Writes the variables under their names, with pairs of texts. */
bool checkpoint_write(const char *path, int n, ty_tensor *const *variables, int nmeta,
                      const char *const *keys, const char *const *values, struct fault *fault);
/* Assigns to each variable the tensor of its name.  All are checked before the first is assigned. */
bool checkpoint_read(const ty_archive *archive, const char *path, int n, ty_tensor *const *variables,
                     struct fault *fault);
#endif
