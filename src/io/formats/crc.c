/*
 * CRC-32 (RFC 1952, section 8) and CRC-32C (Castagnoli; RFC 3720, appendix B.4), sixteen bytes at a time.
 * table[k][b] is the remainder of byte b followed by k zero bytes. Source: Kounavis & Berry, "Novel table
 * lookup-based algorithms for high-performance CRC generation", 2008.
 */
#include "io/formats/crc.h"
#include <string.h>

void crc_start(struct crc *c, uint32_t polynomial) {
    c->state = UINT32_MAX;
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t remainder = byte;
        for (int bit = 0; bit < 8; bit++) remainder = remainder >> 1 ^ (remainder & 1 ? polynomial : 0);
        c->table[0][byte] = remainder;
    }
    for (int k = 1; k < 16; k++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t before = c->table[k - 1][byte];
            c->table[k][byte] = before >> 8 ^ c->table[0][before & 255];
        }
}

/* Load eight bytes at `at` as a little-endian integer. */
static uint64_t word(const uint8_t *at) {
    uint64_t w;
    memcpy(&w, at, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

/* Return the CRC, from state 0, of the eight bytes of w, lowest byte first, followed by `more` zero bytes,
   0 or 8. Unrolled, because this is the whole cost. */
static inline uint32_t step(const struct crc *c, uint64_t w, int more) {
    const uint32_t(*t)[256] = c->table + more;
    return t[7][w & 255] ^ t[6][w >> 8 & 255] ^ t[5][w >> 16 & 255] ^ t[4][w >> 24 & 255] ^
           t[3][w >> 32 & 255] ^ t[2][w >> 40 & 255] ^ t[1][w >> 48 & 255] ^ t[0][w >> 56];
}

void crc_add(struct crc *c, const void *bytes, size_t n) {
    const uint8_t *at = bytes;
    uint32_t state = c->state;
    for (; n >= 16; n -= 16, at += 16) state = step(c, word(at) ^ state, 8) ^ step(c, word(at + 8), 0);
    for (; n > 0; n--) state = state >> 8 ^ c->table[0][(state ^ *at++) & 255];
    c->state = state;
}

uint32_t crc_value(const struct crc *c) { return ~c->state; }
