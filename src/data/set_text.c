/* Windows of a text.  Bytes stay in the file, mapped; characters are numbered once. */
#include <inttypes.h>
#include <string.h>
#include <tyto/create.h>
#include "base/alloc.h"
#include "data/dataset.h"

enum { LENGTH = 64, POINTS = 0x110000 };

struct windows {
    ty_tensor *ids; /* u8, or i32 */
    int64_t length, stride;
    const char *path;
};

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

/* The character at `at` (RFC 3629), whose bytes are counted in *n; -1: none. */
static int32_t next_point(const uint8_t *at, const uint8_t *end, int *n) {
    static const int32_t least[] = {0, 0x80, 0x800, 0x10000};
    int more = *at < 0x80 ? 0 : *at >> 5 == 6 ? 1 : *at >> 4 == 14 ? 2 : *at >> 3 == 30 ? 3 : -1;
    if (more < 0 || end - at <= more) return -1;
    int32_t point = more ? *at & (0x3f >> more) : *at;
    for (int i = 1; i <= more; i++) {
        if (at[i] >> 6 != 2) return -1;
        point = point << 6 | (at[i] & 0x3f);
    }
    *n = more + 1;
    return point < least[more] || point >= POINTS || (point >= 0xd800 && point < 0xe000) ? -1 : point;
}

/* Notes which characters there are; how many there are in all, -1 with a sentence. */
static int64_t count_points(ty_dataset *set, const char *path, const ty_tensor *bytes, int32_t *number) {
    const uint8_t *start = tensor_data(bytes), *end = start + tensor_size(bytes);
    int64_t count = 0;
    int n;
    for (const uint8_t *at = start; at < end; at += n, count++) {
        int32_t point = next_point(at, end, &n);
        if (point < 0) {
            fault_set(&set->fault, "%.300s: is no UTF-8 at byte %" PRId64 ": read it as bytes", path,
                      (int64_t)(at - start));
            return -1;
        }
        number[point] = 1;
    }
    return count;
}

static size_t spell(int32_t point, char *out) {
    if (point < 0x80) return out[0] = (char)point, 1;
    size_t n = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, point >>= 6) out[i] = (char)(0x80 | (point & 0x3f));
    out[0] = (char)(0xff << (8 - n) | point);
    return n;
}

/* Numbers and names those that there are, as they rise. */
static bool name_points(ty_dataset *set, int32_t *number) {
    int32_t many = 0;
    char bytes[4];
    for (int32_t p = 0; p < POINTS; p++) many += number[p];
    if (!dataset_classes(set, many)) return false;
    for (int32_t p = 0, k = 0; p < POINTS; p++) {
        if (!number[p]) continue;
        set->classes[k] = dataset_text(set, bytes, spell(p, bytes));
        if (!set->classes[k]) return false;
        number[p] = k++;
    }
    return true;
}

static ty_tensor *number_points(ty_dataset *set, const char *path, const ty_tensor *bytes) {
    int32_t *number = mem_array(POINTS, sizeof *number);
    int n;
    if (!number) fault_memory(&set->fault, POINTS * sizeof *number);
    int64_t count = number ? count_points(set, path, bytes, number) : -1;
    ty_tensor *ids = count >= 0 && name_points(set, number) ? ty_empty(TY_I32, 1, &count) : NULL;
    if (ids && dataset_check(set, ids)) {
        const uint8_t *at = tensor_data(bytes), *end = at + tensor_size(bytes);
        int32_t *id = tensor_data(ids);
        for (; at < end; at += n) *id++ = number[next_point(at, end, &n)];
    }
    mem_free(number);
    return ids;
}

/* ---- opening ---- */

static void read(ty_dataset *set, const char *path, const ty_text_options *o) {
    struct windows *own = set->own;
    ty_tensor *bytes = dataset_bytes(path);
    if (!dataset_check(set, bytes)) return;
    ty_tensor *ids = o->characters ? number_points(set, path, bytes) : bytes;
    if (set->fault.set) return;
    own->ids = ty_retain(ids);
    int64_t n = ty_size(ids);
    if (n <= own->length)
        fault_set(&set->fault,
                  "%.300s: has %" PRId64 " %s, which is no window of %" PRId64 " and what follows it", path,
                  n, o->characters ? "characters" : "bytes", own->length);
    else
        set->size = (n - 1 - own->length) / own->stride + 1;
}

ty_dataset *ty_dataset_text(const char *path, ty_text_options options) {
    ty_dataset *set = dataset_new(&windows, sizeof(struct windows));
    struct windows *own = set->own;
    if (!set->fault.set && (!path || options.length < 0 || options.stride < 0))
        fault_set(&set->fault, path ? "dataset_text: a length or stride below 0"
                                    : "dataset_text: NULL where a path belongs");
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
