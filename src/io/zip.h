/*
 * ZIP archives (PKWARE, "APPNOTE.TXT", 6.3) as far as npz needs them: members stored or deflated, with sizes
 * of 32 or 64 bits, found through the central directory.  Nothing is ever extracted, so names are only names.
 */
#ifndef IO_ZIP_H
#define IO_ZIP_H
#include "io/archive.h"

/* Reads the central directory: names, sizes, checksums, where the packed bytes lie.  Memory from the archive.
 */
bool zip_open(struct ty_archive *a);
/* The unpacked bytes of a member, to be read once from front to end; NULL with a sentence. */
struct input *zip_member(struct input *in, const struct archive_entry *e, struct fault *fault);

/* A zip being written.  Sizes and places from `large` on are written with 64 bits. */
struct zip_writer {
    struct output *out;
    uint64_t large;
    struct text directory;
    int64_t count;
};
void zip_start(struct zip_writer *z, struct output *out, uint64_t large);
/* What a member holds: bytes, then the elements of a contiguous value, little-endian; NULL: none. */
struct zip_content {
    const void *bytes;
    size_t count;
    const ty_tensor *elements;
};
bool zip_add(struct zip_writer *z, const char *name, const struct zip_content *content, bool deflate);
bool zip_end(struct zip_writer *z);
void zip_drop(struct zip_writer *z);
#define ZIP_LARGE UINT64_C(0xffffffff)
#endif
