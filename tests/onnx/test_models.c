/* Runs, traces, recorded graphs and parameters of models. */
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

static void free_value(void *value) { ty_onnx_value_free(value); }

static ty_tensor *floats(int rank, const int64_t *shape, const float *items) {
    return ty_from(TY_F32, rank, shape, items);
}
#define F(...)                                                                                               \
    (const float[]) { __VA_ARGS__ }

/* Check n elements of x, if it is valid. */
static void equal(ty_tensor *x, int n, const float *expected) {
    float got[16] = {0};
    CHECK_OK(x);
    if (!ty_ok(x) || !ty_read(x, TY_F32, got)) return;
    CHECK(ty_size(x) == n, "%d elements", (int)ty_size(x));
    for (int i = 0; i < n; i++)
        CHECK(got[i] == expected[i], "element %d is %g, not %g", i, (double)got[i], (double)expected[i]);
}

/* ---- segments ---- */

/* relu(reshape(x * x - 4, s)): the shape is an input, so elements decide on shapes. */
static const char reshaped[] = MODEL(
    IN("x", 1, D(4)) IN("s", 7, D(2)) Y F32("c", "1=1 ", "4%4 ") NODE("Mul", I("x") I("x") O("a"))
        NODE("Sub", I("a") I("c") O("b")) NODE("Reshape", I("b") I("s") O("r")) NODE("Relu", I("r") O("y")));

static void run_shaped(ty_onnx *m, const float *items, int64_t rows, int64_t columns, int axes,
                       const float *expected) {
    ty_tensor *inputs[] = {floats(TY_SHAPE(4), items),
                           ty_from(TY_I64, TY_SHAPE(2), (const int64_t[]){rows, columns})};
    ty_tensor *y = NULL;
    ty_onnx_run(m, 2, inputs, 1, &y);
    equal(y, 4, expected);
    if (ty_ok(y)) CHECK(ty_rank(y) == axes && ty_shape(y)[0] == (axes > 1 ? rows : 4), "another shape");
}

static void segments(void) {
    for (int eager = 0; eager < 2; eager++) {
        ty_onnx *m = load_valid_model(reshaped, eager);
        run_shaped(m, F(1, 2, 3, 4), 2, 2, 2, F(0, 0, 5, 12));
        run_shaped(m, F(4, 3, 2, 1), 2, 2, 2, F(12, 5, 0, 0));
        run_shaped(m, F(1, 2, 3, 4), 4, 1, 2, F(0, 0, 5, 12)); /* another shape than in the trace */
        run_shaped(m, F(1, 5, 3, 4), 2, 2, 2, F(0, 21, 5, 12));
        const struct onnx_trace *trace = onnx_of(m)->traces;
        {
            CHECK(onnx_of(m)->fallbacks == 0, "another number");
            CHECK(onnx_of(m)->runs == 4, "a run has begun again");
            CHECK((trace ? trace->nsegments : 0) == (eager ? 0 : 2), "another number");
        }
    }
}

/* A run leaves its outputs alone to the caller's scope. */
static void temporaries(void) {
    for (int eager = 0; eager < 2; eager++) {
        ty_onnx *m = load_valid_model(reshaped, eager);
        ty_tensor *x[] = {floats(TY_SHAPE(4), F(1, 2, 3, 4)),
                          ty_from(TY_I64, TY_SHAPE(2), (const int64_t[]){2, 2})};
        int64_t live = 0;
        for (int run = 0; run < 4; run++) {
            ty_tensor *y = NULL;
            CHECK(ty_onnx_run(m, 2, x, 1, &y), "%s", ty_error(y));
            ty_release(ty_own(y));
            if (run == 1) live = mem_live();
        }
        CHECK(mem_live() == live, "%d allocations more", (int)(mem_live() - live));
    }
}

/* A run that was interrupted is no reason to run node by node from then on. */
static void interrupted(void) {
    ty_onnx *m = load_valid_model(MODEL(X Y RELU), false);
    ty_tensor *x = floats(TY_SHAPE(2), F(-1, 2)), *y = NULL;
    ty_interrupt(NULL);
    bool ran = ty_onnx_run(m, 1, &x, 1, &y);
    ty_resume(NULL);
    CHECK(!ran, "not refused");
    ty_onnx_run(m, 1, &x, 1, &y);
    equal(y, 2, F(0, 2));
    const struct onnx_trace *trace = onnx_of(m)->traces;
    CHECK(trace && !trace->failed && !trace->next, "no trace");
}

/* More sets of shapes than a model keeps traces for. */
static void shapes(void) {
    ty_onnx *m = load_valid_model(MODEL(IN("x", 1, SYMBOL("n")) Y NODE("Relu", I("x") O("y"))), false);
    for (int round = 0; round < 2; round++)
        for (int64_t n = 1; n <= 10; n++) {
            ty_tensor *x = ty_full(TY_F32, 1, &n, (double)n), *y = NULL;
            ty_onnx_run(m, 1, &x, 1, &y);
            CHECK_OK(y);
            if (ty_ok(y)) CHECK(ty_shape(y)[0] == n, "another number");
        }
    int kept = 0;
    for (const struct onnx_trace *t = onnx_of(m)->traces; t; t = t->next) kept++;
    CHECK(kept == 8, "another number");
}

/* ---- recorded graphs ---- */

static const char linear[] = MODEL(IN("x", 1, SYMBOL("n") D(2)) Y F32("w", "1=2 1=2 ", "4%1 4%2 4%3 4%4 ")
                                       NODE("MatMul", I("x") I("w") O("y")));

static void parameters(void) {
    ty_onnx *m = load_valid_model(linear, false);
    ty_tensor *x = floats(TY_SHAPE(1, 2), F(1, 2)), *y = NULL, *error = NULL;
    ty_onnx_run(m, 1, &x, 1, &y);
    equal(y, 2, F(7, 10));
    CHECK(ty_onnx_parameters(m) == 1, "another number");
    ty_tensor *w = ty_onnx_parameter(m, 0);
    CHECK_OK(w);
    CHECK(strcmp(ty_name(w), "w") == 0, "another text");
    CHECK(ty_assign(w, floats(TY_SHAPE(2, 2), F(1, 0, 0, 1)), &error), "%s", ty_error(error));
    for (int run = 0; run < 2; run++) {
        ty_onnx_run(m, 1, &x, 1, &y);
        equal(y, 2, F(1, 2));
    }
    CHECK(!(ty_ok(ty_onnx_parameter(m, 1))), "not refused");
}

static void gradients(void) {
    ty_onnx *m = load_valid_model(linear, false);
    ty_tensor *x = ty_var(floats(TY_SHAPE(1, 2), F(1, 2)), "x"), *y = NULL, *gradients[2] = {NULL, NULL};
    ty_onnx_record(m, 1, &x, 1, &y);
    CHECK_OK(y);
    ty_tensor *by[] = {x, ty_onnx_parameter(m, 0)};
    CHECK(ty_grad(y, 2, by, gradients), "%s", ty_error(gradients[0]));
    equal(ty_eval(gradients[0]), 2, F(3, 7));
    equal(ty_eval(gradients[1]), 4, F(1, 1, 2, 2));
}

/* Parameters are what is stored: w, a Constant f32[2,2] behind Identity; h, f16[2,2] behind Cast; and the scales of q, integers.
   y = ((x w) h) (scale q). */
static void stored_weights(void) {
    static const char *const names[] = {"h", "scale", "w"};
    ty_onnx *m = load_valid_model(
        MODEL(IN("x", 1, D(1) D(2)) Y STORED("h", 10, "1=2 1=2 ", "9#003c0000003c0040 ")
                  STORED("q", 3, "1=2 1=2 ", "9#01000102 ") F32("scale", "1=2 ", "4%1 4%0.5 ")
                      NODE("Constant", O("w") TENSOR("value", "1=2 1=2 2=1 4%1 4%2 4%3 4%4 "))
                          NODE("Identity", I("w") O("v")) NODE("MatMul", I("x") I("v") O("a"))
                              NODE("Cast", I("h") O("g") INT("to", 1)) NODE("MatMul", I("a") I("g") O("b"))
                                  NODE("DequantizeLinear", I("q") I("scale") O("d") INT("axis", 1))
                                      NODE("MatMul", I("b") I("d") O("y"))),
        false);
    ty_tensor *x = ty_var(floats(TY_SHAPE(1, 2), F(1, 2)), "x"), *y = NULL, *by[3], *gradients[3] = {NULL};
    CHECK(ty_onnx_parameters(m) == 3, "%d parameters", ty_onnx_parameters(m));
    for (int i = 0; i < 3; i++) {
        by[i] = ty_onnx_parameter(m, i);
        CHECK_OK(by[i]);
        CHECK(strcmp(ty_name(by[i]), names[i]) == 0, "another text: %s", ty_name(by[i]));
    }
    ty_onnx_record(m, 1, &x, 1, &y);
    equal(ty_eval(y), 2, F(37, 20));
    CHECK(ty_grad(ty_sum(y, TY_ALL), 3, by, gradients), "%s", ty_error(gradients[0]));
    CHECK(ty_dtype_of(gradients[0]) == TY_F16, "another dtype");
    equal(ty_eval(ty_cast(gradients[0], TY_F32)), 4, F(7, 14, 10, 20));
    equal(ty_eval(gradients[1]), 2, F(37, 40));
    equal(ty_eval(gradients[2]), 4, F(1, 5, 2, 10));
}

/* ---- graphs inside nodes ---- */

#define BRANCH(operator) NODE(operator, I("x") O("r")) "12{1'r'}"
static const char branches[] = MODEL(IN("x", 1, D(2)) IN("c", 9, "") Y NODE(
    "If", I("c") O("y") GRAPH("then_branch", BRANCH("Neg")) GRAPH("else_branch", BRANCH("Relu"))));

static void conditions(void) {
    ty_onnx *m = load_valid_model(branches, false);
    for (int c = 0; c < 4; c++) {
        bool given = c & 1;
        ty_tensor *x = floats(TY_SHAPE(2), F(-1, 2)), *condition = ty_from(TY_BOOL, TY_SCALAR, &given),
                  *y = NULL;
        if (c < 2) {
            ty_onnx_run(m, 2, (ty_tensor *[]){x, condition}, 1, &y);
        } else {
            ty_onnx_record(m, 2, (ty_tensor *[]){x, ty_var(condition, "c")}, 1, &y);
            if (ty_ok(y)) CHECK(ty_is_promise(y), "not so");
            y = ty_eval(y);
        }
        equal(y, 2, given ? F(1, -2) : F(0, 2));
    }
}

/* v = v + v, three times; each v is also stacked. */
static const char repeated[] = MODEL(IN("x", 1, D(2)) OUT("y", 1) OUT("all", 1) I64("three", "", "7=3 ") NODE(
    "Loop", I("three") I("") I("x") O("y") O("all")
                GRAPH("body", IN("i", 7, "") IN("c", 9, "") IN("v", 1, D(2)) NODE("Identity", I("c") O("d"))
                                  NODE("Add", I("v") I("v") O("w")) NODE("Identity", I("w") O("s"))
                                      OUT("d", 9) OUT("w", 1) OUT("s", 1))));

static void loops(void) {
    for (int eager = 0; eager < 2; eager++) {
        ty_onnx *m = load_valid_model(repeated, eager);
        for (int run = 0; run < 2; run++) {
            ty_tensor *x = floats(TY_SHAPE(2), F(1, 3)), *y[2] = {NULL, NULL};
            ty_onnx_run(m, 1, &x, 2, y);
            equal(y[0], 2, F(8, 24));
            equal(y[1], 6, F(2, 6, 4, 12, 8, 24));
        }
    }
}

/* Check that 1001 trips of a loop take less than `most` bytes more than one. */
static void check_trips(const char *text, int64_t most) {
    ty_onnx *m = load_valid_model(text, true);
    int64_t peaks[2];
    for (int run = 0; run < 2; run++) {
        int64_t n = run ? 1001 : 1;
        ty_tensor *inputs[] = {floats(TY_SHAPE(2), F(1, 3)), ty_from(TY_I64, TY_SCALAR, &n)}, *y = NULL;
        mem_peak_begin();
        peaks[run] = -mem_peak();
        ty_onnx_run(m, 2, inputs, 1, &y);
        peaks[run] += mem_peak();
        equal(y, 2, F(-1, -3));
    }
    CHECK(peaks[1] - peaks[0] < most, "%lld bytes more", (long long)(peaks[1] - peaks[0]));
}

#define COUNTED IN("x", 1, D(2)) IN("n", 7, "") Y
#define CONDITION IN("i", 7, "") IN("c", 9, "") NODE("Identity", I("c") O("d"))

/* v = -v: a trip leaves some bytes of its condition. */
static void trips(void) {
    check_trips(MODEL(COUNTED NODE("Loop", I("n") I("") I("x") O("y") GRAPH(
                                               "body", CONDITION IN("v", 1, D(2)) NODE("Neg", I("v") O("w"))
                                                           OUT("d", 9) OUT("w", 1)))),
                50000);
}

/* A trip puts -x behind a sequence; y is the last item. */
static void items(void) {
    check_trips(MODEL(COUNTED NODE("SequenceEmpty", O("s")) I64("last", "", "7=-1 ")
                          NODE("Loop", I("n") I("") I("s") O("t")
                                           GRAPH("body", CONDITION "11{1'v'}" NODE("Neg", I("x") O("z"))
                                                             NODE("SequenceInsert", I("v") I("z") O("w"))
                                                                 OUT("d", 9) "12{1'w'}"))
                              NODE("SequenceAt", I("t") I("last") O("y"))),
                1000000);
}

/* x + n x x: a segment ends in each of n trips, at a node that reads a value of the graph around the loop. */
#define CAPTURED(n)                                                                                          \
    MODEL(IN("x", 1, D(4)) IN("s", 7, D(2)) Y I64("n", "", "7=" #n " ") I64("flat", "1=1 ", "7=4 ")          \
              NODE("Mul", I("x") I("x") O("a"))                                                              \
                  NODE("Loop",                                                                               \
                       I("n") I("") I("x") O("y") GRAPH(                                                     \
                           "body", IN("i", 7, "") IN("c", 9, "") IN("v", 1, D(4))                            \
                                       NODE("Identity", I("c") O("d")) NODE("Reshape", I("a") I("s") O("r")) \
                                           NODE("Reshape", I("r") I("flat") O("q"))                          \
                                               NODE("Add", I("v") I("q") O("w")) OUT("d", 9) OUT("w", 1))))

static void captures(void) {
    ty_onnx *m = load_valid_model(CAPTURED(3), false);
    run_shaped(m, F(1, 2, 3, 4), 2, 2, 1, F(4, 14, 30, 52));
    run_shaped(m, F(4, 3, 2, 1), 2, 2, 1, F(52, 30, 14, 4));
    run_shaped(m, F(1, 2, 3, 4), 4, 1, 1,
               F(4, 14, 30, 52)); /* the run begins again: the node is inside of the loop */
    CHECK(onnx_of(m)->fallbacks == 0, "another number");
}

/* A loop of many trips, of which each would end segments, runs on values as one node. */
static void many_trips(void) {
    ty_onnx *m = load_valid_model(CAPTURED(100), false);
    run_shaped(m, F(1, 2, 3, 4), 2, 2, 1, F(101, 402, 903, 1604));
    run_shaped(m, F(4, 3, 2, 1), 2, 2, 1, F(1604, 903, 402, 101));
    CHECK(onnx_of(m)->fallbacks == 0, "another number");
    CHECK(onnx_of(m)->traces && onnx_of(m)->traces->nsegments == 2, "another number");
}

/* Means of the image x of 2 by 2 elements in the region x * 0 + (0, 0, 2, 2): a region may be a promise, and ends no
   segment. */
static void regions(void) {
    ty_onnx *m = load_valid_model(
        MODEL(IN("x", 1, D(4)) IN("s", 7, D(2)) Y I64("image", "1=4 ", "7=1 7=1 7=2 7=2 ") I64(
            "row", "1=2 ", "7=1 7=4 ") F32("zero", "", "4%0 ") F32("box", "1=4 ", "4%0 4%0 4%2 4%2 ")
                  I64("batch", "1=1 ", "7=0 ") I64("four", "1=1 ", "7=4 ")
                      NODE("Mul", I("x") I("zero") O("a")) NODE("Add", I("a") I("box") O("b"))
                          NODE("Reshape", I("b") I("row") O("r")) NODE("Reshape", I("x") I("image") O("i"))
                              NODE("RoiAlign", I("i") I("r") I("batch") O("z") INT("sampling_ratio", 1))
                                  NODE("Reshape", I("x") I("s") O("unused"))
                                      NODE("Reshape", I("z") I("flat") O("q")) I64("flat", "1=1 ", "7=1 ")
                                          NODE("Expand", I("q") I("four") O("y"))),
        false);
    run_shaped(m, F(1, 2, 3, 4), 2, 2, 1, F(2.5, 2.5, 2.5, 2.5));
    run_shaped(m, F(4, 0, 0, 0), 2, 2, 1, F(1, 1, 1, 1));
    CHECK(onnx_of(m)->fallbacks == 0, "another number");
    CHECK(onnx_of(m)->traces && onnx_of(m)->traces->nsegments == 2, "another number");
}

/* The derivative of the sum of reshape(x * x, s) + x, whose shape s is an input: no segment may end inside of it. */
static void derivative(void) {
    for (int eager = 0; eager < 2; eager++) {
        ty_onnx *m = load_valid_model(
            MODEL_OF(OPSET_OF("", 21) OPSET_OF("ai.onnx.preview.training", 1),
                     IN("x", 1, D(4)) IN("s", 7, D(2)) Y NODE("Mul", I("x") I("x") O("a"))
                         NODE("Reshape", I("a") I("s") O("r")) NODE("ReduceSum", I("r") O("t"))
                             NODE("ReduceSum", I("x") O("u")) NODE("Add", I("t") I("u") O("v"))
                                 NODE("Gradient", I("x") O("y") "7'ai.onnx.preview.training'" TEXTS(
                                                      "xs", "9'x'") TEXT("y", "v"))),
            eager);
        run_shaped(m, F(1, 2, 3, 4), 2, 2, 1, F(3, 5, 7, 9));
        run_shaped(m, F(4, 3, 2, 1), 2, 2, 1, F(9, 7, 5, 3));
        CHECK(onnx_of(m)->fallbacks == 0, "another number");
    }
}

/* ---- strings ---- */

/* Strings that are made of an input follow it. */
static void strings(void) {
    ty_onnx *m = load_valid_model(
        MODEL(X OUT("y", 8) NODE("Neg", I("x") O("n")) NODE("Cast", I("n") O("y") INT("to", 8))), false);
    for (int run = 0; run < 2; run++) {
        ty_onnx_value *x = test_own(ty_onnx_value_new(floats(TY_SHAPE(2), run ? F(-3, -4) : F(-1, -2))),
                                    free_value),
                      *y = NULL;
        bool good = ty_onnx_run_values(m, 1, (const ty_onnx_value *const[]){x}, 1, &y);
        test_own(y, free_value);
        const char *text = good ? ty_onnx_value_text(y, 1, NULL) : NULL;
        CHECK(text && strcmp(text, run ? "4.0" : "2.0") == 0, "another text: %s", text ? text : "");
    }
}

/* ---- missing operators, ports, values ---- */

static void lacks(void) {
    ty_onnx *m = load_model(MODEL(X Y NODE("Nothing", I("x") O("a")) NODE("Nothing", I("a") O("b"))
                                      NODE("Neither", I("b") O("y"))),
                            false);
    ty_onnx_operator lack = {NULL, NULL, 0, 0};
    {
        CHECK(strstr(ty_onnx_error(m), "Nothing of opset 21 (2), Neither of opset 21 (1)"), "nothing found");
        CHECK(ty_onnx_lacks(m) == 2, "another number");
        CHECK(ty_onnx_lack(m, 0, &lack), "not so");
        CHECK(strcmp(lack.name, "Nothing") == 0, "another text");
        CHECK(lack.count == 2, "another number");
        CHECK(!(ty_onnx_lack(m, 2, &lack)), "not refused");
        CHECK(!lack.name, "not NULL");
    }
}

/* Each of many operators is another one. */
static void many_lacks(void) {
    struct text words = {0};
    text_add(&words, "%s", "1=10 8{1''2=21} 7{2'g'" X Y);
    for (int i = 0; i < 1001; i++) text_add(&words, "1{4'N%d'}", i);
    text_add(&words, "}");
    char *text = test_own(text_take(&words), mem_free);
    if (!text) return;
    CHECK(strstr(ty_onnx_error(load_model(text, false)), "more than 1000 operators are not"),
          "nothing found");
}

/* Functions 0 .. n - 1, of which each but the first calls the one before it; the graph calls all, the first one first. */
static void called(int n, const char *expected) {
    struct text words = {0};
    text_add(&words, "%s", "1=10 8{1''2=21} 8{1'd'2=1}");
    text_add(&words, "25{1'F0'4'x'5'y'7{1'x'2'y'4'Neg'}9{1''2=21}10'd'}");
    for (int i = 1; i < n; i++)
        text_add(&words, "25{1'F%d'4'x'5'y'7{1'x'2'y'4'F%d'7'd'}9{1'd'2=1}10'd'}", i, i - 1);
    text_add(&words, "7{2'g'%s", X Y);
    for (int i = 0; i < n; i++) text_add(&words, "1{1'x'2'y%.0d'4'F%d'7'd'}", n - 1 - i, i);
    text_add(&words, "}");
    char *text = test_own(text_take(&words), mem_free);
    if (!text) return;
    ty_onnx *m = load_model(text, false);
    CHECK(*expected ? strstr(ty_onnx_error(m), expected) != NULL : !*ty_onnx_error(m), "%d: %s", n,
          ty_onnx_error(m));
}

static void functions(void) {
    called(99, "");
    called(100, "");
    called(101, "more than 100 graphs and functions are inside one another");
}

/* y = x * w + b + 2, where w and b are Constants: w is a parameter, the single number b is not.  Interpolation by a
   stored scale reads its elements while a graph is recorded. */
static void constants(void) {
    ty_onnx *m =
        load_valid_model(MODEL(IN("x", 1, D(2)) Y NODE("Constant", O("w") TENSOR("value", "1=2 2=1 4%3 4%4 "))
                                   NODE("Constant", O("b") TENSOR("value", "2=1 4%2 "))
                                       NODE("Mul", I("x") I("w") O("z")) NODE("Add", I("z") I("b") O("y"))),
                         false);
    ty_tensor *x = ty_var(floats(TY_SHAPE(2), F(1, 2)), "x"), *y = NULL, *g = NULL, *poison = NULL;
    CHECK(ty_onnx_parameters(m) == 1, "%d parameters", ty_onnx_parameters(m));
    ty_tensor *w = ty_onnx_parameter(m, 0);
    equal(ty_eval(w), 2, F(3, 4));
    ty_onnx_run(m, 1, (ty_tensor *[]){floats(TY_SHAPE(2), F(1, 2))}, 1, &y);
    equal(y, 2, F(5, 10));
    CHECK(ty_onnx_record(m, 1, &x, 1, &y), "%s", ty_error(y));
    CHECK(ty_grad(ty_sum(y, TY_ALL), 1, &w, &g), "%s", ty_error(g));
    equal(ty_eval(g), 2, F(1, 2));
    CHECK(ty_assign(w, floats(TY_SHAPE(2), F(5, 6)), &poison), "%s", ty_error(poison));
    ty_onnx_run(m, 1, (ty_tensor *[]){floats(TY_SHAPE(2), F(1, 2))}, 1, &y);
    equal(y, 2, F(7, 14));
    m = load_valid_model(MODEL(IN("x", 1, D(1) D(1) D(2)) Y F32("s", "1=3 ", "4%1 4%1 4%2 ")
                                   NODE("Resize", I("x") I("") I("s") O("y"))),
                         false);
    x = ty_var(floats(TY_SHAPE(1, 1, 2), F(1, 2)), "x");
    CHECK(ty_onnx_record(m, 1, &x, 1, &y), "%s", ty_error(y));
    equal(ty_eval(y), 4, F(1, 1, 2, 2));
}

static void ports(void) {
    ty_onnx *m = load_valid_model(linear, false);
    ty_onnx_port port;
    CHECK(ty_onnx_input(m, 0, &port), "not so");
    CHECK(strcmp(port.name, "x") == 0, "another text");
    CHECK(port.dtype == TY_F32, "another number");
    CHECK(port.rank == 2, "another number");
    CHECK(port.shape[0] == -1 && port.shape[1] == 2, "not so");
    CHECK(strcmp(port.symbols[0], "n") == 0, "another text");
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(3, 4)), *y = NULL;
    CHECK(!(ty_onnx_run(m, 1, &x, 1, &y)), "not refused");
    CHECK(strstr(ty_error(y), "[n, 2] is expected"), "nothing found");
}

static void values(void) {
    const char *const texts[] = {"one", "two"};
    ty_onnx_value *strings = ty_onnx_value_strings(TY_SHAPE(2), texts, NULL);
    ty_onnx_value *list = ty_onnx_value_list(TY_ONNX_SEQUENCE, 1, &strings);
    ty_onnx_value *item = ty_onnx_value_item(list, 0), *none = ty_onnx_value_item(list, 1);
    size_t n = 0;
    if (!ty_onnx_value_failure(item)) {
        CHECK(ty_onnx_value_kind(item) == TY_ONNX_STRINGS, "another number");
        CHECK(strcmp(ty_onnx_value_text(item, 1, &n), "two") == 0, "another text");
        CHECK(n == 3, "another number");
    }
    CHECK(ty_onnx_value_failure(none), "nothing found");
    ty_onnx_value_free(none);
    ty_onnx_value_free(item);
    ty_onnx_value_free(list);
    ty_onnx_value_free(strings);
}

/* Lists and items share tensors, and leave no reference to the caller's scope. */
static void references(void) {
    ty_onnx_value *parts[2] = {test_own(ty_onnx_value_new(ty_ones(TY_F32, TY_SHAPE(2))), free_value)};
    parts[1] = test_own(ty_onnx_value_strings(TY_SHAPE(1), (const char *const[]){"one"}, NULL), free_value);
    const struct ty_onnx_value *x = parts[0];
    int before = x->value.tensor ? atomic_load(&x->value.tensor->refs) : 0;
    ty_onnx_value *list = ty_onnx_value_list(TY_ONNX_SEQUENCE, 2, parts);
    ty_onnx_value *outer = ty_onnx_value_list(TY_ONNX_SEQUENCE, 1, &list);
    ty_onnx_value *item = ty_onnx_value_item(outer, 0);
    bool well = !ty_onnx_value_failure(item) && ty_onnx_value_count(item) == 2;
    ty_onnx_value_free(item);
    ty_onnx_value_free(outer);
    ty_onnx_value_free(list);
    CHECK(well, "no list of two values");
    CHECK(atomic_load(&x->value.tensor->refs) == before, "another number of references");
}

TESTS_MAIN(TEST(segments), TEST(temporaries), TEST(interrupted), TEST(shapes), TEST(parameters),
           TEST(gradients), TEST(stored_weights), TEST(conditions), TEST(loops), TEST(trips), TEST(items),
           TEST(captures), TEST(many_trips), TEST(regions), TEST(derivative), TEST(strings), TEST(lacks),
           TEST(many_lacks), TEST(functions), TEST(constants), TEST(ports), TEST(values), TEST(references))
