/* Table of file formats and look-ups in it. */
#include <string.h>
#include "base/ascii.h"
#include "base/files/folders.h"
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

void format_names(struct text *names) {
    for (int i = 0; i < FORMATS; i++) text_add(names, "%s%s", i ? ", " : "", formats[i].name);
}

const struct format *format_named(const char *name, struct fault *fault) {
    struct text names = {0};
    struct nearest near = {.wanted = name};
    for (int i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
        nearest_offer(&near, formats[i].name);
    }
    format_names(&names);
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

/* Return the ending of a path's name and set *n to its length, without a ".gz" behind it, of which *gzip says if it is
   there; NULL if there is none. */
static const char *ending_of(const char *path, size_t *n, bool *gzip) {
    const char *name = folders_name(path);
    size_t end = strlen(name), start;
    *gzip = end > 3 && same_word(name + end - 3, ".gz", 3);
    if (*gzip) end -= 3;
    for (start = end; start > 0 && name[start - 1] != '.'; start--) continue;
    *n = end - start;
    return start ? name + start : NULL;
}

bool format_has_ending(const char *path, const char *endings) {
    bool gzip;
    size_t n = strlen(path), m = strlen(endings);
    if (strchr(endings, '.')) return n > m && path[n - m - 1] == '.' && same_word(path + n - m, endings, m);
    const char *ending = ending_of(path, &n, &gzip);
    return ending && is_among(ending, n, endings);
}

const struct format *format_of_path(const char *path, bool *gzip) {
    size_t n;
    const char *ending = ending_of(path, &n, gzip);
    for (int i = 0; i < FORMATS && ending; i++)
        if (is_among(ending, n, formats[i].extensions)) return &formats[i];
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
