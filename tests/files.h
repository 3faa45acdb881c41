/* Scratch folders and small files for tests of readers and writers. */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H
#include <stddef.h>
#include <stdint.h>

/* A fresh folder that goes, with all in it, when the test ends; the path lives as long. */
const char *scratch_folder(void);
/* "folder/name" in memory of the test. */
const char *scratch_path(const char *folder, const char *name);
void write_file(const char *path, const void *bytes, size_t n);
/* The bytes of a file in memory of the test; *n is how many. */
uint8_t *read_file(const char *path, size_t *n);
/* How many entries the folder has. */
int count_files(const char *folder);
/* Wraps n bytes as a gzip file of stored blocks: no compressor is needed.  *size bytes in memory of the test.
 */
uint8_t *make_gzip(const void *bytes, size_t n, size_t *size);
#endif
