/* Losses that are not in tyto.h: a scalar from prediction and target. */
#include <tyto/arithmetic.h>
#include <tyto/nn.h>
#include <tyto/reduce.h>

ty_tensor *ty_mse(ty_tensor *prediction, ty_tensor *target) {
    return ty_mean(ty_square(ty_sub(prediction, target)), TY_ALL);
}
