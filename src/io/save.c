/* Saving tensors: evaluate them in one program, make them row-major, and pass them to the format's writer. Formats that
   state the order get values in column order as they are, so that nothing is copied. */
#include <stdlib.h>
#include <string.h>
#include <tyto/graph.h>
#include <tyto/memory.h>
#include <tyto/shape.h>
#include "array/tensor.h"
#include "base/options.h"
#include "array/progress.h"
#include "array/remote.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/order.h"
#include "io/archive.h"

/* Evaluate the w->n tensors into values[], owned by the current scope, and make values[] w->tensors. They are
   row-major, or, if `columns`, perhaps in column order. False sets the fault. */
static bool evaluate(struct writing *w, bool columns, ty_tensor *const *tensors, ty_tensor **values) {
    if (w->n) ty_eval_all(w->n, tensors, values);
    for (int i = 0; i < w->n; i++) {
        ty_tensor *x = columns && ty_is_columns(values[i]) ? values[i] : ty_contiguous(values[i]);
        x = at_home(x);
        if (!ty_ok(x))
            return fault_set(w->fault, ty_error_code(x), "save: tensor \"%.200s\": %s", w->names[i],
                             ty_error(x));
        values[i] = x;
    }
    w->tensors = values;
    return true;
}

/* Return true if the w->n names differ from each other, else set the fault; sorted[] is scratch for as many
   pointers. */
static bool check_distinct(struct writing *w, const char **sorted) {
    for (int i = 0; i < w->n; i++) sorted[i] = w->names[i];
    qsort(sorted, (size_t)w->n, sizeof *sorted, order_texts);
    for (int i = 1; i < w->n; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            return fault_set(w->fault, E_ARGUMENT, "save: the name \"%.200s\" occurs twice", sorted[i]);
    return true;
}

/* Return the format named by the options, else that of the path's extension; NULL sets the fault. *gzip
   becomes true if the extension says that the file is compressed. path may be NULL. */
static const struct format *format_of(const char *path, const ty_file_options *options, bool *gzip,
                                      struct fault *fault) {
    const struct format *by_path = path ? format_of_path(path, gzip) : NULL;
    if (options->format) return format_named(options->format, fault);
    if (by_path && *gzip && by_path->several) {
        fault_set(fault, E_UNSUPPORTED, "%s: %s files cannot be compressed by gzip", path, by_path->name);
        return NULL;
    }
    if (by_path) return by_path;
    struct text names = {0};
    format_names(&names);
    fault_set(
        fault, E_ARGUMENT,
        "%s: the extension does not identify a format; expected one of %s, or give the format (.format of "
        "ty_file_options; tyto convert --to)",
        path ? path : "save", names.failed ? "the formats" : names.data);
    text_drop(&names);
    return NULL;
}

bool writing_single(struct writing *w, const char *format) {
    if (w->options->nmeta)
        return fault_set(w->fault, E_UNSUPPORTED, "save: %s cannot store texts; use safetensors", format);
    return w->n == 1 ||
           fault_set(w->fault, E_UNSUPPORTED,
                     "save: %s holds one tensor, not %d; npz and safetensors hold several", format, w->n);
}

bool writing_numbers(struct writing *w, const char *format) {
    for (int i = 0; i < w->n; i++)
        if (dtype_stored(w->tensors[i]->dtype))
            return fault_set(w->fault, E_DTYPE, "save: %s has no dtype %s; ty_cast it", format,
                             ty_dtype_name(w->tensors[i]->dtype));
    return true;
}

/* Write the tensors in a format, through gzip if requested; false sets the fault. */
static bool write_wrapped(struct writing *w, const struct format *format, bool gzip) {
    struct output *out = w->out, packed;
    if (!gzip) return format->write(w);
    if (!output_deflate(&packed, out, true)) return false;
    w->out = &packed;
    bool ok = format->write(w);
    w->out = out;
    return output_deflate_end(&packed) && ok;
}

/* Target of a save. Everything that can fail before the first byte is checked before the output is opened. */
struct request {
    const char *path; /* target file; NULL: none */
    ty_sink *sink;    /* target function; NULL: memory, unless path is set */
    void **memory;
    size_t *size;
};

/* Open `out` for the target of r: its path, its sink, or else memory; false sets the fault. */
static bool begin(struct output *out, const struct request *r, struct fault *fault) {
    if (r->path) return output_to_path(out, r->path, fault);
    if (r->sink)
        output_to_sink(out, *r->sink, fault);
    else
        output_to_memory(out, fault);
    return true;
}

/* Write the tensors of w in a format, through gzip if requested, to the target of r. If r->memory is set,
   *r->memory and *r->size receive the bytes, which the caller frees. False sets the fault. */
static bool send(struct writing *w, const struct request *r, const struct format *format, bool gzip) {
    struct output out;
    if (!begin(&out, r, w->fault)) return false;
    w->out = &out;
    bool ok = write_wrapped(w, format, gzip);
    if (ok && r->memory) {
        *r->size = out.memory.length;
        *r->memory = text_take(&out.memory);
        ok = *r->memory || fault_memory(w->fault, *r->size);
    }
    return output_end(&out, ok) && ok;
}

/* Return true if the counts are not negative and no required array, name or text is NULL; else set the
   fault. */
static bool check_given(int n, const char *const *names, ty_tensor *const *tensors,
                        const ty_file_options *options, struct fault *fault) {
    if (n < 0 || options->nmeta < 0)
        return fault_set(fault, E_ARGUMENT, "save: %d tensors and %d texts; expected 0 or more of each", n,
                         options->nmeta);
    if (n && (!names || !tensors))
        return fault_set(fault, E_ARGUMENT, "save: the array of %d %s is NULL", n,
                         names ? "tensors" : "names");
    if (options->nmeta && (!options->keys || !options->values))
        return fault_set(fault, E_ARGUMENT, "save: the array of %d texts or of their keys is NULL",
                         options->nmeta);
    for (int i = 0; i < n; i++)
        if (!names[i]) return fault_set(fault, E_ARGUMENT, "save: the name of tensor %d is NULL", i + 1);
    for (int i = 0; i < options->nmeta; i++)
        if (!options->keys[i] || !options->values[i])
            return fault_set(fault, E_ARGUMENT, "save: text %d or its key is NULL", i + 1);
    return true;
}

static bool check_target(const struct request *r, struct fault *fault) {
    if (!r->path && !r->sink && !r->memory) return fault_set(fault, E_ARGUMENT, "save: the path is NULL");
    return !r->sink || r->sink->write ||
           fault_set(fault, E_ARGUMENT, "save: the sink's write function is NULL");
}

/* Choose the format, evaluate the tensors and write them to the target of r; false sets the fault. */
static bool write_tensors(struct writing *w, ty_tensor *const *tensors, const struct request *r) {
    bool gzip = false;
    size_t n = (size_t)w->n + 1;
    const struct format *format = format_of(r->path, w->options, &gzip, w->fault);
    ty_tensor **values = format ? mem_array(n, sizeof *values) : NULL;
    const char **sorted = format ? mem_array(n, sizeof *sorted) : NULL;
    bool ok = format && ((values && sorted) || fault_memory(w->fault, n * sizeof *values)) &&
              check_distinct(w, sorted) && evaluate(w, format->columns, tensors, values) &&
              send(w, r, format, gzip);
    mem_free(values);
    mem_free(sorted);
    return ok;
}

/* Save n tensors under their names to the target of r. Return false on failure, NULL arguments included,
   with poison in *error unless error is NULL. */
static bool save(int n, const char *const *names, ty_tensor *const *tensors, const ty_file_options *options,
                 const struct request *r, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    struct writing w = {.path = r->path, .n = n, .names = names, .options = options, .fault = &fault};
    ty_scope *scope = ty_open();
    bool ok = check_given(n, names, tensors, options, &fault) && check_target(r, &fault) &&
              write_tensors(&w, tensors, r);
    ty_close(scope);
    if (!ok && error) *error = tensor_fault(&fault);
    return ok;
}

bool ty_archive_save_sized(const char *path, int n, const char *const *names, ty_tensor *const *tensors,
                           const ty_file_options *given, size_t given_size, ty_tensor **error) {
    OPTIONS_ERROR(ty_file_options, options, given, given_size, error);
    PROGRESS_NAMED("write");
    return save(n, names, tensors, &options, &(struct request){.path = path}, error);
}

bool ty_archive_send_sized(ty_sink sink, int n, const char *const *names, ty_tensor *const *tensors,
                           const ty_file_options *given, size_t given_size, ty_tensor **error) {
    OPTIONS_ERROR(ty_file_options, options, given, given_size, error);
    PROGRESS_NAMED("write");
    return save(n, names, tensors, &options, &(struct request){.sink = &sink}, error);
}

void *ty_archive_bytes_sized(int n, const char *const *names, ty_tensor *const *tensors,
                             const ty_file_options *given, size_t given_size, size_t *size,
                             ty_tensor **error) {
    OPTIONS_OR(ty_file_options, options, given, given_size,
               (options_told(error, tensor_fault(&options_fault)), NULL));
    PROGRESS_NAMED("write");
    void *memory = NULL;
    size_t unasked;
    if (!size) size = &unasked;
    *size = 0;
    save(n, names, tensors, &options, &(struct request){.memory = &memory, .size = size}, error);
    return memory;
}

bool ty_checkpoint_save(const char *path, int n, const char *const *names, ty_tensor *const *tensors,
                        int nmeta, const char *const *keys, const char *const *values, ty_tensor **error) {
    PROGRESS_NAMED("write");
    ty_file_options options = {.format = "safetensors", .nmeta = nmeta, .keys = keys, .values = values};
    return ty_archive_save(path, n, names, tensors, options, error);
}

bool ty_save(const char *path, ty_tensor *x, ty_tensor **error) {
    PROGRESS_NAMED("write");
    const char *name = ty_name(x);
    return ty_archive_save(path, 1, &name, &x, (ty_file_options){0}, error);
}

/* ---- single tensors ---- */

ty_tensor *ty_load(const char *path) {
    PROGRESS_NAMED("read");
    ty_archive *a = ty_archive_open(path, (ty_file_options){0});
    ty_tensor *x =
        a->fault.set ? tensor_fault(&a->fault)
        : a->index.count == 1
            ? ty_archive_at(a, 0)
            : ty_poison_code(E_ARGUMENT, "%s: holds %d tensors, not one: open it with ty_archive_open", path,
                             a->index.count);
    ty_archive_free(a);
    return x;
}

ty_tensor *ty_map(const char *path, ty_dtype dtype, int rank, const int64_t *shape, uint64_t offset) {
    ty_file_options options = {
        .format = "raw", .map = true, .dtype = dtype, .rank = rank, .shape = shape, .offset = offset};
    ty_archive *a = ty_archive_open(path, options);
    ty_tensor *x = ty_archive_at(a, 0);
    ty_archive_free(a);
    return x;
}
