/*
 * The npy format (numpy/lib/format.py, "NEP 1"): magic, version, length of the header, the header (the text
 * of a Python dictionary), the elements.
 */
#ifndef IO_NPY_H
#define IO_NPY_H
#include "io/archive.h"

/* Reads the header of `in` into e: form, order, where the elements begin; compares their bytes with the
   input's. The shape is memory of `arena`. */
bool npy_read_header(struct input *in, const ty_file_options *options, struct arena *arena,
                     struct archive_entry *e, struct fault *fault);
/* Adds the header of a row-major value: version 1.0, which has room for all that a tensor can be. */
bool npy_header(struct text *t, const ty_tensor *x, struct fault *fault);
/* Parses n characters of a header's dictionary; sentences begin with `name`. */
bool npy_parse(const char *name, const char *text, size_t n, const ty_file_options *options,
               struct arena *arena, struct archive_entry *e, struct fault *fault);
#endif
