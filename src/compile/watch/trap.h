/* Numbers that are none: NaN and infinities which a kernel makes of finite operands. */
#ifndef COMPILE_WATCH_TRAP_H
#define COMPILE_WATCH_TRAP_H
#include "base/environment.h"
#include "ops/core/watch.h"

extern const struct environment_row environment_trap, environment_profile; /* compile/watch.c */

/* Runs the launch by `run`; false with a sentence where it made such a number. */
bool trap_launch(const struct launch *l, struct fault *fault,
                 bool (*run)(const struct launch *, struct fault *));
#endif
