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

/* Return true if the path begins with a drive of Windows. */
static bool has_drive(const char *path) {
    bool letter = (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z');
    return sizeof FOLDER_SEPARATORS > sizeof "/" && letter && path[1] == ':';
}

bool folders_absolute(const char *path) {
    return (*path && strchr(FOLDER_SEPARATORS, *path)) || has_drive(path);
}

const char *folders_key(const char *path) { return strrchr(has_drive(path) ? path + 2 : path, ':'); }

/* Return the length of the root that Windows makes no folder of: //server/share. */
static size_t root_length(const char *path) {
    static const char separators[] = FOLDER_SEPARATORS;
    bool server = sizeof separators > sizeof "/" && strspn(path, separators) == 2;
    size_t n = server ? 2 + strcspn(path + 2, separators) : 0;
    return path[n] && n ? n + 1 + strcspn(path + n + 1, separators) : n;
}

bool folders_make(const char *path, mode_t permissions) {
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (size_t i = root_length(path) + 1; i <= n; i++) {
        if (path[i] && !strchr(FOLDER_SEPARATORS, path[i])) continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (!make(part, permissions)) return false;
    }
    return true;
}
