/* Uses of layers: caches of keys, blocks of keys and their memory, layers called twice, sequences of any
   length, half floats, descriptions. */
#include <math.h>
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/layers_help.h"
#include "tests/support/misbehave.h"
#include "array/scope.h"

enum { BATCH = 2, PLACES = 5, CHANNELS = 8, GROUPS = 2, SIZE = 2 };

static ty_tensor *numbers(int rank, const int64_t *shape, int salt) {
    return layers_fill(rank, shape, salt, 1, 0);
}

static void near(ty_tensor *found, ty_tensor *expected, double tolerance, const char *what) {
    CHECK_OK(found);
    CHECK_OK(expected);
    ty_tensor *far = ty_amax(ty_abs(ty_sub(ty_cast(found, TY_F64), ty_cast(expected, TY_F64))), TY_ALL);
    CHECK(ty_item(far) <= tolerance, "%s: %g apart", what, ty_item(far));
}

/* ---- caches ---- */

static const ty_transformer_block_layer block = {
    .attention = {.heads = 4, .kv_heads = GROUPS, .causal = true, .rotary = 100, .alibi = true}, .hidden = 6};

/* Map x, keys, values and position to y, keys and values. */
static void with_cache(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    ty_heads more = {0};
    if (n > 1) more.cached_keys = x[1], more.cached_values = x[2], more.position = x[3];
    y[0] = ty_layer_transform(self, "block", x[0], &more, block);
    if (n > 1) y[1] = more.cached_keys, y[2] = more.cached_values;
}

static void without_cache(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    with_cache(self, context, n, x, y);
}

static ty_model *model(ty_forward forward, ty_model_options options) {
    options.dtype = TY_F64;
    return nn_own_model(ty_model_new(forward, NULL, options));
}

/* Return the results of all positions at once. */
static ty_tensor *at_once(ty_tensor *x) {
    ty_tensor *y = ty_model_forward(model(without_cache, (ty_model_options){0}), x, NULL);
    CHECK_OK(y);
    return y;
}

static ty_tensor *empty_cache(void) { return ty_zeros(TY_F64, TY_SHAPE(BATCH, GROUPS, PLACES, SIZE)); }

static void decoding_step_by_step(void) {
    ty_tensor *x = numbers(TY_SHAPE(BATCH, PLACES, CHANNELS), 1), *expected = at_once(x);
    ty_model *m = model(with_cache, (ty_model_options){.inputs = 4, .results = 3});
    ty_tensor *operands[4] = {NULL, empty_cache(), empty_cache(), NULL}, *y[3];
    static const int64_t ends[] = {0, 2, 3, 5}; /* two positions, one, two */
    for (int i = 0; i < 3; i++) {
        operands[0] = ty_slice(x, 1, ends[i], ends[i + 1], 1);
        operands[3] = ty_int(ends[i]);
        ty_model_call(m, NULL, 4, operands, y);
        near(y[0], ty_slice(expected, 1, ends[i], ends[i + 1], 1), 1e-13, "a step");
        operands[1] = y[1], operands[2] = y[2];
    }
    operands[3] = ty_int(PLACES - 1);
    ty_model_call(m, NULL, 4, operands, y);
    CHECK_POISON(y[0], "index");
}

/* Caches and position are variables that a compiled step updates. */
static void decoding_compiled(void) {
    ty_tensor *x = numbers(TY_SHAPE(BATCH, PLACES, CHANNELS), 1), *expected = at_once(x), *y[3];
    ty_model *m = model(with_cache, (ty_model_options){.lazy = true, .inputs = 4, .results = 3});
    ty_tensor *next = ty_var(ty_slice(x, 1, 0, 1, 1), "x"),
              *position = ty_var(ty_scalar(TY_I64, 0), "position");
    ty_tensor *operands[] = {next, ty_var(empty_cache(), "keys"), ty_var(empty_cache(), "values"), position};
    ty_model_call(m, NULL, 4, operands, y);
    CHECK_OK(y[0]);
    const ty_update updates[] = {
        {operands[1], y[1]}, {operands[2], y[2]}, {position, ty_add(position, ty_int(1))}};
    ty_program *p = test_program(ty_compile(1, y, (ty_compile_options){.updates = updates, .nupdates = 3}));
    for (int i = 0; i < PLACES; i++) {
        CHECK(ty_assign(next, ty_slice(x, 1, i, i + 1, 1), NULL), "assign");
        CHECK(ty_run(p), "%s", ty_program_error(p));
        near(ty_output(p, 0), ty_slice(expected, 1, i, i + 1, 1), 1e-13, "a compiled step");
    }
    CHECK(!ty_run(p), "a sixth place fits into five");
}

/* ---- blocks of keys ---- */

static void blocks_are_all_at_once(void) {
    ty_tensor *q = numbers(TY_SHAPE(1, 4, 7, 3), 1), *k = numbers(TY_SHAPE(1, 2, 11, 3), 2),
              *v = numbers(TY_SHAPE(1, 2, 11, 2), 3);
    ty_tensor *bools = ty_gt(numbers(TY_SHAPE(7, 11), 4), ty_num(-0.4)),
              *nothing = ty_zeros(TY_BOOL, TY_SHAPE(7, 1));
    const ty_attention_options ways[] = {
        {0},
        {.causal = true, .offset = ty_int(4)},
        {.window = 3},
        {.causal = true, .window = 2},
        {.mask = bools, .lengths = ty_from(TY_U8, TY_SHAPE(1), (uint8_t[]){6})},
        {.mask = numbers(TY_SHAPE(4, 1, 11), 5), .slopes = ty_alibi_slopes(4)},
        {.mask = nothing},
        {.lengths = ty_from(TY_I64, TY_SHAPE(1), (int64_t[]){0})}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        ty_attention_options o = ways[i];
        o.block = -1;
        ty_tensor *expected = ty_attention(q, k, v, o);
        for (o.block = 1; o.block < 13; o.block += 5)
            near(ty_attention(q, k, v, o), expected, 1e-13, "blocks");
        if (i > 5) CHECK(ty_item(ty_amax(ty_abs(expected), TY_ALL)) == 0, "what sees nothing is no zero");
    }
    ty_tensor *none = ty_zeros(TY_F64, TY_SHAPE(1, 2, 0, 3));
    near(ty_attention(q, none, none, (ty_attention_options){0}), ty_zeros(TY_F64, TY_SHAPE(1, 4, 7, 3)), 0,
         "no keys");
}

/* The scores of 1024 positions in 2 heads take 8 MB in f32; forward and backward passes need much less. */
static void scores_are_never_all_in_memory(void) {
    enum { T = 1024 };
    ty_tensor *x[3], *gradients[3];
    if (test_starving()) return;
    for (int i = 0; i < 3; i++)
        x[i] = ty_var(ty_normal(TY_F32, TY_SHAPE(1, 2, T, 16), ty_key((uint64_t)i)), "x");
    ty_tensor *y = ty_attention(x[0], x[1], x[2], (ty_attention_options){.causal = true});
    CHECK(ty_grad(ty_sum(ty_square(y), TY_ALL), 3, x, gradients), "gradient");
    ty_tensor *all[] = {y, gradients[0], gradients[1], gradients[2]};
    ty_program *p = test_program(ty_compile(4, all, (ty_compile_options){0}));
    CHECK(ty_run(p), "%s", ty_program_error(p));
    int64_t bytes = test_report(p).arena_bytes;
    CHECK(bytes < 2 * T * T * 4 * 9 / 10, "%lld bytes for what has scores of %d", (long long)bytes,
          2 * T * T * 4);
    ty_tensor *expected = ty_attention(x[0], x[1], x[2], (ty_attention_options){.causal = true, .block = -1});
    near(ty_output(p, 0), expected, 1e-5, "1024 places");
}

/* ---- layers called twice ---- */

static void twice(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    (void)context;
    ty_tensor *h = ty_layer_batch_norm(self, "norm", x[0], (ty_batch_norm_layer){.momentum = 0.5});
    h = ty_layer_batch_norm(self, "norm", ty_add(h, ty_num(3)), (ty_batch_norm_layer){.momentum = 0.5});
    h = ty_layer_gru(self, "gru", h, (ty_gru_layer){.units = 3});
    y[0] = ty_layer_gru(self, "gru", h, (ty_gru_layer){.units = 3});
}

static void one_layer_two_calls(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_model *m = model(twice, (ty_model_options){.lazy = lazy});
        ty_tensor *x = numbers(TY_SHAPE(4, 5, 3), 1);
        CHECK_OK(ty_eval(ty_model_forward(m, x, ty_key(1))));
        CHECK(ty_model_parameters(m) == 6 && ty_model_states(m) == 2, "%d parameters, %d states",
              ty_model_parameters(m), ty_model_states(m));
        CHECK(ty_model_commit(m, NULL), "commit");
        /* from 0: half of x's mean, then half of 3, since the first call's result has mean 0 */
        ty_tensor *mean = ty_mean(x, ty_axes_of(2, (int[]){0, 1}, false));
        near(ty_model_find(m, "norm.running_mean"), ty_add(ty_mul(mean, ty_num(0.25)), ty_num(1.5)), 1e-12,
             "running mean");
        CHECK_OK(ty_model_forward(m, x, NULL));
        CHECK(ty_model_updates(m, 0, NULL) == 0, "inference moves states");
    }
}

static void tied(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_embedding_layer o = {.rows = 6, .units = 3, .padded = true, .padding = 2};
    (void)n;
    (void)context;
    y[0] = ty_layer_embedding(self, "words", x[0], o);
    y[1] = ty_layer_embedding(self, "words", y[0], o);
}

static void embedding_and_its_transpose(void) {
    ty_model *m = model(tied, (ty_model_options){.results = 2});
    ty_tensor *x = ty_from(TY_U16, TY_SHAPE(3), (uint16_t[]){5, 2, 0}), *y[2], *gradient;
    ty_model_call(m, NULL, 1, &x, y);
    CHECK_OK(y[0]);
    ty_tensor *weight = ty_model_find(m, "words.weight");
    CHECK(ty_model_parameters(m) == 1, "%d parameters", ty_model_parameters(m));
    near(y[1], ty_matmul(y[0], ty_transpose(weight)), 1e-13, "logits");
    near(ty_slice(y[0], 0, 1, 2, 1), ty_zeros(TY_F64, TY_SHAPE(1, 3)), 0, "the padding");
    CHECK(ty_grad(ty_sum(ty_square(y[0]), TY_ALL), 1, &weight, &gradient), "gradient");
    near(ty_slice(gradient, 0, 2, 3, 1), ty_zeros(TY_F64, TY_SHAPE(1, 3)), 0, "the padding's gradient");
}

static void embedded(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    y[0] = ty_layer_embedding(self, "words", x[0], *(const ty_embedding_layer *)context);
}

/* Integers index rows from 0; negative ones do not count from the end. */
static void embedding_of_negative_numbers(void) {
    static const ty_embedding_layer plain = {.rows = 6, .units = 3},
                                    padded = {.rows = 6, .units = 3, .padded = true, .padding = -1};
    for (int lazy = 0; lazy < 2; lazy++)
        for (int i = 0; i < 2; i++) {
            struct test_round round = test_round();
            ty_model *m = nn_own_model(ty_model_new(embedded, i ? &padded : &plain,
                                                    (ty_model_options){.dtype = TY_F64, .lazy = lazy}));
            ty_tensor *x = ty_from(TY_I32, TY_SHAPE(2, 2), (int32_t[]){5, 0, 3, -1}), *y = NULL;
            ty_model_predict(m, 1, &x, &y);
            CHECK_POISON(y, "index -1 at [1,1] is out of bounds; expected 0..5");
            x = ty_from(TY_I64, TY_SHAPE(1), (int64_t[]){6});
            ty_model_predict(m, 1, &x, &y);
            CHECK_POISON(y, "index 6 at [0] is out of bounds; expected 0..5");
            x = ty_from(TY_I8, TY_SHAPE(2), (int8_t[]){5, 1});
            ty_model_predict(m, 1, &x, &y);
            if (ty_ok(CHECK_OK(y)))
                CHECK((ty_item(ty_sum(ty_abs(ty_slice(y, 0, 0, 1, 1)), TY_ALL)) == 0) == i, "the padding");
            test_round_end(round);
        }
}

/* ---- second derivatives of gradients with their own rules ---- */

static ty_tensor *blocks_of(void *context, ty_tensor *const *x) {
    const ty_attention_options *o = context;
    ty_attention_options how = *o;
    if (x[3]) how.mask = x[3];
    return ty_attention(x[0], x[1], x[2], how);
}

static void batch_norm_alone(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    (void)context;
    y[0] = ty_layer_batch_norm(self, "norm", x[0], (ty_batch_norm_layer){.epsilon = 0.1});
}
static ty_tensor *norm_of(void *context, ty_tensor *const *x) {
    return ty_model_forward(context, x[0], ty_key(1));
}

static void check_orders(const char *what, ty_body f, void *context, int n, ty_tensor *const *x) {
    for (int order = 1; order <= 2; order++) {
        ty_check_report report;
        bool well = ty_check_gradient(f, context, n, x, (ty_check_options){.order = order}, &report, NULL);
        CHECK(well || test_starving(), "%s, order %d: %s", what, order, report.message);
    }
}

/* A recurrence h = tanh(x W + h U), whose gradients of W and U are sums over steps. */
static void recur_once(void *context, ty_step *s) {
    ty_tensor *const *weights = context;
    ty_tensor *sum = ty_add(ty_matmul(s->x[0], weights[0]), ty_matmul(s->carry[0], weights[1]));
    s->next[0] = s->y[0] = ty_tanh(sum);
}
static ty_tensor *recurrence(void *context, ty_tensor *const *x) {
    const ty_scan_spec *how = context;
    ty_tensor *weights[] = {x[1], x[2]}, *last, *y, *first = ty_zeros(TY_F64, TY_SHAPE(1, 5));
    ty_scan_spec loop = *how;
    loop.ncarry = loop.nx = loop.ny = 1;
    loop.carry = &first, loop.x = x;
    ty_scan(recur_once, weights, loop, &last, &y, NULL);
    return ty_add(ty_sum(y, ty_axis(0)), last);
}

static void derivatives_of_derivatives(void) {
    ty_tensor *w[] = {numbers(TY_SHAPE(3, 1, 4), 1), numbers(TY_SHAPE(4, 5), 2), numbers(TY_SHAPE(5, 5), 3)};
    const ty_scan_spec ways[] = {{.checkpoint = 0}, {.reverse = true}, {.checkpoint = 1}, {.checkpoint = 2}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        ty_scan_spec spec = ways[i];
        check_orders("recurrence", recurrence, &spec, 3, w);
    }
    ty_tensor *q[] = {numbers(TY_SHAPE(1, 2, 3, 2), 1), numbers(TY_SHAPE(1, 1, 5, 2), 2),
                      numbers(TY_SHAPE(1, 1, 5, 2), 3), numbers(TY_SHAPE(3, 5), 4)};
    ty_attention_options o = {.causal = true, .offset = ty_int(2), .block = 2};
    check_orders("attention by blocks", blocks_of, &o, 4, q);
    ty_model *m = model(batch_norm_alone, (ty_model_options){0});
    ty_tensor *x = numbers(TY_SHAPE(3, 2, 2), 1);
    CHECK_OK(ty_model_forward(m, x, ty_key(1)));
    check_orders("batch norm", norm_of, m, 1, &x);
}

/* Running statistics in a trainer have the same bits eager and compiled. */
static void norms_in_training(void) {
    const ty_layer_value steps[] = {TY_LAYER(conv2d, .size = {3, 3}, .channels = 4, .no_bias = true),
                                    TY_LAYER(batch_norm, .momentum = 0.3),
                                    TY_LAYER(activation, .function = ty_relu),
                                    TY_LAYER(global_avg_pool, .keep = false), TY_LAYER(linear, .units = 4)};
    ty_tensor *images, *labels, *states[2];
    nn_small_data(24, &images, &labels);
    images = ty_mul(ty_cast(images, TY_F32), ty_num(1.0 / 256));
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_model *m = nn_own_model(ty_model_sequence(5, steps, (ty_model_options){.lazy = lazy}));
        ty_trainer_options options = {.inputs = images, .targets = labels, .batch = 8};
        ty_trainer *t = nn_own_trainer(ty_trainer_new(m, options));
        double losses[4];
        nn_steps(t, 4, losses);
        states[lazy] = ty_eval(ty_detach(ty_model_find(m, "norm1.running_var")));
        CHECK_OK(states[lazy]);
        CHECK_OK(ty_eval(ty_model_forward(m, images, NULL)));
    }
    compare_bits(states[1], states[0], "running variance");
    CHECK(ty_item(ty_any(ty_lt(states[0], ty_num(0.9)), TY_ALL)) == 1, "the running variance did not move");
}

/* ---- sequences ---- */

static void recur(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    ty_recurrence more = {.lengths = n > 1 ? x[1] : NULL};
    (void)context;
    y[0] = ty_layer_lstm_from(self, "l", x[0], &more,
                              (ty_lstm_layer){.units = 3, .bidirectional = true, .last = true});
    y[1] = more.h;
    y[2] = more.c;
}

/* A padded sequence gives the results of the sequence alone; one without steps keeps its initial states. */
static void lengths_count(void) {
    ty_model *m = model(recur, (ty_model_options){.inputs = 2, .results = 3});
    ty_tensor *x = numbers(TY_SHAPE(3, 4, 2), 1), *y[3], *alone[3];
    ty_tensor *operands[] = {x, ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){4, 0, 2})};
    ty_model_call(m, NULL, 2, operands, y);
    CHECK_OK(y[0]);
    near(ty_slice(y[0], 0, 1, 2, 1), ty_zeros(TY_F64, TY_SHAPE(1, 6)), 0, "no steps");
    operands[0] = ty_slice(ty_slice(x, 0, 2, 3, 1), 1, 0, 2, 1);
    operands[1] = ty_from(TY_I64, TY_SHAPE(1), (int64_t[]){2});
    ty_model_call(m, NULL, 2, operands, alone);
    for (int i = 0; i < 3; i++) {
        ty_tensor *part = i ? ty_slice(y[i], 1, 2, 3, 1) : ty_slice(y[0], 0, 2, 3, 1);
        near(part, alone[i], 1e-14, "a sequence of two steps");
    }
    operands[0] = ty_zeros(TY_F64, TY_SHAPE(1, 0, 2));
    operands[1] = ty_from(TY_I64, TY_SHAPE(1), (int64_t[]){0});
    ty_model_call(m, NULL, 2, operands, y);
    near(y[0], ty_zeros(TY_F64, TY_SHAPE(1, 6)), 0, "a batch of no steps");
}

/* ---- threads ---- */

static void large(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    (void)context;
    ty_tensor *h = ty_layer_lstm(self, "lstm", x[0], (ty_lstm_layer){.units = 40});
    h = ty_layer_multi_head_attention(self, "attention", h,
                                      (ty_multi_head_attention_layer){.heads = 4, .block = 16});
    y[0] = ty_layer_layer_norm(self, "norm", h, (ty_layer_norm_layer){0});
}

static void threads_make_no_difference(void) {
    ty_tensor *results[2], *x = ty_normal(TY_F32, TY_SHAPE(6, 50, 24), ty_key(1));
    for (int i = 0; i < 2; i++) {
        ty_set_threads(i ? 3 : 1);
        ty_model *m = nn_own_model(ty_model_new(large, NULL, (ty_model_options){0}));
        results[i] = ty_model_forward(m, x, ty_key(2));
        CHECK_OK(results[i]);
    }
    compare_bits(results[1], results[0], "three threads");
}

/* ---- callbacks ---- */

static ty_tensor *of_all(int n, ty_tensor *const *x, void *context) {
    (void)context;
    return misbehave(ty_add(x[0], x[n - 1]));
}
static ty_tensor *of_inside(ty_layer *self, ty_tensor *x, void *context) {
    (void)context;
    return misbehave(ty_layer_scale(self, NULL, x, (ty_scale_layer){.factor = 2}));
}
static ty_tensor *cell(ty_tensor *x) { return misbehave(ty_relu(x)); }

static void callers(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    switch (*(const int *)context) {
    case 0:
        y[0] = ty_layer_lambda_array(self, "l", 1, x, (ty_lambda_array_layer){.function = of_all});
        break;
    case 1:
        y[0] = ty_layer_residual(self, "l", x[0], (ty_residual_layer){.function = of_inside});
        break;
    default:
        y[0] = ty_layer_recurrent(self, "l", x[0], (ty_recurrent_layer){.units = 2, .activation = cell});
    }
}

/* Scopes that a callback leaves open are closed, and it cannot close its callers' scopes. */
static void functions_that_misbehave(void) {
    for (int which = 0; which < 3; which++)
        for (enum way how = WELL; how < WAYS; how++) {
            struct test_round round = test_round();
            around = ty_open();
            int depth = scope_depth();
            ty_model *m = nn_own_model(ty_model_new(callers, &which, (ty_model_options){0}));
            way = how;
            ty_tensor *y = ty_model_forward(m, ty_ones(TY_F32, TY_SHAPE(2, 3, 2)), NULL);
            way = WELL;
            bool well = how == WELL || how == LEAVES_OPEN;
            CHECK(well == ty_ok(y) || test_starving(), "function %d, way %d: %s", which, how, ty_error(y));
            CHECK(scope_depth() == depth, "function %d, way %d: %d scopes", which, how, scope_depth());
            ty_close(around);
            test_round_end(round);
        }
}

/* ---- descriptions ---- */

static void described(void) {
    static const char text[] =
        "{\"inputs\": {\"words\": {\"dtype\": \"i32\", \"shape\": [5]}},"
        " \"layers\": [{\"layer\": \"embedding\", \"rows\": 7, \"units\": 8},"
        "  {\"layer\": \"transformer_block\", \"heads\": 2, \"causal\": true, \"hidden\": 6},"
        "  {\"layer\": \"lstm\", \"units\": 3, \"last\": true}, {\"layer\": \"linear\", \"units\": 2, "
        "\"activation\": \"mish\"}]}";
    ty_model *m = nn_own_model(ty_model_parse(text, strlen(text), (ty_model_options){0}));
    ty_tensor *y = ty_model_forward(m, ty_zeros(TY_I32, TY_SHAPE(4, 5)), NULL);
    CHECK_OK(y);
    CHECK(ty_rank(y) == 2 && ty_shape(y)[0] == 4 && ty_shape(y)[1] == 2, "another shape");
    CHECK_OK(ty_model_find(m, "block1.self_attn.in_proj_weight"));
}

/* A valid description with invalid options: the refused model does not report freed inputs. */
static void described_and_refused(void) {
    static const char text[] =
        "{\"inputs\": {\"tokens\": [5]}, \"layers\": [{\"layer\": \"linear\", \"units\": 2}]}";
    ty_model *m = nn_own_model(ty_model_parse(text, strlen(text), (ty_model_options){.dtype = TY_I32}));
    const char *name = "";
    const int64_t *shape = NULL;
    int rank = 0;
    CHECK(test_starving() || strstr(ty_model_error(m), "parameters of i32"), "%s", ty_model_error(m));
    if (ty_model_input(m, 0, &name, NULL, &rank, &shape))
        CHECK(!strcmp(name, "tokens") && rank == 1 && shape[0] == 5, "input %s of rank %d", name, rank);
}

static void names_of_activations(void) {
    static const char *const names[] = {"relu",       "leaky_relu",  "elu",  "selu",     "celu",
                                        "gelu",       "silu",        "mish", "softplus", "softsign",
                                        "softmax",    "log_softmax", "tanh", "sigmoid",  "hard_sigmoid",
                                        "hard_swish", "relu6",       "trelu"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(ty_activation_named(names[i]), "no activation %s", names[i]);
    CHECK(!ty_activation_named("none") && !ty_activation_named(NULL), "an activation of no name");
}

TESTS_MAIN(TEST(decoding_step_by_step), TEST(decoding_compiled), TEST(blocks_are_all_at_once),
           TEST(scores_are_never_all_in_memory), TEST(one_layer_two_calls), TEST(embedding_and_its_transpose),
           TEST(embedding_of_negative_numbers), TEST(lengths_count), TEST(derivatives_of_derivatives),
           TEST(norms_in_training), TEST(threads_make_no_difference), TEST(functions_that_misbehave),
           TEST(described), TEST(described_and_refused), TEST(names_of_activations))
