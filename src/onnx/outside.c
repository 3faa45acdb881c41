/* Data of tensors in files beside the model. */
#include "onnx/outside.h"
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/files/folders.h"
#include "base/list.h"

/* ---- mapping ---- */

static bool map_open(int file, const char *name, struct wire_bytes *bytes, struct fault *fault) {
    struct stat facts;
    if (fstat(file, &facts) != 0) return fault_set(fault, E_ERRNO, "%s: %s", name, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        return fault_set(fault, E_FILE, "%s: is %s; expected a file", name,
                         S_ISDIR(facts.st_mode) ? "a folder" : "no regular file");
    if ((uintmax_t)facts.st_size > SIZE_MAX)
        return fault_set(fault, E_LIMIT, "%s: exceeds the address space", name);
    *bytes = (struct wire_bytes){NULL, (size_t)facts.st_size};
    if (!bytes->n) return true;
    void *memory = mmap(NULL, bytes->n, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory == MAP_FAILED)
        return fault_set(fault, E_ERRNO, "%s: cannot be mapped: %s", name, strerror(errno));
    bytes->at = memory;
    return true;
}

bool outside_map(const char *path, const char *name, struct wire_bytes *bytes, struct fault *fault) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not wait for its writer */
    if (file < 0) return fault_set(fault, E_ERRNO, "%s: cannot be opened: %s", name, strerror(errno));
    bool good = map_open(file, name, bytes, fault);
    close(file);
    return good;
}

void outside_unmap(struct wire_bytes bytes) {
    if (bytes.at) munmap((void *)(uintptr_t)bytes.at, bytes.n);
}

/* ---- paths ---- */

/* Return the length of a path's folder, with its last slash; 0 if it has none. */
static size_t folder_length(const char *path) { return (size_t)(folders_name(path) - path); }

/* True if the true path `path` lies beneath the folder of the true path `model`. */
static bool beneath_folder(const char *path, const char *model) {
    size_t n = folder_length(model);
    return n && strncmp(path, model, n) == 0;
}

/* True if the true path lies beneath the folder that the words of a model's path name, whose last part may be a link. */
static bool beneath_named_folder(const char *path, const char *model) {
    char folder[PATH_MAX], real[PATH_MAX];
    size_t n = folder_length(model);
    if (n >= sizeof folder) return false;
    memcpy(folder, n ? model : ".", n ? n : 2);
    folder[n ? n : 1] = 0;
    if (!realpath(folder, real)) return false;
    n = strlen(real);
    return strncmp(path, real, n) == 0 && (path[n] == '/' || n == 1);
}

/* Write the true path of a location beside the model to real[PATH_MAX].  False sets the fault. */
static bool resolve(const char *model, const char *location, char *real, struct fault *fault) {
    char path[PATH_MAX], real_model[PATH_MAX];
    if (!*location || folders_absolute(location))
        return fault_set(fault, E_FORMAT, "external data \"%.200s\" is not named relative to the model",
                         location);
    size_t n = folder_length(model);
    if (n + strlen(location) >= sizeof path)
        return fault_set(fault, E_LIMIT, "external data \"%.200s\" has too long a path", location);
    memcpy(path, model, n);
    strcpy(path + n, location);
    if (!realpath(path, real))
        return fault_set(fault, E_ERRNO, "external data \"%.200s\": %s", location, strerror(errno));
    if (!realpath(model, real_model))
        return fault_set(fault, E_ERRNO, "the folder of the model is not found: %s", strerror(errno));
    if (beneath_folder(real, real_model) || beneath_named_folder(real, model)) return true;
    return fault_set(fault, E_FORMAT, "external data \"%.200s\" lies outside of the model's folder",
                     location);
}

/* Return the bytes of a file, which is mapped at its first use. */
static bool file_bytes(struct onnx_outside *outside, const char *location, struct wire_bytes *bytes,
                       struct fault *fault) {
    for (int i = 0; i < outside->nfiles; i++)
        if (strcmp(outside->files[i].location, location) == 0) return *bytes = outside->files[i].bytes, true;
    char real[PATH_MAX];
    if (!resolve(outside->path, location, real, fault) || !outside_map(real, location, bytes, fault))
        return false;
    if (list_append(outside->files, outside->nfiles, outside->capacity,
                    (struct onnx_mapping){location, *bytes}))
        return true;
    outside_unmap(*bytes);
    return fault_memory(fault, sizeof *outside->files);
}

/* ---- tensors ---- */

/* Read a number of bytes from the text of an entry. */
static bool number_of(const struct proto_pair *pair, uint64_t *out, struct fault *fault) {
    const char *text = pair->value ? pair->value : "";
    uint64_t value = 0;
    for (const char *c = text; *c; c++)
        if (*c < '0' || *c > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
            return fault_set(fault, E_FORMAT, "external data: %.20s is \"%.40s\", no number of bytes",
                             pair->key, text);
    *out = value;
    return *text != 0 || fault_set(fault, E_FORMAT, "external data: %.20s is empty", pair->key);
}

bool outside_find(struct onnx_outside *outside, const struct proto_tensor *tensor, struct wire_bytes *bytes,
                  struct fault *fault) {
    if (!outside || !outside->path)
        return fault_set(fault, E_UNSUPPORTED,
                         "data in another file: a model in memory or a value has no folder");
    const char *location = NULL;
    uint64_t offset = 0, length = UINT64_MAX;
    for (int64_t i = 0; i < tensor->external_data.n; i++) {
        const struct proto_pair *pair = &tensor->external_data.items[i];
        const char *key = pair->key ? pair->key : "";
        if (strcmp(key, "location") == 0) location = pair->value;
        if (strcmp(key, "offset") == 0 && !number_of(pair, &offset, fault)) return false;
        if (strcmp(key, "length") == 0 && !number_of(pair, &length, fault)) return false;
    }
    if (!location) return fault_set(fault, E_FORMAT, "external data has no location");
    if (!file_bytes(outside, location, bytes, fault)) return false;
    if (offset > bytes->n || (length != UINT64_MAX && length > bytes->n - offset))
        return fault_set(fault, E_FORMAT,
                         "external data \"%.200s\" has %zu bytes, fewer than the tensor names", location,
                         bytes->n);
    if (bytes->at) bytes->at += offset;
    bytes->n = length == UINT64_MAX ? bytes->n - (size_t)offset : (size_t)length;
    return true;
}

void outside_done(struct onnx_outside *outside, struct wire_bytes bytes) {
    (void)outside;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)bytes.at + page - 1) / page * page;
    uintptr_t to = ((uintptr_t)bytes.at + bytes.n) / page * page;
    if (to > from) madvise((void *)from, to - from, MADV_DONTNEED);
}

void outside_close(struct onnx_outside *outside) {
    for (int i = 0; i < outside->nfiles; i++) outside_unmap(outside->files[i].bytes);
    mem_free(outside->files);
    outside->files = NULL;
    outside->nfiles = outside->capacity = 0;
}
