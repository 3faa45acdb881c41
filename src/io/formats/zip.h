/*
 * ZIP archives (PKWARE, "APPNOTE.TXT", 6.3) as far as npz needs them: members stored or deflated, 32-bit or
 * 64-bit sizes, listed in the central directory. Nothing is extracted to disk, so names cannot escape a folder.
 */
#ifndef IO_ZIP_H
#define IO_ZIP_H
#include "io/archive.h"

/* Read the central directory into a->index: names, sizes, checksums, positions of the packed bytes. Memory
   is from a->arena; false sets a's fault. */
bool zip_open(struct ty_archive *a);
/* Return an input of the unpacked bytes of a member, to be read once in order and closed by the caller; NULL
   sets the fault. */
struct input *zip_member(struct input *in, const struct archive_entry *e, struct fault *fault);

/* A zip that is being written. Sizes and offsets from `large` bytes on use 64-bit fields. */
struct zip_writer {
    struct output *out;
    uint64_t large;
    struct text directory;
    int64_t count;
};
/* Begin a zip on `out`; sizes and offsets from `large` bytes on use 64-bit fields. Call zip_drop in any
   case. */
void zip_start(struct zip_writer *z, struct output *out, uint64_t large);
/* Content of a member: bytes, then the elements of a contiguous value, little-endian, unless NULL. */
struct zip_content {
    const void *bytes;
    size_t count;
    const ty_tensor *elements;
};
/* Append a member `name` of the given content, deflated or stored; false sets the fault of the output. */
bool zip_add(struct zip_writer *z, const char *name, const struct zip_content *content, bool deflate);
/* Write the central directory; false after a failed write, with the output's fault set. The output stays
   open. */
bool zip_end(struct zip_writer *z);
/* Free the memory of the writer. */
void zip_drop(struct zip_writer *z);
#define ZIP_LARGE UINT64_C(0xffffffff)
#endif
