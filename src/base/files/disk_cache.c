#include "base/files/disk_cache.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/files/file.h"
#include "base/files/folders.h"
#include "base/hash.h"
#include "base/machine/debug.h"

/* The folder's limit: a program of PoCL has some 25 KiB for each kernel, so thousands fit. */
enum { MOST_BYTES = 256 << 20, NAME = 64, MAGIC_LENGTH = 8 };
static const char prefix[] = "kernel-", magic[MAGIC_LENGTH + 1] = "tytocl01";
static _Atomic size_t bound; /* 0: MOST_BYTES */

/* The first bytes of an entry; the key and the program follow. */
struct header {
    char magic[MAGIC_LENGTH];
    uint64_t key, program; /* bytes */
    uint64_t hash;         /* of key and program */
};

void disk_cache_bound(size_t most) { atomic_store(&bound, most); }
static size_t limit(void) { return atomic_load(&bound) ? atomic_load(&bound) : MOST_BYTES; }

/* ---- the folder ---- */

/* Write the folder's path to out.  False: the environment names none. */
static bool folder_path(char out[PATH_MAX]) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && folders_absolute(cache)) return text_print(out, PATH_MAX, "%s/tyto", cache) < PATH_MAX;
    return home && folders_absolute(home) && text_print(out, PATH_MAX, "%s/.cache/tyto", home) < PATH_MAX;
}

/* Return true if only this user can write the open file or folder, of this type. */
static bool is_own(int file, mode_t type) {
    struct stat status;
    return !fstat(file, &status) && (status.st_mode & S_IFMT) == type && status.st_uid == geteuid() &&
           !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/* Say once in a process, under TY_DEBUG, why nothing is stored. */
static void complain(const char *path, const char *why) {
    static atomic_bool said;
    if (debug_level() && !atomic_exchange(&said, true))
        fprintf(stderr, "tyto: compiled kernels are not kept in %s: %s\n", path, why);
}

/* Open the folder and write its path to out; `make`: make it if it does not exist.  Return a descriptor; -1: it
   cannot be used. */
static int open_folder(char out[PATH_MAX], bool make) {
    if (!folder_path(out)) {
        complain("~/.cache/tyto", "neither XDG_CACHE_HOME nor HOME is set");
        return -1;
    }
    if (make && !folders_make(out, 0700)) complain(out, strerror(errno));
    int folder = open(out, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 || is_own(folder, S_IFDIR)) return folder;
    complain(out, "it belongs to another user, or others may write it");
    close(folder);
    return -1;
}

/* Write the name of the key's entry to out. */
static void entry_name(const struct disk_key *key, char out[NAME]) {
    text_print(out, NAME, "%s%016" PRIx64, prefix, hash_bytes(key->bytes, key->length));
}

/* ---- reading ---- */

static bool read_all(int file, void *to, size_t bytes) {
    for (size_t n = 0; n < bytes;) {
        ssize_t got = read(file, (char *)to + n, bytes - n);
        if (got <= 0 && !(got < 0 && errno == EINTR)) return false;
        if (got > 0) n += (size_t)got;
    }
    return true;
}

static uint64_t hash_of(const struct disk_key *key, const void *program, size_t bytes) {
    return hash_join(hash_bytes(key->bytes, key->length), hash_bytes(program, bytes));
}

/* Return the program in the open entry, if it is one of this key; *bytes is its size.  NULL otherwise. */
static void *read_entry(int file, const struct disk_key *key, size_t *bytes) {
    struct header h;
    struct stat status;
    if (fstat(file, &status) || status.st_size < (off_t)sizeof h || status.st_size > (off_t)limit())
        return NULL;
    uint64_t rest = (uint64_t)status.st_size - sizeof h;
    if (!read_all(file, &h, sizeof h) || memcmp(h.magic, magic, MAGIC_LENGTH) || h.key != key->length ||
        h.key >= rest || h.program != rest - h.key)
        return NULL;
    char *whole = mem_alloc((size_t)rest);
    char *program = whole && read_all(file, whole, (size_t)rest) ? whole + h.key : NULL;
    *bytes = (size_t)h.program;
    if (program && !memcmp(whole, key->bytes, key->length) && hash_of(key, program, *bytes) == h.hash)
        return memmove(whole, program, *bytes);
    mem_free(whole);
    return NULL;
}

void *disk_cache_get(const struct disk_key *key, size_t *bytes) {
    char path[PATH_MAX], name[NAME];
    int folder = open_folder(path, false);
    if (folder < 0) return NULL;
    entry_name(key, name);
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    void *program = file >= 0 && is_own(file, S_IFREG) ? read_entry(file, key, bytes) : NULL;
    if (program) futimens(file, NULL); /* the entry was used now */
    if (file >= 0) close(file);
    close(folder);
    return program;
}

/* ---- writing ---- */

/* Sum the sizes of the folder's entries; write the name of the one used least recently to out, "" for none. */
static uint64_t sum_entries(int folder, char out[NAME]) {
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again < 0 ? NULL : fdopendir(again);
    struct timespec least = {0};
    uint64_t sum = 0;
    *out = 0;
    if (again >= 0 && !list) close(again);
    for (struct dirent *e; list && (e = readdir(list));) {
        struct stat status;
        if (strncmp(e->d_name, prefix, sizeof prefix - 1) || strlen(e->d_name) >= NAME ||
            fstatat(folder, e->d_name, &status, AT_SYMLINK_NOFOLLOW))
            continue;
        sum += (uint64_t)status.st_size;
        struct timespec t = status.st_mtim;
        if (*out && (t.tv_sec > least.tv_sec || (t.tv_sec == least.tv_sec && t.tv_nsec >= least.tv_nsec)))
            continue;
        least = t;
        strcpy(out, e->d_name);
    }
    if (list) closedir(list);
    return sum;
}

/* Remove the entries used least recently until the rest is within the limit. */
static void evict(int folder) {
    char name[NAME];
    while (sum_entries(folder, name) > limit() && *name)
        if (unlinkat(folder, name, 0)) return;
}

/* Write the entry at `path`.  False, with the fault set, on failure. */
static bool write_entry(const char *path, const struct disk_key *key, const void *program, size_t bytes,
                        struct fault *fault) {
    struct header h = {.key = key->length, .program = bytes, .hash = hash_of(key, program, bytes)};
    memcpy(h.magic, magic, MAGIC_LENGTH);
    struct replacement *r = replacement_begin(path, fault);
    bool ok = r && replacement_write(r, &h, sizeof h) && replacement_write(r, key->bytes, key->length) &&
              replacement_write(r, program, bytes);
    return r && replacement_end(r, ok) && ok;
}

void disk_cache_put(const struct disk_key *key, const void *program, size_t bytes) {
    char path[PATH_MAX], name[NAME], whole[PATH_MAX + NAME];
    struct fault fault = {0};
    if (sizeof(struct header) + key->length + bytes > limit()) return;
    int folder = open_folder(path, true);
    if (folder < 0) return;
    entry_name(key, name);
    text_print(whole, sizeof whole, "%s/%s", path, name);
    /* The replacement keeps the mode of the file that it replaces: this user's alone. */
    enum { HOW = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };
    int file = openat(folder, name, HOW | O_CREAT | O_EXCL, 0600);
    bool made = file >= 0;
    if (!made && errno == EEXIST) file = openat(folder, name, HOW);
    if (file >= 0) close(file);
    if (file < 0 || !write_entry(whole, key, program, bytes, &fault)) {
        complain(path, file < 0 ? strerror(errno) : fault.text);
        if (made) unlinkat(folder, name, 0);
    }
    evict(folder);
    close(folder);
}
