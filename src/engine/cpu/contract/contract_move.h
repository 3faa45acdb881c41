/* Copies of boxes with permuted axes, for packing and for storing waiting sums. */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_MOVE_H
#define ENGINE_CPU_CONTRACT_CONTRACT_MOVE_H
#include "engine/cpu/move/copy.h"

/* A box to copy: for each axis its size and its strides in source and destination, in elements. */
struct move_box {
    int rank;
    int64_t shape[TY_MAX_RANK], from[TY_MAX_RANK], to[TY_MAX_RANK];
};
/* Append an axis of `size` elements as the innermost one; from and to are its strides in source and destination, in
   elements. */
void move_axis(struct move_box *b, int64_t size, int64_t from, int64_t to);

enum { MOVE_AXES = 6 };
/* A planned copy. */
struct move_plan {
    int n;       /* axes around the runs, in source order; -1: use `copy` */
    int64_t run; /* contiguous bytes */
    int64_t size[MOVE_AXES], from[MOVE_AXES], to[MOVE_AXES];
    struct copy_plan copy;
};
/* Plan the copy of box b, with elements of `element` bytes, in m; with non-temporal stores if `streamed`. Reorders
   the axes of b. */
void move_prepare(struct move_plan *m, struct move_box *b, int64_t element, bool streamed);
/* Copy the planned box from the first element `from` to the first element `to`. stage: COPY_STAGE bytes of scratch. */
void move_run(const struct move_plan *m, const char *from, char *to, char *stage);
#endif
