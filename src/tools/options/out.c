/* Writing of arrays to files and to the standard output. */
#include "tools/options/out.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "io/archive.h"
#include "tools/options/message.h"
#include "tools/options/result.h"

bool out_is_standard(const char *path) { return !strcmp(path, "/dev/stdout"); }

const char *out_format(const struct file_out *out, int n) {
    bool gzip;
    const struct format *format = format_of_path(out->path, &gzip);
    if (out->format) return out->format;
    if (format) return gzip && format->several ? NULL : format->name;
    return out_is_standard(out->path) ? n == 1 ? "npy" : "npz" : NULL;
}

bool out_check(const struct file_out *out, const char *option) {
    struct fault fault = {0};
    if (!out->path)
        return !out->format || complain("--to %s: expected %s FILE, too (- is the standard output)",
                                        out->format, option) == EXIT_SUCCESS;
    bool instead = *option == '-'; /* of printing; another OUT is what the command makes */
    if (result_json() && instead)
        return complain("--json and %s: expected one of them", option) == EXIT_SUCCESS;
    if (out->format && !format_named(out->format, &fault))
        return complain_fault_about(&fault, "--to") == EXIT_SUCCESS;
    const char *format = out_format(out, 1);
    if (format && precision_or(0) && strcmp(format, "csv"))
        return complain("--precision: files of the format %s have all digits; expected csv", format) ==
               EXIT_SUCCESS;
    return format ||
           complain(
               "%s %s: expected a name that ends in the format to write: .npy, .npz, .csv, .safetensors, "
               "..., or --to FORMAT",
               option, out->path) == EXIT_SUCCESS;
}

/* ---- the standard output ---- */

/* A terminal or file that receives bytes. */
struct receiver {
    bool terminal, refused; /* refused: the bytes are no text */
};

static bool receive(void *context, const void *bytes, size_t n) {
    struct receiver *r = context;
    r->refused = r->refused || (r->terminal && memchr(bytes, 0, n));
    return !r->refused && fwrite(bytes, 1, n, stdout) == n;
}

/* Write to the standard output by stdio, so that a closed pipe ends the process as it ends other programs. */
static bool send(int n, const char *const *names, ty_tensor *const *tensors, ty_file_options options) {
    struct receiver r = {.terminal = isatty(STDOUT_FILENO)};
    ty_tensor *error = NULL;
    if (ty_archive_send((ty_sink){&r, receive}, n, names, tensors, options, &error)) return true;
    if (r.refused)
        return complain(
                   "the standard output is a terminal, which cannot show %s: > FILE keeps it, and --to csv "
                   "prints text",
                   options.format) == EXIT_SUCCESS;
    if (ferror(stdout)) return false; /* main.c says so */
    return complain_of(error) == EXIT_SUCCESS;
}

bool out_save(const struct file_out *out, int n, const char *const *names, ty_tensor *const *tensors,
              ty_file_options options) {
    ty_tensor *error = NULL;
    if (precision_or(0)) options.precision = precision_or(0);
    options.format = out_format(out, n);
    if (out_is_standard(out->path)) return send(n, names, tensors, options);
    options.format = out->format; /* the name says which, and whether it is compressed */
    return ty_archive_save(out->path, n, names, tensors, options, &error) ||
           complain_of(error) == EXIT_SUCCESS;
}
