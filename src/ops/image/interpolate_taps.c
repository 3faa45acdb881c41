/*
 * The sparse matrix of an interpolation along one axis: the position of each result element among those of x, and the
 * weights of its neighbours.  Computed in doubles, by the rules of ONNX's Resize (operator set 19).
 *
 * The filters are Keys', "Cubic convolution interpolation for digital image processing" (1981), with a free
 * coefficient, and the triangle.  Antialiasing stretches the filter by the ratio of sizes, so that every element of x
 * counts, and normalises the weights.
 */
#include <math.h>
#include "base/checked.h"
#include "ops/image/resample.h"

/* ---- positions ---- */

/* Return i, a position in the result, divided by the axis's scale. If the scale comes from sizes there is a
   single rounding, so that positions midway between elements are exact. */
static double unscaled(const struct interpolated_axis *a, double i) {
    return a->by_size ? i * (double)a->before / (double)a->after : i / a->scale;
}
static double half_pixel(const struct interpolated_axis *a, int64_t i) {
    return unscaled(a, (double)i + 0.5) - 0.5;
}
static double half_pixel_symmetric(const struct interpolated_axis *a, int64_t i) {
    double n = (double)a->before, adjustment = a->by_size ? 1 : (double)a->after / (n * a->scale);
    return n / 2 * (1 - adjustment) + half_pixel(a, i);
}
static double pytorch_half_pixel(const struct interpolated_axis *a, int64_t i) {
    return a->after > 1 ? half_pixel(a, i) : 0;
}
/* Return the position in x of result element i when the corners of both coincide. The length of the result
   may be fractional; ONNX divides by it unrounded. */
static double align_corners(const struct interpolated_axis *a, int64_t i) {
    double n = (double)a->before, length = a->by_size ? (double)a->after : n * a->scale;
    return a->after > 1 && length > 1 ? (double)i * (n - 1) / (length - 1) : 0;
}
static double asymmetric(const struct interpolated_axis *a, int64_t i) { return unscaled(a, (double)i); }
static double half_pixel_for_nearest(const struct interpolated_axis *a, int64_t i) {
    return unscaled(a, (double)i + 0.5);
}
/* Return the position in x of result element i, where the result covers the region from axis->start to
   axis->end, in fractions of the axis. */
static double crop_and_resize(const struct interpolated_axis *a, int64_t i) {
    double last = (double)a->before - 1,
           length = a->by_size ? (double)a->after : (double)a->before * a->scale;
    if (length == 1) return (a->start + a->end) * last / 2;
    if (i == 0) return a->start * last;
    return a->start * last + (double)i * (a->end - a->start) * last / (length - 1);
}

static const struct {
    const char *name;
    double (*place)(const struct interpolated_axis *a, int64_t i);
} rules[TY_COORDINATES] = {[TY_HALF_PIXEL] = {"half_pixel", half_pixel},
                           [TY_HALF_PIXEL_SYMMETRIC] = {"half_pixel_symmetric", half_pixel_symmetric},
                           [TY_PYTORCH_HALF_PIXEL] = {"pytorch_half_pixel", pytorch_half_pixel},
                           [TY_ALIGN_CORNERS] = {"align_corners", align_corners},
                           [TY_ASYMMETRIC] = {"asymmetric", asymmetric},
                           [TY_HALF_PIXEL_FOR_NEAREST] = {"tf_half_pixel_for_nn", half_pixel_for_nearest},
                           [TY_CROP_AND_RESIZE] = {"tf_crop_and_resize", crop_and_resize}};

ty_coordinates ty_coordinates_named(const char *name) {
    if (!name) name = "";
    int rule = 0;
    while (rule < TY_COORDINATES && strcmp(rules[rule].name, name)) rule++;
    return (ty_coordinates)rule;
}

/* Return the position of result element i along the axis, counted in elements of x, by the rule
   `coordinates`. */
static double interpolated_place(const struct interpolated_axis *axis, ty_coordinates coordinates,
                                 int64_t i) {
    return rules[coordinates].place(axis, i);
}

bool interpolated_outside(const struct interpolated_axis *axis, ty_coordinates coordinates, int64_t i) {
    double place = interpolated_place(axis, coordinates, i);
    return coordinates == TY_CROP_AND_RESIZE && !(place >= 0 && place <= (double)axis->before - 1);
}

/* ---- nearest: true for the element after a position, which is `part` in (0, 1] behind the one before ---- */

static bool prefer_floor(double part) { return part > 0.5; }
static bool prefer_ceil(double part) { return part >= 0.5; }
static bool always_floor(double part) { return part == 1; }
static bool always_ceil(double part) { return part > 0; }

static const struct {
    const char *name;
    bool (*next)(double part);
} nearest_rules[TY_NEAREST_RULES] = {[TY_ROUND_PREFER_FLOOR] = {"round_prefer_floor", prefer_floor},
                                     [TY_ROUND_PREFER_CEIL] = {"round_prefer_ceil", prefer_ceil},
                                     [TY_FLOOR] = {"floor", always_floor},
                                     [TY_CEIL] = {"ceil", always_ceil}};

ty_nearest ty_nearest_named(const char *name) {
    if (!name) name = "";
    int rule = 0;
    while (rule < TY_NEAREST_RULES && strcmp(nearest_rules[rule].name, name)) rule++;
    return (ty_nearest)rule;
}

/* ---- filters: weight of an element by its distance ---- */

static double triangle(double x, double a) {
    (void)a;
    return fabs(x) < 1 ? 1 - fabs(x) : 0;
}

static double cubic(double x, double a) {
    x = fabs(x);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static const struct {
    int support; /* elements on either side */
    double (*at)(double distance, double coefficient);
} filters[TY_SAMPLINGS] = {[TY_LINEAR] = {1, triangle}, [TY_CUBIC] = {2, cubic}};

/* Return the factor by which antialiasing multiplies distances, which stretches the filter: the scale if it
   is below 1, else 1. 1 without antialiasing. */
static double narrowing(const struct interpolated_axis *axis, const ty_interpolation *options) {
    return options->antialias && axis->scale < 1 ? axis->scale : 1;
}

int64_t interpolation_taps(const struct interpolated_axis *axis, const ty_interpolation *options) {
    if (options->sampling == TY_NEAREST) return 1;
    double wide = ceil(filters[options->sampling].support / narrowing(axis, options));
    return wide < (double)INT32_MAX ? 2 * (int64_t)wide : INT32_MAX;
}

/* ---- one result element ---- */

/* Split a position: return the index of the last element strictly before it, and in *part the distance from
   that, in (0, 1]. The index is cut to the range of int32_t; then *part may be larger. */
static int64_t element_before(double place, double *part) {
    double before = ceil(place) - 1, limit = (double)INT32_MAX;
    if (!(before > -limit)) before = -limit;
    if (before > limit) before = limit;
    *part = place - before;
    return (int64_t)before;
}

static int32_t inside(int64_t i, int64_t n) { return (int32_t)(i < 0 ? 0 : i < n ? i : n - 1); }

/* Write index and weight of the taps of the result element at position `place` in x; tap t goes to index[t *
   axis->after] and weight[t * axis->after]. Indices outside of x are clamped to the ends; with
   exclude_outside their weight is 0. Weights are normalised to sum 1 where needed. */
static void fill_place(const struct interpolated_axis *axis, const ty_interpolation *options, int64_t taps,
                       double place, int32_t *index, double *weight) {
    double part, sum = 0, narrow = narrowing(axis, options);
    double coefficient = options->cubic != 0 ? options->cubic : CUBIC_COEFFICIENT;
    int64_t before = element_before(place, &part), n = axis->before, first = before + 1 - taps / 2;
    for (int64_t t = 0; t < taps; t++) {
        int64_t from = first + t;
        double distance = ((double)(from - before) - part) * narrow;
        double w = filters[options->sampling].at(distance, coefficient);
        if (options->exclude_outside && (from < 0 || from >= n)) w = 0;
        index[t * axis->after] = inside(from, n);
        weight[t * axis->after] = w;
        sum += w;
    }
    bool unlike = options->exclude_outside || narrow < 1; /* otherwise the filter's weights have sum 1 */
    for (int64_t t = 0; t < taps && unlike && sum != 0; t++) weight[t * axis->after] /= sum;
}

void interpolation_fill(const struct interpolated_axis *axis, const ty_interpolation *options, int32_t *index,
                        double *weight) {
    int64_t taps = interpolation_taps(axis, options);
    for (int64_t i = 0; i < axis->after; i++) {
        double place = interpolated_place(axis, options->coordinates, i), part;
        if (options->sampling == TY_NEAREST) {
            int64_t before = element_before(place, &part);
            index[i] = inside(before + nearest_rules[options->nearest].next(part), axis->before);
        } else {
            fill_place(axis, options, taps, place, index + i, weight + i);
        }
    }
}
