/* Targets of writing that no file can replace: devices, pipes, descriptors of this process. */
#ifndef IO_IN_PLACE_H
#define IO_IN_PLACE_H
#include <stdbool.h>
#include <stddef.h>

/* The descriptor of this process that the path names (/dev/stdout, /dev/fd/3, /proc/self/fd/3, links to them); -1: none. */
int in_place_descriptor(const char *path);
/* Whether the path names something that is written in place: a descriptor of this process, one of another (/proc/9/fd/1),
   or what is neither a regular file nor a folder.  A path that leads nowhere does not. */
bool in_place_is(const char *path);
/* Opens such a target; -1 with errno.  A descriptor is duplicated, so that writing goes on where it stands. */
int in_place_open(const char *path);
/* Whether it could be opened, which is not done, as it may wait for a reader; false with errno. */
bool in_place_try(const char *path);
/* Writes n bytes; false with errno.  A pipe that nobody reads is EPIPE, without a signal. */
bool in_place_write(int file, const void *bytes, size_t n);
#endif
