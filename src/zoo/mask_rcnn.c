/*
 * Mask R-CNN (He et al. 2017) on a residual network of 101 layers with a feature pyramid (Lin et al. 2017);
 * names and constants are torchvision's. Input: one image whose sides are multiples of 32. Results: boxes [100,
 * 4] as x1, y1, x2, y2 in pixels, classes [100], scores [100], masks [100, 28, 28] of the boxes. Unused entries
 * have score 0. All sizes are static, so the whole network is one program.
 */
#include <math.h>
#include <stdio.h>
#include "zoo/mask_rcnn.h"
#include "zoo/resnet.h"

const struct rcnn_scale rcnn_proposal_scale = {1, 1}, rcnn_object_scale = {10, 5};

static const struct resnet body = {{3, 4, 23, 3}, true};

static ty_layer *numbered(ty_layer *at, const char *name, int i) {
    return zoo_numbered(ty_layer_in(at, name), i);
}

static ty_conv_layer conv(int64_t size, int64_t channels, ty_activation activation) {
    ty_conv_layer o = zoo_window(size, channels, 1);
    o.activation = activation;
    return o;
}

/* ---- feature pyramid ---- */

/* Return x [N, H, W, C] resized to the height and width of `like` [N, H, W, ..] by nearest neighbours. */
static ty_tensor *as_large_as(ty_tensor *x, ty_tensor *like) {
    const int axes[] = {1, 2};
    const int64_t sizes[] = {ty_shape(like)[1], ty_shape(like)[2]};
    return ty_interpolate(
        x, 2, axes,
        (ty_interpolation){
            .sampling = TY_NEAREST, .coordinates = TY_ASYMMETRIC, .nearest = TY_FLOOR, .sizes = sizes});
}

void rcnn_pyramid(ty_layer *self, ty_tensor *x, ty_tensor **levels) {
    ty_layer *backbone = ty_layer_in(self, "backbone"), *fpn = ty_layer_in(backbone, "fpn");
    ty_tensor *stages[4], *sum = NULL;
    resnet_stages(ty_layer_in(backbone, "body"), &body, x, stages);
    for (int i = 3; i >= 0; i--) {
        ty_tensor *inner =
            ty_layer_conv2d(numbered(fpn, "inner_blocks", i), "0", stages[i], conv(1, CHANNELS, NULL));
        sum = sum && ty_ok(inner) ? ty_add(inner, as_large_as(sum, inner)) : inner;
        levels[i] = ty_layer_conv2d(numbered(fpn, "layer_blocks", i), "0", sum, conv(3, CHANNELS, NULL));
    }
    levels[4] = ty_max_pool2d(levels[3], (ty_pool){.size = {1, 1}, .stride = {2, 2}});
}

/* ---- boxes ---- */

ty_tensor *rcnn_column(ty_tensor *x, int i) { return ty_slice(x, -1, i, i == -1 ? TY_END : i + 1, 1); }

/* Return boxes [.., 4] decoded from regressed moves d relative to boxes `from`, clipped to the image of
   height x width pixels; d and from broadcast to [.., 4]. A box is x0, y0, x1, y1. */
static ty_tensor *decode(ty_tensor *from, ty_tensor *d, struct rcnn_scale scale, int64_t height,
                         int64_t width) {
    const double most = log(1000.0 / 16); /* limit of a size's logarithm, as in Faster R-CNN's code */
    ty_tensor *ends[4], *edges[] = {ty_num((double)width), ty_num((double)height)};
    for (int i = 0; i < 2; i++) {
        ty_tensor *low = rcnn_column(from, i), *high = rcnn_column(from, i + 2), *size = ty_sub(high, low);
        ty_tensor *centre = ty_add(low, ty_mul(size, ty_num(0.5)));
        ty_tensor *moved = ty_add(centre, ty_mul(ty_mul(rcnn_column(d, i), ty_num(1 / scale.centre)), size));
        ty_tensor *grown =
            ty_exp(ty_min(ty_mul(rcnn_column(d, i + 2), ty_num(1 / scale.size)), ty_num(most)));
        ty_tensor *half = ty_mul(ty_mul(grown, size), ty_num(0.5));
        ends[i] = ty_min(ty_max(ty_sub(moved, half), ty_num(0)), edges[i]);
        ends[i + 2] = ty_min(ty_max(ty_add(moved, half), ty_num(0)), edges[i]);
    }
    return ty_concat(4, ends, -1);
}

/* Return the anchor boxes [rows * columns * RATIOS, 4] of all positions of a level, from 0, of rows x
   columns, for an image of height x width pixels. Half sizes are rounded as in torchvision. */
static ty_tensor *anchors(int level, int64_t rows, int64_t columns, int64_t height, int64_t width) {
    static const double ratios[RATIOS] = {0.5, 1, 2};
    double size = (double)(32 << level), step_y = (double)(height / rows), step_x = (double)(width / columns);
    float base[RATIOS][4];
    for (int i = 0; i < RATIOS; i++) {
        double h = sqrt(ratios[i]), x = rint(size / h / 2), y = rint(size * h / 2);
        base[i][0] = (float)-x, base[i][1] = (float)-y, base[i][2] = (float)x, base[i][3] = (float)y;
    }
    const int64_t whole[] = {rows, columns, 1, 1}, four[] = {1, 1, RATIOS, 4};
    ty_tensor *y = ty_mul(ty_iota(TY_F32, 4, whole, 0), ty_num(step_y));
    ty_tensor *x = ty_mul(ty_iota(TY_F32, 4, whole, 1), ty_num(step_x));
    ty_tensor *places[] = {x, y, x, y};
    ty_tensor *all = ty_add(ty_concat(4, places, -1), ty_from(TY_F32, 4, four, base));
    return ty_reshape(all, 2, (const int64_t[]){rows * columns * RATIOS, 4});
}

/* ---- proposals ---- */

/* Return the boxes that non-maximum suppression keeps of boxes [n, 4] with scores [n], at most PROPOSALS,
   padded with score -inf. `overlap` is the threshold of intersection over union. */
static struct candidates suppress(ty_tensor *boxes, ty_tensor *scores, int64_t n, double overlap) {
    int64_t most = n < PROPOSALS ? n : PROPOSALS;
    ty_tensor *kept = ty_nms_padded(ty_expand(boxes, 0), ty_reshape(scores, 3, (const int64_t[]){1, 1, n}),
                                    (ty_nms_options){.most = most, .overlap = overlap});
    kept = ty_reshape(kept, 1, &most);
    ty_tensor *place = ty_max(kept, ty_int(0));
    ty_tensor *score = ty_where(ty_ge(kept, ty_int(0)), ty_take(scores, place, 0), ty_num(-INFINITY));
    return (struct candidates){ty_take(boxes, place, 0), score};
}

/* Return the anchors, scores and moves of all positions of x [1, rows, columns, C], feature level `level`
   from 0, by the region proposal network. The image is height x width pixels. */
static struct rcnn_regressed regress(ty_layer *rpn, ty_tensor *x, int level, int64_t height, int64_t width) {
    ty_layer *head = ty_layer_in(rpn, "head");
    ty_tensor *h = ty_layer_conv2d(numbered(head, "conv", 0), "0", x, conv(3, CHANNELS, ty_relu));
    ty_tensor *logits = ty_layer_conv2d(head, "cls_logits", h, conv(1, RATIOS, NULL));
    ty_tensor *moves = ty_layer_conv2d(head, "bbox_pred", h, conv(1, 4 * RATIOS, NULL));
    if (!ty_ok(moves)) return (struct rcnn_regressed){moves, moves, moves};
    int64_t rows = ty_shape(x)[1], columns = ty_shape(x)[2], n = rows * columns * RATIOS;
    return (struct rcnn_regressed){anchors(level, rows, columns, height, width), ty_reshape(logits, 1, &n),
                                   ty_reshape(moves, 2, (const int64_t[]){n, 4})};
}

/* Return the proposed boxes of a level, with scores, after suppression; the image is height x width pixels.
   Both are poison if r is. */
static struct candidates propose_level(const struct rcnn_regressed *r, int64_t height, int64_t width) {
    if (!ty_ok(r->moves)) return (struct candidates){r->moves, r->moves};
    int64_t n = ty_size(r->logits), k = n < PROPOSALS ? n : PROPOSALS;
    ty_tensor *best = ty_top_k_index(r->logits, k, 0, true);
    ty_tensor *from = ty_take(r->anchors, best, 0), *by = ty_take(r->moves, best, 0);
    return suppress(decode(from, by, rcnn_proposal_scale, height, width), ty_take(r->logits, best, 0), k,
                    0.7);
}

struct candidates rcnn_propose(ty_layer *self, ty_tensor *const *levels, int64_t height, int64_t width,
                               struct rcnn_regressed *regressed) {
    ty_layer *rpn = ty_layer_in(self, "rpn");
    ty_tensor *boxes[LEVELS], *scores[LEVELS];
    for (int i = 0; i < LEVELS; i++) {
        regressed[i] = regress(rpn, levels[i], i, height, width);
        struct candidates c = propose_level(&regressed[i], height, width);
        boxes[i] = c.boxes;
        scores[i] = c.scores;
    }
    ty_tensor *all = ty_concat(LEVELS, scores, 0), *every = ty_concat(LEVELS, boxes, 0);
    if (!ty_ok(all)) return (struct candidates){all, all};
    int64_t n = ty_size(all), k = n < PROPOSALS ? n : PROPOSALS;
    ty_tensor *best = ty_top_k_index(all, k, 0, true);
    return (struct candidates){ty_take(every, best, 0), ty_take(all, best, 0)};
}

/* ---- pooled features of boxes ---- */

/* Return features [n, CHANNELS, bins, bins] of boxes [n, 4], each from the one of the four levels that fits
   its size (Lin et al. 2017, equation 1). `height` is the image's, in pixels. */
static ty_tensor *align_some(ty_tensor *const *levels, ty_tensor *boxes, int64_t bins, int64_t height) {
    int64_t n = ty_shape(boxes)[0];
    boxes = ty_detach(boxes); /* gradients reach proposals through the regression only */
    ty_tensor *sides = ty_sub(ty_slice(boxes, 1, 2, 4, 1), ty_slice(boxes, 1, 0, 2, 1));
    ty_tensor *side = ty_sqrt(ty_max(ty_mul(rcnn_column(sides, 0), rcnn_column(sides, 1)), ty_num(1e-6)));
    ty_tensor *fit = ty_floor(ty_add(ty_log2(ty_mul(side, ty_num(1.0 / 224))), ty_num(4 + 1e-6)));
    ty_tensor *level = ty_reshape(ty_sub(ty_min(ty_max(fit, ty_num(2)), ty_num(5)), ty_num(2)), 4,
                                  (const int64_t[]){n, 1, 1, 1});
    ty_tensor *sum = NULL, *image = ty_zeros(TY_I64, 1, &n);
    for (int i = 0; i < 4; i++) {
        ty_tensor *x = ty_permute(levels[i], (const int[]){0, 3, 1, 2});
        ty_tensor *own = ty_roi_align(x, boxes, image,
                                      (ty_roi_options){.size = {bins, bins},
                                                       .samples = 2,
                                                       .scale = (double)ty_shape(x)[2] / (double)height});
        own = ty_where(ty_eq(level, ty_num(i)), own, ty_num(0));
        sum = sum ? ty_add(sum, own) : own;
    }
    return sum;
}

/* Return features [n, CHANNELS, bins, bins] of n <= PROPOSALS boxes [n, 4], computed in chunks, as all four
   levels' features exist at once: 50 MB instead of 200 for 1,000 boxes. */
static ty_tensor *align(ty_tensor *const *levels, ty_tensor *boxes, int64_t bins, int64_t height) {
    enum { AT_ONCE = 125, MOST = (PROPOSALS + AT_ONCE - 1) / AT_ONCE };
    ty_tensor *parts[MOST];
    int64_t n = ty_shape(boxes)[0];
    int count = 0;
    for (int64_t i = 0; i < n && count < MOST; i += AT_ONCE)
        parts[count++] =
            align_some(levels, ty_slice(boxes, 0, i, i + AT_ONCE < n ? i + AT_ONCE : n, 1), bins, height);
    return ty_concat(count, parts, 0);
}

/* ---- objects ---- */

/* Detected objects. */
struct objects {
    ty_tensor *boxes, *classes, *scores;
};

/* Return the best objects of all classes, at most OBJECTS, after suppression within each class. logits [n,
   classes] and moves [n, 4 classes] are those of the boxes `from` in an image of height x width. */
static struct objects choose(ty_tensor *logits, ty_tensor *moves, struct candidates from, int64_t classes,
                             int64_t height, int64_t width) {
    int64_t n = ty_shape(logits)[0], own = classes - 1; /* class 0 is the background */
    int64_t most = n < OBJECTS ? n : OBJECTS, all = own * most;
    ty_tensor *shares = ty_slice(ty_softmax(logits, 1), 1, 1, TY_END, 1);
    ty_tensor *lost = ty_expand(ty_eq(from.scores, ty_num(-INFINITY)), 1);
    ty_tensor *scores = ty_transpose(ty_where(lost, ty_num(0), shares)); /* [own, n] */
    moves = ty_reshape(moves, 3, (const int64_t[]){n, classes, 4});
    moves = ty_permute(ty_slice(moves, 1, 1, TY_END, 1), (const int[]){1, 0, 2});
    ty_tensor *boxes =
        decode(ty_expand(from.boxes, 0), moves, rcnn_object_scale, height, width); /* [own, n, 4] */
    ty_tensor *kept =
        ty_nms_padded(boxes, ty_expand(scores, 1),
                      (ty_nms_options){.most = most, .overlap = 0.5, .score = 0.05, .use_score = true});
    kept = ty_squeeze(kept, 1); /* [own, most] */
    ty_tensor *place = ty_max(kept, ty_int(0));
    ty_tensor *found = ty_where(ty_ge(kept, ty_int(0)), ty_take_along_axis(scores, place, 1), ty_num(0));
    ty_tensor *flat = ty_reshape(found, 1, &all);
    int64_t objects = all < OBJECTS ? all : OBJECTS;
    ty_tensor *best = ty_top_k_index(flat, objects, 0, true), *class = ty_floor_div(best, ty_int(most));
    ty_tensor *box = ty_add(ty_mul(class, ty_int(n)), ty_take(ty_reshape(place, 1, &all), best, 0));
    return (struct objects){ty_take(ty_reshape(boxes, 2, (const int64_t[]){own * n, 4}), box, 0),
                            ty_add(class, ty_int(1)), ty_take(flat, best, 0)};
}

void rcnn_box_head(ty_layer *heads, ty_tensor *const *levels, ty_tensor *boxes, int64_t classes,
                   int64_t height, ty_tensor **logits, ty_tensor **moves) {
    ty_layer *box = ty_layer_in(heads, "box_head"), *predictor = ty_layer_in(heads, "box_predictor");
    const ty_linear_layer wide = {.units = 1024, .activation = ty_relu};
    ty_tensor *h = align(levels, boxes, BOX_BINS, height);
    h = ty_layer_linear(box, "fc6", ty_ok(h) ? ty_reshape(h, 2, (const int64_t[]){ty_shape(h)[0], -1}) : h,
                        wide);
    h = ty_layer_linear(box, "fc7", h, wide);
    *logits = ty_layer_linear(predictor, "cls_score", h, (ty_linear_layer){.units = classes});
    *moves = ty_layer_linear(predictor, "bbox_pred", h, (ty_linear_layer){.units = 4 * classes});
}

/* Return the objects that the box head finds among the proposals `from`; all poison on failure. The image
   is height x width pixels. */
static struct objects find_objects(ty_layer *heads, ty_tensor *const *levels, struct candidates from,
                                   int64_t classes, int64_t height, int64_t width) {
    ty_tensor *logits, *moves;
    rcnn_box_head(heads, levels, from.boxes, classes, height, &logits, &moves);
    if (!ty_ok(moves)) return (struct objects){moves, moves, moves};
    return choose(logits, moves, from, classes, height, width);
}

ty_tensor *rcnn_mask_head(ty_layer *heads, ty_tensor *const *levels, ty_tensor *boxes, int64_t classes,
                          int64_t height) {
    ty_layer *head = ty_layer_in(heads, "mask_head"), *predictor = ty_layer_in(heads, "mask_predictor");
    ty_tensor *h = ty_permute(align(levels, boxes, MASK_BINS, height), (const int[]){0, 2, 3, 1});
    for (int i = 0; i < 4; i++)
        h = ty_layer_conv2d(zoo_numbered(head, i), "0", h, conv(3, CHANNELS, ty_relu));
    h = ty_layer_conv_transpose2d(
        predictor, "conv5_mask", h,
        (ty_conv_layer){.size = {2, 2}, .stride = {2, 2}, .channels = CHANNELS, .activation = ty_relu});
    return ty_layer_conv2d(predictor, "mask_fcn_logits", h, conv(1, classes, NULL));
}

/* Return the masks [n, bins, bins] in 0..1 of the n objects, each of its class; poison on failure. */
static ty_tensor *find_masks(ty_layer *heads, ty_tensor *const *levels, struct objects o, int64_t classes,
                             int64_t height) {
    ty_tensor *h = rcnn_mask_head(heads, levels, o.boxes, classes, height);
    if (!ty_ok(h)) return h;
    ty_tensor *class = ty_reshape(o.classes, 4, (const int64_t[]){ty_shape(h)[0], 1, 1, 1});
    return ty_sigmoid(ty_squeeze(ty_take_along_axis(h, class, 3), 3));
}

/* Find objects in one image x[0] [1, H, W, 3], sizes divisible by 32: y[0..4) become boxes [n, 4], classes
   [n], scores [n] and masks [n, ..]; all poison for another shape. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_network_options *o = options;
    ty_tensor *levels[LEVELS];
    (void)n;
    const int64_t *shape = ty_shape(x[0]);
    if (ty_rank(x[0]) != 4 || shape[0] != 1 || shape[1] % 32 || shape[2] % 32 || !shape[1] || !shape[2]) {
        for (int i = 0; i < 4; i++)
            y[i] = ty_poison_code(TY_ERROR_SHAPE,
                                  "mask_rcnn: expected one image (1,H,W,3) with sizes divisible by 32");
        return;
    }
    if (o->classes < 2 || o->classes > INT32_MAX / 4) {
        for (int i = 0; i < 4; i++)
            y[i] = ty_poison_code(TY_ERROR_LIMIT,
                                  "mask_rcnn: %lld classes, expected 2 to 2^29, one of them the background",
                                  (long long)o->classes);
        return;
    }
    struct rcnn_regressed regressed[LEVELS];
    rcnn_pyramid(self, x[0], levels);
    struct candidates from = rcnn_propose(self, levels, shape[1], shape[2], regressed);
    if (!ty_ok(from.boxes)) {
        for (int i = 0; i < 4; i++) y[i] = from.boxes;
        return;
    }
    ty_layer *heads = ty_layer_in(self, "roi_heads");
    struct objects found = find_objects(heads, levels, from, o->classes, shape[1], shape[2]);
    y[0] = found.boxes;
    y[1] = found.classes;
    y[2] = found.scores;
    y[3] = ty_ok(found.boxes) ? find_masks(heads, levels, found, o->classes, shape[1]) : found.boxes;
}

const ty_network ty_network_mask_rcnn = {.name = "mask_rcnn",
                                         .doc = "He et al. 2017: detects objects, with boxes and masks",
                                         .forward = forward,
                                         .classes = 91,
                                         .results = 4,
                                         .dtype = TY_F32,
                                         .rank = 3,
                                         .shape = {1024, 1024, 3},
                                         .any_size = true,
                                         .images = true};
