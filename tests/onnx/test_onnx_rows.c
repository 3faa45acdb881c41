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

/* A product with 2048 x 2048 weights of 4 bits, alternately 1 and -1 times a scale, runs in less memory than these weights
   take as f32, 16 MiB. */
static void weights_stay_packed(void) {
    enum { K = 2048, MOST_BYTES = 6 << 20 };
    static const char model[] =
        MS_MODEL(IN("x", 1, D(1) D(2048)) Y STORED("b", 2, "1=2048 1=64 1=16 ", "9^2097152:79 ")
                     STORED("s", 1, "1=2048 1=64 ", "9^524288:3c ")
                         MS("MatMulNBits", I("x") I("b") I("s") O("y") INT("K", 2048) INT("N", 2048)
                                               INT("bits", 4) INT("block_size", 32)));
    static float row[K] = {3, 1};
    float scale;
    memset(&scale, 0x3c, sizeof scale);
    for (int eager = 0; eager < 2; eager++) {
        struct test_round r = test_round();
        struct wire w = wire_text(model);
        ty_onnx *m = ty_onnx_parse(w.bytes, w.n, (ty_onnx_options){.eager = eager});
        ty_tensor *x = ty_from(TY_F32, TY_SHAPE(1, K), row), *y;
        ty_limits(NULL, 0, MOST_BYTES);
        bool well = ty_onnx_run(m, 1, &x, 1, &y);
        ty_limits(NULL, 0, 0);
        CHECK(well || test_starving(), "%s %s", ty_onnx_error(m), *ty_onnx_error(m) ? "" : ty_error(y));
        const float *found = well ? ty_data(y) : NULL;
        for (int i = 0; i < K && found; i++)
            CHECK(found[i] == 2 * scale, "column %d is %g; expected %g", i, (double)found[i],
                  2 * (double)scale);
        ty_onnx_free(m);
        wire_drop(&w);
        test_round_end(r);
    }
}

TESTS_MAIN(TEST(results), TEST(weights_stay_packed))
