/* The casts for every CPU of the architecture. */
#define CAST_TABLE cast_base
#include "engine/cpu/cast_types.h"
