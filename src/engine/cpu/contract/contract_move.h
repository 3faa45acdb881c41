/* Copies of boxes with permuted axes, for packing and for sums that waited. */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_MOVE_H
#define ENGINE_CPU_CONTRACT_CONTRACT_MOVE_H
#include "engine/cpu/move/copy.h"

/* A box as the two sides step through it, in elements. */
struct move_box {
    int rank;
    int64_t shape[TY_MAX_RANK], from[TY_MAX_RANK], to[TY_MAX_RANK];
};
void move_axis(struct move_box *b, int64_t size, int64_t from, int64_t to);

enum { MOVE_AXES = 6 };
struct move_plan {
    int n;       /* axes around runs, as the source has them; -1: `copy` */
    int64_t run; /* bytes */
    int64_t size[MOVE_AXES], from[MOVE_AXES], to[MOVE_AXES];
    struct copy_plan copy;
};
/* Plans copying elements of `element` bytes, past the caches when streamed.  Reorders the box. */
void move_prepare(struct move_plan *m, struct move_box *b, int64_t element, bool streamed);
/* stage: COPY_STAGE bytes. */
void move_run(const struct move_plan *m, const char *from, char *to, char *stage);
#endif
