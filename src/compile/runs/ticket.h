/* Tickets of runs on devices: a run returns before its kernels have run, and its ticket tells later if one has refused
   values.  Outputs hold it, so that reading them reports the refusal. */
#ifndef COMPILE_RUNS_TICKET_H
#define COMPILE_RUNS_TICKET_H
#include "array/remote.h"
#include "compile/program.h"

/* Make the ticket of a run of p, whose kernels use *cell, which it takes over, and give it to all outputs.  False, with
   the fault set, on failure; the cell is then the caller's. */
bool ticket_give(struct ty_program *p, struct device_cell *cell, struct fault *fault);
/* Look at the tickets of earlier runs of p that have ended, without waiting for a kernel.  False, with p->fault set, if one of their
   kernels has refused values. */
bool tickets_look(struct ty_program *p);
/* Forget the tickets of p, which is freed; outputs that somebody holds keep theirs. */
void tickets_forget(const struct ty_program *p);
/* Wait for all tickets of a device.  False, with the fault set, if a kernel has refused values. */
bool tickets_wait(const struct device *d, struct fault *fault);
#endif
