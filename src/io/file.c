/* Reading whole files, and the order of bytes. */
#include "io/file.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/alloc.h"

bool file_exists(const char *path) {
    struct stat status;
    return stat(path, &status) == 0;
}

/* Reads exactly out->count bytes and sees the end after them. */
static bool read_all(int file, const char *path, struct file_bytes *out, struct fault *fault) {
    size_t done = 0;
    for (;;) {
        uint8_t extra;
        bool full = done == out->count;
        ssize_t n = read(file, full ? &extra : out->data + done, full ? 1 : out->count - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fault_set(fault, "%s: cannot be read: %s", path, strerror(errno));
        if (full && n == 0) return true;
        if (full || n == 0) return fault_set(fault, "%s: changed its size while it was read", path);
        done += (size_t)n;
    }
}

static bool read_open(int file, const char *path, uint64_t most, struct file_bytes *out,
                      struct fault *fault) {
    struct stat status;
    if (fstat(file, &status) != 0)
        return fault_set(fault, "%s: cannot be inspected: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode)) return fault_set(fault, "%s: is not a regular file", path);
    uint64_t size = (uint64_t)status.st_size;
    if (size > most || size > PTRDIFF_MAX)
        return fault_set(fault, "%s: has %" PRIu64 " bytes, more than the %" PRIu64 " that are allowed", path,
                         size, most);
    out->count = (size_t)size;
    out->data = mem_data_alloc(out->count);
    if (!out->data) return fault_memory(fault, out->count);
    if (read_all(file, path, out, fault)) return true;
    file_bytes_drop(out);
    return false;
}

bool file_read(const char *path, uint64_t most, struct file_bytes *out, struct fault *fault) {
    memset(out, 0, sizeof *out);
    int file =
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer would wait for ever */
    if (file < 0) return fault_set(fault, "%s: cannot be opened: %s", path, strerror(errno));
    bool ok = read_open(file, path, most, out, fault);
    close(file);
    return ok;
}

void file_bytes_drop(struct file_bytes *bytes) {
    if (bytes->data) mem_data_free(bytes->data, bytes->count);
    memset(bytes, 0, sizeof *bytes);
}

static void reverse_each(uint8_t *data, size_t count, size_t width) {
    for (size_t i = 0; i < count; i++, data += width)
        for (size_t low = 0, high = width - 1; low < high; low++, high--) {
            uint8_t byte = data[low];
            data[low] = data[high];
            data[high] = byte;
        }
}

bool machine_is_little_endian(void) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

void bytes_from_big_endian(void *data, size_t count, size_t width) {
    if (width > 1 && machine_is_little_endian()) reverse_each(data, count, width);
}
