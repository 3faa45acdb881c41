/* Shared by the kinds of resampling (resample.c): plan, state of a launch, location of taps. */
#ifndef ENGINE_CPU_IMAGE_RESAMPLE_PARTS_H
#define ENGINE_CPU_IMAGE_RESAMPLE_PARTS_H
#include <stdatomic.h>
#include "engine/cpu/elementwise/store.h"
#include "engine/cpu/image/resample.h"
#include "ops/core/attributes.h"

/* Indices or weights: rows of positions, by batch axes and tap. */
struct resample_table {
    int input;
    struct layout layout;         /* of the copy's source, collapsed */
    bool copied;                  /* positions are not contiguous tap after tap, so a copy is used */
    size_t at, bytes;             /* byte offset and size of the copy in the workspace */
    int64_t strides[TY_MAX_RANK]; /* of the batch axes, then of the taps */
};

/* A resampled axis. */
struct resampled {
    struct resample_table index, weight; /* DOT has no weight */
    int64_t size, taps, places;
};

/* Plan of a kernel, immutable after prepare; READ, ADD and DOT are the kinds of resample.c. */
struct resample_plan {
    struct cpu_rows rows;
    struct cpu_whole whole;
    const struct resample_type *type;
    size_t size;                          /* bytes of an element */
    int further;                          /* READ: resampled axes before the last one */
    struct resampled axis[RESAMPLE_AXES]; /* all resampled axes */
    const struct resampled *by;           /* the last of them */
    int outer;                            /* number of axes before the last resampled one */
    struct layout inner;                  /* axes after it, collapsed, of x (READ) or g (ADD) */
    bool along;             /* the last resampled axis is the last one: rows run along positions */
    int64_t run;            /* contiguous elements after a position (READ), or summed over (DOT) */
    int64_t run_strides[2]; /* steps of the run, in x (READ), or in g and x */
    /* READ only */
    int64_t step;             /* of x along the last resampled axis */
    int64_t reach;            /* elements that a row may read there */
    bool merged;              /* runs of all positions form one row */
    bool expanded;            /* merged, and taps of pixels are expanded to taps of elements */
    size_t elements, weights; /* byte offsets of the expanded tables in the workspace */
    bool picked;              /* elements are selected one by one */
    /* ADD only */
    int64_t units, pieces;
    /* DOT only */
    struct layout sums[2]; /* summed axes of g and x, without the run */
    size_t before;         /* bytes of workspace before that of rows or whole */
};

/* State of one launch. */
struct resample_run {
    const struct kernel *kernel;
    const struct resample_plan *p;
    const char *x[2]; /* first elements: READ: x; ADD: g; DOT: g, x */
    const char *index[RESAMPLE_AXES], *weight[RESAMPLE_AXES];
    char *scratch; /* the workspace */
    char *out;     /* ADD only */
    atomic_bool outside;
};

/* Return the sum of index[i] * strides[i] over i < n. */
static inline int64_t resample_dot(int n, const int64_t *index, const int64_t *strides) {
    int64_t at = 0;
    for (int i = 0; i < n; i++) at += index[i] * strides[i];
    return at;
}

/* Return the taps along resampled axis k of position i and the following ones; batch[] is the index of the batch
   axes. */
struct resample_taps resample_taps_at(const struct resample_run *run, int k, const int64_t *batch, int64_t i);

/* Plan READ, the interpolation itself, and prepare its rows. Return false with a fault on error. */
bool resample_prepare_read(struct resample_plan *p, struct kernel *kernel, struct arena *arena,
                           struct fault *fault);
/* Plan ADD, the gradient of x, and prepare its whole store. Return false with a fault on error. */
bool resample_prepare_add(struct resample_plan *p, struct kernel *kernel, struct arena *arena,
                          struct fault *fault);
/* Plan DOT, the gradient of the weights, and prepare its rows. Return false with a fault on error. */
bool resample_prepare_dot(struct resample_plan *p, struct kernel *kernel, struct arena *arena,
                          struct fault *fault);
/* Compute the output of READ, the interpolation itself; `workspace` is that of rows. */
void resample_run_read(struct resample_run *run, void *const *slots, void *workspace);
/* Compute the output of ADD, the gradient of x; `workspace` is that of the whole store. */
void resample_run_add(struct resample_run *run, void *const *slots, void *workspace);
/* Compute the output of DOT, the gradient of the weights; `workspace` is that of rows. */
void resample_run_dot(struct resample_run *run, void *const *slots, void *workspace);
#endif
