/* A small GPT (Radford et al. 2019): 6 layers, 6 heads of 64, 256 positions. */
#include <stdio.h>
#include "zoo/parts.h"

enum { BLOCKS = 6, HEADS = 6, UNITS = 384, PLACES = 256 };

/* Set y[0] [N, T, classes] to the scores of the next tokens from tokens x[0] [N, T]; poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_network_options *o = options;
    const ty_embedding_layer tokens = {
        .rows = o->classes, .units = UNITS, .weight = {ty_init_normal, 0, 0.02}};
    (void)n;
    ty_tensor *h = ty_layer_embedding(self, "wte", x[0], tokens);
    h = ty_layer_position_embedding(
        self, "wpe", h, (ty_position_embedding_layer){.rows = PLACES, .weight = {ty_init_normal, 0, 0.02}});
    ty_layer *blocks = ty_layer_in(self, "h");
    for (int i = 0; i < BLOCKS && ty_ok(h); i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        h = ty_layer_transformer_block(
            blocks, name, h,
            (ty_transformer_block_layer){.attention = {.heads = HEADS, .causal = true}, .dropout = 0.1});
    }
    h = ty_layer_layer_norm(self, "ln_f", h, (ty_layer_norm_layer){0});
    /* Output weights are tied to the input embedding: the layer is called again. */
    y[0] = ty_layer_embedding(self, "wte", h, tokens);
}

const ty_network ty_network_gpt = {.name = "gpt",
                                   .doc = "6 layers of 6 heads, 384 units, 256 places",
                                   .forward = forward,
                                   .classes = 256,
                                   .dtype = TY_I32,
                                   .rank = 1,
                                   .shape = {PLACES},
                                   .tokens = true};
