/* Losses of tyto train by name, for predictions with or without a last axis of size 1. */
#include "tools/train_loss.h"
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include <tyto/sort.h>

static ty_tensor *cross_entropy(ty_tensor *x, ty_tensor *y) {
    return ty_loss_cross_entropy(x, y, (ty_loss_options){0});
}
/* Return predictions x without their last axis if that has size 1 and targets y have one axis less; other
   predictions are unchanged. */
static ty_tensor *shaped(ty_tensor *x, ty_tensor *y) {
    if (ty_ok(x) && ty_rank(x) == ty_rank(y) + 1 && ty_shape(x)[ty_rank(x) - 1] == 1)
        return ty_squeeze(x, -1);
    return x;
}
static ty_tensor *mse(ty_tensor *x, ty_tensor *y) {
    return ty_loss_l2(shaped(x, y), y, (ty_loss_options){0});
}
static ty_tensor *mae(ty_tensor *x, ty_tensor *y) {
    return ty_loss_l1(shaped(x, y), y, (ty_loss_options){0});
}
static ty_tensor *huber(ty_tensor *x, ty_tensor *y) {
    return ty_loss_huber(shaped(x, y), y, (ty_loss_options){0});
}
static ty_tensor *bce(ty_tensor *x, ty_tensor *y) {
    return ty_loss_bce_logits(shaped(x, y), y, (ty_loss_options){0});
}

static const struct {
    const char *name;
    loss_function loss;
    bool numbers; /* its targets are numbers */
} losses[] = {{"cross_entropy", cross_entropy, false},
              {"mse", mse, true},
              {"mae", mae, true},
              {"huber", huber, true},
              {"bce", bce, false}};
enum { LOSSES = sizeof losses / sizeof *losses };

const char *loss_name(int i) { return i >= 0 && i < LOSSES ? losses[i].name : NULL; }
loss_function loss_at(int i) { return losses[i].loss; }
bool loss_of_numbers(int i) { return i >= 0 && losses[i].numbers; }

static ty_tensor *class_weights; /* f32 [classes], owned by the scope of the training */
static ty_tensor *balanced(ty_tensor *x, ty_tensor *y) {
    return ty_loss_cross_entropy(x, y, (ty_loss_options){.weight = class_weights});
}

loss_function loss_balanced(ty_tensor *labels, int64_t classes) {
    ty_tensor *counts = ty_max(ty_bincount(labels, NULL, classes), ty_int(1));
    double share = (double)ty_size(labels) / (double)classes;
    class_weights = ty_eval(ty_cast(ty_div(ty_num(share), ty_cast(counts, TY_F64)), TY_F32));
    return balanced;
}
