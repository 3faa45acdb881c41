/* A prepared loop: how steps use memory.  loop.c runs it; exported files (src/export) have the same loop as text. */
#ifndef COMPILE_BODIES_LOOP_H
#define COMPILE_BODIES_LOOP_H
#include "compile/bodies/body_code.h"

/* A carry that is needed, as a result or by another output. */
struct carried {
    int number;        /* index of the carry */
    int last, history; /* outputs of the kernel for the last value and the history; -1: not wanted */
    bool in_place;     /* uses the first buffer alone, initialised from the operand */
    size_t bytes;
    size_t places[2]; /* offsets of the buffers in the workspace; the first is not used if `last` is wanted */
};

/* A result that stacks one element per step. */
struct stacked {
    int root, output; /* output of the body; output of the kernel */
    int64_t bytes;    /* bytes per element */
};

/* Prepared loop; memory is of the program's arena. */
struct loop_plan {
    struct body_code code;
    struct carried *carries;
    int ncarries;
    struct stacked *stacked; /* the wanted ones */
    int nstacked;
    int count;      /* output with the number of steps; -1: not wanted */
    bool *in_place; /* by carry */
    size_t index;   /* offset in the workspace of the step's index (i64), then the stop flag */
    size_t indices; /* on a device, if steps read their index: offset of INDICES of them; 0: none */
    bool *wanted;   /* by output of the body */
    struct inside inside;
};
#endif
