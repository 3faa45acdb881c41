/* Inputs from files that are no regular ones: pipes, terminals, sockets.  Their text is held in memory. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/context/stop.h"
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

/* Read the next bytes, at most n; 0 at the end, -1 with the fault set.  It is the `read` of a source. */
static int64_t read_stream(void *context, void *out, size_t n) {
    struct stream *s = context;
    while (wait_for_bytes(s)) {
        ssize_t count = read(s->file, out, n);
        if (count < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) continue;
        if (count < 0) {
            fault_set(&s->fault, E_ERRNO, "%s: cannot be read: %s", s->name, strerror(errno));
            return -1;
        }
        s->done += (uint64_t)count;
        if (!s->most || s->done <= s->most) return count;
        fault_set(
            &s->fault, E_FORMAT,
            "%s: has more than the allowed %" PRIu64
            " bytes, which are held in memory: allow more (.most_bytes; tyto --most-bytes), or read a file",
            s->name, s->most);
        return -1;
    }
    return -1;
}

struct input *input_stream(const char *path, uint64_t most, struct fault *fault) {
    struct stat status;
    if (!path || stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
        return input_path(path, fault);
    struct stream s = {.name = path, .most = most};
    s.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (s.file < 0) {
        fault_set(fault, E_ERRNO, "%s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    struct input *in = input_source(path, (ty_source){.context = &s, .read = read_stream}, fault);
    close(s.file);
    if (!s.fault.set) return in;
    fault_clear(fault);
    fault_copy(fault, &s.fault);
    input_close(in);
    return NULL;
}
