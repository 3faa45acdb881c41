/* Copies and comparisons that keep no reference to a tensor, for tests of memory that somebody may take over. */
#ifndef TESTS_SUPPORT_COPIES_H
#define TESTS_SUPPORT_COPIES_H
#include <tyto/tyto.h>

/* Return a copy of x's present elements in memory of its own; poison stays poison. */
ty_tensor *copy_of(ty_tensor *x);
/* Return true if both are values of one dtype and shape with equal bytes. */
bool bytes_equal(ty_tensor *a, ty_tensor *b);
#endif
