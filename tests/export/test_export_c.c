/* Exported files compute the bits of cpu. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/nn.h>

#include "tests/support/comma_locale.h"
#include "tests/support/exported.h"
#include "tests/support/files.h"
#include "tests/support/samples/sample.h"

/* ---- inference ---- */

/* Export y as a function of x, and compare it on some values. */
static void predicts(ty_tensor *x, ty_tensor *y, ty_export_options options, const char *flags,
                     const char *what) {
    const ty_export_function f = {
        .name = "predict", .ninputs = 1, .inputs = &x, .noutputs = 1, .outputs = &y};
    struct exported *e = exported_open(1, &f, options, flags);
    for (int i = 0; i < 3; i++) {
        ty_tensor *value = sample_shape(ty_dtype_of(x), ty_rank(x), ty_shape(x), -2, 2), *want;
        CHECK(ty_assign(x, value, NULL), "not assigned");
        want = ty_eval(y);
        exported_compare(e, 0, 1, &value, 1, &want, what);
    }
}
static void dense_net(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options, (void)n;
    ty_tensor *h =
        ty_layer_linear(self, "hidden", x[0], (ty_linear_layer){.units = 40, .activation = ty_tanh});
    h = ty_layer_batch_norm(self, "norm", h, (ty_batch_norm_layer){0});
    h = ty_layer_linear(self, "more", h, (ty_linear_layer){.units = 24, .activation = ty_gelu});
    y[0] = ty_softmax(ty_layer_linear(self, "out", h, (ty_linear_layer){.units = 10}), -1);
}
static void image_net(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options, (void)n;
    ty_tensor *h =
        ty_layer_conv2d(self, "first", x[0],
                        (ty_conv_layer){.channels = 8, .size = {5, 5}, .same = true, .activation = ty_relu});
    h = ty_max_pool2d(h, (ty_pool){.size = {2, 2}});
    h = ty_layer_conv2d(self, "second", h,
                        (ty_conv_layer){.channels = 12, .size = {3, 3}, .activation = ty_relu});
    h = ty_avg_pool2d(h, (ty_pool){.size = {2, 2}, .same = true});
    h = ty_concat(2, (ty_tensor *[]){h, ty_sigmoid(h)}, -1);
    y[0] = ty_layer_linear(self, "out", ty_reshape(h, 2, (int64_t[]){ty_shape(h)[0], -1}),
                           (ty_linear_layer){.units = 10});
}
static ty_tensor *network(ty_forward forward, ty_tensor *x) {
    ty_model *m = ty_model_new(forward, NULL, (ty_model_options){.seed = 4, .lazy = true});
    test_own(m, (void (*)(void *))ty_model_free);
    return CHECK_OK(ty_model_forward(m, x, NULL));
}
static void dense_networks(void) {
    if (!exported_can_run()) return;
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 2, (int64_t[]){3, 20}), "x");
    predicts(x, network(dense_net, x), (ty_export_options){0}, NULL, "dense");
    predicts(x, network(dense_net, x), (ty_export_options){.weights = "m.bin"},
             "-std=gnu11 -O3 -march=native", "dense, weights apart");
}
static void networks_of_images(void) {
    if (!exported_can_run()) return;
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 4, (int64_t[]){2, 13, 11, 3}), "image");
    predicts(x, network(image_net, x), (ty_export_options){0}, "-std=gnu11 -O3 -march=native", "images");
    predicts(x, network(image_net, x), (ty_export_options){.openmp = true}, "-std=c99 -O1 -fopenmp",
             "images, OpenMP");
}

/* Constants are the same numbers where the point of decimals is a comma. */
static void other_locales(void) {
    if (!exported_can_run()) return;
    ty_tensor *x = ty_var(ty_zeros(TY_F64, 1, (int64_t[]){9}), "x"), *y = ty_tanh(ty_mul(x, ty_num(0.3)));
    bool comma = comma_locale_begin();
    predicts(x, y, (ty_export_options){0}, NULL, "a locale of commas");
    if (comma) comma_locale_end();
}

/* Mathematics of complex numbers in both sizes. */
static void complex_numbers(void) {
    if (!exported_can_run()) return;
    for (int wide = 0; wide < 2; wide++) {
        ty_tensor *x = ty_var(ty_zeros(wide ? TY_C128 : TY_C64, 1, (int64_t[]){7}), "x");
        ty_tensor *y = ty_add(ty_div(ty_exp(x), ty_sqrt(x)), ty_mul(ty_log(x), ty_tanh(x)));
        predicts(x, y, (ty_export_options){0}, NULL, wide ? "c128" : "c64");
    }
}

/* Variables and constants of dtypes for storage are bytes. */
static void numbers_for_storage(void) {
    if (!exported_can_run()) return;
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 1, (int64_t[]){5}), "x");
    ty_tensor *w = ty_cast(ty_from(TY_F32, 1, (int64_t[]){5}, (float[]){1, -2, 3, -4, 5}), TY_I4);
    predicts(x, ty_mul(ty_cast(ty_var(w, "w"), TY_F32), x), (ty_export_options){0}, NULL, "an i4 variable");
    int64_t n = 150001;
    x = ty_var(ty_zeros(TY_F32, 1, &n), "x"), w = ty_cast(sample_shape(TY_F32, 1, &n, -8, 7), TY_I4);
    predicts(x, ty_mul(ty_cast(w, TY_F32), x), (ty_export_options){.weights = "m.bin"}, NULL, "i4 weights");
}

/* Parameters, constants and variables of 11 elements of 4 bits, which the borrowed constant keeps from being folded. */
static void narrow_numbers(void) {
    static uint8_t bytes[] = {0x21, 0x43, 0x65, 0xa9, 0xcb, 0x0d};
    const int64_t n = 11;
    if (!exported_can_run()) return;
    ty_tensor *held = ty_borrow(TY_F4_E2M1, 1, &n, bytes, NULL, NULL), *y[2];
    ty_tensor *x = ty_var(ty_from(TY_F4_E2M1, 1, &n, bytes), "x"), *w = ty_var(held, "w");
    ty_tensor *sum = ty_add(ty_cast(x, TY_F32), ty_add(ty_cast(w, TY_F32), ty_cast(ty_lazy(held), TY_F32)));
    y[0] = sum, y[1] = ty_cast(sum, TY_I2);
    const ty_update next = {w, ty_cast(sum, TY_F4_E2M1)};
    const ty_export_function f = {.name = "run",
                                  .ninputs = 1,
                                  .inputs = &x,
                                  .noutputs = 2,
                                  .outputs = y,
                                  .nupdates = 1,
                                  .updates = &next};
    struct exported *e = exported_open(1, &f, (ty_export_options){0}, NULL);
    CHECK(e->report.state_bytes == 6, "a state of %d bytes", (int)e->report.state_bytes);
    ty_program *p = test_program(ty_compile(2, y, (ty_compile_options){.updates = &next, .nupdates = 1}));
    for (int i = 0; i < 3; i++) {
        ty_tensor *value = ty_cast(sample_shape(TY_F32, 1, &n, -6, 6), TY_F4_E2M1), *want[2];
        CHECK(ty_assign(x, value, NULL) && ty_run(p), "%s", ty_program_error(p));
        for (int k = 0; k < 2; k++) want[k] = ty_output(p, k);
        exported_compare(e, 0, 1, &value, 2, want, "numbers of 4 bits");
    }
}

/* Results that do not depend on the parameters are copies of constants, in any layout. */
static void constant_results(void) {
    if (!exported_can_run()) return;
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 2, (int64_t[]){3, 4}), "x");
    ty_tensor *table = sample_shape(TY_F32, 2, (int64_t[]){4, 3}, -1, 1), *by, *want[4];
    CHECK(ty_grad(ty_sum(ty_mul(x, ty_num(3)), TY_ALL), 1, &x, &by), "no gradient");
    ty_tensor *y[] = {by, ty_lazy(ty_transpose(table)), ty_lazy(ty_flip(table, 1)),
                      ty_lazy(ty_slice(table, 0, 0, 0, 1))};
    const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 4, .outputs = y};
    struct exported *e = exported_open(1, &f, (ty_export_options){0}, NULL);
    CHECK(ty_eval_all(4, y, want), "no values");
    exported_compare(e, 0, 1, (ty_tensor *[]){ty_eval(x)}, 4, want, "constants");
}

/* More than 4 MiB of weights are in a second C file. */
static void second_files(void) {
    if (!exported_can_run()) return;
    ty_tensor *x = ty_var(ty_zeros(TY_F64, 2, (int64_t[]){1, 530}), "x");
    ty_tensor *w = sample_shape(TY_F64, 2, (int64_t[]){530, 1000}, -1, 1);
    predicts(x, ty_matmul(x, w), (ty_export_options){0}, NULL, "a large matrix");
}

/* Two files are parts of one, as all names begin with their prefixes. */
static void two_in_one_file(void) {
    if (!exported_can_run()) return;
    const char *folder = scratch_folder();
    ty_tensor *x = ty_var(ty_zeros(TY_C64, 2, (int64_t[]){3, 20}), "x"), *error = NULL;
    ty_tensor *y[] = {ty_sum(ty_exp(ty_tanh(x)), TY_ALL), ty_sort(ty_real(x), -1, false)};
    for (int i = 0; i < 2; i++) {
        const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 2, .outputs = y};
        bool done = ty_export_c(scratch_path(folder, i ? "a.c" : "b.c"), 1, &f,
                                (ty_export_options){.openmp = true}, NULL, &error);
        CHECK(done, "%s", ty_error(error));
    }
    static const char *const compilers[] = {"${CC:-cc} -std=c99 -fopenmp", "${CC:-cc} -std=c99",
                                            "${CXX:-c++} -x c++ -std=c++11"};
    for (int i = 0; i < 3; i++) {
        char command[1024];
        snprintf(command, sizeof command,
                 "cd %s && printf '#include \"a.c\"\\n#include \"b.c\"\\n' >both.c && "
                 "%s -Wall -Wextra -pedantic -Werror -fsyntax-only both.c",
                 folder, compilers[i]);
        CHECK(!system(command), "%s", command);
    }
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && ${CC:-cc} -fopenmp -E a.c | grep -q 'omp parallel' && "
             "${CC:-cc} -O1 -c a.c -o a.o && ! nm a.o | grep -v ' U \\|a_\\| r \\|literal' | grep -q .",
             folder);
    CHECK(!system(command), "%s", command);
}

/* ---- training ---- */

static void trained_net(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options, (void)n;
    ty_tensor *h = ty_layer_conv2d(self, "first", x[0], (ty_conv_layer){.channels = 6, .size = {3, 3}});
    h = ty_relu(ty_layer_batch_norm(self, "norm", h, (ty_batch_norm_layer){0}));
    h = ty_max_pool2d(h, (ty_pool){.size = {2, 2}});
    h = ty_layer_dropout(self, "drop", ty_reshape(h, 2, (int64_t[]){ty_shape(h)[0], -1}),
                         (ty_dropout_layer){.p = 0.25});
    h = ty_layer_linear(self, "hidden", h, (ty_linear_layer){.units = 16, .activation = ty_tanh});
    y[0] = ty_layer_linear(self, "out", h, (ty_linear_layer){.units = 4});
}
enum { UPDATES = 40, STEPS = 50, BATCH = 8, CLASSES = 4 };
/* A step of training: the loss, and the next values of all variables. */
struct training {
    ty_tensor *inputs[2], *loss, *prediction;
    ty_update updates[UPDATES];
    int n;
};
static void add_update(struct training *t, ty_tensor *variable, ty_tensor *value) {
    t->updates[t->n++] = (ty_update){variable, value};
}
static void record_step(struct training *t, ty_model *m, ty_optimiser o) {
    ty_tensor *key = ty_var(ty_key(5), "key"), *count = ty_var(ty_scalar(TY_F64, 1), "step");
    ty_tensor *parameters[UPDATES], *gradients[UPDATES];
    t->inputs[0] = ty_var(ty_zeros(TY_F32, 4, (int64_t[]){BATCH, 8, 8, 1}), "x");
    t->inputs[1] = ty_var(ty_zeros(TY_I64, 1, (int64_t[]){BATCH}), "label");
    t->loss = ty_mean(
        ty_loss_cross_entropy(ty_model_forward(m, t->inputs[0], key), t->inputs[1], (ty_loss_options){0}),
        TY_ALL);
    CHECK_OK(t->loss);
    t->n = ty_model_updates(m, UPDATES, t->updates);
    t->prediction = ty_softmax(ty_model_forward(m, t->inputs[0], NULL), -1);
    int n = ty_model_parameters(m);
    for (int i = 0; i < n; i++) parameters[i] = ty_model_parameter(m, i);
    CHECK(ty_grad(t->loss, n, parameters, gradients), "no gradients");
    for (int i = 0; i < n; i++) {
        ty_tensor *states[TY_RULE_STATES] = {NULL}, *before[TY_RULE_STATES];
        for (int k = 0; k < o.rule->nstates; k++)
            before[k] = states[k] = ty_var(ty_optimiser_state(&o, k, parameters[i]), o.rule->states[k]);
        add_update(t, parameters[i], ty_optimise(&o, parameters[i], gradients[i], states, count, NULL));
        for (int k = 0; k < o.rule->nstates; k++) add_update(t, before[k], states[k]);
    }
    add_update(t, key, ty_fold(key, 1));
    add_update(t, count, ty_add(count, ty_num(1)));
}
/* The steps of the file and of the library have the same losses and predictions, to the bit. */
static void trains(ty_optimiser o) {
    struct training t = {.n = 0};
    ty_model *m = ty_model_new(trained_net, NULL, (ty_model_options){.seed = 4, .lazy = true});
    test_own(m, (void (*)(void *))ty_model_free);
    record_step(&t, m, o);
    ty_program *step =
        test_program(ty_compile(1, &t.loss, (ty_compile_options){.updates = t.updates, .nupdates = t.n}));
    const ty_export_function functions[] = {
        {.name = "step",
         .ninputs = 2,
         .inputs = t.inputs,
         .noutputs = 1,
         .outputs = &t.loss,
         .output_names = (const char *const[]){"loss"},
         .nupdates = t.n,
         .updates = t.updates},
        {.name = "predict", .ninputs = 1, .inputs = t.inputs, .noutputs = 1, .outputs = &t.prediction}};
    struct exported *e = exported_open(2, functions, (ty_export_options){0}, "-std=gnu11 -O2 -march=native");
    if (test_verbose())
        printf("%s: %d lines, state %d bytes, arena %d bytes, %d calls\n", o.rule->name, (int)e->report.lines,
               (int)e->report.state_bytes, (int)e->report.arena_bytes, (int)e->report.calls);
    for (int i = 0; i < STEPS; i++) {
        struct test_round round = test_round();
        ty_tensor *values[2] = {sample_shape(TY_F32, 4, (int64_t[]){BATCH, 8, 8, 1}, -1, 1), NULL}, *want;
        int64_t labels[BATCH];
        for (int k = 0; k < BATCH; k++) labels[k] = test_between(0, CLASSES - 1);
        values[1] = ty_from(TY_I64, 1, (int64_t[]){BATCH}, labels);
        CHECK(ty_assign_all(2, t.inputs, values, NULL), "not assigned");
        CHECK(ty_run(step), "%s", ty_program_error(step));
        want = ty_output(step, 0);
        exported_compare(e, 0, 2, values, 1, &want, "a step");
        want = ty_eval(t.prediction);
        exported_compare(e, 1, 1, values, 1, &want, "a prediction");
        test_round_end(round);
    }
}
static void steps_of_training(void) {
    if (!exported_can_run()) return;
    trains((ty_optimiser){.rule = &ty_adam, .rate = 0.01});
    trains((ty_optimiser){.rule = &ty_sgd, .rate = 0.05, .momentum = 0.9});
}

TESTS_MAIN(TEST(dense_networks), TEST(networks_of_images), TEST(other_locales), TEST(numbers_for_storage),
           TEST(narrow_numbers), TEST(complex_numbers), TEST(constant_results), TEST(second_files),
           TEST(two_in_one_file), TEST(steps_of_training))
