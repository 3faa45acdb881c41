/* A prepared branch.  branch.c runs it; exported files (src/export) have the same branch as text. */
#ifndef COMPILE_BODIES_BRANCH_H
#define COMPILE_BODIES_BRANCH_H
#include "compile/bodies/body_code.h"

/* Prepared branch; memory is of the program's arena. */
struct branch_plan {
    int ncodes;
    struct body_code codes[];
};
#endif
