/* Golden plans: what the contraction compiler decides for many contractions on machines that are told. */
#ifndef TESTS_PLANS_PLANS_H
#define TESTS_PLANS_PLANS_H
#include "contract/contraction.h"

/* A contraction before it is lowered. */
struct plan_case {
    char name[96];
    struct contract_attr attr;
    struct layout_room rooms[3];
    ty_dtype dtype[3];
    bool constant[2]; /* left, right */
};
/* Hands every case to `take`, until that says false. */
bool plans_cases(bool (*take)(void *context, const struct plan_case *c), void *context);

/* The machines, described here so that plans do not depend on the one at hand. */
enum { PLAN_MACHINES = 4 };
const char *plans_machine_name(int machine);
void plans_machine(int machine, const ty_contraction *c, struct contract_machine *to);

/* The plan in one line; head of the file: how to read it. */
void plans_describe(const ty_contraction *c, struct text *to);
extern const char plans_head[];
/* Compares two files of plans, as text; prints what differs.  How many lines do. */
long plans_compare(const char *old, const char *new);
#endif
