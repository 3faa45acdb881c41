/* Language models of transformer blocks, as GPT-2 (Radford et al. 2019): whole texts at once, or by steps with a cache of
   keys and values. */
#include <stdio.h>
#include "zoo/parts.h"

/* Sizes of a network, and its activation: GPT-2 has the approximation by tanh. */
struct sizes {
    int64_t blocks, heads, units, places;
    ty_activation activation;
};
static const struct sizes small = {6, 6, 384, 256, ty_gelu}, gpt2 = {12, 12, 768, 1024, ty_gelu_tanh};

static struct sizes sizes_of(const ty_network_options *o) {
    struct sizes s = *(const struct sizes *)o->network->variant;
    if (o->blocks) s.blocks = o->blocks;
    if (o->heads) s.heads = o->heads;
    if (o->units) s.units = o->units;
    if (o->places) s.places = o->places;
    return s;
}

/* Return scores of the next tokens: of all of `tokens` [N, T], [N, T, classes], or of the last one of a step, if that is
   not NULL, [N, classes]; poison on failure. */
static ty_tensor *scores(ty_layer *self, const ty_network_options *o, ty_tensor *tokens,
                         ty_cached_step *step) {
    const struct sizes s = sizes_of(o);
    const ty_embedding_layer words = {
        .rows = o->classes, .units = s.units, .weight = {ty_init_normal, 0, 0.02}};
    ty_tensor *h = ty_layer_embedding(self, "wte", tokens, words);
    const ty_position_embedding_layer places = {.rows = s.places, .weight = {ty_init_normal, 0, 0.02}};
    ty_tensor *from[] = {h, step ? step->position : NULL};
    ty_layer_call(self, "wpe", &ty_kind_position_embedding, &places, sizeof places, step ? 2 : 1, from, &h);
    ty_layer *blocks = ty_layer_in(self, "h");
    for (int i = 0; i < s.blocks && ty_ok(h); i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        ty_heads more = {0};
        if (step)
            more = (ty_heads){.cached_keys = step->cache[2 * i],
                              .cached_values = step->cache[2 * i + 1],
                              .position = step->position};
        h = ty_layer_transform(blocks, name, h, &more,
                               (ty_transformer_block_layer){.attention = {.heads = s.heads, .causal = true},
                                                            .activation = s.activation,
                                                            .dropout = 0.1});
        if (step) step->cache[2 * i] = more.cached_keys, step->cache[2 * i + 1] = more.cached_values;
    }
    if (step) h = ty_take(h, step->last, 1);
    h = ty_layer_layer_norm(self, "ln_f", h, (ty_layer_norm_layer){0});
    /* Output weights are tied to the input embedding: the layer is called again. */
    return ty_layer_embedding(self, "wte", h, words);
}

static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    y[0] = scores(self, options, x[0], NULL);
}

static ty_tensor *cached(ty_layer *self, const void *options, ty_cached_step *step) {
    return scores(self, options, step->tokens, step);
}

static int cache_shape(const void *options, int i, int64_t n, int64_t positions, int64_t *shape) {
    const struct sizes s = sizes_of(options);
    shape[0] = n, shape[1] = s.heads, shape[2] = positions, shape[3] = s.units / s.heads;
    return i < 2 * s.blocks ? 4 : 0; /* keys and values of each block */
}

#define GPT(title, sizes, tokens_, places_, words)                                                           \
    const ty_network ty_network_##title = {.name = #title,                                                   \
                                           .doc = words,                                                     \
                                           .forward = forward,                                               \
                                           .variant = &(sizes),                                              \
                                           .classes = tokens_,                                               \
                                           .dtype = TY_I32,                                                  \
                                           .rank = 1,                                                        \
                                           .shape = {places_},                                               \
                                           .tokens = true,                                                   \
                                           .sized = true,                                                    \
                                           .cached = cached,                                                 \
                                           .cache_shape = cache_shape}
GPT(gpt, small, 256, 256, "6 layers of 6 heads, 384 units, 256 places");
GPT(gpt2, gpt2, 50257, 1024, "12 layers of 12 heads, 768 units, 1024 places, 50257 tokens");
