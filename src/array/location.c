/* Lines of the user's source, recorded by the macros of <tyto/places.h>. */
#include <stdio.h>
#include <string.h>
#include "array/tensor.h"

_Thread_local struct location location_now;

void ty_here(const char *file, int line) { location_now = (struct location){file, line}; }

const char *location_words(const struct location *p, char out[LOCATION_WORDS]) {
    const char *slash = p->file ? strrchr(p->file, '/') : NULL;
    out[0] = 0;
    if (p->file) snprintf(out, LOCATION_WORDS, "%.60s:%d", slash ? slash + 1 : p->file, p->line);
    text_make_visible(out);
    return out;
}

const char *ty_place_of(const ty_tensor *x, char *out, size_t capacity) {
    char words[LOCATION_WORDS];
    if (!out || capacity == 0) return "";
    snprintf(out, capacity, "%s", location_words(&tensor_of(x)->location, words));
    return out;
}
