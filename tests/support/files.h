/* Scratch folders and small files for tests of readers and writers. */
#ifndef TESTS_SUPPORT_FILES_H
#define TESTS_SUPPORT_FILES_H
#include <stddef.h>
#include <stdint.h>
#include <tyto/io.h>

/* Return the path of a new folder, which is removed with its files when the test ends; the path lives as long. */
const char *scratch_folder(void);
/* Return "folder/name", freed when the test ends. */
const char *scratch_path(const char *folder, const char *name);
/* Write n bytes to a file; fails the test on error. */
void write_file(const char *path, const void *bytes, size_t n);
/* Return the bytes of a file, freed when the test ends; *n is their number. */
uint8_t *read_file(const char *path, size_t *n);
/* Return the number of entries of the folder. */
int count_files(const char *folder);
/* Wrap n bytes as a gzip file of stored blocks, without a compressor. Returns *size bytes and a zero,
   freed when the test ends. */
uint8_t *make_gzip(const void *bytes, size_t n, size_t *size);

/* Free the archive when the test ends; returns it. */
ty_archive *own_archive(ty_archive *archive);
/* Open n bytes as an archive, freed when the test ends; fails the test if they are invalid. */
ty_archive *parse_well(const void *bytes, size_t n, ty_file_options options);
/* Return tensor 0 of the bytes, or poison; the archive is freed. */
ty_tensor *parse_first(const void *bytes, size_t n, ty_file_options options);
/* Write tensors in the options' format. Returns *size bytes, freed when the test ends. */
uint8_t *write_bytes(int n, const char *const *names, ty_tensor *const *tensors, ty_file_options options,
                     size_t *size);
/* Write one tensor without a name in the options' format. Returns *size bytes, freed when the test ends. */
uint8_t *write_one(ty_tensor *x, ty_file_options options, size_t *size);
/* Fail the test unless dtype, shape and bytes of both are equal. */
void check_same(ty_tensor *got, ty_tensor *want, const char *what);
/* Read all tensors of arbitrary bytes: every failure must have a message. */
void read_anything(const void *bytes, size_t n, ty_file_options options);
/* Read the bytes truncated at every position, which must fail; then with every bit flipped, and with
   `many` random bytes at random positions, which may fail with a message. */
void check_damaged(const uint8_t *bytes, size_t n, ty_file_options options, int many);
/* Return the CRC-32 of zip and gzip, computed bit by bit. */
uint32_t crc32_of(const uint8_t *bytes, size_t n);
#endif
