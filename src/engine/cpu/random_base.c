/* Random numbers for any processor. */
#define TABLE random_base
#include "engine/cpu/random.kernel.c"
