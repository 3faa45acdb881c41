/* Log of a training: one line per step, its number and its loss. */
#ifndef TOOLS_TRAIN_LOG_H
#define TOOLS_TRAIN_LOG_H
#include <stdint.h>
#include <stdio.h>
#include "tools/train/curves.h"

/* Open the log at `path`: new, or if `resumed` positioned behind the line of `step`. Earlier lines are
   added to the curve unless it is NULL, later ones are cut off. Devices (/dev/stdout) are written in place.
   NULL after a message on stderr. */
FILE *log_open(const char *path, bool resumed, int64_t step, struct curve *curve);
#endif
