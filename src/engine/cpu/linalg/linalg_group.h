/* A group of small matrices, one per lane of a vector. */
#ifndef ENGINE_CPU_LINALG_LINALG_GROUP_H
#define ENGINE_CPU_LINALG_LINALG_GROUP_H
#include "engine/cpu/linalg/linalg.h"

enum { GROUP_MOST = 16 };
/* State of computing a group of `count` matrices. */
struct matrix_group {
    const struct matrix_plan *p;
    int64_t count;
    struct matrix_view in[GROUP_MOST][MATRIX_OPERANDS];
    char *out[GROUP_MOST], *next; /* next: free room */
    int64_t at[GROUP_MOST];       /* per lane: -1, or the index that a fault reports */
    int power[GROUP_MOST];
    bool lost[GROUP_MOST];
};
/* Compute a group of matrices. Return the fault that entries of g->at[] other than -1 mean. */
typedef enum matrix_fault matrix_group_run(struct matrix_group *g);
extern matrix_group_run *const matrix_groups[MATRIX_KINDS]; /* NULL: kind has no lanes method */
/* Return the bytes of room that a group needs. */
size_t matrix_group_room(const struct matrix_plan *p);
#endif
