/* Random numbers for any processor. */
#define TABLE random_base
#include "engine/cpu/random/random.kernel.c"
