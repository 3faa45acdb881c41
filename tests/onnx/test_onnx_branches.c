/* Runs whose values decide on branches and sizes: If, and chains of segments. */
#include <stdio.h>
#include <string.h>
#include <tyto/onnx.h>
#include <tyto/tyto.h>
#include "onnx/api.h"
#include "onnx/trace.h"
#undef I /* of <complex.h> */
#include "tests/onnx/pieces.h"
#include "tests/support/harness.h"
#include "tests/support/onnx_models.h"

#define F(...) ((const float[]){__VA_ARGS__})

static void equal(ty_tensor *x, int64_t n, const float *expected) {
    float got[16];
    CHECK_OK(x);
    if (!ty_ok(x)) return;
    CHECK(ty_size(x) == n && n <= 16, "%d elements, not %d", (int)ty_size(x), (int)n);
    if (ty_size(x) != n || n > 16 || !ty_read(x, TY_F32, got)) return;
    for (int i = 0; i < n; i++)
        CHECK(got[i] == expected[i], "element %d is %g, not %g", i, (double)got[i], (double)expected[i]);
}

static int nodes_on_values(const ty_onnx *m) {
    int count = 0;
    for (const struct chain *c = onnx_of(m)->traces ? onnx_of(m)->traces->chains : NULL; c; c = c->next)
        for (int i = 0; i < c->nsegments; i++) count += c->segments[i].node && !c->segments[i].chooses;
    return count;
}
static int chains(const ty_onnx *m) { return onnx_of(m)->traces ? onnx_of(m)->traces->nchains : 0; }
static int segments(const ty_onnx *m) { return onnx_of(m)->traces ? onnx_of(m)->traces->nsegments : 0; }

/* ---- If ---- */

#define TO_R(operator) NODE(operator, I("a") O("r")) "12{1'r'}"
#define CHOICE(then, other) GRAPH("then_branch", then) GRAPH("else_branch", other)
/* y = -exp(relu(x)) if c, else exp(...); c is an input, or whether the sum of x is positive. */
#define AROUND(condition, graphs)                                                                            \
    NODE("Relu", I("x") O("a")) condition NODE("If", I("c") O("z") graphs) NODE("Neg", I("z") O("y"))
static const char given[] = MODEL(X IN("c", 9, "") Y AROUND("", CHOICE(TO_R("Sqrt"), TO_R("Identity"))));
static const char computed[] = MODEL(X Y F32("zero", "", "4%0 ") AROUND(
    NODE("ReduceSum", I("x") O("s") INT("keepdims", 0)) NODE("Greater", I("s") I("zero") O("c")),
    CHOICE(TO_R("Sqrt"), TO_R("Identity"))));

static ty_tensor *run(ty_onnx *m, ty_tensor *x, int condition) {
    bool c = condition > 0;
    ty_tensor *inputs[] = {x, ty_from(TY_BOOL, TY_SCALAR, &c)}, *y = NULL;
    CHECK(ty_onnx_run(m, condition < 0 ? 1 : 2, inputs, 1, &y), "%s", ty_error(y));
    return y;
}
static ty_tensor *two(float a, float b) { return ty_from(TY_F32, TY_SHAPE(2), F(a, b)); }

/* Branches of one shape are one program with the rest of the model. */
static void recorded(void) {
    for (int eager = 0; eager < 2; eager++) {
        ty_onnx *m = load_valid_model(given, eager), *n = load_valid_model(computed, eager);
        for (int k = 0; k < 6; k++) {
            equal(run(m, two(4, 9), k & 1), 2, k & 1 ? F(-2, -3) : F(-4, -9));
            equal(run(n, k & 1 ? two(4, 9) : two(4, -9), -1), 2, k & 1 ? F(-2, -3) : F(-4, 0));
        }
        if (eager) continue;
        CHECK(segments(m) == 1 && segments(n) == 1, "%d and %d segments", segments(m), segments(n));
        CHECK(onnx_of(m)->fallbacks + onnx_of(n)->fallbacks == 0, "runs go node by node");
    }
}

#define REST NODE("Slice", I("a") I("zero") I("one") O("r")) "12{1'r'}"
#define BOUNDS I64("zero", "1=1 ", "7=0 ") I64("one", "1=1 ", "7=1 ")
/* Branches of different shapes: the chosen one is compiled, and the other when it was chosen twice. */
static void shapes(void) {
    ty_onnx *m =
        load_valid_model(MODEL(X IN("c", 9, "") Y BOUNDS AROUND("", CHOICE(TO_R("Sqrt"), REST))), false);
    static const int conditions[] = {1, 1, 0, 0, 1, 0, 0, 1};
    static const int made[] = {1, 1, 1, 2, 2, 2, 2, 2};
    for (int k = 0; k < 8; k++) {
        equal(run(m, two(4, 9), conditions[k]), conditions[k] ? 2 : 1, conditions[k] ? F(-2, -3) : F(-4));
        CHECK(chains(m) == made[k], "run %d: %d chains", k, chains(m));
    }
    CHECK(nodes_on_values(m) == 0 && onnx_of(m)->fallbacks == 0, "a branch runs on values");
}

/* The branch that is not chosen may be wrong for these shapes. */
static void impossible(void) {
    ty_onnx *m =
        load_valid_model(MODEL(X IN("c", 9, "") Y F32("w", "1=3 ", "4%1 4%2 4%3 ") AROUND(
                             "", CHOICE(TO_R("Sqrt"), NODE("Add", I("a") I("w") O("r")) "12{1'r'}"))),
                         false);
    for (int k = 0; k < 3; k++) equal(run(m, two(4, 9), 1), 2, F(-2, -3));
    CHECK(nodes_on_values(m) == 0 && onnx_of(m)->fallbacks == 0, "the branch runs on values");
    bool c = false;
    ty_tensor *inputs[] = {two(4, 9), ty_from(TY_BOOL, TY_SCALAR, &c)}, *y = NULL;
    for (int k = 0; k < 3; k++) CHECK(!ty_onnx_run(m, 2, inputs, 1, &y), "a wrong branch runs");
    equal(run(m, two(16, 1), 1), 2, F(-4, -1));
}

/* An If inside the chosen graph of another one, both with branches of different shapes: each path is compiled. */
#define INNER(operator)                                                                                      \
    NODE("If", I("d") O("r") CHOICE(NODE(operator, I("a") O("q")) "12{1'q'}",                                \
                                    NODE("Slice", I("a") I("zero") I("one") O("q")) "12{1'q'}"))             \
    "12{1'r'}"
static void nested(void) {
    ty_onnx *m = load_valid_model(
        MODEL(X IN("c", 9, "") IN("d", 9, "") Y BOUNDS AROUND("", CHOICE(INNER("Sqrt"), INNER("Neg")))),
        false);
    for (int k = 0; k < 24; k++) {
        bool c = k / 2 & 1, d = k / 4 & 1;
        ty_tensor *inputs[] = {two(4, 9), ty_from(TY_BOOL, TY_SCALAR, &c), ty_from(TY_BOOL, TY_SCALAR, &d)},
                  *y = NULL;
        CHECK(ty_onnx_run(m, 3, inputs, 1, &y), "%s", ty_error(y));
        equal(y, d ? 2 : 1, !d ? F(-4) : c ? F(-2, -3) : F(4, 9));
    }
    CHECK(chains(m) == 4, "%d chains", chains(m));
    CHECK(nodes_on_values(m) == 0 && onnx_of(m)->fallbacks == 0, "a branch runs on values");
}

/* ---- sizes ---- */

/* y = the squares of the elements of x[4] that are not 0, behind two segments. */
static const char nonzero[] =
    MODEL(IN("x", 1, SYMBOL("n")) Y I64("flat", "1=1 ", "7=-1 ") NODE("Mul", I("x") I("x") O("a"))
              NODE("NonZero", I("a") O("i")) NODE("Reshape", I("i") I("flat") O("j"))
                  NODE("Gather", I("a") I("j") O("y")));

static void run_nonzero(ty_onnx *m, const float *items, int64_t n, const float *expected) {
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(4), items), *y = NULL;
    CHECK(ty_onnx_run(m, 1, &x, 1, &y), "%s", ty_error(y));
    equal(y, n, expected);
}

/* A run that differs as the one before it did makes a chain; others go on node by node. */
static void counts(void) {
    ty_onnx *m = load_valid_model(nonzero, false);
    run_nonzero(m, F(1, 0, 2, 0), 2, F(1, 4));
    run_nonzero(m, F(1, 0, 0, 0), 1, F(1));
    run_nonzero(m, F(1, 2, 3, 0), 3, F(1, 4, 9));
    CHECK(chains(m) == 1, "%d chains", chains(m));
    run_nonzero(m, F(0, 3, 2, 1), 3, F(9, 4, 1));
    CHECK(chains(m) == 2, "%d chains", chains(m));
    for (int k = 0; k < 4; k++) {
        run_nonzero(m, F(0, 3, 2, 1), 3, F(9, 4, 1));
        run_nonzero(m, F(5, 3, 0, 0), 2, F(25, 9));
        run_nonzero(m, F(0, 0, 0, 0), 0, NULL);
    }
    CHECK(chains(m) == 3, "%d chains", chains(m));
    CHECK(onnx_of(m)->fallbacks == 0 && onnx_of(m)->runs == 16, "a run has begun again");
}

/* A trace for zeros stands for others: the first run that differs makes a chain. */
static void reserved(void) {
    ty_onnx *m = load_valid_model(nonzero, false);
    int64_t size = 4, bytes = 0;
    ty_tensor *error = NULL;
    CHECK(ty_onnx_reserve(m, 1, (const char *const[]){"n"}, &size, &bytes, &error), "%s", ty_error(error));
    CHECK(chains(m) == 1, "%d chains", chains(m));
    run_nonzero(m, F(1, 0, 2, 0), 2, F(1, 4));
    CHECK(chains(m) == 2, "%d chains", chains(m));
    run_nonzero(m, F(1, 0, 0, 0), 1, F(1));
    run_nonzero(m, F(0, 3, 0, 4), 2, F(9, 16));
    CHECK(chains(m) == 2, "%d chains", chains(m));
    CHECK(onnx_of(m)->shared_bytes >= bytes, "less memory");
}

/* A trace with many chains begins again, so that sizes of a later time are compiled, too. */
static void worn(void) {
    ty_onnx *m =
        load_valid_model(MODEL(IN("x", 1, SYMBOL("n")) IN("k", 7, D(1)) Y I64("zero", "1=1 ", "7=0 ")
                                   NODE("Exp", I("x") O("a")) NODE("Slice", I("a") I("zero") I("k") O("z"))
                                       NODE("Log", I("z") O("y"))),
                         false);
    const int64_t n = 40;
    for (int64_t k = 1; k <= n; k++)
        for (int again = 0; again < 3; again++) {
            ty_tensor *inputs[] = {ty_zeros(TY_F32, TY_SHAPE(n)), ty_from(TY_I64, TY_SHAPE(1), &k)},
                      *y = NULL;
            CHECK(ty_onnx_run(m, 2, inputs, 1, &y) && ty_size(y) == k, "%d elements", (int)ty_size(y));
            CHECK(chains(m) <= 8, "%d chains", chains(m));
        }
    CHECK(onnx_of(m)->fallbacks == 0, "runs go node by node");
}

/* Return the text of a model with n nodes, each of which ends a segment: y is the places in x of elements that are not 0. */
static const char *many(int n) {
    static const char head[] = "1=10 " OPSET_OF("", 21) "7{2'g'" IN("x", 1, SYMBOL("n")) OUT("y", 1),
                      tail[] = NODE("Cast", I("i0") O("y") INT("to", 1)) "}";
    size_t room = sizeof head + sizeof tail + (size_t)n * 48, at = sizeof head - 1;
    char *text = test_room(room);
    memcpy(text, head, sizeof head);
    for (int i = n - 1; i >= 0; i--)
        at += (size_t)snprintf(text + at, room - at, NODE("NonZero", I("x") "2'i%d'"), i);
    snprintf(text + at, room - at, "%s", tail);
    return text;
}

/* Hundreds of segments are compiled; of a graph with thousands of ends, each run is on values. */
static void many_segments(void) {
    static const int nodes[] = {200, 2100};
    for (int k = 0; k < 2; k++) {
        ty_onnx *m = load_valid_model(many(nodes[k]), false);
        for (int run = 0; run < 2; run++) run_nonzero(m, F(0, 5, 0, run), 1 + run, F(1, 3));
        CHECK(onnx_of(m)->fallbacks == k, "%d nodes: compiled, or not", nodes[k]);
        CHECK(k || segments(m) == nodes[k] + 1, "%d segments", segments(m));
    }
}

TESTS_MAIN(TEST(recorded), TEST(shapes), TEST(impossible), TEST(nested), TEST(counts), TEST(reserved),
           TEST(worn), TEST(many_segments))
