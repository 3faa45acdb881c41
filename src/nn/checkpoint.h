/* Checkpoints of named variables, for models and trainers. */
#ifndef NN_CHECKPOINT_H
#define NN_CHECKPOINT_H
#include "base/text.h"
#include <tyto/io.h>

/* Write a checkpoint to `path`: n variables under their names, and nmeta pairs of texts keys[i], values[i].
   False sets the fault. */
bool checkpoint_write(const char *path, int n, ty_tensor *const *variables, int nmeta,
                      const char *const *keys, const char *const *values, struct fault *fault);
/* Return true if the archive has been opened; else false, with the fault set. */
bool checkpoint_opened(const ty_archive *archive, struct fault *fault);
/* Assign to each of n variables the tensor of its name in the archive, after all have been checked. False
   sets the fault and assigns nothing; `path` is for its message. */
bool checkpoint_read(const ty_archive *archive, const char *path, int n, ty_tensor *const *variables,
                     struct fault *fault);
#endif
