/* Lists of folders with names in UTF-8, in the place of dirent.h of mingw-w64. */
#ifndef WINDOWS_DIRENT_H
#define WINDOWS_DIRENT_H
#include <limits.h>

struct dirent {
    char d_name[NAME_MAX + 1];
};
typedef struct windows_folder DIR;

DIR *opendir(const char *path);
/* List an open folder; closedir closes the descriptor. */
DIR *fdopendir(int folder);
struct dirent *readdir(DIR *folder);
int closedir(DIR *folder);
#endif
