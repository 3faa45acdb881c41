/* Images from the bytes of files: formats of the library, and uncompressed BMP. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/io.h>
#include <tyto/shape.h>
#include "onnx/ops/rows.h"

/* ---- BMP ---- */

static int64_t little(const uint8_t *at, int bytes) {
    uint32_t x = 0;
    for (int i = 0; i < bytes; i++) x |= (uint32_t)at[i] << 8 * i;
    return bytes == 4 ? (int32_t)x : (int64_t)x;
}
/* Read an image of 24 or 32 bits a pixel, whose rows come from the last one up unless the height is negative. */
static ty_tensor *read_bmp(struct onnx_call *call, const uint8_t *bytes, int64_t n) {
    int64_t start = n < 54 ? 0 : little(bytes + 10, 4), width = n < 54 ? 0 : little(bytes + 18, 4);
    int64_t height = n < 54 ? 0 : little(bytes + 22, 4), depth = n < 54 ? 0 : little(bytes + 28, 2);
    int64_t pixel = depth / 8, rows = height < 0 ? -height : height, row = (width * pixel + 3) / 4 * 4;
    if (width < 1 || rows < 1 || (depth != 24 && depth != 32) || little(bytes + 30, 4) != 0 || start < 54 ||
        start > n || row > (n - start) / rows) {
        onnx_refuse(call, E_FORMAT,
                    "the BMP image is damaged, or has compressed pixels or %lld bits of 24 or 32",
                    (long long)depth);
        return onnx_failed(call);
    }
    ty_tensor *x =
        ty_from_strided(TY_U8, 3, (int64_t[]){rows, width, 3}, (int64_t[]){row, pixel, 1}, bytes + start);
    return ty_flip(height < 0 ? x : ty_flip(x, 0), 2); /* blue comes first */
}

/* ---- all formats ---- */

/* Read an image of another format that the library reads. */
static ty_tensor *read_image(struct onnx_call *call, const uint8_t *bytes, int64_t n) {
    ty_archive *archive = ty_archive_parse(bytes, (size_t)n, (ty_file_options){.format = NULL});
    ty_tensor *x = ty_archive_count(archive) == 1 ? ty_archive_at(archive, 0) : NULL;
    if (*ty_archive_error(archive)) {
        onnx_refuse(call, E_FORMAT, "the image cannot be read: %s", ty_archive_error(archive));
        x = NULL;
    }
    ty_archive_free(archive);
    return x ? x : onnx_failed(call);
}
/* Decode an image: u8 (H,W,3), or (H,W,1) for the format Grayscale. */
bool onnx_op_image_decoder(struct onnx_call *call) {
    static const char *const formats[] = {"RGB", "BGR", "Grayscale", NULL};
    int format = onnx_word(call, "pixel_format", "RGB", formats);
    ty_tensor *stream = ty_contiguous(onnx_known(call, onnx_input(call, 0)));
    const uint8_t *bytes = ty_data(stream);
    int64_t n = ty_size(stream);
    if (!bytes || ty_dtype_of(stream) != TY_U8 || ty_rank(stream) != 1)
        return onnx_refuse(call, E_DTYPE, "expected a vector of u8 with the bytes of a file");
    ty_tensor *x =
        n > 2 && bytes[0] == 'B' && bytes[1] == 'M' ? read_bmp(call, bytes, n) : read_image(call, bytes, n);
    if (ty_rank(x) != 3 || ty_dtype_of(x) != TY_U8)
        return onnx_refuse(call, E_FORMAT, "expected an image of u8, found %s of %d axes",
                           ty_dtype_name(ty_dtype_of(x)), ty_rank(x));
    int64_t channels = ty_shape(x)[2];
    if (channels == 2 || channels == 4) x = ty_slice(x, 2, 0, channels - 1, 1); /* without alpha */
    channels = ty_shape(x)[2];
    if (format == 2 && channels == 3) { /* luma of ITU-R BT.601 */
        ty_tensor *weights = ty_from(TY_F64, 1, (int64_t[]){3}, (double[]){0.299, 0.587, 0.114});
        x = ty_cast(ty_round(ty_expand(ty_dot_product(ty_cast(x, TY_F64), weights), 2)), TY_U8);
    } else if (format < 2 && channels == 1) {
        x = ty_repeat(x, 3, 2);
    } else if (format == 1) {
        x = ty_flip(x, 2);
    }
    return onnx_output(call, 0, x);
}
