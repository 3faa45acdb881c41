/* Character-level language model: two LSTM layers (Graves 2013). */
#include "zoo/parts.h"

enum { UNITS = 256, LAYERS = 2 };

/* Set y[0] [N, T, classes] to the scores of the next tokens from tokens x[0] [N, T]; poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_network_options *o = options;
    (void)n;
    ty_tensor *h =
        ty_layer_embedding(self, "embedding", x[0], (ty_embedding_layer){.rows = o->classes, .units = 64});
    h = ty_layer_lstm(self, "lstm", h, (ty_lstm_layer){.units = UNITS, .layers = LAYERS});
    y[0] = ty_layer_linear(self, "out", h, (ty_linear_layer){.units = o->classes});
}

const ty_network ty_network_char_lstm = {.name = "char_lstm",
                                         .doc = "two LSTM layers that generate text",
                                         .forward = forward,
                                         .classes = 256,
                                         .dtype = TY_I32,
                                         .rank = 1,
                                         .shape = {64},
                                         .tokens = true};
