/*
 * Opening archives: the file is read whole, its checksum tested before anything in it is believed, then
 * the header parsed.  Tensors are copied out when they are asked for.
 */
#include <string.h>
#include <tyto/io.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "io/file.h"
#include "io/safetensors.h"

struct ty_archive {
    struct fault fault;
    struct arena arena;
    struct file_bytes file;
    const uint8_t *data;
    struct safetensors_header header;
};

static struct ty_archive no_memory = {.fault = {true, "out of memory: an archive could not be opened"}};

/* The length that the file declares, checked against the file. */
static bool header_length(const struct file_bytes *file, const char *name, size_t *length,
                          struct fault *fault) {
    uint64_t declared = 0;
    if (file->count < SAFETENSORS_PREFIX)
        return fault_set(fault, "%s: is truncated: %zu bytes are too few for a safetensors file", name,
                         file->count);
    for (int i = 0; i < SAFETENSORS_PREFIX; i++) declared |= (uint64_t)file->data[i] << 8 * i;
    if (declared > SAFETENSORS_MOST_HEADER)
        return fault_set(
            fault, "%s: is no safetensors file: a header of %llu bytes is more than the %d that are allowed",
            name, (unsigned long long)declared, SAFETENSORS_MOST_HEADER);
    if (declared > file->count - SAFETENSORS_PREFIX)
        return fault_set(fault, "%s: is truncated: the header has %llu bytes, %zu follow", name,
                         (unsigned long long)declared, file->count - SAFETENSORS_PREFIX);
    *length = (size_t)declared;
    if (declared > 0 && file->data[SAFETENSORS_PREFIX] == '{') return true;
    return fault_set(fault, "%s: is no safetensors file: its header does not begin with {", name);
}

static bool check_sum(const struct file_bytes *file, const char *name, size_t length, bool required,
                      struct fault *fault) {
    const uint8_t *json = file->data + SAFETENSORS_PREFIX;
    size_t mark = sizeof SAFETENSORS_CHECKSUM - 1;
    char digits[SAFETENSORS_DIGITS + 1];
    if (length < mark + SAFETENSORS_DIGITS || memcmp(json, SAFETENSORS_CHECKSUM, mark) != 0) {
        if (!required) return true;
        return fault_set(fault, "%s: has no checksum: it is damaged, or no archive of ty_save", name);
    }
    const uint8_t *rest = json + mark + SAFETENSORS_DIGITS;
    const void *parts[] = {file->data, "00000000", rest};
    size_t counts[] = {(size_t)(json + mark - file->data), SAFETENSORS_DIGITS,
                       (size_t)(file->data + file->count - rest)};
    safetensors_checksum(3, parts, counts, digits);
    if (memcmp(json + mark, digits, SAFETENSORS_DIGITS) == 0) return true;
    return fault_set(fault, "%s: checksum mismatch: the file is damaged", name);
}

/* Other bytes than 0 and 1 are no bool, and would not compute as one. */
static bool check_bools(const struct ty_archive *a, const char *name, struct fault *fault) {
    for (int i = 0; i < a->header.count; i++) {
        const struct safetensors_entry *e = &a->header.entries[i];
        for (uint64_t at = e->begin; e->dtype == TY_BOOL && at < e->end; at++)
            if (a->data[at] > 1)
                return fault_set(fault, "%s: tensor \"%.100s\" is BOOL but holds the byte %d", name, e->name,
                                 a->data[at]);
    }
    return true;
}

static bool open_bytes(struct ty_archive *a, const char *name, bool checked) {
    size_t length = 0;
    if (!machine_is_little_endian())
        return fault_set(&a->fault, "%s: safetensors files are little-endian, this machine is not", name);
    if (!header_length(&a->file, name, &length, &a->fault)) return false;
    if (!check_sum(&a->file, name, length, checked, &a->fault)) return false;
    const char *json = (const char *)a->file.data + SAFETENSORS_PREFIX;
    a->data = a->file.data + SAFETENSORS_PREFIX + length;
    uint64_t data_bytes = a->file.count - SAFETENSORS_PREFIX - length;
    return safetensors_parse(&a->header, name, json, length, data_bytes, &a->arena, &a->fault) &&
           check_bools(a, name, &a->fault);
}

static ty_archive *open_file(const char *path, bool checked) {
    ty_archive *a = mem_alloc(sizeof *a);
    if (!a) return &no_memory;
    if (file_read(path, INT64_MAX, &a->file, &a->fault)) open_bytes(a, path, checked);
    return a;
}

ty_archive *ty_load(const char *path) { return open_file(path, true); }
ty_archive *ty_safetensors_read(const char *path) { return open_file(path, false); }

ty_archive *ty_safetensors_parse(const void *bytes, size_t n) {
    ty_archive *a = mem_alloc(sizeof *a);
    if (!a) return &no_memory;
    a->file.data = mem_data_alloc(n);
    if (!a->file.data) {
        fault_memory(&a->fault, n);
        return a;
    }
    a->file.count = n;
    if (n) memcpy(a->file.data, bytes, n);
    open_bytes(a, "safetensors data", false);
    return a;
}

void ty_archive_free(ty_archive *a) {
    if (!a || a == &no_memory) return;
    file_bytes_drop(&a->file);
    arena_drop(&a->arena);
    mem_free(a);
}

const char *ty_archive_error(const ty_archive *a) { return a->fault.set ? a->fault.text : ""; }
int ty_archive_count(const ty_archive *a) { return a->fault.set ? 0 : a->header.count; }

const char *ty_archive_name(const ty_archive *a, int i) {
    return i >= 0 && i < ty_archive_count(a) ? a->header.entries[i].name : NULL;
}

const char *ty_archive_meta(const ty_archive *a, const char *key) {
    for (int i = 0; !a->fault.set && i < a->header.npairs; i++)
        if (strcmp(a->header.pairs[i].key, key) == 0) return a->header.pairs[i].value;
    return NULL;
}

ty_tensor *ty_archive_get(const ty_archive *a, const char *name) {
    if (a->fault.set) return ty_poison("%s", a->fault.text);
    for (int i = 0; i < a->header.count; i++) {
        const struct safetensors_entry *e = &a->header.entries[i];
        if (strcmp(e->name, name) != 0) continue;
        ty_tensor *x = tensor_new_value(e->dtype, e->rank, e->shape);
        if (x && e->end > e->begin) memcpy(tensor_data(x), a->data + e->begin, (size_t)(e->end - e->begin));
        return tensor_return(x);
    }
    return ty_poison("archive: there is no tensor \"%.200s\" among its %d", name, a->header.count);
}
