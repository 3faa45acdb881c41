/* What rewrites changed, computed before and after (options.shadow). */
#ifndef COMPILE_SHADOW_H
#define COMPILE_SHADOW_H
#include "compile/program.h"
#include "graph/rewrite.h"

/* Whether all pairs have the same bits (NaN is NaN), in the order in which rewrites acted; false after a fault that names
   the first that has not. */
bool shadows_agree(const struct shadows *s, const struct engine *engine, struct fault *fault);
#endif
