/*
 * Failing allocations of the libraries that the library calls: libc (fopen, qsort, newlocale, opendir), zlib, libspng,
 * libjpeg.
 *
 * The program's malloc replaces glibc's and fails them in the order of mem_fail_at, as if the library had allocated.
 * Not failed are allocations of the tests, of the loader, which would end the process, and of OpenBLAS, which does not
 * check.  Under sanitizers, which have their own malloc, and without glibc nothing fails.
 */
#ifndef TESTS_SUPPORT_STARVE_H
#define TESTS_SUPPORT_STARVE_H
#include <stdbool.h>
#include <stdint.h>

/* Switch it on or off, as around a test's own calls; returns the previous setting. */
bool starve_others(bool on);
/* Return the number of such allocations while it was on. */
int64_t starve_count(void);
#endif
