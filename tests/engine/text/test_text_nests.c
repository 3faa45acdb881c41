/*
 * Kernels as text compute the same as cpu: the sample of operators, in random dtypes and layouts, lowered to nests,
 * rendered, and run by OpenCL and as C99.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"
#include "tests/support/text_engine.h"

/* Return the sample's operand: x [1,4,4,1] with gaps, axes turned round or repeated. */
static ty_tensor *operand(ty_dtype dtype) {
    ty_tensor *x = sample_shape(dtype, 4, (int64_t[]){2, 8, 8, 2}, -3, 3);
    for (int axis = 0; axis < 4; axis++) {
        int64_t size = axis % 3 ? 4 : 1, step = size == 4 ? test_between(1, 2) : 1;
        int64_t start = test_between(0, ty_shape(x)[axis] - (size - 1) * step - 1);
        x = ty_slice(x, axis, start, start + (size - 1) * step + 1, step);
        if (test_between(0, 2) == 0) x = ty_flip(x, axis);
    }
    return test_between(0, 2) ? x : ty_permute(x, (int[]){0, 2, 1, 3});
}

static void sample_once(const struct operator_sample *sample, ty_dtype dtype, struct device *d) {
    struct test_round round = test_round();
    ty_tensor *x = operand(dtype);
    ty_tensor *want = sample->run(x);
    text_engine_use(d);
    ty_tensor *got = sample->run(x);
    ty_use_engine("cpu");
    CHECK(ty_ok(got) == ty_ok(want) || test_starving(), "%s %s: %s, %s", sample->name, ty_dtype_name(dtype),
          ty_error(got), ty_error(want));
    if (ty_ok(got) && ty_ok(want)) compare_bits(got, want, "%s %s", sample->name, ty_dtype_name(dtype));
    test_round_end(round);
}

/* Run samples in some of the real dtypes. */
static void samples_on(struct device *d) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_BOOL, TY_I32, TY_U8, TY_F16, TY_I64, TY_BF16};
    const char *only = getenv("TY_TEST_SAMPLE");
    int every = (int)test_some(1, 8, 64), turn = (int)test_between(0, every - 1);
    for (int i = 0; i < operator_sample_count; i++)
        for (int k = 0; k < (int)(sizeof dtypes / sizeof *dtypes); k++, turn++)
            if (only ? !strcmp(only, operator_samples[i].name) : turn % every == 0)
                sample_once(&operator_samples[i], dtypes[k], d);
    CHECK(text_engine_made() > 0, "no kernel ran as text");
}
static void samples_in_c99(void) {
    const char *why;
    struct device *d = device_c99(&why);
    d ? samples_on(d) : (void)printf("skipped: %s\n", why);
}
static void samples_in_opencl(void) {
    const char *why;
    struct device *d = device_opencl(&why);
    d ? samples_on(d) : (void)printf("skipped: %s\n", why);
}

TESTS_MAIN(TEST(samples_in_c99), TEST(samples_in_opencl))
