/* Lists of folders, and files and folders of fresh names. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <windows.h>
#include "base/hash.h"
#include "base/windows/names.h"

/* A list that is being read; `found` is its next entry if `ready`. */
struct windows_folder {
    HANDLE search;
    WIN32_FIND_DATAW found;
    bool ready;
    int file; /* of fdopendir; -1: none */
    struct dirent entry;
};

/* Begin a list of the folder.  NULL with errno. */
static DIR *begin(const char *path, int file) {
    struct wide_name name;
    if (!names_wide(path, &name)) return NULL;
    size_t n = wcslen(name.at);
    if (!n || n + 3 > PATH_MAX) return errno = n ? ENAMETOOLONG : ENOENT, NULL;
    if (name.at[n - 1] == L'\\') n--; /* long paths may have no empty part */
    wcscpy(name.at + n, L"\\*");
    DIR *folder = calloc(1, sizeof *folder);
    if (!folder) return NULL;
    folder->file = file;
    folder->search = FindFirstFileW(name.at, &folder->found);
    folder->ready = folder->search != INVALID_HANDLE_VALUE;
    if (folder->ready || GetLastError() == ERROR_FILE_NOT_FOUND) return folder;
    names_fail();
    free(folder);
    return NULL;
}

DIR *opendir(const char *path) { return begin(path, -1); }

DIR *fdopendir(int folder) {
    char path[PATH_MAX];
    return names_of_handle((void *)_get_osfhandle(folder), path, sizeof path) < 0 ? NULL
                                                                                  : begin(path, folder);
}

struct dirent *readdir(DIR *folder) {
    while (folder->ready) {
        int n = names_narrow(folder->found.cFileName, folder->entry.d_name, sizeof folder->entry.d_name);
        folder->ready = FindNextFileW(folder->search, &folder->found);
        if (n >= 0) return &folder->entry;
    }
    return NULL;
}

int closedir(DIR *folder) {
    if (folder->search != INVALID_HANDLE_VALUE) FindClose(folder->search);
    if (folder->file >= 0) _close(folder->file);
    free(folder);
    return 0;
}

/* ---- fresh names ---- */

/* Replace XXXXXX at the end of the path by letters and digits that differ between calls.  False with errno if the path
   does not end so. */
static bool freshen(char *path, size_t n, unsigned attempt) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    enum { LENGTH = 6 };
    static LONG calls;
    if (n < LENGTH || (!attempt && strcmp(path + n - LENGTH, "XXXXXX") != 0)) return errno = EINVAL, false;
    LARGE_INTEGER now;
    QueryPerformanceCounter(&now);
    uint64_t x = (uint64_t)now.QuadPart + ((uint64_t)GetCurrentProcessId() << 32);
    x = hash_number(x + HASH_STEP * (uint64_t)InterlockedIncrement(&calls));
    for (int i = 0; i < LENGTH; i++, x /= sizeof letters - 1)
        path[n - LENGTH + (size_t)i] = letters[x % (sizeof letters - 1)];
    return true;
}

enum { ATTEMPTS = 100 };

int mkostemp(char *path, int flags) {
    size_t n = strlen(path);
    for (unsigned i = 0; i < ATTEMPTS && freshen(path, n, i); i++) {
        int file = open(path, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

int mkstemp(char *path) { return mkostemp(path, 0); }

char *mkdtemp(char *path) {
    size_t n = strlen(path);
    for (unsigned i = 0; i < ATTEMPTS && freshen(path, n, i); i++) {
        if (!mkdir(path, 0700)) return path;
        if (errno != EEXIST) return NULL;
    }
    return NULL;
}
