/* What files of images share.  An image is u8 or u16 (H,W,C): grey, grey and alpha, RGB, or RGBA. */
#ifndef IO_IMAGE_H
#define IO_IMAGE_H
#include "io/archive.h"

enum { IMAGE_CHANNELS = 4 };

/* Sizes of an image of a file, `bits` (up to 8, or 16) a sample, into an archive of one entry, after they were compared
   with what a file may unpack to.  NULL with a sentence. */
struct archive_entry *image_entry(struct ty_archive *a, uint64_t height, uint64_t width, int channels,
                                  int bits);
/* A fresh value of the entry's form, with one reference; NULL with a sentence. */
ty_tensor *image_new(const struct archive_entry *e, struct fault *fault);

/* An image that is to be written: (H,W) or (H,W,C). */
struct image {
    int64_t height, width;
    int channels, bits; /* 8 or 16 */
    const ty_tensor *x;
};
/* What is written, or a sentence that names the format and what it holds. */
bool image_to_write(struct writing *w, const char *format, struct image *image);
#endif
