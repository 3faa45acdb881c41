/* Rows of ONNX's operators that the official suite has no cases for: rows.def. */
#include <math.h>
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

TESTS_MAIN(TEST(results))
