/* What one core of the processor at hand computes, and how fast it is fed: rows of core.c, by its design. */
#ifndef BASE_CORE_H
#define BASE_CORE_H
#include "base/isa.h"

struct core {
    double
        lane[ISA_COUNT];  /* additions and multiplications a second in one lane of a vector, with each set */
    double read, stream;  /* bytes a second from memory; of two streams in and one out past the caches */
    double second, third; /* from the second level to the first, from the third to the second */
    double reach;         /* operands that are read in order may be so many times the second level: the third
                             one gives them as fast as they are used.  0: no more than it holds */
    int streams;          /* rows of a matrix that are read side by side and followed by its prefetchers */
};

enum { CORE_USUAL, CORE_ZEN_4, CORE_ZEN_3, CORE_ZEN_5, CORES };
/* That of this processor, or of a usual one.  By the processor alone: plans, and the order of sums, follow
 * from it. */
const struct core *core_current(void);
/* Tests: that row from now on; -1: this processor's. */
void core_force(int index);
#endif
