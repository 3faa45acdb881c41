/*
 * Incremental programs: which kernels a run launches.  Those of a class run when one of its variables has another version
 * than in the run before, or when something that they made is gone; all others' values are still where they were
 * (struct classes in flow/flow.h; what stays has memory of its own in the plan).
 */
#ifndef COMPILE_INCREMENTAL_H
#define COMPILE_INCREMENTAL_H
#include "compile/flow/flow.h"
#include "ops/core/variable.h"

struct incremental {
    int64_t *versions; /* of each use, in the last run; NULL: the program is not incremental */
    bool *stale;       /* of each class: its kernels run in this run */
    bool whole;        /* something has changed that no label stands for, or the last run failed: all run */
};

/* Tables for so many uses; false: no memory. */
bool incremental_make(struct incremental *x, const struct flow *f, int nuses);
void incremental_drop(struct incremental *x);
/* Finds the classes that must run, when the uses have been taken. */
void incremental_begin(struct incremental *x, const struct flow *f, int nuses,
                       const struct variable_use *uses);
/* What kernels of this block's class have made is gone. */
static inline void incremental_lose(struct incremental *x, const struct flow *f, int block) {
    if (x->versions) x->stale[f->classes.of_block[block]] = true;
}
/* Whether what writes this block runs in this run. */
static inline bool incremental_writes(const struct incremental *x, const struct flow *f, int block) {
    return !x->versions || x->whole || x->stale[f->classes.of_block[block]];
}
/* The run is over; all that it has made can be relied on, or nothing can. */
void incremental_end(struct incremental *x, int nuses, const struct variable_use *uses, bool done);
#endif
