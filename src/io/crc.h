/* CRC-32C: finds every change of up to 32 neighbouring bits, so every flipped bit. */
#ifndef IO_CRC_H
#define IO_CRC_H
#include <stddef.h>
#include <stdint.h>

struct crc {
    uint32_t state;
    uint32_t table[8][256];
};

void crc_start(struct crc *c);
void crc_add(struct crc *c, const void *bytes, size_t n);
uint32_t crc_value(const struct crc *c);
#endif
