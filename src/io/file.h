/* Files that are replaced all at once or not at all. */
#ifndef IO_FILE_H
#define IO_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/text.h"

/* Whether something stands at the path. */
bool file_exists(const char *path);
/* Whether the name ends as files of a format do that holds several tensors, and is written. */
bool file_holds_several(const char *path);

/*
 * The replacement of the file at `path`: a temporary file beside it takes what is written; at the end it is
 * forced to the disk and renamed, and the directory forced.  A symbolic link to a file stays, and its target is replaced.
 * Removes what killed processes left of earlier writes to the same path.
 *
 * A device, a pipe and a descriptor (/dev/stdout, /dev/fd/3) are written in place, from where they stand; what was written
 * before a failure stays there.  A folder is refused.
 */
struct replacement;
/* NULL with a sentence; the fault also takes later ones. */
struct replacement *replacement_begin(const char *path, struct fault *fault);
/* Whether a replacement could be begun now; nothing is left of it, and no pipe is opened. */
bool replacement_try(const char *path, struct fault *fault);
bool replacement_write(struct replacement *r, const void *bytes, size_t n);
/* The new file stands (`keep`), or the old one does; r is gone.  True when the new one stands. */
bool replacement_end(struct replacement *r, bool keep);
#endif
