/* Layers: a model of several, a custom layer, a sequence decoded step by step; the program of docs/layers.md. */
#include <stdio.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>

/* Classify texts: x[0] words, x[1] lengths; y[0] logits. */
static void reader(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n; /* x[0]: words (N,T), x[1]: lengths (N) */
    ty_recurrence more = {.lengths = x[1]};
    ty_tensor *h = ty_layer_embedding(self, "words", x[0], (ty_embedding_layer){.rows = 1000, .units = 16});
    h = ty_layer_gru_from(self, "gru", h, &more,
                          (ty_gru_layer){.units = 32, .bidirectional = true, .last = true});
    h = ty_layer_dropout(self, NULL, h, (ty_dropout_layer){.p = 0.2});
    y[0] = ty_layer_linear(self, "classes", h, (ty_linear_layer){.units = 4});
}

/* A custom kind: highway layers (Srivastava et al. 2015), g f(x) + (1 - g) x with g = sigmoid(W x + b). */
typedef struct highway_layer {
    ty_activation activation;
} highway_layer;
static void highway(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const highway_layer *o = options;
    int64_t units = ty_shape(x[0])[ty_rank(x[0]) - 1];
    (void)n;
    ty_linear_layer linear = {.units = units, .activation = o->activation};
    ty_linear_layer gate = {.units = units, .activation = ty_sigmoid, .bias = {ty_init_constant, -1, 0}};
    ty_tensor *changed = ty_layer_linear(self, "linear", x[0], linear);
    y[0] = ty_lerp(x[0], changed, ty_layer_linear(self, "gate", x[0], gate));
}
static const ty_option highway_options[] = {
    {"activation", TY_OPTION_ACTIVATION, offsetof(highway_layer, activation), 0}, {0}};
static const ty_layer_kind ty_kind_highway = {.name = "highway",
                                              .doc = "a linear layer that may let its input through",
                                              .bytes = sizeof(highway_layer),
                                              .options = highway_options,
                                              .forward = highway};
typedef highway_layer ty_highway_layer; /* for TY_LAYER(highway, ...) */

/* A layer with a parameter, its scale, and with a state that counts its training steps. */
static void scaled(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    ty_parameter one = {.rank = 0, .init = {ty_init_ones, 0, 0}}, count = {.rank = 0, .dtype = TY_I64};
    (void)options, (void)n;
    ty_layer_set_state(self, "steps", ty_add(ty_layer_state(self, "steps", count), ty_int(1)));
    y[0] = ty_mul(x[0], ty_layer_parameter(self, "scale", one));
}
static const ty_layer_kind ty_kind_scaled = {.name = "scaled", .doc = "times a number", .forward = scaled};

/* One step of a decoder with a cache of keys and values. */
static void decode(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n;
    ty_heads more = {.cached_keys = x[1], .cached_values = x[2], .position = x[3]};
    y[0] = ty_layer_transform(self, "block", x[0], &more,
                              (ty_transformer_block_layer){.attention = {.heads = 2, .rotary = 10000}});
    y[1] = more.cached_keys, y[2] = more.cached_values;
}

static bool show(const char *what, ty_tensor *y) {
    printf("%s:", what);
    for (int i = 0; ty_ok(y) && i < ty_rank(y); i++) printf(" %lld", (long long)ty_shape(y)[i]);
    printf("%s\n", ty_error(y));
    return ty_ok(y);
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_model *m = ty_model_new(reader, NULL, (ty_model_options){.seed = 1, .inputs = 2});
    ty_tensor *texts[] = {ty_zeros(TY_I32, TY_SHAPE(8, 20)), ty_full(TY_I32, TY_SHAPE(8), 5)}, *classes;
    ty_model_call(m, NULL, 2, texts, &classes);
    bool well = show("classes", classes);
    well = show("a weight", ty_model_find(m, "gru.weight_hh_l0_reverse")) && well;

    const ty_layer_value steps[] = {
        TY_LAYER(conv2d, .size = {3, 3}, .channels = 8, .same = true, .no_bias = true),
        TY_LAYER(batch_norm, .epsilon = 1e-3),
        TY_LAYER(activation, .function = ty_relu),
        TY_LAYER(inverted_residual, .channels = 8, .squeeze = 4),
        TY_LAYER(global_avg_pool, .keep = false),
        TY_LAYER(highway, .activation = ty_tanh),
        {.kind = &ty_kind_scaled, .name = "scale"},
        TY_LAYER(linear, .units = 3)};
    ty_model *images = ty_model_sequence(8, steps, (ty_model_options){.seed = 1});
    well =
        show("images", ty_model_forward(images, ty_ones(TY_F32, TY_SHAPE(2, 16, 16, 3)), ty_key(1))) && well;
    well = ty_model_commit(images, NULL) && well; /* a trainer does so itself */
    well = ty_item(ty_model_find(images, "scale.steps")) == 1 && well;

    ty_model *decoder = ty_model_new(decode, NULL, (ty_model_options){.inputs = 4, .results = 3});
    ty_tensor *cache = ty_zeros(TY_F32, TY_SHAPE(1, 2, 64, 8)), *y[3] = {NULL, cache, cache};
    for (int64_t i = 0; i < 3; i++) {
        ty_tensor *word = ty_normal(TY_F32, TY_SHAPE(1, 1, 16), ty_key((uint64_t)i));
        ty_tensor *operands[] = {word, y[1], y[2], ty_int(i)};
        ty_model_call(decoder, NULL, 4, operands, y);
    }
    well = show("a word", y[0]) && well;

    ty_tensor *q = ty_normal(TY_F32, TY_SHAPE(1, 8, 4, 16), ty_key(7)),
              *k = ty_normal(TY_F32, TY_SHAPE(1, 2, 9, 16), ty_key(8));
    ty_attention_options how = {.causal = true, .offset = ty_int(5), .slopes = ty_alibi_slopes(8)};
    well = show("attention", ty_attention(q, k, k, how)) && well;

    char *table = ty_model_summary(images);
    puts(table ? table : "no memory");
    ty_free(table);
    ty_model_free(m);
    ty_model_free(images);
    ty_model_free(decoder);
    ty_close(scope);
    return well ? 0 : 1;
}
