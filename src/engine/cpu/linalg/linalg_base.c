/* Linear algebra for the base instruction set. */
#define TABLE linalg_base
#define SPECTRAL_TABLE spectral_base
#define LANES(type) lanes_##type##_base
#include "engine/cpu/linalg/linalg.kernel.c"
