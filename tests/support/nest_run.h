/* Interpreter of nests, and an engine for tests that lowers each kernel and interprets the nests. */
#ifndef TESTS_SUPPORT_NEST_RUN_H
#define TESTS_SUPPORT_NEST_RUN_H
#include "engine/nest/lower.h"

/* A refusal. */
struct nest_refusal {
    int step, check;
    int64_t position;
};
/* Run a list of nests on the memory slots[], temporaries included.  False if a nest refuses; `check` is -1 if memory
   ran out. */
bool nests_run(const ty_nests *nests, void *const *slots, struct nest_refusal *why);

/* The engine; kinds that are no nests run on `cpu`. */
extern const struct engine nest_engine;
/* Use it on this thread until ty_use_engine is called. */
void nest_engine_use(void);
/* Return the number of kernels that it has prepared as nests, of a kind. */
int64_t nest_engine_made(enum kernel_kind kind);
#endif
