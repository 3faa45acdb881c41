/*
 * Kernels on OpenCL compute the bits of `cpu`: the sample of each operator, in f32 and a random dtype, in a random layout.
 * The kernels are built together (gather.h); those that the device lacks run on `cpu`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/opencl/api.h"
#include "engine/opencl/opencl.h"
#include "ops/core/kernel/devices.h"
#include "ops/sparse/sparse.h"
#include "tests/support/compare.h"
#include "tests/support/far.h"
#include "tests/support/gather.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"
#include "tests/support/starve.h"

static const char device[] = "opencl:0";

static void close_devices(void *family) {
    (ty_use_engine)("cpu");
    opencl_force_tiles(false);
    gather_drop();
    ty_trim();
    engine_remove(family);
}

/* Return true if there is a device; else false, after a sentence. */
static bool begin(void) {
    struct fault why = {0};
    starve_others(false); /* drivers end the process without memory */
    int n = opencl_family.count(&why);
    if (!n) printf("nothing to test: %s\n", why.text);
    if (!n || test_starving()) return false;
    opencl_force_tiles(true); /* the sizes of samples are small */
    far_begin();
    test_own((void *)&opencl_family, close_devices);
    return true;
}

/* Return the sample's operand: x [1,4,4,1] with gaps, axes turned round or permuted. */
static ty_tensor *operand(ty_dtype dtype) {
    ty_tensor *x = sample_shape(dtype, 4, (int64_t[]){2, 8, 8, 2}, -3, 3);
    for (int axis = 0; axis < 4; axis++) {
        int64_t size = axis % 3 ? 4 : 1, start = test_between(0, size), step = test_between(1, 2);
        if (start + (size - 1) * step >= ty_shape(x)[axis]) start = 0;
        x = ty_slice(x, axis, start, start + (size - 1) * step + 1, step);
        if (test_between(0, 2) == 0) x = ty_flip(x, axis);
    }
    return test_between(0, 2) ? x : ty_permute(x, (int[]){0, 2, 1, 3});
}

/* Compute a sample on the device and compare it with that of `cpu`; or, if `gathers`, show its kernels to the device. */
static void compute(const struct operator_sample *sample, ty_dtype dtype, bool gathers) {
    struct test_round round = test_round();
    ty_tensor *x = operand(dtype), *want = gathers ? x : sample->run(x);
    if (gathers)
        gather_use(device);
    else
        CHECK((ty_use_engine)(device), "no %s", device);
    ty_tensor *got = sample->run(x);
    (ty_use_engine)("cpu");
    CHECK(gathers || ty_ok(got) == ty_ok(want), "%s %s: %s, %s", sample->name, ty_dtype_name(dtype),
          ty_error(got), ty_error(want));
    if (!gathers && ty_ok(got)) operator_sample_compare(sample, dtype, got, want);
    test_round_end(round);
}

static void samples(void) {
    struct fault fault = {0};
    if (!begin()) return;
    for (int pass = 0; pass < 2; pass++) {
        test_random_from(1);
        for (int i = 0; i < operator_sample_count; i += test_some(1, 3, 1)) {
            compute(&operator_samples[i], TY_F32, pass == 0);
            compute(&operator_samples[i], (ty_dtype)test_between(0, TY_DTYPES - 1), pass == 0);
        }
        int n = pass ? 0 : gather_end();
        if (n && test_verbose()) printf("%d kernels are built together\n", n);
    }
    CHECK(!atomic_load(&opencl_refused_lean),
          "%d programs call functions that prelude/opencl_functions.h lacks",
          atomic_load(&opencl_refused_lean));
    const struct engine *engine = engine_open(device, &fault);
    CHECK(engine, "%s", fault.text);
    if (test_verbose())
        printf("%lld kernels on cpu\n", (long long)atomic_load(&((struct device *)engine->device)->lacked));
}

/* ---- refusals: the messages of `ref` ---- */

static void compare_refusal(ty_tensor *(*run)(const void *context), const void *context) {
    (ty_use_engine)("ref");
    ty_tensor *want = run(context);
    CHECK((ty_use_engine)(device), "no %s", device);
    ty_tensor *got = run(context);
    (ty_use_engine)("cpu");
    CHECK(!ty_ok(want) && !ty_ok(got) && !strcmp(ty_error(got), ty_error(want)), "%s; expected %s",
          ty_error(got), ty_error(want));
}

static ty_tensor *take_outside(const void *unused) {
    (void)unused;
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(3, 4));
    return ty_take(x, ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){0, 9, 7}), 1);
}

/* A pattern of a sparse matrix of 3 rows. */
struct pattern {
    int kind;
    int32_t indices[4];
    int64_t starts[4];
};
static ty_tensor *multiply(const void *context) {
    const struct pattern *p = context;
    ty_tensor *values = ty_ones(TY_F64, TY_SHAPE(4)), *x = ty_ones(TY_F64, TY_SHAPE(3, 2));
    struct sparse_attr attr = {.kind = p->kind,
                               .part = p->kind == SPARSE_SOLVE ? SPARSE_BELOW : SPARSE_ALL,
                               .size = p->kind == SPARSE_ADD ? 3 : 0};
    return sparse_record(attr, p->kind == SPARSE_DOT ? x : values, x,
                         ty_from(TY_I32, TY_SHAPE(4), p->indices), ty_from(TY_I64, TY_SHAPE(4), p->starts));
}

static void refuses(void) {
    static const struct pattern patterns[] = {
        {0, {0, 1, 3, 2}, {0, 1, 2, 4}}, {0, {0, -1, 1, 2}, {0, 1, 2, 4}}, {0, {0, 1, 1, 2}, {0, 3, 2, 4}},
        {0, {0, 1, 1, 2}, {0, 5, 2, 4}}, {0, {0, 1, 1, 2}, {1, 1, 2, 4}},  {0, {0, 1, 1, 2}, {0, 1, 2, 3}}};
    if (!begin()) return;
    compare_refusal(take_outside, NULL);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (int kind = 0; kind < SPARSE_KINDS; kind++) {
            struct pattern p = patterns[i];
            p.kind = kind;
            compare_refusal(multiply, &p);
        }
}

TESTS_MAIN(TEST(samples), TEST(refuses))
