/* CRC-32 checksums, which detect every change within 32 neighbouring bits, so every flipped bit. */
#ifndef IO_CRC_H
#define IO_CRC_H
#include <stddef.h>
#include <stdint.h>

/* Polynomials, bits reversed: CRC-32 of zip and gzip, CRC-32C of Castagnoli. */
#define CRC_ZIP 0xedb88320u
#define CRC_CASTAGNOLI 0x82f63b78u

/* A running checksum: table[k][b] is the remainder of byte b followed by k zero bytes. */
struct crc {
    uint32_t state;
    uint32_t table[16][256];
};

/* Build the tables for a reflected polynomial and reset the checksum. */
void crc_start(struct crc *c, uint32_t polynomial);
/* Add n bytes to the checksum. */
void crc_add(struct crc *c, const void *bytes, size_t n);
/* Return the checksum of all bytes added so far; more may be added afterwards. */
uint32_t crc_value(const struct crc *c);
#endif
