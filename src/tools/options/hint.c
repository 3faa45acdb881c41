/* Hints below messages about names that are no files. */
#include "tools/options/hint.h"
#include <stdlib.h>
#include <string.h>
#include <tyto/zoo.h>
#include <unistd.h>
#include "base/files/folders.h"
#include "tools/options/message.h"

/* Print that a file stands before a colon of the path, if it does. */
static void hint_key(const char *path) {
    const char *colon = folders_key(path);
    char *file = colon ? strndup(path, (size_t)(colon - path)) : NULL;
    if (file && *file && !access(file, F_OK))
        complain_below("  %s is there; this argument is a file without a key\n", file);
    free(file);
}

void hint_below(const char *message) {
    const char *end = strstr(message, ": cannot be opened");
    char *path = end ? strndup(message, (size_t)(end - message)) : NULL;
    if (!path) return;
    if (strstr(path, "://"))
        complain_below("  addresses are not opened: curl -sL %s -o FILE fetches the file\n", path);
    else if (ty_network_named(path))
        complain_below("  %s is a network without weights: tyto train %s --save FILE makes some\n", path,
                       path);
    else
        hint_key(path);
    free(path);
}
