/*
 * The npy format (numpy/lib/format.py, "NEP 1"): magic, version, length of the header, the header (text of a
 * Python dictionary), and the elements.
 */
#ifndef IO_NPY_H
#define IO_NPY_H
#include "io/archive.h"

/* Read the header of `in` into e: dtype, shape, order, and offset of the elements, whose size is compared
   with the input's. The shape is allocated from `arena`. False sets the fault. */
bool npy_read_header(struct input *in, const ty_file_options *options, struct arena *arena,
                     struct archive_entry *e, struct fault *fault);
/* Append the header of the value x, in row-major or column order, to t, in version 1.0, which suffices for every
   tensor; false sets the fault. */
bool npy_header(struct text *t, const ty_tensor *x, struct fault *fault);
/* Parse n characters of a header's dictionary into e; messages begin with `name`. False sets the fault. */
bool npy_parse(const char *name, const char *text, size_t n, const ty_file_options *options,
               struct arena *arena, struct archive_entry *e, struct fault *fault);
#endif
