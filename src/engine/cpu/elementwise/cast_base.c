/* Casts for the base instruction set. */
#define CAST_TABLE cast_base
#include "engine/cpu/elementwise/cast_types.h"
