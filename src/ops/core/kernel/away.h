/* Kernels that do not compute where their operands are: those that a device lacks, which `cpu` computes on copies in the
   host's memory; those that run code of the host; and those for which ty_to has chosen another device. */
#ifndef OPS_CORE_KERNEL_AWAY_H
#define OPS_CORE_KERNEL_AWAY_H
#include "ops/core/kernel/kernel.h"

/* Prepare kernel k of a device for `cpu`, as k->away.  False, with the fault set, on failure. */
bool away_prepare(struct kernel *k, struct fault *fault);
/* Return the preparation, owned by the caller, of kernel k of engine `at` for computing by engine `by`, whose memory is
   another one.  NULL, with the fault set, on failure. */
struct prepared *away_prepared(const struct engine *at, const struct engine *by, const struct kernel *k,
                               struct fault *fault);
/* Copy the operands home, compute, and copy the results to the device.  slots: addresses of device memory.  False, with
   the fault set, on failure. */
bool away_launch(const struct kernel *k, void *const *slots, struct fault *fault);
/* Append a line that says which engine computes k, if k->away is set. */
void away_describe(const struct kernel *k, struct text *t);
/* Release what away_prepare made. */
void away_drop(struct kernel *k);

/* Execute p for kernel k, whose operands are in the host's memory; p may belong to a device.  False, with the fault set,
   on failure. */
bool away_compute(const struct kernel *k, struct prepared *p, void *const *slots, void *workspace,
                  struct fault *fault);

/* A kernel with the same operands in the host's memory. */
struct away {
    struct kernel kernel; /* inputs have the slots 0 .., outputs the next ones; offsets are 0 */
    void **slots;
    struct piece *pieces;
    const struct kernel *of;
    void *const *from; /* slots of `of`: addresses of device memory */
};
/* Copy the operands of k home that it reads, and make room for its results.  False, with the fault set, on failure;
   call away_close in either case. */
bool away_open(struct away *a, const struct kernel *k, void *const *slots, struct fault *fault);
/* Copy the results to the device.  False, with the fault set, on failure. */
bool away_deliver(const struct away *a, struct fault *fault);
/* Copy the results home, which the device has computed.  False, with the fault set, on failure. */
bool away_fetch_results(const struct away *a, struct fault *fault);
void away_close(struct away *a);
#endif
