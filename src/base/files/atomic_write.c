/*
 * Atomic replacement of a file. The new content goes to <name>.tyto-<process>-<number>.tmp in the same
 * directory, since a rename across file systems is a copy. It is synced and renamed; then the directory is
 * synced, or the name itself could be lost. See Pillai et al., "All file systems are not created equal" (OSDI
 * 2014).
 *
 * The temporary is locked (flock) while it is written. The next write removes files that a killed process left:
 * their name fits exactly, the process is gone and the lock is free.
 *
 * Devices, pipes and descriptors of processes (/dev/stdout) are written in place.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/hash.h"
#include "base/files/file.h"
#include "base/files/folders.h"
#include "base/files/in_place.h"

/* NAME_LIMIT leaves room in NAME_MAX for the suffix of the temporary. */
enum { TRIES = 100, PROCESS_DIGITS = 10, NUMBER_DIGITS = 16, NAME_LIMIT = 200 };

/* A write in progress. Names are relative to the open directory, so that nobody can swap the directory
   meanwhile. */
struct replacement {
    const char *path;
    char target[PATH_MAX + 1]; /* path with links resolved; then its folder, a 0, and the name */
    const char *name;          /* file name inside target */
    char temporary[NAME_MAX + 1];
    int directory, file;
    bool replaces; /* target exists and has this mode */
    bool in_place; /* `file` is the target itself, not a temporary */
    mode_t mode;
    struct fault *fault;
};

bool file_exists(const char *path) {
    struct stat status;
    return stat(path, &status) == 0;
}

static bool failed(struct replacement *r, const char *what) {
    return fault_set(r->fault, E_ERRNO, "%s: %s: %s", r->path, what, strerror(errno));
}

/* Set r->target to r->path with links resolved, and, if the target exists, r->replaces and its permissions
   r->mode. Return true if it is a regular file or does not exist; else false, with the fault set. */
static bool resolve(struct replacement *r) {
    struct stat status, followed;
    if (strlen(r->path) >= PATH_MAX) return fault_set(r->fault, E_LIMIT, "%s: the path is too long", r->path);
    strcpy(r->target, r->path);
    if (lstat(r->path, &status) != 0) {
        if (errno != ENOENT) return failed(r, "cannot be written");
        return true;
    }
    if (stat(r->path, &followed) != 0) return failed(r, "is a dangling symbolic link");
    if (!S_ISREG(followed.st_mode))
        return fault_set(r->fault, E_FILE, "%s: is a folder; expected a file", r->path);
    if (S_ISLNK(status.st_mode) && !realpath(r->path, r->target)) return failed(r, "cannot be resolved");
    r->mode = followed.st_mode & 0777;
    r->replaces = true;
    return true;
}

/* Open the directory of r->target as r->directory, and set r->name to the file's name in it; cuts r->target
   there. False sets the fault. */
static bool open_directory(struct replacement *r) {
    char *name = r->target + (folders_name(r->target) - r->target);
    r->name = name;
    if (!*r->name) return fault_set(r->fault, E_FILE, "%s: does not name a file", r->path);
    if (strlen(r->name) > NAME_LIMIT)
        return fault_set(r->fault, E_LIMIT, "%s: the name is longer than %d bytes", r->path, NAME_LIMIT);
    const char *directory = name == r->target ? "." : r->target;
    if (name > r->target) { /* the folder keeps its separator: it may be a root */
        memmove(name + 1, name, strlen(name) + 1);
        *name = 0;
        r->name = name + 1;
    }
    r->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return r->directory >= 0 || failed(r, "its directory cannot be opened");
}

/* Parse digits of base 10 or 16 (lower case) into *value and advance *text past them. Return false if there
   is no digit or more than `most`; both are then undefined. */
static bool take_digits(const char **text, int most, int base, uint64_t *value) {
    static const char digits[] = "0123456789abcdef";
    const char *start = *text;
    *value = 0;
    for (; **text; ++*text) {
        const char *digit = memchr(digits, **text, (size_t)base);
        if (!digit) break;
        if (*text - start >= most) return false;
        *value = *value * (uint64_t)base + (uint64_t)(digit - digits);
    }
    return *text > start;
}

/* Return true if `name` is that of a temporary of the file named `target`, and set *process to the id of
   the process that made it. After false *process means nothing. */
static bool is_temporary_of(const char *name, const char *target, pid_t *process) {
    uint64_t id, number;
    size_t n = strlen(target);
    if (strncmp(name, target, n) != 0 || strncmp(name + n, ".tyto-", 6) != 0) return false;
    name += n + 6;
    if (!take_digits(&name, PROCESS_DIGITS, 10, &id) || *name++ != '-') return false;
    const char *start = name;
    if (!take_digits(&name, NUMBER_DIGITS, 16, &number) || name - start != NUMBER_DIGITS) return false;
    *process = (pid_t)id;
    return strcmp(name, ".tmp") == 0 && id > 0 && id <= INT_MAX;
}

/* Remove the temporary `name` in the open folder `directory`, a descriptor, if nobody holds its lock;
   errors are ignored. */
static void remove_if_unlocked(int directory, const char *name) {
    struct stat status;
    int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0)
        unlinkat(directory, name, 0);
    close(file);
}

/* Remove temporaries of the target that processes no longer alive left behind; errors are ignored. */
static void sweep(const struct replacement *r) {
    int again = openat(r->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again < 0 ? NULL : fdopendir(again);
    if (!list) {
        if (again >= 0) close(again);
        return;
    }
    for (struct dirent *entry; (entry = readdir(list));) {
        pid_t process;
        if (!is_temporary_of(entry->d_name, r->name, &process)) continue;
        if (kill(process, 0) != 0 && errno == ESRCH) remove_if_unlocked(r->directory, entry->d_name);
    }
    closedir(list);
}

/* Return a number that differs between calls, and almost surely between processes that had the same id. */
static uint64_t fresh_number(void) {
    static atomic_uint_fast64_t calls;
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t x = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return hash_number(x + HASH_STEP * (1 + atomic_fetch_add(&calls, 1)));
}

/* Create r->temporary, a file of a fresh name next to the target, open it as r->file and lock it. False
   sets the fault. */
static bool open_temporary(struct replacement *r) {
    for (int i = 0; i < TRIES; i++) {
        snprintf(r->temporary, sizeof r->temporary, "%.*s.tyto-%ld-%016" PRIx64 ".tmp", NAME_LIMIT, r->name,
                 (long)getpid(), fresh_number());
        r->file = openat(r->directory, r->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         r->replaces ? 0600 : 0666);
        if (r->file >= 0) {
            flock(r->file, LOCK_EX | LOCK_NB); /* without locks the process id still protects it */
            return true;
        }
        if (errno != EEXIST) break;
    }
    r->temporary[0] = 0; /* so that replacement_end does not remove it */
    return failed(r, "cannot be written");
}

bool replacement_try(const char *path, struct fault *fault) {
    if (path && in_place_is(path))
        return in_place_try(path) ||
               fault_set(fault, E_ERRNO, "%s: cannot be written: %s", path, strerror(errno));
    struct replacement *r = replacement_begin(path, fault);
    if (r) replacement_end(r, false);
    return r;
}

bool replacement_write(struct replacement *r, const void *bytes, size_t n) {
    return in_place_write(r->file, bytes, n) || failed(r, "cannot be written");
}

/* Sync the temporary to disk, rename it over the target, and sync the folder; false sets the fault. The
   file stays open, and so locked, until it is renamed. EINVAL means that the file system needs no fsync
   for folders. */
static bool take_over(struct replacement *r) {
    if (r->replaces && fchmod(r->file, r->mode) != 0) return failed(r, "cannot keep its permissions");
    if (fsync(r->file) != 0) return failed(r, "cannot be synced to disk");
    if (renameat(r->directory, r->temporary, r->directory, r->name) != 0)
        return failed(r, "cannot be replaced");
    r->temporary[0] = 0;
    return fsync(r->directory) == 0 || errno == EINVAL || failed(r, "its directory cannot be synced to disk");
}

struct replacement *replacement_begin(const char *path, struct fault *fault) {
    struct replacement *r = path ? mem_alloc(sizeof *r) : NULL;
    if (!path) fault_set(fault, E_ARGUMENT, "the path is NULL");
    if (!r) {
        fault_memory(fault, sizeof *r); /* keeps an earlier fault */
        return NULL;
    }
    r->path = path;
    r->fault = fault;
    r->directory = r->file = -1;
    r->in_place = in_place_is(path);
    if (r->in_place) {
        r->file = in_place_open(path);
        if (r->file >= 0 || failed(r, "cannot be written")) return r;
    } else if (resolve(r) && open_directory(r)) {
        sweep(r);
        if (open_temporary(r)) return r;
    }
    replacement_end(r, false);
    return NULL;
}

bool replacement_end(struct replacement *r, bool keep) {
    bool ok = keep && (r->in_place || take_over(r));
    if (!ok && r->directory >= 0 && r->temporary[0]) unlinkat(r->directory, r->temporary, 0);
    if (r->file >= 0 && close(r->file) != 0 && r->in_place && errno != EINTR)
        ok = ok && failed(r, "cannot be written");
    if (r->directory >= 0) close(r->directory);
    mem_free(r);
    return ok;
}
