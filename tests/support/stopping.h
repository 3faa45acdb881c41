/* Requests to stop in tests. */
#ifndef TESTS_SUPPORT_STOPPING_H
#define TESTS_SUPPORT_STOPPING_H
#include <stdbool.h>
#include <tyto/tyto.h>

/* Undo all requests to stop when the test ends, also if it fails. */
void stops(void);
/* True if x and y have the same dtype, number of elements, and bits. */
bool same_bits(ty_tensor *x, ty_tensor *y);
#endif
