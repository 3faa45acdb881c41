/* What the kinds of resampling share (resample.c): the plan, one launch, where taps are. */
#ifndef ENGINE_CPU_IMAGE_RESAMPLE_PARTS_H
#define ENGINE_CPU_IMAGE_RESAMPLE_PARTS_H
#include <stdatomic.h>
#include "engine/cpu/image/resample.h"
#include "ops/core/attributes.h"

/* Elements of a run below which loops go along the places. */
enum { RESAMPLE_SHORT = 16 };

/* The index or the weights: rows of places, by batch axes and tap. */
struct resample_table {
    int input;
    struct layout layout;         /* collapsed, where it is copied */
    bool copied;                  /* places do not lie side by side, one tap's behind another's */
    size_t at, bytes;             /* of the copy in the workspace */
    int64_t strides[TY_MAX_RANK]; /* of the batch axes, then of the taps */
};

/* One axis that is resampled. */
struct resampled {
    struct resample_table index, weight; /* DOT: no weight */
    int64_t size, taps, places;
};

struct resample_plan {
    struct cpu_rows rows;
    struct cpu_whole whole;
    const struct resample_type *type;
    size_t size;                          /* of an element */
    int further;                          /* READ: axes before the one that `by` is */
    struct resampled axis[RESAMPLE_AXES]; /* all of them */
    const struct resampled *by;           /* the last one */
    int outer;                            /* axes before that one */
    struct layout inner;                  /* those behind it, collapsed, of x (READ), g (ADD) */
    bool along;                           /* nothing is behind the last axis: a row is along the places */
    int64_t run;            /* of elements side by side: behind a place (READ); that is summed over (DOT) */
    int64_t run_strides[2]; /* its steps, of x (READ) or of g and x */
    /* READ */
    int64_t step;             /* of x along the last axis */
    int64_t reach;            /* elements that a row may read there */
    bool merged;              /* runs of all places are one row */
    bool expanded;            /* merged: taps of pixels are made taps of elements */
    size_t elements, weights; /* where they are in the workspace */
    bool picked;              /* elements are picked one by one */
    /* ADD */
    int64_t units, pieces;
    /* DOT */
    struct layout sums[2]; /* axes that are summed over, of g and x; but the run */
    size_t before;         /* bytes of the workspace before that of rows or whole */
};

/* One launch: where x (or g) and the tables begin. */
struct resample_run {
    const struct kernel *kernel;
    const struct resample_plan *p;
    const char *x[2]; /* READ: x; ADD: g; DOT: g, x */
    const char *index[RESAMPLE_AXES], *weight[RESAMPLE_AXES];
    char *scratch; /* the workspace */
    char *out;     /* ADD */
    atomic_bool outside;
};

static inline int64_t resample_dot(int n, const int64_t *index, const int64_t *strides) {
    int64_t at = 0;
    for (int i = 0; i < n; i++) at += index[i] * strides[i];
    return at;
}

/* The taps along axis k of place i and behind it, at an index of the batch axes. */
struct resample_taps resample_taps_at(const struct resample_run *run, int k, const int64_t *batch, int64_t i);

/* Fills the plan's part for a kind and prepares its rows or whole. */
bool resample_prepare_read(struct resample_plan *p, struct kernel *kernel, struct arena *arena,
                           struct fault *fault);
bool resample_prepare_add(struct resample_plan *p, struct kernel *kernel, struct arena *arena,
                          struct fault *fault);
bool resample_prepare_dot(struct resample_plan *p, struct kernel *kernel, struct arena *arena,
                          struct fault *fault);
/* Makes all of the output; `workspace` is that of rows or whole. */
void resample_run_read(struct resample_run *run, void *const *slots, void *workspace);
void resample_run_add(struct resample_run *run, void *const *slots, void *workspace);
void resample_run_dot(struct resample_run *run, void *const *slots, void *workspace);
#endif
