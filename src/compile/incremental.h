/*
 * Incremental runs: which kernels a run launches. The kernels of a class run if one of its variables has
 * changed since the last run, or if one of their results is gone. All other values are still in memory
 * (struct classes in flow/flow.h).
 */
#ifndef COMPILE_INCREMENTAL_H
#define COMPILE_INCREMENTAL_H
#include "compile/flow/flow.h"
#include "ops/core/variable.h"

/* State between runs, guarded by the program's lock. */
struct incremental {
    int64_t *versions; /* version of each use in the last run; NULL: not incremental */
    bool *stale;       /* by class: its kernels run in this run */
    bool whole;        /* all kernels run: an unlabelled value has changed, or the last run failed */
};

/* Allocate the tables for nuses variables if f has classes. False: no memory. */
bool incremental_make(struct incremental *x, const struct flow *f, int nuses);
/* Free the tables of *x. */
void incremental_drop(struct incremental *x);
/* Mark the classes of kernels that must run. uses[] are the variables as this run reads them. */
void incremental_begin(struct incremental *x, const struct flow *f, int nuses,
                       const struct variable_use *uses);
/* Mark the class of a block as one that must run, since the block's value is lost. Does nothing unless the
   program is incremental. */
static inline void incremental_lose(struct incremental *x, const struct flow *f, int block) {
    if (x->versions) x->stale[f->classes.of_block[block]] = true;
}
/* True if the kernel that writes the block runs in this run; always if the program is not incremental. */
static inline bool incremental_writes(const struct incremental *x, const struct flow *f, int block) {
    return !x->versions || x->whole || x->stale[f->classes.of_block[block]];
}
/* Record the versions of the variables that this run used. done: it succeeded; else the next run launches all
   kernels. */
void incremental_end(struct incremental *x, int nuses, const struct variable_use *uses, bool done);
#endif
