/* One memory for runs with all sizes of inputs. */
#include <string.h>
#include <tyto/onnx.h>
#include <tyto/tyto.h>
#include "base/alloc.h"
#include "onnx/api.h"
#include "onnx/trace.h"
#undef I /* of <complex.h> */
#include "tests/onnx/pieces.h"
#include "tests/support/harness.h"
#include "tests/support/onnx_models.h"

/* The sum of cumsum(x) * cumsum(x) over the columns of x[n, 1000]: one number of a row, from 2 arrays of the size of x. */
enum { COLUMNS = 1000, ROWS = 64 };
#define SUMS                                                                                                 \
    I64("axis", "", "7=1 ")                                                                                  \
    NODE("CumSum", I("x") I("axis") O("c"))                                                                  \
    NODE("CumSum", I("c") I("axis") O("d"))                                                                  \
    NODE("Mul", I("c") I("d") O("e")) NODE("ReduceSum", I("e") I("axis") O("y") INT("keepdims", 0))
static const char sums[] = MODEL(IN("x", 1, SYMBOL("n") D(1000)) Y SUMS);

/* Run the model on n rows of ones, at most ROWS + 1; each sum is that of k * k (k + 1) / 2. */
static void run_rows(ty_onnx *m, int64_t n) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(n, COLUMNS)), *y = NULL;
    float got[ROWS + 1];
    double expected = 0;
    for (double k = 1; k <= COLUMNS; k++) expected += k * k * (k + 1) / 2;
    CHECK(ty_onnx_run(m, 1, &x, 1, &y), "%s", ty_error(y));
    if (ty_ok(y) && ty_size(y) == n && ty_read(y, TY_F32, got))
        for (int64_t i = 0; i < n; i++)
            CHECK((double)got[i] > 0.999 * expected && (double)got[i] < 1.001 * expected, "%g, not %g",
                  (double)got[i], expected);
    else
        CHECK(false, "no sums of %d rows", (int)n);
    ty_close(scope);
}

/* Return the bytes that a run with n rows adds to those in use, without its input. */
static int64_t taken(ty_onnx *m, int64_t n) {
    mem_peak_begin();
    int64_t before = mem_peak();
    run_rows(m, n);
    return mem_peak() - before - n * COLUMNS * (int64_t)sizeof(float);
}

/* Smaller runs keep their intermediate results in the memory of the largest, also if they come first. */
static void smaller(void) {
    ty_onnx *m = load_valid_model(sums, false);
    int64_t bytes = 0, size = ROWS;
    ty_tensor *error = NULL;
    CHECK(ty_onnx_reserve(m, 1, (const char *const[]){"n"}, &size, &bytes, &error), "%s", ty_error(error));
    const void *memory = onnx_of(m)->shared;
    CHECK(bytes >= ROWS * COLUMNS * (int64_t)sizeof(float) && memory, "%lld bytes", (long long)bytes);
    CHECK(bytes == onnx_of(m)->shared_bytes, "another number");
    int64_t inputs = 0, before = mem_bytes();
    for (int64_t n = ROWS - 9; n > 0; n -= 9) {
        run_rows(m, n);
        inputs += n * COLUMNS * (int64_t)sizeof(float); /* the model keeps the last input of each shape */
    }
    int64_t grown = mem_bytes() - before - inputs;
    CHECK(grown < bytes / 2, "smaller runs have allocated %lld bytes beside %lld", (long long)grown,
          (long long)bytes);
    for (int64_t n = 1; n <= ROWS; n += 9) {
        int64_t more = taken(m, n);
        CHECK(more < 20000, "%lld bytes for %lld rows", (long long)more, (long long)n);
    }
    CHECK(onnx_of(m)->shared == memory && onnx_of(m)->shared_bytes == bytes, "another memory");
    run_rows(m, ROWS + 1);
    CHECK(onnx_of(m)->shared_bytes > bytes, "no larger memory for a larger run");
    run_rows(m, 1);
}

/* Without the call, memory grows with the runs, and only the largest block is kept. */
static void growing(void) {
    ty_onnx *m = load_valid_model(sums, false);
    int64_t most = 0;
    for (int64_t n = 1; n <= ROWS; n *= 2) {
        run_rows(m, n);
        CHECK(onnx_of(m)->shared_bytes > most, "no larger memory for a larger run");
        most = onnx_of(m)->shared_bytes;
    }
    run_rows(m, 1);
    CHECK(onnx_of(m)->shared_bytes == most, "another memory");
}

static void refused(const char *text, int n, const char *symbol, int64_t size, const char *expected) {
    ty_tensor *error = NULL;
    int64_t bytes = 1;
    CHECK(!ty_onnx_reserve(load_valid_model(text, false), n, &symbol, &size, &bytes, &error), "not refused");
    CHECK(strstr(ty_error(error), expected), "another message: %s", ty_error(error));
    CHECK(bytes == 0, "%lld bytes", (long long)bytes);
}

static void refusals(void) {
    refused(sums, 0, NULL, 0, "expected a size of n, input \"x\", axis 0");
    refused(sums, 1, "m", 3, "no input has a size m");
    refused(sums, 1, "n", 0, "n is 0; expected at least 1");
    refused(sums, 1, NULL, 3, "symbol 0 is NULL");
    refused(sums, -1, "n", 3, "its length negative");
    refused(MODEL(IN("x", 8, SYMBOL("n")) OUT("y", 8) NODE("Identity", I("x") O("y"))), 1, "n", 3,
            "is no tensor of a known rank");
    refused(MODEL(IN("x", 1, "1{}") Y NODE("Neg", I("x") O("y"))), 1, "x.1", 3, "no input has a size x.1");
    CHECK(!ty_onnx_reserve(NULL, 0, NULL, NULL, NULL, NULL), "not refused");
}

/* The name of an input and an axis stand for a size without a symbol. */
static void unnamed(void) {
    ty_onnx *m = load_valid_model(MODEL(IN("x", 1, "1{}" D(1000)) Y SUMS), false);
    int64_t bytes = 0, size = ROWS;
    ty_tensor *error = NULL;
    CHECK(ty_onnx_reserve(m, 1, (const char *const[]){"x.0"}, &size, &bytes, &error), "%s", ty_error(error));
    CHECK(bytes >= ROWS * COLUMNS * (int64_t)sizeof(float), "%lld bytes", (long long)bytes);
    run_rows(m, 3);
}

/* A model that refuses zeros is run on the largest inputs instead: a run that also fails on values shows nothing about
   others of its shapes.  y has the numbers from 0 to 4 in steps of d. */
static void zeros_refused(void) {
    ty_onnx *m = load_valid_model(MODEL(IN("d", 1, "") Y F32("first", "", "4%0 ") F32("end", "", "4%4 ")
                                            NODE("Neg", I("d") O("e")) NODE("Neg", I("e") O("f"))
                                                NODE("Range", I("first") I("end") I("f") O("y"))),
                                  false);
    ty_tensor *d[] = {ty_zeros(TY_F32, TY_SCALAR), ty_ones(TY_F32, TY_SCALAR)}, *y = NULL;
    CHECK(!ty_onnx_reserve(m, 0, NULL, NULL, NULL, NULL), "zeros are not refused");
    CHECK(!ty_onnx_run(m, 1, &d[0], 1, &y), "a step of 0 is not refused");
    for (int run = 0; run < 2; run++) {
        CHECK(ty_onnx_run(m, 1, &d[1], 1, &y) && ty_size(y) == 4, "%s", ty_error(y));
        CHECK(onnx_of(m)->traces && !onnx_of(m)->traces->failed, "runs go node by node");
        CHECK(onnx_of(m)->fallbacks == 0, "another number");
    }
    CHECK(!ty_onnx_run(m, 1, &d[0], 1, &y), "a step of 0 is not refused");
    CHECK(ty_onnx_run(m, 1, &d[1], 1, &y) && ty_size(y) == 4, "%s", ty_error(y));
    CHECK(!onnx_of(m)->traces->failed, "runs go node by node");
}

/* A function for progress that calls the running model would use its memory. */
static void nested(void) {
    ty_onnx *m = load_valid_model(sums, false);
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(1, COLUMNS)), *y = NULL;
    onnx_of(m)->running = true;
    CHECK(!ty_onnx_run(m, 1, &x, 1, &y) && ty_error_code(y) == TY_ERROR_STATE, "not refused");
    onnx_of(m)->running = false;
    run_rows(m, 1);
}

/* New parameters would drop the traces of the running model. */
static void nested_parameters(void) {
    ty_onnx *m = load_valid_model(ON_X("Add", F32("w", "1=2 ", "4%1 4%2 "), ""), false);
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2)), *y = NULL;
    CHECK(ty_onnx_run(m, 1, &x, 1, &y), "%s", ty_error(y));
    const struct onnx_trace *trace = onnx_of(m)->traces;
    onnx_of(m)->running = true;
    CHECK(ty_error_code(ty_onnx_parameter(m, 0)) == TY_ERROR_STATE, "not refused");
    CHECK(!ty_onnx_record(m, 1, &x, 1, &y) && ty_error_code(y) == TY_ERROR_STATE, "not refused");
    CHECK(onnx_of(m)->traces == trace, "the trace of the run is gone");
    onnx_of(m)->running = false;
    CHECK_OK(ty_onnx_parameter(m, 0));
    onnx_of(m)->running = true;
    CHECK_OK(ty_onnx_parameter(m, 0));
    CHECK(ty_onnx_record(m, 1, &x, 1, &y), "%s", ty_error(y));
    onnx_of(m)->running = false;
}

TESTS_MAIN(TEST(smaller), TEST(growing), TEST(refusals), TEST(unnamed), TEST(zeros_refused), TEST(nested),
           TEST(nested_parameters))
