/* Models: positions and names, sharing, states, effects of a failed call, finding and freezing, the
   summary. */
#include <math.h>
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/nn_help.h"

static ty_model *model_of(ty_forward forward, bool lazy) {
    return nn_own_model(ty_model_new(forward, NULL, (ty_model_options){.seed = 4, .lazy = lazy}));
}

static ty_tensor *input(void) { return ty_normal(TY_F32, TY_SHAPE(3, 4), ty_key(1)); }

static void expect_names(const ty_model *m, int n, const char *const *names) {
    CHECK(ty_model_parameters(m) == n, "%d parameters, expected %d", ty_model_parameters(m), n);
    for (int i = 0; i < n; i++)
        CHECK(!strcmp(ty_name(ty_model_parameter(m, i)), names[i]), "parameter %d is %s, expected %s", i,
              ty_name(ty_model_parameter(m, i)), names[i]);
}

/* ---- positions and names ---- */

static ty_tensor *dense(ty_layer *at, const char *name, ty_tensor *x, int64_t units) {
    return ty_layer_linear(at, name, x, (ty_linear_layer){.units = units, .no_bias = true});
}

static void nested(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n;
    ty_layer *block = ty_layer_in(self, "encoder"), *inner = ty_layer_in(block, "3");
    ty_tensor *h = dense(inner, "attn", x[0], 5);
    h = dense(inner, NULL, h, 5);
    h = dense(inner, NULL, h, 5);
    h = dense(block, NULL, h, 5);
    CHECK(!strcmp(ty_layer_path(inner), "encoder.3"), "the path is %s", ty_layer_path(inner));
    CHECK(!strcmp(ty_layer_path(self), ""), "the root's path is %s", ty_layer_path(self));
    y[0] = dense(self, NULL, h, 2);
}

/* Numbering restarts in each block and each call, so that a second call finds the same layers. */
static void names_by_place(void) {
    static const char *const names[] = {"encoder.3.attn.weight", "encoder.3.linear1.weight",
                                        "encoder.3.linear2.weight", "encoder.linear1.weight",
                                        "linear1.weight"};
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_model *m = model_of(nested, lazy);
        ty_tensor *x = input(), *first = CHECK_OK(ty_eval(ty_model_forward(m, x, NULL)));
        expect_names(m, 5, names);
        compare_bits(CHECK_OK(ty_eval(ty_model_forward(m, x, NULL))), first, "the second call");
        compare_bits(CHECK_OK(ty_eval(ty_model_forward(m, x, ty_key(1)))), first, "a call that trains");
        expect_names(m, 5, names);
    }
}

static void tied(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n;
    ty_tensor *h = dense(self, "same", x[0], 4);
    y[0] = dense(self, "same", ty_add(h, ty_num(1)), 4);
}

/* A layer called twice under one name has one weight, whose gradient covers both calls. */
static void shared_by_name(void) {
    ty_model *m = model_of(tied, false);
    ty_tensor *x = input(), *y = CHECK_OK(ty_model_forward(m, x, NULL));
    expect_names(m, 1, (const char *const[]){"same.weight"});
    ty_tensor *w = ty_detach(ty_model_parameter(m, 0)), *one = ty_num(1);
    compare_bits(ty_detach(y), ty_matmul(ty_add(ty_matmul(x, w), one), w), "x W W");
    ty_tensor *v = ty_track(w, "w"), *variable = ty_model_parameter(m, 0), *found, *expected;
    ty_tensor *again = ty_matmul(ty_add(ty_matmul(x, v), one), v);
    CHECK(ty_grad(ty_sum(y, TY_ALL), 1, &variable, &found), "%s", ty_error(found));
    CHECK(ty_grad(ty_sum(again, TY_ALL), 1, &v, &expected), "%s", ty_error(expected));
    compare_bits(ty_detach(found), ty_detach(expected), "the gradient of both calls");
}

static ty_tensor *other_kind(ty_layer *at, ty_tensor *x) {
    return ty_layer_dropout(at, "a", dense(at, "a", x, 4), (ty_dropout_layer){.p = 0.5});
}
static ty_tensor *other_option(ty_layer *at, ty_tensor *x) { return dense(at, "a", dense(at, "a", x, 4), 3); }
static ty_tensor *other_shape(ty_layer *at, ty_tensor *x) {
    return dense(at, "a", ty_concat(2, (ty_tensor *[]){x, dense(at, "a", x, 4)}, 1), 4);
}
static ty_tensor *place_and_layer(ty_layer *at, ty_tensor *x) {
    x = dense(at, "a", x, 4);
    return dense(ty_layer_in(at, "a"), "b", x, 4);
}
static ty_tensor *layer_and_place(ty_layer *at, ty_tensor *x) {
    x = dense(ty_layer_in(at, "a"), "b", x, 4);
    return dense(at, "a", x, 4);
}
static ty_tensor *dotted(ty_layer *at, ty_tensor *x) { return dense(at, "a.b", x, 4); }
static ty_tensor *dotted_place(ty_layer *at, ty_tensor *x) {
    return dense(ty_layer_in(at, "a.b"), "c", x, 4);
}
static ty_tensor *no_name(ty_layer *at, ty_tensor *x) { return dense(at, "", x, 4); }
static ty_tensor *no_place(ty_layer *at, ty_tensor *x) { return dense(ty_layer_in(at, NULL), "a", x, 4); }
static ty_tensor *no_layer(ty_layer *at, ty_tensor *x) {
    (void)at;
    return dense(NULL, "a", x, 4);
}
static ty_tensor *no_kind(ty_layer *at, ty_tensor *x) {
    ty_tensor *y = NULL;
    ty_layer_call(at, "a", NULL, NULL, 0, 1, &x, &y);
    return y;
}
static ty_tensor *no_options(ty_layer *at, ty_tensor *x) {
    ty_tensor *y = NULL;
    ty_layer_call(at, "a", &ty_kind_linear, NULL, 0, 1, &x, &y);
    return y;
}
static ty_tensor *two_operands(ty_layer *at, ty_tensor *x) {
    ty_tensor *y = NULL, *both[] = {x, x};
    ty_layer_call(at, "a", &ty_kind_linear, &(ty_linear_layer){.units = 4}, sizeof(ty_linear_layer), 2, both,
                  &y);
    return y;
}
static void gives_many(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)self, (void)options, (void)n;
    for (int i = 0; i < 99; i++) y[i] = x[0];
}
static ty_tensor *many_results(ty_layer *at, ty_tensor *x) {
    static const ty_layer_kind kind = {.name = "many", .results = 99, .forward = gives_many};
    const ty_layer_value layers[] = {{.kind = &kind, .name = "a"}};
    return ty_layer_sequence(at, 1, layers, x);
}
static ty_tensor *no_operand(ty_layer *at, ty_tensor *x) {
    (void)x;
    return dense(at, "a", NULL, 4);
}
static ty_tensor *outer_fails(ty_layer *at, ty_tensor *x) {
    x = ty_sum(dense(at, "well", x, 4), TY_ALL);
    return dense(ty_layer_in(ty_layer_in(at, "a"), "b"), "c", x, 4);
}
static ty_tensor *unknown_state(ty_layer *at, ty_tensor *x) {
    ty_layer_set_state(ty_layer_in(at, "a"), "mean", ty_mean(x, TY_ALL));
    return x;
}
static ty_tensor *state_as_parameter(ty_layer *at, ty_tensor *x) {
    x = ty_add(x, ty_layer_state(at, "a", (ty_parameter){0}));
    return ty_add(x, ty_layer_parameter(at, "a", (ty_parameter){0}));
}
static ty_tensor *begun_inside(ty_layer *at, ty_tensor *x);

static const struct {
    ty_tensor *(*forward)(ty_layer *at, ty_tensor *x);
    const char *words;
} wrong[] = {{other_kind, "a: the name is used by a linear and a dropout"},
             {other_option, "a: it was created with another units; keep a layer's options in all calls"},
             {other_shape, "a: weight has the shape [4,4], but [8,4]"},
             {place_and_layer, "a: the name is used by a linear and a place"},
             {layer_and_place, "a: the name is used by a place and a linear"},
             {dotted, "layer: invalid name \"a.b\"; expected 1 to 127 bytes without a dot"},
             {dotted_place, "layer: invalid name \"a.b\"; expected 1 to 127 bytes without a dot"},
             {no_name, "layer: invalid name \"\""},
             {no_place, "layer: the name is NULL"},
             {no_layer, "model: the model is NULL"},
             {no_kind, "layer: the kind, its name or its function is NULL"},
             {no_options, "0 units, expected at least 1"},
             {two_operands, "linear: 2 tensors, expected 1"},
             {many_results, "many: a kind with 99 results, expected at most 16"},
             {no_operand, "linear: operand 1 is NULL"},
             {outer_fails, "a.b.c: the input has no axis but the batch, expected one"},
             {unknown_state, "a.mean is set, but no state of that name was requested before"},
             {state_as_parameter, "a is a state, but was requested as a parameter"},
             {begun_inside, "model: a pass was started inside its forward function"}};

static ty_model *current;
static ty_tensor *begun_inside(ty_layer *at, ty_tensor *x) {
    x = dense(at, "a", x, 4);
    ty_model_begin(current, NULL);
    return x;
}

/* Run case context[0] of the wrong ones; without an error if context[1] is 0. */
static void forward_wrong(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    const int *which = context;
    (void)n;
    y[0] = dense(self, "before", x[0], 4);
    y[0] = which[1] ? wrong[which[0]].forward(self, y[0]) : dense(self, "a", y[0], 3);
}

/* A failed call leaves nothing behind; the next one runs as if it had not happened. */
static void failed_calls_leave_nothing(void) {
    for (int i = 0; i < 2 * (int)(sizeof wrong / sizeof *wrong); i++) {
        struct test_round round = test_round();
        int which[] = {i / 2, 1};
        ty_model_options options = {.seed = 4, .lazy = i % 2};
        ty_model *m = current = nn_own_model(ty_model_new(forward_wrong, which, options));
        ty_tensor *x = input();
        CHECK_POISON(ty_model_forward(m, x, ty_key(1)), wrong[i / 2].words);
        CHECK(!ty_model_parameters(m) && !ty_model_states(m) && !*ty_model_error(m),
              "row %d leaves %d and %d", i / 2, ty_model_parameters(m), ty_model_states(m));
        which[1] = 0;
        ty_tensor *y = CHECK_OK(ty_eval(ty_model_forward(m, x, ty_key(1))));
        ty_model *other = nn_own_model(ty_model_new(forward_wrong, which, options));
        compare_bits(y, CHECK_OK(ty_eval(ty_model_forward(other, x, ty_key(1)))), "row %d: another model",
                     i / 2);
        which[1] = 1; /* now with parameters present */
        CHECK(!ty_ok(ty_model_forward(m, x, ty_key(1))), "row %d is well", i / 2);
        expect_names(m, 2, (const char *const[]){"before.weight", "a.weight"});
        test_round_end(round);
    }
}

/* At the root, outside of a function, each call is undone alone and names its layer. */
static void calls_at_the_root(void) {
    ty_model *m = model_of(NULL, false);
    ty_layer *root = ty_model_root(m);
    ty_tensor *x = input();
    CHECK_POISON(ty_model_forward(m, x, NULL), "model: it has no forward function");
    for (int pass = 0; pass < 2; pass++) {
        const char *words[] = {"linear1: 0 units", "linear1: it was created with another units"};
        ty_model_begin(m, NULL);
        CHECK_POISON(ty_layer_linear(root, NULL, x, (ty_linear_layer){.no_bias = true}), words[pass]);
        CHECK_POISON(ty_layer_linear(root, "c", x, (ty_linear_layer){.units = -1}), "c: -1 units");
        CHECK_OK(dense(root, NULL, x, 4));
        CHECK_OK(dense(root, "b", x, 4));
    }
    expect_names(m, 2, (const char *const[]){"linear1.weight", "b.weight"});
}

/* ---- forward functions that break their contract ---- */

static void nothing(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)self, (void)context, (void)n, (void)x, (void)y;
}
static void opens(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n;
    ty_open();
    y[0] = ty_mul(dense(self, "a", x[0], 4), ty_num(2));
    ty_open();
}
static void calls_itself(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n, (void)self;
    y[0] = ty_model_forward(current, x[0], NULL);
}

static const ty_layer_kind kinds[] = {{.name = "nothing", .forward = nothing},
                                      {.name = "opens", .forward = opens}};
static void of_kind(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    ty_layer_call(self, NULL, &kinds[*(const int *)context], NULL, 0, n, x, y);
}

static void functions_of_the_callers(void) {
    ty_tensor *x = input();
    CHECK_POISON(ty_model_forward(model_of(nothing, false), x, NULL),
                 "model: the forward function did not set result 0");
    CHECK_OK(ty_model_forward(model_of(opens, false), x, NULL));
    current = model_of(calls_itself, false);
    CHECK_POISON(ty_model_forward(current, x, NULL), "model: it was called inside its forward function");
    static const int which[] = {0, 1};
    ty_model *m = nn_own_model(ty_model_new(of_kind, &which[0], (ty_model_options){0}));
    CHECK_POISON(ty_model_forward(m, x, NULL), "nothing1: its function did not set result 0");
    m = nn_own_model(ty_model_new(of_kind, &which[1], (ty_model_options){0}));
    CHECK_OK(ty_model_forward(m, x, NULL));
    expect_names(m, 1, (const char *const[]){"opens1.a.weight"});
}

/* ---- several operands and results ---- */

static void two(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    CHECK(n == 2, "%d operands", n);
    y[0] = dense(self, "a", x[0], 4);
    y[1] = ty_sub(x[1], y[0]);
}

static void several_results(void) {
    ty_model_options options = {.inputs = 2, .results = 2};
    ty_model *m = nn_own_model(ty_model_new(two, NULL, options));
    ty_tensor *x[] = {input(), ty_ones(TY_F32, TY_SHAPE(4))}, *y[2], *error = NULL;
    CHECK(ty_model_build(m, 2, x, &error), "%s", error ? ty_error(error) : "");
    ty_model_call(m, NULL, 2, x, y);
    CHECK_OK(y[0]);
    compare_bits(CHECK_OK(ty_detach(y[1])), ty_sub(x[1], ty_detach(y[0])), "the second result");
    ty_model_call(m, NULL, 1, x, y);
    CHECK_POISON(y[0], "model: called on 1 tensors, expected 2");
    CHECK_POISON(y[1], "model: called on 1 tensors, expected 2");
    CHECK_POISON(ty_model_forward(m, x[0], NULL), "model: it has 2 results; call it by ty_model_call");
    CHECK(!ty_model_build(m, 3, x, &error) && !ty_model_build(m, 2, NULL, NULL), "built for another count");
}

/* ---- finding, freezing ---- */

static void finding_and_freezing(void) {
    ty_model *m = model_of(nested, false);
    CHECK(ty_model_freeze(m, "encoder", true) == 0, "there is something before the first call");
    nn_build(m, TY_SHAPE(1, 4));
    CHECK(ty_model_find(m, "encoder.3.attn.weight") == ty_model_parameter(m, 0), "another one was found");
    CHECK_POISON(ty_model_find(m, "encoder.3.attn"), "unknown name encoder.3.attn");
    CHECK(ty_model_freeze(m, "encoder.3", true) == 3, "three parameters begin so");
    for (int i = 0; i < 5; i++) CHECK(ty_model_is_frozen(m, i) == (i < 3), "parameter %d", i);
    CHECK(ty_model_freeze(m, "encoder.3.linear", false) == 2 && !ty_model_is_frozen(m, 1), "not thawed");
    CHECK(ty_model_freeze(m, NULL, false) == 5 && !ty_model_is_frozen(m, 0), "NULL is all of them");
    CHECK(!ty_model_is_frozen(m, -1) && !ty_model_is_frozen(m, 5), "there are five");
}

/* ---- the summary ---- */

static void summary(void) {
    ty_model *m = model_of(nested, false);
    char *text = test_text(ty_model_summary(m));
    CHECK(text && strstr(text, "layer"), "%s", text ? text : "no memory");
    nn_build(m, TY_SHAPE(3, 4));
    static const char expected[] =
        "layer        kind                    output     parameters  operations  bytes\n"
        "encoder\n"
        "  3\n"
        "    attn     linear units 5 no_bias  [batch,5]          20         120     60\n"
        "    linear1  linear units 5 no_bias  [batch,5]          25         150     60\n"
        "    linear2  linear units 5 no_bias  [batch,5]          25         150     60\n"
        "  linear1    linear units 5 no_bias  [batch,5]          25         150     60\n"
        "linear1      linear units 2 no_bias  [batch,2]          10          60     24\n"
        "total                                                  105         630\n";
    text = test_text(ty_model_summary(m));
    CHECK(text && !strcmp(text, expected), "%s", text ? text : "no memory");
    m = model_of(tied, false);
    nn_build(m, TY_SHAPE(3, 4));
    text = test_text(ty_model_summary(m));
    CHECK(text && strstr(text, "(2 times)"), "%s", text ? text : "no memory");
}

/* ---- facts about models and calls of layers ---- */

/* A kind of layer that adds random numbers, and counts two operations for each element. */
static void noisy(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options, (void)n;
    ty_tensor *key = ty_layer_key(self), *wide = ty_cast(x[0], ty_layer_dtype(self));
    ty_layer_count(self, 2 * (double)ty_size(x[0]));
    y[0] = key ? ty_add(wide, ty_normal(ty_layer_dtype(self), ty_rank(wide), ty_shape(wide), key)) : wide;
}

static void facts(void) {
    static const ty_layer_kind kind = {.name = "noisy", .forward = noisy};
    const ty_layer_value steps[] = {{.kind = &kind}};
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_model_options o = {.dtype = TY_F64, .lazy = lazy};
        ty_model *m = nn_own_model(ty_model_sequence(1, steps, o));
        CHECK(ty_model_is_lazy(m) == lazy && ty_model_operands(m) == 1, "options of the model");
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3)), *y = CHECK_OK(ty_model_forward(m, x, NULL));
        CHECK(ty_dtype_of(y) == TY_F64 && ty_item(ty_sum(y, TY_ALL)) == 6, "no key in inference");
        y = CHECK_OK(ty_eval(ty_model_forward(m, x, ty_key(1))));
        CHECK(ty_item(ty_sum(y, TY_ALL)) != 6, "random numbers in training");
        char *text = test_text(ty_model_summary(m));
        CHECK(!text || strstr(text, " 12 "), "operations in:\n%s", text);
    }
    CHECK(!ty_model_is_lazy(NULL) && ty_model_operands(NULL) == 0, "facts about NULL");
}

static void from_a_file(void) {
    const char *path = nn_file("net.json");
    FILE *file = fopen(path, "w");
    CHECK(file &&
              fputs("{\"inputs\": {\"x\": [3]}, \"layers\": [{\"layer\": \"linear\", \"units\": 2}],"
                    " \"outputs\": [\"linear1\"]}",
                    file) >= 0 &&
              !fclose(file),
          "cannot write");
    ty_model *m = nn_own_model(ty_model_read(path, (ty_model_options){.seed = 1}));
    CHECK(test_starving() || !*ty_model_error(m), "%s", ty_model_error(m));
    ty_tensor *y = CHECK_OK(ty_model_forward(m, ty_ones(TY_F32, TY_SHAPE(4, 3)), NULL));
    CHECK(ty_rank(y) == 2 && ty_shape(y)[1] == 2, "the shape of the result");
    m = nn_own_model(ty_model_read("/nowhere/net.json", (ty_model_options){0}));
    CHECK(test_starving() || strstr(ty_model_error(m), "/nowhere/net.json"), "%s", ty_model_error(m));
}

/* Sine and cosine of t 2^(-2j/4), for t = 0 and 1. */
static void sinusoids(void) {
    ty_tensor *got = ty_sinusoids(TY_F64, 2, 4, 2);
    double half = 1 / 1.4142135623730951;
    const double want[] = {0, 1, 0, 1, sin(1), cos(1), sin(half), cos(half)};
    compare_near(got, ty_from(TY_F64, TY_SHAPE(2, 4), want), 1e-15, 1e-15, "positions");
    CHECK(ty_size(CHECK_OK(ty_sinusoids(TY_F32, 0, 4, 0))) == 0, "no positions");
    CHECK_POISON(ty_sinusoids(TY_F32, -1, 4, 0), "expected 0 or more");
}

TESTS_MAIN(TEST(facts), TEST(from_a_file), TEST(sinusoids), TEST(names_by_place), TEST(shared_by_name),
           TEST(failed_calls_leave_nothing), TEST(calls_at_the_root), TEST(functions_of_the_callers),
           TEST(several_results), TEST(finding_and_freezing), TEST(summary))
