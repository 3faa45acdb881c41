#include "io/json.h"
#include <inttypes.h>

/* The bytes of one UTF-8 character at `c`; 0: invalid (RFC 3629: no overlong forms, no surrogates). */
static int utf8_length(const unsigned char *c) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int n = c[0] < 0x80 ? 1 : c[0] >> 5 == 6 ? 2 : c[0] >> 4 == 14 ? 3 : c[0] >> 3 == 30 ? 4 : 0;
    if (n <= 1) return n;
    uint32_t point = c[0] & (0x7fu >> n);
    for (int i = 1; i < n; i++) {
        if (c[i] >> 6 != 2) return 0;
        point = point << 6 | (c[i] & 0x3f);
    }
    return point >= least[n] && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff) ? n : 0;
}

bool json_add_text(struct text *t, const char *value, struct fault *fault) {
    const unsigned char *c = (const unsigned char *)value;
    text_add(t, "\"");
    while (*c) {
        int n = utf8_length(c);
        if (n == 0) return fault_set(fault, "save: \"%.200s\" is not UTF-8", value);
        if (*c < 0x20)
            text_add(t, "\\u%04x", *c);
        else if (*c == '"' || *c == '\\')
            text_add(t, "\\%c", *c);
        else
            text_add_bytes(t, c, (size_t)n);
        c += n;
    }
    text_add(t, "\"");
    return true;
}

bool json_check(const char *name, const char *json, size_t n, int depth, uint64_t most, struct fault *fault) {
    enum { VALUE_BYTES = 100 }; /* what jansson takes for a key or a value, on average */
    bool in_text = false;
    uint64_t values = 0;
    int deep = 0;
    for (size_t i = 0; i < n; i++) {
        char c = json[i];
        if (in_text && c == '\\')
            i++;
        else if (c == '"')
            in_text = !in_text;
        else if (!in_text) {
            deep += (c == '{' || c == '[') - (c == '}' || c == ']');
            values += c == ',' || c == ':' || c == '{' || c == '[';
            if (deep > depth) return fault_set(fault, "%s: is nested deeper than the format", name);
        }
    }
    return values <= most / VALUE_BYTES ||
           fault_set(fault,
                     "%s: has %" PRIu64 " values, more than a file of so many bytes is allowed to have: if "
                     "it is to be trusted, allow more "
                     "bytes (.most_bytes)",
                     name, values);
}
