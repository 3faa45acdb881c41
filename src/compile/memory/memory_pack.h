/* Interface of the packing methods. Each assigns regions[].offset and passes its result to pack_keep. */
#ifndef COMPILE_MEMORY_MEMORY_PACK_H
#define COMPILE_MEMORY_MEMORY_PACK_H
#include "base/arena.h"
#include "compile/memory/memory_plan.h"

/* State of packing one plan. */
struct packing {
    int n;
    struct region *regions;
    int *order, *spare;    /* order of placement; scratch for sorting */
    struct region *placed; /* scratch: regions placed so far, by offset */
    int64_t *best;         /* offsets of the best result */
    int64_t most, bound;   /* bytes of the best result (-1: none); bytes at which a result is good enough */
    int64_t looks;         /* budget of regions that pairwise methods may still visit */
    int64_t steps;         /* budget of regions and columns that the exact search may visit */
};

/* Keep the regions' present offsets, a result of `most` bytes, if it is the best so far. */
void pack_keep(struct packing *p, int64_t most);
/* Compare two regions, for pack_sort, by the first or by the last step at which they live. */
static inline int region_by_birth(const struct region *a, const struct region *b) {
    return (a->first > b->first) - (a->first < b->first);
}
static inline int region_by_death(const struct region *a, const struct region *b) {
    return (a->last > b->last) - (a->last < b->last);
}
/* Fill `order` with all regions, sorted stably by `before`, a comparison like qsort's. */
void pack_sort(struct packing *p, int (*before)(const struct region *, const struct region *));

/* Place regions by birth, each into the tightest gap between live ones, in n log n, and keep the result if it
   is the best so far (memory_gaps.c). False: no memory. */
bool pack_in_time(struct packing *p);
/* Place regions in p->order, each on top of all earlier ones that live with it, leaving gaps, in n log n.
   Keep the result if it is the best so far (memory_stack.c). False: no memory. */
bool pack_stacked(struct packing *p);
/* Run exact searches until p->steps is used up or the best result is proved optimal (memory_exact.c). False:
   no memory. */
bool pack_exactly(struct packing *p);
#endif
