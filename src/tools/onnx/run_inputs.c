/* Fitting files to declared forms. */
#include "tools/onnx/run_inputs.h"
#include <stdlib.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "tools/network/picture.h"
#include "tools/onnx/case.h"
#include "tools/options/file.h"
#include "tools/options/message.h"
#include "tools/options/shapes.h"
#include "tools/options/written.h"

/* Return the declared size of an axis, from 0; -1: unknown. */
static int64_t declared(const ty_onnx_port *port, int axis) {
    return port->shape[axis] > 0 ? port->shape[axis] : -1;
}

static bool is_channels(int64_t size) { return size == 1 || size == 3 || size == 4; }

/* ---- pictures ---- */

/* Return true if an array has the declared dtype and shape. */
static bool has_form(const ty_onnx_port *port, const ty_tensor *x) {
    bool same = port->dtype == ty_dtype_of(x) && port->rank == ty_rank(x);
    for (int i = 0; i < port->rank && same; i++)
        same = declared(port, i) < 0 || declared(port, i) == ty_shape(x)[i];
    return same;
}
/* Return true if a file's array may be a picture for the form: bytes [H,W,C], and images are declared. */
static bool is_picture(const ty_onnx_port *port, const ty_tensor *x) {
    if (has_form(port, x)) return false;
    bool images = port->rank == 4 || port->rank == 3;
    return images && ty_dtype_of(x) == TY_U8 && ty_rank(x) == 3 && is_channels(ty_shape(x)[2]) &&
           (is_channels(declared(port, port->rank - 3)) || is_channels(declared(port, port->rank - 1)));
}

/* Return the picture in the declared order of axes and size, [H,W,C] or [C,H,W]; poison if channels do not fit. */
static ty_tensor *fit_picture(const ty_onnx_port *port, ty_tensor *x) {
    int first = port->rank - 3;
    bool channels_first = is_channels(declared(port, first));
    int64_t height = declared(port, first + channels_first),
            width = declared(port, first + 1 + channels_first);
    int64_t shape[] = {height > 0 ? height : ty_shape(x)[0], width > 0 ? width : ty_shape(x)[1],
                       declared(port, channels_first ? first : port->rank - 1)};
    ty_tensor *y = picture_fit(x, shape, false);
    if (port->dtype >= TY_F16) y = ty_div(y, ty_num(UINT8_MAX));
    return channels_first ? ty_permute(y, (int[]){2, 0, 1}) : y;
}

/* ---- files ---- */

/* Return the array of a file as a value of the form. */
static ty_tensor *fit(const ty_onnx_port *port, ty_tensor *x) {
    ty_dtype dtype = port->dtype;
    if (port->rank >= 0 && is_picture(port, x)) x = fit_picture(port, x);
    if (port->rank == ty_rank(x) + 1 && declared(port, 0) <= 1) x = ty_expand(x, 0);
    return dtype != TY_DTYPES && dtype != ty_dtype_of(x) ? ty_cast(x, dtype) : x;
}

static bool is_message(const char *path) {
    size_t n = strlen(path);
    return n > 3 && !strcmp(path + n - 3, ".pb");
}

bool run_input_read(const ty_onnx_port *port, const char *path, const struct reader_in *reader,
                    struct arena *arena, struct onnx_value *out) {
    struct fault fault = {0};
    if (is_message(path)) {
        int found = case_file(path, (enum onnx_kind)port->kind, arena, out, &fault);
        return found > 0 || (found ? complain_fault(&fault)
                                   : complain_code(TY_ERROR_FILE, "%s: no such file", path)) == EXIT_SUCCESS;
    }
    if (port->kind != TY_ONNX_TENSOR && port->kind != TY_ONNX_ABSENT)
        return complain("input %s: %s comes from a file .pb alone", port->name,
                        onnx_kind_words((enum onnx_kind)port->kind)) == EXIT_SUCCESS;
    ty_tensor *x = file_tensor(path, reader);
    if (!ty_ok(x)) return false; /* file_tensor has printed a message */
    x = fit(port, x);
    *out = onnx_value_tensor(x);
    return ty_ok(x) || complain_about(x, "%s", path) == EXIT_SUCCESS;
}

bool run_input_written(const ty_onnx_port *port, const char *text, struct onnx_value *out) {
    if (port->kind != TY_ONNX_TENSOR)
        return complain("input %s: %s cannot be written out; expected a file .pb", port->name,
                        onnx_kind_words((enum onnx_kind)port->kind)) == EXIT_SUCCESS;
    ty_tensor *x = written_out(text, text, 0);
    if (!ty_ok(x)) return false; /* written_out has printed a message */
    x = fit(port, x);
    *out = onnx_value_tensor(x);
    return ty_ok(x) || complain_about(x, "%s", text) == EXIT_SUCCESS;
}

/* ---- draws ---- */

bool run_input_draw(const ty_onnx_port *port, const struct option_list *sizes, int k, struct arena *arena,
                    struct onnx_value *out) {
    int64_t shape[TY_MAX_RANK], n = 1;
    ty_dtype dtype = port->dtype;
    bool strings = port->kind == TY_ONNX_STRINGS;
    if ((port->kind != TY_ONNX_TENSOR && !strings) || (!strings && dtype >= TY_DTYPES))
        return complain("input %s: give it a file; %s cannot be drawn", port->name,
                        port->kind == TY_ONNX_TENSOR
                            ? onnx_type_words(port->type)
                            : onnx_kind_words((enum onnx_kind)port->kind)) == EXIT_SUCCESS;
    if (!form_sizes(port, sizes, shape)) return false;
    if (!strings) {
        ty_tensor *x = shapes_fill(dtype, port->rank, shape, k);
        *out = onnx_value_tensor(x);
        return ty_ok(x) || complain_about(x, "input %s", port->name) == EXIT_SUCCESS;
    }
    struct fault fault = {0};
    bool fits = true;
    for (int i = 0; i < port->rank; i++) fits = fits && !__builtin_mul_overflow(n, shape[i], &n);
    struct wire_bytes *items = fits ? arena_array(arena, (size_t)n, sizeof *items) : NULL;
    if (!items) return complain("input %s: too many strings", port->name) == EXIT_SUCCESS;
    *out = onnx_value_strings(arena, port->rank, shape, items, &fault);
    return !fault.set || complain_fault(&fault) == EXIT_SUCCESS;
}
