/* Trap for NaN and infinities that a kernel makes from finite operands. */
#ifndef COMPILE_WATCH_TRAP_H
#define COMPILE_WATCH_TRAP_H
#include "base/machine/environment.h"
#include "ops/core/watch.h"

extern const struct environment_row environment_trap, environment_profile; /* defined in compile/watch.c */

/* Run launch l by `run`. False with a message if it failed or made NaN or infinity from finite operands. */
bool trap_launch(const struct launch *l, struct fault *fault,
                 bool (*run)(const struct launch *, struct fault *));
#endif
