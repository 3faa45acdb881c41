/* Tests on a device whose kernels are built together: a driver's compiler takes as long for a program of one kernel as
   for the functions of many.  The test runs first on `far`, which shows each kernel to the device. */
#ifndef TESTS_SUPPORT_GATHER_H
#define TESTS_SUPPORT_GATHER_H

/* Let the calling thread compute on far:0, and the device of this name, static text, prepare each kernel that far:0
   prepares, without a build. */
void gather_use(const char *name);
/* Stop preparing, but keep the kernels: the next launch on the device builds all of them.  Return their number. */
int gather_end(void);
/* Free the kernels. */
void gather_drop(void);
#endif
