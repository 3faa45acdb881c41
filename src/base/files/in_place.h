/* Files that cannot be replaced and are written in place: devices, pipes, descriptors of a process. */
#ifndef BASE_FILES_IN_PLACE_H
#define BASE_FILES_IN_PLACE_H
#include "base/for_command.h"
#include <stdbool.h>
#include <stddef.h>

/* Return true if the path is written in place: a descriptor of this or another process (/proc/9/fd/1), or
   neither a regular file nor a folder. False if nothing exists there. */
bool in_place_is(const char *path) FOR_COMMAND(in_place_is);
/* Open a file that is written in place and return its descriptor; -1 with errno. A path that names a
   descriptor is duplicated, so that writing continues at its offset. */
int in_place_open(const char *path) FOR_COMMAND(in_place_open);
/* Return true if in_place_open would be permitted, else false with errno. Opens nothing, as that may wait
   for a reader. */
bool in_place_try(const char *path);
/* Write n bytes to a descriptor; false with errno. A pipe without readers fails with EPIPE and raises no
   signal. */
bool in_place_write(int file, const void *bytes, size_t n);
#endif
