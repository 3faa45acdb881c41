/* Exported files compute the bits of cpu; bad names, outputs and weights are refused, and leave nothing behind. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <tyto/nn.h>

#include "base/alloc.h"
#include "export/export.h"
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

/* ---- refusals ---- */

/* Fail unless the export is refused with words, and leaves no file in an empty folder. */
static void refused(const char *file, const ty_export_function *f, int n, ty_export_options options,
                    const char *words) {
    const char *folder = scratch_folder();
    ty_tensor *error = NULL;
    bool done = ty_export_c(scratch_path(folder, file), n, f, options, NULL, &error);
    CHECK(!done && error, "%s: not refused", words);
    CHECK(test_starving() || strstr(ty_error(error), words), "\"%s\" instead of %s", ty_error(error), words);
    CHECK(count_files(folder) == 0, "%s: files are left", words);
}
static void refuses_names(void) {
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "x"), *y = ty_exp(x);
    const ty_export_function usual = {
        .name = "run", .ninputs = 1, .inputs = &x, .noutputs = 1, .outputs = &y};
    static const char *const bad[] = {"while", "a b",
                                      "",      "1a",
                                      "a*/",   "a\n",
                                      "_a",    "n\xc3\xa4me",
                                      "class", "a_name_that_is_longer_than_names_may_be"};
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
        ty_export_function f = usual;
        f.name = bad[i];
        refused("m.c", &f, 1, (ty_export_options){0}, "a function's name is");
        refused("m.c", &usual, 1, (ty_export_options){.prefix = bad[i]}, "the prefix");
        f = usual, f.input_names = &bad[i];
        refused("m.c", &f, 1, (ty_export_options){0}, "a parameter's name is");
    }
    ty_export_function twice[] = {usual, usual}, begins = usual;
    refused("m.c", twice, 2, (ty_export_options){0}, "two functions");
    static const char *const own[] = {"begin", "state", "INCLUDED", "ARENA_BYTES", "w_x", "weights_check"};
    for (int i = 0; i < (int)(sizeof own / sizeof *own); i++) {
        begins.name = own[i];
        refused("m.c", &begins, 1, (ty_export_options){0}, "part of the file");
    }
    begins = usual, begins.ninputs = 2, begins.inputs = (ty_tensor *[]){x, x};
    refused("m.c", &begins, 1, (ty_export_options){0}, "one variable");
    begins = usual, begins.output_names = (const char *const[]){"x"};
    refused("m.c", &begins, 1, (ty_export_options){0}, "that of another parameter");
    begins.output_names = (const char *const[]){"m_w_x"};
    refused("m.c", &begins, 1, (ty_export_options){0}, "a part of the file");
    refused("m.txt", &usual, 1, (ty_export_options){0}, "ends with .c");
    refused("1m.c", &usual, 1, (ty_export_options){0}, "the prefix, the file's name, is \"1m\"");
    refused("none/m.c", &usual, 1, (ty_export_options){0}, "none/m");
    refused("m.c", &usual, 1, (ty_export_options){.weights = "/nonexistent/w.bin"}, "/nonexistent/w.bin");
    refused("m.c", &usual, 0, (ty_export_options){0}, "0 functions");
}
/* Names of variables are any text; those of parameters are made of them. */
static void makes_names(void) {
    if (!exported_can_run()) return;
    ty_tensor *x[] = {ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "*/ m_w_constant"),
                      ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "int"),
                      ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "\xc3\xa4\n"),
                      ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "state")};
    ty_tensor *y = ty_add(ty_mul(x[0], x[1]), ty_mul(ty_sub(x[2], x[3]), ty_num(3))), *values[4], *want;
    const ty_export_function f = {.name = "run", .ninputs = 4, .inputs = x, .noutputs = 1, .outputs = &y};
    struct exported *e = exported_open(1, &f, (ty_export_options){0}, NULL);
    for (int i = 0; i < 4; i++) {
        values[i] = sample_shape(TY_F32, 1, (int64_t[]){4}, -2, 2);
        ty_assign(x[i], values[i], NULL);
    }
    want = ty_eval(y);
    exported_compare(e, 0, 4, values, 1, &want, "names");
}
/* Names of variables that the file also has; a parameter that no call uses, and a variable without elements. */
static void keeps_names_apart(void) {
    if (!exported_can_run()) return;
    ty_tensor *four = ty_zeros(TY_F32, 1, (int64_t[]){4}), *none = ty_zeros(TY_F32, 1, (int64_t[]){0});
    ty_tensor *x[] = {ty_var(four, "MEMORY"), ty_var(four, "NULL"), ty_var(four, "memcpy")};
    ty_tensor *v[] = {ty_var(four, "arena"), ty_var(four, "weights"), ty_var(four, "STEP")};
    ty_tensor *y[] = {ty_add(x[0], ty_exp(x[1])), ty_sum(ty_var(none, "empty"), TY_ALL), v[0]}, *want[3];
    ty_update updates[3];
    for (int i = 0; i < 3; i++) updates[i] = (ty_update){v[i], ty_add(v[i], x[0])};
    for (int n = 0; n <= 3; n += 3) {
        const ty_export_function f = {.name = "run",
                                      .ninputs = 3,
                                      .inputs = x,
                                      .noutputs = n ? 3 : 2,
                                      .outputs = y,
                                      .nupdates = n,
                                      .updates = updates};
        struct exported *e = exported_open(1, &f, (ty_export_options){.weights = n ? "m.bin" : NULL}, NULL);
        CHECK(ty_eval_all(f.noutputs, y, want), "no values");
        exported_compare(e, 0, 3, (ty_tensor *[]){four, four, four}, f.noutputs, want, "names of the file");
    }
}
/* Variables with the names of types become other parameters and members. */
static void keeps_types(void) {
    if (!exported_can_run()) return;
    ty_tensor *four = ty_zeros(TY_I64, TY_SHAPE(4)), *one = ty_scalar(TY_I64, 1), *want;
    ty_tensor *x[] = {ty_var(four, "int64_t"), ty_var(four, "uint8_t")}, *v = ty_var(four, "uint64_t");
    ty_tensor *y = ty_add(ty_add(x[0], x[1]), v);
    const ty_update update = {v, ty_add(v, one)};
    const ty_export_function f = {.name = "run",
                                  .ninputs = 2,
                                  .inputs = x,
                                  .noutputs = 1,
                                  .outputs = &y,
                                  .nupdates = 1,
                                  .updates = &update};
    struct exported *e = exported_open(1, &f, (ty_export_options){0}, NULL);
    want = ty_eval(y);
    exported_compare(e, 0, 2, (ty_tensor *[]){four, four}, 1, &want, "names of types");
}
static int count_saved(void *total, const void *data, size_t bytes) {
    (void)data;
    *(size_t *)total += bytes;
    return 0;
}
/* A variable without elements has a member, which is not saved. */
static void saves_elements(void) {
    if (!exported_can_run()) return;
    ty_tensor *v = ty_var(ty_zeros(TY_F32, TY_SHAPE(0)), "empty"),
              *w = ty_var(ty_ones(TY_F32, TY_SHAPE(3)), "w");
    ty_tensor *y = ty_sum(w, TY_ALL);
    const ty_update updates[] = {{v, ty_exp(v)}, {w, ty_exp(w)}};
    const ty_export_function f = {
        .name = "run", .noutputs = 1, .outputs = &y, .nupdates = 2, .updates = updates};
    struct exported *e = exported_open(1, &f, (ty_export_options){.saves = true}, NULL);
    int (*save)(const void *, int (*)(void *, const void *, size_t), void *);
    size_t total = 0;
    *(void **)&save = dlsym(e->library, "m_save");
    CHECK(save && save(e->state, count_saved, &total) == 0, "not saved");
    CHECK(total == 32 + 12 && e->report.state_bytes == 12, "%zu bytes are saved", total);
}
static void refuses_one_path(void) {
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "x"), *y = ty_exp(x), *error = NULL;
    const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 1, .outputs = &y};
    const char *path = scratch_path(scratch_folder(), "m.c");
    CHECK(!ty_export_c(path, 1, &f, (ty_export_options){.weights = path}, NULL, &error), "not refused");
    CHECK(test_starving() || strstr(ty_error(error), "one of the C files"), "%s", ty_error(error));
}
/* Folders in the places of files: nothing is left beside them. */
static void refuses_folders(void) {
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "x"), *error = NULL;
    ty_tensor *y = ty_mul(x, ty_from(TY_F32, 1, (int64_t[]){4}, (float[]){1, 2, 3, 4}));
    const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 1, .outputs = &y};
    static const char *const names[] = {"m.c", "m.h", "w"};
    for (int i = 0; i < 3; i++) {
        const char *folder = scratch_folder(), *path = scratch_path(folder, "m.c");
        const ty_export_options options = {.weights = scratch_path(folder, "w")};
        CHECK(!mkdir(scratch_path(folder, names[i]), 0700), "no folder");
        CHECK(!ty_export_c(path, 1, &f, options, NULL, &error), "%s: not refused", names[i]);
        CHECK(count_files(folder) == 1, "%s: files are left", names[i]);
        rmdir(scratch_path(folder, names[i]));
    }
}
/* Compilers that would change results refuse the file. */
static void refuses_flags(void) {
    if (!exported_can_run()) return;
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "x"), *y = ty_exp(x), *error = NULL;
    const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 1, .outputs = &y};
    static const char *const flags[] = {"-O1", "-ffast-math", "-ffinite-math-only",
                                        "-U__FLT_EVAL_METHOD__ -D__FLT_EVAL_METHOD__=2"};
    const char *path = scratch_path(scratch_folder(), "m.c");
    CHECK(ty_export_c(path, 1, &f, (ty_export_options){0}, NULL, &error), "%s", ty_error(error));
    for (int i = 0; i < (int)(sizeof flags / sizeof *flags); i++) {
        char command[1024];
        snprintf(command, sizeof command, "${CC:-cc} -std=c99 %s -fsyntax-only %s 2>/dev/null", flags[i],
                 path);
        CHECK((system(command) == 0) == (i == 0), "%s", command);
    }
}
/* A step that refuses an index returns its number, and changes no variable. */
static void refuses_indices(void) {
    if (!exported_can_run()) return;
    float rows[6] = {1, 2, 3, 4, 5, 6}, y[4];
    int64_t first[2] = {2, 0}, second[2] = {1, 0};
    ty_tensor *v = ty_var(ty_from(TY_F32, 2, (int64_t[]){3, 2}, rows), "v");
    ty_tensor *u = ty_var(ty_from(TY_F32, 2, (int64_t[]){3, 2}, rows), "u");
    ty_tensor *x[] = {ty_var(ty_zeros(TY_I64, 1, (int64_t[]){2}), "first"),
                      ty_var(ty_zeros(TY_I64, 1, (int64_t[]){2}), "second")};
    ty_tensor *out = ty_add(ty_take(v, x[0], 0), ty_take(ty_exp(u), x[1], 0));
    const ty_update updates[] = {{v, ty_add(v, ty_num(1))}, {u, ty_mul(u, v)}};
    const ty_export_function f = {.name = "step",
                                  .ninputs = 2,
                                  .inputs = x,
                                  .noutputs = 1,
                                  .outputs = &out,
                                  .nupdates = 2,
                                  .updates = updates};
    struct exported *e = exported_open(1, &f, (ty_export_options){0}, "-std=c99 -O2");
    size_t bytes = (size_t)e->report.state_bytes;
    char *before = memcpy(test_room(bytes), e->state, bytes);
    void *arguments[] = {first, second, y};
    for (int i = 0; i < 2; i++) {
        (i ? second : first)[0] = 3;
        CHECK(e->run[0](e->state, arguments) > 0, "index %d is not refused", i);
        CHECK(!memcmp(before, e->state, bytes), "variables have changed");
        (i ? second : first)[0] = 1;
    }
    CHECK(e->run[0](e->state, arguments) == 0, "good indices are refused");
    CHECK(memcmp(before, e->state, bytes) != 0, "variables have not changed");
}
/* NULL for any argument is an error by name, and nothing is written.  No address is computed from NULL, which the
   compiler's checks would trap. */
static void refuses_null(void) {
    if (!exported_can_run()) return;
    float x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8};
    ty_tensor *in = ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "x"),
              *v = ty_var(ty_ones(TY_F32, 0, NULL), "v");
    ty_tensor *out = ty_add(ty_mul(in, v), ty_mul(ty_sum(ty_exp(in), TY_ALL), ty_num(0)));
    const ty_update next = {v, ty_add(v, ty_num(1))};
    const ty_export_function f = {.name = "run",
                                  .ninputs = 1,
                                  .inputs = &in,
                                  .noutputs = 1,
                                  .outputs = &out,
                                  .nupdates = 1,
                                  .updates = &next};
    struct exported *e = exported_open(1, &f, (ty_export_options){0},
                                       "-std=c99 -O1 -fsanitize=null -fsanitize-undefined-trap-on-error");
    size_t bytes = (size_t)e->report.state_bytes;
    char *before = memcpy(test_room(bytes), e->state, bytes);
    CHECK(e->report.arena_bytes > 0, "no arena");
    CHECK(e->run[0](NULL, (void *[]){x, y}) == -4, "no state is accepted");
    CHECK(e->run[0](e->state, (void *[]){NULL, y}) == -4, "no input is accepted");
    CHECK(e->run[0](e->state, (void *[]){x, NULL}) == -4, "no room for a result is accepted");
    CHECK(!memcmp(before, e->state, bytes) && y[0] == 5 && y[3] == 8, "something was written");
    CHECK(e->run[0](e->state, (void *[]){x, y}) == 0 && y[3] == 4, "good arguments are refused");
}
/* Machines whose addresses are too short for an array do not compile the file. */
static void refuses_small_machines(void) {
    if (!exported_can_run()) return;
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 1, (int64_t[]){100}), "x"), *y = ty_exp(x), *error = NULL;
    const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 1, .outputs = &y};
    const char *folder = scratch_folder();
    CHECK(ty_export_c(scratch_path(folder, "m.c"), 1, &f, (ty_export_options){0}, NULL, &error), "%s",
          ty_error(error));
    for (int most = 399; most <= 400; most++) {
        char command[1024];
        snprintf(command, sizeof command,
                 "cd %s && printf '#include <stdint.h>\\n#undef PTRDIFF_MAX\\n#define PTRDIFF_MAX %d\\n"
                 "#include \"m.c\"\\n' >small.c && ${CC:-cc} -std=c99 -fsyntax-only small.c 2>/dev/null",
                 folder, most);
        CHECK((system(command) == 0) == (most == 400), "%s", command);
    }
}
/* All kernels without a text are named at once. */
static void refuses_kernels(void) {
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 2, (int64_t[]){4, 4}), "x");
    ty_tensor *y[] = {ty_expm(x), ty_real(ty_eigvals(x))};
    const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 2, .outputs = y};
    refused("m.c", &f, 1, (ty_export_options){0}, "matrix");
}

/* A parenthesis that nothing closes ends with the text, whatever lies behind it in memory. */
static void texts_end(void) {
    struct text t = {0};
    tidy(&t, "(int\0){1}");
    char *tidied = text_take(&t);
    test_own(tidied, mem_free);
    CHECK((tidied && !strcmp(tidied, "(int")) || test_starving(), "found %s", tidied ? tidied : "nothing");
}

TESTS_MAIN(TEST(dense_networks), TEST(networks_of_images), TEST(other_locales), TEST(numbers_for_storage),
           TEST(narrow_numbers), TEST(complex_numbers), TEST(constant_results), TEST(second_files),
           TEST(two_in_one_file), TEST(steps_of_training), TEST(refuses_names), TEST(makes_names),
           TEST(keeps_names_apart), TEST(keeps_types), TEST(saves_elements), TEST(refuses_one_path),
           TEST(refuses_flags), TEST(refuses_indices), TEST(refuses_null), TEST(refuses_small_machines),
           TEST(refuses_kernels), TEST(texts_end), TEST(refuses_folders))
