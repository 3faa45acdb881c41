/*
 * Data that engines make from constants, such as packed matrices: programs that keep equal data share one copy.
 * Programs of one model for several sizes mostly do.
 */
#ifndef COMPILE_PACKED_H
#define COMPILE_PACKED_H
#include <stddef.h>

/* Allocate zeroed memory for `bytes` bytes of data; packed_end frees it. NULL: no memory. */
void *packed_new(size_t bytes);
/* Return data equal to data[bytes], which packed_new allocated and nobody changes from now on: `data` itself, or that of
   another caller; `data` is freed then. packed_end ends the use of the result. */
void *packed_share(void *data, size_t bytes);
/* End a use of data of packed_new or packed_share; the last one frees it. NULL is allowed. */
void packed_end(void *data, size_t bytes);
#endif
