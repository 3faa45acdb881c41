/* Parts of Mask R-CNN that inference and training share. */
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

/* What boxes are regressed in: weights of centres and of the logarithms of sizes. */
struct rcnn_scale {
    double centre, size;
};
extern const struct rcnn_scale rcnn_proposal_scale, rcnn_object_scale;

/* Of every level, one after the other: anchors and moves (n,4), logits (n). */
struct rcnn_regressed {
    ty_tensor *anchors, *logits, *moves;
};
struct candidates {
    ty_tensor *boxes, *scores; /* (n,4), (n); lost ones have the score -inf */
};

/* Features of an image (1,H,W,3) at a 4th to a 64th of its size. */
void rcnn_pyramid(ty_layer *self, ty_tensor *x, ty_tensor **levels);
/* Boxes that may be objects; regressed[LEVELS]: what they were chosen from. */
struct candidates rcnn_propose(ty_layer *self, ty_tensor *const *levels, int64_t height, int64_t width,
                               struct rcnn_regressed *regressed);
/* Of boxes (n,4): logits (n, classes) and moves (n, 4 * classes). */
void rcnn_box_head(ty_layer *heads, ty_tensor *const *levels, ty_tensor *boxes, int64_t classes,
                   int64_t height, ty_tensor **logits, ty_tensor **moves);
/* Of boxes (n,4): logits of their masks (n,28,28,classes). */
ty_tensor *rcnn_mask_head(ty_layer *heads, ty_tensor *const *levels, ty_tensor *boxes, int64_t classes,
                          int64_t height);
/* Column i of the last axis, which is kept; -1 is the last. */
ty_tensor *rcnn_column(ty_tensor *x, int i);
#endif
