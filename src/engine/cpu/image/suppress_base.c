/* Comparison of boxes for the base instruction set. */
#define HIDES suppress_base
#include "engine/cpu/image/suppress.kernel.c"
