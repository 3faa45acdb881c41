/* Golden plans: decisions of the contraction compiler for many contractions on described machines. */
#ifndef TESTS_PLANS_PLANS_H
#define TESTS_PLANS_PLANS_H
#include "contract/contraction.h"

/* A contraction before lowering. */
struct plan_case {
    char name[96];
    struct contract_attr attr;
    struct layout_room rooms[3];
    ty_dtype dtype[3];
    bool constant[2]; /* left, right */
};
/* Call `take` for every case until it returns false; returns false then. */
bool plans_cases(bool (*take)(void *context, const struct plan_case *c), void *context);

/* The machines are described here, so that plans do not depend on the present one. */
enum { PLAN_MACHINES = 4 };
const char *plans_machine_name(int machine);
void plans_machine(int machine, const ty_contraction *c, struct contract_machine *to);

/* Append the plan as one line. plans_head, the head of the file, explains the format. */
void plans_describe(const ty_contraction *c, struct text *to);
extern const char plans_head[];
/* Compare two files of plans, as text, and print the differences; returns the number of differing lines. */
long plans_compare(const char *old, const char *new);
#endif
