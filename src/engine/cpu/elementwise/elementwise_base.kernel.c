/* The elementwise loops for every CPU of the architecture: vectors of 16 bytes. */
#define VECTOR_BYTES 16
#define ELEMENTWISE_SET base
#include "engine/cpu/elementwise/elementwise_types.h"
