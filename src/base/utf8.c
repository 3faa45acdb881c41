#include "base/utf8.h"
#include <stdbool.h>

size_t utf8_read(const char *bytes, size_t n, uint32_t *point) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)bytes;
    if (n == 0) return 0;
    size_t length = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
    if (length == 0 || length > n) return 0;
    *point = length == 1 ? *at : *at & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (at[i] >> 6 != 2) return 0;
        *point = *point << 6 | (at[i] & 0x3f);
    }
    bool known = *point >= least[length] && *point < 0x110000 && (*point < 0xd800 || *point > 0xdfff);
    return known ? length : 0;
}

bool utf8_is(const char *bytes, size_t n) {
    uint32_t point;
    size_t at = 0, step = 1;
    while (at < n && (step = (unsigned char)bytes[at] < 0x80 ? 1 : utf8_read(bytes + at, n - at, &point)))
        at += step;
    return at >= n;
}

size_t utf8_write(char *out, uint32_t point) {
    static const uint32_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; point >>= 6) out[i] = (char)(0x80 | (point & 0x3f));
    out[0] = (char)(marks[length] | point);
    return length;
}
