/* Functions that formats.def names. NAME_matches is true if a file that begins with the n bytes `head` is of
   the format. NAME_get returns the tensor of an entry, owned by the current scope; NULL sets the fault. */
#ifndef IO_MATCHES_H
#define IO_MATCHES_H
#include "io/archive.h"

bool npy_matches(const uint8_t *head, size_t n);
bool npz_matches(const uint8_t *head, size_t n);
bool safetensors_matches(const uint8_t *head, size_t n);
bool idx_matches(const uint8_t *head, size_t n);
bool png_matches(const uint8_t *head, size_t n);
bool jpeg_matches(const uint8_t *head, size_t n);
bool pnm_matches(const uint8_t *head, size_t n);
bool mtx_matches(const uint8_t *head, size_t n);
bool wav_matches(const uint8_t *head, size_t n);
ty_tensor *npz_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault);
ty_tensor *csv_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault);
ty_tensor *mtx_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault);
ty_tensor *png_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault);
ty_tensor *jpeg_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault);
ty_tensor *wav_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault);
ty_tensor *pnm_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault);
#endif
