/* Whole cache lines past the caches, one function per ISA; base/cache.c picks. */
#ifndef BASE_BYPASS_H
#define BASE_BYPASS_H
#include <stddef.h>

/* `to` is aligned to 64 bytes.  NULL: this architecture has no such stores. */
typedef void (*bypass_lines)(void *to, const void *from, size_t lines);
extern const bypass_lines bypass_base, bypass_avx2, bypass_avx512;
#endif
