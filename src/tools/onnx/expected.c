/* Reading lists of expected failures. */
#include "tools/onnx/expected.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/list.h"
#include "tools/command.h"
#include "tools/options/message.h"

enum { MOST_BYTES = 1 << 20 };

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = file ? mem_alloc(MOST_BYTES + 1) : NULL;
    size_t n = text ? fread(text, 1, MOST_BYTES + 1, file) : 0;
    bool well = text && !ferror(file) && n <= MOST_BYTES;
    if (!file)
        complain_code(TY_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    else if (!well)
        complain("%s: cannot be read, or has more than %d bytes", path, MOST_BYTES);
    if (file) fclose(file);
    if (well) return text[n] = 0, text;
    mem_free(text);
    return NULL;
}

/* Append the line, which is split into its name and its reason; false after a message on stderr. */
static bool add_line(struct expected *list, const char *path, char *line) {
    size_t n = strcspn(line, " \t");
    char *reason = line + n + strspn(line + n, " \t");
    if (!*reason) return complain("%s: %s: a reason is missing", path, line) == EXIT_SUCCESS;
    line[n] = 0;
    if (expected_reason(list, line)) return complain("%s: %s is there twice", path, line) == EXIT_SUCCESS;
    struct expected_line one = {line, reason};
    return list_append(list->lines, list->n, list->capacity, one) ||
           complain("out of memory") == EXIT_SUCCESS;
}

bool expected_read(struct expected *list, const char *path) {
    list->text = read_text(path);
    bool well = list->text != NULL;
    for (char *at = list->text, *next; well && at; at = next) {
        next = strchr(at, '\n');
        if (next) *next++ = 0;
        at += strspn(at, " \t\r");
        if (*at && *at != '#') well = add_line(list, path, at);
    }
    return well;
}

const char *expected_reason(const struct expected *list, const char *name) {
    for (int64_t i = 0; i < list->n; i++)
        if (!strcmp(list->lines[i].name, name)) return list->lines[i].reason;
    return NULL;
}

void expected_drop(struct expected *list) {
    mem_free(list->lines);
    mem_free(list->text);
    *list = (struct expected){0};
}
