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
/* Call `take` for every case, in order, until it returns false. False if it did. */
bool plans_cases(bool (*take)(void *context, const struct plan_case *c), void *context);

/* The machines are described here, so that plans do not depend on the present one; `machine` is 0 ..
   PLAN_MACHINES - 1. */
enum { PLAN_MACHINES = 4 };
/* Return the name of a machine. */
const char *plans_machine_name(int machine);
/* Describe a machine for contraction c. */
void plans_machine(int machine, const ty_contraction *c, struct contract_machine *to);

/* Append the plan as one line of text. */
void plans_describe(const ty_contraction *c, struct text *to);
/* The head of the file, which explains its format. */
extern const char plans_head[];
/* Compare two files of plans, as text, and print the differences; returns the number of differing lines. */
long plans_compare(const char *old, const char *new);
#endif
