/* Computed one element at a time from the text of ONNX's operators and torchvision's documentation. */
#include "tests/support/naive/image_naive.h"
#include <math.h>
#include "tests/support/harness.h"

/* ---- Resize ---- */

static double place_of(const ty_interpolation *o, double n, double m, double scale, double start, double end,
                       double i) {
    bool exact = o->sizes && o->aspect == TY_STRETCH;
    double length = exact ? m : n * scale, half = exact ? (i + 0.5) * n / m : (i + 0.5) / scale;
    switch (o->coordinates) {
    case TY_HALF_PIXEL:
        return half - 0.5;
    case TY_HALF_PIXEL_SYMMETRIC:
        return n / 2 * (1 - m / length) + half - 0.5;
    case TY_PYTORCH_HALF_PIXEL:
        return m > 1 ? half - 0.5 : 0;
    case TY_ALIGN_CORNERS:
        return m > 1 ? i * (n - 1) / (length - 1) : 0;
    case TY_ASYMMETRIC:
        return exact ? i * n / m : i / scale;
    case TY_HALF_PIXEL_FOR_NEAREST:
        return half;
    default:
        return length == 1 ? (start + end) / 2 * (n - 1)
                           : start * (n - 1) + (m > 1 ? i * (end - start) * (n - 1) / (length - 1) : 0);
    }
}

static double keys(double x, double a) {
    x = fabs(x);
    if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
    return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

static int64_t clamped(int64_t i, int64_t n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static int64_t nearest_of(ty_nearest rule, double place) {
    double floored = floor(place), rest = place - floored;
    if (rule == TY_FLOOR) return (int64_t)floored;
    if (rule == TY_CEIL) return (int64_t)ceil(place);
    bool up = rule == TY_ROUND_PREFER_CEIL ? rest >= 0.5 : rest > 0.5;
    return (int64_t)floored + up;
}

bool naive_weights(const ty_interpolation *o, int64_t n, int64_t m, double scale, double start, double end,
                   int64_t i, double *weights) {
    double place = place_of(o, (double)n, (double)m, scale, start, end, (double)i);
    double narrow = o->antialias && scale < 1 ? scale : 1, sum = 0, a = o->cubic != 0 ? o->cubic : -0.75;
    for (int64_t j = 0; j < n; j++) weights[j] = 0;
    if (o->coordinates == TY_CROP_AND_RESIZE && (place < 0 || place > (double)(n - 1))) return false;
    if (o->sampling == TY_NEAREST) {
        weights[clamped(nearest_of(o->nearest, place), n)] = 1;
        return true;
    }
    int64_t reach = (int64_t)ceil(2 / narrow) + 2, middle = (int64_t)floor(place);
    for (int64_t j = middle - reach; j <= middle + reach; j++) {
        double far = ((double)j - place) * narrow;
        double w = o->sampling == TY_LINEAR ? fmax(0, 1 - fabs(far)) : keys(far, a);
        if (o->exclude_outside && (j < 0 || j >= n)) continue;
        weights[clamped(j, n)] += w;
        sum += w;
    }
    for (int64_t j = 0; j < n && (o->exclude_outside || narrow < 1); j++) weights[j] /= sum;
    return true;
}

/* ---- GridSample ---- */

static double padded_pixel(const double *x, int64_t h, int64_t w, int64_t i, int64_t j,
                           const ty_grid_options *o) {
    int64_t at[2] = {i, j}, sizes[2] = {h, w};
    for (int k = 0; k < 2; k++) {
        int64_t n = sizes[k];
        if (o->outside == TY_OUTSIDE_ZEROS && (at[k] < 0 || at[k] >= n)) return 0;
        if (o->outside == TY_OUTSIDE_BORDER) at[k] = clamped(at[k], n);
        while (o->outside == TY_OUTSIDE_REFLECTION && (at[k] < 0 || at[k] >= n)) {
            if (n == 1)
                at[k] = 0;
            else if (at[k] < 0)
                at[k] = o->align_corners ? -at[k] : -at[k] - 1;
            else
                at[k] = o->align_corners ? 2 * (n - 1) - at[k] : 2 * n - 1 - at[k];
        }
    }
    return x[at[0] * w + at[1]];
}

double naive_point(const double *x, int64_t h, int64_t w, double gx, double gy, const ty_grid_options *o) {
    double px = o->align_corners ? (gx + 1) / 2 * (double)(w - 1) : ((gx + 1) * (double)w - 1) / 2;
    double py = o->align_corners ? (gy + 1) / 2 * (double)(h - 1) : ((gy + 1) * (double)h - 1) / 2, sum = 0;
    if (o->sampling == TY_NEAREST) return padded_pixel(x, h, w, (int64_t)rint(py), (int64_t)rint(px), o);
    int64_t i = (int64_t)floor(py), j = (int64_t)floor(px);
    for (int64_t di = -1; di <= 2; di++)
        for (int64_t dj = -1; dj <= 2; dj++) {
            double fy = py - (double)(i + di), fx = px - (double)(j + dj);
            double wy = o->sampling == TY_LINEAR ? fmax(0, 1 - fabs(fy)) : keys(fy, -0.75);
            double wx = o->sampling == TY_LINEAR ? fmax(0, 1 - fabs(fx)) : keys(fx, -0.75);
            if (wy != 0 && wx != 0) sum += wy * wx * padded_pixel(x, h, w, i + di, j + dj, o);
        }
    return sum;
}

/* ---- RoiAlign ---- */

/* Return the value at a point; with `corners` the greatest of the four products instead of their sum. */
static double bilinear(const double *x, int64_t h, int64_t w, double py, double px, bool corners) {
    if (py < -1 || py > (double)h || px < -1 || px > (double)w) return 0;
    py = fmin(fmax(py, 0), (double)(h - 1));
    px = fmin(fmax(px, 0), (double)(w - 1));
    int64_t i = (int64_t)py, j = (int64_t)px, below = clamped(i + 1, h), right = clamped(j + 1, w);
    double fy = py - (double)i, fx = px - (double)j;
    double parts[4] = {(1 - fy) * (1 - fx) * x[i * w + j], (1 - fy) * fx * x[i * w + right],
                       fy * (1 - fx) * x[below * w + j], fy * fx * x[below * w + right]};
    if (corners) return fmax(fmax(parts[0], parts[1]), fmax(parts[2], parts[3]));
    return parts[0] + parts[1] + parts[2] + parts[3];
}

double naive_bin(const double *x, int64_t h, int64_t w, const double region[4], const ty_roi_options *o,
                 int64_t i, int64_t j) {
    double scale = o->scale != 0 ? o->scale : 1, shift = o->half_pixel ? 0.5 : 0;
    double left = region[0] * scale - shift, top = region[1] * scale - shift;
    double width = region[2] * scale - shift - left, height = region[3] * scale - shift - top;
    if (!o->half_pixel) {
        width = fmax(width, 1);
        height = fmax(height, 1);
    }
    double bin_w = width / (double)o->size[1], bin_h = height / (double)o->size[0], sum = 0, most = -INFINITY;
    int64_t rows = o->samples ? o->samples : (int64_t)ceil(bin_h),
            columns = o->samples ? o->samples : (int64_t)ceil(bin_w);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) {
            double y = top + (double)i * bin_h + ((double)r + 0.5) * bin_h / (double)rows;
            double value =
                bilinear(x, h, w, y, left + (double)j * bin_w + ((double)c + 0.5) * bin_w / (double)columns,
                         o->corners);
            sum += value;
            most = fmax(most, value);
        }
    return o->max ? most : sum / fmax(1, (double)(rows * columns));
}

/* ---- NonMaxSuppression ---- */

static void edges_of(const double *box, bool centre, double edges[4]) {
    for (int k = 0; k < 2; k++) {
        double a = centre ? box[k] - box[k + 2] / 2 : box[k],
               b = centre ? box[k] + box[k + 2] / 2 : box[k + 2];
        edges[k] = fmin(a, b);
        edges[k + 2] = fmax(a, b);
    }
}

static double overlap_of(const double *a, const double *b) {
    double width = fmin(a[2], b[2]) - fmax(a[0], b[0]), height = fmin(a[3], b[3]) - fmax(a[1], b[1]);
    if (width <= 0 || height <= 0) return 0;
    double both = width * height;
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both);
}

int64_t naive_suppression(int64_t n, const double *boxes, const double *scores, const ty_nms_options *o,
                          int64_t *out) {
    bool *gone = test_room((size_t)n + 1);
    int64_t count = 0;
    while (count < o->most) {
        int64_t best = -1;
        for (int64_t i = 0; i < n; i++)
            if (!gone[i] && !isnan(scores[i]) && (!o->use_score || scores[i] > o->score) &&
                (best < 0 || scores[i] > scores[best]))
                best = i;
        if (best < 0) return count;
        out[count++] = best;
        double kept[4], other[4];
        edges_of(boxes + 4 * best, o->centre, kept);
        for (int64_t i = 0; i < n; i++) {
            edges_of(boxes + 4 * i, o->centre, other);
            if (i == best || overlap_of(kept, other) > o->overlap) gone[i] = true;
        }
    }
    return count;
}
