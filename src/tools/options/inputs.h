/* Files that a command is applied to: files, and those in folders. */
#ifndef TOOLS_OPTIONS_INPUTS_H
#define TOOLS_OPTIONS_INPUTS_H
#include "tools/command.h"

/* A growing list of paths; inputs_drop frees it. */
struct inputs {
    int64_t n, capacity;
    char **paths;
};
/* Append a file, or those files of a folder and its folders that `wanted` accepts by name, in the order of their bytes.
   Hidden ones are left out.  `wanted` NULL: a folder itself.  False after a message on stderr: nothing was found, or a
   folder cannot be read. */
bool inputs_add(struct inputs *inputs, const char *path, bool (*wanted)(const char *name));
void inputs_drop(struct inputs *inputs);
/* Return true for names of images that folders may hold. */
bool inputs_image(const char *name);
/* Return true if `path` is a folder. */
bool inputs_is_folder(const char *path);
#endif
