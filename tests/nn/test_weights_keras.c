/* Weights in Keras's layout: gates in another order, merged biases, transposed kernels; a Keras file gives
   Keras's results. */
#include <math.h>
#include <string.h>
#include <tyto/io.h>
#include "tests/goldens/keras_weights.def"
#include "tests/support/compare.h"
#include "tests/support/files.h"
#include "tests/support/layers_help.h"

enum { MOST = 48, OUTPUTS = 2 }; /* within 1e-6: some steps of that backend round to f32 */

/* The network of keras_weights.py, whose layers deep and deep_1 are one layer here. */
static void forward(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    bool nchw = *(const bool *)context;
    (void)n;
    ty_tensor *h = ty_layer_lstm(self, "both", x[0], (ty_recurrent_layer){.units = 4, .bidirectional = true});
    h = ty_layer_gru(self, "gate", h, (ty_recurrent_layer){.units = 3});
    h = ty_layer_recurrent(self, "plain", h, (ty_recurrent_layer){.units = 4});
    h = ty_layer_lstm(self, "deep", h, (ty_recurrent_layer){.units = 2, .layers = 2});
    y[0] = ty_layer_gru(self, "bare", h,
                        (ty_recurrent_layer){.units = 2, .bidirectional = true, .no_bias = true});
    ty_tensor *g = nchw ? ty_permute(x[1], (const int[]){0, 3, 1, 2}) : x[1];
    g = ty_layer_conv_transpose2d(self, "up", g,
                                  (ty_conv_layer){.size = {2, 3}, .channels = 3, .nchw = nchw});
    g = ty_layer_conv2d(self, "deep_wise", g,
                        (ty_conv_layer){.size = {2, 2}, .channels = 6, .groups = 3, .nchw = nchw});
    g = ty_layer_conv2d(self, "groups", g,
                        (ty_conv_layer){.size = {1, 2}, .channels = 4, .groups = 2, .nchw = nchw});
    y[1] = ty_mean(g, nchw ? ty_axes_of(2, (int[]){2, 3}, false) : ty_axes_of(2, (int[]){1, 2}, false));
}

static ty_model *model(uint64_t seed, bool lazy, bool nchw) {
    ty_model_options options = {.seed = seed, .lazy = lazy, .dtype = TY_F64, .inputs = 2, .results = 2};
    options.context_bytes = sizeof nchw;
    ty_model *m = nn_own_model(ty_model_new(forward, &nchw, options));
    ty_tensor *x[] = {ty_zeros(TY_F64, TY_SHAPE(2, 5, 3)), ty_zeros(TY_F64, TY_SHAPE(2, 4, 5, 3))},
              *error = NULL;
    CHECK(ty_model_build(m, 2, x, &error), "%s", error ? ty_error(error) : "");
    return m;
}

static void check_outputs(ty_model *m, const char *what) {
    static const double want[] = {KERAS_OUTPUT};
    ty_tensor *x[] = {layers_fill(3, (int64_t[]){2, 5, 3}, 50, 1, 0),
                      layers_fill(4, (int64_t[]){2, 4, 5, 3}, 51, 1, 0)};
    ty_tensor *y[OUTPUTS];
    int64_t at = 0;
    CHECK(ty_model_predict(m, 2, x, y), "%s: %s", what, ty_error(y[0]));
    for (int i = 0; i < OUTPUTS; i++) {
        double found[64];
        CHECK(ty_size(CHECK_OK(y[i])) <= 64 && ty_read(y[i], TY_F64, found), "%s: not readable", what);
        for (int64_t k = 0; k < ty_size(y[i]); k++, at++)
            CHECK(fabs(found[k] - want[at]) < 1e-6, "%s: number %lld of output %d is %.15g, Keras has %.15g",
                  what, (long long)k, i, found[k], want[at]);
    }
    CHECK(at == (int64_t)(sizeof want / sizeof *want), "%s: %lld numbers", what, (long long)at);
}

static int write_file_of_keras(const char *path, const char *without, ty_tensor *instead) {
    struct layers_form forms[MOST];
    const char *names[MOST];
    ty_tensor *tensors[MOST], *error = NULL;
    int n = 0, kept = 0;
    for (const char *text = KERAS_WEIGHTS; text && *text; n++) {
        text = layers_form(text, &forms[n]);
        tensors[kept] = layers_fill(forms[n].rank, forms[n].shape, n, 0.5, 0);
        if (without && !strcmp(forms[n].name, without)) tensors[kept] = instead;
        names[kept] = forms[n].name;
        kept += tensors[kept] != NULL;
    }
    CHECK(ty_archive_save(path, kept, names, tensors, (ty_file_options){0}, &error), "%s",
          error ? ty_error(error) : "");
    return kept;
}

static bool load(ty_model *m, const char *path, ty_tensor **error) {
    *error = NULL;
    return ty_model_load(m, path, (ty_weights_options){.layout = TY_LAYOUT_KERAS}, error);
}

static void as_keras(void) {
    const char *path = nn_file("keras.safetensors"), *again = nn_file("again.safetensors");
    int tensors = write_file_of_keras(path, NULL, NULL);
    for (int way = 0; way < (test_starving() ? 1 : 4); way++) {
        ty_model *m = model(1, way % 2, way / 2), *other = model(2, false, way / 2);
        ty_tensor *error;
        CHECK(load(m, path, &error), "%s", error ? ty_error(error) : "nobody says why");
        check_outputs(m, "Keras' file");
        /* and back: the same names, and the same values for every reader */
        CHECK(ty_model_save(m, again, (ty_weights_options){.layout = TY_LAYOUT_KERAS}, &error), "%s",
              error ? ty_error(error) : "");
        ty_archive *a = own_archive(ty_archive_open(path, (ty_file_options){0})),
                   *b = own_archive(ty_archive_open(again, (ty_file_options){0}));
        CHECK(ty_archive_count(b) == tensors, "%d tensors, and not %d", ty_archive_count(b), tensors);
        for (int i = 0; i < tensors; i++) {
            ty_tensor *want = CHECK_OK(ty_archive_at(a, i)),
                      *got = CHECK_OK(ty_archive_get(b, ty_archive_name(a, i)));
            if (!strcmp(ty_archive_name(a, i), "deep_wise/kernel"))
                want = ty_reshape(want, TY_SHAPE(2, 2, 1, 6));
            compare_bits(got, want, "%s", ty_archive_name(a, i));
        }
        CHECK(load(other, again, &error), "%s", error ? ty_error(error) : "");
        check_outputs(other, "our file");
    }
}

static void what_does_not_fit(void) {
    const char *path = nn_file("wrong.safetensors");
    ty_model *m = model(1, false, false);
    ty_tensor *error;
    write_file_of_keras(path, "gate/gru_cell/bias", ty_zeros(TY_F64, TY_SHAPE(9)));
    CHECK(!load(m, path, &error), "a bias of one row was taken");
    CHECK_POISON(error ? error : ty_poison("out of memory"), "gate/gru_cell/bias: f64[9], expected f64[2,9]");
    write_file_of_keras(path, "both/backward_lstm/lstm_cell/bias", NULL);
    CHECK(!load(m, path, &error), "a bias was not missed");
    CHECK_POISON(error ? error : ty_poison("out of memory"),
                 "both/backward_lstm/lstm_cell/bias: missing in the file");
    write_file_of_keras(path, "deep_wise/kernel", ty_zeros(TY_F64, TY_SHAPE(2, 2, 3, 3)));
    CHECK(!load(m, path, &error), "another number of channels was taken");
    CHECK_POISON(error ? error : ty_poison("out of memory"),
                 "deep_wise/kernel: f64[2,2,3,3], expected f64[2,2,1,6]");
}

TESTS_MAIN(TEST(as_keras), TEST(what_does_not_fit))
