/*
 * The safetensors format (github.com/huggingface/safetensors): eight bytes with the header's length,
 * little-endian; the header, a JSON object of name: {dtype, shape, data_offsets}; then the elements,
 * little-endian and row-major, without holes.  "__metadata__" maps texts to texts.
 *
 * Files of ty_save begin with SAFETENSORS_CHECKSUM and eight hexadecimal digits: the CRC-32C of the whole
 * file in which these digits are zeros.
 */
#ifndef IO_SAFETENSORS_H
#define IO_SAFETENSORS_H
#include "array/dtype.h"
#include "base/arena.h"
#include "base/text.h"

#define SAFETENSORS_CHECKSUM "{\"__metadata__\":{\"checksum\":\"crc32c:"
#define SAFETENSORS_METADATA "__metadata__"
enum { SAFETENSORS_PREFIX = 8, SAFETENSORS_DIGITS = 8, SAFETENSORS_MOST_HEADER = 100000000 };

struct safetensors_entry {
    const char *name;
    ty_dtype dtype;
    int rank;
    int64_t *shape;
    uint64_t begin, end; /* bytes from the end of the header */
};

struct safetensors_pair {
    const char *key, *value;
};

struct safetensors_header {
    int count, npairs;
    struct safetensors_entry *entries; /* in the order of their data */
    struct safetensors_pair *pairs;
};

/* "F32"; C128 is an extension of this house. */
extern const char *const safetensors_dtypes[TY_DTYPES];

/* The hexadecimal digits of the checksum of a file with the header (8 bytes and JSON, digits zero) and data.
 */
void safetensors_checksum(int n, const void *const *parts, const size_t *counts,
                          char digits[SAFETENSORS_DIGITS + 1]);

/* Parses n bytes of JSON that describe data_bytes bytes of data: names, dtypes, sizes, offsets all checked.
   Memory from `arena`; sentences begin with `name`.  Without jansson: false with that sentence. */
bool safetensors_parse(struct safetensors_header *header, const char *name, const char *json, size_t n,
                       uint64_t data_bytes, struct arena *arena, struct fault *fault);
#endif
