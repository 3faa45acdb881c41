/* Common parts of image files. An image is u8 or u16 [H, W, C]: grey, grey and alpha, RGB, or RGBA. */
#ifndef IO_IMAGE_H
#define IO_IMAGE_H
#include "io/archive.h"

enum { IMAGE_CHANNELS = 4 };

/* Add the only entry of an archive and return it: an image [height, width, channels] with samples of 1 to 8
   or 16 bits. NULL sets a's fault if a size is invalid or exceeds the unpack limit. */
struct archive_entry *image_entry(struct ty_archive *a, uint64_t height, uint64_t width, int channels,
                                  int bits);
/* Return an uninitialised value with the dtype and shape of the entry and one reference, owned by the
   caller; NULL sets the fault. */
ty_tensor *image_new(const struct archive_entry *e, struct fault *fault);

/* An image that is to be written: x is [H, W] or [H, W, C]. */
struct image {
    int64_t height, width;
    int channels, bits; /* 8 or 16 */
    const ty_tensor *x;
};
/* Fill *image with the only tensor of w. False sets a fault that names the format, if there is not exactly
   one tensor or it is no image. */
bool image_to_write(struct writing *w, const char *format, struct image *image);
#endif
