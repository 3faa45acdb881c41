#include "base/files/folders.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include "base/files/file.h"

/* Make one folder; a file system that cannot be written may say so of those that exist. */
static bool make(const char *path, mode_t permissions) {
    return !mkdir(path, permissions) || errno == EEXIST || (errno == EROFS && file_exists(path));
}

bool folders_absolute(const char *path) {
    bool letter = (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z');
    bool drives = sizeof FOLDER_SEPARATORS > sizeof "/";
    return (*path && strchr(FOLDER_SEPARATORS, *path)) || (drives && letter && path[1] == ':');
}

bool folders_make(const char *path, mode_t permissions) {
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (size_t i = 1; i <= n; i++) {
        if (path[i] && !strchr(FOLDER_SEPARATORS, path[i])) continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (!make(part, permissions)) return false;
    }
    return true;
}
