/* Edge cases of pooling: huge strides; unpooling of windows with only padding, its gradient, and indices
   out of range. */
#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* A window with all taps in the padding has the index -1: unpooling drops its value. */
static void windows_of_padding(void) {
    ty_pool o = {.size = {2, 2, 2}, .dilation = {3, 3, 3}, .low = {1, 1, 1}, .high = {1, 1, 1}};
    ty_tensor *(*const find[])(ty_tensor *, ty_pool) = {ty_max_pool1d_index, ty_max_pool2d_index,
                                                        ty_max_pool3d_index};
    ty_tensor *(*const put[])(ty_tensor *, ty_tensor *, ty_pool,
                              const int64_t *) = {ty_max_unpool1d, ty_max_unpool2d, ty_max_unpool3d};
    for (int i = 0; i < 6; i++) {
        int axes = 1 + i / 2, rank = axes + 2;
        int64_t shape[5] = {3, 2, 2, 2, 2}, one[5] = {3, 1, 1, 1, 1};
        o.nchw = i % 2;
        shape[o.nchw ? 1 : rank - 1] = 1;
        ty_tensor *index = CHECK_OK(find[axes - 1](CHECK_OK(ty_full(TY_F32, rank, shape, 7)), o));
        compare_numbers(index, NUMBERS(-1, -1, -1), "%d axes: places", axes);
        ty_tensor *x = CHECK_OK(ty_full(TY_F32, rank, one, 7)), *y = put[axes - 1](x, index, o, NULL);
        compare_bits(y, ty_full(TY_F32, rank, shape, 0), "%d axes", axes);
        index = ty_reshape(ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){-1, 1, -1}), rank, one);
        ty_tensor *t = ty_track(x, "x"), *g;
        y = CHECK_OK(put[axes - 1](t, index, o, NULL));
        compare_numbers(ty_sum(y, TY_ALL), NUMBERS(7), "%d axes: one value stays", axes);
        compare_numbers(ty_argmax(y, TY_ALL), NUMBERS((1 << axes) + 1), "%d axes: at its place", axes);
        CHECK(ty_grad(y, 1, &t, &g) || test_starving(), "no gradient: %s", ty_error(g));
        compare_numbers(CHECK_OK(g), NUMBERS(0, 1, 0), "%d axes: the one that has a gradient", axes);
    }
}

static void places_of_any_integer(void) {
    static const ty_dtype dtypes[] = {TY_I8, TY_I16, TY_I32, TY_I64, TY_U8, TY_U16, TY_U32, TY_U64};
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(1, 1, 2), (float[]){5, 7});
    ty_tensor *places = ty_from(TY_I64, TY_SHAPE(1, 1, 2), (int64_t[]){2, 0});
    for (int i = 0; i < 8; i++)
        compare_numbers(ty_max_unpool1d(x, ty_cast(places, dtypes[i]), (ty_pool){.size = {2}, .nchw = true},
                                        (int64_t[]){3}),
                        NUMBERS(7, 0, 5), "%s", ty_dtype_name(dtypes[i]));
}

static void places_outside(void) {
    static const int64_t bad[] = {-2, -5, INT64_MIN, 4, 5, INT64_MAX - 1, INT64_MAX};
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(1, 1, 2));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ty_tensor *places = ty_from(TY_I64, TY_SHAPE(1, 1, 2), (int64_t[]){0, bad[i]});
        CHECK_POISON(ty_max_unpool1d(x, places, (ty_pool){.size = {2}, .nchw = true}, NULL),
                     "out of bounds for axis 2 of size 5");
    }
}

/* With a stride larger than the axis there is one window, with or without `ceil`; a second would start
   past x. */
static void endless_strides(void) {
    static const int64_t strides[] = {3, 4, 5, 6, 1000, INT64_MAX / 2, INT64_MAX - 1, INT64_MAX};
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(1, 1, 5), (float[]){3, 1, 4, 1, 5});
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
        for (int ceil = 0; ceil < 2; ceil++) {
            ty_pool o = {.size = {2}, .stride = {strides[i]}, .ceil = ceil, .nchw = true};
            ty_tensor *y = CHECK_OK(ty_max_pool1d(x, o));
            if (strides[i] == 3 || (strides[i] == 4 && ceil))
                compare_numbers(y, NUMBERS(3, 5), "stride %d", (int)strides[i]);
            else
                compare_numbers(y, NUMBERS(3), "stride %lld, %s", (long long)strides[i],
                                ceil ? "ceil" : "floor");
        }
}

TESTS_MAIN(TEST(endless_strides), TEST(windows_of_padding), TEST(places_of_any_integer), TEST(places_outside))
