/*
 * Incremental runs: which kernels a run launches. The kernels of a class run if one of its variables has
 * changed since the last run, or if one of their results is gone. All other values are still in memory
 * (struct classes in flow/flow.h). Kernels may run in parts (parts.h).
 */
#ifndef COMPILE_RUNS_INCREMENTAL_H
#define COMPILE_RUNS_INCREMENTAL_H
#include "compile/flow/flow.h"
#include "ops/core/variable.h"

/* How a kernel runs: not at all, as a whole, or the boxes that parts.h lists. */
enum { RUNS_NOT, RUNS_WHOLE, RUNS_PARTS };

struct parts;
/* State between runs, guarded by the program's lock. */
struct incremental {
    int64_t *versions; /* version of each use in the last run; NULL: not incremental */
    bool *stale;       /* by class: its kernels run in this run */
    bool *lost;        /* by block: an output whose value is lost */
    int *writer;       /* by block: the last kernel that writes it; -1: none */
    uint8_t *runs;     /* by kernel: RUNS_... in this run */
    bool whole;        /* all kernels run: an unlabelled value has changed, or the last run failed */
    struct parts *parts;
};

/* Allocate the tables for nuses variables if f has classes. False: no memory. */
bool incremental_make(struct incremental *x, const struct flow *f, int nuses);
/* Free the tables of *x. */
void incremental_drop(struct incremental *x);
/* Mark the classes of kernels that must run. uses[] are the variables as this run reads them. */
void incremental_begin(struct incremental *x, const struct flow *f, int nuses,
                       const struct variable_use *uses);
/* Mark the class of an OUTPUT block as one that must run, since the block's value is lost. Does nothing unless the
   program is incremental. */
static inline void incremental_lose(struct incremental *x, const struct flow *f, int block) {
    if (x->versions) x->stale[f->classes.of_block[block]] = x->lost[block] = true;
}
/* Decide how each kernel runs, after lost blocks were marked. */
void incremental_choose(struct incremental *x, const struct flow *f, int nuses,
                        const struct variable_use *uses);
/* Return how kernel k runs in this run, RUNS_...; always as a whole if the program is not incremental. */
static inline int incremental_runs(const struct incremental *x, int k) {
    return x->versions ? x->runs[k] : RUNS_WHOLE;
}
/* Return how the kernel that writes the block runs in this run. */
static inline int incremental_writes(const struct incremental *x, int block) {
    return x->versions && x->writer[block] >= 0 ? x->runs[x->writer[block]] : RUNS_WHOLE;
}
/* Record the versions of the variables that this run used. done: it succeeded; else the next run launches all
   kernels. */
void incremental_end(struct incremental *x, int nuses, const struct variable_use *uses, bool done);
#endif
