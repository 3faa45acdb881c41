/*
 * CRC-32 (RFC 1952, section 8) and CRC-32C (Castagnoli; RFC 3720, appendix B.4) eight bytes at a time:
 * table[k][b] is what byte b does to the remainder when k more bytes follow (Kounavis & Berry, "Novel table
 * lookup-based algorithms for high-performance CRC generation", 2008).
 */
#include "io/crc.h"
#include <string.h>

void crc_start(struct crc *c, uint32_t polynomial) {
    c->state = UINT32_MAX;
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t remainder = byte;
        for (int bit = 0; bit < 8; bit++) remainder = remainder >> 1 ^ (remainder & 1 ? polynomial : 0);
        c->table[0][byte] = remainder;
    }
    for (int k = 1; k < 8; k++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t before = c->table[k - 1][byte];
            c->table[k][byte] = before >> 8 ^ c->table[0][before & 255];
        }
}

void crc_add(struct crc *c, const void *bytes, size_t n) {
    const uint8_t *at = bytes;
    uint32_t state = c->state;
    for (; n >= 8; n -= 8, at += 8) {
        uint8_t block[8];
        memcpy(block, at, sizeof block);
        for (int i = 0; i < 4; i++) block[i] ^= (uint8_t)(state >> 8 * i);
        state = 0;
        for (int i = 0; i < 8; i++) state ^= c->table[7 - i][block[i]];
    }
    for (; n > 0; n--) state = state >> 8 ^ c->table[0][(state ^ *at++) & 255];
    c->state = state;
}

uint32_t crc_value(const struct crc *c) { return ~c->state; }
