/*
 * The safetensors format (github.com/huggingface/safetensors): eight bytes with the length of the header,
 * little-endian; the header, a JSON object of name: {dtype, shape, data_offsets}; then the elements,
 * little-endian and row-major, without gaps. "__metadata__" maps texts to texts.
 *
 * Files written here begin with SAFETENSORS_CHECKSUM and eight hexadecimal digits: the CRC-32C of the whole
 * file, computed with zeros for these digits.
 */
#ifndef IO_SAFETENSORS_H
#define IO_SAFETENSORS_H
#include "io/archive.h"

#define SAFETENSORS_CHECKSUM "{\"__metadata__\":{\"checksum\":\"crc32c:"
#define SAFETENSORS_METADATA "__metadata__"
#define SAFETENSORS_COMPLEX "tyto.dtype:"
enum { SAFETENSORS_PREFIX = 8, SAFETENSORS_DIGITS = 8, SAFETENSORS_MOST_HEADER = 100000000 };

/* Names of dtypes in the format, such as "F32". It lacks C128, which is written as F64 with a last axis of
   2, marked by metadata under SAFETENSORS_COMPLEX and the tensor's name. "C128", from older files, is read
   too. */
extern const char *const safetensors_dtypes[DTYPE_ROWS];

/* Parse and check the n bytes of a header for data_bytes bytes of data. Entries are ordered by offset,
   counted from the begin of the data. `most` limits the parser's memory in bytes; results come from `arena`.
   Messages begin with `name`; false sets the fault. */
bool safetensors_parse(struct archive_index *header, const char *name, const char *json, size_t n,
                       uint64_t data_bytes, uint64_t most, struct arena *arena, struct fault *fault);
/* Return true if the file of an open archive still has the checksum a->sum, which is not "". False sets the fault. */
bool safetensors_unchanged(struct ty_archive *a, struct fault *fault);
#endif
