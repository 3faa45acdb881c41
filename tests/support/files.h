/* Scratch folders and small files for tests of readers and writers. */
#ifndef TESTS_SUPPORT_FILES_H
#define TESTS_SUPPORT_FILES_H
#include <stddef.h>
#include <stdint.h>
#include <tyto/io.h>

/* A fresh folder that goes, with all in it, when the test ends; the path lives as long. */
const char *scratch_folder(void);
/* "folder/name" in memory of the test. */
const char *scratch_path(const char *folder, const char *name);
void write_file(const char *path, const void *bytes, size_t n);
/* The bytes of a file in memory of the test; *n is how many. */
uint8_t *read_file(const char *path, size_t *n);
/* How many entries the folder has. */
int count_files(const char *folder);
/* Wraps n bytes as a gzip file of stored blocks: no compressor is needed.  *size bytes, and a zero, of the test.
 */
uint8_t *make_gzip(const void *bytes, size_t n, size_t *size);

/* Has the archive ended with the test. */
ty_archive *own_archive(ty_archive *archive);
/* The archive that n bytes are; the test fails when they are none. */
ty_archive *parse_well(const void *bytes, size_t n, ty_file_options options);
/* Tensor 0 of what the bytes are, or poison; the archive is ended. */
ty_tensor *parse_first(const void *bytes, size_t n, ty_file_options options);
/* Tensors written in the options' format, in memory of the library that ends with the test. */
uint8_t *write_bytes(int n, const char *const *names, ty_tensor *const *tensors, ty_file_options options,
                     size_t *size);
/* The same of one tensor without a name. */
uint8_t *write_one(ty_tensor *x, ty_file_options options, size_t *size);
/* Fails the test unless both have the same dtype, shape and elements (bytes). */
void check_same(ty_tensor *got, ty_tensor *want, const char *what);
/* Reads all that the bytes hold, whatever they are: every failure must have a sentence. */
void read_anything(const void *bytes, size_t n, ty_file_options options);
/* The same of the bytes cut off at every place (which must fail), with every bit flipped, and with `many`
   random bytes put in random places. */
void check_damaged(const uint8_t *bytes, size_t n, ty_file_options options, int many);
/* CRC-32 as zip and gzip have it, bit by bit. */
uint32_t crc32_of(const uint8_t *bytes, size_t n);
#endif
