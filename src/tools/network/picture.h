/* Conversion of pictures to network inputs. */
#ifndef TOOLS_NETWORK_PICTURE_H
#define TOOLS_NETWORK_PICTURE_H
#include <tyto/core.h>

/* Convert a picture [H, W] or [H, W, C] to f32 of the given shape [3]: resized, and cropped at the centre if
   `crop`. Poison if the channels do not fit. */
ty_tensor *picture_fit(ty_tensor *x, const int64_t *shape, bool crop);
/* Return bytes x [H, W, 3] as floats normalised by ImageNet's mean and deviation. */
ty_tensor *picture_normalise(ty_tensor *x);
#endif
