/*
 * Networks of the zoo train and predict on a device as on `cpu`: on far:0 with its bits, on opencl:0, if there is one,
 * with losses equal to 1e-4.  Large networks run in ./dev nightly alone (TY_TEST_NIGHTLY=1).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/zoo.h>

#include "tests/support/far.h"
#include "tests/support/nn_help.h"

enum { MOST_STEPS = 50 };

/* A training: steps in the nightly run, and in each run; 0: none. */
static const struct training {
    const ty_network *network;
    int64_t batch, side; /* rows and columns of images; 0: the network's own */
    int nightly, usual;
} trainings[] = {{&ty_network_lenet, 20, 0, 50, 10},   {&ty_network_mlp, 50, 0, 50, 50},
                 {&ty_network_char_lstm, 4, 0, 50, 3}, {&ty_network_gru_classifier, 4, 0, 50, 3},
                 {&ty_network_gpt, 1, 0, 50, 0},       {&ty_network_resnet50, 2, 32, 50, 0}};
/* Networks whose inference is compared. */
static const struct training inferences[] = {{&ty_network_lenet, 2, 0, 1, 1},
                                             {&ty_network_gpt, 1, 0, 1, 0},
                                             {&ty_network_resnet50, 1, 64, 1, 0},
                                             {&ty_network_mask_rcnn, 1, 128, 1, 0}};

static bool is_nightly(void) {
    const char *asked = getenv("TY_TEST_NIGHTLY");
    return asked && *asked == '1';
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Return a batch of inputs of t's network: bytes, tokens or normal numbers, always the same ones. */
static ty_tensor *inputs(const struct training *t) {
    const ty_network *net = t->network;
    int64_t shape[5] = {t->batch};
    memcpy(shape + 1, net->shape, sizeof net->shape);
    if (t->side) shape[1] = shape[2] = t->side;
    if (net->dtype == TY_F32) return ty_eval(ty_normal(TY_F32, net->rank + 1, shape, ty_key(1)));
    ty_tensor *numbers = ty_uniform(TY_F32, net->rank + 1, shape, ty_key(1));
    return ty_eval(ty_cast(ty_mul(numbers, ty_num(100)), net->dtype));
}

/* Return labels of two classes for t's batch. */
static ty_tensor *targets(const struct training *t) {
    const ty_network *net = t->network;
    int64_t shape[2] = {t->batch, net->shape[0]};
    return ty_eval(
        ty_cast(ty_mul(ty_uniform(TY_F32, net->tokens ? 2 : 1, shape, ty_key(2)), ty_num(2)), TY_I32));
}

static ty_tensor *cross_entropy(ty_tensor *x, ty_tensor *y) {
    return ty_loss_cross_entropy(x, y, (ty_loss_options){0});
}

/* Train for n steps on the engine and set losses[n]. */
static void train(const struct training *t, const char *engine, int n, double *losses) {
    ty_tensor *x = inputs(t), *y = targets(t);
    CHECK((ty_use_engine)(engine), "no engine %s", engine);
    ty_model *m = nn_own_model(
        ty_network_model(t->network, (ty_network_options){0}, (ty_model_options){.seed = 1, .lazy = true}));
    ty_trainer *trainer =
        nn_own_trainer(ty_trainer_new(m, (ty_trainer_options){.inputs = x,
                                                              .targets = y,
                                                              .batch = t->batch,
                                                              .seed = 1,
                                                              .loss = cross_entropy,
                                                              .optimiser = {.rule = &ty_sgd, .rate = 0.01}}));
    for (int i = 0; i < n; i++) {
        losses[i] = ty_trainer_step(trainer);
        CHECK(!isnan(losses[i]), "%s on %s: %s", t->network->name, engine, ty_trainer_error(trainer));
    }
    (ty_use_engine)("cpu");
}

/* Compare the losses of all trainings on a device with those of `cpu`; `bits`: they are equal. */
static void compare_losses(const char *device, bool bits) {
    for (size_t i = 0; i < sizeof trainings / sizeof *trainings; i++) {
        const struct training *t = &trainings[i];
        double want[MOST_STEPS], got[MOST_STEPS], most = 0;
        int n = test_starving() ? 0 : is_nightly() ? t->nightly : t->usual;
        if (bits && n > 2) n = 2;
        if (!n) continue;
        struct test_round round = test_round();
        double start = seconds(), between;
        train(t, "cpu", n, want);
        between = seconds();
        train(t, device, n, got);
        for (int k = 0; k < n; k++) most = fmax(most, fabs(got[k] - want[k]) / fmax(1, fabs(want[k])));
        if (test_verbose())
            printf("%s on %s, %d steps: losses differ by %.1e, %.1f s (cpu %.1f s)\n", t->network->name,
                   device, n, most, seconds() - between, between - start);
        CHECK(most <= (bits ? 0 : 1e-4), "%s on %s: losses differ by %g", t->network->name, device, most);
        test_round_end(round);
    }
}

/* Set *y to the first result of t's network, evaluated on the engine. */
static void predict(const struct training *t, const char *engine, ty_tensor **y) {
    ty_tensor *x = inputs(t), *all[8];
    CHECK((ty_use_engine)(engine), "no engine %s", engine);
    ty_model *m = nn_own_model(
        ty_network_model(t->network, (ty_network_options){0}, (ty_model_options){.seed = 1, .lazy = true}));
    CHECK(ty_model_predict(m, 1, &x, all), "%s on %s: %s", t->network->name, engine, ty_error(all[0]));
    *y = CHECK_OK(ty_to(all[0], "cpu"));
    (ty_use_engine)("cpu");
}

/* Compare the first results of all networks on a device with those of `cpu`. */
static void compare_results(const char *device, bool bits) {
    for (size_t i = 0; i < sizeof inferences / sizeof *inferences; i++) {
        const struct training *t = &inferences[i];
        ty_tensor *want, *got;
        if (test_starving() || !(is_nightly() ? t->nightly : t->usual)) continue;
        struct test_round round = test_round();
        predict(t, "cpu", &want);
        double start = seconds();
        predict(t, device, &got);
        double scale = fmax(1, ty_item(ty_amax(ty_abs(want), TY_ALL))),
               most = ty_item(ty_amax(ty_abs(ty_sub(want, got)), TY_ALL)) / scale;
        if (test_verbose())
            printf("%s on %s: results differ by %.1e, %.1f s\n", t->network->name, device, most,
                   seconds() - start);
        CHECK(most <= (bits ? 0 : 1e-4), "%s on %s: results differ by %g", t->network->name, device, most);
        test_round_end(round);
    }
}

/* Return true if there is the device opencl:0; otherwise say why not. */
static bool has_opencl(void) {
    ty_tensor *error = NULL;
    if (test_starving()) return false;
    if (ty_sync("opencl:0", &error)) return true;
    printf("skipped: %s\n", ty_error(error));
    return false;
}

static void trains_far(void) {
    far_begin();
    compare_losses("far:0", true);
}
static void predicts_far(void) {
    far_begin();
    compare_results("far:0", true);
}
static void trains_in_opencl(void) {
    if (has_opencl()) compare_losses("opencl:0", false);
}
static void predicts_in_opencl(void) {
    if (has_opencl()) compare_results("opencl:0", false);
}

int main(int argc, char **argv) {
    static const struct test_case cases[] = {TEST(trains_far), TEST(predicts_far), TEST(trains_in_opencl),
                                             TEST(predicts_in_opencl)};
    ty_sync("opencl:0", NULL); /* an open device is no leak of a test */
    return test_main(argc, argv, (int)(sizeof cases / sizeof *cases), cases);
}
