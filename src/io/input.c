/* Uncompressed inputs; inflate.c has the compressed ones. */
#include "io/input.h"
#include "array/progress.h"
#include "base/context/stop.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "array/scope.h"
#include "base/alloc.h"
#include "base/list.h"

enum { FIRST_PIECE = 1 << 16 };

struct input *input_new(const char *name, struct fault *fault) {
    struct input *in = mem_alloc(sizeof *in);
    if (!in) {
        fault_memory(fault, sizeof *in);
        return NULL;
    }
    in->name = name;
    in->file = -1;
    in->exact = true;
    return in;
}

void input_close(struct input *in) {
    while (in) {
        struct input *parent = in->owns_parent ? in->parent : NULL;
        if (in->close) in->close(in);
        if (in->file >= 0) close(in->file);
        if (in->owned) mem_data_free(in->owned, in->size);
        mem_free(in->grown);
        mem_free(in->check);
        mem_free(in);
        in = parent;
    }
}

/* ---- files ---- */

/* Read up to n bytes at offset `at` of a file into `out`; *got receives their number, less than n only at
   the end. False sets the fault. It is the input's `read`. */
static bool read_file(struct input *in, uint64_t at, void *out, size_t n, size_t *got, struct fault *fault) {
    size_t done = 0;
    while (done < n && at + done < in->size) {
        size_t piece = n - done < SSIZE_MAX ? n - done : SSIZE_MAX;
        ssize_t count = pread(in->file, (char *)out + done, piece, (off_t)(at + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fault_set(fault, E_ERRNO, "%s: cannot be read: %s", in->name, strerror(errno));
        if (count == 0) return fault_set(fault, E_FILE, "%s: changed its size while it was read", in->name);
        done += (size_t)count;
    }
    *got = done;
    return true;
}

struct input *input_path(const char *path, struct fault *fault) {
    if (!path) {
        fault_set(fault, E_ARGUMENT, "the path is NULL");
        return NULL;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer would block */
    if (file >= 0) return input_file(path, file, fault);
    fault_set(fault, E_ERRNO, "%s: cannot be opened: %s", path, strerror(errno));
    return NULL;
}

struct input *input_file(const char *path, int file, struct fault *fault) {
    struct stat status;
    struct input *in = input_new(path, fault);
    if (!in) {
        close(file);
        return NULL;
    }
    in->file = file;
    in->read = read_file;
    if (fstat(in->file, &status) != 0)
        fault_set(fault, E_ERRNO, "%s: cannot be inspected: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        fault_set(fault, E_FORMAT, "%s: is %s; expected a file", path,
                  S_ISDIR(status.st_mode) ? "a folder" : "no regular file");
    if (fault->set) {
        input_close(in);
        return NULL;
    }
    in->size = (uint64_t)status.st_size;
    return in;
}

/* ---- memory ---- */

/* Copy up to n bytes at offset `at` of the input's memory to `out`; *got receives their number, less than n
   only at the end. Always true. It is the input's `read`. */
static bool read_memory(struct input *in, uint64_t at, void *out, size_t n, size_t *got,
                        struct fault *fault) {
    (void)fault;
    uint64_t left = at < in->size ? in->size - at : 0;
    *got = n < left ? n : (size_t)left;
    if (*got) memcpy(out, in->bytes + at, *got);
    return true;
}

struct input *input_memory(const char *name, const void *bytes, uint64_t n, struct fault *fault) {
    struct input *in = input_new(name, fault);
    if (!in) return NULL;
    if (n && !bytes) {
        fault_set(fault, E_ARGUMENT, "%s: the array of %" PRIu64 " bytes is NULL", name, n);
        input_close(in);
        return NULL;
    }
    in->read = read_memory;
    in->bytes = bytes;
    in->size = n;
    return in;
}

bool input_hold(struct input *in, struct fault *fault) {
    if (in->owned || in->grown) return true;
    if (in->size > PTRDIFF_MAX || !in->exact)
        return fault_set(fault, E_MEMORY, "%s: does not fit in memory", in->name);
    uint8_t *bytes = mem_data_alloc((size_t)in->size);
    if (!bytes) return fault_memory(fault, (size_t)in->size);
    if (!input_exactly(in, 0, bytes, (size_t)in->size, "data", fault)) {
        mem_data_free(bytes, (size_t)in->size);
        return false;
    }
    in->read = read_memory;
    in->bytes = in->owned = bytes;
    return true;
}

/* ---- the caller's functions ---- */

/* Read up to n bytes at offset `at` by the caller's function into `out`; *got receives their number, less
   than n only at the end. False sets the fault. It is the input's `read`. */
static bool read_source(struct input *in, uint64_t at, void *out, size_t n, size_t *got,
                        struct fault *fault) {
    size_t done = 0;
    while (done < n && at + done < in->size) {
        struct scope_fence fence = scope_fence();
        int64_t count = in->source.read_at(in->source.context, at + done, (char *)out + done, n - done);
        scope_fence_end(fence);
        if (count < 0 || (uint64_t)count > n - done)
            return fault_set(fault, E_USER, "%s: the source's read_at failed at byte %" PRIu64, in->name,
                             at + done);
        if (count == 0) return fault_set(fault, E_FILE, "%s: ended before its declared size", in->name);
        done += (size_t)count;
    }
    *got = done;
    return true;
}

/* Read a sequential source to its end into memory of the input, which then is its content; false sets the
   fault. */
static bool read_all(struct input *in, struct fault *fault) {
    uint8_t *bytes = NULL;
    size_t done = 0, capacity = 0;
    bool ok = true;
    for (;;) {
        if (done == capacity && !list_reserve(bytes, done ? done + 1 : FIRST_PIECE, capacity)) {
            ok = fault_memory(fault, capacity ? 2 * capacity : FIRST_PIECE);
            break;
        }
        struct scope_fence fence = scope_fence();
        int64_t count = in->source.read(in->source.context, bytes + done, capacity - done);
        scope_fence_end(fence);
        if (count == 0) break;
        if (count < 0 || (uint64_t)count > capacity - done) {
            ok = fault_set(fault, E_USER, "%s: the source's read failed after %zu bytes", in->name, done);
            break;
        }
        done += (size_t)count;
    }
    uint8_t *fitting = done ? mem_grow(bytes, done, 1) : NULL; /* the last growth may have doubled it */
    in->size = done;
    in->bytes = in->grown = fitting ? fitting : bytes;
    in->read = read_memory;
    return ok;
}

struct input *input_source(const char *name, ty_source source, struct fault *fault) {
    struct input *in = input_new(name, fault);
    if (!in) return NULL;
    in->source = source;
    in->read = read_source;
    in->size = source.size;
    bool well = source.read_at ||
                (source.read ? read_all(in, fault)
                             : fault_set(fault, E_ARGUMENT, "%s: has neither read_at nor read", name));
    if (well) return in;
    input_close(in);
    return NULL;
}

/* ---- parts ---- */

static bool read_part(struct input *in, uint64_t at, void *out, size_t n, size_t *got, struct fault *fault) {
    uint64_t left = at < in->size ? in->size - at : 0;
    return input_read(in->parent, in->begin + at, out, n < left ? n : (size_t)left, got, fault);
}

struct input *input_part(struct input *parent, uint64_t begin, uint64_t size, struct fault *fault) {
    struct input *in = parent ? input_new(parent->name, fault) : NULL;
    if (!in) return NULL;
    in->read = read_part;
    in->parent = parent;
    in->begin = begin;
    in->size = size;
    return in;
}

/* ---- reading ---- */

enum { READ_PIECE = 16 << 20 }; /* bytes: some 10 ms */

/* Read as in->read does, in pieces, between which progress is reported. */
static bool read_pieces(struct input *in, uint64_t at, void *out, size_t n, size_t *got,
                        struct fault *fault) {
    struct progress progress;
    bool well = true;
    progress_begin(&progress, "read", in->parent ? PROGRESS_INSIDE : (int64_t)in->size);
    for (size_t piece, more; *got < n && well; *got += more) {
        piece = n - *got < READ_PIECE ? n - *got : READ_PIECE;
        more = 0;
        well = stop_check(fault) && in->read(in, at + *got, (char *)out + *got, piece, &more, fault) &&
               progress_step(&progress, (int64_t)(at + *got + more), fault);
        if (!well || more < piece) n = 0; /* the end */
    }
    progress_end(&progress);
    return well;
}

bool input_read(struct input *in, uint64_t at, void *out, size_t n, size_t *got, struct fault *fault) {
    *got = 0;
    if (!stop_check(fault)) return false;
    if (n && !read_pieces(in, at, out, n, got, fault)) return false;
    if (in->check && at == in->checked) {
        crc_add(in->check, out, *got);
        in->checked += *got;
    }
    return true;
}

char *input_text(const char *path, uint64_t most, size_t *n, struct fault *fault) {
    struct input *in = input_stream(path, most, fault);
    char *text = NULL;
    if (!in) return NULL;
    if (most && in->size > most)
        fault_set(fault, E_LIMIT, "%s: has %llu bytes; expected at most %llu", path,
                  (unsigned long long)in->size, (unsigned long long)most);
    else if (in->size >= SIZE_MAX || !(text = mem_alloc((size_t)in->size + 1)))
        fault_memory(fault, (size_t)in->size);
    else if (!input_read(in, 0, text, (size_t)in->size, n, fault))
        mem_free(text), text = NULL;
    input_close(in);
    return text;
}

bool input_exactly(struct input *in, uint64_t at, void *out, size_t n, const char *what,
                   struct fault *fault) {
    size_t got;
    if (!input_read(in, at, out, n, &got, fault)) return false;
    if (!got && !at && n) return fault_set(fault, E_FORMAT, "%s: the file is empty", in->name);
    return got == n || fault_set(fault, E_FORMAT, "%s: is truncated: %zu bytes of %s expected, %zu found",
                                 in->name, n, what, got);
}

bool input_check(struct input *in, uint32_t expected, struct fault *fault) {
    in->check = mem_alloc(sizeof *in->check);
    if (!in->check) return fault_memory(fault, sizeof *in->check);
    crc_start(in->check, CRC_ZIP);
    in->expected = expected;
    return true;
}

bool input_end(struct input *in, uint64_t at, struct fault *fault) {
    uint8_t extra;
    size_t got;
    if (!input_read(in, at, &extra, 1, &got, fault)) return false;
    if (got || in->trailing)
        return fault_set(fault, E_FORMAT, "%s: has extra bytes after its data", in->name);
    if (in->check && crc_value(in->check) != in->expected)
        return fault_set(fault, E_FORMAT, "%s: the checksum (CRC-32) does not match: the data is damaged",
                         in->name);
    return true;
}
