/* Errors of layers: each message names the layer, the cause and the expected value. */
#include <string.h>
#include "tests/support/layers_help.h"

enum { MOST = 8 };
struct row {
    const char *operands, *words;
    ty_tensor *(*run)(ty_layer *at, ty_tensor *const *x);
};

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
/* BAD(operands, words, expression of at and x) */
#define BAD(operands, words, ...)                                                                            \
    static ty_tensor *PASTE(bad, __LINE__)(ty_layer * at, ty_tensor *const *x) {                             \
        return (void)at, (void)x, __VA_ARGS__;                                                               \
    }
#define ONE(kind, ...) ty_layer_##kind(at, "l", x[0], (ty_##kind##_layer){__VA_ARGS__})
#define MANY(kind, n, ...) ty_layer_##kind(at, "l", n, x, (ty_##kind##_layer){__VA_ARGS__})
#define HEADS(more, ...)                                                                                     \
    ty_layer_attend(at, "l", x[0], &(ty_heads)more, (ty_multi_head_attention_layer){__VA_ARGS__})
#define FROM(kind, more, ...)                                                                                \
    ty_layer_##kind##_from(at, "l", x[0], &(ty_recurrence)more, (ty_##kind##_layer){__VA_ARGS__})
#define SET(...)                                                                                             \
    { __VA_ARGS__ }
static ty_tensor *attention(ty_tensor *const *x, ty_attention_options o) {
    return ty_attention(x[0], x[1], x[2], o);
}
/* Call a layer as descriptions do. */
static ty_tensor *call(ty_layer *at, const ty_layer_kind *kind, const void *options, int n,
                       ty_tensor *const *x) {
    ty_tensor *y[4] = {NULL};
    ty_layer_call(at, "l", kind, options, options ? kind->bytes : 0, n, x, y);
    return y[0];
}
static ty_tensor *wrong_form(ty_layer *self, ty_tensor *x, void *context) {
    (void)self, (void)context;
    return ty_sum(x, ty_axis(1));
}

#include "tests/nn/layers_refusals.def"
#undef BAD
#define BAD(operands, words, ...) {operands, words, PASTE(bad, __LINE__)},
static const struct row rows[] = {
#include "tests/nn/layers_refusals.def"
};

static void forward(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    y[0] = ((const struct row *)context)->run(self, x);
}

static void every_sentence(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        ty_tensor *x[MOST], *y = NULL;
        int n = layers_operands(rows[i].operands, false, x);
        ty_model *m = nn_own_model(ty_model_new(forward, &rows[i], (ty_model_options){.inputs = n}));
        ty_model_call(m, ty_key(1), n, x, &y);
        CHECK_POISON(y, rows[i].words);
        CHECK(ty_model_parameters(m) == 0 && ty_model_states(m) == 0, "\"%s\" left parameters", ty_error(y));
        /* the model stays usable */
        CHECK(!*ty_model_error(m), "%s", ty_model_error(m));
        test_round_end(round);
    }
}

/* Call the same layer again with other sizes, kinds or options. */
static void other(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    switch (*(const int *)context) {
    case 0:
        y[0] = ty_layer_lstm(self, "l", x[0], (ty_lstm_layer){.units = 2});
        if (!ty_ok(y[0])) return;
        y[0] = ty_layer_lstm(self, "l", ty_concat(2, (ty_tensor *[]){x[0], x[0]}, 2),
                             (ty_lstm_layer){.units = 2});
        break;
    case 1:
        y[0] = ty_layer_lstm(self, "l", x[0], (ty_lstm_layer){.units = 2});
        if (!ty_ok(y[0])) return;
        y[0] = ty_layer_gru(self, "l", x[0], (ty_gru_layer){.units = 2});
        break;
    default:
        y[0] = ty_layer_lstm(self, "l", x[0], (ty_lstm_layer){.units = 2});
        if (!ty_ok(y[0])) return;
        y[0] = ty_layer_lstm(self, "l", x[0], (ty_lstm_layer){.units = 2, .last = true});
    }
}

static void called_again(void) {
    static const char *const words[] = {"l: weight_ih_l0 has the shape [3,8], but [6,8]",
                                        "l: the name is used by a lstm and a gru",
                                        "l: it was created with another last"};
    for (int i = 0; i < 3; i++) {
        ty_model *m = nn_own_model(ty_model_new(other, &i, (ty_model_options){0}));
        CHECK_POISON(ty_model_forward(m, ty_ones(TY_F32, TY_SHAPE(2, 4, 3)), NULL), words[i]);
    }
}

TESTS_MAIN(TEST(every_sentence), TEST(called_again))
