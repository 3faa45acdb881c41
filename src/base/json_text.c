#include "base/json_text.h"
#include <string.h>
#include "base/utf8.h"

void json_add_character(struct text *t, const char *at, size_t n) {
    unsigned char c = (unsigned char)*at;
    if (c == '\n')
        text_add_bytes(t, "\\n", 2);
    else if (c < 0x20 || c == '<')
        text_add(t, "\\u%04x", c);
    else if (c == '"' || c == '\\')
        text_add(t, "\\%c", c);
    else
        text_add_bytes(t, at, n);
}

bool json_add_text(struct text *t, const char *value, struct fault *fault) {
    return json_add_bytes(t, value, strlen(value), fault);
}

bool json_add_bytes(struct text *t, const char *value, size_t length, struct fault *fault) {
    uint32_t point;
    text_add_bytes(t, "\"", 1);
    for (size_t n; length; value += n, length -= n) {
        n = utf8_read(value, length, &point);
        if (!n) return fault_set(fault, E_FORMAT, "save: \"%.200s\" is not UTF-8", value);
        json_add_character(t, value, n);
    }
    text_add_bytes(t, "\"", 1);
    return true;
}
