#include "base/options.h"
#include "base/text.h"
#include <string.h>
#include <tyto/core.h>

#define TEXT_OF(x) #x
#define VERSION(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

size_t options_name(const char *function) {
    static const char end[] = "_sized";
    size_t n = strlen(function), m = sizeof end - 1;
    return n > m && !memcmp(function + n - m, end, m) ? n - m : n;
}

/* Return the number of the first byte from `from` on that is not 0; size if there is none. */
static size_t first_set(const void *given, size_t from, size_t size) {
    const unsigned char *bytes = given;
    while (from < size && !bytes[from]) from++;
    return from;
}

bool options_read(void *known, size_t known_size, const void *given, size_t size, const char *function,
                  struct fault *fault) {
    const char *name = strncmp(function, "ty_", 3) ? function : function + 3;
    int length = (int)options_name(name);
    memset(known, 0, known_size);
    if (!given) return true;
    if (!size || size > OPTIONS_BYTES)
        return fault_set(fault, E_ARGUMENT,
                         "%.*s: its options have %zu bytes; expected the size of their struct", length, name,
                         size);
    if (first_set(given, known_size, size) < size)
        return fault_set(
            fault, E_UNSUPPORTED,
            "%.*s: its options have %zu bytes, of which tyto %s knows %zu, and a later one is set; use "
            "the library that the headers belong to or newer",
            length, name, size, VERSION(TY_VERSION_MAJOR, TY_VERSION_MINOR, TY_VERSION_PATCH), known_size);
    memcpy(known, given, size < known_size ? size : known_size);
    return true;
}

void options_write(void *to, size_t size, const void *known, size_t known_size) {
    if (!to || size > OPTIONS_BYTES) return;
    size_t n = size < known_size ? size : known_size;
    memcpy(to, known, n);
    memset((char *)to + n, 0, size - n);
}

bool options_unused(const void *unused, size_t bytes, const char *what, struct fault *fault) {
    return first_set(unused, 0, bytes) == bytes ||
           fault_set(fault, E_UNSUPPORTED,
                     "%s: a member that tyto " VERSION(
                         TY_VERSION_MAJOR, TY_VERSION_MINOR,
                         TY_VERSION_PATCH) " does not "
                                           "know is set (`unused`); zero the struct first, or use the "
                                           "library that the headers belong to",
                     what);
}
