/* Training: eager and compiled agree; checkpoints resume with the same bits, even if the process is killed
   or the file damaged. */
#include "tests/support/child.h"
#include "tests/support/nn_help.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 50 };
static int steps_to_take(int n) { return test_starving() && n > 2 ? 2 : n; }

static const ty_optimiser optimisers[] = {
    {.rule = &ty_adagrad, .rate = 0.05},
    {.rule = &ty_adam},
    {.rule = &ty_momentum, .rate = 0.02, .nesterov = true, .decay = 1e-3},
    {.rule = &ty_sgd, .rate = 0.1}};

static void curves_agree(void) {
    for (size_t k = 0; k < sizeof optimisers / sizeof optimisers[0]; k++) {
        struct test_round round = test_round();
        double losses[2][MOST], most = 0;
        int n = steps_to_take(MOST);
        for (int lazy = 0; lazy < 2; lazy++) nn_steps(nn_small_trainer(lazy, optimisers[k]), n, losses[lazy]);
        for (int i = 0; i < n; i++) most = fmax(most, fabs(losses[0][i] - losses[1][i]));
        CHECK(most <= 1e-4, "%s: eager and compiled losses differ by %g", optimisers[k].rule->name, most);
        CHECK(n < MOST || losses[1][MOST - 1] < losses[1][0], "%s: the loss goes from %g to %g",
              optimisers[k].rule->name, losses[1][0], losses[1][MOST - 1]);
        test_round_end(round);
    }
}

static void threads_change_no_bit(void) {
    double losses[2][10];
    int n = steps_to_take(10);
    for (int k = 0; k < 2; k++) {
        ty_set_threads(k ? 3 : 1);
        nn_steps(nn_small_trainer(true, optimisers[0]), n, losses[k]);
    }
    CHECK(!memcmp(losses[0], losses[1], (size_t)n * sizeof(double)), "1 and 3 threads give different losses");
}

static void learns(void) {
    ty_trainer *t = nn_small_trainer(true, optimisers[1]);
    CHECK(ty_trainer_steps_per_epoch(t) == 5, "%lld steps an epoch",
          (long long)ty_trainer_steps_per_epoch(t));
    bool done = ty_trainer_run(t, steps_to_take(150), NULL, NULL);
    CHECK(done, "%s", ty_trainer_error(t));
    ty_tensor *images, *labels;
    nn_small_data(17, &images, &labels); /* a batch and a partial one */
    ty_tensor *error = NULL;
    double accuracy = ty_trainer_accuracy(t, images, labels, &error);
    CHECK(!isnan(accuracy), "%s", error ? ty_error(error) : "no sentence");
    CHECK(accuracy > 0.9 || test_starving(), "accuracy %g", accuracy);
    double hits = accuracy * 17;
    CHECK(fabs(hits - round(hits)) < 1e-9, "%g of 17 images", hits);
}

static void takes_a_rate(void) {
    ty_trainer *t = nn_small_trainer(true, (ty_optimiser){.rule = &ty_sgd, .rate = 0.1});
    double before[2], after[2];
    ty_trainer_set_rate(t, 0); /* no parameter changes */
    nn_steps(t, 1, before);
    ty_trainer *other = nn_small_trainer(true, (ty_optimiser){.rule = &ty_sgd, .rate = 0.1});
    nn_steps(other, 2, after);
    nn_steps(t, 1, before + 1);
    CHECK(before[0] == after[0] && before[1] != after[1], "the rate is not an input of the compiled step");
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

static void save(ty_trainer *t, const char *path) {
    ty_tensor *error = NULL;
    CHECK(ty_trainer_save(t, path, &error), "%s", error ? ty_error(error) : "no sentence");
}

static void load(ty_trainer *t, const char *path) {
    ty_tensor *error = NULL;
    CHECK(ty_trainer_load(t, path, &error), "%s", error ? ty_error(error) : "no sentence");
}

static void resume_with(bool lazy, ty_optimiser o) {
    double all[13], tail[6];
    const char *path = nn_file("resume");
    int first = steps_to_take(7), rest = steps_to_take(6);
    ty_trainer *t = nn_small_trainer(lazy, o);
    nn_steps(t, first, all);
    save(t, path);
    nn_steps(t, rest, all + first);
    ty_trainer *again = nn_small_trainer(lazy, o);
    nn_steps(again, 1, tail); /* its earlier steps are forgotten */
    load(again, path);
    CHECK(ty_trainer_steps(again) == first, "resumed at step %lld", (long long)ty_trainer_steps(again));
    nn_steps(again, rest, tail);
    CHECK(!memcmp(all + first, tail, (size_t)rest * sizeof *tail), "%s %s: other losses after resuming",
          o.rule->name, lazy ? "compiled" : "eager");
}

static void resumes_to_the_same_bits(void) {
    for (int k = 0; k < 8; k++) {
        struct test_round round = test_round();
        resume_with(k % 2, optimisers[k / 2]);
        test_round_end(round);
    }
}

/* Return the loss of the trainer's next step from its current parameters. */
static void read_parameters(ty_trainer *t, double *loss) {
    const char *path = nn_file("probe");
    save(t, path);
    ty_trainer *copy = nn_small_trainer(false, optimisers[0]);
    load(copy, path);
    nn_steps(copy, 1, loss);
}

static void expect_refusal(ty_trainer *t, const char *path, const char *words, const char *what) {
    ty_tensor *error = NULL;
    bool read = ty_trainer_load(t, path, &error);
    CHECK(!read, "%s: the file was taken", what);
    CHECK(error, "%s: no sentence", what);
    CHECK_POISON(error, words);
}

static void mismatches(void) {
    const char *path = nn_file("mismatch");
    ty_trainer *t = nn_small_trainer(false, optimisers[0]);
    double loss[2];
    nn_steps(t, 1, loss);
    save(t, path);
    expect_refusal(nn_small_trainer(false, optimisers[1]), path, "optimiser adagrad", "another optimiser");
    ty_tensor *images, *labels, *error = NULL;
    nn_small_data(60, &images, &labels);
    ty_trainer_options options = {.inputs = images, .targets = labels, .batch = 10};
    expect_refusal(nn_own_trainer(ty_trainer_new(nn_small_model(true), options)), path, "batch 12",
                   "another batch");
    expect_refusal(t, "/no/such/file", "/no/such/file", "no file");
    ty_model *m = nn_built_model(false);
    CHECK(ty_model_save(m, path, (ty_weights_options){0}, &error), "%s", error ? ty_error(error) : "");
    expect_refusal(t, path, "not a checkpoint of a training", "a model's file");
    CHECK(!*ty_trainer_error(t), "a refused file spoiled the trainer: %s", ty_trainer_error(t));
    nn_steps(t, 1, loss + 1);
    CHECK(!ty_trainer_save(t, "/no/such/folder/file", &error), "saved into a folder that is not there");
}

/* A file with a flipped bit, or a truncated one, is refused by name, and changes nothing. */
static void damaged_files(void) {
    const char *path = nn_file("damaged");
    ty_trainer *t = nn_small_trainer(false, optimisers[0]);
    double losses[3];
    nn_steps(t, 1, losses);
    save(t, path);
    FILE *f = fopen(path, "rb");
    CHECK(f, "%s is not there", path);
    char *bytes = test_room(1 << 20);
    size_t n = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    read_parameters(t, losses + 1);
    size_t stride = test_starving() ? n / 3 : 37;
    for (size_t at = 0; at < n; at += at < 16 && !test_starving() ? 1 : stride) {
        struct test_round round = test_round();
        bytes[at] ^= (char)(1 << at % 8);
        size_t length = at % 3 ? n : at; /* also truncated there */
        f = fopen(path, "wb");
        bool written = f && fwrite(bytes, 1, length, f) == length && !fclose(f);
        CHECK(written, "%s cannot be written", path);
        expect_refusal(t, path, path, "a damaged file");
        bytes[at] ^= (char)(1 << at % 8);
        test_round_end(round);
    }
    read_parameters(t, losses + 2);
    CHECK(losses[1] == losses[2], "a refused file changed the parameters");
}

/* ---- a killed process ------------------------------------------------------------------------ */

/* Train and save after every step until the process is killed. */
static void child(const char *path) {
    ty_trainer *t = nn_small_trainer(true, optimisers[0]);
    if (access(path, F_OK) == 0 && !ty_trainer_load(t, path, NULL)) _exit(2);
    for (int i = 0; i < MOST; i++) {
        if (isnan(ty_trainer_step(t))) _exit(3);
        if (!ty_trainer_save(t, path, NULL)) _exit(4);
    }
    _exit(0);
}

static void survives_kills(void) {
    if (test_starving()) return;
    ty_set_threads(1); /* ThreadSanitizer allows no new threads in the child of a fork */
    const char *path = nn_file("killed");
    double reference[2 * MOST], found[1];
    nn_steps(nn_small_trainer(true, optimisers[0]), 2 * MOST, reference);
    for (int round = 0; round < 12; round++) {
        fflush(NULL);
        pid_t id = fork();
        CHECK(id >= 0, "no process");
        if (id == 0) child(path);
        usleep((useconds_t)test_between(1000, 40000));
        kill(id, SIGKILL);
        int status = child_status(id);
        CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0, "the child failed with %d",
              WEXITSTATUS(status));
        if (access(path, F_OK)) continue;
        ty_trainer *t = nn_small_trainer(true, optimisers[0]);
        load(t, path);
        int64_t done = ty_trainer_steps(t);
        if (done >= 2 * MOST) break;
        nn_steps(t, 1, found);
        CHECK(found[0] == reference[done], "step %lld after a kill: loss %.9g, expected %.9g",
              (long long)done + 1, found[0], reference[done]);
    }
}

static void wrong_options(void) {
    ty_tensor *images, *labels, *few, *other;
    nn_small_data(20, &images, &labels);
    nn_small_data(5, &few, &other);
    const struct {
        ty_trainer_options options;
        const char *words;
    } rows[] = {{{.inputs = images, .targets = other}, "20 inputs but 5 targets"},
                {{.inputs = images, .targets = labels, .batch = 21}, "a batch of 21 from 20 examples"},
                {{.inputs = images}, "missing"},
                {{.inputs = ty_poison("lost"), .targets = labels}, "lost"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ty_trainer *t = nn_own_trainer(ty_trainer_new(nn_small_model(true), rows[i].options));
        CHECK(strstr(ty_trainer_error(t), rows[i].words), "\"%s\" does not say \"%s\"", ty_trainer_error(t),
              rows[i].words);
        CHECK(isnan(ty_trainer_step(t)), "a broken trainer takes steps");
    }
    /* images of a size other than that of the model */
    ty_tensor *wide = ty_zeros(TY_U8, TY_SHAPE(20, 12, 8, 1));
    ty_trainer_options options = {.inputs = wide, .targets = labels, .batch = 5};
    ty_trainer *t = nn_own_trainer(ty_trainer_new(nn_built_model(false), options));
    CHECK(isnan(ty_trainer_step(t)) && strstr(ty_trainer_error(t), "full1: weight has the shape [64,16]"),
          "%s", ty_trainer_error(t));
}

/* A label that is no class stops the training and is named. */
static void stops_at_a_label(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        struct test_round round = test_round();
        ty_tensor *images, *labels;
        nn_small_data(12, &images, &labels);
        labels = ty_set_at(labels, "7", ty_int(9));
        ty_trainer_options options = {.inputs = images, .targets = labels, .batch = 12, .seed = 5};
        ty_trainer *t = nn_own_trainer(ty_trainer_new(nn_small_model(lazy), options));
        double loss = ty_trainer_step(t);
        CHECK(isnan(loss) && ty_trainer_steps(t) == 0, "label 9 of 4 classes gave the loss %g", loss);
        CHECK(strstr(ty_trainer_error(t), "label 9 at [") || test_starving(), "the trainer says: %s",
              ty_trainer_error(t));
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(curves_agree), TEST(threads_change_no_bit), TEST(learns), TEST(takes_a_rate),
           TEST(resumes_to_the_same_bits), TEST(mismatches), TEST(damaged_files),
           TEST_AT_HOME(survives_kills), TEST(wrong_options), TEST(stops_at_a_label))
