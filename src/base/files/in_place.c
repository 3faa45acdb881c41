/* Devices, pipes and descriptors, written in place. */
#include "base/files/in_place.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 }; /* limit of Linux */

/* Split a path: folder[] receives the resolved folder, and *last points to the last part in `path`. Return
   false if the folder does not exist or the path is too long. */
static bool split(const char *path, char folder[PATH_MAX], const char **last) {
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    if (n >= sizeof parent) return false;
    memcpy(parent, path, n);
    parent[n] = 0;
    *last = slash ? slash + 1 : path;
    return realpath(!slash ? "." : n ? parent : "/", folder);
}

/* Return true if `folder` is one that lists descriptors: "/dev/fd", "/proc/9/fd", "/proc/9/task/10/fd".
   *own becomes true if they are this process's. */
static bool lists_descriptors(const char *folder, bool *own) {
    char self[48];
    size_t n = strlen(folder), m = (size_t)snprintf(self, sizeof self, "/proc/%ld/", (long)getpid());
    *own = strcmp(folder, "/dev/fd") == 0 || strncmp(folder, self, m) == 0;
    return n > 3 && strcmp(folder + n - 3, "/fd") == 0 && (*own || strncmp(folder, "/proc/", 6) == 0);
}

/* Follow links from `path` until it names a descriptor; then set *number to it, or to -1 if it is another
   process's, and return true. False if it names none. */
static bool find_descriptor(const char *path, int *number) {
    char at[PATH_MAX], folder[PATH_MAX], next[PATH_MAX], *end;
    const char *last;
    bool own;
    if (strlen(path) >= sizeof at) return false;
    strcpy(at, path);
    for (int i = 0; i < MOST_LINKS && split(at, folder, &last); i++) {
        if (lists_descriptors(folder, &own)) {
            long value = strtol(last, &end, 10);
            if (*last < '0' || *last > '9' || *end || value > INT_MAX) return false;
            *number = own ? (int)value : -1;
            return true;
        }
        ssize_t n = readlink(at, next, sizeof next - 1);
        if (n <= 0) return false;
        next[n] = 0;
        size_t before = *next == '/' ? 0 : strlen(folder) + 1;
        if (before + (size_t)n >= sizeof at) return false;
        if (before) {
            memcpy(at, folder, before - 1);
            at[before - 1] = '/';
        }
        memcpy(at + before, next, (size_t)n + 1);
    }
    return false;
}

/* Return the descriptor of this process that the path names (/dev/stdout, /dev/fd/3, /proc/self/fd/3, or a
   link to one); -1 if it names none. */
static int in_place_descriptor(const char *path) {
    int number;
    return find_descriptor(path, &number) ? number : -1;
}

bool in_place_is(const char *path) {
    struct stat status;
    int number;
    if (stat(path, &status) != 0) return false;
    return (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) ||
           (S_ISREG(status.st_mode) && find_descriptor(path, &number));
}

/* Return true if the descriptor `file` is open for writing, else false with errno set. */
static bool is_writable(int file) {
    int flags = fcntl(file, F_GETFL);
    if (flags < 0) return false;
    if ((flags & O_ACCMODE) != O_RDONLY) return true;
    errno = EBADF;
    return false;
}

int in_place_open(const char *path) {
    int number = in_place_descriptor(path);
    if (number < 0) return open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    return is_writable(number) ? fcntl(number, F_DUPFD_CLOEXEC, 0) : -1;
}

bool in_place_try(const char *path) {
    int number = in_place_descriptor(path);
    return number < 0 ? access(path, W_OK) == 0 : is_writable(number);
}

/* Write all n bytes to a descriptor, by several calls if needed; return false with errno set on failure. */
static bool write_all(int file, const uint8_t *at, size_t n) {
    enum { MOST = 1 << 30 }; /* Linux writes at most 0x7ffff000 bytes a call, and Windows counts in 32 bits */
    while (n > 0) {
        ssize_t count = write(file, at, n < MOST ? n : MOST);
        if (count < 0 && errno == EINTR) continue;
        if (count == 0) errno = ENOSPC;
        if (count <= 0) return false;
        at += count;
        n -= (size_t)count;
    }
    return true;
}

/* Write all n bytes to a descriptor; return false with errno set on failure. SIGPIPE is blocked in this
   thread during the write, and one that the write raised is consumed. */
bool in_place_write(int file, const void *bytes, size_t n) {
    sigset_t pipe, before, pending;
    int taken;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    bool written = write_all(file, bytes, n);
    int why = errno;
    if (!written && why == EPIPE && !was_pending) {
        sigpending(&pending);
        if (sigismember(&pending, SIGPIPE) == 1) sigwait(&pipe, &taken);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return written;
}
