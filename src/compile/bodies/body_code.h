/* Compiled bodies of loops and branches: routines whose blocks are bound to memory anew for each step. */
#ifndef COMPILE_BODIES_BODY_CODE_H
#define COMPILE_BODIES_BODY_CODE_H
#include "compile/routine.h"
#include "control/body.h"

/* A compiled body. Immutable once made; its workspace belongs to the caller. */
struct body_code {
    struct flow flow;
    struct memory_plan plan;
    int *parameters;       /* block of each parameter; -1: not read */
    int *roots;            /* block of each output of the body; -1: not wanted */
    size_t *kept;          /* offset of each KEPT block in the workspace */
    size_t arena;          /* offset of the arena in the workspace; the table of slots is at offset 0 */
    size_t bytes;          /* size of the workspace */
    struct device *device; /* whose memory the workspace is; NULL: the host's */
};

/* Compile a subgraph (a loop body or branch) into *code. wanted[i]: output i is computed. Memory comes from
   the arena. False after a fault; call body_code_drop in any case. */
bool body_code_make(struct body_code *code, const struct body *body, const struct given *given,
                    const bool *wanted, const struct compiling *c, struct arena *arena);
/* Free what *code holds outside of the arena. */
void body_code_drop(struct body_code *code);
/* Make the table of the addresses of blocks, at the start of the workspace unless that is a device's, bind constants, temporaries and
   KEPT blocks, and return it. The caller then binds fixed parameters, calls body_code_keep, binds the others
   (body_code_bind) and calls body_code_run, in the end body_code_end. NULL, with the fault set, on failure. */
void **body_code_slots(const struct body_code *code, void *workspace, struct fault *fault);
/* Free a table of slots. NULL is allowed. */
void body_code_end(const struct body_code *code, void **slots);
/* Compute the data that kernels keep between steps of constants and fixed parameters, which must be bound in
   slots[]. */
void body_code_keep(const struct body_code *code, void **slots, void *workspace);
/* Run all kernels once, with the addresses slots[] of blocks. False after a fault. */
bool body_code_run(const struct body_code *code, void **slots, void *workspace, struct fault *fault);
/* Set the address of a block in slots[] to `data`; block -1 is ignored. */
static inline void body_code_bind(void **slots, int block, void *data) {
    if (block >= 0) slots[block] = data;
}
#endif
