/* Networks by name: torchvision's numbers of parameters, and a gradient for every parameter. */
#include <string.h>
#include "tests/support/harness.h"
#include <tyto/zoo.h>

static void free_model(void *m) { ty_model_free(m); }

/* Number of parameters in other implementations; image size of the test, 0: the network's own. */
static const struct row {
    const ty_network *network;
    int64_t parameters, side;
    bool large;   /* left out of quick runs; with failing allocations only the first network runs */
    bool no_grad; /* it selects boxes, which have no gradient */
} rows[] = {{&ty_network_mlp, 235146, 0, false, false},
            {&ty_network_lenet, 6434634, 0, false, false},
            {&ty_network_vgg16, 138357544, 32, true, false},
            {&ty_network_squeezenet, 1235496, 64, false, false},
            {&ty_network_resnet18, 11689512, 64, false, false},
            {&ty_network_resnet50, 25557032, 64, true, false},
            {&ty_network_resnet101, 44549160, 64, true, false},
            {&ty_network_inception_v3, 23834568, 96, true, false},
            {&ty_network_mobilenet_v2, 3504872, 64, false, false},
            {&ty_network_densenet121, 7978856, 64, true, false},
            {&ty_network_unet, 0, 32, true, false},
            {&ty_network_char_lstm, 0, 0, false, false},
            {&ty_network_gru_classifier, 0, 0, false, false},
            {&ty_network_gpt, 0, 0, true, false},
            {&ty_network_gpt2, 124439808, 16, true, false},
            {&ty_network_vae, 0, 0, false, false},
            {&ty_network_dcgan_generator, 3576704, 0, true, false},
            {&ty_network_dcgan_discriminator, 2765568, 0, true, false},
            {&ty_network_style_transfer, 1679235, 64, false, false},
            {&ty_network_mask_rcnn, 0, 128, true, true}};
enum { ROWS = sizeof rows / sizeof *rows };

static void every_network_is_tested(void) {
    for (int i = 0; ty_networks[i]; i++) {
        bool found = false;
        for (int k = 0; k < ROWS; k++) found = found || rows[k].network == ty_networks[i];
        CHECK(found, "network %s has no row in this test", ty_networks[i]->name);
        CHECK(ty_network_named(ty_networks[i]->name) == ty_networks[i], "%s is not found",
              ty_networks[i]->name);
    }
    CHECK(!ty_network_named("resnet"), "there is a network resnet");
    CHECK(!ty_network_named(NULL), "there is a network NULL");
    ty_model *m =
        test_own(ty_network_model(NULL, (ty_network_options){0}, (ty_model_options){0}), free_model);
    CHECK(strstr(ty_model_error(m), "network: the description is NULL") || test_starving(), "%s",
          ty_model_error(m));
}

static ty_tensor *input(const struct row *r, int64_t n) {
    const ty_network *net = r->network;
    int64_t shape[5] = {n};
    memcpy(shape + 1, net->shape, sizeof net->shape);
    if (r->side) shape[1] = shape[2] = r->side;
    if (net->dtype == TY_F32) return ty_normal(TY_F32, net->rank + 1, shape, ty_key(1));
    return ty_cast(ty_mul(ty_uniform(TY_F32, net->rank + 1, shape, ty_key(1)), ty_num(100)), net->dtype);
}

static int64_t count(const ty_model *m) {
    int64_t n = 0;
    for (int i = 0; i < ty_model_parameters(m); i++) n += ty_size(ty_model_parameter(m, i));
    return n;
}

/* Check that the greatest element of each parameter's gradient is not 0, by one program. */
static void check_gradients(const struct row *r, ty_model *m, ty_tensor *x) {
    ty_tensor *y[4];
    ty_model_call(m, ty_key(2), 1, &x, y);
    CHECK_OK(y[0]);
    int n = ty_model_parameters(m);
    ty_tensor *loss =
        ty_sum(ty_mul(y[0], ty_normal(TY_F32, ty_rank(y[0]), ty_shape(y[0]), ty_key(3))), TY_ALL);
    for (int i = 1; i < ty_model_results(m); i++) loss = ty_add(loss, ty_sum(ty_square(y[i]), TY_ALL));
    ty_tensor **all = test_room(2 * (size_t)n * sizeof(ty_tensor *)), **gradients = all + n;
    for (int i = 0; i < n; i++) all[i] = ty_model_parameter(m, i);
    CHECK(ty_grad(loss, n, all, gradients), "%s: no gradient: %s", r->network->name, ty_error(gradients[0]));
    for (int i = 0; i < n; i++) gradients[i] = ty_amax(ty_abs(gradients[i]), TY_ALL);
    CHECK(ty_eval_all(n, gradients, gradients), "%s: %s", r->network->name, ty_error(gradients[0]));
    for (int i = 0; i < n; i++) {
        double most = ty_item(gradients[i]);
        CHECK(most > 0 && most < 1e30, "%s: the gradient of %s is at most %g", r->network->name,
              ty_name(all[i]), most);
    }
}

static void check_network(const struct row *r) {
    const ty_network *net = r->network;
    int64_t batch = r->no_grad ? 1 : 2;
    ty_model *m =
        test_own(ty_network_model(net, (ty_network_options){0}, (ty_model_options){.seed = 1, .lazy = true}),
                 free_model);
    ty_tensor *x = ty_var(input(r, batch), "x"), *y[4], *error = NULL;
    CHECK(ty_model_build(m, 1, &x, &error), "%s: %s", net->name, error ? ty_error(error) : "");
    CHECK(!r->parameters || r->side == 32 || count(m) == r->parameters, "%s: %lld parameters", net->name,
          (long long)count(m));
    ty_model_call(m, NULL, 1, &x, y);
    CHECK(ty_eval_all(ty_model_results(m), y, y), "%s: %s", net->name, ty_error(y[0]));
    for (int i = 0; i < ty_model_results(m); i++)
        if (ty_dtype_of(y[i]) >= TY_F16)
            CHECK(ty_item(ty_all(ty_is_finite(y[i]), TY_ALL)) == 1, "%s: result %d is not finite", net->name,
                  i);
    if (!r->no_grad) check_gradients(r, m, x);
}

/* ---- Mask R-CNN ---- */

enum { SIDE = 96, TRUE_BOXES = 3 };

/* Make an image with two bright boxes, of classes 1 and 2, and a third that is padding. */
static void bright_boxes(ty_tensor **batch) {
    static const float boxes[TRUE_BOXES][4] = {{8, 8, 56, 40}, {40, 48, 90, 92}, {0, 0, 0, 0}};
    static const int32_t classes[TRUE_BOXES] = {1, 2, 0};
    ty_tensor *masks[TRUE_BOXES], *image = ty_zeros(TY_F32, TY_SHAPE(SIDE, SIDE));
    ty_tensor *y = ty_iota(TY_F32, TY_SHAPE(SIDE, SIDE), 0), *x = ty_iota(TY_F32, TY_SHAPE(SIDE, SIDE), 1);
    for (int i = 0; i < TRUE_BOXES; i++) {
        const float *b = boxes[i];
        ty_tensor *across = ty_logical_and(ty_ge(x, ty_num(b[0])), ty_lt(x, ty_num(b[2])));
        ty_tensor *down = ty_logical_and(ty_ge(y, ty_num(b[1])), ty_lt(y, ty_num(b[3])));
        masks[i] = ty_cast(ty_logical_and(across, down), TY_F32);
        image = ty_add(image, ty_mul(masks[i], ty_num(1 + i)));
    }
    batch[0] = ty_mul(ty_reshape(image, 4, (const int64_t[]){1, SIDE, SIDE, 1}),
                      ty_from(TY_F32, TY_SHAPE(3), (float[]){1, 0.5, -0.5}));
    batch[1] = ty_from(TY_F32, TY_SHAPE(1, TRUE_BOXES, 4), boxes);
    batch[2] = ty_from(TY_I32, TY_SHAPE(1, TRUE_BOXES), classes);
    batch[3] = ty_expand(ty_stack(TRUE_BOXES, masks, 0), 0);
}

/* The gradient of the loss reaches every parameter that the three classes need. */
static void mask_rcnn_learns(void) {
    if (!test_some(1, 0, 0)) return;
    ty_network_options three = {.classes = 3};
    ty_model *m =
        test_own(ty_network_model(&ty_network_mask_rcnn, three, (ty_model_options){.seed = 1, .lazy = true}),
                 free_model);
    ty_tensor *batch[4], *error = NULL;
    bright_boxes(batch);
    CHECK(ty_model_build(m, 1, batch, &error), "%s", error ? ty_error(error) : "");
    for (int i = 0; i < ty_model_parameters(m); i++) { /* otherwise 33 blocks double the values each */
        ty_tensor *p = ty_model_parameter(m, i);
        if (strstr(ty_name(p), "bn3.weight"))
            CHECK(ty_assign(p, ty_full(TY_F32, 1, ty_shape(p), 0.2), &error), "bn3");
    }
    for (int i = 0; i < 4; i++) batch[i] = ty_var(batch[i], "part");
    ty_tensor *loss = ty_mask_rcnn_loss(m, ty_key(3), 4, batch, &three);
    CHECK_OK(loss);
    int n = ty_model_parameters(m);
    ty_tensor **all = test_room(2 * (size_t)n * sizeof(ty_tensor *)), **gradients = all + n;
    for (int i = 0; i < n; i++) all[i] = ty_model_parameter(m, i);
    CHECK(ty_grad(loss, n, all, gradients), "no gradient: %s", ty_error(gradients[0]));
    for (int i = 0; i < n; i++) gradients[i] = ty_amax(ty_abs(gradients[i]), TY_ALL);
    CHECK(ty_eval_all(n, gradients, gradients), "%s", ty_error(gradients[0]));
    for (int i = 0; i < n; i++) {
        double most = ty_item(gradients[i]);
        CHECK(most > 0 && most < 1e30, "the gradient of %s is at most %g", ty_name(all[i]), most);
    }
    CHECK(ty_model_states(m) > 0 && !ty_model_updates(m, 0, NULL), "norms gather");
    ty_tensor *none = ty_mask_rcnn_loss(m, NULL, 4, batch, &three);
    CHECK_POISON(none, "the key is missing");
    CHECK_POISON(ty_mask_rcnn_loss(m, ty_key(1), 3, batch, &three), "a batch of 3 parts");
    batch[1] = batch[2];
    CHECK_POISON(ty_mask_rcnn_loss(m, ty_key(1), 4, batch, &three), "part 1 has 2 axes");
}

static void networks(void) {
    for (int i = 0; i < ROWS; i++) {
        struct test_round round = test_round();
        if (test_some(1, !rows[i].large, !i)) check_network(&rows[i]);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(every_network_is_tested), TEST(networks), TEST(mask_rcnn_learns))
