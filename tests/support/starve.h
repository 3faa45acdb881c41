/*
 * Allocations that what the library calls makes by itself: libc's own (fopen, qsort, newlocale, opendir), zlib's,
 * libspng's, libjpeg's.  The program's malloc stands before glibc's and fails them in the turn of mem_fail_at, as if the
 * library had asked.  Allocations of the tests are not failed, nor those of the loader, which ends the process, and of
 * OpenBLAS, which does not look.  Under sanitizers, which have a malloc of their own, and without glibc nothing is failed.
 */
#ifndef TESTS_SUPPORT_STARVE_H
#define TESTS_SUPPORT_STARVE_H
#include <stdbool.h>
#include <stdint.h>

/* From now on, or no more, as around what a test does for itself; returns what was before. */
bool starve_others(bool on);
/* How many such allocations there were while it was on. */
int64_t starve_count(void);
#endif
