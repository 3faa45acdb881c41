/* Files that a command is applied to. */
#include "tools/options/inputs.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/alloc.h"
#include "base/list.h"
#include "base/order.h"
#include "data/dataset.h"
#include "tools/options/message.h"

enum { DEPTH = 32, MOST_PATH = 4096 }; /* nesting of folders: a link to a folder above would not end */

bool inputs_is_folder(const char *path) {
    struct stat found;
    return !stat(path, &found) && S_ISDIR(found.st_mode);
}

bool inputs_image(const char *name) { return dataset_is_image(name); }

static bool append(struct inputs *in, const char *path) {
    char *copy = strdup(path);
    if (copy && list_append(in->paths, in->n, in->capacity, copy)) return true;
    free(copy);
    return complain("out of memory") == EXIT_SUCCESS;
}

static bool walk(struct inputs *in, const char *path, bool (*wanted)(const char *name), int depth) {
    char inside[MOST_PATH];
    DIR *folder = opendir(path);
    if (!folder)
        return complain_code(TY_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno)) ==
               EXIT_SUCCESS;
    bool well = true;
    for (const struct dirent *e; well && (e = readdir(folder));) {
        if (*e->d_name == '.') continue;
        if (snprintf(inside, sizeof inside, "%s/%s", path, e->d_name) >= (int)sizeof inside)
            well = complain("%s/%s: the path is too long", path, e->d_name) == EXIT_SUCCESS;
        else if (inputs_is_folder(inside))
            well = depth >= DEPTH || walk(in, inside, wanted, depth + 1);
        else if (wanted(e->d_name))
            well = append(in, inside);
    }
    closedir(folder);
    return well;
}

bool inputs_add(struct inputs *in, const char *path, bool (*wanted)(const char *name)) {
    if (!wanted || !inputs_is_folder(path)) return append(in, path);
    int64_t before = in->n;
    if (!walk(in, path, wanted, 0)) return false;
    if (in->n == before)
        return complain("%s: the folder has no files that the command reads", path) == EXIT_SUCCESS;
    qsort(in->paths + before, (size_t)(in->n - before), sizeof *in->paths, order_texts);
    return true;
}

void inputs_drop(struct inputs *in) {
    for (int64_t i = 0; i < in->n; i++) free(in->paths[i]);
    mem_free(in->paths);
}
