/* The program of docs/tutorial.md: from arrays to a network trained on a table. */
#include <stdio.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>

static void arrays(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 3), (double[]){1, 2, 3, 4, 5, 6});
    ty_tensor *means = ty_mean(x, ty_axis(0));
    ty_tensor *centred = ty_sub(x, means);
    ty_print(stdout, centred);
    printf("%g\n", ty_item(ty_sum(ty_square(centred), TY_ALL)));
}

static double in_a_loop(void) {
    double sum = 0;
    for (int i = 0; i < 1000; i++) {
        ty_scope *scope = ty_open();
        ty_tensor *x = ty_normal(TY_F64, TY_SHAPE(100), ty_fold(ty_key(1), (uint64_t)i));
        sum += ty_item(ty_amax(x, TY_ALL));
        ty_close(scope);
    }
    return sum / 1000;
}

static void errors(void) {
    ty_tensor *a = ty_ones(TY_F32, TY_SHAPE(2, 3)), *b = ty_ones(TY_F32, TY_SHAPE(4, 5));
    ty_tensor *c = ty_sqrt(ty_matmul(a, b));
    if (!ty_ok(c)) printf("%s\n", ty_error(c));
}

static void promises(void) {
    ty_tensor *x = ty_var(ty_scalar(TY_F64, 2), "x");
    ty_tensor *y = ty_mul(x, ty_sin(x)), *slope;
    ty_grad(y, 1, &x, &slope);
    ty_tensor *outputs[] = {y, slope};
    ty_program *program = ty_compile(2, outputs, (ty_compile_options){0});
    for (double value = 0; value < 3; value++) {
        ty_scope *scope = ty_open();
        ty_assign(x, ty_scalar(TY_F64, value), NULL);
        ty_run(program);
        printf("%g %g\n", ty_item(ty_output(program, 0)), ty_item(ty_output(program, 1)));
        ty_close(scope);
    }
    ty_program_free(program);
}

/* Write a table of two measurements, and 1 if their product is above 0, else 0. */
static void write_table(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) return;
    fprintf(file, "width,height,good\n");
    ty_tensor *numbers = ty_normal(TY_F64, TY_SHAPE(600, 2), ty_key(3));
    const double *x = ty_data(numbers);
    for (int i = 0; x && i < 600; i++)
        fprintf(file, "%.4f,%.4f,%d\n", x[2 * i], x[2 * i + 1], x[2 * i] * x[2 * i + 1] > 0);
    fclose(file);
}

static void train(const char *path, const char *weights) {
    ty_tensor *table = ty_load(path), *error = NULL;
    ty_tensor *rows = ty_cast(ty_slice(table, 1, 0, 2, 1), TY_F32);
    ty_tensor *good = ty_cast(ty_squeeze(ty_slice(table, 1, 2, 3, 1), 1), TY_I32);
    ty_tensor *held_out[] = {ty_slice(rows, 0, 500, 600, 1), ty_slice(good, 0, 500, 600, 1)};

    const ty_layer_value layers[] = {TY_LAYER(linear, .units = 32, .activation = ty_relu),
                                     TY_LAYER(linear, .units = 32, .activation = ty_relu),
                                     TY_LAYER(linear, .units = 2)};
    ty_model *model = ty_model_sequence(3, layers, (ty_model_options){.seed = 1, .lazy = true});

    ty_trainer_options options = {.batch = 20, .seed = 1};
    options.inputs = ty_slice(rows, 0, 0, 500, 1);
    options.targets = ty_slice(good, 0, 0, 500, 1);
    options.optimiser = (ty_optimiser){.rule = &ty_adam, .rate = 0.01};
    ty_trainer *trainer = ty_trainer_new(model, options);

    ty_fit_options fit = {.epochs = 40, .validation = held_out, .nvalidation = 2, .accuracy = true};
    fit.best = weights;
    if (!ty_trainer_fit(trainer, fit, &error)) printf("%s\n", ty_error(error));
    printf("%.0f %%\n", 100 * ty_trainer_accuracy(trainer, held_out[0], held_out[1], &error));

    ty_tensor *asked = ty_from(TY_F32, TY_SHAPE(2, 2), (float[]){1, 1, -1, 2}), *scores;
    if (ty_model_predict(model, 1, &asked, &scores)) ty_print(stdout, ty_argmax(scores, ty_axis(1)));
    ty_trainer_free(trainer);
    ty_model_free(model);
}

int main(int n, char **arguments) {
    const char *table = n > 2 ? arguments[1] : "tutorial.csv";
    const char *weights = n > 2 ? arguments[2] : "tutorial.safetensors";
    ty_scope *scope = ty_open();
    arrays();
    printf("%.3f\n", in_a_loop());
    errors();
    promises();
    write_table(table);
    train(table, weights);
    ty_close(scope);
    return 0;
}
