/* A convolutional network on handwritten-like digits: built layer by layer, compiled, trained, tested. */
#include <tyto/io.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>

static ty_model *network(void) {
    ty_model *m = ty_model_new(TY_SHAPE(28, 28, 1), (ty_model_options){.seed = 1, .lazy = true});
    ty_layer_scale(m, 1.0 / 256);
    ty_layer_conv2d(m, (ty_conv2d_layer){.size = {5, 5}, .channels = 8, .activation = ty_relu, .same = true});
    ty_layer_max_pool2d(m, (ty_pool){.size = {2, 2}});
    ty_layer_dropout(m, 0.1);
    ty_layer_fully_connected(m, (ty_linear_layer){.units = 64, .activation = ty_relu});
    ty_layer_linear(m, (ty_linear_layer){.units = 10});
    return m;
}

static bool tell(void *context, ty_moment now) {
    (void)context;
    if (now.step % 25 == 0) printf("step %3lld  loss %.3f\n", (long long)now.step, now.loss);
    return true;
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *images, *labels, *test_images, *test_labels;
    ty_digits(1, 0, 2000, &images, &labels);
    ty_digits(1, 1 << 20, 500, &test_images, &test_labels);

    ty_model *m = network();
    char *summary = ty_model_summary(m);
    printf("%s", summary ? summary : "");
    ty_free(summary);

    ty_trainer *t = ty_trainer_new(m, (ty_trainer_options){.inputs = images,
                                                           .targets = labels,
                                                           .batch = 50,
                                                           .optimiser = {.rule = &ty_adam, .rate = 2e-3}});
    ty_trainer_run(t, 150, tell, NULL);
    double accuracy = ty_trainer_accuracy(t, test_images, test_labels, NULL);
    if (*ty_trainer_error(t)) printf("%s\n", ty_trainer_error(t));
    printf("accuracy on digits it never saw: %.1f %%\n", 100 * accuracy);

    ty_trainer_free(t);
    ty_model_free(m);
    ty_close(scope);
    return !(accuracy > 0.7);
}
