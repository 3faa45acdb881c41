/* Whether machine code is made at run time. */
#ifndef ENGINE_CPU_JIT_JIT_ALLOWED_H
#define ENGINE_CPU_JIT_JIT_ALLOWED_H
#include <stdbool.h>
#include "base/environment.h"

/* TY_JIT. */
extern const struct environment_row environment_jit;
/* What it says; true where it says nothing. */
bool jit_allowed(void);
/* Tests: instead of what it says, from now on. */
void jit_allow(bool on);
#endif
