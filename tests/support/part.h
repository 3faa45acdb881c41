/* The engine `part`, for tests: device "part:0" is opencl:0, but leaves most kernels to `cpu`.  Compilers of devices take
   some 50 ms for a kernel, and whole suites have 100000. */
#ifndef TESTS_SUPPORT_PART_H
#define TESTS_SUPPORT_PART_H

/* Return the number n of which one kernel in n is computed on the device (TY_TEST_SHARE); 1: all of them. */
int part_share(void);
/* Register the engine. */
void part_begin(void);
#endif
