/* Block copies for the base instruction set. */
#define WIDTH 16
#define TABLE copy_base
#include "engine/cpu/move/copy_isa.kernel.c"
