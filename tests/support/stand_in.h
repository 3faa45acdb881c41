/* The engine that TY_TEST_ENGINE lets stand for `cpu` (harness.h). */
#ifndef TESTS_SUPPORT_STAND_IN_H
#define TESTS_SUPPORT_STAND_IN_H
#include <stdbool.h>

/* Return true, after a sentence that says why, if the tests have to run on a device that is not there. */
bool stand_in_lacks_device(void);
/* Let the stand-in `opencl` gather kernels, until `now` is false (gather.h).  Return their number then. */
int stand_in_gather(bool now);
#endif
