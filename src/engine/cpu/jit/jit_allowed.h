/* Switch of machine-code generation at run time. */
#ifndef ENGINE_CPU_JIT_JIT_ALLOWED_H
#define ENGINE_CPU_JIT_JIT_ALLOWED_H
#include <stdbool.h>
#include "base/environment.h"

/* The environment variable TY_JIT, 0 or 1. */
extern const struct environment_row environment_jit;
/* Returns false if TY_JIT is 0; true if it is 1 or unset. */
bool jit_allowed(void);
/* Test hook: overrides TY_JIT from now on. */
void jit_allow(bool on);
#endif
