/* Rows of bytes past the caches, one function per ISA; base/cache.c picks. */
#ifndef BASE_BYPASS_H
#define BASE_BYPASS_H
#include <stddef.h>

/* `rows` rows of `bytes` bytes, to_step apart where they go and from_step where they come from, of any
   alignment.  NULL: this architecture has no such stores. */
typedef void (*bypass_rows)(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, size_t bytes,
                            size_t rows);
extern const bypass_rows bypass_base, bypass_avx2, bypass_avx512;
#endif
