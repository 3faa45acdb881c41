#include <float.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include "onnx/ops/activation.h"

static ty_tensor *relu(ty_tensor *x, double alpha, double beta) {
    return (void)alpha, (void)beta, ty_relu(x);
}
static ty_tensor *tangent(ty_tensor *x, double alpha, double beta) {
    return (void)alpha, (void)beta, ty_tanh(x);
}
static ty_tensor *sigmoid(ty_tensor *x, double alpha, double beta) {
    return (void)alpha, (void)beta, ty_sigmoid(x);
}
static ty_tensor *softsign(ty_tensor *x, double alpha, double beta) {
    return (void)alpha, (void)beta, ty_softsign(x);
}
static ty_tensor *softplus(ty_tensor *x, double alpha, double beta) {
    return (void)alpha, (void)beta, ty_softplus(x);
}
static ty_tensor *affine(ty_tensor *x, double alpha, double beta) {
    return ty_add(ty_mul(x, ty_num(alpha)), ty_num(beta));
}
static ty_tensor *leaky(ty_tensor *x, double alpha, double beta) {
    return (void)beta, ty_leaky_relu(x, alpha);
}
static ty_tensor *thresholded(ty_tensor *x, double alpha, double beta) {
    return (void)beta, ty_where(ty_gt(x, ty_num(alpha)), x, ty_num(0));
}
static ty_tensor *scaled_tangent(ty_tensor *x, double alpha, double beta) {
    return ty_mul(ty_tanh(ty_mul(x, ty_num(beta))), ty_num(alpha));
}
static ty_tensor *hard_sigmoid(ty_tensor *x, double alpha, double beta) {
    return ty_clip(affine(x, alpha, beta), ty_num(0), ty_num(1));
}
static ty_tensor *elu(ty_tensor *x, double alpha, double beta) { return (void)beta, ty_elu(x, alpha); }
static ty_tensor *clip(ty_tensor *x, double alpha, double beta) {
    return ty_clip(x, ty_num(alpha), ty_num(beta));
}

static const struct {
    const char *name;
    int constants; /* alpha, or alpha and beta, are taken from the lists of attributes */
    struct activation with;
} activations[] = {
    {"Relu", 0, {relu, 0, 0}},
    {"Tanh", 0, {tangent, 0, 0}},
    {"Sigmoid", 0, {sigmoid, 0, 0}},
    {"Softsign", 0, {softsign, 0, 0}},
    {"Softplus", 0, {softplus, 0, 0}},
    {"Affine", 2, {affine, 1, 0}},
    {"LeakyRelu", 1, {leaky, 0.01, 0}},
    {"ThresholdedRelu", 1, {thresholded, 1, 0}},
    {"ScaledTanh", 2, {scaled_tangent, 1, 1}},
    {"HardSigmoid", 2, {hard_sigmoid, 0.2, 0.5}},
    {"Elu", 1, {elu, 1, 0}},
    {"Clip", 2, {clip, -(double)FLT_MAX, (double)FLT_MAX}},
};
enum { ACTIVATIONS = sizeof activations / sizeof *activations };

static bool same_word(struct wire_bytes a, const char *b) {
    size_t n = strlen(b);
    for (size_t i = 0; i < n && a.n == n; i++) {
        char x = ((const char *)a.at)[i], y = b[i];
        if ((x >= 'A' && x <= 'Z' ? x + 32 : x) != (y >= 'A' && y <= 'Z' ? y + 32 : y)) return false;
    }
    return a.n == n;
}

bool onnx_activation(struct onnx_call *call, struct wire_bytes name, struct activation *out, int *constants) {
    int k = 0;
    while (k < ACTIVATIONS && !same_word(name, activations[k].name)) k++;
    if (k == ACTIVATIONS)
        return onnx_refuse(call, E_ARGUMENT, "unknown activation '%.*s'", (int)name.n, (const char *)name.at);
    *out = activations[k].with;
    *constants = activations[k].constants;
    return true;
}
