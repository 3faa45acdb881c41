/* Outputs of a run that kernels write into destinations with steps (ty_into), without a copy. */
#ifndef COMPILE_RUNS_STEPPED_H
#define COMPILE_RUNS_STEPPED_H
#include "compile/program.h"

/* A kernel of the program that writes a destination with steps instead of its block. */
struct stepped_kernel {
    int output, number;   /* output of the program; index of the kernel that it replaces */
    struct kernel kernel; /* prepared; in the arena of struct stepped */
    void *workspace;      /* of its own; NULL: that of the kernel it replaces is large enough */
    size_t beyond;        /* bytes of `workspace` */
};
/* Find and prepare the kernels for the destinations of this run that have steps, in p->stepped. A destination without
   one is copied into. Leaves are bound. False, with the fault set, on failure. Call stepped_end in either case. */
bool stepped_begin(struct ty_program *p, struct fault *fault);
/* Release p->stepped. */
void stepped_end(struct ty_program *p);
/* True if a kernel writes output i into its destination with steps. */
bool stepped_writes(const struct ty_program *p, int i);
/* Launch kernel number k of p, or the one in its place. workspace: of kernel k. False, with the fault set, on
   failure. */
bool stepped_start(const struct ty_program *p, int k, void *workspace, struct fault *fault);
#endif
