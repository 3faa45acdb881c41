/* Orientation of photographs from Exif data. */
#include "io/formats/exif.h"
#include <string.h>
#include <tyto/index.h>
#include <tyto/shape.h>

enum { HEAD = 8, FIELD = 12, ORIENTATION = 0x112, SHORT = 3, LONG = 4 };

static uint32_t read_bytes(const uint8_t *at, int n, bool big) {
    uint32_t value = 0;
    for (int i = 0; i < n; i++) value = value << 8 | at[big ? i : n - 1 - i];
    return value;
}

int exif_orientation(const uint8_t *bytes, size_t n) {
    if (n < HEAD + 2 || (memcmp(bytes, "II*\0", 4) && memcmp(bytes, "MM\0*", 4))) return 1;
    bool big = *bytes == 'M';
    uint32_t first = read_bytes(bytes + 4, 4, big);
    if (first > n - 2) return 1;
    const uint8_t *at = bytes + first + 2, *end = bytes + n;
    for (uint32_t left = read_bytes(bytes + first, 2, big); left && end - at >= FIELD; left--, at += FIELD) {
        uint32_t type = read_bytes(at + 2, 2, big);
        if (read_bytes(at, 2, big) != ORIENTATION || (type != SHORT && type != LONG)) continue;
        uint32_t value = read_bytes(at + 8, type == SHORT ? 2 : 4, big);
        return value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}

ty_tensor *exif_turned(ty_tensor *x, int orientation) {
    /* indexed by orientation: true if an axis runs backwards after rows and columns are exchanged */
    static const bool rows[] = {false, false, false, true, true, false, false, true, true},
                      columns[] = {false, false, true, true, false, false, true, true, false};
    if (exif_swaps(orientation)) x = ty_permute(x, (int[]){1, 0, 2});
    if (rows[orientation]) x = ty_flip(x, 0);
    if (columns[orientation]) x = ty_flip(x, 1);
    return ty_contiguous(x);
}
