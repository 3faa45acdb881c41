/* The message of every invalid call of a function that samples between elements, word for word. */
#include <string.h>
#include "ops/core/attributes.h"
#include "ops/core/operators.h"
#include "ops/image/resample.h"
#include "tests/support/harness.h"

#define SCALES(...)                                                                                          \
    .scales = (const double[]) { __VA_ARGS__ }
#define SIZES(...)                                                                                           \
    .sizes = (const int64_t[]) { __VA_ARGS__ }

static void sentence(ty_tensor *y, const char *want) {
    CHECK(!strcmp(ty_error(y), want), "it says\n    %s\nand not\n    %s", ty_error(y), want);
}

static void interpolation_sentences(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(1, 2, 3, 4));
#define BAD(want, n, axes, ...)                                                                              \
    sentence(ty_interpolate(x, n, axes, (ty_interpolation){__VA_ARGS__}),                                    \
             "interpolate of f32[1,2,3,4]: " want)
    BAD("unknown kind of sampling 9", 1, NULL, .sampling = (ty_sampling)9, SIZES(1));
    BAD("unknown coordinate mode 9", 1, NULL, .coordinates = (ty_coordinates)9, SIZES(1));
    BAD("unknown nearest mode 9", 1, NULL, .nearest = (ty_nearest)9, SIZES(1));
    BAD("unknown aspect mode 9", 1, NULL, .aspect = (ty_aspect)9, SIZES(1));
    BAD("give either scales or sizes, not both", 1, NULL, .cubic = 1);
    BAD("give either scales or sizes, not both", 1, NULL, SIZES(1), SCALES(1));
    BAD("the aspect mode needs sizes; scales already determine the ratio", 1, NULL, SCALES(1),
        .aspect = TY_NOT_LARGER);
    BAD("tf_crop_and_resize needs a roi", 1, NULL, .coordinates = TY_CROP_AND_RESIZE, SIZES(1));
    BAD("5 axes, but the tensor has 4", 5, NULL, SIZES(1, 1, 1, 1, 1));
    BAD("axis 4 is out of bounds; expected -4..3", 1, (int[]){4}, SIZES(1));
    BAD("axis 2 is repeated", 2, ((int[]){2, -2}), SIZES(1, 1));
    BAD("scale 0 of axis 3 must be positive and finite", 1, NULL, SCALES(0));
    BAD("size -1 of axis 3 is negative", 1, NULL, SIZES(-1));
    BAD("axis 3 of 4 elements cannot be resized to 4000000000000; expected at most 2147483647", 1, NULL,
        SCALES(1e12));
    sentence(ty_interpolate(ty_zeros(TY_F32, TY_SHAPE(2, 0)), 1, NULL, (ty_interpolation){SIZES(1)}),
             "interpolate of f32[2,0]: axis 1 is empty: there is nothing to interpolate");
    sentence(
        ty_interpolate(ty_zeros(TY_U8, TY_SHAPE(2)), 1, NULL,
                       (ty_interpolation){.sampling = TY_LINEAR, SIZES(1)}),
        "interpolate of u8[2]: dtype u8 cannot be interpolated; use ty_cast to a floating dtype, or nearest");
    sentence(ty_upsample(x, 0, TY_LINEAR, false), "upsample of f32[1,2,3,4]: factor 0 must be 1 or more");
    sentence(ty_upsample(ty_zeros(TY_F32, TY_SHAPE(2, 3)), 2, TY_LINEAR, false),
             "upsample of f32[2,3]: expected a batch axis, a channel axis and at least one more");
}

static void grid_sentences(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(1, 2, 3, 4));
    ty_tensor *grid = ty_zeros(TY_F32, TY_SHAPE(1, 2, 2, 2)), *theta = ty_zeros(TY_F32, TY_SHAPE(1, 2, 3));
    ty_grid_options o = {.sampling = TY_LINEAR};
#define OF(words) "grid_sample of f32[1,2,3,4] and f32[" words "]: "
    sentence(ty_grid_sample(x, grid, (ty_grid_options){.sampling = (ty_sampling)9}),
             OF("1,2,2,2") "unknown kind of sampling 9");
    sentence(ty_grid_sample(x, grid, (ty_grid_options){.outside = (ty_outside)9}),
             OF("1,2,2,2") "unknown padding mode 9");
    sentence(ty_grid_sample(x, theta, o), OF("1,2,3") "the grid must have 4 axes, the last of size 2");
    sentence(ty_grid_sample(x, ty_zeros(TY_F32, TY_SHAPE(3, 2, 2, 2)), o),
             OF("3,2,2,2") "3 grids for 1 images; expected as many, or one");
    CHECK_POISON(ty_grid_sample(theta, ty_zeros(TY_I32, TY_SHAPE(1, 2, 1)), o),
                 "x must be floating or complex and the grid floating; use ty_cast");
    CHECK_POISON(ty_grid_sample(ty_zeros(TY_F32, TY_SHAPE(2, 2)), grid, o),
                 "x must have 3, 4 or 5 axes, such as (N,C,H,W)");
    CHECK_POISON(ty_grid_sample(ty_zeros(TY_F32, TY_SHAPE(1, 1, 0, 2)), grid, o),
                 "x is empty: there is nothing to sample");
    sentence(ty_affine_grid(theta, 1, (int64_t[]){1}, false),
             "affine_grid of f32[1,2,3]: a grid of 1 sizes must have 2, (H,W), or 3, (D,H,W)");
    sentence(ty_affine_grid(theta, 3, (int64_t[]){1, 1, 1}, false),
             "affine_grid of f32[1,2,3]: theta must have the shape [N,3,4]");
    sentence(ty_affine_grid(theta, 2, (int64_t[]){1, -1}, false),
             "affine_grid of f32[1,2,3]: size -1 is out of range; expected 0..2147483647");
    CHECK_POISON(ty_affine_grid(ty_zeros(TY_I32, TY_SHAPE(1, 2, 3)), 2, (int64_t[]){1, 1}, false),
                 "theta must be floating; use ty_cast");
}

static void region_sentences(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(1, 2, 3, 4));
    ty_tensor *r = ty_zeros(TY_F32, TY_SHAPE(2, 4)), *b = ty_zeros(TY_I64, TY_SHAPE(2));
    ty_roi_options o = {.size = {1, 1}, .samples = 1};
    CHECK_POISON(ty_roi_align(r, r, b, o), "x must have the shape [N,C,H,W]");
    CHECK_POISON(ty_roi_align(x, b, b, o), "regions must have the shape [R,4]");
    CHECK_POISON(ty_roi_align(x, r, r, o), "batch must be 2 integers, one for each region");
    CHECK_POISON(ty_roi_align(x, ty_cast(r, TY_I32), b, o),
                 "x and the regions must be floating; use ty_cast");
    CHECK_POISON(ty_roi_align(x, r, b, (ty_roi_options){0}),
                 "a result of 0 bins is out of range; expected 1..2147483647");
    CHECK_POISON(ty_roi_align(x, r, b, (ty_roi_options){.size = {1, 1}, .samples = -1}),
                 "-1 samples are out of range; expected 0..32768");
    CHECK_POISON(ty_roi_align(x, r, b, (ty_roi_options){.size = {1, 1}, .scale = -1}),
                 "scale -1 must be positive and finite");
    CHECK_POISON(ty_roi_align(x, r, ty_add(b, ty_int(1)), o),
                 "index 1 at [0] is out of bounds for axis 0 of size 1: expected -1..0");
}

static void sample_sentences(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(1, 1, 2, 2)), *b = ty_zeros(TY_I64, TY_SHAPE(1));
    ty_tensor *far = ty_from(TY_F32, TY_SHAPE(1, 4), (float[]){0, 0, 1e6F, 1});
    CHECK_POISON(
        ty_roi_align(x, far, b, (ty_roi_options){.size = {1, 1}}),
        "the bins of a region take 1000000 samples on an axis, more than 32768; set the number of samples");
}

static void box_sentences(void) {
    ty_tensor *boxes = ty_zeros(TY_F32, TY_SHAPE(1, 3, 4)), *scores = ty_zeros(TY_F32, TY_SHAPE(1, 2, 3));
    ty_nms_options o = {.most = 1};
#define BOXES "nms of f32[1,3,4] and f32[1,2,3]: "
    sentence(ty_nms(boxes, scores, (ty_nms_options){.most = -2}),
             BOXES "the number of boxes to keep is -2; expected 1 or more, 0 for all or -1 for none");
    sentence(ty_nms(boxes, scores, (ty_nms_options){.overlap = 2}),
             BOXES "the overlap 2 is out of range; expected 0..1");
    sentence(ty_nms(boxes, boxes, o), "nms of f32[1,3,4] and f32[1,3,4]: scores must have the shape "
                                      "[batch,classes,boxes], with the batch and boxes of the boxes");
    CHECK_POISON(ty_nms(scores, scores, o), "boxes must have the shape [batch,boxes,4]");
    CHECK_POISON(ty_nms(boxes, ty_cast(scores, TY_C64), o), "boxes and scores must be real numbers");
    CHECK_POISON(ty_nms_indices(boxes, scores, 0.5), "boxes must have the shape [boxes,4], scores [boxes]");
    ty_tensor *wide[] = {ty_cast(boxes, TY_F64), ty_cast(scores, TY_F64),
                         ty_full(TY_I64, TY_SHAPE(1, 2, 3), 3)};
    struct suppress_attr attr = {0.5, 0, 2};
    CHECK_POISON(record(&op_suppress, &attr, sizeof attr, 3, (ty_tensor *[]){boxes, wide[1], wide[2]}),
                 "boxes and scores must be f64, the order i64");
    CHECK_POISON(record(&op_suppress, &attr, sizeof attr, 3, wide),
                 "the order names a box out of bounds for 3 boxes");
}

static void sum_sentences(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(2, 3)), *index = ty_full(TY_I32, TY_SHAPE(1, 2), 3),
              *weight = ty_zeros(TY_F32, TY_SHAPE(1, 2));
    sentence(resample_read(x, index, weight, 1, 0),
             "resample: index 3 is out of bounds for axis 1 of size 3");
    sentence(resample_read(x, ty_sub(index, ty_int(4)), weight, 1, 0),
             "resample: index -1 is out of bounds for axis 1 of size 3");
    CHECK_POISON(resample_read(ty_cast(x, TY_F16), index, weight, 1, 0),
                 "elements must be f32, f64, c64 or c128, not f16; use ty_cast");
    CHECK_POISON(resample_read(x, weight, weight, 1, 0), "the index must be i32, not f32");
    CHECK_POISON(resample_read(x, index, index, 1, 0), "the weights must be f32, not i32");
    CHECK_POISON(resample_read(x, index, ty_transpose(weight), 1, 0),
                 "index and weights must have the same shape");
    CHECK_POISON(resample_read(x, index, weight, 2, 0), "axis 2 is out of bounds; expected -2..1");
    CHECK_POISON(resample_read(x, index, weight, 1, 1), "the index has rank 2; it must be 3");
    ty_tensor *many = ty_broadcast(index, TY_SHAPE(3, 1, 2));
    CHECK_POISON(resample_read(x, many, ty_broadcast(weight, TY_SHAPE(3, 1, 2)), 1, 1),
                 "axis 0 has 2 elements where the index has 3");
    struct resample_attr attr = {RESAMPLE_DOT, 1, 0, 0, 0};
    CHECK_POISON(record(&op_resample_dot, &attr, sizeof attr, 3, (ty_tensor *[]){x, x, index}),
                 "the operands must have the same dtype and agree on all axes but 1");
    attr = (struct resample_attr){RESAMPLE_ADD, 1, 0, 0, 4};
    CHECK_POISON(record(&op_resample_add, &attr, sizeof attr, 3, (ty_tensor *[]){x, index, weight}),
                 "axis 1 has 3 elements for 2 places");
}

TESTS_MAIN(TEST(interpolation_sentences), TEST(grid_sentences), TEST(region_sentences),
           TEST(sample_sentences), TEST(box_sentences), TEST(sum_sentences))
