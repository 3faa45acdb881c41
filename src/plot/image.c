/* Images of pixels: scaling, and PNG through the writer of files. */
#include "array/tensor.h"
#include "base/alloc.h"
#include "io/archive.h"
#include "plot/paint.h"
#include "plot/shapes.h"

/* Set first..last to the pixels, of n along a side, that a share of it touches; of less than a pixel that of its
   centre. */
static void span(double from, double share, int n, double *low, double *high, int *first, int *last) {
    *low = fmax(from * n, 0), *high = fmin((from + share) * n, n);
    if (share * n <= 1) {
        *low = fmin(floor((from + share / 2) * n), n - 1);
        *high = *low + 1;
    }
    *first = (int)fmin(*low, n - 1);
    *last = (int)fmax(fmin(ceil(*high), n) - 1, *first);
}

struct colour image_mean(const struct shape *image, double x, double y, double w, double h) {
    double left, right, top, bottom, sum[4] = {0}, whole = 0;
    int first, last, highest, lowest;
    span(x, w, image->columns, &left, &right, &first, &last);
    span(y, h, image->rows, &top, &bottom, &highest, &lowest);
    for (int row = highest; row <= lowest; row++) {
        const uint8_t *pixels = image->pixels + 4 * ((int64_t)row * image->columns);
        for (int i = first; i <= last; i++) {
            double weight =
                (fmin(bottom, row + 1.0) - fmax(top, row)) * (fmin(right, i + 1.0) - fmax(left, i));
            whole += weight;
            for (int k = 0; k < 4; k++)
                sum[k] += weight * pixels[4 * i + k] * (k < 3 ? pixels[4 * i + 3] : 1);
        }
    }
    double covered = sum[3];
    if (!(covered > 0 && whole > 0)) return (struct colour){0};
    return (struct colour){(uint8_t)(sum[0] / covered + 0.5), (uint8_t)(sum[1] / covered + 0.5),
                           (uint8_t)(sum[2] / covered + 0.5), (uint8_t)(covered / whole + 0.5)};
}

/* Write an image that is a tensor. */
static bool write_tensor(ty_tensor *x, struct output *out) {
    ty_file_options options = {.format = "png"};
    const char *name = "";
    struct writing writing = {
        .out = out, .n = 1, .names = &name, .tensors = &x, .options = &options, .fault = out->fault};
    return png_write(&writing);
}

bool pixels_png(const uint8_t *pixels, int columns, int rows, struct output *out) {
    bool opaque = true;
    size_t n = (size_t)columns * (size_t)rows;
    for (size_t i = 0; i < n && opaque; i++) opaque = pixels[4 * i + 3] == 255;
    int64_t shape[] = {rows, columns, opaque ? 3 : 4};
    ty_tensor *x = tensor_new_value(TY_U8, 3, shape);
    if (!x) return fault_memory(out->fault, 4 * n);
    uint8_t *to = tensor_data(x);
    for (size_t i = 0; i < n; i++, to += shape[2]) memcpy(to, pixels + 4 * i, (size_t)shape[2]);
    bool well = write_tensor(x, out);
    tensor_free_one_reference(x);
    return well;
}

bool scene_png(struct scene *s, double scale, struct output *out) {
    int columns, rows;
    uint8_t *pixels = scene_raster(s, scale, &columns, &rows);
    bool well = pixels && pixels_png(pixels, columns, rows, out);
    mem_free(pixels);
    if (pixels && !well) fault_copy(&s->fault, out->fault);
    return well;
}
