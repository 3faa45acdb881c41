/* Whole files in and out: reading with a limit, writing that is seen all at once or not at all. */
#ifndef IO_FILE_H
#define IO_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/text.h"

/* The bytes of a file; `data` from mem_data_alloc, never NULL after success. */
struct file_bytes {
    uint8_t *data;
    size_t count;
};

/* Reads a regular file of at most `most` bytes; false with a sentence that names it. */
bool file_read(const char *path, uint64_t most, struct file_bytes *out, struct fault *fault);
void file_bytes_drop(struct file_bytes *bytes);
/* Whether something stands at the path. */
bool file_exists(const char *path);

struct file_chunk {
    const void *data;
    size_t count;
};

/*
 * Replaces the file at `path` by n chunks, or leaves it as it was: a temporary file beside it, fsync, rename,
 * fsync of the directory.  A symbolic link to a file is followed; anything but a regular file is refused.
 * Removes what killed processes left of earlier writes to the same path.
 */
bool file_write_atomic(const char *path, int n, const struct file_chunk *chunks, struct fault *fault);

/* Whether numbers lie in memory with their lowest byte first. */
bool machine_is_little_endian(void);
/* Turns big-endian elements of `width` bytes (1, 2, 4, 8) into the machine's order. */
void bytes_from_big_endian(void *data, size_t count, size_t width);
#endif
