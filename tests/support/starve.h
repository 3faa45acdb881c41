/*
 * Failing allocations of the libraries that Tyto calls: libc (fopen, qsort, newlocale, opendir), zlib, libspng,
 * libjpeg.
 *
 * The program's malloc replaces glibc's and fails these allocations in the order of mem_fail_at, as if Tyto had made
 * them. Three kinds never fail: allocations of the tests; of the loader, which would end the process; and of OpenBLAS,
 * which does not check. Nothing fails without glibc or under sanitizers, which have their own malloc.
 */
#ifndef TESTS_SUPPORT_STARVE_H
#define TESTS_SUPPORT_STARVE_H
#include <stdbool.h>
#include <stdint.h>

/* Switch failing allocations of libraries on or off, as around a test's own calls; returns the previous
   setting. */
bool starve_others(bool on);
/* Return the number of library allocations counted while the setting was on. */
int64_t starve_count(void);
#endif
