/* Pictures as networks take them. */
#ifndef TOOLS_PICTURE_H
#define TOOLS_PICTURE_H
#include <tyto/core.h>

/* (H,W), (H,W,C) of bytes or floats as f32 of shape[0] x shape[1] x shape[2]: scaled, the middle of it (`crop`) or all. */
ty_tensor *picture_fit(ty_tensor *x, const int64_t *shape, bool crop);
/* Bytes as floats, minus ImageNet's mean, by its deviation. */
ty_tensor *picture_normalise(ty_tensor *x);
#endif
