/* Entries of the parts of networks: each kind of layer with its gradients, each loss, each schedule. */
#include <string.h>

#include "tests/bits/bits.h"
#include "tests/nn/layers_table.h"
#include "tests/support/samples/sample.h"
#include "tests/support/tree.h"

/* ---- layers ---- */

static void forward(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    y[0] = ((const struct row *)context)->run(self, x);
}

/* Make the operands of a row's description; returns their number. */
static int make_operands(const char *text, bool lazy, ty_tensor **x) {
    struct layers_form form;
    int n = 0;
    for (; text && *text; n++) {
        text = layers_form(text, &form);
        bool whole = form.modulus > 0;
        ty_tensor *value = sample_shape(whole ? TY_I64 : TY_F32, form.rank, form.shape, whole ? 0 : -1,
                                        whole ? form.modulus - 1 : 1);
        x[n] = whole ? value : lazy ? ty_var(value, "x") : ty_track(value, "x");
    }
    return n;
}

/* Return the hash of a layer's result in training, and of the gradients of its sum of squares. */
static uint64_t layer_hash(const struct row *r, bool lazy) {
    ty_tensor *x[MOST], *all[2 * MOST], *gradients[2 * MOST], *error = NULL, *y = NULL;
    bits_begin();
    int inputs = make_operands(r->operands, lazy, x), n = 0;
    ty_model_options o = {.seed = 5, .lazy = lazy, .inputs = inputs};
    ty_model *m = nn_own_model(ty_model_new(forward, r, o));
    if (!ty_model_build(m, inputs, x, &error)) bits_fail(ty_error(error));
    ty_model_call(m, ty_key(11), inputs, x, &y);
    uint64_t hash = bits_add(bits_start(), y);
    for (int i = 0; i < inputs; i++)
        if (ty_dtype_of(x[i]) == TY_F32) all[n++] = x[i];
    for (int i = 0; i < ty_model_parameters(m); i++) all[n++] = ty_model_parameter(m, i);
    ty_grad(ty_sum(ty_square(y), TY_ALL), n, all, gradients);
    for (int i = 0; i < n; i++) hash = bits_add(hash, gradients[i]);
    return hash;
}

static void layer_entry(const struct row *r, int number) {
    char name[BITS_NAME];
    struct test_round round = test_round();
    snprintf(name, sizeof name, "layer %d %s", number, r->kind->name);
    uint64_t compiled = layer_hash(r, true), eager = layer_hash(r, false);
    if (compiled != eager) bits_fail("compiled, it has another hash");
    bits_entry(name, "f32", eager);
    test_round_end(round);
}

/* ---- losses ---- */

static const struct loss {
    const char *name;
    int n;
    ty_tensor *(*two)(ty_tensor *, ty_tensor *, ty_loss_options);
    ty_tensor *(*three)(ty_tensor *, ty_tensor *, ty_tensor *, ty_loss_options);
    ty_tensor *(*four)(ty_tensor *, ty_tensor *, ty_tensor *, ty_tensor *, ty_loss_options);
} losses[] = {
#define LOSS2(name, ...) {#name, 2, ty_loss_##name, NULL, NULL},
#define LOSS3(name, ...) {#name, 3, NULL, ty_loss_##name, NULL},
#define LOSS4(name, ...) {#name, 4, NULL, NULL, ty_loss_##name},
#include <tyto/tables/losses.def>
};

enum { EXAMPLES = 13, CLASSES = 7, FRAMES = 9, SYMBOLS = 3 };

/* Return the target of a loss: labels of classes, signs, or numbers. */
static ty_tensor *target_of(const char *loss, ty_dtype dtype) {
    if (tree_has_word("multi_hinge cross_entropy nll", loss))
        return sample_shape(TY_I64, TY_SHAPE(EXAMPLES), 0, CLASSES - 1);
    if (!strcmp(loss, "cosine")) return sample_shape(TY_BOOL, TY_SHAPE(EXAMPLES), 0, 1);
    if (tree_has_word("hinge squared_hinge soft_margin ranking", loss))
        return sample_shape(TY_BOOL, TY_SHAPE(EXAMPLES, CLASSES), 0, 1);
    return sample_shape(dtype, TY_SHAPE(EXAMPLES, CLASSES), 0.0625, 0.9375);
}

static ty_tensor *loss_of(const struct loss *l, ty_dtype dtype, ty_tensor *x) {
    ty_loss_options o = {.reduction = TY_LOSS_NONE};
    ty_tensor *more = sample_shape(dtype, TY_SHAPE(EXAMPLES, CLASSES), 0.0625, 0.9375),
              *target = target_of(l->name, dtype);
    bool target_is_second = !strcmp(l->name, "gaussian") || !strcmp(l->name, "triplet");
    if (l->n == 2) return l->two(x, target, o);
    if (l->n == 3) return target_is_second ? l->three(x, target, more, o) : l->three(x, more, target, o);
    ty_tensor *labels = sample_shape(TY_I64, TY_SHAPE(EXAMPLES, SYMBOLS), 1, CLASSES - 1);
    ty_tensor *lengths = ty_full(TY_I64, TY_SHAPE(EXAMPLES), FRAMES),
              *counts = ty_full(TY_I64, TY_SHAPE(EXAMPLES), SYMBOLS);
    return l->four(ty_log_softmax(x, -1), labels, lengths, counts, o);
}

static void loss_entry(const struct loss *l, ty_dtype dtype) {
    char name[BITS_NAME];
    struct test_round round = test_round();
    bits_begin();
    double sign = tree_has_word("nll kl", l->name)
                      ? -1
                      : 1; /* logarithms, or numbers of which many are probabilities */
    ty_tensor *numbers = l->n == 4
                             ? sample_shape(dtype, TY_SHAPE(FRAMES, EXAMPLES, CLASSES), -1, 1)
                             : sample_shape(dtype, TY_SHAPE(EXAMPLES, CLASSES), 0.0625 * sign, 0.9375 * sign);
    ty_tensor *x = ty_track(numbers, "x"), *y = loss_of(l, dtype, x), *gradient;
    ty_grad(ty_sum(y, TY_ALL), 1, &x, &gradient);
    snprintf(name, sizeof name, "loss %s", l->name);
    bits_entry(name, ty_dtype_name(dtype), bits_add(bits_add(bits_start(), y), gradient));
    test_round_end(round);
}

/* ---- schedules ---- */

static void schedule_entry(const char *name, ty_schedule_function at) {
    char whole[BITS_NAME];
    ty_schedule s = {.at = at, .rate = 0.1, .end = 0.001, .steps = 40, .width = 64, .warmup = 5, .n = 2};
    s.steps_at = (const double[]){10, 30};
    s.rates = (const double[]){0.05, 0.01};
    uint64_t hash = bits_start();
    struct test_round round = test_round();
    bits_begin();
    for (int step = 1; step <= 100; step++)
        hash = bits_add(hash, ty_schedule_rate(&s, ty_scalar(TY_F64, step)));
    snprintf(whole, sizeof whole, "schedule %s", name);
    bits_entry(whole, "f64", hash);
    test_round_end(round);
}

void bits_layers(void) {
    for (int i = 0; i < KINDS; i++) layer_entry(&rows[i], i);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        for (int dtype = TY_F16; dtype <= TY_F64; dtype++) loss_entry(&losses[i], (ty_dtype)dtype);
#define SCHEDULE(name, ...) schedule_entry(#name, ty_schedule_##name);
#include <tyto/tables/schedules.def>
}
