/*
 * Losses of Mask R-CNN (Ren et al. 2015; He et al. 2017) with torchvision's constants: objectness and position
 * of proposals, class and position of boxes, and masks. All sizes are static: true boxes are padded with class
 * 0, samples have a fixed number of entries, and empty ones have weight 0.
 */
#include <math.h>
#include "zoo/mask_rcnn.h"

enum { ANCHORS_SEEN = 256, ANCHORS_TRUE = 128, BOXES_SEEN = 512, BOXES_TRUE = 128 };

/* Ground truth of an image: boxes [g, 4], classes [g], and a mask of valid ones [g]. */
struct truth {
    ty_tensor *boxes, *classes, *there;
};

/* A sample of boxes, positive ones first. */
struct sample {
    ty_tensor *index;           /* i64 [k], into the boxes */
    ty_tensor *positive, *seen; /* f32 [k]: 1 or 0 */
    ty_tensor *truth;           /* i64 [k]: index of the matched true box */
    ty_tensor *count;           /* number of seen boxes, at least 1 */
};

static ty_tensor *number(ty_tensor *x) { return ty_cast(x, TY_F32); }
static ty_tensor *sum(ty_tensor *x) { return ty_sum(x, TY_ALL); }
static ty_tensor *at_least_1(ty_tensor *x) { return ty_max(x, ty_num(1)); }

/* ---- matching ---- */

static ty_tensor *area(ty_tensor *x) {
    ty_tensor *sides = ty_sub(ty_slice(x, -1, 2, 4, 1), ty_slice(x, -1, 0, 2, 1));
    return ty_mul(rcnn_column(sides, 0), rcnn_column(sides, 1)); /* [..., 1] */
}

/* Return the intersection over union [g, n] of the g true boxes and boxes [n, 4]; -1 for padded true boxes. */
static ty_tensor *overlap(const struct truth *t, ty_tensor *boxes) {
    ty_tensor *a = ty_expand(t->boxes, 1), *b = ty_expand(boxes, 0); /* [g, 1, 4], [1, n, 4] */
    ty_tensor *low = ty_max(ty_slice(a, -1, 0, 2, 1), ty_slice(b, -1, 0, 2, 1));
    ty_tensor *high = ty_min(ty_slice(a, -1, 2, 4, 1), ty_slice(b, -1, 2, 4, 1));
    ty_tensor *sides = ty_max(ty_sub(high, low), ty_num(0));
    ty_tensor *both = ty_mul(rcnn_column(sides, 0), rcnn_column(sides, 1));
    ty_tensor *share = ty_div(both, ty_max(ty_sub(ty_add(area(a), area(b)), both), ty_num(1e-6)));
    return ty_where(ty_expand(t->there, 1), ty_squeeze(share, -1), ty_num(-1));
}

/* Draw at random up to `most` of the positive boxes, and negative ones up to k in total, positive ones
   first. positive and negative are bools [n]; truth [n] is the index of each box's true box. */
static struct sample draw(ty_tensor *positive, ty_tensor *negative, ty_tensor *truth, ty_tensor *key,
                          int64_t most, int64_t k) {
    int64_t n = ty_size(positive);
    ty_tensor *lot = ty_uniform(TY_F32, 1, &n, key), *none = ty_num(-1);
    k = k < n ? k : n;
    most = most < k ? most : k;
    ty_tensor *ranks = ty_top_k(ty_where(positive, lot, none), most, 0, true);
    ty_tensor *least = ty_max(ty_slice(ranks, 0, most - 1, most, 1), ty_num(0));
    ty_tensor *taken = ty_logical_and(positive, ty_ge(lot, least));
    ty_tensor *order = ty_where(taken, ty_add(lot, ty_num(2)), ty_where(negative, lot, none));
    ty_tensor *index = ty_top_k_index(order, k, 0, true), *rank = ty_take(order, index, 0);
    ty_tensor *seen = number(ty_ge(rank, ty_num(0)));
    return (struct sample){index, number(ty_ge(rank, ty_num(2))), seen, ty_take(truth, index, 0),
                           at_least_1(sum(seen))};
}

/* Sample from anchors [n, 4]. Positive: an overlap with a true box of at least 0.7, or none overlaps that
   true box more. Negative: all overlaps below 0.3. key is for the draw. */
static struct sample draw_anchors(const struct truth *t, ty_tensor *anchors, ty_tensor *key) {
    ty_tensor *share = overlap(t, anchors);
    ty_tensor *best = ty_amax(share, ty_axis(0)), *own = ty_amax(share, (ty_axes){.mask = 2, .keep = true});
    ty_tensor *closest = ty_any(ty_logical_and(ty_ge(share, own), ty_gt(own, ty_num(0))), ty_axis(0));
    ty_tensor *positive = ty_logical_or(ty_ge(best, ty_num(0.7)), closest);
    ty_tensor *negative = ty_logical_and(ty_lt(best, ty_num(0.3)), ty_logical_not(positive));
    return draw(positive, negative, ty_argmax(share, ty_axis(0)), key, ANCHORS_TRUE, ANCHORS_SEEN);
}

/* Sample from boxes [n, 4]: positive if the overlap with a true box is at least 0.5, else negative; the
   bool `there` [n] masks valid boxes. key is for the draw. */
static struct sample draw_boxes(const struct truth *t, ty_tensor *boxes, ty_tensor *there, ty_tensor *key) {
    ty_tensor *share = overlap(t, boxes), *best = ty_amax(share, ty_axis(0));
    ty_tensor *positive = ty_ge(best, ty_num(0.5));
    return draw(ty_logical_and(there, positive), ty_logical_and(there, ty_logical_not(positive)),
                ty_argmax(share, ty_axis(0)), key, BOXES_TRUE, BOXES_SEEN);
}

/* ---- losses ---- */

/* Return boxes `to` relative to boxes `from`, both [k, 4], as moves of centres and logarithms of sizes, [k,
   4]: the inverse of decode. */
static ty_tensor *encode(ty_tensor *to, ty_tensor *from, struct rcnn_scale scale) {
    ty_tensor *parts[4], *half = ty_num(0.5), *least = ty_num(1e-3);
    for (int i = 0; i < 2; i++) {
        ty_tensor *low = rcnn_column(from, i), *size = ty_max(ty_sub(rcnn_column(from, i + 2), low), least);
        ty_tensor *goal = rcnn_column(to, i), *large = ty_max(ty_sub(rcnn_column(to, i + 2), goal), least);
        ty_tensor *away = ty_sub(ty_add(goal, ty_mul(large, half)), ty_add(low, ty_mul(size, half)));
        parts[i] = ty_mul(ty_div(away, size), ty_num(scale.centre));
        parts[i + 2] = ty_mul(ty_log(ty_div(large, size)), ty_num(scale.size));
    }
    return ty_concat(4, parts, -1);
}

/* Return the smooth l1 loss, 0-d, of moves against `target`, both [k, 4], summed over the positive boxes
   and divided by the number of all boxes drawn. */
static ty_tensor *box_loss(ty_tensor *moves, ty_tensor *target, const struct sample *s) {
    ty_loss_options o = {.reduction = TY_LOSS_NONE, .delta = 1.0 / 9};
    ty_tensor *each = ty_loss_smooth_l1(moves, ty_detach(target), o);
    return ty_div(sum(ty_mul(each, ty_expand(s->positive, 1))), s->count);
}

/* Return the losses of the proposals, 0-d, for score plus box, over anchors of all levels[LEVELS] drawn
   with `key`; poison on failure. */
static ty_tensor *proposal_losses(const struct truth *t, const struct rcnn_regressed *levels,
                                  ty_tensor *key) {
    ty_tensor *anchors[LEVELS], *logits[LEVELS], *moves[LEVELS];
    for (int i = 0; i < LEVELS; i++)
        anchors[i] = levels[i].anchors, logits[i] = levels[i].logits, moves[i] = levels[i].moves;
    ty_tensor *all = ty_concat(LEVELS, anchors, 0);
    if (!ty_ok(all)) return all;
    struct sample s = draw_anchors(t, all, key);
    ty_tensor *from = ty_take(all, s.index, 0), *to = ty_take(t->boxes, s.truth, 0);
    ty_tensor *each = ty_loss_bce_logits(ty_take(ty_concat(LEVELS, logits, 0), s.index, 0), s.positive,
                                         (ty_loss_options){.reduction = TY_LOSS_NONE});
    return ty_add(ty_div(sum(ty_mul(each, s.seen)), s.count),
                  box_loss(ty_take(ty_concat(LEVELS, moves, 0), s.index, 0),
                           encode(to, from, rcnn_proposal_scale), &s));
}

/* Return the losses, 0-d, of the k sampled boxes [k, 4] for class, against labels [k], plus position;
   logits are [k, classes], moves [k, 4 classes]. */
static ty_tensor *class_losses(const struct truth *t, const struct sample *s, ty_tensor *boxes,
                               ty_tensor *labels, ty_tensor *logits, ty_tensor *moves, int64_t classes) {
    int64_t k = ty_size(s->index);
    ty_tensor *each = ty_loss_cross_entropy(logits, labels, (ty_loss_options){.reduction = TY_LOSS_NONE});
    moves = ty_reshape(moves, 3, (const int64_t[]){k, classes, 4});
    moves = ty_squeeze(ty_take_along_axis(moves, ty_reshape(labels, 3, (const int64_t[]){k, 1, 1}), 1), 1);
    return ty_add(ty_div(sum(ty_mul(each, s->seen)), s->count),
                  box_loss(moves, encode(ty_take(t->boxes, s->truth, 0), boxes, rcnn_object_scale), s));
}

/* Return the mask loss, 0-d, averaged over pixels of positive boxes. masks [g, H, W] are true; boxes [k,
   4], labels [k] and logits [k, side, side, classes] are those of the first k entries of the sample,
   which include all positive ones. */
static ty_tensor *mask_loss(const struct sample *s, ty_tensor *masks, ty_tensor *boxes, ty_tensor *labels,
                            ty_tensor *logits) {
    int64_t k = ty_shape(boxes)[0], side = 2 * MASK_BINS;
    ty_tensor *own = ty_take_along_axis(logits, ty_reshape(labels, 4, (const int64_t[]){k, 1, 1, 1}), 3);
    ty_tensor *seen = ty_roi_align(ty_expand(masks, 1), ty_detach(boxes), ty_slice(s->truth, 0, 0, k, 1),
                                   (ty_roi_options){.size = {side, side}, .samples = 2});
    ty_tensor *each = ty_loss_bce_logits(ty_squeeze(own, 3), ty_detach(ty_squeeze(seen, 1)),
                                         (ty_loss_options){.reduction = TY_LOSS_NONE});
    ty_tensor *positive = ty_slice(s->positive, 0, 0, k, 1);
    ty_tensor *whole = sum(ty_mul(each, ty_reshape(positive, 3, (const int64_t[]){k, 1, 1})));
    return ty_div(whole, ty_mul(at_least_1(sum(positive)), ty_num((double)(side * side))));
}

/* Return the losses, 0-d, for class, box and mask over boxes drawn with `key` from the proposals and the
   true boxes; masks [g, H, W] are true. Poison on failure. */
static ty_tensor *object_losses(ty_layer *heads, ty_tensor *const *levels, const struct truth *t,
                                struct candidates from, ty_tensor *masks, ty_tensor *key, int64_t classes,
                                int64_t height) {
    ty_tensor *boxes[] = {from.boxes, t->boxes}, *there[] = {ty_gt(from.scores, ty_num(-INFINITY)), t->there};
    ty_tensor *all = ty_detach(ty_concat(2, boxes, 0)), *logits, *moves; /* true boxes are proposals, too */
    if (!ty_ok(all)) return all;
    struct sample s = draw_boxes(t, all, ty_concat(2, there, 0), key);
    if (!ty_ok(s.index)) return s.index;
    ty_tensor *own = ty_detach(ty_take(all, s.index, 0));
    ty_tensor *labels = ty_mul(ty_take(t->classes, s.truth, 0), ty_cast(s.positive, TY_I64));
    rcnn_box_head(heads, levels, own, classes, height, &logits, &moves);
    if (!ty_ok(moves)) return moves;
    int64_t k = ty_size(s.index) < BOXES_TRUE ? ty_size(s.index) : BOXES_TRUE;
    ty_tensor *first = ty_slice(own, 0, 0, k, 1);
    ty_tensor *drawn = rcnn_mask_head(heads, levels, first, classes, height);
    if (!ty_ok(drawn)) return drawn;
    return ty_add(class_losses(t, &s, own, labels, logits, moves, classes),
                  mask_loss(&s, masks, first, ty_slice(labels, 0, 0, k, 1), drawn));
}

/* ---- total loss ---- */

/* Check that there is a key and that the batch has n >= 4 parts: image [1, H, W, 3], boxes [1, g, 4],
   classes [1, g], masks [1, g, H, W]. Return poison, or NULL if so. */
static ty_tensor *refuse(int n, ty_tensor *const *batch, ty_tensor *key) {
    static const int ranks[] = {4, 3, 2, 4};
    if (n < 4 || !batch)
        return ty_poison_code(TY_ERROR_ARGUMENT,
                              "mask_rcnn_loss: a batch of %d parts, expected 4: image, boxes, classes, masks",
                              n);
    if (!key)
        return ty_poison_code(TY_ERROR_ARGUMENT,
                              "mask_rcnn_loss: the key is missing, and boxes are drawn at random");
    for (int i = 0; i < 4; i++) {
        if (!ty_ok(batch[i]))
            return ty_poison_code(ty_error_code(batch[i]), "mask_rcnn_loss: part %d: %s", i,
                                  ty_error(batch[i]));
        if (ty_rank(batch[i]) != ranks[i] || ty_shape(batch[i])[0] != 1)
            return ty_poison_code(
                TY_ERROR_SHAPE,
                "mask_rcnn_loss: part %d has %d axes, expected (1,H,W,3), (1,n,4), (1,n) and "
                "(1,n,H,W)",
                i, ty_rank(batch[i]));
    }
    const int64_t *image = ty_shape(batch[0]), *masks = ty_shape(batch[3]), boxes = ty_shape(batch[1])[1];
    bool well = image[1] > 0 && image[2] > 0 && !(image[1] % 32) && !(image[2] % 32) && image[3] == 3;
    well = well && boxes > 0 && ty_shape(batch[1])[2] == 4 && ty_shape(batch[2])[1] == boxes &&
           masks[1] == boxes && masks[2] == image[1] && masks[3] == image[2];
    return well ? NULL
                : ty_poison_code(TY_ERROR_SHAPE,
                                 "mask_rcnn_loss: sizes do not match: expected (1,H,W,3), (1,n,4), (1,n) and "
                                 "(1,n,H,W), n at least 1, H and W multiples of 32");
}

ty_tensor *ty_mask_rcnn_loss(ty_model *model, ty_tensor *key, int n, ty_tensor *const *batch, void *context) {
    const ty_network_options *o = context;
    int64_t classes = o && o->classes > 0 ? o->classes : ty_network_mask_rcnn.classes;
    ty_tensor *levels[LEVELS], *bad = refuse(n, batch, key);
    struct rcnn_regressed regressed[LEVELS];
    if (*ty_model_error(model)) return ty_model_failure(model);
    if (bad) return bad;
    /* No key: norms keep their running statistics, as one image is too few to update them. */
    ty_model_begin(model, NULL);
    ty_layer *self = ty_model_root(model);
    int64_t height = ty_shape(batch[0])[1], width = ty_shape(batch[0])[2];
    struct truth t = {.boxes = ty_squeeze(number(batch[1]), 0),
                      .classes = ty_cast(ty_squeeze(batch[2], 0), TY_I64)};
    t.there = ty_gt(t.classes, ty_int(0));
    if (!ty_ok(t.boxes) || !ty_ok(t.there)) return ty_ok(t.boxes) ? t.there : t.boxes;
    rcnn_pyramid(self, batch[0], levels);
    struct candidates from = rcnn_propose(self, levels, height, width, regressed);
    if (!ty_ok(from.boxes)) return from.boxes;
    ty_tensor *proposals = proposal_losses(&t, regressed, ty_fold(key, 1));
    return ty_add(proposals,
                  object_losses(ty_layer_in(self, "roi_heads"), levels, &t, from,
                                ty_squeeze(number(batch[3]), 0), ty_fold(key, 2), classes, height));
}
