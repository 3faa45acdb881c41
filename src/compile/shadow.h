/* Comparison of values before and after rewrites (options.shadow). */
#ifndef COMPILE_SHADOW_H
#define COMPILE_SHADOW_H
#include "compile/program.h"
#include "graph/rewrite.h"

/* Compute both sides of all pairs, in the order of the rewrites. True if their elements agree: equal bits,
   equal numbers or both NaN. False after a fault, which names the first rewrite that differs. */
bool shadows_agree(const struct shadows *s, const struct engine *engine, struct fault *fault);
#endif
