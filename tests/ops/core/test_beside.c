/* Memory that functions allocate besides their results: the growth in bytes per element from one length to
   four times it. */
#include "tests/support/samples/beside.h"

#include "tests/support/harness.h"

static const struct use {
    const char *text;
    double bytes[2];
} uses[] = {
#define BESIDE(text, of_u8, of_f32) {text, {of_u8, of_f32}},
#include "tests/support/samples/beside.def"
};

enum { SHORT = 1 << 20, LONG = 4 * SHORT };

/* Cached blocks and parts of the work vary with the number of pieces. */
static const double slack = 1.0 / 16;

static struct beside measured(ty_dtype dtype, int64_t n, const char *text) {
    ty_tensor *x[BESIDE_NAMES];
    struct test_round round = test_round();
    beside_operands(dtype, n, x);
    struct beside b = beside_of(text, x);
    if (b.error && !test_starving()) test_fail(__FILE__, __LINE__, text, "%s", b.error);
    test_round_end(round);
    return b;
}

static void check_all(ty_dtype dtype, int column) {
    int64_t few_n = test_starving() ? 2 * BESIDE_COLUMNS : SHORT, many_n = test_starving() ? few_n : LONG;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const struct use *use = &uses[i];
        struct beside few = measured(dtype, few_n, use->text), many = measured(dtype, many_n, use->text);
        double grows = (double)(many.peak - few.peak) / (LONG - SHORT);
        CHECK(test_starving() || grows <= use->bytes[column] + slack,
              "%s of %s: %.2f bytes an element beside the result, not %g", use->text, ty_dtype_name(dtype),
              grows, use->bytes[column]);
    }
}

static void bytes(void) { check_all(TY_U8, 0); }
static void floats(void) { check_all(TY_F32, 1); }

/* Return the bytes allocated for the gradient of a chain of n sines, besides the chain and its result. */
static int64_t backward_peak(int n, int64_t elements) {
    struct test_round round = test_round();
    ty_tensor *x = ty_track(ty_uniform(TY_F32, 1, &elements, ty_key(1)), "x"), *y = x, *gradient;
    for (int i = 0; i < n; i++) y = ty_sin(y);
    y = ty_sum(y, TY_ALL);
    int64_t before = mem_bytes();
    mem_peak_begin();
    ty_set_history(false); /* otherwise the gradient keeps its operands, to be differentiated again */
    ty_grad(y, 1, &x, &gradient);
    ty_set_history(true);
    int64_t peak = mem_peak() - before;
    CHECK_OK(gradient);
    test_round_end(round);
    return peak;
}

/* The incoming gradient of a node is freed after use, so that memory does not depend on the chain's
   length. */
static void backward(void) {
    enum { ELEMENTS = 1 << 16, VECTORS = 4 };
    for (int n = 4; n <= 64; n *= 4) {
        double vectors = (double)backward_peak(n, ELEMENTS) / (4 * ELEMENTS);
        CHECK(vectors <= VECTORS, "%.2f vectors at once in the gradient of %d sines, not %d", vectors, n,
              VECTORS);
    }
}

TESTS_MAIN(TEST(bytes), TEST(floats), TEST(backward))
