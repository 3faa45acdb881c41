/* Table of file formats and look-ups in it. */
#include <string.h>
#include "base/ascii.h"
#include "base/nearest.h"
#include "io/archive.h"
#include "io/several.h"
#include "io/formats/matches.h"

static const struct format formats[] = {
#define FORMAT(name, extensions, several, columns, matches, get, doc)                                        \
    {#name, extensions, several, columns, matches, name##_open, get, name##_write, doc},
#include "io/formats.def"
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *ty_format_name(int i, const char **extensions, const char **doc) {
    if (i < 0 || i >= FORMATS) return NULL;
    if (extensions) *extensions = formats[i].extensions;
    if (doc) *doc = formats[i].doc;
    return formats[i].name;
}

const struct format *format_named(const char *name, struct fault *fault) {
    struct text names = {0};
    struct nearest near = {.wanted = name};
    for (int i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            text_drop(&names);
            return &formats[i];
        }
        nearest_offer(&near, formats[i].name);
        text_add(&names, "%s%s", i ? ", " : "", formats[i].name);
    }
    if (names.failed)
        fault_memory(fault, names.length);
    else
        fault_set(fault, E_FORMAT, "unknown format \"%.40s\"%s; expected one of %s", name,
                  nearest_hint(&near, (char[NEAREST_HINT]){0}), names.data);
    text_drop(&names);
    return NULL;
}

static bool same_word(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (ascii_lower(a[i]) != b[i]) return false;
    return true;
}

/* Return true if the n characters of `text`, upper and lower case alike, are one of `words`, a list in
   lower case separated by single blanks. */
static bool is_among(const char *text, size_t n, const char *words) {
    while (*words) {
        size_t length = strcspn(words, " ");
        if (length == n && same_word(text, words, n)) return true;
        words += length + (words[length] == ' ');
    }
    return false;
}

const struct format *format_of_path(const char *path, bool *gzip) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name), start;
    *gzip = n > 3 && same_word(name + n - 3, ".gz", 3);
    if (*gzip) n -= 3;
    for (start = n; start > 0 && name[start - 1] != '.'; start--) continue;
    if (start == 0) return NULL;
    for (int i = 0; i < FORMATS; i++)
        if (is_among(name + start, n - start, formats[i].extensions)) return &formats[i];
    return NULL;
}

bool file_holds_several(const char *path) {
    bool gzip;
    const struct format *format = format_of_path(path, &gzip);
    return format && format->several && !gzip;
}

const struct format *format_of_bytes(const uint8_t *head, size_t n) {
    for (int i = 0; i < FORMATS; i++)
        if (formats[i].matches && formats[i].matches(head, n)) return &formats[i];
    return NULL;
}
