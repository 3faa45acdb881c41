/* Folders that are made with all those above them. */
#ifndef BASE_FILES_FOLDERS_H
#define BASE_FILES_FOLDERS_H
#include "base/for_command.h"
#include <stdbool.h>
#include <sys/types.h>

/* Make the missing folders of a path, the last one included, with these permissions (mkdir).  False with errno. */
bool folders_make(const char *path, mode_t permissions) FOR_COMMAND(folders_make);
#endif
