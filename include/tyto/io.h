/*
 * Data in and out: the built-in digits, IDX files (MNIST's format), safetensors files and checkpoints.
 *
 * Files are untrusted: every size in them is compared with the bytes that are really there before any
 * memory is asked for, and what is wrong comes back as a sentence with the file's name.  Writing is
 * atomic: after a crash the old file or the new one stands there, never a part.
 */
#ifndef TYTO_IO_H
#define TYTO_IO_H

#include <tyto/tyto.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- data sets ------------------------------------------------------------------------------------- */

/* Samples first .. first + n - 1 of an endless set of handwritten-like digits: *images u8[n,28,28,1],
   *labels u8[n].  Sample i depends on (seed, i) only.  False: both are poisoned. */
TY_API bool ty_digits(uint64_t seed, int64_t first, int64_t n, ty_tensor **images, ty_tensor **labels);

/* The array in an IDX file (u8, i8, i16, i32, f32, f64), plain or compressed by gzip. */
TY_API ty_tensor *ty_idx_read(const char *path);
/* The same from n bytes in memory. */
TY_API ty_tensor *ty_idx_parse(const void *bytes, size_t n);

/* The four files of MNIST in `directory`, plain or .gz, either the 60,000 for training or the 10,000 for
   testing: *images u8[n,28,28,1], *labels u8[n] below 10.  False: both are poisoned. */
TY_API bool ty_mnist(const char *directory, bool train, ty_tensor **images, ty_tensor **labels);

/* ---- archives: named tensors in safetensors format --------------------------------------------------- */

/* Writes n named tensors (promises are evaluated in one program) and nmeta pairs of texts to `path`,
   atomically and with a checksum over the whole file.  Names are distinct, keys are distinct and not
   "checksum".  False: nothing changed on disk, and *error (when given; registered with the scope) tells
   why. */
TY_API bool ty_save(const char *path, int n, const char *const *names, ty_tensor *const *tensors, int nmeta,
                    const char *const *keys, const char *const *values, ty_tensor **error);

typedef struct ty_archive ty_archive;

/* Opens what ty_save wrote; a file without a valid checksum is refused.  Never NULL: see
   ty_archive_error.  Ended with ty_archive_free. */
TY_API ty_archive *ty_load(const char *path);
/* Opens any safetensors file; a checksum is tested when the file has one of ty_save. */
TY_API ty_archive *ty_safetensors_read(const char *path);
/* The same from n bytes in memory, which are copied. */
TY_API ty_archive *ty_safetensors_parse(const void *bytes, size_t n);
/* NULL is allowed. */
TY_API void ty_archive_free(ty_archive *archive);

/* "" when the archive is well. */
TY_API const char *ty_archive_error(const ty_archive *archive);
/* How many tensors it holds, in the order of their names' first bytes in the file; 0 of a failed one. */
TY_API int ty_archive_count(const ty_archive *archive);
/* Name i; NULL outside.  Lives as long as the archive. */
TY_API const char *ty_archive_name(const ty_archive *archive, int i);
/* A fresh tensor with the elements of the name; poisoned when there is none. */
TY_API ty_tensor *ty_archive_get(const ty_archive *archive, const char *name);
/* The text that goes with the key; NULL when there is none.  Lives as long as the archive. */
TY_API const char *ty_archive_meta(const ty_archive *archive, const char *key);

#ifdef __cplusplus
}
#endif
#endif
