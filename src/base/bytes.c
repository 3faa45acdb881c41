/* Formats with binary units and two decimals. */
#include "base/bytes.h"
#include "base/text.h"

char *bytes_words(char *out, uint64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double n = (double)bytes;
    int unit = 0;
    for (; n >= 1024; unit++) n /= 1024;
    text_print(out, BYTES_WORDS, unit ? "%.2f %s" : "%.0f %s", n, units[unit]);
    return out;
}
