/* Image steps that move pixels, composed of public functions. */
#include "data/steps.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/image.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "array/scope.h"
#include "base/machine/floating.h"
#include "base/math/scalar.h"
#include "base/options.h"

ty_tensor *step_refuse(const char *name, const ty_image_step *step, ty_tensor *x, const ty_draws *draws) {
    char form[128];
    if (!step || !draws)
        return ty_poison_code(E_ARGUMENT, "%s: %s NULL", name, step ? "the draws are" : "the step is");
    if (!ty_ok(x)) return x ? tensor_share(x) : ty_poison_code(E_ARGUMENT, "%s: the tensor is NULL", name);
    ty_dtype dtype = ty_dtype_of(x);
    bool real = dtype != TY_BOOL && dtype != TY_C64 && dtype != TY_C128;
    if (ty_rank(x) == 3 && real && ty_size(x)) return NULL;
    return ty_poison_code(E_DTYPE, "%s: expected an image (H,W,C) of real numbers, not %s", name,
                          tensor_describe_into(form, sizeof form, x));
}

/* Return the largest pixel value of an integer dtype, such as 255; 0 for floating dtypes. */
static double full(ty_dtype dtype) {
    if (dtype_is(dtype, CLASS_FLOAT)) return 0;
    int bits = 8 * (int)ty_dtype_size(dtype);
    return ldexp(1, dtype_is(dtype, CLASS_SIGNED) ? bits - 1 : bits) - 1;
}

ty_tensor *step_float(ty_tensor *x) {
    double most = full(ty_dtype_of(x));
    return most > 0 ? ty_div(ty_cast(x, TY_F32), ty_num(most)) : x;
}

ty_tensor *ty_step_float(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    ty_tensor *bad = step_refuse("step_float", step, x, draws);
    return bad ? bad : step_float(x);
}

/* Return true with probability step->chance, 0.5 if that is 0; consumes one draw. */
static bool step_lot(const ty_image_step *step, ty_draws *draws) {
    FLOATING_DEFAULT;
    return ty_draws_number(draws, 0, 1) < (step->chance != 0 ? step->chance : 0.5);
}

/* ---- crops ---- */

static ty_tensor *cut(ty_tensor *x, int64_t row, int64_t column, int64_t rows, int64_t columns) {
    return ty_slice(ty_slice(x, 0, row, row + rows, 1), 1, column, column + columns, 1);
}

/* Return NULL if a crop of step->size, rows and columns, fits into the image x [H, W, C], else poison that
   begins with `name`. */
static ty_tensor *refuse_size(const char *name, const ty_image_step *step, const ty_tensor *x) {
    const int64_t *shape = ty_shape(x);
    if (step->size[0] > 0 && step->size[1] > 0 && step->size[0] <= shape[0] && step->size[1] <= shape[1])
        return NULL;
    return ty_poison_code(E_SHAPE,
                          "%s: a crop of %" PRId64 " x %" PRId64 " does not fit an image of %" PRId64
                          " x %" PRId64 ": resize it first, or pad",
                          name, step->size[0], step->size[1], shape[0], shape[1]);
}

ty_tensor *ty_step_crop(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    ty_tensor *bad = step_refuse("step_crop", step, x, draws);
    if (!bad) bad = refuse_size("step_crop", step, x);
    if (bad) return bad;
    const int64_t *shape = ty_shape(x);
    return cut(x, (shape[0] - step->size[0]) / 2, (shape[1] - step->size[1]) / 2, step->size[0],
               step->size[1]);
}

ty_tensor *ty_step_random_crop(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    FLOATING_DEFAULT;
    ty_tensor *bad = step_refuse("step_random_crop", step, x, draws);
    if (bad) return bad;
    const ty_padding around[] = {{step->pad, step->pad, 0}, {step->pad, step->pad, 0}, {0, 0, 0}};
    if (step->pad < 0)
        return ty_poison_code(E_ARGUMENT, "step_random_crop: pad is %" PRId64 "; expected 0 or more",
                              step->pad);
    if (step->pad) x = ty_pad(x, around, ty_scalar(ty_dtype_of(x), 0));
    bad = ty_ok(x) ? refuse_size("step_random_crop", step, x) : x;
    if (bad) return bad;
    const int64_t *shape = ty_shape(x);
    int64_t row = (int64_t)ty_draws_number(draws, 0, (double)(shape[0] - step->size[0] + 1));
    int64_t column = (int64_t)ty_draws_number(draws, 0, (double)(shape[1] - step->size[1] + 1));
    return cut(x, row, column, step->size[0], step->size[1]);
}

/* ---- sizes ---- */

/* Return the image x [H, W, C] resized to rows x columns. Integers become f32 and are scaled to 0..1 after
   resizing, as there are usually fewer pixels then; nearest sampling keeps dtype and values. */
static ty_tensor *resize(const ty_image_step *step, ty_tensor *x, int64_t rows, int64_t columns) {
    const int64_t sizes[] = {rows, columns};
    const ty_interpolation nearest = {
        .sampling = TY_NEAREST, .nearest = TY_ROUND_PREFER_CEIL, .sizes = sizes};
    const ty_interpolation linear = {
        .sampling = TY_LINEAR, .antialias = true, .exclude_outside = true, .sizes = sizes};
    double most = full(ty_dtype_of(x));
    if (step->nearest) return ty_interpolate(x, 2, (int[]){0, 1}, nearest);
    ty_tensor *y = ty_interpolate(most > 0 ? ty_cast(x, TY_F32) : x, 2, (int[]){0, 1}, linear);
    return most > 0 ? ty_div(y, ty_num(most)) : y;
}

ty_tensor *ty_step_resize(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    ty_tensor *bad = step_refuse("step_resize", step, x, draws);
    if (bad) return bad;
    int64_t rows = step->size[0], columns = step->size[1];
    if (rows < 1 || columns < 0)
        return ty_poison_code(E_ARGUMENT,
                              "step_resize: the size is %" PRId64 " x %" PRId64
                              "; expected 1 or more (columns 0: the shorter side)",
                              rows, columns);
    if (!columns) { /* rows is the length of the shorter side */
        const int64_t *shape = ty_shape(x);
        bool upright = shape[0] > shape[1];
        double longer =
            (double)rows * (double)(upright ? shape[0] : shape[1]) / (double)(upright ? shape[1] : shape[0]);
        if (longer > INT32_MAX)
            return ty_poison_code(E_ARGUMENT, "step_resize: the longer side would have %g pixels", longer);
        columns = upright ? rows : (int64_t)longer;
        rows = upright ? (int64_t)longer : rows;
    }
    return resize(step, x, rows, columns);
}

/* Set out[0] and out[1] to the two bounds `given`, or to the defaults low and high if both are 0. */
static void range(const double given[2], double low, double high, double out[2]) {
    bool said = given[0] != 0 || given[1] != 0;
    out[0] = said ? given[0] : low;
    out[1] = said ? given[1] : high;
}

/* A rectangle of pixels. */
struct colour_part {
    int64_t row, column, rows, columns;
};

/* Return the largest centred crop of an image of rows x columns whose aspect ratio, width / height, is in
   aspect[0]..aspect[1], both included. */
static struct colour_part middle(int64_t rows, int64_t columns, const double aspect[2]) {
    double is = (double)columns / (double)rows;
    struct colour_part p = {.rows = rows, .columns = columns};
    if (is < aspect[0]) p.rows = (int64_t)floor((double)columns / aspect[0] + 0.5);
    if (is > aspect[1]) p.columns = (int64_t)floor((double)rows * aspect[1] + 0.5);
    p.rows = p.rows < 1 ? 1 : p.rows > rows ? rows : p.rows;
    p.columns = p.columns < 1 ? 1 : p.columns > columns ? columns : p.columns;
    p.row = (rows - p.rows) / 2;
    p.column = (columns - p.columns) / 2;
    return p;
}

/* Draw the random crop of Inception (Szegedy et al., "Going deeper with convolutions", 2015) of an image of
   rows x columns and return it. area and aspect are the ranges of its share of the area and of width /
   height. After ten failed draws it is the centre. */
static struct colour_part draw_part(int64_t rows, int64_t columns, const double area[2],
                                    const double aspect[2], ty_draws *draws) {
    for (int i = 0; i < 10; i++) {
        double wanted = (double)rows * (double)columns * ty_draws_number(draws, area[0], area[1]);
        double shape = math_exp(ty_draws_number(draws, math_log(aspect[0]), math_log(aspect[1])));
        struct colour_part p = {.rows = (int64_t)floor(sqrt(wanted / shape) + 0.5),
                                .columns = (int64_t)floor(sqrt(wanted * shape) + 0.5)};
        if (p.rows < 1 || p.columns < 1 || p.rows > rows || p.columns > columns) continue;
        p.row = (int64_t)ty_draws_number(draws, 0, (double)(rows - p.rows + 1));
        p.column = (int64_t)ty_draws_number(draws, 0, (double)(columns - p.columns + 1));
        return p;
    }
    return middle(rows, columns, aspect);
}

ty_tensor *ty_step_resized_crop(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    FLOATING_DEFAULT;
    ty_tensor *bad = step_refuse("step_resized_crop", step, x, draws);
    double area[2], aspect[2];
    if (bad) return bad;
    range(step->area, 0.08, 1, area);
    range(step->aspect, 3.0 / 4, 4.0 / 3, aspect);
    if (!(area[0] > 0 && area[0] <= area[1] && area[1] <= 1 && aspect[0] > 0 && aspect[0] <= aspect[1] &&
          aspect[1] < 1e6))
        return ty_poison_code(
            E_ARGUMENT,
            "step_resized_crop: areas from %g to %g and aspects from %g to %g; expected areas "
            "up to 1, in ascending order",
            area[0], area[1], aspect[0], aspect[1]);
    if (step->size[0] < 1 || step->size[1] < 1)
        return ty_poison_code(E_ARGUMENT,
                              "step_resized_crop: the size is %" PRId64 " x %" PRId64 "; expected 1 or more",
                              step->size[0], step->size[1]);
    struct colour_part p = draw_part(ty_shape(x)[0], ty_shape(x)[1], area, aspect, draws);
    return resize(step, cut(x, p.row, p.column, p.rows, p.columns), step->size[0], step->size[1]);
}

/* ---- flips and affine maps ---- */

ty_tensor *ty_step_flip(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    FLOATING_DEFAULT;
    ty_tensor *bad = step_refuse("step_flip", step, x, draws);
    if (bad) return bad;
    return step_lot(step, draws) ? ty_flip(x, 1) : tensor_share(x);
}

ty_tensor *ty_step_flip_rows(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    FLOATING_DEFAULT;
    ty_tensor *bad = step_refuse("step_flip_rows", step, x, draws);
    if (bad) return bad;
    return step_lot(step, draws) ? ty_flip(x, 0) : tensor_share(x);
}

ty_tensor *ty_step_affine(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    FLOATING_DEFAULT;
    ty_tensor *bad = step_refuse("step_affine", step, x, draws);
    double scale[2];
    if (bad) return bad;
    range(step->scale, 1, 1, scale);
    if (!(scale[0] > 0 && scale[0] <= scale[1]) || !isfinite(step->degrees))
        return ty_poison_code(E_ARGUMENT,
                              "step_affine: %g degrees, scales from %g to %g; expected finite degrees and "
                              "ascending scales above 0",
                              step->degrees, scale[0], scale[1]);
    double rows = (double)ty_shape(x)[0], columns = (double)ty_shape(x)[1];
    double angle = ty_draws_number(draws, -step->degrees, step->degrees) * (3.14159265358979323846 / 180);
    double factor = ty_draws_number(draws, scale[0], scale[1]);
    double down = 2 * ty_draws_number(draws, -step->shift[0], step->shift[0]),
           right = 2 * ty_draws_number(draws, -step->shift[1], step->shift[1]);
    double c = math_cos(angle) / factor, s = math_sin(angle) / factor;
    /* maps coordinates of the result, -1 to 1 along each side, to those of the image */
    double xx = c, xy = s * rows / columns, yx = -s * columns / rows, yy = c;
    float theta[] = {(float)xx, (float)xy, (float)-(xx * right + xy * down),
                     (float)yx, (float)yy, (float)-(yx * right + yy * down)};
    ty_tensor *grid = ty_affine_grid(ty_from(TY_F32, TY_SHAPE(1, 2, 3), theta), 2, ty_shape(x), false);
    ty_tensor *image = ty_cast(step->nearest ? x : step_float(x), TY_F32);
    ty_grid_options options = {.sampling = step->nearest ? TY_NEAREST : TY_LINEAR, .channels_last = true};
    ty_tensor *y = ty_squeeze(ty_grid_sample(ty_expand(image, 0), grid, options), 0);
    return step->nearest ? ty_cast(y, ty_dtype_of(x)) : y;
}

ty_tensor *ty_step_channels_first(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    ty_tensor *bad = step_refuse("step_channels_first", step, x, draws);
    return bad ? bad : ty_permute(x, (int[]){2, 0, 1});
}

/* ---- pipelines ---- */

ty_tensor *ty_augment(int n, const ty_image_step *steps, ty_tensor *x, uint64_t seed, int64_t epoch,
                      int64_t index) {
    FLOATING_DEFAULT;
    if (n < 0 || (n && !steps))
        return ty_poison_code(E_ARGUMENT, "augment: %d steps%s; expected 0 or more and their array", n,
                              steps ? "" : ", NULL");
    if (!ty_ok(x)) return tensor_share(x);
    ty_scope *scope = ty_open();
    for (int i = 0; i < n && ty_ok(x); i++) {
        ty_draws draws = {seed, (uint64_t)epoch, (uint64_t)index, (uint32_t)i, 0};
        struct fault fault;
        fault_clear(&fault);
        if (!steps[i].apply) {
            x = ty_poison_code(E_ARGUMENT, "augment: step %d has no function", i);
            break;
        }
        if (!OPTIONS_UNUSED(&steps[i], "augment: a step", &fault)) {
            x = tensor_fault(&fault);
            break;
        }
        struct scope_fence fence = scope_fence();
        x = scope_fence_result(fence, "a step", steps[i].apply(&steps[i], x, &draws));
    }
    x = n ? ty_keep(x) : x;
    ty_close(scope);
    return n ? x : tensor_share(x);
}
