/* Character-level language model: two LSTM layers (Graves 2013). */
#include "zoo/parts.h"

enum { UNITS = 256, LAYERS = 2 };

/* Return the scores [N, T, classes] of the next tokens from tokens [N, T], and replace the states in *more. */
static ty_tensor *scores(ty_layer *self, const ty_network_options *o, ty_tensor *tokens,
                         ty_recurrence *more) {
    ty_tensor *h =
        ty_layer_embedding(self, "embedding", tokens, (ty_embedding_layer){.rows = o->classes, .units = 64});
    h = ty_layer_lstm_from(self, "lstm", h, more, (ty_lstm_layer){.units = UNITS, .layers = LAYERS});
    return ty_layer_linear(self, "out", h, (ty_linear_layer){.units = o->classes});
}

static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    y[0] = scores(self, options, x[0], NULL);
}

static ty_tensor *cached(ty_layer *self, const void *options, ty_cached_step *step) {
    ty_tensor *known = ty_broadcast(ty_add(step->last, ty_int(1)), 1, ty_shape(step->tokens));
    ty_recurrence more = {.h = step->cache[0], .c = step->cache[1], .lengths = known};
    ty_tensor *y = ty_take(scores(self, options, step->tokens, &more), step->last, 1);
    step->cache[0] = more.h, step->cache[1] = more.c;
    return y;
}

static int cache_shape(const void *options, int i, int64_t n, int64_t positions, int64_t *shape) {
    (void)options, (void)positions;
    shape[0] = LAYERS, shape[1] = n, shape[2] = UNITS;
    return i < 2 ? 3 : 0; /* h and c */
}

const ty_network ty_network_char_lstm = {.name = "char_lstm",
                                         .doc = "two LSTM layers that generate text",
                                         .forward = forward,
                                         .classes = 256,
                                         .dtype = TY_I32,
                                         .rank = 1,
                                         .shape = {64},
                                         .tokens = true,
                                         .cached = cached,
                                         .cache_shape = cache_shape};
