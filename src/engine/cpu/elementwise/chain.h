/*
 * Chains: consecutive steps of exact float arithmetic as machine code that takes each vector through all of them.
 * Intermediate values stay in registers. Instructions are those of the step's loop, or have equal results, so the bits
 * are those of the steps. Elements after the last whole vector run step by step.
 */
#ifndef ENGINE_CPU_ELEMENTWISE_CHAIN_H
#define ENGINE_CPU_ELEMENTWISE_CHAIN_H
#include "engine/cpu/elementwise/body.h"
#include "engine/cpu/jit/jit_call.h"

enum { CHAIN_POINTERS = 11 };
/* A chain; lives in the body's arena. */
struct cpu_chain {
    int nsteps;                     /* steps that it replaces, its own included */
    int by, sides;                  /* as in body_step: the condition that all its steps share, or always */
    int lanes;                      /* elements of a vector */
    int npointers;                  /* arrays that it reads and writes */
    int16_t values[CHAIN_POINTERS]; /* values of these arrays; -1: `signs` */
    const void *signs;
    void(JIT_CALL *run)(void *const *arrays, int64_t vectors); /* vectors >= 1 */
};

/* Reorder the steps of an elementwise program for long chains, if machine code can be generated; recompute last
   uses. */
void cpu_chain_order(struct cpu_body *body);
/* Make the chains, steps run as one piece of machine code, of an elementwise program in the arena; where that is
   not possible, steps stay separate. Return false if out of memory. */
bool cpu_chain_make(struct cpu_body *body, struct arena *arena);
#endif
