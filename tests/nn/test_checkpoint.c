/* Checkpoints: which trainings may resume from which, extreme numbers, missing targets. */
#include <math.h>
#include <string.h>
#include "contract/configuration.h"
#include <tyto/io.h>
#include "tests/support/compare.h"
#include "tests/support/files.h"
#include "tests/support/nn_help.h"

static ty_trainer *trainer(ty_optimiser options) { return nn_small_trainer(false, options); }

static bool loads(ty_trainer *t, const char *path, ty_tensor **error) {
    *error = NULL;
    return ty_trainer_load(t, path, error);
}

/* ---- options ---- */

static void options_are_compared_exactly(void) {
    static const struct {
        ty_optimiser saved, resumed;
        bool same;
    } rows[] = {
        {{.rule = &ty_adam, .decay = 0.01}, {.rule = &ty_adam, .decay = 0.01}, true},
        {{.rule = &ty_adam, .decay = 0.01}, {.rule = &ty_adam, .decay = 0.01000001}, false},
        {{.rule = &ty_adam, .epsilon = 1e-8}, {.rule = &ty_adam, .epsilon = 0x1.5798ee2308c3bp-27}, false},
        {{.rule = &ty_momentum}, {.rule = &ty_momentum, .momentum = 0.9}, true},
        {{.rule = &ty_momentum, .momentum = 0.9}, {.rule = &ty_momentum}, true},
        {{.rule = &ty_momentum}, {.rule = &ty_momentum, .momentum = 0.91}, false},
        {{.rule = &ty_adam}, {.rule = &ty_adam, .momentum = 0.9, .beta2 = 0.999, .epsilon = 1e-8}, true},
        {{0}, {.rule = &ty_adagrad, .epsilon = 1e-10}, true},
        {{.rule = &ty_momentum, .nesterov = true}, {.rule = &ty_momentum}, false},
        {{.rule = &ty_adam, .decay = 0.1, .decoupled = true}, {.rule = &ty_adam, .decay = 0.1}, false},
        {{.rule = &ty_sgd}, {.rule = &ty_momentum}, false},
        {{.rule = &ty_sgd, .rate = 0.5},
         {.rule = &ty_sgd, .rate = 0.25},
         true}, /* the file's learning rate is used */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        const char *path = nn_file("options");
        ty_tensor *error = NULL;
        if (ty_trainer_save(trainer(rows[i].saved), path, &error)) {
            bool read = loads(trainer(rows[i].resumed), path, &error);
            CHECK(read == rows[i].same || test_starving(), "row %d: %s", (int)i,
                  error ? ty_error(error) : "was taken");
            if (!read && error && !test_starving()) CHECK_POISON(error, "optimiser");
        }
        test_round_end(round);
    }
}

/* ---- numbers ---- */

/* Return the path of a checkpoint whose text `key` is changed to `value`; NULL: out of memory. */
static const char *altered(const char *key, const char *value) {
    const char *path = nn_file("altered"), *keys[16], *values[16], *names[64];
    ty_tensor *tensors[64], *error = NULL;
    if (!ty_trainer_save(trainer((ty_optimiser){.rule = &ty_sgd}), path, &error)) return NULL;
    ty_archive *a = own_archive(ty_checkpoint_load(path));
    int n = ty_archive_count(a), nmeta = 0;
    for (int i = 0; i < n; i++) {
        names[i] = ty_archive_name(a, i);
        tensors[i] = ty_archive_at(a, i);
    }
    for (int i = 0; ty_archive_pair(a, i, &keys[nmeta], &values[nmeta]); i++) {
        if (!strcmp(keys[nmeta], "checksum")) continue;
        if (!strcmp(keys[nmeta], key)) values[nmeta] = value;
        nmeta++;
    }
    return ty_checkpoint_save(path, n, names, tensors, nmeta, keys, values, &error) ? path : NULL;
}

static void numbers_at_their_ends(void) {
    static const struct {
        const char *key, *value, *words; /* NULL: accepted */
    } rows[] = {{"step", "9223372036854775807", "step \"9223372036854775807\"; expected a whole number"},
                {"step", "18446744073709551616", "expected a whole number"},
                {"step", "9007199254740993", "a whole number from 0 to 9007199254740992"},
                {"step", "9007199254740992", NULL},
                {"step", "-1", "expected a whole number"},
                {"step", "1.5", "expected a whole number"},
                {"step", "1e3", "expected a whole number"},
                {"step", "", "expected a whole number"},
                {"step", " 1", "expected a whole number"},
                {"step", "7", NULL},
                {"seed", "18446744073709551615", NULL},
                {"seed", "18446744073709551616", "seed"},
                {"seed", "+1", "seed"},
                {"rate", "-0.5", "rate \"-0.5\"; expected a number of at least 0"},
                {"rate", "nan", "rate"},
                {"rate", "inf", "rate"},
                {"rate", "1e999", "rate"},
                {"rate", "0x1p-3", "rate"},
                {"rate", "0,5", "rate"},
                {"rate", "", "rate"},
                {"rate", "0", NULL},
                {"rate", "0.25", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        const char *path = altered(rows[i].key, rows[i].value);
        ty_trainer *t = trainer((ty_optimiser){.rule = &ty_sgd});
        ty_tensor *error = NULL;
        bool read = path && loads(t, path, &error);
        if (path) CHECK(read == !rows[i].words || test_starving(), "%s %s", rows[i].key, rows[i].value);
        if (error && rows[i].words && !test_starving()) CHECK_POISON(error, rows[i].words);
        if (!read) CHECK(ty_trainer_steps(t) == 0, "a refused file changed the step");
        test_round_end(round);
    }
}

/* A step after the last number that a file may have. */
static void the_last_step(void) {
    const char *path = altered("step", "9007199254740992");
    ty_trainer *t = trainer((ty_optimiser){.rule = &ty_sgd});
    ty_tensor *error = NULL;
    if (!path || !loads(t, path, &error)) return;
    double loss;
    nn_steps(t, 1, &loss);
    CHECK(ty_trainer_steps(t) == 9007199254740993, "%lld steps", (long long)ty_trainer_steps(t));
    CHECK(!ty_trainer_save(t, path, &error) || !loads(t, path, &error),
          "a step that f64 does not count was taken");
}

static void rates_and_decays(void) {
    static const struct {
        ty_optimiser options;
        const char *words;
    } rows[] = {
        {{.rule = &ty_sgd, .rate = -0.1}, "sgd: rate -0.1; expected a number of at least 0"},
        {{.rule = &ty_sgd, .rate = INFINITY}, "rate inf"},
        {{.rule = &ty_adam, .decay = -1}, "adam: decay -1"},
        {{.rule = &ty_adam, .momentum = 1}, "adam: momentum 1; expected a number of at least 0 and below 1"},
        {{.rule = &ty_adam, .beta2 = 1.5}, "beta2 1.5"},
        {{.rule = &ty_adagrad, .epsilon = -1}, "epsilon -1"},
        {{.rule = &ty_momentum, .momentum = NAN}, "momentum nan"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        ty_trainer *t = trainer(rows[i].options);
        CHECK(strstr(ty_trainer_error(t), rows[i].words) || test_starving(), "row %d: \"%s\"", (int)i,
              ty_trainer_error(t));
        test_round_end(round);
    }
    ty_trainer *t = trainer((ty_optimiser){.rule = &ty_sgd});
    ty_trainer_set_rate(t, 0);
    double loss;
    nn_steps(t, 1, &loss);
    ty_trainer_set_rate(t, -1);
    CHECK(isnan(ty_trainer_step(t)), "a negative rate was taken");
    CHECK(strstr(ty_trainer_error(t), "trainer: the rate is -1; expected a finite number of at least 0"),
          "%s", ty_trainer_error(t));
}

/* ---- models ---- */

enum { MOST_PARAMETERS = 32 };

/* Copy the current parameters; returns their number. */
static int copy_parameters(ty_model *m, ty_tensor **copies) {
    int n = ty_model_parameters(m);
    CHECK(n > 3 && n <= MOST_PARAMETERS, "%d parameters", n);
    for (int i = 0; i < n; i++) copies[i] = CHECK_OK(ty_add(ty_eval(ty_model_parameter(m, i)), ty_num(0)));
    return n;
}

static void same_parameters(ty_model *m, ty_tensor *const *want, const char *what) {
    for (int i = 0; i < ty_model_parameters(m); i++)
        compare_bits(ty_eval(ty_model_parameter(m, i)), want[i], "%s: %s", what,
                     ty_name(ty_model_parameter(m, i)));
}

static void clear_parameters(ty_model *m) {
    ty_tensor *error;
    for (int i = 0; i < ty_model_parameters(m); i++) {
        ty_tensor *parameter = ty_model_parameter(m, i);
        CHECK(ty_assign(parameter, ty_zeros_like(ty_eval(parameter)), &error), "%s", ty_error(error));
    }
}

/* A model reads its parameters back from its own file and from a trainer's. */
static void models_come_back(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_model *m = nn_built_model(lazy);
        ty_tensor *saved[MOST_PARAMETERS], *error = NULL;
        const char *path = nn_file("model");
        copy_parameters(m, saved);
        if (!ty_model_save(m, path, (ty_weights_options){0}, &error)) {
            CHECK(test_starving(), "%s", error ? ty_error(error) : "not saved, and nobody says why");
            return;
        }
        clear_parameters(m);
        bool read = ty_model_load(m, path, (ty_weights_options){0}, &error);
        CHECK(read || test_starving(), "%s", error ? ty_error(error) : "not read, and nobody says why");
        if (read) same_parameters(m, saved, "from its file");
    }
    ty_trainer *t = trainer((ty_optimiser){.rule = &ty_adam});
    ty_model *m = nn_built_model(false);
    ty_tensor *trained, *error = NULL;
    const char *path = nn_file("trainer");
    double loss;
    nn_steps(t, 1, &loss);
    if (!ty_trainer_save(t, path, &error) || !ty_model_load(m, path, (ty_weights_options){0}, &error)) return;
    ty_archive *a = own_archive(ty_checkpoint_load(path));
    for (int i = 0; i < ty_model_parameters(m); i++) {
        trained = CHECK_OK(ty_archive_get(a, ty_name(ty_model_parameter(m, i))));
        compare_bits(ty_eval(ty_model_parameter(m, i)), trained, "from a trainer: parameter %d", i);
    }
}

/* Write parameters with number `change` renamed by a letter, with a size one larger, another dtype, or
   missing. */
static void write_changed(ty_model *m, const char *path, int change, int kind) {
    const char *names[MOST_PARAMETERS];
    ty_tensor *tensors[MOST_PARAMETERS], *error = NULL;
    char other[64];
    int n = 0;
    for (int i = 0; i < ty_model_parameters(m); i++) {
        names[n] = ty_name(ty_model_parameter(m, i));
        tensors[n] = ty_eval(ty_model_parameter(m, i));
        if (i == change && kind == 0) {
            snprintf(other, sizeof other, "%s", names[n]);
            other[strlen(other) - 1]++;
            names[n] = other;
        }
        if (i == change && kind == 1) tensors[n] = ty_expand(tensors[n], 0);
        if (i == change && kind == 2) tensors[n] = ty_cast(tensors[n], TY_F64);
        if (i == change && kind == 3)
            tensors[n] = ty_concat(2, (ty_tensor *[]){tensors[n], ty_slice(tensors[n], 0, 0, 1, 1)}, 0);
        n += i != change || kind != 4;
    }
    CHECK(ty_checkpoint_save(path, n, names, tensors, 0, NULL, NULL, &error) || test_starving(), "%s",
          error ? ty_error(error) : "not saved");
}

/* A file that lacks a parameter, or has one of another shape or dtype, changes none and names it. */
static void wrong_models_change_nothing(void) {
    ty_model *m = nn_built_model(false);
    ty_tensor *before[MOST_PARAMETERS];
    int n = copy_parameters(m, before);
    for (int kind = 0; kind < 5; kind++)
        for (int i = 0; i < n; i += test_starving() ? n : 1) {
            struct test_round round = test_round();
            ty_tensor *error = NULL;
            const char *path = nn_file("changed");
            write_changed(m, path, i, kind);
            CHECK(!ty_model_load(m, path, (ty_weights_options){0}, &error),
                  "parameter %d changed by %d was taken", i, kind);
            if (error && !test_starving()) CHECK_POISON(error, ty_name(ty_model_parameter(m, i)));
            same_parameters(m, before, "after a refusal");
            test_round_end(round);
        }
    ty_tensor *error = NULL;
    ty_weights_options none = {0};
    CHECK(!ty_model_load(m, "/nowhere/at.all", none, &error), "no file");
    CHECK(!ty_model_load(m, "/nowhere/at.all", none, NULL), "no file");
    ty_model *broken = nn_own_model(ty_model_new(NULL, NULL, (ty_model_options){.dtype = TY_I8}));
    CHECK(!ty_model_load(broken, nn_file("none"), none, &error), "a model that is none was read");
}

/* ---- no path ---- */

static void without_a_path(void) {
    static const char none[] = "the path is NULL";
    const char *name = "x";
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2)), *error = NULL;
    ty_trainer *t = trainer((ty_optimiser){.rule = &ty_sgd});
    ty_model *m = nn_built_model(false);
    CHECK(!ty_checkpoint_save(NULL, 1, &name, &x, 0, NULL, NULL, &error), "a checkpoint was saved nowhere");
    if (error) CHECK_POISON(error, none);
    CHECK(!ty_archive_save(NULL, 1, &name, &x, (ty_file_options){.format = "npz"}, &error),
          "an archive was saved nowhere");
    if (error) CHECK_POISON(error, none);
    CHECK(!ty_save(NULL, x, &error), "a tensor was saved nowhere");
    if (error) CHECK_POISON(error, none);
    CHECK(!ty_trainer_save(t, NULL, &error) && !ty_trainer_load(t, NULL, &error),
          "a trainer was saved nowhere");
    ty_weights_options plain = {0};
    CHECK(!ty_model_save(m, NULL, plain, &error), "a model was saved nowhere");
    CHECK(!ty_model_load(m, NULL, plain, &error), "a model was read from nowhere");
    CHECK_POISON(ty_load(NULL), none);
    CHECK_POISON(ty_map(NULL, TY_F32, TY_SHAPE(1), 0), none);
    CHECK(*ty_archive_error(own_archive(ty_archive_open(NULL, (ty_file_options){0}))),
          "an archive was opened");
    CHECK(*ty_archive_error(own_archive(ty_checkpoint_load(NULL))), "a checkpoint was opened");
    CHECK(!ty_archive_send((ty_sink){0}, 1, &name, &x, (ty_file_options){.format = "npy"}, &error),
          "sent nowhere");
    ty_contraction c = {.ndims = -1};
    CHECK(!ty_contraction_save(&c, NULL) && !contraction_from_file(&c, NULL),
          "a configuration was saved nowhere");
}

TESTS_MAIN(TEST(models_come_back), TEST(wrong_models_change_nothing), TEST(options_are_compared_exactly),
           TEST(numbers_at_their_ends), TEST(the_last_step), TEST(rates_and_decays), TEST(without_a_path))
