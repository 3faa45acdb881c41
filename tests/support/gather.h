/* Tests on opencl:0 whose kernels are built together: a driver's compiler takes as long for a program of one kernel as
   for the functions of many.  The test runs first on `far`, which shows each kernel to opencl:0. */
#ifndef TESTS_SUPPORT_GATHER_H
#define TESTS_SUPPORT_GATHER_H

/* Let the calling thread compute on far:0, and opencl:0 prepare each kernel that far:0 prepares, without a build. */
void gather_use(void);
/* Stop preparing, but keep the kernels: the next launch on opencl:0 builds all of them.  Return their number. */
int gather_end(void);
/* Free the kernels. */
void gather_drop(void);
#endif
