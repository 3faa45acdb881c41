/*
 * Variational autoencoder of digits (Kingma and Welling 2014). Results: logits of the pixels, mean and log
 * variance of the latents. ty_vae_loss is its loss.
 */
#include "zoo/parts.h"

enum { LATENTS = 20 };

/* Return the encoder's features [N, 256] of images x [N, 28, 28, 1]. */
static ty_tensor *encode(ty_layer *at, ty_tensor *x) {
    const ty_layer_value layers[] = {TY_LAYER(conv2d, .size = {3, 3}, .channels = 32, .stride = {2, 2},
                                              .same = true, .activation = ty_relu),
                                     TY_LAYER(conv2d, .size = {3, 3}, .channels = 64, .stride = {2, 2},
                                              .same = true, .activation = ty_relu),
                                     TY_LAYER(fully_connected, .units = 256, .activation = ty_relu)};
    return ty_layer_sequence(at, sizeof layers / sizeof *layers, layers, x);
}

/* Return the pixel scores (logits) [N, 28, 28, 1] that the decoder, layer `at`, computes from codes z [N, k];
   poison is passed on. */
static ty_tensor *decode(ty_layer *at, ty_tensor *z) {
    ty_tensor *h =
        ty_layer_linear(at, NULL, z, (ty_linear_layer){.units = 7 * 7 * 64, .activation = ty_relu});
    if (!ty_ok(h)) return h;
    h = ty_reshape(h, 4, (const int64_t[]){ty_shape(h)[0], 7, 7, 64});
    const ty_layer_value layers[] = {TY_LAYER(conv_transpose2d, .size = {4, 4}, .channels = 32,
                                              .stride = {2, 2}, .low = {1, 1}, .high = {1, 1},
                                              .activation = ty_relu),
                                     TY_LAYER(conv_transpose2d, .size = {4, 4}, .channels = 1,
                                              .stride = {2, 2}, .low = {1, 1}, .high = {1, 1})};
    return ty_layer_sequence(at, sizeof layers / sizeof *layers, layers, h);
}

/* Encode and decode images of bytes x[0] [N, 28, 28, 1]: y[0] receives the scores of pixels, of that shape,
   y[1] the means and y[2] the logarithms of variances of the codes, [N, k]. Codes are drawn in training,
   else the means. All are poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options;
    (void)n;
    ty_tensor *pixels = ty_layer_scale(self, NULL, x[0], (ty_scale_layer){.factor = 1.0 / 255});
    ty_tensor *h = encode(ty_layer_in(self, "encoder"), pixels);
    ty_tensor *mean = y[1] = ty_layer_linear(self, "mean", h, (ty_linear_layer){.units = LATENTS});
    ty_tensor *spread = y[2] = ty_layer_linear(self, "log_variance", h, (ty_linear_layer){.units = LATENTS});
    ty_tensor *key = ty_layer_key(self), *z = mean;
    if (key && ty_ok(mean)) {
        ty_tensor *noise = ty_normal(ty_dtype_of(mean), ty_rank(mean), ty_shape(mean), key);
        z = ty_add(mean, ty_mul(ty_exp(ty_mul(spread, ty_num(0.5))), noise));
    }
    y[0] = decode(ty_layer_in(self, "decoder"), z);
}

ty_tensor *ty_vae_loss(ty_model *model, ty_tensor *key, int n, ty_tensor *const *batch, void *context) {
    ty_tensor *y[3];
    (void)context;
    if (*ty_model_error(model)) return ty_model_failure(model);
    if (n < 1) return ty_poison_code(TY_ERROR_SHAPE, "vae: a batch has no images");
    if (ty_model_operands(model) != 1 || ty_model_results(model) != 3)
        return ty_poison_code(
            TY_ERROR_ARGUMENT,
            "vae: a model of %d operands and %d results, expected 1 and 3, as the network vae has",
            ty_model_operands(model), ty_model_results(model));
    ty_model_call(model, key, 1, batch, y);
    if (!ty_ok(y[0])) return y[0];
    if (ty_rank(y[0]) < 1)
        return ty_poison_code(TY_ERROR_SHAPE,
                              "vae: the first result has no axes, expected a batch of images");
    ty_tensor *pixels = ty_mul(ty_cast(batch[0], ty_dtype_of(y[0])), ty_num(1.0 / 255));
    /* -log p of a pixel from its logit: softplus(l) - p l */
    ty_tensor *seen = ty_sum(ty_sub(ty_softplus(y[0]), ty_mul(pixels, y[0])), TY_ALL);
    ty_tensor *known = ty_sub(ty_add(ty_exp(y[2]), ty_square(y[1])), ty_add(y[2], ty_num(1)));
    /* sums over pixels and latents, averaged over examples */
    ty_tensor *whole = ty_add(seen, ty_mul(ty_sum(known, TY_ALL), ty_num(0.5)));
    return ty_div(whole, ty_num((double)ty_shape(y[0])[0]));
}

const ty_network ty_network_vae = {.name = "vae",
                                   .doc = "variational autoencoder of digits, Kingma and Welling 2014",
                                   .forward = forward,
                                   .results = 3,
                                   .dtype = TY_U8,
                                   .rank = 3,
                                   .shape = {28, 28, 1}};
