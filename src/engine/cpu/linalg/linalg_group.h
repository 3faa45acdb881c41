/* As many small matrices as a vector has lanes. */
#ifndef ENGINE_CPU_LINALG_LINALG_GROUP_H
#define ENGINE_CPU_LINALG_LINALG_GROUP_H
#include "engine/cpu/linalg/linalg.h"
#include "engine/cpu/linalg/linalg_lanes.h"

enum { GROUP_MOST = 16 };
struct matrix_group {
    const struct matrix_plan *p;
    int64_t count;
    struct matrix_view in[GROUP_MOST][MATRIX_OPERANDS];
    char *out[GROUP_MOST], *next; /* next: of the room */
    int64_t at[GROUP_MOST];       /* -1, or what the fault of that lane is about */
    int power[GROUP_MOST];
    bool lost[GROUP_MOST];
};
/* Returns what an `at` means. */
typedef enum matrix_fault matrix_group_run(struct matrix_group *g);
extern matrix_group_run *const matrix_groups[MATRIX_KINDS]; /* NULL: none */
size_t matrix_group_room(const struct matrix_plan *p);
#endif
