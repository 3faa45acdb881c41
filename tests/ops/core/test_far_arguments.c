/* Extreme arguments: findings of fuzz_calls, as calls with a known result. */
#include <limits.h>
#include <tyto/dlpack.h>
#include "tests/support/harness.h"

static ty_tensor *ones_of_rank(int rank) {
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) shape[i] = 1;
    return ty_ones(TY_F32, rank, shape);
}

static ty_tensor *matrix(void) { return ty_iota(TY_F32, 2, (int64_t[]){2, 3}, 1); }

static void check_equal(ty_tensor *x, ty_tensor *y) {
    CHECK_OK(x);
    CHECK(ty_item(ty_array_equal(x, y, true)) == 1, "the values differ");
}

static void rank_64(void) {
    ty_tensor *x = ones_of_rank(64), *half = ty_num(0.5);
    CHECK_POISON(ty_quantile(x, half, ty_axes_of(0, NULL, false), NULL), "cannot get one more");
    CHECK_POISON(ty_median(x, ty_axes_of(0, NULL, false)), "cannot get one more");
    CHECK_POISON(ty_scatter_add(x, ty_scalar(TY_I64, 0), 64, 1), "65 axes");
    CHECK_POISON(ty_window(x, 0, 1, 1, 1), "cannot get one more");
    CHECK_POISON(ty_one_hot(ty_cast(x, TY_I64), 2, TY_F32), "axes");
    check_equal(ty_median(x, TY_ALL), ty_num(1));
}

static void triangles(void) {
    ty_tensor *x = matrix(), *out[2];
    check_equal(ty_triu(x, INT64_MIN), x);
    check_equal(ty_tril(x, INT64_MAX), x);
    check_equal(ty_triu(x, INT64_MAX), ty_zeros_like(x));
    check_equal(ty_tril(x, INT64_MIN), ty_zeros_like(x));
    CHECK(ty_size(ty_diagonal_at(x, INT64_MIN, 0, 1)) == 0, "a diagonal outside has elements");
    CHECK(ty_tril_indices(2, 3, INT64_MAX, out) && ty_size(out[0]) == 6, "not all places are below");
    CHECK(ty_triu_indices(2, 3, INT64_MIN, out) && ty_size(out[0]) == 6, "not all places are above");
    CHECK(ty_tril_indices(INT64_C(1) << 60, 0, 0, out) && ty_size(out[1]) == 0,
          "rows without columns have places");
    CHECK(!ty_triu_indices(INT64_MAX, INT64_MAX, 0, out), "more places than memory");
    CHECK_POISON(out[1], "too many");
    CHECK_POISON(ty_diag(ty_num(1), 0), "vector or matrix");
    CHECK_POISON(ty_diag(ty_ravel(x), INT64_MIN), "too large");
}

static void sequences(void) {
    CHECK_POISON(ty_unit(TY_F32, INT64_MIN, 0), "negative");
    CHECK_POISON(ty_linspace(TY_F32, 0, 1, INT64_MIN), "negative");
    CHECK_POISON(ty_iota(TY_F32, INT_MIN, NULL, -1), "axes");
    CHECK_POISON(ty_histogram(matrix(), INT64_MAX, 0, 1, NULL, false), "too many");
    CHECK_POISON(ty_histogram_bin_edges(matrix(), INT64_MAX, 0, 1), "too many");
    CHECK_POISON(ty_exponential((ty_dtype)TY_DTYPES, TY_SCALAR, NULL, ty_key(1)), "dtype");
    CHECK_POISON(ty_resize(matrix(), 1, (int64_t[]){INT64_MAX}), "shape");
}

static void windows(void) {
    ty_tensor *x = ty_iota(TY_F32, 1, (int64_t[]){3}, 0),
              *image = ty_ones(TY_F32, 4, (int64_t[]){1, 3, 3, 1});
    check_equal(ty_window(x, 0, 3, INT64_MAX, 1), ty_expand(x, 0));
    check_equal(ty_window(x, 0, 1, 1, INT64_MAX), ty_expand(x, 1));
    check_equal(ty_max_pool2d(image, (ty_pool){.size = {3, 3}, .stride = {INT64_MAX, INT64_MAX}}),
                ty_ones(TY_F32, 4, (int64_t[]){1, 1, 1, 1}));
    check_equal(ty_avg_pool2d(image, (ty_pool){.size = {1, 3}, .dilation = {INT64_MAX, 1}}),
                ty_ones(TY_F32, 4, (int64_t[]){1, 3, 1, 1}));
    int64_t far = INT64_C(1) << 62;
    static const ty_padding paddings[] = {{0, 0, INT64_MAX}, {INT64_MIN, 5, 0}, {INT64_MAX, INT64_MIN, 0}};
    for (int i = 0; i < 3; i++)
        CHECK_POISON(ty_pad(ty_ones(TY_F32, TY_SHAPE(1)), &paddings[i], ty_num(0)),
                     i < 2 ? "goes beyond 2^61" : "too long");
    CHECK_POISON(ty_max_pool2d(image, (ty_pool){.size = {2, 2}, .dilation = {far, 1}, .low = {far, 0}}),
                 "spans more than 2^61");
    CHECK_POISON(ty_unfold(image, (int64_t[]){2, 1}, (ty_conv){.dilation = {INT64_MAX, 1}, .same = true}),
                 "is too long");
    CHECK_POISON(ty_unfold(image, (int64_t[]){3, 1}, (ty_conv){.dilation = {INT64_MAX, 1}}), "is too long");
    CHECK_POISON(ty_adaptive_max_pool2d(image, (ty_pool){.size = {INT64_MAX, 1}}), "too many");
    ty_tensor *index = ty_zeros(TY_I64, 4, (int64_t[]){1, 3, 3, 1});
    CHECK_POISON(ty_max_unpool2d(image, index, (ty_pool){.size = {2, 2}, .stride = {INT64_MAX, 1}}, NULL),
                 "axis 1");
    CHECK_POISON(ty_max_unpool2d(image, index, (ty_pool){.size = {1, 1}}, (int64_t[]){INT64_MAX, INT64_MAX}),
                 "memory");
    CHECK_POISON(ty_pad_around(image, 1, (int64_t[]){INT64_C(1) << 59}, TY_PAD_EDGE), "too long");
}

/* Taps extremely far apart: each window has one tap inside. */
static void far_taps(void) {
    ty_tensor *x = ty_add(ty_iota(TY_F32, 4, (int64_t[]){1, 2, 2, 1}, 1), ty_num(3)),
              *w = ty_ones(TY_F32, 4, (int64_t[]){2, 2, 1, 1});
    for (int bits = 2; bits < 62; bits += 6) {
        int64_t d = INT64_C(1) << bits;
        ty_conv far = {.dilation = {d, d}, .stride = {d, d}, .low = {d, d}, .high = {d, d}};
        ty_tensor *y = ty_conv2d(x, w, far);
        if (bits < 40) check_equal(y, ty_full(TY_F32, 4, (int64_t[]){1, 2, 2, 1}, 3));
        CHECK(ty_ok(y) || *ty_error(y), "no sentence");
    }
}

/* A crop larger than memory is refused. */
static void far_crops(void) {
    ty_tensor *x = ty_ones(TY_F64, 2, (int64_t[]){2, 2});
    ty_interpolation options = {.sizes = (int64_t[]){1 << 21, 1 << 21},
                                .sampling = TY_NEAREST,
                                .coordinates = TY_CROP_AND_RESIZE,
                                .roi = (double[]){0, 0, 1, 1}};
    if (!test_starving()) CHECK_POISON(ty_interpolate(x, 2, (int[]){0, 1}, options), "out of memory");
    options.scales = (double[]){2, 2}; /* small sizes, so that few allocations fail */
    options.sizes = NULL;
    ty_tensor *y = ty_interpolate(x, 2, (int[]){0, 1}, options);
    CHECK(ty_ok(y) || test_starving(), "%s", ty_error(y));
}

/* Empty tensors have any strides: f32 views as f64. */
static void views_of_nothing(void) {
    ty_tensor *x = ty_view_as(ty_zeros(TY_F32, 2, (int64_t[]){3, 0}), TY_F64);
    CHECK_OK(x);
    CHECK(ty_size(x) == 0 && ty_dtype_of(x) == TY_F64, "not an empty f64");
}

static void printing(void) {
    ty_print_options options = {.precision = INT_MAX, .mode = TY_FIXED};
    char *text = test_text(ty_format(ty_scalar(TY_F64, 0.5), options));
    CHECK(!text || (text[0] == '0' && text[2] == '5'), "\"%.20s\"", text);
}

static int ended;
static void end(DLManagedTensor *self) {
    (void)self;
    ended++;
}

/* A byte_offset or strides that wrap around the address space are refused. */
static void dlpack(void) {
    float data[8] = {0};
    int64_t shape[] = {2}, strides[] = {INT64_MIN};
    DLManagedTensor managed = {.dl_tensor = {.data = data,
                                             .device = {kDLCPU, 0},
                                             .ndim = 1,
                                             .dtype = {kDLFloat, 32, 1},
                                             .shape = shape,
                                             .byte_offset = UINT64_MAX - 3},
                               .deleter = end};
    ended = 0;
    CHECK_POISON(ty_from_dlpack_legacy(&managed), "exceed the address space");
    managed.dl_tensor.byte_offset = 0;
    managed.dl_tensor.strides = strides;
    CHECK_POISON(ty_from_dlpack_legacy(&managed), "exceed the address space");
    strides[0] = -((int64_t)1 << 60);
    CHECK_POISON(ty_from_dlpack_legacy(&managed), "exceed the address space");
    CHECK(ended == 3, "the deleter was called %d times", ended);
}

TESTS_MAIN(TEST(rank_64), TEST(triangles), TEST(sequences), TEST(windows), TEST(far_taps), TEST(far_crops),
           TEST(views_of_nothing), TEST(printing), TEST(dlpack))
