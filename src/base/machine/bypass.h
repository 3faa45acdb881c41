/* Copying rows with non-temporal stores, one function per instruction set; base/machine/cache.c selects one. */
#ifndef BASE_BYPASS_H
#define BASE_BYPASS_H
#include <stddef.h>

/* Copies `rows` rows of `bytes` bytes each, of any alignment; to_step and from_step are the strides in bytes
   between rows.  NULL: this architecture has no non-temporal stores. */
typedef void (*bypass_rows)(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, size_t bytes,
                            size_t rows);
extern const bypass_rows bypass_base, bypass_avx2, bypass_avx512;
#endif
