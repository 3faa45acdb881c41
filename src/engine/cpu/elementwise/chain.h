/*
 * Chains: steps of a body that follow each other, exact arithmetic on floats, as machine code that takes a vector through
 * all of them.  What lives between them stays in registers of the processor.  Each instruction is the one that the step's
 * loop is made of, so bits are those of the steps, which do what whole vectors leave.
 */
#ifndef ENGINE_CPU_ELEMENTWISE_CHAIN_H
#define ENGINE_CPU_ELEMENTWISE_CHAIN_H
#include "engine/cpu/elementwise/body.h"

enum { CHAIN_POINTERS = 11 };
struct cpu_chain {
    int nsteps;                     /* that it stands for, from its own on */
    int by, sides;                  /* as a step's: what all of its steps have, or always */
    int lanes;                      /* elements of a vector */
    int npointers;                  /* arrays that it goes along */
    int16_t values[CHAIN_POINTERS]; /* which these are; -1: the signs */
    const void *signs;
    void (*run)(void *const *arrays, int64_t vectors); /* one vector or more */
};

/* Puts the steps of a body in an order in which chains are long, where machine code can be made; values' uses are found
   anew. */
void cpu_chain_order(struct cpu_body *body);
/* Makes the chains; where that cannot be, steps stay alone.  False: no memory. */
bool cpu_chain_make(struct cpu_body *body, struct arena *arena);
#endif
