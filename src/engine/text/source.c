/* Texts of files in programs: includes become the files' texts. */
#include "engine/text/source.h"

#include <string.h>

#include "base/text.h"

static const char *source_of(const char *name, size_t length) {
    for (const struct text_source *s = text_sources; s->name; s++)
        if (strlen(s->name) == length && !memcmp(s->name, name, length)) return s->text;
    return NULL;
}

/* Append `from`; its includes lie `depth` files deep. Files of the tree do not include each other in circles. */
static void add(struct text *t, const char *from) {
    static const char include[] = "#include \"";
    while (*from) {
        const char *end = strchr(from, '\n'), *next = end ? end + 1 : from + strlen(from);
        if (!strncmp(from, include, sizeof include - 1)) {
            const char *name = from + sizeof include - 1, *quote = strchr(name, '"');
            const char *inner = quote ? source_of(name, (size_t)(quote - name)) : NULL;
            if (inner) add(t, inner);
        } else {
            text_add_bytes(t, from, (size_t)(next - from));
        }
        from = next;
    }
}
void text_add_source(struct text *t, const char *name) {
    const char *from = source_of(name, strlen(name));
    if (from) add(t, from);
}
