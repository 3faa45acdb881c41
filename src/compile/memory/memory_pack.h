/* What the ways of packing share.  Each puts every region somewhere, in regions[].offset, and tells the best of all
   tries (pack_keep) how it went. */
#ifndef COMPILE_MEMORY_MEMORY_PACK_H
#define COMPILE_MEMORY_MEMORY_PACK_H
#include "base/arena.h"
#include "compile/memory/memory_plan.h"

struct packing {
    int n;
    struct region *regions;
    int *order, *spare;    /* in which regions are taken; room for sorting */
    struct region *placed; /* room for those placed so far */
    int64_t *best;         /* offsets of the best try */
    int64_t most, bound;   /* bytes of the best try (-1: none yet); no try takes fewer than the bound */
    int64_t looks;         /* regions that may still be looked at by tries that compare pairs */
    int64_t steps;         /* and by the exact search, at regions and columns */
};

/* Keeps the offsets of a try that takes `most` bytes, if that is less than before. */
void pack_keep(struct packing *p, int64_t most);
/* Sorts `order`; regions that neither comes before the other keep their order. */
void pack_sort(struct packing *p, int (*before)(const struct region *, const struct region *));

/* By birth, each into the tightest gap between those alive then: n log n (memory_gaps.c).  False: no memory. */
bool pack_in_time(struct packing *p);
/* In the order given, each on top of all placed before it that live at some time with it, into no gap: n log n
   (memory_stack.c).  False: no memory. */
bool pack_stacked(struct packing *p);
/* By an exact search, many times, as long as p->steps last and the best is not known to be one (memory_exact.c).  False: no
   memory. */
bool pack_exactly(struct packing *p);
#endif
