/* Formats of files that hold several tensors. */
#ifndef IO_SEVERAL_H
#define IO_SEVERAL_H
#include "base/for_command.h"
#include <stdbool.h>

/* Return true if the path has the extension of a format that holds several tensors, without ".gz". */
bool file_holds_several(const char *path) FOR_COMMAND(file_holds_several);
#endif
