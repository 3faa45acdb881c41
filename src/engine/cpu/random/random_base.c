/* Random numbers for the base instruction set. */
#define TABLE random_base
#include "engine/cpu/random/random.kernel.c"
