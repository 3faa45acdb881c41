/* Running the kernels of a routine: one after the other, or those of a section side by side (flow/sections.h). */
#ifndef COMPILE_RUNS_SECTIONS_RUN_H
#define COMPILE_RUNS_SECTIONS_RUN_H
#include "array/progress.h"
#include "base/context/context.h"
#include "compile/runs/incremental.h"
#include "compile/memory/memory_plan.h"

/* A run of a routine. */
struct routine_run {
    const struct ty_program *program; /* NULL: a body */
    const struct flow *flow;
    const struct memory_plan *plan;
    void *const *slots; /* address of each block */
    char *arena;
    const struct incremental *incremental; /* leaves out kernels; NULL: all run */
    struct progress *progress; /* counts kernels, on the thread that runs the routine; NULL: none */
    _Atomic int64_t launched;  /* kernels launched so far */
    _Atomic int64_t computed;  /* elements of results computed so far; 0 of bodies */
};

/* Return the workspace of kernel k; NULL if it needs none. */
static inline void *routine_workspace(const struct memory_plan *plan, char *arena, int k) {
    int region = plan->of_workspace[k];
    return region < 0 ? NULL : arena + plan->regions[region].offset;
}
/* sections_begin of a flow with sections. */
const struct section *sections_begin_some(const struct context_thread *t, const struct flow *f, int k);
/* Return the section that begins with kernel k, if thread t may run it side by side now, and NULL if not: then its
   kernels run in order.  That is so on one thread, inside a parallel loop, and while operations are limited, since the
   kernel that exceeds a limit depends on the order. */
static inline const struct section *sections_begin(const struct context_thread *t, const struct flow *f,
                                                   int k) {
    return f->sections.n ? sections_begin_some(t, f, k) : NULL;
}
/* Launch kernel k of the run, or what takes its place in this run of the program (stepped.h).  False after a fault. */
bool routine_run_kernel(const struct routine_run *r, int k, struct fault *fault);
/* Run the kernels of section s side by side.  False after a fault: that of the first kernel in the order that fails,
   whatever the number of threads; later kernels may have run. */
bool section_run(struct routine_run *r, const struct section *s, struct fault *fault);
#endif
