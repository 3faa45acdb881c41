/*
 * Kernels as text compute the same as cpu: the sample of operators, in random dtypes and layouts, lowered to nests,
 * rendered, and run by OpenCL and as C99.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "engine/text/source.h"
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
    if (ty_ok(got) && ty_ok(want)) operator_sample_compare(sample, dtype, got, want);
    test_round_end(round);
}

/* Run samples: some that are drawn, since a compiler runs for each kernel; all with TY_TEST_TEXT=all,
   and those of one name with TY_TEST_SAMPLE. */
static void samples_on(struct device *d) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_BOOL, TY_I32, TY_U8,
                                      TY_F16, TY_I64, TY_BF16, TY_C64, TY_C128};
    const char *only = getenv("TY_TEST_SAMPLE"), *all = getenv("TY_TEST_TEXT");
    int every = all && !strcmp(all, "all") ? 1 : test_some(40, 80, 80),
        turn = (int)test_between(0, every - 1);
    for (int i = 0; i < operator_sample_count; i++)
        for (int k = 0; k < (int)(sizeof dtypes / sizeof *dtypes); k++, turn++)
            if (only ? !strcmp(only, operator_samples[i].name) : turn % every == 0)
                sample_once(&operator_samples[i], dtypes[k], d);
    CHECK(text_engine_made() > 0, "no kernel ran as text");
}
/* Nests that are cut into tiles: each has an axis of 4 elements or more, and sizes that tiles do not divide. */
static ty_tensor *product(ty_dtype dtype, int64_t m, int64_t n, int64_t k) {
    bool turned = test_between(0, 1), across = test_between(0, 1);
    ty_tensor *a = sample_shape(dtype, 2, turned ? (int64_t[]){k, m} : (int64_t[]){m, k}, -1, 1);
    ty_tensor *b = sample_shape(dtype, 2, across ? (int64_t[]){n, k} : (int64_t[]){k, n}, -1, 1);
    return ty_matmul(turned ? ty_transpose(a) : a, across ? ty_transpose(b) : b);
}
static ty_tensor *convolution(ty_dtype dtype, int64_t m, int64_t n, int64_t k) {
    int64_t groups = test_between(1, 2), in = 1 + k % 5;
    ty_tensor *x = sample_shape(dtype, 4, (int64_t[]){2, 3 + m % 9, 4 + m % 7, groups * in}, -1, 1);
    ty_tensor *w = sample_shape(dtype, 4, (int64_t[]){3, 2, in, groups * n}, -1, 1);
    ty_conv options = {.stride = {1 + m % 2, 1}, .same = test_between(0, 1), .groups = groups};
    return ty_conv2d(x, w, options);
}
static ty_tensor *kernel_gradient(ty_dtype dtype, int64_t m, int64_t n, int64_t k) {
    ty_tensor *x = sample_shape(dtype, 4, (int64_t[]){1 + k % 60, 5, 4, 1 + m % 2}, -1, 1), *g;
    ty_tensor *w = ty_var(sample_shape(dtype, 4, (int64_t[]){3, 3, 1 + m % 2, n}, -1, 1), "w");
    ty_grad(ty_sum(ty_square(ty_conv2d(x, w, (ty_conv){.same = true})), TY_ALL), 1, &w, &g);
    return ty_eval(g);
}
static ty_tensor *column_sums(ty_dtype dtype, int64_t m, int64_t n, int64_t k) {
    ty_tensor *x = sample_shape(dtype, 3, (int64_t[]){1 + m % 3, 30 * k, n}, -1, 1);
    return test_between(0, 1) ? ty_sum(x, ty_axis(1)) : ty_prod(x, ty_axis(2));
}
static ty_tensor *row_sums(ty_dtype dtype, int64_t m, int64_t n, int64_t k) {
    ty_tensor *x = sample_shape(dtype, 2, (int64_t[]){m, 30 * k + n}, -1, 1);
    ty_tensor *mean = ty_mean(x, ty_axes_of(1, (int[]){-1}, true));
    return ty_add(ty_sum(ty_square(ty_sub(x, mean)), ty_axis(1)), ty_amax(x, ty_axis(1)));
}
static ty_tensor *softmax(ty_dtype dtype, int64_t m, int64_t n, int64_t k) {
    ty_tensor *x = sample_shape(dtype, 2, (int64_t[]){m, n + k}, -3, 3);
    return ty_softmax(test_between(0, 1) ? ty_transpose(x) : x, (int)test_between(0, 1));
}
/* Maps of vectors, rows of lines that lie across, masks, casts, and operands that some axes repeat. */
static ty_tensor *map(ty_dtype dtype, int64_t m, int64_t n, int64_t k) {
    ty_tensor *x = sample_shape(dtype, 2, (int64_t[]){n, m}, -2, 2), *y = ty_transpose(x);
    ty_tensor *row = sample_shape(dtype, 1, (int64_t[]){n}, -2, 2),
              *z = sample_shape(dtype, 2, (int64_t[]){m, n}, -2, 2);
    ty_tensor *near = ty_lt(ty_abs(ty_sub(y, z)), ty_num(1));
    if (k % 3 == 0) return near;
    ty_tensor *chosen = ty_where(near, ty_mul(ty_exp(y), row), ty_div(z, ty_add(ty_abs(row), ty_num(1))));
    return k % 3 == 1 ? chosen : ty_add(ty_sin(chosen), ty_cast(ty_cast(z, TY_I32), dtype));
}
static ty_tensor *pool(ty_dtype dtype, int64_t m, int64_t n, int64_t k) {
    ty_tensor *x = sample_shape(dtype, 4, (int64_t[]){2, 3 + m % 9, 4 + k % 7, n}, -1, 1);
    ty_pool options = {.size = {3, 2}, .stride = {1 + m % 2, 1}, .same = test_between(0, 1)};
    return ty_relu(test_between(0, 1) ? ty_max_pool2d(x, options) : ty_avg_pool2d(x, options));
}
/* Squares of lines across, several of them, and the ends of lines. */
static ty_tensor *across(ty_dtype dtype, int64_t m, int64_t n, int64_t k) {
    ty_tensor *x = sample_shape(dtype, 3, (int64_t[]){2, n + k % 16, m + 16}, -2, 2);
    ty_tensor *y = ty_permute(x, (int[]){0, 2, 1});
    return test_between(0, 1) ? ty_contiguous(y) : ty_exp(y);
}
static ty_tensor *(*const sums[])(ty_dtype, int64_t, int64_t, int64_t) = {
    product, convolution, kernel_gradient, column_sums, row_sums, softmax, map, pool, across};
static void tiles_on(struct device *d) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_F16};
    for (int i = 0; i < test_some(9, 36, 18); i++) {
        struct test_round round = test_round();
        ty_dtype dtype = dtypes[test_between(0, 2)];
        int64_t m = test_between(1, 40), n = test_between(4, 40), k = test_between(1, 70);
        uint64_t seed = test_random();
        int64_t before = text_engine_made();
        ty_tensor *got[2];
        for (int side = 0; side < 2; side++) {
            if (side) text_engine_use(d);
            test_random_from(seed);
            got[side] = sums[i % 9](dtype, m, n, k);
            ty_use_engine("cpu");
        }
        test_random_from(seed + 1);
        CHECK(text_engine_made() > before, "tile %d did not run as text", i % 9);
        compare_bits(got[1], got[0], "tile %d of %s, %d x %d x %d", i % 9, ty_dtype_name(dtype), (int)m,
                     (int)n, (int)k);
        test_round_end(round);
    }
}

/* Products whose right operand is copied to panels; convolutions whose left one is, without guards; sums in parts. */
static ty_tensor *long_product(void) {
    return ty_matmul(sample_shape(TY_F32, 2, (int64_t[]){515, 1030}, -1, 1),
                     sample_shape(TY_F32, 2, (int64_t[]){1030, 128}, -1, 1));
}
static ty_tensor *product_across(void) {
    ty_tensor *right = sample_shape(TY_F32, 2, (int64_t[]){64 * test_between(2, 4), 261}, -1, 1);
    return ty_matmul(sample_shape(TY_F32, 2, (int64_t[]){67, 261}, -1, 1), ty_transpose(right));
}
static ty_tensor *long_convolution(void) {
    return ty_conv2d(sample_shape(TY_F32, 4, (int64_t[]){1, 24, 25, 64}, -1, 1),
                     sample_shape(TY_F32, 4, (int64_t[]){3, 3, 64, 256}, -1, 1), (ty_conv){.same = true});
}
static ty_tensor *long_sums(void) {
    int64_t rows = test_between(1, 4), terms = test_between(1, 2) << 17;
    if (test_between(0, 1)) terms += test_between(1, 5000);
    ty_tensor *x = sample_shape(TY_F32, 2, (int64_t[]){rows, terms}, -1, 1), *mean = ty_mean(x, TY_ALL);
    return ty_add(ty_sum(ty_square(ty_sub(x, mean)), ty_axis(1)), mean);
}
/* Vectors that are stored past the caches: in a transpose, and in one loop. */
static ty_tensor *long_map(void) {
    ty_tensor *x = sample_shape(TY_F32, 2, (int64_t[]){1050, 2003 + test_between(0, 60)}, -1, 1);
    return ty_add(ty_contiguous(ty_transpose(x)), ty_num(1));
}
static ty_tensor *long_columns(void) {
    return ty_sum(sample_shape(TY_F32, 2, (int64_t[]){test_between(1100, 1300), 2100}, -1, 1), ty_axis(0));
}
static void schedules_on(struct device *d) {
    static ty_tensor *(*const long_ones[])(void) = {long_product, product_across, long_convolution, long_sums,
                                                    long_sums,    long_map,       long_columns};
    for (int i = 0; i < (int)(sizeof long_ones / sizeof *long_ones); i++) {
        struct test_round round = test_round();
        uint64_t seed = test_random();
        int64_t before = text_engine_made();
        ty_tensor *got[2];
        for (int side = 0; side < 2; side++) {
            if (side) text_engine_use(d);
            test_random_from(seed);
            got[side] = long_ones[i]();
            ty_use_engine("cpu");
        }
        test_random_from(seed + 1);
        CHECK(text_engine_made() > before, "schedule %d did not run as text", i);
        compare_bits(got[1], got[0], "schedule %d", i);
        test_round_end(round);
    }
}

static void samples_in_c99(void) { device_test(samples_on, device_c99); }
static void samples_in_opencl(void) { device_test(samples_on, device_opencl); }
static void schedules_in_opencl(void) { device_test(schedules_on, device_opencl); }
static void tiles_in_c99(void) { device_test(tiles_on, device_c99); }
static void tiles_in_opencl(void) { device_test(tiles_on, device_opencl); }

/* All steps of a list that a device without f64 cannot run are refused by name. */
static void refuses(void) {
    const ty_nest_dim dim = {4, TY_NEST_PARALLEL, -1, -1};
    const int64_t one[] = {1};
    const ty_nest_access read = {.slot = 0, .dtype = TY_F32, .strides = one};
    const ty_nest_instr sine = {"sin", TY_F32, TY_F32, 1, {0}}, negative = {"neg", TY_F32, TY_F32, 1, {0}};
    const ty_nest_write write = {
        .to = {.slot = 1, .dtype = TY_F32, .strides = one}, .value = 1, .when = TY_NEST_ALWAYS};
    ty_nest nest = {
        .ndims = 1, .nreads = 1, .nbefore = 1, .nwrites = 1, .dims = &dim, .reads = &read, .writes = &write};
    const ty_nest_step steps[] = {{.nest = &nest}, {.algorithm = "search", .items = -1}};
    struct ty_nests nests = {.nsteps = 1, .noperands = 2, .steps = steps};
    struct arena arena = {0};
    struct fault fault = {0}, other = {0};
    struct text_program program;
    nest.before = &negative;
    bool plain = text_render(&nests, &text_opencl, (struct text_device){0}, &arena, &program, &fault);
    CHECK(plain || test_starving(), "%s", fault.text);
    struct text text = {0};
    if (plain) text_join(&text, 1, &(const struct text_program *){&program}, &text_opencl, true);
    CHECK(!plain || test_starving() ||
              (strstr(text.data, "HAS_F64 0") && strstr(text.data, program.kernels[0].name)),
          "a negation needs doubles, or has no function");
    CHECK(!plain || program.kernels[0].items == 4, "%d items", (int)program.kernels[0].items);
    text_drop(&text);
    nest.before = &sine;
    bool far = text_render(&nests, &text_opencl, (struct text_device){0}, &arena, &program, &other);
    fault_clear(&fault);
    nests.nsteps = 2;
    bool sorts = text_render(&nests, &text_c99, (struct text_device){.f64 = true}, &arena, &program, &fault);
    arena_drop(&arena);
    CHECK(!far && (test_starving() || strstr(other.text, "sin of f32")), "%s", other.text);
    CHECK(!sorts && (test_starving() || strstr(fault.text, "search")), "%s", fault.text);
}

/* Files that programs contain on devices without f64 do not name the type: compilers for these refuse it. */
static void names_no_doubles(void) {
    static const char *const files[] = {"engine/cpu/random/random_normal_f32.h", "ops/random/random_bits.h",
                                        "engine/cpu/math/math_any.h", "engine/cpu/math/math_plain.h"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct text text = {0};
        text_add_source(&text, files[i]);
        CHECK(text.length > 0 || test_starving(), "%s has no text", files[i]);
        CHECK(!text.length || !strstr(text.data, "double"), "%s names doubles", files[i]);
        text_drop(&text);
    }
}

/* Indices are 32-bit only where those of the groups and tiles behind the last element are, too. */
static void widens_indices(void) {
    const int64_t sizes[] = {INT64_C(1) << 20, (INT64_C(1) << 31) - 2}, one[] = {1};
    const ty_nest_access read = {.slot = 0, .dtype = TY_F32, .strides = one};
    const ty_nest_write write = {.to = {.slot = 1, .dtype = TY_F32, .strides = one}, .when = TY_NEST_ALWAYS};
    for (int i = 0; i < 2; i++) {
        const ty_nest_dim dim = {sizes[i], TY_NEST_PARALLEL, -1, -1};
        const ty_nest nest = {
            .ndims = 1, .nreads = 1, .nwrites = 1, .dims = &dim, .reads = &read, .writes = &write};
        const ty_nest_step step = {.nest = &nest};
        const ty_nests nests = {.nsteps = 1, .noperands = 2, .steps = &step};
        struct arena arena = {0};
        struct fault fault = {0};
        struct text_program program;
        bool made = text_render(&nests, &text_opencl, (struct text_device){0}, &arena, &program, &fault);
        CHECK(made || test_starving(), "%s", fault.text);
        CHECK(!made || strstr(program.steps, i ? "(i64, item0" : "(i32, item0"), "%s", program.steps);
        fault_clear(&fault);
        arena_drop(&arena);
    }
}

TESTS_MAIN(TEST(refuses), TEST(names_no_doubles), TEST(widens_indices), TEST(samples_in_c99),
           TEST(samples_in_opencl), TEST(tiles_in_c99), TEST(tiles_in_opencl), TEST(schedules_in_opencl))
