/*
 * Non-maximum suppression: of overlapping boxes only the one with the best score is kept.  Boxes are visited by
 * descending score, ties by index.  A box is kept unless its intersection over union with a kept box of its class
 * exceeds the threshold.  The operator's result has a fixed size, so it may be in a graph; ty_nms evaluates it and
 * drops unused entries.
 */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/image.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "base/options.h"
#include "base/machine/floating.h"
#include "ops/shape/batch.h"
#include "ops/index/index.h"

/* Infer the indices that suppression keeps: i64, the scores' shape with `most` in place of the boxes.
   False, with the fault set, if the operands are invalid. */
static bool infer(struct infer *in) {
    const struct suppress_attr *attr = in->attr;
    const ty_tensor *boxes = in->inputs[0], *scores = in->inputs[1], *order = in->inputs[2];
    if (boxes->dtype != TY_F64 || scores->dtype != TY_F64 || order->dtype != TY_I64)
        return infer_fault(in, E_DTYPE, "boxes and scores must be f64, the order i64");
    if (boxes->layout.rank != 3 || boxes->layout.shape[2] != 4)
        return infer_fault(in, E_SHAPE, "boxes must have the shape [batch,boxes,4]");
    if (scores->layout.rank != 3 || scores->layout.shape[0] != boxes->layout.shape[0] ||
        scores->layout.shape[2] != boxes->layout.shape[1])
        return infer_fault(
            in, E_SHAPE,
            "scores must have the shape [batch,classes,boxes], with the batch and boxes of the boxes");
    infer_like(in, scores);
    if (!shape_equal(in->rank, in->shape, order->layout.rank, order->layout.shape))
        return infer_fault(in, E_SHAPE, "the order must have the scores' shape");
    in->dtype = TY_I64;
    in->shape[2] = attr->most;
    return infer_fits(in);
}

ATTRIBUTES(attributes, sizeof(struct suppress_attr), FIELD(struct suppress_attr, most, LONG),
           FIELD(struct suppress_attr, overlap, REAL), FIELD(struct suppress_attr, score, REAL));

/* Return x with its first two axes, examples and images, merged: n examples are n times as many images. x has
   four axes, the result three. Poison stays poison. */
static ty_tensor *folded(ty_tensor *x) {
    int64_t shape[3];
    if (!ty_ok(x)) return x;
    shape[0] = ty_shape(x)[0] * ty_shape(x)[1];
    for (int i = 1; i < 3; i++) shape[i] = ty_shape(x)[i + 1];
    return ty_reshape(x, 3, shape);
}

/* Batch rule of suppression: return the result for all examples, computed with the batch axis folded into
   that of images. */
static ty_tensor *batch(const struct batch *b) {
    ty_tensor *y = b->y, *x[3];
    for (int i = 0; i < 3; i++) x[i] = folded(batch_operand(b, i));
    x[0] = record(y->op, y->attr, y->attr_bytes, 3, x);
    return ty_reshape(x[0], 4, (int64_t[]){b->n, ty_shape(y)[0], ty_shape(y)[1], ty_shape(y)[2]});
}

const struct op op_suppress = {.name = "suppress",
                               .kind = KERNEL_SUPPRESS,
                               .arity = 3,
                               .infer = infer,
                               .batch = batch,
                               .no_gradient = {"piecewise constant", "piecewise constant", "integer"},
                               .attributes = &attributes,
                               .row = -1,
                               .onnx = "NonMaxSuppression",
                               .doc = "for each class the boxes that no better one overlaps, -1 behind them"};

/* Return boxes [.., 4] in f64 as two opposite corners, [.., 4]; if `centre` they are given as centre and
   size. */
static ty_tensor *corners(ty_tensor *boxes, bool centre) {
    boxes = ty_cast(boxes, TY_F64);
    if (!centre || !ty_ok(boxes) || ty_rank(boxes) < 1) return boxes;
    ty_tensor *middle = ty_slice(boxes, -1, 0, 2, 1);
    ty_tensor *half = ty_mul(ty_slice(boxes, -1, 2, 4, 1), ty_num(0.5));
    return ty_concat(2, (ty_tensor *[]){ty_sub(middle, half), ty_add(middle, half)}, -1);
}

/* Check boxes, scores and options. Return poison, in the name of function `name`, or NULL if they are
   valid. */
static ty_tensor *refuse_boxes(const char *name, ty_tensor *boxes, ty_tensor *scores,
                               ty_nms_options options) {
    ty_tensor *operands[] = {boxes, scores}, *bad = first_poison_in(name, 2, operands);
    if (bad) return bad;
    for (int i = 0; i < 2; i++)
        if (dtype_is(ty_dtype_of(operands[i]), CLASS_COMPLEX | CLASS_BOOL))
            return refuse(name, 2, operands, E_DTYPE, "boxes and scores must be real numbers");
    if (ty_rank(boxes) != 3 || ty_shape(boxes)[2] != 4)
        return refuse(name, 2, operands, E_SHAPE, "boxes must have the shape [batch,boxes,4]");
    if (ty_rank(scores) != 3 || ty_shape(scores)[0] != ty_shape(boxes)[0] ||
        ty_shape(scores)[2] != ty_shape(boxes)[1])
        return refuse(
            name, 2, operands, E_SHAPE,
            "scores must have the shape [batch,classes,boxes], with the batch and boxes of the boxes");
    if (options.most < -1)
        return refuse(name, 2, operands, E_ARGUMENT,
                      "the number of boxes to keep is %lld; expected 1 or more, 0 for all or -1 for none",
                      (long long)options.most);
    if (!(options.overlap >= 0 && options.overlap <= 1))
        return refuse(name, 2, operands, E_ARGUMENT, "the overlap %g is out of range; expected 0..1",
                      options.overlap);
    return NULL;
}

/* Return the least f64 number above the score threshold, which is rounded to the scores' precision first:
   scores from it on are kept. Minus infinity if there is no threshold. */
static double least_score(const ty_tensor *scores, ty_nms_options options) {
    FLOATING_DEFAULT;
    if (!options.use_score) return -HUGE_VAL;
    bool wide = ty_dtype_of(scores) == TY_F64 || dtype_is(ty_dtype_of(scores), CLASS_INTEGER);
    return nextafter(wide ? options.score : (double)(float)options.score, HUGE_VAL);
}

ty_tensor *ty_nms_padded_sized(ty_tensor *boxes, ty_tensor *scores, const ty_nms_options *given,
                               size_t given_size) {
    OPTIONS(ty_nms_options, options, given, given_size);
    ty_tensor *bad = refuse_boxes("nms", boxes, scores, options);
    if (bad) return bad;
    int64_t n = ty_shape(boxes)[1];
    struct suppress_attr attr = {options.overlap, least_score(scores, options),
                                 options.most < 0                   ? 0
                                 : options.most && options.most < n ? options.most
                                                                    : n};
    ty_scope *scope = ty_open();
    scores = ty_cast(scores, TY_F64);
    ty_tensor *inputs[] = {corners(boxes, options.centre), scores, ty_argsort(scores, -1, true)};
    return leave(scope, record(&op_suppress, &attr, sizeof attr, 3, inputs));
}

ty_tensor *ty_nms_sized(ty_tensor *boxes, ty_tensor *scores, const ty_nms_options *given, size_t given_size) {
    OPTIONS(ty_nms_options, options, given, given_size);
    ty_scope *scope = ty_open();
    ty_tensor *kept = value_now("nms", ty_nms_padded(boxes, scores, options));
    ty_tensor *places = ty_nonzero(ty_ge(kept, ty_int(0))); /* [3, n]: batch, class, index */
    if (!ty_ok(places)) return leave(scope, places);
    ty_tensor *at[3];
    for (int i = 0; i < 3; i++) at[i] = ty_squeeze(ty_slice(places, 0, i, i + 1, 1), 0);
    at[2] = ty_get(kept, TY_ITEMS(TY_OF(at[0]), TY_OF(at[1]), TY_OF(at[2])));
    return leave(scope, ty_stack(3, at, 1));
}

ty_tensor *ty_nms_indices(ty_tensor *boxes, ty_tensor *scores, double overlap) {
    ty_tensor *operands[] = {boxes, scores}, *bad = first_poison(2, operands);
    if (bad) return bad;
    if (ty_rank(boxes) != 2 || ty_rank(scores) != 1)
        return refuse("nms_indices", 2, operands, E_SHAPE,
                      "boxes must have the shape [boxes,4], scores [boxes]");
    ty_scope *scope = ty_open();
    ty_nms_options options = {.most = INT64_MAX, .overlap = overlap};
    ty_tensor *all = ty_nms(ty_expand(boxes, 0), ty_expand_axes(scores, 2, (int64_t[]){0, 1}), options);
    if (!ty_ok(all)) return leave(scope, all);
    return leave(scope, ty_squeeze(ty_slice(all, 1, 2, 3, 1), 1));
}
