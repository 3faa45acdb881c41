/* Checksums that find every change of up to 32 neighbouring bits, so every flipped bit. */
#ifndef IO_CRC_H
#define IO_CRC_H
#include <stddef.h>
#include <stdint.h>

/* Polynomials, bits reversed: CRC-32 of zip and gzip, CRC-32C of Castagnoli. */
#define CRC_ZIP 0xedb88320u
#define CRC_CASTAGNOLI 0x82f63b78u

struct crc {
    uint32_t state;
    uint32_t table[16][256];
};

void crc_start(struct crc *c, uint32_t polynomial);
void crc_add(struct crc *c, const void *bytes, size_t n);
uint32_t crc_value(const struct crc *c);
#endif
