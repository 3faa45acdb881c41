/* A convolutional network on handwritten-like digits: build, compile, train and test it. */
#include <tyto/data.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>

static ty_model *network(void) {
    const ty_layer_value steps[] = {
        TY_LAYER(scale, .factor = 1.0 / 256),
        TY_LAYER(conv2d, .size = {5, 5}, .channels = 8, .activation = ty_relu, .same = true),
        TY_LAYER(max_pool2d, .size = {2, 2}),
        TY_LAYER(dropout, .p = 0.1),
        TY_LAYER(fully_connected, .units = 64, .activation = ty_relu),
        TY_LAYER(linear, .units = 10)};
    return ty_model_sequence(sizeof steps / sizeof *steps, steps,
                             (ty_model_options){.seed = 1, .lazy = true});
}

static bool tell(void *context, const ty_moment *now) {
    (void)context;
    if (now->step % 25 == 0) printf("step %3lld  loss %.3f\n", (long long)now->step, now->loss);
    return true;
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_dataset *train = ty_dataset_digits(1, 0, 2000), *test = ty_dataset_digits(1, 1 << 20, 500);
    ty_tensor *seen[2], *unseen[2]; /* images, labels */
    ty_dataset_get_all(train, 2, seen);
    ty_dataset_get_all(test, 2, unseen);
    ty_dataset_free(test);
    ty_dataset_free(train);

    ty_model *m = network();
    ty_trainer *t = ty_trainer_new(m, (ty_trainer_options){.inputs = seen[0],
                                                           .targets = seen[1],
                                                           .batch = 50,
                                                           .optimiser = {.rule = &ty_adam, .rate = 2e-3}});
    char *summary = ty_model_summary(m); /* in the shapes of the trainer's first batch */
    printf("%s", summary ? summary : "");
    ty_free(summary);

    ty_trainer_run(t, 150, tell, NULL);
    double accuracy = ty_trainer_accuracy(t, unseen[0], unseen[1], NULL);
    if (*ty_trainer_error(t)) printf("%s\n", ty_trainer_error(t));
    printf("accuracy on digits it never saw: %.1f %%\n", 100 * accuracy);

    ty_trainer_free(t);
    ty_model_free(m);
    ty_close(scope);
    return !(accuracy > 0.7);
}
