/*
 * Interpolation, grid sampling, RoiAlign and non-maximum suppression: ONNX's published examples; random cases against
 * loops over doubles written from the specifications (image_naive.c); and the reference engine in every layout and
 * dtype.
 */
#include <math.h>
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/naive/image_naive.h"
#include "tests/support/samples/sample.h"

#define SCALES(...)                                                                                          \
    .scales = (const double[]) { __VA_ARGS__ }
#define SIZES(...)                                                                                           \
    .sizes = (const int64_t[]) { __VA_ARGS__ }

static int rounds(int many) { return test_starving() ? 2 : many; }

/* ---- interpolation ---- */

/* Return 1, 2, 3, ... as [h,w]. */
static ty_tensor *counting(int64_t h, int64_t w) {
    return ty_reshape(ty_steps(TY_F64, 1, 1, h * w), TY_SHAPE(h, w));
}

static void example(const char *name, ty_tensor *x, ty_interpolation o, int64_t n, const double *want) {
    ty_tensor *y = CHECK_OK(ty_interpolate(x, 2, NULL, o));
    ty_tensor *expected = ty_from(TY_F64, ty_rank(y), ty_shape(y), want);
    CHECK(ty_size(y) == n, "%s: %lld elements", name, (long long)ty_size(y));
    compare_near(y, expected, 1e-6, 0, "%s", name);
}

static void known_interpolations(void) {
    ty_tensor *square = counting(4, 4), *small = counting(2, 2), *flat = counting(2, 4);
    example("linear down", flat, (ty_interpolation){.sampling = TY_LINEAR, SCALES(0.6, 0.6)},
            NUMBERS(2.6666665, 4.3333331));
    example("corners down", flat,
            (ty_interpolation){.sampling = TY_LINEAR, .coordinates = TY_ALIGN_CORNERS, SCALES(0.6, 0.6)},
            NUMBERS(1, 3.142857));
    example("linear up", small, (ty_interpolation){.sampling = TY_LINEAR, SCALES(2, 2)},
            NUMBERS(1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4));
    example("crop", square,
            (ty_interpolation){.sampling = TY_LINEAR,
                               .coordinates = TY_CROP_AND_RESIZE,
                               SIZES(3, 3),
                               .roi = (double[]){0.4, 0.6, 0.6, 0.8}},
            NUMBERS(7.6, 7.9, 8.2, 8.8, 9.1, 9.4, 10, 10.3, 10.6));
    example("extrapolation", square,
            (ty_interpolation){.sampling = TY_LINEAR,
                               .coordinates = TY_CROP_AND_RESIZE,
                               .extrapolation = 10,
                               SIZES(3, 3),
                               .roi = (double[]){0.4, 0.6, 1.2, 1.7}},
            NUMBERS(7.6, 10, 10, 12.4, 10, 10, 10, 10, 10));
    example("antialias", square,
            (ty_interpolation){.sampling = TY_LINEAR, .antialias = true, SCALES(0.6, 0.6)},
            NUMBERS(2.875, 4.5, 9.375, 11));
    example("cubic antialias", square,
            (ty_interpolation){.sampling = TY_CUBIC, .antialias = true, SCALES(0.6, 0.6)},
            NUMBERS(2.5180721, 4.2858863, 9.589329, 11.357142));
    example("symmetric down", counting(1, 4),
            (ty_interpolation){.sampling = TY_LINEAR, .coordinates = TY_HALF_PIXEL_SYMMETRIC, SCALES(1, 0.6)},
            NUMBERS(1.6666667, 3.3333333));
    example(
        "outside excluded", square,
        (ty_interpolation){.sampling = TY_CUBIC, .cubic = -0.5, .exclude_outside = true, SCALES(0.8, 0.8)},
        NUMBERS(1.36812675, 2.6695014, 4.0133367, 6.57362535, 7.875, 9.2188353, 11.94896657, 13.25034122,
                14.59417652));
    ty_tensor *row = ty_interpolate(square, 2, NULL, (ty_interpolation){.sampling = TY_CUBIC, SCALES(2, 2)});
    compare_near(ty_slice(row, 0, 0, 1, 1),
                 ty_from(TY_F64, TY_SHAPE(1, 8),
                         (double[]){0.47265625, 0.76953125, 1.24609375, 1.875, 2.28125, 2.91015625,
                                    3.38671875, 3.68359375}),
                 1e-6, 0, "cubic up");
    ty_tensor *whole = ty_cast(counting(2, 3), TY_I32);
    compare_numbers(ty_interpolate(whole, 2, NULL, (ty_interpolation){SIZES(2, 5)}),
                    NUMBERS(1, 1, 2, 3, 3, 4, 4, 5, 6, 6), "nearest integers");
}

/* Random options, with n and m for each of two axes. */
struct question {
    ty_interpolation o;
    double scales[2], roi[4];
    int64_t sizes[2], n[2], m[2];
};

static void ask(struct question *q) {
    memset(q, 0, sizeof *q);
    q->o.sampling = (ty_sampling)test_between(0, 2);
    q->o.nearest = (ty_nearest)test_between(0, 3);
    q->o.coordinates = (ty_coordinates)test_between(0, TY_COORDINATES - 1);
    q->o.antialias = test_between(0, 1);
    q->o.exclude_outside = test_between(0, 1) && q->o.coordinates < TY_ALIGN_CORNERS;
    q->o.cubic = test_between(0, 1) ? -0.5 : 0;
    q->o.extrapolation = 7;
    if (test_between(0, 1))
        q->o.scales = q->scales;
    else
        q->o.sizes = q->sizes;
    for (int k = 0; k < 2; k++) {
        q->n[k] = test_between(1, 9);
        q->m[k] = q->sizes[k] = test_between(1, 12);
        q->scales[k] = q->o.sizes ? (double)q->m[k] / (double)q->n[k] : test_uniform(0.2, 2.5);
        if (q->o.scales) q->m[k] = (int64_t)floor(q->scales[k] * (double)q->n[k]);
        q->roi[k] = test_uniform(-0.3, 0.5);
        q->roi[2 + k] = test_uniform(0.5, 1.3);
    }
    q->o.roi = q->roi;
}

/* Compute the dense matrix of axis k, [m,n], and mark its rows that lie outside. */
static void matrix(const struct question *q, int k, double *rows, bool *outside) {
    for (int64_t i = 0; i < q->m[k]; i++)
        outside[i] = !naive_weights(&q->o, q->n[k], q->m[k], q->scales[k], q->roi[k], q->roi[2 + k], i,
                                    rows + i * q->n[k]);
}

static void every_interpolation(void) {
    for (int round = 0; round < rounds(400); round++) {
        struct test_round r = test_round();
        struct question q;
        ask(&q);
        ty_tensor *x = sample_shape(TY_F64, TY_SHAPE(2, q.n[0], q.n[1]), -1, 1);
        double by[2][200], want[2 * 24 * 24] = {0};
        bool outside[2][24];
        for (int k = 0; k < 2; k++) matrix(&q, k, by[k], outside[k]);
        const double *from = CHECK_OK(x) ? ty_data(x) : NULL;
        CHECK(from, "no data");
        for (int64_t c = 0, at = 0; c < 2; c++)
            for (int64_t i = 0; i < q.m[0]; i++)
                for (int64_t j = 0; j < q.m[1]; j++, at++) {
                    for (int64_t k = 0; k < q.n[0] * q.n[1]; k++)
                        want[at] += by[0][i * q.n[0] + k / q.n[1]] * by[1][j * q.n[1] + k % q.n[1]] *
                                    from[c * q.n[0] * q.n[1] + k];
                    if (outside[0][i] || outside[1][j]) want[at] = 7;
                }
        ty_tensor *y = ty_interpolate(x, 2, NULL, q.o);
        compare_near(
            y, ty_from(TY_F64, TY_SHAPE(2, q.m[0], q.m[1]), want), 1e-12, 1e-12,
            "sampling %d, coordinates %d, nearest %d, antialias %d, outside %d, %s, %lld,%lld to %lld,%lld",
            q.o.sampling, q.o.coordinates, q.o.nearest, q.o.antialias, q.o.exclude_outside,
            q.o.sizes ? "sizes" : "scales", (long long)q.n[0], (long long)q.n[1], (long long)q.m[0],
            (long long)q.m[1]);
        test_round_end(r);
    }
}

static ty_tensor *turned(ty_tensor *x) { return ty_permute(ty_flip(x, 1), (int[]){2, 0, 1}); }

static void interpolated_dtypes(void) {
    for (int dtype = 0; dtype < TY_DTYPES; dtype++)
        for (int sampling = 0; sampling < TY_SAMPLINGS; sampling++) {
            struct test_round r = test_round();
            ty_tensor *x = sample_shape((ty_dtype)dtype, TY_SHAPE(3, 5, 4), -2, 2), *y[3];
            ty_interpolation o = {.sampling = (ty_sampling)sampling, SIZES(5, 3)};
            bool between = dtype_is((ty_dtype)dtype, CLASS_FLOAT | CLASS_COMPLEX);
            y[0] = ty_interpolate(turned(x), 2, (int[]){0, -1}, o);
            if (sampling && !between) {
                CHECK_POISON(y[0], "cannot be interpolated");
                test_round_end(r);
                continue;
            }
            ty_tensor *wide = ty_cast(x, dtype_is((ty_dtype)dtype, CLASS_COMPLEX) ? TY_C128 : TY_F64);
            y[1] = ty_cast(ty_interpolate(ty_contiguous(turned(wide)), 2, (int[]){0, 2}, o), (ty_dtype)dtype);
            double ulp = sampling ? 2 * relative_ulp((ty_dtype)dtype) : 0;
            compare_near(y[0], y[1], ulp, ulp, "%s", ty_dtype_name((ty_dtype)dtype));
            ty_interpolation swapped = {.sampling = (ty_sampling)sampling, SIZES(3, 5)};
            y[2] = CHECK_OK(ty_interpolate(turned(x), 2, (int[]){-1, 0}, swapped));
            compare_near(y[2], y[0], ulp, ulp, "%s with axes in descending order",
                         ty_dtype_name((ty_dtype)dtype));
            y[2] = ty_eval(ty_interpolate(ty_lazy(turned(x)), 2, (int[]){0, -1}, o));
            compare_bits(y[2], y[0], "%s as a promise", ty_dtype_name((ty_dtype)dtype));
            test_round_end(r);
        }
}

static void upsampling(void) {
    ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(2, 3, 4, 5), -1, 1),
              *last = ty_permute(x, (int[]){0, 2, 3, 1});
    compare_bits(ty_upsample(x, 3, TY_NEAREST, false), ty_repeat(ty_repeat(x, 3, 2), 3, 3),
                 "nearest repeats");
    ty_tensor *up = ty_upsample(last, 2, TY_LINEAR, true);
    compare_near(ty_permute(up, (int[]){0, 3, 1, 2}), ty_upsample(x, 2, TY_LINEAR, false), 1e-6, 1e-7,
                 "channels last");
    compare_bits(ty_upsample(x, 1, TY_CUBIC, false), x, "factor 1");
    ty_tensor *ramp = ty_reshape(ty_arange(TY_F64, 0, 4, 1), TY_SHAPE(1, 1, 4));
    compare_numbers(ty_upsample(ramp, 2, TY_LINEAR, false), NUMBERS(0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3),
                    "one axis");
}

static void proportions(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 4));
    static const struct {
        ty_aspect aspect;
        int64_t sizes[2], want[2];
    } cases[] = {{TY_STRETCH, {3, 3}, {3, 3}},      {TY_NOT_LARGER, {7, 8}, {4, 8}},
                 {TY_NOT_SMALLER, {7, 8}, {7, 14}}, {TY_NOT_LARGER, {1, 3}, {1, 2}},
                 {TY_NOT_SMALLER, {1, 3}, {2, 3}},  {TY_NOT_LARGER, {5, 5}, {3, 5}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_tensor *y = CHECK_OK(ty_interpolate(
            x, 2, NULL, (ty_interpolation){.aspect = cases[i].aspect, .sizes = cases[i].sizes}));
        CHECK(ty_shape(y)[0] == cases[i].want[0] && ty_shape(y)[1] == cases[i].want[1],
              "case %d: [%lld,%lld]", (int)i, (long long)ty_shape(y)[0], (long long)ty_shape(y)[1]);
    }
    CHECK(ty_aspect_named("not_larger") == TY_NOT_LARGER && ty_aspect_named("?") == TY_ASPECTS,
          "names of proportions");
    CHECK(ty_nearest_named("ceil") == TY_CEIL && ty_nearest_named("?") == TY_NEAREST_RULES,
          "names of rounding");
    CHECK(ty_coordinates_named("align_corners") == TY_ALIGN_CORNERS, "names of coordinates");
    CHECK(ty_sampling_named("trilinear") == TY_LINEAR && ty_sampling_named("bicubic") == TY_CUBIC,
          "names of sampling");
    CHECK(ty_sampling_named("") == TY_SAMPLINGS && ty_coordinates_named("") == TY_COORDINATES,
          "names that are none");
    CHECK(ty_outside_named("border") == TY_OUTSIDE_BORDER && ty_outside_named("x") == TY_OUTSIDES,
          "names of outside");
}

/* ---- grids ---- */

static void check_grid(ty_grid_options o) {
    int64_t n = 2, h = test_between(1, 5), w = test_between(1, 5), oh = test_between(1, 4),
            ow = test_between(1, 4);
    ty_tensor *x = sample_shape(TY_F64, TY_SHAPE(n, 3, h, w), -1, 1);
    ty_tensor *grid = sample_shape(TY_F64, TY_SHAPE(n, oh, ow, 2), -2, 2),
              *y = CHECK_OK(ty_grid_sample(x, grid, o));
    const double *from = ty_data(x), *at = ty_data(grid);
    double want[2 * 3 * 4 * 4];
    for (int64_t i = 0; i < n * 3 * oh * ow; i++) {
        const double *point = at + 2 * (i / (3 * oh * ow) * oh * ow + i % (oh * ow));
        want[i] = naive_point(from + i / (oh * ow) * h * w, h, w, point[0], point[1], &o);
    }
    compare_near(y, ty_from(TY_F64, TY_SHAPE(n, 3, oh, ow), want), 1e-12, 1e-12,
                 "sampling %d, outside %d, corners %d, %lldx%lld", o.sampling, o.outside, o.align_corners,
                 (long long)h, (long long)w);
    o.channels_last = true;
    ty_tensor *last = ty_grid_sample(ty_permute(x, (int[]){0, 2, 3, 1}), grid, o);
    compare_near(ty_permute(last, (int[]){0, 3, 1, 2}), y, 1e-12, 1e-12, "channels last");
    compare_bits(ty_eval(ty_grid_sample(ty_lazy(ty_permute(x, (int[]){0, 2, 3, 1})), ty_lazy(grid), o)), last,
                 "promises");
}

static void grids(void) {
    for (int kind = 0; kind < 18 * rounds(6); kind++) {
        struct test_round r = test_round();
        if (!test_starving() || kind % 5 == 0)
            check_grid((ty_grid_options){.sampling = (ty_sampling)(kind % 3),
                                         .outside = (ty_outside)(kind / 3 % 3),
                                         .align_corners = kind / 9 % 2});
        test_round_end(r);
    }
    /* three dimensions and one: a plane repeated along other axes gives the plane's result */
    ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(1, 2, 4, 5), -1, 1),
              *grid = sample_shape(TY_F32, TY_SHAPE(1, 2, 3, 2), -0.9, 0.9);
    ty_grid_options o = {.sampling = TY_LINEAR, .align_corners = true};
    ty_tensor *deep = ty_broadcast(ty_expand(x, 2), TY_SHAPE(1, 2, 3, 4, 5));
    ty_tensor *points = ty_concat(2, (ty_tensor *[]){grid, ty_full(TY_F32, TY_SHAPE(1, 2, 3, 1), 0.3)}, -1);
    compare_near(ty_squeeze(ty_grid_sample(deep, ty_expand(points, 1), o), 2), ty_grid_sample(x, grid, o),
                 1e-6, 1e-6, "three dimensions");
    ty_tensor *line = ty_reshape(ty_arange(TY_F64, 0, 5, 1), TY_SHAPE(1, 1, 5));
    ty_tensor *at = ty_from(TY_F64, TY_SHAPE(1, 3, 1), (double[]){-1, 0.25, 1});
    compare_numbers(ty_grid_sample(line, at, o), NUMBERS(0, 2.5, 4), "one dimension");
    ty_tensor *half = ty_grid_sample(ty_cast(x, TY_F16), grid, o);
    compare_near(half, ty_cast(ty_grid_sample(ty_cast(ty_cast(x, TY_F16), TY_F32), grid, o), TY_F16), 0, 0,
                 "f16");
}

static void affine_grids(void) {
    ty_tensor *same = ty_from(TY_F64, TY_SHAPE(1, 2, 3), (double[]){1, 0, 0, 0, 1, 0});
    ty_tensor *x = sample_shape(TY_F64, TY_SHAPE(1, 2, 3, 4), -1, 1);
    for (int corners = 0; corners < 2; corners++) {
        ty_tensor *grid = ty_affine_grid(same, 2, (int64_t[]){3, 4}, corners);
        ty_grid_options o = {.sampling = TY_LINEAR, .outside = TY_OUTSIDE_BORDER, .align_corners = corners};
        compare_near(ty_grid_sample(x, grid, o), x, 1e-12, 1e-12, "the identity");
    }
    compare_numbers(ty_affine_grid(ty_from(TY_F64, TY_SHAPE(1, 2, 3), (double[]){0, 1, 2, 3, 0, 4}), 2,
                                   (int64_t[]){2, 1}, true),
                    NUMBERS(1, 4, 3, 4), "turned and moved");
    ty_tensor *volume = ty_affine_grid(ty_ones(TY_F32, TY_SHAPE(2, 3, 4)), 3, (int64_t[]){1, 2, 2}, false);
    CHECK(ty_rank(CHECK_OK(volume)) == 5 && ty_item(ty_amax(volume, TY_ALL)) == 2, "a volume's grid");
}

/* ---- regions ---- */

static void check_regions(ty_roi_options o, bool lazy) {
    enum { R = 3 };
    int64_t h = test_between(2, 8), w = test_between(2, 8);
    ty_tensor *x = sample_shape(TY_F64, TY_SHAPE(2, 2, h, w), -1, 1);
    double regions[R][4], want[R * 2 * 9];
    int64_t images[R];
    for (int r = 0; r < R; r++) {
        images[r] = test_between(0, 1);
        for (int k = 0; k < 2; k++) {
            regions[r][k] = test_uniform(-3, 6);
            regions[r][k + 2] = regions[r][k] + test_uniform(0.1, 7);
        }
    }
    ty_tensor *boxes = ty_from(TY_F64, TY_SHAPE(R, 4), regions),
              *batch = ty_from(TY_I64, TY_SHAPE(R), images);
    ty_tensor *y = ty_roi_align(lazy ? ty_lazy(x) : x, lazy ? ty_lazy(boxes) : boxes, batch, o);
    const double *from = CHECK_OK(x) ? ty_data(x) : NULL;
    int64_t bins = o.size[0] * o.size[1];
    for (int64_t i = 0; i < R * 2 * bins; i++) {
        int64_t r = i / (2 * bins), c = i / bins % 2;
        want[i] = naive_bin(from + (images[r] * 2 + c) * h * w, h, w, regions[r], &o, i % bins / o.size[1],
                            i % o.size[1]);
    }
    compare_near(ty_eval(y), ty_from(TY_F64, TY_SHAPE(R, 2, o.size[0], o.size[1]), want), 1e-11, 1e-11,
                 "samples %lld, max %d, half pixel %d", (long long)o.samples, o.max, o.half_pixel);
}

static void many_regions(int64_t samples) {
    for (int kind = 0; kind < 8 * rounds(6); kind++) {
        struct test_round r = test_round();
        ty_roi_options o = {.size = {test_between(1, 3), test_between(1, 3)},
                            .samples = samples,
                            .max = kind & 1,
                            .half_pixel = kind & 2};
        o.corners = o.max && kind % 5 < 2;
        if (kind % 3 == 0) o.scale = 0.5;
        if (!test_starving() || kind % 5 == 0) check_regions(o, kind & 4);
        test_round_end(r);
    }
}
static void regions(void) { many_regions(2); }
static void regions_counted(void) { many_regions(0); }

/* ---- suppression ---- */

static void known_suppression(void) {
    static const double boxes[] = {0, 0,  1, 1,  0, 0.1,  1, 1.1,  0, -0.1, 1, 0.9,
                                   0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100,  1, 101};
    static const double centres[] = {0.5, 0.5,  1, 1, 0.5, 0.6,  1, 1, 0.5, 0.4,   1, 1,
                                     0.5, 10.5, 1, 1, 0.5, 10.6, 1, 1, 0.5, 100.5, 1, 1};
    static const double turned_over[] = {1, 1,  0, 0,  0, 0.1,  1, 1.1,  0, 0.9, 1, -0.1,
                                         0, 10, 1, 11, 1, 10.1, 0, 11.1, 1, 101, 0, 100};
    static const float scores[] = {0.9F, 0.75F, 0.6F, 0.95F, 0.5F, 0.3F};
    const double *each[] = {boxes, centres, turned_over};
    ty_tensor *weights = ty_from(TY_F32, TY_SHAPE(1, 1, 6), scores);
    for (int i = 0; i < 3; i++) {
        ty_tensor *x = ty_from(TY_F64, TY_SHAPE(1, 6, 4), each[i]);
        ty_nms_options o = {.most = 3, .overlap = 0.5, .centre = i == 1, .use_score = true};
        compare_numbers(ty_nms(x, weights, o), NUMBERS(0, 0, 3, 0, 0, 0, 0, 0, 5), "boxes %d", i);
        o.score = 0.4;
        compare_numbers(ty_nms(x, weights, o), NUMBERS(0, 0, 3, 0, 0, 0), "boxes %d with a score", i);
    }
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(1, 6, 4), boxes);
    ty_nms_options o = {.most = 2, .overlap = 0.5};
    compare_numbers(ty_nms(x, ty_broadcast(weights, TY_SHAPE(1, 2, 6)), o),
                    NUMBERS(0, 0, 3, 0, 0, 0, 0, 1, 3, 0, 1, 0), "two classes");
    compare_numbers(ty_nms_padded(x, weights, (ty_nms_options){.most = 9, .overlap = 0.5}),
                    NUMBERS(3, 0, 5, -1, -1, -1), "padded");
    compare_numbers(ty_nms_indices(ty_squeeze(x, 0), ty_reshape(weights, TY_SHAPE(6)), 0.5), NUMBERS(3, 0, 5),
                    "one class");
    compare_numbers(ty_nms(x, weights, (ty_nms_options){.overlap = 0.5}), NUMBERS(0, 0, 3, 0, 0, 0, 0, 0, 5),
                    "0 keeps all");
    ty_tensor *none = ty_nms(x, weights, (ty_nms_options){.most = -1});
    CHECK(ty_rank(CHECK_OK(none)) == 2 && ty_shape(none)[0] == 0 && ty_shape(none)[1] == 3, "none are kept");
    /* a score is kept out if it equals the threshold after rounding to its dtype */
    o = (ty_nms_options){.most = 9, .overlap = 0.5, .score = 0.9, .use_score = true};
    compare_numbers(ty_nms(x, weights, o), NUMBERS(0, 0, 3), "equal to the threshold");
}

static void every_suppression(void) {
    for (int round = 0; round < rounds(60); round++) {
        struct test_round r = test_round();
        enum { N = 200 }; /* boxes kept in more than one block of the engine */
        int64_t n = test_between(1, round % 3 ? 40 : N), kept[N], at = 0, want[2 * 2 * N][3];
        double boxes[2][N][4], scores[2][2][N];
        ty_nms_options o = {.most = test_between(1, n + 10),
                            .overlap = test_uniform(0, 0.6),
                            .centre = round & 1,
                            .use_score = round & 2};
        for (int64_t i = 0; i < 8 * n; i++) ((double *)boxes)[i] = (double)test_between(0, n) / 4;
        for (int64_t i = 0; i < 4 * n; i++)
            ((double *)scores)[i] = test_between(0, 9) ? (double)test_between(-4, 9) : NAN;
        for (int64_t b = 0; b < 2; b++)
            for (int64_t c = 0; c < 2; c++) {
                int64_t count = naive_suppression(n, (double *)boxes + b * n * 4,
                                                  (double *)scores + (b * 2 + c) * n, &o, kept);
                for (int64_t k = 0; k < count; k++, at++) {
                    want[at][0] = b;
                    want[at][1] = c;
                    want[at][2] = kept[k];
                }
            }
        ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, n, 4), boxes),
                  *s = ty_from(TY_F64, TY_SHAPE(2, 2, n), scores);
        compare_bits(ty_nms(x, s, o), ty_from(TY_I64, TY_SHAPE(at, 3), want), "%lld boxes", (long long)n);
        test_round_end(r);
    }
}

/* ---- engines, threads ---- */

static ty_tensor *suppressed(const void *context) {
    return ty_nms_padded(((ty_tensor *const *)context)[0], ((ty_tensor *const *)context)[1],
                         (ty_nms_options){.most = 30, .overlap = 0.3});
}

static void same_everywhere(void) {
    ty_tensor *boxes[2] = {sample_shape(TY_F32, TY_SHAPE(2, 60, 4), 0, 5),
                           sample_shape(TY_F16, TY_SHAPE(2, 3, 60), 0, 1)};
    compare_engines(suppressed, boxes, 0, 0, "suppression");
    ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(2, 3, 40, 50), -1, 1),
              *grid = sample_shape(TY_F32, TY_SHAPE(2, 60, 70, 2), -1.2, 1.2);
    ty_tensor *results[2][4];
    for (int k = 0; k < 2; k++) {
        ty_set_threads(k ? 3 : 1);
        ty_tensor *leaf[] = {ty_track(x, "x"), ty_track(grid, "grid")};
        ty_tensor *y = ty_grid_sample(leaf[0], leaf[1], (ty_grid_options){.sampling = TY_LINEAR});
        results[k][0] = CHECK_OK(y);
        ty_vjp(y, ty_sin(ty_iota(TY_F32, ty_rank(y), ty_shape(y), -1)), 2, leaf, results[k] + 1);
        results[k][3] = ty_upsample(x, 3, TY_CUBIC, false);
    }
    for (int i = 0; i < 4; i++) compare_bits(results[1][i], results[0][i], "result %d with 3 threads", i);
}

/* A weight of 0 ignores NaN; points with NaN are ignored. */
static void strange_numbers(void) {
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(1, 1, 3), (float[]){1, 2, NAN});
    ty_interpolation o = {.sampling = TY_LINEAR, .coordinates = TY_ALIGN_CORNERS, SIZES(5)};
    compare_numbers(ty_slice(ty_interpolate(x, 1, NULL, o), 2, 0, 3, 1), NUMBERS(1, 1.5, 2),
                    "a NaN next door");
    float far[] = {NAN, INFINITY, -INFINITY, 1e30F, -1e30F, 0};
    ty_tensor *grid = ty_from(TY_F32, TY_SHAPE(1, 6, 1), far),
              *ramp = ty_reshape(ty_arange(TY_F32, 0, 3, 1), TY_SHAPE(1, 1, 3));
    compare_numbers(ty_grid_sample(ramp, grid, (ty_grid_options){.sampling = TY_LINEAR}),
                    NUMBERS(0, 0, 0, 0, 0, 1), "points far away");
    ty_tensor *border =
        ty_grid_sample(ramp, ty_slice(grid, 1, 3, 6, 1),
                       (ty_grid_options){.sampling = TY_NEAREST, .outside = TY_OUTSIDE_BORDER});
    compare_numbers(border, NUMBERS(2, 0, 1), "the border");
    ty_tensor *outer = ty_slice(grid, 1, 1, 5, 1);
    for (int k = 0; k < 2 * TY_SAMPLINGS; k++) {
        ty_grid_options g = {.sampling = (ty_sampling)(k / 2),
                             .outside = k % 2 ? TY_OUTSIDE_BORDER : TY_OUTSIDE_ZEROS};
        double edge = k % 2 ? 2 : 0;
        compare_numbers(ty_grid_sample(ramp, outer, g), NUMBERS(edge, 0, edge, 0), "infinitely far, %d", k);
    }
    CHECK_OK(ty_grid_sample(ramp, grid,
                            (ty_grid_options){.sampling = TY_CUBIC, .outside = TY_OUTSIDE_REFLECTION}));
    ty_tensor *image = ty_ones(TY_F32, TY_SHAPE(1, 1, 4, 4)),
              *region = ty_from(TY_F32, TY_SHAPE(1, 4), (float[]){NAN, 0, 2, 2});
    compare_numbers(ty_roi_align(image, region, ty_zeros(TY_I64, TY_SHAPE(1)),
                                 (ty_roi_options){.size = {1, 1}, .samples = 1, .half_pixel = true}),
                    NUMBERS(0), "a region of no number");
    ty_tensor *boxes = ty_ones(TY_F32, TY_SHAPE(1, 0, 4)),
              *empty = ty_nms(boxes, ty_ones(TY_F32, TY_SHAPE(1, 2, 0)), (ty_nms_options){.most = 3});
    CHECK(ty_size(CHECK_OK(empty)) == 0, "no boxes");
    CHECK(ty_size(CHECK_OK(
              ty_interpolate(ramp, 1, NULL, (ty_interpolation){.sampling = TY_CUBIC, SIZES(0)}))) == 0,
          "no places");
    ty_tensor *nothing = ty_ones(TY_F32, TY_SHAPE(2, 0, 3));
    CHECK(ty_size(CHECK_OK(
              ty_interpolate(nothing, 1, NULL, (ty_interpolation){.sampling = TY_LINEAR, SIZES(7)}))) == 0,
          "no lines");
    ty_tensor *none = ty_roi_align(image, ty_ones(TY_F32, TY_SHAPE(0, 4)), ty_zeros(TY_I64, TY_SHAPE(0)),
                                   (ty_roi_options){.size = {2, 2}});
    CHECK(ty_size(CHECK_OK(none)) == 0, "no regions");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/image/image.def"
};
TESTS_MAIN_TABLE(cases)
