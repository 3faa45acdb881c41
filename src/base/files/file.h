/* Files that are replaced atomically. */
#ifndef BASE_FILES_FILE_H
#define BASE_FILES_FILE_H
#include "base/for_command.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/text.h"

/* Return true if anything exists at the path. */
bool file_exists(const char *path);

/*
 * Atomic replacement of a file: a temporary next to it is written, synced and renamed, then the directory is
 * synced. Symbolic links stay and their target is replaced; folders are refused. Temporaries that killed
 * processes left for the same path are removed. Devices, pipes and descriptors (/dev/stdout, /dev/fd/3) are
 * written in place at their current offset; bytes written before a failure stay.
 */
struct replacement;
/* Begin to replace the file at `path`; NULL sets the fault. Later calls report to the same fault, and
   replacement_end frees the result. */
struct replacement *replacement_begin(const char *path, struct fault *fault) FOR_COMMAND(replacement_begin);
/* Return true if a replacement of the file at `path` could begin now, else set the fault; leaves nothing
   behind and opens no pipe. */
bool replacement_try(const char *path, struct fault *fault) FOR_COMMAND(replacement_try);
/* Append n bytes to the new file; false sets the fault of r. */
bool replacement_write(struct replacement *r, const void *bytes, size_t n) FOR_COMMAND(replacement_write);
/* Free r and, if `keep`, put the new file in place of the old one. Return true only if the new file is in
   place; a failure sets the fault. */
bool replacement_end(struct replacement *r, bool keep) FOR_COMMAND(replacement_end);
#endif
