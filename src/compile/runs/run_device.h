/* Runs on devices: leaves and results in device memory, and refusals (struct device_cell). */
#ifndef COMPILE_RUNS_RUN_DEVICE_H
#define COMPILE_RUNS_RUN_DEVICE_H
#include "array/remote.h"
#include "compile/program.h"
#include "compile/runs/sections_run.h"

/* The device of a flow's kernels; NULL: they use the host's memory. */
static inline struct device *flow_device(const struct flow *f) {
    return f->nkernels ? f->kernels[0].device : NULL;
}

/* True if a kernel of f may refuse values on its device. */
bool flow_refuses(const struct flow *f);
/* Set the address of the block of a variable in the memory where p runs.  False, with p->fault set, on failure. */
bool run_find_use(struct ty_program *p, struct variable_use *use);
static inline bool run_bind_use(struct ty_program *p, struct variable_use *use) {
    bool there = !p->device && use->data && !use->buffer->remote && use->updates == use->in_place;
    if (!there) return run_find_use(p, use);
    p->slots[use->block] = use->data;
    return true;
}
/* Allocate the arena of p, if need be.  False, with p->fault set, on failure. */
bool run_make_arena(struct ty_program *p);
/* Note where the elements of variables that the run has updated in place are valid now; `done`: the run succeeded. */
void run_settle_uses(struct ty_program *p, bool done);
/* Let the memory where p runs have the only valid elements of x, a result that the run writes. */
void run_written_on(const struct ty_program *p, const ty_tensor *x);
static inline void run_written(const struct ty_program *p, const ty_tensor *x) {
    if (p->device || x->buffer->remote) run_written_on(p, x);
}

/* Make the error cell of a run, if a kernel may refuse.  False, with p->fault set, on failure. */
bool run_cell_open(struct ty_program *p, struct device_cell *cell);
/* Launch kernel k with the cell.  False, with p->fault set, on failure. */
bool run_on_device(struct routine_run *run, struct ty_program *p, int k, const struct device_cell *cell);
/* Free the cell, or let outputs tell a refusal later.  False, with p->fault set, if a kernel is known to have refused or
   `done` is false; a refusal is told before a failure of later kernels. */
bool run_cell_end(struct ty_program *p, struct device_cell *cell, bool done);
/* Launch kernel k of a body; if it may refuse, wait for it.  False, with the fault set, on failure. */
bool run_in_body(struct device *d, struct routine_run *run, int k, struct fault *fault);
#endif
