/* Graphs: depth, walks, verification, drawing, gradients as graphs, eager variables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "graph/walk.h"
#include "tests/support/harness.h"
#include "tests/support/small_stack.h"

/* ---- a chain of a million operators with a 256 KiB stack ---- */

enum { LONG = 1000000, SHORT = 2000 };

struct chain {
    int64_t length;
    double value, gradient;
    bool recorded, failed_cleanly;
};

static void chain_run(struct chain *c) {
    ty_scope *s = ty_open();
    ty_tensor *x = ty_var(ty_scalar(TY_F64, 0.5), "x"), *y = x;
    for (int64_t i = 0; i < c->length; i++) {
        ty_scope *inner = ty_open();
        y = ty_keep(i % 2 ? ty_add(y, ty_num(0.25)) : ty_sub(y, ty_num(0.25)));
        ty_close(inner);
    }
    ty_tensor *g;
    bool done = ty_grad(y, 1, &x, &g);
    ty_tensor *pair[2] = {y, g}, *values[2];
    done = done && ty_eval_all(2, pair, values);
    int64_t nodes = 0, edges = 0;
    c->recorded = done && ty_count(1, &y, &nodes, &edges, NULL) && nodes >= c->length && edges >= c->length;
    c->failed_cleanly = !done && (strstr(ty_error(y), "memory") || strstr(ty_error(g), "memory") ||
                                  strstr(ty_error(values[0]), "memory"));
    c->value = done ? ty_item(values[0]) : NAN;
    c->gradient = done ? ty_item(values[1]) : NAN;
    ty_close(s);
}

static void *chain_thread(void *chain) {
    chain_run(chain);
    return NULL;
}

static void on_a_small_stack(int64_t length) {
    struct chain c = {.length = length};
    on_small_stack(chain_thread, &c);
    CHECK(c.recorded, "a chain of %lld was not recorded, differentiated and evaluated", (long long)length);
    CHECK(c.value == 0.5, "the chain gives %g instead of 0.5", c.value);
    CHECK(c.gradient == 1, "its gradient is %g instead of 1", c.gradient);
}

static void long_chain(void) { on_a_small_stack(test_starving() ? SHORT : LONG); }

/* ---- the worked example of the chapter ---- */

static ty_tensor *chapter(ty_tensor *x, ty_tensor *y) {
    ty_tensor *inner =
        ty_add(ty_mul(x, ty_sin(ty_add(x, x))), ty_div(ty_mul(ty_num(1), ty_sqrt(x)), ty_num(7)));
    return ty_sum(ty_mul(inner, ty_relu(y)), TY_ALL);
}

static void chapter_gradient(void) {
    const double expected = 4.20861827873129801;
    ty_tensor *g;
    ty_tensor *x = ty_ones(TY_F64, TY_SHAPE(2, 2)), *y = ty_var(ty_scalar(TY_F64, 2), "y");
    CHECK(ty_grad(chapter(ty_var(x, "x"), y), 1, &y, &g), "%s", ty_error(g));
    CHECK(ty_is_promise(g), "the gradient of a promise is a promise");
    CHECK(fabs(ty_item(g) - expected) < 1e-14, "lazy: %.17g", ty_item(g));
    y = ty_track(ty_scalar(TY_F64, 2), "y");
    CHECK(ty_grad(chapter(x, y), 1, &y, &g), "%s", ty_error(g));
    CHECK(!ty_is_promise(g), "the gradient of a value is a value");
    CHECK(fabs(ty_item(g) - expected) < 1e-14, "eager: %.17g", ty_item(g));
}

static void nested_gradients(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = CHECK_OK((lazy ? ty_var : ty_track)(ty_scalar(TY_F64, 0.7), "x")), *y = ty_sin(x),
                  *g = NULL;
        const double expected[] = {cos(0.7), -sin(0.7), -cos(0.7), sin(0.7)};
        for (int order = 0; order < 4; order++) {
            CHECK(ty_grad(y, 1, &x, &g), "%s", ty_error(g));
            CHECK(fabs(ty_item(g) - expected[order]) < 1e-12, "order %d: %g", order + 1, ty_item(g));
            y = g;
        }
    }
}

static void gradient_of_nothing(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(3)), "x"), *z = ty_var(ty_ones(TY_F32, TY_SHAPE(2)), "z"),
              *g;
    ty_allow_unused(true);
    CHECK(ty_grad(ty_sum(x, TY_ALL), 1, &z, &g), "%s", ty_error(g));
    ty_allow_unused(false);
    CHECK(ty_item(ty_sum(ty_abs(g), TY_ALL)) == 0 && ty_shape(g)[0] == 2, "zeros of the shape of z");
    ty_tensor *whole = ty_var(ty_ones(TY_I32, TY_SHAPE(3)), "whole");
    ty_grad(whole, 1, &x, &g);
    CHECK_POISON(g, "only floating");
    ty_vjp(ty_mul(x, x), ty_ones(TY_F32, TY_SHAPE(4)), 1, &x, &g);
    CHECK_POISON(g, "incoming gradient is f32[4]");
}

static void detached(void) {
    ty_tensor *x = ty_var(ty_scalar(TY_F64, 3), "x"), *g;
    CHECK(ty_grad(ty_mul(x, ty_detach(x)), 1, &x, &g), "%s", ty_error(g));
    CHECK(ty_item(g) == 3, "d(x * detach(x)) is detach(x), not %g", ty_item(g));
}

/* ---- variables ---- */

static void assignment(void) {
    ty_tensor *lazy = CHECK_OK(ty_var(ty_scalar(TY_F64, 2), "lazy")),
              *eager = CHECK_OK(ty_track(ty_scalar(TY_F64, 2), "eager"));
    ty_tensor *promise = ty_mul(lazy, lazy), *value = ty_mul(eager, eager), *g, *error;
    CHECK(ty_item(promise) == 4 && ty_item(value) == 4, "before");
    CHECK(ty_assign(lazy, ty_scalar(TY_F64, 5), &error), "%s", ty_error(error));
    CHECK(ty_assign(eager, ty_scalar(TY_F64, 5), &error), "%s", ty_error(error));
    CHECK(ty_item(promise) == 25, "a promise reads the variable when it is evaluated: %g", ty_item(promise));
    CHECK(ty_item(value) == 4, "a value stays as it was computed: %g", ty_item(value));
    CHECK(ty_item(ty_mul(eager, eager)) == 25, "a later operator reads the new value");
    CHECK(!ty_assign(lazy, ty_ones(TY_F64, TY_SHAPE(2)), &error), "another shape");
    CHECK_POISON(error, "the variable is f64[]");
    CHECK(!ty_assign(promise, ty_scalar(TY_F64, 1), &error), "not a variable");
    CHECK_POISON(error, "only variables");
    CHECK(ty_grad(ty_mul(eager, eager), 1, &eager, &g), "%s", ty_error(g));
    CHECK(ty_item(g) == 10, "the gradient is at the new value: %g", ty_item(g));
}

static void forgetting(void) {
    ty_tensor *x = ty_track(ty_scalar(TY_F64, 3), "x"), *y = ty_mul(x, x), *g, *again;
    bool was = ty_set_history(false);
    bool done = ty_grad(y, 1, &x, &g);
    ty_set_history(was);
    CHECK(done, "%s", ty_error(g));
    CHECK(ty_item(g) == 6, "%g", ty_item(g));
    CHECK(!ty_grad(g, 1, &x, &again), "a forgotten history has no gradient");
    CHECK_POISON(again, "a value without a history");
}

/* ---- text, drawing, verification ---- */

static void drawing(void) {
    ty_tensor *x = ty_named(ty_var(ty_ones(TY_F64, TY_SHAPE(8, 4)), "x"), "say \"x\""),
              *y = ty_var(ty_ones(TY_F64, TY_SHAPE(1, 4)), "y");
    ty_tensor *z = ty_sin(ty_mul(x, y));
    char *text = test_own(ty_text(1, &z), ty_free), *dot = test_own(ty_dot(1, &z), ty_free);
    CHECK(text && dot, "no memory");
    CHECK(!strcmp(text, "%0 = variable : f64[8,4]  # say \"x\"\n%1 = variable : f64[1,4]  # y\n"
                        "%2 = mul %0, %1 : f64[8,4]\n%3 = sin %2 : f64[8,4]\n"),
          "%s", text);
    CHECK(strstr(dot, "say \\\"x\\\"") && strstr(dot, "n2 -> n3"), "%s", dot);
    int64_t nodes, edges;
    CHECK(ty_count(1, &z, &nodes, &edges, NULL) && nodes == 4 && edges == 3, "%lld nodes, %lld edges",
          (long long)nodes, (long long)edges);
}

/* Drawings show attributes, constants without a name and escaped names, and are cut at a readable size. */
static void drawings_of_all_kinds(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(2, 3)), "a\\b\n"),
              *y = ty_sum(ty_lazy(ty_ones(TY_F32, TY_SHAPE(2, 3))), ty_axis(1));
    ty_tensor *both[] = {x, y}, *chain = x;
    char *dot = test_own(ty_dot(2, both), ty_free), *text = test_own(ty_text(2, both), ty_free);
    CHECK(dot && text && strstr(dot, "a\\\\b") && strstr(text, "f32[2,3]  # a\\b"), "%s",
          dot ? dot : "no memory");
    CHECK(strstr(text, "sum %") && strstr(dot, "digraph tyto {"), "%s", text);
    for (int i = 0; i < 3000; i++) {
        struct test_round round = test_round();
        chain = ty_keep(ty_neg(chain));
        test_round_end(round);
        if (!ty_ok(chain)) return;
    }
    char *most = test_own(ty_dot(1, &chain), ty_free), *all = test_own(ty_text(1, &chain), ty_free);
    CHECK(most && all && strstr(most, " nodes elided\"];\n") && strstr(all, "%3000 = neg"),
          "a long graph is drawn whole");
    ty_tensor *value = ty_ones(TY_F32, TY_SHAPE(2));
    char *one = test_own(ty_text(1, &value), ty_free);
    CHECK(one && !strcmp(one, "%0 = value : f32[2]\n"), "%s", one ? one : "no memory");
}

/* Break the graph by changing `spoiled`, check that the verifier reports `words`, and repair it. */
static void finds(ty_tensor *y, ty_tensor *spoiled, int rank, ty_dtype dtype, int inputs, const char *words) {
    struct walk w = {.history = true};
    struct fault fault = {0}, after = {0};
    bool walked = walk_order(&w, 1, &y, &fault), well = walked && graph_verify(&w, &fault);
    ty_dtype was = spoiled->dtype;
    int had = spoiled->ninputs, ranked = spoiled->layout.rank;
    spoiled->dtype = dtype, spoiled->ninputs = inputs, spoiled->layout.rank = rank;
    bool found = walked && !graph_verify(&w, &after);
    spoiled->dtype = was, spoiled->ninputs = had, spoiled->layout.rank = ranked;
    walk_drop(&w);
    CHECK(well || test_starving(), "%s", fault.text);
    if (well) CHECK(found && strstr(after.text, words), "\"%s\" does not say \"%s\"", after.text, words);
}

static void broken_graphs(void) {
    ty_tensor *x = CHECK_OK(ty_var(ty_ones(TY_F64, TY_SHAPE(2, 3)), "x")), *y = CHECK_OK(ty_mul(x, x));
    ty_tensor *four[] = {x, y, x, y}, *joined = CHECK_OK(ty_concat(4, four, 0)),
              *sum = CHECK_OK(ty_sum(y, ty_axis(1)));
    finds(y, y, 2, TY_F32, 2,
          "mul of f64[2,3] 'x' f64[2,3] 'x'  giving f32[2,3]: inference gives another dtype");
    finds(y, y, 2, TY_F64, 1, "wrong number of operands");
    finds(y, y, 1, TY_F64, 2, "inference gives another shape");
    finds(joined, joined, 1, TY_F64, 4, " ... giving f64[8]: inference gives another shape");
    finds(sum, y, 0, TY_F64, 2, "");
    finds(sum, y, 1, TY_F64, 2, "");
    struct walk w = {.history = true};
    struct fault fault = {0};
    if (walk_order(&w, 1, &y, &fault)) {
        w.place_of[*map_find(&w.index, map_key(x))] = w.count; /* after its reader */
        CHECK(!graph_verify(&w, &fault) && strstr(fault.text, "an operand comes after it"), "%s", fault.text);
    }
    walk_drop(&w);
}

static void verification(void) {
    struct walk w = {.history = true};
    struct fault fault = {0};
    ty_tensor *x = ty_var(ty_ones(TY_F64, TY_SHAPE(2, 3)), "x"), *y = ty_sum(ty_exp(x), ty_axis(0));
    CHECK_OK(y);
    bool done = walk_order(&w, 1, &y, &fault) && graph_verify(&w, &fault);
    y->layout.shape[0] = 7;
    struct fault broken = {0};
    bool found = done && !graph_verify(&w, &broken);
    y->layout.shape[0] = 3;
    walk_drop(&w);
    CHECK(done, "%s", fault.text);
    CHECK(found && strstr(broken.text, "sum of f64[2,3]") && strstr(broken.text, "another shape"), "%s",
          broken.text);
}

TESTS_MAIN(TEST(long_chain), TEST(chapter_gradient), TEST(nested_gradients), TEST(gradient_of_nothing),
           TEST(detached), TEST(assignment), TEST(forgetting), TEST(drawing), TEST(drawings_of_all_kinds),
           TEST(broken_graphs), TEST(verification))
