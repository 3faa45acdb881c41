/* Reading arrays from the command line itself. */
#include "tools/options/written.h"
#include <stdlib.h>
#include <string.h>
#include <tyto/expression.h>
#include <unistd.h>
#include "tools/command.h"
#include "tools/options/message.h"

bool is_written_out(const char *text) {
    if (!*text || !strchr("[(+-.0123456789", *text)) return false;
    if (*text == '.' && !strchr("0123456789", text[1])) return false; /* a path such as ../x.npy */
    if (*text == '-' && strchr(":[", text[1])) return false;          /* the standard input */
    char *path = strndup(text, 1 + strcspn(text + 1, ":["));
    bool written = path && access(path, F_OK) && access(text, F_OK);
    free(path);
    return written;
}

ty_tensor *written_out(const char *item, const char *at, double operations) {
    ty_expression_limits limits = {.operations = operations};
    ty_tensor *x = NULL;
    ty_expressions_within(limits, at, 0, NULL, NULL, 1, &x);
    if (!ty_ok(x))
        complain_about(x, "%.*s%s: no such file, nor an array such as 3 or [1, 2]", (int)(at - item), item,
                       at);
    return x;
}
