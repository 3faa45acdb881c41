/*
 * Sections: ranges of the order whose kernels are too small to fill the threads, and independent.  The kernels of a
 * section form strands.  Those of a strand run in order on one thread; different strands run side by side, since no
 * strand touches data that another one writes.  Kernels keep their places in the order.  If only one thread may run,
 * they run in this order (compile/runs/sections_run.h).
 */
#ifndef COMPILE_FLOW_SECTIONS_H
#define COMPILE_FLOW_SECTIONS_H
#include <stdbool.h>
#include "base/text.h"

enum { STRANDS_MOST = 4096 }; /* of a section */

struct flow;
/* Kernels sections.kernels[first .. first + count - 1], ascending. */
struct strand {
    int first, count;
    int section;
    double cost; /* on one thread, in units of work (passes/sections.h) */
};
struct section {
    int first, end;        /* kernels first .. end - 1 */
    int strands, nstrands; /* strand numbers strands .. strands + nstrands - 1, the most costly first */
    bool updates;          /* one of its kernels writes over a variable */
    double gain;           /* estimated work that running side by side saves */
};
/* The sections of a flow; memory is of the flow's arena. */
struct sections {
    int n, nstrands;
    int width;           /* threads for which they were chosen */
    struct section *all; /* in order */
    struct strand *strands;
    int *kernels;   /* numbers of kernels, strand after strand */
    int *strand_of; /* by kernel; -1: in no section */
    int *before;    /* by kernel: its number before sections were chosen */
};

/* Reorder the kernels of f as *s says, and let f have the sections.  False after a fault. */
bool sections_apply(struct flow *f, const struct sections *s, struct fault *fault);
/* Give up section number `section`; the numbers of later ones fall by one. */
void sections_give_up(struct flow *f, int section);
/* Give up all sections, and restore the order of kernels before sections_apply.  False after a fault. */
bool sections_drop(struct flow *f, struct fault *fault);
/* Return the section of kernel k; NULL: none. */
const struct section *section_of(const struct flow *f, int k);
/* Return the strand of kernel k, unique among all sections; -1: in no section. */
int strand_of(const struct flow *f, int k);
/* True if no kernel of another strand of k's section reads or writes the block. */
bool strand_owns(const struct flow *f, int k, int block);
/* Return the block that stands for b where data is shared: an update and its variable share theirs. */
int sections_block(const struct flow *f, int b);
#endif
