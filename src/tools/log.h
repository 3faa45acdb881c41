/* The log of a training: a line for each step, its number and its loss. */
#ifndef TOOLS_LOG_H
#define TOOLS_LOG_H
#include <stdint.h>
#include <stdio.h>
#include "tools/curves.h"

/* Opens the file: new, or (`resumed`) behind the lines of steps up to `step`, which are added to the curve unless that is
   NULL; later ones are cut off, as they will come again.  What is no file (/dev/stdout) is written in place.  NULL after a
   message on stderr. */
FILE *log_open(const char *path, bool resumed, int64_t step, struct curve *curve);
#endif
