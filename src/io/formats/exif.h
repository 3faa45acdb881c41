/* Orientation of photographs (Exif 2.32, section 4.6.4: tag 0x112 in the first directory of a TIFF). */
#ifndef IO_EXIF_H
#define IO_EXIF_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tyto/core.h>

/* Return the orientation, 1 to 8, from n bytes that begin with the TIFF header; 1 (as stored) if it is
   missing or invalid. */
int exif_orientation(const uint8_t *bytes, size_t n);
/* Return true if the Exif orientation, 1 to 8, exchanges height and width: 5 or more. */
static inline bool exif_swaps(int orientation) { return orientation > 4; }
/* Return x, the stored image [H, W, C], turned upright according to its orientation, 1 to 8; poison is
   passed on. */
ty_tensor *exif_turned(ty_tensor *x, int orientation);
#endif
