/* Verification of kernels that an engine with devices has prepared, for compilers of drivers that err. */
#ifndef OPS_CORE_KERNEL_VERIFY_H
#define OPS_CORE_KERNEL_VERIFY_H
#include "ops/core/kernel/prepared.h"

/* True if kernels of devices are verified when they are prepared: with TY_DEBUG. */
bool kernels_verified(void);
/* Test hook: verify kernels also without TY_DEBUG. */
void kernels_verify(bool on);
/* Execute p, which a device has prepared, and the same kernel by `ref`, on numbers of its own, and compare the results.
   Large kernels are not verified.  False, with the fault set, if the results differ by more than rounding, or on
   failure. */
bool kernel_verify(struct prepared *p, struct fault *fault);
#endif
