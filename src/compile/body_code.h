/* The body of a loop or branch, compiled: a routine whose blocks are bound anew for each step. */
#ifndef COMPILE_BODY_CODE_H
#define COMPILE_BODY_CODE_H
#include "compile/routine.h"
#include "control/body.h"

struct body_code {
    struct flow flow;
    struct memory_plan plan;
    int *parameters; /* the block that each parameter is read from; -1: it is not read */
    int *roots;      /* the block that each root is written to; -1: it is not wanted */
    size_t *kept;    /* where in the workspace each KEPT block lies */
    size_t arena;    /* where the arena lies there; the table of slots comes first */
    size_t bytes;    /* of workspace */
};

/* `wanted` tells of each root whether it is computed.  Memory from `arena`; end with body_code_drop in any case. */
bool body_code_make(struct body_code *code, const struct body *body, const struct given *given,
                    const bool *wanted, const struct compiling *c, struct arena *arena);
void body_code_drop(struct body_code *code);
/*
 * To run: body_code_slots makes the table of slots, in the workspace, and binds constants, temporaries and what kernels
 * keep.  The caller binds parameters and roots (body_code_bind): first the fixed parameters, which body_code_keep
 * reads; then, for each run of the body, the others.
 */
void **body_code_slots(const struct body_code *code, void *workspace);
/* Makes what kernels keep, of parameters that are bound by now. */
void body_code_keep(const struct body_code *code, void **slots, void *workspace);
bool body_code_run(const struct body_code *code, void **slots, void *workspace, struct fault *fault);
static inline void body_code_bind(void **slots, int block, void *data) {
    if (block >= 0) slots[block] = data;
}
#endif
