/* Parts of Mask R-CNN shared by inference and training. */
#ifndef ZOO_MASK_RCNN_H
#define ZOO_MASK_RCNN_H
#include "zoo/parts.h"

enum {
    LEVELS = 5,
    CHANNELS = 256,
    RATIOS = 3,
    PROPOSALS = 1000,
    OBJECTS = 100,
    BOX_BINS = 7,
    MASK_BINS = 14
};

/* Box encoding: weights of centres and of logarithms of sizes. */
struct rcnn_scale {
    double centre, size;
};
extern const struct rcnn_scale rcnn_proposal_scale, rcnn_object_scale;

/* Regression outputs of all levels, concatenated: anchors and moves [n, 4], logits [n]. */
struct rcnn_regressed {
    ty_tensor *anchors, *logits, *moves;
};
/* Proposed boxes with objectness scores. */
struct candidates {
    ty_tensor *boxes, *scores; /* [n, 4] and [n]; suppressed boxes have score -inf */
};

/* Compute the LEVELS feature maps levels[] of an image x [1, H, W, 3], at 1/4 to 1/64 of its size. */
void rcnn_pyramid(ty_layer *self, ty_tensor *x, ty_tensor **levels);
/* Propose candidate boxes for an image of height x width from its feature maps; regressed[LEVELS] receives
   the outputs from which they were selected. Poison on failure. */
struct candidates rcnn_propose(ty_layer *self, ty_tensor *const *levels, int64_t height, int64_t width,
                               struct rcnn_regressed *regressed);
/* Classify boxes [n, 4]: *logits [n, classes] and *moves [n, 4 * classes]; `height` is the image's. */
void rcnn_box_head(ty_layer *heads, ty_tensor *const *levels, ty_tensor *boxes, int64_t classes,
                   int64_t height, ty_tensor **logits, ty_tensor **moves);
/* Return logits of masks [n, 28, 28, classes] for boxes [n, 4]; `height` is the image's. */
ty_tensor *rcnn_mask_head(ty_layer *heads, ty_tensor *const *levels, ty_tensor *boxes, int64_t classes,
                          int64_t height);
/* Return column i of the last axis, which is kept with size 1; -1 is the last. */
ty_tensor *rcnn_column(ty_tensor *x, int i);
#endif
