/* Loop and Scan as loops of graphs. */
#include <string.h>
#include <tyto/onnx.h>
#include <tyto/tyto.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "onnx/api.h"
#include "onnx/trace.h"
#undef I /* of <complex.h> */
#include "tests/onnx/pieces.h"
#include "tests/support/harness.h"
#include "tests/support/onnx_models.h"

static ty_tensor *whole(int64_t n) { return ty_from(TY_I64, TY_SCALAR, &n); }

/* Check that two results agree up to rounding. */
static void close_to(ty_tensor *x, ty_tensor *expected) {
    CHECK_OK(x);
    CHECK_OK(expected);
    if (!ty_ok(x) || !ty_ok(expected)) return;
    CHECK(ty_rank(x) == ty_rank(expected), "%d axes, not %d", ty_rank(x), ty_rank(expected));
    double apart = ty_item(ty_amax(ty_abs(ty_sub(x, expected)), TY_ALL));
    CHECK(apart < 1e-5, "%g apart", apart);
}

/* Run compiled and node by node, and record; all must agree.  Return the number of nodes of the recorded graph, whose
   intermediate results take at most so many bytes. */
static int64_t agree(const char *text, int ninputs, ty_tensor **inputs, int noutputs, int64_t bytes) {
    ty_tensor *y[2][4] = {{NULL}}, *recorded[4], *x[4];
    for (int eager = 0; eager < 2; eager++) {
        ty_onnx *m = load_valid_model(text, eager);
        for (int run = 0; run < 2; run++) ty_onnx_run(m, ninputs, inputs, noutputs, y[eager]);
        const struct onnx_trace *trace = onnx_of(m)->traces;
        CHECK(eager || (trace && trace->nsegments == 1), "a run is no single program");
    }
    ty_onnx *m = load_valid_model(text, false);
    for (int i = 0; i < ninputs; i++) x[i] = ty_var(inputs[i], NULL);
    ty_onnx_record(m, ninputs, x, noutputs, recorded);
    ty_program *program = ty_compile(noutputs, recorded, (ty_compile_options){0});
    ty_report report;
    ty_program_report(program, &report);
    ty_program_free(program);
    CHECK(report.arena_bytes <= bytes, "%d bytes of intermediate results", (int)report.arena_bytes);
    for (int i = 0; i < noutputs; i++) {
        close_to(y[0][i], y[1][i]);
        close_to(ty_eval(recorded[i]), y[1][i]);
    }
    return report.nodes_before;
}

/* h = tanh(h + x_t): a Scan with one carry h[3], one sequence, and the carries stacked. */
#define CELL                                                                                                 \
    GRAPH("body", IN("h", 1, D(3)) IN("e", 1, D(3)) NODE("Add", I("h") I("e") O("a"))                        \
                      NODE("Tanh", I("a") O("g")) NODE("Neg", I("g") O("s")) OUT("g", 1) OUT("s", 1))
#define SCANNED(attributes)                                                                                  \
    MODEL(IN("h0", 1, D(3)) IN("x", 1, SYMBOL("n") D(3)) OUT("h1", 1) OUT("y", 1)                            \
              NODE("Scan", I("h0") I("x") O("h1") O("y") INT("num_scan_inputs", 1) attributes CELL))

enum { LOOP_BYTES = 16384 }; /* for the workspace of a loop of small kernels, however many trips there are */

/* Graphs of 1000 and 2000 trips have the same nodes.  Sequences that are all read backwards need no copy; a result in
   the other order is flipped. */
static void scans(void) {
    static const char *const models[] = {
        SCANNED(""), SCANNED(INTS("scan_input_directions", "8=1 ") INTS("scan_output_directions", "8=1 ")),
        SCANNED(INTS("scan_input_directions", "8=1 ")),
        SCANNED(INTS("scan_output_directions", "8=1 ") INTS("scan_output_axes", "8=1 "))};
    for (int k = 0; k < 4; k++) {
        int64_t nodes[2];
        for (int i = 0; i < 2; i++) {
            ty_tensor *inputs[] = {ty_uniform(TY_F32, TY_SHAPE(3), ty_key(1)),
                                   ty_uniform(TY_F32, TY_SHAPE(1000 * (i + 1), 3), ty_key(2))};
            nodes[i] = agree(models[k], 2, inputs, 2, (k > 1 ? 12000 * (i + 1) : 0) + LOOP_BYTES);
        }
        CHECK(nodes[0] == nodes[1] && nodes[0] < 30, "%d and %d nodes", (int)nodes[0], (int)nodes[1]);
    }
}

/* Sequences along axis 1. */
static void axes(void) {
    ty_tensor *inputs[] = {ty_uniform(TY_F32, TY_SHAPE(3), ty_key(1)),
                           ty_uniform(TY_F32, TY_SHAPE(3, 500), ty_key(2))};
    int64_t nodes = agree(MODEL(IN("h0", 1, D(3)) IN("x", 1, D(3) SYMBOL("n")) OUT("h1", 1) OUT("y", 1)
                                    NODE("Scan", I("h0") I("x") O("h1") O("y") INT("num_scan_inputs", 1)
                                                     INTS("scan_input_axes", "8=-1 ") CELL)),
                          2, inputs, 2, 10000);
    CHECK(nodes < 30, "%d nodes", (int)nodes);
}

/* Return the gradient by x of the sum of y. */
static ty_tensor *gradient(int64_t n, ty_tensor **x) {
    ty_onnx *m = load_valid_model(SCANNED(""), false);
    ty_tensor *h = ty_uniform(TY_F32, TY_SHAPE(3), ty_key(1)), *y[2], *g = NULL;
    *x = ty_var(ty_uniform(TY_F32, TY_SHAPE(n, 3), ty_key(2)), "x");
    CHECK(ty_onnx_record(m, 2, (ty_tensor *[]){h, *x}, 2, y), "%s", ty_error(y[0]));
    ty_grad(ty_sum(y[1], TY_ALL), 1, x, &g);
    return ty_eval(g);
}

/* Gradients of a loop are those of its trips: h = tanh(h + x_t), s = -h. */
static void gradients(void) {
    enum { N = 400 };
    ty_tensor *x, *g = gradient(N, &x), *h[N + 1], *d = ty_zeros(TY_F32, TY_SHAPE(3));
    ty_tensor *rows[N];
    h[0] = ty_uniform(TY_F32, TY_SHAPE(3), ty_key(1));
    x = ty_eval(x);
    for (int i = 0; i < N; i++) h[i + 1] = ty_tanh(ty_add(h[i], ty_squeeze(ty_slice(x, 0, i, i + 1, 1), 0)));
    for (int i = N; i-- > 0;) {
        d = ty_mul(ty_sub(d, ty_num(1)), ty_sub(ty_num(1), ty_mul(h[i + 1], h[i + 1])));
        rows[i] = d;
    }
    close_to(g, ty_stack(N, rows, 0));
}

/* v = v + w for as long as v < 100; the number of trips and the first condition are inputs. */
#define GROWING(outputs, results)                                                                            \
    MODEL(IN("n", 7, "") IN("c", 9, "") IN("v", 1, D(2)) OUT("y", 1) outputs F32("w", "1=2 ", "4%1 4%2 ")    \
              F32("most", "", "4%100 ") I64("axis", "1=1 ", "7=0 ")                                          \
                  NODE("Loop",                                                                               \
                       I("n") I("c") I("v") O("y") results GRAPH(                                            \
                           "body", IN("i", 7, "") IN("d", 9, "") IN("u", 1, D(2)) NODE("Add", I("u") I("w")  \
                                                                                                  O("z"))    \
                                       NODE("ReduceMax", I("z") I("axis") O("r") INT("keepdims", 0))         \
                                           NODE("Less", I("r") I("most") O("e")) OUT("e", 9) OUT("z", 1))))

static void conditions(void) {
    static const int64_t trips[] = {INT64_MAX, 1000, 30, 1, 0, -3};
    for (size_t k = 0; k < sizeof trips / sizeof *trips; k++)
        for (int64_t go = 0; go < 2; go++) {
            ty_tensor *inputs[] = {whole(trips[k]), ty_cast(whole(go), TY_BOOL),
                                   ty_from(TY_F32, TY_SHAPE(2), (const float[]){3, -5})};
            int64_t nodes = agree(GROWING("", ""), 3, inputs, 1, 4 * LOOP_BYTES);
            CHECK(nodes < 40, "%d nodes", (int)nodes);
        }
}

/* Loops whose carries grow are executed trip by trip. */
static void walked(void) {
    static const char grown[] = MODEL(IN("v", 1, D(2)) Y I64("n", "", "7=300 ") NODE(
        "Loop", I("n") I("") I("v") O("y") GRAPH(
                    "body", IN("i", 7, "") IN("d", 9, "") IN("u", 1, SYMBOL("k")) NODE(
                                "Identity", I("d") O("e")) NODE("Concat", I("u") I("u") O("z") INT("axis", 0))
                                NODE("Slice", I("z") I("at") I("to") O("w")) OUT("e", 9) OUT("w", 1)))
                                          I64("at", "1=1 ", "7=0 ") I64("to", "1=1 ", "7=3 "));
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(2), (const float[]){3, -5}), *y = NULL;
    ty_onnx *m = load_valid_model(grown, false);
    for (int run = 0; run < 2; run++) {
        CHECK(ty_onnx_run(m, 1, &x, 1, &y), "%s", ty_error(y));
        close_to(y, ty_from(TY_F32, TY_SHAPE(3), (const float[]){3, -5, 3}));
    }
}

/* Numbers of trips and conditions of floats are refused, compiled and node by node. */
static void floats(void) {
#define OF_FLOATS(n, c, e)                                                                                   \
    MODEL(IN("n", n, "") IN("c", c, "")                                                                      \
              Y NODE("Loop", I("n") I("c") I("c") O("y")                                                     \
                                 GRAPH("body", IN("i", 7, "") IN("d", 9, "") IN("u", c, "")                  \
                                                   NODE("Cast", I("u") O("e") INT("to", e))                  \
                                                       NODE("Not", I("d") O("w")) OUT("e", e) OUT("w", 9))))
    static const char *const models[] = {OF_FLOATS(1, 9, 9), OF_FLOATS(7, 1, 9), OF_FLOATS(7, 9, 1)};
    for (int k = 0; k < 6; k++) {
        ty_onnx *m = load_valid_model(models[k / 2], k % 2);
        ty_tensor *inputs[] = {ty_cast(whole(1000), k / 2 == 0 ? TY_F32 : TY_I64),
                               ty_cast(whole(1), k / 2 == 1 ? TY_F32 : TY_BOOL)},
                  *y = NULL;
        CHECK(!ty_onnx_run(m, 2, inputs, 1, &y) && ty_error_code(y) == TY_ERROR_DTYPE, "model %d: %s", k,
              ty_error(y));
    }
#undef OF_FLOATS
}

/* Each trip draws other numbers: the sum of 1000 draws of one trip each. */
static void draws(void) {
    static const char model[] = MODEL(IN("v", 1, D(1)) OUT("y", 1) OUT("all", 1) I64("n", "", "7=1000 ") NODE(
        "Loop", I("n") I("") I("v") O("y") O("all") GRAPH(
                    "body", IN("i", 7, "") IN("d", 9, "") IN("u", 1, D(1)) NODE("Identity", I("d") O("e"))
                                NODE("RandomUniformLike", I("u") O("r")) NODE("Add", I("u") I("r") O("w"))
                                    NODE("Identity", I("r") O("s")) OUT("e", 9) OUT("w", 1) OUT("s", 1))));
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(1)), *y[2] = {NULL, NULL};
    ty_onnx *m = load_valid_model(model, false);
    CHECK(ty_onnx_run(m, 1, &x, 2, y), "%s", ty_error(y[0]));
    double mean = ty_item(ty_mean(y[1], TY_ALL)), spread = ty_item(ty_std(y[1], TY_ALL, 0));
    CHECK(mean > 0.4 && mean < 0.6 && spread > 0.25 && spread < 0.33, "mean %g, deviation %g", mean, spread);
    CHECK(onnx_of(m)->fallbacks == 0, "compiled runs go node by node");
}

TESTS_MAIN(TEST(scans), TEST(axes), TEST(gradients), TEST(conditions), TEST(walked), TEST(floats),
           TEST(draws))
