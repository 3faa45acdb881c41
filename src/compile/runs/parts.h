/*
 * Parts of an incremental run. If variables were assigned in part, a kernel computes only the boxes of its results that
 * depend on these parts. Values that stay between runs need their changed boxes; other values need the boxes that their
 * readers read in this run. Elements outside of these boxes have the bits of the last run, or are not read.
 */
#ifndef COMPILE_RUNS_PARTS_H
#define COMPILE_RUNS_PARTS_H
#include "base/context/context.h"
#include "compile/runs/incremental.h"

/* Plan the parts of this run into x->runs. False: all kernels of the stale classes run as a whole, since no variable was
   changed in part, the run is watched, or memory ran out. */
bool parts_plan(struct incremental *x, const struct flow *f, int nuses, const struct variable_use *uses);
/* Launch the parts of kernel k that parts_plan found. slots: the addresses of the blocks; workspace: k's.
   False after a fault. */
bool parts_launch(const struct incremental *x, const struct flow *f, int k, void *const *slots,
                  void *workspace, struct fault *fault);
/* Return the number of elements of kernel k's results that this run computes. */
int64_t parts_computed(const struct incremental *x, const struct flow *f, int k);
/* Free the tables of parts, which may be NULL. */
void parts_drop(struct parts *p);
#endif
