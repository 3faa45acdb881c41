/* The casts for every CPU of the architecture. */
#define CAST_TABLE cast_base
#include "engine/cpu/elementwise/cast_types.h"
