/*
 * The safetensors format (github.com/huggingface/safetensors): eight bytes with the header's length,
 * little-endian; the header, a JSON object of name: {dtype, shape, data_offsets}; then the elements,
 * little-endian and row-major, without holes.  "__metadata__" maps texts to texts.
 *
 * Files of this house begin with SAFETENSORS_CHECKSUM and eight hexadecimal digits: the CRC-32C of the whole
 * file in which these digits are zeros.
 */
#ifndef IO_SAFETENSORS_H
#define IO_SAFETENSORS_H
#include "io/archive.h"

#define SAFETENSORS_CHECKSUM "{\"__metadata__\":{\"checksum\":\"crc32c:"
#define SAFETENSORS_METADATA "__metadata__"
#define SAFETENSORS_COMPLEX "tyto.dtype:"
enum { SAFETENSORS_PREFIX = 8, SAFETENSORS_DIGITS = 8, SAFETENSORS_MOST_HEADER = 100000000 };

/* "F32".  The format has no C128: it is written as F64 with a last axis of 2, and a text whose key is
   SAFETENSORS_COMPLEX and the tensor's name; read as C128, too, as files of this house once had it. */
extern const char *const safetensors_dtypes[TY_DTYPES];

/* Parses n bytes of JSON that describe data_bytes bytes of data: names, dtypes, sizes, offsets all checked;
   entries in the order of their data, places counted from its begin.  What parsing takes is `most` bytes at most.
   Memory from `arena`; sentences begin with `name`. */
bool safetensors_parse(struct archive_index *header, const char *name, const char *json, size_t n,
                       uint64_t data_bytes, uint64_t most, struct arena *arena, struct fault *fault);
#endif
