/* Conversion of pictures to network inputs. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/image.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/error.h"
#include "tools/network/picture.h"

/* Return x, [H, W] or [H, W, C], as [H, W, channels]: grey is repeated, colours are averaged (ITU-R
   BT.601), alpha is dropped. Poison if that is impossible. */
static ty_tensor *with_channels(ty_tensor *x, int64_t channels) {
    if (ty_rank(x) == 2) x = ty_expand(x, 2);
    if (ty_rank(x) != 3)
        return ty_poison_code(E_SHAPE, "a picture must have 2 or 3 axes; this one has %d", ty_rank(x));
    int64_t found = ty_shape(x)[2];
    if (found == 2 || found == 4) x = ty_slice(x, 2, 0, --found, 1);
    if (found == channels) return x;
    if (found == 1) return ty_broadcast(x, 3, (const int64_t[]){ty_shape(x)[0], ty_shape(x)[1], channels});
    if (channels != 1)
        return ty_poison_code(E_SHAPE, "a picture of %lld channels, expected %lld", (long long)found,
                              (long long)channels);
    const float grey[] = {0.299f, 0.587f, 0.114f};
    return ty_sum(ty_mul(x, ty_from(TY_F32, 1, (const int64_t[]){3}, grey)),
                  ty_axes_of(1, (const int[]){2}, true));
}

/* Return the middle `size` elements along an axis, not negative, of x; size is at most that of the axis. */
static ty_tensor *middle(ty_tensor *x, int axis, int64_t size) {
    int64_t from = (ty_shape(x)[axis] - size) / 2;
    return ty_slice(x, axis, from, from + size, 1);
}

ty_tensor *picture_fit(ty_tensor *x, const int64_t *shape, bool crop) {
    const int axes[] = {0, 1};
    x = with_channels(ty_cast(x, TY_F32), shape[2]);
    if (!ty_ok(x)) return x;
    if (ty_shape(x)[0] == shape[0] && ty_shape(x)[1] == shape[1]) return x;
    /* As torchvision does for ImageNet: resize the shorter side to 256 for 224 and crop the centre. */
    int64_t sizes[] = {crop ? shape[0] * 8 / 7 : shape[0], crop ? shape[1] * 8 / 7 : shape[1]};
    x = ty_interpolate(x, 2, axes,
                       (ty_interpolation){.sampling = TY_LINEAR,
                                          .antialias = true,
                                          .aspect = crop ? TY_NOT_SMALLER : TY_STRETCH,
                                          .sizes = sizes});
    if (!ty_ok(x)) return x;
    return middle(middle(x, 0, shape[0]), 1, shape[1]);
}

ty_tensor *picture_normalise(ty_tensor *x) {
    static const float mean[] = {0.485f, 0.456f, 0.406f}, deviation[] = {0.229f, 0.224f, 0.225f};
    const int64_t three[] = {3};
    x = ty_mul(x, ty_num(1.0 / 255));
    return ty_div(ty_sub(x, ty_from(TY_F32, 1, three, mean)), ty_from(TY_F32, 1, three, deviation));
}
