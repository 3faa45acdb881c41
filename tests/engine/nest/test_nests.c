/*
 * Nests compute the same as the engines: the sample of each operator, in each dtype and in random layouts, lowered,
 * checked and interpreted.  Bits are those of `cpu` where docs/bits.md promises an order; elsewhere values are near
 * those of `ref`.
 */
#include <string.h>
#include "base/context/context.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/nest_run.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"

enum { ROUNDS = 3 };

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

/* Samples whose composites multiply complex numbers. */
static bool is_near(const char *name) {
    return !strcmp(name, "schur") || !strcmp(name, "qz") || !strcmp(name, "hessenberg");
}

static void same(const char *name, ty_tensor *got, ty_tensor *want) {
    double ulp = relative_ulp(ty_dtype_of(want));
    if (is_near(name))
        compare_near(got, want, 256 * ulp, 256 * ulp, "%s %s", name, ty_dtype_name(ty_dtype_of(want)));
    else
        compare_bits(got, want, "%s %s", name, ty_dtype_name(ty_dtype_of(want)));
}

static void sample_once(const struct operator_sample *sample, ty_dtype dtype) {
    struct test_round round = test_round();
    ty_tensor *x = operand(dtype);
    ty_tensor *want = sample->run(x);
    nest_engine_use();
    ty_tensor *got = sample->run(x);
    ty_use_engine("cpu");
    CHECK(ty_ok(got) == ty_ok(want) || test_starving(), "%s %s: %s, %s", sample->name, ty_dtype_name(dtype),
          ty_error(got), ty_error(want));
    if (ty_ok(got) && ty_ok(want)) same(sample->name, got, want);
    test_round_end(round);
}

static void samples(void) {
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < operator_sample_count; i++)
            for (int dtype = 0; dtype < TY_DTYPES; dtype++)
                sample_once(&operator_samples[i], (ty_dtype)dtype);
}

TESTS_MAIN(TEST(samples))
