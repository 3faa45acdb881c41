/* Classifier of token sequences: a bidirectional GRU (Cho et al. 2014), its last states, a linear layer. */
#include "zoo/parts.h"

enum { TOKENS = 20000 };

/* Set y[0] [N, classes] to the class scores of tokens x[0] [N, T]; poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_network_options *o = options;
    (void)n;
    ty_tensor *h =
        ty_layer_embedding(self, "embedding", x[0], (ty_embedding_layer){.rows = TOKENS, .units = 128});
    h = ty_layer_gru(self, "gru", h, (ty_gru_layer){.units = 128, .bidirectional = true, .last = true});
    h = ty_layer_dropout(self, "dropout", h, (ty_dropout_layer){.p = 0.2});
    y[0] = ty_layer_linear(self, "out", h, (ty_linear_layer){.units = o->classes});
}

const ty_network ty_network_gru_classifier = {.name = "gru_classifier",
                                              .doc = "a bidirectional GRU on 20,000 tokens",
                                              .forward = forward,
                                              .classes = 2,
                                              .dtype = TY_I32,
                                              .rank = 1,
                                              .shape = {80}};
