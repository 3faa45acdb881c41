/* Data set of windows of a text. Bytes are mapped from the file; characters are numbered once on opening. */
#include <inttypes.h>
#include <string.h>
#include <tyto/create.h>
#include "base/options.h"
#include "base/alloc.h"
#include "array/progress.h"
#include "base/utf8.h"
#include "data/dataset.h"

enum { LENGTH = 64, POINTS = 0x110000 };

/* Data of the kind: the text, and the length and stride of windows. */
struct windows {
    ty_tensor *ids; /* u8, or i32 for characters */
    int64_t length, stride;
    const char *path;
};

/* Set out[0] to window `index`, from 0, of the text and out[1] to the one that starts a token later, both
   i32 [length]. Always true; it is the kind's `get`. */
static bool get(const ty_dataset *set, int64_t index, ty_tensor **out, struct fault *fault) {
    const struct windows *own = set->own;
    static const int64_t stride = 1;
    (void)fault;
    for (int i = 0; i < 2; i++)
        out[i] = ty_cast(dataset_view(own->ids, index * own->stride + i, 1, &own->length, &stride), TY_I32);
    return true;
}

static void where(const ty_dataset *set, int64_t index, struct text *words) {
    const struct windows *own = set->own;
    text_add(words, "%s, from %" PRId64 " on", own->path, index * own->stride);
}

static void drop(ty_dataset *set) {
    struct windows *own = set->own;
    if (own->ids) ty_release(own->ids);
}

static const struct data_kind windows = {.get = get, .where = where, .drop = drop};

/* ---- characters ---- */

/* Set number[p] to 1 for each code point p of the UTF-8 text `bytes`; number[] has POINTS elements. Return
   the count of characters, or -1 with the set's fault set. */
static int64_t count_points(ty_dataset *set, const char *path, const ty_tensor *bytes, int32_t *number) {
    const char *start = tensor_data(bytes), *end = start + tensor_size(bytes);
    int64_t count = 0;
    uint32_t point;
    size_t n;
    for (const char *at = start; at < end; at += n, count++) {
        n = utf8_read(at, (size_t)(end - at), &point);
        if (n == 0) {
            fault_set(&set->fault, E_FORMAT, "%.300s: is not UTF-8 at byte %" PRId64 ": read it as bytes",
                      path, (int64_t)(at - start));
            return -1;
        }
        number[point] = 1;
    }
    return count;
}

/* Replace number[p] of each code point that is 1 by its id, counted from 0 in ascending order, and set the
   class names. False, with the set's fault set, without memory. */
static bool name_points(ty_dataset *set, int32_t *number) {
    int32_t many = 0;
    char bytes[4];
    for (int32_t p = 0; p < POINTS; p++) many += number[p];
    if (!dataset_classes(set, many)) return false;
    for (int32_t p = 0, k = 0; p < POINTS; p++) {
        if (!number[p]) continue;
        set->classes[k] = dataset_text(set, bytes, utf8_write(bytes, (uint32_t)p));
        if (!set->classes[k]) return false;
        number[p] = k++;
    }
    return true;
}

/* Return the ids, i32 [characters], of the characters of UTF-8 text `bytes`, numbered from 0 by code point;
   also names the classes. On failure the set's fault, which names `path`, is set, and the result is NULL or
   poison. */
static ty_tensor *number_points(ty_dataset *set, const char *path, const ty_tensor *bytes) {
    int32_t *number = mem_array(POINTS, sizeof *number);
    uint32_t point = 0;
    if (!number) fault_memory(&set->fault, POINTS * sizeof *number);
    int64_t count = number ? count_points(set, path, bytes, number) : -1;
    ty_tensor *ids = count >= 0 && name_points(set, number) ? ty_empty(TY_I32, 1, &count) : NULL;
    if (ids && dataset_check(set, ids)) {
        const char *at = tensor_data(bytes), *end = at + tensor_size(bytes);
        int32_t *id = tensor_data(ids);
        for (; at < end; *id++ = number[point]) at += utf8_read(at, (size_t)(end - at), &point);
    }
    mem_free(number);
    return ids;
}

/* ---- opening ---- */

/* Read the text at `path` as bytes or characters and set the set's ids and size; failures set the set's
   fault. */
static void read(ty_dataset *set, const char *path, const ty_text_options *o) {
    struct windows *own = set->own;
    ty_tensor *bytes = dataset_bytes(path);
    if (!dataset_check(set, bytes)) return;
    ty_tensor *ids = o->characters ? number_points(set, path, bytes) : bytes;
    if (set->fault.set) return;
    own->ids = ty_retain(ids);
    int64_t n = ty_size(ids);
    if (n <= own->length)
        fault_set(&set->fault, E_ARGUMENT,
                  "%.300s: has %" PRId64 " %s, fewer than a window of %" PRId64 " and the element after it",
                  path, n, o->characters ? "characters" : "bytes", own->length);
    else
        set->size = (n - 1 - own->length) / own->stride + 1;
}

ty_dataset *ty_dataset_text_sized(const char *path, const ty_text_options *given, size_t given_size) {
    ty_text_options options;
    PROGRESS_NAMED("read");
    ty_dataset *set = dataset_new(&windows, sizeof(struct windows));
    struct windows *own = set->own;
    OPTIONS_READ(options, given, given_size, &set->fault);
    if (!set->fault.set && (!path || options.length < 0 || options.stride < 0))
        fault_set(&set->fault, E_ARGUMENT,
                  path ? "dataset_text: the length or stride is negative" : "dataset_text: the path is NULL");
    if (!dataset_fields(set, 2)) return set;
    own->length = options.length ? options.length : LENGTH;
    own->stride = options.stride ? options.stride : own->length;
    own->path = dataset_text(set, path, strlen(path));
    if (!own->path || !dataset_field(set, 0, "input", TY_I32, 1, &own->length) ||
        !dataset_field(set, 1, "target", TY_I32, 1, &own->length))
        return set;
    ty_scope *scope = ty_open();
    read(set, path, &options);
    ty_close(scope);
    return set;
}
