/* How an image was turned when it was taken (Exif 2.32, section 4.6.4: tag 0x112, in the first directory of a TIFF). */
#ifndef IO_EXIF_H
#define IO_EXIF_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tyto/core.h>

/* The orientation, 1 to 8, that n bytes from the TIFF's head on tell; 1 (as stored) where they tell none. */
int exif_orientation(const uint8_t *bytes, size_t n);
/* Whether rows of the stored image are columns of the picture. */
static inline bool exif_swaps(int orientation) { return orientation > 4; }
/* The picture of a stored image (H,W,C); poison is passed on. */
ty_tensor *exif_turned(ty_tensor *x, int orientation);
#endif
