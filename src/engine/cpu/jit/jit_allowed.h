/* Switch of machine-code generation at run time. */
#ifndef ENGINE_CPU_JIT_JIT_ALLOWED_H
#define ENGINE_CPU_JIT_JIT_ALLOWED_H
#include <stdbool.h>
#include "base/machine/environment.h"

/* The environment variable TY_JIT, 0 or 1. */
extern const struct environment_row environment_jit;
/* Return true if machine code may be generated: TY_JIT is 1 or unset, or a test allowed it. False if TY_JIT is 0. */
bool jit_allowed(void);
/* Test hook: allow machine code or not from now on, whatever TY_JIT says. */
void jit_allow(bool on);
#endif
