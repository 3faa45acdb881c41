#include <stdio.h>
#include "compile/passes.h"

void debug_pass(const char *name, double since) {
    if (debug_level() > 0) fprintf(stderr, "tyto: %-10s %9.3f ms\n", name, debug_clock() - since);
}
