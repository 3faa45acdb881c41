/* Names of classes: of files, models and preparations. */
#include "tools/network/labels.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "tools/command.h"
#include "tools/options/message.h"

enum { MOST_LABELS = 65536, MOST_BYTES = 1 << 22 };

/* Split l->text into lines; false if there are too many. */
static bool split(struct labels *l) {
    char *line = l->text;
    while (*line && l->n < MOST_LABELS) {
        l->at[l->n++] = line;
        char *end = line + strcspn(line, "\n");
        bool last = !*end;
        *end = 0;
        if (end > line && end[-1] == '\r') end[-1] = 0;
        line = end + !last;
    }
    return !*line;
}

/* Make room for `bytes` bytes of text; false after a message. */
static bool begin(struct labels *l, size_t bytes) {
    l->text = malloc(bytes + 1);
    l->at = malloc(MOST_LABELS * sizeof *l->at);
    return (l->text && l->at) || complain("out of memory") == EXIT_SUCCESS;
}

bool labels_load(struct labels *l, const char *path) {
    FILE *file = fopen(path, "re");
    if (!file)
        return complain_code(TY_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno)) ==
               EXIT_SUCCESS;
    bool well = begin(l, MOST_BYTES);
    size_t n = well ? fread(l->text, 1, MOST_BYTES, file) : 0;
    bool whole = n < MOST_BYTES || fgetc(file) == EOF;
    fclose(file);
    if (!well) return false;
    l->text[n] = 0;
    return (split(l) && whole) ||
           complain("%s: too long; expected at most %d lines and 4 MiB", path, MOST_LABELS) == EXIT_SUCCESS;
}

char *labels_text(int64_t n, const char *(*name)(const void *context, int64_t i), const void *context) {
    struct text t = {0};
    for (int64_t i = 0; i < n; i++) {
        const char *one = name(context, i);
        if (strchr(one, '\n')) t.failed = true;
        text_add(&t, "%s\n", one);
    }
    return text_take(&t);
}

static const char *class_of(const void *preparation, int64_t i) {
    return ty_preparation_class(preparation, i);
}

bool labels_of(struct labels *l, const ty_preparation *preparation, const ty_model *model) {
    int64_t n = ty_preparation_classes(preparation);
    if (n) { /* names of a table may have line breaks, which lines would split */
        size_t bytes = 0, at = 0;
        for (int64_t i = 0; i < n; i++) bytes += strlen(class_of(preparation, i)) + 1;
        if (!begin(l, bytes)) return false;
        for (; l->n < n && l->n < MOST_LABELS; l->n++) {
            size_t length = strlen(class_of(preparation, l->n)) + 1;
            l->at[l->n] = memcpy(l->text + at, class_of(preparation, l->n), length);
            at += length;
        }
        return true;
    }
    const char *text = ty_model_note(model, TY_NOTE_CLASSES);
    if (!text) return true;
    if (!begin(l, strlen(text))) return false;
    strcpy(l->text, text);
    return split(l) || complain("more than %d classes have names", MOST_LABELS) == EXIT_SUCCESS;
}

int64_t labels_find(const struct labels *l, const char *name) {
    for (int64_t i = 0; i < l->n; i++)
        if (!strcmp(l->at[i], name)) return i;
    return -1;
}

const char *labels_name(const struct labels *l, int64_t i, char *room) {
    if (i < l->n) return l->at[i];
    snprintf(room, LABEL_ROOM, "class %lld", (long long)i);
    return room;
}

void labels_drop(struct labels *l) {
    free(l->text);
    free(l->at);
}
