/* Rows of ONNX's operators that the official suite has no cases for: rows.def. */
#include <math.h>
#include <string.h>
#include <tyto/onnx.h>
#include "tests/onnx/pieces.h"
#include "tests/support/harness.h"
#include "tests/support/wire_text.h"

enum { MOST_NUMBERS = 24, MOST_RESULTS = 4 };

static const struct {
    const char *name, *model;
    int n;
    double numbers[MOST_NUMBERS];
} rows[] = {
#define ROW(name, model, ...) {#name, model, sizeof((double[]){__VA_ARGS__}) / sizeof(double), {__VA_ARGS__}},
#include "tests/onnx/rows.def"
};

static void check_numbers(size_t i, ty_tensor *y) {
    double found[MOST_NUMBERS];
    bool read = ty_size(y) == rows[i].n && ty_read(y, TY_F64, found);
    CHECK(read || test_starving(), "%s: %lld numbers", rows[i].name, (long long)ty_size(y));
    for (int k = 0; k < rows[i].n && read; k++)
        CHECK(fabs(found[k] - rows[i].numbers[k]) <= 1e-6 + 1e-6 * fabs(rows[i].numbers[k]),
              "%s: number %d is %g; expected %g", rows[i].name, k, found[k], rows[i].numbers[k]);
}

static void results(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round r = test_round();
        struct wire w = wire_text(rows[i].model);
        ty_onnx *m = ty_onnx_parse(w.bytes, w.n, (ty_onnx_options){.eager = true});
        ty_tensor *x = ty_from(TY_F32, TY_SHAPE(2), (float[]){1, -2}), *y[MOST_RESULTS];
        bool well = ty_onnx_run(m, 1, &x, ty_onnx_outputs(m), y);
        CHECK(well || test_starving(), "%s: %s %s", rows[i].name, ty_onnx_error(m),
              *ty_onnx_error(m) ? "" : ty_error(y[0]));
        if (well) check_numbers(i, y[0]);
        ty_onnx_free(m);
        wire_drop(&w);
        test_round_end(r);
    }
}

/* Run a model on a row (3, 1, 0, ..) of 2048 numbers, within so much memory of tensors.  All columns of the result are
   `expected`. */
static void run_within(const char *model, int64_t most_bytes, float expected) {
    enum { K = 2048 };
    static float row[K] = {3, 1};
    for (int eager = 0; eager < 2; eager++) {
        struct test_round r = test_round();
        struct wire w = wire_text(model);
        ty_onnx *m = ty_onnx_parse(w.bytes, w.n, (ty_onnx_options){.eager = eager});
        ty_tensor *x = ty_from(TY_F32, TY_SHAPE(1, K), row), *y;
        ty_limits(NULL, 0, most_bytes);
        bool well = ty_onnx_run(m, 1, &x, 1, &y);
        ty_limits(NULL, 0, 0);
        CHECK(well || test_starving(), "%s %s", ty_onnx_error(m), *ty_onnx_error(m) ? "" : ty_error(y));
        const float *found = well ? ty_data(y) : NULL;
        for (int64_t i = 0; found && i < ty_size(y); i++)
            CHECK(found[i] == expected, "column %lld is %g; expected %g", (long long)i, (double)found[i],
                  (double)expected);
        ty_onnx_free(m);
        wire_drop(&w);
        test_round_end(r);
    }
}
/* Products with 2048 x 2048 weights of 4 bits, whose scales are 3c3c3c3c as f32, take less memory than these weights as
   f32, 16 MiB. */
static void weights_stay_packed(void) {
    enum { MOST_BYTES = 6 << 20 };
    float scale;
    memset(&scale, 0x3c, sizeof scale);
#define WEIGHTS(dtype, sizes, byte) STORED("b", dtype, "1=2048 " sizes, "9^2097152:" byte " ")
#define SCALES(sizes) STORED("s", 1, sizes, "9^524288:3c ")
#define ROW_IN IN("x", 1, D(1) D(2048)) Y
    /* rows of weights are 1, -1, 1, -1, ...: 9 and 7 less 8 */
    run_within(MS_MODEL(ROW_IN WEIGHTS(2, "1=64 1=16 ", "79") SCALES("1=2048 1=64 ")
                            MS("MatMulNBits", I("x") I("b") I("s") O("y") INT("K", 2048) INT("N", 2048)
                                                  INT("bits", 4) INT("block_size", 32))),
               MOST_BYTES, 2 * scale);
    /* all weights are 2 */
    run_within(MODEL(ROW_IN WEIGHTS(21, "1=2048 ", "22") SCALES("1=64 1=2048 ")
                         NODE("DequantizeLinear", I("b") I("s") O("w") INT("axis", 0) INT("block_size", 32))
                             NODE("MatMul", I("x") I("w") O("y"))),
               MOST_BYTES, 8 * scale);
    /* rows are -1, 1, -1, 1, ... */
    run_within(MODEL(ROW_IN WEIGHTS(22, "1=2048 ", "1f") SCALES("1=2048 1=64 ")
                         NODE("DequantizeLinear", I("b") I("s") O("w") INT("axis", 1) INT("block_size", 32))
                             NODE("Gemm", I("x") I("w") O("y") INT("transB", 1))),
               MOST_BYTES, -2 * scale);
    /* all weights are 2 less a zero point of 1; the last tile and block of columns are not whole */
    run_within(
        MODEL(ROW_IN STORED("b", 21, "1=2048 1=1100 ", "9^1126400:22 ") STORED(
            "s", 1, "1=2048 1=3 ", "9^24576:3c ") STORED("z", 21, "1=2048 1=3 ", "9^3072:11 ")
                  NODE("DequantizeLinear", I("b") I("s") I("z") O("w") INT("axis", 1) INT("block_size", 512))
                      NODE("MatMul", I("x") I("w") O("y"))),
        MOST_BYTES, 4 * scale);
#undef WEIGHTS
#undef SCALES
#undef ROW_IN
}

TESTS_MAIN(TEST(results), TEST(weights_stay_packed))
