/* Files that are replaced atomically. */
#ifndef IO_FILE_H
#define IO_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/text.h"

/* True if anything exists at the path. */
bool file_exists(const char *path);
/* True if the path has the extension of a writable format that holds several tensors. */
bool file_holds_several(const char *path);

/*
 * Atomic replacement of a file: a temporary next to it is written, synced and renamed, then the directory is
 * synced. Symbolic links stay and their target is replaced; folders are refused. Temporaries that killed
 * processes left for the same path are removed. Devices, pipes and descriptors (/dev/stdout, /dev/fd/3) are
 * written in place at their current offset; bytes written before a failure stay.
 */
struct replacement;
/* Begin to replace the file at `path`; NULL sets the fault. Later calls report to the same fault. */
struct replacement *replacement_begin(const char *path, struct fault *fault);
/* True if a replacement could begin now, else sets the fault; leaves nothing behind and opens no pipe. */
bool replacement_try(const char *path, struct fault *fault);
/* Append n bytes to the new file; false sets the fault. */
bool replacement_write(struct replacement *r, const void *bytes, size_t n);
/* Free r and, if `keep`, put the new file in place of the old one. True only if the new file is in place. */
bool replacement_end(struct replacement *r, bool keep);
#endif
