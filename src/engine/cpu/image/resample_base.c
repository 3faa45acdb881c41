/* Resampling for the base instruction set. */
#define TABLE resample_base
#include "engine/cpu/image/resample_isa.kernel.c"
