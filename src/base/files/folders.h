/* Folders in paths, and folders that are made with all those above them. */
#ifndef BASE_FILES_FOLDERS_H
#define BASE_FILES_FOLDERS_H
#include "base/for_command.h"
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

#ifndef FOLDER_SEPARATORS /* Windows has the backslash, too (base/windows/posix.h) */
#define FOLDER_SEPARATORS "/"
#endif

/* Return the name in a path, behind its folders; `path` itself if it has none. */
static inline const char *folders_name(const char *path) {
    const char *name = path;
    for (const char *at = path; *at; at++)
        if (strchr(FOLDER_SEPARATORS, *at)) name = at + 1;
    return name;
}
/* Return the last colon of FILE:KEY; NULL: there is none.  The colon of a drive does not count. */
const char *folders_key(const char *path) FOR_COMMAND(folders_key);
/* Return true if the path begins at a root, or on Windows at a drive. */
bool folders_absolute(const char *path);

/* Make the missing folders of a path, the last one included, with these permissions (mkdir).  False with errno. */
bool folders_make(const char *path, mode_t permissions) FOR_COMMAND(folders_make);
#endif
