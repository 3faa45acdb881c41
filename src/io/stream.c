/* Inputs from files that are no regular ones: pipes, terminals, sockets.  Their bytes are kept. */
#define _GNU_SOURCE /* mkostemp */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/context/stop.h"
#include "base/list.h"
#include "io/input.h"

enum { PATIENCE_MS = 50 }; /* a request to stop is seen after this time at the latest */

/* A file that is read in order. */
struct stream {
    int file;
    const char *name;
    uint64_t done, most; /* bytes; most 0: no limit */
    struct fault fault;
};

/* Wait until the file has bytes or has ended.  A named pipe that no program has opened for writing yet is waited for.
   False sets the fault. */
static bool wait_for_bytes(struct stream *s) {
    for (;;) {
        struct pollfd ready = {.fd = s->file, .events = POLLIN};
        int count = poll(&ready, 1, PATIENCE_MS);
        if (!stop_check(&s->fault)) return false;
        if (count > 0) return true;
        if (count < 0 && errno != EINTR && errno != EAGAIN)
            return fault_set(&s->fault, E_ERRNO, "%s: cannot be waited for: %s", s->name, strerror(errno));
    }
}

/* Read the next bytes, at most n; 0 at the end, -1 with the fault set. */
static int64_t read_stream(struct stream *s, void *out, size_t n) {
    while (wait_for_bytes(s)) {
        ssize_t count = read(s->file, out, n);
        if (count < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) continue;
        if (count < 0) {
            fault_set(&s->fault, E_ERRNO, "%s: cannot be read: %s", s->name, strerror(errno));
            return -1;
        }
        s->done += (uint64_t)count;
        if (!s->most || s->done <= s->most) return count;
        fault_set(&s->fault, E_FORMAT,
                  "%s: has more than the allowed %" PRIu64 " bytes, which are kept until the end: allow more "
                  "(.most_bytes; tyto --most-bytes), or read a file",
                  s->name, s->most);
        return -1;
    }
    return -1;
}

/* ---- keeping ---- */

/* Bytes that were read: in a file the first ones, if they are many, and in memory those that follow. */
struct spool {
    uint8_t *bytes;
    size_t n, capacity;
    int file;     /* -1: none */
    bool unfiled; /* no file can be made */
};

/* Return a new file without a name, open for reading and writing; -1: none can be made. */
static int nameless_file(void) {
    static const char ending[] = "/tyto-XXXXXX";
    char path[512];
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder || strlen(folder) + sizeof ending > sizeof path) folder = "/tmp";
    text_print(path, sizeof path, "%s%s", folder, ending);
    int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0) unlink(path);
    return file;
}

/* Move the bytes in memory to the file.  If none can be made they stay.  False sets the fault. */
static bool file_bytes(struct spool *k, const char *name, struct fault *fault) {
    if (k->file < 0 && !k->unfiled) k->unfiled = (k->file = nameless_file()) < 0;
    for (size_t done = 0; done < k->n && k->file >= 0;) {
        ssize_t count = write(k->file, k->bytes + done, k->n - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0)
            return fault_set(
                fault, E_ERRNO,
                "%s: its bytes cannot be kept in a temporary file, in the folder of TMPDIR or /tmp: %s", name,
                strerror(errno));
        done += (size_t)count;
    }
    if (k->file >= 0) k->n = 0;
    return true;
}

/* Read the stream to its end.  False sets the fault. */
static bool read_all(struct stream *s, struct spool *k) {
    /* KEPT is the size of the reader's window: streams of that many bytes need no file */
    enum { PIECE = 1 << 16, KEPT = 1 << 20 };
    for (;;) {
        if (k->n >= KEPT && !file_bytes(k, s->name, &s->fault)) return false;
        if (!list_reserve(k->bytes, k->n + PIECE, k->capacity))
            return fault_memory(&s->fault, 2 * k->capacity);
        int64_t count = read_stream(s, k->bytes + k->n, PIECE);
        if (count <= 0) return count == 0;
        k->n += (size_t)count;
    }
}

/* Return an input of the bytes, which it owns.  NULL sets the fault. */
static struct input *kept_input(struct spool *k, const char *name, struct fault *fault) {
    if (k->file >= 0) {
        int file = k->file;
        k->file = -1;
        return input_file(name, file, fault);
    }
    uint8_t *fitting = k->n ? mem_grow(k->bytes, k->n, 1) : NULL; /* the last growth may have doubled it */
    if (fitting) k->bytes = fitting;
    struct input *in = input_memory(name, k->bytes ? k->bytes : (const uint8_t *)"", k->n, fault);
    if (!in) return NULL;
    in->grown = k->bytes;
    k->bytes = NULL;
    return in;
}

/* Open a file that is read in order.  A socket has no path that can be opened, but the standard input may be one. */
static int open_stream(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file >= 0 || errno != ENXIO || strcmp(path, "/dev/stdin") != 0) return file;
    return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
}

bool stream_keep(int descriptor, const char *name, uint64_t most, struct fault *fault) {
    struct stream s = {.file = descriptor, .name = name, .most = most};
    struct spool kept = {.file = -1};
    bool well = read_all(&s, &kept) && file_bytes(&kept, name, &s.fault);
    if (well && !s.done) /* the program that writes has probably failed */
        well = fault_set(&s.fault, E_FORMAT, "%s is empty", name);
    if (!well)
        fault_copy(fault, &s.fault);
    else if (kept.file < 0 || lseek(kept.file, 0, SEEK_SET) < 0 || dup2(kept.file, descriptor) < 0)
        well = fault_set(fault, E_ERRNO,
                         "%s: no temporary file can be made, in the folder of TMPDIR or /tmp: %s", name,
                         strerror(errno));
    if (kept.file >= 0) close(kept.file);
    mem_free(kept.bytes);
    return well;
}

struct input *input_stream(const char *path, uint64_t most, struct fault *fault) {
    struct stat status;
    if (!path || stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
        return input_path(path, fault);
    struct stream s = {.name = path, .most = most};
    struct spool kept = {.file = -1};
    struct input *in = NULL;
    s.file = open_stream(path);
    if (s.file < 0) {
        fault_set(fault, E_ERRNO, "%s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    bool well = read_all(&s, &kept) && (kept.file < 0 || file_bytes(&kept, path, &s.fault));
    if (well && (in = kept_input(&kept, path, fault)))
        in->streamed = true;
    else if (!well)
        fault_copy(fault, &s.fault);
    close(s.file);
    if (kept.file >= 0) close(kept.file);
    mem_free(kept.bytes);
    return in;
}
