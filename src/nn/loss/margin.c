/* Losses that are 0 once a score, or a distance, exceeds another by a margin. */
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "nn/loss/loss.h"

static ty_tensor *short_of(double margin, ty_tensor *x) { return ty_relu(ty_sub(ty_num(margin), x)); }

/* ---- scores ---- */

#define SCORE(loss, value)                                                                                   \
    static struct loss_sum loss(ty_tensor *const *x, const ty_loss_options *o) {                             \
        ty_tensor *score = ty_mul(x[0], x[1]);                                                               \
        (void)o;                                                                                             \
        return (struct loss_sum){.each = value};                                                             \
    }                                                                                                        \
    const struct loss_kind loss_##loss = {.name = "loss_" #loss,                                             \
                                          .floating = 2,                                                     \
                                          .sign = 1,                                                         \
                                          .domains = {{1, LOSS_SIGN, WORDS_SIGNS, NULL, NULL}},              \
                                          .check = loss_check_same,                                          \
                                          .make = loss};
SCORE(hinge, short_of(option_or(o->margin, 1), score))
SCORE(squared_hinge, ty_square(short_of(option_or(o->margin, 1), score)))
SCORE(soft_margin, ty_softplus(ty_neg(score)))

/* Compute the multi-class hinge loss of scores x[0] and labels x[1]: the sum over other classes of max(0,
   margin - (own - other))^power, divided by the number of classes. */
static struct loss_sum multi_hinge(ty_tensor *const *x, const ty_loss_options *o) {
    int along = loss_axis(o, ty_rank(x[0]));
    ty_axes kept = ty_axes_of(1, &along, true);
    double power = option_or(o->power, 1);
    ty_tensor *chosen = loss_chosen(x[0], x[1], o, NULL);
    ty_tensor *own = ty_sum(ty_where(chosen, x[0], ty_num(0)), kept);
    ty_tensor *each = short_of(option_or(o->margin, 1), ty_sub(own, x[0]));
    if (power == 2) each = ty_square(each);
    if (power != 2 && power != 1) each = ty_pow(each, ty_num(power));
    if (o->weight) {
        ty_tensor *weight = loss_of_classes(o->weight, x[0], o);
        each = ty_mul(each, ty_sum(ty_where(chosen, weight, ty_num(0)), kept));
    }
    each = ty_sum(ty_where(chosen, ty_num(0), each), ty_axis(along));
    return (struct loss_sum){.each = ty_div(each, ty_num((double)ty_shape(x[0])[along]))};
}
const struct loss_kind loss_multi_hinge = {.name = "loss_multi_hinge",
                                           .floating = 1,
                                           .of_classes = true,
                                           .check = loss_check_labels,
                                           .make = multi_hinge};

static struct loss_sum ranking(ty_tensor *const *x, const ty_loss_options *o) {
    ty_tensor *lead = ty_mul(ty_sub(x[0], x[1]), x[2]);
    return (struct loss_sum){.each = short_of(o->margin + 0.0, lead)};
}
/* Check two scores, x[0] and x[1], of one shape, and a target x[2] of that shape or 0-d. Return poison, or
   NULL if they fit. */
static ty_tensor *check_ranking(const struct loss_kind *k, int n, ty_tensor *const *x,
                                const ty_loss_options *o) {
    ty_tensor *turned[] = {x[0], x[2], x[1]};
    return loss_check_same(k, n, turned, o);
}
const struct loss_kind loss_ranking = {.name = "loss_ranking",
                                       .floating = 3,
                                       .sign = 2,
                                       .domains = {{2, LOSS_SIGN, WORDS_SIGNS, NULL, NULL}},
                                       .check = check_ranking,
                                       .make = ranking};

/* ---- vectors ---- */

/* Check that n operands have one shape that includes the options' axis of vectors. Return poison, or NULL
   if so. */
static ty_tensor *check_vectors(const struct loss_kind *k, int n, ty_tensor *const *x,
                                const ty_loss_options *o) {
    if (loss_axis(o, ty_rank(x[0])) < 0)
        return refuse(k->name, n, x, E_INDEX, "axis %d of vectors is out of bounds", o->axis ? o->axis : -1);
    for (int i = 1; i < n; i++)
        if (ty_rank(x[i]) == 0) return refuse(k->name, n, x, E_SHAPE, "operands must have the same shape");
    return loss_check_same(k, n, x, o);
}

/* Compute the triplet loss of anchors x[0], positives x[1] and negatives x[2]: max(0, margin + near - far),
   with the distances of the anchor from the positive (near) and the negative (far). */
static struct loss_sum triplet(ty_tensor *const *x, const ty_loss_options *o) {
    ty_axes axis = ty_axis(loss_axis(o, ty_rank(x[0])));
    ty_tensor *small = ty_num(option_or(o->epsilon, 1e-6));
    double order = option_or(o->power, 2);
    ty_tensor *near = ty_norm(ty_add(ty_sub(x[0], x[1]), small), order, axis);
    ty_tensor *far = ty_norm(ty_add(ty_sub(x[0], x[2]), small), order, axis);
    if (o->swap) far = ty_min(far, ty_norm(ty_add(ty_sub(x[1], x[2]), small), order, axis));
    return (struct loss_sum){.each = short_of(option_or(o->margin, 1), ty_sub(far, near))};
}
const struct loss_kind loss_triplet = {
    .name = "loss_triplet", .floating = 3, .check = check_vectors, .make = triplet};

/* Check two operands of vectors, of one shape, and a target x[2] of that shape without the vectors' axis.
   Return poison, or NULL if they fit. */
static ty_tensor *check_cosine(const struct loss_kind *k, int n, ty_tensor *const *x,
                               const ty_loss_options *o) {
    ty_tensor *bad = check_vectors(k, 2, x, o);
    int axis = loss_axis(o, ty_rank(x[0]));
    if (bad || loss_is_without(x[2], x[0], axis)) return bad;
    return refuse(k->name, n, x, E_SHAPE,
                  "the target must have the shape of the vectors without their axis %d", axis);
}

/* Compute the cosine loss of vectors x[0] and x[1]: 1 - cos where the target x[2] is positive, else max(0,
   cos - margin). */
static struct loss_sum cosine(ty_tensor *const *x, const ty_loss_options *o) {
    ty_axes axis = ty_axis(loss_axis(o, ty_rank(x[0])));
    ty_tensor *square = ty_mul(ty_add(ty_sum(ty_square(x[0]), axis), ty_num(1e-12)),
                               ty_add(ty_sum(ty_square(x[1]), axis), ty_num(1e-12)));
    ty_tensor *angle = ty_div(ty_sum(ty_mul(x[0], x[1]), axis), ty_sqrt(square));
    ty_tensor *apart = ty_relu(ty_sub(angle, ty_num(o->margin + 0.0)));
    return (struct loss_sum){.each = ty_where(ty_gt(x[2], ty_num(0)), ty_sub(ty_num(1), angle), apart)};
}
const struct loss_kind loss_cosine = {.name = "loss_cosine",
                                      .floating = 3,
                                      .sign = 2,
                                      .domains = {{2, LOSS_SIGN, WORDS_SIGNS, NULL, NULL}},
                                      .check = check_cosine,
                                      .make = cosine};
