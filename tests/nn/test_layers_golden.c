/* Layers against PyTorch (tests/goldens/layers.py): weights loaded by PyTorch's names, results, states,
   gradients; compiled results equal eager ones to the bit. */
#include <math.h>
#include <string.h>
#include <tyto/io.h>
#include "tests/support/layers_help.h"

enum { MOST = 8, MOST_STATES = 64 };

/* Move channels last, as in Tyto's images, or first. */
static ty_tensor *last(ty_tensor *x) { return ty_moveaxis(x, 1, (int64_t[]){1}, (int64_t[]){-1}); }
static ty_tensor *first(ty_tensor *x) { return ty_moveaxis(x, 1, (int64_t[]){-1}, (int64_t[]){1}); }

/* Define a case: layer "l" on operands x; fills y and returns the number of results. */
#define CASE(name) static int case_##name(ty_layer *at, ty_tensor *const *x, ty_tensor **y)
#define ONE(name, ...)                                                                                       \
    CASE(name) {                                                                                             \
        (void)at;                                                                                            \
        y[0] = __VA_ARGS__;                                                                                  \
        return 1;                                                                                            \
    }

ONE(batch_norm, first(ty_layer_batch_norm(at, "l", last(x[0]), (ty_batch_norm_layer){0})))
ONE(batch_norm_last,
    ty_layer_batch_norm(at, "l", x[0], (ty_batch_norm_layer){.epsilon = 1e-3, .momentum = 0.3}))
ONE(batch_norm_inference,
    ty_layer_batch_norm(at, "l", x[0], (ty_batch_norm_layer){.nchw = true, .frozen = true}))
ONE(layer_norm, ty_layer_layer_norm(at, "l", x[0], (ty_layer_norm_layer){0}))
ONE(layer_norm_axes,
    ty_layer_layer_norm(at, "l", x[0], (ty_layer_norm_layer){.axes = 2, .epsilon = 1e-2, .no_shift = true}))
ONE(rms_norm, ty_layer_rms_norm(at, "l", x[0], (ty_rms_norm_layer){0}))
ONE(group_norm, ty_layer_group_norm(at, "l", x[0], (ty_group_norm_layer){.groups = 2, .nchw = true}))
ONE(instance_norm, first(ty_layer_instance_norm(at, "l", last(x[0]), (ty_instance_norm_layer){0})))
ONE(instance_norm_plain,
    ty_layer_instance_norm(at, "l", x[0],
                           (ty_instance_norm_layer){.nchw = true, .no_scale = true, .no_shift = true}))
ONE(embedding, ty_layer_embedding(at, "l", x[0], (ty_embedding_layer){.rows = 7, .units = 3}))

CASE(rnn) {
    ty_recurrence more = {0};
    y[0] = ty_layer_recurrent_from(at, "l", x[0], &more, (ty_recurrent_layer){.units = 4});
    y[1] = more.h;
    return 2;
}
CASE(rnn_relu) {
    ty_recurrence more = {0};
    ty_recurrent_layer o = {
        .units = 2, .layers = 2, .activation = ty_relu, .no_bias = true, .time_first = true};
    y[0] = ty_layer_recurrent_from(at, "l", x[0], &more, o);
    y[1] = more.h;
    return 2;
}
CASE(lstm) {
    ty_recurrence more = {.h = x[1], .c = x[2]};
    y[0] = ty_layer_lstm_from(at, "l", x[0], &more,
                              (ty_lstm_layer){.units = 2, .layers = 2, .bidirectional = true});
    y[1] = more.h, y[2] = more.c;
    return 3;
}
CASE(gru) {
    ty_recurrence more = {.h = x[1]};
    y[0] = ty_layer_gru_from(at, "l", x[0], &more, (ty_gru_layer){.units = 3, .layers = 2});
    y[1] = more.h;
    return 2;
}
static ty_tensor *lengths(void) { return ty_from(TY_I32, TY_SHAPE(3), (int32_t[]){4, 2, 1}); }
CASE(lstm_lengths) {
    ty_recurrence more = {.lengths = lengths()};
    y[0] = ty_layer_lstm_from(at, "l", x[0], &more, (ty_lstm_layer){.units = 2, .bidirectional = true});
    y[1] = more.h, y[2] = more.c;
    return 3;
}
CASE(gru_lengths) {
    ty_recurrence more = {.lengths = lengths()};
    y[0] = ty_layer_gru_from(at, "l", x[0], &more, (ty_gru_layer){.units = 2, .bidirectional = true});
    y[1] = more.h;
    return 2;
}

/* Compute attention as a whole and by blocks. */
static int attend(ty_tensor *const *x, ty_attention_options o, ty_tensor **y) {
    o.block = -1;
    ty_tensor *whole = ty_attention(x[0], x[1], x[2], o);
    o.block = 2;
    ty_tensor *by_blocks = ty_attention(x[0], x[1], x[2], o);
    /* equally weighted, so that an error of either one changes results and gradients */
    y[0] = ty_mul(ty_add(whole, by_blocks), ty_num(0.5));
    return 1;
}
CASE(attention) {
    (void)at;
    return attend(x, (ty_attention_options){0}, y);
}
CASE(attention_causal) {
    (void)at;
    return attend(x, (ty_attention_options){.causal = true}, y);
}
CASE(attention_mask) {
    (void)at;
    return attend(x, (ty_attention_options){.mask = x[3], .scale = 0.3}, y);
}
CASE(attention_bool) {
    (void)at;
    return attend(x, (ty_attention_options){.mask = ty_gt(x[3], ty_int(0))}, y);
}
CASE(attention_grouped) {
    (void)at;
    return attend(x, (ty_attention_options){0}, y);
}
CASE(alibi) {
    (void)at;
    return attend(x, (ty_attention_options){.slopes = ty_alibi_slopes(6)}, y);
}
ONE(multi_head, ty_layer_multi_head_attention(at, "l", x[0], (ty_multi_head_attention_layer){.heads = 2}))
ONE(multi_head_causal, ty_layer_multi_head_attention(at, "l", x[0],
                                                     (ty_multi_head_attention_layer){
                                                         .heads = 2, .causal = true, .no_bias = true}))
CASE(multi_head_cross) {
    ty_heads more = {
        .keys = x[1], .values = x[2], .lengths = ty_from(TY_I64, TY_SHAPE(2), (int64_t[]){4, 2})};
    y[0] = ty_layer_attend(at, "l", x[0], &more, (ty_multi_head_attention_layer){.heads = 2});
    return 1;
}
ONE(encoder, ty_layer_transformer_block(at, "l", x[0],
                                        (ty_transformer_block_layer){
                                            .attention = {.heads = 2}, .hidden = 6, .post = true}))
ONE(encoder_first,
    ty_layer_transformer_block(at, "l", x[0],
                               (ty_transformer_block_layer){.attention = {.heads = 2}, .hidden = 6}))
ONE(rotary, ty_rotary(x[0], NULL, 10000, false))
ONE(rotary_pairs, ty_rotary(x[0], ty_iota(TY_I32, TY_SHAPE(3), 0), 100, true))

#define ACTIVATE(name) ONE(activation_##name, ty_activation_named(#name)(ty_mul(x[0], ty_num(3.5))))
ACTIVATE(relu)
ACTIVATE(leaky_relu)
ACTIVATE(elu)
ACTIVATE(selu)
ACTIVATE(celu)
ACTIVATE(gelu)
ACTIVATE(gelu_tanh)
ACTIVATE(silu)
ACTIVATE(mish)
ACTIVATE(softplus)
ACTIVATE(softsign)
ACTIVATE(softmax)
ACTIVATE(log_softmax)
ACTIVATE(sigmoid)
ACTIVATE(log_sigmoid)
ACTIVATE(hard_sigmoid)
ACTIVATE(hard_swish)
ACTIVATE(tanh)
ACTIVATE(relu6)
ACTIVATE(trelu)
ONE(prelu, ty_layer_prelu(at, "l", x[0], (ty_prelu_layer){0}))
ONE(prelu_channels, ty_layer_prelu(at, "l", x[0], (ty_prelu_layer){.channels = true, .nchw = true}))

ONE(max_pool1d,
    ty_layer_max_pool1d(at, "l", x[0],
                        (ty_pool){.size = {3}, .stride = {2}, .low = {1}, .high = {1}, .nchw = true}))
ONE(max_pool3d,
    first(ty_layer_max_pool3d(at, "l", last(x[0]), (ty_pool){.size = {2, 2, 2}, .stride = {2, 1, 2}})))
ONE(avg_pool1d, ty_layer_avg_pool1d(at, "l", x[0], (ty_pool){.size = {2}, .nchw = true}))
ONE(avg_pool3d,
    ty_layer_avg_pool3d(at, "l", x[0], (ty_pool){.size = {2, 2, 2}, .stride = {1, 1, 1}, .nchw = true}))
ONE(adaptive_avg_pool2d, ty_layer_adaptive_avg_pool2d(at, "l", x[0], (ty_pool){.size = {2, 3}, .nchw = true}))
ONE(adaptive_max_pool1d, ty_layer_adaptive_max_pool1d(at, "l", x[0], (ty_pool){.size = {3}, .nchw = true}))
ONE(global_avg_pool, ty_layer_global_avg_pool(at, "l", last(x[0]), (ty_global_pool_layer){0}))
ONE(global_max_pool,
    ty_layer_global_max_pool(at, "l", x[0], (ty_global_pool_layer){.nchw = true, .keep = true}))
ONE(upsampling, ty_layer_upsampling(at, "l", x[0], (ty_upsampling_layer){.nchw = true}))
ONE(upsampling_linear,
    first(ty_layer_upsampling(at, "l", last(x[0]), (ty_upsampling_layer){.size = 3, .linear = true})))
ONE(padding, ty_layer_padding(at, "l", x[0], (ty_padding_layer){.low = {0, 1}, .high = {2, 0}, .nchw = true}))
ONE(padding_reflect,
    first(ty_layer_padding(at, "l", last(x[0]),
                           (ty_padding_layer){.low = {1, 2}, .high = {0, 1}, .kind = 1 + TY_PAD_REFLECT})))
ONE(conv1d_dilated,
    first(ty_layer_conv1d(at, "l", last(x[0]),
                          (ty_conv_layer){
                              .size = {3}, .channels = 3, .dilation = {2}, .low = {1}, .high = {1}})))
ONE(conv2d_groups, ty_layer_conv2d(at, "l", x[0],
                                   (ty_conv_layer){.size = {3, 2},
                                                   .channels = 4,
                                                   .stride = {2, 1},
                                                   .groups = 2,
                                                   .low = {1},
                                                   .high = {1},
                                                   .nchw = true}))
ONE(conv_transpose2d, first(ty_layer_conv_transpose2d(at, "l", last(x[0]),
                                                      (ty_conv_layer){.size = {3, 3},
                                                                      .channels = 3,
                                                                      .stride = {2, 2},
                                                                      .low = {1, 1},
                                                                      .high = {1, 1},
                                                                      .output_padding = {1, 1}})))
ONE(linear, ty_layer_linear(at, "l", x[0], (ty_linear_layer){.units = 4}))
ONE(bilinear, ty_layer_bilinear(at, "l", 2, x, (ty_bilinear_layer){.units = 4}))
ONE(squeeze_excite,
    ty_layer_squeeze_excite(at, "l", x[0], (ty_squeeze_excite_layer){.units = 2, .nchw = true}))
ONE(depthwise_separable,
    ty_layer_depthwise_separable(at, "l", x[0],
                                 (ty_depthwise_separable_layer){.channels = 3, .stride = 2, .nchw = true}))
ONE(inverted_residual,
    first(ty_layer_inverted_residual(at, "l", last(x[0]),
                                     (ty_inverted_residual_layer){.channels = 2, .expand = 3, .squeeze = 2})))

static const int64_t edges[2][7] = {{0, 1, 1, 2, 3, 4, 0}, {1, 0, 2, 1, 1, 0, 4}};
CASE(graph_conv) {
    double matrix[5][5] = {{0}};
    for (int i = 0; i < 7; i++) matrix[edges[1][i]][edges[0][i]] += 1;
    ty_tensor *both[] = {x[0], ty_from(TY_F64, TY_SHAPE(5, 5), matrix)};
    y[0] = ty_layer_graph_conv(at, "l", 2, both, (ty_graph_conv_layer){.units = 2});
    return 1;
}
CASE(graph_conv_edges) {
    ty_tensor *both[] = {x[0], ty_from(TY_I64, TY_SHAPE(2, 7), edges)};
    y[0] = ty_layer_graph_conv(at, "l", 2, both, (ty_graph_conv_layer){.units = 2});
    return 1;
}
CASE(bayesian_linear) {
    y[0] = ty_layer_bayesian_linear_kl(at, "l", x[0], &y[1],
                                       (ty_bayesian_linear_layer){.units = 2, .prior = 0.5});
    return 2;
}

/* ---- the table ---- */

#define LIST(...)                                                                                            \
    { __VA_ARGS__ }
#define GOLDEN(name, operands, state, y, dx, moments)                                                        \
    static const double y_##name[] = LIST y, dx_##name[] = LIST dx, moments_##name[] = LIST moments;
#include "tests/goldens/layers.def"

struct numbers {
    int n;
    const double *at;
};
#define NUMBERS(list)                                                                                        \
    { sizeof list / sizeof *list, list }
static const struct golden {
    const char *name, *operands, *state;
    struct numbers y, dx, moments;
    int (*run)(ty_layer *at, ty_tensor *const *x, ty_tensor **y);
} goldens[] = {
#define GOLDEN(name, operands, state, y, dx, moments)                                                        \
    {#name, operands, state, NUMBERS(y_##name), NUMBERS(dx_##name), NUMBERS(moments_##name), case_##name},
#include "tests/goldens/layers.def"
};
enum { GOLDENS = sizeof goldens / sizeof *goldens };

/* Load a file as PyTorch writes it. */
static void load(const struct golden *g, ty_model *m) {
    struct layers_form forms[MOST_STATES], *f;
    const char *words[MOST_STATES];
    ty_tensor *tensors[MOST_STATES], *error = NULL;
    int n = 0;
    for (const char *text = g->state; text && *text; n++) {
        text = layers_form(text, f = &forms[n]);
        tensors[n] = layers_fill(f->rank, f->shape, n, 0.5, strstr(f->name, "running_var") ? 1 : 0);
        words[n] = f->name;
    }
    if (!n) return;
    const char *path = nn_file("layers.safetensors");
    CHECK(ty_archive_save(path, n, words, tensors, (ty_file_options){0}, &error), "%s: %s", g->name,
          ty_error(error));
    ty_renaming rename = {"l.", ""};
    ty_weights_options options = {.layout = TY_LAYOUT_PYTORCH, .rename = &rename, .nrename = 1};
    CHECK(ty_model_load(m, path, options, &error), "%s: %s", g->name, ty_error(error));
}

static void forward(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    const struct golden *g = context;
    ty_tensor *results[MOST] = {0}, *flat[MOST];
    (void)n;
    int count = g->run(self, x, results);
    for (int i = 0; i < count; i++) flat[i] = ty_ravel(results[i]);
    y[0] = ty_concat(count, flat, 0);
}

static void compare(const struct golden *g, const char *what, struct numbers expected, const double *found,
                    int64_t n) {
    CHECK(n == expected.n, "%s: %lld numbers of %s, expected %d", g->name, (long long)n, what, expected.n);
    for (int64_t i = 0; i < n; i++)
        CHECK(fabs(found[i] - expected.at[i]) <= 2e-10 * (1 + fabs(expected.at[i])),
              "%s: %s %lld is %.15g, PyTorch has %.15g", g->name, what, (long long)i, found[i],
              expected.at[i]);
}

/* All results of a case, concatenated. */
struct found {
    int64_t ny, ndx;
    int nmoments;
    double y[256], dx[256], moments[256];
};

static void read_into(ty_tensor *x, double *out, int64_t *n) {
    CHECK_OK(x);
    CHECK(*n + ty_size(x) <= 256 && ty_read(x, TY_F64, out + *n), "%lld numbers", (long long)ty_size(x));
    *n += ty_size(x);
}

static bool is_parameter(const ty_model *m, const ty_tensor *x) {
    for (int i = 0; i < ty_model_parameters(m); i++)
        if (ty_model_parameter(m, i) == x) return true;
    return false;
}

static void take_moments(const struct golden *g, ty_model *m, ty_tensor *loss, struct found *found) {
    struct layers_form form;
    char full[80];
    int64_t n = 0;
    for (const char *text = g->state; text && *text;) {
        text = layers_form(text, &form);
        snprintf(full, sizeof full, "l.%s", form.name);
        ty_tensor *p = ty_model_find(m, full), *gradient;
        if (!is_parameter(m, p)) continue;
        CHECK(ty_grad(loss, 1, &p, &gradient), "%s: gradient of %s: %s", g->name, full, ty_error(gradient));
        read_into(ty_sum(gradient, TY_ALL), found->moments, &n);
        read_into(ty_sum(ty_mul(gradient, ty_detach(p)), TY_ALL), found->moments, &n);
    }
    if (!n) found->moments[n++] = 0;
    found->nmoments = (int)n;
}

static void run(const struct golden *g, bool lazy, struct found *found) {
    ty_tensor *x[MOST], *y = NULL, *error = NULL, *gradient;
    int n = layers_operands(g->operands, lazy, x);
    ty_model_options options = {.dtype = TY_F64, .lazy = lazy, .inputs = n};
    ty_model *m = nn_own_model(ty_model_new(forward, g, options));
    CHECK(ty_model_build(m, n, x, &error), "%s: %s", g->name, ty_error(error));
    load(g, m);
    ty_model_call(m, strstr(g->name, "bayesian") ? NULL : ty_key(3), n, x, &y);
    CHECK_OK(y);
    ty_tensor *loss = ty_sum(ty_mul(y, layers_fill(1, ty_shape(y), 90, 1, 0)), TY_ALL);
    if (ty_dtype_of(x[0]) == TY_F64) {
        CHECK(ty_grad(loss, 1, x, &gradient), "%s: %s", g->name, ty_error(gradient));
        read_into(gradient, found->dx, &found->ndx);
    } else {
        found->dx[found->ndx++] = 0;
    }
    take_moments(g, m, loss, found);
    read_into(y, found->y, &found->ny);
    CHECK(ty_model_commit(m, &error), "%s: %s", g->name, ty_error(error));
    for (int i = 0; i < ty_model_states(m) && found->ny < g->y.n; i++)
        read_into(ty_model_state(m, i), found->y, &found->ny);
}

static void as_pytorch(void) {
    for (int i = 0; i < GOLDENS; i += test_starving() ? 7 : 1) {
        struct test_round round = test_round();
        struct found *eager = test_room(sizeof *eager), *lazy = test_room(sizeof *lazy);
        run(&goldens[i], false, eager);
        run(&goldens[i], true, lazy);
        CHECK(!memcmp(eager, lazy, sizeof *eager), "%s: compiled it has other bits", goldens[i].name);
        compare(&goldens[i], "result", goldens[i].y, eager->y, eager->ny);
        compare(&goldens[i], "gradient", goldens[i].dx, eager->dx, eager->ndx);
        compare(&goldens[i], "sum of a parameter's gradient", goldens[i].moments, eager->moments,
                eager->nmoments);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(as_pytorch))
