/* Speed of one core of this processor: arithmetic and bandwidth.  core.c has the table, by microarchitecture. */
#ifndef BASE_CORE_H
#define BASE_CORE_H
#include "base/machine/isa.h"

struct core {
    double lane[ISA_COUNT]; /* multiply-adds per second in one vector lane, by instruction set */
    double read, stream;    /* bytes per second: reading from memory; two streams in and one non-temporal
                               stream out */
    double second, third;   /* bytes per second: from L2 to L1; from L3 to L2 */
    double reach;           /* operands read in order may be this multiple of L2, because L3 delivers them
                               as fast as they are used; 0: at most its size */
    int streams;            /* matrix rows that the prefetchers follow when they are read side by side */
};

enum { CORE_USUAL, CORE_ZEN_4, CORE_ZEN_3, CORE_ZEN_5, CORES };
/* Return the table's entry for this processor, or the usual entry. It depends on the processor alone, because
   plans and the order of sums follow from it. */
const struct core *core_current(void);
/* Test hook: core_current returns entry `index` from now on; -1 = this processor's. */
void core_force(int index);
#endif
