/*
 * An image in the style of another (Gatys et al. 2016).  The optimised variable is the image: its features in a
 * convolutional network should be those of one image, and their correlations those of another.  The network keeps its
 * random weights, which suffice (Ustyuzhaninov et al. 2017); with tyto/zoo.h it may be vgg16, whose weights
 * ty_model_load reads.
 */
#include <stdio.h>
#include <tyto/data.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>

enum { SIDE = 28, LAYERS = 3 };

/* Return the features of each layer. */
static void features(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n;
    for (int i = 0; i < LAYERS; i++)
        y[i] = ty_layer_conv2d(self, NULL, i ? y[i - 1] : x[0],
                               (ty_conv_layer){.size = {5, 5},
                                               .channels = 16 << i,
                                               .stride = {1 + (i > 0), 1 + (i > 0)},
                                               .same = true,
                                               .activation = ty_relu});
}

/* Return the Gram matrix of the channels over all positions: (channels, channels). */
static ty_tensor *style_of(ty_tensor *x) {
    int64_t channels = ty_shape(x)[3], places = ty_size(x) / channels;
    ty_tensor *rows = ty_reshape(x, 2, (const int64_t[]){places, channels});
    return ty_mul(ty_matmul(ty_transpose(rows), rows), ty_num(1.0 / (double)places));
}

struct wanted {
    ty_model *eye;
    ty_tensor *content, *styles[LAYERS];
};

static ty_tensor *share(ty_tensor *x, ty_tensor *target) {
    return ty_div(ty_mse(x, target),
                  ty_mean(ty_square(target), TY_ALL)); /* 1: the distance of a black image */
}

static ty_tensor *distance(void *context, ty_tensor *const *image) {
    const struct wanted *w = context;
    ty_tensor *seen[LAYERS];
    ty_model_call(w->eye, NULL, 1, image, seen);
    ty_tensor *loss = ty_mul(share(seen[LAYERS - 1], w->content), ty_num(0.2));
    for (int i = 0; i < LAYERS; i++) loss = ty_add(loss, share(style_of(seen[i]), w->styles[i]));
    return loss;
}

/* Return an image of waves along a diagonal. */
static ty_tensor *waves(void) {
    ty_tensor *i = ty_iota(TY_F32, TY_SHAPE(1, SIDE, SIDE, 1), 1),
              *j = ty_iota(TY_F32, TY_SHAPE(1, SIDE, SIDE, 1), 2);
    return ty_mul(ty_add(ty_sin(ty_mul(ty_add(i, j), ty_num(1.1))), ty_num(1)), ty_num(0.5));
}

static void show(ty_tensor *image) {
    static float pixels[SIDE][SIDE];
    if (!ty_read(ty_clip(image, ty_num(0), ty_num(1)), TY_F32, pixels)) return;
    for (int i = 0; i < SIDE; i += 2, printf("\n"))
        for (int j = 0; j < SIDE; j++) putchar(" .:*#"[(int)(4.99f * pixels[i][j])]);
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_dataset *set = ty_dataset_digits(1, 3, 1);
    ty_tensor *digit, *styled, *seen[LAYERS], *style = waves();
    ty_dataset_get_all(set, 1, &digit);
    ty_dataset_free(set);
    digit = ty_mul(ty_cast(digit, TY_F32), ty_num(1.0 / 255));

    struct wanted w = {.eye = ty_model_new(features, NULL, (ty_model_options){.seed = 1, .results = LAYERS})};
    ty_model_call(w.eye, NULL, 1, &digit, seen);
    w.content = ty_detach(seen[LAYERS - 1]);
    ty_model_call(w.eye, NULL, 1, &style, seen);
    for (int i = 0; i < LAYERS; i++) w.styles[i] = ty_detach(style_of(seen[i]));

    ty_minimum report;
    double before = ty_item(distance(&w, &digit));
    ty_minimise(distance, &w, 1, &digit, (ty_minimise_options){.iterations = 60}, &styled, &report);
    if (!ty_ok(styled)) printf("%s\n", ty_error(styled));
    printf("from %.3f to %.3f in %d evaluations\n", before, report.value, (int)report.evaluations);
    show(styled);
    ty_model_free(w.eye);
    ty_close(scope);
    return !(report.value < 0.5 * before);
}
